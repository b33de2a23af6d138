// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Callers of targets, in tasks, softirqs, hardirqs and NMIs. Of each call and each slot they say
 * whether the slot's probe had to be hit: it had to if it was registered and enabled, and probes
 * were armed, before the call and after it and all the time in between. What handlers have seen of
 * the call is in its tally.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/timer.h>

#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
#include <asm/nmi.h>
#endif

#include "internal.h"

#define CALLERS		4
#define INTERVAL	(2 * NSEC_PER_MSEC)
/* Calls in interrupts take one part of so many of the time, however slow the machine is. */
#define PARTS		8
/* Hits while a slot changes, before there are others to compare them with. */
#define BEGINNING	1000

atomic_long_t storm_calls, storm_calls_in_nmi, storm_wrong_results;

static struct task_struct *callers[CALLERS];
static struct hrtimer hard_timer;
static struct timer_list soft_timer;
static bool stopping;

/* Phases of all that a call depends on. */
struct phases {
	unsigned long knob;
	unsigned long slots[STORM_KINDS];
};

static struct storm_slot *slots_of(const struct storm_target *target)
{
	return &storm_slots[(target - storm_targets) * STORM_KINDS];
}

static __always_inline void read_phases(const struct storm_slot *slots, struct phases *p)
{
	unsigned int i;

	/* Pairs with storm_set_phase(). */
	p->knob = smp_load_acquire(&storm_knob);
	for (i = 0; i < STORM_KINDS; i++)
		p->slots[i] = smp_load_acquire(&slots[i].phase);	/* the same */
}

static bool was(unsigned long before, unsigned long after, unsigned int state)
{
	return before == after && STORM_STATE(before) == state;
}

/* What a slot's probe was during a call. */
static unsigned int state_of(const struct phases *before, const struct phases *after,
			     unsigned int i)
{
	unsigned long old = before->slots[i], new = after->slots[i];

	if (was(old, new, STORM_ON) && was(before->knob, after->knob, STORM_ON))
		return STORM_ON;
	if (was(old, new, STORM_OFF) || was(before->knob, after->knob, STORM_OFF))
		return STORM_OFF;
	return STORM_CHANGING;
}

/**
 * storm_call() - call a target
 * @target: the target
 * @a:      its argument
 * @nested: is the caller a handler, so that all hits are missed?
 *
 * Context: Any, if the target does not sleep.
 */
void storm_call(const struct storm_target *target, long a, bool nested)
{
	struct storm_tally tally = { .target = target, .nested = nested };
	struct storm_slot *slots = slots_of(target);
	struct phases before, after;
	unsigned int i;

	read_phases(slots, &before);
	/* The phases are read before the call: pairs with begin_change() and set_knob(). */
	smp_mb();
	storm_begin_tally(&tally);
	if (target->function(a) != a + target->plus)
		atomic_long_inc(&storm_wrong_results);
	storm_end_tally(&tally);
	smp_mb();	/* and again after it */
	read_phases(slots, &after);
	atomic_long_inc(&storm_calls);
	for (i = 0; i < STORM_KINDS; i++)
		storm_book_call(&slots[i], &tally, state_of(&before, &after, i));
}
NOKPROBE_SYMBOL(storm_call);

/**
 * storm_call_kept() - call the target that nobody else calls
 *
 * Context: Process context, one caller at a time.
 * Return: Were probes armed all the time?
 */
bool storm_call_kept(void)
{
	unsigned long before = READ_ONCE(storm_knob);
	unsigned int i;

	/* storm_call() has barriers around the call. */
	for (i = 0; i < storm_nr_targets; i++)
		if (storm_targets[i].kept)
			storm_call(&storm_targets[i], 4, false);
	return was(before, READ_ONCE(storm_knob), STORM_ON);
}

static bool is_changing(const struct storm_slot *slots)
{
	unsigned int i;

	if (STORM_STATE(READ_ONCE(storm_knob)) == STORM_CHANGING)
		return true;
	for (i = 0; i < STORM_KINDS; i++)
		if (STORM_STATE(READ_ONCE(slots[i].phase)) == STORM_CHANGING)
			return true;
	return false;
}
NOKPROBE_SYMBOL(is_changing);

/*
 * Is a target called too often already while a slot changes? A change may take seconds on a busy
 * machine. Calls meanwhile are what the storm is for, but do not count exactly.
 */
static bool is_unbalanced(const struct storm_slot *slots)
{
	unsigned long must = 0, may = 0;
	unsigned int i;

	for (i = 0; i < STORM_KINDS; i++) {
		must += atomic_long_read(&slots[i].sums[STORM_MUST]);
		may += atomic_long_read(&slots[i].sums[STORM_MAY]);
	}
	return 2 * may > must + BEGINNING;
}
NOKPROBE_SYMBOL(is_unbalanced);

