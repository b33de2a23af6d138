// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of the counts of hits, in all ways that a hit can come: they are exact, and there are none
 * while counting is off.
 */
#include <kunit/test.h>
#include <linux/atomic.h>
#include <linux/kprobes.h>

#include "../mechanism.h"
#include "entry.h"
#include "optimized.h"

static const struct kprobes_place plain = { .symbol = "kprobes_opt_plain" };

static void stop_counting(void *unused)
{
	kprobe_set_counting(false);
}

static void start_counting(struct kunit *test)
{
	if (kprobe_is_counting())
		kunit_skip(test, "somebody else counts");
	kprobe_set_counting(true);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, stop_counting, NULL));
}

static unsigned long hits_of(const struct kprobe *p)
{
	return atomic_long_read(&p->point->hits);
}

/* A probe without a post-handler, registered. */
static struct kprobes_counter *counting(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counter(test, &plain);

	c->kp.post_handler = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_expect_way(test, c);
	return c;
}

static void call(struct kunit *test, unsigned int times)
{
	while (times--)
		KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 15);
}

/* Detours are made anew after each switch. Hits are counted before that, too. */
static void on_off_on(struct kunit *test)
{
	struct kprobes_counter *c = counting(test);

	call(test, 3);
	KUNIT_EXPECT_EQ(test, hits_of(&c->kp), 0);

	start_counting(test);
	KUNIT_EXPECT_TRUE(test, kprobe_is_counting());
	call(test, 2);
	KUNIT_EXPECT_EQ(test, hits_of(&c->kp), 2);
	kprobes_expect_way(test, c);
	call(test, 4);
	KUNIT_EXPECT_EQ(test, hits_of(&c->kp), 6);
	kprobe_set_counting(true);
	KUNIT_EXPECT_EQ(test, hits_of(&c->kp), 6);

	kprobe_set_counting(false);
	KUNIT_EXPECT_FALSE(test, kprobe_is_counting());
	call(test, 1);
	kprobes_expect_way(test, c);
	call(test, 1);
	KUNIT_EXPECT_EQ(test, hits_of(&c->kp), 6);

	kprobe_set_counting(true);
	KUNIT_EXPECT_EQ(test, hits_of(&c->kp), 0);
	call(test, 1);
	kprobes_expect_way(test, c);
	call(test, 1);
	KUNIT_EXPECT_EQ(test, hits_of(&c->kp), 2);
	kprobes_expect_counts(test, c, 13, 0);
}

/* One of a point that comes while counting is on. */
static void new_point(struct kunit *test)
{
	struct kprobes_counter *c;

	start_counting(test);
	c = counting(test);
	call(test, 3);
	KUNIT_EXPECT_EQ(test, hits_of(&c->kp), 3);
}

/* Two probes on a point are hit together. One that is disabled does not matter. */
static void two_probes(struct kunit *test)
{
	struct kprobes_counter *a = counting(test), *b = counting(test);

	start_counting(test);
	kprobes_expect_way(test, a);
	call(test, 3);
	KUNIT_EXPECT_EQ(test, hits_of(&a->kp), 3);
	kprobes_expect_counts(test, a, 3, 0);
	kprobes_expect_counts(test, b, 3, 0);

	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&b->kp));
	call(test, 1);
	kprobes_expect_way(test, a);
	call(test, 1);
	KUNIT_EXPECT_EQ(test, hits_of(&a->kp), 5);

	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&a->kp));
	call(test, 2);
	KUNIT_EXPECT_EQ(test, hits_of(&a->kp), 5);
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&b->kp));
	call(test, 2);
	KUNIT_EXPECT_EQ(test, hits_of(&a->kp), 7);
	kprobes_expect_counts(test, a, 5, 0);
	kprobes_expect_counts(test, b, 5, 0);
}

/* The point stays in the text for a moment. Hits do not count then. */
static void last_probe_leaves(struct kunit *test)
{
	struct kprobes_counter *c = counting(test);
	struct kprobe_point *point = c->kp.point;

	start_counting(test);
	kprobes_expect_way(test, c);
	call(test, 3);
	unregister_kprobe(&c->kp);
	call(test, 2);
	KUNIT_ASSERT_EQ(test, 0, kprobes_register_again(c));
	KUNIT_EXPECT_EQ(test, hits_of(&c->kp), c->kp.point == point ? 3 : 0);
}

/* With the code for post-handlers, which is entered after a hit. */
static void post_handlers(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counting(test, &plain);

	start_counting(test);
	kprobes_settle(kprobes_way_of(test));
	call(test, 3);
	KUNIT_EXPECT_EQ(test, hits_of(&c->kp), 3);
	kprobes_expect_counts(test, c, 3, 3);
}

