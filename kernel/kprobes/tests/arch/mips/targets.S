/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function of ../../targets_asm.S that only MIPS has.
 */
#include "insn.inc"

	.text

/* Not executed: adds 1 to *a0, and nobody comes in between. */
FUNCTION kprobes_target_exclusive
	nop
1:	ll	v0, 0(a0)
.Lwithin:
	addiu	v0, v0, 1
	sc	v0, 0(a0)
.Lafter:
	BRANCH	beqz, v0, 1b
	RET
SYM_FUNC_END(kprobes_target_exclusive)

OFFSET kprobes_exclusive_within, .Lwithin, kprobes_target_exclusive
OFFSET kprobes_exclusive_after, .Lafter, kprobes_target_exclusive
