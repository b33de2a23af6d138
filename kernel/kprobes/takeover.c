// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Function entries where ftrace has its call site. A point there uses one of two
 * mechanisms: ftrace calls us, or a breakpoint or jump stands on the instruction after
 * the site's nop. There can be no breakpoint on the nop itself.
 *
 * A point skips the nop, and has a breakpoint or jump like any other point, if nobody
 * can tell the difference. That is so if
 *
 *  - a jump can be written there, and there is no other probe on the instruction: the
 *    breakpoint leads to the jump's detour, so that handlers run in the function's
 *    context,
 *  - the instruction is executed exactly once for each call: nothing in the function,
 *    its cold part, jump labels or exception fixups leads to it,
 *  - nothing takes calls elsewhere from the nop: neither an ftrace_ops with IPMODIFY, as
 *    a livepatch has, nor a direct call, as a BPF trampoline uses.
 *
 * Users see the address of the nop, registers as at the nop, and post-handlers between
 * the nop and what follows, whatever tracers do to the nop. Any other point uses ftrace,
 * and one that ceases to fit moves to ftrace for good, because somebody probes the
 * instruction after the nop or redirects calls. A hit by way of ftrace costs more and
 * means the same. move.c keeps calls from being lost or seen twice meanwhile.
 *
 * Hits by way of ftrace must not get lost either, so kernel.ftrace_enabled cannot be
 * switched off while a point uses ftrace. While it is off, whatever needs ftrace fails:
 * registrations, and redirections of calls that are probed.
 *
 * A redirection looks up the points at its own addresses, and begins only when none of
 * them has a breakpoint left. A point that moves keeps its breakpoint for a Tasks RCU
 * grace period. No lock is held meanwhile: the redirection has announced itself, so that
 * no new point skips its nop, lets go of kprobe_mutex, waits for the move to end, and
 * looks at its addresses anew.
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

/* Not if the function ends with its nop. */
static bool is_inside_function(struct kprobe_lookup *lookup, unsigned long site)
{
	struct kprobe_function f;

	return kprobe_lookup_function(lookup, site, &f) && f.start != site;
}

/**
 * kprobe_may_skip_nop() - can a breakpoint do instead of ftrace?
 * @point:  new point at a function's entry nop, with @site set
 * @lookup: what was looked up before under the same hold of kprobe_mutex
 *
 * See the top of this file; what it says of jumps and of ways to the instruction
 * is kprobe_optimizer_prepare()'s to find out.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: True when the breakpoint may skip the nop.
 */
bool kprobe_may_skip_nop(struct kprobe_point *point, struct kprobe_lookup *lookup)
{
	lockdep_assert_held(&kprobe_mutex);
	return !redirections && !kprobe_find_wanted(point->site) &&
	       is_inside_function(lookup, point->site) &&
	       !kprobe_check_address(lookup, point->site) &&
	       !ftrace_is_redirected(point->addr);
}
NOKPROBE_SYMBOL(kprobe_may_skip_nop);

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

/* Nothing leads to them. One that was in a batch to be armed is armed now. */
static enum kprobe_reason take_over_idle(struct list_head *points)
{
	struct kprobe_point *point;

	list_for_each_entry(point, points, batch) {
		kprobe_point_changed(point);
		kprobe_point_set_mechanism(point, KPROBE_FTRACE);
		WRITE_ONCE(point->key, 0);
	}
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
		kprobe_move_begin(points);
	return reason;
}

/* All of a list. Those in the text stay in the list, as they were if it fails. */
static enum kprobe_reason take_over(struct list_head *points)
{
	LIST_HEAD(idle);
	enum kprobe_reason reason;

	disarm_unwanted(points);
	/* One that is about to become a jump gives that up first. */
	kprobe_unoptimize(points);
	take_idle_points(points, &idle);
	reason = take_over_armed(points);
	return take_over_idle(&idle) ?: reason;
}

/**
 * kprobe_ftrace_take_over() - have ftrace lead to a point from now on
 * @point: any point
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: %KPROBE_REASON_NONE, also when the point stands elsewhere; else why not: a
 * point in the text then is as it was, another is not armed.
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
NOKPROBE_SYMBOL(kprobe_ftrace_take_over);

/*
 * Collects up to %KPROBE_CHUNK points at the addresses of a hash that ftrace has to take
 * over. Returns whether any point there is moving.
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
 * One operation. Returns true, with kprobe_mutex still held, when there is nothing to
 * take over and no move to wait for.
 */
static bool is_ready(const struct ftrace_hash *hash, enum kprobe_reason *reason)
{
	unsigned int ended;
	LIST_HEAD(points);
	bool moving, found;

	mutex_lock(&kprobe_mutex);
	ended = kprobe_moves_ended();
	moving = find_points(hash, &points);
	found = !list_empty(&points);
	if (!found && !moving)
		return true;
	*reason = take_over(&points);
	kprobe_batch_commit(&points);
	mutex_unlock(&kprobe_mutex);
	if (!found)
		kprobe_move_wait(ended);
	return false;
}

static void count_redirections(int change)
{
	guard(mutex)(&kprobe_mutex);
	redirections += change;
}

/**
 * kprobe_ftrace_redirect_begin() - calls are about to be taken elsewhere
 * @hash: the functions that are called
 *
 * Points after the nops of these functions would not be reached any more: they move to
 * ftrace. No new point skips its nop until kprobe_ftrace_redirect_end().
 *
 * Context: Process context, may sleep; before any of ftrace's locks. Waits for a
 * Tasks RCU grace period if points move, without holding any lock.
 * Return: 0, with kprobe_mutex held. -ENOMEM or what ftrace says when it cannot
 * take the points over: calls must not be redirected then.
 */
int kprobe_ftrace_redirect_begin(struct ftrace_hash *hash)
{
	enum kprobe_reason reason = KPROBE_REASON_NONE;

	count_redirections(1);
	while (!reason)
		if (is_ready(hash, &reason))
			return 0;
	count_redirections(-1);
	return kprobe_reason_errno(reason);
}
NOKPROBE_SYMBOL(kprobe_ftrace_redirect_begin);

/**
 * kprobe_ftrace_redirect_end() - calls are taken elsewhere, or not after all
 *
 * Context: As kprobe_ftrace_redirect_begin(); gives kprobe_mutex back.
 */
void kprobe_ftrace_redirect_end(void)
{
	redirections--;
	mutex_unlock(&kprobe_mutex);
}
NOKPROBE_SYMBOL(kprobe_ftrace_redirect_end);
