// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The blacklist: functions that no probe may be set in, because a hit there would recurse, or
 * would trap where the kernel cannot take a trap.
 *
 * It is a maple tree of address ranges. They come from NOKPROBE_SYMBOL(), from the sections
 * .kprobes.text and .noinstr.text, from the architecture and from sanitizers, and from modules
 * while these are loaded. With a function the pieces that the compiler has made of it are on the
 * blacklist: .cold, .isra and others.
 */
#include <linux/compiler.h>
#include <linux/ftrace_irq.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/kallsyms.h>
#include <linux/kmsan.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/llist.h>
#include <linux/maple_tree.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched/clock.h>
#include <linux/string.h>
#include <linux/trace_clock.h>
#include <linux/xarray.h>
#include <asm/sections.h>

#if defined(CONFIG_KASAN_GENERIC) || defined(CONFIG_KASAN_SW_TAGS)
#include "../../mm/kasan/kasan.h"
#endif
#include "place.h"

/*
 * Functions of other subsystems that the hit path calls and that have no NOKPROBE_SYMBOL() of
 * their own. scripts/hitpath.py finds those that are missing here.
 */
NOKPROBE_SYMBOL(llist_add_batch);
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
NOKPROBE_SYMBOL(ftrace_graph_ret_addr);
#endif
#ifdef CONFIG_PREEMPTION
NOKPROBE_SYMBOL(preempt_schedule_notrace);
#endif
#ifdef CONFIG_TRACE_BRANCH_PROFILING
/* The entry code of exceptions calls it for each likely(), before a hit has a frame. */
NOKPROBE_SYMBOL(ftrace_likely_update);
#endif
#ifdef CONFIG_PROVE_LOCKING
NOKPROBE_SYMBOL(lockdep_hardirqs_on_prepare);
#endif
#if defined(CONFIG_PROVE_RCU) && !defined(CONFIG_TINY_RCU)
/* A trap calls it, before a hit has a frame. */
NOKPROBE_SYMBOL(rcu_is_watching);
#endif
/* A breakpoint's trap enters and leaves as an NMI does, and these tracers time NMIs. */
#ifdef CONFIG_HWLAT_TRACER
NOKPROBE_SYMBOL(trace_hwlat_callback);
#endif
#ifdef CONFIG_OSNOISE_TRACER
NOKPROBE_SYMBOL(trace_osnoise_callback);
#endif
#if defined(CONFIG_HWLAT_TRACER) || defined(CONFIG_OSNOISE_TRACER)
NOKPROBE_SYMBOL(trace_clock_local);
NOKPROBE_SYMBOL(sched_clock);
#endif
#if defined(CONFIG_KASAN_GENERIC) || defined(CONFIG_KASAN_SW_TAGS)
NOKPROBE_SYMBOL(__kasan_check_read);
NOKPROBE_SYMBOL(__kasan_check_write);
NOKPROBE_SYMBOL(kasan_check_range);
#endif
#ifdef CONFIG_KMSAN
NOKPROBE_SYMBOL(kmsan_unpoison_entry_regs);
NOKPROBE_SYMBOL(kmsan_unpoison_memory);
#endif

/*
 * A CPU that goes offline executes these functions after RCU has been told: no grace period waits
 * for it any more, and no interrupt of another CPU reaches it. An architecture adds the functions
 * that its arch_cpu_idle_dead() calls, in arch_kprobe_blacklist().
 */
static const char * const dying[] __initconst = {
	"cpuhp_report_idle_dead", "rcutree_report_cpu_dead", "arch_cpu_idle_dead",
	"cpuhp_ap_report_dead", "idle_task_exit", "cpuidle_play_dead", "acpi_idle_play_dead",
};

/*
 * The lists that kprobe_blacklist_add_functions() was given: a compiler may leave nothing of a
 * function but clones. Init data, to be used while booting.
 */
#define LISTS_MAX	8

static struct {
	const char * const *names;
	unsigned int nr;
} lists[LISTS_MAX];

static bool is_on_a_list(const char *name)
{
	unsigned int i, j;

	for (i = 0; i < LISTS_MAX; i++)
		for (j = 0; j < lists[i].nr; j++)
			if (!strcmp(lists[i].names[j], name))
				return true;
	return false;
}

/* Ranges of text. The stored value has no meaning. */
static struct maple_tree blacklist = MTREE_INIT(blacklist, MT_FLAGS_USE_RCU);

/* Finds the range that an address is in, else the first one after it. */
static bool find_range(unsigned long addr, unsigned long *start, unsigned long *last)
{
	MA_STATE(mas, &blacklist, addr, addr);

	guard(rcu)();
	if (!mas_find(&mas, ULONG_MAX))
		return false;
	*start = mas.index;
	*last = mas.last;
	return true;
}

/* Adds a range. Ranges may overlap; one that a single other range covers is not added. */
static int forbid_range(unsigned long start, unsigned long last)
{
	unsigned long known, known_last;

	if (find_range(start, &known, &known_last) && known <= start && known_last >= last)
		return 0;
	return mtree_store_range(&blacklist, start, last, xa_mk_value(1), GFP_KERNEL);
}

