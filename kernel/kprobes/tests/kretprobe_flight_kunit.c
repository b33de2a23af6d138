// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of return probes with calls in flight that return after the return probe was
 * unregistered, or never.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>

#include "../kretprobe_pool.h"
#include "targets.h"
#include "waits.h"

/* Calls that sleep */

struct sleeper {
	const struct kprobes_caller *caller;
	struct completion inside;
	struct completion release;
	struct completion done;
	int result;
};

static int sleep_inside(void *arg)
{
	struct sleeper *s = arg;

	complete(&s->inside);
	wait_for_completion(&s->release);
	return 41;
}

static int sleeper_thread(void *arg)
{
	struct sleeper *s = arg;

	s->result = s->caller->call(sleep_inside, s);
	complete_all(&s->done);
	return 0;
}

static void wake(void *arg)
{
	struct sleeper *s = arg;

	complete_all(&s->release);
	wait_for_completion(&s->done);
}

/* Starts a thread and waits until it sleeps in the probed function. */
static struct sleeper *put_to_sleep(struct kunit *test)
{
	struct sleeper *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	struct task_struct *task;

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->caller = test->param_value;
	init_completion(&s->inside);
	init_completion(&s->release);
	init_completion(&s->done);
	task = kthread_run(sleeper_thread, s, "kprobes_sleeper");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, wake, s));
	wait_for_completion(&s->inside);
	return s;
}

#define SLEEPERS	64

/*
 * With PREEMPT_RT a thread asks for more instances, late if the machine is busy. Where a CPU cannot
 * interrupt itself, the next tick does.
 */
static void wait_for_room(struct kprobes_returns *r, unsigned int used)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT) || !arch_irq_work_has_interrupt())
		kprobes_comes_true(READ_ONCE(r->rp.pool->size) > used);
}

static void expect_growth(struct kunit *test, struct kprobes_returns *r)
{
	struct sleeper **s;
	int i;

	KUNIT_ASSERT_LT(test, r->rp.maxactive, SLEEPERS);
	s = kunit_kcalloc(test, SLEEPERS, sizeof(*s), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, s);
	for (i = 0; i < SLEEPERS; i++) {
		s[i] = put_to_sleep(test);
		wait_for_room(r, i + 1);
	}
	kprobes_expect_returns(test, r, SLEEPERS, 0);
	for (i = 0; i < SLEEPERS; i++) {
		wake(s[i]);
		KUNIT_EXPECT_EQ(test, s[i]->result, 42);
	}
	kprobes_expect_returns(test, r, SLEEPERS, SLEEPERS);
}

static void default_pool_grows(struct kunit *test)
{
	expect_growth(test, kprobes_caller_returning(test));
}

#define TURNS	256

/* Of many calls the two longest end, and two others begin: the pool has no need to grow. */
static void default_pool_stays(struct kunit *test)
{
	struct kprobes_returns *r = kprobes_caller_returns(test);
	struct sleeper **s;
	unsigned int i;

	/* A few instances are added at a time. */
	r->rp.data_size = 4096;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	s = kunit_kcalloc(test, SLEEPERS, sizeof(*s), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, s);
	for (i = 0; i < SLEEPERS; i++) {
		s[i] = put_to_sleep(test);
		wait_for_room(r, i + 1);
	}
	for (i = 0; i < TURNS; i += 2) {
		wake(s[i % SLEEPERS]);
		wake(s[i % SLEEPERS + 1]);
		s[i % SLEEPERS] = put_to_sleep(test);
		s[i % SLEEPERS + 1] = put_to_sleep(test);
	}
	KUNIT_EXPECT_LT(test, r->rp.pool->size, 2 * SLEEPERS);
	KUNIT_EXPECT_EQ(test, r->rp.nmissed, 0);
}

/* More than the bits of two words stand for. */
#define MANY_SLEEPERS	(2 * BITS_PER_LONG + 1)

/* All instances of a large pool are used, by one call each, and a second time. */
static void all_of_many_are_used(struct kunit *test)
{
	struct kprobes_returns *r = kprobes_caller_returns(test);
	struct sleeper *s[MANY_SLEEPERS + 2];
	int round, i;

	r->rp.maxactive = MANY_SLEEPERS;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	for (round = 1; round <= 2; round++) {
		for (i = 0; i < ARRAY_SIZE(s); i++)
			s[i] = put_to_sleep(test);
		KUNIT_EXPECT_EQ(test, r->rp.nmissed, 2 * round);
		for (i = 0; i < ARRAY_SIZE(s); i++)
			wake(s[i]);
		KUNIT_EXPECT_EQ(test, atomic_read(&r->entries), round * MANY_SLEEPERS);
		KUNIT_EXPECT_EQ(test, atomic_read(&r->returns), round * MANY_SLEEPERS);
	}
}

