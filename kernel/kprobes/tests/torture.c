// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Torture test of kprobes: probes come and go while they are hit.
 *
 * Callers call functions in tasks, softirqs and hardirqs. Registering threads register, enable,
 * disable and unregister probes on these and on other functions, alone and in batches, in an order
 * that the seed decides. A walker reads the callers' stacks. Of each call the books tell whether
 * its hits were handled or missed as they had to be. The files "enabled" and kprobes-optimization
 * are for user space to turn, which tells this module about the first: see the parameter "armed".
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/poison.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/torture.h>

#include "torture.h"

torture_param(int, ncallers, -1, "Number of calling threads, -1 for the number of CPUs");
torture_param(int, nregisterers, 3, "Number of registering threads");
torture_param(int, gap_us, 500,
	      "Pause of callers after a few calls (us), 0=none: who unregisters may wait for long");
torture_param(int, hold_us, 100, "How long one of 128 handlers takes (us)");
torture_param(int, onoff_holdoff, 0, "Time after start before CPU hotplugs (s)");
torture_param(int, onoff_interval, 0, "Time between CPU hotplugs (jiffies), 0=disable");
torture_param(int, seed, 1, "What registering threads do follows from it");
torture_param(int, shuffle_interval, 3, "Number of jiffies between shuffles, 0=disable");
torture_param(int, shutdown_secs, 0, "Shutdown time (s), <= zero to disable.");
torture_param(int, stat_interval, 15, "Number of seconds between stats printk()s");
torture_param(int, stutter, 50, "Number of jiffies to run/halt test, 0=disable");
torture_param(int, verbose, 0, "Enable verbose debugging printk()s");

static bool fail_slabs;
module_param(fail_slabs, bool, 0644);
MODULE_PARM_DESC(fail_slabs, "Allocations of registering threads can be failed by failslab");

#define INTERVAL	(2 * NSEC_PER_MSEC)
/* Calls in interrupts take one part of so many of the time, however slow the machine is. */
#define PARTS		8

struct caller {
	struct task_struct *task;
	struct torture_call *call;	/* the innermost one of the task */
	struct hrtimer hard;
	struct timer_list soft;
};

/* A registering thread, and slots that it has locked to change them. */
struct registerer {
	struct task_struct *task;
	struct rnd_state rnd;
	unsigned int nr;
	struct torture_slot *slots[TORTURE_BATCH];
	struct kprobe *kps[TORTURE_BATCH];
	struct kretprobe *rps[TORTURE_BATCH];
};

static char *torture_type = "kprobes";
static struct caller *callers;
static struct registerer *registerers;
static struct task_struct *walker_task, *stats_task;
static int last_error;

/* Is the file "enabled" on or off, or is it being written? */

static const char * const states[] = { "off", "on", "changing" };

static int armed_set(const char *value, const struct kernel_param *param)
{
	int state = sysfs_match_string(states, value);

	if (state >= 0)
		torture_set_state(&torture_armed, state);
	return state < 0 ? state : 0;
}

static int armed_get(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%s\n", states[TORTURE_STATE(READ_ONCE(torture_armed))]);
}

static const struct kernel_param_ops armed_ops = { .set = armed_set, .get = armed_get };
module_param_cb(armed, &armed_ops, NULL, 0644);
MODULE_PARM_DESC(armed, "What the file \"enabled\" of kprobes is: on, off or changing");

/* Callers */

static enum hrtimer_restart call_in_hardirq(struct hrtimer *timer)
{
	u64 begin = ktime_get_ns();

	torture_call_all(TORTURE_IN_HARDIRQ, false);
	if (torture_must_stop_irq())
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, max_t(u64, INTERVAL, PARTS * (ktime_get_ns() - begin)));
	return HRTIMER_RESTART;
}

static void call_in_softirq(struct timer_list *timer)
{
	u64 begin = ktime_get_ns();

	scoped_guard(preempt)
		torture_call_all(TORTURE_IN_SOFTIRQ, false);
	if (!torture_must_stop_irq())
		mod_timer(timer, jiffies + 1 + nsecs_to_jiffies(PARTS * (ktime_get_ns() - begin)));
}

/* For as long as the thread was at work: others get done what they have to do. */
static void rest(u64 begin, unsigned int least_us)
{
	u64 us = clamp_t(u64, div_u64(ktime_get_ns() - begin, NSEC_PER_USEC), least_us,
			 USEC_PER_SEC / 4);

	usleep_range(us, 2 * us);
}

