// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds out whether a jump may replace the instructions at a site, on any architecture.
 * examine.c asks that for the optimizer.
 *
 * The jump covers several instructions. No branch may lead to any but the first of them,
 * and nothing may read them. So the scan searches the whole function, with its cold part,
 * and marks the bytes that branches lead to. It decodes only where a search for bytes that
 * could begin a branch does not suffice. The result is a survey, which the caller keeps for
 * other points in the function.
 *
 * The functions here depend on their arguments alone and keep no state. They use an
 * instruction set by its struct kprobe_isa, and text by struct kprobe_text.
 */
#include <linux/align.h>
#include <linux/kernel.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include "function.h"
#include "scan.h"
#include "site.h"

/* No function is larger. The last symbol of a section may seem to be. */
#define FUNCTION_MAX	SZ_128K

static bool is_between(unsigned long addr, unsigned long start, unsigned long end)
{
	return addr - start < end - start;
}

static bool is_exit(const struct kprobe_scan *scan, const struct kprobe_insn *insn)
{
	return kprobe_insn_has_target(insn) && insn->flow != KPROBE_FLOW_CALL &&
	       !is_between(insn->target, scan->start, scan->end);
}

static bool has_marks(const struct kprobe_scan *scan, unsigned long addr)
{
	return addr - scan->base < scan->size;
}

static void mark(struct kprobe_scan *scan, unsigned long addr, u8 mark)
{
	if (has_marks(scan, addr))
		scan->marks[addr - scan->base] |= mark;
}

static bool is_pad(const struct kprobe_scan *scan, const struct kprobe_insn *insn)
{
	return insn->flow == KPROBE_FLOW_PAD && scan->isa->pads;
}

/* Marks the target of a direct branch, or a landing pad itself. */
static void mark_landing(struct kprobe_scan *scan, const struct kprobe_insn *insn,
			 unsigned long addr)
{
	if (kprobe_insn_has_target(insn))
		mark(scan, insn->target, KPROBE_MARK_LANDED);
	else if (is_pad(scan, insn))
		mark(scan, addr, KPROBE_MARK_LANDED);
}

static void mark_data(struct kprobe_scan *scan, const struct kprobe_insn *insn)
{
	unsigned int i;

	for (i = 0; i < insn->data_len; i++)
		mark(scan, insn->data + i, KPROBE_MARK_READ);
}

/* A call does not count: if it is the last instruction of a function, it does not return. */
static bool falls_through(const struct kprobe_insn *insn)
{
	return insn->flow == KPROBE_FLOW_NEXT || insn->flow == KPROBE_FLOW_COND ||
	       insn->flow == KPROBE_FLOW_PAD;
}

static void note(struct kprobe_scan *scan, const struct kprobe_insn *insn,
		 unsigned long addr)
{
	mark_landing(scan, insn, addr);
	mark_data(scan, insn);
	if (insn->may_skip)
		mark(scan, addr + insn->len, KPROBE_MARK_SKIPPED);
	scan->indirect |= insn->flow == KPROBE_FLOW_JUMP_INDIRECT;
	scan->state |= insn->state;
	scan->touched |= insn->reads | insn->writes;
	if (is_exit(scan, insn) && !has_marks(scan, insn->target))
		scan->exit = insn->target;
}

/*
 * Decodes an instruction and notes in @scan what matters of it. Returns its length; 0 if the bytes
 * are no instruction or end within it.
 */
unsigned int kprobe_scan_insn(struct kprobe_scan *scan, const u8 *bytes,
			      size_t avail, unsigned long addr)
{
	enum kprobe_reason reason;
	struct kprobe_insn insn;

	scan->exit = 0;
	/* Instructions that cannot be probed count as well. */
	reason = scan->isa->plan(&insn, bytes, avail, addr);
	if (!insn.len)
		return 0;
	note(scan, &insn, addr);
	if (reason || insn.action != KPROBE_NOP)
		scan->goes_on = reason != KPROBE_REASON_TRAP &&
				reason != KPROBE_REASON_UNDECODABLE && falls_through(&insn);
	return insn.len;
}

