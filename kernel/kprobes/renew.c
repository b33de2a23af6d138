// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes detours, has hits go there, and replaces and frees them.
 *
 * A detour of an architecture's own calls the handlers that its point had when it was made.
 * When they change, it leaves its hits to functions in C, see detour.c, until the optimizer
 * has made a new one and hits go there. If it has no code for post-handlers, hits leave it
 * when the first one comes: kprobe_leave_detour(). Stubs know no handlers, and stay.
 *
 * There are two kinds. One has copies of all instructions that a jump covers; jumps lead
 * to it. The other has a copy of the probed instruction alone. A breakpoint leads to
 * either: its trap returns to the detour at once, which calls the handlers. A breakpoint
 * must not lead to the first kind if there is a probe on another of the copied
 * instructions, which would then not be hit.
 *
 * Everything here runs under kprobe_mutex.
 */
#include <linux/extable.h>
#include <linux/init.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "deferred_free.h"
#include "point.h"
#include "renew.h"
#include "slot.h"
#include "table.h"
#include "veneer.h"

/**
 * kprobe_detour_free() - free a detour
 * @detour: a detour that nobody executes, or NULL
 *
 * Context: Process context, kprobe_mutex held.
 */
void kprobe_detour_free(struct kprobe_detour *detour)
{
	lockdep_assert_held(&kprobe_mutex);
	if (!detour)
		return;
	kprobe_veneer_free(detour);
	kprobe_slot_free(detour->slot);
	/* An unwinder may have looked the detour up under RCU, and still read it. */
	kfree_rcu(detour, deferred.rcu);
}

/**
 * kprobe_point_free_detour() - free the detour of a point
 * @point: a point whose detour nobody executes
 *
 * Context: kprobe_mutex held.
 */
void kprobe_point_free_detour(struct kprobe_point *point)
{
	kprobe_detour_free(point->detour);
	point->detour = NULL;
}

static void free_deferred(union kprobe_deferred_free *deferred)
{
	struct kprobe_detour *detour = container_of(deferred, struct kprobe_detour, deferred);

	detour->point->detour->retired--;
	kprobe_detour_free(detour);
}

static void grace_period_ended(struct rcu_head *rcu)
{
	kprobe_free_soon(rcu, free_deferred);
}

/**
 * kprobe_detour_retire_replaced() - free the previous detour of a point
 * @point: a point whose jump and route lead to @point->detour, if it has one
 *
 * Tasks may still execute the previous detour: it is freed after a Tasks RCU grace period.
 * The point stays until then.
 *
 * Context: kprobe_mutex held.
 */
void kprobe_detour_retire_replaced(struct kprobe_point *point)
{
	struct kprobe_detour *detour = point->detour;

	lockdep_assert_held(&kprobe_mutex);
	if (!detour || !detour->replaced)
		return;
	call_rcu_tasks(&detour->replaced->deferred.rcu, grace_period_ended);
	detour->replaced = NULL;
	detour->retired++;
}

/**
 * kprobe_detour_is_current() - check whether a point's detour is for its present handlers
 * @point: the point
 *
 * Detours that are not the architecture's own always are: they call kprobe_hit().
 *
 * Context: kprobe_mutex held.
 * Return: False also if there is no detour.
 */
bool kprobe_detour_is_current(const struct kprobe_point *point)
{
	return point->detour && (!__is_defined(ARCH_KPROBE_OWN_DETOURS) ||
				 point->detour->generation == READ_ONCE(point->generation));
}

/*
 * Must hits go to the point's detour?
 *
 * While the jump is in the text, or about to be written, they must: other routes continue
 * in the text that the jump covers.
 *
 * Otherwise they must not go to a detour that displaces a whole region if there is another
 * probe in the region, which would not be hit. Nor should they go to one that was made for
 * other handlers, which is slower than the trap. At a function's entry they go there all
 * the same, so that handlers run in the function's context and not in the trap's.
 */
static bool leads_to_detour(const struct kprobe_point *point)
{
	if (point->mechanism == KPROBE_JUMP || kprobe_point_is_optimizing(point))
		return true;
	if (!point->detour->alone && point->not_jump == KPROBE_REASON_NEIGHBOUR)
		return false;
	return kprobe_detour_is_current(point) || kprobe_point_skips_nop(point);
}

/**
 * kprobe_point_choose_route() - set the route of a point
 * @point: a point whose detour, post-handler slot, or reason may have changed
 *
 * Context: kprobe_mutex held.
 */
