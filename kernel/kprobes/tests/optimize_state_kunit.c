// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of what the optimizer has to do for a point: the edges of enum
 * kprobe_optimization, and the way of a point along them.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/module.h>

#include "../batch.h"
#include "../optimizer.h"
#include "../table.h"
#include "optimized.h"

/* The table */

#define IDLE	KPROBE_OPT_IDLE
#define QUEUED	KPROBE_OPT_QUEUED
#define WAITING	KPROBE_OPT_WAITING

struct edge {
	enum kprobe_optimization from;
	enum kprobe_optimization to;
	bool legal;
};

static const struct edge edges[] = {
	{ IDLE, IDLE, false },
	{ IDLE, QUEUED, true },
	{ IDLE, WAITING, false },
	{ QUEUED, IDLE, true },
	{ QUEUED, QUEUED, false },
	{ QUEUED, WAITING, true },
	{ WAITING, IDLE, true },
	{ WAITING, QUEUED, false },
	{ WAITING, WAITING, false },
};

static_assert(ARRAY_SIZE(edges) == KPROBE_OPT_STATES * KPROBE_OPT_STATES);

static const char *name_of(enum kprobe_optimization optimization)
{
	static const char * const names[] = { "IDLE", "QUEUED", "WAITING" };

	return names[optimization];
}

static void describe_edge(const struct edge *edge, char *text)
{
	snprintf(text, KUNIT_PARAM_DESC_SIZE, "%s to %s", name_of(edge->from),
		 name_of(edge->to));
}

KUNIT_ARRAY_PARAM(edges, edges, describe_edge);

static void optimization_edge(struct kunit *test)
{
	const struct edge *edge = test->param_value;

	KUNIT_EXPECT_EQ(test, edge->legal,
			kprobe_optimization_may_become(edge->from, edge->to));
}

/* The optimizer does not see the point: it is in its lists under one hold only. */
static void set_optimization(struct kunit *test, struct kprobe_point *point,
			     const struct edge *edge)
{
	enum kprobe_optimization after = edge->legal ? edge->to : edge->from;

	guard(mutex)(&kprobe_mutex);
	INIT_LIST_HEAD(&point->optimize);
	point->optimization = edge->from;
	kprobe_point_set_optimization(point, edge->to);
	KUNIT_EXPECT_EQ_MSG(test, after, (enum kprobe_optimization)point->optimization,
			    "%s to %s", name_of(edge->from), name_of(edge->to));
	KUNIT_EXPECT_EQ_MSG(test, edge->legal && edge->to != IDLE,
			    !list_empty(&point->optimize), "%s to %s",
			    name_of(edge->from), name_of(edge->to));
	list_del_init(&point->optimize);
}

static void set_optimizations(struct kunit *test, bool legal)
{
	struct kprobe_point *point = kunit_kzalloc(test, sizeof(*point), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, point);
	for (i = 0; i < ARRAY_SIZE(edges); i++)
		if (edges[i].legal == legal)
			set_optimization(test, point, &edges[i]);
}

static void optimization_set(struct kunit *test)
{
	set_optimizations(test, true);
}

/* The first of them in the life of a kernel warns. */
static void optimization_set_refused(struct kunit *test)
{
	pr_info("expect-splat-begin: WARNING: .* kprobe_point_set_optimization\n");
	set_optimizations(test, false);
	pr_info("expect-splat-end\n");
}

/* The way of a point */

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

/* The optimizer works in the background. */
static void expect_waiting(struct kunit *test, const struct kprobes_counter *c)
{
	int patience = 500;

	while (optimization_of(c) == QUEUED && patience--)
		msleep(20);
	KUNIT_EXPECT_EQ(test, optimization_of(c), WAITING);
}

static void way_to_a_jump(struct kunit *test)
{
	struct kprobes_hold *hold = kprobes_hold(test);
	struct kprobes_counter *c;

	kprobes_hold_optimizer(true);
	c = kprobes_counting(test, &plain);
	KUNIT_EXPECT_EQ(test, optimization_of(c), QUEUED);
	KUNIT_EXPECT_EQ(test, verdict_of(c), KPROBE_VERDICT_NONE);
	kprobes_hold_optimizer(false);
	expect_waiting(test, c);
	KUNIT_EXPECT_EQ(test, verdict_of(c), KPROBE_VERDICT_POSSIBLE);
	kprobes_release(hold);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, optimization_of(c), IDLE);
	kprobes_expect_mechanism(test, c, KPROBE_JUMP, "after the grace period");
}

/* Whatever the optimizer had to do, nothing is left of it. */
static void way_is_left(struct kunit *test)
{
	struct kprobes_hold *hold = kprobes_hold(test);
	struct kprobes_counter *c;

	kprobes_hold_optimizer(true);
	c = kprobes_counting(test, &plain);
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&c->kp));
	KUNIT_EXPECT_EQ(test, optimization_of(c), IDLE);
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&c->kp));
	KUNIT_EXPECT_EQ(test, optimization_of(c), QUEUED);
	kprobes_hold_optimizer(false);
	expect_waiting(test, c);
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&c->kp));
	KUNIT_EXPECT_EQ(test, optimization_of(c), IDLE);
	kprobes_release(hold);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, optimization_of(c), IDLE);
	kprobes_expect_mechanism(test, c, KPROBES_BARE, "disabled");
}

static void verdict_is_kept(struct kunit *test)
{
	static const struct kprobes_place landed = { .symbol = "kprobes_opt_landed" };
	struct kprobes_counter *c = kprobes_counting(test, &landed);

	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, optimization_of(c), IDLE);
	KUNIT_EXPECT_EQ(test, verdict_of(c), KPROBE_VERDICT_IMPOSSIBLE);
}

/* Without what other suites have left of the same points. */
static int state_init(struct kunit *test)
{
	wait_for_kprobe_optimizer();
	return 0;
}

static void state_exit(struct kunit *test)
{
	kprobes_hold_optimizer(false);
}

static struct kunit_case state_cases[] = {
	KUNIT_CASE_PARAM(optimization_edge, edges_gen_params),
	KUNIT_CASE(optimization_set),
	KUNIT_CASE(optimization_set_refused),
	KUNIT_CASE(way_to_a_jump),
	KUNIT_CASE(way_is_left),
	KUNIT_CASE(verdict_is_kept),
	{}
};

static struct kunit_suite state_suite = {
	.name = "kprobes_optimize_state",
	.init = state_init,
	.exit = state_exit,
	.test_cases = state_cases,
};

kunit_test_suite(state_suite);

MODULE_DESCRIPTION("KUnit tests of what the optimizer has to do for a point");
MODULE_LICENSE("GPL");
