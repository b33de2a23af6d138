/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions without what ftrace patches, and one in front of them that branches into two. */
#include "insn.inc"

	.text
	.balign	16
	.globl	kprobes_crossing_from, kprobes_crossing_into, kprobes_crossing_beside
kprobes_crossing_from:
	JUMP	1f
	JUMP	kprobes_crossing_beside
kprobes_crossing_into:
	NOP
	NOP
	NOP
	NOP
1:	NOP
	RET
kprobes_crossing_beside:
	NOP
	NOP
	NOP
	NOP
	RET
