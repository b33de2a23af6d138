/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function of ../../optimize.S that only arm has.
 */
#include "insn.inc"

	.text

/* int kprobes_opt_literal(int a): a + 7, with a literal that is compared and no register free */
FUNCTION kprobes_opt_literal
	FRAME_BEGIN
	adr	r1, .Lseven
.Lliteral:
#ifdef CONFIG_THUMB2_KERNEL
	mov	r3, pc
	cmp	r1, r3
	itt	hi
#else
	cmp	r1, pc
#endif
	ldrhi	r2, [r1]
	addhi	r0, r0, r2
	FRAME_END
	bx	lr
	.balign	4
.Lseven:
	.long	7
SYM_FUNC_END(kprobes_opt_literal)

OFFSET kprobes_opt_literal_at, .Lliteral, kprobes_opt_literal
