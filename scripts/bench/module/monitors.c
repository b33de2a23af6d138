// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures how long others must wait while a batch is registered: the worst lateness of
 *
 *   irq    a timer's interrupt, due every 100 us: interrupts are off
 *   probe  a real-time task that registers a probe of its own
 *
 * On one CPU the second contains the first, and the cost of registering a probe on an idle
 * machine.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/sched.h>

#include "bench.h"

#define TIMER_NS	(100 * NSEC_PER_USEC)
#define SLEEP_US	500

static struct hrtimer timer;
static struct task_struct *task;
static u64 worst_irq, worst_probe;

static enum hrtimer_restart timer_due(struct hrtimer *t)
{
	u64 late = ktime_to_ns(ktime_sub(ktime_get(), hrtimer_get_expires(t)));

	worst_irq = max(worst_irq, late);
	hrtimer_forward_now(t, ns_to_ktime(TIMER_NS));
	return HRTIMER_RESTART;
}

static int register_probes(void *unused)
{
	while (!kthread_should_stop()) {
		struct kprobe other = {
			.addr = (kprobe_opcode_t *)bench_plain,
			.pre_handler = bench_pre,
		};
		u64 begin, passed;

		usleep_range(SLEEP_US, SLEEP_US + 1);
		begin = ktime_get_ns();
		if (register_kprobe(&other)) {
			bench_failed("probe", "the monitor cannot register");
			continue;
		}
		passed = ktime_get_ns() - begin;
		worst_probe = max(worst_probe, passed);
		unregister_kprobe(&other);
	}
	return 0;
}

int bench_monitors_start(void)
{
	worst_irq = 0;
	worst_probe = 0;
	task = kthread_create(register_probes, NULL, "bench/probe");
	if (IS_ERR(task))
		return PTR_ERR(task);
	sched_set_fifo(task);
	wake_up_process(task);
	hrtimer_init(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer.function = timer_due;
	hrtimer_start(&timer, ns_to_ktime(TIMER_NS),
		      HRTIMER_MODE_REL_PINNED_HARD);
	/* Leave out the first rounds, which are slower. */
	msleep(20);
	return 0;
}

void bench_monitors_stop(const char *name, unsigned int n)
{
	char text[64];

	kthread_stop(task);
	hrtimer_cancel(&timer);
	snprintf(text, sizeof(text), "%s.irq", name);
	bench_figure(text, n, worst_irq, 1);
	snprintf(text, sizeof(text), "%s.probe", name);
	bench_figure(text, n, worst_probe, 1);
}
