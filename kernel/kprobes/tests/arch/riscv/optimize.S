/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions with instructions that a jump can displace, for the suites of the
 * optimizer. Most of their instructions have four bytes, so that a jump covers two.
 */
#include "asm.inc"

	.text
	.option	norvc

/* int kprobes_opt_plain(int a): a + 10; the jump covers two instructions */
SYM_FUNC_START(kprobes_opt_plain)
	addi	a0, a0, 1
	addi	a0, a0, 1
	addi	a0, a0, 8
	ret
SYM_FUNC_END(kprobes_opt_plain)

/* void kprobes_opt_far(void): the compiler's way to call a distant function last */
SYM_FUNC_START(kprobes_opt_far)
1:	auipc	t1, %pcrel_hi(kprobes_opt_callee)
	jalr	zero, %pcrel_lo(1b)(t1)
SYM_FUNC_END(kprobes_opt_far)

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

/* void kprobes_opt_keep(unsigned long *words): no register can be spared after the probed "li" */
SYM_FUNC_START(kprobes_opt_keep)
	ld	t1, 0(a0)
	ld	t2, 8(a0)
	ld	t3, 16(a0)
	ld	t4, 24(a0)
	ld	t5, 32(a0)
	ld	t6, 40(a0)
	mv	a2, sp
.Lkeep:	li	a1, 7
	sd	t1, 64(a0)
	sd	t2, 72(a0)
	sd	t3, 80(a0)
	sd	t4, 88(a0)
	sd	t5, 96(a0)
	sd	t6, 104(a0)
	sub	a2, a2, sp
	sd	a2, 112(a0)
	csrr	a2, sstatus
	sd	a2, 120(a0)
	sd	a1, 48(a0)
	ret
SYM_FUNC_END(kprobes_opt_keep)

OFFSET kprobes_opt_keep_at, .Lkeep, kprobes_opt_keep
