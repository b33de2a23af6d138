// SPDX-License-Identifier: GPL-2.0-or-later
/* What the sequences of differential_kunit.c find in PowerPC's registers. */
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <asm/switch_to.h>

#include "../../differential.h"

/* Of r5, an index, of r6, for comparisons, and of the rest; of CTR, CR and XER. */
static const struct {
	struct diff_values values;
	unsigned long ctr;
	u32 cr;
	u32 xer;
} reg_sets[] = {
	{ { 0, 0, 0 }, 0, 0, 0 },
	{ { 16, 1, 0x8000000000000001 }, 1, 0x22222222, 0x20000000 },
	{ { 32, 0x100000000, 0x7fffffff80000000 }, 2, 0x48248142, 0x20040000 },
	{ { 48, 0x100000001, 0x00000000ffffffff }, 1, 0x84422118, 0xc0080000 },
	{ { 16, 7, 0x123456789abcdef1 }, 7, 0x11112222, 0x80000000 },
	{ { 32, -1, -1 }, 1, 0xffffffff, 0xe00c0000 },
	{ { 0, 0x7fffffffffffffff, 0x5555555555555555 }, 0, 0x2fffffff, 0 },
	{ { 48, 0xffffffff80000000, 0xffffffff80000000 }, 2, 0x20000000, 0x20000000 },
};

const unsigned int kprobes_diff_passes = ARRAY_SIZE(reg_sets);
/* There are no probes by ftrace. */
const unsigned long kprobes_diff_entry_scratch;

/**
 * kprobes_diff_prepare() - set the registers that a sequence finds
 * @pass: which values of them, less than kprobes_diff_passes
 *
 * Context: Any.
 */
void kprobes_diff_prepare(unsigned int pass)
{
	struct diff_regs *in = &kprobes_diff_in;

	kprobes_diff_fill(&reg_sets[pass].values, 4, 0x3ff0000000000000);
	in->gpr[DIFF_CTR] = reg_sets[pass].ctr;
	in->gpr[DIFF_XER] = reg_sets[pass].xer;
	in->flags = reg_sets[pass].cr;
}

/**
 * kprobes_diff_begin() - let a sequence use floating point and vectors
 *
 * Context: Task context.
 */
void kprobes_diff_begin(void)
{
	preempt_disable();
	enable_kernel_fp();
#ifdef CONFIG_PPC64
	enable_kernel_altivec();
	enable_kernel_vsx();
#endif
}

/**
 * kprobes_diff_end() - undo kprobes_diff_begin()
 *
 * Context: That of kprobes_diff_begin().
 */
void kprobes_diff_end(void)
{
#ifdef CONFIG_PPC64
	disable_kernel_vsx();
	disable_kernel_altivec();
#endif
	disable_kernel_fp();
	preempt_enable();
}
