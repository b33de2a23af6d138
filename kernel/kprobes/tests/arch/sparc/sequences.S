/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sequences of instructions for differential_kunit.c, which runs them with and without
 * probes. There is one for most classes of instructions in
 * tools/testing/kprobes-isa/golden/sparc64.txt: its tests read the lines with RUN, OVER,
 * BACK, PROBE and the like here, and in what sequences.awk makes of that table.
 *
 * A sequence may use every register but %g4 to %g6, %sp and %fp, and need not restore any. In %o0
 * it finds a place in kprobes_diff_memory with room on either side, in %o1 a small number, in %o7
 * its own address, and DIFF_STACK bytes of stack from STACK on.
 */
#include "sequences.inc"

/* Branches by flags: each condition, without and with annulling */

.irp condition, ne, e, g, le, ge, l, gu, leu, cc, cs, pos, neg, vc, vs
OVER "b\condition 1f"
OVER "b\condition,a 1f"
OVER "b\condition,pt %icc, 1f"
OVER "b\condition,a,pn %xcc, 1f"
.endr
BACK "bne 1b"
BACK "be,a 1b"
BACK "bg,pn %xcc, 1b"
BACK "bvs,a,pt %icc, 1b"
OVER "ba 1f"
BACK "ba 1b"
OVER "ba,a 1f"
BACK "ba,a,pt %xcc, 1b"
OVER "ba,pt %xcc, 1f"
OVER "bn,a 1f"
OVER "bn,a,pt %icc, 1f"

/* By registers, of windows and not */

.irp condition, z, lez, lz, nz, gz, gez
OVER "br\condition %o2, 1f"
OVER "br\condition,a,pn %g1, 1f"
OVER "br\condition %l4, 1f"
BACK "br\condition,a,pt %i2, 1b"
.endr

/* Calls and returns */

.macro CALLS name:req reg:req insn:req
SEQUENCE \name
	ADDRESS	kprobes_diff_callee, \reg
77:	\insn
	 inccc	%l5
	mov	1, DIFF_MARK
END_SEQUENCE \name
.endm

CALLS call, %o5, "call kprobes_diff_callee"
CALLS call_out, %o5, "call %o5"
CALLS call_local, %l0, "call %l0"
CALLS call_index, %i3, "jmpl %i3 + %g0, %o7"
CALLS call_self, %o7, "jmpl %o7, %o7"

/* What jumps elsewhere keeps jumps out of its function. */
.macro JUMPS name:req reg:req insn:req flags=0
SEQUENCE \name
	.set	diff_flags, \flags
	ADDRESS	1f, \reg
	inc	4, \reg
77:	\insn
	 inccc	%l5
	mov	1, DIFF_MARK
1:	mov	2, DIFF_MARK
END_SEQUENCE \name
.endm

JUMPS jmp, %g1, "jmp %g1", DIFF_NO_JUMP
JUMPS jmp_offset, %o3, "jmp %o3 - 4", DIFF_NO_JUMP
JUMPS jmp_local, %l1, "jmp %l1", DIFF_NO_JUMP
JUMPS jmpl_global, %o3, "jmpl %o3, %g3"
JUMPS jmpl_local, %o3, "jmpl %o3, %l6"
JUMPS jmpl_in, %i1, "jmpl %i1 - 4, %i4"
JUMPS jmpl_self, %l1, "jmpl %l1, %l1"

/* In a window of its own. */
.macro RETURNS name:req slot:req insn:req flags=0
SEQUENCE \name
	.set	diff_flags, \flags
	save	%sp, -176, %sp
	ADDRESS	1f, %i7
	mov	%i7, %l3
	mov	77, %i4
	mov	88, %o4
	dec	8, %i7
77:	\insn
	 \slot
	mov	1, DIFF_MARK
1:	mov	%g0, %g0
END_SEQUENCE \name
.endm

RETURNS ret, "restore", "ret"
RETURNS ret_value, "restore %i4, 3, %o3", "ret"
RETURNS ret_local, "restore %o4, 3, %o3", "jmp %l3", DIFF_NO_JUMP
RETURNS return, "inccc %l5", "return %i7 + 8"
RETURNS return_value, "add %o4, 1, %o3", "return %i7 + 8"
RETURNS return_local, "inccc %l5", "return %l3", DIFF_NO_JUMP

/* The window has the number that it had, by which traps around the sequence return to it. */
SEQUENCE return_window
	rdpr	%cwp, %o3
	save	%sp, -176, %sp
	ADDRESS	1f, %i7
	dec	8, %i7
	PROBE "return %i7 + 8"
	 nop
	mov	1, DIFF_MARK
