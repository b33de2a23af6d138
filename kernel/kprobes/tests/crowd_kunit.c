// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of large arrays of probes. Other tasks get their turn while they are registered.
 * Whatever these do to the same probes, no probe or breakpoint is left behind.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/kallsyms.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <asm/sections.h>

#include "../mechanism.h"
#include "../point.h"
#include "../register.h"
#include "targets.h"
#include "waits.h"

/* So many that they are registered in several chunks. */
#define CROWD	1500
#define ROUNDS	10
/* How many are unregistered one by one while one RCU reader reads. */
#define READ_FOR	100

/**
 * struct crowd - many probes, spread over all places, and a task that registers them
 * @c:          the probes
 * @kps:        pointers to them, as the API wants them
 * @work:       for another task
 * @registered: how often registering all of them has succeeded
 * @refused:    how often it was refused because another task has registered them
 * @other:      how often it failed in any other way
 * @incomplete: how often it succeeded and not all were registered
 * @done:       the other task is done
 */
struct crowd {
	struct kprobes_counter *c;
	struct kprobe **kps;
	struct work_struct work;
	atomic_t registered;
	atomic_t refused;
	atomic_t other;
	atomic_t incomplete;
	bool done;
};

static struct crowd *new_crowd(struct kunit *test, work_func_t work)
{
	struct crowd *crowd = kunit_kzalloc(test, sizeof(*crowd), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, crowd);
	crowd->c = kunit_kcalloc(test, CROWD, sizeof(*crowd->c), GFP_KERNEL);
	crowd->kps = kunit_kcalloc(test, CROWD, sizeof(*crowd->kps), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, crowd->c);
	KUNIT_ASSERT_NOT_NULL(test, crowd->kps);
	for (i = 0; i < CROWD; i++) {
		const struct kprobes_place *place = kprobes_place(i % kprobes_places());
		struct kprobe *p = &crowd->c[i].kp;

		p->addr = (void *)kprobes_place_addr(place);
		p->pre_handler = kprobes_count_pre;
		crowd->kps[i] = p;
	}
	INIT_WORK(&crowd->work, work);
	return crowd;
}

static unsigned int count_registered(struct crowd *crowd)
{
	unsigned int i, n = 0;

	guard(mutex)(&kprobe_mutex);
	for (i = 0; i < CROWD; i++)
		n += kprobe_is_registered(crowd->kps[i]);
	return n;
}

/* There is neither a probe left, nor a breakpoint that no work item will remove. */
static void expect_nothing_left(struct kunit *test, struct crowd *crowd)
{
	unsigned int i, places = kprobes_places();

	KUNIT_EXPECT_EQ(test, count_registered(crowd), 0);
	kprobe_disarm_pending();
	guard(mutex)(&kprobe_mutex);
	for (i = 0; i < places; i++) {
		unsigned long addr = kprobes_place_addr(kprobes_place(i));
		struct kprobe_point *point = kprobe_point_lookup(addr);

		KUNIT_EXPECT_NULL(test, get_kprobe((void *)addr));
		if (point)
			KUNIT_EXPECT_FALSE(test, kprobe_point_in_text(point));
	}
}

/* Every call hits all probes of the place. */
static void crowd_is_hit(struct kunit *test)
{
	struct crowd *crowd = new_crowd(test, NULL);
	unsigned int i, wrong = 0;

	KUNIT_ASSERT_EQ(test, register_kprobes(crowd->kps, CROWD), 0);
	KUNIT_EXPECT_EQ(test, count_registered(crowd), CROWD);
	kprobes_expect_targets(test, 2);
	for (i = 0; i < CROWD; i++)
		wrong += atomic_read(&crowd->c[i].pre) != 2;
	KUNIT_EXPECT_EQ(test, wrong, 0);
	unregister_kprobes(crowd->kps, CROWD);
	expect_nothing_left(test, crowd);
	kprobes_expect_targets(test, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&crowd->c[CROWD - 1].pre), 2);
}

