/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of ../../optimize.S that only x86 has.
 */
#include "insn.inc"

	.text

/* int kprobes_opt_stack(long a): a, or what else is on top of the stack */
FUNCTION kprobes_opt_stack
	push	%_ASM_BP
	mov	%_ASM_SP, %_ASM_BP
	push	%_ASM_ARG1
.Lstack:
	mov	(%_ASM_SP), %_ASM_AX
	mov	%_ASM_BP, %_ASM_SP
	pop	%_ASM_BP
	RET
SYM_FUNC_END(kprobes_opt_stack)

OFFSET kprobes_opt_stack_at, .Lstack, kprobes_opt_stack

/* int kprobes_opt_call(int a): a + 1; the first instruction is as long as a call */
FUNCTION kprobes_opt_call
#ifdef CONFIG_X86_64
	movl	$1, %eax
	addl	%edi, %eax
#else
	movl	$1, %edx
	addl	%edx, %eax
#endif
	RET
SYM_FUNC_END(kprobes_opt_call)

/* int kprobes_opt_std(int a): a + 3, with the direction flag set on the way */
FUNCTION kprobes_opt_std
	movl	%_ASM_ARG1L, %eax
	addl	$3, %eax
	std
	movl	%eax, %edx
	cld
	RET
SYM_FUNC_END(kprobes_opt_std)
