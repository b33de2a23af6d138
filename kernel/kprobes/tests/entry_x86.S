/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions with ftrace's nop at their entry whose next instruction is known,
 * and trampolines for direct calls. None is called through a pointer.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/nospec-branch.h>

/* A function as the compiler makes it for CONFIG_FUNCTION_TRACER. */
.macro TRACED_FUNCTION name:req
SYM_START(\name, SYM_L_GLOBAL, SYM_F_ALIGN)
	ANNOTATE_NOENDBR
76:	call	__fentry__
	/* objtool would write the table for all files. */
#ifndef CONFIG_FTRACE_MCOUNT_USE_OBJTOOL
	.pushsection __mcount_loc, "a", @progbits
	.balign	8
	.quad	76b
	.popsection
#endif
.endm

	.text

/* int kprobes_entry_target(int a): a + 1, of nothing but what is wanted */
TRACED_FUNCTION kprobes_entry_target
	leal	10(%rdi), %eax
	subl	$9, %eax
	RET
SYM_FUNC_END(kprobes_entry_target)

/* The same without the nop, as a call goes on that has passed it. */
SYM_START(kprobes_entry_late, SYM_L_GLOBAL, SYM_F_ALIGN)
	ANNOTATE_NOENDBR
	leaq	kprobes_entry_target(%rip), %rax
	addq	$5, %rax
	pushq	%rax
	RET
SYM_FUNC_END(kprobes_entry_late)
	STACK_FRAME_NON_STANDARD kprobes_entry_late

/* int kprobes_entry_loop(int n, int a): a + n, in n rounds, at least one */
TRACED_FUNCTION kprobes_entry_loop
.Lround:
	addl	$1, %esi
	subl	$1, %edi
	jnz	.Lround
	movl	%esi, %eax
	RET
SYM_FUNC_END(kprobes_entry_loop)

/* A function without a nop, to go to: -a */
SYM_START(kprobes_entry_other, SYM_L_GLOBAL, SYM_F_ALIGN)
	ANNOTATE_NOENDBR
	movl	%edi, %eax
	negl	%eax
	RET
SYM_FUNC_END(kprobes_entry_other)

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS

/* A direct call that counts. */
SYM_START(kprobes_entry_direct, SYM_L_GLOBAL, SYM_F_ALIGN)
	ANNOTATE_NOENDBR
	lock incl kprobes_entry_directs(%rip)
	RET
SYM_FUNC_END(kprobes_entry_direct)

/* One that calls the function itself, adds 1000, and returns to its caller. */
SYM_START(kprobes_entry_around, SYM_L_GLOBAL, SYM_F_ALIGN)
	ANNOTATE_NOENDBR
	lock incl kprobes_entry_directs(%rip)
	ANNOTATE_INTRA_FUNCTION_CALL
	call	1f
	addl	$1000, %eax
	addq	$8, %rsp
	RET
1:	pushq	8(%rsp)
	RET
SYM_FUNC_END(kprobes_entry_around)
	STACK_FRAME_NON_STANDARD kprobes_entry_around

#endif
