// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of the calls of the API as they are meant to be used: what they write
 * into a probe, which hits are counted, and that nothing is left behind.
 */
#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/workqueue.h>

#include "../hit.h"
#include "../point.h"
#include "targets.h"

#define HITS	5

/* One probe */

static void expect_registered(struct kunit *test, struct kprobe *p,
			      const struct kprobes_text *text)
{
	bool entry = !p->offset;

	KUNIT_EXPECT_PTR_EQ(test, p->addr, (kprobe_opcode_t *)text->addr);
	KUNIT_EXPECT_PTR_EQ(test, get_kprobe((void *)text->addr), p);
	KUNIT_EXPECT_EQ(test, p->opcode, *(kprobe_opcode_t *)text->bytes);
	KUNIT_EXPECT_EQ(test, p->nmissed, 0);
	KUNIT_EXPECT_FALSE(test, kprobe_disabled(p));
	KUNIT_EXPECT_FALSE(test, kprobe_gone(p));
	KUNIT_EXPECT_FALSE(test, list_empty(&p->list));
	KUNIT_EXPECT_EQ(test, entry, !!(p->flags & KPROBE_FLAG_ON_FUNC_ENTRY));
}

static void expect_unregistered(struct kunit *test, struct kprobe *p,
				const struct kprobes_text *text)
{
	kprobes_expect_off(test, p);
	KUNIT_EXPECT_NULL(test, get_kprobe((void *)text->addr));
	wait_for_kprobe_optimizer();
	kprobes_text_expect(test, text);
}

/* Registers, runs, unregisters, runs; each hit counts once. */
static void use_probe(struct kunit *test, struct kprobes_counter *c,
		      const struct kprobes_place *place)
{
	struct kprobes_text text;

	kprobes_text_save(&text, kprobes_place_addr(place));
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	expect_registered(test, &c->kp, &text);
	kprobes_expect_targets(test, HITS);
	kprobes_expect_counts(test, c, HITS, HITS);

	unregister_kprobe(&c->kp);
	kprobes_expect_targets(test, 1);
	expect_unregistered(test, &c->kp, &text);
	kprobes_expect_targets(test, 1);
	kprobes_expect_counts(test, c, HITS, HITS);
}

static void by_symbol(struct kunit *test)
{
	const struct kprobes_place *place = test->param_value;

	use_probe(test, kprobes_counter(test, place), place);
}

static void by_address(struct kunit *test)
{
	const struct kprobes_place *place = test->param_value;
	struct kprobes_counter *c = kprobes_counter(test, place);

	c->kp.symbol_name = NULL;
	c->kp.addr = (kprobe_opcode_t *)kprobe_lookup_name(place->symbol, 0);
	use_probe(test, c, place);
}

/* Both ends of a landing pad are the function's entry. */
static void by_address_after_landing_pad(struct kunit *test)
{
	const struct kprobes_place *place;
	struct kprobes_counter *c;

	place = kprobes_place_named(KPROBES_PLACE_ENDBR);
	c = kprobes_counter(test, place);
	c->kp.symbol_name = NULL;
	c->kp.addr = (kprobe_opcode_t *)kprobes_place_addr(place);
	use_probe(test, c, place);
}

/* What the header offers to modules, each with the meaning of its flag. */
static void expect_inlines(struct kunit *test, struct kprobe *p)
{
	KUNIT_EXPECT_EQ(test, kprobe_ftrace(p), !!(p->flags & KPROBE_FLAG_FTRACE));
	KUNIT_EXPECT_EQ(test, kprobe_optimized(p), !!(p->flags & KPROBE_FLAG_OPTIMIZED));
	KUNIT_EXPECT_FALSE(test, kprobe_disarmed(p));
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(p));
	KUNIT_EXPECT_TRUE(test, kprobe_disarmed(p));
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(p));
}

/* At a function's entry: ftrace only if calls are redirected, or without jumps. */
static void reports_mechanism(struct kunit *test)
{
	struct kprobes_counter *c, *inner;

	c = kprobes_counting(test, kprobes_place_named(KPROBES_PLACE_C));
	inner = kprobes_counting(test, kprobes_place(kprobes_places() - 1));
	KUNIT_EXPECT_FALSE(test, c->kp.flags & KPROBE_FLAG_FTRACE);
	KUNIT_EXPECT_FALSE(test, inner->kp.flags & KPROBE_FLAG_FTRACE);
	wait_for_kprobe_optimizer();
	expect_inlines(test, &c->kp);
	expect_inlines(test, &inner->kp);
	if (!IS_ENABLED(CONFIG_KPROBES_ON_FTRACE))
		return;
	KUNIT_ASSERT_EQ(test, KPROBE_REASON_NONE, kprobes_switch(&c->kp));
	KUNIT_EXPECT_TRUE(test, c->kp.flags & KPROBE_FLAG_FTRACE);
	expect_inlines(test, &c->kp);
	kprobes_expect_targets(test, 1);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&c->pre));
}

