// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds text that other subsystems patch or read, or that one of their tables leads to.
 *
 * Jump labels, static calls, BUG(), exceptions and checks of kCFI have a table each, in the kernel
 * and in each module, and livepatch modules have relocations. No table is sorted by the addresses
 * that kprobes asks for. So an index is made of all of them: an array sorted by address. The
 * kernel's index is made for the first probe in the kernel. A module's is made for the first probe
 * there, with the entries for its init text, and freed when the module goes.
 *
 * Callers ask about a range from @start to the byte before @end, within one function. A site is one
 * instruction. A range that begins with an instruction overlaps a site if and only if the site
 * begins in the range, whatever its length. A relocation is inside an instruction: it is in the
 * range of the whole instruction. Callers ask ftrace for its sites.
 */
#include <linux/bug.h>
#include <linux/elf.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/kgdb.h>
#include <linux/kmsan-checks.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <asm/sections.h>

#include "function.h"
#include "module_text.h"
#include "reserved.h"

#ifndef CONFIG_HAVE_STATIC_CALL_INLINE
static void static_call_lock(void) { }
static void static_call_unlock(void) { }
#endif

/* Addresses are relative to the index's base. A reserved one that leads nowhere is its @target. */
struct entry {
	s32 addr;
	s32 target;
	u32 kind;
};

/**
 * struct index - what the tables of the kernel or of a module say
 * @mod:   the module; NULL for the kernel
 * @list:  in modules
 * @base:  where its text begins; all of it is within 2 GB
 * @nr:    number of entries
 * @max:   room for so many
 * @at:    the entry that the last search has ended at
 * @entry: sorted by address; after the @nr entries one with an address after all others
 */
struct index {
	const struct module *mod;
	struct list_head list;
	unsigned long base;
	size_t nr;
	size_t max;
	size_t at;
	struct entry entry[];
};

/* Of text that has no index, since no probe was registered in it. */
static struct index nothing = { .entry = { { .addr = S32_MAX } } };

/* All of these under kprobe_mutex. Of the modules the one that was used last comes first. */
static struct index *kernel = &nothing;
static LIST_HEAD(modules);

