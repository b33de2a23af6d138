// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of the states in enum kprobe_optimization that a point goes through.
 * state_table_kunit.c tests which edges are legal.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/module.h>

#include "../mechanism.h"
#include "optimized.h"

static const struct kprobes_place plain = { .symbol = "kprobes_opt_plain" };

static enum kprobe_optimization optimization_of(const struct kprobes_counter *c)
{
	struct kprobe_point *point;

	guard(mutex)(&kprobe_mutex);
	point = kprobe_point_lookup((unsigned long)c->kp.addr);
	return point ? point->optimization : KPROBE_OPT_STATES;
}

static enum kprobe_verdict verdict_of(const struct kprobes_counter *c)
{
	guard(mutex)(&kprobe_mutex);
	return c->kp.point->verdict;
}

/* Waits for the optimizer's work item. */
static void expect_waiting(struct kunit *test, const struct kprobes_counter *c)
{
	KPROBES_EXPECT_SOON(test, optimization_of(c) != KPROBE_OPT_QUEUED);
	KUNIT_EXPECT_EQ(test, optimization_of(c), KPROBE_OPT_WAITING);
}

static void way_to_a_jump(struct kunit *test)
{
	struct kprobes_hog *hold;
	struct kprobes_counter *c;

	if (KPROBES_OPT_COVERS_ONE)
		kunit_skip(test, "no point settles");
	hold = kprobes_hold(test);
	kprobes_hold_optimizer(true);
	c = kprobes_counting(test, &plain);
	KUNIT_EXPECT_EQ(test, optimization_of(c), KPROBE_OPT_QUEUED);
	KUNIT_EXPECT_EQ(test, verdict_of(c), KPROBE_VERDICT_NONE);
	kprobes_hold_optimizer(false);
	expect_waiting(test, c);
	KUNIT_EXPECT_EQ(test, verdict_of(c), KPROBE_VERDICT_POSSIBLE);
	kprobes_release(test, hold);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, optimization_of(c), KPROBE_OPT_IDLE);
	kprobes_expect_mechanism(test, c, KPROBE_JUMP, "after the grace period");
}

/*
 * A second registration of several chunks does not stop the optimizer as well, which can run when
 * the first one has ended.
 */
static void holds_do_not_add_up(struct kunit *test)
{
	struct kprobes_counter *c;

	kprobes_hold_optimizer(true);
	KUNIT_EXPECT_FALSE(test, kprobe_optimizer_hold());
	c = kprobes_counting(test, &plain);
	KUNIT_EXPECT_EQ(test, optimization_of(c), KPROBE_OPT_QUEUED);
	kprobes_hold_optimizer(false);
	wait_for_kprobe_optimizer();
	kprobes_expect_mechanism(test, c, KPROBE_JUMP, "after the first one has ended");
}

/* Nor do registrations in a loop keep the optimizer out: it looks at what the last one has left. */
static void holds_take_turns(struct kunit *test)
{
	struct kprobes_counter *c;

	kprobes_hold_optimizer(true);
	c = kprobes_counting(test, &plain);
	KUNIT_EXPECT_EQ(test, optimization_of(c), KPROBE_OPT_QUEUED);
	kprobes_hold_optimizer(false);
	kprobes_hold_optimizer(true);
	KUNIT_EXPECT_NE(test, optimization_of(c), KPROBE_OPT_QUEUED);
	kprobes_hold_optimizer(false);
	wait_for_kprobe_optimizer();
	kprobes_expect_mechanism(test, c, KPROBE_JUMP, "after the second one");
}

/* If the point is disabled in any state, the optimizer has nothing left to do. */
static void way_is_left(struct kunit *test)
{
	struct kprobes_hog *hold;
	struct kprobes_counter *c;

	if (KPROBES_OPT_COVERS_ONE)
		kunit_skip(test, "no point settles");
	hold = kprobes_hold(test);
	kprobes_hold_optimizer(true);
	c = kprobes_counting(test, &plain);
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&c->kp));
	KUNIT_EXPECT_EQ(test, optimization_of(c), KPROBE_OPT_IDLE);
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&c->kp));
	KUNIT_EXPECT_EQ(test, optimization_of(c), KPROBE_OPT_QUEUED);
	kprobes_hold_optimizer(false);
	expect_waiting(test, c);
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&c->kp));
	KUNIT_EXPECT_EQ(test, optimization_of(c), KPROBE_OPT_IDLE);
	kprobes_release(test, hold);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, optimization_of(c), KPROBE_OPT_IDLE);
	kprobes_expect_mechanism(test, c, KPROBES_BARE, "disabled");
}

