// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Moves a point from a breakpoint after the entry nop to ftrace, while the function is
 * being called. Each call must be a hit exactly once.
 *
 * At the moment of the change some calls are between the nop and the breakpoint. ftrace
 * has not reported these, so they must count when they hit the breakpoint. ftrace
 * reports all later calls, and these hit the breakpoint as well. Notes tell them apart:
 * ftrace's callback notes the stack pointer of each call that it reports, and the
 * breakpoint takes the note away. As long as a call is between nop and breakpoint, no
 * other call has its stack pointer.
 *
 * A Tasks RCU grace period later ftrace has reported every call that can still hit the
 * breakpoint, which is then removed. If there was no room for a note meanwhile, the call is a hit
 * of the breakpoint, which stays for another grace period. Until then the moving point owns it.
 *
 * The point often moves because the instruction after the nop is probed as well. The point of
 * that probe is @next: it is armed without a breakpoint of its own, and its handlers run when the
 * moving point is done with the hit.
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

/* How many points are moving, and how many moves have ended; kprobe_mutex. */
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
	 * kprobe_patch_end() has waited for hits that had not found the point yet. A hit that
	 * finds neither point looks again: pairs with retry_stale_breakpoint().
	 */
	smp_store_release(&point->key, 0);
}

/**
 * kprobe_move_end() - end a point's move to ftrace and remove its breakpoint
 * @point: a point that may be moving. Before the grace period has ended: one without another
 *         probe on the next instruction, which a hit under way would skip, or whose text goes
 *         away
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 */
void kprobe_move_end(struct kprobe_point *point)
{
	struct kprobe_move *move = point->move;

	lockdep_assert_held(&kprobe_mutex);
	if (!move)
		return;
	give_up_breakpoint(point, move->next);
	/* Hits under way may still use the move's route, so the move is freed later. */
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
 * All calls that ftrace did not report have hit the breakpoint. Calls that it has reported
 * without room for a note need another grace period.
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
	/* Hits may still read its notes, under RCU. */
	kfree_rcu(move, deferred.rcu);
}

static void grace_period_ended(struct rcu_head *rcu)
{
	kprobe_free_soon(rcu, end_deferred);
}

/**
 * kprobe_move_prepare() - allocate what points need to move
 * @points: points in the text after entry nops, linked by @batch
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: %KPROBE_REASON_NONE, or %KPROBE_REASON_NO_MEMORY with nothing allocated.
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

/**
 * kprobe_move_cancel() - undo kprobe_move_prepare()
 * @points: the points
 *
 * Context: kprobe_mutex held.
 */
void kprobe_move_cancel(struct list_head *points)
{
	struct kprobe_point *point;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry(point, points, batch) {
		kfree(point->move);
		point->move = NULL;
	}
}

/**
 * kprobe_move_begin() - begin to move points to ftrace
 * @points: prepared points that ftrace reports calls for, linked by @batch
 * @ended:  called with kprobe_mutex held after a move that a grace period has ended
 *
 * Context: kprobe_mutex held.
 */
void kprobe_move_begin(struct list_head *points, void (*ended)(struct kprobe_point *point))
{
	struct kprobe_point *point;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry(point, points, batch) {
		point->move->point = point;
		point->move->ended = ended;
		WRITE_ONCE(nr_moves, nr_moves + 1);
		/* Detours must not call handlers: kprobe_hit() looks for the note first. */
		kprobe_point_changed(point);
		/* @move was set before. Pairs with call_hit() and moving_hit(). */
		smp_wmb();
		kprobe_point_set_mechanism(point, KPROBE_FTRACE);
		call_rcu_tasks(&point->move->deferred.rcu, grace_period_ended);
	}
}

/**
 * kprobe_move_join() - have a point share the breakpoint of one that moves
 * @next: a point that is neither armed nor in the table yet
 *
 * Context: kprobe_mutex held.
 */
void kprobe_move_join(struct kprobe_point *next)
{
	struct kprobe_point *point = kprobe_table_find(next->site);

	lockdep_assert_held(&kprobe_mutex);
	if (!point || !point->move)
		return;
	next->key = 0;
	next->shares = true;
	/* It can be hit from now on, before it is armed. */
	kprobe_point_flush_slots(next);
	/* After the slot is written: pairs with kprobe_move_next(). */
	smp_store_release(&point->move->next, next);
	/* Hits of @point go on at the site, where @next is hit before the instruction. */
	point->move->route.run = (void *)point->site;
	kprobe_point_set_route(point, &point->move->route);
}

/**
 * kprobe_move_leave() - end the sharing of a moving point's breakpoint
 * @next: any point that is about to leave the table
 *
 * Context: kprobe_mutex held.
 */
void kprobe_move_leave(struct kprobe_point *next)
{
	struct kprobe_point *point = kprobe_table_find(next->site);

	lockdep_assert_held(&kprobe_mutex);
	if (!point || !point->move || point->move->next != next)
		return;
	kprobe_point_choose_route(point);
	smp_store_release(&point->move->next, NULL);	/* pairs with kprobe_move_next() */
}

/**
 * kprobe_moves() - check whether any point is moving to ftrace
 *
 * Context: Any. The result holds while kprobe_mutex is held.
 * Return: True if one is.
 */
bool kprobe_moves(void)
{
	return READ_ONCE(nr_moves);
}

/**
 * kprobe_moves_ended() - count the moves that have ended
 *
 * Context: Any.
 * Return: A count, for kprobe_move_wait().
 */
unsigned int kprobe_moves_ended(void)
{
	return READ_ONCE(moves_ended);
}

/**
 * kprobe_move_wait() - wait until another move ends
 * @ended: what kprobe_moves_ended() returned
 *
 * Context: Process context, kprobe_mutex not held; sleeps for up to a Tasks RCU grace
 * period. Does not wait if no point moves.
 */
void kprobe_move_wait(unsigned int ended)
{
	lockdep_assert_not_held(&kprobe_mutex);
	wait_event(moves_over, !kprobe_moves() || kprobe_moves_ended() != ended);
}
