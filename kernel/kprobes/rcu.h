/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_RCU_H
#define _KERNEL_KPROBES_RCU_H

/* rcu.c: hits without a trap where RCU is not watching */
#include <linux/kprobe_arch.h>

#include "table.h"

/**
 * enum kprobe_rcu - what kprobe_rcu_exit() has to undo
 * @KPROBE_RCU_WATCHED: nothing
 * @KPROBE_RCU_ENTERED: RCU was not watching
 * @KPROBE_RCU_IRQS_ON: the same, and lockdep had interrupts on, as it has in the idle loop
 */
enum kprobe_rcu {
	KPROBE_RCU_WATCHED,
	KPROBE_RCU_ENTERED,
	KPROBE_RCU_IRQS_ON,
};

enum kprobe_rcu kprobe_rcu_enter_slowly(void);
void kprobe_rcu_exit_slowly(enum kprobe_rcu entered);

#ifdef ARCH_KPROBE_RCU_WATCHES
static __always_inline enum kprobe_rcu kprobe_rcu_enter(void)
{
	return KPROBE_RCU_WATCHED;
}

static __always_inline void kprobe_rcu_exit(enum kprobe_rcu entered) { }
#else
/**
 * kprobe_rcu_enter() - have RCU watch a hit that no trap has reported
 *
 * Context: Preemption disabled, until after kprobe_rcu_exit().
 * Return: What kprobe_rcu_exit() needs.
 */
static __always_inline enum kprobe_rcu kprobe_rcu_enter(void)
{
	return likely(kprobe_rcu_is_watching()) ? KPROBE_RCU_WATCHED :
						  kprobe_rcu_enter_slowly();
}

/**
 * kprobe_rcu_exit() - leave RCU as kprobe_rcu_enter() found it
 * @entered: what that has returned
 *
 * Context: As kprobe_rcu_enter().
 */
static __always_inline void kprobe_rcu_exit(enum kprobe_rcu entered)
{
	if (unlikely(entered))
		kprobe_rcu_exit_slowly(entered);
}
#endif

#endif /* _KERNEL_KPROBES_RCU_H */
