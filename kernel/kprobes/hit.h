/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_HIT_H
#define _KERNEL_KPROBES_HIT_H

/* hit.c: handles a hit, from the trap to the displaced instruction, and counts misses */
#include <linux/jump_label.h>
#include <linux/kmsan.h>
#include <linux/kprobe_arch.h>
#include <linux/preempt.h>

#include "table.h"

/* Are hits counted? count.c turns it on and off. */
DECLARE_STATIC_KEY_FALSE(kprobe_counting);

void kprobe_hit(struct kprobe_point *point, struct pt_regs *regs, unsigned int entered);
void kprobe_post_hit(struct kprobe_point *point, struct pt_regs *regs);
void kprobe_go_on(struct kprobe_point *point, struct pt_regs *regs);
void kprobe_miss_rest(struct kprobe_point *point, struct kprobe *p);

/*
 * Hits by a jump, by ftrace, after a displaced instruction, and in the return trampoline have no
 * trap's entry code. They undo here what the probed code has and handlers must not: access to user
 * memory, in the bits that arch_kprobe_access() returns, and these two.
 */
#define KPROBE_LEFT_RCU		BIT(30)	/* RCU was not watching */
#define KPROBE_LEFT_IRQS_ON	BIT(31)	/* lockdep had interrupts on, as in the idle loop */

unsigned int kprobe_leave_code_slowly(unsigned int left);
void kprobe_return_to_code_slowly(unsigned int left);

/*
 * Disables preemption, and returns what kprobe_leave_code_slowly() must undo before handlers run:
 * mostly 0, which is nothing. Afterwards the caller enables preemption, after 0 by itself, else by
 * kprobe_return_to_code_slowly().
 */
static __always_inline unsigned int kprobe_begin_to_leave_code(struct pt_regs *regs)
{
	unsigned int left;

	kmsan_unpoison_entry_regs(regs);
	preempt_disable_notrace();
	left = arch_kprobe_access();
	if (!__is_defined(ARCH_KPROBE_RCU_WATCHES) && unlikely(!kprobe_rcu_is_watching())) {
		/* Has the compiler branch. It knows what comes next: callers then ask for 0. */
		OPTIMIZER_HIDE_VAR(left);
		left |= KPROBE_LEFT_RCU;
	}
	return left;
}

#endif /* _KERNEL_KPROBES_HIT_H */
