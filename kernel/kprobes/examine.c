// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether a jump may replace the text at a probe's site. scan.c decides that from the
 * instructions; this file tells it what the running kernel knows of the text: where
 * functions begin and end, which bytes others patch, and where tables lead.
 */
#include <linux/align.h>
#include <linux/bitops.h>
#include <linux/ftrace.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/sizes.h>

#include "examine.h"
#include "function.h"
#include "livepatch.h"
#include "reserved.h"
#include "scan.h"
#include "site.h"
#include "veneer.h"

/* How far from a function branches are looked for that lead into it. */
#define NEIGHBOURHOOD	SZ_4K

/* How much of them is decoded at once. */
#define PIECE		256

static bool leads_into(const struct kprobe_insn *insn, const struct kprobe_function *function)
{
	return kprobe_insn_has_target(insn) &&
	       insn->target > function->start && insn->target < function->end;
}

/* The same as kprobe_isa.next_branch() where that is missing. */
static size_t plan_next(struct kprobe_insn *insn, const u8 *bytes, size_t avail,
			unsigned long addr)
{
	arch_kprobe_isa->plan(insn, bytes, avail, addr);
	return insn->len ?: arch_kprobe_isa->align;
}

/* Decodes a piece of text. Returns how much; 0 when it leads into the function. */
static size_t decode_piece(unsigned long addr, size_t size,
			   const struct kprobe_function *function)
{
	const struct kprobe_isa *isa = arch_kprobe_isa;
	struct kprobe_insn insn = {};
	u8 text[PIECE];
	size_t avail = kprobe_read_insn(addr, text, min(size, sizeof(text))), at = 0;

	/* Text that cannot be read ends where a page does. */
	if (!avail)
		return PAGE_SIZE - offset_in_page(addr);
	/* The last instruction may go on in the next piece. */
	do {
		at += (isa->next_branch ?: plan_next)(&insn, text + at, avail - at, addr + at);
		if (leads_into(&insn, function))
			return 0;
	} while (at + isa->insn_max <= avail);
	return at;
}

static bool is_led_into(unsigned long from, unsigned long to,
			const struct kprobe_function *function)
{
	size_t size;

	for (; from < to; from += size) {
		size = decode_piece(from, to - from, function);
		if (!size)
			return true;
	}
	return false;
}

/* From outside, other than by its start. */
static bool has_ways_in(const struct kprobe_function *function)
{
	unsigned long from = function->start - NEIGHBOURHOOD;
	struct kprobe_function before;

	if (kprobe_find_function(from, &before))
		from = before.start;
	return is_led_into(from, function->start, function) ||
	       is_led_into(function->end, function->end + NEIGHBOURHOOD, function);
}

/* Of the module that the text is in, as far as that has been looked up. */
static struct module *module_of(const struct kprobe_text *text, unsigned long addr)
{
	return kprobe_lookup_module(text->lookup, addr);
}

/* Does any table have an address in some text? */
static bool search_tables(struct module *mod, unsigned long start, unsigned long end)
{
	return kprobe_text_is_reserved(mod, start, end) ||
	       kprobe_fault_is_expected(mod, start, end) ||
	       kprobe_jump_label_lands_in(mod, start, end) ||
	       kprobe_fixup_lands_in(mod, start, end);
}

static bool is_in_last_function(const struct kprobe_lookup *lookup, unsigned long addr)
{
	return addr >= lookup->function.start && addr < lookup->function.end;
}

/* Nearly no function is in a table. That is found out once for all points in it. */
static bool is_listed(const struct kprobe_text *text, unsigned long addr)
{
	struct kprobe_lookup *lookup = text->lookup;

	if (!is_in_last_function(lookup, addr))
		return true;
	if (!lookup->asked)
		lookup->listed = search_tables(lookup->module, lookup->function.start,
					       lookup->function.end);
	lookup->asked = true;
	return lookup->listed;
}

/*
 * Can all that jumps into the middle of a function be found? Not if the symbol
 * names a part of it: a cold part, which the other part jumps into wherever it
 * likes, or code from or up to a label that assembly has made global. Functions
 * are aligned, labels hardly ever. Code that functions share for their exceptions may be,
 * and those tell. Where functions are not aligned more than any instruction is, the code
 * around them tells: compilers do not jump like that.
 */
