/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function of ../../optimize.S that only arm64 has.
 */
#include "insn.inc"

	.text

/* int kprobes_opt_literal(int a): a + 7, from a register that may hold a user's value */
FUNCTION kprobes_opt_literal
	FRAME_BEGIN
	sub	sp, sp, #32
	mov	x1, sp
	stp	q0, q1, [x1]
.Lliteral:
	ldr	q0, .Lseven
	umov	w2, v0.s[0]
	ldp	q0, q1, [x1]
	add	sp, sp, #32
	add	w0, w0, w2
	FRAME_END
	ret
	.balign	16
.Lseven:
	.long	7, 0, 0, 0
SYM_FUNC_END(kprobes_opt_literal)

OFFSET kprobes_opt_literal_at, .Lliteral, kprobes_opt_literal
