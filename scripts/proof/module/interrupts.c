// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An interrupt-heavy load: each CPU has a timer that interrupts it every half millisecond,
 * interrupts it once more from there, and raises a softirq. Where that takes long, as each access to
 * memory is checked and each function traced, the timer leaves most of the time to the workload.
 */
#include <linux/cpu.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include "sweep.h"

#define INTERVAL	(NSEC_PER_MSEC / 2)
/* The interval is so many times what the last one has taken, or more. */
#define REST		8

/* What a timer causes. @begun: when it last did; @cost: nanoseconds from there to the softirq. */
struct consequence {
	struct hrtimer timer;
	ktime_t begun;
	s64 cost;
	struct irq_work again;
	struct tasklet_struct softirq;
};

static DEFINE_PER_CPU(struct consequence, consequences);
static atomic_t softirqs;

static void again(struct irq_work *work)
{
}

static void softirq(struct tasklet_struct *tasklet)
{
	struct consequence *c = container_of(tasklet, struct consequence, softirq);

	c->cost = ktime_get() - c->begun;
	atomic_inc(&softirqs);
}

/* From now on, not from when it was due: the load must not take all of a slow machine. */
static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct consequence *c = container_of(timer, struct consequence, timer);

	c->begun = ktime_get();
	irq_work_queue(&c->again);
	tasklet_schedule(&c->softirq);
	hrtimer_forward_now(timer, max(INTERVAL, REST * c->cost));
	return HRTIMER_RESTART;
}

static void begin(void *unused)
{
	struct consequence *c = this_cpu_ptr(&consequences);

	hrtimer_start(&c->timer, INTERVAL, HRTIMER_MODE_REL_PINNED_HARD);
}

static void prepare(struct consequence *c)
{
	hrtimer_init(&c->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	c->timer.function = tick;
	init_irq_work(&c->again, again);
	tasklet_setup(&c->softirq, softirq);
	c->cost = 0;
}

static void end(struct consequence *c)
{
	hrtimer_cancel(&c->timer);
	irq_work_sync(&c->again);
	tasklet_kill(&c->softirq);
}

/* Begins or ends the load. One that has not interrupted anything is none. */
int sweep_interrupt(bool on)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (on)
			prepare(per_cpu_ptr(&consequences, cpu));
		else
			end(per_cpu_ptr(&consequences, cpu));
	}
	if (!on)
		return atomic_read(&softirqs) ? 0 : -EIO;
	atomic_set(&softirqs, 0);
	on_each_cpu(begin, NULL, 1);
	return 0;
}
