// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds text that other subsystems patch or read, or that a table has as a target.
 *
 * Jump labels, static calls, BUG(), exceptions and checks of kCFI each have a table, in the
 * kernel and in each module. The tables are not sorted by the address that is looked for. The
 * kernel's tables are long and never change, so their addresses are sorted into an index at
 * the first use. A module's tables are short and are searched linearly.
 *
 * Callers ask about a range from @start to the byte before @end, within one function. Its module
 * is @mod; if that is NULL it is looked up. A site is one instruction. A range that begins with
 * an instruction overlaps a site if and only if the site begins in the range, whatever its length.
 *
 * The sites of ftrace are not covered here: callers ask ftrace for them. Callers must be able
 * to sleep: the first searches allocate the indices.
 */
#include <linux/kernel.h>
#include <linux/kgdb.h>
#include <linux/kmsan-checks.h>
#include <linux/kprobe_point.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sort.h>

#include "module_text.h"
#include "reserved.h"
#include "reserved_tables.h"

/* Kinds of addresses that callers look for. */
enum question { PATCH_SITES, LABEL_TARGETS, FIXUP_TARGETS, FAULT_SITES, QUESTIONS };

#define TABLES_MAX	4

/* The tables to search for each kind. */
static struct reserved_table (* const tables[QUESTIONS][TABLES_MAX])(const struct module *) = {
	[PATCH_SITES] = {
		kprobe_label_sites, kprobe_call_sites, kprobe_bug_sites, kprobe_cfi_checks,
	},
	[LABEL_TARGETS] = { kprobe_label_targets },
	[FIXUP_TARGETS] = { kprobe_fixup_targets },
	[FAULT_SITES] = { kprobe_fault_sites },
};

static struct reserved_table get_table(enum question question, unsigned int i,
				       const struct module *mod)
{
	return tables[question][i] ? tables[question][i](mod) :
				     (struct reserved_table){ };
}

static bool is_any_in(const struct reserved_table *table, unsigned long start,
		      unsigned long end)
{
	size_t i;

	for (i = 0; i < table->nr; i++)
		if (reserved_table_addr(table, i) - start < end - start)
			return true;
	return false;
}

static bool search_tables(enum question question, const struct module *mod,
			  unsigned long start, unsigned long end)
{
	unsigned int i;

	for (i = 0; i < TABLES_MAX; i++) {
		struct reserved_table table = get_table(question, i, mod);

		if (is_any_in(&table, start, end))
			return true;
	}
	return false;
}

/**
 * struct index - sorted addresses from the kernel's tables
 * @addr: the addresses; NULL before the first search, or if there was no memory
 * @nr:   how many
 */
struct index {
	unsigned long *addr;
	size_t nr;
};

/* Allocated under kprobe_mutex at the first search, then never changed or freed. */
static struct index indices[QUESTIONS];

