// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Displaced instructions: what a hit executes instead of the instruction at a point's site.
 *
 * The architecture's plan tells whether a copy of the instruction runs in a slot or a hit
 * emulates the instruction. kprobe_displace() makes both ready for a new point, before it can
 * be armed. Everything here runs under kprobe_mutex. There are two kinds of slots:
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
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/slab.h>

#include "displaced.h"
#include "examine.h"
#include "function.h"
#include "point.h"
#include "reserved.h"
#include "site.h"
#include "slot.h"

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
	point->plain = insn->plain;
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

/* Checks whether the instruction belongs to another one, or is data that another one reads. */
static enum kprobe_reason scan(const struct kprobe_point *point,
			       struct kprobe_lookup *lookup)
{
	const struct kprobe_text text = {
		.read = kprobe_read_insn,
		.find = kprobe_lookup_function,
		.lookup = lookup,
	};

	if (!arch_kprobe_isa->joins)
		return KPROBE_REASON_NONE;
	guard(mutex)(&text_mutex);
	return kprobe_scan_site(arch_kprobe_isa, &text, point->site);
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
	enum kprobe_reason reason = plan(point, &insn) ?: scan(point, lookup);

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
