// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Regions: a region is the whole instructions from a probe's site on that a jump there replaces.
 * Plans regions, and writes copies of them.
 *
 * The functions here work on byte buffers, do not read text and keep no state. They use
 * an instruction set by its struct kprobe_isa.
 */
#include <linux/kernel.h>
#include <linux/kprobe_isa.h>

static bool is_call(const struct kprobe_insn *insn)
{
	return insn->flow == KPROBE_FLOW_CALL || insn->flow == KPROBE_FLOW_CALL_INDIRECT;
}

/*
 * Does the instruction depend on what follows it in the text, or on being executed
 * together with others? Then it cannot be copied.
 */
static bool is_tied(const struct kprobe_insn *insn)
{
	return insn->may_skip || insn->ends_in_trap || insn->exclusive ||
	       (insn->bundle && insn->flow == KPROBE_FLOW_NEXT);
}

/* Why an instruction cannot be in a region, whatever else is in it. */
static enum kprobe_reason judge(enum kprobe_reason refused,
				const struct kprobe_insn *insn)
{
	if (refused == KPROBE_REASON_UNDECODABLE)
		return KPROBE_REASON_FUNCTION_UNDECODABLE;
	if (refused || is_tied(insn))
		return KPROBE_REASON_NOT_DISPLACED;
	if (insn->no_copy)
		return is_call(insn) ? KPROBE_REASON_CALL : KPROBE_REASON_NOT_DISPLACED;
	return KPROBE_REASON_NONE;
}

/**
 * struct cursor - a region being planned
 * @isa:   the instruction set
 * @text:  bytes from the region's start on
 * @avail: how many there are
 * @addr:  the region's start
 */
struct cursor {
	const struct kprobe_isa *isa;
	const u8 *text;
	size_t avail;
	unsigned long addr;
};

static enum kprobe_reason plan_at(const struct cursor *c, unsigned int offset,
				  struct kprobe_insn *insn)
{
	if (offset >= c->avail) {
		*insn = (struct kprobe_insn){};
		return KPROBE_REASON_FUNCTION_ENDS;
	}
	return c->isa->plan(insn, c->text + offset, c->avail - offset, c->addr + offset);
}

/* Adds the instructions in a branch's delay slots, which must not be branches. */
static enum kprobe_reason add_delay_slots(const struct cursor *c,
					  struct kprobe_region *region, u8 nr)
{
	enum kprobe_reason reason;
	struct kprobe_insn insn;

	while (nr--) {
		reason = plan_at(c, region->len, &insn);
		if (reason == KPROBE_REASON_FUNCTION_ENDS)
			return reason;
		reason = judge(reason, &insn);
		if (reason)
			return reason;
		if (insn.flow != KPROBE_FLOW_NEXT)
			return KPROBE_REASON_NOT_DISPLACED;
		region->len += insn.len;
	}
	return KPROBE_REASON_NONE;
}

static enum kprobe_reason add_insn(const struct cursor *c, struct kprobe_region *region)
{
	struct kprobe_insn *insn = &region->insn[region->nr];
	enum kprobe_reason reason;

	reason = plan_at(c, region->len, insn);
	if (reason != KPROBE_REASON_FUNCTION_ENDS)
		reason = judge(reason, insn);
	if (reason)
		return reason;
	region->len += insn->len;
	reason = add_delay_slots(c, region, insn->bundle);
	region->from[++region->nr] = region->len;
	return reason;
}

/* Adds an instruction after the end of flow. It is not executed, so it needs no plan. */
static enum kprobe_reason skip_insn(const struct cursor *c, struct kprobe_region *region)
{
	struct kprobe_insn insn;

	if (plan_at(c, region->len, &insn) == KPROBE_REASON_FUNCTION_ENDS)
		return KPROBE_REASON_FUNCTION_ENDS;
	region->len += insn.len;
	return insn.len ? KPROBE_REASON_NONE : KPROBE_REASON_FUNCTION_UNDECODABLE;
}

static enum kprobe_reason grow(const struct cursor *c, struct kprobe_region *region)
{
	const struct kprobe_insn *last = region->nr ? &region->insn[region->nr - 1] : NULL;

	if (last && kprobe_insn_ends_flow(last))
		return skip_insn(c, region);
	/* The call would return into the jump. */
	if (last && is_call(last))
		return KPROBE_REASON_CALL;
	if (region->nr == KPROBE_REGION_INSNS)
		return KPROBE_REASON_NOT_DISPLACED;
	return add_insn(c, region);
}

