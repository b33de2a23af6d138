// SPDX-License-Identifier: GPL-2.0-or-later
/* What the sequences of differential_kunit.c find in PA-RISC's registers. */
#include <linux/kernel.h>

#include "../../differential.h"

/* Of r25, an index, of r26, for comparisons, and of the rest. Scaled the index stays in memory. */
static const struct diff_values reg_sets[] = {
	{ 0, 0, 0 },
	{ 8, 8, 0x8000000000000001 },
	{ 0, 0x100000000, 0x7fffffff80000000 },
	{ 8, 0x100000018, 0x00000000ffffffff },
	{ 0, 1, 0x123456789abcdef1 },
	{ 8, -1, -1 },
	{ 0, 0x7fffffffffffffff, 0x0123456776543210 },
	{ 8, 0xffffffff80000000, 0x5555555555555555 },
};

/* In each digit of it is 6 if the digit has a carry, else 0. */
static const unsigned long carries[] = { 0, 0x66666666, 0x60000000, 0x00060606 };

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
	kprobes_diff_fill(&reg_sets[pass], 24, 0);
	kprobes_diff_in.flags = carries[pass % ARRAY_SIZE(carries)];
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
