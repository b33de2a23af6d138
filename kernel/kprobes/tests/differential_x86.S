/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sequences of instructions for differential_kunit.c, which runs them bare and
 * probed, and what loads and captures registers around them.
 *
 * A sequence may use every register and need not restore any. It finds in rsi
 * and rdi two places in kprobes_diff_memory with room on either side, and on
 * the stack DIFF_STACK / 2 bytes above and below. What it leaves there below
 * its last stack pointer does not count.
 */
#include <asm/nospec-branch.h>
#include <asm/percpu.h>
#include <asm/segment.h>

#include "differential.h"
#include "differential_x86.inc"

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

/* What sequences call: leaves the return address in r15. */
SYM_FUNC_START(kprobes_diff_callee)
	movq	(%rsp), %r15
	RET
SYM_FUNC_END(kprobes_diff_callee)

/* Where sequences jump to. */
SYM_FUNC_START(kprobes_diff_landing)
	movl	$0x1a9d, %r15d
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
	.text

/* Arithmetic: flags produced and consumed */

SINGLE add, addq %rbx, %rax
SINGLE adc, adcq %rbx, %rax
SINGLE sub, subl %ecx, %edx
SINGLE sbb, sbbq $0x7f, %rax
SINGLE cmp, cmpq %r9, %r8
SINGLE test, testb $0x81, %al
SINGLE and_imm, andl $0x55aa55aa, %r12d
SINGLE xor_self, xorl %eax, %eax
SINGLE inc, incq %r13
SINGLE dec, decw %ax
SINGLE neg, negq %rdx
SINGLE not, notq %rdx
SINGLE imul, imulq %rbx, %rax
SINGLE imul_imm, imulq $1000, %rbp, %r11
SINGLE mul, mulq %rbx
SINGLE bsf, bsfq %rdx, %rax
SINGLE bsr, bsrq %rdx, %rax
SINGLE bt, btq %rcx, %rax
SINGLE bts_mem, lock btsq $17, (%rdi)
SINGLE bswap, bswapq %r10
SINGLE shl, shlq $3, %rax
SINGLE shr_cl, shrq %cl, %rbx
SINGLE sar_cl, sarl %cl, %ebx
SINGLE rol, rolw $5, %ax
SINGLE rcr, rcrq %rdx
SINGLE shld, shldq %cl, %rbx, %rax
SINGLE cmov_b, cmovbq %rbx, %rax
SINGLE cmov_le, cmovlel (%rsi), %eax
SINGLE set_g, setg %dl
SINGLE set_p_mem, setp (%rdi)
SINGLE cbw, cbtw
SINGLE cqo, cqto
SINGLE lahf, lahf
SINGLE sahf, sahf
SINGLE stc, stc
SINGLE clc, clc
SINGLE cmc, cmc
SEQUENCE std
	PROBE	std
END_SEQUENCE std DIFF_DIRECTION
SINGLE cld, cld

SEQUENCE div
	xorl	%edx, %edx
	movl	$7, %ebx
	PROBE	divq %rbx
END_SEQUENCE div

/* Moves and memory */

SINGLE mov_reg, movq %r8, %r15
SINGLE mov_imm64, movabsq $0x123456789abcdef0, %r14
SINGLE mov_load, movq 8(%rsi), %rax
SINGLE mov_store, movq %rax, -8(%rdi)
SINGLE mov_store_imm, movl $0x12345678, (%rdi)
SINGLE mov_load_rsp, movq 16(%rsp), %rax
SINGLE movzx, movzbl 3(%rsi), %ecx
SINGLE movsx, movslq %eax, %rdx
SINGLE lea, leaq 8(%rsi,%rcx,4), %rdx
SINGLE xchg, xchgq %rax, %rbx
SINGLE xchg_r8, xchgq %rax, %r8
SINGLE xchg_mem, xchgq %rax, (%rdi)
SINGLE xadd, lock xaddq %rax, (%rdi)
SINGLE cmpxchg, lock cmpxchgq %rbx, (%rdi)
SINGLE add_mem, addq $1, (%rdi)
SINGLE mov_cr0, movq %cr0, %rax
SINGLE mov_cs, movl %cs, %eax
SINGLE out, outb %al, $0x80
SINGLE lfence, lfence
SINGLE pause, pause
SINGLE prefetch, prefetcht0 (%rsi)

SEQUENCE load_sib
	andl	$7, %ecx
	PROBE	movq (%rsi,%rcx,8), %rax
END_SEQUENCE load_sib

SEQUENCE cpuid
	xorl	%eax, %eax
	PROBE	cpuid
END_SEQUENCE cpuid

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

	/* The longest region, but for one byte: its last begins where a jump ends. */
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

.macro STRING name:req insn:vararg
SEQUENCE \name
	andl	$7, %ecx
	PROBE	\insn
END_SEQUENCE \name
.endm

