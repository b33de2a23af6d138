// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What symbols and tables say of text: where functions begin, which text other subsystems patch or
 * read, where jump labels and exceptions lead. And which text can be probed at all.
 *
 * Jump labels, static calls, BUG(), exceptions and checks of kCFI have a table each, in the kernel
 * and in each module, and livepatch modules have relocations. No table is sorted by the addresses
 * that kprobes asks for, and kallsyms searches the symbols of a module linearly. So an index is
 * made of them for the first probe in the kernel or in a module: an array sorted by address. A
 * module's has its init text too, and is freed when the module goes.
 *
 * Callers ask about a range from @start to the byte before @end, within one function. A range that
 * begins with an instruction overlaps what is patched if and only if that begins in the range. A
 * relocation is inside an instruction. Callers ask ftrace for its sites.
 */
#include <linux/bug.h>
#include <linux/elf.h>
#include <linux/ftrace.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/kmsan-checks.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/module_symbol.h>
#include <linux/sched.h>
#include <linux/sort.h>
#include <linux/static_call_types.h>
#include <linux/string.h>
#include <linux/xarray.h>
#include <asm/sections.h>

#include "../module/internal.h"
#include "place.h"

#ifndef CONFIG_HAVE_STATIC_CALL_INLINE
static void static_call_lock(void) { }
static void static_call_unlock(void) { }
#endif

/*
 * Addresses are relative to the index's base. The @target of a reserved one that leads nowhere is
 * the address itself, that of a symbol an enum kprobe_symbol.
 */
struct entry {
	s32 addr;
	s32 target;
	u32 kind;
};

/**
 * struct index - what the tables of the kernel or of a module say
 * @mod:   the module; NULL for the kernel
 * @list:  in indices
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
static LIST_HEAD(indices);

/* Adds an entry, or counts it if there is no room yet. */
static void add(struct index *index, u32 kind, unsigned long addr, unsigned long target)
{
	if (index->nr < index->max)
		index->entry[index->nr] = (struct entry){
			.addr = addr - index->base, .target = target - index->base, .kind = kind,
		};
	index->nr++;
}

static void __maybe_unused add_reserved(struct index *index, unsigned long addr)
{
	add(index, KPROBE_TEXT_RESERVED, addr, addr);
}

/* The last entry is before no address, also where @nothing is asked about, whose base is 0. */
static bool is_before(const struct index *index, const struct entry *entry, unsigned long end)
{
	return entry->addr < min_t(long, end - index->base, S32_MAX);
}

/*
 * The first entry from @start on. Most functions have none but their symbol: then all that is asked
 * about them ends there or at the next one, and only the first question needs a search.
 */
static const struct entry *first_from(struct index *index, unsigned long start)
{
	const struct entry *entry = index->entry;
	size_t low = 0, high = index->nr, at = index->at;

	if (at && !is_before(index, &entry[at - 1], start))
		at--;
	if (!is_before(index, &entry[at], start) &&
	    (!at || is_before(index, &entry[at - 1], start)))
		return &entry[at];
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (is_before(index, &entry[middle], start))
			low = middle + 1;
		else
			high = middle;
	}
	index->at = low;
	return &entry[low];
}

static unsigned long __maybe_unused relative(const s32 *addr)
{
	return (unsigned long)addr + *addr;
}

