// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chooses the mechanism of points at entries of functions, where ftrace has its call
 * site: a nop, which ftrace patches. Either ftrace calls kprobes, or there is a
 * breakpoint or jump on the instruction after the nop. There must be none on the nop
 * itself.
 *
 * A point skips the nop, and has a breakpoint or jump like any other point, if that makes
 * no difference to users. That is so if
 *
 *  - a jump of full length can be written there, and there is no other probe on the
 *    instruction: the breakpoint leads to the jump's detour, so that handlers run in the
 *    function's context,
 *  - the instruction is executed exactly once for each call: nothing in the function,
 *    its cold part, jump labels or exception fixups leads to it,
 *  - nothing redirects calls from the nop: neither an ftrace_ops with IPMODIFY, as
 *    a livepatch has, nor a direct call, as a BPF trampoline uses.
 *
 * Users see the address of the nop and registers as at the nop, and post-handlers run
 * between the nop and the next instruction, whatever tracers do to the nop. Any other
 * point uses ftrace. If the instruction after the nop is probed later, or calls are
 * redirected, the point moves to ftrace for good. Hits through ftrace cost more and
 * behave the same. move.c explains how no call is missed or handled twice meanwhile.
 *
 * Hits through ftrace must not be missed either, so kernel.ftrace_enabled cannot be
 * switched off while a point uses ftrace. While it is off, whatever needs ftrace fails:
 * registrations, and redirections of calls that are probed.
 *
 * A redirection looks up the points at its own addresses, and begins only when none of
 * them has a breakpoint left. A point that moves keeps its breakpoint for a Tasks RCU
 * grace period, during which no lock must be held. The redirection therefore increments
 * @redirections, so that no new point skips its nop. Then it releases kprobe_mutex, waits for
 * the move to end, and looks up its addresses again.
 */
#include <linux/ftrace.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>

#include "../trace/trace.h"
#include "address.h"
#include "batch.h"
#include "ftrace.h"
#include "function.h"
#include "move.h"
#include "move_notes.h"
#include "optimizer.h"
#include "point.h"
#include "reason.h"
#include "table.h"
#include "takeover.h"

/* Redirections of calls under way: no new point skips its nop. kprobe_mutex. */
static unsigned int redirections;

/* False if the function consists of its nop alone: then another one begins at @site. */
static bool is_inside_function(struct kprobe_lookup *lookup, unsigned long site)
{
	struct kprobe_function f;

	return kprobe_lookup_function(lookup, site, &f) && f.start != site;
}

/*
 * May a new point have its breakpoint after the entry nop, at @site? Checks the conditions at the
 * top of this file, except for those on jumps and on branches to the instruction:
 * kprobe_optimizer_examine() checks these.
 */
bool kprobe_may_skip_nop(struct kprobe_point *point, struct kprobe_lookup *lookup)
{
	lockdep_assert_held(&kprobe_mutex);
	return !redirections && !kprobe_find_wanted(point->site) &&
	       is_inside_function(lookup, point->site) &&
	       !kprobe_check_boundary(lookup, point->site) &&
	       !ftrace_is_redirected(point->addr);
}

static bool may_be_taken_over(const struct kprobe_point *point)
{
	return kprobe_point_skips_nop(point) &&
	       point->mechanism != KPROBE_FTRACE;
}

static void disarm_unwanted(struct list_head *points)
{
	struct kprobe_point *point, *next;
	LIST_HEAD(unwanted);

	list_for_each_entry_safe(point, next, points, batch)
		if (point->state == KPROBE_POINT_DISARM_PENDING)
			list_move_tail(&point->batch, &unwanted);
	kprobe_batch_commit(&unwanted);
}

static void take_idle_points(struct list_head *from, struct list_head *to)
{
	struct kprobe_point *point, *next;

	list_for_each_entry_safe(point, next, from, batch)
		if (!kprobe_point_in_text(point))
			list_move_tail(&point->batch, to);
}

/*
 * Makes points use ftrace that are not in the text, and so cannot be hit. A point that was in
 * another batch, to be armed there, is armed here.
 */
static enum kprobe_reason take_over_idle(struct list_head *points)
{
	struct kprobe_point *point;

	list_for_each_entry(point, points, batch)
		kprobe_batch_use_ftrace(point);
	return kprobe_batch_commit(points);
}

static enum kprobe_reason take_over_armed(struct list_head *points)
{
	enum kprobe_reason reason = kprobe_move_prepare(points);

