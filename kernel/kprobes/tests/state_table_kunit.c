// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of the tables of states: which edges of enum kprobe_point_state and enum
 * kprobe_optimization are legal, and that the setters take no others.
 */
#include <kunit/test.h>
#include <linux/kprobe_point.h>

#include "../mechanism.h"
#include "../point.h"

struct edge;

/**
 * struct state_table - an enum of states and its setter
 * @name:       what the state is of
 * @setter:     name of the function that warns of illegal edges, or whose call of the warning is
 *              the last that one does
 * @may_become: whether the table has the edge
 * @move:       calls the setter for the edge; returns the state after that
 */
struct state_table {
	const char *name;
	const char *setter;
	bool (*may_become)(const struct edge *edge);
	unsigned int (*move)(struct kunit *test, const struct edge *edge,
			     struct kprobe_point *point);
};

/**
 * struct edge - two states of a table
 * @name:  of table and states
 * @table: the table
 * @from:  the state before
 * @to:    the state after
 * @legal: whether the setter must take the edge
 */
struct edge {
	const char *name;
	const struct state_table *table;
	unsigned int from;
	unsigned int to;
	bool legal;
};

static bool point_may_become(const struct edge *edge)
{
	return kprobe_point_may_become(edge->from, edge->to);
}

/* The point is in no table and on no list. */
static unsigned int move_point(struct kunit *test, const struct edge *edge,
			       struct kprobe_point *point)
{
	guard(mutex)(&kprobe_mutex);
	point->state = edge->from;
	kprobe_point_set_state(point, edge->to);
	return point->state;
}

static const struct state_table point_table = {
	.name = "point",
	.setter = "(kprobe_point_set_state|move_point)",
	.may_become = point_may_become,
	.move = move_point,
};

#define POINT(before, after, is_legal) {			\
	.name = "point " #before " to " #after,			\
	.table = &point_table,					\
	.from = KPROBE_POINT_##before,				\
	.to = KPROBE_POINT_##after,				\
	.legal = is_legal,					\
}

static bool optimization_may_become(const struct edge *edge)
{
	return kprobe_optimization_may_become(edge->from, edge->to);
}

/* The optimizer does not see the point: kprobe_mutex is held while it is in a list. */
static unsigned int move_optimization(struct kunit *test, const struct edge *edge,
				      struct kprobe_point *point)
{
	guard(mutex)(&kprobe_mutex);
	INIT_LIST_HEAD(&point->optimize);
	point->optimization = edge->from;
	kprobe_point_set_optimization(point, edge->to);
	KUNIT_EXPECT_EQ_MSG(test, edge->legal && edge->to != KPROBE_OPT_IDLE,
			    !list_empty(&point->optimize), "%s", edge->name);
	list_del_init(&point->optimize);
	return point->optimization;
}

static const struct state_table optimization_table = {
	.name = "optimization",
	.setter = "(kprobe_point_set_optimization|move_optimization)",
	.may_become = optimization_may_become,
	.move = move_optimization,
};

#define OPTIMIZATION(before, after, is_legal) {			\
	.name = "optimization " #before " to " #after,		\
	.table = &optimization_table,				\
	.from = KPROBE_OPT_##before,				\
	.to = KPROBE_OPT_##after,				\
	.legal = is_legal,					\
}

static const struct edge edges[] = {
	POINT(IDLE, IDLE, false),
	POINT(IDLE, ARMED, true),
	POINT(IDLE, DISARM_PENDING, false),
	POINT(IDLE, GONE, true),
	POINT(ARMED, IDLE, true),
	POINT(ARMED, ARMED, false),
	POINT(ARMED, DISARM_PENDING, true),
	POINT(ARMED, GONE, true),
	POINT(DISARM_PENDING, IDLE, true),
	POINT(DISARM_PENDING, ARMED, true),
	POINT(DISARM_PENDING, DISARM_PENDING, false),
	POINT(DISARM_PENDING, GONE, true),
	POINT(GONE, IDLE, false),
	POINT(GONE, ARMED, false),
	POINT(GONE, DISARM_PENDING, false),
	POINT(GONE, GONE, false),
	OPTIMIZATION(IDLE, IDLE, false),
	OPTIMIZATION(IDLE, QUEUED, true),
	OPTIMIZATION(IDLE, WAITING, false),
	OPTIMIZATION(QUEUED, IDLE, true),
	OPTIMIZATION(QUEUED, QUEUED, false),
	OPTIMIZATION(QUEUED, WAITING, true),
	OPTIMIZATION(WAITING, IDLE, true),
	OPTIMIZATION(WAITING, QUEUED, false),
	OPTIMIZATION(WAITING, WAITING, false),
};

static_assert(ARRAY_SIZE(edges) == KPROBE_POINT_STATES * KPROBE_POINT_STATES +
				   KPROBE_OPT_STATES * KPROBE_OPT_STATES);

KUNIT_ARRAY_PARAM_DESC(edges, edges, name);

static void state_edge(struct kunit *test)
{
	const struct edge *edge = test->param_value;

	KUNIT_EXPECT_EQ(test, edge->legal, edge->table->may_become(edge));
}

static const struct state_table *const tables[] = {
	&point_table,
	&optimization_table,
};

static void describe_table(const struct state_table *const *table, char *text)
{
	strscpy(text, (*table)->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(tables, tables, describe_table);

static void take_edges(struct kunit *test, const struct state_table *table, bool legal)
{
	struct kprobe_point *point = kunit_kzalloc(test, sizeof(*point), GFP_KERNEL);
	const struct edge *edge;

	KUNIT_ASSERT_NOT_NULL(test, point);
	for (edge = edges; edge < edges + ARRAY_SIZE(edges); edge++)
		if (edge->table == table && edge->legal == legal)
			KUNIT_EXPECT_EQ_MSG(test, legal ? edge->to : edge->from,
					    table->move(test, edge, point), "%s",
					    edge->name);
}

static void state_set(struct kunit *test)
{
	const struct state_table *const *table = test->param_value;

	take_edges(test, *table, true);
}

/* Only the first illegal edge since boot warns. */
static void state_set_refused(struct kunit *test)
{
	const struct state_table *const *table = test->param_value;

	pr_info("expect-splat-begin: WARNING: .* %s\n", (*table)->setter);
	take_edges(test, *table, false);
	pr_info("expect-splat-end\n");
}

static struct kunit_case state_table_cases[] = {
	KUNIT_CASE_PARAM(state_edge, edges_gen_params),
	KUNIT_CASE_PARAM(state_set, tables_gen_params),
	KUNIT_CASE_PARAM(state_set_refused, tables_gen_params),
	{}
};

static struct kunit_suite state_table_suite = {
	.name = "kprobes_state_table",
	.test_cases = state_table_cases,
};

kunit_test_suite(state_table_suite);
