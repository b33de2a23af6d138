/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sequences of instructions for differential_kunit.c, which runs them with and without
 * probes. There is one for each class of instructions in
 * tools/testing/kprobes-isa/golden/s390x.txt: its tests read the lines with RUN, OVER,
 * BACK, PROBE and the like here, and in what sequences.awk makes of that table.
 *
 * A sequence may use every register, and need not restore any. In %r1 it finds a place in
 * kprobes_diff_memory with room on either side, in %r2 a small number, in %r14 its own address,
 * and on the stack DIFF_STACK / 2 bytes above and below. What it leaves there below its last
 * stack pointer does not count. Flags are the condition code.
 */
#include "sequences.inc"

/* Branches and calls: what the golden table has not */

BACK "brxh %r2,%r5,1b"
BACK "brxle %r3,%r7,1b"
OVER "brxhg %r3,%r3,1f"
BACK "brxlg %r2,%r5,1b"
OVER "brxlg %r3,%r6,1f"
BACK "clijh %r3,255,1b"
JUMP %r5, "lghi %r4,8", "bctg %r3,-8(%r4,%r5)"
JUMP %r5, nop, "bct %r5,0(%r5)"
JUMP %r5, nop, "bctr %r5,%r5"
JUMP %r5, nop, "bxle %r2,%r7,0(%r5)"
JUMP %r5, nop, "bxhg %r3,%r3,0(%r5)"
JUMP %r5, nop, "bxleg %r3,%r6,0(%r5)"

.macro CALL name:req reg:req insn:req
SEQUENCE \name
	larl	\reg, kprobes_diff_callee
77:	\insn
	lghi	DIFF_MARK, 1
END_SEQUENCE \name
.endm

CALL brasl_far, %r5, "brasl %r14,kprobes_diff_callee"
	/* A call must be the last instruction that a jump covers; brasl is as long as that. */
	NO_JUMP
CALL basr, %r5, "basr %r14,%r5"
	NO_JUMP
CALL balr, %r5, "balr %r14,%r5"
	NO_JUMP
CALL basr_same, %r14, "basr %r14,%r14"

/* Operands of whatever length */

PREPARED "mvcl %r4,%r6", "lgr %r4,%r1", "lay %r6,-64(%r1)", "lghi %r5,24", "lghi %r7,16"
PREPARED "clcl %r4,%r6", "lgr %r4,%r1", "lay %r6,-64(%r1)", "lghi %r5,24", "lghi %r7,16"
PREPARED "mvcle %r4,%r6,0", "lgr %r4,%r1", "lay %r6,-64(%r1)", "lghi %r5,24", "lghi %r7,16"
PREPARED "clcle %r4,%r6,0", "lgr %r4,%r1", "lay %r6,-64(%r1)", "lghi %r5,24", "lghi %r7,16"
PREPARED "mvst %r1,%r4", "lghi %r0,0x70", "lay %r4,-128(%r1)"
PREPARED "srst %r1,%r4", "lghi %r0,0x70", "lay %r4,-128(%r1)"
PREPARED "clst %r1,%r4", "lghi %r0,0x70", "lay %r4,-128(%r1)"
PREPARED "cksm %r2,%r4", "lgr %r4,%r1", "lghi %r5,20"
RUN "clc 8(8,%r1),0(%r1)"

/* Divisions that do not overflow */

PREPARED "dlg %r4,0(%r1)", "lghi %r4,0", "lghi %r6,7", "stg %r6,0(%r1)"
PREPARED "dlg %r4,0(%r2,%r1)", "lghi %r2,0", "lghi %r4,0", "lghi %r6,7", "stg %r6,0(%r1)"
PREPARED "dlgr %r4,%r6", "lghi %r4,0", "lghi %r6,7"
PREPARED "dsg %r4,0(%r1)", "lghi %r6,7", "stg %r6,0(%r1)"
PREPARED "dsg %r4,0(%r2,%r1)", "lghi %r2,0", "lghi %r6,7", "stg %r6,0(%r1)"
PREPARED "dsgf %r4,0(%r1)", "lghi %r6,7", "st %r6,0(%r1)"
PREPARED "dsgf %r4,0(%r2,%r1)", "lghi %r2,0", "lghi %r6,7", "st %r6,0(%r1)"
PREPARED "dsgfr %r4,%r6", "lghi %r6,7"
PREPARED "dsgr %r4,%r6", "lghi %r6,7"

/* The machine's registers, and what it tells of itself */

