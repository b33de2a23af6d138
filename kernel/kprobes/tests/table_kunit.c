// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of the table of points: while points come and go and the table grows,
 * readers without a lock find the points that are in it, and no others.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kallsyms.h>
#include <linux/kprobe_arch.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <asm/sections.h>

#include "../debugfs_file.h"
#include "../table.h"
#include "waits.h"

#define READERS		3

/* Addresses of points that exist in the table only: not text, so nobody executes them. */
#define FIRST_ADDR	0x1000UL
#define ADDR_STEP	3

/* How many functions of the kernel are probed. */
#define FUNCTIONS	400

/* How many points are inserted and removed in turns. */
#define CHURNERS	400

/* The table never shrinks: how far the tests let it grow. */
#define MAX_BITS	16

/**
 * struct watched - an address that readers look up
 * @addr:    the address
 * @version: odd while a point is inserted or removed; bit 1 tells whether it is in the table
 */
struct watched {
	unsigned long addr;
	unsigned int version;
};

#define VERSION_CHANGING	1
#define VERSION_PRESENT		2

/**
 * struct readers - threads that look up all watched addresses, over and over
 * @watched: the addresses
 * @nr:      how many of them; grows during a test
 * @task:    the threads
 * @rounds:  how often they have been through
 * @lost:    how often a point that was there was not found
 * @ghosts:  how often a point was found that was not there
 * @wrong:   how often a point of another address was found
 */
struct readers {
	struct watched *watched;
	unsigned int nr;
	struct task_struct *task[READERS];
	atomic_long_t rounds;
	atomic_long_t lost;
	atomic_long_t ghosts;
	atomic_long_t wrong;
};

static void look_up(struct readers *readers, struct watched *w)
{
	unsigned int version = smp_load_acquire(&w->version); /* end_change() */
	struct kprobe_point *point;
	bool found;

	scoped_guard(rcu) {
		point = kprobe_point_lookup(w->addr);
		found = point;
		if (point && point->addr != w->addr)
			atomic_long_inc(&readers->wrong);
	}
	smp_rmb();	/* pairs with begin_change() */
	if (READ_ONCE(w->version) != version || version & VERSION_CHANGING)
		return;
	if (found && !(version & VERSION_PRESENT))
		atomic_long_inc(&readers->ghosts);
	if (!found && version & VERSION_PRESENT)
		atomic_long_inc(&readers->lost);
}

static void begin_change(struct watched *w)
{
	WRITE_ONCE(w->version, w->version + 1);
	smp_wmb();	/* pairs with look_up() */
}

static void end_change(struct watched *w)
{
	/* The change is visible before the version: pairs with look_up(). */
	smp_store_release(&w->version, w->version + 1);
}

static int read_table(void *data)
{
	struct readers *readers = data;
	unsigned int i, nr;

	while (!kthread_should_stop()) {
		nr = smp_load_acquire(&readers->nr); /* watch_one_more() */
		for (i = 0; i < nr && !kthread_should_stop(); i++) {
			look_up(readers, &readers->watched[i]);
			cond_resched();
		}
		atomic_long_inc(&readers->rounds);
		cond_resched();
	}
	return 0;
}

static void stop_readers(void *data)
{
	struct readers *readers = data;
	unsigned int i;

	for (i = 0; i < READERS; i++) {
		if (readers->task[i])
			kthread_stop(readers->task[i]);
		readers->task[i] = NULL;
	}
}

static struct readers *start_readers(struct kunit *test, unsigned int max)
{
	struct readers *readers = kunit_kzalloc(test, sizeof(*readers), GFP_KERNEL);
	struct task_struct *task;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, readers);
	readers->watched = kunit_kcalloc(test, max, sizeof(*readers->watched), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, readers->watched);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, stop_readers, readers));
	for (i = 0; i < READERS; i++) {
		task = kthread_run(read_table, readers, "kprobe_reader/%u", i);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
		readers->task[i] = task;
	}
	return readers;
}

/* Waits until every reader has looked up all addresses in the present table. */
static void wait_for_rounds(struct kunit *test, struct readers *readers)
{
	long goal = atomic_long_read(&readers->rounds) + 2 * READERS;

	KPROBES_ASSERT_SOON(test, atomic_long_read(&readers->rounds) >= goal);
}

static void expect_readers_content(struct kunit *test, struct readers *readers)
{
	wait_for_rounds(test, readers);
	stop_readers(readers);
	KUNIT_EXPECT_EQ(test, 0, atomic_long_read(&readers->lost));
	KUNIT_EXPECT_EQ(test, 0, atomic_long_read(&readers->ghosts));
	KUNIT_EXPECT_EQ(test, 0, atomic_long_read(&readers->wrong));
}

