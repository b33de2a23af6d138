// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of unwinding another task's stack while the task wakes up and returns from probed
 * functions, and the return probes are unregistered.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "../mechanism.h"
#include "targets.h"
#include "waits.h"

#define SYMBOL	"kprobes_target_call_c"

/**
 * struct walked - a task whose stack is walked
 * @task:    a thread
 * @inside:  it sleeps in the probed function
 * @release: wakes it there
 * @outside: it has returned, and sleeps where nothing is probed
 * @end:     ends it
 * @spin:    it keeps running inside instead of sleeping
 * @yield:   it stays runnable inside instead of sleeping
 * @awake:   it is inside; for tasks that do not sleep
 */
struct walked {
	struct task_struct *task;
	struct completion inside;
	struct completion release;
	struct completion outside;
	struct completion end;
	bool spin;
	bool yield;
	bool awake;
};

/* A task that is preempted would be at rest. */
static void spin_inside(struct walked *w)
{
	guard(preempt)();
	WRITE_ONCE(w->awake, true);
	while (!completion_done(&w->release))
		kprobes_spin(5);
}

static int stay_inside(void *arg)
{
	struct walked *w = arg;

	complete(&w->inside);
	if (w->spin)
		spin_inside(w);
	WRITE_ONCE(w->awake, true);
	if (w->yield)
		while (!completion_done(&w->release))
			schedule();
	else if (!w->spin)
		wait_for_completion(&w->release);
	return 0;
}

static int go_deeper(void *arg)
{
	return kprobes_target_call_c(stay_inside, arg);
}

/* Two probed calls, one in the other. */
static int walked_thread(void *arg)
{
	struct walked *w = arg;

	kprobes_target_call_c(go_deeper, arg);
	complete(&w->outside);
	wait_for_completion(&w->end);
	return 0;
}

static void end_walked(void *arg)
{
	struct walked *w = arg;

	complete_all(&w->release);
	complete_all(&w->end);
	kthread_stop(w->task);
	put_task_struct(w->task);
}

static struct walked *new_walked(struct kunit *test, unsigned int cpu)
{
	struct walked *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, w);
	init_completion(&w->inside);
	init_completion(&w->release);
	init_completion(&w->outside);
	init_completion(&w->end);
	w->task = kthread_create_on_cpu(walked_thread, w, cpu, "kprobes_walked");
	KUNIT_ASSERT_FALSE(test, IS_ERR(w->task));
	get_task_struct(w->task);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, end_walked, w));
	return w;
}

/* Wakes it up and waits until it is inside and asleep. */
static void go_inside(struct kunit *test, struct walked *w)
{
	wake_up_process(w->task);
	wait_for_completion(&w->inside);
	KUNIT_ASSERT_TRUE(test, kprobes_sleeps(w->task));
}

static void go_outside(struct walked *w)
{
	complete_all(&w->release);
	wait_for_completion(&w->outside);
}

/* The innermost call that is in flight. */
static struct kretprobe_instance *top_of(struct task_struct *task)
{
	struct llist_node *n = READ_ONCE(task->kretprobe_instances.first);

	return n ? llist_entry(n, struct kretprobe_instance, llist) : NULL;
}

static struct kretprobe_instance *below(struct kretprobe_instance *ri)
{
	return llist_entry(ri->llist.next, struct kretprobe_instance, llist);
}

/* The frame by which the unwinder finds a call. */
static void *fp_of(const struct kretprobe_instance *ri)
{
	return (void *)(ri->call & ~7UL);
}

/* So many instances are allocated by vmalloc(): kmalloc() cannot. */
static struct kprobes_returns *returning_many(struct kunit *test)
{
	struct kprobes_returns *r = kprobes_returns(test, SYMBOL);

	r->rp.maxactive = KMALLOC_MAX_SIZE / sizeof(struct kretprobe_instance);
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	return r;
}

/* Is the memory of an instance, which is one of many, still allocated? */
static bool is_there(const void *ri)
{
	return find_vm_area(ri);
}

static bool is_gone(const void *ri)
{
	rcu_barrier();
	return !is_there(ri);
}

static bool in_text(unsigned long addr)
{
	return addr && core_kernel_text(addr) && !is_kretprobe_trampoline(addr);
}

