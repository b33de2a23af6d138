/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_DIFFERENTIAL_H
#define _KPROBES_TESTS_DIFFERENTIAL_H

/* Shared by differential_kunit.c and the assembly. */
#include <asm/bitsperlong.h>

/* Sizes in bytes. A sequence starts with the stack pointer amid the window. */
#define DIFF_STACK	128
#define DIFF_MEMORY	256

/* Size of a register in bytes. */
#define DIFF_WORD	(BITS_PER_LONG / 8)

/*
 * How many registers there are, the number that the stack pointer has, and how many words of
 * floating point and vector registers: DIFF_REGS, DIFF_SP_NR, DIFF_FP_WORDS. Whether ftrace's call
 * of a handler keeps the flags, or there are none: DIFF_BY_FTRACE.
 */
#include "kprobes_test.h"

/* Offsets in struct diff_regs. */
#define DIFF_REG(nr)	((nr) * DIFF_WORD)
#define DIFF_FLAGS	DIFF_REG(DIFF_REGS)
#define DIFF_FP		(DIFF_FLAGS + DIFF_WORD)

/* The probed instruction faults and has an exception table entry. */
#define DIFF_FAULTS	1
/* It is the nop at a function's entry that ftrace patches. */
#define DIFF_ENTRY	2
/* No jump can be there, for what the instruction does. */
#define DIFF_NO_JUMP	4
/* Nor a detour, to which the breakpoint leads. */
#define DIFF_NO_DETOUR	8

/*
 * The instruction is a call of a function. Where the kernel counts calls, it leads to code that
 * changes the flags, each time to other ones.
 */
#define DIFF_CALLS	16

/* The CPU must have a feature, whose number is in the upper half of the flags. */
#define DIFF_NEEDS(feature)	((feature) << 16)

#ifndef __ASSEMBLY__

#include <linux/percpu.h>
#include <linux/types.h>

#ifndef kprobes_cpu_has
static inline bool kprobes_cpu_has(unsigned int feature)
{
	return true;
}
#endif

/**
 * struct diff_regs - registers before or after a sequence
 * @gpr:   by number, as instructions encode them; those that the kernel needs, such as the
 *         stack pointer, are not loaded
 * @flags: all of them, 0 where there are none
 * @fp:    floating point and vectors, where sequences use them
 */
struct diff_regs {
	unsigned long gpr[DIFF_REGS];
	unsigned long flags;
	unsigned long fp[DIFF_FP_WORDS];
};

/**
 * struct diff_sequence - some instructions, one of which is probed
 * @code:     its address; it is jumped to, and jumps back itself
 * @name:     name of the probed form of instruction
 * @probe_at: offset of the probed instruction from @code
 * @flags:    DIFF_FAULTS and the like, DIFF_NEEDS(), or 0
 */
struct diff_sequence {
	void *code;
	const char *name;
	u32 probe_at;
	u32 flags;
};

/**
 * struct diff_values - what the registers of a pass are made of
 * @index: an index
 * @other: for comparisons
 * @seed:  of all the rest
 */
struct diff_values {
	u64 index;
	u64 other;
	u64 seed;
};

extern const struct diff_sequence kprobes_diff_sequences[];
extern const struct diff_sequence kprobes_diff_sequences_end[];

/* Registers that kprobes_diff_run() loads before a sequence, and stores after it. */
extern struct diff_regs kprobes_diff_in, kprobes_diff_out;
extern unsigned long kprobes_diff_stack_in[DIFF_STACK / DIFF_WORD];
extern unsigned long kprobes_diff_stack_out[DIFF_STACK / DIFF_WORD];
extern u8 kprobes_diff_memory[DIFF_MEMORY];

/* Set by kprobes_diff_run(): the lowest address of the stack's window. */
extern unsigned long kprobes_diff_window;
/* The end of some memory, with no page after it. */
extern void *kprobes_diff_edge;

DECLARE_PER_CPU(unsigned long, kprobes_diff_percpu);
DECLARE_PER_CPU(void *, kprobes_diff_percpu_callee);

void kprobes_diff_run(void *code);
void kprobes_diff_fill(const struct diff_values *values, unsigned int memory, u64 fp);

/* What of the runner depends on the architecture: arch/<arch>/differential.c. */
extern const unsigned int kprobes_diff_passes;
extern const unsigned long kprobes_diff_entry_scratch;
void kprobes_diff_prepare(unsigned int pass);
void kprobes_diff_begin(void);
void kprobes_diff_end(void);

/* In how many passes there is a hit: not if the condition of the instruction is not true. */
#ifdef KPROBES_HAS_CONDITIONS
unsigned int kprobes_diff_hits(const struct diff_sequence *s);
#else
static inline unsigned int kprobes_diff_hits(const struct diff_sequence *s)
{
	return kprobes_diff_passes;
}
#endif

void kprobes_diff_callee(void);

#endif /* __ASSEMBLY__ */
#endif /* _KPROBES_TESTS_DIFFERENTIAL_H */
