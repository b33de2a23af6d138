// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes the probed code's context that of handlers, and back, on hits without a trap: by a
 * jump, by ftrace, after a displaced instruction, and in the return trampoline. Handlers may use
 * RCU and must not access user memory by mistake. A trap's entry code takes care of both. The
 * other hits call the functions here.
 *
 * RCU is not watching in the idle loop, around a guest, and on the way to user space. Some
 * architectures have only noinstr code there. On others a call of firmware or a driver of
 * idle states can be probed. A hit there does what a trap does, except that it leaves the
 * preemption count alone: handlers see that of the probed code.
 *
 * This is part of the hit path: the rules at the top of hit.c hold here as well.
 */
#include <linux/context_tracking_irq.h>
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>

#include "probed_code.h"

#define LEFT_ACCESS	(~(KPROBE_LEFT_RCU | KPROBE_LEFT_IRQS_ON))

/*
 * The idle loop tells lockdep that interrupts are enabled, as they may be in arch_cpu_idle().
 * Locks that handlers take would then seem to be taken with interrupts enabled.
 */
static unsigned int have_rcu_watch(void)
{
	bool irqs_on = raw_irqs_disabled() && lockdep_hardirqs_enabled();

	if (irqs_on)
		lockdep_hardirqs_off(CALLER_ADDR0);
	ct_nmi_enter();
	if (!irqs_on)
		return 0;
	trace_hardirqs_off_finish();
	return KPROBE_LEFT_IRQS_ON;
}
NOKPROBE_SYMBOL(have_rcu_watch);

static void have_rcu_not_watch(bool irqs_on)
{
	if (irqs_on) {
		trace_hardirqs_on_prepare();
		lockdep_hardirqs_on_prepare();
	}
	ct_nmi_exit();
	if (irqs_on)
		lockdep_hardirqs_on(CALLER_ADDR0);
}
NOKPROBE_SYMBOL(have_rcu_not_watch);

/* Undoes what @left tells, which is not 0. Returns what kprobe_return_to_code() must redo. */
unsigned int kprobe_leave_code_slowly(unsigned int left)
{
	if (left & LEFT_ACCESS)
		arch_kprobe_end_access(left & LEFT_ACCESS);
	if (left & KPROBE_LEFT_RCU)
		left |= have_rcu_watch();
	return left;
}
NOKPROBE_SYMBOL(kprobe_leave_code_slowly);

/*
 * The inverse of kprobe_leave_code_slowly(). Enables preemption, where the task may be rescheduled,
 * before it permits access to user memory: a task that can access it must not be rescheduled.
 */
void kprobe_return_to_code_slowly(unsigned int left)
{
	if (left & KPROBE_LEFT_RCU)
		have_rcu_not_watch(left & KPROBE_LEFT_IRQS_ON);
	preempt_enable_notrace();
	if (left & LEFT_ACCESS)
		arch_kprobe_resume_access(left & LEFT_ACCESS);
}
NOKPROBE_SYMBOL(kprobe_return_to_code_slowly);
