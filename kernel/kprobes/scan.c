// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds out whether a site may have a probe, and whether a jump may replace the instructions there,
 * on any architecture. address.c asks that.
 *
 * The jump covers several instructions. No branch may lead to any but the first of them,
 * and nothing may read them: survey.c marks that.
 *
 * The functions here depend on their arguments alone and keep no state. They use an
 * instruction set by its struct kprobe_isa, and text by struct kprobe_text.
 */
#include <linux/align.h>
#include <linux/kernel.h>
#include <linux/sizes.h>

#include "survey.h"

/* No function is larger. The last symbol of a section may seem to be. */
#define FUNCTION_MAX	SZ_128K

/* The last address up to @addr that has a mark; @before if there are no marks for it. */
static unsigned long last_marked(const struct kprobe_scan *scan, unsigned long addr, u8 mark,
				 unsigned long before)
{
	for (; addr >= scan->base; addr--)
		if (scan->marks[addr - scan->base] & mark)
			return addr;
	return before;
}

/*
 * Is the site in data of unknown size, which instructions only take the address of? Such data
 * begins at the address taken, behind an instruction that execution does not go on from. It ends
 * where a branch leads to code, at @landed.
 */
static bool is_in_data(struct kprobe_survey *s, unsigned long site, unsigned long landed)
{
	unsigned long taken = last_marked(&s->scan, site, KPROBE_MARK_TAKEN, s->scan.taken);
	struct kprobe_insn insn;
	unsigned long addr;

	for (addr = landed; addr < taken; addr += insn.len) {
		kprobe_survey_plan(s, &insn, addr, s->function.end);
		if (!insn.len)
			return false;
		if (kprobe_insn_ends_flow(&insn))
			return true;
	}
	return false;
}

/*
 * Is the site in a literal that another function loads? That is searched for only if no instruction
 * leads to the site, or if execution seems to go on after the end of the function around it, as it
 * does if a literal has a symbol of its own. Nearly all text is neither. On arm64 nearly every
 * function seems to go on, to the pointer that ftrace has in front of the next one. A compiler's
 * function has no literals of others.
 */
static bool is_literal(struct kprobe_survey *s, unsigned long site, unsigned long landed)
{
	if (!s->open &&
	    last_marked(&s->scan, site, KPROBE_MARK_ENDED, s->scan.ended) <= landed)
		return false;
	return !s->text->is_compiled(&s->function) &&
	       kprobe_survey_around(s, site, site + 1) & KPROBE_MARK_READ;
}

/*
 * Does the function around a site permit a probe there? kprobe_isa.plan() decides on the
 * instruction itself.
 */
enum kprobe_reason kprobe_scan_site(struct kprobe_survey *s, unsigned long site)
{
	struct kprobe_function f;
	unsigned long landed;
	u8 marks;

	if (s->isa->glance)
		return KPROBE_REASON_NONE;
	if (!s->text->find(s->text->lookup, site, &f))
		return KPROBE_REASON_NO_TEXT;
	kprobe_survey_function(s, &f, site, site + 1);
	marks = kprobe_scan_marks(&s->scan, site, site + 1);
	landed = last_marked(&s->scan, site, KPROBE_MARK_LANDED, s->scan.landed);
	if (marks & KPROBE_MARK_READ || is_in_data(s, site, landed))
		return KPROBE_REASON_DATA;
	if (!(marks & KPROBE_MARK_BEGINS))
		return KPROBE_REASON_INSIDE;
	if (marks & KPROBE_MARK_SLOT && !s->isa->within)
		return KPROBE_REASON_DELAY_SLOT;
	if (marks & KPROBE_MARK_EXCLUSIVE)
		return KPROBE_REASON_EXCLUSIVE;
	return is_literal(s, site, landed) ? KPROBE_REASON_DATA : KPROBE_REASON_NONE;
}

