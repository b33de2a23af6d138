/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sequences of instructions for differential_kunit.c, which runs them with and without
 * probes. There is one for each class of instructions in
 * tools/testing/kprobes-isa/golden/loongarch64.txt: its tests read the lines with RUN, OVER,
 * BACK, PROBE and the like here, and in what sequences.awk makes of that table.
 *
 * A sequence may use every register but tp and r21, and need not restore any. In a1 it finds a
 * place in kprobes_diff_memory with room on either side, in a2 a small number, in ra its own
 * address, and on the stack DIFF_STACK / 2 bytes above and below. What it leaves there
 * below its last stack pointer does not count.
 */
#include "sequences.inc"

/* Branches, calls and addresses */

OVER b 1f
BACK b 1b
OVER bl 1f
BACK bl 1b
OVER beqz $a2, 1f
BACK beqz $a2, 1b
OVER bnez $a2, 1f
BACK bnez $a2, 1b
OVER beq $a2, $a3, 1f
BACK beq $a2, $a3, 1b
OVER bne $a2, $a3, 1f
BACK bne $a2, $zero, 1b
OVER blt $a2, $a3, 1f
BACK blt $a3, $a2, 1b
OVER bge $a2, $a3, 1f
BACK bge $a3, $zero, 1b
OVER bltu $a2, $a3, 1f
OVER bgeu $a2, $a3, 1f
OVER bceqz $fcc0, 1f
BACK bceqz $fcc1, 1b
OVER bceqz $fcc2, 1f
OVER bceqz $fcc3, 1f
OVER bceqz $fcc4, 1f
OVER bceqz $fcc5, 1f
OVER bceqz $fcc6, 1f
OVER bceqz $fcc7, 1f
OVER bcnez $fcc0, 1f
BACK bcnez $fcc1, 1b
OVER bcnez $fcc7, 1f
RUN pcaddi $a0, 4
RUN pcaddi $s1, -524288
RUN pcaddu12i $a0, 4
RUN pcaddu12i $ra, -524288
RUN pcaddu18i $a0, 4
RUN pcaddu18i $s8, -524288
RUN pcalau12i $a0, 4
RUN pcalau12i $fp, -524288

.macro CALL name:req reg:req insn:vararg
SEQUENCE \name
	la.pcrel \reg, kprobes_diff_callee
77:	\insn
	nop
	li.w	DIFF_MARK, 1
END_SEQUENCE \name
.endm

CALL bl_far, $a5, bl kprobes_diff_callee
CALL jirl, $a5, jirl $ra, $a5, 0
CALL jirl_offset, $a5, jirl $ra, $a5, 4
CALL jirl_ra, $ra, jirl $ra, $ra, 0

.macro JUMP name:req reg:req insn:vararg
SEQUENCE \name
	la.pcrel \reg, 1f
77:	\insn
	li.w	DIFF_MARK, 1
1:	nop
END_SEQUENCE \name
.endm

JUMP jr, $a5, jr $a5
JUMP jr_link, $a5, jirl $s4, $a5, 0
JUMP ret, $ra, ret

/* The machine's registers */

SYSTEM $a0, nop, csrrd $a0, 0
SYSTEM $a0, "csrrd $a0, 0", csrwr $a0, 0
	/* 4: interrupts are enabled */
SYSTEM $a0, "li.w $a4, 4; li.w $a0, 0", csrxchg $a0, $a4, 0
SYSTEM $a0, nop, csrrd $a0, 2
SYSTEM $a0, "csrrd $a0, 4", csrwr $a0, 4
SYSTEM $a0, nop, csrrd $a0, 32
SYSTEM $a0, nop, cpucfg $a0, $a2
SYSTEM $a0, nop, rdtime.d $a0, $zero
SYSTEM $a0, nop, rdtimel.w $a0, $zero
SYSTEM $a0, nop, rdtimeh.w $a0, $zero
RUN invtlb 0, $zero, $zero

/* Instructions that run as they are, of the golden table: by sequences.awk */

#include "sequences_run.inc"

RUN nop

/* The stack pointer */

	/* What was below the stack pointer does not count. */
SEQUENCE addi_sp
	PROBE addi.d $sp, $sp, -16
	st.d	$a2, $sp, 0
	st.d	$a3, $sp, 8
END_SEQUENCE addi_sp

#ifdef CONFIG_KPROBES_ON_FTRACE
/* Entries of functions, where ftrace turns two nops into its call */

.macro ENTRY_OF name:req insn:vararg
SEQUENCE \name
77:	nop
	nop
	\insn
	li.w	DIFF_MARK, 1
1:
	.pushsection __mcount_loc, "a", @progbits
	.balign	8
	WORDS	77b
	.popsection
	.set	diff_flags, DIFF_ENTRY
END_SEQUENCE \name
.endm

ENTRY_OF entry_add, add.d $a0, $a2, $a3
ENTRY_OF entry_store, st.d $a3, $a1, 0
ENTRY_OF entry_branch, beq $a2, $a3, 1f
#endif

/* Faults: the exception table's fixup skips the rest of the sequence */

SEQUENCE fault_load
	li.w	$s4, -4096
	PROBE ld.d $a0, $s4, 0
	li.w	DIFF_MARK, 1
	_asm_extable 77b, 1f
1:
	.set	diff_flags, DIFF_FAULTS
END_SEQUENCE fault_load

	.section .rodata.kprobes_diff, "a"
SYM_DATA_START(kprobes_diff_sequences_end)
