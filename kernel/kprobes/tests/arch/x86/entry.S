/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions with ftrace's nop at their entry whose next instruction is known,
 * and trampolines for direct calls. None is called through a pointer.
 */
#include <asm/nospec-branch.h>

#include "asm.inc"

/* A function as the compiler makes it for CONFIG_FUNCTION_TRACER. */
.macro TRACED_FUNCTION name:req
FUNCTION \name
76:	call	__fentry__
	TRACED_CALL 76b
.endm

	.text

/* int kprobes_entry_target(int a): a + 1, of nothing but what is wanted */
TRACED_FUNCTION kprobes_entry_target
	lea	10(%_ASM_ARG1), %eax
	subl	$9, %eax
	RET
SYM_FUNC_END(kprobes_entry_target)

/* Enters that function after the nop, like a call that has passed it. */
FUNCTION kprobes_entry_late
#ifdef CONFIG_X86_64
	leaq	kprobes_entry_target(%rip), %rax
	addq	$5, %rax
	pushq	%rax
#else
	pushl	$kprobes_entry_target + 5
#endif
	RET
SYM_FUNC_END(kprobes_entry_late)
	STACK_FRAME_NON_STANDARD kprobes_entry_late

/* int kprobes_entry_loop(int n, int a): a + n, in n rounds, at least one */
TRACED_FUNCTION kprobes_entry_loop
.Lround:
	addl	$1, %_ASM_ARG2L
	subl	$1, %_ASM_ARG1L
	jnz	.Lround
	movl	%_ASM_ARG2L, %eax
	RET
SYM_FUNC_END(kprobes_entry_loop)

/* int kprobes_entry_tail(int a): the same, by a tail call */
TRACED_FUNCTION kprobes_entry_tail
	jmp	kprobes_entry_target
SYM_FUNC_END(kprobes_entry_tail)

/* A function without a nop, for redirected calls: -a */
FUNCTION kprobes_entry_other
	mov	%_ASM_ARG1L, %eax
	negl	%eax
	RET
SYM_FUNC_END(kprobes_entry_other)

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS

/* A direct call that counts. */
FUNCTION kprobes_entry_direct
	lock incl _ASM_RIP(kprobes_entry_directs)
	RET
SYM_FUNC_END(kprobes_entry_direct)

/* One that calls the function itself, adds 1000, and returns to its caller. */
FUNCTION kprobes_entry_around
	lock incl _ASM_RIP(kprobes_entry_directs)
	ANNOTATE_INTRA_FUNCTION_CALL
	call	1f
	addl	$1000, %eax
	lea	__ASM_SEL_RAW(4, 8)(%_ASM_SP), %_ASM_SP
	RET
1:	__ASM_SIZE(push) __ASM_SEL_RAW(4, 8)(%_ASM_SP)
	RET
SYM_FUNC_END(kprobes_entry_around)
	STACK_FRAME_NON_STANDARD kprobes_entry_around

#endif
