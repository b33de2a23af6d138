// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Common code of the suites: threads that do something meanwhile, and waiting for them.
 */
#include <kunit/test.h>
#include <linux/kallsyms.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/stacktrace.h>

#include "waits.h"

/* Waits until a task is asleep, and not merely about to be. */
bool kprobes_sleeps(struct task_struct *task)
{
	return kprobes_comes_true(wait_task_inactive(task, TASK_UNINTERRUPTIBLE));
}

/*
 * Is a function in the reliable stack trace of a task that does not run? If there is no such trace,
 * an error.
 */
int kprobes_reliably_in(struct task_struct *task, const char *symbol)
{
	unsigned long start = kallsyms_lookup_name(symbol), size, offset;
	unsigned long entries[64];
	int i, nr;

	nr = stack_trace_save_tsk_reliable(task, entries, ARRAY_SIZE(entries));
	if (nr < 0 || !kallsyms_lookup_size_offset(start, &size, &offset))
		return nr;
	for (i = 0; i < nr; i++)
		if (entries[i] >= start && entries[i] < start + size)
			return 1;
	return 0;
}

static void put_thread(void *task)
{
	put_task_struct(task);
}

/* Starts a thread whose task_struct stays until the test ends. */
struct task_struct *kprobes_start_thread(struct kunit *test, int (*fn)(void *data), void *data,
					 unsigned int cpu, const char *name)
{
	struct task_struct *task = kthread_create(fn, data, "%s", name);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
	kthread_bind(task, cpu);
	get_task_struct(task);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, put_thread, task));
	wake_up_process(task);
	return task;
}

/* Runs a function that does not return from a thread, and waits until the thread is dead. */
struct task_struct *kprobes_let_die(struct kunit *test, int (*fn)(void *data), void *data,
				    unsigned int cpu)
{
	struct task_struct *task = kprobes_start_thread(test, fn, data, cpu, "kprobes_mortal");

	KPROBES_EXPECT_SOON(test, READ_ONCE(task->exit_state));
	return task;
}

static int wait_and_do(void *data)
{
	struct kprobes_other *o = data;

	if (!kprobes_comes_true(READ_ONCE(o->go) || kthread_should_stop()) || !READ_ONCE(o->go))
		return -ETIMEDOUT;
	WRITE_ONCE(o->begun, true);
	o->fn(o->data);
	WRITE_ONCE(o->done, true);
	return 0;
}

/* Waits until it sleeps in what it does. */
bool kprobes_waits(const struct kprobes_other *other)
{
	return kprobes_comes_true(READ_ONCE(other->begun)) && kprobes_sleeps(other->task);
}

/* Waits until it has done what it was told to; may be called twice. */
void kprobes_end_other(struct kprobes_other *other)
{
	if (other->task)
		kthread_stop(other->task);
	other->task = NULL;
}

static void end_other(void *other)
{
	kprobes_end_other(other);
}

/* Nothing is done until @go is set. The end of the test waits for it. */
struct kprobes_other *kprobes_other(struct kunit *test, void (*fn)(void *data), void *data,
				    unsigned int cpu)
{
	struct kprobes_other *o = kunit_kzalloc(test, sizeof(*o), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, o);
	o->fn = fn;
	o->data = data;
	o->task = kprobes_start_thread(test, wait_and_do, o, cpu, "kprobes_other");
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, end_other, o));
	return o;
}

/*
 * An RCU reader, and others that may hold up RCU, give up before it complains of a stall.
 */
static int stay(void *data)
{
	struct kprobes_hog *hog = data;
	u64 us = hog->kind == KPROBES_HOG ? KPROBES_PATIENCE : KPROBES_SPIN_PATIENCE;
	ktime_t end = ktime_add_us(ktime_get(), us);

	if (hog->kind == KPROBES_HOG_ATOMIC)
		preempt_disable();
	else if (hog->kind == KPROBES_HOG_READER)
		rcu_read_lock();
	WRITE_ONCE(hog->on, true);
	while (!READ_ONCE(hog->release) && ktime_before(ktime_get(), end))
		kprobes_spin(5);
	WRITE_ONCE(hog->gave_up, !READ_ONCE(hog->release));
	if (hog->kind == KPROBES_HOG_ATOMIC)
		preempt_enable();
	else if (hog->kind == KPROBES_HOG_READER)
		rcu_read_unlock();
	return 0;
}

static void release(void *data)
{
	struct kprobes_hog *hog = data;

	WRITE_ONCE(hog->release, true);
	if (hog->task)
		kthread_stop(hog->task);
	hog->task = NULL;
}

/* Ends it; may be called twice. */
void kprobes_release(struct kunit *test, struct kprobes_hog *hog)
{
	release(hog);
	KUNIT_EXPECT_FALSE(test, hog->gave_up);
}

/* Returns when the thread runs. The end of the test releases it. */
struct kprobes_hog *kprobes_hog(struct kunit *test, enum kprobes_hog_kind kind, unsigned int cpu)
{
	struct kprobes_hog *hog = kunit_kzalloc(test, sizeof(*hog), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, hog);
	hog->kind = kind;
	hog->task = kprobes_start_thread(test, stay, hog, cpu, "kprobes_hog");
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, release, hog));
	KPROBES_ASSERT_SOON(test, READ_ONCE(hog->on));
	return hog;
}
