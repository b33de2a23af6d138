/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_TAKEOVER_H
#define _KERNEL_KPROBES_TAKEOVER_H

/* takeover.c: chooses between breakpoint and ftrace at entries of functions */
#include <linux/kprobe_point.h>

struct kprobe_lookup;

#ifdef CONFIG_KPROBES_ON_FTRACE
bool kprobe_may_skip_nop(struct kprobe_point *point, struct kprobe_lookup *lookup);
enum kprobe_reason kprobe_ftrace_take_over(struct kprobe_point *point);
#else
static inline enum kprobe_reason kprobe_ftrace_take_over(struct kprobe_point *point)
{
	return KPROBE_REASON_FTRACE;
}
#endif

#endif /* _KERNEL_KPROBES_TAKEOVER_H */
