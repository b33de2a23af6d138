// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds text that other subsystems patch or read, or that a table has as a target.
 *
 * Jump labels, static calls, BUG(), exceptions and checks of kCFI each have a table, in the
 * kernel and in each module. The tables are not sorted by the address that is looked for.
 * Those of the kernel are long and never change, so their addresses are sorted into an index
 * at the first use. Those of a module are short and are searched linearly.
 *
 * A site is one instruction. A range that begins with an instruction overlaps a site if
 * and only if the site begins in the range, whatever its length.
 *
 * The sites of ftrace are not covered here: callers ask ftrace for them.
 */
#include <linux/bug.h>
#include <linux/extable.h>
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/kgdb.h>
#include <linux/kmsan-checks.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sort.h>
#include <linux/static_call_types.h>
#include <linux/uaccess.h>

#include "module_text.h"
#include "reserved.h"
#include "table.h"

/**
 * struct table - a table of addresses that belongs to another subsystem
 * @first: its first entry
 * @nr:    number of entries
 * @addr:  returns the address of interest in an entry
 */
struct table {
	const void *first;
	size_t nr;
	unsigned long (*addr)(const void *first, size_t i);
};

/* The functions of struct module * return a module's table, or the kernel's for NULL. */

#ifdef CONFIG_JUMP_LABEL
static struct table jump_labels(const struct module *mod,
				unsigned long (*addr)(const void *, size_t))
{
#ifdef CONFIG_MODULES
	if (mod)
		return (struct table){ mod->jump_entries,
				       mod->num_jump_entries, addr };
#endif
	return (struct table){ __start___jump_table,
			       __stop___jump_table - __start___jump_table, addr };
}

static unsigned long label_site(const void *first, size_t i)
{
	return jump_entry_code((const struct jump_entry *)first + i);
}

static unsigned long label_target(const void *first, size_t i)
{
	return jump_entry_target((const struct jump_entry *)first + i);
}

static struct table label_sites(const struct module *mod)
{
	return jump_labels(mod, label_site);
}

static struct table label_targets(const struct module *mod)
{
	return jump_labels(mod, label_target);
}
#else
#define label_sites	NULL
#define label_targets	NULL
#endif /* CONFIG_JUMP_LABEL */

#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
static unsigned long call_site(const void *first, size_t i)
{
	const struct static_call_site *site = first + i * sizeof(*site);

	return (unsigned long)&site->addr + site->addr;
}

static struct table call_sites(const struct module *mod)
{
#ifdef CONFIG_MODULES
	if (mod)
		return (struct table){ mod->static_call_sites,
				       mod->num_static_call_sites, call_site };
#endif
	return (struct table){ __start_static_call_sites,
			       __stop_static_call_sites - __start_static_call_sites,
			       call_site };
}
#else
#define call_sites	NULL
#endif /* CONFIG_HAVE_STATIC_CALL_INLINE */

#ifdef CONFIG_GENERIC_BUG
static unsigned long bug_site(const void *first, size_t i)
{
	const struct bug_entry *bug = first + i * sizeof(*bug);

#ifdef CONFIG_GENERIC_BUG_RELATIVE_POINTERS
	return (unsigned long)&bug->bug_addr_disp + bug->bug_addr_disp;
#else
	return bug->bug_addr;
#endif
}

static struct table bug_sites(const struct module *mod)
{
#ifdef CONFIG_MODULES
	if (mod)
		return (struct table){ mod->bug_table, mod->num_bugs, bug_site };
#endif
	return (struct table){ __start___bug_table,
			       __stop___bug_table - __start___bug_table, bug_site };
}
#else
#define bug_sites	NULL
#endif /* CONFIG_GENERIC_BUG */

static unsigned long fixup_target(const void *first, size_t i)
{
	const struct exception_table_entry *ex = first + i * sizeof(*ex);

#ifdef ARCH_HAS_RELATIVE_EXTABLE
	return (unsigned long)&ex->fixup + ex->fixup;
#else
	return ex->fixup;
#endif
}

static unsigned long fault_site(const void *first, size_t i)
{
	const struct exception_table_entry *ex = first + i * sizeof(*ex);

#ifdef ARCH_HAS_RELATIVE_EXTABLE
	return (unsigned long)&ex->insn + ex->insn;
#else
	return ex->insn;
#endif
}

static struct table exceptions(const struct module *mod,
			       unsigned long (*addr)(const void *, size_t))
{
#ifdef CONFIG_MODULES
	if (mod)
		return (struct table){ mod->extable, mod->num_exentries, addr };
#endif
	return (struct table){ __start___ex_table,
			       __stop___ex_table - __start___ex_table, addr };
}

