/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_KRETPROBE_CALL_H
#define _KERNEL_KPROBES_KRETPROBE_CALL_H

/* How an entry gets its instance and its new return address; for kretprobe.c, kretprobe_quick.c */
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/sched.h>

#define KRETPROBE_TRAMPOLINE						\
	((unsigned long)dereference_function_descriptor(kretprobe_trampoline))

/* Interrupts pop the instances that they push, so the list needs no atomic exchange. */
static __always_inline void kretprobe_push(struct kretprobe_instance *ri)
{
	struct llist_head *stack = &current->kretprobe_instances;

	WRITE_ONCE(ri->llist.next, stack->first);
	/* The instance is complete before an interrupt or find_of_other() can find it. */
	smp_store_release(&stack->first, &ri->llist);
}

/* Pushes the instance and makes the call return to the trampoline. */
static __always_inline void kretprobe_hijack(struct kretprobe_instance *ri,
					     struct pt_regs *regs, void *fp)
{
	kretprobe_push(ri);
	/* An unwinder that finds the trampoline's address must find the instance. */
	barrier();
	arch_kretprobe_set_return_address(regs, fp, KRETPROBE_TRAMPOLINE);
}

static __always_inline void kretprobe_identify(struct kretprobe_instance *ri, void *fp,
					       unsigned long ret_addr)
{
	ri->task = current;
	ri->call = (unsigned long)fp;
	ri->ret_addr = (void *)ret_addr;
}

#endif /* _KERNEL_KPROBES_KRETPROBE_CALL_H */
