// SPDX-License-Identifier: GPL-2.0-or-later
/* What the sequences of differential_kunit.c find in arm's registers and flags. */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <asm/neon.h>
#include <asm/opcodes.h>
#include <asm/ptrace.h>

#include "../../differential.h"

/* Of r2, an index for any size of access, of r3, for comparisons, and of the rest. */
static const struct diff_values reg_sets[] = {
	{ 0, 0, 0 },
	{ 8, 1, 0x80000001 },
	{ 16, 0x10000, 0x7fff8000 },
	{ 8, 0x10001, 0x0000ffff },
	{ 16, 7, 0x12345671 },
	{ 0, -1, -1 },
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
 * kprobes_diff_begin() - let a sequence use the registers of floating point and SIMD
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

/* Of each condition, with which of the 16 flag sets it is true; the lowest bit is that of none. */
static const u16 true_for[] = {
	0xf0f0, 0x0f0f,		/* eq, ne */
	0xcccc, 0x3333,		/* cs, cc */
	0xff00, 0x00ff,		/* mi, pl */
	0xaaaa, 0x5555,		/* vs, vc */
	0x0c0c, 0xf3f3,		/* hi, ls */
	0xaa55, 0x55aa,		/* ge, lt */
	0x0a05, 0xf5fa,		/* gt, le */
	0xffff, 0xffff,		/* always, and instructions that have none */
};

/* The number of the condition of the probed instruction, 15 if it has none. */
#ifdef CONFIG_THUMB2_KERNEL
static unsigned int condition_of(const struct diff_sequence *s)
{
	unsigned int at, half;
	u8 block = 0;

	/* It has one if it is in a block, which begins in the sequence. */
	for (at = 0; at < s->probe_at; at += half < 0xe800 ? 2 : 4) {
		half = __mem_to_opcode_thumb16(*(u16 *)(s->code + at));
		if ((half & 0xff00) == 0xbf00 && half & 0xf)
			block = half;
		else
			block = t32_kprobe_next_in_block(block);
	}
	return block ? block >> 4 : 15;
}
#else
static unsigned int condition_of(const struct diff_sequence *s)
{
	return __mem_to_opcode_arm(*(u32 *)(s->code + s->probe_at)) >> 28;
}
#endif

/**
 * kprobes_diff_hits() - in how many passes is a sequence's probe hit?
 * @s: the sequence, without probes; nothing in front of the probed instruction changes flags
 *
 * Context: Any.
 * Return: In as many as the condition of the instruction is true.
 */
unsigned int kprobes_diff_hits(const struct diff_sequence *s)
{
	return ARRAY_SIZE(reg_sets) * hweight16(true_for[condition_of(s)]);
}