/* If the last probe is refused, all of them are as before. */
static void crowd_is_refused(struct kunit *test)
{
	struct crowd *crowd = new_crowd(test, NULL);
	struct kprobe *last = crowd->kps[CROWD - 1];
	void *first_addr = crowd->kps[0]->addr;

	last->addr = (void *)test;
	KUNIT_EXPECT_EQ(test, register_kprobes(crowd->kps, CROWD), -EINVAL);
	KUNIT_EXPECT_PTR_EQ(test, crowd->kps[0]->addr, first_addr);
	KUNIT_EXPECT_PTR_EQ(test, last->addr, (void *)test);
	expect_nothing_left(test, crowd);
	/* Nor can one be in it twice. */
	crowd->kps[CROWD - 1] = crowd->kps[0];
	KUNIT_EXPECT_EQ(test, register_kprobes(crowd->kps, CROWD), -EINVAL);
	expect_nothing_left(test, crowd);
	KUNIT_EXPECT_EQ(test, register_kprobes(crowd->kps, CROWD - 1), 0);
	unregister_kprobes(crowd->kps, CROWD - 1);
	expect_nothing_left(test, crowd);
}

static void come_and_go(struct crowd *crowd)
{
	unsigned int i;
	int ret;

	for (i = 0; i < ROUNDS; i++) {
		ret = register_kprobes(crowd->kps, CROWD);
		if (ret) {
			atomic_inc(ret == -EINVAL ? &crowd->refused : &crowd->other);
			continue;
		}
		atomic_inc(&crowd->registered);
		if (count_registered(crowd) != CROWD)
			atomic_inc(&crowd->incomplete);
		unregister_kprobes(crowd->kps, CROWD);
	}
}

static void come_and_go_elsewhere(struct work_struct *work)
{
	come_and_go(container_of(work, struct crowd, work));
}

/* Two tasks register the same probes: one of them gets all. */
static void crowd_is_wanted_twice(struct kunit *test)
{
	struct crowd *crowd = new_crowd(test, come_and_go_elsewhere);

	queue_work(system_unbound_wq, &crowd->work);
	come_and_go(crowd);
	flush_work(&crowd->work);
	KUNIT_EXPECT_GT(test, atomic_read(&crowd->registered), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&crowd->registered) +
			      atomic_read(&crowd->refused), 2 * ROUNDS);
	KUNIT_EXPECT_EQ(test, atomic_read(&crowd->incomplete), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&crowd->other), 0);
	expect_nothing_left(test, crowd);
}

static void come(struct crowd *crowd)
{
	if (!register_kprobes(crowd->kps, CROWD))
		atomic_inc(&crowd->registered);
	WRITE_ONCE(crowd->done, true);
}

static void come_and_tell(struct work_struct *work)
{
	come(container_of(work, struct crowd, work));
}

static void come_all(void *crowd)
{
	come(crowd);
}

/**
 * struct single - a probe that is registered while an array is
 * @c:     the probe
 * @crowd: the array
 * @ret:   what registering the probe has returned
 * @there: how many probes of the array were registered then
 */
struct single {
	struct kprobes_counter *c;
	struct crowd *crowd;
	int ret;
	unsigned int there;
};

/* Tries again as long as the array has not begun. */
static void come_between(void *data)
{
	struct single *single = data;
	struct kprobe *p = &single->c->kp;

	for (;;) {
		single->ret = register_kprobe(p);
		single->there = count_registered(single->crowd);
		if (single->ret || single->there)
			return;
		unregister_kprobe(p);
		p->addr = NULL;
		usleep_range(50, 100);
	}
}

/*
 * A task that registers one probe need not wait until a large array is registered. Both run on one
 * CPU: on another one, the array's task could have the mutex back before this one has woken up.
 * This one is a real-time task, because the scheduler may else let the array be registered first.
 */
