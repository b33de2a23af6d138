// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What runs instead of a probed instruction: slots, detours, and the route that leads hits there.
 *
 * A slot is a copy of the instruction and a jump back, with a call of kprobe_post_trampoline in
 * between if there are post-handlers. If nothing else leads back, or the plan demands it, the slot
 * ends in a breakpoint, whose hit goes on after the instruction: see hit.c. An emulated instruction
 * that reads memory has a slot for when the read fails: there the instruction itself faults.
 *
 * A jump leads to a detour, which has copies of all instructions that the jump covers. A breakpoint
 * may lead there as well, unless another one of them is probed: that probe would not be hit. A
 * detour of the probed instruction @alone is for breakpoints. An architecture's own detour calls
 * the handlers that its point had when the detour was made. When they change, the detour leaves its
 * hits to detour.c until the optimizer has made a new one. A stub knows no handlers, and stays.
 */
#include <linux/init.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "hit.h"
#include "mechanism.h"
#include "place.h"
#include "point.h"
#include "slot.h"
#include "table.h"
#include "veneer.h"

/**
 * struct copy - a copy of a displaced instruction
 * @point: the point
 * @insn:  the plan for it
 * @post:  whether the copy calls the post-handlers
 * @ends_in_trap: what was made last ends in a breakpoint
 */
struct copy {
	struct kprobe_point *point;
	const struct kprobe_insn *insn;
	bool post;
	bool ends_in_trap;
};

static enum kprobe_reason emit_copy(void *arg, struct kprobe_code *code)
{
	const struct kprobe_isa *isa = arch_kprobe_isa;
	struct copy *copy = arg;
	const struct kprobe_point *point = copy->point;
	unsigned long next = point->site + point->len;
	unsigned int len;

	isa->emit(code, copy->insn, (u8 *)point->insn, point->site);
	if (code->far)
		return KPROBE_REASON_FAR_OPERAND;
	len = code->len;
	copy->ends_in_trap = false;
	if (!point->ends_in_trap) {
		if (copy->post) {
			isa->enter(code, (unsigned long)kprobe_post_trampoline);
			kprobe_code_leave(code, isa);
		}
		if (isa->back && !copy->insn->dead)
			isa->back(code, next);
		else
			isa->jump(code, next, copy->insn->dead);
	}
	if (code->far || point->ends_in_trap) {
		code->len = len;
		code->far = false;
		isa->breakpoint(code, copy->insn);
		copy->ends_in_trap = true;
	}
	return KPROBE_REASON_NONE;
}

static enum kprobe_reason make_slot(struct kprobe_point *point, const struct kprobe_insn *insn,
				    void **slot, bool post)
{
	struct copy copy = { .point = point, .insn = insn, .post = post };
	enum kprobe_reason reason;

	reason = kprobe_slot_make(slot, (unsigned long)point | KPROBE_OWNER_IS_POINT, emit_copy,
				  &copy);
	/* Of the slot that was made: others may have been tried, out of the jump's reach. */
	if (!reason && copy.ends_in_trap)
		point->ends_in_trap = true;
	return reason;
}

/* What the instructions in front make of the plan of a new point. */
static enum kprobe_reason plan_within(struct kprobe_point *point, struct kprobe_insn *insn,
				      struct kprobe_lookup *lookup)
{
#ifdef KPROBE_BLOCKS
	point->block = kprobe_examine_block(lookup, point->site);
	if (point->block)
		return arch_kprobe_isa->within(insn, (u8 *)point->insn, point->block);
#endif
	return KPROBE_REASON_NONE;
}

/*
 * Plans how the instruction of a new point is displaced, and makes a slot if one is needed. Returns
 * why the instruction cannot be probed.
 */
enum kprobe_reason kprobe_displace(struct kprobe_point *point, struct kprobe_lookup *lookup)
{
	struct kprobe_emulation *emulation;
	void **slot = &point->text.run;
	enum kprobe_reason reason;
	struct kprobe_insn insn;
	size_t avail;

