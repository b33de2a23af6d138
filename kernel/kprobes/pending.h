/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_PENDING_H
#define _KERNEL_KPROBES_PENDING_H

/* pending.c: probes that wait for their module */
struct module;

void kprobe_arm_waiting(const struct module *mod);
void kprobe_forget_places(const struct module *mod);

#endif /* _KERNEL_KPROBES_PENDING_H */