/* Walks a table of the module @mod or, if that is NULL, one of the kernel. */
#ifdef CONFIG_MODULES
#define for_each_of(entry, first, last, name)					\
	for (typeof(*__start_##name) *entry = mod ? mod->first : __start_##name, \
	     *end = mod ? mod->last : __stop_##name; entry < end; entry++)
#else
#define for_each_of(entry, first, last, name)					\
	for (typeof(*__start_##name) *entry = __start_##name; entry < __stop_##name; entry++)
#endif

static unsigned long __maybe_unused relative(const s32 *addr)
{
	return (unsigned long)addr + *addr;
}

/* Adds an entry, or counts it if there is no room yet. */
static void add(struct index *index, u32 kind, unsigned long addr, unsigned long target)
{
	if (index->nr < index->max)
		index->entry[index->nr] = (struct entry){
			.addr = addr - index->base, .target = target - index->base, .kind = kind,
		};
	index->nr++;
}

static void add_reserved(struct index *index, unsigned long addr)
{
	add(index, KPROBE_TEXT_RESERVED, addr, addr);
}

/*
 * Functions of a livepatch module refer to symbols of the module that they patch. livepatch writes
 * these relocations when that module comes, and takes them back when it goes. It expects to find in
 * the text what it has written before, and would not change a copy of the instruction. Relocations
 * to symbols of the kernel are written before the text can be probed. See
 * Documentation/livepatch/module-elf-format.rst.
 */
static void add_relocations(struct index *index)
{
#ifdef CONFIG_LIVEPATCH
	const struct klp_modinfo *info = index->mod ? index->mod->klp_info : NULL;

	for (unsigned int i = 1; info && i < info->hdr.e_shnum; i++) {
		const Elf_Shdr *section = &info->sechdrs[i];
		const Elf_Rela *rela = (const void *)section->sh_addr;
		const Elf_Rela *end = rela + section->sh_size / sizeof(*rela);

		if (section->sh_type != SHT_RELA || !(section->sh_flags & SHF_RELA_LIVEPATCH) ||
		    section->sh_info >= info->hdr.e_shnum ||
		    strstarts(info->secstrings + section->sh_name, ".klp.rela.vmlinux."))
			continue;
		for (; rela < end; rela++)
			add_reserved(index, rela->r_offset +
				     info->sechdrs[section->sh_info].sh_addr);
	}
#endif
}

static void read_tables(struct index *index)
{
	const struct module __maybe_unused *mod = index->mod;

	index->nr = 0;
#ifdef CONFIG_JUMP_LABEL
	for_each_of(label, jump_entries, jump_entries + mod->num_jump_entries, __jump_table) {
		unsigned long target = jump_entry_target(label);

		add(index, KPROBE_TEXT_RESERVED, jump_entry_code(label), target);
		add(index, KPROBE_TEXT_LANDED, target, target);
	}
#endif
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	for_each_of(call, static_call_sites, static_call_sites + mod->num_static_call_sites,
		    static_call_sites)
		add_reserved(index, relative(&call->addr));
#endif
#ifdef CONFIG_GENERIC_BUG
	for_each_of(bug, bug_table, bug_table + mod->num_bugs, __bug_table)
#ifdef CONFIG_GENERIC_BUG_RELATIVE_POINTERS
		add_reserved(index, relative(&bug->bug_addr_disp));
#else
		add_reserved(index, bug->bug_addr);
#endif
#endif
#ifdef CONFIG_ARCH_USES_CFI_TRAPS
	for_each_of(trap, kcfi_traps, kcfi_traps_end, __kcfi_traps) {
		static const s8 check[] = KPROBE_CFI_CHECK;

		for (size_t i = 0; i < ARRAY_SIZE(check); i++)
			add_reserved(index, relative(trap) - check[i]);
	}
#endif
	for_each_of(ex, extable, extable + mod->num_exentries, __ex_table) {
#ifdef ARCH_HAS_RELATIVE_EXTABLE
		unsigned long site = relative(&ex->insn), fixup = relative(&ex->fixup);
#else
		unsigned long site = ex->insn, fixup = ex->fixup;
#endif

		add(index, KPROBE_TEXT_FAULTS, site, fixup);
		add(index, KPROBE_TEXT_LANDED, fixup, site);
	}
	add_relocations(index);
}

/* Sorting a large index takes milliseconds: lets other tasks run in between. */
static int compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	cond_resched();
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static struct index *read_index(const struct module *mod)
{
	struct index *index, empty = { .mod = mod, .base = (unsigned long)_stext };

#ifdef CONFIG_MODULES
	if (mod)
		empty.base = (unsigned long)mod->mem[MOD_TEXT].base;
#endif
	read_tables(&empty);
	index = kvmalloc(struct_size(index, entry, empty.nr + 1), GFP_KERNEL);
	if (!index)
		return NULL;
	*index = empty;
	index->max = empty.nr;
	read_tables(index);
	index->entry[index->nr].addr = S32_MAX;
	return index;
}

/*
 * Makes the index of a module, or of the kernel if @mod is NULL. A module's jump labels and static
 * calls are sorted while the module comes, when its text can be probed already: reading them needs
 * the mutexes that the sorting takes. Lock order: before text_mutex.
 */
int kprobe_make_index(const struct module *mod)
{
	struct index *index;

	lockdep_assert_held(&kprobe_mutex);
	jump_label_lock();
	static_call_lock();
	index = read_index(mod);
	static_call_unlock();
	jump_label_unlock();
	if (!index)
		return -ENOMEM;
	sort(index->entry, index->nr, sizeof(*index->entry), compare, NULL);
	if (mod)
		list_add(&index->list, &modules);
	else
		kernel = index;
	return 0;
}

/* Forgets a module whose text goes. */
void kprobe_drop_index(const struct module *mod)
{
	struct index *index, *next;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry_safe(index, next, &modules, list) {
		if (index->mod != mod)
			continue;
		list_del(&index->list);
		kvfree(index);
	}
}

/* Is this text of the kernel's image? Init text counts too, also after it was freed. */
static bool is_image_text(unsigned long addr)
{
	return is_kernel_text(addr) || is_kernel_inittext(addr);
}

static bool is_module_text(const struct module *mod, unsigned long addr)
{
#ifdef CONFIG_MODULES
	return within_module_mem_type(addr, mod, MOD_TEXT) ||
	       within_module_mem_type(addr, mod, MOD_INIT_TEXT);
#else
	return false;
#endif
}

static struct index *index_of(unsigned long addr)
{
	struct index *index;

	lockdep_assert_held(&kprobe_mutex);
	if (is_image_text(addr))
		return kernel;
	list_for_each_entry(index, &modules, list)
		if (is_module_text(index->mod, addr)) {
			list_move(&index->list, &modules);
			return index;
		}
	return &nothing;
}

/* Makes the index for the text around @addr unless it is there. Returns 0 or -ENOMEM. */
int kprobe_index_text(unsigned long addr)
{
	const struct module *mod;

	if (index_of(addr) != &nothing)
		return 0;
	mod = kprobe_module_of(addr);
	return mod || is_image_text(addr) ? kprobe_make_index(mod) : 0;
}

/*
 * The first entry from @start on. Most functions have none: then all that is asked about them ends
 * at the same entry, and only the first question needs a search.
 */
static const struct entry *first_from(struct index *index, unsigned long start)
{
	const struct entry *entry = index->entry;
	size_t low = 0, high = index->nr, at = index->at;
	long addr = start - index->base;

	if (entry[at].addr >= addr && (!at || entry[at - 1].addr < addr))
		return &entry[at];
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (entry[middle].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	index->at = low;
	return &entry[low];
}

static bool is_before(const struct index *index, const struct entry *entry, unsigned long end)
{
	return entry->addr < (long)(end - index->base);
}

/* Do the tables say one of the things @kinds of an address in the text? */
bool kprobe_any_in(u32 kinds, unsigned long start, unsigned long end)
{
	struct index *index = index_of(start);
	const struct entry *entry;

	for (entry = first_from(index, start); is_before(index, entry, end); entry++)
		if (entry->kind & kinds)
			return true;
	return false;
}

/*
 * Returns the target of the first jump label or the fixup of the first instruction that may fault,
 * whichever comes first from @site on, and sets @site to the byte after its address. 0 if there is
 * none before @end.
 */
unsigned long kprobe_next_target(unsigned long *site, unsigned long end)
{
	const struct entry *entry;
	struct index *index;

	/* KMSAN has not seen the caller's write: callers may not be instrumented. */
	kmsan_unpoison_memory(site, sizeof(*site));
	index = index_of(*site);
	for (entry = first_from(index, *site); is_before(index, entry, end); entry++)
		if (entry->kind == KPROBE_TEXT_FAULTS ||
		    (entry->kind == KPROBE_TEXT_RESERVED && entry->target != entry->addr)) {
			*site = index->base + entry->addr + 1;
			return index->base + entry->target;
		}
	return 0;
}

/* Does the function contain a fixup for an exception of another function? */
bool kprobe_fixup_is_shared(unsigned long start, unsigned long end)
{
	struct index *index = index_of(start);
	const struct entry *entry;

	for (entry = first_from(index, start); is_before(index, entry, end); entry++)
		if (entry->kind == KPROBE_TEXT_LANDED &&
		    index->base + entry->target - start >= end - start)
			return true;
	return false;
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

/* Does another subsystem patch or read the text, which begins with an instruction? */
bool kprobe_text_is_reserved(struct kprobe_lookup *lookup, unsigned long start,
			     unsigned long end)
{
	return kprobe_any_in(KPROBE_TEXT_RESERVED, start, end) ||
	       may_be_cfi_type(lookup, start, end) || has_debugger_breakpoint(start, end);
}
