// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which symbol a name means. A name is
 *
 *   f		the only function of this name: in the kernel, or else in any module
 *   module:f	the only one of the module
 *   f,N	the N-th symbol of this name, counted from 1 in the order of kallsyms, as livepatch
 *		does (sympos): of the kernel, or of the module that is named. f,0 is f
 *   f		if no function has it, but one has .f: that
 *   f.*	the only clone that a compiler has made of f, as f.isra.0
 *
 * Symbols of data count for N alone. Nothing is known of clones but their names: f.isra.0 takes
 * other arguments than f.
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/seq_buf.h>
#include <linux/string.h>
#include <asm/sections.h>

#include "place.h"

/**
 * struct wanted - what a name asks for
 * @in_module: a module is named
 * @clones:    a clone is wanted, and @name ends with the dot in front of the suffix
 * @position:  which of the symbols of this name, 0: the only one
 * @module:    the module's name
 * @name:      the symbol's
 */
struct wanted {
	bool in_module;
	bool clones;
	unsigned int position;
	char module[MODULE_NAME_LEN];
	char name[KSYM_NAME_LEN];
};

/**
 * struct search - a look through the symbols
 * @wanted:     what for
 * @clone:      the name of the clone that is looked at
 * @mod:        the module of the symbol that was seen last, NULL for the kernel
 * @seen:       how many symbols of it matched
 * @functions:  how many of them are in text
 * @addr:       the address of the one that is meant
 * @candidates: where to write the names that would mean one of them, or NULL
 */
struct search {
	struct wanted *wanted;
	const char *clone;
	const struct module *mod;
	unsigned int seen;
	unsigned int functions;
	unsigned long addr;
	struct seq_buf *candidates;
};

static bool parse(const char *text, struct wanted *w)
{
	const char *colon = strchr(text, ':');
	char *comma;
	size_t len;

	memset(w, 0, sizeof(*w));
	w->in_module = colon;
	if (colon) {
		if (colon - text >= sizeof(w->module))
			return false;
		memcpy(w->module, text, colon - text);
		text = colon + 1;
	}
	if (strscpy(w->name, text, sizeof(w->name)) <= 0)
		return false;
	comma = strchr(w->name, ',');
	if (comma) {
		*comma = '\0';
		if (kstrtouint(comma + 1, 10, &w->position))
			return false;
	}
	len = strlen(w->name);
	w->clones = len > 2 && !strcmp(w->name + len - 2, ".*");
	if (w->clones)
		w->name[len - 1] = '\0';
	return true;
}

/* The suffixes of GCC (ipa-*.cc) and of clang's thin link-time optimization. */
static bool is_clone(const char *name, const char *suffix)
{
	static const char * const suffixes[] = { "isra.", "constprop.", "part.", "llvm." };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (strstarts(suffix, suffixes[i]))
			return kprobe_symbol_kind(name) != KPROBE_SYMBOL_COLD;
	return false;
}

/* Init text counts also after it was freed: the place is then refused for that. */
static bool is_text(unsigned long addr)
{
	return core_kernel_text(addr) || is_kernel_inittext(addr) || is_module_text_address(addr);
}

/* Writes a name that means the symbol and no other. It was the last one to be seen. */
static void add_candidate(const struct search *s, unsigned long addr)
{
	if (seq_buf_used(s->candidates))
		seq_buf_putc(s->candidates, ' ');
	scoped_guard(preempt) {
		const struct module *mod = __module_address(addr);

		if (mod)
			seq_buf_printf(s->candidates, "%s:", mod->name);
	}
	if (s->wanted->clones)
		seq_buf_puts(s->candidates, s->clone);
	else
		seq_buf_printf(s->candidates, "%s,%u", s->wanted->name, s->seen);
	if (!s->mod)
		seq_buf_printf(s->candidates, " (_text+0x%lx)", addr - (unsigned long)_text);
}

/* For each symbol of the name that is wanted. */
static int see(void *data, unsigned long addr)
{
	struct search *s = data;
	const struct module *mod;

	scoped_guard(preempt)
		mod = __module_address(addr);
	if (mod != s->mod)
		s->seen = 0;
	s->mod = mod;
	s->seen++;
	if (s->wanted->position) {
		if (s->seen < s->wanted->position)
			return 0;
		s->addr = addr;
		return 1;
	}
	if (!is_text(addr)) {
		s->addr = s->addr ?: addr;
		return 0;
	}
	s->functions++;
	s->addr = addr;
	if (s->candidates)
		add_candidate(s, addr);
	return 0;
}

static int see_if_wanted(void *data, const char *name, unsigned long addr)
{
	const struct wanted *w = ((struct search *)data)->wanted;

	if (w->clones ? !strstarts(name, w->name) || !is_clone(name, name + strlen(w->name)) :
			strcmp(name, w->name))
		return 0;
	((struct search *)data)->clone = name;
	return see(data, addr);
}

static void search(struct search *s)
{
	const struct wanted *w = s->wanted;

	if (!w->in_module) {
		if (w->clones)
			kallsyms_on_each_symbol(see_if_wanted, s);
		else
			kallsyms_on_each_match_symbol(see, w->name, s);
		/* The order of modules is that of loading: positions mean nothing among them. */
		if (s->functions || w->position)
			return;
	}
	module_kallsyms_on_each_symbol(w->in_module ? w->module : NULL, see_if_wanted, s);
}

/*
 * If no function was found: where functions have descriptors, a name may be that of the descriptor
 * alone, and the function's name begins with a dot.
 */
static void search_behind_dot(const char *name, struct search *s)
{
	unsigned long data = s->addr;
	struct wanted *w = s->wanted;

	if (!IS_ENABLED(CONFIG_HAVE_FUNCTION_DESCRIPTORS) || s->functions || is_text(data) ||
	    !parse(name, w) || strlen(w->name) + 1 == sizeof(w->name))
		return;
	memmove(w->name + 1, w->name, sizeof(w->name) - 1);
	w->name[0] = '.';
	s->addr = 0;
	s->seen = 0;
	s->mod = NULL;
	search(s);
	s->addr = s->addr ?: data;
}

/*
 * Sets @addr to the address of the symbol that a name means. May sleep. @any: if there are several,
 * the first will do. To know that there is no other one, all symbols of all modules are compared.
 */
enum kprobe_reason kprobe_find_symbol(const char *name, bool any, unsigned long *addr)
{
	struct wanted wanted;
	struct search s = { .wanted = &wanted };

	if (any && !strpbrk(name, ",*"))
		s.addr = kallsyms_lookup_name(name);
	else if (parse(name, &wanted))
		search(&s);
	search_behind_dot(name, &s);
	if (!s.addr)
		return KPROBE_REASON_SYMBOL;
	if (s.functions > 1 && !any)
		return KPROBE_REASON_AMBIGUOUS;
	*addr = s.addr;
	return KPROBE_REASON_NONE;
}

/* Writes the names that mean one each of the symbols that an ambiguous name may mean. May sleep. */
void kprobe_list_candidates(const char *name, char *text, size_t size)
{
	struct seq_buf candidates;
	struct wanted wanted;
	struct search s = { .wanted = &wanted, .candidates = &candidates };

	seq_buf_init(&candidates, text, size);
	memset(text, 0, size);
	if (parse(name, &wanted))
		search(&s);
	search_behind_dot(name, &s);
	if (seq_buf_has_overflowed(&candidates))
		memcpy(text + min(strnlen(text, size), size - sizeof("...")), "...",
		       sizeof("..."));
}