static void watch_one_more(struct readers *readers, unsigned long addr,
			   unsigned int version)
{
	readers->watched[readers->nr].addr = addr;
	readers->watched[readers->nr].version = version;
	smp_store_release(&readers->nr, readers->nr + 1); /* read_table() */
}

/* Points of the table alone */

/**
 * struct crowd - points that are in the table and nowhere else
 * @readers: threads that look them up
 * @points:  the points
 * @in:      for each whether it is in the table
 * @nr:      how many were made
 * @max:     how many can be made
 */
struct crowd {
	struct readers *readers;
	struct kprobe_point *points;
	bool *in;
	unsigned int nr;
	unsigned int max;
};

static unsigned int table_bits(void)
{
	lockdep_assert_held(&kprobe_mutex);
	return rcu_dereference_protected(kprobe_buckets,
					 lockdep_is_held(&kprobe_mutex))->bits;
}

static void insert(struct crowd *crowd, unsigned int i)
{
	begin_change(&crowd->readers->watched[i]);
	kprobe_table_insert(&crowd->points[i]);
	end_change(&crowd->readers->watched[i]);
	crowd->in[i] = true;
}

static void remove(struct crowd *crowd, unsigned int i)
{
	begin_change(&crowd->readers->watched[i]);
	kprobe_table_remove(&crowd->points[i]);
	end_change(&crowd->readers->watched[i]);
	crowd->in[i] = false;
}

static void insert_one_more(struct crowd *crowd)
{
	struct kprobe_point *point = &crowd->points[crowd->nr];

	point->addr = FIRST_ADDR + crowd->nr * ADDR_STEP;
	point->site = point->addr;
	point->key = point->site;
	watch_one_more(crowd->readers, point->addr, 0);
	insert(crowd, crowd->nr++);
}

static void dissolve(void *data)
{
	struct crowd *crowd = data;
	unsigned int i;

	mutex_lock(&kprobe_mutex);
	for (i = 0; i < crowd->nr; i++)
		if (crowd->in[i])
			remove(crowd, i);
	mutex_unlock(&kprobe_mutex);
	synchronize_rcu();
}

/* Makes a crowd that is large enough to let the table grow so many times. */
static void free_points(void *points)
{
	kvfree(points);
}

static struct crowd *new_crowd(struct kunit *test, unsigned int growths)
{
	struct crowd *crowd = kunit_kzalloc(test, sizeof(*crowd), GFP_KERNEL);
	unsigned int bits;

	mutex_lock(&kprobe_mutex);
	bits = table_bits();
	mutex_unlock(&kprobe_mutex);
	if (bits + growths > MAX_BITS)
		kunit_skip(test, "the table has 2^%u chains already", bits);

	KUNIT_ASSERT_NOT_NULL(test, crowd);
	crowd->max = 2U << (bits + growths);
	crowd->points = kvcalloc(crowd->max, sizeof(*crowd->points), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, crowd->points);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_points,
							   crowd->points));
	crowd->in = kunit_kcalloc(test, crowd->max, sizeof(*crowd->in), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, crowd->in);
	crowd->readers = start_readers(test, crowd->max);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, dissolve, crowd));
	return crowd;
}

/*
 * Holds kprobe_mutex from the growth on, so that no generation is freed meanwhile. It may
 * have to wait for the one before to be freed. Returns whether the table has grown.
 */
static bool insert_until_grown(struct crowd *crowd)
{
	unsigned int bits = table_bits(), patience = 1000;

	while (table_bits() == bits && patience--) {
		while (table_bits() == bits && crowd->nr <= 1U << bits)
			insert_one_more(crowd);
		if (table_bits() > bits)
			break;
		mutex_unlock(&kprobe_mutex);
		msleep(20);
		mutex_lock(&kprobe_mutex);
		kprobe_table_reserve(1);
	}
	return table_bits() > bits;
}

static unsigned int count_wrong(struct crowd *crowd)
{
	unsigned int i, wrong = 0;

	for (i = 0; i < crowd->nr; i++) {
		struct kprobe_point *point = &crowd->points[i];

		wrong += kprobe_point_lookup(point->addr) !=
			 (crowd->in[i] ? point : NULL);
		wrong += !!kprobe_point_lookup(point->addr + 1);
	}
	return wrong;
}

static unsigned int count_wrong_locked(struct crowd *crowd)
{
	guard(mutex)(&kprobe_mutex);
	return count_wrong(crowd);
}

