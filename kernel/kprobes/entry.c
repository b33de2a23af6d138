// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chooses the mechanism of points at entries of functions, where ftrace has a nop to patch. There
 * must be no breakpoint on the nop itself. Either ftrace calls kprobes, or the point skips the nop:
 * it has a breakpoint or jump on the instruction after it. Users see the address of the nop and
 * registers as at the nop, and post-handlers run before the next instruction. Such hits cost less.
 *
 * A point skips the nop if a jump of full length can be there, so that handlers run in the
 * function's context; if nothing in the function leads to the instruction, so that it is executed
 * once for each call; and if nothing redirects calls from the nop, as livepatches and BPF
 * trampolines do. If calls are redirected later, it switches to ftrace for good: see ftrace.c.
 *
 * The instruction after the nop may be probed as well. One breakpoint then does for both points:
 * each call is a hit of the point at the nop, and then of the other, see struct kprobe_entry. The
 * point at the nop has the breakpoint while it is in the text; @key tells.
 *
 * While kernel.ftrace_enabled is off, registrations that need ftrace and redirections of probed
 * calls fail. It cannot be switched off while a point uses ftrace.
 */
#include <linux/ftrace.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>

#include "../trace/trace.h"
#include "mechanism.h"
#include "place.h"
#include "point.h"
#include "reason.h"

/* Redirections of calls under way: no new point skips its nop. kprobe_mutex. */
static unsigned int redirections;

/* Chooses the mechanism of a new point. Returns false if ftrace has no nop there. */
bool kprobe_choose_entry(struct kprobe_point *point, struct kprobe_lookup *lookup)
{
	enum kprobe_reason not_jump = KPROBE_REASON_FTRACE;
	struct kprobe_region region;
	struct kprobe_function f;

	lockdep_assert_held(&kprobe_mutex);
	if (ftrace_location_range(point->addr, point->addr) != point->addr)
		return false;
	point->opcode = KPROBE_ENTRY_OPCODE;
	point->site = kprobe_after_nop(point->addr);
	point->key = point->site;
	/* If the function consists of its nop alone, another one begins at the site. */
	if (!redirections && kprobe_lookup_function(lookup, point->site, &f) &&
	    f.start != point->site && !kprobe_check_address(lookup, point->site, true) &&
	    !ftrace_is_redirected(point->addr) && !kprobe_displace(point, lookup))
		not_jump = kprobe_decide_jump(point, lookup, &region);
	/* With a neighbour the breakpoint leads to a detour of its instruction alone. */
	if (not_jump && not_jump != KPROBE_REASON_NEIGHBOUR) {
		point->mechanism = KPROBE_FTRACE;
		point->key = 0;
	}
	return true;
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
 * Has up to %KPROBE_CHUNK points at the addresses of a hash begin to switch, or waits until
 * no point switches. Sets @ready if none there has to, or does.
 */
static enum kprobe_reason switch_some(const struct ftrace_hash *hash, bool *ready)
{
	struct ftrace_func_entry *entry;
	struct kprobe_point *point;
	enum kprobe_reason reason;
	unsigned int taken = 0;
	bool switching = false;
	LIST_HEAD(points);

	scoped_guard(mutex, &kprobe_mutex) {
		for (unsigned long i = 0; i < 1UL << hash->size_bits; i++) {
			hlist_for_each_entry(entry, &hash->buckets[i], hlist) {
				point = kprobe_point_lookup(entry->ip);
				if (!point)
					continue;
				switching |= kprobe_is_switching(point);
				if (kprobe_point_skips_nop(point) &&
				    point->mechanism != KPROBE_FTRACE && taken++ < KPROBE_CHUNK)
					list_move_tail(&point->batch, &points);
			}
		}
		reason = kprobe_switch_to_ftrace(&points);
	}
	if (!taken && switching)
		kprobe_switch_wait();
	*ready = !taken && !switching;
	return reason;
}

/* kprobe_mutex cannot be held while a switch takes its grace period: this keeps new points off. */
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
