// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unregistering does not wait for RCU. A hit publishes in its frame what leads
 * it to probes, before it looks at them. Whoever has unlinked a probe interrupts
 * every CPU once, which orders each CPU's publishing and looking against the
 * unlinking, and then waits for the frames that hold what is draining.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/smp.h>

#include "internal.h"

static void pass_barrier(void *unused)
{
	smp_mb();	/* between the caller's unlinking and this CPU's frames */
}
NOKPROBE_SYMBOL(pass_barrier);

static bool frame_is_draining(struct kprobe_frame *frame)
{
	struct kprobe_held *held;

	/* It is freed a grace period after the last hit that published it. */
	guard(rcu)();
	/* Pairs with kprobe_frame_exit(): the hit's handlers are through. */
	held = smp_load_acquire(&frame->held);
	return held && READ_ONCE(held->draining);
}

/* However long its handler takes: only the frame's own CPU writes to it. */
static void wait_for_frame(struct kprobe_frame *frame)
{
	unsigned long patience = jiffies + msecs_to_jiffies(20);

	while (frame_is_draining(frame)) {
		if (time_before(jiffies, patience))
			cpu_relax();
		else
			msleep(20);
	}
}

/**
 * kprobe_drain() - wait until no hit looks at what was unlinked
 *
 * The caller has unlinked probes and marked what led to them as draining. Takes
 * one round of interrupts and the time of the handlers under way there, no grace
 * period.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 */
void kprobe_drain(void)
{
	unsigned int i;
	int cpu;

	lockdep_assert_held(&kprobe_mutex);
	/* A CPU that comes or goes meanwhile would not be asked. */
	guard(cpus_read_lock)();
	on_each_cpu(pass_barrier, NULL, 1);
	for_each_possible_cpu(cpu)
		for (i = 0; i < KPROBE_FRAMES; i++)
			wait_for_frame(&per_cpu(kprobe_cpu, cpu).frame[i]);
}
NOKPROBE_SYMBOL(kprobe_drain);
