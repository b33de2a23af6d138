/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_DIFFERENTIAL_H
#define _KPROBES_TESTS_DIFFERENTIAL_H

/* Shared by differential_kunit.c and the assembly. */
#include <asm/bitsperlong.h>

/* Sizes in bytes. A sequence starts with the stack pointer amid the window. */
#define DIFF_STACK	128
#define DIFF_MEMORY	256

/*
 * Size of a register in bytes, how many registers there are, the number that the stack
 * pointer has, and how many words of floating point and vector registers.
 */
#ifdef CONFIG_X86
#define DIFF_WORD	(BITS_PER_LONG / 8)
#define DIFF_REGS	(BITS_PER_LONG / 4)
#define DIFF_SP_NR	4
/* What fxsave saves. */
#define DIFF_FP_WORDS	(512 / DIFF_WORD)
#elif defined(CONFIG_ARM64)
#define DIFF_WORD	8
#define DIFF_REGS	32
#define DIFF_SP_NR	31
#define DIFF_FP_WORDS	64
#elif defined(CONFIG_RISCV)
#define DIFF_WORD	8
#define DIFF_REGS	32
#define DIFF_SP_NR	2
#define DIFF_FP_WORDS	32
#endif

/* Offsets in struct diff_regs. */
#define DIFF_REG(nr)	((nr) * DIFF_WORD)
#define DIFF_FLAGS	DIFF_REG(DIFF_REGS)
#define DIFF_FP		(DIFF_FLAGS + DIFF_WORD)

#ifdef CONFIG_X86
#define DIFF_AX		DIFF_REG(0)
#define DIFF_CX		DIFF_REG(1)
#define DIFF_DX		DIFF_REG(2)
#define DIFF_BX		DIFF_REG(3)
#define DIFF_SP		DIFF_REG(4)
#define DIFF_BP		DIFF_REG(5)
#define DIFF_SI		DIFF_REG(6)
#define DIFF_DI		DIFF_REG(7)
#define DIFF_R8		DIFF_REG(8)
#endif

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

/* Does ftrace's call of a handler keep the flags, or are there none? */
#if defined(CONFIG_X86_64) || defined(CONFIG_RISCV)
#define DIFF_BY_FTRACE	1
#else
#define DIFF_BY_FTRACE	0
#endif

#ifndef __ASSEMBLY__

#include <linux/percpu.h>
#include <linux/types.h>

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

/* What of the runner depends on the architecture: arch/<arch>/differential.c. */
extern const unsigned int kprobes_diff_passes;
extern const unsigned long kprobes_diff_entry_scratch;
void kprobes_diff_prepare(unsigned int pass);
void kprobes_diff_begin(void);
void kprobes_diff_end(void);

void kprobes_diff_callee(void);

#ifdef CONFIG_X86
DECLARE_PER_CPU(unsigned long[2], kprobes_diff_percpu_pair);

bool kprobes_diff_has_features(const struct diff_sequence *s);
#else
static inline bool kprobes_diff_has_features(const struct diff_sequence *s)
{
	return true;
}
#endif

#endif /* __ASSEMBLY__ */
#endif /* _KPROBES_TESTS_DIFFERENTIAL_H */