	if (reason)
		return reason;
	reason = kprobe_ftrace_arm(points);
	if (reason)
		kprobe_move_cancel(points);
	else
		kprobe_move_begin(points, kprobe_batch_move_ended);
	return reason;
}

/*
 * Makes points use ftrace. Points that are in the text begin to move and stay in the list. If that
 * fails they are as before.
 */
static enum kprobe_reason take_over(struct list_head *points)
{
	LIST_HEAD(idle);
	enum kprobe_reason reason;

	disarm_unwanted(points);
	/* The move expects breakpoints: no jumps, and no point that is optimizing. */
	kprobe_unoptimize(points);
	take_idle_points(points, &idle);
	reason = take_over_armed(points);
	return take_over_idle(&idle) ?: reason;
}

/*
 * Makes a point use ftrace from now on, if it has its breakpoint or jump after an entry nop. If
 * that fails, a point in the text is as before, and another one is not armed.
 */
enum kprobe_reason kprobe_ftrace_take_over(struct kprobe_point *point)
{
	LIST_HEAD(points);
	enum kprobe_reason reason;

	lockdep_assert_held(&kprobe_mutex);
	if (!may_be_taken_over(point))
		return KPROBE_REASON_NONE;
	list_move_tail(&point->batch, &points);
	reason = take_over(&points);
	kprobe_batch_commit(&points);
	return reason;
}

/*
 * Collects up to %KPROBE_CHUNK points at the addresses of a hash that must move to ftrace.
 * Returns whether any point there is moving already.
 */
static bool find_points(const struct ftrace_hash *hash, struct list_head *points)
{
	struct ftrace_func_entry *entry;
	struct kprobe_point *point;
	unsigned int found = 0;
	bool moving = false;
	unsigned long i;

	for (i = 0; i < 1UL << hash->size_bits; i++) {
		hlist_for_each_entry(entry, &hash->buckets[i], hlist) {
			point = kprobe_point_lookup(entry->ip);
			if (!point)
				continue;
			moving |= kprobe_is_moving(point);
			if (may_be_taken_over(point) && found++ < KPROBE_CHUNK)
				list_move_tail(&point->batch, points);
		}
	}
	return moving;
}

/*
 * Moves a chunk of points, or waits for a move to end. Sets @ready if there is neither a point to
 * move nor a move to wait for.
 */
static enum kprobe_reason move_some(const struct ftrace_hash *hash, bool *ready)
{
	enum kprobe_reason reason;
	unsigned int ended;
	LIST_HEAD(points);
	bool moving, found;

	scoped_guard(mutex, &kprobe_mutex) {
		ended = kprobe_moves_ended();
		moving = find_points(hash, &points);
		found = !list_empty(&points);
		reason = take_over(&points);
		kprobe_batch_commit(&points);
	}
	if (!found && moving)
		kprobe_move_wait(ended);
	*ready = !found && !moving;
	return reason;
}

static void count_redirections(int change)
{
	guard(mutex)(&kprobe_mutex);
	redirections += change;
}

/**
 * kprobe_ftrace_redirect_begin() - prepare for calls of functions being redirected
 * @hash: the functions
 *
 * A redirected call does not reach the instruction after the nop. Points that have their
 * breakpoint there move to ftrace, and no new point skips its nop until
 * kprobe_ftrace_redirect_end().
 *
 * Context: Process context, may sleep; without any of ftrace's locks. Waits for a
 * Tasks RCU grace period if points move, without holding any lock.
 * Return: 0; -ENOMEM, -EBUSY, -ENODEV or -EINVAL, if the points cannot move: calls must not be
 * redirected then.
 */
int kprobe_ftrace_redirect_begin(struct ftrace_hash *hash)
{
	enum kprobe_reason reason = KPROBE_REASON_NONE;
	bool ready = false;

	count_redirections(1);
	while (!ready && !reason)
		reason = move_some(hash, &ready);
	if (reason)
		count_redirections(-1);
	return kprobe_reason_errno(reason);
}

/**
 * kprobe_ftrace_redirect_end() - end what kprobe_ftrace_redirect_begin() began
 *
 * Called when calls have been redirected, or when that has failed.
 *
 * Context: As kprobe_ftrace_redirect_begin().
 */
void kprobe_ftrace_redirect_end(void)
{
	count_redirections(-1);
}
