// SPDX-License-Identifier: GPL-2.0-or-later
/* What the sequences of differential_kunit.c find in s390's registers and condition code. */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <asm/fpu.h>

#include "../../differential.h"

/* Of %r2, an index, of %r3, for comparisons, and of the rest. */
static const struct diff_values reg_sets[] = {
	{ 0, 0, 0 },
	{ 8, 1, 0x8000000000000001 },
	{ 16, 0x100000000, 0x7fffffff80000000 },
	{ 24, 0x100000001, 0x00000000ffffffff },
	{ 32, 32, 0x123456789abcdef1 },
	{ 40, -1, -1 },
};

/* The condition code has two bits. */
#define FLAG_SETS	4

/* Where ipm inserts it. */
#define FLAGS_SHIFT	28

const unsigned int kprobes_diff_passes = ARRAY_SIZE(reg_sets) * FLAG_SETS;
/* ftrace's call overwrites them. */
const unsigned long kprobes_diff_entry_scratch = GENMASK(1, 0);

static struct kernel_fpu_32 fpu;

/**
 * kprobes_diff_prepare() - set the registers that a sequence finds
 * @pass: which values of them, less than kprobes_diff_passes
 *
 * Context: Any.
 */
void kprobes_diff_prepare(unsigned int pass)
{
	kprobes_diff_fill(&reg_sets[pass / FLAG_SETS], 1, 0x0f1e2d3c4b5a6978);
	kprobes_diff_in.flags = (unsigned long)(pass % FLAG_SETS) << FLAGS_SHIFT;
}

/**
 * kprobes_diff_begin() - let a sequence use the vectors
 *
 * Context: Task context.
 */
void kprobes_diff_begin(void)
{
	kernel_fpu_begin(&fpu, KERNEL_FPC | KERNEL_VXR);
}

/**
 * kprobes_diff_end() - undo kprobes_diff_begin()
 *
 * Context: That of kprobes_diff_begin().
 */
void kprobes_diff_end(void)
{
	kernel_fpu_end(&fpu, KERNEL_FPC | KERNEL_VXR);
}
