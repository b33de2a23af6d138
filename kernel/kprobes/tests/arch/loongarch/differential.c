// SPDX-License-Identifier: GPL-2.0-or-later
/* What the sequences of differential_kunit.c find in LoongArch's registers and flags. */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <asm/fpu.h>

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

/* The flags of floating point: none, all, and every second one. */
static const u8 flag_sets[] = { 0x00, 0xff, 0x55 };

const unsigned int kprobes_diff_passes = ARRAY_SIZE(reg_sets) * ARRAY_SIZE(flag_sets);
/* ftrace uses t0 and what follows. */
const unsigned long kprobes_diff_entry_scratch = GENMASK(20, 12);

/**
 * kprobes_diff_prepare() - set the registers that a sequence finds
 * @pass: which values of them, less than kprobes_diff_passes
 *
 * Context: Any.
 */
void kprobes_diff_prepare(unsigned int pass)
{
	kprobes_diff_fill(&reg_sets[pass / ARRAY_SIZE(flag_sets)], 5, 0x3ff0000000000000);
	kprobes_diff_in.flags = flag_sets[pass % ARRAY_SIZE(flag_sets)];
}

/**
 * kprobes_diff_begin() - let a sequence use floating point and vectors
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
