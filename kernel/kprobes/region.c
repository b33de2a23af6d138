// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Plans and copies regions: the whole instructions that a jump at a probe's site replaces.
 * Pure functions on byte buffers.
 */
#include <linux/kernel.h>
#include <linux/kprobe_isa.h>

static bool is_call(const struct kprobe_insn *insn)
{
	return insn->flow == KPROBE_FLOW_CALL || insn->flow == KPROBE_FLOW_CALL_INDIRECT;
}

/* Why an instruction cannot be in a region, whatever else is in it. */
static enum kprobe_reason judge(enum kprobe_reason refused, const struct kprobe_insn *insn)
{
	if (refused == KPROBE_REASON_UNDECODABLE)
		return KPROBE_REASON_FUNCTION_UNDECODABLE;
	/* It may depend on what follows it in the text, or on being executed with others. */
	if (refused || insn->may_skip || insn->ends_in_trap || insn->exclusive ||
	    (insn->bundle && insn->flow == KPROBE_FLOW_NEXT))
		return KPROBE_REASON_NOT_DISPLACED;
	if (insn->no_copy)
		return is_call(insn) ? KPROBE_REASON_CALL : KPROBE_REASON_NOT_DISPLACED;
	return KPROBE_REASON_NONE;
}

/* The same of an instruction in a delay slot. */
static enum kprobe_reason judge_slot(enum kprobe_reason refused, const struct kprobe_insn *insn)
{
	enum kprobe_reason reason = judge(refused, insn);

	return reason || insn->flow == KPROBE_FLOW_NEXT ? reason : KPROBE_REASON_NOT_DISPLACED;
}

/*
 * Finds the region of a jump to @addr, whose original bytes are at @text. @avail bytes are there up
 * to the function's end: the first bytes of the next function must stay. Fills in @region, except
 * for registers that jumps need, or returns why the region cannot be displaced.
 *
 * After an unconditional jump or a return the region may have anything that decodes, mostly
 * padding. It is executed only if a branch leads there, which kprobe_scan_region() refuses.
 */
enum kprobe_reason kprobe_plan_region(const struct kprobe_isa *isa,
				      struct kprobe_region *region, const u8 *text,
				      size_t avail, unsigned long addr)
{
	struct kprobe_insn *last = NULL, *insn, other;
	enum kprobe_reason reason;
	unsigned int slots = 0;		/* delay slots of @last that come next */
	bool ended;

	/* The plans are large and not cleared. */
	region->len = 0;
	region->nr = 0;
	region->from[0] = 0;
	region->scratch = 0;
	while (region->len < isa->jump_size || slots) {
		ended = !slots && last && kprobe_insn_ends_flow(last);
		insn = &other;
		if (!slots && !ended) {
			/* The call would return into the jump. */
			if (last && is_call(last))
				return KPROBE_REASON_CALL;
			if (region->nr == KPROBE_REGION_INSNS)
				return KPROBE_REASON_NOT_DISPLACED;
			insn = &region->insn[region->nr];
		}
		if (region->len >= avail)
			return KPROBE_REASON_FUNCTION_ENDS;
		reason = isa->plan(insn, text + region->len, avail - region->len,
				   addr + region->len);
		if (ended) {
			if (!insn->len)
				return KPROBE_REASON_FUNCTION_UNDECODABLE;
			region->len += insn->len;
			continue;
		}
		reason = slots ? judge_slot(reason, insn) : judge(reason, insn);
		if (reason)
			return reason;
		region->len += insn->len;
		if (slots) {
			slots--;
		} else {
			last = insn;
			slots = insn->bundle;
			region->nr++;
		}
		region->from[region->nr] = region->len;
	}
	return KPROBE_REASON_NONE;
}

/*
 * Makes a region of a single instruction, whose bytes are at @text, with what is in its delay
 * slots. It may be shorter than a jump: only a breakpoint leads to its detour. @region->insn may
 * have the plan.
 */
enum kprobe_reason kprobe_region_of_one(const struct kprobe_isa *isa,
					struct kprobe_region *region,
					const struct kprobe_insn *insn, const u8 *text,
					size_t avail, unsigned long addr)
{
	enum kprobe_reason reason = judge(KPROBE_REASON_NONE, insn);
	struct kprobe_insn slot = {};
	unsigned int i;

	region->len = insn->len;
	region->nr = 1;
	region->scratch = 0;
	region->insn[0] = *insn;
	region->from[0] = 0;
	for (i = 0; !reason && i < insn->bundle; i++) {
		reason = region->len < avail ?
			 judge_slot(isa->plan(&slot, text + region->len, avail - region->len,
					      addr + region->len), &slot) :
			 KPROBE_REASON_FUNCTION_ENDS;
		region->len += slot.len;
	}
	region->from[1] = region->len;
	return reason;
}

/* Sets the register, as a bit, that jumps and branches may use. */
void kprobe_region_set_scratch(struct kprobe_region *region, u32 scratch)
{
	struct kprobe_insn *insn;

	region->scratch = scratch;
	for (insn = region->insn; insn < region->insn + region->nr; insn++)
		if (insn->flow == KPROBE_FLOW_JUMP || insn->flow == KPROBE_FLOW_COND)
			insn->dead = scratch;
}

/*
 * Does the region's copy need a jump back? Not after a call: that returns to the original text, so
 * no task sleeps in a called function with an address of the copy on its stack.
 */
bool kprobe_region_goes_on(const struct kprobe_region *region)
{
	const struct kprobe_insn *last = &region->insn[region->nr - 1];

	return !kprobe_insn_ends_flow(last) && !is_call(last);
}

/*
 * Writes a copy of the region at @addr, whose bytes are at @text, from the instruction @first on,
 * and a jump to the region's end unless execution does not continue there. Sets @at, from @first
 * on, to the offset in @code of each instruction's copy, and of what follows the last one.
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