void kprobe_point_choose_route(struct kprobe_point *point)
{
	if (point->detour && leads_to_detour(point))
		kprobe_point_set_route(point, &point->detour->route);
	else
		kprobe_point_set_route(point, &point->text);
}

/* Plans what a jump displaces. @point->insn has all of it: that was planned before. */
static enum kprobe_reason plan_region(struct kprobe_region *region,
				      const struct kprobe_point *point)
{
	enum kprobe_reason reason;

	reason = kprobe_plan_region(kprobe_point_isa(point), region, (u8 *)point->insn,
				    sizeof(point->insn), point->site);
	kprobe_region_set_scratch(region, kprobe_point_scratch(point));
	return reason;
}

static enum kprobe_reason plan_alone(struct kprobe_region *region,
				     const struct kprobe_point *point)
{
	enum kprobe_reason reason;
	struct kprobe_insn insn;

	/*
	 * A task may sleep in a fault of the copy. Tasks RCU treats that as if the task
	 * had left the detour, which could then be freed too early.
	 */
	if (search_exception_tables(point->site))
		return KPROBE_REASON_EXTABLE;
	kprobe_point_plan(point, &insn);
	reason = kprobe_region_of_one(region, &insn);
	/* At an entry handlers must not run in the trap. Elsewhere it is faster than a stub. */
	if (kprobe_point_skips_nop(point))
		kprobe_region_set_scratch(region, insn.dead);
	return reason;
}

/**
 * kprobe_detour_set_region() - note in a detour which instructions it displaces
 * @detour: new detour
 * @region: the instructions
 *
 * Context: kprobe_mutex held, or a detour that nobody else knows.
 */
void kprobe_detour_set_region(struct kprobe_detour *detour,
			      const struct kprobe_region *region)
{
	detour->nr = region->nr;
	memcpy(detour->from, region->from, region->nr + 1);
}

/**
 * struct filling - a detour being filled in
 * @detour: the detour
 * @region: what it displaces
 */
struct filling {
	struct kprobe_detour *detour;
	const struct kprobe_region *region;
};

static enum kprobe_reason emit(void *arg, struct kprobe_code *code)
{
	struct filling *filling = arg;

	return arch_kprobe_emit_detour(filling->detour, filling->region, code);
}

static enum kprobe_reason fill_in(struct kprobe_detour *detour,
				  const struct kprobe_region *region)
{
	struct filling filling = { .detour = detour, .region = region };

	kprobe_detour_set_region(detour, region);
	return kprobe_slot_make(&detour->slot, (unsigned long)detour | KPROBE_OWNER_IS_DETOUR,
				emit, &filling);
}

/* The detour may lead back to the site, or not need to, and be out of reach all the same. */
static bool is_in_reach(const struct kprobe_detour *detour, const struct kprobe_region *region)
{
	u8 jump[KPROBE_JUMP_SIZE];
	struct kprobe_code code = {
		.buf = jump, .size = sizeof(jump), .base = detour->point->site,
	};

	kprobe_point_isa(detour->point)->jump(&code, (unsigned long)kprobe_detour_entry(detour),
					      region->scratch);
	return !code.far;
}

/* Has a jump lead to a detour as soon as it is written. */
static enum kprobe_reason make_way(struct kprobe_detour *detour,
				   const struct kprobe_region *region)
{
	if (kprobe_point_jumps_short(detour->point))
		return kprobe_veneer_make(detour);
	return is_in_reach(detour, region) ? KPROBE_REASON_NONE : KPROBE_REASON_OUT_OF_REACH;
}

static struct kmem_cache *detour_cache __ro_after_init;

/**
 * kprobe_detour_init() - make the cache that detours are allocated from
 *
 * Context: Boot, single-threaded.
 * Return: 0 or a negative errno.
 */
int __init kprobe_detour_init(void)
{
	detour_cache = KMEM_CACHE(kprobe_detour, 0);
	return detour_cache ? 0 : -ENOMEM;
}

static unsigned int nr_retired(const struct kprobe_point *point)
{
	return point->detour ? point->detour->retired : 0;
}

