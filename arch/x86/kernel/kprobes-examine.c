// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether a jump may replace the text at a probe's site: what the running
 * kernel knows of the text there, and of the function around it.
 *
 * The jump covers several instructions. Nothing may execute, patch or read any
 * of them but the first, other than by way of the one in front of it.
 */
#include <linux/align.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kprobe_arch.h>
#include <linux/memory.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <asm/alternative.h>
#include <asm/nospec-branch.h>

#include "kprobes-region.h"

/* No function is larger; the last symbol of a section might seem to be. */
#define FUNCTION_MAX	SZ_128K

/* Text that is read at a time. */
#define WINDOW_SIZE	64

/**
 * struct search - looking for ways to a place in a function
 * @scan: what has been found out
 * @function: the function
 * @cold: its other half; empty until a branch to it is seen
 * @exit: the last way out of the function that was looked at
 * @addr: where @window begins
 * @size: how many bytes it has
 * @window: some of the function's text
 */
struct search {
	struct x86_kprobe_scan scan;
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

static bool find_function(struct kprobe_function *function, unsigned long site)
{
	return kprobe_find_function(site, function) &&
	       function->end - function->start <= FUNCTION_MAX;
}

/*
 * Can all that jumps into the middle of a function be found? Not if the symbol
 * names a part of it: a cold half, which the other half jumps into wherever it
 * likes, or code from or up to a label that assembly has made global. Functions
 * are aligned, labels hardly ever.
 */
static bool is_whole(const struct kprobe_function *function)
{
	struct kprobe_function next;

	if (!IS_ALIGNED(function->start, CONFIG_FUNCTION_ALIGNMENT) ||
	    function->kind == KPROBE_SYMBOL_COLD)
		return false;
	return IS_ALIGNED(function->end, CONFIG_FUNCTION_ALIGNMENT) ||
	       !kprobe_find_function(function->end, &next) ||
	       next.kind == KPROBE_SYMBOL_COLD;
}

/* The bytes from @addr on: all of an instruction, if the part does not end. */
static const u8 *look(struct search *s, unsigned long addr, size_t *avail)
{
	size_t seen = addr - s->addr, left = s->scan.end - addr;

	if (seen > s->size || s->size - seen < min_t(size_t, MAX_INSN_SIZE, left)) {
		s->addr = addr;
		s->size = kprobe_read_insn(addr, s->window,
					   min_t(size_t, WINDOW_SIZE, left));
		seen = 0;
	}
	*avail = s->size - seen;
	return s->window + seen;
}

/* Thunks that jump on. Of no interest where they cannot get into a region. */
static bool is_indirect_thunk(unsigned long addr)
{
	char name[KSYM_NAME_LEN];

	return !IS_ENABLED(CONFIG_X86_KERNEL_IBT) &&
	       !lookup_symbol_name(addr, name) && strstarts(name, "__x86_indirect_");
}

/*
 * Where a jump that leaves the function goes: to its cold half, to another
 * function, or to a thunk that jumps on to who knows where. Of the latter some
 * have no name.
 */
static enum kprobe_reason follow_exit(struct search *s, unsigned long target)
{
	struct kprobe_function part;

