/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sequences of 32-bit instructions for differential_kunit.c, which runs them with and
 * without probes, and the code that loads and stores registers around them.
 *
 * A sequence may use every register and need not restore any. It finds in esi
 * and edi two places in kprobes_diff_memory with room on either side, and on
 * the stack DIFF_STACK / 2 bytes above and below. What it leaves there below
 * its last stack pointer does not count.
 */
#include <asm/nospec-branch.h>
#include <asm/percpu.h>
#include <asm/segment.h>

/* Tells which way a sequence went. */
#define DIFF_MARK	ebp

#include "../../differential.h"
#include "sequences.inc"

	.section .rodata.kprobes_diff, "a"
	.balign	4
SYM_DATA_START(kprobes_diff_sequences)

	.text

/* void kprobes_diff_run(void *code) */
SYM_FUNC_START(kprobes_diff_run)
	pushl	%ebp
	pushl	%ebx
	pushl	%esi
	pushl	%edi
	pushfl
	movl	%eax, .Lcode
	movl	%esp, .Lsp

	subl	$DIFF_STACK, %esp
	movl	%esp, kprobes_diff_window
	movl	$kprobes_diff_stack_in, %esi
	movl	%esp, %edi
	movl	$DIFF_STACK / 4, %ecx
	rep movsl
	addl	$DIFF_STACK / 2, %esp

	pushl	kprobes_diff_in+DIFF_FLAGS
	popfl
	movl	kprobes_diff_in+DIFF_AX, %eax
	movl	kprobes_diff_in+DIFF_CX, %ecx
	movl	kprobes_diff_in+DIFF_DX, %edx
	movl	kprobes_diff_in+DIFF_BX, %ebx
	movl	kprobes_diff_in+DIFF_BP, %ebp
	movl	kprobes_diff_in+DIFF_SI, %esi
	movl	kprobes_diff_in+DIFF_DI, %edi
	ANNOTATE_RETPOLINE_SAFE
	jmp	*.Lcode
	int3

.Ldone:
	movl	%eax, kprobes_diff_out+DIFF_AX
	movl	%ecx, kprobes_diff_out+DIFF_CX
	movl	%edx, kprobes_diff_out+DIFF_DX
	movl	%ebx, kprobes_diff_out+DIFF_BX
	movl	%esp, kprobes_diff_out+DIFF_SP
	movl	%ebp, kprobes_diff_out+DIFF_BP
	movl	%esi, kprobes_diff_out+DIFF_SI
	movl	%edi, kprobes_diff_out+DIFF_DI
	pushfl
	popl	kprobes_diff_out+DIFF_FLAGS

	cld
	movl	kprobes_diff_window, %esi
	movl	$kprobes_diff_stack_out, %edi
	movl	$DIFF_STACK / 4, %ecx
	rep movsl

	movl	.Lsp, %esp
	popfl
	popl	%edi
	popl	%esi
	popl	%ebx
	popl	%ebp
	RET
SYM_FUNC_END(kprobes_diff_run)

/* Called by sequences: leaves the return address in ebp. */
SYM_FUNC_START(kprobes_diff_callee)
	movl	(%esp), %ebp
	RET
SYM_FUNC_END(kprobes_diff_callee)

/* Where sequences jump to. */
SYM_FUNC_START(kprobes_diff_landing)
	movl	$0x1a9d, %DIFF_MARK
	jmp	.Ldone
SYM_FUNC_END(kprobes_diff_landing)

	.data
	.balign	4
.Lcode:		.long	0
.Lsp:		.long	0
.Lcallee:	.long	kprobes_diff_callee
.Llanding:	.long	kprobes_diff_landing
.Lselector:	.word	__KERNEL_DS
	.text

.macro PUSH_ADDRESS label:req
	pushl	$\label
.endm

#include "sequences_common.inc"

/* Arithmetic */

SINGLE cmp, cmpl %ebx, %ebp
SINGLE and_imm, andl $0x55aa55aa, %ebp
SINGLE inc, incl %ebx
SINGLE inc_mem, incl (%edi)
SINGLE imul_imm, imull $1000, %ebp, %ebx
SINGLE bswap, bswapl %ebx
SINGLE cdq, cltd
SINGLE daa, daa
SINGLE das, das
SINGLE aaa, aaa
SINGLE aas, aas
SINGLE aam, aam
SINGLE aad, aad

/* Moves and memory */

