/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function of ../../targets_asm.S that only LoongArch has.
 */
#include "insn.inc"

	.text

/* Not executed: a sequence that no exception may interrupt, and what follows. */
SYM_FUNC_START(kprobes_target_exclusive)
	nop
1:	ll.w	$a1, $a0, 0
.Lwithin:
	addi.w	$a1, $a1, 1
	sc.w	$a1, $a0, 0
.Lafter:
	beqz	$a1, 1b
	jr	$ra
SYM_FUNC_END(kprobes_target_exclusive)

OFFSET kprobes_exclusive_within, .Lwithin, kprobes_target_exclusive
OFFSET kprobes_exclusive_after, .Lafter, kprobes_target_exclusive