STRING movsq, movsq
STRING rep_movsq, rep movsq
STRING rep_movsb, rep movsb
STRING rep_stosl, rep stosl
STRING repe_cmpsb, repe cmpsb
STRING repne_scasw, repne scasw
STRING lodsb, lodsb

/* The stack */

SINGLE push, pushq %r12
SINGLE push_imm, pushq $-2
SINGLE push_rsp, pushq %rsp
SINGLE push_mem, pushq (%rsi)
SINGLE pop, popq %rbp
SINGLE pop_mem, popq (%rdi)
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

SEQUENCE enter
	PROBE	enter $8, $0
	movq	%rax, (%rsp)
END_SEQUENCE enter

SEQUENCE leave
	pushq	%rbp
	movq	%rsp, %rbp
	pushq	%rax
	PROBE	leave
END_SEQUENCE leave

/* The flags register, with the interrupt flag */

SINGLE pushf, pushfq
SINGLE cli, cli

SEQUENCE sti
	PROBE	sti
	nop
END_SEQUENCE sti

.macro POPF_FLIPPED name:req flip:req
SEQUENCE \name
	pushfq
	xorq	$\flip, (%rsp)
	PROBE	popfq
END_SEQUENCE \name
.endm

POPF_FLIPPED popf, 0x8d5
POPF_FLIPPED popf_df, 0x400
POPF_FLIPPED popf_if, 0x200
POPF_FLIPPED popf_ac, 0x40000

/* Nothing */

SINGLE nop, nop
SINGLE nop_data16, .byte 0x66, 0x90
SINGLE nop_long, nopw 0x200(%rax,%rax,1)

/* Jumps */

.irp cc, o, no, b, ae, e, ne, be, a, s, ns, p, np, l, ge, le, g
SEQUENCE j\cc
	PROBE	j\cc 1f
	movl	$1, %r15d
1:
END_SEQUENCE j\cc

SEQUENCE j\cc\()_far
	PROBE	j\cc kprobes_diff_landing
END_SEQUENCE j\cc\()_far
.endr

	/* Backwards, over a landing. */
.macro JUMP_BACK name:req insn:vararg
SEQUENCE \name
	jmp	2f
1:	movl	$2, %r15d
	jmp	.Ldone
2:	PROBE	\insn 1b
	movl	$1, %r15d
END_SEQUENCE \name
.endm

JUMP_BACK jmp, jmp
JUMP_BACK loop, loop
JUMP_BACK loope, loope
JUMP_BACK loopne, loopne
JUMP_BACK loop_ecx, addr32 loop
JUMP_BACK jrcxz, jrcxz
JUMP_BACK jecxz, jecxz

SINGLE jmp_far, jmp kprobes_diff_landing

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

SINGLE call, call kprobes_diff_callee

SEQUENCE call_cs
	PROBE	.byte 0x2e			/* cs: padding of the compiler's */
	call	kprobes_diff_callee
END_SEQUENCE call_cs

SEQUENCE call_next
	PROBE	call 1f
1:
END_SEQUENCE call_next

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

SEQUENCE ret
	leaq	1f(%rip), %rax
	pushq	%rax
	ANNOTATE_UNRET_SAFE
	PROBE	ret
	.skip	4, 0xcc			/* a jump would cover it */
1:
END_SEQUENCE ret

SEQUENCE ret_imm
	leaq	1f(%rip), %rax
	pushq	%rax
	ANNOTATE_UNRET_SAFE
	PROBE	ret $24
	.skip	4, 0xcc			/* a jump would cover it */
1:
END_SEQUENCE ret_imm

SEQUENCE ret_rep
	leaq	1f(%rip), %rax
	pushq	%rax
	ANNOTATE_UNRET_SAFE
	PROBE	.byte 0xf3, 0xc3
	.skip	4, 0xcc			/* a jump would cover it */
1:
END_SEQUENCE ret_rep

#ifdef CONFIG_KPROBES_ON_FTRACE
/* Entries of functions, where ftrace turns the call into a nop at boot */

ENTRY_OF entry_adc, adcq %rbx, %rax
ENTRY_OF entry_push, pushq %rbp
ENTRY_OF entry_pushf, pushfq
ENTRY_OF entry_load_rip, movq kprobes_diff_memory+24(%rip), %rbx
ENTRY_OF entry_jcc, jb kprobes_diff_landing
ENTRY_OF entry_call, call kprobes_diff_callee
#endif

/* Faults, which the exception table takes past the rest of the sequence */

SEQUENCE fault_load
	movabsq	$0x8000000000000000, %rbx
	PROBE	movq (%rbx), %rax
	movl	$1, %r15d
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
	movl	$1, %r15d
	_ASM_EXTABLE(77b, 1f)
1:
END_SEQUENCE fault_rep_movsq DIFF_FAULTS

	.section .rodata.kprobes_diff, "a"
SYM_DATA_END_LABEL(kprobes_diff_sequences, SYM_L_GLOBAL, kprobes_diff_sequences_end)
