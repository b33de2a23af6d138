/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_PROBED_CODE_H
#define _KERNEL_KPROBES_PROBED_CODE_H

/* probed_code.c: hits without a trap */
#include <linux/kmsan.h>
#include <linux/kprobe_arch.h>
#include <linux/preempt.h>

#include "table.h"

/*
 * What handlers must not find, and kprobe_return_to_code() restores: access to user memory,
 * as arch_kprobe_access() tells it, and these.
 */
#define KPROBE_LEFT_RCU		BIT(30)	/* RCU was not watching */
#define KPROBE_LEFT_IRQS_ON	BIT(31)	/* lockdep had interrupts on, as in the idle loop */

unsigned int kprobe_leave_code_slowly(unsigned int left);
void kprobe_return_to_code_slowly(unsigned int left);

/**
 * kprobe_begin_to_leave_code() - look at the probed code's context
 * @regs: registers that assembly has saved
 *
 * Context: That of the probed code. Disables preemption.
 * Return: 0 in most cases: handlers may run, and then preemption is enabled again. Else what
 * kprobe_leave_code_slowly() must do before.
 */
static __always_inline unsigned int kprobe_begin_to_leave_code(struct pt_regs *regs)
{
	unsigned int left;

	kmsan_unpoison_entry_regs(regs);
	preempt_disable_notrace();
	left = arch_kprobe_access();
	if (!__is_defined(ARCH_KPROBE_RCU_WATCHES) && !kprobe_rcu_is_watching())
		left |= KPROBE_LEFT_RCU;
	return left;
}

/**
 * kprobe_leave_code() - make the probed code's context that of handlers
 * @regs: registers that assembly has saved
 *
 * Context: That of the probed code. Disables preemption.
 * Return: What kprobe_return_to_code() needs.
 */
static __always_inline unsigned int kprobe_leave_code(struct pt_regs *regs)
{
	unsigned int left = kprobe_begin_to_leave_code(regs);

	return likely(!left) ? 0 : kprobe_leave_code_slowly(left);
}

/**
 * kprobe_return_to_code() - make the context that of the probed code again
 * @left: what kprobe_leave_code() has returned
 *
 * Context: As handlers. Enables preemption.
 */
static __always_inline void kprobe_return_to_code(unsigned int left)
{
	if (likely(!left))
		preempt_enable_notrace();
	else
		kprobe_return_to_code_slowly(left);
}

#endif /* _KERNEL_KPROBES_PROBED_CODE_H */
