// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Notes of the calls that ftrace has reported to a point that switches to ftrace; move.c explains
 * what they are for. The hit path writes and reads them: the rules at the top of hit.c hold here.
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

/*
 * Notes a call that ftrace has reported. False if there is no room: handlers must not run now, but
 * when the call hits the breakpoint. True also if the point does not switch.
 */
bool kprobe_move_note(struct kprobe_point *point, unsigned long sp)
{
	struct kprobe_move *move = READ_ONCE(point->move);
	unsigned int i;

	for (i = 0; move && i < MOVE_CALLS; i++) {
		unsigned long old = cmpxchg(place_for(move, sp, i), 0, sp);

		/* If @old is @sp, the note is of a call that did not reach the breakpoint. */
		if (!old || old == sp)
			return true;
	}
	if (!move)
		return true;
	WRITE_ONCE(move->full, true);	/* the call must still reach the breakpoint */
	return false;
}
NOKPROBE_SYMBOL(kprobe_move_note);

/*
 * Removes the note of a call that hits the breakpoint. True if ftrace has reported the call: there
 * was a note, or the switch has ended, and ftrace reports all calls.
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

/* The point that shares the switching point's breakpoint, or NULL. @move may be NULL. */
struct kprobe_point *kprobe_move_next(struct kprobe_move *move)
{
	/*
	 * The caller has read its point's route before. If that was @move->route, @next was set
	 * before the route was published: pairs with kprobe_move_join().
	 */
	smp_rmb();
	/* If @next is NULL again, the caller then reads another route: kprobe_move_leave(). */
	return move ? smp_load_acquire(&move->next) : NULL;
}
NOKPROBE_SYMBOL(kprobe_move_next);