	if (target == s->exit || target == s->scan.way_out ||
	    is_in_part(&s->function, target) || is_in_part(&s->cold, target))
		return KPROBE_REASON_NONE;
	s->exit = target;
	if (!kprobe_find_function(target, &part) || is_indirect_thunk(target))
		s->scan.indirect = true;
	else if (part.kind == KPROBE_SYMBOL_COLD && s->cold.end)
		return KPROBE_REASON_JUMPED_INTO;
	else if (part.kind == KPROBE_SYMBOL_COLD)
		s->cold = part;
	return KPROBE_REASON_NONE;
}

/* What functions return through, if not by a return. */
static unsigned long return_thunk(void)
{
#ifdef CONFIG_MITIGATION_RETHUNK
	return (unsigned long)x86_return_thunk;
#else
	return 0;
#endif
}

/* Modules have zeros between two sections' code. */
static bool is_padding(const u8 *bytes, size_t size)
{
	return size < MAX_INSN_SIZE && !memchr_inv(bytes, 0, size);
}

/*
 * Most functions have no byte that, if it began an instruction, would be of
 * interest. To see that takes a tenth of what decoding takes.
 */
static bool is_plain(struct search *s)
{
	u8 bytes[WINDOW_SIZE + X86_KPROBE_GLANCE];
	unsigned long addr = s->scan.start;
	size_t avail;

	for (; addr < s->scan.end; addr += WINDOW_SIZE) {
		avail = min_t(size_t, sizeof(bytes), s->scan.end - addr);
		if (kprobe_read_insn(addr, bytes, avail) < avail)
			return false;
		memset(bytes + avail, 0, sizeof(bytes) - avail);
		if (x86_kprobe_may_matter(&s->scan, bytes,
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
	const u8 *insn;
	size_t avail;

	while (!reason && addr < s->scan.end) {
		insn = look(s, addr, &avail);
		len = x86_kprobe_scan_insn(&s->scan, insn, avail, addr);
		if (!len)
			return addr + avail == s->scan.end && is_padding(insn, avail) ?
			       KPROBE_REASON_NONE : KPROBE_REASON_FUNCTION_UNDECODABLE;
		if (s->scan.exit)
			reason = follow_exit(s, s->scan.exit);
		addr += len;
	}
	return reason;
}

/* Jump labels and fixups lead out of it without an instruction that jumps. */
static enum kprobe_reason follow_tables(struct search *s)
{
	static unsigned long (* const next[])(unsigned long *, unsigned long) = {
		kprobe_next_label_target, kprobe_next_fixup,
	};
	enum kprobe_reason reason = KPROBE_REASON_NONE;
	unsigned long site, target;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(next); i++) {
		site = s->scan.start;
		while (!reason && (target = next[i](&site, s->scan.end)))
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
	if (!is_plain(s))
		reason = decode_part(s);
	return reason ?: follow_tables(s);
}

/*
 * With CONFIG_X86_KERNEL_IBT compilers make no jump tables, and every place
 * that an indirect jump can reach has a landing pad, an ENDBR, which objtool
 * makes sure of: a region without one is not reached. Without IBT the targets
 * of an indirect jump are unknown.
 */
static bool may_land_indirectly(const struct x86_kprobe_scan *scan)
{
	if (IS_ENABLED(CONFIG_X86_KERNEL_IBT))
		return scan->endbr;
	return scan->indirect;
}

/* Does anything but the instruction in front lead to s->scan.from and on? */
static enum kprobe_reason search_landings(struct search *s)
{
	struct x86_kprobe_scan *scan = &s->scan;
	enum kprobe_reason reason;

	if (!is_whole(&s->function) ||
	    kprobe_jump_label_lands_in(scan->from, scan->to) ||
	    kprobe_fixup_lands_in(scan->from, scan->to))
		return KPROBE_REASON_JUMPED_INTO;
	reason = scan_part(s, &s->function);
	if (!reason && s->cold.end)
		reason = scan_part(s, &s->cold);
	if (reason)
		return reason;
	if (scan->landed)
		return KPROBE_REASON_JUMPED_INTO;
	if (may_land_indirectly(scan))
		return scan->endbr ? KPROBE_REASON_JUMPED_INTO :
				     KPROBE_REASON_INDIRECT_JUMP;
	return KPROBE_REASON_NONE;
}

static enum kprobe_reason plan_text(struct x86_kprobe_region *region,
				    unsigned long site,
				      const struct kprobe_function *function)
{
	u8 text[X86_KPROBE_REGION_MAX + MAX_INSN_SIZE];
	size_t avail;

	avail = kprobe_read_insn(site, text, min_t(size_t, sizeof(text),
						   function->end - site));
	return x86_kprobe_plan_region(region, text, avail);
}

/* Does somebody else write to, or look at, any byte of it? */
static bool is_reserved(unsigned long start, unsigned long end)
{
	return kprobe_text_is_reserved(start, end) ||
	       ftrace_text_reserved((void *)start, (void *)end - 1) ||
	       alternatives_text_reserved((void *)start, (void *)end);
}

static enum kprobe_reason examine(struct x86_kprobe_region *region,
				  unsigned long site, unsigned long from,
				    struct search *s)
{
	enum kprobe_reason reason = plan_text(region, site, &s->function);

	if (reason)
		return reason;
	if (is_reserved(site, site + region->len))
		return KPROBE_REASON_RESERVED;
	if (kprobe_fault_is_expected(site, site + region->len))
		return KPROBE_REASON_EXTABLE;
	s->scan.way_out = return_thunk();
	s->scan.from = from;
	s->scan.to = site + region->len;
	reason = search_landings(s);
	if (reason)
		return reason;
	return s->scan.std ? KPROBE_REASON_DIRECTION : KPROBE_REASON_NONE;
}

enum kprobe_reason x86_kprobe_examine_region(struct x86_kprobe_region *region,
					     unsigned long site,
					       unsigned long from)
{
	enum kprobe_reason reason;
	struct search s = { };

	if (!find_function(&s.function, site))
		return KPROBE_REASON_FUNCTION_UNDECODABLE;
	mutex_lock(&text_mutex);
	reason = examine(region, site, from, &s);
	mutex_unlock(&text_mutex);
	return reason;
}
NOKPROBE_SYMBOL(x86_kprobe_examine_region);
