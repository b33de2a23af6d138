// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds functions by kallsyms, and tells by their names what symbols stand for. */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/static_call_types.h>
#include <linux/string.h>

#include "function.h"

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
