// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures how long others must wait while a batch is registered: the worst lateness of
 *
 *   irq    a timer's interrupt, due every 100 us: interrupts are off
 *   sched  a real-time task that sleeps 500 us: the CPU is not given away
 *   probe  a real-time task that registers a probe of its own
 *
 * On one CPU each contains the one before. The last one contains the cost of registering
 * a probe on an idle machine as well.
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
static u64 worst_irq;

static enum hrtimer_restart timer_due(struct hrtimer *t)
{
	u64 late = ktime_to_ns(ktime_sub(ktime_get(), hrtimer_get_expires(t)));

	worst_irq = max(worst_irq, late);
	hrtimer_forward_now(t, ns_to_ktime(TIMER_NS));
	return HRTIMER_RESTART;
}

static struct kprobe other = { .pre_handler = bench_pre };

static void register_other(void)
{
	other.addr = (kprobe_opcode_t *)bench_plain;
	other.flags = 0;
	if (!register_kprobe(&other))
		return;
	bench_failed("probe", "the monitor cannot register");
	other.addr = NULL;
}

static void unregister_other(void)
{
	if (other.addr)
		unregister_kprobe(&other);
}

static void nothing(void)
{
}

/*
 * A task that sleeps and then does something; late is what passed beyond the
 * sleep.
 */
static struct monitor {
	const char *name;
	void (*act)(void);
	void (*after)(void);
	bool with_sleep;
	u64 worst;
	struct task_struct *task;
} monitors[] = {
	{ "sched", nothing, nothing, true },
	{ "probe", register_other, unregister_other },
};

static int monitor_thread(void *arg)
{
	struct monitor *m = arg;

	while (!kthread_should_stop()) {
		ktime_t begin = ktime_get();
		u64 passed;

		usleep_range(SLEEP_US, SLEEP_US + 1);
		if (m->with_sleep)
			begin = ktime_add_us(begin, SLEEP_US);
		else
			begin = ktime_get();
		m->act();
		passed = ktime_to_ns(ktime_sub(ktime_get(), begin));
		m->worst = max(m->worst, passed);
		m->after();
	}
	return 0;
}

static void stop_threads(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(monitors); i++) {
		if (monitors[i].task)
			kthread_stop(monitors[i].task);
		monitors[i].task = NULL;
	}
}

int bench_monitors_start(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(monitors); i++) {
		struct monitor *m = &monitors[i];
		struct task_struct *task;

		m->worst = 0;
		task = kthread_create(monitor_thread, m, "bench/%s", m->name);
		if (IS_ERR(task)) {
			stop_threads();
			return PTR_ERR(task);
		}
		m->task = task;
		sched_set_fifo(task);
		wake_up_process(task);
	}
	worst_irq = 0;
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
	unsigned int i;

	stop_threads();
	hrtimer_cancel(&timer);
	snprintf(text, sizeof(text), "%s.irq", name);
	bench_figure(text, n, worst_irq, 1);
	for (i = 0; i < ARRAY_SIZE(monitors); i++) {
		snprintf(text, sizeof(text), "%s.%s", name, monitors[i].name);
		bench_figure(text, n, monitors[i].worst, 1);
	}
}
