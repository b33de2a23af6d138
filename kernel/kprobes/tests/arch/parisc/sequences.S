/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sequences of instructions for differential_kunit.c, which runs them with and without probes.
 * There is one for each class of instructions in tools/testing/kprobes-isa/golden, for parisc64:
 * its tests read the lines with RUN, OVER_SLOT, PROBE and the like here, and in what sequences.awk
 * makes of that table.
 *
 * A sequence may use every register but dp, and need not restore any. In r24 it finds a place in
 * kprobes_diff_memory with room on either side, in r25 a small number, in rp its own address, and
 * on the stack DIFF_STACK / 2 bytes above and below. What it leaves there above its last stack
 * pointer does not count.
 */
#include "sequences.inc"

/* Unconditional branches, with what is in their delay slots; calls */

OVER_SLOT "ldi 2, %r20", "b,l 1f, %r0"
BACK_SLOT "ldi 2, %r20", "b,l 1b, %r0"
OVER_SLOT "ldi 2, %r20", "b,l,n 1f, %r0"
OVER_SLOT "copy %rp, %r20", "b,l 1f, %rp"
OVER_SLOT "ldi 2, %r20", "b,l,n 1f, %rp"
OVER_SLOT "copy %r31, %r20", "b,l 1f, %r31"

JUMP bv, %r23, "bv %r0(%r23)"
JUMP bv_n, %r23, "bv,n %r0(%r23)"
JUMP bv_rp, %rp, "bv %r0(%rp)"
JUMP bv_n_rp, %rp, "bv,n %r0(%rp)"
JUMP be, %r23, "be 0(%sr4, %r23)"
JUMP be_n, %r23, "be,n 0(%sr4, %r23)"

SEQUENCE bv_index
	load32	.Lbv_index - 16, %r23
	ldi	2, %r20
	PROBE "bv %r20(%r23)"
	ldi	3, %r20
	ldi	1, DIFF_MARK
.Lbv_index:
END_SEQUENCE bv_index

	/* They skip two instructions behind the delay slot. */
SEQUENCE blr
	ldi	1, %r20
	PROBE "blr %r20, %r0"
	ldi	3, %r20
	ldi	1, DIFF_MARK
	ldi	2, DIFF_MARK
END_SEQUENCE blr

SEQUENCE blr_n
	ldi	1, %r20
	PROBE "blr,n %r20, %r0"
	ldi	3, %r20
	ldi	1, DIFF_MARK
	ldi	2, DIFF_MARK
END_SEQUENCE blr_n

SEQUENCE blr_link
	ldi	1, %r20
	PROBE "blr %r20, %rp"
	copy	%rp, %r20
	ldi	1, DIFF_MARK
	ldi	2, DIFF_MARK
END_SEQUENCE blr_link

	/* The delay slot makes the address that the function returns to. */
SEQUENCE be_l
	load32	kprobes_diff_callee, %r23
	PROBE "be,l 0(%sr4, %r23), %sr0, %r31"
	copy	%r31, %rp
	ldi	1, DIFF_MARK
END_SEQUENCE be_l

SEQUENCE be_l_own
	load32	kprobes_diff_callee, %r31
	PROBE "be,l 0(%sr4, %r31), %sr0, %r31"
	copy	%r31, %rp
	ldi	1, DIFF_MARK
END_SEQUENCE be_l_own

SEQUENCE be_l_n
	load32	kprobes_diff_millicode, %r23
	PROBE "be,l,n 0(%sr4, %r23), %sr0, %r31"
	ldi	3, %r20
	ldi	1, DIFF_MARK
END_SEQUENCE be_l_n

#ifdef CONFIG_64BIT
JUMP bve, %r23, "bve (%r23)"
JUMP bve_n, %r23, "bve,n (%r23)"
JUMP bve_rp, %rp, "bve (%rp)"

CALL bve_l, %r23, "bve,l (%r23), %rp"
CALL bve_l_n, %r23, "bve,l,n (%r23), %rp"
	/* The target is in the register that it overwrites. */
CALL bve_l_own, %rp, "bve,l (%rp), %rp"

RUN "mfia %r19"
#endif

/* The machine's registers, and what the assembler writes in another way than objdump */

RUN "mfsp %sr3, %r19"
RUN "mtsp %r0, %sr1"
RUN "mfctl %sar, %r19"
RUN "mtsar %r19"
RUN "rsm 1, %r19"
RUN "rsm 1, %r0"
RUN "ssm 1, %r0"
RUN "ssm 0, %r19"
RUN "ldsid (%r24), %r19"
RUN "sync"
RUN "syncdma"
#ifdef CONFIG_64BIT
RUN "mfctl,w %sar, %r19"
RUN "mtsarcm %r19"
#endif

	/* It writes r1, which a jump uses. */
SEQUENCE addil
	PROBE "addil L%8192, %r19"
	copy	%r1, %r20
	.set	diff_flags, DIFF_NO_JUMP
END_SEQUENCE addil

/* The stack pointer */

	/* What is above the stack pointer does not count. */
SEQUENCE ldo_sp
	PROBE "ldo 16(%sp), %sp"
	stw	%r25, -4(%sp)
	stw	%r26, -8(%sp)
	stw	%r25, -12(%sp)
	stw	%r26, -16(%sp)
END_SEQUENCE ldo_sp

SEQUENCE push
	PROBE "stw,ma %r26, 16(%sp)"
	stw	%r25, -4(%sp)
	stw	%r25, -8(%sp)
	stw	%r25, -12(%sp)
END_SEQUENCE push

SEQUENCE pop
	PROBE "ldw,mb -16(%sp), %r20"
	ldi	1, DIFF_MARK
END_SEQUENCE pop

/* Faults: the exception table's fixup skips the rest of the sequence */

.macro NO_ADDRESS reg:req
#ifdef CONFIG_64BIT
	ldi	1, \reg
	depd,z	\reg, 22, 23, \reg
#else
	ldil	L%0xe0000000, \reg
#endif
.endm

SEQUENCE fault_load
	NO_ADDRESS %r23
	PROBE "ldw 0(%r23), %r20"
	ldi	1, DIFF_MARK
	EXTABLE 77b, 1f
1:
	.set	diff_flags, DIFF_FAULTS
END_SEQUENCE fault_load

	/* In a delay slot: the entry is that slot's. */
SEQUENCE fault_slot
	NO_ADDRESS %r23
77:	cmpb,= %r23, %r23, 2f
3:	ldw	0(%r23), %r20
	ldi	1, DIFF_MARK
2:	ldi	2, DIFF_MARK
	EXTABLE 3b, 1f
1:
	.set	diff_flags, DIFF_FAULTS
END_SEQUENCE fault_slot

/* Conditional branches, and what runs as it is, of the golden table: by sequences.awk */

	/* It is an instruction as well. */
	.purgem	PROBE
#include "sequences_run.inc"

	.section .rodata.kprobes_diff, "a"
SYM_DATA_START(kprobes_diff_sequences_end)
