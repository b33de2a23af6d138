// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of points that change while other CPUs hit them: every call of the probed function
 * returns the right result, and is a hit or a miss of each probe that was registered.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/sched.h>

#include "../batch.h"
#include "../optimizer.h"
#include "../point.h"
#include "optimized.h"

#define CALLERS		3
#define COMERS		5
#define STORM		HZ

/* At least so many changes, even if the machine is slow. */
#define CHANGES		96

/**
 * struct storm_target - a function that is called and probed
 * @name:   name of the test case
 * @symbol: the function; a jump from its entry covers more than an instruction, if any
 * @inside: where the second of these begins
 * @call:   calls it
 * @plus:   what it adds to its argument
 */
struct storm_target {
	const char *name;
	const char *symbol;
	unsigned int inside;
	int (*call)(int a);
	int plus;
};

/* The functions are assembly, and called directly: they have no landing pad and no type. */
static int call_plain(int a)
{
	return kprobes_opt_plain(a);
}

static int call_push(int a)
{
	return kprobes_opt_push(a);
}

static const struct storm_target targets[] = {
	{ "in the frame of the pre-handlers", "kprobes_opt_plain", 4, call_plain, 10 },
	{ "in a frame of their own", "kprobes_opt_push", IS_ENABLED(CONFIG_X86) ? 1 : 4,
	  call_push, 0 },
};

KUNIT_ARRAY_PARAM_DESC(target, targets, name);

/**
 * struct storm - callers, and probes on what they call
 * @target:  what they call
 * @callers: the tasks
 * @stay:    a probe that is always there and enabled
 * @comers:  probes that come and go
 * @inside:  the same, in the region of the first ones
 * @calls:   how often the function was called
 * @wrong:   how often its result was wrong
 * @changes: how many changes there were
 */
struct storm {
	const struct storm_target *target;
	struct task_struct *callers[CALLERS];
	struct kprobes_counter *stay;
	struct kprobes_counter *comers[COMERS];
	struct kprobes_counter *inside;
	atomic_t calls;
	atomic_t wrong;
	int changes;
};

static int call_all_the_time(void *data)
{
	struct storm *s = data;
	int a;

	for (a = 0; !kthread_should_stop(); a++) {
		atomic_inc(&s->calls);
		if (s->target->call(a) != a + s->target->plus)
			atomic_inc(&s->wrong);
		/* Leave time for the task that makes the changes. */
		if (!(a % 256))
			usleep_range(50, 100);
	}
	return 0;
}

static void stop_callers(void *data)
{
	struct storm *s = data;
	unsigned int i;

	for (i = 0; i < CALLERS; i++) {
		if (s->callers[i])
			kthread_stop(s->callers[i]);
		s->callers[i] = NULL;
	}
	kprobe_optimizer_allow(true);
	if (!kprobe_armed_globally)
		kprobe_arm_all(true);
}

static void start_callers(struct kunit *test, struct storm *s)
{
	struct task_struct *task;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, stop_callers, s));
	for (i = 0; i < CALLERS; i++) {
		task = kthread_run(call_all_the_time, s, "kprobes_storm/%u", i);
		KUNIT_ASSERT_FALSE(test, IS_ERR(task));
		s->callers[i] = task;
	}
}

static struct kprobes_counter *probe(struct kunit *test, const struct storm *s,
				     unsigned int offset, bool post)
{
	const struct kprobes_place place = {
		.symbol = s->target->symbol,
		.offset = offset,
	};
	struct kprobes_counter *c = kprobes_counter(test, &place);

	if (!post)
		c->kp.post_handler = NULL;
	return c;
}

static struct storm *new_storm(struct kunit *test, bool post)
{
	struct storm *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->target = test->param_value ?: targets;
	s->stay = probe(test, s, 0, post);
	for (i = 0; i < COMERS; i++)
		s->comers[i] = probe(test, s, 0, i % 2);
	s->inside = probe(test, s, s->target->inside, false);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&s->stay->kp));
	return s;
}

static void come_and_go(struct kunit *test, struct kprobes_counter *c, bool wait)
{
	KUNIT_EXPECT_EQ(test, 0, kprobes_register_again(c));
	if (wait)
		wait_for_kprobe_optimizer();
	unregister_kprobe(&c->kp);
}

static void all_come_and_go(struct kunit *test, struct storm *s)
{
	unsigned int i;

	for (i = 0; i < COMERS; i++)
		KUNIT_EXPECT_EQ(test, 0, kprobes_register_again(s->comers[i]));
	for (i = 0; i < COMERS; i++)
		unregister_kprobe(&s->comers[i]->kp);
}

