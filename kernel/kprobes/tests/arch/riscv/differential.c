// SPDX-License-Identifier: GPL-2.0-or-later
/* What the sequences of differential_kunit.c find in RISC-V's registers. */
#include <linux/bitops.h>
#include <linux/fpu.h>
#include <linux/kernel.h>

#include "../../differential.h"

/* Values of a2, an index, and of a3, for comparisons; the rest is made of @seed. */
static const struct {
	u64 index;
	u64 a3;
	u64 seed;
} reg_sets[] = {
	{ 0, 0, 0 },
	{ 8, 1, 0x8000000000000001 },
	{ 16, 0x100000000, 0x7fffffff80000000 },
	{ 24, 0x100000001, 0x00000000ffffffff },
	{ 32, 7, 0x123456789abcdef1 },
	{ 40, -1, -1 },
	{ 48, 0x7fffffffffffffff, 0x0123456776543210 },
	{ 56, 0xffffffff80000000, 0x5555555555555555 },
};

const unsigned int kprobes_diff_passes = ARRAY_SIZE(reg_sets);
/* ftrace restores ra, sp, s0 and the arguments. */
const unsigned long kprobes_diff_entry_scratch = GENMASK(7, 5) | GENMASK(31, 28);

/**
 * kprobes_diff_prepare() - set the registers that a sequence finds
 * @pass: which values of them, less than kprobes_diff_passes
 *
 * Context: Any.
 */
void kprobes_diff_prepare(unsigned int pass)
{
	struct diff_regs *in = &kprobes_diff_in;
	unsigned int i;

	for (i = 0; i < DIFF_REGS; i++)
		in->gpr[i] = rol64(reg_sets[pass].seed, 4 * i);
	for (i = 0; i < DIFF_FP_WORDS; i++)
		in->fp[i] = rol64(reg_sets[pass].seed ^ 0x3ff0000000000000, i);
	in->gpr[11] = (unsigned long)&kprobes_diff_memory[128];
	in->gpr[12] = reg_sets[pass].index;
	in->gpr[13] = reg_sets[pass].a3;
}

/**
 * kprobes_diff_begin() - let a sequence use floating point
 *
 * Context: Task context.
 */
void kprobes_diff_begin(void)
{
	kernel_fpu_begin();
}

/**
 * kprobes_diff_end() - undo kprobes_diff_begin()
 *
 * Context: That of kprobes_diff_begin().
 */
void kprobes_diff_end(void)
{
	kernel_fpu_end();
}

bool kprobes_diff_has_features(const struct diff_sequence *s)
{
	return true;
}