/* Forbids the function around an address if there is one. Returns 0 or -ENOMEM. */
static int forbid_function(void *unused, unsigned long addr)
{
	unsigned long size, offset;

	if (!kernel_text_address(addr) || !kallsyms_lookup_size_offset(addr, &size, &offset))
		return 0;
	return forbid_range(addr - offset, addr - offset + size - 1);
}

/**
 * kprobe_blacklist_add_text() - forbid probes in a range of text
 * @start: its first byte
 * @end:   the byte after it
 *
 * The range need not begin or end with a function.
 *
 * Context: Process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int kprobe_blacklist_add_text(unsigned long start, unsigned long end)
{
	return start < end ? forbid_range(start, end - 1) : 0;
}

/*
 * Where functions have descriptors, these have their names, and their text has a dot in front of
 * it. Returns NULL elsewhere.
 */
static const char * __init text_name(const char *name)
{
	static char text[KSYM_NAME_LEN] __initdata;

	if (!have_function_descriptors() ||
	    snprintf(text, sizeof(text), ".%s", name) >= sizeof(text))
		return NULL;
	return text;
}

static unsigned long __init text_symbol(const char *name)
{
	const char *text = text_name(name);
	unsigned long addr = text ? kallsyms_lookup_name(text) : 0;

	return addr ?: kallsyms_lookup_name(name);
}

static int __init forbid_symbols(const char *first, const char *last)
{
	unsigned long start = text_symbol(first);
	unsigned long end = text_symbol(last);
	unsigned long size, offset;

	if (!start || !end || !kallsyms_lookup_size_offset(end, &size, &offset))
		return 0;
	if (start > end)
		pr_warn("kprobes: %s is not in front of %s: it can be probed\n", first, last);
	return kprobe_blacklist_add_text(start, end - offset + size);
}

/**
 * kprobe_blacklist_add_symbols() - forbid probes from one symbol to the end of another
 * @ranges: for each range the symbol that it begins with, and the last one in it
 * @nr:     how many
 *
 * Both may be the same. A range is passed over if the kernel does not have both.
 *
 * Context: Boot.
 * Return: 0 or -ENOMEM.
 */
int __init kprobe_blacklist_add_symbols(const char * const ranges[][2], unsigned int nr)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < nr; i++)
		ret = forbid_symbols(ranges[i][0], ranges[i][1]);
	return ret;
}

/**
 * kprobe_blacklist_add_functions() - forbid probes in some functions
 * @names: their names
 * @nr:    how many
 *
 * Several functions may have the same name, as compilers make a function of an inline one in
 * each object: all of them are added, and later their clones. Symbols that the kernel does not
 * have are passed over.
 *
 * Context: Boot, before kprobe_blacklist_init() returns. @names must be there until then.
 * Return: 0 or -ENOMEM.
 */
int __init kprobe_blacklist_add_functions(const char * const *names, unsigned int nr)
{
	static unsigned int nr_lists __initdata;
	const char *text;
	unsigned int i;
	int ret = 0;

	if (!WARN_ON(nr_lists == LISTS_MAX)) {
		lists[nr_lists].names = names;
		lists[nr_lists++].nr = nr;
	}
	for (i = 0; !ret && i < nr; i++) {
		ret = kallsyms_on_each_match_symbol(forbid_function, names[i], NULL);
		text = text_name(names[i]);
		if (!ret && text)
			ret = kallsyms_on_each_match_symbol(forbid_function, text, NULL);
	}
	return ret;
}

/* Adds the functions of a table. Passes over entries that are no function. Returns 0 or -ENOMEM. */
static int add_symbols(unsigned long *entry, unsigned long *end)
{
	int ret = 0;

	for (; entry < end && !ret; entry++)
		ret = forbid_function(NULL, kprobe_code_address((void *)*entry));
	return ret;
}

/**
 * within_kprobe_blacklist() - check whether probes are forbidden at an address
 * @addr: any address
 *
 * Context: Any.
 * Return: True when @addr is in a function that must not be probed.
 */
bool within_kprobe_blacklist(unsigned long addr)
{
	return mtree_load(&blacklist, addr);
}

/*
 * Sets @start and @last to the first and last byte of the text around @addr that is not on the
 * blacklist, valid as long as kprobe_mutex is held. Returns false if @addr is on it.
 */
bool kprobe_blacklist_gap(unsigned long addr, unsigned long *start, unsigned long *last)
{
	MA_STATE(mas, &blacklist, addr, addr);

	guard(rcu)();
	if (mas_walk(&mas))
		return false;
	*start = mas.index;
	*last = mas.last;
	return true;
}

/*
 * Returns the start of the first function, or part of one, on the blacklist at or after @addr,
 * 0 if there is none, and sets @end to the byte after it. Text without a symbol counts as one
 * function.
 */
