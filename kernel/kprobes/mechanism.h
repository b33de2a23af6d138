/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_MECHANISM_H
#define _KERNEL_KPROBES_MECHANISM_H

/* How points come into the text and leave it, from the choice of a mechanism to its code. */
#include <linux/jiffies.h>
#include <linux/kprobe_point.h>
#include <linux/list.h>

struct kprobe_lookup;

/* How long points stay in the text after they are not wanted any more, in jiffies. */
#define KPROBE_DISARM_DELAY	msecs_to_jiffies(50)

extern bool kprobe_armed_globally;

/* batch.c: arms, disarms and frees points; calls of the API that a handler makes */
enum kprobe_reason kprobe_batch_commit(struct list_head *batch);
void kprobe_batch_defer_disarm(struct list_head *batch);
void kprobe_batch_use_ftrace(struct kprobe_point *point);
void kprobe_batch_restore(struct list_head *points);
void kprobe_batch_drop(struct list_head *points);
bool kprobe_disarm_chunk(void);
void kprobe_disarm_pending(void);
enum kprobe_reason kprobe_arm_all(bool arm);
void kprobe_point_put(struct kprobe_point *point);
void kprobe_point_free(struct kprobe_point *point);
void kprobe_point_kill(struct kprobe_point *point);
bool kprobe_in_handler(void);
int kprobe_set_disabled_in_handler(struct kprobe *kp, bool disabled);
void kprobe_flush_requests(void);
void kprobe_serve_requests(void);

/* optimizer.c: turns breakpoints into jumps */
void kprobe_point_set_optimization(struct kprobe_point *point, enum kprobe_optimization to);
enum kprobe_reason kprobe_decide_jump(struct kprobe_point *point, struct kprobe_lookup *lookup,
				      struct kprobe_region *region);
void kprobe_optimizer_queue(struct kprobe_point *point);
bool kprobe_optimizer_hold(void);
void kprobe_optimizer_release(void);
void kprobe_optimizer_queue_overlapping(struct kprobe_point *point);
void kprobe_optimizer_dequeue(struct kprobe_point *point);
void kprobe_unoptimize_overlapping(struct list_head *points);
void kprobe_unoptimize(struct list_head *points);
void kprobe_leave_detour(struct kprobe_point *point);
void kprobe_route_by_pass(struct kprobe_point *point);
bool kprobe_optimizer_hurry(void);
void kprobe_optimizer_allow(bool allow);
bool kprobe_optimizer_is_allowed(void);
enum kprobe_reason kprobe_why_no_jump(const struct kprobe_point *point);

/* count.c: counts hits */
void kprobe_set_counting(bool on);
bool kprobe_is_counting(void);
bool kprobe_has_count(const struct kprobe_point *point);

/* code.c: what runs instead of a probed instruction: slots, detours, and the routes there */
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

#ifdef CONFIG_KPROBES_ON_FTRACE
/* entry.c: chooses between breakpoint and ftrace at entries of functions */
bool kprobe_choose_entry(struct kprobe_point *point, struct kprobe_lookup *lookup);
enum kprobe_reason kprobe_share_site(struct kprobe_point *point);
enum kprobe_reason kprobe_switch_to_ftrace(struct list_head *points);

/* ftrace.c: points that ftrace calls kprobes for, and the switch to that */
enum kprobe_reason kprobe_ftrace_arm(struct list_head *points);
int kprobe_ftrace_disarm(struct list_head *points);
enum kprobe_reason kprobe_entry_make(struct kprobe_point *point);
void kprobe_switch_begin(struct list_head *points);
bool kprobe_switches(void);
void kprobe_switch_wait(void);
#else
static inline bool kprobe_choose_entry(struct kprobe_point *point, struct kprobe_lookup *lookup)
{
	return false;
}

static inline enum kprobe_reason kprobe_share_site(struct kprobe_point *point)
{
	return KPROBE_REASON_NONE;
}

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

#endif /* _KERNEL_KPROBES_MECHANISM_H */
