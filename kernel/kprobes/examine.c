// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether a probe can be set in the kernel's text, and a jump replace the text at its site.
 *
 * survey.c and scan.c decide that from the instructions. This file tells them what the running
 * kernel knows of the text: where functions begin and end, which bytes others patch, and where
 * tables lead. The optimizer asks about jumps, and the verdict on a point stays. It does not depend
 * on other probes, which come and go. Everything here runs under kprobe_mutex.
 */
#include <linux/align.h>
#include <linux/bitops.h>
#include <linux/ftrace.h>
#include <linux/kgdb.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/memory.h>

#include "examine.h"
#include "function.h"
#include "index.h"
#include "survey.h"
#include "veneer.h"

/*
 * May an indirect call compare some text with a type? No table tells. Not every function has a
 * type, so the last instruction of the function before it may be taken for one, unless it is the
 * only one.
 */
static bool may_be_cfi_type(struct kprobe_lookup *lookup, unsigned long start, unsigned long end)
{
	struct kprobe_function f;

	return KPROBE_CFI_TYPE_SIZE && kprobe_lookup_function(lookup, start, &f) &&
	       start < f.end &&
	       end > max(f.start + KPROBE_INSN_ALIGN, f.end - KPROBE_CFI_TYPE_SIZE);
}

/* A debugger's breakpoints come and go, and are in no table. */
static bool has_debugger_breakpoint(unsigned long start, unsigned long end)
{
#ifdef CONFIG_KGDB
	for (; dbg_io_ops && start < end; start++)
		if (kgdb_has_hit_break(start))
			return true;
#endif
	return false;
}

/* Does another subsystem patch or read the text, which begins with an instruction? */
bool kprobe_text_is_reserved(struct kprobe_lookup *lookup, unsigned long start,
			     unsigned long end)
{
	return kprobe_any_in(KPROBE_TEXT_RESERVED, start, end) ||
	       may_be_cfi_type(lookup, start, end) || has_debugger_breakpoint(start, end);
}

/*
 * Has a compiler made the function, as a whole? Then all branches into its middle are its own. What
 * ftrace patches is at the start of a compiled function and nowhere else: there, and where the next
 * symbol is.
 */
static bool is_compiled(const struct kprobe_function *function)
{
	return ftrace_location(function->start) && ftrace_location(function->end);
}

/*
 * Are all branches into the middle of a function in the function itself, in its cold part, or
 * in a table? They are not if the symbol names only a part of a function: a cold part, which
 * the other part jumps into wherever it likes, or code that begins or ends at a label that
 * assembly has made global. Functions are aligned; labels hardly ever are. Shared fixup code
 * may be aligned: kprobe_fixup_is_shared() finds it. If functions are aligned no more than
 * instructions are, branches from the code around the function tell.
 */
static enum kprobe_reason is_whole(struct kprobe_survey *s)
{
	const struct kprobe_function *function = &s->function;
	struct kprobe_function next;

	if (function->kind == KPROBE_SYMBOL_COLD)
		return KPROBE_REASON_JUMPED_INTO;
	if (arch_kprobe_isa->align >= CONFIG_FUNCTION_ALIGNMENT)
		return !is_compiled(function) &&
		       kprobe_survey_around(s, function->start + 1, function->end) &
		       KPROBE_MARK_LANDED ? KPROBE_REASON_JUMPED_INTO : KPROBE_REASON_NONE;
	if (!IS_ALIGNED(function->start, CONFIG_FUNCTION_ALIGNMENT) ||
	    kprobe_fixup_is_shared(function->start, function->end))
		return KPROBE_REASON_JUMPED_INTO;
	return IS_ALIGNED(function->end, CONFIG_FUNCTION_ALIGNMENT) ||
	       !kprobe_find_function(function->end, &next) ||
	       next.kind == KPROBE_SYMBOL_COLD ? KPROBE_REASON_NONE : KPROBE_REASON_JUMPED_INTO;
}

/*
 * ftrace patches only a function's entry, and most points come after it: the cache knows from
 * where on ftrace patches nothing.
 */
