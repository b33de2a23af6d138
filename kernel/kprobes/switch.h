/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_SWITCH_H
#define _KERNEL_KPROBES_SWITCH_H

/* switch.c: switches points from a breakpoint to ftrace */
#include <linux/kprobe_point.h>

#ifdef CONFIG_KPROBES_ON_FTRACE
enum kprobe_reason kprobe_entry_make(struct kprobe_point *point);
void kprobe_switch_begin(struct list_head *points);
void kprobe_switch_end(struct kprobe_point *point);
bool kprobe_switches(void);
unsigned int kprobe_switches_ended(void);
void kprobe_switch_wait(unsigned int ended);
#else
static inline bool kprobe_switches(void)
{
	return false;
}
#endif

#endif /* _KERNEL_KPROBES_SWITCH_H */