/*
 * The state of the block that the instruction at a site is in, see kprobe_isa.within(); 0 if it is
 * in none. kprobe_scan_site() permits a probe there.
 */
u8 kprobe_scan_block(struct kprobe_survey *s, unsigned long site)
{
	unsigned long addr = site, in = site;
	struct kprobe_insn insn;
	u8 block = 0;

	if (!s->isa->within || !(kprobe_scan_marks(&s->scan, site, site + 1) & KPROBE_MARK_SLOT))
		return 0;
	/* The block begins with the last instruction in front that is not in it. */
	while (kprobe_scan_marks(&s->scan, in, in + 1) & KPROBE_MARK_SLOT) {
		if (addr == s->scan.base)
			return 0;
		addr -= s->isa->align;
		if (kprobe_scan_marks(&s->scan, addr, addr + 1) & KPROBE_MARK_BEGINS)
			in = addr;
	}
	for (; in < site; in += insn.len) {
		kprobe_survey_plan(s, &insn, in, s->function.end);
		if (block)
			s->isa->within(&insn, s->window + (in - s->addr), block);
		block = insn.block;
	}
	return block;
}

/*
 * If every target of an indirect jump has a landing pad (kprobe_isa.pads), a region
 * without one is not a target. Else the targets of an indirect jump are unknown.
 */
static enum kprobe_reason judge_landings(const struct kprobe_scan *scan, unsigned long site,
					 unsigned long from, unsigned long to)
{
	if (kprobe_scan_marks(scan, from, to) & KPROBE_MARK_LANDED)
		return KPROBE_REASON_JUMPED_INTO;
	if (scan->isa->within && kprobe_scan_marks(scan, site, to) & KPROBE_MARK_SLOT)
		return KPROBE_REASON_JOINED;
	if (scan->indirect && !scan->isa->pads)
		return KPROBE_REASON_INDIRECT_JUMP;
	if (kprobe_scan_marks(scan, site, to) & KPROBE_MARK_READ)
		return KPROBE_REASON_DATA;
	/* A region may reach into data behind an instruction that execution does not go on from. */
	if (kprobe_scan_marks(scan, site + 1, to) & KPROBE_MARK_TAKEN)
		return KPROBE_REASON_DATA;
	/* The instruction in front may skip the jump's first instruction, but not the others. */
	if (kprobe_scan_marks(scan, site, site + 1) & KPROBE_MARK_SKIPPED &&
	    scan->isa->jump_insns > 1)
		return KPROBE_REASON_JOINED;
	return scan->state ? KPROBE_REASON_DIRECTION : KPROBE_REASON_NONE;
}

/*
 * If the jump covers a single instruction, no branch can lead inside, and the search is left out
 * unless something else depends on it. kprobe_scan_site() has checked before whether the function
 * reads the instruction.
 */
static bool needs_search(const struct kprobe_isa *isa, unsigned long from, unsigned long to)
{
	return !isa->stateless || isa->scratch || ALIGN(from, isa->align) < to;
}

/*
 * Chooses a register whose value nobody needs in a region. It must be dead before each instruction
 * of the region, as copies of branches and the jump back use it.
 */
static enum kprobe_reason choose_scratch(struct kprobe_survey *s, struct kprobe_region *region,
					 unsigned long site)
{
	unsigned int i, nr = region->nr + kprobe_region_goes_on(region);
	u32 dead = s->isa->scratch;

	if (!dead)
		return KPROBE_REASON_NONE;
	for (i = 0; dead && i < nr; i++)
		dead &= kprobe_free_scratch(s, &s->function, site + region->from[i]);
	kprobe_region_set_scratch(region, dead & -dead);
	return dead ? KPROBE_REASON_NONE : KPROBE_REASON_SCRATCH;
}

/*
 * Is the instruction in front of @site one that another subsystem patches, and does it go on to
 * @site? Then no function starts at @site. Symbols do not tell: a module may have been stripped.
 */
