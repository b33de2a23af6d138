// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of probes at a function's entry and after it that come and go while the function is called:
 * before and after each step in which the text changes, as other CPUs may call it.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <kunit/test-bug.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>

#include "../mechanism.h"
#include "../patch.h"
#include "entry.h"

#define CALLS	5

static unsigned int calls;

static void call(struct kunit *test)
{
	kprobes_entry_call(test, 1);
	calls++;
}

static void step_and_call(const struct kprobe_patch *step, unsigned int nr)
{
	struct kunit *test = kunit_get_current_test();

	call(test);
	arch_kprobe_patch(step, nr);
	call(test);
}

static void begin_to_call(struct kunit *test)
{
	calls = 0;
	kunit_activate_static_stub(test, kprobe_patch_step, step_and_call);
}

/* There were steps, and the probe has counted each call. */
static void expect_all(struct kunit *test, struct kprobes_counter *c)
{
	kprobe_disarm_pending();
	kunit_deactivate_static_stub(test, kprobe_patch_step);
	KUNIT_EXPECT_GT(test, calls, 0);
	kprobes_expect_counts(test, c, calls, calls);
	kprobes_entry_call(test, CALLS);
	kprobes_expect_counts(test, c, calls + CALLS, calls + CALLS);
}

static void skip_ftrace(struct kunit *test)
{
	const enum entry_form *form = test->param_value;

	if (*form == ENTRY_FTRACE)
		kunit_skip(test, "its text is ftrace's");
}

static void next_comes(struct kunit *test)
{
	struct kprobes_counter *entry, *next;

	skip_ftrace(test);
	entry = kprobes_entry_counting(test);
	next = kprobes_entry_next(test);
	begin_to_call(test);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&next->kp));
	/* There is a step only if a jump has to be replaced. */
	call(test);
	expect_all(test, entry);
	KUNIT_EXPECT_GE(test, atomic_read(&next->pre), CALLS);
}

/* Another probe has come to the entry just before: its detour is not current. */
static void second_comes_to_another(struct kunit *test)
{
	struct kprobes_counter *entry, *another, *second;
	struct kprobe *kps[2];

	skip_ftrace(test);
	second = kprobes_entry_second(test);
	entry = kprobes_entry_counting(test);
	another = kprobes_counter(test, &kprobes_entry_place);
	kps[0] = &another->kp;
	kps[1] = &second->kp;
	begin_to_call(test);
	KUNIT_ASSERT_EQ(test, 0, register_kprobes(kps, 2));
	expect_all(test, entry);
	KUNIT_EXPECT_GE(test, atomic_read(&another->pre), CALLS);
	KUNIT_EXPECT_GE(test, atomic_read(&second->pre), CALLS);
}

/* The entry's probe comes when the next instruction has a jump, if it can. */
static void entry_comes(struct kunit *test)
{
	struct kprobes_counter *entry, *next = kprobes_entry_next(test);

	skip_ftrace(test);
	kprobes_entry_prepare(test);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&next->kp));
	kprobes_entry_settle(test, &next->kp);
	begin_to_call(test);
	entry = kprobes_counting(test, &kprobes_entry_place);
	call(test);
	expect_all(test, next);
	KUNIT_EXPECT_GE(test, atomic_read(&entry->pre), CALLS);
}

/* One of both goes, and the other one becomes a jump again, if it can. */
static void one_goes(struct kunit *test, bool first)
{
	struct kprobes_counter *entry, *next, *stays;

	skip_ftrace(test);
	entry = kprobes_entry_counting(test);
	next = kprobes_entry_next(test);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&next->kp));
	wait_for_kprobe_optimizer();
	begin_to_call(test);
	unregister_kprobe(first ? &entry->kp : &next->kp);
	stays = first ? next : entry;
	call(test);
	expect_all(test, stays);
	kprobes_entry_settle(test, &stays->kp);
	kprobes_entry_call(test, CALLS);
	kprobes_expect_counts(test, stays, calls + 2 * CALLS, calls + 2 * CALLS);
}

static void entry_goes(struct kunit *test)
{
	one_goes(test, true);
}

static void next_goes(struct kunit *test)
{
	one_goes(test, false);
}

static int step_init(struct kunit *test)
{
	kprobes_entry_clear();
	return 0;
}

static struct kunit_case step_cases[] = {
	KPROBES_CASE_FORMS(next_comes),
	KPROBES_CASE_FORMS(second_comes_to_another),
	KPROBES_CASE_FORMS(entry_comes),
	KPROBES_CASE_FORMS(entry_goes),
	KPROBES_CASE_FORMS(next_goes),
	{}
};

static struct kunit_suite step_suite = {
	.name = "kprobes_entry_step",
	.init = step_init,
	.test_cases = step_cases,
};

kunit_test_suite(step_suite);

MODULE_DESCRIPTION("KUnit tests of probes at an entry that is called while its text changes");
MODULE_LICENSE("GPL");
