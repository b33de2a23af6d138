/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions with instructions that a jump can displace, for the suites of the
 * optimizer. Most of their instructions have four bytes, so that a jump covers two.
 */
#include "function_riscv.inc"

	.text
	.option	norvc

/* int kprobes_opt_plain(int a): a + 10; the jump covers two instructions */
SYM_FUNC_START(kprobes_opt_plain)
	addi	a0, a0, 1
	addi	a0, a0, 1
	addi	a0, a0, 8
	ret
SYM_FUNC_END(kprobes_opt_plain)

/* int kprobes_opt_flags(long a): a ? 2 : 1 */
SYM_FUNC_START(kprobes_opt_flags)
	mv	a1, a0
	li	a0, 1
.Lbranch:
	beqz	a1, 1f
	li	a0, 2
1:	ret
SYM_FUNC_END(kprobes_opt_flags)

OFFSET kprobes_opt_jcc_at, .Lbranch, kprobes_opt_flags

/* int kprobes_opt_push(long a): a */
SYM_FUNC_START(kprobes_opt_push)
	addi	sp, sp, -16
	sd	a0, 0(sp)
	li	a0, 0
	ld	a0, 0(sp)
	addi	sp, sp, 16
	ret
SYM_FUNC_END(kprobes_opt_push)

/* What handlers go to: returns 1001. */
SYM_FUNC_START(kprobes_opt_callee)
	li	a0, 1001
	ret
SYM_FUNC_END(kprobes_opt_callee)

/* int kprobes_opt_middle(int a): a + 3, in a frame */
SYM_FUNC_START(kprobes_opt_middle)
	FRAME_BEGIN
.Lmiddle:
	addi	a1, a0, 1
	addi	a2, a1, 1
	addi	a0, a2, 1
	FRAME_END
	ret
SYM_FUNC_END(kprobes_opt_middle)

OFFSET kprobes_opt_middle_at, .Lmiddle, kprobes_opt_middle

/* int kprobes_opt_landed(int a): 0, by a loop that lands where a jump would be */
SYM_FUNC_START(kprobes_opt_landed)
	mv	a1, a0
.Llanded:
	addi	a1, a1, -1
	bnez	a1, .Llanded
	mv	a0, a1
	ret
SYM_FUNC_END(kprobes_opt_landed)
