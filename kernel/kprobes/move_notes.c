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
 * kprobe_move_note() - ftrace reports a call to a point that may be moving
 * @point: the point
 * @sp:    the call's stack pointer
 *
 * Context: Hit path, preemption disabled.
 * Return: False when there is no room for a note: the call is the breakpoint's.
 */
bool kprobe_move_note(struct kprobe_point *point, unsigned long sp)
{
	struct kprobe_move *move = READ_ONCE(point->move);
	unsigned int i;

	for (i = 0; move && i < MOVE_CALLS; i++) {
		unsigned long old = cmpxchg(place_for(move, sp, i), 0, sp);

		/* One that is left is of a call that did not get there. */
		if (!old || old == sp)
			return true;
	}
	return !move;
}
NOKPROBE_SYMBOL(kprobe_move_note);

/**
 * kprobe_move_take_note() - take the note of a call away
 * @point: the point
 * @sp:    the call's stack pointer
 *
 * Context: Hit path, preemption disabled.
 * Return: True when there was one, or there are none any more.
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
 * kprobe_move_next() - which point shares a moving point's breakpoint?
 * @point: a point that may be moving
 *
 * Context: Hit path, preemption disabled.
 * Return: The point of the instruction after the nop, or NULL.
 */
struct kprobe_point *kprobe_move_next(struct kprobe_point *point)
{
	struct kprobe_move *move = READ_ONCE(point->move);

	smp_rmb();	/* pairs with kprobe_move_join(): @point->route was read before */
	/* Pairs with kprobe_move_leave(): @point->route is what it was by then. */
	return move ? smp_load_acquire(&move->next) : NULL;
}
NOKPROBE_SYMBOL(kprobe_move_next);