/* Marks where the instruction leads. True if the function must be decoded because of it. */
static bool may_matter(struct kprobe_scan *scan, const struct kprobe_insn *insn,
		       unsigned long addr)
{
	if (insn->state || insn->flow == KPROBE_FLOW_JUMP_INDIRECT)
		return true;
	if (kprobe_insn_has_target(insn) && insn->target == scan->way_out)
		return false;
	mark_landing(scan, insn, addr);
	return is_exit(scan, insn);
}

/*
 * Tries each of @nr bytes as the start of an instruction, and marks where branches lead. The true
 * instructions of the function are among those that were tried: if this returns false, they lead to
 * marked bytes or to @way_out, and nothing else about them matters. After the @nr bytes come
 * kprobe_isa.glance_len more, with zeros for those after the function's end.
 */
bool kprobe_scan_may_matter(struct kprobe_scan *scan, const u8 *bytes,
			    size_t nr, unsigned long addr)
{
	const bool *first_bytes = scan->isa->first_bytes;
	struct kprobe_insn insn = {};
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!first_bytes[bytes[i]])
			continue;
		scan->isa->glance(&insn, bytes + i, addr + i);
		if (may_matter(scan, &insn, addr + i))
			return true;
	}
	return false;
}

/* The marks that any byte from @from to the one before @to has. */
u8 kprobe_scan_marks(const struct kprobe_scan *scan, unsigned long from, unsigned long to)
{
	u8 marks = 0;

	while (from < to)
		marks |= scan->marks[from++ - scan->base];
	return marks;
}

static bool is_in_part(const struct kprobe_function *part, unsigned long addr)
{
	return addr >= part->start && addr < part->end;
}

/*
 * Reads text from @addr on, up to the end of the function's part at @end. Sets @avail to how many
 * bytes there are: at least @least, unless the part ends before. Zeros come after its last byte.
 */
static const u8 *look(struct kprobe_survey *s, unsigned long addr, unsigned long end,
		      size_t least, size_t *avail)
{
	size_t seen = addr - s->addr, left = end - addr;

	if (seen > s->avail || s->avail - seen < min(least, left)) {
		s->addr = addr;
		s->avail = s->text->read(addr, s->window,
					 min_t(size_t, KPROBE_WINDOW_SIZE, left));
		memset(s->window + s->avail, 0, KPROBE_GLANCE_MAX);
		seen = 0;
	}
	*avail = min(s->avail - seen, left);
	return s->window + seen;
}

/*
 * Notes what a jump that leaves the function means. It may lead to the function's cold part, to
 * another function, or to a thunk, which jumps to an unknown target. Some thunks have no symbol.
 */
static enum kprobe_reason follow_exit(struct kprobe_survey *s, unsigned long target)
{
	struct kprobe_function part;

	if (target == s->exit || target == s->scan.way_out ||
	    is_in_part(&s->function, target) || is_in_part(&s->cold, target))
		return KPROBE_REASON_NONE;
	s->exit = target;
	if (!s->text->find(s->text->lookup, target, &part) || s->text->is_thunk(target))
		s->scan.indirect = true;
	else if (part.kind == KPROBE_SYMBOL_COLD && s->cold.end)
		return KPROBE_REASON_JUMPED_INTO;
	else if (part.kind == KPROBE_SYMBOL_COLD)
		s->cold = part;
	else if (part.start != target)
		s->scan.touched = s->scan.isa->scratch;
	return KPROBE_REASON_NONE;
}

/* Are the bytes padding? Modules have a few zeros between the code of two sections. */
static bool is_padding(const struct kprobe_isa *isa, const u8 *bytes, size_t size)
{
	if (size >= isa->insn_max)
		return false;
	while (size && !bytes[size - 1])
		size--;
	return !size;
}

