/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sequences of instructions for differential_kunit.c, which runs them with and without
 * probes. There is one for each class of instructions in tools/testing/kprobes-isa/golden, for
 * mips64el and mips32: its tests read the lines with RUN, OVER, BACK, PROBE and the like here, and
 * in what sequences.awk makes of that table.
 *
 * A sequence may use every register but k0, k1 and gp, and need not restore any. In a1 it finds a
 * place in kprobes_diff_memory with room on either side, in a2 a small number, in ra its own
 * address, and on the stack DIFF_STACK / 2 bytes above and below. What it leaves there
 * below its last stack pointer does not count.
 */
#include "sequences.inc"

/* Branches and calls, with what is in their delay slots: nothing, or what they read */

OVER_SLOT nop, b 1f
BACK_SLOT "addiu $6, $6, 1", b 1b
OVER_SLOT "addiu $6, $6, 1", beq a2, a3, 1f
BACK_SLOT nop, beq a2, a3, 1b
OVER_SLOT "addiu $6, $6, 1", bne a2, a3, 1f
BACK_SLOT nop, bne a2, zero, 1b
OVER_SLOT "li $6, 1", beqz a2, 1f
BACK_SLOT "li $6, 0", bnez a2, 1b
OVER_SLOT "addiu $6, $6, 1", blez a2, 1f
BACK_SLOT nop, blez a3, 1b
OVER_SLOT "addiu $6, $6, 1", bgtz a2, 1f
BACK_SLOT nop, bgtz a3, 1b
OVER_SLOT "addiu $7, $7, 1", bltz a3, 1f
BACK_SLOT nop, bltz a3, 1b
OVER_SLOT "addiu $7, $7, -1", bgez a3, 1f
BACK_SLOT nop, bgez a2, 1b
OVER_SLOT "move $6, $31", bal 1f
OVER_SLOT "sw $7, 4($5)", j 1f
OVER_SLOT "move $6, $31", jal 1f

#ifndef CONFIG_CPU_MIPSR6
	/* What is in the delay slot of these has no effect if they are not taken. */
OVER_SLOT "addiu $6, $6, 1", beql a2, a3, 1f
BACK_SLOT "addiu $6, $6, 1", bnel a2, a3, 1b
OVER_SLOT "addiu $6, $6, 1", beqzl a2, 1f
OVER_SLOT "addiu $6, $6, 1", bnezl a2, 1f
OVER_SLOT "addiu $6, $6, 1", blezl a3, 1f
BACK_SLOT "addiu $6, $6, 1", bgtzl a3, 1b
OVER_SLOT "addiu $6, $6, 1", bltzl a3, 1f
BACK_SLOT "addiu $6, $6, 1", bgezl a3, 1b
	/* These write $31 whether they are taken or not. */
	/* These write $31 whether they are taken or not. */
OVER_SLOT "move $6, $31", bltzal a3, 1f
BACK_SLOT "move $6, $31", bgezal a3, 1b
OVER_SLOT "move $6, $31", bltzall a3, 1f
BACK_SLOT "move $6, $31", bgezall a3, 1b
#else
	/* What is behind these is no delay slot. */
OVER_SLOT "addiu $6, $6, 1", bc 1f
BACK_SLOT nop, bc 1b
OVER_SLOT "move $6, $31", balc 1f
OVER_SLOT "addiu $6, $6, 1", beqzc a2, 1f
BACK_SLOT nop, bnezc a2, 1b
OVER_SLOT "addiu $6, $6, 1", beqc a2, a3, 1f
BACK_SLOT nop, bnec a2, a3, 1b
OVER_SLOT "addiu $6, $6, 1", bovc a3, a2, 1f
BACK_SLOT nop, bnvc a3, a2, 1b
OVER_SLOT "addiu $6, $6, 1", blezc a2, 1f
BACK_SLOT nop, bgtzc a2, 1b
OVER_SLOT "addiu $6, $6, 1", bgezc a3, 1f
BACK_SLOT nop, bltzc a3, 1b
OVER_SLOT "addiu $6, $6, 1", bgec a2, a3, 1f
BACK_SLOT nop, bltc a2, a3, 1b
OVER_SLOT "addiu $6, $6, 1", bgeuc a2, a3, 1f
BACK_SLOT nop, bltuc a2, a3, 1b
	/* These write $31 whether they are taken or not. */
OVER_SLOT "move $6, $31", blezalc a2, 1f
BACK_SLOT "move $6, $31", bgtzalc a2, 1b
OVER_SLOT "move $6, $31", bgezalc a3, 1f
BACK_SLOT "move $6, $31", bltzalc a3, 1b
OVER_SLOT "move $6, $31", beqzalc a2, 1f
BACK_SLOT "move $6, $31", bnezalc a2, 1b
	/* It leads to what is behind it. */
	.set	diff_flags, DIFF_NO_JUMP
