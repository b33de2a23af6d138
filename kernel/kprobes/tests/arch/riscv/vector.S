/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that use vector registers, for riscv_vector_kunit.c. */
#include "asm.inc"

	.text
	.option	norvc
	.option	arch, +zve32x

/* void kprobes_vector_load(const void *from): loads v0 to v7 */
SYM_FUNC_START(kprobes_vector_load)
	vsetvli	t0, zero, e8, m8, ta, ma
	vle8.v	v0, (a0)
	ret
SYM_FUNC_END(kprobes_vector_load)

/* void kprobes_vector_store(void *to): stores them */
SYM_FUNC_START(kprobes_vector_store)
	vsetvli	t0, zero, e8, m8, ta, ma
	vse8.v	v0, (a0)
	ret
SYM_FUNC_END(kprobes_vector_store)
