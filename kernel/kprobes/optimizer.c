// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The optimizer: a work item turns breakpoints into jumps.
 *
 * A jump covers several instructions. When it is written, no task may have an address inside of
 * them as its instruction pointer or return address. So a queued point takes two steps:
 *
 *   QUEUED -> WAITING	From now on hits continue in the detour's copies of these
 *			instructions, and none reaches the originals after the first one.
 *   WAITING -> IDLE	A Tasks RCU grace period has ended: every task that was among the
 *			instructions has left. The jump is written.
 *
 * No lock is held during the grace period. Points that begin to wait meanwhile wait for the next.
 * Replacing a jump by the breakpoint or by the original needs no grace period: tasks in the detour
 * return to the text after all that the jump has covered. Where a jump has several instructions,
 * the architecture keeps tasks from staying between them: kprobe_is_in_jump().
 */
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "mechanism.h"
#include "patch.h"
#include "place.h"
#include "point.h"
#include "slot.h"

/* All under kprobe_mutex, linked by @optimize. */
static LIST_HEAD(queued_points);	/* KPROBE_OPT_QUEUED since the work item began to run */
static LIST_HEAD(current_points);	/* KPROBE_OPT_QUEUED before */
static LIST_HEAD(optimizing_points);	/* KPROBE_OPT_WAITING for the next round to begin */
static LIST_HEAD(waiting_points);	/* KPROBE_OPT_WAITING for this round to end */

/* A round is one Tasks RCU grace period. When it is over, jumps can be written. */
static enum { ROUND_NONE, ROUND_WAITING, ROUND_OVER } current_round;
static struct rcu_head round_rcu;

/* The sysctl; kprobe_mutex. */
static bool optimization_allowed = true;

static void optimize(struct work_struct *work);
static DECLARE_DELAYED_WORK(optimize_work, optimize);

static unsigned long last_queued;	/* jiffies when a point was queued; kprobe_mutex */

/*
 * May a registration of several chunks stop the optimizer? After one has ended, the optimizer ends
 * a run before another one stops it: registrations in a loop do not keep it out. kprobe_mutex.
 */
static enum { HOLD_POSSIBLE, HOLD_TAKEN, HOLD_SPENT } hold;

/* Sets the state, and moves the point to the list for it. An illegal edge is not taken. */
void kprobe_point_set_optimization(struct kprobe_point *point, enum kprobe_optimization to)
{
	lockdep_assert_held(&kprobe_mutex);
	if (WARN_ON_ONCE(!kprobe_optimization_may_become(point->optimization, to)))
		return;
	point->optimization = to;
	if (to == KPROBE_OPT_IDLE)
		list_del_init(&point->optimize);
	else
		list_move_tail(&point->optimize, to == KPROBE_OPT_QUEUED ?
			       &queued_points : &optimizing_points);
}

/* Sets @not_jump to why a point cannot get a jump. If it can, @region may be filled in. */
enum kprobe_reason kprobe_decide_jump(struct kprobe_point *point, struct kprobe_lookup *lookup,
				      struct kprobe_region *region)
{
	enum kprobe_reason reason = kprobe_examine_point(point, lookup, region);

	if (!reason && kprobe_point_has_neighbour(point))
		reason = KPROBE_REASON_NEIGHBOUR;
	point->not_jump = reason;
	return reason;
}

static bool may_jump(const struct kprobe_point *point)
{
	return optimization_allowed && !point->not_jump;
}

/* Makes a detour for a queued point's jump, or else for its breakpoint. No hit goes there yet. */
static void prepare_detour(struct kprobe_point *point, struct kprobe_lookup *lookup)
{
	static struct kprobe_region region;	/* kprobe_mutex */

	region.nr = 0;
	if (optimization_allowed &&
	    (point->mechanism == KPROBE_JUMP || !kprobe_decide_jump(point, lookup, &region)))
		point->not_jump = kprobe_detour_for_jump(point, &region);
	if (!may_jump(point) && point->mechanism == KPROBE_BREAKPOINT)
		kprobe_detour_for_breakpoint(point);
}

/*
 * Has hits go to the detour that was prepared. Moves the point to @ready if its jump can be written
 * now. If the point has a jump and gets none, the jump stays: its detour cannot be made anew, or a
 * breakpoint is about to replace the jump.
 */