static bool is_whole(const struct kprobe_text *text, const struct kprobe_function *function)
{
	struct kprobe_function next;

	if (function->kind == KPROBE_SYMBOL_COLD)
		return false;
	if (arch_kprobe_isa->align >= CONFIG_FUNCTION_ALIGNMENT)
		return !has_ways_in(function);
	if (!IS_ALIGNED(function->start, CONFIG_FUNCTION_ALIGNMENT))
		return false;
	if (is_listed(text, function->start) &&
	    kprobe_fixup_is_shared(function->start, function->end))
		return false;
	return IS_ALIGNED(function->end, CONFIG_FUNCTION_ALIGNMENT) ||
	       !kprobe_find_function(function->end, &next) ||
	       next.kind == KPROBE_SYMBOL_COLD;
}

/* ftrace patches a function's entry, and most points are after that. */
static bool is_patched_by_ftrace(struct kprobe_lookup *lookup, unsigned long start,
				 unsigned long end)
{
	if (is_in_last_function(lookup, start)) {
		if (start >= lookup->unpatched)
			return false;
		if (!ftrace_text_reserved((void *)start, (void *)lookup->function.end - 1)) {
			lookup->unpatched = start;
			return false;
		}
	}
	return ftrace_text_reserved((void *)start, (void *)end - 1);
}

static bool is_reserved(const struct kprobe_text *text, unsigned long start,
			unsigned long end)
{
	return (is_listed(text, start) &&
		kprobe_text_is_reserved(module_of(text, start), start, end)) ||
	       kprobe_is_relocated_late(module_of(text, start), start, end) ||
	       is_patched_by_ftrace(text->lookup, start, end) ||
	       kprobe_may_be_cfi_type(text->lookup, start, end) ||
	       arch_kprobe_text_reserved(start, end);
}

static bool may_fault(const struct kprobe_text *text, unsigned long start,
		      unsigned long end)
{
	return is_listed(text, start) &&
	       kprobe_fault_is_expected(module_of(text, start), start, end);
}

static bool is_landed_on(const struct kprobe_text *text, unsigned long start,
			 unsigned long end)
{
	struct module *mod = module_of(text, start);

	if (!is_listed(text, start))
		return false;
	return kprobe_jump_label_lands_in(mod, start, end) ||
	       kprobe_fixup_lands_in(mod, start, end);
}

static unsigned long next_label_target(const struct kprobe_text *text,
				       unsigned long *site, unsigned long end)
{
	return is_listed(text, *site) ?
	       kprobe_next_label_target(module_of(text, *site), site, end) : 0;
}

static unsigned long next_fixup(const struct kprobe_text *text, unsigned long *site,
				unsigned long end)
{
	return is_listed(text, *site) ?
	       kprobe_next_fixup(module_of(text, *site), site, end) : 0;
}

/* The running kernel's text, and what is known of it. */
static struct kprobe_text kernel_text(struct kprobe_lookup *lookup)
{
	return (struct kprobe_text){
		.read = kprobe_read_insn,
		.find = kprobe_lookup_function,
		.is_whole = is_whole,
		.is_reserved = is_reserved,
		.may_fault = may_fault,
		.is_landed_on = is_landed_on,
		.next_exit = { next_label_target, next_fixup },
		.is_thunk = arch_kprobe_is_thunk,
		.way_out = arch_kprobe_way_out(),
		.lookup = lookup,
	};
}

/* Nobody changes the text around @addr, or sorts what is known of it. */
static void lock_text(unsigned long addr)
{
	kprobe_reserved_lock(addr);
	mutex_lock(&text_mutex);
}

static void unlock_text(unsigned long addr)
{
	mutex_unlock(&text_mutex);
	kprobe_reserved_unlock(addr);
}

/* What is known of the function that was examined last; kprobe_mutex. */
static struct kprobe_survey survey;

static enum kprobe_reason examine(const struct kprobe_isa *isa, struct kprobe_region *region,
				  struct kprobe_lookup *lookup, unsigned long site,
				  unsigned long from, kprobe_scan_t scan)
{
	const struct kprobe_text text = kernel_text(lookup);
	enum kprobe_reason reason;

	lock_text(site);
	if (!lookup->surveyed)
		kprobe_survey_init(&survey);
	lookup->surveyed = true;
	reason = scan(isa, &text, &survey, region, site, from);
	unlock_text(site);
	return reason;
}

/**
 * kprobe_examine() - may a jump replace the kernel's text at a site?
 * @region: filled in if so
 * @lookup: what was looked up before under the same hold of kprobe_mutex
 * @site:   address of an instruction
 * @from:   nothing may jump to the region from this address on, see
 *          kprobe_scan_region()
 *
 * Context: Process context, kprobe_mutex held; takes text_mutex.
 * Return: %KPROBE_REASON_NONE, or why not.
 */
