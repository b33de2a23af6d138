// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of tasks that die in a handler: afterwards hits on the CPU are handled as if the
 * handler had returned. Also of a handler that only seems to belong to a dead task.
 *
 * make_task_dead() is how every oops of a task ends.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kprobe_point.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "targets.h"

/* More than unregistering takes: a handler that has died would hold it up for ever. */
#define PROMPT_MS	10000

/**
 * struct mortal - a thread that dies, and what it does until then
 * @task: the thread
 * @run:  what it does
 * @cpu:  where it runs
 * @trap: the handler was called from a trap, in which a dying task ends the kernel
 */
struct mortal {
	struct task_struct *task;
	void (*run)(void);
	unsigned int cpu;
	bool trap;
};

static struct mortal mortal;

static void die_now(void)
{
	if (in_interrupt())
		mortal.trap = true;
	else if (current == mortal.task)
		make_task_dead(SIGKILL);
}

static int die_in_pre(struct kprobe *p, struct pt_regs *regs)
{
	die_now();
	return 0;
}

static void die_in_post(struct kprobe *p, struct pt_regs *regs,
			unsigned long flags)
{
	die_now();
}

static int die_in_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	die_now();
	return 0;
}

static void run_target(void)
{
	kprobes_target_c(1);
}

static int mortal_thread(void *unused)
{
	mortal.run();
	return 0;
}

static void end_mortal(void *task)
{
	put_task_struct(task);
}

static bool is_dead(struct task_struct *task)
{
	int patience = 2000;

	while (!READ_ONCE(task->exit_state) && patience--)
		usleep_range(5000, 6000);
	return READ_ONCE(task->exit_state);
}

/* Starts a thread on another CPU, and waits until it is dead. */
static void let_die(struct kunit *test, void (*run)(void))
{
	struct task_struct *task;

	mortal.run = run;
	mortal.cpu = cpumask_last(cpu_online_mask);
	task = kthread_create_on_cpu(mortal_thread, NULL, mortal.cpu, "kprobes_mortal");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, end_mortal, task));
	mortal.task = task;
	wake_up_process(task);
	KUNIT_ASSERT_TRUE(test, is_dead(task));
	if (mortal.trap)
		kunit_skip(test, "the handler is called by a trap");
	KUNIT_ASSERT_EQ(test, task->exit_code, SIGKILL);
}

static void prepare(struct kunit *test)
{
	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	memset(&mortal, 0, sizeof(mortal));
}

/* No frame of the dead thread's CPU shows that there was a hit. */
static void expect_no_frame(struct kunit *test)
{
	struct kprobe_cpu *cpu = per_cpu_ptr(&kprobe_cpu, mortal.cpu);
	int i;

	for (i = 0; i < KPROBE_FRAMES; i++) {
		/* Others may come and go there meanwhile. */
		struct kprobe_frame frame = data_race(cpu->frame[i]);

		KUNIT_EXPECT_PTR_EQ(test, frame.hazard, NULL);
		KUNIT_EXPECT_EQ(test, frame.context, KPROBE_CONTEXT_NONE);
		KUNIT_EXPECT_FALSE(test, frame.faulting);
		KUNIT_EXPECT_FALSE(test, frame.post);
	}
	KUNIT_EXPECT_EQ(test, cpu->overflow, 0);
}

static long run_in_peace(void *unused)
{
	struct kprobe *running;

	preempt_disable();
	running = kprobe_running();
	preempt_enable();
	kprobes_targets_run(1);
	return (long)running;
}

/* On that CPU another task is not taken to be in a handler, and its hits are handled. */
static void expect_peace(struct kunit *test)
{
	struct kprobes_counter *c;
	long running;

	c = kprobes_counting(test, kprobes_place_named(KPROBES_PLACE_ASM));
	running = work_on_cpu(mortal.cpu, run_in_peace, NULL);
	KUNIT_EXPECT_EQ(test, running, 0);
	kprobes_expect_counts(test, c, 1, 1);
	KUNIT_EXPECT_EQ(test, c->kp.nmissed, 0);
}

