// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a probe goes, whether it may go there, and whether a jump may replace the text.
 *
 * kprobe_resolve() makes the probed address of the symbol or address and the offset that a user
 * names. kprobe_check_address() looks for what forbids a probe there. survey.c and scan.c decide
 * from the instructions where a jump may be, and this file tells them what the kernel knows of the
 * text: where functions begin and end, which bytes others patch, and where tables lead.
 *
 * All of this runs under kprobe_mutex, and the answers hold until that is released: module
 * notifiers take it, so text neither comes nor goes meanwhile. Other probes come and go, so no
 * answer depends on them.
 */
#include <linux/align.h>
#include <linux/bitops.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kgdb.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/overflow.h>
#include <linux/uaccess.h>
#include <asm/sections.h>

#include "place.h"
#include "reason.h"
#include "survey.h"
#include "veneer.h"

/**
 * kprobe_lookup_name() - find a symbol
 * @name:   its name, as @symbol_name of struct kprobe
 * @offset: not used; some architectures once looked elsewhere for the entry
 *
 * Context: Process context, may sleep.
 * Return: The symbol's address, that of any one if a probe's name would be ambiguous; NULL if
 * there is none.
 */
kprobe_opcode_t *kprobe_lookup_name(const char *name, unsigned int offset)
{
	unsigned long addr;

	return kprobe_find_symbol(name, true, &addr) ? NULL : (kprobe_opcode_t *)addr;
}

#define PAD_SIZE	4	/* of a landing pad, on every architecture */

/**
 * kprobe_entry_of() - where a probe on a function's entry goes
 * @start: the function's first byte
 *
 * Context: Any in which text can be read.
 * Return: The address after the landing pad, or where the architecture says; else @start.
 */
unsigned long kprobe_entry_of(unsigned long start)
{
	const struct kprobe_isa *isa = arch_kprobe_isa;
	unsigned long entry = arch_kprobe_entry(start);
	struct kprobe_insn first = {};
	u8 bytes[KPROBE_GLANCE_MAX] = {};

	if (entry != start)
		return entry;
	if (copy_from_kernel_nofault(bytes, (void *)start, PAD_SIZE))
		return start;
	if (isa->glance)
		isa->glance(&first, bytes, start);
	else
		isa->plan(&first, bytes, PAD_SIZE, start);
	return first.flow == KPROBE_FLOW_PAD ? start + PAD_SIZE : start;
}

/*
 * Sets @at to the place that a probe names. That may be past the symbol's end, since perf names
 * every place by its distance from _text. @any: the name may be that of several symbols.
 */
static enum kprobe_reason find_place(const struct kprobe *p, bool any, unsigned long *at)
{
	unsigned long base = kprobe_code_address(p->addr);
	enum kprobe_reason reason;

	if (p->symbol_name && base)
		return KPROBE_REASON_BOTH;
	if (p->symbol_name) {
		if (kprobe_is_prefix_symbol(p->symbol_name))
			return KPROBE_REASON_PREFIX;
		reason = kprobe_find_symbol(p->symbol_name, any, &base);
		if (reason)
			return reason;
	}
	if (!base)
		return KPROBE_REASON_NEITHER;
	return check_add_overflow(base, p->offset, at) ? KPROBE_REASON_NO_TEXT :
							 KPROBE_REASON_NONE;
}

/*
 * Sets @addr to where a probe at @at in @f goes, which may differ at a function's entry. @f is NULL
 * if there is no symbol. Some kernels still have symbols for init text that was freed and others
 * have none: the reason is the same for both.
 */
static enum kprobe_reason place_in(const struct kprobe_function *f, unsigned long at,
				   unsigned long *addr, bool *on_func_entry)
{
	enum kprobe_reason reason = KPROBE_REASON_NONE;
	unsigned long entry;

	if (!f)
		reason = KPROBE_REASON_NO_TEXT;
	else if (f->kind == KPROBE_SYMBOL_PREFIX)
		reason = KPROBE_REASON_PREFIX;
	else if (f->kind == KPROBE_SYMBOL_TRAMPOLINE)
		reason = KPROBE_REASON_TRAMPOLINE;
	if (reason)
		return is_kernel_inittext(at) && !core_kernel_text(at) ? KPROBE_REASON_INIT_TEXT :
									 reason;
	/* Both ends of a landing pad mean the entry, and become the address that users know. */
	entry = kprobe_entry_of(f->start);
	*on_func_entry = at == f->start || at == entry;
	*addr = *on_func_entry ? entry : at;
	/* A cold part is entered by a jump, a return trampoline by a return: no call, no return. */
	if (*on_func_entry &&
	    ((f->kind == KPROBE_SYMBOL_COLD && kprobe_is_cold_part(f->start)) ||
	     kprobe_is_return_trampoline(f->start) || !arch_kprobe_is_called(f->start)))
		*on_func_entry = false;
	return KPROBE_REASON_NONE;
}

