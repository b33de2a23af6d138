/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function of ../../targets_asm.S that only some architectures have.
 */
#include "insn.inc"

	.text

/* Not executed: adds 1 to *r3, and nobody comes in between. */
FUNCTION kprobes_target_exclusive
	nop
1:	lwarx	r4,0,r3
.Lwithin:
	addi	r4,r4,1
	stwcx.	r4,0,r3
.Lafter:
	bne-	1b
	blr
SYM_FUNC_END(kprobes_target_exclusive)

OFFSET kprobes_exclusive_within, .Lwithin, kprobes_target_exclusive
OFFSET kprobes_exclusive_after, .Lafter, kprobes_target_exclusive
