// SPDX-License-Identifier: GPL-2.0-or-later
/* What the sequences of differential_kunit.c find in arm64's registers and flags. */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <asm/neon.h>
#include <asm/ptrace.h>

#include "../../differential.h"

/* Values of x2, an index, and of x3, for comparisons; the rest is made of @seed. */
static const struct {
	u64 index;
	u64 x3;
	u64 seed;
} reg_sets[] = {
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
	unsigned int set = pass / FLAG_SETS, i;
	struct diff_regs *in = &kprobes_diff_in;

	for (i = 0; i < DIFF_REGS; i++)
		in->gpr[i] = rol64(reg_sets[set].seed, 4 * i);
	for (i = 0; i < DIFF_FP_WORDS; i++)
		in->fp[i] = rol64(reg_sets[set].seed ^ 0x0f1e2d3c4b5a6978, i);
	in->gpr[1] = (unsigned long)&kprobes_diff_memory[128];
	in->gpr[2] = reg_sets[set].index;
	in->gpr[3] = reg_sets[set].x3;
	in->flags = (unsigned long)(pass % FLAG_SETS) << (ffs(PSR_V_BIT) - 1);
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

bool kprobes_diff_has_features(const struct diff_sequence *s)
{
	return true;
}
