/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions for tests that unwind from each of their instructions, and from the displaced
 * ones. With frame pointers they have frames, so that traces have every caller.
 */
#include <asm/frame.h>
#include <asm/nospec-branch.h>

#include "asm.inc"

	.section .rodata
	.balign	4
SYM_DATA_LOCAL(.Lone, .long 1)

	.text

/* int f(int a): a + 1, for all of them */

/* The displaced instructions move the stack pointer. */
SYM_FUNC_START(kprobes_unwind_push)
	FRAME_BEGIN
.Lpush:
	pushq	%rbx
	movl	%edi, %ebx
	leal	1(%rbx), %eax
.Lpop:
	popq	%rbx
	movl	%eax, %edx
	leal	(%rdx), %eax
	FRAME_END
	RET
SYM_FUNC_END(kprobes_unwind_push)

OFFSET kprobes_unwind_push_at, .Lpush, kprobes_unwind_push
OFFSET kprobes_unwind_pop_at, .Lpop, kprobes_unwind_push

/* The instruction reads memory, so post-handlers are called after a second saving. */
SYM_FUNC_START(kprobes_unwind_load)
	FRAME_BEGIN
	xorl	%eax, %eax
.Lload:
	addl	.Lone(%rip), %eax
	addl	%edi, %eax
	FRAME_END
	RET
SYM_FUNC_END(kprobes_unwind_load)

OFFSET kprobes_unwind_load_at, .Lload, kprobes_unwind_load

/* The instruction works on a few registers alone. */
SYM_FUNC_START(kprobes_unwind_add)
	FRAME_BEGIN
.Ladd:
	leal	2(%rdi), %eax
	decl	%eax
	FRAME_END
	RET
SYM_FUNC_END(kprobes_unwind_add)

OFFSET kprobes_unwind_add_at, .Ladd, kprobes_unwind_add

/* A nop, and a call as the last of the displaced instructions. */
SYM_FUNC_START(kprobes_unwind_call)
	FRAME_BEGIN
	pushq	%rbx
.Lnop:
	nop
	call	kprobes_unwind_add
	popq	%rbx
	FRAME_END
	RET
SYM_FUNC_END(kprobes_unwind_call)

OFFSET kprobes_unwind_nop_at, .Lnop, kprobes_unwind_call

/* A call alone. */
SYM_FUNC_START(kprobes_unwind_call_first)
	FRAME_BEGIN
.Lcall:
	call	kprobes_unwind_add
	FRAME_END
	RET
SYM_FUNC_END(kprobes_unwind_call_first)

OFFSET kprobes_unwind_call_at, .Lcall, kprobes_unwind_call_first

/*
 * A branch leads to what comes after the instruction, so that a jump there must be short.
 * The loop is passed once.
 */
SYM_FUNC_START(kprobes_unwind_short)
	FRAME_BEGIN
	movl	$1, %ecx
.Lveneer:
	movl	%edi, %eax
.Llanded:
	incl	%eax
	decl	%ecx
	jnz	.Llanded
	FRAME_END
	RET
SYM_FUNC_END(kprobes_unwind_short)

OFFSET kprobes_unwind_short_at, .Lveneer, kprobes_unwind_short

/*
 * void f(void *to, unsigned long n, bool *inside): takes long, and can be interrupted in it.
 * It clears *inside while it is still in traces.
 */
SYM_FUNC_START(kprobes_unwind_fill)
	FRAME_BEGIN
	movq	%rsi, %rcx
	xorl	%eax, %eax
.Lfill:
	rep stosb
	leaq	(%rcx), %rax
	movb	$0, (%rdx)
	FRAME_END
	RET
SYM_FUNC_END(kprobes_unwind_fill)

OFFSET kprobes_unwind_fill_at, .Lfill, kprobes_unwind_fill

#ifdef CONFIG_KPROBES_ON_FTRACE

/* The entry's nop is one of ftrace. */
SYM_FUNC_START(kprobes_unwind_entry)
.Lentry:
	call	__fentry__
	TRACED_CALL .Lentry
	FRAME_BEGIN
	leal	2(%rdi), %eax
	decl	%eax
	FRAME_END
	RET
SYM_FUNC_END(kprobes_unwind_entry)

OFFSET kprobes_unwind_entry_at, .Lentry, kprobes_unwind_entry

#endif