/* Unwinds all calls while the task is at rest. */
static void finds_all(struct kunit *test)
{
	struct walked *w = new_walked(test, 0);
	struct llist_node *cur = NULL;
	struct kretprobe_instance *ri;

	kprobes_returning(test, SYMBOL);
	go_inside(test, w);
	ri = top_of(w->task);
	KUNIT_ASSERT_NOT_NULL(test, ri);
	KUNIT_EXPECT_TRUE(test, in_text(kretprobe_find_ret_addr(w->task, fp_of(ri), &cur)));
	ri = below(ri);
	KUNIT_EXPECT_TRUE(test, in_text(kretprobe_find_ret_addr(w->task, fp_of(ri), &cur)));
	KUNIT_EXPECT_EQ(test, 0, kretprobe_find_ret_addr(w->task, fp_of(ri) + 64, &cur));
}

/* Unwinds one call, and continues when the instance that it has found is freed. */
static void goes_on_late(struct kunit *test)
{
	struct kprobes_returns *r = returning_many(test);
	struct walked *w = new_walked(test, 0);
	struct kretprobe_instance *top;
	struct llist_node *cur = NULL;
	void *outer;

	go_inside(test, w);
	top = top_of(w->task);
	KUNIT_ASSERT_NOT_NULL(test, top);
	outer = fp_of(below(top));
	KUNIT_EXPECT_TRUE(test, in_text(kretprobe_find_ret_addr(w->task, fp_of(top), &cur)));
	go_outside(w);
	unregister_kretprobe(&r->rp);
	KPROBES_ASSERT_SOON(test, is_gone(top));
	KUNIT_ASSERT_TRUE(test, kprobes_sleeps(w->task));
	KUNIT_EXPECT_EQ(test, 0, kretprobe_find_ret_addr(w->task, outer, &cur));
}

/* A task that is runnable but does not run can be unwound like one that sleeps. */
static void runnable_is_at_rest(struct kunit *test)
{
	struct walked *w = new_walked(test, 0);
	struct llist_node *cur = NULL;
	struct kretprobe_instance *ri;

	kprobes_returning(test, SYMBOL);
	w->yield = true;
	/* On one CPU the task cannot run at the same time. */
	set_cpus_allowed_ptr(current, cpumask_of(0));
	wake_up_process(w->task);
	KPROBES_EXPECT_SOON(test, READ_ONCE(w->awake));
	preempt_disable();
	ri = top_of(w->task);
	KUNIT_EXPECT_TRUE(test, task_is_running(w->task));
	if (ri)
		KUNIT_EXPECT_TRUE(test, in_text(kretprobe_find_ret_addr(w->task,
									fp_of(ri), &cur)));
	preempt_enable();
	KUNIT_EXPECT_NOT_NULL(test, ri);
	complete_all(&w->release);
	set_cpus_allowed_ptr(current, cpu_possible_mask);
}

static void running_is_not_walked(struct kunit *test)
{
	unsigned int other = cpumask_last(cpu_online_mask);
	struct walked *w = new_walked(test, other);
	struct llist_node *cur = NULL;
	struct kretprobe_instance *ri;

	if (!other)
		kunit_skip(test, "needs two CPUs");
	kprobes_returning(test, SYMBOL);
	/* What is left to be done about text may have to stop all CPUs. */
	wait_for_kprobe_optimizer();
	w->spin = true;
	set_cpus_allowed_ptr(current, cpumask_of(0));
	wake_up_process(w->task);
	KPROBES_EXPECT_SOON(test, READ_ONCE(w->awake));
	ri = top_of(w->task);
	KUNIT_EXPECT_NOT_NULL(test, ri);
	if (ri)
		KUNIT_EXPECT_EQ(test, 0, kretprobe_find_ret_addr(w->task, fp_of(ri), &cur));
	complete_all(&w->release);
	set_cpus_allowed_ptr(current, cpu_possible_mask);
}

/* Freed after readers */

/**
 * struct reader - unregisters a task's return probe while another CPU reads instances
 * @w:        the task
 * @r:        the return probe
 * @early:    unregister before the call returns
 */
struct reader {
	struct walked *w;
	struct kprobes_returns *r;
	bool early;
};