	scoped_guard(mutex, &text_mutex) {
		if (arch_kprobe_text_reserved(point->site, point->site + 1))
			return KPROBE_REASON_RESERVED;
		avail = kprobe_read_insn(point->site, (u8 *)point->insn, sizeof(point->insn));
	}
	reason = arch_kprobe_isa->plan(&insn, (u8 *)point->insn, avail, point->site);
	/* kprobe_check_address() has asked about its first byte; livepatch may write the others. */
	if (!reason && kprobe_any_in(KPROBE_TEXT_RESERVED, point->site, point->site + insn.len))
		return KPROBE_REASON_RESERVED;
	reason = reason ?: kprobe_examine_site(lookup, point->site) ?:
		 plan_within(point, &insn, lookup);
	if (reason)
		return reason;
	point->len = insn.len;
	point->breakpoint_len = insn.breakpoint_len;
	point->ends_in_trap = insn.ends_in_trap;
	point->fault = insn.fault / KPROBE_INSN_ALIGN;
	point->has_slot = insn.bundle && insn.flow != KPROBE_FLOW_NEXT;
	point->has_fixup = kprobe_point_search_fixup(point);
	point->no_stub = !__is_defined(ARCH_KPROBE_CLEARS_STATE) && !arch_kprobe_isa->stateless &&
			 kprobe_examine_state(lookup);
	if (insn.action != KPROBE_RUN) {
		emulation = kzalloc(sizeof(*emulation), GFP_KERNEL);
		if (!emulation)
			return KPROBE_REASON_NO_MEMORY;
		emulation->insn = insn;
		point->emulated = &emulation->insn;
		if (!insn.may_fault)
			return KPROBE_REASON_NONE;
		slot = &emulation->slot;
	} else if (arch_kprobe_isa->scratch) {
		/* For the jump back. There may be none. */
		insn.dead = kprobe_examine_scratch(lookup, point->site + point->len);
		point->dead = fls(insn.dead);
	}
	return make_slot(point, &insn, slot, false);
}

/* Sets @slot to a copy that calls the post-handlers, if one is needed and the point has none. */
enum kprobe_reason kprobe_displace_post(struct kprobe_point *point, void **slot)
{
	struct kprobe_insn insn;

	/* After a skipped entry nop post-handlers run before the displaced instruction. */
	if (point->emulated || point->text.run_post || kprobe_point_skips_nop(point))
		return KPROBE_REASON_NONE;
	kprobe_point_plan(point, &insn);
	/* Not all hits would come to the call. A miss of each is counted instead: see hit.c. */
	if (insn.branches || point->no_stub)
		return KPROBE_REASON_NONE;
	return make_slot(point, &insn, slot, true);
}

/* Is there a detour for the point's present handlers? A stub always is for them. */
bool kprobe_detour_is_current(const struct kprobe_point *point)
{
	return point->detour && (!__is_defined(ARCH_KPROBE_OWN_DETOURS) ||
				 point->detour->generation == READ_ONCE(point->generation));
}

/* Do hits go to the point's detour? */
static bool leads_to_detour(const struct kprobe_point *point)
{
	/* Other routes continue in the text that the jump covers, or is about to. */
	if (point->mechanism == KPROBE_JUMP || kprobe_point_is_optimizing(point))
		return true;
	/* The other probe would not be hit. */
	if (!point->detour->alone && point->not_jump == KPROBE_REASON_NEIGHBOUR)
		return false;
	/*
	 * A detour for other handlers is slower than the trap. Handlers at a function's entry run
	 * in the function's context all the same, not in the trap's.
	 */
	return kprobe_detour_is_current(point) || kprobe_point_skips_nop(point);
}

