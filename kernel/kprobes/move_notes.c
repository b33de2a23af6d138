// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Notes of the calls that ftrace has reported to a moving point; move.c explains what
 * they are for. The hit path writes and reads them: the rules of hit.c hold here.
 */
#include <linux/hash.h>
#include <linux/kprobe_point.h>
#include <linux/kprobes.h>

#include "move_notes.h"

static unsigned long *place_for(struct kprobe_move *move, unsigned long sp,
				unsigned int i)
{
	return &move->seen[(hash_long(sp, MOVE_CALLS_BITS) + i) % MOVE_CALLS];
}
NOKPROBE_SYMBOL(place_for);

/**
 * kprobe_move_note() - note a call that ftrace has reported
 * @point: the point, which may be moving
 * @sp:    the call's stack pointer
 *
 * Context: Hit path, preemption disabled.
 * Return: False if there is no room for the note: handlers must not run now, but when
 * the call hits the breakpoint. True also if the point is not moving.
 */
bool kprobe_move_note(struct kprobe_point *point, unsigned long sp)
{
	struct kprobe_move *move = READ_ONCE(point->move);
	unsigned int i;

	for (i = 0; move && i < MOVE_CALLS; i++) {
		unsigned long old = cmpxchg(place_for(move, sp, i), 0, sp);

		/* An old note of the same value: its call did not reach the breakpoint. */
		if (!old || old == sp)
			return true;
	}
	if (!move)
		return true;
	WRITE_ONCE(move->full, true);	/* the move must not end before the call is over */
	return false;
}
NOKPROBE_SYMBOL(kprobe_move_note);

/**
 * kprobe_move_take_note() - remove the note of a call that hits the breakpoint
 * @point: the point
 * @sp:    the call's stack pointer
 *
 * Context: Hit path, preemption disabled.
 * Return: True if there was a note, so that ftrace has reported the call; also if the
 * move has ended, so that ftrace has reported all calls.
 */
bool kprobe_move_take_note(struct kprobe_point *point, unsigned long sp)
{
	struct kprobe_move *move = READ_ONCE(point->move);
	unsigned int i;

	for (i = 0; move && i < MOVE_CALLS; i++) {
		unsigned long *place = place_for(move, sp, i);

		if (READ_ONCE(*place) != sp)
			continue;
		WRITE_ONCE(*place, 0);
		return true;
	}
	return !move;
}
NOKPROBE_SYMBOL(kprobe_move_take_note);

/**
 * kprobe_move_next() - find the point that shares a moving point's breakpoint
 * @move: what kprobe_move_of() has found, or NULL
 *
 * Context: Hit path, preemption disabled.
 * Return: The point of the instruction after the nop, or NULL.
 */
struct kprobe_point *kprobe_move_next(struct kprobe_move *move)
{
	/*
	 * The caller has read @point->route before. If it was the move's, @next was set
	 * before that route was published: pairs with kprobe_move_join().
	 */
	smp_rmb();
	/* If it is NULL again, the caller then reads another route: kprobe_move_leave(). */
	return move ? smp_load_acquire(&move->next) : NULL;
}
NOKPROBE_SYMBOL(kprobe_move_next);