/* Calls of a function inside itself */

struct nest {
	const struct kprobes_caller *caller;
	unsigned int deeper;
	bool stays;
	bool inside;
	bool release;
};

static int call_deeper(void *arg)
{
	struct nest *nest = arg;

	if (nest->deeper) {
		nest->deeper--;
		nest->caller->call(call_deeper, nest);
	} else if (nest->stays) {
		WRITE_ONCE(nest->inside, true);
		kprobes_spins_until(READ_ONCE(nest->release));
	}
	return 41;
}

static void call_without_interrupts(void *arg)
{
	struct nest *nest = arg;

	guard(irqsave)();
	nest->caller->call(call_deeper, nest);
}

/*
 * A CPU that has its interrupts disabled finds the pool nearly empty first, and cannot have it
 * grow. Another one must. A CPU looks how many are left before it takes one: the last call but
 * one of the pool finds a quarter of them.
 */
static void default_pool_grows_elsewhere(struct kunit *test)
{
	struct nest here = { .caller = test->param_value, .deeper = SLEEPERS - 1 };
	struct nest there = { .caller = test->param_value, .stays = true };
	unsigned int cpu = kprobes_leave_cpu(test);
	struct kprobes_returns *r = kprobes_caller_returning(test);
	struct kprobes_other *other;

	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		kunit_skip(test, "a task makes the pool grow");
	if (!arch_irq_work_has_interrupt())
		kunit_skip(test, "the next tick makes the pool grow");
	there.deeper = r->rp.maxactive - 2;
	other = kprobes_other(test, call_without_interrupts, &there, cpu);
	WRITE_ONCE(other->go, true);
	KPROBES_EXPECT_SOON(test, READ_ONCE(there.inside));
	here.caller->call(call_deeper, &here);
	WRITE_ONCE(there.release, true);
	kprobes_end_other(other);
	KUNIT_EXPECT_EQ(test, r->rp.nmissed, 0);
	kprobes_expect_returns(test, r, r->rp.maxactive - 1 + SLEEPERS,
			       r->rp.maxactive - 1 + SLEEPERS);
}

/* As trace events do when their module comes again: the number is the one written back. */
static void default_pool_grows_again(struct kunit *test)
{
	struct kprobes_returns *r = kprobes_caller_returning(test);

	unregister_kretprobe(&r->rp);
	r->rp.kp.addr = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	expect_growth(test, r);
}

/* A call that is refused leaves the default behind as well. */
static void default_pool_grows_later(struct kunit *test)
{
	struct kprobes_returns *r = kprobes_caller_returns(test);
	struct kretprobe nowhere = { .kp.symbol_name = "kprobes_no_such_function" };
	struct kretprobe *both[] = { &r->rp, &nowhere };

	KUNIT_ASSERT_EQ(test, -ENOENT, register_kretprobes(both, ARRAY_SIZE(both)));
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	expect_growth(test, r);
}

static int remember(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	*(struct kretprobe_instance **)kprobes_returns_of(ri)->data = ri;
	return 0;
}

static void unregister_in_flight(struct kunit *test)
{
	struct kprobes_returns *other = kprobes_caller_returns(test);
	struct kprobes_returns *r = kprobes_caller_returns(test);
	struct kretprobe_instance *ri = NULL;
	struct kretprobe_pool *pool;
	struct sleeper *s;

	r->in_entry = remember;
	r->data = &ri;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&other->rp));
	s = put_to_sleep(test);
	KUNIT_ASSERT_NOT_NULL(test, ri);
	KUNIT_EXPECT_PTR_EQ(test, get_kretprobe(ri), &r->rp);
	r->in_entry = NULL;
	KUNIT_EXPECT_EQ(test, 42, kprobes_call_41(test->param_value));

	pool = r->rp.pool;
	unregister_kretprobe(&r->rp);
	KUNIT_EXPECT_NULL(test, get_kretprobe(ri));
	/* The pool lives on for this call alone. */
	KUNIT_EXPECT_EQ(test, refcount_read(&pool->ref), 1);
	/* The probe may now be used for something else, or freed. */
	memset(&r->rp, 0x5a, sizeof(r->rp));
	wake(s);
	KUNIT_EXPECT_EQ(test, s->result, 42);
	KUNIT_EXPECT_EQ(test, atomic_read(&r->returns), 1);
	kprobes_expect_returns(test, other, 2, 2);
}