static void without_handlers(struct kunit *test)
{
	const struct kprobes_place *place = test->param_value;
	struct kprobes_counter *c = kprobes_counter(test, place);

	c->kp.pre_handler = NULL;
	c->kp.post_handler = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_expect_targets(test, HITS);
	KUNIT_EXPECT_EQ(test, c->kp.nmissed, 0);
}

static void pre_handler_only(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counter(test, test->param_value);

	c->kp.post_handler = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_expect_targets(test, HITS);
	kprobes_expect_counts(test, c, HITS, 0);
}

static void post_handler_only(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counter(test, test->param_value);

	c->kp.pre_handler = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_expect_targets(test, HITS);
	kprobes_expect_counts(test, c, 0, HITS);
}

static void probe_on_stack(struct kunit *test)
{
	struct kprobes_counter c = {
		.kp.symbol_name = "kprobes_target_c",
		.kp.pre_handler = kprobes_count_pre,
	};

	KUNIT_EXPECT_EQ(test, 0, register_kprobe(&c.kp));
	kprobes_expect_targets(test, HITS);
	unregister_kprobe(&c.kp);
	kprobes_expect_targets(test, 1);
	kprobes_expect_counts(test, &c, HITS, 0);
}

/* Registering overwrites members that the caller need not set. */
static void overwrites_output(struct kunit *test)
{
	struct kprobes_counter *c;

	c = kprobes_counter(test, kprobes_place_named(KPROBES_PLACE_ASM));
	c->kp.flags = ~KPROBE_FLAG_DISABLED;
	c->kp.nmissed = 42;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	/* It may be optimized by now. */
	KUNIT_EXPECT_EQ(test, c->kp.flags & ~KPROBE_FLAG_OPTIMIZED,
			KPROBE_FLAG_ON_FUNC_ENTRY);
	KUNIT_EXPECT_EQ(test, c->kp.nmissed, 0);
	KUNIT_EXPECT_EQ(test, kprobes_misses(&c->kp, KPROBE_MISS_DEPTH), 0);
}

/* Disabled and enabled */

static void starts_disabled(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counter(test, test->param_value);
	struct kprobes_text text;

	kprobes_text_save(&text, kprobes_place_addr(test->param_value));
	c->kp.flags = KPROBE_FLAG_DISABLED;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	KUNIT_EXPECT_TRUE(test, kprobe_disabled(&c->kp));
	KUNIT_EXPECT_PTR_EQ(test, get_kprobe(c->kp.addr), &c->kp);
	kprobes_text_expect(test, &text);
	kprobes_expect_targets(test, HITS);
	kprobes_expect_counts(test, c, 0, 0);

	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&c->kp));
	KUNIT_EXPECT_FALSE(test, kprobe_disabled(&c->kp));
	kprobes_expect_targets(test, HITS);
	kprobes_expect_counts(test, c, HITS, HITS);
}

static void disable_and_enable(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counting(test, test->param_value);
	int i;

	for (i = 1; i <= 3; i++) {
		kprobes_expect_targets(test, HITS);
		KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&c->kp));
		KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&c->kp));
		KUNIT_EXPECT_TRUE(test, kprobe_disabled(&c->kp));
		kprobes_expect_targets(test, HITS);
		kprobes_expect_counts(test, c, i * HITS, i * HITS);
		KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&c->kp));
		KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&c->kp));
		KUNIT_EXPECT_FALSE(test, kprobe_disabled(&c->kp));
	}
	KUNIT_EXPECT_EQ(test, c->kp.nmissed, 0);
}

static void unregister_disabled(struct kunit *test)
{
	struct kprobes_counter *c;
	struct kprobes_text text;

	kprobes_text_save(&text, kprobes_place_addr(test->param_value));
	c = kprobes_counting(test, test->param_value);
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&c->kp));
	unregister_kprobe(&c->kp);
	expect_unregistered(test, &c->kp, &text);
	KUNIT_EXPECT_EQ(test, -EINVAL, enable_kprobe(&c->kp));
}

