// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds out whether a jump may replace the instructions at a site, on any architecture.
 *
 * The jump covers several instructions. No branch may lead to any but the first of them,
 * and nothing may read them. So the scan decodes the whole function, with its cold part,
 * and looks for branches that lead there.
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

/* Functions are smaller. The last symbol of a section may seem to be larger. */
#define FUNCTION_MAX	SZ_128K

/* Bytes of text that are read at once, and a bound of kprobe_isa.glance_len. */
#define WINDOW_SIZE	64
#define GLANCE_MAX	16

/* Text of a region, with the instruction after it. */
#define REGION_TEXT_MAX	64

static bool is_between(unsigned long addr, unsigned long start, unsigned long end)
{
	return addr - start < end - start;
}

static bool overlaps(unsigned long a, unsigned long a_end, unsigned long b,
		     unsigned long b_end)
{
	return a < b_end && b < a_end;
}

static bool has_target(const struct kprobe_insn *insn)
{
	return insn->flow == KPROBE_FLOW_JUMP || insn->flow == KPROBE_FLOW_COND ||
	       insn->flow == KPROBE_FLOW_CALL;
}

static bool is_exit(const struct kprobe_scan *scan, const struct kprobe_insn *insn)
{
	return has_target(insn) && insn->flow != KPROBE_FLOW_CALL &&
	       !is_between(insn->target, scan->start, scan->end);
}

static bool is_landing(const struct kprobe_scan *scan, const struct kprobe_insn *insn)
{
	return has_target(insn) && is_between(insn->target, scan->from, scan->to);
}

static bool is_pad(const struct kprobe_scan *scan, const struct kprobe_insn *insn,
		   unsigned long addr)
{
	return insn->flow == KPROBE_FLOW_PAD && scan->isa->pads &&
	       is_between(addr, scan->from, scan->to);
}

static bool reads_region(const struct kprobe_scan *scan, const struct kprobe_insn *insn)
{
	return insn->data_len && overlaps(insn->data, insn->data + insn->data_len,
					  scan->site, scan->to);
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
	scan->landed |= is_landing(scan, insn);
	scan->pad |= is_pad(scan, insn, addr);
	scan->indirect |= insn->flow == KPROBE_FLOW_JUMP_INDIRECT;
	scan->state |= insn->state;
	scan->read |= reads_region(scan, insn);
	scan->skipped |= insn->may_skip && addr + insn->len == scan->site;
	scan->touched |= insn->reads | insn->writes;
	if (is_exit(scan, insn) && !is_landing(scan, insn))
		scan->exit = insn->target;
}

/**
 * kprobe_scan_insn() - decode an instruction and note what matters of it
 * @scan:  what was found out before
 * @bytes: the instruction's bytes
 * @avail: how many there are, with those after it
 * @addr:  its address
 *
 * Context: Any.
 * Return: Its length, 0 when the bytes are no instruction or end within it.
 */
unsigned int kprobe_scan_insn(struct kprobe_scan *scan, const u8 *bytes,
			      size_t avail, unsigned long addr)
{
	enum kprobe_reason reason;
	struct kprobe_insn insn;

	scan->exit = 0;
	/* Whether a probe may be there does not matter. */
	reason = scan->isa->plan(&insn, bytes, avail, addr);
	if (!insn.len)
		return 0;
	note(scan, &insn, addr);
	if (reason || insn.action != KPROBE_NOP)
		scan->goes_on = reason != KPROBE_REASON_TRAP &&
				reason != KPROBE_REASON_UNDECODABLE && falls_through(&insn);
	return insn.len;
}
NOKPROBE_SYMBOL(kprobe_scan_insn);

static bool may_matter(const struct kprobe_scan *scan, const struct kprobe_insn *insn,
		       unsigned long addr)
{
	if (insn->state || insn->flow == KPROBE_FLOW_JUMP_INDIRECT ||
	    is_pad(scan, insn, addr))
		return true;
	return (is_landing(scan, insn) || is_exit(scan, insn)) &&
	       insn->target != scan->way_out;
}

/**
 * kprobe_scan_may_matter() - check whether any bytes could begin instructions that matter
 * @scan:  has the region that branches may lead to
 * @bytes: a piece of the function and kprobe_isa.glance_len bytes after it, with
 *         zeros for those after the function's end
 * @nr:    the size of the piece
 * @addr:  its address, which may be inside an instruction
 *
 * Tries each byte as the start of an instruction. If no byte of a function matters, the
 * function need not be decoded: its true instructions are among those that were tried.
 *
 * Context: Any.
 * Return: False if kprobe_scan_insn() would find nothing but jumps to @way_out.
 */