unsigned long kprobe_blacklist_next(unsigned long addr, unsigned long *end)
{
	unsigned long start, last, at, size, offset;

	if (!find_range(addr, &start, &last))
		return 0;
	*end = last + 1;
	at = max(addr, start);
	if (!kallsyms_lookup_size_offset(at, &size, &offset)) {
		/* A module may begin so: padding, or a function's type (kCFI). */
		while (at < *end && !kallsyms_lookup_size_offset(at, &size, &offset))
			at++;
		*end = at;
		return start;
	}
	*end = min(*end, at - offset + size);
	return max(start, at - offset);
}

static int forbids(void *unused, unsigned long addr)
{
	return within_kprobe_blacklist(addr);
}

/*
 * Compilers insert calls of these functions where code reads, writes or branches: also in the
 * code that leads to a hit, and where a CPU cannot take a trap yet. The functions that they
 * call in turn are marked NOKPROBE_SYMBOL().
 */
static bool is_sanitizer_call(const char *name)
{
	return strstarts(name, "__asan_") || strstarts(name, "__hwasan_") ||
	       strstarts(name, "__tsan_") || strstarts(name, "__sanitizer_cov_");
}

/* Is the symbol, by its name, a piece of a function on the blacklist? */
static bool is_piece_of_forbidden(struct module *mod, const char *name)
{
	const char *dot = strchr(name, '.');
	char function[KSYM_NAME_LEN];

	/* The text of a function that has a descriptor has a name that begins with a dot. */
	if (dot == name)
		dot = strchr(dot + 1, '.');
	for (; dot; dot = strchr(dot + 1, '.')) {
		/* Suffixes that compilers give to clones and split-off parts of a function. */
		if (strcmp(dot, ".cold") && !strstarts(dot, ".cold.") &&
		    !strstarts(dot, ".isra.") && !strstarts(dot, ".constprop.") &&
		    !strstarts(dot, ".part."))
			continue;
		strscpy(function, name, min_t(size_t, dot - name + 1, sizeof(function)));
		if (mod ? within_kprobe_blacklist(find_kallsyms_symbol_value(mod, function)) :
			  is_on_a_list(function) ||
			  kallsyms_on_each_match_symbol(forbids, function, NULL))
			return true;
	}
	return false;
}

/* Called for each symbol; @mod is NULL for the kernel's. Modules have no sanitizer functions. */
static int add_by_name(void *mod, const char *name, unsigned long addr)
{
	if ((mod || !is_sanitizer_call(name)) && !is_piece_of_forbidden(mod, name))
		return 0;
	return forbid_function(NULL, addr);
}

#ifdef CONFIG_MODULES
/* Adds what a module forbids. If that fails nothing is added, and the module must not be loaded. */
int kprobe_blacklist_add_module(struct module *mod)
{
	unsigned long text = (unsigned long)mod->kprobes_text_start;
	unsigned long no_instr = (unsigned long)mod->noinstr_text_start;
	int ret;

	if (!mod->num_kprobe_blacklist && !text && !no_instr)
		return 0;
	ret = add_symbols(mod->kprobe_blacklist,
			  mod->kprobe_blacklist + mod->num_kprobe_blacklist);
	if (!ret && text)
		ret = kprobe_blacklist_add_text(text, text + mod->kprobes_text_size);
	if (!ret && no_instr)
		ret = kprobe_blacklist_add_text(no_instr, no_instr + mod->noinstr_text_size);
	if (!ret)
		ret = module_kallsyms_on_each_symbol(mod->name, add_by_name, mod);
	if (ret)
		kprobe_blacklist_remove_module(mod);
	return ret;
}

/* Removes the ranges in a part of a module that is about to be freed. */
void kprobe_blacklist_remove_memory(const struct module_memory *mem)
{
	unsigned long at = (unsigned long)mem->base;
	unsigned long end = at + mem->size;
	unsigned long start, last;

	while (find_range(at, &start, &last) && start < end) {
		/* The tree may need a node for that. Other text may come to these addresses. */
		mtree_store_range(&blacklist, start, last, NULL, GFP_KERNEL | __GFP_NOFAIL);
		at = last + 1;
	}
}

void kprobe_blacklist_remove_module(struct module *mod)
{
	for_each_mod_mem_type(type)
		kprobe_blacklist_remove_memory(&mod->mem[type]);
}
#endif /* CONFIG_MODULES */

/* Adds what the kernel itself forbids, before init memory is freed. Returns 0 or an errno. */
int __init kprobe_blacklist_init(void)
{
	return kprobe_blacklist_add_text((unsigned long)__kprobes_text_start,
					 (unsigned long)__kprobes_text_end) ?:
	       kprobe_blacklist_add_text((unsigned long)__noinstr_text_start,
					 (unsigned long)__noinstr_text_end) ?:
	       add_symbols(__start_kprobe_blacklist, __stop_kprobe_blacklist) ?:
	       kprobe_blacklist_add_functions(dying, ARRAY_SIZE(dying)) ?:
	       arch_kprobe_blacklist() ?:
	       kallsyms_on_each_symbol(add_by_name, NULL);
}
