// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hits where RCU is not watching: in the idle loop, around a guest, or on the way to user
 * space. What is executed there is noinstr on some architectures, but not on all: a call
 * of firmware or a driver of idle states can be probed. A trap has RCU watch on its way
 * in. A hit by a jump, in a slot or in the return trampoline has to do it itself, because
 * handlers may use RCU, and so does the hit.
 *
 * It does what a trap does, but for the preemption count: that of handlers is the probed
 * code's own.
 *
 * This is part of the hit path: the rules at the top of hit.c hold here as well.
 */
#include <linux/context_tracking_irq.h>
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>

#include "rcu.h"

#ifndef ARCH_KPROBE_RCU_WATCHES

/**
 * kprobe_rcu_enter_slowly() - have RCU watch
 *
 * The idle loop tells lockdep that interrupts are enabled, as they may be in arch_cpu_idle().
 * Locks that handlers take would then seem to be taken with interrupts enabled.
 *
 * Context: As kprobe_rcu_enter(), RCU not watching.
 * Return: As kprobe_rcu_enter().
 */
enum kprobe_rcu kprobe_rcu_enter_slowly(void)
{
	bool irqs_on = raw_irqs_disabled() && lockdep_hardirqs_enabled();

	if (irqs_on)
		lockdep_hardirqs_off(CALLER_ADDR0);
	ct_nmi_enter();
	if (!irqs_on)
		return KPROBE_RCU_ENTERED;
	trace_hardirqs_off_finish();
	return KPROBE_RCU_IRQS_ON;
}
NOKPROBE_SYMBOL(kprobe_rcu_enter_slowly);

/**
 * kprobe_rcu_exit_slowly() - have RCU not watch any more
 * @entered: as for kprobe_rcu_exit(), and not %KPROBE_RCU_WATCHED
 *
 * Context: As kprobe_rcu_exit().
 */
void kprobe_rcu_exit_slowly(enum kprobe_rcu entered)
{
	if (entered == KPROBE_RCU_IRQS_ON) {
		trace_hardirqs_on_prepare();
		lockdep_hardirqs_on_prepare();
	}
	ct_nmi_exit();
	if (entered == KPROBE_RCU_IRQS_ON)
		lockdep_hardirqs_on(CALLER_ADDR0);
}
NOKPROBE_SYMBOL(kprobe_rcu_exit_slowly);

#endif /* ARCH_KPROBE_RCU_WATCHES */
