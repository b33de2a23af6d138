/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_DIFFERENTIAL_H
#define _KPROBES_TESTS_DIFFERENTIAL_H

/* Shared by differential_kunit.c and the assembly. */

/* Sizes in bytes. A sequence starts with the stack pointer amid the window. */
#define DIFF_STACK	128
#define DIFF_MEMORY	256

/* Size of a register in bytes, and how many registers there are. */
#ifdef CONFIG_X86_64
#define DIFF_WORD	8
#define DIFF_REGS	16
#else
#define DIFF_WORD	4
#define DIFF_REGS	8
#endif

/* Offsets in struct diff_regs. */
#define DIFF_AX		0
#define DIFF_CX		DIFF_WORD
#define DIFF_DX		(2 * DIFF_WORD)
#define DIFF_BX		(3 * DIFF_WORD)
#define DIFF_SP		(4 * DIFF_WORD)
#define DIFF_BP		(5 * DIFF_WORD)
#define DIFF_SI		(6 * DIFF_WORD)
#define DIFF_DI		(7 * DIFF_WORD)
#define DIFF_R8		(8 * DIFF_WORD)
#define DIFF_FLAGS	(DIFF_REGS * DIFF_WORD)

/* The probed instruction faults and has an exception table entry. */
#define DIFF_FAULTS	1
/* It is the nop at a function's entry that ftrace patches. */
#define DIFF_ENTRY	2
/* It sets the direction flag, which handlers must find clear. */
#define DIFF_DIRECTION	4

#ifndef __ASSEMBLY__

#include <linux/percpu-defs.h>
#include <linux/types.h>

/**
 * struct diff_regs - registers before or after a sequence
 * @gpr:   by number, as instructions encode them; the stack pointer is not
 *         loaded
 * @flags: all of them
 */
struct diff_regs {
	unsigned long gpr[DIFF_REGS];
	unsigned long flags;
};

/**
 * struct diff_sequence - some instructions, one of which is probed
 * @code:     its address; it is jumped to, and jumps back itself
 * @name:     name of the probed form of instruction
 * @probe_at: offset of the probed instruction from @code
 * @flags:    DIFF_FAULTS and the like, or 0
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
void kprobes_diff_callee(void);

#endif /* __ASSEMBLY__ */
#endif /* _KPROBES_TESTS_DIFFERENTIAL_H */
