// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A storm for machines that reorder memory accesses. All CPUs call the same functions,
 * from task context and from interrupts. Meanwhile probes on these come and go, become
 * jumps and breakpoints again, and are poisoned and freed as soon as unregistering has
 * returned. A hit that uses one later finds poison. Each call is a hit or a miss of the
 * probe that stays, and an instance of a return probe is one call's at a time.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/percpu.h>
#include <linux/poison.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "targets.h"

#define STORM		(2 * HZ)

/* At least so many changes, even if the machine is slow. */
#define CHANGES		24

/* Of the threads that make changes, each with its own probes on the same points. */
#define CHANGERS	2

/* What is called, and where probes are on. */
#define TARGETS		2

static const char * const target_names[TARGETS] = {
	"kprobes_target_asm", "kprobes_target_c",
};

/* Directly: there may be no landing pad. */
static int call_one(unsigned int i, int a)
{
	return i ? kprobes_target_c(a) : kprobes_target_asm(a);
}

/* What each adds to its argument. */
static int plus[TARGETS];

/* Set while a probe is registered; its memory has POISON_FREE afterwards. */
#define ALIVE		0x5a1ef00dUL

/* A probe that comes and goes, in memory of its own. */
struct comer {
	unsigned long before;
	struct kprobe kp;
	unsigned long after;
};

/* The same of return probes. */
struct returner {
	unsigned long before;
	struct kretprobe rp;
	unsigned long after;
};

/* What a CPU does: only the CPU itself writes it. */
struct cpu_books {
	struct hrtimer timer;
	struct task_struct *caller;
	unsigned long calls[TARGETS];
	unsigned long hits[TARGETS];
};

static DEFINE_PER_CPU(struct cpu_books, books);

/**
 * struct weak_storm - what does not belong to a CPU
 * @stay:     a probe on each target, there from the beginning to the end
 * @changers: the threads that make changes
 * @stop:     the callers end
 * @wrong:    calls with a wrong result
 * @dead:     handlers called with a probe that is poisoned or not registered
 * @mixed_up: return handlers called with another call's data
 * @entries:  calls of return probes' entry handlers
 * @returns:  calls of their return handlers
 * @changes:  how many changes there were
 * @failed:   how often registering has failed
 */
struct weak_storm {
	struct kprobe stay[TARGETS];
	struct task_struct *changers[CHANGERS];
	bool stop;
	atomic_t wrong;
	atomic_t dead;
	atomic_t mixed_up;
	atomic_t entries;
	atomic_t returns;
	atomic_t changes;
	atomic_t failed;
};

static struct weak_storm storm;

/* Interrupts call as well, and add to the same counters. */
static void call_target(unsigned int i)
{
	int a = raw_smp_processor_id();

	this_cpu_inc(books.calls[i]);
	if (call_one(i, a) != a + plus[i])
		atomic_inc(&storm.wrong);
}

static int stay_hit(struct kprobe *p, struct pt_regs *regs)
{
	unsigned int i = p - storm.stay;

	/* Some hits hit again: those are missed. */
	if (!(this_cpu_inc_return(books.hits[i]) % 64))
		call_target(i);
	return 0;
}

static bool is_alive(const struct comer *c)
{
	return READ_ONCE(c->before) == ALIVE && READ_ONCE(c->after) == ALIVE;
}

static int comer_hit(struct kprobe *p, struct pt_regs *regs)
{
	if (!is_alive(container_of(p, struct comer, kp)))
		atomic_inc(&storm.dead);
	return 0;
}

static void comer_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	comer_hit(p, regs);
}

static void check_returner(struct kretprobe_instance *ri)
{
	/* Also while it is being unregistered, when get_kretprobe() returns NULL. */
	struct returner *r = container_of(ri->rp, struct returner, rp);

	if (READ_ONCE(r->before) != ALIVE || READ_ONCE(r->after) != ALIVE)
		atomic_inc(&storm.dead);
}

