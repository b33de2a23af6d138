// SPDX-License-Identifier: GPL-2.0-or-later
/* What the sequences of differential_kunit.c find in MIPS' registers. There are no flags. */
#include <linux/kernel.h>

#include "../../differential.h"

/* Of a2, an index, of a3, for comparisons, and of the rest. */
static const struct diff_values reg_sets[] = {
	{ 0, 0, 0 },
	{ 8, 8, 0x8000000000000001 },
	{ 16, 0x100000000, 0x7fffffff80000000 },
	{ 24, 0x100000018, 0x00000000ffffffff },
	{ 32, 1, 0x123456789abcdef1 },
	{ 40, -1, -1 },
	{ 48, 0x7fffffffffffffff, 0x0123456776543210 },
	{ 56, 0xffffffff80000000, 0x5555555555555555 },
};

const unsigned int kprobes_diff_passes = ARRAY_SIZE(reg_sets);
/* Not by ftrace. */
const unsigned long kprobes_diff_entry_scratch;

/**
 * kprobes_diff_prepare() - set the registers that a sequence finds
 * @pass: which values of them, less than kprobes_diff_passes
 *
 * Context: Any.
 */
void kprobes_diff_prepare(unsigned int pass)
{
	unsigned int i;

	kprobes_diff_fill(&reg_sets[pass], 5, 0);
	/* With other words than sign-extended ones 32-bit arithmetic is unpredictable. */
	for (i = 8; i < 16; i++)
		kprobes_diff_in.gpr[i] = (s32)kprobes_diff_in.gpr[i];
}

/**
 * kprobes_diff_begin() - nothing has to be done before a sequence
 *
 * Context: Task context.
 */
void kprobes_diff_begin(void)
{
}

/**
 * kprobes_diff_end() - undo kprobes_diff_begin()
 *
 * Context: That of kprobes_diff_begin().
 */
void kprobes_diff_end(void)
{
}