static void commit_route(struct kprobe_point *point, struct list_head *ready)
{
	/* No task is among the instructions: there is a jump, or they are one. */
	bool at_once = point->mechanism == KPROBE_JUMP || point->region_len == point->len;

	if (!may_jump(point))
		kprobe_point_set_optimization(point, KPROBE_OPT_IDLE);
	kprobe_point_choose_route(point);
	if (may_jump(point) && at_once) {
		list_move_tail(&point->optimize, ready);
		return;
	}
	kprobe_detour_retire_replaced(point);
	if (may_jump(point))
		list_move_tail(&point->optimize, &optimizing_points);
}

static void patch_sites(struct list_head *points, enum kprobe_site_text text)
{
	struct kprobe_point *point;

	if (list_empty(points))
		return;
	kprobe_patch_begin();
	list_for_each_entry(point, points, optimize)
		kprobe_patch_add(point, text);
	kprobe_patch_end();
}

static void write_jumps(struct list_head *points)
{
	struct kprobe_point *point, *next;

	kprobe_slots_sync();
	patch_sites(points, KPROBE_SITE_JUMP);
	list_for_each_entry_safe(point, next, points, optimize) {
		kprobe_point_set_optimization(point, KPROBE_OPT_IDLE);
		kprobe_point_set_mechanism(point, KPROBE_JUMP);
		kprobe_detour_retire_replaced(point);
		/* The point's handlers may have changed meanwhile. */
		kprobe_optimizer_queue(point);
	}
}

/* The points are KPROBE_OPT_IDLE. If @stay is true, they may get other jumps. */
static void write_breakpoints(struct list_head *points, bool stay)
{
	struct kprobe_point *point, *next;

	patch_sites(points, KPROBE_SITE_BREAKPOINT);
	list_for_each_entry_safe(point, next, points, optimize) {
		list_del_init(&point->optimize);
		kprobe_point_set_mechanism(point, KPROBE_BREAKPOINT);
		if (stay) {
			kprobe_detour_leave_region(point);
			kprobe_optimizer_queue(point);
		} else {
			kprobe_point_choose_route(point);
		}
	}
}

static void round_is_over(struct rcu_head *rcu)
{
	smp_store_release(&current_round, ROUND_OVER);	/* pairs with optimize_some() */
	mod_delayed_work(system_unbound_wq, &optimize_work, 0);
}

/* Where there is no Tasks RCU, its name is another one for RCU, which may be lazy. */
static void begin_round(void)
{
	if (IS_ENABLED(CONFIG_TASKS_RCU))
		call_rcu_tasks(&round_rcu, round_is_over);
	else
		call_rcu_hurry(&round_rcu, round_is_over);
}

/* The point after @point, which may be NULL, if it is queued: a survey and a poke serve both. */
static struct kprobe_point *next_queued(const struct kprobe_point *point)
{
	struct kprobe_point *next = point ? kprobe_point_after(point) : NULL;

	if (next && next->optimization == KPROBE_OPT_QUEUED)
		return next;
	return list_first_entry_or_null(&current_points, struct kprobe_point, optimize);
}

/*
 * Writes the jumps of points that have waited, or else looks at queued points, as many as fit in
 * one hold of kprobe_mutex. What others queue after the @first time is left to the next run: they
 * may queue points all the time. Returns whether there is more to do in this one.
 */
static bool optimize_some(bool first)
{
	struct kprobe_point *point = NULL, *next;
	struct kprobe_lookup lookup;
	unsigned int done = 0;
	LIST_HEAD(prepared);
	LIST_HEAD(ready);
	bool over;
	u64 began;

	guard(mutex)(&kprobe_mutex);
	if (hold == HOLD_TAKEN)
		return false;
	if (first)
		list_splice_tail_init(&queued_points, &current_points);
	began = ktime_get_ns();
	/* Pairs with round_is_over(). */
	over = smp_load_acquire(&current_round) == ROUND_OVER;
	if (over) {
		kprobe_take_chunk(&waiting_points, &ready);
		if (list_empty(&waiting_points))
			current_round = ROUND_NONE;
	} else {
		kprobe_lookup_init(&lookup);
		while (done++ < KPROBE_CHUNK && (point = next_queued(point))) {
			prepare_detour(point, &lookup);
			kprobe_point_set_optimization(point, KPROBE_OPT_WAITING);
			list_move_tail(&point->optimize, &prepared);
			cond_resched();
			if (kprobe_turn_is_over(began))
				break;
		}
	}
	/* The first route has CPUs told of all detours that were prepared. */
	list_for_each_entry_safe(point, next, &prepared, optimize)
		commit_route(point, &ready);
	write_jumps(&ready);
	if (over || !list_empty(&current_points))
		return true;
	if (READ_ONCE(current_round) == ROUND_NONE && !list_empty(&optimizing_points)) {
		list_splice_init(&optimizing_points, &waiting_points);
		current_round = ROUND_WAITING;
		begin_round();
	}
	hold = HOLD_POSSIBLE;
	return false;
}

