// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of how long a probe stays that get_kprobe() has found.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/sched/task.h>

#include "targets.h"

/* How long the probe is used while another CPU unregisters it. */
#define LOOK_MS	100

static struct kprobes_counter *counter;
static bool ready, start, done;

static int take_off(void *unused)
{
	WRITE_ONCE(ready, true);
	while (!READ_ONCE(start))
		usleep_range(100, 200);
	unregister_kprobe(&counter->kp);
	WRITE_ONCE(done, true);
	return 0;
}

static struct task_struct *start_other(struct kunit *test)
{
	struct task_struct *task;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	ready = false;
	start = false;
	done = false;
	counter = kprobes_counting(test, kprobes_place_named(KPROBES_PLACE_C));
	set_cpus_allowed_ptr(current, cpumask_of(0));
	task = kthread_create_on_cpu(take_off, NULL, cpumask_last(cpu_online_mask),
				     "kprobes_take_off");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	wake_up_process(task);
	/* A kthread that is stopped before it has begun never calls its function. */
	while (!READ_ONCE(ready))
		msleep(20);
	return task;
}

static void end_other(struct kunit *test, struct task_struct *task, void *addr)
{
	kthread_stop_put(task);
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	KUNIT_EXPECT_TRUE(test, done);
	KUNIT_EXPECT_NULL(test, get_kprobe(addr));
}

/* While interrupts are disabled here, unregistering does not return. */
static void interrupts_pin_probe(struct kunit *test)
{
	struct task_struct *task = start_other(test);
	struct kprobe *p, *expected = &counter->kp;
	void *addr = counter->kp.addr;
	bool taken;

	local_irq_disable();
	p = get_kprobe(addr);
	WRITE_ONCE(start, true);
	kprobes_spin(LOOK_MS * USEC_PER_MSEC);
	taken = READ_ONCE(done);
	local_irq_enable();
	end_other(test, task, addr);
	KUNIT_EXPECT_PTR_EQ(test, p, expected);
	KUNIT_EXPECT_FALSE(test, taken);
}

/* While only preemption is disabled, it does return. */
static void preemption_pins_nothing(struct kunit *test)
{
	struct task_struct *task = start_other(test);
	void *addr = counter->kp.addr;
	int patience = 5000;
	bool found, taken;

	preempt_disable();
	found = get_kprobe(addr);
	WRITE_ONCE(start, true);
	while (!READ_ONCE(done) && patience--)
		kprobes_spin(1000);
	taken = READ_ONCE(done);
	preempt_enable();
	end_other(test, task, addr);
	KUNIT_EXPECT_TRUE(test, found);
	KUNIT_EXPECT_TRUE(test, taken);
}

static struct kunit_case get_cases[] = {
	KUNIT_CASE(interrupts_pin_probe),
	KUNIT_CASE(preemption_pins_nothing),
	{}
};

static struct kunit_suite get_suite = {
	.name = "kprobes_get",
	.test_cases = get_cases,
};

kunit_test_suite(get_suite);
