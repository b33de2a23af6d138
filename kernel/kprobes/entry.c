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
 *  - a jump of full length can be written there: the breakpoint leads to the jump's detour, so
 *    that handlers run in the function's context,
 *  - the instruction is executed exactly once for each call: nothing in the function,
 *    its cold part, jump labels or exception fixups leads to it,
 *  - nothing redirects calls from the nop: neither an ftrace_ops with IPMODIFY, as
 *    a livepatch has, nor a direct call, as a BPF trampoline uses.
 *
 * Users see the address of the nop and registers as at the nop, and post-handlers run
 * between the nop and the next instruction, whatever tracers do to the nop. Any other
 * point uses ftrace. If calls are redirected later, the point switches to ftrace for good, see
 * switch.c. Hits through ftrace cost more and behave the same.
 *
 * The instruction after the nop may be probed as well. Then two points have the same site, and one
 * breakpoint does for both: each call is a hit of the point at the nop, and then of the other. The
 * point at the nop has the breakpoint while it is in the text. Its hits lead to a slot, the pass
 * slot of struct kprobe_entry, which has a breakpoint as well: the hit of that is one of the other
 * point. @key tells which point has the breakpoint at the site, or the right to write it.
 *
 * Hits through ftrace must not be missed either, so kernel.ftrace_enabled cannot be
 * switched off while a point uses ftrace. While it is off, whatever needs ftrace fails:
 * registrations, and redirections of calls that are probed.
 *
 * A redirection looks up the points at its own addresses, and begins only when none of
 * them has a breakpoint left. A point that switches keeps its breakpoint for a Tasks RCU
 * grace period, during which no lock must be held. The redirection therefore increments
 * @redirections, so that no new point skips its nop. Then it releases kprobe_mutex, waits for
 * the switch to end, and looks up its addresses again.
 */
#include <linux/ftrace.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>

#include "../trace/trace.h"
#include "address.h"
#include "batch.h"
#include "entry.h"
#include "ftrace.h"
#include "function.h"
#include "optimizer.h"
#include "point.h"
#include "reason.h"
#include "switch.h"
#include "table.h"

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
 * kprobe_decide_jump() checks these.
 */
bool kprobe_may_skip_nop(struct kprobe_point *point, struct kprobe_lookup *lookup)
{
	lockdep_assert_held(&kprobe_mutex);
	return !redirections && is_inside_function(lookup, point->site) &&
	       !kprobe_check_boundary(lookup, point->site) &&
	       !ftrace_is_redirected(point->addr);
}

/*
 * If there is another point at the site of a new point, which was added already, hits of the one at
 * the entry nop lead to the other one from now on.
 */
enum kprobe_reason kprobe_share_site(struct kprobe_point *point)
{
	struct kprobe_point *other = kprobe_point_other(point), *entry;
	enum kprobe_reason reason;

	lockdep_assert_held(&kprobe_mutex);
	if (!other)
		return KPROBE_REASON_NONE;
	entry = kprobe_point_skips_nop(point) ? point : other;
	reason = kprobe_entry_make(entry);
	if (!reason)
		kprobe_route_by_pass(entry);
	return reason;
}

static bool may_switch(const struct kprobe_point *point)
{
	return kprobe_point_skips_nop(point) && point->mechanism != KPROBE_FTRACE;
}

/*
 * Has points, linked by @batch, use ftrace: they have breakpoints or jumps after entry nops. Those
 * that are in the text begin to switch. If that fails they are as before.
 */
enum kprobe_reason kprobe_switch_to_ftrace(struct list_head *points)
{
	enum kprobe_reason idle_reason, reason = KPROBE_REASON_NONE;
	struct kprobe_point *point, *next;
	LIST_HEAD(idle);

	lockdep_assert_held(&kprobe_mutex);
	/* Points that are not in the text cannot be hit. */
	list_for_each_entry_safe(point, next, points, batch) {
		if (kprobe_point_in_text(point))
			continue;
		kprobe_batch_use_ftrace(point);
		list_move_tail(&point->batch, &idle);
	}
	idle_reason = kprobe_batch_commit(&idle);
	/* A switch begins with a breakpoint, and none that is about to become a jump. */
	kprobe_unoptimize(points);
	list_for_each_entry(point, points, batch)
		reason = reason ?: kprobe_entry_make(point);
	reason = reason ?: kprobe_ftrace_arm(points);
	if (!reason)
		kprobe_switch_begin(points);
	/* Disarms those that are not wanted any more. */
	kprobe_batch_commit(points);
	return idle_reason ?: reason;
}

/*
 * Takes up to %KPROBE_CHUNK points at the addresses of a hash that must switch to ftrace. Returns
 * whether any point there switches already.
 */
static bool take_points(const struct ftrace_hash *hash, struct list_head *points)
{
	struct ftrace_func_entry *entry;
	struct kprobe_point *point;
	unsigned int taken = 0;
	bool switching = false;
	unsigned long i;

	for (i = 0; i < 1UL << hash->size_bits; i++) {
		hlist_for_each_entry(entry, &hash->buckets[i], hlist) {
			point = kprobe_point_lookup(entry->ip);
			if (!point)
				continue;
			switching |= kprobe_is_switching(point);
			if (may_switch(point) && taken++ < KPROBE_CHUNK)
				list_move_tail(&point->batch, points);
		}
	}
	return switching;
}

/*
 * Has a chunk of points begin to switch, or waits for a switch to end. Sets @ready if there is
 * neither.
 */
static enum kprobe_reason switch_some(const struct ftrace_hash *hash, bool *ready)
{
	enum kprobe_reason reason;
	bool switching, taken;
	unsigned int ended;
	LIST_HEAD(points);

	scoped_guard(mutex, &kprobe_mutex) {
		ended = kprobe_switches_ended();
		switching = take_points(hash, &points);
		taken = !list_empty(&points);
		reason = kprobe_switch_to_ftrace(&points);
	}
	if (!taken && switching)
		kprobe_switch_wait(ended);
	*ready = !taken && !switching;
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
 * breakpoint there switch to ftrace, and no new point skips its nop until
 * kprobe_ftrace_redirect_end().
 *
 * Context: Process context, may sleep; without any of ftrace's locks. Waits for a
 * Tasks RCU grace period if points switch, without holding any lock.
 * Return: 0; -ENOMEM, -EBUSY, -ENODEV or -EINVAL, if the points cannot switch: calls must not be
 * redirected then.
 */
int kprobe_ftrace_redirect_begin(struct ftrace_hash *hash)
{
	enum kprobe_reason reason = KPROBE_REASON_NONE;
	bool ready = false;

	count_redirections(1);
	while (!ready && !reason)
		reason = switch_some(hash, &ready);
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