static int returner_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	check_returner(ri);
	*(unsigned long *)ri->data = (unsigned long)ri ^ ALIVE;
	atomic_inc(&storm.entries);
	return 0;
}

/* An instance is one call's at a time: what the entry has stored is still there. */
static int returner_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	check_returner(ri);
	if (*(unsigned long *)ri->data != ((unsigned long)ri ^ ALIVE))
		atomic_inc(&storm.mixed_up);
	atomic_inc(&storm.returns);
	return 0;
}

static enum hrtimer_restart call_in_interrupt(struct hrtimer *timer)
{
	unsigned int i;

	for (i = 0; i < TARGETS; i++)
		call_target(i);
	if (READ_ONCE(storm.stop))
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ms_to_ktime(3));
	return HRTIMER_RESTART;
}

static int caller(void *data)
{
	struct hrtimer *timer = this_cpu_ptr(&books.timer);
	unsigned int i, n;

	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer->function = call_in_interrupt;
	hrtimer_start(timer, ms_to_ktime(1), HRTIMER_MODE_REL_PINNED_HARD);
	for (n = 1; !READ_ONCE(storm.stop); n++) {
		for (i = 0; i < TARGETS; i++)
			call_target(i);
		/* Leave time for the tasks that make the changes. */
		if (!(n % 64))
			usleep_range(200, 400);
	}
	hrtimer_cancel(timer);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static void note_change(int error)
{
	atomic_inc(error ? &storm.failed : &storm.changes);
}

static void poison_and_free(void *probe, size_t size)
{
	memset(probe, POISON_FREE, size);
	kfree(probe);
}

static void comer_comes(unsigned int n)
{
	struct comer *c = kzalloc(sizeof(*c), GFP_KERNEL);
	int ret = -ENOMEM;

	if (c) {
		c->kp.symbol_name = target_names[n % TARGETS];
		c->kp.pre_handler = comer_hit;
		c->kp.post_handler = n / 2 % 2 ? comer_post : NULL;
		c->before = ALIVE;
		c->after = ALIVE;
		ret = register_kprobe(&c->kp);
	}
	note_change(ret);
	if (!ret) {
		if (n / 4 % 2)
			wait_for_kprobe_optimizer();
		if (n / 8 % 2) {
			disable_kprobe(&c->kp);
			enable_kprobe(&c->kp);
		}
		unregister_kprobe(&c->kp);
	}
	if (c)
		poison_and_free(c, sizeof(*c));
}

static void returner_comes(unsigned int n)
{
	struct returner *r = kzalloc(sizeof(*r), GFP_KERNEL);
	int ret = -ENOMEM;

	if (r) {
		r->rp.kp.symbol_name = target_names[n % TARGETS];
		r->rp.entry_handler = returner_entry;
		r->rp.handler = returner_return;
		r->rp.data_size = sizeof(long);
		/* Few, so that CPUs take from the rings of others. */
		r->rp.maxactive = n / 2 % 2 ? 2 : 0;
		r->before = ALIVE;
		r->after = ALIVE;
		ret = register_kretprobe(&r->rp);
	}
	note_change(ret);
	if (!ret) {
		if (n / 4 % 2)
			usleep_range(500, 1000);
		unregister_kretprobe(&r->rp);
	}
	if (r)
		poison_and_free(r, sizeof(*r));
}

static int changer(void *data)
{
	unsigned int n;

	for (n = (unsigned long)data; !kthread_should_stop(); n++) {
		if (IS_ENABLED(CONFIG_KRETPROBES) && n % 3 == 2)
			returner_comes(n / 3);
		else
			comer_comes(n);
		cond_resched();
	}
	return 0;
}

static void stop(struct task_struct **task)
{
	if (*task)
		kthread_stop(*task);
	*task = NULL;
}

static void stop_all(void *unused)
{
	unsigned int i;
	int cpu;

	for (i = 0; i < CHANGERS; i++)
		stop(&storm.changers[i]);
	WRITE_ONCE(storm.stop, true);
	for_each_possible_cpu(cpu)
		stop(&per_cpu(books, cpu).caller);
}

static struct task_struct *start(struct kunit *test, int (*run)(void *), unsigned long arg,
				 int cpu)
{
	struct task_struct *task = kthread_create(run, (void *)arg, "kprobes_weak");

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	if (cpu >= 0)
		kthread_bind(task, cpu);
	wake_up_process(task);
	return task;
}

static void start_all(struct kunit *test)
{
	unsigned int i;
	int cpu;

	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, stop_all, NULL));
	for_each_online_cpu(cpu)
		per_cpu(books, cpu).caller = start(test, caller, 0, cpu);
	for (i = 0; i < CHANGERS; i++)
		storm.changers[i] = start(test, changer, i, -1);
}

