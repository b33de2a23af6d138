/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_HIT_H
#define _KERNEL_KPROBES_HIT_H

/* hit.c: handles a hit, from the trap to the displaced instruction, and counts misses */
#include <linux/atomic.h>
#include <linux/kprobe_point.h>
#include <linux/kprobes.h>

extern atomic_t kprobe_stale_breakpoints;

void kprobe_hit(struct kprobe_point *point, struct pt_regs *regs,
		unsigned int entered);
void kprobe_post_hit(struct kprobe_point *point, struct pt_regs *regs);
void kprobe_go_on(struct kprobe_point *point, struct pt_regs *regs);
void kprobe_count_miss(struct kprobe *p, enum kprobe_miss cause);
void kprobe_miss_rest(struct kprobe_point *point, struct kprobe *p);
unsigned long kprobe_misses(const struct kprobe *p, enum kprobe_miss cause);

#endif /* _KERNEL_KPROBES_HIT_H */