/* Batches */

struct batch {
	struct kprobes_counter **counter;
	struct kprobe **kps;
	struct kprobes_text *text;
	int num;
};

/* A batch of one probe for each place, and then another for two of them. */
static struct batch *make_batch(struct kunit *test)
{
	struct batch *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->num = kprobes_places() + 2;
	b->counter = kunit_kcalloc(test, b->num, sizeof(*b->counter), GFP_KERNEL);
	b->kps = kunit_kcalloc(test, b->num, sizeof(*b->kps), GFP_KERNEL);
	b->text = kunit_kcalloc(test, b->num, sizeof(*b->text), GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, b->counter && b->kps && b->text);
	for (i = 0; i < b->num; i++) {
		const struct kprobes_place *place;

		place = kprobes_place(i % kprobes_places());
		b->counter[i] = kprobes_counter(test, place);
		b->kps[i] = &b->counter[i]->kp;
		kprobes_text_save(&b->text[i], kprobes_place_addr(place));
	}
	return b;
}

static void expect_batch_counts(struct kunit *test, struct batch *b, int hits)
{
	int i;

	for (i = 0; i < b->num; i++)
		kprobes_expect_counts(test, b->counter[i], hits, hits);
}

static void expect_batch_off(struct kunit *test, struct batch *b)
{
	int i;

	for (i = 0; i < b->num; i++)
		expect_unregistered(test, b->kps[i], &b->text[i]);
}

static void batch_of_all_places(struct kunit *test)
{
	struct batch *b = make_batch(test);

	KUNIT_ASSERT_EQ(test, 0, register_kprobes(b->kps, b->num));
	kprobes_expect_targets(test, HITS);
	expect_batch_counts(test, b, HITS);
	unregister_kprobes(b->kps, b->num);
	kprobes_expect_targets(test, HITS);
	expect_batch_counts(test, b, HITS);
	expect_batch_off(test, b);
}

static void batch_rolls_back(struct kunit *test)
{
	struct batch *b = make_batch(test);
	int bad, i;

	for (bad = 0; bad < b->num; bad++) {
		const char *symbol = b->kps[bad]->symbol_name;

		b->kps[bad]->symbol_name = "kprobes_there_is_no_such_symbol";
		KUNIT_EXPECT_EQ(test, -ENOENT, register_kprobes(b->kps, b->num));
		b->kps[bad]->symbol_name = symbol;
		expect_batch_off(test, b);
		for (i = 0; i < b->num; i++)
			KUNIT_EXPECT_NULL(test, b->kps[i]->addr);
		kprobes_expect_targets(test, 1);
		expect_batch_counts(test, b, 0);
	}
	/* All of it was as before, or this would fail. */
	KUNIT_ASSERT_EQ(test, 0, register_kprobes(b->kps, b->num));
	kprobes_expect_targets(test, HITS);
	expect_batch_counts(test, b, HITS);
}

static int disable_self(struct kprobe *p, struct pt_regs *regs)
{
	return disable_kprobe(p);
}

/* A probe is hit before one of a later chunk is refused, and its handler disables it. */
static void rollback_leaves_flags(struct kunit *test)
{
	const struct kprobes_place place = { .symbol = "kprobe_check_address" };
	const int num = 2 * KPROBE_CHUNK;
	struct kprobe **kps = kunit_kcalloc(test, num, sizeof(*kps), GFP_KERNEL);
	struct kprobes_counter *first = kprobes_counter(test, &place);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, kps);
	first->in_pre = disable_self;
	kps[0] = &first->kp;
	for (i = 1; i < num; i++)
		kps[i] = &kprobes_counter(test, kprobes_place(0))->kp;
	kps[num - 1]->symbol_name = "kprobes_there_is_no_such_symbol";
	KUNIT_EXPECT_EQ(test, -ENOENT, register_kprobes(kps, num));
	KUNIT_EXPECT_GE(test, atomic_read(&first->pre), 1);
	for (i = 0; i < num; i++)
		KUNIT_EXPECT_EQ(test, 0, kps[i]->flags);
}