static struct table fixup_targets(const struct module *mod)
{
	return exceptions(mod, fixup_target);
}

static struct table fault_sites(const struct module *mod)
{
	return exceptions(mod, fault_site);
}

/*
 * Distances to the trap of kCFI from the instructions that a report of it reads. If it
 * reads none, 0 for the trap itself.
 */
#ifndef KPROBE_CFI_CHECK
#define KPROBE_CFI_CHECK	{ 0 }
#endif

static const s8 cfi_check[] = KPROBE_CFI_CHECK;

/**
 * kprobe_cfi_check() - get the address of an instruction that a report of kCFI reads
 * @first: table of traps
 * @i:     index of the instruction, counted over all traps
 *
 * Context: Any.
 * Return: Its address.
 */
unsigned long kprobe_cfi_check(const void *first, size_t i)
{
	const s32 *trap = (const s32 *)first + i / ARRAY_SIZE(cfi_check);

	return (unsigned long)trap + *trap - cfi_check[i % ARRAY_SIZE(cfi_check)];
}

#ifdef CONFIG_ARCH_USES_CFI_TRAPS
static struct table checks_of(const s32 *start, const s32 *end)
{
	return (struct table){ start, (end - start) * ARRAY_SIZE(cfi_check),
			       kprobe_cfi_check };
}

static struct table cfi_checks(const struct module *mod)
{
#ifdef CONFIG_MODULES
	if (mod)
		return checks_of(mod->kcfi_traps, mod->kcfi_traps_end);
#endif
	return checks_of(__start___kcfi_traps, __stop___kcfi_traps);
}
#else
#define cfi_checks	NULL
#endif /* CONFIG_ARCH_USES_CFI_TRAPS */

/* What to look for. */
enum question { PATCH_SITES, LABEL_TARGETS, FIXUP_TARGETS, FAULT_SITES, QUESTIONS };

#define TABLES_MAX	4

/* The tables to search for each of them. */
static struct table (* const tables[QUESTIONS][TABLES_MAX])(const struct module *) = {
	[PATCH_SITES] = { label_sites, call_sites, bug_sites, cfi_checks },
	[LABEL_TARGETS] = { label_targets },
	[FIXUP_TARGETS] = { fixup_targets },
	[FAULT_SITES] = { fault_sites },
};

static struct table get_table(enum question question, unsigned int i,
			      const struct module *mod)
{
	return tables[question][i] ? tables[question][i](mod) :
				     (struct table){ };
}

static unsigned long table_addr(const struct table *table, size_t i)
{
	return table->addr(table->first, i);
}

static bool is_any_in(const struct table *table, unsigned long start,
		      unsigned long end)
{
	size_t i;

	for (i = 0; i < table->nr; i++)
		if (table_addr(table, i) - start < end - start)
			return true;
	return false;
}

static bool search_tables(enum question question, const struct module *mod,
			  unsigned long start, unsigned long end)
{
	unsigned int i;

	for (i = 0; i < TABLES_MAX; i++) {
		struct table table = get_table(question, i, mod);

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
		struct table table = get_table(question, i, NULL);

		for (k = 0; k < table.nr; k++)
			index->addr[index->nr++] = table_addr(&table, k);
	}
	sort(index->addr, index->nr, sizeof(*index->addr), compare_addr, NULL);
}

/* If there is no memory for it, each search walks the tables. */
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
	return core_kernel_text(start) ? search_kernel(question, start, end) :
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

/**
 * kprobe_text_is_reserved() - check whether another subsystem patches or reads some text
 * @mod:   the module that the text is in, or NULL
 * @start: first byte, where an instruction begins
 * @end:   the byte after the last; in the same function
 *
 * That is so for a jump label, a static call, a BUG() or WARN(), kCFI's check of an
 * indirect call, and a debugger's breakpoint. Sites of ftrace do not count.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: True if it is so.
 */
bool kprobe_text_is_reserved(struct module *mod, unsigned long start,
			     unsigned long end)
{
	return search(PATCH_SITES, mod, start, end) || has_debugger_breakpoint(start, end);
}
NOKPROBE_SYMBOL(kprobe_text_is_reserved);

/**
 * kprobe_jump_label_lands_in() - check whether a jump label leads into some text
 * @mod:   the module that the text is in, or NULL
 * @start: first byte
 * @end:   the byte after the last; in the same function
 *
 * It does not matter whether the label is switched on.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: True if one does.
 */
bool kprobe_jump_label_lands_in(struct module *mod, unsigned long start,
				unsigned long end)
{
	return search(LABEL_TARGETS, mod, start, end);
}
NOKPROBE_SYMBOL(kprobe_jump_label_lands_in);

