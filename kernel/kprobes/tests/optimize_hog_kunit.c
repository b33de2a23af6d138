// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A task that runs without sleeping delays Tasks RCU, and with it points that will
 * become jumps. It must delay nothing else: an operation that waited for Tasks RCU here
 * would wait until the task gives up.
 */
#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/jump_label.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>

#include "../mechanism.h"
#include "../point.h"
#include "optimized.h"

/* Runs on the last CPU, as tests take others offline. */
static struct kprobes_hog *start_hog(struct kunit *test)
{
	return kprobes_hog(test, KPROBES_HOG, cpumask_last(cpu_online_mask));
}

static bool is_optimizing(struct kprobe *p)
{
	guard(mutex)(&kprobe_mutex);
	return kprobe_point_is_optimizing(p->point);
}

static void take_off(void *p)
{
	unregister_kprobe(p);
}

/* A probe whose point stays optimizing as long as the hog runs. */
static struct kprobe *start_settling(struct kunit *test)
{
	struct kprobe *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	p->addr = (kprobe_opcode_t *)kprobes_opt_plain;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(p));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, take_off, p));
	KPROBES_ASSERT_SOON(test, is_optimizing(p));
	return p;
}

static void registers(struct kunit *test)
{
	struct kprobe p = { .symbol_name = "schedule_timeout" };

	KUNIT_EXPECT_EQ(test, 0, register_kprobe(&p));
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&p));
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&p));
	unregister_kprobe(&p);
}

static DEFINE_STATIC_KEY_FALSE(hog_key);

static void flips_static_key(struct kunit *test)
{
	static_branch_enable(&hog_key);
	KUNIT_EXPECT_TRUE(test, static_branch_unlikely(&hog_key));
	static_branch_disable(&hog_key);
	KUNIT_EXPECT_FALSE(test, static_branch_unlikely(&hog_key));
}

static void takes_cpu_offline(struct kunit *test)
{
	unsigned int cpu = cpumask_next(0, cpu_online_mask);

	KUNIT_EXPECT_EQ(test, 0, remove_cpu(cpu));
	KUNIT_EXPECT_FALSE(test, cpu_online(cpu));
	KUNIT_EXPECT_EQ(test, 0, add_cpu(cpu));
	KUNIT_EXPECT_TRUE(test, cpu_online(cpu));
}

static int never(void *data, const char *name, unsigned long addr)
{
	return -EINVAL;
}

/* Takes the locks that loading a module takes: module_mutex and text_mutex. */
static void takes_locks(struct kunit *test)
{
	module_kallsyms_on_each_symbol("kprobes_no_such", never, NULL);
	mutex_lock(&text_mutex);
	mutex_unlock(&text_mutex);
}

static void switches_optimizer(struct kunit *test)
{
	kprobe_optimizer_allow(false);
	kprobe_optimizer_allow(true);
}

static void arms_all(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0, kprobe_arm_all(false));
	KUNIT_EXPECT_EQ(test, 0, kprobe_arm_all(true));
}

/**
 * struct errand - operation that must not be delayed while a point is optimizing
 * @name: name of the test case
 * @run:  does it
 * @cpus: how many CPUs it needs with the hog's, 0 for two
 */
struct errand {
	const char *name;
	void (*run)(struct kunit *test);
	unsigned int cpus;
};

static const struct errand errands[] = {
	{ "registering", registers },
	{ "static key", flips_static_key },
	{ "CPU offline", takes_cpu_offline, 3 },
	{ "locks of modules and text", takes_locks },
	{ "optimizer off and on", switches_optimizer },
	{ "all off and on", arms_all },
};

KUNIT_ARRAY_PARAM_DESC(errands, errands, name);

/* The jump comes as soon as the hog has ended. */
static void expect_jump_after(struct kunit *test, struct kprobes_hog *h, const struct kprobe *p)
{
	kprobes_release(test, h);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, p->point->mechanism, KPROBE_JUMP);
}

static void nobody_waits(struct kunit *test)
{
	const struct errand *errand = test->param_value;
	struct kprobe *p;
	struct kprobes_hog *h;

	if (KPROBES_OPT_COVERS_ONE)
		kunit_skip(test, "no point settles");
	if (!preempt_model_preemptible())
		kunit_skip(test, "nobody is preempted here");
	if (num_online_cpus() < max(errand->cpus, 2U))
		kunit_skip(test, "needs more CPUs");
	if (errand->run == takes_cpu_offline && !IS_ENABLED(CONFIG_HOTPLUG_CPU))
		kunit_skip(test, "CPUs stay online");
	/* Disarm points of the test before. */
	wait_for_kprobe_optimizer();
	h = start_hog(test);
	p = start_settling(test);
	errand->run(test);
	KUNIT_EXPECT_NE(test, p->point->mechanism, KPROBE_JUMP);
	expect_jump_after(test, h, p);
}

/*
 * A task that runs in the kernel without sleeping may be among the instructions, also where
 * interrupts of it are quiescent states of RCU: there grace periods end meanwhile.
 */
static void hog_is_waited_for(struct kunit *test)
{
	unsigned long begun;
	struct kprobe *p;
	struct kprobes_hog *h;

	if (KPROBES_OPT_COVERS_ONE)
		kunit_skip(test, "no point settles");
	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	wait_for_kprobe_optimizer();
	h = start_hog(test);
	p = start_settling(test);
	begun = get_state_synchronize_rcu();
	if (preempt_model_preemptible()) {
		synchronize_rcu();
		synchronize_rcu();
	}
	/* The optimizer looks again. */
	msleep(1000);
	KUNIT_EXPECT_EQ(test, poll_state_synchronize_rcu(begun), preempt_model_preemptible());
	KUNIT_EXPECT_TRUE(test, is_optimizing(p));
	expect_jump_after(test, h, p);
}

static struct kunit_case hog_cases[] = {
	KUNIT_CASE(hog_is_waited_for),
	KUNIT_CASE_PARAM(nobody_waits, errands_gen_params),
	{}
};

static struct kunit_suite hog_suite = {
	.name = "kprobes_optimize_hog",
	.test_cases = hog_cases,
};

kunit_test_suite(hog_suite);

MODULE_DESCRIPTION("KUnit tests of what a CPU hog must not hold up");
MODULE_LICENSE("GPL");