/*
 * Sets @addr to the address that the user of @p wants to probe, and @on_func_entry to whether
 * that is a function's entry. Returns why there is no such place.
 */
enum kprobe_reason kprobe_resolve(const struct kprobe *p, struct kprobe_lookup *lookup,
				  unsigned long *addr, bool *on_func_entry)
{
	struct kprobe_function f;
	unsigned long at;

	return find_place(p, false, &at) ?:
	       place_in(kprobe_lookup_function(lookup, at, &f) ? &f : NULL, at, addr,
			on_func_entry);
}

/**
 * kprobe_on_func_entry() - check whether a place is a function's entry
 * @addr:   an address, or NULL
 * @sym:    a symbol, if @addr is NULL
 * @offset: bytes from there
 *
 * Context: Process context, may sleep. Takes no lock of kprobes: perf asks while it holds the
 * lock of a context, which CPU hotplug takes, and a registration waits for CPU hotplug.
 * Return: 0 if it is, -EINVAL if not, -ENOENT if the symbol is unknown. Of several symbols of a
 * name any one is looked at.
 */
int kprobe_on_func_entry(kprobe_opcode_t *addr, const char *sym, unsigned long offset)
{
	const struct kprobe p = {
		.addr = addr,
		.symbol_name = sym,
		.offset = offset,
	};
	struct kprobe_function f;
	unsigned long at, ignored;
	bool on_entry = false;
	enum kprobe_reason reason;

	/* What is asked about will be registered: names are judged then. */
	reason = find_place(&p, true, &at) ?:
		 place_in(kprobe_ask_kallsyms(at, &f) ? &f : NULL, at, &ignored, &on_entry);
	if (reason)
		return kprobe_reason_errno(reason);
	return on_entry ? 0 : -EINVAL;
}

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

/* Why others than ftrace need the text, which begins with an instruction, as it is. */
enum kprobe_reason kprobe_text_reserved(struct kprobe_lookup *lookup, unsigned long start,
					unsigned long end)
{
	if (kprobe_any_in(KPROBE_TEXT_RESERVED, start, end))
		return KPROBE_REASON_RESERVED;
	if (may_be_cfi_type(lookup, start, end))
		return KPROBE_REASON_CFI_TYPE;
	return has_debugger_breakpoint(start, end) ? KPROBE_REASON_DEBUGGER : KPROBE_REASON_NONE;
}

/*
 * Are all branches into the middle of a function in the function itself, in its cold part, or in a
 * table? They are not if the symbol names only a part of a function: a cold part, which the other
 * part jumps into wherever it likes, or code between labels that assembly has made global.
 * Functions are aligned, labels hardly ever; shared fixup code may be. If functions are aligned no
 * more than instructions are, branches from the code around the function tell, unless a compiler
 * has made it as a whole: ftrace patches the start of compiled functions and nothing else.
 */
static enum kprobe_reason is_whole(struct kprobe_survey *s)
{
	unsigned long start = s->function.start, end = s->function.end;
	struct kprobe_function next;
	bool whole;

	if (s->function.kind == KPROBE_SYMBOL_COLD)
		whole = false;
	else if (arch_kprobe_isa->align >= CONFIG_FUNCTION_ALIGNMENT)
		whole = (ftrace_location(start) && ftrace_location(end)) ||
			!(kprobe_survey_around(s, start + 1, end) & KPROBE_MARK_LANDED);
	else
		whole = IS_ALIGNED(start, CONFIG_FUNCTION_ALIGNMENT) &&
			!kprobe_fixup_is_shared(start, end) &&
			(IS_ALIGNED(end, CONFIG_FUNCTION_ALIGNMENT) ||
			 !kprobe_find_function(end, &next) || next.kind == KPROBE_SYMBOL_COLD);
	return whole ? KPROBE_REASON_NONE : KPROBE_REASON_PART;
}

/* ftrace patches the start of compiled functions and nothing else. */
static bool is_compiled(const struct kprobe_function *function)
{
	return ftrace_text_reserved((void *)function->start, (void *)function->end - 1);
}

/* Most points come after what ftrace patches: the cache knows from where on that is nothing. */
static bool ftrace_patches(struct kprobe_lookup *lookup, unsigned long start, unsigned long end)
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

static enum kprobe_reason reserved(const struct kprobe_text *text, unsigned long start,
				   unsigned long end)
{
	enum kprobe_reason reason = kprobe_text_reserved(text->lookup, start, end);

	if (!reason && ftrace_patches(text->lookup, start, end))
		reason = KPROBE_REASON_FTRACE_SITE;
	else if (!reason && arch_kprobe_text_reserved(start, end))
		reason = KPROBE_REASON_RESERVED;
	return reason;
}

