// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes detours, has hits go there, and replaces and frees them.
 *
 * A detour calls the handlers that its point had when the detour was made. When the
 * handlers change, the detour leaves its hits to functions in C, see detour.c, until the
 * optimizer has made a new detour and hits go there.
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
#include "slot.h"
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
	/* An unwinder may have looked the detour up under RCU, and still read it. */
	kfree_rcu(detour, deferred.rcu);
}
NOKPROBE_SYMBOL(kprobe_detour_free);

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
NOKPROBE_SYMBOL(kprobe_point_free_detour);

static void free_deferred(struct kprobe_deferred_free *deferred)
{
	kprobe_detour_free(container_of(deferred, struct kprobe_detour, deferred));
}

/**
 * kprobe_detour_retire_replaced() - free the previous detour of a point
 * @point: a point whose jump and route lead to @point->detour
 *
 * Tasks may still execute the previous detour: it is freed after a Tasks RCU grace period.
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
				 point->detour->generation == point->generation);
}
NOKPROBE_SYMBOL(kprobe_detour_is_current);

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
		/* @point->insn has all of it: kprobe_examine_point() has planned it before. */
		reason = kprobe_plan_region(arch_kprobe_isa, region, (u8 *)point->insn,
					    sizeof(point->insn), point->site);
		kprobe_region_set_scratch(region, kprobe_point_scratch(point));
		return reason;
	}
	/*
	 * A task may sleep in a fault of the copy. Tasks RCU treats that as if the task
	 * had left the detour, which could then be freed too early.
	 */
	if (search_exception_tables(point->site))
		return KPROBE_REASON_EXTABLE;
	return kprobe_region_of_one(region, &point->plan);
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
NOKPROBE_SYMBOL(kprobe_detour_set_region);

/* The code of a detour, until it is in its slot. */
static u8 code_buf[KPROBE_DETOUR_MAX_SIZE];

/* Allocates a slot of some size, and writes the code for it. */
static enum kprobe_reason emit(struct kprobe_detour *detour,
			       const struct kprobe_region *region, unsigned int size,
			       unsigned int *len)
{
	struct kprobe_code code = { .buf = code_buf, .size = sizeof(code_buf) };
	enum kprobe_reason reason;

	detour->entry = kprobe_detour_slot_alloc(detour, size);
	if (!detour->entry)
		return KPROBE_REASON_NO_MEMORY;
	code.base = (unsigned long)detour->entry;
	reason = arch_kprobe_emit_detour(detour, region, &code);
	if (!reason && (code.far || WARN_ON_ONCE(code.len > code.size)))
		reason = KPROBE_REASON_OUT_OF_REACH;
	*len = code.len;
	return reason;
}

static enum kprobe_reason fill_slot(struct kprobe_detour *detour,
				    const struct kprobe_region *region)
{
	unsigned int len;
	enum kprobe_reason reason = emit(detour, region, KPROBE_DETOUR_SIZE, &len);

	/* Few do not fit into the smaller of the slots. */
	if (!reason && len > KPROBE_DETOUR_SIZE) {
		kprobe_slot_free(detour->entry);
		reason = emit(detour, region, len, &len);
	}
	if (!reason)
		kprobe_slot_write(detour->entry, code_buf, len);
	return reason;
}

static enum kprobe_reason fill_in(struct kprobe_detour *detour)
{
	struct kprobe_region region;
	enum kprobe_reason reason = plan_region(&region, detour->point, detour->alone);

	if (reason)
		return reason;
	kprobe_detour_set_region(detour, &region);
	return fill_slot(detour, &region);
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
	/* Else the trap is faster. At a function's entry handlers must not run in a trap. */
	if (detour->direct || kprobe_point_skips_nop(point))
		detour->route.enter = detour->entry;
	detour->replaced = point->detour;
	point->detour = detour;
	kprobe_point_choose_route(point);
	return KPROBE_REASON_NONE;
}

/**
 * kprobe_detour_for_jump() - give a point a detour that its jump can lead to
 * @point: a point that a jump is possible for
 *
 * If this replaces a detour, the caller must have the jump lead to the new one and then
 * call kprobe_detour_retire_replaced(), before another detour is made.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: %KPROBE_REASON_NONE if the point has a detour for its present handlers, or why
 * it has none.
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
NOKPROBE_SYMBOL(kprobe_has_breakpoint_detour);

/**
 * kprobe_detour_for_breakpoint() - have a breakpoint lead to a detour
 * @point: a point that keeps its breakpoint for now
 *
 * If there can be no detour, the breakpoint's trap calls the handlers.
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
