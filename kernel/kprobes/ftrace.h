/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_FTRACE_H
#define _KERNEL_KPROBES_FTRACE_H

/* ftrace.c: points that ftrace calls kprobes for, and the switch to that */
#include <linux/kprobe_point.h>
#include <linux/list.h>

#ifdef CONFIG_KPROBES_ON_FTRACE
enum kprobe_reason kprobe_ftrace_arm(struct list_head *points);
int kprobe_ftrace_disarm(struct list_head *points);
enum kprobe_reason kprobe_entry_make(struct kprobe_point *point);
void kprobe_switch_begin(struct list_head *points);
bool kprobe_switches(void);
void kprobe_switch_wait(void);
#else
static inline enum kprobe_reason kprobe_ftrace_arm(struct list_head *points)
{
	return list_empty(points) ? KPROBE_REASON_NONE : KPROBE_REASON_FTRACE;
}

static inline int kprobe_ftrace_disarm(struct list_head *points)
{
	return 0;
}

static inline bool kprobe_switches(void)
{
	return false;
}
#endif

#endif /* _KERNEL_KPROBES_FTRACE_H */