static int hit_again(struct kprobe *p, struct pt_regs *regs)
{
	kprobes_opt_plain(1);
	return 0;
}

/* A hit in the handler is missed. */
static void missed_hits(struct kunit *test)
{
	struct kprobes_counter *c = counting(test);

	c->in_pre = hit_again;
	start_counting(test);
	kprobes_expect_way(test, c);
	call(test, 2);
	kprobes_expect_counts(test, c, 2, 0);
	KUNIT_EXPECT_EQ(test, kprobes_misses(&c->kp, KPROBE_MISS_NESTED), 2);
	KUNIT_EXPECT_EQ(test, hits_of(&c->kp), 4);
}

static int return_to_callee(struct kprobe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, (unsigned long)kprobes_opt_callee);
	return 1;
}

static void diverted_hits(struct kunit *test)
{
	struct kprobes_counter *c = counting(test);

	c->in_pre = return_to_callee;
	start_counting(test);
	kprobes_expect_way(test, c);
	KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 1001);
	KUNIT_EXPECT_EQ(test, hits_of(&c->kp), 1);
}

#ifdef CONFIG_KRETPROBES
/* The function's entry is the hit, with an entry handler and without. */
static void return_probe(struct kunit *test)
{
	struct kprobes_returns *r = kprobes_returns(test, plain.symbol);
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (!i)
			r->rp.entry_handler = NULL;
		else
			kprobes_returns_init(r, plain.symbol);
		KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
		start_counting(test);
		kprobes_settle(kprobes_way_of(test));
		atomic_set(&r->returns, 0);
		call(test, 3);
		KUNIT_EXPECT_EQ(test, hits_of(&r->rp.kp), 3);
		KUNIT_EXPECT_EQ(test, atomic_read(&r->returns), 3);
		kprobe_set_counting(false);
		kprobes_settle(kprobes_way_of(test));
		call(test, 3);
		KUNIT_EXPECT_EQ(test, hits_of(&r->rp.kp), 3);
		unregister_kretprobe(&r->rp);
	}
}
#endif

#ifdef CONFIG_KPROBES_ON_FTRACE
/* By a breakpoint or jump after the entry nop, and through ftrace. */
static void entry(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_entry_counting(test);

	start_counting(test);
	kprobes_entry_call(test, 2);
	KUNIT_EXPECT_EQ(test, hits_of(&c->kp), 2);
	kprobes_entry_settle(test, &c->kp);
	kprobes_entry_call(test, 3);
	KUNIT_EXPECT_EQ(test, hits_of(&c->kp), 5);
	kprobes_expect_counts(test, c, 5, 5);
	kprobe_set_counting(false);
	kprobes_entry_call(test, 3);
	KUNIT_EXPECT_EQ(test, hits_of(&c->kp), 5);
}

/* One breakpoint for two points. */
static void entry_and_next(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_entry_counting(test);
	struct kprobes_counter *next = kprobes_entry_next(test);

	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&next->kp));
	start_counting(test);
	wait_for_kprobe_optimizer();
	kprobes_entry_call(test, 3);
	KUNIT_EXPECT_EQ(test, hits_of(&c->kp), 3);
	KUNIT_EXPECT_EQ(test, hits_of(&next->kp), 3);
}
#endif

static struct kunit_case count_cases[] = {
	KPROBES_CASE_WAYS(on_off_on),
	KPROBES_CASE_WAYS(new_point),
	KPROBES_CASE_WAYS(two_probes),
	KPROBES_CASE_WAYS(last_probe_leaves),
	KPROBES_CASE_WAYS(post_handlers),
	KPROBES_CASE_WAYS(missed_hits),
	KPROBES_CASE_WAYS(diverted_hits),
#ifdef CONFIG_KRETPROBES
	KPROBES_CASE_WAYS(return_probe),
#endif
	{}
};

static struct kunit_suite count_suite = {
	.name = "kprobes_count",
	.init = kprobes_way_init,
	.exit = kprobes_way_exit,
	.test_cases = count_cases,
};

#ifdef CONFIG_KPROBES_ON_FTRACE
static struct kunit_case count_entry_cases[] = {
	KPROBES_CASE_FORMS(entry),
	KPROBES_CASE_FORMS(entry_and_next),
	{}
};

static struct kunit_suite count_entry_suite = {
	.name = "kprobes_count_entry",
	.test_cases = count_entry_cases,
};

kunit_test_suites(&count_suite, &count_entry_suite);
#else
kunit_test_suite(count_suite);
#endif
