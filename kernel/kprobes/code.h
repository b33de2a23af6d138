/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_CODE_H
#define _KERNEL_KPROBES_CODE_H

/* code.c: what runs instead of a probed instruction: slots, detours, and the routes there */
#include <linux/kprobe_point.h>

#include "point.h"

struct kprobe_lookup;

enum kprobe_reason kprobe_displace(struct kprobe_point *point, struct kprobe_lookup *lookup);
enum kprobe_reason kprobe_displace_post(struct kprobe_point *point, void **slot);
int __init kprobe_detour_init(void);
void kprobe_point_choose_route(struct kprobe_point *point);
void kprobe_detour_free(struct kprobe_detour *detour);
bool kprobe_detour_is_current(const struct kprobe_point *point);
enum kprobe_reason kprobe_detour_for_jump(struct kprobe_point *point,
					  struct kprobe_region *region);
bool kprobe_has_breakpoint_detour(const struct kprobe_point *point);
void kprobe_detour_for_breakpoint(struct kprobe_point *point);
void kprobe_detour_retire_replaced(struct kprobe_point *point);
void kprobe_detour_leave_region(struct kprobe_point *point);
void kprobe_detour_prepare(struct kprobe_point *point);
bool kprobe_detour_commit(struct kprobe_point *point);

#endif /* _KERNEL_KPROBES_CODE_H */
