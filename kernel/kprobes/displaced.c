// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Displaced instructions: what a hit executes instead of the text that the breakpoint
 * has taken the place of.
 *
 * The architecture's plan tells whether a copy runs or the instruction is emulated. A
 * copy is in a slot, of which there are two kinds:
 *
 *	instruction		instruction
 *	jump back		call of kprobe_post_trampoline, for the post-handlers
 *				jump back
 *
 * Where a jump back needs a register, and none can be spared, kprobe_isa.back() takes the
 * place of the jump. Where the architecture has no such code, both kinds are the
 * instruction and a breakpoint, and the hit of that goes on for them: see hit.c.
 *
 * Where an instruction is emulated that reads memory, the slot is for when that fails:
 *
 *	read of the operand, which faults
 *	breakpoint
 *
 * The fault may be repaired, or the memory be back already: then the hit of the breakpoint
 * does the rest of the emulation. A copy of the instruction would do it without
 * post-handlers, and leave the slot's address as that which a call returns to.
 *
 * A copy runs with the flags, interrupts and preemption that the probed code has.
 * Nothing is single-stepped, so nothing has to be remembered between a hit and its
 * instruction: it may be interrupted, preempted, and hit again.
 */
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/slab.h>

#include "displaced.h"
#include "examine.h"
#include "function.h"
#include "livepatch.h"
#include "point.h"
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

/* A trap may tell the address after the breakpoint. This has to be in the slot as well. */
static enum kprobe_reason emit_read(void *arg, struct kprobe_code *code)
{
	const struct copy *copy = arg;
	const struct kprobe_isa *isa = arch_kprobe_isa;

	isa->read(code, copy->insn, (u8 *)copy->point->insn, copy->point->site);
	isa->breakpoint(code, copy->insn);
	isa->breakpoint(code, copy->insn);
	return code->far ? KPROBE_REASON_FAR_OPERAND : KPROBE_REASON_NONE;
}

static enum kprobe_reason make_slot(struct kprobe_point *point, const struct kprobe_insn *insn,
				    void **slot, bool post)
{
	struct copy copy = { .point = point, .insn = insn, .post = post };

	return kprobe_slot_make(slot, (unsigned long)point,
				point->emulated ? emit_read : emit_copy, &copy);
}

/* What hits need of a plan. */
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

static enum kprobe_reason plan(struct kprobe_point *point, struct kprobe_insn *insn,
			       const struct kprobe_lookup *lookup)
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
	if (!reason && kprobe_is_relocated_late(kprobe_lookup_module(lookup, point->site),
						point->site, point->site + insn->len))
		return KPROBE_REASON_RESERVED;
	return reason ?: remember(point, insn);
}

/* What the instruction's neighbours say. */
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

/* Finds the register that the jump after the copy needs. Without one, a trap ends it. */
static void find_scratch(struct kprobe_point *point, struct kprobe_insn *insn,
			 struct kprobe_lookup *lookup)
{
	if (!arch_kprobe_isa->scratch || point->emulated)
		return;
	insn->dead = kprobe_examine_scratch(lookup, point->site + point->len);
	point->dead = fls(insn->dead);
}

/* Where the slot of a new point is noted. */
static void **slot_of(struct kprobe_point *point)
{
	if (!point->emulated)
		return &point->text.run;
	return &container_of(point->emulated, struct kprobe_emulation, insn)->slot;
}

/**
 * kprobe_displace() - plan how a point's instruction is displaced
 * @point:  new point with @addr and @site set
 * @lookup: earlier lookups under the same hold of kprobe_mutex
 *
 * Reads the instruction, fills in @insn and what follows from the plan for it, and makes
 * a slot where one is needed.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: %KPROBE_REASON_NONE, %KPROBE_REASON_NO_MEMORY, or why the instruction cannot
 * be probed.
 */
enum kprobe_reason kprobe_displace(struct kprobe_point *point, struct kprobe_lookup *lookup)
{
	struct kprobe_insn insn;
	enum kprobe_reason reason = plan(point, &insn, lookup) ?: scan(point, lookup);

	if (!reason)
		find_scratch(point, &insn, lookup);
	if (reason || (point->emulated && !insn.may_fault))
		return reason;
	return make_slot(point, &insn, slot_of(point), false);
}

/**
 * kprobe_displace_post() - make a displaced instruction ready for post-handlers
 * @point: prepared point; hits may be under way
 * @slot:  set to a copy of the instruction with a call of the post-handlers after it, if
 *         one is needed and not there yet; else not changed
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: %KPROBE_REASON_NONE or %KPROBE_REASON_NO_MEMORY.
 */
enum kprobe_reason kprobe_displace_post(struct kprobe_point *point, void **slot)
{
	struct kprobe_insn insn;

	/* At a function's entry, post-handlers come before the displaced one. */
	if (point->emulated || point->text.run_post || kprobe_point_skips_nop(point))
		return KPROBE_REASON_NONE;
	kprobe_point_plan(point, &insn);
	return make_slot(point, &insn, slot, true);
}
