// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What runs instead of a probed instruction: makes slots and detours, chooses the route that leads
 * hits there, replaces detours and frees them. The files that make, arm, optimize and free points
 * call this.
 *
 * An architecture's own detour calls the handlers that its point had when the detour was made.
 * When the handlers change, the detour leaves its hits to functions in C, see detour.c, until
 * the optimizer has made a new detour. A detour without code for post-handlers is left when the
 * first probe with a post-handler comes: kprobe_leave_detour(). A stub knows no handlers, so it
 * stays when they change.
 *
 * A detour of the first kind has copies of all instructions that a jump covers. Jumps lead to
 * it. A detour of the second kind (@alone) has a copy of the probed instruction only. A
 * breakpoint may lead to either kind: its trap returns to the detour at once, and the detour
 * calls the handlers. A breakpoint must not lead to the first kind if another of the copied
 * instructions is probed: that probe would not be hit.
 *
 * Everything here runs under kprobe_mutex.
 */
#include <linux/extable.h>
#include <linux/init.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "code.h"
#include "examine.h"
#include "point.h"
#include "reserved.h"
#include "slot.h"
#include "table.h"
#include "veneer.h"

/*
 * Displaced instructions: what a hit executes instead of the instruction at a point's site.
 *
 * The architecture's plan tells whether a copy of the instruction runs in a slot or a hit
 * emulates the instruction. kprobe_displace() makes both ready for a new point, before it can
 * be armed. There are two kinds of slots:
 *
 *	instruction		instruction
 *	jump back		call of kprobe_post_trampoline, for the post-handlers
 *				jump back
 *
 * If the jump back needs a register and none can be spared, kprobe_isa.back() writes code that
 * needs none. If there is no such code either, or the plan demands it, both kinds of slots are
 * the instruction and a breakpoint, and the hit of that breakpoint goes on after the
 * instruction: see hit.c.
 *
 * An emulated instruction that reads memory has a slot of the first kind for when that read
 * fails: there the instruction itself faults. If the fault is repaired, or the memory is back by
 * then, a copied call returns to the slot. Such a slot is not freed before its text is: see
 * batch.c. The hit has no post-handlers called, which counts as a miss.
 *
 * A copy runs with the flags, interrupts and preemption that the probed code has. Nothing is
 * single-stepped, so nothing has to be remembered between a hit and its instruction: the
 * instruction may be interrupted, preempted, and hit again.
 */

/**
 * struct copy - a copy of a displaced instruction
 * @point: the point
 * @insn:  the plan for it
 * @post:  whether the copy calls the post-handlers
 */
struct copy {
	struct kprobe_point *point;
	const struct kprobe_insn *insn;
	bool post;
};

static void emit_way_back(const struct copy *copy, struct kprobe_code *code)
{
	const struct kprobe_isa *isa = arch_kprobe_isa;
	unsigned long to = copy->point->site + copy->point->len;

	if (copy->post) {
		isa->enter(code, (unsigned long)kprobe_post_trampoline);
		kprobe_code_leave(code, isa);
	}
	if (isa->back && !copy->insn->dead)
		isa->back(code, to);
	else
		isa->jump(code, to, copy->insn->dead);
}

static enum kprobe_reason emit_copy(void *arg, struct kprobe_code *code)
{
	const struct copy *copy = arg;
	struct kprobe_point *point = copy->point;
	unsigned int len;

	arch_kprobe_isa->emit(code, copy->insn, (u8 *)point->insn, point->site);
	if (code->far)
		return KPROBE_REASON_FAR_OPERAND;
	len = code->len;
	if (!point->ends_in_trap)
		emit_way_back(copy, code);
	if (code->far || point->ends_in_trap) {
		code->len = len;
		code->far = false;
		arch_kprobe_isa->breakpoint(code, copy->insn);
		point->ends_in_trap = true;
	}
	return KPROBE_REASON_NONE;
}

static enum kprobe_reason make_slot(struct kprobe_point *point, const struct kprobe_insn *insn,
				    void **slot, bool post)
{
	struct copy copy = { .point = point, .insn = insn, .post = post };

	return kprobe_slot_make(slot, (unsigned long)point | KPROBE_OWNER_IS_POINT, emit_copy,
				&copy);
}

