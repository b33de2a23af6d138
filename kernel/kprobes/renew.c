// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Detours: how they are made, put to use, replaced and freed.
 *
 * A detour calls the handlers that its point had when the detour was made. When the
 * handlers change, the detour calls kprobe_detour_hit() instead, until the optimizer has
 * made a new detour and hits go there.
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
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "deferred_free.h"
#include "point.h"
#include "renew.h"
#include "table.h"

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
	kprobe_slot_free(detour->entry);
	/* Somebody may ask whose it is. */
	kfree_rcu(detour, deferred.rcu);
}
NOKPROBE_SYMBOL(kprobe_detour_free);

/**
 * kprobe_point_free_detour() - free what the optimizer has made for a point
 * @point: a point that nobody executes anything of
 *
 * Context: kprobe_mutex held.
 */
void kprobe_point_free_detour(struct kprobe_point *point)
{
	kprobe_detour_free(point->detour);
	point->detour = NULL;
}
NOKPROBE_SYMBOL(kprobe_point_free_detour);

static void free_deferred(struct kprobe_deferred_free *deferred)
{
	kprobe_detour_free(container_of(deferred, struct kprobe_detour, deferred));
}

/**
 * kprobe_detour_retire_replaced() - free the detour that a point had before
 * @point: a point whose jump and route lead to @point->detour
 *
 * Tasks may still execute the other one: it is freed after a Tasks RCU grace period.
 *
 * Context: kprobe_mutex held.
 */
void kprobe_detour_retire_replaced(struct kprobe_point *point)
{
	struct kprobe_detour *detour = point->detour;

	lockdep_assert_held(&kprobe_mutex);
	if (detour->replaced)
		kprobe_free_rcu_tasks(&detour->replaced->deferred, free_deferred);
	detour->replaced = NULL;
}
NOKPROBE_SYMBOL(kprobe_detour_retire_replaced);

/**
 * kprobe_detour_is_current() - does a point's detour know its handlers?
 * @point: the point
 *
 * Context: kprobe_mutex held.
 * Return: False also if there is no detour.
 */
bool kprobe_detour_is_current(const struct kprobe_point *point)
{
	return point->detour && (!__is_defined(ARCH_KPROBE_OWN_DETOURS) ||
				 point->detour->generation == point->generation);
}
NOKPROBE_SYMBOL(kprobe_detour_is_current);

/*
 * While the jump is in the text, or about to come, there is nothing else to go on at.
 * Otherwise a detour that displaces all that a jump covers would lead past another
 * probe there, and one that does not know the handlers is a longer way than the
 * trap's; but at a function's entry it leads out of the trap.
 */
static bool leads_to_detour(const struct kprobe_point *point)
{
	if (point->mechanism == KPROBE_JUMP || point->state == KPROBE_POINT_OPTIMIZING)
		return true;
	if (!point->detour->alone && point->not_jump == KPROBE_REASON_NEIGHBOUR)
		return false;
	return kprobe_detour_is_current(point) || kprobe_point_skips_nop(point);
}

/**
 * kprobe_point_choose_route() - have hits go where they should
 * @point: a point whose detour, post-handler slot, or reason may have changed
 *
 * Context: kprobe_mutex held.
 */
void kprobe_point_choose_route(struct kprobe_point *point)
{
	if (point->detour && leads_to_detour(point))
		kprobe_point_set_route(point, &point->detour->route);
	else
		kprobe_point_set_route(point, &point->text[!!point->post_slot]);
}
NOKPROBE_SYMBOL(kprobe_point_choose_route);

static enum kprobe_reason plan_region(struct kprobe_region *region,
				      const struct kprobe_point *point, bool alone)
{
	enum kprobe_reason reason = arch_kprobe_refuses_detours();

	if (reason)
		return reason;
	if (!alone) {
		/* The point keeps all of it, and kprobe_examine_point() has seen it. */
		reason = kprobe_plan_region(arch_kprobe_isa, region, (u8 *)point->insn,
					    sizeof(point->insn), point->site);
		kprobe_region_set_scratch(region, kprobe_point_scratch(point));
		return reason;
	}
	/*
	 * A task may sleep in an instruction that may fault. Tasks RCU would take it for
	 * one that has left the detour.
	 */
	if (search_exception_tables(point->site))
		return KPROBE_REASON_EXTABLE;
	return kprobe_region_of_one(region, &point->plan);
}

/**
 * kprobe_detour_set_region() - note what a detour displaces
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
NOKPROBE_SYMBOL(kprobe_detour_set_region);

static enum kprobe_reason fill_in(struct kprobe_detour *detour)
{
	struct kprobe_region region;
	enum kprobe_reason reason = plan_region(&region, detour->point, detour->alone);

	if (reason)
		return reason;
	kprobe_detour_set_region(detour, &region);
	return arch_kprobe_make_detour(detour, &region);
}

static enum kprobe_reason make_detour(struct kprobe_point *point, bool alone)
{
	struct kprobe_detour *detour = kzalloc(sizeof(*detour), GFP_KERNEL);
	enum kprobe_reason reason;

	if (!detour)
		return KPROBE_REASON_NO_MEMORY;
	detour->point = point;
	detour->generation = point->generation;
	detour->alone = alone;
	reason = fill_in(detour);
	if (reason) {
		kprobe_detour_free(detour);
		return reason;
	}
	detour->route.detour = detour;
	/* One that calls nobody is a longer way than the trap's, but leads out of it. */
	if (detour->direct || kprobe_point_skips_nop(point))
		detour->route.enter = detour->entry;
	detour->replaced = point->detour;
	point->detour = detour;
	kprobe_point_choose_route(point);
	return KPROBE_REASON_NONE;
}

/**
 * kprobe_detour_for_jump() - give a point a detour that its jump can lead to
 * @point: a point that nothing is in the way of
 *
 * Where one is replaced, hits are to go on there before the next one is made.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: %KPROBE_REASON_NONE when the point has one that calls the handlers of
 * now, or why there is none.
 */
enum kprobe_reason kprobe_detour_for_jump(struct kprobe_point *point)
{
	lockdep_assert_held(&kprobe_mutex);
	if (kprobe_detour_is_current(point) && !point->detour->alone)
		return KPROBE_REASON_NONE;
	return make_detour(point, false);
}
NOKPROBE_SYMBOL(kprobe_detour_for_jump);

/**
 * kprobe_has_breakpoint_detour() - is a breakpoint as good as it can be?
 * @point: a point
 *
 * Context: kprobe_mutex held.
 * Return: Whether it leads to a detour that knows the handlers of now.
 */
bool kprobe_has_breakpoint_detour(const struct kprobe_point *point)
{
	lockdep_assert_held(&kprobe_mutex);
	return kprobe_detour_is_current(point) && point->route == &point->detour->route;
}
NOKPROBE_SYMBOL(kprobe_has_breakpoint_detour);

/**
 * kprobe_detour_for_breakpoint() - have a breakpoint lead to a detour
 * @point: a point that stays reached by a breakpoint for now
 *
 * If there can be none, its trap calls the handlers.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 */
void kprobe_detour_for_breakpoint(struct kprobe_point *point)
{
	kprobe_point_choose_route(point);
	if (kprobe_has_breakpoint_detour(point))
		return;
	if (!make_detour(point, true))
		kprobe_detour_retire_replaced(point);
}
NOKPROBE_SYMBOL(kprobe_detour_for_breakpoint);
