// SPDX-License-Identifier: GPL-2.0-or-later
/* What the sequences of differential_kunit.c find in arm64's registers and flags. */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <asm/neon.h>
#include <asm/ptrace.h>

#include "../../differential.h"

/* Of x2, an index, of x3, for comparisons, and of the rest. */
static const struct diff_values reg_sets[] = {
	{ 0, 0, 0 },
	{ 1, 1, 0x8000000000000001 },
	{ 3, 0x100000000, 0x7fffffff80000000 },
	{ 5, 0x100000001, 0x00000000ffffffff },
	{ 7, 7, 0x123456789abcdef1 },
	{ 2, -1, -1 },
};

/* All combinations of N, Z, C and V. */
#define FLAG_SETS	16

const unsigned int kprobes_diff_passes = ARRAY_SIZE(reg_sets) * FLAG_SETS;
/* ftrace has no call before the first instruction. */
const unsigned long kprobes_diff_entry_scratch;

/**
 * kprobes_diff_prepare() - set the registers that a sequence finds
 * @pass: which values of them, less than kprobes_diff_passes
 *
 * Context: Any.
 */
void kprobes_diff_prepare(unsigned int pass)
{
	kprobes_diff_fill(&reg_sets[pass / FLAG_SETS], 1, 0x0f1e2d3c4b5a6978);
	kprobes_diff_in.flags = (unsigned long)(pass % FLAG_SETS) << (ffs(PSR_V_BIT) - 1);
}

/**
 * kprobes_diff_begin() - let a sequence use the vectors
 *
 * Context: Task context, softirqs and interrupts enabled.
 */
void kprobes_diff_begin(void)
{
	kernel_neon_begin();
}

/**
 * kprobes_diff_end() - undo kprobes_diff_begin()
 *
 * Context: That of kprobes_diff_begin().
 */
void kprobes_diff_end(void)
{
	kernel_neon_end();
}
