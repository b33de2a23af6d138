/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_TESTS_OPTIMIZED_H
#define _KERNEL_KPROBES_TESTS_OPTIMIZED_H

/* What the suites of the optimizer share. Functions are in optimize_x86.S. */
#include <kunit/test.h>

#include "../internal.h"
#include "targets.h"

int kprobes_opt_plain(int a);
int kprobes_opt_flags(long a);
int kprobes_opt_push(long a);
int kprobes_opt_stack(long a);
int kprobes_opt_call(int a);
int kprobes_opt_middle(int a);
int kprobes_opt_callee(void);

extern const unsigned int kprobes_opt_flags_at, kprobes_opt_jcc_at;
extern const unsigned int kprobes_opt_stack_at, kprobes_opt_middle_at;

/* Nothing of ours is in the text. */
#define KPROBES_BARE	KPROBE_MECHANISMS

const char *kprobes_mechanism_name(enum kprobe_mechanism mechanism);
enum kprobe_mechanism kprobes_mechanism_in_text(unsigned long addr);
void kprobes_expect_mechanism(struct kunit *test, const struct kprobes_counter *c,
			      enum kprobe_mechanism mechanism, const char *when);
int kprobes_register_again(struct kprobes_counter *c);
void kprobes_expect_jump(struct kunit *test, struct kprobes_counter *c);

/**
 * struct kprobes_hold - keeps Tasks RCU grace periods from ending
 * @task:    spins
 * @held:    it has begun to
 * @release: it may end
 */
struct kprobes_hold {
	struct task_struct *task;
	bool held;
	bool release;
};

struct kprobes_hold *kprobes_hold(struct kunit *test);
void kprobes_release(struct kprobes_hold *hold);

#endif /* _KERNEL_KPROBES_TESTS_OPTIMIZED_H */
