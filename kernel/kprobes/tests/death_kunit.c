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
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "targets.h"
#include "waits.h"

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
	mortal.task = current;
	mortal.run();
	return 0;
}

/* Starts a thread on another CPU, and waits until it is dead. */
static void let_die(struct kunit *test, void (*run)(void))
{
	struct task_struct *task;

	mortal.run = run;
	mortal.cpu = cpumask_last(cpu_online_mask);
	task = kprobes_let_die(test, mortal_thread, NULL, mortal.cpu);
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

/* A handler that has died would hold it up for ever. */
static void expect_return(struct kunit *test, void (*unregister)(void *p), void *p)
{
	struct kprobes_other *other;

	other = kprobes_other(test, unregister, p, cpumask_first(cpu_online_mask));
	WRITE_ONCE(other->go, true);
	KPROBES_EXPECT_SOON(test, READ_ONCE(other->done));
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
	expect_return(test, unregister, &c->kp);
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
	expect_return(test, unregister_return, &r->rp);
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
	expect_return(test, unregister_return, &r->rp);
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

/* Deaths, and for how long a handler stays: the tick comes meanwhile, and RCU's softirq with it. */
#define DEATHS		4
#define STAY_US		(3 * USEC_PER_SEC / HZ)
#define MOST_CALLS	200

static bool inside;

static int die_or_stay(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	bool off = irqs_disabled();

	die_now();
	WRITE_ONCE(inside, true);
	local_irq_enable();
	kprobes_spin(STAY_US);
	if (off)
		local_irq_disable();
	WRITE_ONCE(inside, false);
	return 0;
}

/* Tells whether it interrupts that handler. */
static int look_inside(struct kprobe *p, struct pt_regs *regs)
{
	if (READ_ONCE(inside) && raw_smp_processor_id() == mortal.cpu)
		atomic_inc(kprobes_counter_of(p)->data);
	return 0;
}

static long run_on_cpu(void *unused)
{
	run_target();
	return 0;
}

/* A softirq takes back the instance of a dead task in an entry handler of that return probe. */
static void freed_in_entry_handler(struct kunit *test)
{
	const struct kprobes_place free = { .symbol = "delayed_put_task_struct" };
	struct kprobes_counter *frees;
	struct kprobes_returns *r;
	atomic_t seen = ATOMIC_INIT(0);
	int deaths, calls = 0, i;

	prepare(test);
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		kunit_skip(test, "a thread calls back for RCU");
	frees = kprobes_counter(test, &free);
	frees->in_pre = look_inside;
	frees->data = &seen;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&frees->kp));
	r = kprobes_returns(test, "kprobes_target_c");
	r->in_entry = die_or_stay;
	r->rp.maxactive = 2;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	wait_for_kprobe_optimizer();
	if (!(r->rp.kp.flags & (KPROBE_FLAG_OPTIMIZED | KPROBE_FLAG_FTRACE)))
		kunit_skip(test, "reached by a trap");
	for (deaths = 0; deaths < DEATHS; deaths++) {
		let_die(test, run_target);
		for (i = 0; i < MOST_CALLS && atomic_read(&seen) <= deaths; i++, calls++)
			work_on_cpu(mortal.cpu, run_on_cpu, NULL);
		kprobes_wait_for_frees();
	}
	KUNIT_EXPECT_GT(test, atomic_read(&seen), 0);
	KUNIT_EXPECT_EQ(test, r->rp.nmissed, 0);
	kprobes_expect_returns(test, r, calls + deaths, calls);
	expect_no_frame(test);
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

/* Longer than unregistering takes to look whether the task is dead. */
#define LONG_MS		2500

static bool long_inside, long_seen, long_left, left_first;

/* Stays for so long after it has seen that the probe is being unregistered. */
static int take_long(struct kprobe *p, struct pt_regs *regs)
{
	WRITE_ONCE(long_inside, true);
	local_irq_enable();
	long_seen = kprobes_spins_until(!get_kprobe(p->addr));
	kprobes_spin(LONG_MS * USEC_PER_MSEC);
	local_irq_disable();
	WRITE_ONCE(long_left, true);
	return 0;
}

static void unregister_and_look(void *p)
{
	unregister_kprobe(p);
	left_first = READ_ONCE(long_left);
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

static void do_run_on_irq_stack(void *unused)
{
	run_on_irq_stack(NULL);
}

static void hit_long(struct kunit *test)
{
	unsigned int first = cpumask_first(cpu_online_mask);
	struct kprobes_counter *c = deadly_probe(test);
	struct kprobes_other *hit, *remover;

	c->in_pre = take_long;
	c->kp.post_handler = NULL;
	start(test, c);
	if (!(c->kp.flags & (KPROBE_FLAG_OPTIMIZED | KPROBE_FLAG_FTRACE)))
		kunit_skip(test, "reached by a trap");
	long_inside = false;
	long_left = false;
	hit = kprobes_other(test, do_run_on_irq_stack, NULL, cpumask_last(cpu_online_mask));
	remover = kprobes_other(test, unregister_and_look, &c->kp, first);
	WRITE_ONCE(hit->go, true);
	KPROBES_EXPECT_SOON(test, READ_ONCE(long_inside));
	WRITE_ONCE(remover->go, true);
	KPROBES_EXPECT_SOON(test, READ_ONCE(remover->done));
	kprobes_end_other(hit);
}

/* If CPUs were just being stopped, nobody could begin to unregister: that is tried again. */
static void long_handler_is_waited_for(struct kunit *test)
{
	hit_long(test);
	if (!long_seen)
		hit_long(test);
	KUNIT_EXPECT_TRUE(test, long_seen);
	KUNIT_EXPECT_TRUE(test, left_first);
}
#endif /* KPROBES_DIES_IN_FAULTS */

static struct kunit_case death_cases[] = {
	KUNIT_CASE(dies_in_pre),
	KUNIT_CASE(dies_in_post),
	KUNIT_CASE(dies_in_return_handler),
	KUNIT_CASE(dies_in_entry_handler),
	KUNIT_CASE(freed_in_entry_handler),
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
