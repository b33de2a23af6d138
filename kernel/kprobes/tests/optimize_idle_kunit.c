// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of hits where RCU is not watching, as in the idle loop: handlers run all the same,
 * and RCU watches while they do, whatever calls them.
 */
#include <linux/cpuidle.h>
#include <linux/kprobe_arch.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "../table.h"
#include "entry.h"
#include "optimized.h"

/**
 * struct seen - what handlers have found
 * @handlers: how many there were
 * @watched:  in how many of them RCU was watching
 * @irqs_on:  in how many interrupts were enabled
 * @count:    preempt_count() of the last one
 */
struct seen {
	int handlers;
	int watched;
	int irqs_on;
	int count;
};

/* No other test runs meanwhile. */
static struct seen seen;
static DEFINE_RAW_SPINLOCK(lock);

/* With lockdep, both the lock and RCU complain if the context is not what it seems. */
static void look_around(void)
{
	seen.handlers++;
	seen.watched += rcu_is_watching();
	seen.irqs_on += !irqs_disabled();
	seen.count = preempt_count();
	rcu_read_lock();
	raw_spin_lock(&lock);
	raw_spin_unlock(&lock);
	rcu_read_unlock();
}

/**
 * enum how - what is called in the idle loop
 * @PLAIN:     kprobes_opt_plain(), which is hit in the test's way
 * @BY_FTRACE: a function where ftrace leads to the probe at its entry
 * @IN_TRAP:   what the trap of kprobes_opt_plain() calls, as if the trap did not have RCU watch
 */
enum how {
	PLAIN,
	BY_FTRACE,
	IN_TRAP,
};

/* Of that trap. */
static struct pt_regs regs;

/**
 * struct after - what a call in the idle loop has left behind
 * @how:       of what
 * @result:    what it has returned
 * @count:     preempt_count() before
 * @watched:   RCU was watching after it
 * @irqs_on:   interrupts were enabled after it
 */
struct after {
	enum how how;
	int result;
	int count;
	bool watched;
	bool irqs_on;
};

/* The functions are written in assembly, so nothing is instrumented but by the probe. */
static __always_inline int call(enum how how)
{
#ifdef CONFIG_KPROBES_ON_FTRACE
	if (how == BY_FTRACE)
		return kprobes_entry_target(14);
#endif
	if (how == IN_TRAP)
		return kprobe_breakpoint_hit(instruction_pointer(&regs), &regs, 0);
	return kprobes_opt_plain(5);
}

static noinstr void call_in_idle(struct after *after)
{
	instrumentation_begin();
	ct_cpuidle_enter();
	instrumentation_begin();
	after->result = call(after->how);
	instrumentation_end();
	after->watched = kprobe_rcu_is_watching();
	after->irqs_on = !raw_irqs_disabled();
	ct_cpuidle_exit();
	instrumentation_end();
}

/* A task that takes the idle task's place is one of these: play_idle_precise(). */
static void call_as_idle_task(struct after *after)
{
	unsigned long flags;

	preempt_disable();
	local_irq_save(flags);
	current->flags |= PF_IDLE;
	after->count = preempt_count();
	call_in_idle(after);
	current->flags &= ~PF_IDLE;
	local_irq_restore(flags);
	preempt_enable();
}

static void expect_handlers_by(struct kunit *test, enum how how, int handlers, int entered)
{
	struct after after = { .how = how };

	seen = (struct seen){ };
	call_as_idle_task(&after);
	KUNIT_EXPECT_EQ(test, how == IN_TRAP ? 1 : 15, after.result);
	KUNIT_EXPECT_FALSE(test, after.watched);
	KUNIT_EXPECT_FALSE(test, after.irqs_on);
	KUNIT_EXPECT_TRUE(test, rcu_is_watching());
	KUNIT_EXPECT_FALSE(test, irqs_disabled());
	KUNIT_EXPECT_EQ(test, handlers, seen.handlers);
	KUNIT_EXPECT_EQ(test, handlers, seen.watched);
	KUNIT_EXPECT_EQ(test, 0, seen.irqs_on);
	if (entered >= 0 && IS_ENABLED(CONFIG_PREEMPT_COUNT))
		KUNIT_EXPECT_EQ(test, after.count + entered, seen.count);
}

