/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_KRETPROBE_H
#define _KERNEL_KPROBES_KRETPROBE_H

/* kretprobe.c: handles the entries and returns of functions with return probes */
struct kprobe;
struct pt_regs;

int kretprobe_entry(struct kprobe *p, struct pt_regs *regs);

#endif /* _KERNEL_KPROBES_KRETPROBE_H */