bool kprobe_scan_may_matter(const struct kprobe_scan *scan, const u8 *bytes,
			    size_t nr, unsigned long addr)
{
	struct kprobe_insn insn = {};
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!scan->isa->first_bytes[bytes[i]])
			continue;
		scan->isa->glance(&insn, bytes + i, addr + i);
		if (may_matter(scan, &insn, addr + i))
			return true;
	}
	return false;
}
NOKPROBE_SYMBOL(kprobe_scan_may_matter);

/**
 * struct search - state of a search for branches into a region
 * @scan: what was found out
 * @text: the text, and what is known of it besides instructions
 * @function: the function
 * @cold: its cold part; empty until a branch to it was found
 * @exit: last target outside of the function that was looked at
 * @addr: address of @window
 * @size: how many bytes it has
 * @window: some of the function's text
 */
struct search {
	struct kprobe_scan scan;
	const struct kprobe_text *text;
	struct kprobe_function function;
	struct kprobe_function cold;
	unsigned long exit;
	unsigned long addr;
	size_t size;
	u8 window[WINDOW_SIZE];
};

static bool is_in_part(const struct kprobe_function *part, unsigned long addr)
{
	return addr >= part->start && addr < part->end;
}

/* Bytes from @addr on: at least insn_max of them, unless the function's part ends. */
static const u8 *look(struct search *s, unsigned long addr, size_t *avail)
{
	size_t seen = addr - s->addr, left = s->scan.end - addr;

	if (seen > s->size ||
	    s->size - seen < min_t(size_t, s->scan.isa->insn_max, left)) {
		s->addr = addr;
		s->size = s->text->read(addr, s->window,
					min_t(size_t, WINDOW_SIZE, left));
		seen = 0;
	}
	*avail = s->size - seen;
	return s->window + seen;
}

/*
 * Notes what a jump that leaves the function means. It may lead to the function's cold
 * part, to another function, or to a thunk, which jumps to an unknown target. Some thunks
 * have no symbol.
 */
static enum kprobe_reason follow_exit(struct search *s, unsigned long target)
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

/* Modules have zeros between two sections' code. */
static bool is_padding(const struct kprobe_isa *isa, const u8 *bytes, size_t size)
{
	if (size >= isa->insn_max)
		return false;
	while (size && !bytes[size - 1])
		size--;
	return !size;
}

/*
 * Most functions have no byte that could begin an instruction that matters. To find that
 * out takes a tenth of the time of decoding.
 */
static bool is_plain(struct search *s)
{
	const struct kprobe_isa *isa = s->scan.isa;
	u8 bytes[WINDOW_SIZE + GLANCE_MAX];
	unsigned long addr = s->scan.start;
	size_t avail;

	if (!isa->first_bytes || isa->scratch)
		return false;
	for (; addr < s->scan.end; addr += WINDOW_SIZE) {
		avail = min_t(size_t, WINDOW_SIZE + isa->glance_len, s->scan.end - addr);
		if (s->text->read(addr, bytes, avail) < avail)
			return false;
		memset(bytes + avail, 0, sizeof(bytes) - avail);
		if (kprobe_scan_may_matter(&s->scan, bytes,
					   min_t(size_t, avail, WINDOW_SIZE), addr))
			return false;
	}
	return true;
}

static enum kprobe_reason decode_part(struct search *s)
{
	enum kprobe_reason reason = KPROBE_REASON_NONE;
	unsigned long addr = s->scan.start;
	unsigned int len;
	const u8 *bytes;
	size_t avail;