enum kprobe_reason kprobe_examine(struct kprobe_region *region, struct kprobe_lookup *lookup,
				  unsigned long site, unsigned long from)
{
	return examine(arch_kprobe_isa, region, lookup, site, from, kprobe_scan_region);
}

/**
 * kprobe_examine_scratch() - find a register that a jump in front of text may use
 * @lookup: what was looked up before under the same hold of kprobe_mutex
 * @addr:   where the jump leads
 *
 * Context: Process context, kprobe_mutex held; takes text_mutex.
 * Return: A register of kprobe_isa.scratch, as a bit, whose value the text does not
 * need, or 0.
 */
u32 kprobe_examine_scratch(struct kprobe_lookup *lookup, unsigned long addr)
{
	const struct kprobe_text text = kernel_text(lookup);
	struct kprobe_function function;
	u32 dead = 0;

	lock_text(addr);
	if (kprobe_lookup_function(lookup, addr, &function))
		dead = kprobe_dead_scratch(arch_kprobe_isa, &text, &function, addr);
	unlock_text(addr);
	return dead & -dead;
}

/* All of the jump fits into an instruction of which there is nothing to know. */
static enum kprobe_reason examine_plain(const struct kprobe_point *point,
					struct kprobe_lookup *lookup,
					struct kprobe_region *region, unsigned long from)
{
	const struct kprobe_insn insn = {
		.len = point->len, .breakpoint_len = point->breakpoint_len,
	};
	enum kprobe_reason reason = kprobe_region_of_one(region, &insn);

	return reason ?: examine(arch_kprobe_isa, region, lookup, point->site, from,
				 kprobe_scan_planned);
}

/* May a jump of full length replace the text? */
static enum kprobe_reason examine_long(const struct kprobe_point *point,
				       struct kprobe_lookup *lookup,
				       struct kprobe_region *region, unsigned long from)
{
	if (point->plain && point->len >= arch_kprobe_isa->jump_size)
		return examine_plain(point, lookup, region, from);
	return kprobe_examine(region, lookup, point->site, from);
}

/* May the jump that fits replace the text? At an entry ftrace is as fast as a short one. */
static enum kprobe_reason examine_site(const struct kprobe_point *point,
				       struct kprobe_lookup *lookup,
				       struct kprobe_region *region)
{
	/* A jump to the probed instruction hits the probe. */
	bool lands = !kprobe_point_skips_nop(point);
	unsigned long site = point->site;
	enum kprobe_reason reason;

	reason = examine_long(point, lookup, region, site + lands);
	if (!reason || !lands || !kprobe_veneer_in_reach(site) ||
	    examine(arch_kprobe_short_isa, region, lookup, site, site + 1, kprobe_scan_region))
		return reason;
	return KPROBE_REASON_NONE;
}

/**
 * kprobe_examine_point() - can a jump take the breakpoint's place?
 * @point:  prepared point
 * @lookup: what was looked up before under the same hold of kprobe_mutex
 * @region: filled in if it can; its @nr is set to 0 if that was found out before
 *
 * Finds out, once for each point, what a jump at @site would displace, and looks for what
 * forbids it. Does not look again if a veneer becomes free later. If @site stands for a
 * function's entry it has to be executed exactly once for each call: nothing but the
 * instruction in front may lead there.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: %KPROBE_REASON_NONE when it can. Then @region_len of the point
 * says how many bytes are displaced, and @scratch by which register.
 */
enum kprobe_reason kprobe_examine_point(struct kprobe_point *point,
					struct kprobe_lookup *lookup,
					struct kprobe_region *region)
{
	enum kprobe_reason reason = arch_kprobe_refuses_detours();

	if (point->verdict == KPROBE_VERDICT_IMPOSSIBLE)
		return point->not_jump;
	region->nr = 0;
	if (point->verdict == KPROBE_VERDICT_POSSIBLE)
		return KPROBE_REASON_NONE;
	if (!reason)
		reason = examine_site(point, lookup, region);
	point->region_len = reason ? 0 : region->len;
	point->scratch = reason ? 0 : fls(region->scratch);
	point->verdict = reason ? KPROBE_VERDICT_IMPOSSIBLE : KPROBE_VERDICT_POSSIBLE;
	return reason;
}
