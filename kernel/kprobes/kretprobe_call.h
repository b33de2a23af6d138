/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_KRETPROBE_CALL_H
#define _KERNEL_KPROBES_KRETPROBE_CALL_H

/* A call of a probed function gets its instance. */
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/sched.h>

#define KRETPROBE_TRAMPOLINE						\
	((unsigned long)dereference_function_descriptor(kretprobe_trampoline))

/* Interrupts that push instances pop them again, so no atomic exchange is needed. */
static __always_inline void kretprobe_push(struct kretprobe_instance *ri)
{
	struct llist_head *stack = &current->kretprobe_instances;

	WRITE_ONCE(ri->llist.next, stack->first);
	/* It must be complete, for interrupts and for find_of_other() on other CPUs. */
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