OVER_SLOT "move $6, $31", nal
#endif

.macro CALL name:req reg:req insn:vararg
SEQUENCE \name
	PTR_LA	\reg, kprobes_diff_callee
77:	\insn
	move	a2, ra
	li	DIFF_MARK, 1
END_SEQUENCE \name
.endm

CALL jal_far, t8, jal kprobes_diff_callee
CALL jalr, t9, jalr t9
CALL jalr_hb, t9, jalr.hb t9
#ifdef CONFIG_CPU_MIPSR6
CALL jalrc, t9, jalrc t9
CALL jialc, t9, jialc t9, 0
#endif

	/* What is in the delay slot overwrites where it goes. */
.macro JUMP name:req reg:req insn:vararg
SEQUENCE \name
	PTR_LA	\reg, 1f
77:	\insn
	li	\reg, 0
	li	DIFF_MARK, 1
1:	nop
END_SEQUENCE \name
.endm

#ifdef CONFIG_CPU_MIPSR6	/* The jump leaves the delay slot alone, where nobody may land. */
#define DIFF_LANDS	DIFF_NO_JUMP
#else
#define DIFF_LANDS	0
#endif
	.set	diff_flags, DIFF_LANDS
JUMP jr, t9, jr t9
	.set	diff_flags, DIFF_LANDS
JUMP jr_hb, t9, jr.hb t9
JUMP jr_ra, ra, jr ra
JUMP jalr_other, t9, jalr s4, t9
JUMP jalr_hb_other, t9, jalr.hb s4, t9
JUMP jalr_zero, ra, jalr zero, ra
#ifdef CONFIG_CPU_MIPSR6
JUMP jrc, t9, jrc t9
JUMP jic, t9, jic t9, 0

/* What is relative to where they are */

.macro BEHIND name:req insn:vararg
SEQUENCE \name
77:	\insn
	nop
	.balign	8
1:	nop
	nop
END_SEQUENCE \name
.endm

BEHIND lapc, lapc v0, 1f
BEHIND lwpc, lwpc v0, 1f
BEHIND lwupc, lwupc v0, 1f
BEHIND ldpc, ldpc v0, 1f
RUN auipc v0, 1
RUN aluipc v0, 1
#endif

/* The machine's registers, by the names that objdump has for them */

#define c0_status	$12
#define c0_count	$9
#define c0_config	$16
#define c0_ebase	$15, 1
#define c0_random	$1

SYSTEM v0, nop, mfc0 v0, c0_status
SYSTEM v0, nop, mfc0 v0, c0_count
SYSTEM v0, nop, mfc0 v0, c0_config
SYSTEM v0, nop, mfc0 v0, c0_ebase
SYSTEM v0, nop, mfc0 v0, c0_random
SYSTEM v0, nop, mfc0 v0, $4, 2
SYSTEM v0, nop, di
SYSTEM v0, nop, di v0
SYSTEM v0, nop, ei
SYSTEM v0, nop, ei v0
RUN nop
RUN ehb
RUN ssnop
RUN sync
RUN sync 0x14
RUN pref 4, 0(a1)
RUN synci 0(a1)

/* Instructions that run as they are, of the golden table: by sequences.awk */

#include "sequences_run.inc"

/* The stack pointer */

	/* What was below the stack pointer does not count. */
SEQUENCE addiu_sp
	PROBE PTR_ADDIU sp, sp, -2 * SZREG
	LONG_S	a2, 0(sp)
	LONG_S	a3, SZREG(sp)
END_SEQUENCE addiu_sp

/* Faults: the exception table's fixup skips the rest of the sequence */

SEQUENCE fault_load
	li	s4, -4096
	PROBE lw v0, 0(s4)
	li	DIFF_MARK, 1
	EXTABLE 77b, 1f
1:
	.set	diff_flags, DIFF_FAULTS
END_SEQUENCE fault_load

	/* In a delay slot: the entry is that slot's. */
SEQUENCE fault_slot
	li	s4, -4096
77:	beq	a2, a2, 2f
3:	lw	v0, 0(s4)
	li	DIFF_MARK, 1
2:	li	DIFF_MARK, 2
	EXTABLE 3b, 1f
1:
	.set	diff_flags, DIFF_FAULTS
END_SEQUENCE fault_slot

	.section .rodata.kprobes_diff, "a"
SYM_DATA_START(kprobes_diff_sequences_end)
