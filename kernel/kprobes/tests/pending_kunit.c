// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of probes that wait for a module that never comes, or comes without what they name.
 * tools/testing/selftests/kprobes/pending.sh tests those whose modules come and go.
 */
#include <kunit/test.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../pending.h"
#include "../point.h"
#include "../register.h"
#include "refusal.h"
#include "targets.h"

#define MODULE	"kprobes_never"
#define NAME	MODULE ":function"

static struct kprobes_counter *pending(struct kunit *test, const char *name)
{
	const struct kprobes_place place = { .symbol = name, .offset = 4 };
	struct kprobes_counter *c = kprobes_counter(test, &place);

	c->kp.flags = KPROBE_FLAG_PENDING;
	return c;
}

static void expect_waiting(struct kunit *test, const struct kprobe *p, bool disabled)
{
	KUNIT_EXPECT_EQ(test, p->flags, KPROBE_FLAG_PENDING | KPROBE_FLAG_GONE |
					(disabled ? KPROBE_FLAG_DISABLED : 0));
	KUNIT_EXPECT_NULL(test, p->addr);
	scoped_guard(mutex, &kprobe_mutex)
		KUNIT_EXPECT_TRUE(test, kprobe_is_registered(p));
}

static void waits_in_every_state(struct kunit *test)
{
	struct kprobe *p = &pending(test, NAME)->kp;

	KUNIT_ASSERT_EQ(test, 0, register_kprobe(p));
	expect_waiting(test, p, false);
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(p));
	expect_waiting(test, p, true);
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(p));
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(p));
	expect_waiting(test, p, false);
	kprobes_refuse_probe(test, p, -EINVAL, KPROBE_REASON_REGISTERED, p);
	unregister_kprobe(p);
	KUNIT_EXPECT_EQ(test, -EINVAL, enable_kprobe(p));
	/* Once more, as others are registered again. */
	p->addr = NULL;
	p->flags = KPROBE_FLAG_PENDING | KPROBE_FLAG_DISABLED;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(p));
	expect_waiting(test, p, true);
	unregister_kprobe(p);
}

/* Without the flag, or without a module's name, there is nothing to wait for. */
static void others_are_refused(struct kunit *test)
{
	struct kprobe *p = &pending(test, NAME)->kp;

	p->flags = 0;
	kprobes_expect_refused(test, p, -ENOENT, KPROBE_REASON_SYMBOL);
	p->flags = KPROBE_FLAG_PENDING;
	p->symbol_name = "kprobes_no_such_function";
	kprobes_expect_refused(test, p, -ENOENT, KPROBE_REASON_PENDING);
}

/* Where no module is named the flag does nothing. */
static void flag_is_ignored(struct kunit *test)
{
	struct kprobe *p = &pending(test, "kprobes_target_c")->kp;

	p->offset = 0;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(p));
	KUNIT_EXPECT_EQ(test, 0, p->flags & KPROBE_FLAG_PENDING);
	kprobes_targets_run(1);
	kprobes_expect_counts(test, kprobes_counter_of(p), 1, 1);
	unregister_kprobe(p);
}

static void return_probe_waits(struct kunit *test)
{
#ifdef CONFIG_KRETPROBES
	struct kretprobe rp = {
		.kp = { .symbol_name = NAME, .flags = KPROBE_FLAG_PENDING },
		.maxactive = 3,
	};

	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&rp));
	expect_waiting(test, &rp.kp, false);
	KUNIT_EXPECT_EQ(test, rp.maxactive, 3);
	KUNIT_EXPECT_EQ(test, 0, disable_kretprobe(&rp));
	expect_waiting(test, &rp.kp, true);
	KUNIT_EXPECT_EQ(test, 0, enable_kretprobe(&rp));
	unregister_kretprobe(&rp);
	KUNIT_EXPECT_NULL(test, rp.pool);
#else
	kunit_skip(test, "no return probes");
#endif
}

/* All or none, also if some of them wait. */
static void array_is_rolled_back(struct kunit *test)
{
	struct kprobe *kps[] = {
		&pending(test, NAME)->kp,
		&kprobes_counter(test, kprobes_place(0))->kp,
		&kprobes_counter(test, kprobes_place(0))->kp,
	};

	kps[2]->symbol_name = "kprobes_no_such";
	kprobes_refuse_probes(test, kps, 3, -ENOENT, KPROBE_REASON_SYMBOL, kps[2]);
	KUNIT_EXPECT_EQ(test, kps[0]->flags, KPROBE_FLAG_PENDING);
	KUNIT_EXPECT_NULL(test, kps[0]->addr);
	KUNIT_ASSERT_EQ(test, 0, register_kprobes(kps, 2));
	expect_waiting(test, kps[0], false);
	kprobes_targets_run(1);
	kprobes_expect_counts(test, kprobes_counter_of(kps[1]), 1, 1);
	unregister_kprobes(kps, 2);
}

static int switch_other(struct kprobe *p, struct pt_regs *regs)
{
	struct kprobes_counter *c = kprobes_counter_of(p);
	struct kprobe *other = c->data;

	return other->flags & KPROBE_FLAG_DISABLED ? enable_kprobe(other) : disable_kprobe(other);
}

static void handler_switches(struct kunit *test)
{
	struct kprobe *p = &pending(test, NAME)->kp;
	struct kprobes_counter *c = kprobes_counting(test, kprobes_place(0));

	KUNIT_ASSERT_EQ(test, 0, register_kprobe(p));
	c->data = p;
	c->in_pre = switch_other;
	kprobes_targets_run(1);
	expect_waiting(test, p, true);
	kprobes_targets_run(1);
	expect_waiting(test, p, false);
	kprobes_expect_counts(test, c, 2, 2);
}

/* A module comes that has no such function: that is recorded, and the probe waits on. */
static void comes_without_function(struct kunit *test)
{
	struct module *mod = kunit_kzalloc(test, sizeof(*mod), GFP_KERNEL);
	struct kprobe *p = &pending(test, NAME)->kp;
	struct kprobe *longer = &pending(test, MODULE "_else:function")->kp;
	struct kprobe_refusal r;
	u64 before;

	KUNIT_ASSERT_NOT_NULL(test, mod);
	strscpy(mod->name, MODULE);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(p));
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(longer));
	before = kprobes_last_refusal(&r);
	scoped_guard(mutex, &kprobe_mutex)
		kprobe_arm_waiting(mod);
	KUNIT_EXPECT_EQ(test, before + 1, kprobes_last_refusal(&r));
	KUNIT_EXPECT_EQ(test, r.reason, KPROBE_REASON_SYMBOL);
	KUNIT_EXPECT_STREQ(test, r.symbol, NAME);
	KUNIT_EXPECT_EQ(test, r.offset, 4);
	expect_waiting(test, p, false);
	expect_waiting(test, longer, false);
}

static struct kunit_case pending_cases[] = {
	KUNIT_CASE(waits_in_every_state),
	KUNIT_CASE(others_are_refused),
	KUNIT_CASE(flag_is_ignored),
	KUNIT_CASE(return_probe_waits),
	KUNIT_CASE(array_is_rolled_back),
	KUNIT_CASE(handler_switches),
	KUNIT_CASE(comes_without_function),
	{}
};

static struct kunit_suite pending_suite = {
	.name = "kprobes_pending",
	.test_cases = pending_cases,
};

kunit_test_suite(pending_suite);