/*
 * A fast check: does no byte of the function begin what could be an instruction that matters? Marks
 * where the branches lead that could begin at any byte.
 */
static bool is_plain(struct kprobe_survey *s)
{
	const struct kprobe_isa *isa = s->scan.isa;
	unsigned long addr, end = s->scan.end;
	const u8 *bytes;
	size_t avail;

	for (addr = s->scan.start; addr < end; addr += avail) {
		bytes = look(s, addr, end, isa->glance_len + 1, &avail);
		/* The last bytes are tried in the next piece, with those that follow them. */
		if (addr + avail < end)
			avail -= min_t(size_t, avail, isa->glance_len);
		if (!avail || kprobe_scan_may_matter(&s->scan, bytes, avail, addr))
			return false;
	}
	return true;
}

static enum kprobe_reason decode_part(struct kprobe_survey *s)
{
	enum kprobe_reason reason = KPROBE_REASON_NONE;
	unsigned long addr = s->scan.start;
	unsigned int len;
	const u8 *bytes;
	size_t avail;

	while (!reason && addr < s->scan.end) {
		bytes = look(s, addr, s->scan.end, s->scan.isa->insn_max, &avail);
		len = kprobe_scan_insn(&s->scan, bytes, avail, addr);
		if (!len)
			return addr + avail == s->scan.end &&
			       is_padding(s->scan.isa, bytes, avail) ?
			       KPROBE_REASON_NONE : KPROBE_REASON_FUNCTION_UNDECODABLE;
		if (s->scan.exit)
			reason = follow_exit(s, s->scan.exit);
		addr += len;
	}
	return reason;
}

/* Follows jump labels and exception fixups: no instruction has their targets. */
static enum kprobe_reason follow_tables(struct kprobe_survey *s)
{
	enum kprobe_reason reason = KPROBE_REASON_NONE;
	unsigned long site = s->scan.start, target;

	while (!reason && (target = s->text->next_exit(s->text, &site, s->scan.end)))
		reason = follow_exit(s, target);
	return reason;
}

static void begin_part(struct kprobe_survey *s, const struct kprobe_function *part)
{
	s->scan.start = part->start;
	s->scan.end = part->end;
	s->scan.goes_on = false;
}

static enum kprobe_reason scan_part(struct kprobe_survey *s,
				    const struct kprobe_function *part)
{
	enum kprobe_reason reason;

	begin_part(s, part);
	reason = decode_part(s);
	if (s->scan.goes_on)
		s->scan.touched = s->scan.isa->scratch;
	return reason ?: follow_tables(s);
}

static void forget(struct kprobe_survey *s)
{
	const struct kprobe_scan *scan = &s->scan;

	s->cold.end = 0;
	s->exit = 0;
	s->scan = (struct kprobe_scan){
		.isa = scan->isa, .base = scan->base, .size = scan->size,
		.marks = s->marks, .way_out = s->text->way_out,
	};
	memset(s->marks, 0, s->scan.size);
}

/*
 * Most functions have no byte that could begin an instruction that matters, other than a branch
 * inside the function. This check takes a tenth of the time that decoding takes.
 */
static enum kprobe_reason scan_function(struct kprobe_survey *s)
{
	forget(s);
	if (s->vague) {
		begin_part(s, &s->function);
		if (is_plain(s))
			return follow_tables(s);
		s->vague = false;
		forget(s);
	}
	return scan_part(s, &s->function);
}

static enum kprobe_reason scan_parts(struct kprobe_survey *s)
{
	enum kprobe_reason reason = scan_function(s);

	if (!reason && s->cold.end)
		reason = scan_part(s, &s->cold);
	return reason;
}

/* Is the survey of this function, with marks for some text in it? */
static bool is_of(const struct kprobe_survey *s, const struct kprobe_function *function,
		  unsigned long from, unsigned long to)
{
	return s->function.start == function->start && s->function.end == function->end &&
	       from >= s->scan.base && to <= s->scan.base + s->scan.size;
}