/**
 * kprobe_plan_region() - find the region of a jump and check whether it can be displaced
 * @isa:    the instruction set
 * @region: filled in on success, except for registers that jumps need
 * @text:   original bytes from the site on
 * @avail:  how many there are up to the function's end; a jump and two instructions are
 *          enough
 * @addr:   the site
 *
 * After an unconditional jump or a return the region may have anything that decodes, mostly
 * padding. Such bytes are executed only if a branch leads there, and kprobe_scan_region()
 * refuses regions that branches lead into. They must belong to the function: the first bytes
 * of the next function must stay.
 *
 * Context: Any.
 * Return: %KPROBE_REASON_NONE, %KPROBE_REASON_FUNCTION_ENDS,
 * %KPROBE_REASON_FUNCTION_UNDECODABLE, %KPROBE_REASON_NOT_DISPLACED, or
 * %KPROBE_REASON_CALL for a call that would return into the region.
 */
enum kprobe_reason kprobe_plan_region(const struct kprobe_isa *isa,
				      struct kprobe_region *region, const u8 *text,
				      size_t avail, unsigned long addr)
{
	const struct cursor c = { .isa = isa, .text = text, .avail = avail, .addr = addr };
	enum kprobe_reason reason = KPROBE_REASON_NONE;

	/* @region's plans are large and not cleared: add_insn() writes each. */
	region->len = 0;
	region->nr = 0;
	region->from[0] = 0;
	region->scratch = 0;
	while (!reason && region->len < isa->jump_size)
		reason = grow(&c, region);
	return reason;
}

/**
 * kprobe_region_of_one() - make a region of a single instruction
 * @region: filled in
 * @insn:   the plan for the instruction
 *
 * The region may be shorter than a jump. Only a breakpoint leads to its detour then.
 *
 * Context: Any.
 * Return: %KPROBE_REASON_NONE, %KPROBE_REASON_NOT_DISPLACED, or
 * %KPROBE_REASON_CALL for a call that cannot be copied.
 */
enum kprobe_reason kprobe_region_of_one(struct kprobe_region *region,
					const struct kprobe_insn *insn)
{
	region->len = insn->len;
	region->nr = 1;
	region->scratch = 0;
	region->insn[0] = *insn;
	region->from[0] = 0;
	region->from[1] = insn->len;
	return insn->bundle ? KPROBE_REASON_NOT_DISPLACED :
			      judge(KPROBE_REASON_NONE, insn);
}

/**
 * kprobe_region_set_scratch() - set the register that jumps and branches may use
 * @region:  the region
 * @scratch: the register, as a bit
 *
 * Context: Any.
 */
void kprobe_region_set_scratch(struct kprobe_region *region, u32 scratch)
{
	struct kprobe_insn *insn;

	region->scratch = scratch;
	for (insn = region->insn; insn < region->insn + region->nr; insn++)
		if (insn->flow == KPROBE_FLOW_JUMP || insn->flow == KPROBE_FLOW_COND)
			insn->dead = scratch;
}

/**
 * kprobe_region_goes_on() - check whether execution continues after a region
 * @region: the region
 *
 * Context: Any.
 * Return: True if its copy needs a jump back. A call at the end needs none: its return
 * address is in the original text.
 */
bool kprobe_region_goes_on(const struct kprobe_region *region)
{
	const struct kprobe_insn *last = &region->insn[region->nr - 1];

	return !kprobe_insn_ends_flow(last) && !is_call(last);
}

/**
 * kprobe_emit_region() - write a copy of a region
 * @isa:    the instruction set
 * @code:   appended to; its @far is set if a target or operand is out of reach
 * @region: the plan for the region
 * @first:  index of the instruction to begin with; @region->nr for none
 * @text:   the region's bytes
 * @addr:   the region's address
 * @at:     room for @region->nr + 1 offsets: from @first on, set to the offset in @code
 *          of each instruction's copy, and of what follows the last one
 *
 * After the last instruction comes a jump to the region's end, unless execution does not
 * continue there. A call returns to the original text, so no task sleeps in a called
 * function with an address of the copy on its stack.
 *
 * Context: Any.
 */
void kprobe_emit_region(const struct kprobe_isa *isa, struct kprobe_code *code,
			const struct kprobe_region *region, unsigned int first,
			const u8 *text, unsigned long addr, u16 *at)
{
	unsigned int i;

	for (i = first; i < region->nr; i++) {
		at[i] = code->len;
		isa->emit(code, &region->insn[i], text + region->from[i],
			  addr + region->from[i]);
	}
	at[i] = code->len;
	if (kprobe_region_goes_on(region))
		isa->jump(code, addr + region->len, region->scratch);
}
