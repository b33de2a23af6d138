/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions with instructions that a jump can displace, for the suites of the
 * optimizer. They have no landing pads: they are called directly.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/frame.h>
#include <asm/nospec-branch.h>

.macro FUNCTION name:req
SYM_START(\name, SYM_L_GLOBAL, SYM_F_ALIGN)
	ANNOTATE_NOENDBR
.endm

/* The offset of an instruction in its function. */
.macro OFFSET name:req at:req function:req
	.pushsection .rodata
	.balign	4
SYM_DATA(\name, .long \at - \function)
	.popsection
.endm

	.text

/* int kprobes_opt_plain(int a): a + 10; the jump covers two instructions */
FUNCTION kprobes_opt_plain
	leaq	1(%rdi), %rax
	incq	%rax
	addq	$8, %rax
	RET
SYM_FUNC_END(kprobes_opt_plain)

/* int kprobes_opt_flags(long a): a ? 2 : 1 */
FUNCTION kprobes_opt_flags
	testq	%rdi, %rdi
.Lflags:
	movl	$1, %eax
.Ljcc:	jz	1f
	movl	$2, %eax
1:	RET
SYM_FUNC_END(kprobes_opt_flags)

OFFSET kprobes_opt_flags_at, .Lflags, kprobes_opt_flags
OFFSET kprobes_opt_jcc_at, .Ljcc, kprobes_opt_flags

/* int kprobes_opt_push(long a): a */
FUNCTION kprobes_opt_push
	pushq	%rdi
	movq	%rdi, %rdx
	popq	%rax
	RET
SYM_FUNC_END(kprobes_opt_push)

/* int kprobes_opt_stack(long a): a, or what else is on top of the stack */
FUNCTION kprobes_opt_stack
	pushq	%rbp
	movq	%rsp, %rbp
	pushq	%rdi
.Lstack:
	movq	(%rsp), %rax
	movq	%rbp, %rsp
	popq	%rbp
	RET
SYM_FUNC_END(kprobes_opt_stack)

OFFSET kprobes_opt_stack_at, .Lstack, kprobes_opt_stack

/* int kprobes_opt_call(int a): a + 1; the first instruction is as long as a call */
FUNCTION kprobes_opt_call
	movl	$1, %eax
	addl	%edi, %eax
	RET
SYM_FUNC_END(kprobes_opt_call)

/* What handlers go to: returns 1001. */
FUNCTION kprobes_opt_callee
	movl	$1001, %eax
	RET
SYM_FUNC_END(kprobes_opt_callee)

/* int kprobes_opt_middle(int a): a + 3, where something has been pushed */
FUNCTION kprobes_opt_middle
	FRAME_BEGIN
	pushq	%rbx
	pushq	%r12
.Lmiddle:
	leaq	1(%rdi), %rbx
	leaq	1(%rbx), %r12
	leaq	1(%r12), %rax
	popq	%r12
	popq	%rbx
	FRAME_END
	RET
SYM_FUNC_END(kprobes_opt_middle)

OFFSET kprobes_opt_middle_at, .Lmiddle, kprobes_opt_middle