static void verdict_is_kept(struct kunit *test)
{
	/* What may fault, where nothing else can be in the way of any jump. */
	static const struct kprobes_place never = {
		.symbol = KPROBES_OPT_NEVER,
	};
	struct kprobes_counter *c = kprobes_counting(test, &never);

	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, optimization_of(c), KPROBE_OPT_IDLE);
	KUNIT_EXPECT_EQ(test, verdict_of(c), KPROBE_VERDICT_IMPOSSIBLE);
}

/*
 * An unwinder goes from a detour to its point. Tasks RCU may call back for the point before
 * it does for a detour that was replaced earlier, on another CPU.
 */
static void outlives_its_detours(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counting(test, &plain);
	struct kprobe_detour *detour;
	void *slot;

	wait_for_kprobe_optimizer();
	kprobes_expect_mechanism(test, c, KPROBE_JUMP, "at first");
	detour = c->kp.point->detour;
	KUNIT_ASSERT_NOT_NULL(test, detour);
	slot = detour->slot;
	scoped_guard(mutex, &kprobe_mutex)
		detour->retired++;
	unregister_kprobe(&c->kp);
	wait_for_kprobe_optimizer();
	kprobes_wait_for_frees();
	KUNIT_ASSERT_TRUE_MSG(test, kprobes_slot_has_owner(slot),
			      "the point was freed too early");
	scoped_guard(mutex, &kprobe_mutex)
		detour->retired--;
	kprobes_wait_for_frees();
	KUNIT_EXPECT_FALSE_MSG(test, kprobes_slot_has_owner(slot),
			       "the point was not freed");
}

static int toggle_another(struct kprobe *p, struct pt_regs *regs)
{
	struct kprobe *another = kprobes_counter_of(p)->data;

	if (kprobe_disabled(another))
		enable_kprobe(another);
	else
		disable_kprobe(another);
	return 0;
}

/* Each hit makes the detour outdated. The optimizer makes new ones, but not one after the other. */
static void does_not_chase_handlers(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counter(test, &plain);
	struct kprobes_counter *another = kprobes_counting(test, &plain);
	const struct kprobe_detour *detour = NULL;
	unsigned long begin, made = 0;

	if (!__is_defined(ARCH_KPROBE_OWN_DETOURS))
		kunit_skip(test, "a stub leaves all handlers to the core");
	c->in_pre = toggle_another;
	c->data = &another->kp;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	wait_for_kprobe_optimizer();
	kprobes_expect_mechanism(test, c, KPROBE_JUMP, "before it is hit");
	begin = jiffies;
	while (time_before(jiffies, begin + HZ / 4)) {
		KUNIT_ASSERT_EQ(test, kprobes_opt_plain(5), 15);
		made += READ_ONCE(c->kp.point->detour) != detour;
		detour = READ_ONCE(c->kp.point->detour);
		cond_resched();
	}
	/* It waits two jiffies after it has found one outdated. */
	KUNIT_EXPECT_GT(test, made, 2);
	KUNIT_EXPECT_LE(test, made, (jiffies - begin) / 2 + 2);
}

/* Disarms the same points that other suites have left. */
static int state_init(struct kunit *test)
{
	wait_for_kprobe_optimizer();
	return 0;
}

static struct kunit_case state_cases[] = {
	KUNIT_CASE(way_to_a_jump),
	KUNIT_CASE(holds_do_not_add_up),
	KUNIT_CASE(holds_take_turns),
	KUNIT_CASE(way_is_left),
	KUNIT_CASE(verdict_is_kept),
	KUNIT_CASE(outlives_its_detours),
	KUNIT_CASE(does_not_chase_handlers),
	{}
};

static struct kunit_suite state_suite = {
	.name = "kprobes_optimize_state",
	.init = state_init,
	.test_cases = state_cases,
};

kunit_test_suite(state_suite);

MODULE_DESCRIPTION("KUnit tests of what the optimizer has to do for a point");
MODULE_LICENSE("GPL");