static void expect_handlers(struct kunit *test, int handlers, int entered)
{
	expect_handlers_by(test, PLAIN, handlers, entered);
}

/* By how much a jump raises the preemption count. A trap may count as an NMI. */
static int entered_by(struct kunit *test)
{
	return kprobes_way_of(test) == KPROBES_BY_TRAP ? -1 : 1;
}

static void need_idle(struct kunit *test)
{
#ifdef ARCH_KPROBE_RCU_WATCHES
	kunit_skip(test, "no code that can be probed is executed without RCU");
#endif
	if (!IS_ENABLED(CONFIG_CONTEXT_TRACKING_IDLE))
		kunit_skip(test, "RCU watches always");
}

static void hit_in_idle(struct kunit *test, bool post)
{
	struct kprobes_counter *c;

	need_idle(test);
	c = kprobes_looking(test, look_around, post);
	expect_handlers(test, 1 + post, entered_by(test));
	kprobes_expect_counts(test, c, 1, post);
	KUNIT_EXPECT_EQ(test, 0, c->kp.nmissed);
}

static void idle_in_pre(struct kunit *test)
{
	hit_in_idle(test, false);
}

static void idle_in_post(struct kunit *test)
{
	hit_in_idle(test, true);
}

#ifdef CONFIG_KRETPROBES
static void idle_in_return(struct kunit *test)
{
	struct kprobes_returns *r;

	need_idle(test);
	r = kprobes_looking_return(test, look_around);
	/* The last handler is that of the return. */
	expect_handlers(test, 2, 1);
	KUNIT_EXPECT_EQ(test, 0, r->rp.nmissed);
}
#endif

/* The entry code of some architectures does not have RCU watch. */
static void idle_in_old_trap(struct kunit *test)
{
	struct kprobe_point *point;
	struct kprobes_counter *c;

	need_idle(test);
	c = kprobes_looking(test, look_around, false);
	scoped_guard(mutex, &kprobe_mutex)
		point = kprobe_point_lookup((unsigned long)c->kp.addr);
	instruction_pointer_set(&regs, point->site);
	expect_handlers_by(test, IN_TRAP, 1, 1);
	KUNIT_EXPECT_PTR_EQ(test, point->route->run, (void *)instruction_pointer(&regs));
	kprobes_expect_counts(test, c, 1, 0);
}

#ifdef CONFIG_KPROBES_ON_FTRACE
static void idle_by_ftrace(struct kunit *test)
{
	struct kprobes_counter *c;

	need_idle(test);
	kprobes_entry_clear();
	kprobes_by_ftrace(test);
	c = kprobes_counter(test, &kprobes_entry_place);
	kprobes_look(c, look_around);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	wait_for_kprobe_optimizer();
	KUNIT_ASSERT_TRUE(test, c->kp.flags & KPROBE_FLAG_FTRACE);
	expect_handlers_by(test, BY_FTRACE, 2, 1);
	kprobes_expect_counts(test, c, 1, 1);
}
#endif

static struct kunit_case idle_cases[] = {
	KPROBES_CASE_WAYS(idle_in_pre),
	KPROBES_CASE_WAYS(idle_in_post),
	KPROBES_CASE_WAYS(idle_in_old_trap),
#ifdef CONFIG_KRETPROBES
	KPROBES_CASE_WAYS(idle_in_return),
#endif
	{}
};

static struct kunit_suite idle_suite = {
	.name = "kprobes_optimize_idle",
	.init = kprobes_way_init,
	.exit = kprobes_way_exit,
	.test_cases = idle_cases,
};

kunit_test_suite(idle_suite);

#ifdef CONFIG_KPROBES_ON_FTRACE
static struct kunit_case entry_cases[] = {
	KUNIT_CASE(idle_by_ftrace),
	{}
};

static struct kunit_suite entry_suite = {
	.name = "kprobes_entry_idle",
	.test_cases = entry_cases,
};

kunit_test_suite(entry_suite);
#endif

MODULE_DESCRIPTION("KUnit tests of hits where RCU is not watching");
MODULE_LICENSE("GPL");