static void expect_prompt(struct kunit *test, void (*unregister)(void *p), void *p)
{
	ktime_t begin = ktime_get();
	s64 ms;

	unregister(p);
	ms = ktime_ms_delta(ktime_get(), begin);
	KUNIT_EXPECT_LT(test, ms, PROMPT_MS);
}

static void unregister(void *p)
{
	unregister_kprobe(p);
}

static void unregister_return(void *rp)
{
	unregister_kretprobe(rp);
}

/* A probe in whose handler the thread dies, reached without a trap if possible. */
static struct kprobes_counter *deadly_probe(struct kunit *test)
{
	prepare(test);
	return kprobes_counter(test, kprobes_place_named(KPROBES_PLACE_C));
}

static void start(struct kunit *test, struct kprobes_counter *c)
{
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	wait_for_kprobe_optimizer();
}

static void expect_survived(struct kunit *test, struct kprobes_counter *c)
{
	expect_no_frame(test);
	expect_prompt(test, unregister, &c->kp);
	expect_peace(test);
}

static void dies_in_pre(struct kunit *test)
{
	struct kprobes_counter *c = deadly_probe(test);

	c->in_pre = die_in_pre;
	start(test, c);
	let_die(test, run_target);
	expect_survived(test, c);
}

static void dies_in_post(struct kunit *test)
{
	struct kprobes_counter *c = deadly_probe(test);

	c->in_post = die_in_post;
	start(test, c);
	let_die(test, run_target);
	expect_survived(test, c);
}

static void dies_in_return_handler(struct kunit *test)
{
	struct kprobes_returns *r;

	prepare(test);
	r = kprobes_returns(test, "kprobes_target_c");
	r->in_return = die_in_return;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	let_die(test, run_target);
	expect_no_frame(test);
	expect_prompt(test, unregister_return, &r->rp);
	expect_peace(test);
}

static void dies_in_entry_handler(struct kunit *test)
{
	struct kprobes_returns *r;

	prepare(test);
	r = kprobes_returns(test, "kprobes_target_c");
	r->in_entry = die_in_return;
	r->rp.maxactive = 1;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	wait_for_kprobe_optimizer();
	let_die(test, run_target);
	expect_no_frame(test);
	/* Its only instance comes back with the task's end. */
	r->in_entry = NULL;
	kprobes_wait_for_frees();
	run_target();
	kprobes_expect_returns(test, r, 2, 1);
	KUNIT_EXPECT_EQ(test, r->rp.nmissed, 0);
	expect_prompt(test, unregister_return, &r->rp);
	expect_peace(test);
}

/* What a dying task hits in do_exit() is not nested in the handler that it died in. */
static void last_hits_are_handled(struct kunit *test)
{
	const struct kprobes_place place = { .symbol = "exit_files" };
	struct kprobes_counter *c = deadly_probe(test);
	struct kprobes_counter *last;

	last = kprobes_counting(test, &place);
	c->in_pre = die_in_pre;
	start(test, c);
	let_die(test, run_target);
	KUNIT_EXPECT_GE(test, atomic_read(&last->pre), 1);
	KUNIT_EXPECT_EQ(test, last->kp.nmissed, 0);
}

static void be_busy(void)
{
	int i;

	for (i = 0; i < KPROBE_FRAMES + 2; i++)
		kprobe_busy_begin();
	die_now();
}

static void dies_busy(struct kunit *test)
{
	prepare(test);
	let_die(test, be_busy);
	expect_no_frame(test);
	expect_peace(test);
}

#ifdef KPROBES_DIES_IN_FAULTS

/* Faults in a handler */

#define BAD	((const long *)-PAGE_SIZE)

static int load_bad(struct kprobe *p, struct pt_regs *regs)
{
	kprobes_target_load_bare(BAD);
	return 0;
}

static int die_of_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	die_now();
	return 0;
}

static int load_nofault(struct kprobe *p, struct pt_regs *regs)
{
	long data;

	return copy_from_kernel_nofault(&data, BAD, sizeof(data)) != -EFAULT;
}

static int count_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	atomic_inc(kprobes_counter_of(p)->data);
	return 0;
}

static long run_target_c(void *unused)
{
	return kprobes_target_c(1);
}