/* Stores in the point what hits need to know of the plan. */
static enum kprobe_reason remember(struct kprobe_point *point, const struct kprobe_insn *insn)
{
	struct kprobe_emulation *emulation;

	point->len = insn->len;
	point->breakpoint_len = insn->breakpoint_len;
	point->ends_in_trap = insn->ends_in_trap;
	if (insn->action == KPROBE_RUN)
		return KPROBE_REASON_NONE;
	emulation = kzalloc(sizeof(*emulation), GFP_KERNEL);
	if (!emulation)
		return KPROBE_REASON_NO_MEMORY;
	emulation->insn = *insn;
	point->emulated = &emulation->insn;
	return KPROBE_REASON_NONE;
}

static enum kprobe_reason plan(struct kprobe_point *point, struct kprobe_insn *insn)
{
	enum kprobe_reason reason;
	bool reserved;
	size_t avail;

	mutex_lock(&text_mutex);
	reserved = arch_kprobe_text_reserved(point->site, point->site + 1);
	avail = kprobe_read_insn(point->site, (u8 *)point->insn, sizeof(point->insn));
	mutex_unlock(&text_mutex);
	if (reserved)
		return KPROBE_REASON_RESERVED;
	reason = arch_kprobe_isa->plan(insn, (u8 *)point->insn, avail, point->site);
	/* kprobe_check_address() has asked about its first byte; livepatch may write the others. */
	if (!reason && kprobe_any_in(KPROBE_TEXT_RESERVED, point->site, point->site + insn->len))
		return KPROBE_REASON_RESERVED;
	return reason ?: remember(point, insn);
}

/* Sets the jump back's register. Without one kprobe_isa.back() or a breakpoint ends the slot. */
static void find_scratch(struct kprobe_point *point, struct kprobe_insn *insn,
			 struct kprobe_lookup *lookup)
{
	if (!arch_kprobe_isa->scratch || point->emulated)
		return;
	insn->dead = kprobe_examine_scratch(lookup, point->site + point->len);
	point->dead = fls(insn->dead);
}

/*
 * Plans how the instruction of a new point is displaced, fills in @insn and what follows from
 * the plan, and makes a slot if one is needed. Returns why the instruction cannot be probed.
 */
enum kprobe_reason kprobe_displace(struct kprobe_point *point, struct kprobe_lookup *lookup)
{
	struct kprobe_insn insn;
	enum kprobe_reason reason = plan(point, &insn) ?:
				    kprobe_examine_site(lookup, point->site);

	if (!reason)
		find_scratch(point, &insn, lookup);
	if (reason || (point->emulated && !insn.may_fault))
		return reason;
	return make_slot(point, &insn, point->emulated ? &kprobe_point_emulation(point)->slot :
							 &point->text.run, false);
}

/*
 * Sets @slot to a new copy of the instruction that calls the post-handlers. Leaves @slot as it
 * is if none is needed, or the point has one. Hits may be under way.
 */
enum kprobe_reason kprobe_displace_post(struct kprobe_point *point, void **slot)
{
	struct kprobe_insn insn;

	/* After a skipped entry nop post-handlers run before the displaced instruction. */
	if (point->emulated || point->text.run_post || kprobe_point_skips_nop(point))
		return KPROBE_REASON_NONE;
	kprobe_point_plan(point, &insn);
	return make_slot(point, &insn, slot, true);
}

/*
 * Is the detour for the point's present handlers? A stub always is: it calls kprobe_hit(). False
 * also if there is no detour.
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
 * Otherwise hits must not go to a detour that displaces a whole region if another probe is in
 * the region: that probe would not be hit. They should not go to a detour that was made for
 * other handlers either, as it is slower than the trap. At a function's entry they go there all
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

/* To be called when the detour, @run_post or @not_jump of the point may have changed. */
void kprobe_point_choose_route(struct kprobe_point *point)
{
	const struct kprobe_route *route = &point->text;

	if (point->detour && leads_to_detour(point))
		route = &point->detour->route;
#ifdef CONFIG_KPROBES_ON_FTRACE
	if (point->entry && kprobe_point_at_site(point) && point->mechanism != KPROBE_JUMP) {
		/* Any detour does: it leaves the hit to kprobe_hit(). */
		void *enter = point->detour ? point->detour->slot : NULL;

		kprobe_slots_sync();
		/* The detour was written before. Pairs with the address dependency of a hit. */
		smp_store_release(&point->entry->shared.enter, enter);
		route = &point->entry->shared;
	}
#endif
	if (point->route == route)
		return;
	if (point->route)
		kprobe_slots_sync();
	kprobe_point_set_route(point, route);
}