static void one_switches(struct kunit *test, struct storm *s)
{
	struct kprobe *p = &s->comers[1]->kp;

	KUNIT_EXPECT_EQ(test, 0, kprobes_register_again(s->comers[1]));
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(p));
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(p));
	unregister_kprobe(p);
}

static void switch_optimizer(bool wait)
{
	kprobe_optimizer_allow(false);
	if (wait)
		wait_for_kprobe_optimizer();
	kprobe_optimizer_allow(true);
}

/* Changes that do not keep @stay from being hit by every call. */
static void change(struct kunit *test, struct storm *s, unsigned int i)
{
	bool wait = i / 6 % 2;

	switch (i % 6) {
	case 0:
		come_and_go(test, s->comers[0], wait);
		break;
	case 1:
		come_and_go(test, s->comers[1], wait);
		break;
	case 2:
		come_and_go(test, s->inside, wait);
		break;
	case 3:
		all_come_and_go(test, s);
		break;
	case 4:
		one_switches(test, s);
		break;
	case 5:
		switch_optimizer(wait);
		break;
	}
	if (i / 12 % 2)
		wait_for_kprobe_optimizer();
}

/* The same, and changes that do. */
static void change_all(struct kunit *test, struct storm *s, unsigned int i)
{
	switch (i % 4) {
	case 0:
		unregister_kprobe(&s->stay->kp);
		KUNIT_EXPECT_EQ(test, 0, kprobes_register_again(s->stay));
		break;
	case 1:
		KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&s->stay->kp));
		KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&s->stay->kp));
		break;
	case 2:
		KUNIT_EXPECT_EQ(test, 0, kprobe_arm_all(false));
		KUNIT_EXPECT_EQ(test, 0, kprobe_arm_all(true));
		break;
	default:
		change(test, s, i / 4);
		break;
	}
}

static void rage(struct kunit *test, struct storm *s,
		 void (*what)(struct kunit *test, struct storm *s, unsigned int i))
{
	unsigned long end = jiffies + STORM, last = jiffies + 10 * STORM;
	unsigned int i;

	start_callers(test, s);
	for (i = 0; time_before(jiffies, i < CHANGES ? last : end); i++) {
		what(test, s, i);
		cond_resched();
	}
	stop_callers(s);
	s->changes = i;
	kunit_info(test, "%u changes, %d calls, %d hits, %lu misses", i,
		   atomic_read(&s->calls), atomic_read(&s->stay->pre),
		   s->stay->kp.nmissed);
	KUNIT_EXPECT_GT(test, atomic_read(&s->stay->pre), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->wrong), 0);
}

static void books_balance(struct kunit *test, bool post)
{
	struct storm *s = new_storm(test, post);

	rage(test, s, change);
	KUNIT_EXPECT_EQ(test, atomic_read(&s->calls),
			atomic_read(&s->stay->pre) + s->stay->kp.nmissed);
	KUNIT_EXPECT_EQ(test, s->stay->kp.nmissed, 0);
	if (post)
		KUNIT_EXPECT_EQ(test, atomic_read(&s->stay->post),
				atomic_read(&s->stay->pre));
	wait_for_kprobe_optimizer();
	kprobes_expect_mechanism(test, s->stay, KPROBE_JUMP, "after the storm");
}

static void books_balance_pre(struct kunit *test)
{
	books_balance(test, false);
}

static void books_balance_post(struct kunit *test)
{
	books_balance(test, true);
}

/* Not all calls are hits, but all results are right. */
static void everything_changes(struct kunit *test)
{
	struct storm *s = new_storm(test, true);

	rage(test, s, change_all);
	KUNIT_EXPECT_LE(test, atomic_read(&s->stay->pre), atomic_read(&s->calls));
	/* If pre- and post-handlers have a frame each, a change in between is possible. */
	KUNIT_EXPECT_LE(test, atomic_read(&s->stay->post),
			atomic_read(&s->stay->pre) + CALLERS * s->changes);
	KUNIT_EXPECT_EQ(test, s->stay->kp.nmissed, 0);
	wait_for_kprobe_optimizer();
	kprobes_expect_mechanism(test, s->stay, KPROBE_JUMP, "after the storm");
}

static struct kunit_case storm_cases[] = {
	KUNIT_CASE(books_balance_pre),
	KUNIT_CASE_PARAM(books_balance_post, target_gen_params),
	KUNIT_CASE_PARAM(everything_changes, target_gen_params),
	{}
};

static struct kunit_suite storm_suite = {
	.name = "kprobes_optimize_storm",
	.test_cases = storm_cases,
};

kunit_test_suite(storm_suite);

MODULE_DESCRIPTION("KUnit tests of points that change while they are hit");
MODULE_LICENSE("GPL");
