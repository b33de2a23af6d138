/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_TESTS_X86_STEP_H
#define _KERNEL_KPROBES_TESTS_X86_STEP_H

/* step.c: calls a function for each instruction that another one executes */
#include <linux/types.h>

struct kunit;
struct pt_regs;
struct task_struct;

/* More than any test needs. After so many instructions stepping ends. */
#define KPROBES_STEPS_MAX	1000000

/**
 * struct kprobes_steps - a function that is single-stepped
 * @fn:   the function
 * @arg:  its argument
 * @each: called before each instruction but those that follow a trap's iret, from
 *        the debug trap, which counts as an NMI and has a stack of its own
 * @irqs: interrupts are on
 * @task: the task that executes it
 * @nr:   how many instructions there were
 */
struct kprobes_steps {
	int (*fn)(void *arg);
	void *arg;
	void (*each)(struct kprobes_steps *steps, struct pt_regs *regs);
	bool irqs;
	struct task_struct *task;
	unsigned int nr;
};

int kprobes_steps_init(struct kunit *test);
void kprobes_steps_exit(struct kunit *test);
int kprobes_step(struct kprobes_steps *steps);

#endif /* _KERNEL_KPROBES_TESTS_X86_STEP_H */