static void make_survey(struct kprobe_survey *s, const struct kprobe_isa *isa,
			const struct kprobe_function *function, unsigned long site)
{
	size_t from = round_down(site - function->start, KPROBE_SURVEY_SIZE / 2);

	s->function = *function;
	s->scan.isa = isa;
	s->scan.base = function->start + from;
	s->scan.size = min_t(size_t, function->end - s->scan.base, KPROBE_SURVEY_SIZE);
	s->vague = isa->first_bytes && !isa->scratch;
	if (s->text->is_whole(s->text, function))
		s->reason = scan_parts(s);
	else
		s->reason = KPROBE_REASON_JUMPED_INTO;
}

/* Decodes the function: marks only bytes that a branch really leads to. */
static void clarify(struct kprobe_survey *s)
{
	s->vague = false;
	s->reason = scan_parts(s);
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
	if (scan->indirect && !scan->isa->pads)
		return KPROBE_REASON_INDIRECT_JUMP;
	if (kprobe_scan_marks(scan, site, to) & KPROBE_MARK_READ)
		return KPROBE_REASON_RESERVED;
	/* The instruction in front may skip the jump's first instruction, but not the others. */
	if (kprobe_scan_marks(scan, site, site + 1) & KPROBE_MARK_SKIPPED &&
	    scan->isa->jump_insns > 1)
		return KPROBE_REASON_NOT_DISPLACED;
	return scan->state ? KPROBE_REASON_DIRECTION : KPROBE_REASON_NONE;
}