/* Leaves the cache as it is: the caller goes on with the function that is in it. */
static bool find(struct kprobe_lookup *lookup, unsigned long addr, struct kprobe_function *f)
{
	if (!kprobe_is_in_function(&lookup->function, addr))
		return kprobe_find_function(addr, f);
	*f = lookup->function;
	return true;
}

/* The survey of the function that was examined last. */
static struct kprobe_survey *use_survey(const struct kprobe_isa *isa,
					struct kprobe_lookup *lookup)
{
	static struct kprobe_survey survey;
	static struct kprobe_text text = {
		.read = kprobe_read_insn,
		.find = find,
		.is_whole = is_whole,
		.is_compiled = is_compiled,
		.reserved = reserved,
		.any_in = kprobe_any_in,
		.next_target = kprobe_next_target,
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
static bool is_boundary(struct kprobe_lookup *lookup, unsigned long addr)
{
	struct kprobe_function function;

	if (!kprobe_lookup_function(lookup, addr, &function))
		return false;
	if (addr == function.start)
		return true;
	guard(mutex)(&text_mutex);
	return kprobe_survey_begins(use_survey(arch_kprobe_isa, lookup), &function, addr);
}

/* Why no probe may be set at an address. @begins: an instruction is known to begin there. */
enum kprobe_reason kprobe_check_address(struct kprobe_lookup *lookup, unsigned long addr,
					bool begins)
{
	enum kprobe_reason reason = kprobe_check_text(addr);

	if (reason)
		return reason;
	if ((addr < lookup->allowed || addr > lookup->allowed_last) &&
	    !kprobe_blacklist_gap(addr, &lookup->allowed, &lookup->allowed_last))
		return KPROBE_REASON_BLACKLIST;
	if (!begins && !is_boundary(lookup, addr))
		return KPROBE_REASON_INSIDE;
	if (!IS_ENABLED(CONFIG_KPROBES_ON_FTRACE) && ftrace_location(addr) == addr)
		return KPROBE_REASON_FTRACE_SITE;
	return kprobe_text_reserved(lookup, addr, addr + 1);
}

/* Why no probe may be set on an instruction that belongs to another one, or is data to it. */
enum kprobe_reason kprobe_examine_site(struct kprobe_lookup *lookup, unsigned long site)
{
	guard(mutex)(&text_mutex);
	return kprobe_scan_site(use_survey(arch_kprobe_isa, lookup), site);
}

/*
 * After that: has its function an instruction after which C code may not be called? With
 * kprobe_isa.glance the function is not decoded yet, and nothing is known.
 */
bool kprobe_examine_state(struct kprobe_lookup *lookup)
{
	guard(mutex)(&text_mutex);
	return use_survey(arch_kprobe_isa, lookup)->scan.state;
}

/* After that: the state of the block that the instruction there is in, 0 if it is in none. */
u8 kprobe_examine_block(struct kprobe_lookup *lookup, unsigned long site)
{
	guard(mutex)(&text_mutex);
	return kprobe_scan_block(use_survey(arch_kprobe_isa, lookup), site);
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
 * Returns why no jump can take the place of the point's breakpoint: one of full length or else,
 * except at a function's entry, where ftrace is as fast, a short one to a veneer. If one can,
 * @region_len of the point says how many bytes it displaces, and @scratch which register it uses.
 * The text is examined once for each point, and not again if a veneer becomes free later: @region
 * is filled in that once, later its @nr is set to 0.
 */
enum kprobe_reason kprobe_examine_point(struct kprobe_point *point,
					struct kprobe_lookup *lookup,
					struct kprobe_region *region)
{
	/* A branch to a probed instruction is a hit. One to that after an entry nop is no call. */
	bool lands = !kprobe_point_skips_nop(point);
	unsigned long site = point->site;
	enum kprobe_reason reason;

	if (point->verdict == KPROBE_VERDICT_IMPOSSIBLE)
		return point->not_jump;
	region->nr = 0;
	if (point->verdict == KPROBE_VERDICT_POSSIBLE)
		return KPROBE_REASON_NONE;
	reason = arch_kprobe_refuses_detours();
	if (!reason) {
		reason = kprobe_examine(arch_kprobe_isa, region, lookup, site, site + lands);
		if (reason && lands && KPROBE_SHORT_JUMP_SIZE && kprobe_veneer_find(site) &&
		    !kprobe_examine(arch_kprobe_short_isa, region, lookup, site, site + 1))
			reason = KPROBE_REASON_NONE;
	}
	point->region_len = reason ? 0 : region->len;
	point->scratch = reason ? 0 : fls(region->scratch);
	/* A debugger's breakpoint goes again. */
	if (reason != KPROBE_REASON_DEBUGGER)
		point->verdict = reason ? KPROBE_VERDICT_IMPOSSIBLE : KPROBE_VERDICT_POSSIBLE;
	return reason;
}