/* Begins about two jiffies after a point was last queued, or after it was postponed ten times. */
static void optimize(struct work_struct *work)
{
	static unsigned int postponed;
	bool first = true;

	if (time_before(jiffies, READ_ONCE(last_queued) + 2) && postponed++ < 10) {
		queue_delayed_work(system_unbound_wq, &optimize_work, 1);
		return;
	}
	postponed = 0;
	while (optimize_some(first)) {
		first = false;
		cond_resched();
	}
}

/* Is a jump or breakpoint as good as it can be? */
static bool needs_no_work(const struct kprobe_point *point)
{
	if (point->mechanism == KPROBE_JUMP)
		return kprobe_detour_is_current(point);
	if (point->mechanism == KPROBE_FTRACE || !kprobe_point_owns_site(point))
		return true;
	return (point->verdict == KPROBE_VERDICT_IMPOSSIBLE || !optimization_allowed) &&
	       kprobe_has_breakpoint_detour(point);
}

/* Has the work item look at a point that is armed and can become better. */
void kprobe_optimizer_queue(struct kprobe_point *point)
{
	lockdep_assert_held(&kprobe_mutex);
	if (point->state != KPROBE_POINT_ARMED ||
	    point->optimization != KPROBE_OPT_IDLE || needs_no_work(point))
		return;
	kprobe_point_set_optimization(point, KPROBE_OPT_QUEUED);
	WRITE_ONCE(last_queued, jiffies);
	queue_delayed_work(system_unbound_wq, &optimize_work, 1);
}

/*
 * Stops the optimizer for a registration of several chunks, until kprobe_optimizer_release().
 * Returns false if another one has stopped it, or if it has not ended a run since.
 */
bool kprobe_optimizer_hold(void)
{
	guard(kprobe_lock)();
	if (hold != HOLD_POSSIBLE)
		return false;
	hold = HOLD_TAKEN;
	return true;
}

void kprobe_optimizer_release(void)
{
	guard(kprobe_lock)();
	hold = HOLD_SPENT;
	mod_delayed_work(system_unbound_wq, &optimize_work, 0);
}

/* The text does not change: a jump stays. */
void kprobe_optimizer_dequeue(struct kprobe_point *point)
{
	lockdep_assert_held(&kprobe_mutex);
	if (point->optimization != KPROBE_OPT_IDLE)
		kprobe_point_set_optimization(point, KPROBE_OPT_IDLE);
}

/* Dequeues a point. If it has a jump, adds it to @jumps for write_breakpoints(). */
static void give_up_jump(struct kprobe_point *point, struct list_head *jumps, bool stay)
{
	kprobe_optimizer_dequeue(point);
	if (point->mechanism == KPROBE_JUMP)
		list_move_tail(&point->optimize, jumps);
	else if (stay)
		kprobe_optimizer_queue(point);
}

/* Replaces jumps by breakpoints: points, linked by @batch, are to use ftrace. */
void kprobe_unoptimize(struct list_head *points)
{
	struct kprobe_point *point;
	LIST_HEAD(jumps);

	list_for_each_entry(point, points, batch)
		give_up_jump(point, &jumps, false);
	write_breakpoints(&jumps, false);
}

/*
 * The next point after @other, or the first one if that is NULL, that cannot have a jump while
 * @point has a breakpoint: its jump would cover @point's site, or it has the same site and @point
 * is at the entry nop.
 */
static struct kprobe_point *next_overlapping(struct kprobe_point *point,
					     struct kprobe_point *other)
{
	unsigned long site = point->site;

	do {
		other = other ? kprobe_point_after(other) :
				kprobe_point_first_from(site - KPROBE_REGION_REACH, point);
		if (!other || other->addr > site)
			return NULL;
	} while (!kprobe_point_covers(other, site) && other != kprobe_point_at_site(point));
	return other;
}