/* Checks that nothing but the instruction in front leads to a region from @from on. */
static enum kprobe_reason search_landings(struct kprobe_survey *s, unsigned long site,
					  unsigned long from, unsigned long to)
{
	if (s->text->is_landed_on(s->text, from, to))
		return KPROBE_REASON_JUMPED_INTO;
	if (s->vague && !s->reason && kprobe_scan_marks(&s->scan, from, to))
		clarify(s);
	return s->reason ?: judge_landings(&s->scan, site, from, to);
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
 * Finds a register whose value nobody needs in a region. Prefers one that the function
 * does not use at all. Any other must be dead before each instruction of the region, as
 * copies of branches and the jump back use it.
 */
static u32 find_scratch(struct kprobe_survey *s, const struct kprobe_region *region,
			unsigned long site)
{
	unsigned int i, nr = region->nr + kprobe_region_goes_on(region);
	const struct kprobe_isa *isa = s->scan.isa;
	u32 dead = isa->scratch & ~s->scan.touched;

	if (!dead)
		for (i = 0, dead = isa->scratch; dead && i < nr; i++)
			dead &= kprobe_dead_scratch(isa, s->text, &s->function,
						    site + region->from[i]);
	return dead & -dead;
}

static enum kprobe_reason choose_scratch(struct kprobe_survey *s, struct kprobe_region *region,
					 unsigned long site)
{
	if (!s->scan.isa->scratch)
		return KPROBE_REASON_NONE;
	kprobe_region_set_scratch(region, find_scratch(s, region, site));
	return region->scratch ? KPROBE_REASON_NONE : KPROBE_REASON_SCRATCH;
}

/*
 * Is the instruction in front of @site one that another subsystem patches, and does it go on to
 * @site? Then no function starts at @site. Symbols do not tell: a module may have been stripped.
 */
static bool follows_patched(const struct kprobe_isa *isa, struct kprobe_survey *s,
			    const struct kprobe_function *function, unsigned long site,
			    unsigned int len)
{
	unsigned long front = site - len;
	struct kprobe_insn insn;
	const u8 *bytes;
	size_t avail;

	if (front < function->start || !s->text->is_reserved(s->text, front, site))
		return false;
	bytes = look(s, front, function->end, len, &avail);
	return !isa->plan(&insn, bytes, avail, front) &&
	       (falls_through(&insn) || insn.flow == KPROBE_FLOW_CALL);
}

/* Indirect branches that land there must find a landing pad or a breakpoint, not a jump. */
static bool is_landing(const struct kprobe_isa *isa, struct kprobe_survey *survey,
		       const struct kprobe_function *function, unsigned long site,
		       const struct kprobe_insn *insn)
{
	return insn->no_jump || (insn->no_jump_unless_traced &&
				 !follows_patched(isa, survey, function, site, insn->len));
}

/* Does the instruction in front forbid a jump? None does if lengths of instructions differ. */
static bool is_joined(const struct kprobe_isa *isa, struct kprobe_survey *s,
		      const struct kprobe_function *function, unsigned long site)
{
	unsigned long front = site - isa->insn_max;
	struct kprobe_insn insn;
	const u8 *bytes;
	size_t avail;

	if (isa->align != isa->insn_max || front < function->start)
		return false;
	bytes = look(s, front, function->end, isa->insn_max, &avail);
	isa->plan(&insn, bytes, avail, front);
	return insn.no_jump_next;
}

static enum kprobe_reason plan_text(const struct kprobe_isa *isa, struct kprobe_survey *survey,
				    const struct kprobe_function *function,
				    struct kprobe_region *region, unsigned long site)
{
	size_t avail, least = isa->jump_size + 2 * isa->insn_max;
	enum kprobe_reason reason;
	const u8 *bytes;

	/* Read a small function as a whole: the other reads of it then find their bytes. */
	if (function->end - function->start <= KPROBE_WINDOW_SIZE)
		look(survey, function->start, function->end, KPROBE_WINDOW_SIZE, &avail);
	bytes = look(survey, site, function->end, least, &avail);
	reason = kprobe_plan_region(isa, region, bytes, avail, site);
	if (!reason && is_landing(isa, survey, function, site, &region->insn[0]))
		return KPROBE_REASON_LANDING_PAD;
	if (!reason && is_joined(isa, survey, function, site))
		return KPROBE_REASON_NOT_DISPLACED;
	return reason;
}

/*
 * May a jump replace the text at @site? Fills in @region if it may. No branch may lead to the
 * region from @from on. That is @site if the instruction there must only be executed after the one
 * in front, else @site + 1. Probes inside the region are ignored, as they come and go. @survey is
 * that of the function that was looked at last.
 */
enum kprobe_reason kprobe_scan_region(const struct kprobe_isa *isa,
				      const struct kprobe_text *text,
				      struct kprobe_survey *survey,
				      struct kprobe_region *region,
				      unsigned long site, unsigned long from)
{
	struct kprobe_function function;
	enum kprobe_reason reason;

	if (!text->find(text->lookup, site, &function))
		return KPROBE_REASON_FUNCTION_UNDECODABLE;
	survey->text = text;
	reason = plan_text(isa, survey, &function, region, site);
	return reason ?: kprobe_scan_planned(isa, text, survey, region, site, from);
}

/* The same for a region that is planned already, except for the register that jumps need. */
enum kprobe_reason kprobe_scan_planned(const struct kprobe_isa *isa,
				       const struct kprobe_text *text,
				       struct kprobe_survey *survey,
				       struct kprobe_region *region,
				       unsigned long site, unsigned long from)
{
	unsigned long to = site + region->len;
	struct kprobe_function function;

	survey->text = text;
	if (!text->find(text->lookup, site, &function) ||
	    function.end - function.start > FUNCTION_MAX || to > function.end)
		return KPROBE_REASON_FUNCTION_UNDECODABLE;
	if (text->is_reserved(text, site, to))
		return KPROBE_REASON_RESERVED;
	if (text->may_fault(text, site, to))
		return KPROBE_REASON_EXTABLE;
	if (!needs_search(isa, from, to))
		return KPROBE_REASON_NONE;
	if (!is_of(survey, &function, site, to))
		make_survey(survey, isa, &function, site);
	return search_landings(survey, site, from, to) ?: choose_scratch(survey, region, site);
}