static void batch_with_duplicate(struct kunit *test)
{
	struct batch *b = make_batch(test);
	struct kprobe *kp = b->kps[b->num - 3];
	int at;

	for (at = 0; at < b->num; at++) {
		if (b->kps[at] == kp)
			continue;
		swap(b->kps[at], kp);
		KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobes(b->kps, b->num));
		swap(b->kps[at], kp);
		expect_batch_off(test, b);
	}
}

/* A refused batch must not touch probes that were there before. */
static void rollback_spares_others(struct kunit *test)
{
	struct batch *b = make_batch(test);
	struct kprobes_counter *other[2];

	other[0] = kprobes_counting(test, kprobes_place(0));
	other[1] = kprobes_counting(test, kprobes_place(1 % kprobes_places()));
	b->kps[b->num - 1]->symbol_name = "kprobes_there_is_no_such_symbol";
	KUNIT_EXPECT_EQ(test, -ENOENT, register_kprobes(b->kps, b->num));
	kprobes_expect_targets(test, HITS);
	kprobes_expect_counts(test, other[0], HITS, HITS);
	kprobes_expect_counts(test, other[1], HITS, HITS);
}

static void unregister_skips_others(struct kunit *test)
{
	struct batch *b = make_batch(test);
	struct kprobe never = { .addr = (kprobe_opcode_t *)1 };
	struct kprobe *kps[] = { NULL, b->kps[0], &never, NULL, b->kps[1] };

	KUNIT_ASSERT_EQ(test, 0, register_kprobes(b->kps, 2));
	unregister_kprobes(NULL, 3);
	unregister_kprobes(kps, 0);
	unregister_kprobes(kps, -1);
	kprobes_expect_targets(test, 1);
	kprobes_expect_counts(test, b->counter[0], 1, 1);

	unregister_kprobes(kps, ARRAY_SIZE(kps));
	KUNIT_EXPECT_NULL(test, never.addr);
	expect_batch_off(test, b);
}

/* Off and on again */

static void again(struct kunit *test, struct kprobes_counter *c)
{
	unregister_kprobe(&c->kp);
	c->kp.addr = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
}

/* Registers again while the old point is still in the text, and after it was disarmed. */
static void attach_again(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counting(test, test->param_value);
	int i;

	for (i = 1; i <= 50; i++) {
		again(test, c);
		kprobes_expect_targets(test, 1);
		kprobes_expect_counts(test, c, i, i);
		if (i % 10 == 0) {
			unregister_kprobe(&c->kp);
			wait_for_kprobe_optimizer();
			kprobes_expect_targets(test, 1);
		}
	}
}

static void attach_again_disabled(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counting(test, test->param_value);

	unregister_kprobe(&c->kp);
	c->kp.addr = NULL;
	c->kp.flags = KPROBE_FLAG_DISABLED;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_expect_targets(test, HITS);
	kprobes_expect_counts(test, c, 0, 0);
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&c->kp));
	kprobes_expect_targets(test, HITS);
	kprobes_expect_counts(test, c, HITS, HITS);
}

/* The work item that disarms points runs by itself, also while there are hits. */
static void reaper_comes(struct kunit *test)
{
	struct kprobes_counter *c;
	struct kprobes_text text;
	int waited;

	kprobes_text_save(&text, kprobes_place_addr(test->param_value));
	c = kprobes_counting(test, test->param_value);
	again(test, c);
	msleep(200);
	kprobes_expect_targets(test, 1);
	kprobes_expect_counts(test, c, 1, 1);
	unregister_kprobe(&c->kp);
	for (waited = 0; waited < 100; waited++) {
		if (!memcmp((void *)text.addr, text.bytes, sizeof(text.bytes)))
			break;
		kprobes_expect_targets(test, 1);
		msleep(20);
	}
	kprobes_text_expect(test, &text);
	kprobes_expect_counts(test, c, 1, 1);
}

/* Many CPUs */

#define HITS_PER_CPU	2000

static void hit_often(struct work_struct *work)
{
	int i;

	for (i = 0; i < HITS_PER_CPU; i++)
		kprobes_targets_run(i);
}

static void counts_on_all_cpus(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counting(test, test->param_value);
	int expected;

	cpus_read_lock();
	expected = HITS_PER_CPU * num_online_cpus();
	cpus_read_unlock();
	KUNIT_ASSERT_EQ(test, 0, schedule_on_each_cpu(hit_often));
	kprobes_expect_counts(test, c, expected, expected);
	KUNIT_EXPECT_EQ(test, c->kp.nmissed, 0);
}

