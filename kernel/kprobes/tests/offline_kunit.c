// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of hits on CPUs that RCU does not know, as they come up or go down: no handler runs there.
 */
#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/kprobes.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "../hit.h"
#include "targets.h"

static int check_rcu(struct kprobe *p, struct pt_regs *regs)
{
	if (!rcu_lockdep_current_cpu_online())
		kprobes_counter_of(p)->data = p;
	return 0;
}

static void do_nothing(void *unused)
{
}

static long call_first_cpu(void *unused)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);

	return smp_call_function_single(cpu, do_nothing, NULL, true);
}

/* What a CPU that goes offline calls after RCU was told, and others at any time. */
static void misses_while_offline(struct kunit *test)
{
	static const struct kprobes_place place = { .symbol = "smp_call_function_single" };
	struct kprobes_counter *c = kprobes_counter(test, &place);
	unsigned long calls, missed;
	unsigned int cpu = kprobes_cpu_to_stop(test);

	c->in_pre = check_rcu;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	wait_for_kprobe_optimizer();
	KUNIT_ASSERT_EQ(test, 0, remove_cpu(cpu));
	KUNIT_EXPECT_EQ(test, 0, add_cpu(cpu));
	/* Once when it goes. Some configurations call it before RCU is told that it comes, too. */
	missed = kprobes_misses(&c->kp, KPROBE_MISS_OFFLINE);
	KUNIT_EXPECT_GE(test, missed, 1);
	KUNIT_EXPECT_EQ(test, c->kp.nmissed, missed);
	KUNIT_EXPECT_NULL(test, c->data);
	/* The CPU is as any other when it is back. */
	calls = atomic_read(&c->pre);
	KUNIT_EXPECT_EQ(test, 0, work_on_cpu(cpu, call_first_cpu, NULL));
	KUNIT_EXPECT_GT(test, atomic_read(&c->pre), calls);
	KUNIT_EXPECT_EQ(test, c->kp.nmissed, missed);
}

/* Asks for another probe to be enabled, where irq_work is not served any more. */
static int enable_other(struct kprobe *p, struct pt_regs *regs)
{
	struct kprobe *other = kprobes_counter_of(p)->data;

	if (!cpu_online(raw_smp_processor_id()))
		enable_kprobe(other);
	return 0;
}

static void request_is_served(struct kunit *test)
{
	static const struct kprobes_place place = { .symbol = "rcutree_dying_cpu" };
	struct kprobes_counter *other = kprobes_counter(test, kprobes_place(0));
	struct kprobes_counter *c = kprobes_counter(test, &place);
	unsigned int cpu = kprobes_cpu_to_stop(test);

	other->kp.flags = KPROBE_FLAG_DISABLED;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&other->kp));
	c->data = &other->kp;
	c->in_pre = enable_other;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	KUNIT_ASSERT_EQ(test, 0, remove_cpu(cpu));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&c->pre));
	/* Before the CPU comes back. */
	wait_for_kprobe_optimizer();
	kprobes_expect_targets(test, 1);
	kprobes_expect_counts(test, other, 1, 1);
	KUNIT_EXPECT_EQ(test, 0, add_cpu(cpu));
}

static struct kunit_case offline_cases[] = {
	KUNIT_CASE(misses_while_offline),
	KUNIT_CASE(request_is_served),
	{}
};

static struct kunit_suite offline_suite = {
	.name = "kprobes_offline",
	.test_cases = offline_cases,
};

kunit_test_suite(offline_suite);
