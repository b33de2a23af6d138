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

/* Branches and calls */

OVER "j 1f"
BACK "j 1b"
OVER "jg 1f"
BACK "jg 1b"
OVER "je 1f"
OVER "jne 1f"
OVER "jo 1f"
OVER "jno 1f"
OVER "jh 1f"
OVER "jnh 1f"
OVER "jl 1f"
OVER "jnl 1f"
OVER "jhe 1f"
OVER "jle 1f"
OVER "jlh 1f"
OVER "jnlh 1f"
BACK "je 1b"
BACK "jne 1b"
OVER "jge 1f"
OVER "jgne 1f"
OVER "jgh 1f"
OVER "jgnh 1f"
BACK "jgl 1b"
OVER "jgnop 1f"
OVER "jnop 1f"
OVER "brct %r2,1f"
BACK "brct %r3,1b"
OVER "brctg %r2,1f"
BACK "brctg %r3,1b"
OVER "brcth %r2,1f"
BACK "brcth %r3,1b"
OVER "brxh %r2,%r4,1f"
BACK "brxh %r2,%r5,1b"
OVER "brxle %r2,%r4,1f"
BACK "brxle %r3,%r7,1b"
OVER "brxhg %r2,%r4,1f"
OVER "brxhg %r3,%r3,1f"
BACK "brxlg %r2,%r5,1b"
OVER "brxlg %r3,%r6,1f"
OVER "cgrje %r2,%r3,1f"
OVER "cgrjne %r2,%r3,1f"
BACK "cgrjl %r2,%r3,1b"
OVER "cgrjnh %r2,%r3,1f"
OVER "clgrjl %r2,%r3,1f"
BACK "clgrjh %r2,%r3,1b"
OVER "crje %r2,%r3,1f"
OVER "crjl %r2,%r3,1f"
BACK "crjh %r2,%r3,1b"
OVER "clrjl %r2,%r3,1f"
BACK "clrjne %r2,%r3,1b"
OVER "cgije %r3,-1,1f"
BACK "cgijl %r3,1,1b"
OVER "cgijh %r2,7,1f"
OVER "clgije %r3,1,1f"
BACK "clgijh %r3,255,1b"
OVER "cije %r3,1,1f"
BACK "cijl %r3,0,1b"
OVER "cijh %r3,7,1f"
OVER "clije %r3,7,1f"
BACK "clijh %r3,255,1b"
OVER "cgrj %r2,%r3,0,1f"
OVER "jnhe 1f"
OVER "jnle 1f"
OVER "jglh 1f"
OVER "jgle 1f"
OVER "jghe 1f"
OVER "jgnl 1f"
OVER "crjnl %r2,%r3,1f"
OVER "crjne %r2,%r3,1f"
OVER "crjnh %r2,%r3,1f"
OVER "clrjnh %r2,%r3,1f"
OVER "clrjh %r2,%r3,1f"
OVER "clrjnl %r2,%r3,1f"
OVER "cijne %r3,1,1f"
OVER "cijnh %r3,0,1f"
OVER "cijnl %r3,4,1f"
OVER "clijnl %r3,7,1f"
OVER "clijnh %r3,7,1f"
OVER "cgijne %r3,0,1f"
OVER "cgijnh %r3,4,1f"
OVER "cgijnl %r3,0,1f"
OVER "clgijnh %r3,215,1f"
OVER "cgrjh %r2,%r3,1f"
OVER "cgrjnl %r2,%r3,1f"
OVER "clgrjnh %r2,%r3,1f"
OVER "clgrjnl %r2,%r3,1f"

	/* A call must be the last instruction that a jump covers; brasl is as long as that. */
	NO_JUMP
OVER "bras %r14,1f"
	NO_JUMP
BACK "bras %r14,1b"
	/* What it leads over may be data. */
	NO_JUMP
OVER "bras %r5,1f"
OVER "brasl %r14,1f"
BACK "brasl %r14,1b"
OVER "brasl %r0,1f"

.macro CALL name:req reg:req insn:req
SEQUENCE \name
	larl	\reg, kprobes_diff_callee
77:	\insn
	lghi	DIFF_MARK, 1
END_SEQUENCE \name
.endm

CALL brasl_far, %r5, "brasl %r14,kprobes_diff_callee"
	NO_JUMP
CALL basr, %r5, "basr %r14,%r5"
	NO_JUMP
CALL balr, %r5, "balr %r14,%r5"
	NO_JUMP
CALL basr_same, %r14, "basr %r14,%r14"
RUN "basr %r5,%r0"
RUN "balr %r5,%r0"