static void take_off(void *arg)
{
	struct reader *reader = arg;

	if (reader->early)
		unregister_kretprobe(&reader->r->rp);
	go_outside(reader->w);
	if (!reader->early)
		unregister_kretprobe(&reader->r->rp);
}

static void freed_after_readers(struct kunit *test, bool early)
{
	unsigned int other = cpumask_last(cpu_online_mask);
	struct reader reader = { .early = early };
	struct kprobes_other *remover;
	struct kretprobe_instance *ri;
	bool done, there;

	if (!other)
		kunit_skip(test, "needs two CPUs");
	reader.r = returning_many(test);
	reader.w = new_walked(test, other);
	go_inside(test, reader.w);
	ri = top_of(reader.w->task);
	KUNIT_ASSERT_NOT_NULL(test, ri);
	if (!is_there(ri))
		kunit_skip(test, "instances are not where they are looked for");
	set_cpus_allowed_ptr(current, cpumask_of(0));
	remover = kprobes_other(test, take_off, &reader, other);

	rcu_read_lock();
	WRITE_ONCE(remover->go, true);
	done = kprobes_spins_until(READ_ONCE(remover->done));
	/* Give work items and RCU callbacks time to free instances. */
	kprobes_spin(50000);
	there = is_there(ri);
	/* KASAN checks this access. */
	if (there)
		READ_ONCE(ri->call);
	rcu_read_unlock();

	set_cpus_allowed_ptr(current, cpu_possible_mask);
	kprobes_end_other(remover);
	KUNIT_EXPECT_TRUE(test, done);
	KUNIT_EXPECT_TRUE(test, there);
	KPROBES_EXPECT_SOON(test, is_gone(ri));
}

static void returned_before(struct kunit *test)
{
	freed_after_readers(test, false);
}

static void returned_after(struct kunit *test)
{
	freed_after_readers(test, true);
}

/*
 * A call returns when another one's instance is about to be freed, whose grace period has
 * begun before the reader has.
 */
static void late_comer(struct kunit *test, unsigned int ms)
{
	unsigned int other = cpumask_last(cpu_online_mask);
	struct kprobes_returns *r[2];
	struct reader reader = { };
	struct kprobes_other *remover;
	struct kretprobe_instance *ri;
	struct walked *w[2];
	bool there = true, done;
	int i;

	for (i = 0; i < 2; i++) {
		r[i] = returning_many(test);
		w[i] = new_walked(test, other);
		go_inside(test, w[i]);
		unregister_kretprobe(&r[i]->rp);
	}
	/* Nobody stops CPUs later on, waits for the reader, and has others wait meanwhile. */
	kprobe_disarm_pending();
	reader.w = w[1];
	reader.r = r[1];
	ri = top_of(w[1]->task);
	KUNIT_ASSERT_NOT_NULL(test, ri);
	remover = kprobes_other(test, take_off, &reader, other);
	go_outside(w[0]);
	usleep_range(1000 * ms, 1000 * ms + 100);

	rcu_read_lock();
	WRITE_ONCE(remover->go, true);
	done = kprobes_spins_until(READ_ONCE(remover->done));
	for (i = 0; i < 100 && there; i++) {
		there = is_there(ri);
		kprobes_spin(1000);
	}
	rcu_read_unlock();

	kprobes_end_other(remover);
	KUNIT_EXPECT_TRUE(test, done);
	KUNIT_EXPECT_TRUE_MSG(test, there, "after %u ms", ms);
	KPROBES_EXPECT_SOON(test, is_gone(ri));
}

static void late_comers(struct kunit *test)
{
	unsigned int ms;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	set_cpus_allowed_ptr(current, cpumask_of(0));
	for (ms = 0; ms < 12; ms++)
		late_comer(test, ms);
	set_cpus_allowed_ptr(current, cpu_possible_mask);
}

static struct kunit_case walk_cases[] = {
	KUNIT_CASE(finds_all),
	KUNIT_CASE(runnable_is_at_rest),
	KUNIT_CASE(running_is_not_walked),
	KUNIT_CASE(returned_before),
	KUNIT_CASE(returned_after),
	KUNIT_CASE_SLOW(late_comers),
	KUNIT_CASE(goes_on_late),
	{}
};

static struct kunit_suite walk_suite = {
	.name = "kprobes_return_walk",
	.test_cases = walk_cases,
};

kunit_test_suite(walk_suite);
