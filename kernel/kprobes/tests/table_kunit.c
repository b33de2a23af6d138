// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of the table of points: while points come and go, readers without a lock find those that
 * stay. The first registration fails if there is no memory for the table.
 */
#include <kunit/test.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobe_point.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sizes.h>

#include "../point.h"
#include "../table.h"
#include "targets.h"
#include "waits.h"

#define READERS		3

/* Addresses of points that exist in the table only: not text, so nobody executes them. */
#define FIRST_ADDR	0x1000UL

/* How many points there are, and how often they come and go. */
#define SPREAD		400
#define IN_A_CHAIN	40
#define ROUNDS		20

/**
 * struct crowd - points that are in the table and nowhere else, and threads that look them up
 * @points: the points; those with even numbers stay
 * @in:     for each whether it is in the table
 * @nr:     how many
 * @task:   the threads
 * @rounds: how often they have looked up all that stay
 * @lost:   how often such a point was not found
 * @wrong:  how often another point than that of the address was found
 */
struct crowd {
	struct kprobe_point *points;
	bool *in;
	unsigned int nr;
	struct task_struct *task[READERS];
	atomic_long_t rounds;
	atomic_long_t lost;
	atomic_long_t wrong;
};

static void look_up(struct crowd *crowd, unsigned int i)
{
	struct kprobe_point *point;

	guard(rcu)();
	point = kprobe_point_lookup(crowd->points[i].addr);
	if (!point && i % 2 == 0)
		atomic_long_inc(&crowd->lost);
	else if (point && point != &crowd->points[i])
		atomic_long_inc(&crowd->wrong);
}

static int read_table(void *data)
{
	struct crowd *crowd = data;
	unsigned int i;

	while (!kthread_should_stop()) {
		for (i = 0; i < crowd->nr; i++) {
			look_up(crowd, i);
			cond_resched();
		}
		atomic_long_inc(&crowd->rounds);
	}
	return 0;
}

static void stop_readers(void *data)
{
	struct crowd *crowd = data;
	unsigned int i;

	for (i = 0; i < READERS; i++) {
		if (crowd->task[i])
			kthread_stop(crowd->task[i]);
		crowd->task[i] = NULL;
	}
}

static void start_readers(struct kunit *test, struct crowd *crowd)
{
	struct task_struct *task;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, stop_readers, crowd));
	for (i = 0; i < READERS; i++) {
		task = kthread_run(read_table, crowd, "kprobe_reader/%u", i);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
		crowd->task[i] = task;
	}
}

/* Waits until each reader has looked up all points in the present table. */
static void wait_for_rounds(struct kunit *test, struct crowd *crowd)
{
	long goal = atomic_long_read(&crowd->rounds) + 2 * READERS;

	KPROBES_ASSERT_SOON(test, atomic_long_read(&crowd->rounds) >= goal);
}

/* Puts a point into the table, or takes it out. */
static void turn(struct crowd *crowd, unsigned int i)
{
	guard(mutex)(&kprobe_mutex);
	if (crowd->in[i])
		kprobe_table_remove(&crowd->points[i]);
	else
		kprobe_table_insert(&crowd->points[i]);
	crowd->in[i] = !crowd->in[i];
}

static void dissolve(void *data)
{
	struct crowd *crowd = data;
	unsigned int i;

	for (i = 0; i < crowd->nr; i++)
		if (crowd->in[i])
			turn(crowd, i);
	synchronize_rcu();
}

static struct crowd *new_crowd(struct kunit *test, unsigned int nr, bool in_a_chain)
{
	struct crowd *crowd = kunit_kzalloc(test, sizeof(*crowd), GFP_KERNEL);
	unsigned long addr = FIRST_ADDR;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, crowd);
	crowd->nr = nr;
	crowd->points = kunit_kcalloc(test, nr, sizeof(*crowd->points), GFP_KERNEL);
	crowd->in = kunit_kcalloc(test, nr, sizeof(*crowd->in), GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, crowd->points && crowd->in);
	scoped_guard(mutex, &kprobe_mutex)
		KUNIT_ASSERT_EQ(test, 0, kprobe_table_alloc());
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, dissolve, crowd));
	for (i = 0; i < nr; i++, addr += 3) {
		while (in_a_chain && kprobe_chain(addr) != kprobe_chain(FIRST_ADDR))
			addr++;
		crowd->points[i].addr = addr;
		crowd->points[i].site = addr;
		crowd->points[i].key = addr;
		turn(crowd, i);
	}
	return crowd;
}

