// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of return probes on the functions of spin locks, whose handlers take spin locks, too.
 * Tools ban these functions because machines have locked up.
 */
#include <kunit/test.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "targets.h"

#define TASKS	4

/*
 * One a CPU: with a single one, CPUs that an emulator runs in turns would wait in line at a ticket
 * lock, each until its turn is over, and an interrupt's many hits would never come to an end.
 */
static DEFINE_PER_CPU(raw_spinlock_t, handlers_lock) = __RAW_SPIN_LOCK_UNLOCKED(handlers_lock);
static DEFINE_SPINLOCK(tasks_lock);

/**
 * struct rush - a task that takes a lock again and again
 * @work: for it
 * @end:  when it stops
 * @sum:  what all of them have added up to, under tasks_lock
 * @mine: what this one has added
 */
struct rush {
	struct work_struct work;
	unsigned long end;
	unsigned long *sum;
	unsigned long mine;
};

static void lock_again_and_again(struct work_struct *work)
{
	struct rush *rush = container_of(work, struct rush, work);
	unsigned long flags;

	do {
		spin_lock(&tasks_lock);
		++*rush->sum;
		spin_unlock(&tasks_lock);
		spin_lock_irqsave(&tasks_lock, flags);
		++*rush->sum;
		spin_unlock_irqrestore(&tasks_lock, flags);
		rush->mine += 2;
		cond_resched();
	} while (time_before(jiffies, rush->end));
}

/* The same functions as the probed ones, on all CPUs: their hits are missed. */
static int take_lock(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	raw_spinlock_t *lock = raw_cpu_ptr(&handlers_lock);
	unsigned long flags;

	raw_spin_lock_irqsave(lock, flags);
	raw_spin_unlock_irqrestore(lock, flags);
	return 0;
}

/* Does the lock keep the tasks apart while they are probed? */
static void expect_rush(struct kunit *test)
{
	struct rush *rush = kunit_kcalloc(test, TASKS, sizeof(*rush), GFP_KERNEL);
	unsigned long sum = 0, wanted = 0;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, rush);
	for (i = 0; i < TASKS; i++) {
		rush[i].sum = &sum;
		rush[i].end = jiffies + HZ / 5;
		INIT_WORK(&rush[i].work, lock_again_and_again);
		queue_work(system_unbound_wq, &rush[i].work);
	}
	for (i = 0; i < TASKS; i++) {
		flush_work(&rush[i].work);
		wanted += rush[i].mine;
	}
	KUNIT_EXPECT_GT(test, sum, 0UL);
	KUNIT_EXPECT_EQ(test, sum, wanted);
}

static const struct lock_function {
	const char *symbol;
	bool contended;		/* called only if the lock is taken */
	bool in_handler;	/* called by take_lock() */
} functions[] = {
	{ "_raw_spin_lock" },
	{ "_raw_spin_lock_irqsave", false, true },
	{ "_raw_spin_unlock_irqrestore", false, true },
	{ "queued_spin_lock_slowpath", true },
	{ "native_queued_spin_lock_slowpath", true },
};

static void function_name(const struct lock_function *f, char *desc)
{
	strscpy(desc, f->symbol, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(function, functions, function_name);

static void lock_is_taken(struct kunit *test)
{
	const struct lock_function *f = test->param_value;
	struct kprobes_returns *r;

	if (!kprobe_lookup_name(f->symbol, 0))
		kunit_skip(test, "the kernel has no such function");
	r = kprobes_returns(test, f->symbol);
	r->in_entry = take_lock;
	r->in_return = take_lock;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	expect_rush(test);
	unregister_kretprobe(&r->rp);
	KUNIT_EXPECT_LE(test, atomic_read(&r->returns), atomic_read(&r->entries));
	if (!f->contended)
		KUNIT_EXPECT_GT(test, atomic_read(&r->returns), 0);
	if (f->in_handler)
		KUNIT_EXPECT_GE(test, r->rp.kp.nmissed, (unsigned long)atomic_read(&r->entries));
	expect_rush(test);
}

static struct kunit_case lock_cases[] = {
	KUNIT_CASE_PARAM(lock_is_taken, function_gen_params),
	{}
};

static struct kunit_suite lock_suite = {
	.name = "kprobes_return_lock",
	.test_cases = lock_cases,
};

kunit_test_suite(lock_suite);

MODULE_DESCRIPTION("KUnit tests of kprobes: return probes on spin locks");
MODULE_LICENSE("GPL");
