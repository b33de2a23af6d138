/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function of ../../entry_asm.S that only RISC-V has.
 */
#include "insn.inc"

	.text
	LONG_INSNS

/* int kprobes_entry_compressed(int a): a + 1; a jump covers the first four additions */
TRACED_FUNCTION kprobes_entry_compressed
	.option	push
	.option	rvc
	c.addi	a0, 10
	c.addi	a0, -1
	c.addi	a0, -2
	c.addi	a0, -3
	c.addi	a0, -3
	c.jr	ra
	.option	pop
SYM_FUNC_END(kprobes_entry_compressed)