static bool is_patched_by_ftrace(struct kprobe_lookup *lookup, unsigned long start,
				 unsigned long end)
{
	if (kprobe_is_in_function(&lookup->function, start)) {
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
	return kprobe_text_is_reserved(text->lookup, start, end) ||
	       is_patched_by_ftrace(text->lookup, start, end) ||
	       arch_kprobe_text_reserved(start, end);
}

static bool may_fault(const struct kprobe_text *text, unsigned long start,
		      unsigned long end)
{
	return kprobe_any_in(KPROBE_TEXT_FAULTS, start, end);
}

static bool is_landed_on(const struct kprobe_text *text, unsigned long start,
			 unsigned long end)
{
	return kprobe_any_in(KPROBE_TEXT_LANDED, start, end);
}

static unsigned long next_exit(const struct kprobe_text *text, unsigned long *site,
			       unsigned long end)
{
	return kprobe_next_target(site, end);
}

/* Leaves the cache as it is: the caller goes on with the function that is in it. */
static bool find(struct kprobe_lookup *lookup, unsigned long addr,
		 struct kprobe_function *function)
{
	if (!kprobe_is_in_function(&lookup->function, addr))
		return kprobe_find_function(addr, function);
	*function = lookup->function;
	return true;
}

/* The survey of the function that was examined last; kprobe_mutex. */
static struct kprobe_survey *use_survey(const struct kprobe_isa *isa,
					struct kprobe_lookup *lookup)
{
	static struct kprobe_survey survey;
	static struct kprobe_text text = {
		.read = kprobe_read_insn,
		.find = find,
		.is_whole = is_whole,
		.is_reserved = is_reserved,
		.may_fault = may_fault,
		.is_landed_on = is_landed_on,
		.next_exit = next_exit,
		.is_thunk = arch_kprobe_is_thunk,
	};

	lockdep_assert_held(&kprobe_mutex);
	lockdep_assert_held(&text_mutex);
	text.way_out = arch_kprobe_way_out();
	text.lookup = lookup;
	if (!lookup->surveyed)
		kprobe_survey_init(&survey, isa, &text);
	lookup->surveyed = true;
	survey.isa = isa;
	return &survey;
}

/* Does an instruction begin at @addr? */
bool kprobe_is_boundary(struct kprobe_lookup *lookup, unsigned long addr)
{
	struct kprobe_function function;

	if (!kprobe_lookup_function(lookup, addr, &function))
		return false;
	if (addr == function.start)
		return true;
	guard(mutex)(&text_mutex);
	return kprobe_survey_begins(use_survey(arch_kprobe_isa, lookup), &function, addr);
}

/* Why no probe may be set on an instruction that belongs to another one, or is data to it. */
enum kprobe_reason kprobe_examine_site(struct kprobe_lookup *lookup, unsigned long site)
{
	guard(mutex)(&text_mutex);
	return kprobe_survey_site(use_survey(arch_kprobe_isa, lookup), site);
}

/* A register of kprobe_isa.scratch, as a bit, whose value is not needed at @addr; 0 if none is. */
u32 kprobe_examine_scratch(struct kprobe_lookup *lookup, unsigned long addr)
{
	struct kprobe_function function;
	u32 dead = 0;

	guard(mutex)(&text_mutex);
	if (find(lookup, addr, &function))
		dead = kprobe_free_scratch(use_survey(arch_kprobe_isa, lookup), &function, addr);
	return dead & -dead;
}

/*
 * Returns why a jump of @isa may not replace the text at @site. If it may, fills in @region. No
 * branch may lead to the region from @from on: see kprobe_scan_region().
 */
enum kprobe_reason kprobe_examine(const struct kprobe_isa *isa, struct kprobe_region *region,
				  struct kprobe_lookup *lookup, unsigned long site,
				  unsigned long from)
{
	struct kprobe_function function;

	if (!kprobe_lookup_function(lookup, site, &function))
		return KPROBE_REASON_FUNCTION_UNDECODABLE;
	guard(mutex)(&text_mutex);
	return kprobe_scan_region(use_survey(isa, lookup), region, site, from);
}

/*
 * May a jump replace the text, one of full length or else a short one to a veneer? At a
 * function's entry a short one is not tried: ftrace is as fast.
 */
static enum kprobe_reason examine_site(const struct kprobe_point *point,
				       struct kprobe_lookup *lookup,
				       struct kprobe_region *region)
{
	/*
	 * A branch to a probed instruction is a hit. To the one after an entry nop it is no
	 * call.
	 */
	bool lands = !kprobe_point_skips_nop(point);
	unsigned long site = point->site;
	enum kprobe_reason reason;

	reason = kprobe_examine(arch_kprobe_isa, region, lookup, site, site + lands);
	if (!reason || !lands || !KPROBE_SHORT_JUMP_SIZE || !kprobe_veneer_find(site) ||
	    kprobe_examine(arch_kprobe_short_isa, region, lookup, site, site + 1))
		return reason;
	return KPROBE_REASON_NONE;
}

/*
 * Returns why no jump can take the place of the point's breakpoint. If one can, @region_len of
 * the point says how many bytes it displaces, and @scratch which register it uses. The text is
 * examined once for each point, and not again if a veneer becomes free later: @region is filled
 * in that once, later its @nr is set to 0. If @site stands for a function's entry, nothing but
 * the entry nop may lead there, so that it is executed exactly once for each call.
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