SYSTEM %r0, "llilh %r4,0x2000", "spm %r4"
SYSTEM %r0, "lghi %r4,3", "sfpc %r4"
SYSTEM %r0, "stfpc 0(%r1)", "lfpc 0(%r1)"
SYSTEM %r0, nop, "stctl %c0,%c15,0(%r1)"
SYSTEM %r0, nop, "stctg %c0,%c15,0(%r1)"
SYSTEM %r0, "stctg %c0,%c0,0(%r1)", "lctlg %c0,%c0,0(%r1)"
SYSTEM %r0, "stctl %c0,%c0,0(%r1)", "lctl %c0,%c0,0(%r1)"
SYSTEM %r0, "stosm 0(%r1),0", "ssm 0(%r1)"
SYSTEM %r0, nop, "stnsm 0(%r1),252"
SYSTEM %r0, nop, "stosm 0(%r1),3"
SYSTEM %r0, nop, "stosm 0(%r1),0"
SYSTEM %r0, nop, "stck 0(%r1)"
SYSTEM %r0, nop, "stcke 0(%r1)"
SYSTEM %r0, nop, "stckf 0(%r1)"
SYSTEM %r0, nop, "stckc 0(%r1)"
SYSTEM %r0, nop, "stpt 0(%r1)"
SYSTEM %r0, nop, "stap 0(%r1)"
SYSTEM %r0, nop, "stidp 0(%r1)"
SYSTEM %r0, nop, "stpx 0(%r1)"
SYSTEM %r0, "lghi %r0,0", "stfle 0(%r1)"

/* It takes what it does from %r0 and %r1, of which the latter has the address of memory. */
SEQUENCE stsi
	lgr	%r5, %r1
	lghi	%r0, 0
	lghi	%r1, 0
	PROBE "stsi 0(%r5)"
	lgr	%r1, %r5
	lghi	%r0, 0
	xc	0(128, %r1), 0(%r1)
END_SEQUENCE stsi

PREPARED "clfith %r4,10", "lghi %r4,5"

/* Which functions the cryptographic instructions have */

SYSTEM %r0, "lghi %r0,0", "km %r2,%r4"
SYSTEM %r0, "lghi %r0,0", "kmc %r2,%r4"
SYSTEM %r0, "lghi %r0,0", "kmf %r2,%r4"
SYSTEM %r0, "lghi %r0,0", "kmo %r2,%r4"
SYSTEM %r0, "lghi %r0,0", "kmctr %r2,%r6,%r4"
SYSTEM %r0, "lghi %r0,0", "kmac %r0,%r2"
SYSTEM %r0, "lghi %r0,0", "kimd %r0,%r2"
SYSTEM %r0, "lghi %r0,0", "klmd %r0,%r2"
SYSTEM %r0, "lghi %r0,0", "prno %r2,%r4"
SYSTEM %r0, "lghi %r0,0", "pcc"
SYSTEM %r0, "lghi %r0,0", "pckmo"

/* Branches, and instructions that run as they are, of the golden table: by sequences.awk */

#include "sequences_run.inc"

/* The stack pointer */

/* What is below the stack pointer belongs to nobody, so all of it is written. */
SEQUENCE lay_sp
	PROBE "lay %r15,-16(%r15)"
	stg	%r2, 0(%r15)
	stg	%r3, 8(%r15)
END_SEQUENCE lay_sp

SEQUENCE lmg_sp
	stmg	%r10, %r15, 0(%r15)
	PROBE "lmg %r10,%r15,0(%r15)"
END_SEQUENCE lmg_sp

#ifdef CONFIG_KPROBES_ON_FTRACE
/* Entries of functions, where ftrace turns a nop into its call */

.macro ENTRY_OF name:req insn:req
SEQUENCE \name
77:	brcl	0, 0
	\insn
	lghi	DIFF_MARK, 1
1:
	.pushsection __mcount_loc, "a", @progbits
	.balign	8
	WORDS	77b
	.popsection
	.set	diff_flags, DIFF_ENTRY
END_SEQUENCE \name
.endm

ENTRY_OF entry_add, "agrk %r4, %r2, %r3"
ENTRY_OF entry_store, "stg %r3, 0(%r15)"
ENTRY_OF entry_branch, "cgrje %r2, %r3, 1f"
#endif

/* Faults: the exception table's fixup skips the rest of the sequence */

SEQUENCE fault_load
	lghi	%r5, -4096
	PROBE "lg %r4,0(%r5)"
	lghi	DIFF_MARK, 1
1:
	.set	diff_flags, DIFF_FAULTS
END_SEQUENCE fault_load
	EX_TABLE(77b, 1b)

	.section .rodata.kprobes_diff, "a"
SYM_DATA_START(kprobes_diff_sequences_end)
