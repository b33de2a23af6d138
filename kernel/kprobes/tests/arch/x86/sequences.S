/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sequences of instructions for differential_kunit.c, which runs them with and without
 * probes, and the code that loads and stores registers around them.
 *
 * A sequence may use every register and need not restore any. It finds in rsi
 * and rdi two places in kprobes_diff_memory with room on either side, and on
 * the stack DIFF_STACK / 2 bytes above and below. What it leaves there below
 * its last stack pointer does not count.
 */
#include <asm/cpufeatures.h>
#include <asm/msr-index.h>
#include <asm/nospec-branch.h>
#include <asm/percpu.h>
#include <asm/segment.h>

/* Tells which way a sequence went. */
#define DIFF_MARK	r15d

#include "../../differential.h"
#include "sequences.inc"

	.section .rodata.kprobes_diff, "a"
	.balign	8
SYM_DATA_START(kprobes_diff_sequences)

	.text

/* void kprobes_diff_run(void *code) */
SYM_FUNC_START(kprobes_diff_run)
	pushq	%rbp
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	pushfq
	movq	%rdi, .Lcode(%rip)
	movq	%rsp, .Lsp(%rip)

	subq	$DIFF_STACK, %rsp
	movq	%rsp, kprobes_diff_window(%rip)
	leaq	kprobes_diff_stack_in(%rip), %rsi
	movq	%rsp, %rdi
	movl	$DIFF_STACK / 8, %ecx
	rep movsq
	addq	$DIFF_STACK / 2, %rsp

	pushq	kprobes_diff_in+DIFF_FLAGS(%rip)
	popfq
	movq	kprobes_diff_in+DIFF_AX(%rip), %rax
	movq	kprobes_diff_in+DIFF_CX(%rip), %rcx
	movq	kprobes_diff_in+DIFF_DX(%rip), %rdx
	movq	kprobes_diff_in+DIFF_BX(%rip), %rbx
	movq	kprobes_diff_in+DIFF_BP(%rip), %rbp
	movq	kprobes_diff_in+DIFF_SI(%rip), %rsi
	movq	kprobes_diff_in+DIFF_DI(%rip), %rdi
	.irp	n, 8, 9, 10, 11, 12, 13, 14, 15
	movq	kprobes_diff_in+DIFF_R8+8*(\n-8)(%rip), %r\n
	.endr
	ANNOTATE_RETPOLINE_SAFE
	jmp	*.Lcode(%rip)
	int3

.Ldone:
	movq	%rax, kprobes_diff_out+DIFF_AX(%rip)
	movq	%rcx, kprobes_diff_out+DIFF_CX(%rip)
	movq	%rdx, kprobes_diff_out+DIFF_DX(%rip)
	movq	%rbx, kprobes_diff_out+DIFF_BX(%rip)
	movq	%rsp, kprobes_diff_out+DIFF_SP(%rip)
	movq	%rbp, kprobes_diff_out+DIFF_BP(%rip)
	movq	%rsi, kprobes_diff_out+DIFF_SI(%rip)
	movq	%rdi, kprobes_diff_out+DIFF_DI(%rip)
	.irp	n, 8, 9, 10, 11, 12, 13, 14, 15
	movq	%r\n, kprobes_diff_out+DIFF_R8+8*(\n-8)(%rip)
	.endr
	pushfq
	popq	kprobes_diff_out+DIFF_FLAGS(%rip)

	cld
	movq	kprobes_diff_window(%rip), %rsi
	leaq	kprobes_diff_stack_out(%rip), %rdi
	movl	$DIFF_STACK / 8, %ecx
	rep movsq

	movq	.Lsp(%rip), %rsp
	popfq
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
	RET
SYM_FUNC_END(kprobes_diff_run)
	STACK_FRAME_NON_STANDARD kprobes_diff_run

/* Called by sequences: leaves the return address in r15. A thunk may change the flags. */
SYM_FUNC_START(kprobes_diff_callee)
	movq	(%rsp), %r15
	ANNOTATE_UNRET_SAFE
	ret
	int3
SYM_FUNC_END(kprobes_diff_callee)

/* Where sequences jump to. */
SYM_FUNC_START(kprobes_diff_landing)
	movl	$0x1a9d, %DIFF_MARK
	jmp	.Ldone
SYM_FUNC_END(kprobes_diff_landing)
	STACK_FRAME_NON_STANDARD kprobes_diff_landing

	.data
	.balign	8
.Lcode:		.quad	0
.Lsp:		.quad	0
.Lcallee:	.quad	kprobes_diff_callee
.Llanding:	.quad	kprobes_diff_landing
.Lselector:	.word	__KERNEL_DS
	.balign	64
.Lfpu_state:	.skip	1024
	.text

.macro PUSH_ADDRESS label:req
	leaq	\label(%rip), %rax
	pushq	%rax
.endm

/* Operands relative to the instruction. */
#define DIFF_AT(offset)	kprobes_diff_memory+offset(%rip)
#define DIFF_FPU_STATE	.Lfpu_state(%rip)

#include "sequences_common.inc"
#include "sequences_arith.inc"
#include "sequences_memory.inc"
#include "sequences_percpu.inc"
#include "sequences_system.inc"

/* Arithmetic */

SINGLE cmp, cmpq %r9, %r8
SINGLE and_imm, andl $0x55aa55aa, %r12d
SINGLE inc, incq %r13
SINGLE imul_imm, imulq $1000, %rbp, %r11
SINGLE bswap, bswapq %r10
SINGLE cqo, cqto

/* Moves and memory */