/* To be called when the detour, @run_post, @not_jump or the mechanism may have changed. */
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
	if (KPROBE_SHORT_JUMP_SIZE)
		kprobe_veneer_free(detour);
	kprobe_slot_free(detour->slot);
	/* An unwinder may have looked the detour up under RCU, and still read it. */
	kfree_rcu(detour, deferred.rcu);
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

/* Makes sure that the point's jump reaches the detour, a short one by a veneer. */
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

static enum kprobe_reason make_detour(struct kprobe_point *point,
				      const struct kprobe_region *region, bool alone)
{
	struct kprobe_detour *detour = kmem_cache_alloc(detour_cache, GFP_KERNEL);
	struct emission emission = { .detour = detour, .region = region };
	enum kprobe_reason reason;

	if (!detour)
		return KPROBE_REASON_NO_MEMORY;
	*detour = (struct kprobe_detour){
		.point = point, .generation = READ_ONCE(point->generation), .alone = alone,
		.direct = !kprobe_point_at_site(point), .nr = region->nr,
		.counts = static_key_enabled(&kprobe_counting),
	};
	smp_rmb();	/* before probes' flags are read: pairs with kprobe_point_set_disabled() */
	memcpy(detour->from, region->from, region->nr + 1);
	reason = kprobe_slot_make(&detour->slot, (unsigned long)detour, emit, &emission);
	if (!reason && !alone)
		reason = connect_jump(detour, region);
	if (reason) {
		kprobe_detour_free(detour);
		return reason;
	}
	/* As in leads_to_detour(). */
	if (detour->direct || kprobe_point_skips_nop(point))
		detour->route.enter = detour->slot;
	detour->replaced = point->detour;
	if (point->detour)
		detour->retired = point->detour->retired;
	point->detour = detour;
	return KPROBE_REASON_NONE;
}

/*
 * Gives a point a detour for its present handlers that its jump can lead to, or returns why there
 * is none. Plans the region unless @region->nr is set. The caller must then choose the route, have
 * the jump lead to the new detour, and call kprobe_detour_retire_replaced().
 */
enum kprobe_reason kprobe_detour_for_jump(struct kprobe_point *point,
					  struct kprobe_region *region)
{
	enum kprobe_reason reason = KPROBE_REASON_NONE;

	lockdep_assert_held(&kprobe_mutex);
	if (kprobe_detour_is_current(point) && !point->detour->alone)
		return KPROBE_REASON_NONE;
	if (!region->nr) {
		reason = kprobe_plan_region(kprobe_point_isa(point), region, (u8 *)point->insn,
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
 * Gives a point a detour that its breakpoint can lead to, if there can be one. The caller must then
 * choose the route and call kprobe_detour_retire_replaced().
 */
void kprobe_detour_for_breakpoint(struct kprobe_point *point)
{
	struct kprobe_region region;
	struct kprobe_insn insn;

	lockdep_assert_held(&kprobe_mutex);
	if (kprobe_detour_is_current(point) && leads_to_detour(point))
		return;
	/* A task that sleeps in the fault of a copy has left the detour for Tasks RCU. */
	if (arch_kprobe_refuses_detours() || point->has_fixup || point->no_stub)
		return;
	kprobe_point_plan(point, &insn);
	if (kprobe_region_of_one(arch_kprobe_isa, &region, &insn, (u8 *)point->insn,
				 sizeof(point->insn), point->site))
		return;
	/* If the jump back needs a register, the trap is faster than such a stub. */
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

/* Frees the previous detour after a Tasks RCU grace period. No jump or route leads there. */
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
 * function's entry the handlers must not run in the trap until the optimizer comes.
 */
void kprobe_detour_leave_region(struct kprobe_point *point)
{
	if (point->mechanism != KPROBE_JUMP && kprobe_point_in_text(point) &&
	    kprobe_point_skips_nop(point) && point->not_jump == KPROBE_REASON_NEIGHBOUR)
		kprobe_detour_for_breakpoint(point);
	update_route(point);
}

/* Makes the detour before a breakpoint arms a point at a function's entry, see above. */
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