static int compare_addr(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a;
	unsigned long y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

static void fill_index(struct index *index, enum question question)
{
	unsigned int i;
	size_t k;

	for (i = 0; i < TABLES_MAX; i++) {
		struct reserved_table table = get_table(question, i, NULL);

		for (k = 0; k < table.nr; k++)
			index->addr[index->nr++] = reserved_table_addr(&table, k);
	}
	sort(index->addr, index->nr, sizeof(*index->addr), compare_addr, NULL);
}

/* Returns false if there is no memory: each search then walks the tables. */
static bool make_index(struct index *index, enum question question)
{
	size_t nr = 0;
	unsigned int i;

	for (i = 0; i < TABLES_MAX; i++)
		nr += get_table(question, i, NULL).nr;
	index->addr = kvmalloc_array(nr ?: 1, sizeof(*index->addr),
				     GFP_KERNEL | __GFP_NOWARN);
	if (index->addr)
		fill_index(index, question);
	return index->addr;
}

static bool search_index(const struct index *index, unsigned long start,
			 unsigned long end)
{
	size_t low = 0, high = index->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (index->addr[middle] < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low < index->nr && index->addr[low] < end;
}

static bool search_kernel(enum question question, unsigned long start,
			  unsigned long end)
{
	struct index *index = &indices[question];

	if (!index->addr && !make_index(index, question))
		return search_tables(question, NULL, start, end);
	return search_index(index, start, end);
}

/* A module's tables have addresses in its own text only. */
static bool search_module(enum question question, struct module *mod,
			  unsigned long start, unsigned long end)
{
	mod = mod ?: kprobe_module_of(start);
	if (mod)
		return search_tables(question, mod, start, end);
	/* A module that is going: kprobe_module_of() does not find it, but it has tables. */
	guard(preempt)();
	mod = __module_text_address(start);
	return mod && search_tables(question, mod, start, end);
}

static bool search(enum question question, struct module *mod, unsigned long start,
		   unsigned long end)
{
	lockdep_assert_held(&kprobe_mutex);
	return kprobe_is_image_text(start) ? search_kernel(question, start, end) :
					 search_module(question, mod, start, end);
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

/*
 * Does another subsystem patch or read the text, which begins with an instruction? It may have a
 * jump label, a static call, a BUG() or WARN(), kCFI's check of a call, or a debugger's breakpoint.
 */
bool kprobe_text_is_reserved(struct module *mod, unsigned long start,
			     unsigned long end)
{
	return search(PATCH_SITES, mod, start, end) || has_debugger_breakpoint(start, end);
}

/* Does a jump label, switched on or not, lead into the text? */
bool kprobe_jump_label_lands_in(struct module *mod, unsigned long start,
				unsigned long end)
{
	return search(LABEL_TARGETS, mod, start, end);
}

/* Does an exception table have a fixup in the text? */
bool kprobe_fixup_lands_in(struct module *mod, unsigned long start,
			   unsigned long end)
{
	return search(FIXUP_TARGETS, mod, start, end);
}

/* Does the function contain a fixup for an exception of another function? */
bool kprobe_fixup_is_shared(unsigned long start, unsigned long end)
{
	struct module *mod = kprobe_is_image_text(start) ? NULL : kprobe_module_of(start);
	struct reserved_table targets = kprobe_fixup_targets(mod);
	struct reserved_table sites = kprobe_fault_sites(mod);
	size_t i;

	if (!search(FIXUP_TARGETS, mod, start, end))
		return false;
	for (i = 0; i < sites.nr; i++)
		if (reserved_table_addr(&targets, i) - start < end - start &&
		    reserved_table_addr(&sites, i) - start >= end - start)
			return true;
	return false;
}

/* Does an instruction that begins in the text have an exception table entry? */
bool kprobe_fault_is_expected(struct module *mod, unsigned long start,
			      unsigned long end)
{
	return search(FAULT_SITES, mod, start, end);
}

/*
 * Tables whose entries have a site and a target: one function reads the sites, another one the
 * targets of the same entries.
 */
enum lead { LABELS, FIXUPS, LEADS };

static struct reserved_table (* const leads[LEADS][2])(const struct module *) = {
	[LABELS] = { kprobe_label_sites, kprobe_label_targets },
	[FIXUPS] = { kprobe_fault_sites, kprobe_fixup_targets },
};

/* Indices of the kernel's entries in the order of their sites. Allocated and kept like @indices. */
static u32 *orders[LEADS];

static int compare_sites(const void *a, const void *b, const void *table)
{
	unsigned long x = reserved_table_addr(table, *(const u32 *)a);
	unsigned long y = reserved_table_addr(table, *(const u32 *)b);

	return x < y ? -1 : x > y;
}

static u32 *make_order(const struct reserved_table *sites)
{
	u32 *order = kvmalloc_array(sites->nr ?: 1, sizeof(*order),
				    GFP_KERNEL | __GFP_NOWARN);
	size_t i;

	if (!order)
		return NULL;
	for (i = 0; i < sites->nr; i++)
		order[i] = i;
	sort_r(order, sites->nr, sizeof(*order), compare_sites, NULL, sites);
	return order;
}

/* The index of the entry with the lowest site from @addr on; @sites->nr if there is none. */
static size_t first_in_order(const struct reserved_table *sites, const u32 *order,
			     unsigned long addr)
{
	size_t low = 0, high = sites->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (reserved_table_addr(sites, order[middle]) < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < sites->nr ? order[low] : low;
}

/* The same by a linear search, for tables that have no order. */
static size_t first_of_all(const struct reserved_table *sites, unsigned long addr)
{
	size_t i, first = sites->nr;

	for (i = 0; i < sites->nr; i++)
		if (reserved_table_addr(sites, i) >= addr &&
		    (first == sites->nr ||
		     reserved_table_addr(sites, i) < reserved_table_addr(sites, first)))
			first = i;
	return first;
}

static unsigned long target_from(enum lead lead, const struct module *mod,
				 unsigned long *site, unsigned long end)
{
	/* The index that has these sites: a quick check whether one of them is in the range. */
	static const enum question indexed[LEADS] = {
		[LABELS] = PATCH_SITES,
		[FIXUPS] = FAULT_SITES,
	};
	struct reserved_table sites = leads[lead][0](mod), targets = leads[lead][1](mod);
	size_t i;

	if (!mod && !search_kernel(indexed[lead], *site, end))
		return 0;
	if (!mod && !orders[lead])
		orders[lead] = make_order(&sites);
	if (!mod && orders[lead])
		i = first_in_order(&sites, orders[lead], *site);
	else
		i = first_of_all(&sites, *site);
	if (i == sites.nr || reserved_table_addr(&sites, i) >= end)
		return 0;
	*site = reserved_table_addr(&sites, i) + 1;
	return reserved_table_addr(&targets, i);
}

static unsigned long target_in_module(enum lead lead, struct module *mod,
				      unsigned long *site, unsigned long end)
{
	mod = mod ?: kprobe_module_of(*site);
	if (mod)
		return target_from(lead, mod, site, end);
	guard(preempt)();
	mod = __module_text_address(*site);
	return mod ? target_from(lead, mod, site, end) : 0;
}

static unsigned long next_target(enum lead lead, struct module *mod,
				 unsigned long *site, unsigned long end)
{
	lockdep_assert_held(&kprobe_mutex);
	/* KMSAN has not seen the caller's write: callers may not be instrumented. */
	kmsan_unpoison_memory(site, sizeof(*site));
	if (*site >= end || !leads[lead][0])
		return 0;
	return kprobe_is_image_text(*site) ? target_from(lead, NULL, site, end) :
					 target_in_module(lead, mod, site, end);
}

/*
 * Returns the target of the first jump label from @site on, and sets @site to the byte after the
 * address of that label. 0 if there is none before @end.
 */
unsigned long kprobe_next_label_target(struct module *mod, unsigned long *site,
				       unsigned long end)
{
	return next_target(LABELS, mod, site, end);
}

/*
 * Returns the fixup of the first instruction from @site on that has an exception table entry, and
 * sets @site to the byte after the address of that instruction. 0 if there is none before @end.
 */
unsigned long kprobe_next_fixup(struct module *mod, unsigned long *site,
				unsigned long end)
{
	return next_target(FIXUPS, mod, site, end);
}