static void finds_the_newest_probe(struct kunit *test)
{
	struct kprobes_counter *a, *b;

	KUNIT_EXPECT_NULL(test, get_kprobe(NULL));
	a = kprobes_counting(test, test->param_value);
	b = kprobes_counting(test, test->param_value);
	KUNIT_EXPECT_PTR_EQ(test, get_kprobe(a->kp.addr), &b->kp);
	KUNIT_EXPECT_NULL(test, get_kprobe(a->kp.addr + 1));
	unregister_kprobe(&b->kp);
	KUNIT_EXPECT_PTR_EQ(test, get_kprobe(a->kp.addr), &a->kp);
}

/* Return probes: here only what the calls do, the rest is in kretprobe_kunit.c */

static void return_probe_on_and_off(struct kunit *test)
{
	struct kprobes_returns *r = kprobes_returning(test, "kprobes_target_asm");

	kprobes_expect_targets(test, HITS);
	KUNIT_EXPECT_EQ(test, 0, disable_kretprobe(&r->rp));
	kprobes_expect_targets(test, HITS);
	kprobes_expect_returns(test, r, HITS, HITS);
	KUNIT_EXPECT_EQ(test, 0, enable_kretprobe(&r->rp));
	kprobes_expect_targets(test, HITS);
	kprobes_expect_returns(test, r, 2 * HITS, 2 * HITS);
	unregister_kretprobe(&r->rp);
	kprobes_expect_targets(test, HITS);
	kprobes_expect_returns(test, r, 2 * HITS, 2 * HITS);
	kprobes_expect_off(test, &r->rp.kp);
	KUNIT_EXPECT_EQ(test, -EINVAL, enable_kretprobe(&r->rp));
	KUNIT_EXPECT_EQ(test, -EINVAL, disable_kretprobe(&r->rp));
}

static void return_probes_in_batch(struct kunit *test)
{
	struct kprobes_returns *r[] = {
		kprobes_returns(test, "kprobes_target_asm"),
		kprobes_returns(test, "kprobes_target_c"),
		kprobes_returns(test, "kprobes_target_endbr"),
		kprobes_returns(test, "kprobes_target_c"),
	};
	struct kretprobe *rps[ARRAY_SIZE(r)];
	int i;

	for (i = 0; i < ARRAY_SIZE(r); i++)
		rps[i] = &r[i]->rp;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobes(rps, ARRAY_SIZE(rps)));
	kprobes_expect_targets(test, HITS);
	unregister_kretprobes(rps, ARRAY_SIZE(rps));
	kprobes_expect_targets(test, HITS);
	for (i = 0; i < ARRAY_SIZE(r); i++) {
		kprobes_expect_returns(test, r[i], HITS, HITS);
		kprobes_expect_off(test, &rps[i]->kp);
	}
}

static struct kunit_case api_cases[] = {
	KPROBES_CASE_PLACES(by_symbol),
	KPROBES_CASE_PLACES(by_address),
	KUNIT_CASE(by_address_after_landing_pad),
	KUNIT_CASE(reports_mechanism),
	KPROBES_CASE_PLACES(without_handlers),
	KPROBES_CASE_PLACES(pre_handler_only),
	KPROBES_CASE_PLACES(post_handler_only),
	KUNIT_CASE(probe_on_stack),
	KUNIT_CASE(overwrites_output),
	KPROBES_CASE_PLACES(starts_disabled),
	KPROBES_CASE_PLACES(disable_and_enable),
	KPROBES_CASE_PLACES(unregister_disabled),
	KUNIT_CASE(batch_of_all_places),
	KUNIT_CASE(batch_rolls_back),
	KUNIT_CASE(rollback_leaves_flags),
	KUNIT_CASE(batch_with_duplicate),
	KUNIT_CASE(rollback_spares_others),
	KUNIT_CASE(unregister_skips_others),
	KPROBES_CASE_PLACES(attach_again),
	KPROBES_CASE_PLACES(attach_again_disabled),
	KPROBES_CASE_PLACES(reaper_comes),
	KPROBES_CASE_PLACES(counts_on_all_cpus),
	KPROBES_CASE_PLACES(finds_the_newest_probe),
	KUNIT_CASE(return_probe_on_and_off),
	KUNIT_CASE(return_probes_in_batch),
	{}
};

static struct kunit_suite api_suite = {
	.name = "kprobes_api",
	.test_cases = api_cases,
};

kunit_test_suite(api_suite);
