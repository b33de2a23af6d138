/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_OPTIMIZER_H
#define _KERNEL_KPROBES_OPTIMIZER_H

/* optimizer.c: turns breakpoints into jumps */
#include <linux/kprobe_point.h>

struct kprobe_lookup;

void kprobe_point_set_optimization(struct kprobe_point *point,
				   enum kprobe_optimization to);
enum kprobe_reason kprobe_decide_jump(struct kprobe_point *point, struct kprobe_lookup *lookup,
				      struct kprobe_region *region);
void kprobe_optimizer_queue(struct kprobe_point *point);
void kprobe_optimizer_hold(bool begins);
void kprobe_optimizer_queue_overlapping(struct kprobe_point *point);
void kprobe_optimizer_dequeue(struct kprobe_point *point);
void kprobe_unoptimize_overlapping(struct list_head *points);
void kprobe_unoptimize(struct list_head *points);
void kprobe_leave_detour(struct kprobe_point *point);
void kprobe_route_by_pass(struct kprobe_point *point);
bool kprobe_optimizer_hurry(void);
void kprobe_optimizer_allow(bool allow);
bool kprobe_optimizer_is_allowed(void);

#endif /* _KERNEL_KPROBES_OPTIMIZER_H */
