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
 * Where no jump that needs no register gets back to the text, both kinds are the
 * instruction and a breakpoint, and the hit of that goes on for them: see hit.c.
 *
 * A copy runs with the flags, interrupts and preemption that the probed code has.
 * Nothing is single-stepped, so nothing has to be remembered between a hit and its
 * instruction: it may be interrupted, preempted, and hit again.
 */
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/memory.h>

#include "displaced.h"
#include "examine.h"
#include "function.h"
#include "site.h"
#include "slot.h"

static void emit_way_back(struct kprobe_code *code, struct kprobe_point *point, bool post)
{
	const struct kprobe_isa *isa = arch_kprobe_isa;

	if (post) {
		isa->enter(code, (unsigned long)kprobe_post_trampoline);
		isa->leave(code);
	}
	isa->jump(code, point->site + point->len, point->plan.dead);
}

static bool fill_slot(struct kprobe_point *point, void *slot, bool post)
{
	u8 buf[KPROBE_SLOT_SIZE];
	struct kprobe_code code = {
		.buf = buf, .size = sizeof(buf), .base = (unsigned long)slot,
	};
	unsigned int len;

	arch_kprobe_isa->emit(&code, &point->plan, (u8 *)point->insn, point->site);
	if (code.far)
		return false;
	len = code.len;
	if (!point->plan.ends_in_trap)
		emit_way_back(&code, point, post);
	if (code.far || point->plan.ends_in_trap) {
		code.len = len;
		arch_kprobe_isa->breakpoint(&code, &point->plan);
		point->plan.ends_in_trap = true;
	}
	if (WARN_ON_ONCE(code.len > code.size))
		return false;
	kprobe_slot_write(slot, buf, code.len);
	return true;
}

static enum kprobe_reason make_slot(struct kprobe_point *point, void **slot, bool post)
{
	*slot = kprobe_slot_alloc(point);
	if (!*slot)
		return KPROBE_REASON_NO_MEMORY;
	if (!fill_slot(point, *slot, post)) {
		kprobe_slot_free(*slot);
		*slot = NULL;
		return KPROBE_REASON_FAR_OPERAND;
	}
	return KPROBE_REASON_NONE;
}

static enum kprobe_reason plan(struct kprobe_point *point)
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
	reason = arch_kprobe_isa->plan(&point->plan, (u8 *)point->insn, avail, point->site);
	point->len = point->plan.len;
	point->emulated = point->plan.action != KPROBE_RUN;
	return reason;
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
static void find_scratch(struct kprobe_point *point, struct kprobe_lookup *lookup)
{
	if (arch_kprobe_isa->scratch && !point->emulated)
		point->plan.dead = kprobe_examine_scratch(lookup, point->site + point->len);
}

/**
 * kprobe_displace() - plan how a point's instruction is displaced
 * @point:  new point with @addr and @site set
 * @lookup: earlier lookups under the same hold of kprobe_mutex
 *
 * Reads the instruction, fills in @insn, @plan, @len and @emulated, and makes @slot
 * where one is needed.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: %KPROBE_REASON_NONE, %KPROBE_REASON_NO_MEMORY, or why the instruction cannot
 * be probed.
 */
enum kprobe_reason kprobe_displace(struct kprobe_point *point, struct kprobe_lookup *lookup)
{
	enum kprobe_reason reason = plan(point) ?: scan(point, lookup);

	if (!reason)
		find_scratch(point, lookup);
	if (!reason && (!point->emulated || point->plan.may_run))
		reason = make_slot(point, &point->slot, false);
	return reason;
}
NOKPROBE_SYMBOL(kprobe_displace);

/**
 * kprobe_displace_post() - make a displaced instruction ready for post-handlers
 * @point: prepared point; hits may be under way
 *
 * Makes @post_slot where one is needed and not there yet.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: %KPROBE_REASON_NONE or %KPROBE_REASON_NO_MEMORY.
 */
enum kprobe_reason kprobe_displace_post(struct kprobe_point *point)
{
	/* At a function's entry, post-handlers come before the displaced one. */
	if (point->emulated || point->post_slot || kprobe_point_skips_nop(point))
		return KPROBE_REASON_NONE;
	return make_slot(point, &point->post_slot, true);
}
NOKPROBE_SYMBOL(kprobe_displace_post);
