// SPDX-License-Identifier: GPL-2.0-or-later
/* What the sequences of differential_kunit.c find in x86's registers and flags. */
#include <linux/bitops.h>
#include <linux/cpufeature.h>
#include <linux/kernel.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <asm/fpu/api.h>
#include <asm/fpu/types.h>
#include <asm/processor-flags.h>

#include "../../differential.h"

/* Of two words, for cmpxchg16b. */
DEFINE_PER_CPU(unsigned long[2], kprobes_diff_percpu_pair) __aligned(16);

/* Values of rcx, for counters, shifts and conditions; the rest is made of @seed. */
static const struct {
	u64 cx;
	u64 seed;
	u64 flags;
} reg_sets[] = {
	{ 0, 0, X86_EFLAGS_IF },
	{ 1, 0x8000000000000001, X86_EFLAGS_DF | X86_EFLAGS_IF },
	{ SZ_4G, 0x7fffffff80000000, X86_EFLAGS_AC },
	{ SZ_4G + 1, 0x00000000ffffffff, X86_EFLAGS_AF },
	{ 7, 0x123456789abcdef1, X86_EFLAGS_AF | X86_EFLAGS_IF },
	{ -1, -1, X86_EFLAGS_DF | X86_EFLAGS_AC },
};

/* All combinations of the flags that conditions depend on. */
#define FLAG_SETS	32

const unsigned int kprobes_diff_passes = ARRAY_SIZE(reg_sets) * FLAG_SETS;
const unsigned long kprobes_diff_entry_scratch = BIT(10) | BIT(11);

/* fxsave and fxrstor want it aligned. The first leaves some of it as it is. */
static struct fxregs_state floats __aligned(16);

/* An empty x87 stack, no exceptions, and something in each SSE register. */
static void prepare_floats(u64 seed)
{
	unsigned int i;

	BUILD_BUG_ON(sizeof(floats) != sizeof(kprobes_diff_in.fp));
	floats = (struct fxregs_state){ .cwd = 0x37f, .mxcsr = MXCSR_DEFAULT };
	for (i = 0; i < ARRAY_SIZE(floats.xmm_space); i++)
		floats.xmm_space[i] = rol64(seed ^ 0x0f1e2d3c4b5a6978, i);
	memcpy(kprobes_diff_in.fp, &floats, sizeof(floats));
}

static u64 condition_flags(unsigned int pick)
{
	return (pick & 1 ? X86_EFLAGS_CF : 0) | (pick & 2 ? X86_EFLAGS_PF : 0) |
	       (pick & 4 ? X86_EFLAGS_ZF : 0) | (pick & 8 ? X86_EFLAGS_SF : 0) |
	       (pick & 16 ? X86_EFLAGS_OF : 0);
}

/**
 * kprobes_diff_prepare() - set the registers that a sequence finds
 * @pass: which values of them, less than kprobes_diff_passes
 *
 * Context: Any.
 */
void kprobes_diff_prepare(unsigned int pass)
{
	unsigned int set = pass / FLAG_SETS, i;
	unsigned long *gpr = kprobes_diff_in.gpr;

	for (i = 0; i < DIFF_REGS; i++)
		gpr[i] = rol64(reg_sets[set].seed, 4 * i);
	gpr[DIFF_CX / DIFF_WORD] = reg_sets[set].cx;
	gpr[DIFF_SI / DIFF_WORD] = (unsigned long)&kprobes_diff_memory[64];
	gpr[DIFF_DI / DIFF_WORD] = (unsigned long)&kprobes_diff_memory[160];
	kprobes_diff_in.flags = X86_EFLAGS_FIXED | reg_sets[set].flags |
				condition_flags(pass % FLAG_SETS);
	prepare_floats(reg_sets[set].seed);
}

/**
 * kprobes_diff_begin() - let a sequence use floating point, and per-CPU data
 *
 * Context: Not within kernel_fpu_begin(). Preemption is off until kprobes_diff_end().
 */
void kprobes_diff_begin(void)
{
	kernel_fpu_begin();
	if (!boot_cpu_has(X86_FEATURE_FXSR))
		return;
	memcpy(&floats, kprobes_diff_in.fp, sizeof(floats));
	asm volatile("fxrstor (%0)" : : "r" (&floats) : "memory");
}

/**
 * kprobes_diff_end() - store what is in the floating point registers; undo kprobes_diff_begin()
 *
 * The addresses of the last x87 instruction and of its operand are left out: the first is that of
 * a copy where an instruction is probed.
 *
 * Context: That of kprobes_diff_begin().
 */
void kprobes_diff_end(void)
{
	if (boot_cpu_has(X86_FEATURE_FXSR)) {
		asm volatile("fxsave (%0)" : : "r" (&floats) : "memory");
		floats.fop = 0;
		floats.rip = 0;
		floats.rdp = 0;
		memcpy(kprobes_diff_out.fp, &floats, sizeof(floats));
	}
	kernel_fpu_end();
}