SINGLE mov_reg, movl %ebp, %ebx
SINGLE mov_imm, movl $0x12345678, %ebp
SINGLE mov_load_esp, movl 16(%esp), %eax
SINGLE mov_load_offset, movl kprobes_diff_memory+24, %eax
SINGLE mov_store_offset, movl %eax, kprobes_diff_memory+32
SINGLE mov_load_abs, movl kprobes_diff_memory+24, %ebx
SINGLE store_imm_abs, movl $0x12345678, kprobes_diff_memory+40
SINGLE cmp_imm_abs, cmpl $0x20202020, kprobes_diff_memory+32
SINGLE lock_add_abs, lock addl %eax, kprobes_diff_memory+48
SINGLE percpu, movl PER_CPU_VAR(kprobes_diff_percpu), %eax
SINGLE verw, verw .Lselector
SINGLE movsx, movswl %ax, %edx
SINGLE mov_cs, movl %cs, %eax
SINGLE lea_self, leal 77b, %edx
SINGLE cmpxchg8b, lock cmpxchg8b (%edi)

	/* The longest instruction there can be. */
SEQUENCE long_insn
	PROBE	.byte 0x2e, 0x2e, 0x2e, 0x2e, 0x81, 0x04, 0x25	/* addl */
	.long	kprobes_diff_memory+72, 0x11223344
END_SEQUENCE long_insn

/* Strings */

STRING movsl, movsl
STRING rep_movsl, rep movsl

/* The stack */

SINGLE push, pushl %ebp
SINGLE push_esp, pushl %esp
SINGLE push_abs, pushl kprobes_diff_memory+56
SINGLE push_segment, pushl %ds
SINGLE pop_abs, popl kprobes_diff_memory+64
SINGLE pop_mem_esp, popl 8(%esp)
SINGLE add_esp, addl $24, %esp
SINGLE lea_esp, leal 32(%esp), %esp
SINGLE pusha, pushal
SINGLE popa, popal

SEQUENCE pop_esp
	leal	16(%esp), %eax
	pushl	%eax
	PROBE	popl %esp
END_SEQUENCE pop_esp

SEQUENCE sub_esp
	PROBE	subl $16, %esp
	movl	%eax, (%esp)
	movl	%ebx, 4(%esp)
	movl	%eax, 8(%esp)
	movl	%ebx, 12(%esp)
END_SEQUENCE sub_esp

/* Jumps */

JUMP_BACK loop_cx, addr16 loop
JUMP_BACK jcxz, jcxz

SEQUENCE jmp_reg
	movl	$kprobes_diff_landing, %edx
	ANNOTATE_RETPOLINE_SAFE
	PROBE	jmp *%edx
	int3
END_SEQUENCE jmp_reg

SEQUENCE jmp_abs
	ANNOTATE_RETPOLINE_SAFE
	PROBE	jmp *.Llanding
	int3
END_SEQUENCE jmp_abs

SEQUENCE jmp_esp
	pushl	.Llanding
	pushl	%eax
	ANNOTATE_RETPOLINE_SAFE
	PROBE	jmp *4(%esp)
	int3
END_SEQUENCE jmp_esp

/* Calls and returns */

.macro CALL_BY name:req operand:vararg
SEQUENCE \name
	movl	$kprobes_diff_callee, %edx
	movl	$.Lcallee, %ebp
	movl	$3, %ebx
	pushl	%edx
	pushl	%eax
	ANNOTATE_RETPOLINE_SAFE
	PROBE	call *\operand
END_SEQUENCE \name
.endm

CALL_BY call_reg, %edx
CALL_BY call_mem, (%ebp)
CALL_BY call_mem_sib, -12(%ebp,%ebx,4)
CALL_BY call_mem_esp, 4(%esp)
CALL_BY call_abs, .Lcallee
CALL_BY call_percpu, PER_CPU_VAR(kprobes_diff_percpu_callee)

#ifdef CONFIG_KPROBES_ON_FTRACE
/* Entries of functions */
ENTRY_OF entry_load_abs, movl kprobes_diff_memory+24, %ebx
#endif

/* Faults: the exception table's fixup skips the rest of the sequence */

SEQUENCE fault_load
	movl	$-4096, %ebx
	PROBE	movl (%ebx), %eax
	movl	$1, %DIFF_MARK
	_ASM_EXTABLE(77b, 1f)
1:
END_SEQUENCE fault_load DIFF_FAULTS

	/* Two words fit. */
SEQUENCE fault_rep_movsl
	cld
	movl	$kprobes_diff_memory, %esi
	movl	kprobes_diff_edge, %edi
	subl	$8, %edi
	movl	$4, %ecx
	PROBE	rep movsl
	movl	$1, %DIFF_MARK
	_ASM_EXTABLE(77b, 1f)
1:
END_SEQUENCE fault_rep_movsl DIFF_FAULTS

	.section .rodata.kprobes_diff, "a"
SYM_DATA_END_LABEL(kprobes_diff_sequences, SYM_L_GLOBAL, kprobes_diff_sequences_end)
