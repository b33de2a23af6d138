// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of probes at a function's entry while kernel.ftrace_enabled is 0: probes with a
 * breakpoint or jump are still hit, and what needs ftrace is refused.
 */
#include <kunit/test.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/module.h>

#include "../mechanism.h"
#include "../point.h"
#include "../reason.h"
#include "entry.h"

#define CALLS	5

static void turn_on(void *unused)
{
	ftrace_enabled = 1;
}

/* No tracer is on, so it is enough to set the variable. */
static void turn_off(struct kunit *test)
{
	KUNIT_ASSERT_TRUE(test, ftrace_enabled);
	ftrace_enabled = 0;
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, turn_on, NULL));
}

static bool is_ftraced(const struct kprobes_counter *c)
{
	return c->kp.flags & KPROBE_FLAG_FTRACE;
}

/* Expects that the last record is this refusal, if there are records. */
static void expect_refused(struct kunit *test, enum kprobe_request request)
{
#ifdef CONFIG_DEBUG_FS
	struct kprobe_refusal r = {};
	u64 number = 0;

	while (kprobe_get_refusal(&number, &r))
		number++;
	KUNIT_EXPECT_EQ(test, r.request, request);
	KUNIT_EXPECT_EQ(test, r.reason, KPROBE_REASON_FTRACE_OFF);
#endif
}

static void working_probe_stays(struct kunit *test)
{
	struct kprobes_counter *entry = kprobes_entry_counting(test);
	struct kprobes_counter *next = kprobes_entry_next(test);

	if (is_ftraced(entry))
		kunit_skip(test, "there is such a probe already");
	turn_off(test);
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_FTRACE_OFF, kprobes_switch(&entry->kp));
	KUNIT_EXPECT_EQ(test, 0, register_kprobe(&next->kp));
	KUNIT_EXPECT_FALSE(test, is_ftraced(entry));
	kprobes_entry_call(test, CALLS);
	wait_for_kprobe_optimizer();
	kprobes_entry_call(test, CALLS);
	kprobes_expect_counts(test, entry, 2 * CALLS, 2 * CALLS);
	kprobes_expect_counts(test, next, 2 * CALLS, 2 * CALLS);
}

/* A loop leads to the instruction after the nop. */
static void new_probe_is_refused(struct kunit *test)
{
	const struct kprobes_place loop = { .symbol = "kprobes_entry_loop" };
	struct kprobes_counter *c = kprobes_counter(test, &loop);

	turn_off(test);
	KUNIT_EXPECT_EQ(test, -EBUSY, register_kprobe(&c->kp));
	expect_refused(test, KPROBE_SET);
	kprobes_expect_off(test, &c->kp);
	KUNIT_EXPECT_NULL(test, c->kp.addr);
	KUNIT_EXPECT_EQ(test, c->kp.flags, 0);
	kunit_release_action(test, turn_on, NULL);
	KUNIT_EXPECT_EQ(test, 0, register_kprobe(&c->kp));
	KUNIT_EXPECT_TRUE(test, is_ftraced(c));
	KUNIT_EXPECT_EQ(test, kprobes_entry_loop(3, 4), 7);
	kprobes_expect_counts(test, c, 1, 1);
}

/*
 * ftrace may have no memory to disarm a point, and goes on calling kprobes. Here it does because
 * the idle point's site is armed behind the point's back.
 */
static void idle_point_is_not_hit(struct kunit *test)
{
	const struct kprobes_place loop = { .symbol = "kprobes_entry_loop" };
	struct kprobes_counter *c = kprobes_counting(test, &loop);
	struct kprobe_point *point = kprobe_point_lookup((unsigned long)c->kp.addr);
	LIST_HEAD(points);

	KUNIT_ASSERT_TRUE(test, is_ftraced(c));
	KUNIT_ASSERT_EQ(test, 0, kprobe_arm_all(false));
	scoped_guard(mutex, &kprobe_mutex) {
		list_add(&point->batch, &points);
		KUNIT_EXPECT_EQ(test, 0, kprobe_ftrace_arm(&points));
	}
	KUNIT_EXPECT_EQ(test, kprobes_entry_loop(3, 4), 7);
	kprobes_expect_counts(test, c, 0, 0);
	scoped_guard(mutex, &kprobe_mutex) {
		KUNIT_EXPECT_EQ(test, 0, kprobe_ftrace_disarm(&points));
		list_del_init(&point->batch);
	}
	KUNIT_ASSERT_EQ(test, 0, kprobe_arm_all(true));
	KUNIT_EXPECT_EQ(test, kprobes_entry_loop(3, 4), 7);
	kprobes_expect_counts(test, c, 1, 1);
}

/* All probes are as before, also those that do not need ftrace or are disabled. */
static void array_is_refused(struct kunit *test)
{
	const struct kprobes_place loop = { .symbol = "kprobes_entry_loop" };
	struct kprobes_counter *c[3];
	struct kprobe *kps[3];
	unsigned int i;

	c[0] = kprobes_counter(test, kprobes_place_named(KPROBES_PLACE_C));
	c[1] = kprobes_counter(test, kprobes_place_named(KPROBES_PLACE_ASM));
	c[1]->kp.flags = KPROBE_FLAG_DISABLED;
	c[2] = kprobes_counter(test, &loop);
	for (i = 0; i < 3; i++)
		kps[i] = &c[i]->kp;
	turn_off(test);
	KUNIT_EXPECT_EQ(test, -EBUSY, register_kprobes(kps, 3));
	expect_refused(test, KPROBE_SET);
	for (i = 0; i < 3; i++) {
		kprobes_expect_off(test, kps[i]);
		KUNIT_EXPECT_NULL(test, kps[i]->addr);
		KUNIT_EXPECT_EQ(test, kps[i]->flags, i == 1 ? KPROBE_FLAG_DISABLED : 0);
	}
	kprobes_expect_targets(test, 1);
	kprobes_expect_counts(test, c[0], 0, 0);
	kunit_release_action(test, turn_on, NULL);
	KUNIT_EXPECT_EQ(test, 0, register_kprobes(kps, 3));
	kprobes_expect_targets(test, 1);
	kprobes_expect_counts(test, c[0], 1, 1);
}

