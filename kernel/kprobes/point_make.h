/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_POINT_MAKE_H
#define _KERNEL_KPROBES_POINT_MAKE_H

/* point_make.c: finds or makes the point for an address */
#include <linux/kprobe_point.h>

struct kprobe_lookup;

int __init kprobe_point_init(void);
enum kprobe_reason kprobe_point_get(unsigned long addr, bool on_func_entry,
				    struct kprobe_lookup *lookup,
				    struct kprobe_point **point);
enum kprobe_reason kprobe_point_prepare_post(struct kprobe_point *point);

#endif /* _KERNEL_KPROBES_POINT_MAKE_H */
