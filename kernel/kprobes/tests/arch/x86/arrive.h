/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_TESTS_X86_ARRIVE_H
#define _KERNEL_KPROBES_TESTS_X86_ARRIVE_H

/* arrive.c: has an interrupt or an NMI arrive right before given instructions */
#include <linux/irq_work.h>
#include <linux/types.h>
#include <asm/ptrace.h>

struct task_struct;

/* How many instructions there can be. */
#define KPROBES_ARRIVALS_MAX	8

/**
 * struct kprobes_arrival - interrupts or NMIs that arrive one after the other
 * @look:    called from each of them, with the registers that it has interrupted
 * @ips:     before which instructions; execution goes on at the last one
 * @nr:      how many
 * @next:    the one that is due
 * @strayed: how many have arrived elsewhere
 * @regs:    for NMIs: registers of the interrupted code
 * @task:    for NMIs: the task to interrupt
 * @launched: for NMIs: the first one was sent
 * @loaded:  for NMIs: @regs were loaded
 * @work:    for interrupts
 */
struct kprobes_arrival {
	void (*look)(struct kprobes_arrival *a, struct pt_regs *regs);
	unsigned long ips[KPROBES_ARRIVALS_MAX];
	unsigned int nr;
	unsigned int next;
	unsigned int strayed;
	struct pt_regs regs;
	struct task_struct *task;
	bool launched;
	bool loaded;
	struct irq_work work;
};

void kprobes_arrival_init(struct kprobes_arrival *a,
			  void (*look)(struct kprobes_arrival *a, struct pt_regs *regs));
void kprobes_arrive_in_irq(struct kprobes_arrival *a, struct pt_regs *regs);
void kprobes_arrive_in_nmi(struct kprobes_arrival *a, struct pt_regs *regs);
int kprobes_arrive_start(void);
void kprobes_arrive_stop(void);

#endif /* _KERNEL_KPROBES_TESTS_X86_ARRIVE_H */
