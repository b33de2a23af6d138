/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function of ../../targets_asm.S that only arm64 has.
 */
#include "insn.inc"

	.text

/* Not executed: adds 1 to *x0, and nobody comes in between. */
FUNCTION kprobes_target_exclusive
	nop
1:	ldxr	w1, [x0]
.Lwithin:
	add	w1, w1, #1
	stxr	w2, w1, [x0]
.Lafter:
	cbnz	w2, 1b
	ldr	w0, .Lnot_insn
	ret
.Lnot_insn:
	nop
SYM_FUNC_END(kprobes_target_exclusive)

OFFSET kprobes_exclusive_within, .Lwithin, kprobes_target_exclusive
OFFSET kprobes_exclusive_after, .Lafter, kprobes_target_exclusive
OFFSET kprobes_literal_offset, .Lnot_insn, kprobes_target_exclusive