/* The table can grow only after the previous generation was freed. */
static void table_grows(struct kunit *test)
{
	unsigned long patience = jiffies + 60 * HZ;
	struct crowd *crowd = new_crowd(test, 2);
	unsigned int bits, goal;

	mutex_lock(&kprobe_mutex);
	bits = table_bits();
	mutex_unlock(&kprobe_mutex);
	goal = bits + 2;
	while (bits < goal && crowd->nr < crowd->max && time_before(jiffies, patience)) {
		mutex_lock(&kprobe_mutex);
		/* If the table must grow, wait until it can. */
		if (crowd->nr <= 1U << table_bits())
			insert_one_more(crowd);
		else
			kprobe_table_reserve(1);
		bits = table_bits();
		mutex_unlock(&kprobe_mutex);
		if (crowd->nr > 1U << bits)
			msleep(20);
		cond_resched();
	}
	KUNIT_EXPECT_GE(test, bits, goal);
	KUNIT_EXPECT_EQ(test, 0, count_wrong_locked(crowd));
	expect_readers_content(test, crowd->readers);
}

/* Reserves room. Returns whether the table has grown for that. */
static bool reserves(unsigned int more)
{
	unsigned int bits;

	guard(mutex)(&kprobe_mutex);
	bits = table_bits();
	kprobe_table_reserve(more);
	return table_bits() > bits;
}

static void table_reserves_at_once(struct kunit *test)
{
	struct crowd *crowd = new_crowd(test, 1);
	unsigned int bits, more, i;

	mutex_lock(&kprobe_mutex);
	bits = table_bits();
	mutex_unlock(&kprobe_mutex);
	more = (1U << bits) + 1;
	KPROBES_EXPECT_SOON(test, reserves(more));
	mutex_lock(&kprobe_mutex);
	KUNIT_EXPECT_EQ(test, bits + 1, table_bits());
	/* The reserved points fit, so the table does not grow again. */
	for (i = 0; i < more; i++)
		insert_one_more(crowd);
	KUNIT_EXPECT_LE(test, table_bits(), bits + 2);
	KUNIT_EXPECT_EQ(test, 0, count_wrong(crowd));
	mutex_unlock(&kprobe_mutex);
	expect_readers_content(test, crowd->readers);
}

/* While readers may be in the old generation, points are removed from both. */
static void table_removes_during_growth(struct kunit *test)
{
	struct crowd *crowd = new_crowd(test, 1);
	unsigned int i;

	mutex_lock(&kprobe_mutex);
	KUNIT_EXPECT_TRUE(test, insert_until_grown(crowd));
	for (i = 0; i < crowd->nr; i += 2)
		remove(crowd, i);
	KUNIT_EXPECT_EQ(test, 0, count_wrong(crowd));
	for (i = 0; i < crowd->nr; i += 4)
		insert(crowd, i);
	KUNIT_EXPECT_EQ(test, 0, count_wrong(crowd));
	for (i = 0; i < crowd->nr; i += 8)
		remove(crowd, i);
	KUNIT_EXPECT_EQ(test, 0, count_wrong(crowd));
	mutex_unlock(&kprobe_mutex);
	expect_readers_content(test, crowd->readers);
}

/* A new generation uses the links of the last but one. */
static void table_removes_after_growth(struct kunit *test)
{
	struct crowd *crowd = new_crowd(test, 2);
	unsigned int round, i;

	for (round = 0; round < 2; round++) {
		mutex_lock(&kprobe_mutex);
		KUNIT_EXPECT_TRUE(test, insert_until_grown(crowd));
		mutex_unlock(&kprobe_mutex);
		/* The old generation is freed after a grace period. */
		synchronize_rcu();
		msleep(100);
		mutex_lock(&kprobe_mutex);
		for (i = round; i < crowd->nr; i += 3)
			if (crowd->in[i])
				remove(crowd, i);
		KUNIT_EXPECT_EQ(test, 0, count_wrong(crowd));
		for (i = round; i < crowd->nr; i += 3)
			insert(crowd, i);
		KUNIT_EXPECT_EQ(test, 0, count_wrong(crowd));
		mutex_unlock(&kprobe_mutex);
	}
	expect_readers_content(test, crowd->readers);
}

