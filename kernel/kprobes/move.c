// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Switches a point from a breakpoint after the entry nop to ftrace, while the function is being
 * called. The code calls this a move. takeover.c decides which points switch. Each call is a hit
 * exactly once.
 *
 * When the switch begins, some calls are between the nop and the breakpoint. ftrace has not
 * reported these calls, so they are hits when they reach the breakpoint. ftrace reports all later
 * calls, and these reach the breakpoint as well. Notes tell the two apart: ftrace's callback notes
 * the stack pointer of each call that it reports, and the hit of the breakpoint removes the note.
 * While a call is between the nop and the breakpoint, no other call has its stack pointer.
 *
 * After a Tasks RCU grace period ftrace has reported every call that can still reach the
 * breakpoint, and the breakpoint is removed. If there was no room for a call's note, that call is a
 * hit when it reaches the breakpoint, and the breakpoint stays for another grace period. The
 * switching point owns the breakpoint until the end.
 *
 * A point often switches because the instruction after the nop is probed as well. The point of that
 * probe is @next. It is armed without a breakpoint of its own, and its handlers run when the
 * switching point is done with the hit.
 */
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "deferred_free.h"
#include "move.h"
#include "move_notes.h"
#include "optimizer.h"
#include "patch.h"
#include "point.h"
#include "renew.h"
#include "table.h"

/* How many points switch now, and how many switches have ended; kprobe_mutex. */
static unsigned int nr_moves;
static unsigned int moves_ended;
static DECLARE_WAIT_QUEUE_HEAD(moves_over);

/* Removes the breakpoint, or leaves it to @next if that is armed. */
static void give_up_breakpoint(struct kprobe_point *point,
			       struct kprobe_point *next)
{
	if (next) {
		next->shares = false;
		WRITE_ONCE(next->key, next->site);
	}
	if (!next || !kprobe_point_in_text(next)) {
		kprobe_patch_begin();
		kprobe_patch_add(point, KPROBE_SITE_ORIGINAL);
		kprobe_patch_end();
	}
	/*
	 * If the breakpoint was removed, kprobe_patch_end() has waited for hits that had not
	 * looked up the point yet. If @next has the breakpoint, a hit that finds neither point
	 * looks again: pairs with retry_stale_breakpoint().
	 */
	smp_store_release(&point->key, 0);
}

/*
 * Ends a point's switch to ftrace, if there is one, and gives up the breakpoint. A caller may end
 * it before the grace period has ended if the next instruction has no other probe, which a hit
 * under way would skip, or if the text goes away.
 */
void kprobe_move_end(struct kprobe_point *point)
{
	struct kprobe_move *move = point->move;

	lockdep_assert_held(&kprobe_mutex);
	if (!move)
		return;
	give_up_breakpoint(point, move->next);
	/* Hits under way may still use @move->route, so @move is freed later. */
	kprobe_point_choose_route(point);
	WRITE_ONCE(point->move, NULL);
	if (move->next)
		kprobe_optimizer_queue(move->next);
	move->point = NULL;
	WRITE_ONCE(nr_moves, nr_moves - 1);
	WRITE_ONCE(moves_ended, moves_ended + 1);
	wake_up_all(&moves_over);
}

static void grace_period_ended(struct rcu_head *rcu);

/*
 * A grace period has ended: all calls that ftrace did not report have hit the breakpoint. A call
 * that ftrace has reported without room for its note needs another grace period.
 */
static void end_deferred(union kprobe_deferred_free *deferred)
{
	struct kprobe_move *move = container_of(deferred, struct kprobe_move, deferred);
	struct kprobe_point *point;

	if (move->point && READ_ONCE(move->full)) {
		WRITE_ONCE(move->full, false);
		call_rcu_tasks(&deferred->rcu, grace_period_ended);
		return;
	}
	point = move->point;
	if (point) {
		kprobe_move_end(point);
		move->ended(point);
	}
	/* Hits may still read the notes, under RCU. */
	kfree_rcu(move, deferred.rcu);
}

static void grace_period_ended(struct rcu_head *rcu)
{
	kprobe_free_soon(rcu, end_deferred);
}

/*
 * Allocates what points need to switch. All are in the text after entry nops, and linked by @batch.
 * When it fails, nothing is allocated.
 */
enum kprobe_reason kprobe_move_prepare(struct list_head *points)
{
	struct kprobe_point *point;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry(point, points, batch) {
		point->move = kzalloc(sizeof(*point->move), GFP_KERNEL);
		if (!point->move) {
			kprobe_move_cancel(points);
			return KPROBE_REASON_NO_MEMORY;
		}
	}
	return KPROBE_REASON_NONE;
}

/* Undoes kprobe_move_prepare(). */
void kprobe_move_cancel(struct list_head *points)
{
	struct kprobe_point *point;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry(point, points, batch) {
		kfree(point->move);
		point->move = NULL;
	}
}

/*
 * Begins to switch prepared points, linked by @batch. ftrace must report their calls already.
 * @ended is called with kprobe_mutex held after each switch that a grace period has ended.
 */
void kprobe_move_begin(struct list_head *points, void (*ended)(struct kprobe_point *point))
{
	struct kprobe_point *point;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry(point, points, batch) {
		point->move->point = point;
		point->move->ended = ended;
		WRITE_ONCE(nr_moves, nr_moves + 1);
		/* Detours must not call handlers: kprobe_hit() looks for a note first. */
		kprobe_point_changed(point);
		/* @move before @mechanism: pairs with find_and_report() and moving_hit(). */
		smp_wmb();
		kprobe_point_set_mechanism(point, KPROBE_FTRACE);
		call_rcu_tasks(&point->move->deferred.rcu, grace_period_ended);
	}
}

/*
 * If the point at the site of @next switches to ftrace, has @next share its breakpoint. @next is
 * neither armed nor in the table yet.
 */
void kprobe_move_join(struct kprobe_point *next)
{
	struct kprobe_point *point = kprobe_table_find(next->site);

	lockdep_assert_held(&kprobe_mutex);
	if (!point || !point->move)
		return;
	next->key = 0;
	next->shares = true;
	/* @next can be hit from here on, before it is armed. */
	kprobe_point_flush_slots(next);
	/* The slot of @next is written before: pairs with kprobe_move_next(). */
	smp_store_release(&point->move->next, next);
	/* Hits of @point go on at the site, where @next is hit before the instruction. */
	point->move->route.run = (void *)point->site;
	kprobe_point_set_route(point, &point->move->route);
}

/* Ends the sharing, if there is any: @next, which may be any point, is about to leave the table. */
void kprobe_move_leave(struct kprobe_point *next)
{
	struct kprobe_point *point = kprobe_table_find(next->site);

	lockdep_assert_held(&kprobe_mutex);
	if (!point || !point->move || point->move->next != next)
		return;
	kprobe_point_choose_route(point);
	smp_store_release(&point->move->next, NULL);	/* pairs with kprobe_move_next() */
}

/* Does any point switch to ftrace now? The answer holds while kprobe_mutex is held. */
bool kprobe_moves(void)
{
	return READ_ONCE(nr_moves);
}

unsigned int kprobe_moves_ended(void)
{
	return READ_ONCE(moves_ended);
}

/*
 * Waits until a switch ends after kprobe_moves_ended() has returned @ended: up to a Tasks RCU grace
 * period. Does not wait if no point switches.
 */
void kprobe_move_wait(unsigned int ended)
{
	lockdep_assert_not_held(&kprobe_mutex);
	wait_event(moves_over, !kprobe_moves() || kprobe_moves_ended() != ended);
}