static bool follows_patched(struct kprobe_survey *s, const struct kprobe_function *function,
			    unsigned long site, unsigned int len)
{
	unsigned long front = site - len;
	struct kprobe_insn insn;

	if (front < function->start || !s->text->reserved(s->text, front, site))
		return false;
	return !kprobe_survey_plan(s, &insn, front, function->end) &&
	       !kprobe_insn_ends_flow(&insn) &&
	       insn.flow != KPROBE_FLOW_CALL_INDIRECT;
}

/* Does the instruction in front forbid a jump? None does if lengths of instructions differ. */
static bool is_joined(struct kprobe_survey *s, const struct kprobe_function *function,
		      unsigned long site)
{
	const struct kprobe_isa *isa = s->isa;
	unsigned long front = site - isa->insn_max;
	struct kprobe_insn insn;

	if (isa->align != isa->insn_max || front < function->start)
		return false;
	kprobe_survey_plan(s, &insn, front, function->end);
	return insn.no_jump_next;
}

static enum kprobe_reason plan_text(struct kprobe_survey *s, const struct kprobe_function *function,
				    struct kprobe_region *region, unsigned long site)
{
	size_t avail, least = s->isa->jump_size + 2 * s->isa->insn_max;
	const struct kprobe_insn *first = &region->insn[0];
	enum kprobe_reason reason;
	const u8 *bytes;

	/* Read a small function as a whole: the other reads of it then find their bytes. */
	if (function->end - function->start <= KPROBE_WINDOW_SIZE)
		kprobe_survey_look(s, function->start, function->end, KPROBE_WINDOW_SIZE, &avail);
	bytes = kprobe_survey_look(s, site, function->end, least, &avail);
	reason = kprobe_plan_region(s->isa, region, bytes, avail, site);
	if (reason)
		return reason;
	/* Indirect branches that land there must find a landing pad or a breakpoint, not a jump. */
	if (first->no_jump || (first->no_jump_unless_traced &&
			       !follows_patched(s, function, site, first->len)))
		return KPROBE_REASON_LANDING_PAD;
	return is_joined(s, function, site) ? KPROBE_REASON_JOINED : KPROBE_REASON_NONE;
}

/*
 * May a jump replace the text at @site? Fills in @region if it may. No branch may lead to the
 * region from @from on. That is @site if the instruction there must only be executed after the one
 * in front, else @site + 1. Probes inside the region are ignored, as they come and go. @s is the
 * survey of the function that was looked at last.
 */
enum kprobe_reason kprobe_scan_region(struct kprobe_survey *s, struct kprobe_region *region,
				      unsigned long site, unsigned long from)
{
	const struct kprobe_text *text = s->text;
	struct kprobe_function function;
	enum kprobe_reason reason;
	unsigned long to;

	if (!text->find(text->lookup, site, &function))
		return KPROBE_REASON_FUNCTION_UNDECODABLE;
	reason = plan_text(s, &function, region, site);
	if (reason)
		return reason;
	to = site + region->len;
	if (to > function.end)
		return KPROBE_REASON_FUNCTION_UNDECODABLE;
	if (function.end - function.start > FUNCTION_MAX)
		return KPROBE_REASON_FUNCTION_LARGE;
	reason = text->reserved(text, site, to);
	if (reason)
		return reason;
	if (text->any_in(KPROBE_TEXT_FAULTS, site, to))
		return KPROBE_REASON_EXTABLE;
	if (!needs_search(s->isa, from, to))
		return KPROBE_REASON_NONE;
	kprobe_survey_function(s, &function, site, to);
	if (text->any_in(KPROBE_TEXT_LANDED, from, to))
		return KPROBE_REASON_TABLE_TARGET;
	return kprobe_survey_branches(s, from, to) ?: judge_landings(&s->scan, site, from, to) ?:
	       choose_scratch(s, region, site);
}
