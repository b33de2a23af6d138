/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_MISS_H
#define _KERNEL_KPROBES_MISS_H

/* miss.c: counts hits whose handlers did not run */
#include <linux/kprobes.h>

struct kprobe_point;

void kprobe_count_miss(struct kprobe *p, enum kprobe_miss cause);
void kprobe_miss_rest(struct kprobe_point *point, struct kprobe *p);
unsigned long kprobe_misses(const struct kprobe *p, enum kprobe_miss cause);

#endif /* _KERNEL_KPROBES_MISS_H */
