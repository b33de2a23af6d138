/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function of ../../targets_asm.S that only arm has.
 */
#include "insn.inc"

	.text

/* Not executed: adds 1 to *r0, and nobody comes in between. */
FUNCTION kprobes_target_exclusive
	nop
1:	ldrex	r1, [r0]
.Lwithin:
	add	r1, r1, #1
	strex	r2, r1, [r0]
.Lafter:
	teq	r2, #0
	bne	1b
	ldr	r0, .Lnot_insn
	bx	lr
	.balign	4
.Lnot_insn:
	W(nop)
SYM_FUNC_END(kprobes_target_exclusive)

OFFSET kprobes_exclusive_within, .Lwithin, kprobes_target_exclusive
OFFSET kprobes_exclusive_after, .Lafter, kprobes_target_exclusive
OFFSET kprobes_literal_offset, .Lnot_insn, kprobes_target_exclusive
