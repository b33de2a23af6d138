/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of ../../targets_asm.S that only x86 has.
 */
#include "insn.inc"

	.text

/* Offset of @to in struct kprobes_branch: read_kunit.c */
#define BRANCH_TO	__ASM_SEL_RAW(4, 8)

/* Not executed: the kernel warns when it faults. */
FUNCTION kprobes_target_rdmsr
1:	rdmsr
2:	RET
	_ASM_EXTABLE_TYPE(1b, 2b, EX_TYPE_RDMSR)
SYM_FUNC_END(kprobes_target_rdmsr)

/* Not executed: the kernel recovers from a machine check there. */
FUNCTION kprobes_target_load_mce
1:	LOAD
	RET
2:	RET
	_ASM_EXTABLE_TYPE(1b, 2b, EX_TYPE_FAULT_MCE_SAFE)
SYM_FUNC_END(kprobes_target_load_mce)

/* int kprobes_target_divide(int a, int b): a / b, or -1 where that faults */
FUNCTION kprobes_target_divide
#ifdef CONFIG_X86_64
	movl	%edi, %eax
#else
	movl	%edx, %ecx
#endif
	cltd
.Ldivide:
#ifdef CONFIG_X86_64
	idivl	%esi
#else
	idivl	%ecx
#endif
	RET
2:	movl	$-1, %eax
	RET
	_ASM_EXTABLE(.Ldivide, 2b)
SYM_FUNC_END(kprobes_target_divide)

/* unsigned long kprobes_target_call_mem(const struct kprobes_branch *b): b->to() */
FUNCTION kprobes_target_call_mem
	FRAME_BEGIN
	ANNOTATE_RETPOLINE_SAFE
.Lcall_mem:
	call	*BRANCH_TO(%_ASM_ARG1)
.Lcalled_mem:
	FRAME_END
	RET
SYM_FUNC_END(kprobes_target_call_mem)

/* The same by a tail call. */
FUNCTION kprobes_target_jump_mem
	ANNOTATE_RETPOLINE_SAFE
	jmp	*BRANCH_TO(%_ASM_ARG1)
	int3
SYM_FUNC_END(kprobes_target_jump_mem)

/* unsigned long kprobes_target_returns_to(void): its return address */
SYM_FUNC_START(kprobes_target_returns_to)
	mov	(%_ASM_SP), %_ASM_AX
	RET
SYM_FUNC_END(kprobes_target_returns_to)

OFFSET kprobes_call_mem_offset, .Lcall_mem, kprobes_target_call_mem
OFFSET kprobes_called_mem_offset, .Lcalled_mem, kprobes_target_call_mem
OFFSET kprobes_divide_offset, .Ldivide, kprobes_target_divide