static enum kprobe_reason make_detour(struct kprobe_point *point,
				      const struct kprobe_region *region, bool alone)
{
	struct kprobe_detour *detour = NULL;
	enum kprobe_reason reason;

	/* They are freed if a grace period ends, some day. */
	if (nr_retired(point) < U16_MAX)
		detour = kmem_cache_zalloc(detour_cache, GFP_KERNEL);
	if (!detour)
		return KPROBE_REASON_NO_MEMORY;
	detour->point = point;
	detour->generation = READ_ONCE(point->generation);
	smp_rmb();	/* before the probes' flags are read: pairs with kprobe_point_switch() */
	detour->alone = alone;
	reason = fill_in(detour, region);
	if (!reason && !alone)
		reason = make_way(detour, region);
	if (reason) {
		kprobe_detour_free(detour);
		return reason;
	}
	/* Else the trap is faster. At a function's entry handlers must not run in a trap. */
	if (detour->direct || kprobe_point_skips_nop(point))
		detour->route.enter = kprobe_detour_entry(detour);
	detour->replaced = point->detour;
	detour->retired = nr_retired(point);
	point->detour = detour;
	return KPROBE_REASON_NONE;
}

/**
 * kprobe_detour_for_jump() - give a point a detour that its jump can lead to
 * @point:  a point that a jump is possible for
 * @region: what the jump displaces; its @nr is 0 if that must be planned first
 *
 * The caller must then call kprobe_point_choose_route(). If this replaces a detour, it
 * must have the jump lead to the new one and then call kprobe_detour_retire_replaced(),
 * before another detour is made.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: %KPROBE_REASON_NONE if the point has a detour for its present handlers, or why
 * it has none.
 */
enum kprobe_reason kprobe_detour_for_jump(struct kprobe_point *point,
					  struct kprobe_region *region)
{
	enum kprobe_reason reason = KPROBE_REASON_NONE;

	lockdep_assert_held(&kprobe_mutex);
	if (kprobe_detour_is_current(point) && !point->detour->alone)
		return KPROBE_REASON_NONE;
	if (!region->nr)
		reason = arch_kprobe_refuses_detours() ?: plan_region(region, point);
	return reason ?: make_detour(point, region, false);
}

/**
 * kprobe_has_breakpoint_detour() - check whether a breakpoint leads to a current detour
 * @point: a point
 *
 * Context: kprobe_mutex held.
 * Return: Whether it leads to a detour for the point's present handlers.
 */
bool kprobe_has_breakpoint_detour(const struct kprobe_point *point)
{
	lockdep_assert_held(&kprobe_mutex);
	return kprobe_detour_is_current(point) && point->route == &point->detour->route;
}

/**
 * kprobe_detour_for_breakpoint() - give a point a detour that its breakpoint can lead to
 * @point: a point that keeps its breakpoint for now
 *
 * The caller must then call kprobe_point_choose_route() and
 * kprobe_detour_retire_replaced(). If there can be no detour, the breakpoint's trap calls
 * the handlers.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 */
void kprobe_detour_for_breakpoint(struct kprobe_point *point)
{
	struct kprobe_region region;

	lockdep_assert_held(&kprobe_mutex);
	if (kprobe_detour_is_current(point) && leads_to_detour(point))
		return;
	if (!arch_kprobe_refuses_detours() && !plan_alone(&region, point))
		make_detour(point, &region, true);
}

static void settle_route(struct kprobe_point *point)
{
	kprobe_point_choose_route(point);
	kprobe_detour_retire_replaced(point);
}

/**
 * kprobe_detour_leave_region() - choose a route when another probe may be in the region
 * @point: a point whose detour may displace an instruction that has got a probe
 *
 * At a function's entry another detour takes the place of that one at once: handlers must not
 * run in the trap there, and the optimizer comes later. They do if there can be none.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 */
void kprobe_detour_leave_region(struct kprobe_point *point)
{
	if (point->mechanism == KPROBE_BREAKPOINT && kprobe_point_in_text(point) &&
	    kprobe_point_skips_nop(point) && point->not_jump == KPROBE_REASON_NEIGHBOUR)
		kprobe_detour_for_breakpoint(point);
	settle_route(point);
}

/**
 * kprobe_detour_prepare() - make the detour of a point before it is armed
 * @point: a point that is about to be armed by a breakpoint
 *
 * Handlers at entries must run in the context of the function, as under ftrace, and not
 * in that of a trap. The breakpoint there leads to the detour from the beginning.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: False if the point is at a function's entry, and its detour cannot be made.
 */
bool kprobe_detour_prepare(struct kprobe_point *point)
{
	struct kprobe_region region = {};

	lockdep_assert_held(&kprobe_mutex);
	if (!kprobe_point_skips_nop(point) || point->route != &point->text)
		return true;
	if (point->not_jump == KPROBE_REASON_NEIGHBOUR)
		kprobe_detour_for_breakpoint(point);
	else
		kprobe_detour_for_jump(point, &region);
	settle_route(point);
	return point->route != &point->text;
}