1:	rdpr	%cwp, %o4
	sub	%o4, %o3, %o3
	clr	%o4
END_SEQUENCE return_window

/* Where is the instruction? */
RUN "rd %pc, %g1"
RUN "rd %pc, %o5"
RUN "rd %pc, %l4"
RUN "rd %pc, %i2"

/* Windows */

SEQUENCE save_restore
	PROBE "save %sp, -176, %sp"
	mov	%i1, %l1
	mov	%i1, %o1
	restore	%l1, 4, %o3
END_SEQUENCE save_restore

SEQUENCE restore
	save	%sp, -176, %sp
	mov	%i1, %l1
	PROBE "restore %l1, 4, %o3"
END_SEQUENCE restore

SEQUENCE restore_plain
	save	%sp, -176, %sp
	mov	5, %i3
	PROBE "restore"
END_SEQUENCE restore_plain

SEQUENCE save_deep
	.rept	9
	save	%sp, -176, %sp
	mov	%i1, %o1
	.endr
	PROBE "save %sp, -176, %sp"
	mov	%i1, %o1
	.rept	10
	restore	%o1, 1, %o1
	.endr
END_SEQUENCE save_deep

RUN "flushw"

/* The machine's registers */

SYSTEM %o3, nop, "rd %tick, %o3"
SYSTEM %o3, nop, "rdpr %pstate, %o3"
SYSTEM %o3, nop, "rdpr %tba, %o3"
RUN "rd %ccr, %o3"
RUN "rd %asi, %l3"
RUN "rdpr %pil, %i3"
RUN "rd %fprs, %g3"
RUN "wr %l0, 0x55, %ccr"
SYSTEM %o3, "rdpr %pil, %o3; wrpr 14, %pil", "wrpr %o3, 0, %pil"
SYSTEM %o3, "rd %asi, %o3", "wr %o3, 0, %asi"

SEQUENCE wr_y
	PROBE "wr %l0, 0, %y"
	rd	%y, %o3
END_SEQUENCE wr_y

SEQUENCE rd_y
	wr	%l0, 0, %y
	PROBE "rd %y, %l3"
END_SEQUENCE rd_y

/* Divisions, not by zero */

.macro DIVIDES insn:req
	BEGIN_CODE kprobes_diff_divide_\@
	or	%o2, 1, %o2
	wr	%g0, 0, %y
77:	\insn
	END_CODE kprobes_diff_divide_\@, "\insn"
.endm

DIVIDES "udiv %l0, %o2, %l1"
DIVIDES "sdiv %l0, 77, %l1"
DIVIDES "udivcc %l0, %o2, %l1"
DIVIDES "sdivcc %l0, %o2, %l1"
DIVIDES "udivx %l0, %o2, %l1"
DIVIDES "sdivx %i0, 77, %o1"

/* Other address spaces */
RUN "ldxa [%o0] #ASI_P, %o4"
RUN "lduba [%o0 + %o1] #ASI_P, %l4"
RUN "stxa %l1, [%o0] #ASI_P"
RUN "casa [%o0] #ASI_N, %l1, %l2"
RUN "casxa [%o0] #ASI_N, %l1, %l2"

/* Instructions that run as they are, of the golden table: by sequences.awk */

#include "sequences_run.inc"

RUN "nop"

/* The stack pointer */

SEQUENCE sub_sp
	PROBE "sub %sp, 192, %sp"
	inc	192, %sp
END_SEQUENCE sub_sp

	/* STACK + 8 */
SEQUENCE store_sp
	PROBE "stx %l3, [%sp + 2231]"
END_SEQUENCE store_sp

/* Faults: the exception table's fixup skips the rest of the sequence */

.macro FIXUP from:req to:req
	.pushsection __ex_table, "a"
	.balign	4
	.word	\from, \to
	.popsection
.endm

SEQUENCE fault_load
	mov	8, %l4
	PROBE "ldx [%l4], %o3"
	mov	1, DIFF_MARK
	FIXUP 77b, 1f
1:
	.set	diff_flags, DIFF_FAULTS
END_SEQUENCE fault_load

/* In the delay slot of what restores a window: of its copy, too. */
SEQUENCE fault_return
	save	%sp, -176, %sp
	ADDRESS	1f, %i7
	dec	8, %i7
	mov	8, %g1
	PROBE "return %i7 + 8"
78:	 ldx	[%g1], %o3
1:	mov	1, DIFF_MARK
	FIXUP 78b, 2f
2:
	.set	diff_flags, DIFF_FAULTS
END_SEQUENCE fault_return

	.section .rodata.kprobes_diff, "a"
SYM_DATA_START(kprobes_diff_sequences_end)