static void register_again_in_flight(struct kunit *test)
{
	struct kprobes_returns *r = kprobes_caller_returning(test);
	struct sleeper *s = put_to_sleep(test);

	unregister_kretprobe(&r->rp);
	r->rp.kp.addr = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	KUNIT_EXPECT_EQ(test, 42, kprobes_call_41(test->param_value));
	wake(s);
	KUNIT_EXPECT_EQ(test, s->result, 42);
	kprobes_expect_returns(test, r, 2, 1);
}

static void disable_in_flight(struct kunit *test)
{
	struct kprobes_returns *r = kprobes_caller_returning(test);
	struct sleeper *s = put_to_sleep(test);

	KUNIT_EXPECT_EQ(test, 0, disable_kretprobe(&r->rp));
	KUNIT_EXPECT_EQ(test, 42, kprobes_call_41(test->param_value));
	wake(s);
	KUNIT_EXPECT_EQ(test, s->result, 42);
	kprobes_expect_returns(test, r, 1, 1);
}

static void several_in_flight(struct kunit *test)
{
	struct kprobes_returns *r[3];
	struct sleeper *s;
	int i, gone;

	for (gone = 0; gone < 3; gone++) {
		for (i = 0; i < 3; i++)
			r[i] = kprobes_caller_returning(test);
		s = put_to_sleep(test);
		unregister_kretprobe(&r[gone]->rp);
		wake(s);
		KUNIT_EXPECT_EQ(test, s->result, 42);
		for (i = 0; i < 3; i++) {
			kprobes_expect_returns(test, r[i], 1, i != gone);
			unregister_kretprobe(&r[i]->rp);
		}
	}
}

/* Calls that never return */

static int die_inside(void *arg)
{
	kthread_complete_and_exit(arg, 0);
}

static int dying_thread(void *arg)
{
	const struct kprobes_caller *caller = ((void **)arg)[0];

	return caller->call(die_inside, ((void **)arg)[1]);
}

static void let_die(struct kunit *test)
{
	DECLARE_COMPLETION_ONSTACK(dead);
	void *args[] = { (void *)test->param_value, &dead };
	struct task_struct *task;

	task = kthread_run(dying_thread, args, "kprobes_dying");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	wait_for_completion(&dead);
}

/* Calls until one is seen again, and returns how many were missed. */
static int call_until_seen(struct kunit *test, struct kprobes_returns *r)
{
	int before = atomic_read(&r->returns);
	int missed;

	for (missed = 0; missed < 250; missed++) {
		KUNIT_EXPECT_EQ(test, 42, kprobes_call_41(test->param_value));
		if (atomic_read(&r->returns) != before)
			break;
		msleep(20);
	}
	return missed;
}

/* The only instance is taken back when the task is freed. */
static void dead_tasks_give_back(struct kunit *test)
{
	struct kprobes_returns *r = kprobes_caller_returns(test);
	int round, missed = 0;

	r->rp.maxactive = 1;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	for (round = 1; round <= 3; round++) {
		let_die(test);
		missed += call_until_seen(test, r);
		KUNIT_ASSERT_EQ(test, atomic_read(&r->entries), 2 * round);
		KUNIT_EXPECT_EQ(test, atomic_read(&r->returns), round);
		KUNIT_EXPECT_EQ(test, r->rp.nmissed, missed);
	}
}

static void unregister_before_death(struct kunit *test)
{
	struct kprobes_returns *r = kprobes_caller_returning(test);

	let_die(test);
	unregister_kretprobe(&r->rp);
	kprobes_expect_returns(test, r, 1, 0);
	KUNIT_EXPECT_EQ(test, 42, kprobes_call_41(test->param_value));
}

static struct kunit_case flight_cases[] = {
	KPROBES_CASE_CALLERS(default_pool_grows),
	KPROBES_CASE_CALLERS(default_pool_grows_again),
	KPROBES_CASE_CALLERS(default_pool_grows_later),
	KPROBES_CASE_CALLERS(default_pool_grows_elsewhere),
	KPROBES_CASE_CALLERS(default_pool_stays),
	KPROBES_CASE_CALLERS(all_of_many_are_used),
	KPROBES_CASE_CALLERS(unregister_in_flight),
	KPROBES_CASE_CALLERS(register_again_in_flight),
	KPROBES_CASE_CALLERS(disable_in_flight),
	KPROBES_CASE_CALLERS(several_in_flight),
	KPROBES_CASE_CALLERS(dead_tasks_give_back),
	KPROBES_CASE_CALLERS(unregister_before_death),
	{}
};

static struct kunit_suite flight_suite = {
	.name = "kprobes_return_flight",
	.test_cases = flight_cases,
};

kunit_test_suite(flight_suite);
