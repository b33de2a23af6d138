// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kprobe_synchronize(): wait until no hit uses a probe that was unlinked, or that was disabled. The
 * user may free the probe then, or what its handlers use.
 *
 * A hit publishes the object through which it reaches probes, a point or a return probe's pool, as
 * a hazard pointer in its frame before it reads the probes (M. Michael, "Hazard Pointers: Safe
 * Memory Reclamation for Lock-Free Objects", IEEE TPDS 15(6), 2004). The hit path does not order
 * the store against the load after it. Instead, the caller interrupts every CPU that may have a hit
 * once, after it has unlinked the probes. Then it waits for the frames that have one of its
 * pointers. It compares these and never dereferences them: if the object is freed meanwhile, and
 * its memory becomes another point, the wait only takes longer. A point that has other probes may
 * be hit again and again, and each sample may find the same pointer. So after a while an expedited
 * RCU grace period that began after M ends the wait: handlers run with preemption disabled where
 * RCU is watching.
 */
#include <linux/context_tracking_state.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kprobe_point.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>

#include "frame.h"

/*
 *   kprobe_synchronize()		a hit
 *     (its caller unlinks)		  [A] store @hazard
 *     interrupt every CPU		      (an interrupt, or none)
 *       smp_mb() on each, [M]		  [B] load the list of probes
 *     [C] load each @hazard		  call handlers
 *					  [D] store NULL to @hazard (release)
 *
 * A CPU is interrupted between two instructions. If the interrupt comes before B, B sees the
 * unlinking, because M comes after the unlinking. Else the interrupt comes after A, and C sees
 * A or D, because M comes before C. Hits without a frame run with interrupts disabled: they end
 * before M. An NMI that interrupts M's handler has its A and B on one side of M, too. As litmus
 * tests: Documentation/litmus-tests/kprobes/unregister+*.
 */
static void pass_barrier(void *unused)
{
	smp_mb();	/* M, between A and B of the hits on this CPU */
}

/*
 * A CPU that RCU does not watch, idle or, with nohz_full, in user space, has no hit under way, and
 * need not be interrupted: before it takes a trap it has RCU watch, by an atomic operation on this
 * state that is a full barrier, as M is. Either that comes after this load, and B sees the
 * unlinking, or this load, with acquire order, sees what the CPU has done so far, D included.
 */
static bool may_be_hit(int cpu, void *unused)
{
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	return ct_rcu_watching_cpu_acquire(cpu) & CT_RCU_WATCHING;
#else
	return true;
#endif
}

/* Does a hit in this frame use what was unlinked? */
static bool is_used(const struct kprobe_frame *frame, kprobe_uses_t uses, const void *arg)
{
	/*
	 * C. Pairs with D in kprobe_frame_exit(): the hit's handlers have returned. That holds
	 * also if C reads another hit's A, which came after D: no CPU lets a store to the same
	 * word overtake one with release order.
	 */
	const void *hazard = smp_load_acquire(&frame->hazard);

	return hazard && uses(hazard, arg);
}

/* How long to look before asking for the grace period: most handlers return sooner. */
#define LOOK_US		1000

/* Tells users why rmmod, for example, does not return. */
static void complain(int cpu)
{
	pr_warn("kprobes: still waiting for handlers on CPU %d to return\n", cpu);
}

/*
 * Waits until each hit that began before, and whose hazard pointer @uses accepts, has called its
 * handlers, or for an expedited grace period if that ends sooner. Sleeps, and must not be called
 * with a lock held: a handler may take long to return.
 */
void kprobe_synchronize(kprobe_uses_t uses, const void *arg)
{
	bool asked = false, warned = false;
	unsigned long grace_period = 0;
	unsigned int i;
	ktime_t begin;
	int cpu;
	s64 us;

	lockdep_assert_not_held(&kprobe_mutex);
	/* The lock keeps CPUs from coming or going without being interrupted. */
	scoped_guard(cpus_read_lock) {
		/* Between the unlinking and may_be_hit(). */
		smp_mb();
		on_each_cpu_cond(may_be_hit, pass_barrier, NULL, true);
	}
	begin = ktime_get();
	for_each_possible_cpu(cpu) {
		i = 0;
		while (i < KPROBE_FRAMES) {
			if (!is_used(&per_cpu(kprobe_cpu, cpu).frame[i], uses, arg)) {
				i++;
				continue;
			}
			if (asked && poll_state_synchronize_rcu(grace_period))
				return;
			us = ktime_us_delta(ktime_get(), begin);
			if (us < LOOK_US) {
				cpu_relax();
				continue;
			}
			if (!asked) {
				grace_period = start_poll_synchronize_rcu_expedited();
				asked = true;
			}
			if (!warned && us > 2 * USEC_PER_SEC) {
				complain(cpu);
				warned = true;
			}
			/* This CPU expires the timer: another may be busy with the handler. */
			usleep_range(USEC_PER_MSEC, 2 * USEC_PER_MSEC);
		}
	}
}