#ifdef CONFIG_MODULES
/* Walks a table of the module @mod or, if that is NULL, one of the kernel. */
#define for_each_of(entry, first, last, name)					\
	for (typeof(*__start_##name) *entry = mod ? mod->first : __start_##name, \
	     *end = mod ? mod->last : __stop_##name; entry < end; entry++)

/*
 * Modules between their COMING and LIVE notifiers. A module's state is COMING before its COMING
 * notifier has run. If loading fails by then, no GOING notifier runs, so no probe must have been
 * registered in the module.
 */
static DEFINE_XARRAY(coming_modules);

/*
 * Notes that a module's COMING notifier has run. A livepatch module cannot be probed before it is
 * live: the loader copies its relocations after it has called the notifiers. Returns -ENOMEM or 0.
 */
int kprobe_module_comes(struct module *mod)
{
	if (is_livepatch_module(mod))
		return 0;
	return xa_insert(&coming_modules, (unsigned long)mod, mod, GFP_KERNEL);
}

/* Notes that a module is live or going, or that its COMING notifier has failed. */
void kprobe_module_has_come(struct module *mod)
{
	xa_erase(&coming_modules, (unsigned long)mod);
}

/* NONE if a GOING notifier will run, and take kprobe_mutex, before the module's text is freed. */
static enum kprobe_reason check_module(const struct module *mod, unsigned long addr)
{
	switch (mod->state) {
	case MODULE_STATE_LIVE:
		return within_module_init(addr, mod) ? KPROBE_REASON_INIT_TEXT :
						       KPROBE_REASON_NONE;
	case MODULE_STATE_COMING:
		return xa_load(&coming_modules, (unsigned long)mod) ? KPROBE_REASON_NONE :
								      KPROBE_REASON_MODULE_COMING;
	default:
		return KPROBE_REASON_MODULE_GOING;
	}
}

static bool is_module_text(const struct module *mod, unsigned long addr)
{
	return within_module_mem_type(addr, mod, MOD_TEXT) ||
	       within_module_mem_type(addr, mod, MOD_INIT_TEXT);
}

static int add_symbol(void *data, const char *name, unsigned long addr)
{
	struct index *index = data;

	cond_resched();
	/* Mapping symbols and local labels are inside of functions. */
	if (name[0] && !is_mapping_symbol(name) && is_module_text(index->mod, addr))
		add(index, KPROBE_TEXT_SYMBOL, addr, index->base + kprobe_symbol_kind(name));
	return 0;
}

/* Finds the function around an address in text of a module. */
static bool find_in(struct index *index, unsigned long addr, struct kprobe_function *f)
{
	const struct entry *next = first_from(index, addr + 1), *symbol = next;
	const struct module_memory *mem = &index->mod->mem[MOD_TEXT];

	if (!within_module_mem_type(addr, index->mod, MOD_TEXT))
		mem = &index->mod->mem[MOD_INIT_TEXT];
	f->end = (unsigned long)mem->base + mem->size;
	do {
		if (symbol == index->entry)
			return false;
		symbol--;
	} while (symbol->kind != KPROBE_TEXT_SYMBOL);
	f->start = index->base + symbol->addr;
	f->kind = symbol->target;
	for (; is_before(index, next, f->end); next++)
		if (next->kind == KPROBE_TEXT_SYMBOL)
			f->end = index->base + next->addr;
	return f->start >= (unsigned long)mem->base;
}
#else
#define for_each_of(entry, first, last, name)					\
	for (typeof(*__start_##name) *entry = __start_##name; entry < __stop_##name; entry++)

static enum kprobe_reason check_module(const struct module *mod, unsigned long addr)
{
	return KPROBE_REASON_NO_TEXT;
}

static bool is_module_text(const struct module *mod, unsigned long addr)
{
	return false;
}

static bool find_in(struct index *index, unsigned long addr, struct kprobe_function *f)
{
	return false;
}
#endif

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
		for (; rela < end; rela++) {
			unsigned long place = rela->r_offset +
					      info->sechdrs[section->sh_info].sh_addr;

			add_reserved(index, place);
			if (KPROBE_RELOCATION_LAST)
				add_reserved(index, place + KPROBE_RELOCATION_LAST);
		}
	}
#endif
}

static void read_extable(struct index *index)
{
	const struct module __maybe_unused *mod = index->mod;

#ifdef CONFIG_MODULES
	/* After a module's init its table begins later and is shorter: both change under it. */
	guard(mutex)(&module_mutex);
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
	read_extable(index);
	add_relocations(index);
#ifdef CONFIG_MODULES
	if (mod)
		module_kallsyms_on_each_symbol(mod->name, add_symbol, index);
#endif
}

/* Sorting a large index takes milliseconds: lets other tasks run in between. */
static int compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	cond_resched();
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/*
 * Makes the index of a module, or of the kernel if @mod is NULL. A module's jump labels and static
 * calls are sorted while the module comes, when its text can be probed already: reading them needs
 * the mutexes that the sorting takes. Lock order: before text_mutex.
 */
int kprobe_make_index(const struct module *mod)
{
	struct index *index, empty = { .mod = mod, .base = (unsigned long)_stext };

	lockdep_assert_held(&kprobe_mutex);
#ifdef CONFIG_MODULES
	if (mod)
		empty.base = (unsigned long)mod->mem[MOD_TEXT].base;
#endif
	jump_label_lock();
	static_call_lock();
	read_tables(&empty);
	index = kvmalloc(struct_size(index, entry, empty.nr + 1), GFP_KERNEL);
	if (index) {
		*index = empty;
		index->max = empty.nr;
		read_tables(index);
		/* A module's exception table may have lost its init entries since. */
		index->nr = min(index->nr, index->max);
	}
	static_call_unlock();
	jump_label_unlock();
	if (!index)
		return -ENOMEM;
	index->entry[index->nr].addr = S32_MAX;
	sort(index->entry, index->nr, sizeof(*index->entry), compare, NULL);
	if (mod)
		list_add(&index->list, &indices);
	else
		kernel = index;
	return 0;
}

/* Forgets a module whose text goes. */
void kprobe_drop_index(const struct module *mod)
{
	struct index *index, *next;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry_safe(index, next, &indices, list) {
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

static struct index *index_of(unsigned long addr)
{
	struct index *index;

	lockdep_assert_held(&kprobe_mutex);
	if (is_image_text(addr))
		return kernel;
	list_for_each_entry(index, &indices, list)
		if (is_module_text(index->mod, addr)) {
			list_move(&index->list, &indices);
			return index;
		}
	return &nothing;
}

/*
 * May text be probed at @addr? That of BPF programs etc. may not. The answer holds as long as
 * kprobe_mutex is held. Makes the index of the text for the first probe there.
 */
enum kprobe_reason kprobe_check_text(unsigned long addr)
{
	struct index *index = index_of(addr);
	const struct module *mod = index->mod;
	enum kprobe_reason reason;

	if (mod)
		return check_module(mod, addr);
	if (is_image_text(addr)) {
		reason = core_kernel_text(addr) ? KPROBE_REASON_NONE : KPROBE_REASON_INIT_TEXT;
	} else {
		/* The module's structure is not freed while its state is read. */
		guard(preempt)();
		mod = __module_text_address(addr);
		reason = mod ? check_module(mod, addr) : KPROBE_REASON_NO_TEXT;
	}
	if (!reason && index == &nothing && kprobe_make_index(mod))
		return KPROBE_REASON_NO_MEMORY;
	return reason;
}

/* __cfi_ and __pfx_ name the bytes in front of a function, which are not part of it. */
static bool is_prefix(const char *name)
{
	return strstarts(name, "__cfi_") || strstarts(name, "__pfx_");
}

bool kprobe_is_prefix_symbol(const char *name)
{
	const char *colon = strchr(name, ':');

	return is_prefix(colon ? colon + 1 : name);
}

/* Finds the suffix of a cold part: "f.cold", or "f.cold.12" of older compilers; else NULL. */
static char *cold_suffix(const char *name)
{
	const char *at, *end;

	for (at = strstr(name, ".cold"); at; at = strstr(at + 1, ".cold")) {
		end = at + strlen(".cold");
		if (*end == '.')
			end += 1 + strspn(end + 1, "0123456789");
		if (!*end && at != name)
			return (char *)at;
	}
	return NULL;
}

enum kprobe_symbol kprobe_symbol_kind(const char *name)
{
	if (name[0] == '_' && is_prefix(name))
		return KPROBE_SYMBOL_PREFIX;
	if (name[0] == '_' && strstarts(name, STATIC_CALL_TRAMP_PREFIX_STR))
		return KPROBE_SYMBOL_TRAMPOLINE;
	return cold_suffix(name) ? KPROBE_SYMBOL_COLD : KPROBE_SYMBOL_FUNCTION;
}

/*
 * Has a compiler moved the code at a symbol out of a function, as the symbol's name says? A
 * function may have such a name of its own: then no function has that name without the suffix,
 * or ftrace has a call in it.
 */
bool kprobe_is_cold_part(unsigned long addr)
{
	char buf[MODULE_NAME_LEN + KSYM_NAME_LEN], *name = buf + MODULE_NAME_LEN;
	char *suffix, *module;
	unsigned long size, offset;
	size_t len;

	if (ftrace_location(addr))
		return false;
	guard(rcu)();
	if (!kallsyms_lookup(addr, &size, &offset, &module, name))
		return false;
	suffix = cold_suffix(name);
	if (!suffix)
		return false;
	*suffix = 0;
	if (module) {
		/* "module:function" */
		len = strlen(module);
		*--name = ':';
		name = memcpy(name - len, module, len);
	}
	return kallsyms_lookup_name(name);
}

/* Finds the function around an address without a lock, in a module by a linear search. */
bool kprobe_ask_kallsyms(unsigned long addr, struct kprobe_function *f)
{
	char name[KSYM_NAME_LEN], *module;
	unsigned long size, offset;
	const char *symbol = kallsyms_lookup(addr, &size, &offset, &module, name);

	if (!symbol)
		return false;
	f->start = addr - offset;
	f->end = f->start + size;
	f->kind = kprobe_symbol_kind(symbol);
	return true;
}

/* Finds the function around an address. In a module without an index it searches linearly. */
bool kprobe_find_function(unsigned long addr, struct kprobe_function *f)
{
	struct index *index = index_of(addr);

	return (index->mod && find_in(index, addr, f)) || kprobe_ask_kallsyms(addr, f);
}

/* As kprobe_find_function(), with a cache for one hold of kprobe_mutex. */
bool kprobe_lookup_function(struct kprobe_lookup *lookup, unsigned long addr,
			    struct kprobe_function *f)
{
	if (!kprobe_is_in_function(&lookup->function, addr)) {
		if (!kprobe_find_function(addr, f))
			return false;
		if (addr >= f->end)
			return true;
		lookup->function = *f;
		lookup->unpatched = f->end;
	}
	*f = lookup->function;
	return true;
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
