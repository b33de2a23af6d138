// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of detours and jumps on x86: handlers that push and pop on the probed stack, the
 * direction flag, and code whose first instruction others jump past.
 */
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/uaccess.h>
#include <asm/irqflags.h>
#include <asm/processor-flags.h>
#include <asm/text-patching.h>

#include "../../optimized.h"

static struct kprobes_counter *started_at(struct kunit *test, const char *symbol,
					  unsigned int offset, kprobe_pre_handler_t pre)
{
	const struct kprobes_place place = { .symbol = symbol, .offset = offset };
	struct kprobes_counter *c = kprobes_counter(test, &place);

	c->kp.post_handler = NULL;
	c->in_pre = pre;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_expect_way(test, c);
	return c;
}

/* The stack */

static int push_and_skip(struct kprobe *p, struct pt_regs *regs)
{
	int3_emulate_push(regs, TEST_ARG(regs) + 1000);
	regs->ip = (unsigned long)p->addr + 1;
	return 1;
}

static void emulates_push(struct kunit *test)
{
	struct kprobes_counter *c;

	c = started_at(test, "kprobes_opt_push", 0, push_and_skip);
	KUNIT_EXPECT_EQ(test, kprobes_opt_push(5), 1005);
	kprobes_expect_counts(test, c, 1, 0);
}

static int push(struct kprobe *p, struct pt_regs *regs)
{
	int3_emulate_push(regs, TEST_ARG(regs) + 2000);
	return 0;
}

static void pushes(struct kunit *test)
{
	struct kprobes_counter *c;

	c = started_at(test, "kprobes_opt_stack", kprobes_opt_stack_at, push);
	KUNIT_EXPECT_EQ(test, kprobes_opt_stack(5), 2005);
	kprobes_expect_counts(test, c, 1, 0);
}

static int pop_and_push(struct kprobe *p, struct pt_regs *regs)
{
	unsigned long popped = int3_emulate_pop(regs);

	int3_emulate_push(regs, popped + 3000);
	return 0;
}

static void pops(struct kunit *test)
{
	struct kprobes_counter *c;

	c = started_at(test, "kprobes_opt_stack", kprobes_opt_stack_at,
		       pop_and_push);
	KUNIT_EXPECT_EQ(test, kprobes_opt_stack(5), 3005);
	kprobes_expect_counts(test, c, 1, 0);
}

static int call_callee(struct kprobe *p, struct pt_regs *regs)
{
	/* The result takes the argument's place. */
	if (IS_ENABLED(CONFIG_X86_32))
		regs->dx = TEST_ARG(regs);
	int3_emulate_call(regs, (unsigned long)kprobes_opt_callee);
	return 1;
}

static void emulates_call(struct kunit *test)
{
	struct kprobes_counter *c;

	KUNIT_EXPECT_EQ(test, kprobes_opt_call(5), 6);
	c = started_at(test, "kprobes_opt_call", 0, call_callee);
	KUNIT_EXPECT_EQ(test, kprobes_opt_call(5), 1006);
	kprobes_expect_counts(test, c, 1, 0);
}

/* The direction flag */

/* Offset of a move that is executed while it is set. */
#define STD_MOV		6

/**
 * struct seen - flags in a handler
 * @flags:      those of the CPU
 * @regs_flags: those that were saved
 */
struct seen {
	unsigned long flags;
	unsigned long regs_flags;
};

static int look_around(struct kprobe *p, struct pt_regs *regs)
{
	struct seen *s = kprobes_counter_of(p)->data;

	s->flags = native_save_fl();
	s->regs_flags = regs->flags;
	return 0;
}

static void look_around_post(struct kprobe *p, struct pt_regs *regs,
			     unsigned long flags)
{
	look_around(p, regs);
}

static struct kprobes_counter *looking_at(struct kunit *test, unsigned int offset,
					  struct seen *s, bool post)
{
	const struct kprobes_place place = {
		.symbol = "kprobes_opt_std",
		.offset = offset,
	};
	struct kprobes_counter *c = kprobes_counter(test, &place);

	c->data = s;
	if (post)
		c->in_post = look_around_post;
	else
		c->in_pre = look_around;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, KPROBES_BY_DETOUR, kprobes_way_from((unsigned long)c->kp.addr));
	return c;
}

/*
 * For a detour of a breakpoint the function is not searched for std, so the detour must
 * clear the flag for handlers itself. After the move comes cld.
 */
static void direction_flag(struct kunit *test)
{
	struct kprobes_counter *c;
	unsigned int i, post;

	for (i = 0; i < 4; i++) {
		struct seen s = {};

		post = i & 1;
		c = looking_at(test, STD_MOV + (i & 2), &s, post);
		KUNIT_EXPECT_EQ(test, 8, kprobes_opt_std(5));
		KUNIT_EXPECT_EQ(test, i != 3, !!(s.regs_flags & X86_EFLAGS_DF));
		KUNIT_EXPECT_FALSE(test, s.flags & X86_EFLAGS_DF);
		kprobes_expect_counts(test, c, 1, 1);
		unregister_kprobe(&c->kp);
	}
}

/*
 * Functions that write to user space share this code for their faults. In 32 bit they jump
 * past its first instruction, as soon as they see the address.
 */
static void shared_fixup_is_jumped_into(struct kunit *test)
{
	const struct kprobes_place place = { .symbol = "__put_user_handle_exception" };
	struct kprobes_counter *c = kprobes_counting(test, &place);

	wait_for_kprobe_optimizer();
	kprobes_expect_mechanism(test, c, KPROBE_BREAKPOINT, "shared by all put_user()");
	KUNIT_EXPECT_EQ(test, put_user(1, (int __user *)-sizeof(int)), -EFAULT);
}

static void end_test(struct kunit *test)
{
	if (test->param_value)
		kprobes_way_exit(test);
}

static int begin_test(struct kunit *test)
{
	return test->param_value ? kprobes_way_init(test) : 0;
}

static struct kunit_case x86_optimize_cases[] = {
	KPROBES_CASE_WAYS(emulates_push),
	KPROBES_CASE_WAYS(emulates_call),
	KPROBES_CASE_WAYS(pushes),
	KPROBES_CASE_WAYS(pops),
	KUNIT_CASE(direction_flag),
	KUNIT_CASE(shared_fixup_is_jumped_into),
	{}
};

static struct kunit_suite x86_optimize_suite = {
	.name = "kprobes_x86_optimize",
	.init = begin_test,
	.exit = end_test,
	.test_cases = x86_optimize_cases,
};

kunit_test_suite(x86_optimize_suite);