static struct kmem_cache *detour_cache __ro_after_init;

int __init kprobe_detour_init(void)
{
	detour_cache = KMEM_CACHE(kprobe_detour, 0);
	return detour_cache ? 0 : -ENOMEM;
}

/* Frees a detour that nobody executes. Does nothing for NULL. */
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

/* Nobody executes the point's detour. */
void kprobe_point_free_detour(struct kprobe_point *point)
{
	kprobe_detour_free(point->detour);
	point->detour = NULL;
}

/* Notes in a detour, which hits cannot reach yet, which instructions it displaces. */
void kprobe_detour_set_region(struct kprobe_detour *detour,
			      const struct kprobe_region *region)
{
	detour->nr = region->nr;
	memcpy(detour->from, region->from, region->nr + 1);
}

/* What a detour is made of. */
struct emission {
	struct kprobe_detour *detour;
	const struct kprobe_region *region;
};

static enum kprobe_reason emit(void *arg, struct kprobe_code *code)
{
	struct emission *emission = arg;

	return arch_kprobe_emit_detour(emission->detour, emission->region, code);
}

/*
 * Makes sure that the point's jump reaches the detour, a short one by a veneer. That does not
 * follow from the detour's jump back, which may reach further or be missing.
 */
static enum kprobe_reason connect_jump(struct kprobe_detour *detour,
				       const struct kprobe_region *region)
{
	const struct kprobe_point *point = detour->point;
	u8 jump[KPROBE_JUMP_SIZE];
	struct kprobe_code code = { .buf = jump, .size = sizeof(jump), .base = point->site };

	if (kprobe_point_jumps_short(point))
		return kprobe_veneer_make(detour);
	arch_kprobe_isa->jump(&code, (unsigned long)detour->slot, region->scratch);
	return code.far ? KPROBE_REASON_OUT_OF_REACH : KPROBE_REASON_NONE;
}

/* Makes a detour of the instructions in @region, of the probed one only if @alone. */
static enum kprobe_reason make_detour(struct kprobe_point *point,
				      const struct kprobe_region *region, bool alone)
{
	unsigned int retired = point->detour ? point->detour->retired : 0;
	struct emission emission = { .region = region };
	struct kprobe_detour *detour = NULL;
	enum kprobe_reason reason;

	/* Not while so many previous detours wait to be freed that @retired would overflow. */
	if (retired < U16_MAX)
		detour = kmem_cache_zalloc(detour_cache, GFP_KERNEL);
	if (!detour)
		return KPROBE_REASON_NO_MEMORY;
	detour->point = point;
	detour->generation = READ_ONCE(point->generation);
	smp_rmb();	/* before probes' flags are read: pairs with kprobe_point_set_disabled() */
	detour->alone = alone;
	detour->direct = !kprobe_point_at_site(point);
	kprobe_detour_set_region(detour, region);
	emission.detour = detour;
	reason = kprobe_slot_make(&detour->slot, (unsigned long)detour, emit, &emission);
	if (!reason && !alone)
		reason = connect_jump(detour, region);
	if (reason) {
		kprobe_detour_free(detour);
		return reason;
	}
	/*
	 * A detour that is not @direct is slower than the trap. At a function's entry it is used
	 * all the same: handlers must not run in a trap there.
	 */
	if (detour->direct || kprobe_point_skips_nop(point))
		detour->route.enter = detour->slot;
	detour->replaced = point->detour;
	detour->retired = retired;
	point->detour = detour;
	return KPROBE_REASON_NONE;
}

