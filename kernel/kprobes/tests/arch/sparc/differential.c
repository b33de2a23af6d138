// SPDX-License-Identifier: GPL-2.0-or-later
/* What the sequences of differential_kunit.c find in SPARC's registers and flags. */
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <asm/pstate.h>
#include <asm/visasm.h>

#include "../../differential.h"

/* Of %o1, an index, of %o2, for comparisons, and of the rest. */
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

/* %xcc and %icc: each flag alone, and such that one is what the other is not. */
static const u8 flag_sets[] = { 0x00, 0xff, 0x48, 0x84, 0x21, 0x12, 0xa5 };

const unsigned int kprobes_diff_passes = ARRAY_SIZE(reg_sets) * ARRAY_SIZE(flag_sets);
const unsigned long kprobes_diff_entry_scratch;

/**
 * kprobes_diff_prepare() - set the registers that a sequence finds
 * @pass: which values of them, less than kprobes_diff_passes
 *
 * Context: Any.
 */
void kprobes_diff_prepare(unsigned int pass)
{
	kprobes_diff_fill(&reg_sets[pass / ARRAY_SIZE(flag_sets)], 8, 0x3ff0000000000000);
	kprobes_diff_in.flags = flag_sets[pass % ARRAY_SIZE(flag_sets)];
}

/**
 * kprobes_diff_begin() - let a sequence use floating point
 *
 * Context: Task context.
 */
void kprobes_diff_begin(void)
{
	preempt_disable();
	save_and_clear_fpu();
	asm volatile("wr %%g0, %0, %%fprs" : : "i" (FPRS_FEF));
}

/**
 * kprobes_diff_end() - undo kprobes_diff_begin()
 *
 * Context: That of kprobes_diff_begin().
 */
void kprobes_diff_end(void)
{
	asm volatile("wr %g0, 0, %fprs");
	preempt_enable();
}