static void table_churns(struct kunit *test)
{
	struct crowd *crowd = new_crowd(test, 0);
	unsigned int round, i;

	mutex_lock(&kprobe_mutex);
	while (crowd->nr < CHURNERS && crowd->nr < crowd->max)
		insert_one_more(crowd);
	mutex_unlock(&kprobe_mutex);
	for (round = 0; round < 20; round++) {
		for (i = round % 3; i < crowd->nr; i += 3) {
			mutex_lock(&kprobe_mutex);
			if (crowd->in[i])
				remove(crowd, i);
			else
				insert(crowd, i);
			mutex_unlock(&kprobe_mutex);
		}
		/* Readers may use removed points until here; the test does not free them. */
		synchronize_rcu();
	}
	KUNIT_EXPECT_EQ(test, 0, count_wrong_locked(crowd));
	expect_readers_content(test, crowd->readers);
}

/* Points of probes */

/**
 * struct functions - disabled probes on functions of the kernel
 * @readers: threads that look them up
 * @probes:  the probes
 * @batch:   pointers to them
 * @nr:      how many
 */
struct functions {
	struct readers *readers;
	struct kprobe *probes;
	struct kprobe **batch;
	unsigned int nr;
};

static void unregister_functions(void *data)
{
	struct functions *f = data;

	unregister_kprobes(f->batch, f->nr);
}

/* Returns the address to go on at. */
static unsigned long probe_function(struct functions *f, unsigned long addr)
{
	struct kprobe *p = &f->probes[f->nr];
	unsigned long size, offset;

	if (!kallsyms_lookup_size_offset(addr, &size, &offset))
		return addr + 1;
	p->addr = (kprobe_opcode_t *)addr;
	p->flags = KPROBE_FLAG_DISABLED;
	if (!register_kprobe(p)) {
		f->batch[f->nr++] = p;
		watch_one_more(f->readers, (unsigned long)p->addr, VERSION_PRESENT);
	}
	cond_resched();
	return addr + size - offset;
}

static struct functions *probe_functions(struct kunit *test)
{
	struct functions *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	unsigned long addr = (unsigned long)_stext;

	KUNIT_ASSERT_NOT_NULL(test, f);
	f->probes = kunit_kcalloc(test, FUNCTIONS, sizeof(*f->probes), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, f->probes);
	f->batch = kunit_kcalloc(test, FUNCTIONS, sizeof(*f->batch), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, f->batch);
	f->readers = start_readers(test, FUNCTIONS);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, unregister_functions, f));
	while (addr < (unsigned long)_etext && f->nr < FUNCTIONS)
		addr = probe_function(f, addr);
	KUNIT_ASSERT_EQ(test, f->nr, FUNCTIONS);
	return f;
}

static void begin_change_of_all(struct functions *f)
{
	unsigned int i;

	for (i = 0; i < f->nr; i++)
		begin_change(&f->readers->watched[i]);
}

static void end_change_of_all(struct functions *f)
{
	unsigned int i;

	for (i = 0; i < f->nr; i++)
		end_change(&f->readers->watched[i]);
}

static unsigned int count_found(struct functions *f)
{
	unsigned int i, found = 0;

	guard(preempt)();
	for (i = 0; i < f->nr; i++)
		found += get_kprobe(f->probes[i].addr) == &f->probes[i];
	return found;
}

/* One by one first, then as batches. */
static void table_of_functions(struct kunit *test)
{
	struct functions *f = probe_functions(test);
	unsigned int round;

	KUNIT_EXPECT_EQ(test, f->nr, count_found(f));
	for (round = 0; round < 3; round++) {
		wait_for_rounds(test, f->readers);
		begin_change_of_all(f);
		unregister_kprobes(f->batch, f->nr);
		end_change_of_all(f);
		KUNIT_EXPECT_EQ(test, 0, count_found(f));

		wait_for_rounds(test, f->readers);
		begin_change_of_all(f);
		KUNIT_ASSERT_EQ(test, 0, register_kprobes(f->batch, f->nr));
		end_change_of_all(f);
		KUNIT_EXPECT_EQ(test, f->nr, count_found(f));
	}
	expect_readers_content(test, f->readers);
}

static struct kunit_case table_cases[] = {
	KUNIT_CASE(table_grows),
	KUNIT_CASE(table_reserves_at_once),
	KUNIT_CASE(table_removes_during_growth),
	KUNIT_CASE(table_removes_after_growth),
	KUNIT_CASE(table_churns),
	KUNIT_CASE_SLOW(table_of_functions),
	{}
};

static struct kunit_suite table_suite = {
	.name = "kprobes_table",
	.test_cases = table_cases,
};

kunit_test_suite(table_suite);

MODULE_DESCRIPTION("KUnit tests of the table of probe points");
MODULE_LICENSE("GPL");