/**
 * kprobe_fixup_lands_in() - check whether the fixup of an exception is in some text
 * @mod:   the module that the text is in, or NULL
 * @start: first byte
 * @end:   the byte after the last; in the same function
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: True if an exception table has one.
 */
bool kprobe_fixup_lands_in(struct module *mod, unsigned long start,
			   unsigned long end)
{
	return search(FIXUP_TARGETS, mod, start, end);
}
NOKPROBE_SYMBOL(kprobe_fixup_lands_in);

/**
 * kprobe_fault_is_expected() - check whether an instruction has an exception table entry
 * @mod:   the module that the text is in, or NULL
 * @start: first byte, where an instruction begins
 * @end:   the byte after the last; in the same function
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: True if there is one for an instruction that begins there.
 */
bool kprobe_fault_is_expected(struct module *mod, unsigned long start,
			      unsigned long end)
{
	return search(FAULT_SITES, mod, start, end);
}
NOKPROBE_SYMBOL(kprobe_fault_is_expected);

/* Tables that lead from a site to a target. Two functions view the same entries. */
enum lead { LABELS, FIXUPS, LEADS };

static struct table (* const leads[LEADS][2])(const struct module *) = {
	[LABELS] = { label_sites, label_targets },
	[FIXUPS] = { fault_sites, fixup_targets },
};

/* Numbers of the kernel's entries, sorted by site. Allocated and kept like @indices. */
static u32 *orders[LEADS];

static int compare_sites(const void *a, const void *b, const void *table)
{
	unsigned long x = table_addr(table, *(const u32 *)a);
	unsigned long y = table_addr(table, *(const u32 *)b);

	return x < y ? -1 : x > y;
}

static u32 *make_order(const struct table *sites)
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

/* The number of the entry with the first site from @addr on; @sites->nr if none. */
static size_t first_in_order(const struct table *sites, const u32 *order,
			     unsigned long addr)
{
	size_t low = 0, high = sites->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table_addr(sites, order[middle]) < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < sites->nr ? order[low] : low;
}

/* The same by a linear search, for tables that have no order. */
static size_t first_of_all(const struct table *sites, unsigned long addr)
{
	size_t i, first = sites->nr;

	for (i = 0; i < sites->nr; i++)
		if (table_addr(sites, i) >= addr &&
		    (first == sites->nr || table_addr(sites, i) < table_addr(sites, first)))
			first = i;
	return first;
}

static unsigned long target_from(enum lead lead, const struct module *mod,
				 unsigned long *site, unsigned long end)
{
	/* Indices that include these sites: a quick check whether there is one at all. */
	static const enum question indexed[LEADS] = {
		[LABELS] = PATCH_SITES,
		[FIXUPS] = FAULT_SITES,
	};
	struct table sites = leads[lead][0](mod), targets = leads[lead][1](mod);
	size_t i;

	if (!mod && !search_kernel(indexed[lead], *site, end))
		return 0;
	if (!mod && !orders[lead])
		orders[lead] = make_order(&sites);
	if (!mod && orders[lead])
		i = first_in_order(&sites, orders[lead], *site);
	else
		i = first_of_all(&sites, *site);
	if (i == sites.nr || table_addr(&sites, i) >= end)
		return 0;
	*site = table_addr(&sites, i) + 1;
	return table_addr(&targets, i);
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
	return core_kernel_text(*site) ? target_from(lead, NULL, site, end) :
					 target_in_module(lead, mod, site, end);
}

/**
 * kprobe_next_label_target() - walk the targets of a function's jump labels
 * @mod:  the module that the function is in, or NULL
 * @site: where to start; set to the byte after the address of the label found
 * @end:  where to stop
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: The target of the first jump label from @site on, 0 when there is none
 * before @end.
 */
unsigned long kprobe_next_label_target(struct module *mod, unsigned long *site,
				       unsigned long end)
{
	return next_target(LABELS, mod, site, end);
}
NOKPROBE_SYMBOL(kprobe_next_label_target);

/**
 * kprobe_next_fixup() - walk the fixups of a function's exceptions
 * @mod:  the module that the function is in, or NULL
 * @site: where to start; set to the byte after the address of the instruction found
 * @end:  where to stop
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: The fixup of the first instruction from @site on that has an entry in
 * an exception table, 0 when there is none before @end.
 */
unsigned long kprobe_next_fixup(struct module *mod, unsigned long *site,
				unsigned long end)
{
	return next_target(FIXUPS, mod, site, end);
}
NOKPROBE_SYMBOL(kprobe_next_fixup);
