// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the bounds of functions.
 *
 * kallsyms finds the kernel's own symbols by a binary search, but searches a module linearly. A
 * sorted copy of a module's symbols is therefore made here for the first probe in the module.
 * Registering ten thousand probes in a module of as many functions would take minutes
 * otherwise. The copy is dropped when the module's text comes or goes.
 */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kprobe_point.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/module_symbol.h>
#include <linux/sched.h>
#include <linux/sort.h>
#include <linux/static_call_types.h>
#include <linux/string.h>

#include "function.h"
#include "module_text.h"

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

static enum kprobe_symbol kind_of(const char *name)
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

#ifdef CONFIG_MODULES
/**
 * struct module_symbol - where a symbol of a module is
 * @addr: its address
 * @kind: what it stands for
 */
struct module_symbol {
	unsigned long addr;
	enum kprobe_symbol kind;
};

/**
 * struct module_symbols - the symbols of a module, sorted by address
 * @mod:    the module
 * @list:   in known_modules
 * @max:    room in @symbol
 * @nr:     number of symbols
 * @symbol: the symbols, those of one address in no particular order
 */
struct module_symbols {
	struct module *mod;
	struct list_head list;
	size_t max;
	size_t nr;
	struct module_symbol symbol[];
};

/* Modules whose symbols were sorted; kprobe_mutex. */
static LIST_HEAD(known_modules);

static int count_symbol(void *data, const char *name, unsigned long addr)
{
	++*(size_t *)data;
	return 0;
}

static int add_symbol(void *data, const char *name, unsigned long addr)
{
	struct module_symbols *symbols = data;

	cond_resched();
	/* Mapping symbols and local labels are inside of functions. */
	if (!name[0] || is_mapping_symbol(name) || symbols->nr == symbols->max)
		return 0;
	symbols->symbol[symbols->nr++] = (struct module_symbol){
		.addr = addr,
		.kind = kind_of(name),
	};
	return 0;
}

/* Sorting the symbols of a large module takes milliseconds: lets other tasks run in between. */
static int compare_symbols(const void *a, const void *b)
{
	const struct module_symbol *x = a, *y = b;

	cond_resched();
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static struct module_symbols *read_symbols(struct module *mod)
{
	struct module_symbols *symbols;
	size_t nr = 0;

	if (module_kallsyms_on_each_symbol(mod->name, count_symbol, &nr))
		return NULL;
	symbols = kvzalloc(struct_size(symbols, symbol, nr), GFP_KERNEL);
	if (!symbols)
		return NULL;
	symbols->mod = mod;
	symbols->max = nr;
	module_kallsyms_on_each_symbol(mod->name, add_symbol, symbols);
	sort(symbols->symbol, symbols->nr, sizeof(symbols->symbol[0]), compare_symbols, NULL);
	list_add(&symbols->list, &known_modules);
	return symbols;
}

static struct module_symbols *symbols_of(struct module *mod)
{
	struct module_symbols *symbols;

	list_for_each_entry(symbols, &known_modules, list)
		if (symbols->mod == mod)
			return symbols;
	return read_symbols(mod);
}

/* How many symbols are at or in front of an address. */
static size_t symbols_up_to(const struct module_symbols *symbols, unsigned long addr)
{
	size_t low = 0, high = symbols->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (symbols->symbol[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static unsigned long end_of_memory(const struct module *mod, unsigned long addr)
{
	for_each_mod_mem_type(type) {
		const struct module_memory *mem = &mod->mem[type];

		if (addr - (unsigned long)mem->base < mem->size)
			return (unsigned long)mem->base + mem->size;
	}
	return addr;
}

static bool find_in_module(struct module *mod, unsigned long addr,
			   struct kprobe_function *f)
{
	struct module_symbols *symbols;
	size_t n;

	symbols = mod ? symbols_of(mod) : NULL;
	n = symbols ? symbols_up_to(symbols, addr) : 0;
	if (!n)
		return false;
	f->start = symbols->symbol[n - 1].addr;
	f->kind = symbols->symbol[n - 1].kind;
	f->end = end_of_memory(mod, addr);
	if (n < symbols->nr)
		f->end = min(f->end, symbols->symbol[n].addr);
	return true;
}

static void drop_symbols(const struct module *mod)
{
	struct module_symbols *symbols, *next;

	list_for_each_entry_safe(symbols, next, &known_modules, list) {
		if (symbols->mod != mod)
			continue;
		list_del(&symbols->list);
		kvfree(symbols);
	}
}
#else
static bool find_in_module(struct module *mod, unsigned long addr,
			   struct kprobe_function *f)
{
	return false;
}

static void drop_symbols(const struct module *mod) { }
#endif

/* Finds the function around an address without a lock, in a module by a linear search. */
bool kprobe_ask_kallsyms(unsigned long addr, struct kprobe_function *f)
{
	char name[KSYM_NAME_LEN], *module;
	unsigned long size, offset;
	const char *symbol;

	symbol = kallsyms_lookup(addr, &size, &offset, &module, name);
	if (!symbol)
		return false;
	f->start = addr - offset;
	f->end = f->start + size;
	f->kind = kind_of(symbol);
	return true;
}

static bool find_function(struct module *mod, unsigned long addr, struct kprobe_function *f)
{
	return find_in_module(mod, addr, f) || kprobe_ask_kallsyms(addr, f);
}

/* Finds the function around an address. May sleep: sorts a module's symbols at the first call. */
bool kprobe_find_function(unsigned long addr, struct kprobe_function *f)
{
	lockdep_assert_held(&kprobe_mutex);
	return find_function(kprobe_module_of(addr), addr, f);
}

/* As kprobe_find_function(), with a cache for one hold of kprobe_mutex. May sleep. */
bool kprobe_lookup_function(struct kprobe_lookup *lookup, unsigned long addr,
			    struct kprobe_function *f)
{
	struct kprobe_function *last = &lookup->function;
	struct module *mod;

	if (!kprobe_is_in_function(last, addr)) {
		mod = kprobe_module_of(addr);
		if (!find_function(mod, addr, f))
			return false;
		if (addr >= f->end)
			return true;
		*last = *f;
		lookup->module = mod;
		lookup->unpatched = f->end;
	}
	*f = *last;
	return true;
}

/* Forgets the symbols of a module whose text comes or goes. */
void kprobe_drop_functions(const struct module *mod)
{
	lockdep_assert_held(&kprobe_mutex);
	drop_symbols(mod);
}