static int kprobes_torture_caller(void *arg)
{
	struct caller *caller = arg;
	u64 begin = ktime_get_ns();
	unsigned int n = 0;

	hrtimer_init(&caller->hard, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	caller->hard.function = call_in_hardirq;
	timer_setup(&caller->soft, call_in_softirq, 0);
	hrtimer_start(&caller->hard, INTERVAL, HRTIMER_MODE_REL_HARD);
	mod_timer(&caller->soft, jiffies + 1);
	do {
		torture_call_all(TORTURE_IN_TASK, !(++n % 16));
		cond_resched();
		if (gap_us && !(n % 8)) {
			rest(begin, gap_us);
			stutter_wait("kprobes_torture_caller");
			begin = ktime_get_ns();
		}
	} while (!torture_must_stop());
	hrtimer_cancel(&caller->hard);
	timer_shutdown_sync(&caller->soft);
	torture_kthread_stopping("kprobes_torture_caller");
	return 0;
}

/* Where the innermost call of the task is that runs, NULL if it is no caller. */
struct torture_call **torture_call_of_task(void)
{
	if (!(current->flags & PF_KTHREAD) || kthread_func(current) != kprobes_torture_caller)
		return NULL;
	return &((struct caller *)kthread_data(current))->call;
}
NOKPROBE_SYMBOL(torture_call_of_task);

/* Reads the stacks of callers while they return from probed functions. */
static int kprobes_torture_walker(void *arg)
{
	unsigned long entries[32];
	int i;

	do {
		for (i = 0; i < ncallers; i++)
			stack_trace_save_tsk(callers[i].task, entries, ARRAY_SIZE(entries), 0);
		torture_count(TORTURE_WALKS, ncallers);
		usleep_range(200, 400);
		stutter_wait("kprobes_torture_walker");
	} while (!torture_must_stop());
	torture_kthread_stopping("kprobes_torture_walker");
	return 0;
}

/* Registering threads */

/* Kernels without modules have no module_is_live(). */
static bool is_going(void)
{
#ifdef MODULE
	return !module_is_live(THIS_MODULE);
#else
	return false;
#endif
}

/*
 * Functions that others call may be absent, as may a module with some of them. This module's own
 * ones go with it.
 */
static bool is_expected(const struct torture_slot *slot, int error)
{
	if (error != -ENOENT && error != -EINVAL)
		return false;
	return !slot->target || is_going();
}

static void note_result(const struct registerer *r, enum torture_count what, int error)
{
	if (!error) {
		torture_count(what, r->nr);
	} else if (error == -ENOMEM) {
		torture_count(TORTURE_NO_MEMORY, 1);
	} else if (is_expected(r->slots[0], error)) {
		torture_count(TORTURE_REFUSED, 1);
	} else {
		WRITE_ONCE(last_error, error);
		torture_count(TORTURE_FAILED, 1);
	}
}

static bool is_on(const struct torture_slot *slot)
{
	return slot->probe && !kprobe_disabled(&slot->probe->rp.kp);
}

/* A probe is going to be unregistered. How was it entered? */
static void note_mechanism(const struct torture_slot *slot)
{
	u32 flags = READ_ONCE(slot->probe->rp.kp.flags);

	if (is_on(slot))
		torture_count(flags & KPROBE_FLAG_OPTIMIZED ? TORTURE_JUMPS :
			      flags & KPROBE_FLAG_FTRACE ? TORTURE_FTRACED : TORTURE_TRAPS, 1);
}

static void begin_change(struct registerer *r)
{
	unsigned int i;

	for (i = 0; i < r->nr; i++)
		torture_set_state(&r->slots[i]->phase, TORTURE_CHANGING);
}

static void end_change(struct registerer *r)
{
	unsigned int i;

	for (i = 0; i < r->nr; i++)
		torture_set_state(&r->slots[i]->phase,
				  is_on(r->slots[i]) ? TORTURE_ON : TORTURE_OFF);
}

/* Slots have probes here and below. They go if registering has failed, and are closed if not. */
static void free_probes(struct registerer *r)
{
	unsigned int i;

	for (i = 0; i < r->nr; i++) {
		struct torture_slot *slot = r->slots[i];

		if (slot->probe)
			memset(slot->probe, POISON_FREE, sizeof(*slot->probe));
		kfree(slot->probe);
		slot->probe = NULL;
	}
}

static int make_probes(struct registerer *r, bool disabled)
{
	struct torture_probe *probe;
	unsigned int i;

	for (i = 0; i < r->nr; i++) {
		probe = kzalloc(sizeof(*probe), GFP_KERNEL);
		if (!probe)
			return -ENOMEM;
		torture_init_probe(probe, r->slots[i]);
		if (disabled)
			probe->rp.kp.flags = KPROBE_FLAG_DISABLED;
		r->slots[i]->probe = probe;
	}
	return 0;
}

static void list_probes(struct registerer *r)
{
	unsigned int i;

	for (i = 0; i < r->nr; i++) {
		r->rps[i] = &r->slots[i]->probe->rp;
		r->kps[i] = &r->rps[i]->kp;
	}
}

static int register_listed(struct registerer *r)
{
	if (r->slots[0]->is_return)
		return r->nr == 1 ? register_kretprobe(r->rps[0]) :
				    register_kretprobes(r->rps, r->nr);
	return r->nr == 1 ? register_kprobe(r->kps[0]) : register_kprobes(r->kps, r->nr);
}

static void fill(struct registerer *r, bool disabled)
{
	int ret;

	begin_change(r);
	ret = make_probes(r, disabled);
	if (!ret) {
		list_probes(r);
		ret = register_listed(r);
	}
	note_result(r, TORTURE_REGISTERED, ret);
	if (ret)
		free_probes(r);
	end_change(r);
}

static void empty(struct registerer *r)
{
	unsigned int i;

	list_probes(r);
	for (i = 0; i < r->nr; i++)
		note_mechanism(r->slots[i]);
	begin_change(r);
	if (r->slots[0]->is_return)
		r->nr == 1 ? unregister_kretprobe(r->rps[0]) : unregister_kretprobes(r->rps, r->nr);
	else
		r->nr == 1 ? unregister_kprobe(r->kps[0]) : unregister_kprobes(r->kps, r->nr);
	for (i = 0; i < r->nr; i++)
		torture_book_probe(r->slots[i]);
	free_probes(r);
	end_change(r);
}

static void toggle(struct registerer *r)
{
	struct kretprobe *rp = &r->slots[0]->probe->rp;
	bool on = is_on(r->slots[0]);
	int ret;

	begin_change(r);
	if (r->slots[0]->is_return)
		ret = on ? disable_kretprobe(rp) : enable_kretprobe(rp);
	else
		ret = on ? disable_kprobe(&rp->kp) : enable_kprobe(&rp->kp);
	note_result(r, TORTURE_TOGGLED, ret);
	end_change(r);
}

/* Registering what is registered is refused, and changes nothing. */
static void register_twice(struct registerer *r)
{
	list_probes(r);
	note_result(r, TORTURE_REGISTERED_TWICE, register_listed(r) ? 0 : -EEXIST);
}

static u32 below(struct registerer *r, u32 n)
{
	return prandom_u32_state(&r->rnd) % n;
}

/* Adds slots of the first one's sort that can be locked, all with a probe or all without. */
static void gather(struct registerer *r)
{
	const struct torture_slot *first = r->slots[0];
	unsigned int i = below(r, torture_nr_slots), n;

	for (n = 0; n < torture_nr_slots && r->nr < first->together; n++, i++) {
		struct torture_slot *slot = &torture_slots[i % torture_nr_slots];

		if (slot == first || slot->is_return != first->is_return ||
		    slot->together != first->together || !mutex_trylock(&slot->lock))
			continue;
		if (!slot->probe == !first->probe)
			r->slots[r->nr++] = slot;
		else
			mutex_unlock(&slot->lock);
	}
}

static void change(struct registerer *r)
{
	struct torture_slot *slot = &torture_slots[below(r, torture_nr_slots)];

	if (!mutex_trylock(&slot->lock))
		return;
	r->slots[0] = slot;
	r->nr = 1;
	if (!below(r, 5))
		gather(r);
	if (!slot->probe)
		fill(r, !below(r, 6));
	else if (r->nr > 1 || !below(r, 3))
		empty(r);
	else if (below(r, 8))
		toggle(r);
	else
		register_twice(r);
	while (r->nr)
		mutex_unlock(&r->slots[--r->nr]->lock);
}

static int kprobes_torture_registerer(void *arg)
{
	struct registerer *r = arg;

	prandom_seed_state(&r->rnd, seed + (r - registerers));
	do {
		u64 begin = ktime_get_ns();

#ifdef CONFIG_FAULT_INJECTION
		current->make_it_fail = READ_ONCE(fail_slabs);
#endif
		change(r);
		/* Slots rest most of the time: most calls count exactly. */
		rest(begin, 300);
		stutter_wait("kprobes_torture_registerer");
	} while (!torture_must_stop());
	torture_kthread_stopping("kprobes_torture_registerer");
	return 0;
}

static void unregister_all(void)
{
	unsigned int i;

	for (i = 0; registerers && i < torture_nr_slots; i++) {
		registerers->slots[0] = &torture_slots[i];
		registerers->nr = 1;
		if (torture_slots[i].probe)
			empty(registerers);
	}
}

/* Statistics */

static bool print_stats(void)
{
	bool good = torture_print_figures(READ_ONCE(last_error));

	if (onoff_interval > 0) {
		pr_alert("kprobes-torture: ");
		torture_onoff_stats();
	}
	return good;
}

static int kprobes_torture_stats(void *arg)
{
	do {
		schedule_timeout_interruptible(stat_interval * HZ);
		print_stats();
		torture_shutdown_absorb("kprobes_torture_stats");
	} while (!torture_must_stop());
	torture_kthread_stopping("kprobes_torture_stats");
	return 0;
}

/* Beginning and end */

static void print_parameters(const char *tag)
{
	pr_alert("kprobes-torture:--- %s: ncallers=%d nregisterers=%d gap_us=%d hold_us=%d onoff_holdoff=%d onoff_interval=%d seed=%d shuffle_interval=%d shutdown_secs=%d stat_interval=%d stutter=%d verbose=%d fail_slabs=%d\n",
		 tag, ncallers, nregisterers, gap_us, hold_us, onoff_holdoff, onoff_interval, seed,
		 shuffle_interval, shutdown_secs, stat_interval, stutter, verbose, fail_slabs);
}

/* Probes are gone at once, their text follows in the background. */
static bool text_is_back(void)
{
	unsigned int patience = 200;

	while (!torture_text_is_back() && patience--)
		schedule_timeout_uninterruptible(HZ / 10);
	if (torture_text_is_back())
		return true;
	TOROUT_ERRSTRING("text: that of a target is not what it was");
	return false;
}

static bool has_passed(void)
{
	bool figures = print_stats(), books = torture_books_are_right(), text = text_is_back();

	if (!figures)
		TOROUT_ERRSTRING("figures: something happened that must not, or did not that must");
	return figures && books && text;
}

static void torture_cleanup(void)
{
	int i;

	if (torture_cleanup_begin())
		return;
	torture_stop_kthread(kprobes_torture_walker, walker_task);
	for (i = 0; registerers && i < nregisterers; i++)
		torture_stop_kthread(kprobes_torture_registerer, registerers[i].task);
	unregister_all();
	for (i = 0; callers && i < ncallers; i++)
		torture_stop_kthread(kprobes_torture_caller, callers[i].task);
	torture_stop_kthread(kprobes_torture_stats, stats_task);
	if (!has_passed())
		print_parameters("End of test: FAILURE");
	else if (torture_onoff_failures())
		print_parameters("End of test: KPROBES_HOTPLUG");
	else
		print_parameters("End of test: SUCCESS");
	kfree(registerers);
	kfree(callers);
	torture_cleanup_end();
}

static int start_threads(void)
{
	int ret = 0, i;

	for (i = 0; !ret && i < ncallers; i++)
		ret = torture_create_kthread(kprobes_torture_caller, &callers[i], callers[i].task);
	for (i = 0; !ret && i < nregisterers; i++)
		ret = torture_create_kthread(kprobes_torture_registerer, &registerers[i],
					     registerers[i].task);
	if (!ret)
		ret = torture_create_kthread(kprobes_torture_walker, NULL, walker_task);
	if (!ret && stat_interval > 0)
		ret = torture_create_kthread(kprobes_torture_stats, NULL, stats_task);
	if (!ret && shuffle_interval > 0)
		ret = torture_shuffle_init(shuffle_interval);
	if (!ret && stutter > 0)
		ret = torture_stutter_init(stutter, stutter);
	if (!ret && onoff_interval > 0)
		ret = torture_onoff_init(onoff_holdoff * HZ, onoff_interval, NULL);
	if (!ret && shutdown_secs > 0)
		ret = torture_shutdown_init(shutdown_secs, torture_cleanup);
	return ret;
}

static int __init kprobes_torture_init(void)
{
	int ret;

	if (!torture_init_begin(torture_type, verbose))
		return -EBUSY;
	if (ncallers < 0)
		ncallers = num_online_cpus();
	torture_hold_us = hold_us;
	print_parameters("Start of test");
	callers = kcalloc(ncallers, sizeof(*callers), GFP_KERNEL);
	registerers = kcalloc(max(nregisterers, 1), sizeof(*registerers), GFP_KERNEL);
	ret = callers && registerers ? torture_init_books() : -ENOMEM;
	if (!ret)
		ret = start_threads();
	torture_init_end();
	if (ret)
		torture_cleanup();
	return ret;
}
module_init(kprobes_torture_init);
module_exit(torture_cleanup);

MODULE_DESCRIPTION("Torture test of kprobes");
MODULE_LICENSE("GPL");