SINGLE mov_reg, movq %r8, %r15
SINGLE mov_imm64, movabsq $0x123456789abcdef0, %r14
SINGLE mov_load_rsp, movq 16(%rsp), %rax
SINGLE movsx, movslq %eax, %rdx
SINGLE xchg_r8, xchgq %rax, %r8

/* Operands relative to the instruction */

SINGLE load_rip, movq kprobes_diff_memory+24(%rip), %rbx
SINGLE store_rip, movq %rbx, kprobes_diff_memory+32(%rip)
SINGLE store_imm_rip, movl $0x12345678, kprobes_diff_memory+40(%rip)
SINGLE lea_rip, leaq kprobes_diff_memory+16(%rip), %rdx
SINGLE lea_self, leaq 77b(%rip), %rdx
SINGLE cmp_imm_rip, cmpl $0x20202020, kprobes_diff_memory+32(%rip)
SINGLE lock_add_rip, lock addq %rax, kprobes_diff_memory+48(%rip)
SINGLE percpu_rip, movq PER_CPU_VAR(kprobes_diff_percpu), %rax
SINGLE verw_rip, verw .Lselector(%rip)
SINGLE push_rip, pushq kprobes_diff_memory+56(%rip)
SINGLE pop_rip, popq kprobes_diff_memory+64(%rip)

	/* The longest instruction there can be. */
SEQUENCE long_rip
	PROBE	.byte 0x2e, 0x2e, 0x2e, 0x2e
	addq	$0x11223344, kprobes_diff_memory+72(%rip)
END_SEQUENCE long_rip

	/* The longest region but one: its last instruction begins in the jump's last byte. */
.macro LONG_REGION name:req insn:vararg
SEQUENCE \name
	andl	$7, %ecx
	PROBE	\insn
	movl	%edx, %edx
	movq	$0x76543210, kprobes_diff_memory(,%rcx,8)
2:	incq	%r13
END_SEQUENCE \name
.endm

LONG_REGION long_region, movl %ebx, %ebx
LONG_REGION long_region_jcc, jo 2f

/* Strings */

STRING movsq, movsq
STRING rep_movsq, rep movsq

/* The stack */

SINGLE push, pushq %r12
SINGLE push_rsp, pushq %rsp
SINGLE pop_mem_rsp, popq 8(%rsp)
SINGLE add_rsp, addq $24, %rsp
SINGLE lea_rsp, leaq 32(%rsp), %rsp

SEQUENCE pop_rsp
	leaq	16(%rsp), %rax
	pushq	%rax
	PROBE	popq %rsp
END_SEQUENCE pop_rsp

SEQUENCE sub_rsp
	PROBE	subq $16, %rsp
	movq	%rax, (%rsp)
	movq	%rbx, 8(%rsp)
END_SEQUENCE sub_rsp

/* Jumps */

JUMP_BACK loop_ecx, addr32 loop
JUMP_BACK jrcxz, jrcxz

SEQUENCE jmp_reg
	leaq	kprobes_diff_landing(%rip), %r11
	ANNOTATE_RETPOLINE_SAFE
	PROBE	jmp *%r11
	int3
END_SEQUENCE jmp_reg

SEQUENCE jmp_rip
	ANNOTATE_RETPOLINE_SAFE
	PROBE	jmp *.Llanding(%rip)
	int3
END_SEQUENCE jmp_rip

SEQUENCE jmp_rsp
	pushq	.Llanding(%rip)
	pushq	%rax
	ANNOTATE_RETPOLINE_SAFE
	PROBE	jmp *8(%rsp)
	int3
END_SEQUENCE jmp_rsp

/* Calls and returns */

.macro CALL_BY name:req operand:vararg
SEQUENCE \name
	leaq	kprobes_diff_callee(%rip), %r11
	leaq	.Lcallee(%rip), %rbp
	movl	$3, %ebx
	pushq	%r11
	pushq	%rax
	ANNOTATE_RETPOLINE_SAFE
	PROBE	call *\operand
END_SEQUENCE \name
.endm

CALL_BY call_reg, %r11
CALL_BY call_mem, (%rbp)
CALL_BY call_mem_sib, -24(%rbp,%rbx,8)
CALL_BY call_mem_rsp, 8(%rsp)
CALL_BY call_rip, .Lcallee(%rip)
CALL_BY call_percpu, PER_CPU_VAR(kprobes_diff_percpu_callee)

#ifdef CONFIG_KPROBES_ON_FTRACE
/* Entries of functions */
ENTRY_OF entry_load_rip, movq kprobes_diff_memory+24(%rip), %rbx
#endif

/* Faults: the exception table's fixup skips the rest of the sequence */

SEQUENCE fault_load
	movabsq	$0x8000000000000000, %rbx
	PROBE	movq (%rbx), %rax
	movl	$1, %DIFF_MARK
	_ASM_EXTABLE(77b, 1f)
1:
END_SEQUENCE fault_load DIFF_FAULTS

	/* Two words fit. */
SEQUENCE fault_rep_movsq
	cld
	leaq	kprobes_diff_memory(%rip), %rsi
	movq	kprobes_diff_edge(%rip), %rdi
	subq	$16, %rdi
	movl	$4, %ecx
	PROBE	rep movsq
	movl	$1, %DIFF_MARK
	_ASM_EXTABLE(77b, 1f)
1:
END_SEQUENCE fault_rep_movsq DIFF_FAULTS

	.section .rodata.kprobes_diff, "a"
SYM_DATA_END_LABEL(kprobes_diff_sequences, SYM_L_GLOBAL, kprobes_diff_sequences_end)