static void crowd_lets_others_in(struct kunit *test)
{
	unsigned int cpu = kprobes_leave_cpu(test);
	struct single *single = kunit_kzalloc(test, sizeof(*single), GFP_KERNEL);
	struct kprobes_other *array, *one;
	struct crowd *crowd = new_crowd(test, NULL);

	KUNIT_ASSERT_NOT_NULL(test, single);
	single->crowd = crowd;
	single->c = kprobes_counter(test, kprobes_place(0));
	array = kprobes_other(test, come_all, crowd, cpu);
	one = kprobes_other(test, come_between, single, cpu);
	sched_set_fifo_low(one->task);
	/* The array's task waits for the mutex when the other one begins. */
	scoped_guard(mutex, &kprobe_mutex) {
		WRITE_ONCE(array->go, true);
		KUNIT_EXPECT_TRUE(test, kprobes_waits(array));
		WRITE_ONCE(one->go, true);
		KUNIT_EXPECT_TRUE(test, kprobes_waits(one));
	}
	KPROBES_EXPECT_SOON(test, READ_ONCE(one->done));
	KPROBES_EXPECT_SOON(test, READ_ONCE(array->done));
	kprobes_end_other(one);
	kprobes_end_other(array);
	KUNIT_EXPECT_EQ(test, single->ret, 0);
	KUNIT_EXPECT_GT(test, single->there, 0);
	KUNIT_EXPECT_LT(test, single->there, CROWD);
	KUNIT_EXPECT_EQ(test, atomic_read(&crowd->registered), 1);
	unregister_kprobe(&single->c->kp);
	unregister_kprobes(crowd->kps, CROWD);
	expect_nothing_left(test, crowd);
}

/*
 * A probe is unregistered, registered, and unregistered once more before its point was
 * committed, as when a later probe of its chunk is refused. The point is disarmed.
 */
static void crowd_leaves_twice(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counting(test, kprobes_place(0));
	unsigned long addr = (unsigned long)c->kp.addr;
	struct kprobe_chunk chunk;

	unregister_kprobe(&c->kp);
	c->kp.symbol_name = NULL;
	c->kp.offset = 0;
	scoped_guard(mutex, &kprobe_mutex) {
		kprobe_chunk_init(&chunk);
		KUNIT_EXPECT_EQ(test, kprobe_add(&c->kp, false, &chunk), KPROBE_REASON_NONE);
		kprobe_batch_drop(&chunk.batch);
	}
	unregister_kprobe(&c->kp);
	kprobe_disarm_pending();
	guard(mutex)(&kprobe_mutex);
	KUNIT_EXPECT_PTR_EQ(test, kprobe_point_lookup(addr), NULL);
}

/* While probes are being registered, unregisters and disables some, and turns switches. */
static void crowd_is_disturbed(struct kunit *test)
{
	struct crowd *crowd = new_crowd(test, come_and_tell);
	unsigned int round = 0, i;

	/* By name: unregistering a probe that is not registered yet clears its address. */
	for (i = 0; i < CROWD; i++) {
		crowd->kps[i]->addr = NULL;
		crowd->kps[i]->symbol_name = kprobes_place(i % kprobes_places())->symbol;
		crowd->kps[i]->offset = kprobes_place(i % kprobes_places())->offset;
	}
	queue_work(system_unbound_wq, &crowd->work);
	while (!READ_ONCE(crowd->done)) {
		i = round++ * 7 % CROWD;
		unregister_kprobe(crowd->kps[i]);
		disable_kprobe(crowd->kps[CROWD - 1 - i]);
		enable_kprobe(crowd->kps[CROWD - 1 - i]);
		kprobe_arm_all(round & 1);
		kprobe_optimizer_allow(round & 2);
		kprobes_targets_run(1);
		cond_resched();
	}
	flush_work(&crowd->work);
	kprobe_optimizer_allow(true);
	KUNIT_EXPECT_EQ(test, kprobe_arm_all(true), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&crowd->registered), 1);
	unregister_kprobes(crowd->kps, CROWD);
	expect_nothing_left(test, crowd);
	kprobes_expect_targets(test, 1);
}

/*
 * Tools detach their probes one by one, as their file descriptors are closed. That waits for no
 * grace period: none ends while there is a reader, who gives up only if he is waited for.
 */
