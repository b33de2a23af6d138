/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sequences of instructions for differential_kunit.c, which runs them with and without probes, and
 * the code that loads and stores registers around them. There is one for each class of
 * instructions in tools/testing/kprobes-isa/golden/ppc64le.txt, or ppc32.txt: its tests read the
 * lines with RUN, OVER, BACK, PROBE and the like here, and in what sequences.awk makes of that
 * table.
 *
 * A sequence may use every register but r1, r2 and r13 and need not restore any. In r4 it finds a
 * place in kprobes_diff_memory with room on either side, in r5 a small number, in LR its own
 * address, and on the stack DIFF_STACK / 2 bytes above and below. What it leaves there below its
 * last stack pointer does not count.
 */
#include "sequences.inc"

/* Branches and calls; CTR is 1 in some passes */

OVER b 1f
BACK b 1b
OVER bl 1f
BACK bl 1b
OVER beq 1f
OVER bne 1f
OVER blt 1f
OVER bge 1f
OVER bgt 1f
OVER ble 1f
OVER bso cr7,1f
OVER bns cr7,1f
OVER beq cr6,1f
OVER bge cr4,1f
OVER bgt cr1,1f
OVER ble cr2,1f
OVER blt cr7,1f
OVER bne cr7,1f
BACK bne 1b
OVER bdnz 1f
OVER bdz 1f
BACK bdnz 1b
	/* With hints: beq- and beq+, bdnz+ and bdz-. Macros lose the sign. 32 bit has others. */
#ifdef CONFIG_PPC64
OVER bc 14,2,1f
OVER bc 15,2,1f
OVER bc 25,0,1f
OVER bc 26,0,1f
#else
OVER bc 13,2,1f
OVER bc 5,2,1f
OVER bc 17,0,1f
OVER bc 19,0,1f
#endif
OVER bdnzt eq,1f
OVER bdnzf eq,1f
OVER bdzt lt,1f
OVER bdzf gt,1f
BACK bdnzf so,1b
OVER bc 20,eq,1f
OVER bcl 20,lt,1f
OVER bcl 20,31,1f
OVER bgel 1f
OVER bdnzfl lt,1f
OVER beql 1f
OVER bnel cr3,1f
OVER bdnzl 1f
BACK bdztl eq,1b

TO_PAD blr, lr, nop, blr
TO_PAD blrl, lr, nop, blrl
TO_PAD beqlr, lr, nop, beqlr
TO_PAD beqlr_cr7, lr, nop, beqlr cr7
TO_PAD beqlr_cr5, lr, nop, beqlr cr5
TO_PAD bnelr, lr, nop, bnelr
TO_PAD bnelr_cr7, lr, nop, bnelr cr7
TO_PAD bnelr_cr5, lr, nop, bnelr cr5
TO_PAD bgelr, lr, nop, bgelr
TO_PAD bgelr_cr7, lr, nop, bgelr cr7
TO_PAD bgelr_cr5, lr, nop, bgelr cr5
TO_PAD bltlr, lr, nop, bltlr
TO_PAD bltlr_cr7, lr, nop, bltlr cr7
TO_PAD bltlr_cr5, lr, nop, bltlr cr5
TO_PAD bgtlr, lr, nop, bgtlr
TO_PAD bgtlr_cr7, lr, nop, bgtlr cr7
TO_PAD bgtlr_cr5, lr, nop, bgtlr cr5
TO_PAD blelr, lr, nop, blelr
TO_PAD blelr_cr7, lr, nop, blelr cr7
TO_PAD blelr_cr5, lr, nop, blelr cr5
TO_PAD bnslr, lr, nop, bnslr cr7
TO_PAD bdnzflr, lr, nop, bdnzflr lt
TO_PAD beqlrl, lr, nop, beqlrl
TO_PAD bdnzlrl, lr, nop, bdnzlrl
TO_PAD bdnzlr, lr, nop, bdnzlr
TO_PAD bdzlr, lr, nop, bdzlr
TO_PAD bltlrl, lr, nop, bltlrl
TO_PAD bctr, ctr, nop, bctr
TO_PAD bctrl, ctr, nop, bctrl
TO_PAD beqctr, ctr, nop, beqctr
TO_PAD bgectrl, ctr, nop, bgectrl
TO_PAD bnectrl, ctr, nop, bnectrl
	/* The lowest bits do not count. */
TO_PAD blr_odd, lr, "addi r29,r29,3", blr
TO_PAD bctr_odd, ctr, "addi r29,r29,3", bctr

SEQUENCE bl_far
	PROBE bl kprobes_diff_callee
END_SEQUENCE bl_far

#ifdef CONFIG_PPC64
RUN lnia r3

SEQUENCE addpcis
	PROBE addpcis r3,5
END_SEQUENCE addpcis

SEQUENCE addpcis_back
	PROBE addpcis r3,-5
END_SEQUENCE addpcis_back
#endif

/* The stack pointer */

RUN nop

RUN stwu r1,-16(r1)
#ifdef CONFIG_PPC64
RUN stdu r1,-32(r1)
RUN clrrdi r1,r1,4
#endif

SEQUENCE pop
	PROBE addi r1,r1,16
END_SEQUENCE pop

SEQUENCE pop_register
	mr	r10,r1
	PROBE mr r1,r10
END_SEQUENCE pop_register

/* Instructions that run as they are, of the golden table: by sequences.awk */

#include "sequences_run.inc"

/* Faults: the exception table's fixup skips the rest of the sequence */

SEQUENCE fault_load
	li	r9,-4096
	PROBE PPC_LL r3,0(r9)
	li	DIFF_MARK,1
	EX_TABLE(77b, 1f)
1:
	.set	diff_flags, DIFF_FAULTS
END_SEQUENCE fault_load

SEQUENCE fault_update
	li	r9,-4096
	PROBE PPC_STLU r3,8(r9)
	li	DIFF_MARK,1
	EX_TABLE(77b, 1f)
1:
	.set	diff_flags, DIFF_FAULTS
END_SEQUENCE fault_update

	.section .rodata.kprobes_diff, "a"
SYM_DATA_START(kprobes_diff_sequences_end)
