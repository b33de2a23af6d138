// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The region: the whole instructions from a probe's site on that a jump there replaces.
 * Chooses them, and writes them elsewhere.
 *
 * The functions here work on byte buffers, do not read text and keep nothing. They know
 * instruction sets as struct kprobe_isa.
 */
#include <linux/kernel.h>
#include <linux/kprobe_isa.h>

static bool ends_flow(const struct kprobe_insn *insn)
{
	return insn->flow == KPROBE_FLOW_JUMP || insn->flow == KPROBE_FLOW_RETURN ||
	       insn->flow == KPROBE_FLOW_JUMP_INDIRECT;
}

static bool is_call(const struct kprobe_insn *insn)
{
	return insn->flow == KPROBE_FLOW_CALL || insn->flow == KPROBE_FLOW_CALL_INDIRECT;
}

/* What must be followed by the very instruction, or by nothing but itself. */
static bool is_tied(const struct kprobe_insn *insn)
{
	return insn->may_skip || insn->ends_in_trap || insn->exclusive ||
	       (insn->bundle && insn->flow == KPROBE_FLOW_NEXT);
}

/* What is known of an instruction, and of nothing else, as a reason. */
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

/* What is executed before the branch is taken: nothing that goes elsewhere. */
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

/* Nobody executes it, so it only has to be whole. */
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
	const struct kprobe_insn *last = &region->insn[region->nr - 1];

	if (region->nr && ends_flow(last))
		return skip_insn(c, region);
	/* It would return into the jump. */
	if (region->nr && is_call(last))
		return KPROBE_REASON_CALL;
	if (region->nr == KPROBE_REGION_INSNS)
		return KPROBE_REASON_NOT_DISPLACED;
	return add_insn(c, region);
}

/**
 * kprobe_plan_region() - find the region and see if it can be displaced
 * @isa:    the instruction set
 * @region: filled in on success, but for registers that jumps need
 * @text:   bytes from the site on, without any breakpoint of ours
 * @avail:  how many there are up to the function's end; of more than a jump and
 *          two instructions, no more are looked at
 * @addr:   the site
 *
 * What stands after an unconditional jump or a return can be anything that
 * decodes, padding mostly: it cannot be executed unless something jumps there,
 * and that keeps a jump out of any region. It still has to be the function's
 * own: the next one's first bytes must stay.
 *
 * Context: Any.
 * Return: %KPROBE_REASON_NONE, %KPROBE_REASON_FUNCTION_ENDS,
 * %KPROBE_REASON_FUNCTION_UNDECODABLE, %KPROBE_REASON_NOT_DISPLACED,
 * %KPROBE_REASON_LANDING_PAD, or %KPROBE_REASON_CALL for a call that would return
 * into the region.
 */
enum kprobe_reason kprobe_plan_region(const struct kprobe_isa *isa,
				      struct kprobe_region *region, const u8 *text,
				      size_t avail, unsigned long addr)
{
	const struct cursor c = { .isa = isa, .text = text, .avail = avail, .addr = addr };
	enum kprobe_reason reason = KPROBE_REASON_NONE;

	*region = (struct kprobe_region){};
	while (!reason && region->len < isa->jump_size)
		reason = grow(&c, region);
	if (!reason && region->insn[0].no_jump)
		return KPROBE_REASON_LANDING_PAD;
	return reason;
}
NOKPROBE_SYMBOL(kprobe_plan_region);

/**
 * kprobe_region_of_one() - a region that is one instruction
 * @region: filled in
 * @insn:   the plan for the instruction
 *
 * Shorter than a jump it may be: a breakpoint leads to its copy.
 *
 * Context: Any.
 * Return: %KPROBE_REASON_NONE, %KPROBE_REASON_NOT_DISPLACED, or
 * %KPROBE_REASON_CALL for a call of which there is no copy.
 */
enum kprobe_reason kprobe_region_of_one(struct kprobe_region *region,
					const struct kprobe_insn *insn)
{
	*region = (struct kprobe_region){ .len = insn->len, .nr = 1 };
	region->insn[0] = *insn;
	region->from[1] = insn->len;
	return insn->bundle ? KPROBE_REASON_NOT_DISPLACED :
			      judge(KPROBE_REASON_NONE, insn);
}
NOKPROBE_SYMBOL(kprobe_region_of_one);

/**
 * kprobe_region_set_scratch() - tell which register jumps may use
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
NOKPROBE_SYMBOL(kprobe_region_set_scratch);

/**
 * kprobe_region_goes_on() - does flow come to a region's end?
 * @region: the region
 *
 * Context: Any.
 * Return: True when its copy needs a jump back. A call's way back is the address
 * that it tells whom it calls.
 */
bool kprobe_region_goes_on(const struct kprobe_region *region)
{
	const struct kprobe_insn *last = &region->insn[region->nr - 1];

	return !ends_flow(last) && !is_call(last);
}
NOKPROBE_SYMBOL(kprobe_region_goes_on);

/**
 * kprobe_emit_region() - write a region as it must stand elsewhere
 * @isa:    the instruction set
 * @code:   what it is appended to; its @far is set when something is out of reach
 * @region: the plan for it
 * @first:  which instruction to begin with; @region->nr for none
 * @text:   the region's bytes
 * @addr:   the address that they are for
 * @at:     room for @region->nr + 1 offsets: from @first on set to where in @code
 *          the copy of each instruction begins, and what follows the last one
 *
 * After the last instruction comes a jump to the region's end, unless flow does not
 * get there. Whoever is called returns to the original text, so nobody sleeps
 * with an address of the copy on the stack.
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
NOKPROBE_SYMBOL(kprobe_emit_region);
