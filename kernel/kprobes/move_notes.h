/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_MOVE_NOTES_H
#define _KERNEL_KPROBES_MOVE_NOTES_H

/* move_notes.c: notes of the calls that ftrace has reported to points that switch to ftrace */
#include <linux/kprobe_point.h>

/*
 * Room for notes: calls can be between nop and breakpoint on each CPU, and in tasks that were
 * preempted there. A call without a note has its handlers called at the breakpoint.
 */
#define MOVE_CALLS	BIT(MOVE_CALLS_BITS)
#define MOVE_CALLS_BITS	6

/**
 * struct kprobe_move - the switch of a point to ftrace
 * @point: the point; NULL when the switch has ended
 * @next:  the point of the instruction after the nop, if there is one
 * @route: leads the point's hits to @next
 * @seen:  stack pointers of calls that ftrace has reported, 0 where free
 * @full:  a call got no note, so that it must still hit the breakpoint
 * @ended: called when the grace period has ended the switch
 * @deferred: for the grace period, and for freeing
 *
 * @point and @next are written under kprobe_mutex; hits read @next.
 */
struct kprobe_move {
	struct kprobe_point *point;
	struct kprobe_point *next;
	struct kprobe_route route;
	unsigned long seen[MOVE_CALLS];
	bool full;
	void (*ended)(struct kprobe_point *point);
	union kprobe_deferred_free deferred;
};

#ifdef CONFIG_KPROBES_ON_FTRACE
static __always_inline struct kprobe_move *kprobe_move_of(const struct kprobe_point *point)
{
	return READ_ONCE(point->move);
}

bool kprobe_move_note(struct kprobe_point *point, unsigned long sp);
bool kprobe_move_take_note(struct kprobe_point *point, unsigned long sp);
struct kprobe_point *kprobe_move_next(struct kprobe_move *move);
#else
static inline struct kprobe_move *kprobe_move_of(const struct kprobe_point *point)
{
	return NULL;
}

static inline bool kprobe_move_take_note(struct kprobe_point *point,
					 unsigned long sp)
{
	return true;
}

static inline struct kprobe_point *kprobe_move_next(struct kprobe_move *move)
{
	return NULL;
}
#endif

static __always_inline bool kprobe_is_moving(const struct kprobe_point *point)
{
	return kprobe_move_of(point);
}

#endif /* _KERNEL_KPROBES_MOVE_NOTES_H */
