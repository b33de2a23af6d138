// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests that a batch of probes disturbs other CPUs seldom and shortly: how often all of them
 * are interrupted, and how many words are written while they are stopped.
 */
#include <kunit/test.h>
#include <linux/kprobes.h>
#include <linux/slab.h>
#include <linux/stop_machine.h>

#include "../../targets.h"

#define PROBES		200

/* Most words in a stop: tens of microseconds. */
#define STOPPED_MAX	32

static atomic_t interrupts, stops;
static int words_max;

static int count_interrupt(struct kprobe *p, struct pt_regs *regs)
{
	atomic_inc(&interrupts);
	return 0;
}

/* What aarch64_insn_patch_text() passes to stop_machine_cpuslocked(). */
struct patched_words {
	void **addrs;
	u32 *words;
	int nr;
};

static int count_words(struct kprobe *p, struct pt_regs *regs)
{
	const struct patched_words *w = (void *)regs->regs[1];

	atomic_inc(&stops);
	words_max = max(words_max, w->nr);
	return 0;
}

static void unregister(void *p)
{
	unregister_kprobe(p);
}

static void watch(struct kunit *test, struct kprobe *p, const char *symbol,
		  kprobe_pre_handler_t handler)
{
	*p = (struct kprobe){ .symbol_name = symbol, .pre_handler = handler };
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(p));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, unregister, p));
}

/* Finds instructions that can be probed, in functions of the kernel. */
static void find_sites(struct kprobe *p, unsigned int wanted)
{
	unsigned long at = (unsigned long)kunit_run_tests;
	unsigned int nr = 0;

	for (; nr < wanted; at += sizeof(u32)) {
		p[nr] = (struct kprobe){ .addr = (void *)at };
		if (register_kprobe(&p[nr]))
			continue;
		unregister_kprobe(&p[nr]);
		p[nr++] = (struct kprobe){ .addr = (void *)at };
	}
}

/* CPUs fetch its slot, and are stopped while its breakpoint is written. */
static void one_disturbs_little(struct kunit *test)
{
	static struct kprobe interrupt, stop;
	struct kprobe p;

	find_sites(&p, 1);
	watch(test, &interrupt, "kick_all_cpus_sync", count_interrupt);
	watch(test, &stop, "stop_machine_cpuslocked", count_words);
	wait_for_kprobe_optimizer();
	atomic_set(&interrupts, 0);
	atomic_set(&stops, 0);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&p));
	KUNIT_EXPECT_EQ(test, atomic_read(&interrupts), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&stops), 1);
	unregister_kprobe(&p);
}

static void batch_disturbs_little(struct kunit *test)
{
	/* They are unregistered when the test has returned. */
	static struct kprobe interrupt, stop;
	struct kprobe *p = kunit_kcalloc(test, PROBES, sizeof(*p), GFP_KERNEL);
	struct kprobe **ps = kunit_kcalloc(test, PROBES, sizeof(*ps), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, p);
	KUNIT_ASSERT_NOT_NULL(test, ps);
	find_sites(p, PROBES);
	for (i = 0; i < PROBES; i++)
		ps[i] = &p[i];
	watch(test, &interrupt, "kick_all_cpus_sync", count_interrupt);
	watch(test, &stop, "stop_machine_cpuslocked", count_words);
	wait_for_kprobe_optimizer();
	atomic_set(&interrupts, 0);
	atomic_set(&stops, 0);
	words_max = 0;
	KUNIT_ASSERT_EQ(test, 0, register_kprobes(ps, PROBES));
	kunit_info(test, "%d interrupts, %d stops of up to %d words",
		   atomic_read(&interrupts), atomic_read(&stops), words_max);
	/* One for the slots, one for words that may change while CPUs execute them. */
	KUNIT_EXPECT_LE(test, atomic_read(&interrupts), 2);
	KUNIT_EXPECT_GE(test, atomic_read(&stops), 1);
	KUNIT_EXPECT_LE(test, words_max, STOPPED_MAX);
	wait_for_kprobe_optimizer();
	/* Their jumps, of which the detours are written one after the other. */
	kunit_info(test, "%d interrupts until they are jumps", atomic_read(&interrupts));
	KUNIT_EXPECT_LE(test, atomic_read(&interrupts), 8);
	unregister_kprobes(ps, PROBES);
}

static struct kunit_case sync_cases[] = {
	KUNIT_CASE(one_disturbs_little),
	KUNIT_CASE(batch_disturbs_little),
	{}
};

static struct kunit_suite sync_suite = {
	.name = "kprobes_arm64_sync",
	.test_cases = sync_cases,
};

kunit_test_suite(sync_suite);