/* The entry's probe, which uses ftrace and is disabled. */
static struct kprobes_counter *disabled_entry(struct kunit *test)
{
	struct kprobes_counter *entry;

	kprobes_by_ftrace(test);
	entry = kprobes_counting(test, &kprobes_entry_place);
	KUNIT_ASSERT_TRUE(test, is_ftraced(entry));
	KUNIT_ASSERT_EQ(test, 0, disable_kprobe(&entry->kp));
	return entry;
}

static void probe_stays_disabled(struct kunit *test)
{
	struct kprobes_counter *entry = disabled_entry(test);

	turn_off(test);
	KUNIT_EXPECT_EQ(test, -EBUSY, enable_kprobe(&entry->kp));
	expect_refused(test, KPROBE_ENABLE);
	KUNIT_EXPECT_TRUE(test, kprobe_disabled(&entry->kp));
	KUNIT_EXPECT_TRUE(test, is_ftraced(entry));
	kprobes_entry_call(test, CALLS);
	kprobes_expect_counts(test, entry, 0, 0);
	kunit_release_action(test, turn_on, NULL);
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&entry->kp));
	KUNIT_EXPECT_FALSE(test, kprobe_disabled(&entry->kp));
	kprobes_entry_call(test, CALLS);
	kprobes_expect_counts(test, entry, CALLS, CALLS);
}

static void arm_all(void *unused)
{
	kprobe_arm_all(true);
}

/* The entry's probe, enabled, after all were switched on again without ftrace. */
static struct kprobes_counter *unarmed_entry(struct kunit *test)
{
	struct kprobes_counter *entry = disabled_entry(test);

	KUNIT_ASSERT_EQ(test, 0, enable_kprobe(&entry->kp));
	KUNIT_ASSERT_EQ(test, 0, kprobe_arm_all(false));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, arm_all, NULL));
	turn_off(test);
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_FTRACE_OFF, kprobe_arm_all(true));
	kprobes_entry_call(test, CALLS);
	kprobes_expect_counts(test, entry, 0, 0);
	return entry;
}

static void expect_armed_again(struct kunit *test, struct kprobes_counter *entry)
{
	kunit_release_action(test, turn_on, NULL);
	KUNIT_EXPECT_EQ(test, 0, kprobe_arm_all(true));
	kprobes_entry_call(test, CALLS);
	kprobes_expect_counts(test, entry, CALLS, CALLS);
}

/* Writing to debugfs "enabled" fails if not all points can be armed. */
static void switch_for_all_fails(struct kunit *test)
{
	struct kprobes_counter *other, *entry;

	other = kprobes_counting(test, kprobes_place_named(KPROBES_PLACE_C));
	entry = unarmed_entry(test);
	kprobes_expect_targets(test, 1);
	kprobes_expect_counts(test, other, 1, 1);
	expect_armed_again(test, entry);
}

/* Enabling it once more arms it, if that is possible; else it stays as it was. */
static void unarmed_probe_stays_enabled(struct kunit *test)
{
	struct kprobes_counter *entry = unarmed_entry(test);

	KUNIT_EXPECT_EQ(test, -EBUSY, enable_kprobe(&entry->kp));
	expect_refused(test, KPROBE_ENABLE);
	KUNIT_EXPECT_FALSE(test, kprobe_disabled(&entry->kp));
	expect_armed_again(test, entry);
}

/* Else it would take effect, and redirect calls, as soon as ftrace is on again. */
static void redirection_is_refused(struct kunit *test)
{
	struct kprobes_counter *entry = kprobes_entry_counting(test);
	int ret;

	if (is_ftraced(entry))
		kunit_skip(test, "ftrace cannot be turned off");
	kprobes_entry_redirect(test);
	turn_off(test);
	ret = register_ftrace_function(&kprobes_entry_redirection);
	KUNIT_EXPECT_EQ(test, -EBUSY, ret);
	kprobes_entry_call(test, CALLS);
	kprobes_expect_counts(test, entry, CALLS, CALLS);
	kunit_release_action(test, turn_on, NULL);
	if (ret)
		KUNIT_EXPECT_EQ(test, 0, register_ftrace_function(&kprobes_entry_redirection));
	kprobes_entry_call(test, CALLS);
	kprobes_expect_counts(test, entry, 2 * CALLS, 2 * CALLS);
}

static int off_init(struct kunit *test)
{
	kprobes_entry_clear();
	return 0;
}

static struct kunit_case off_cases[] = {
	KPROBES_CASE_FORMS(working_probe_stays),
	KUNIT_CASE(new_probe_is_refused),
	KUNIT_CASE(idle_point_is_not_hit),
	KUNIT_CASE(array_is_refused),
	KUNIT_CASE(probe_stays_disabled),
	KUNIT_CASE(switch_for_all_fails),
	KUNIT_CASE(unarmed_probe_stays_enabled),
	KPROBES_CASE_FORMS(redirection_is_refused),
	{}
};

static struct kunit_suite off_suite = {
	.name = "kprobes_entry_off",
	.init = off_init,
	.test_cases = off_cases,
};

kunit_test_suite(off_suite);

MODULE_DESCRIPTION("KUnit tests of probes at entries while ftrace is off");
MODULE_LICENSE("GPL");