	while (!reason && addr < s->scan.end) {
		bytes = look(s, addr, &avail);
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

/* Follows jump labels and exception fixups, whose targets no instruction has. */
static enum kprobe_reason follow_tables(struct search *s)
{
	enum kprobe_reason reason = KPROBE_REASON_NONE;
	unsigned long site, target;
	unsigned int i;

	for (i = 0; i < KPROBE_EXIT_TABLES; i++) {
		site = s->scan.start;
		while (!reason && (target = s->text->next_exit[i](s->text, &site, s->scan.end)))
			reason = follow_exit(s, target);
	}
	return reason;
}

static enum kprobe_reason scan_part(struct search *s,
				    const struct kprobe_function *part)
{
	enum kprobe_reason reason = KPROBE_REASON_NONE;

	s->scan.start = part->start;
	s->scan.end = part->end;
	s->scan.goes_on = false;
	if (!is_plain(s))
		reason = decode_part(s);
	if (s->scan.goes_on)
		s->scan.touched = s->scan.isa->scratch;
	return reason ?: follow_tables(s);
}

/*
 * If every target of an indirect jump has a landing pad (kprobe_isa.pads), a region
 * without one is not a target. Else the targets of an indirect jump are unknown.
 */
static enum kprobe_reason judge_landings(const struct kprobe_scan *scan)
{
	if (scan->landed || scan->pad)
		return KPROBE_REASON_JUMPED_INTO;
	if (scan->indirect && !scan->isa->pads)
		return KPROBE_REASON_INDIRECT_JUMP;
	if (scan->read)
		return KPROBE_REASON_RESERVED;
	/* It would skip the first of the jump's instructions, and execute the others. */
	if (scan->skipped && scan->isa->jump_insns > 1)
		return KPROBE_REASON_NOT_DISPLACED;
	return scan->state ? KPROBE_REASON_DIRECTION : KPROBE_REASON_NONE;
}

/* Checks that nothing but the instruction in front leads to scan.from and further on. */
static enum kprobe_reason search_landings(struct search *s)
{
	struct kprobe_scan *scan = &s->scan;
	enum kprobe_reason reason;

	if (!s->text->is_whole(&s->function) ||
	    s->text->is_landed_on(s->text, scan->from, scan->to))
		return KPROBE_REASON_JUMPED_INTO;
	reason = scan_part(s, &s->function);
	if (!reason && s->cold.end)
		reason = scan_part(s, &s->cold);
	return reason ?: judge_landings(scan);
}

/*
 * If the jump covers a single instruction, no branch can lead inside, and the search is
 * left out unless something else depends on it. Whether the function reads the
 * instruction, kprobe_scan_site() has checked before.
 */
static bool needs_search(const struct kprobe_scan *scan)
{
	const struct kprobe_isa *isa = scan->isa;

	return !isa->stateless || isa->scratch || ALIGN(scan->from, isa->align) < scan->to;
}

/*
 * Finds a register whose value nobody needs in a region. Prefers one that the function
 * does not use at all. Any other must be dead before each instruction of the region, as
 * copies of branches and the jump back use it.
 */
static u32 find_scratch(struct search *s, const struct kprobe_region *region,
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

static enum kprobe_reason choose_scratch(struct search *s, struct kprobe_region *region,
					 unsigned long site)
{
	if (!s->scan.isa->scratch)
		return KPROBE_REASON_NONE;
	kprobe_region_set_scratch(region, find_scratch(s, region, site));
	return region->scratch ? KPROBE_REASON_NONE : KPROBE_REASON_SCRATCH;
}

static enum kprobe_reason plan_text(struct search *s, struct kprobe_region *region,
				    unsigned long site)
{
	const struct kprobe_isa *isa = s->scan.isa;
	size_t avail = min_t(size_t, isa->jump_size + 2 * isa->insn_max,
			     s->function.end - site);
	u8 text[REGION_TEXT_MAX];

	avail = s->text->read(site, text, min_t(size_t, avail, sizeof(text)));
	return kprobe_plan_region(isa, region, text, avail, site);
}

/**
 * kprobe_scan_region() - check whether a jump may replace the text at a site
 * @isa:    the instruction set
 * @text:   the text, and what is known of it besides instructions
 * @region: filled in if it may
 * @site:   address of an instruction
 * @from:   no branch may lead to the region from this address on: @site, if the
 *          instruction there must only be executed after the one in front; else @site + 1
 *
 * Probes inside the region are ignored, as they come and go.
 *
 * Context: As the functions of @text.
 * Return: %KPROBE_REASON_NONE, or why not.
 */
enum kprobe_reason kprobe_scan_region(const struct kprobe_isa *isa,
				      const struct kprobe_text *text,
				      struct kprobe_region *region,
				      unsigned long site, unsigned long from)
{
	struct search s = { .text = text, .scan.isa = isa };
	enum kprobe_reason reason;

	if (!text->find(text->lookup, site, &s.function) ||
	    s.function.end - s.function.start > FUNCTION_MAX)
		return KPROBE_REASON_FUNCTION_UNDECODABLE;
	reason = plan_text(&s, region, site);
	if (reason)
		return reason;
	if (text->is_reserved(text, site, site + region->len))
		return KPROBE_REASON_RESERVED;
	if (text->may_fault(text, site, site + region->len))
		return KPROBE_REASON_EXTABLE;
	s.scan.way_out = text->way_out;
	s.scan.site = site;
	s.scan.from = from;
	s.scan.to = site + region->len;
	if (needs_search(&s.scan))
		reason = search_landings(&s);
	return reason ?: choose_scratch(&s, region, site);
}
NOKPROBE_SYMBOL(kprobe_scan_region);
