/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions with instructions that a jump can displace, for the suites of the
 * optimizer. They have no landing pads: they are called directly.
 */
#include "asm.inc"

	.text

/* int kprobes_opt_plain(int a): a + 10 */
FUNCTION kprobes_opt_plain
	add	w0, w0, #1
	add	w0, w0, #1
	add	w0, w0, #8
	ret
SYM_FUNC_END(kprobes_opt_plain)

/* int kprobes_opt_flags(long a): a ? 2 : 1 */
FUNCTION kprobes_opt_flags
	cmp	x0, #0
.Lflags:
	mov	w0, #1
.Ljcc:	b.eq	1f
	mov	w0, #2
1:	ret
SYM_FUNC_END(kprobes_opt_flags)

OFFSET kprobes_opt_flags_at, .Lflags, kprobes_opt_flags
OFFSET kprobes_opt_jcc_at, .Ljcc, kprobes_opt_flags

/* int kprobes_opt_push(long a): a */
FUNCTION kprobes_opt_push
	str	x0, [sp, #-16]!
	mov	x0, #-1
	ldr	x0, [sp], #16
	ret
SYM_FUNC_END(kprobes_opt_push)

/* What handlers go to: returns 1001. */
FUNCTION kprobes_opt_callee
	mov	w0, #1001
	ret
SYM_FUNC_END(kprobes_opt_callee)

/* int kprobes_opt_middle(int a): a + 3, in a frame */
FUNCTION kprobes_opt_middle
	FRAME_BEGIN
.Lmiddle:
	add	w1, w0, #1
	add	w2, w1, #1
	add	w0, w2, #1
	FRAME_END
	ret
SYM_FUNC_END(kprobes_opt_middle)

OFFSET kprobes_opt_middle_at, .Lmiddle, kprobes_opt_middle

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
