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
#include "reserved.h"
#include "scan.h"
#include "site.h"

/* How far from a function branches are looked for that lead into it. */
#define NEIGHBOURHOOD	SZ_4K

static bool leads_into(const struct kprobe_insn *insn, const struct kprobe_function *function)
{
	return (insn->flow == KPROBE_FLOW_JUMP || insn->flow == KPROBE_FLOW_COND ||
		insn->flow == KPROBE_FLOW_CALL) &&
	       insn->target > function->start && insn->target < function->end;
}

/* Decodes a piece of text. Returns how much; 0 when it leads into the function. */
static size_t decode_piece(unsigned long addr, size_t size,
			   const struct kprobe_function *function)
{
	const struct kprobe_isa *isa = arch_kprobe_isa;
	struct kprobe_insn insn;
	u8 text[64];
	size_t avail = kprobe_read_insn(addr, text, min(size, sizeof(text))), at = 0;

	if (!avail)
		return PAGE_SIZE - offset_in_page(addr);
	/* The last instruction may go on in the next piece. */
	do {
		insn.len = 0;
		if (at < avail)
			isa->plan(&insn, text + at, avail - at, addr + at);
		if (insn.len && leads_into(&insn, function))
			return 0;
		at += insn.len ?: isa->align;
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

/*
 * Can all that jumps into the middle of a function be found? Not if the symbol
 * names a part of it: a cold part, which the other part jumps into wherever it
 * likes, or code from or up to a label that assembly has made global. Functions
 * are aligned, labels hardly ever. Where they are not aligned more than any
 * instruction is, the code around them tells: compilers do not jump like that.
 */
static bool is_whole(const struct kprobe_function *function)
{
	struct kprobe_function next;

	if (function->kind == KPROBE_SYMBOL_COLD)
		return false;
	if (arch_kprobe_isa->align >= CONFIG_FUNCTION_ALIGNMENT)
		return !has_ways_in(function);
	if (!IS_ALIGNED(function->start, CONFIG_FUNCTION_ALIGNMENT))
		return false;
	return IS_ALIGNED(function->end, CONFIG_FUNCTION_ALIGNMENT) ||
	       !kprobe_find_function(function->end, &next) ||
	       next.kind == KPROBE_SYMBOL_COLD;
}

/* Of the module that the text is in, as far as that has been looked up. */
static struct module *module_of(const struct kprobe_text *text, unsigned long addr)
{
	return kprobe_lookup_module(text->lookup, addr);
}

static bool is_reserved(const struct kprobe_text *text, unsigned long start,
			unsigned long end)
{
	return kprobe_text_is_reserved(module_of(text, start), start, end) ||
	       ftrace_text_reserved((void *)start, (void *)end - 1) ||
	       arch_kprobe_text_reserved(start, end);
}

static bool may_fault(const struct kprobe_text *text, unsigned long start,
		      unsigned long end)
{
	return kprobe_fault_is_expected(module_of(text, start), start, end);
}

static bool is_landed_on(const struct kprobe_text *text, unsigned long start,
			 unsigned long end)
{
	struct module *mod = module_of(text, start);

	return kprobe_jump_label_lands_in(mod, start, end) ||
	       kprobe_fixup_lands_in(mod, start, end);
}

static unsigned long next_label_target(const struct kprobe_text *text,
				       unsigned long *site, unsigned long end)
{
	return kprobe_next_label_target(module_of(text, *site), site, end);
}

static unsigned long next_fixup(const struct kprobe_text *text, unsigned long *site,
				unsigned long end)
{
	return kprobe_next_fixup(module_of(text, *site), site, end);
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
	const struct kprobe_text text = {
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

	guard(mutex)(&text_mutex);
	return kprobe_scan_region(arch_kprobe_isa, &text, region, site, from);
}
NOKPROBE_SYMBOL(kprobe_examine);

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
	const struct kprobe_text text = {
		.read = kprobe_read_insn,
		.find = kprobe_lookup_function,
		.is_reserved = is_reserved,
		.may_fault = may_fault,
		.lookup = lookup,
	};
	struct kprobe_function function;
	u32 dead;

	guard(mutex)(&text_mutex);
	if (!kprobe_lookup_function(lookup, addr, &function))
		return 0;
	dead = kprobe_dead_scratch(arch_kprobe_isa, &text, &function, addr);
	return dead & -dead;
}
NOKPROBE_SYMBOL(kprobe_examine_scratch);

/**
 * kprobe_examine_point() - can a jump take the breakpoint's place?
 * @point:  prepared point
 * @lookup: what was looked up before under the same hold of kprobe_mutex
 *
 * Finds out what a jump at @site would displace, and looks for what never
 * changes as long as the text is there. If @site stands for a function's entry
 * it has to be executed exactly once for each call: nothing but the instruction
 * in front may lead there.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: %KPROBE_REASON_NONE when it can. Then @region_len of the point
 * says how many bytes are displaced, and @scratch by which register.
 */
enum kprobe_reason kprobe_examine_point(struct kprobe_point *point,
					struct kprobe_lookup *lookup)
{
	enum kprobe_reason reason = arch_kprobe_refuses_detours();
	/* A jump to the probed instruction hits the probe. */
	bool lands = !kprobe_point_skips_nop(point);
	struct kprobe_region region;

	if (!reason)
		reason = kprobe_examine(&region, lookup, point->site, point->site + lands);
	point->region_len = reason ? 0 : region.len;
	point->scratch = reason ? 0 : fls(region.scratch);
	return reason;
}
NOKPROBE_SYMBOL(kprobe_examine_point);