/* Points, linked by @batch, are about to be armed: jumps over their sites become breakpoints. */
void kprobe_unoptimize_overlapping(struct list_head *points)
{
	struct kprobe_point *point, *other;
	LIST_HEAD(jumps);

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry(point, points, batch) {
		for (other = NULL; (other = next_overlapping(point, other));) {
			if (other->verdict == KPROBE_VERDICT_IMPOSSIBLE ||
			    !kprobe_point_uses_site(other))
				continue;
			other->not_jump = KPROBE_REASON_NEIGHBOUR;
			give_up_jump(other, &jumps, true);
			kprobe_detour_leave_region(other);
		}
	}
	write_breakpoints(&jumps, true);
}

/* Queues points that @point, which was disarmed, may have kept from becoming jumps. */
void kprobe_optimizer_queue_overlapping(struct kprobe_point *point)
{
	struct kprobe_point *other = NULL;

	lockdep_assert_held(&kprobe_mutex);
	while ((other = next_overlapping(point, other)))
		kprobe_optimizer_queue(other);
}

/*
 * The point is about to get its first probe with a post-handler. If its detour has no code for
 * that, the point has a breakpoint until the optimizer has made another one.
 */
void kprobe_leave_detour(struct kprobe_point *point)
{
	LIST_HEAD(jumps);

	if (!point->detour || point->detour->route.run_post)
		return;
	kprobe_point_changed(point);
	give_up_jump(point, &jumps, true);
	kprobe_point_choose_route(point);
	write_breakpoints(&jumps, true);
}

/*
 * Has hits of a point at an entry nop go by its pass slot, as there is another point at its site
 * now. While a jump is in the text, hits stay in its detour: the route changes last.
 */
void kprobe_route_by_pass(struct kprobe_point *point)
{
	LIST_HEAD(jumps);

	lockdep_assert_held(&kprobe_mutex);
	kprobe_point_changed(point);
	point->not_jump = KPROBE_REASON_NEIGHBOUR;
	give_up_jump(point, &jumps, false);
	write_breakpoints(&jumps, false);
	kprobe_point_choose_route(point);
}

/* Applies the switch to a chunk of points from @addr on. Returns whether there are more. */
static bool allow_chunk(bool allow, unsigned long *addr)
{
	struct kprobe_point *point;
	unsigned int done = 0;
	LIST_HEAD(jumps);

	guard(mutex)(&kprobe_mutex);
	/* The switch may have been turned again between two chunks. */
	if (optimization_allowed != allow)
		return false;
	while (done++ < KPROBE_CHUNK && (point = kprobe_point_next(addr, ULONG_MAX))) {
		if (allow)
			kprobe_optimizer_queue(point);
		else
			give_up_jump(point, &jumps, true);
	}
	write_breakpoints(&jumps, true);
	return done > KPROBE_CHUNK;
}

/* When this has switched optimization off, no jump is left, unless it was switched on meanwhile. */
void kprobe_optimizer_allow(bool allow)
{
	unsigned long addr = 0;

	scoped_guard(mutex, &kprobe_mutex)
		WRITE_ONCE(optimization_allowed, allow);
	while (allow_chunk(allow, &addr))
		cond_resched();
}

/* Why hits do not come by a jump; KPROBE_REASON_NONE if they do. */
enum kprobe_reason kprobe_why_no_jump(const struct kprobe_point *point)
{
	lockdep_assert_held(&kprobe_mutex);
	if (point->mechanism == KPROBE_FTRACE)
		return KPROBE_REASON_THROUGH_FTRACE;
	if (!kprobe_point_in_text(point) || point->state == KPROBE_POINT_DISARM_PENDING)
		return KPROBE_REASON_NOT_ARMED;
	if (point->mechanism == KPROBE_JUMP)
		return KPROBE_REASON_NONE;
	if (point->verdict == KPROBE_VERDICT_IMPOSSIBLE)
		return point->not_jump;
	if (!optimization_allowed)
		return KPROBE_REASON_SWITCHED_OFF;
	if (!kprobe_point_owns_site(point))
		return KPROBE_REASON_NEIGHBOUR;
	return point->optimization == KPROBE_OPT_IDLE ? point->not_jump :
							KPROBE_REASON_QUEUED;
}

bool kprobe_optimizer_is_allowed(void)
{
	return READ_ONCE(optimization_allowed);
}

/* Has the work item begin at once. Returns true if no point is queued or waits. */
bool kprobe_optimizer_hurry(void)
{
	guard(mutex)(&kprobe_mutex);
	if (list_empty(&queued_points) && list_empty(&current_points) &&
	    list_empty(&optimizing_points) && list_empty(&waiting_points))
		return true;
	mod_delayed_work(system_unbound_wq, &optimize_work, 0);
	return false;
}