/*
 * Gives a point a detour for its present handlers that its jump can lead to, or returns why there
 * is none. Plans the region unless @region->nr is set. The caller must then call
 * kprobe_point_choose_route(). If a detour was replaced, it must have the jump lead to the new one
 * and call kprobe_detour_retire_replaced(), before another detour is made.
 */
enum kprobe_reason kprobe_detour_for_jump(struct kprobe_point *point,
					  struct kprobe_region *region)
{
	enum kprobe_reason reason = KPROBE_REASON_NONE;

	lockdep_assert_held(&kprobe_mutex);
	if (kprobe_detour_is_current(point) && !point->detour->alone)
		return KPROBE_REASON_NONE;
	if (!region->nr) {
		reason = arch_kprobe_refuses_detours() ?:
			 kprobe_plan_region(kprobe_point_isa(point), region, (u8 *)point->insn,
					    sizeof(point->insn), point->site);
		kprobe_region_set_scratch(region, kprobe_point_scratch(point));
	}
	return reason ?: make_detour(point, region, false);
}

/* Does the breakpoint lead to a detour for the point's present handlers? */
bool kprobe_has_breakpoint_detour(const struct kprobe_point *point)
{
	lockdep_assert_held(&kprobe_mutex);
	return kprobe_detour_is_current(point) &&
	       point->route->enter == point->detour->slot;
}

/*
 * Gives a point a detour that its breakpoint can lead to. If there can be none, the trap calls the
 * handlers. The caller must then call kprobe_point_choose_route() and
 * kprobe_detour_retire_replaced().
 */
void kprobe_detour_for_breakpoint(struct kprobe_point *point)
{
	struct kprobe_region region;
	struct kprobe_insn insn;

	lockdep_assert_held(&kprobe_mutex);
	if (kprobe_detour_is_current(point) && leads_to_detour(point))
		return;
	/*
	 * A task may sleep in a fault of the copy. Tasks RCU treats that as if the task had left
	 * the detour, which could then be freed too early.
	 */
	if (arch_kprobe_refuses_detours() || search_exception_tables(point->site))
		return;
	kprobe_point_plan(point, &insn);
	if (kprobe_region_of_one(&region, &insn))
		return;
	/*
	 * Where the jump back needs a register, it gets one at entries only: handlers must not run
	 * in the trap there. Elsewhere the trap is faster than such a stub.
	 */
	if (kprobe_point_skips_nop(point))
		kprobe_region_set_scratch(&region, insn.dead);
	make_detour(point, &region, true);
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

/*
 * Frees the previous detour of a point after a Tasks RCU grace period: tasks may still execute it.
 * Jump and route lead to the present one. The point stays until the previous detour is freed.
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

static void update_route(struct kprobe_point *point)
{
	kprobe_point_choose_route(point);
	kprobe_detour_retire_replaced(point);
}

/*
 * Chooses the route anew when an instruction that the detour displaces may have got a probe. At a
 * function's entry a detour of the probed instruction alone replaces it at once: handlers must not
 * run in the trap there until the optimizer comes. They do if there can be no such detour.
 */
void kprobe_detour_leave_region(struct kprobe_point *point)
{
	if (point->mechanism != KPROBE_JUMP && kprobe_point_uses_site(point) &&
	    kprobe_point_in_text(point) && kprobe_point_skips_nop(point) &&
	    point->not_jump == KPROBE_REASON_NEIGHBOUR)
		kprobe_detour_for_breakpoint(point);
	update_route(point);
}

/*
 * Makes the detour before a breakpoint arms a point at a function's entry: handlers must run in the
 * function's context there, as under ftrace, and not in the trap's.
 */
void kprobe_detour_prepare(struct kprobe_point *point)
{
	struct kprobe_region region = {};

	lockdep_assert_held(&kprobe_mutex);
	if (!kprobe_point_skips_nop(point) || point->route->enter)
		return;
	if (point->not_jump == KPROBE_REASON_NEIGHBOUR)
		kprobe_detour_for_breakpoint(point);
	else
		kprobe_detour_for_jump(point, &region);
}

/* Has hits go to the detour that was prepared. Returns false if one is needed and not there. */
bool kprobe_detour_commit(struct kprobe_point *point)
{
	if (!kprobe_point_skips_nop(point))
		return true;
	update_route(point);
	return point->route->enter;
}