static void call_all(bool in_task, bool sleep)
{
	unsigned int i;

	for (i = 0; i < storm_nr_targets; i++) {
		const struct storm_target *target = &storm_targets[i];

		if (target->kept || (target->sleeps && !(in_task && sleep)))
			continue;
		if (!is_changing(slots_of(target)) || !is_unbalanced(slots_of(target)))
			storm_call(target, 4 * i, false);
	}
}

/**
 * storm_rest() - sleep, so that others get done what they have to do
 * @begin: since when the caller was at work
 * @times: how many times as long to sleep
 *
 * Context: Process context, may sleep.
 */
void storm_rest(u64 begin, unsigned int times)
{
	u64 us = times * (ktime_get_ns() - begin) / NSEC_PER_USEC;

	us = clamp(us, 200ULL, USEC_PER_SEC / 4);
	usleep_range(us, 2 * us);
}

static int call_in_task(void *data)
{
	unsigned int n;
	u64 begin = ktime_get_ns();

	for (n = 0; !kthread_should_stop(); n++) {
		call_all(true, !(n % 16));
		cond_resched();
		if (n % 8)
			continue;
		storm_rest(begin, 1);
		begin = ktime_get_ns();
	}
	return 0;
}

#ifdef CONFIG_X86_LOCAL_APIC
static int call_in_nmi(unsigned int type, struct pt_regs *regs)
{
	call_all(false, false);
	atomic_long_inc(&storm_calls_in_nmi);
	return NMI_HANDLED;
}
NOKPROBE_SYMBOL(call_in_nmi);

/* Each CPU in turn gets one. A CPU that goes offline meanwhile may lose it. */
static void send_nmi(void)
{
	static unsigned int last;

	last = cpumask_next(last, cpu_online_mask);
	if (last >= nr_cpu_ids)
		last = cpumask_first(cpu_online_mask);
	__apic_send_IPI_mask(cpumask_of(last), NMI_VECTOR);
}

static int begin_nmis(void)
{
	return register_nmi_handler(NMI_LOCAL, call_in_nmi, NMI_FLAG_FIRST, "kprobe_storm");
}

static void end_nmis(void)
{
	/* An NMI under way comes before this interrupt. Later nobody would know it. */
	kick_all_cpus_sync();
	unregister_nmi_handler(NMI_LOCAL, "kprobe_storm");
}
#else
static void send_nmi(void) { }
static int begin_nmis(void) { return 0; }
static void end_nmis(void) { }
#endif

static enum hrtimer_restart call_in_hardirq(struct hrtimer *timer)
{
	u64 begin = ktime_get_ns();

	call_all(false, false);
	send_nmi();
	if (READ_ONCE(stopping))
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, max_t(u64, INTERVAL, PARTS * (ktime_get_ns() - begin)));
	return HRTIMER_RESTART;
}

static void call_in_softirq(struct timer_list *timer)
{
	u64 begin = ktime_get_ns();

	call_all(false, false);
	if (!READ_ONCE(stopping))
		mod_timer(timer, jiffies + 1 + nsecs_to_jiffies(PARTS * (ktime_get_ns() - begin)));
}

/**
 * storm_start_callers() - begin to call
 *
 * Context: Process context, may sleep. storm_stop_callers() ends it, also if this has failed.
 * Return: 0 or a negative errno.
 */
int storm_start_callers(void)
{
	unsigned int i;
	int ret = begin_nmis();

	if (ret)
		return ret;
	WRITE_ONCE(stopping, false);
	hrtimer_init(&hard_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	hard_timer.function = call_in_hardirq;
	timer_setup(&soft_timer, call_in_softirq, 0);
	hrtimer_start(&hard_timer, INTERVAL, HRTIMER_MODE_REL_HARD);
	mod_timer(&soft_timer, jiffies + 1);
	for (i = 0; i < CALLERS; i++) {
		struct task_struct *task = kthread_run(call_in_task, NULL, "storm_caller/%u", i);

		if (IS_ERR(task))
			return PTR_ERR(task);
		callers[i] = task;
	}
	return 0;
}

/**
 * storm_stop_callers() - end calling
 *
 * Context: Process context, may sleep.
 */
void storm_stop_callers(void)
{
	unsigned int i;

	for (i = 0; i < CALLERS; i++)
		if (callers[i])
			kthread_stop(callers[i]);
	memset(callers, 0, sizeof(callers));
	if (!hard_timer.function)
		return;
	WRITE_ONCE(stopping, true);
	hrtimer_cancel(&hard_timer);
	timer_shutdown_sync(&soft_timer);
	hard_timer.function = NULL;
	end_nmis();
}
