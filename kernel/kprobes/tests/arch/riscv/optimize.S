/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of ../../optimize.S that only RISC-V has.
 */
#include "insn.inc"

	.text
	LONG_INSNS

/* void kprobes_opt_far(void): the compiler's way to call a distant function last */
SYM_FUNC_START(kprobes_opt_far)
1:	auipc	t1, %pcrel_hi(kprobes_opt_callee)
	jalr	zero, %pcrel_lo(1b)(t1)
SYM_FUNC_END(kprobes_opt_far)

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
