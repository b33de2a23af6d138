// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests that each CPU fetches text anew when it has changed, and a slot before it is used: one that
 * went on with what it has fetched would pass a breakpoint without a hit. The emulator fetches all
 * text anew, so the calls are counted that have a CPU do so.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>

#include "../../optimized.h"

static DEFINE_PER_CPU(unsigned int, fetched);

static int count_fetch(struct kprobe *p, struct pt_regs *regs)
{
	this_cpu_inc(fetched);
	return 0;
}

static void forget(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(fetched, cpu) = 0;
}

static void expect_fetches(struct kunit *test, unsigned int least, const char *when)
{
	unsigned int cpu;

	for_each_online_cpu(cpu)
		KUNIT_EXPECT_GE_MSG(test, per_cpu(fetched, cpu), least, "CPU %u, %s", cpu, when);
	forget();
}

static void unregister(void *p)
{
	unregister_kprobe(p);
}

/* Counts calls of what executes ibar. That is not called for this probe from here on. */
static void watch(struct kunit *test)
{
	static struct kprobe p;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	p = (struct kprobe){
		.symbol_name = "local_flush_icache_range", .pre_handler = count_fetch,
	};
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&p));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, unregister, &p));
	wait_for_kprobe_optimizer();
	forget();
}

/* Its displaced instruction runs from a slot, which is written before the breakpoint. */
static void all_cpus_fetch_slots(struct kunit *test)
{
	const struct kprobes_place *place = kprobes_place_named(KPROBES_PLACE_ASM);
	struct kprobes_counter *c = kprobes_counter(test, place);

	watch(test);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	expect_fetches(test, 2, "slot and breakpoint");
	wait_for_kprobe_optimizer();
	kprobes_expect_mechanism(test, c, KPROBE_JUMP, "when the optimizer is done");
	expect_fetches(test, 2, "detour and jump");
	unregister_kprobe(&c->kp);
	kprobes_wait_for_frees();
	expect_fetches(test, 1, "text as it was");
}

/* It needs no slot: the text alone changes. */
static void all_cpus_fetch_text(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counter(test, kprobes_place_named("call"));

	watch(test);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	expect_fetches(test, 1, "breakpoint");
}

static struct kunit_case fetch_cases[] = {
	KUNIT_CASE(all_cpus_fetch_slots),
	KUNIT_CASE(all_cpus_fetch_text),
	{}
};

static struct kunit_suite fetch_suite = {
	.name = "kprobes_loongarch_fetch",
	.test_cases = fetch_cases,
};

kunit_test_suite(fetch_suite);