static void crowd_leaves_one_by_one(struct kunit *test)
{
	struct crowd *crowd = new_crowd(test, NULL);
	unsigned int i, cpu = kprobes_leave_cpu(test);
	struct kprobes_hog *reader = NULL;

	if (KPROBES_STOPS_CPUS)
		kunit_skip(test, "CPUs are stopped");
	KUNIT_ASSERT_EQ(test, register_kprobes(crowd->kps, CROWD), 0);
	wait_for_kprobe_optimizer();
	for (i = 0; i < CROWD; i++) {
		if (i % READ_FOR == 0)
			reader = kprobes_hog(test, KPROBES_HOG_READER, cpu);
		unregister_kprobe(crowd->kps[i]);
		if (i % READ_FOR == READ_FOR - 1)
			kprobes_release(test, reader);
	}
	expect_nothing_left(test, crowd);
}

#ifdef KPROBES_SYNC_SYMBOL
/* Finds entries of as many functions all over the kernel as a crowd has probes. */
static unsigned int spread_out(struct crowd *crowd)
{
	unsigned long addr, size, offset, stride = (_etext - _stext) / CROWD / 2;
	unsigned int n = 0;

	for (addr = (unsigned long)_stext; n < CROWD && addr < (unsigned long)_etext;
	     addr += stride) {
		struct kprobe *p = crowd->kps[n];

		if (!kallsyms_lookup_size_offset(addr, &size, &offset))
			continue;
		*p = (struct kprobe){
			.addr = (kprobe_opcode_t *)(addr - offset),
			.flags = KPROBE_FLAG_DISABLED,
		};
		/* Some are refused, and large ones come twice. */
		if ((n && crowd->kps[n - 1]->addr == p->addr) || register_kprobe(p))
			continue;
		unregister_kprobe(p);
		*p = (struct kprobe){ .addr = (kprobe_opcode_t *)(addr - offset) };
		n++;
	}
	return n;
}

/*
 * All CPUs are synchronized a few times for each pass over the text, not for each probe. When the
 * probes are taken off one by one, a pass takes off many.
 */
static void crowd_takes_few_passes(struct kunit *test)
{
	static const struct kprobes_place sync = { "synchronizes", KPROBES_SYNC_SYMBOL };
	struct kprobes_counter *c = kprobes_counting(test, &sync);
	struct crowd *crowd = new_crowd(test, NULL);
	unsigned int i, n = spread_out(crowd);

	KUNIT_ASSERT_GT(test, n, CROWD / 2);
	wait_for_kprobe_optimizer();
	kprobe_optimizer_allow(false);
	atomic_set(&c->pre, 0);
	KUNIT_EXPECT_EQ(test, register_kprobes(crowd->kps, n), 0);
	KUNIT_EXPECT_GT(test, atomic_read(&c->pre), 0);
	KUNIT_EXPECT_LT(test, atomic_read(&c->pre), n / 10);
	atomic_set(&c->pre, 0);
	for (i = 0; i < n; i++)
		unregister_kprobe(crowd->kps[i]);
	kprobe_disarm_pending();
	KUNIT_EXPECT_GT(test, atomic_read(&c->pre), 0);
	KUNIT_EXPECT_LT(test, atomic_read(&c->pre), n / 10);
	kprobe_optimizer_allow(true);
}
#else
static void crowd_takes_few_passes(struct kunit *test)
{
	kunit_skip(test, "nothing is called once a pass");
}
#endif

static struct kunit_case crowd_cases[] = {
	KUNIT_CASE(crowd_is_hit),
	KUNIT_CASE(crowd_is_refused),
	KUNIT_CASE_SLOW(crowd_is_wanted_twice),
	KUNIT_CASE(crowd_lets_others_in),
	KUNIT_CASE(crowd_leaves_twice),
	KUNIT_CASE(crowd_is_disturbed),
	KUNIT_CASE(crowd_leaves_one_by_one),
	KUNIT_CASE_SLOW(crowd_takes_few_passes),
	{}
};

static struct kunit_suite crowd_suite = {
	.name = "kprobes_crowd",
	.test_cases = crowd_cases,
};

kunit_test_suite(crowd_suite);

MODULE_DESCRIPTION("KUnit tests of kprobes: large batches");
MODULE_LICENSE("GPL");