static void unregister_stay(void *unused)
{
	unsigned int i;

	for (i = 0; i < TARGETS; i++)
		unregister_kprobe(&storm.stay[i]);
}

static void prepare(struct kunit *test)
{
	unsigned int i;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	memset(&storm, 0, sizeof(storm));
	for_each_possible_cpu(i)
		memset(per_cpu_ptr(&books, i), 0, sizeof(books));
	for (i = 0; i < TARGETS; i++) {
		plus[i] = call_one(i, 0);
		storm.stay[i].symbol_name = target_names[i];
		storm.stay[i].pre_handler = stay_hit;
	}
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, unregister_stay, NULL));
	for (i = 0; i < TARGETS; i++)
		KUNIT_ASSERT_EQ(test, 0, register_kprobe(&storm.stay[i]));
}

static void expect_balance(struct kunit *test, unsigned int i)
{
	unsigned long calls = 0, hits = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		calls += per_cpu(books, cpu).calls[i];
		hits += per_cpu(books, cpu).hits[i];
	}
	kunit_info(test, "%s: %lu calls, %lu hits, %lu misses", target_names[i], calls, hits,
		   storm.stay[i].nmissed);
	KUNIT_EXPECT_GT(test, hits, 0);
	KUNIT_EXPECT_GT(test, storm.stay[i].nmissed, 0);
	KUNIT_EXPECT_EQ(test, calls, hits + storm.stay[i].nmissed);
}

static void no_hit_is_lost_or_late(struct kunit *test)
{
	unsigned long end = jiffies + STORM, last = jiffies + 15 * STORM;
	unsigned int i;

	prepare(test);
	start_all(test);
	while (time_before(jiffies, atomic_read(&storm.changes) < CHANGES ? last : end))
		schedule_timeout_uninterruptible(HZ / 10);
	stop_all(NULL);
	kunit_info(test, "%d changes, %d entries, %d returns", atomic_read(&storm.changes),
		   atomic_read(&storm.entries), atomic_read(&storm.returns));
	KUNIT_EXPECT_GE(test, atomic_read(&storm.changes), CHANGES);
	KUNIT_EXPECT_EQ(test, atomic_read(&storm.failed), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&storm.wrong), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&storm.dead), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&storm.mixed_up), 0);
	for (i = 0; i < TARGETS; i++)
		expect_balance(test, i);
	/* A call in flight when its return probe is unregistered returns unseen. */
	KUNIT_EXPECT_LE(test, atomic_read(&storm.returns), atomic_read(&storm.entries));
}

static struct kunit_case weak_memory_cases[] = {
	KUNIT_CASE_SLOW(no_hit_is_lost_or_late),
	{}
};

static struct kunit_suite weak_memory_suite = {
	.name = "kprobes_weak_memory",
	.test_cases = weak_memory_cases,
};

kunit_test_suite(weak_memory_suite);

MODULE_DESCRIPTION("KUnit storm of hits and changes on all CPUs");
MODULE_LICENSE("GPL");
