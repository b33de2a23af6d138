/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_ENTRY_H
#define _KERNEL_KPROBES_ENTRY_H

/* entry.c: chooses between breakpoint and ftrace at entries of functions */
#include <linux/kprobe_point.h>

struct kprobe_lookup;

#ifdef CONFIG_KPROBES_ON_FTRACE
bool kprobe_choose_entry(struct kprobe_point *point, struct kprobe_lookup *lookup);
enum kprobe_reason kprobe_share_site(struct kprobe_point *point);
enum kprobe_reason kprobe_switch_to_ftrace(struct list_head *points);
#else
static inline bool kprobe_choose_entry(struct kprobe_point *point, struct kprobe_lookup *lookup)
{
	return false;
}

static inline enum kprobe_reason kprobe_share_site(struct kprobe_point *point)
{
	return KPROBE_REASON_NONE;
}
#endif

#endif /* _KERNEL_KPROBES_ENTRY_H */