JUMP %r5, nop, "br %r5"
JUMP %r14, nop, "br %r14"
JUMP %r5, nop, "ber %r5"
JUMP %r5, nop, "bner %r5"
JUMP %r14, nop, "ber %r14"
JUMP %r14, nop, "bher %r14"
JUMP %r14, nop, "bor %r14"
JUMP %r14, nop, "bhr %r14"
JUMP %r14, nop, "bler %r14"
JUMP %r14, nop, "blr %r14"
JUMP %r14, nop, "bnlr %r14"
JUMP %r14, nop, "bner %r14"
JUMP %r5, nop, "b 0(%r5)"
JUMP %r5, "lghi %r4,0", "b 0(%r4,%r5)"
JUMP %r5, nop, "be 0(%r5)"
JUMP %r5, nop, "bne 0(%r5)"
JUMP %r5, "lghi %r4,-8", "bne 8(%r4,%r5)"
JUMP %r5, nop, "bctr %r2,%r5"
JUMP %r5, nop, "bctr %r5,%r5"
JUMP %r5, nop, "bctgr %r2,%r5"
JUMP %r5, "lghi %r4,-8", "bct %r3,8(%r4,%r5)"
JUMP %r5, nop, "bct %r5,0(%r5)"
JUMP %r5, nop, "bctg %r2,0(%r5)"
JUMP %r5, "lghi %r4,8", "bctg %r3,-8(%r4,%r5)"
JUMP %r5, nop, "bxh %r2,%r6,0(%r5)"
JUMP %r5, nop, "bxle %r2,%r7,0(%r5)"
JUMP %r5, nop, "bxhg %r3,%r3,0(%r5)"
JUMP %r5, nop, "bxleg %r3,%r6,0(%r5)"
JUMP %r5, nop, "cgrbe %r2,%r3,0(%r5)"
JUMP %r5, nop, "clgrbl %r2,%r3,0(%r5)"
JUMP %r5, nop, "crbne %r2,%r3,0(%r5)"
JUMP %r5, nop, "clrbh %r2,%r3,0(%r5)"
JUMP %r5, nop, "cgibe %r3,0,0(%r5)"
JUMP %r5, nop, "clgibne %r3,0,0(%r5)"
JUMP %r5, nop, "cibl %r3,1,0(%r5)"
JUMP %r5, nop, "clibh %r3,5,0(%r5)"

RUN "ber %r0"
RUN "nopr %r7"
RUN "nop 0"
RUN "nopr"
RUN "larl %r5,9b"
RUN "larl %r14,9b"
RUN "pfdrl 1,9b"

/* Operands of whatever length */

SEQUENCE mvcl
	lgr	%r4, %r1
	lay	%r6, -64(%r1)
	lghi	%r5, 24
	lghi	%r7, 16
	PROBE "mvcl %r4,%r6"
END_SEQUENCE mvcl

SEQUENCE clcl
	lgr	%r4, %r1
	lay	%r6, -64(%r1)
	lghi	%r5, 24
	lghi	%r7, 16
	PROBE "clcl %r4,%r6"
END_SEQUENCE clcl

SEQUENCE mvcle
	lgr	%r4, %r1
	lay	%r6, -64(%r1)
	lghi	%r5, 24
	lghi	%r7, 16
	PROBE "mvcle %r4,%r6,0"
END_SEQUENCE mvcle

SEQUENCE clcle
	lgr	%r4, %r1
	lay	%r6, -64(%r1)
	lghi	%r5, 24
	lghi	%r7, 16
	PROBE "clcle %r4,%r6,0"
END_SEQUENCE clcle

SEQUENCE mvst
	lghi	%r0, 0x70
	lay	%r4, -128(%r1)
	PROBE "mvst %r1,%r4"
END_SEQUENCE mvst

SEQUENCE srst
	lghi	%r0, 0x70
	lay	%r4, -128(%r1)
	PROBE "srst %r1,%r4"
END_SEQUENCE srst

SEQUENCE clst
	lghi	%r0, 0x70
	lay	%r4, -128(%r1)
	PROBE "clst %r1,%r4"
END_SEQUENCE clst

SEQUENCE cksm
	lgr	%r4, %r1
	lghi	%r5, 20
	PROBE "cksm %r2,%r4"
END_SEQUENCE cksm

SEQUENCE clc
	PROBE "clc 8(8,%r1),0(%r1)"
END_SEQUENCE clc

/* Divisions that do not overflow */

SEQUENCE dlg
	lghi	%r4, 0
	lghi	%r6, 7
	stg	%r6, 0(%r1)
	PROBE "dlg %r4,0(%r1)"
END_SEQUENCE dlg

SEQUENCE dlg_index
	lghi	%r2, 0
	lghi	%r4, 0
	lghi	%r6, 7
	stg	%r6, 0(%r1)
	PROBE "dlg %r4,0(%r2,%r1)"
END_SEQUENCE dlg_index

SEQUENCE dlgr
	lghi	%r4, 0
	lghi	%r6, 7
	PROBE "dlgr %r4,%r6"
END_SEQUENCE dlgr

SEQUENCE dsg
	lghi	%r6, 7
	stg	%r6, 0(%r1)
	PROBE "dsg %r4,0(%r1)"
END_SEQUENCE dsg

SEQUENCE dsg_index
	lghi	%r2, 0
	lghi	%r6, 7
	stg	%r6, 0(%r1)
	PROBE "dsg %r4,0(%r2,%r1)"
END_SEQUENCE dsg_index

SEQUENCE dsgf
	lghi	%r6, 7
	st	%r6, 0(%r1)
	PROBE "dsgf %r4,0(%r1)"
END_SEQUENCE dsgf

SEQUENCE dsgf_index
	lghi	%r2, 0
	lghi	%r6, 7
	st	%r6, 0(%r1)
	PROBE "dsgf %r4,0(%r2,%r1)"
END_SEQUENCE dsgf_index

SEQUENCE dsgfr
	lghi	%r6, 7
	PROBE "dsgfr %r4,%r6"
END_SEQUENCE dsgfr

SEQUENCE dsgr
	lghi	%r6, 7
	PROBE "dsgr %r4,%r6"
END_SEQUENCE dsgr

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

SEQUENCE clfith
	lghi	%r4, 5
	PROBE "clfith %r4,10"
END_SEQUENCE clfith

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

/* Instructions that run as they are, of the golden table: by sequences.awk */

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