/* Later faults on that CPU are still offered to fault handlers. */
static void dies_in_fault_handler(struct kunit *test)
{
	struct kprobes_counter *c = deadly_probe(test);
	atomic_t faults = ATOMIC_INIT(0);

	c->in_pre = load_bad;
	c->kp.fault_handler = die_of_fault;
	/* Not by a trap: dying there would be an oops. */
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	wait_for_kprobe_optimizer();
	if (!(c->kp.flags & (KPROBE_FLAG_OPTIMIZED | KPROBE_FLAG_FTRACE)))
		kunit_skip(test, "reached by a trap");
	let_die(test, run_target);
	expect_survived(test, c);

	c = kprobes_counter(test, kprobes_place_named(KPROBES_PLACE_C));
	c->in_pre = load_nofault;
	c->kp.fault_handler = count_fault;
	c->data = &faults;
	start(test, c);
	KUNIT_EXPECT_EQ(test, 2, work_on_cpu(mortal.cpu, run_target_c, NULL));
	unregister_kprobe(&c->kp);
	KUNIT_EXPECT_EQ(test, atomic_read(&faults), 1);
}

/* A long handler on the interrupt stack */

#define LONG_MS		2500

static bool long_inside, long_left;

static int take_long(struct kprobe *p, struct pt_regs *regs)
{
	u64 end = ktime_get_mono_fast_ns() + LONG_MS * (u64)NSEC_PER_MSEC;

	WRITE_ONCE(long_inside, true);
	local_irq_enable();
	while (ktime_get_mono_fast_ns() < end)
		kprobes_spin(5);
	local_irq_disable();
	WRITE_ONCE(long_left, true);
	return 0;
}

/* Like code at the end of an interrupt: task context, but not on the task's stack. */
static long run_on_irq_stack(void *unused)
{
	unsigned long flags;

	local_irq_save(flags);
	kprobes_call_on_irq_stack(run_target);
	local_irq_restore(flags);
	return 0;
}

static void do_run_on_irq_stack(struct work_struct *work)
{
	run_on_irq_stack(NULL);
}

static void long_handler_is_waited_for(struct kunit *test)
{
	struct kprobes_counter *c = deadly_probe(test);
	struct work_struct work;
	int patience = 1000;
	bool left_first;
	ktime_t begin;

	c->in_pre = take_long;
	c->kp.post_handler = NULL;
	start(test, c);
	if (!(c->kp.flags & (KPROBE_FLAG_OPTIMIZED | KPROBE_FLAG_FTRACE)))
		kunit_skip(test, "reached by a trap");
	long_inside = false;
	long_left = false;
	INIT_WORK_ONSTACK(&work, do_run_on_irq_stack);
	set_cpus_allowed_ptr(current, cpumask_of(cpumask_first(cpu_online_mask)));
	queue_work_on(cpumask_last(cpu_online_mask), system_highpri_wq, &work);
	while (!READ_ONCE(long_inside) && patience--)
		usleep_range(5000, 6000);
	begin = ktime_get();
	unregister_kprobe(&c->kp);
	left_first = READ_ONCE(long_left);
	kunit_info(test, "unregistering took %lld ms\n", ktime_ms_delta(ktime_get(), begin));
	flush_work(&work);
	destroy_work_on_stack(&work);
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	KUNIT_EXPECT_TRUE(test, long_inside);
	KUNIT_EXPECT_TRUE(test, left_first);
}
#endif /* KPROBES_DIES_IN_FAULTS */

static struct kunit_case death_cases[] = {
	KUNIT_CASE(dies_in_pre),
	KUNIT_CASE(dies_in_post),
	KUNIT_CASE(dies_in_return_handler),
	KUNIT_CASE(dies_in_entry_handler),
	KUNIT_CASE(last_hits_are_handled),
	KUNIT_CASE(dies_busy),
#ifdef KPROBES_DIES_IN_FAULTS
	KUNIT_CASE(dies_in_fault_handler),
	KUNIT_CASE_SLOW(long_handler_is_waited_for),
#endif
	{}
};

static struct kunit_suite death_suite = {
	.name = "kprobes_death",
	.test_cases = death_cases,
};

kunit_test_suite(death_suite);