static unsigned int count_wrong(struct crowd *crowd)
{
	unsigned int i, wrong = 0;

	guard(mutex)(&kprobe_mutex);
	for (i = 0; i < crowd->nr; i++) {
		struct kprobe_point *point = &crowd->points[i];
		struct kprobe_point *found = crowd->in[i] ? point : NULL;

		wrong += kprobe_point_lookup(point->addr) != found;
		wrong += kprobe_table_find(point->site) != found;
		wrong += !!kprobe_point_lookup(point->addr + 1);
	}
	return wrong;
}

/* A third of the points that do not stay comes and goes at a time. */
static void churn(struct kunit *test, struct crowd *crowd)
{
	unsigned int round, i;

	KUNIT_EXPECT_EQ(test, 0, count_wrong(crowd));
	start_readers(test, crowd);
	for (round = 0; round < ROUNDS; round++) {
		for (i = 1; i < crowd->nr; i += 2)
			if (i % 3 == round % 3)
				turn(crowd, i);
		KUNIT_EXPECT_EQ(test, 0, count_wrong(crowd));
		/* Readers may use removed points until here; the test does not free them. */
		synchronize_rcu();
	}
	wait_for_rounds(test, crowd);
	stop_readers(crowd);
	KUNIT_EXPECT_EQ(test, 0, atomic_long_read(&crowd->lost));
	KUNIT_EXPECT_EQ(test, 0, atomic_long_read(&crowd->wrong));
}

static void table_churns(struct kunit *test)
{
	churn(test, new_crowd(test, SPREAD, false));
}

/* The first, the last and those in between are removed. */
static void table_churns_in_a_chain(struct kunit *test)
{
	struct crowd *crowd = new_crowd(test, IN_A_CHAIN, true);

	churn(test, crowd);
	dissolve(crowd);
	KUNIT_EXPECT_EQ(test, 0, count_wrong(crowd));
}

/* A reader at a point that is removed finds those after it. */
static void table_keeps_links(struct kunit *test)
{
	struct crowd *crowd = new_crowd(test, 3, true);
	struct kprobe_point *point = &crowd->points[1];

	turn(crowd, 1);
	KUNIT_EXPECT_PTR_EQ(test, point->next, &crowd->points[0]);
	KUNIT_EXPECT_EQ(test, 0, count_wrong(crowd));
}

/* A small machine spends little, and on a large one chains are short. */
static void table_fits_machine(struct kunit *test)
{
	unsigned long chains = 1UL << (BITS_PER_LONG - kprobe_table.shift);
	u64 memory = (u64)totalram_pages() * PAGE_SIZE;

	KUNIT_EXPECT_GE(test, chains, 1024);
	KUNIT_EXPECT_LE(test, chains, 128 * 1024);
	if (chains > 1024)
		KUNIT_EXPECT_LT(test, (u64)chains * SZ_8K, memory);
	if (chains < 128 * 1024)
		KUNIT_EXPECT_GE(test, (u64)chains * SZ_16K, memory);
}

static bool has_points_in_use(void)
{
	struct kprobe_point *point;
	unsigned long addr = 0;

	guard(mutex)(&kprobe_mutex);
	while ((point = kprobe_point_next(&addr, ULONG_MAX)))
		if (!list_empty(&point->probes) || kprobe_point_in_text(point))
			return true;
	return false;
}

/* As if nothing had been registered yet, on a machine with more memory than there can be. */
static void table_without_memory(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counter(test, kprobes_place(0));
	struct kprobe_table table = kprobe_table;
	int ret;

	wait_for_kprobe_optimizer();
	if (has_points_in_use())
		kunit_skip(test, "there are probes");
	WRITE_ONCE(kprobe_table.first, NULL);
	synchronize_rcu();
	kprobe_table.shift = 1;
	ret = register_kprobe(&c->kp);
	kprobe_table.shift = table.shift;
	synchronize_rcu();
	smp_store_release(&kprobe_table.first, table.first); /* as in kprobe_table_alloc() */
	KUNIT_EXPECT_EQ(test, -ENOMEM, ret);
	kprobes_expect_off(test, &c->kp);
	KUNIT_EXPECT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_expect_targets(test, 1);
	kprobes_expect_counts(test, c, 1, 1);
}

static struct kunit_case table_cases[] = {
	KUNIT_CASE(table_churns),
	KUNIT_CASE(table_churns_in_a_chain),
	KUNIT_CASE(table_keeps_links),
	KUNIT_CASE(table_fits_machine),
	KUNIT_CASE(table_without_memory),
	{}
};

static struct kunit_suite table_suite = {
	.name = "kprobes_table",
	.test_cases = table_cases,
};

kunit_test_suite(table_suite);

MODULE_DESCRIPTION("KUnit tests of the table of probe points");
MODULE_LICENSE("GPL");
