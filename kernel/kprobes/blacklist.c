// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The blacklist: functions that no probe may be set in, because a hit there
 * would recurse into itself or come where the kernel cannot take a trap.
 *
 * An entry is a function's range in an ordered tree. The entries come from
 * NOKPROBE_SYMBOL(), from whole sections (.kprobes.text, .noinstr.text), from
 * the architecture, and for a module's text from the module, for as long as it
 * is loaded.
 */
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/maple_tree.h>
#include <linux/module.h>
#include <linux/xarray.h>
#include <asm/sections.h>

#include "internal.h"

/* Ranges of text; the value only says that there is one. */
static struct maple_tree blacklist = MTREE_INIT(blacklist, MT_FLAGS_USE_RCU);

/**
 * kprobe_blacklist_add_function() - forbid probes in a function
 * @entry: an address in it
 *
 * Context: Process context, may sleep.
 * Return: Bytes from @entry to the function's end. -ENOENT when no function is
 * known there, -ENOMEM.
 */
int kprobe_blacklist_add_function(unsigned long entry)
{
	unsigned long size, offset, start;
	int ret;

	if (!kernel_text_address(entry) ||
	    !kallsyms_lookup_size_offset(entry, &size, &offset))
		return -ENOENT;
	start = entry - offset;
	ret = mtree_insert_range(&blacklist, start, start + size - 1,
				 xa_mk_value(1), GFP_KERNEL);
	/* Named twice, or in a section that is on the list as a whole. */
	if (ret && ret != -EEXIST)
		return ret;
	return size - offset;
}
NOKPROBE_SYMBOL(kprobe_blacklist_add_function);

/**
 * kprobe_blacklist_add_text() - forbid probes in a stretch of text
 * @start: its first byte
 * @end:   the byte behind it
 *
 * Context: Process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int kprobe_blacklist_add_text(unsigned long start, unsigned long end)
{
	while (start < end) {
		int ret = kprobe_blacklist_add_function(start);

		if (ret == -ENOMEM)
			return ret;
		/* A hole between symbols: on to the next possible one. */
		start += ret > 0 ? ret : 1;
	}
	return 0;
}
NOKPROBE_SYMBOL(kprobe_blacklist_add_text);

static void add_symbols(unsigned long *entry, unsigned long *end)
{
	for (; entry < end; entry++) {
		unsigned long addr;

		addr = (unsigned long)dereference_symbol_descriptor((void *)*entry);
		kprobe_blacklist_add_function(addr);
	}
}

/**
 * within_kprobe_blacklist() - is a probe forbidden here?
 * @addr: any address
 *
 * Context: Any.
 * Return: True when @addr is in a function that must not be probed.
 */
bool within_kprobe_blacklist(unsigned long addr)
{
	return mtree_load(&blacklist, addr);
}
NOKPROBE_SYMBOL(within_kprobe_blacklist);

/**
 * kprobe_blacklist_next() - walk the blacklist in order of address
 * @addr: where to start looking
 * @end:  set to the byte behind the entry found
 *
 * Context: Process context, or any in which RCU can be read.
 * Return: Start of the first entry at or behind @addr, 0 when there is none.
 */
unsigned long kprobe_blacklist_next(unsigned long addr, unsigned long *end)
{
	MA_STATE(mas, &blacklist, addr, addr);

	guard(rcu)();
	if (!mas_find(&mas, ULONG_MAX))
		return 0;
	*end = mas.last + 1;
	return mas.index;
}
NOKPROBE_SYMBOL(kprobe_blacklist_next);

#ifdef CONFIG_MODULES
/**
 * kprobe_blacklist_add_module() - take in what a module forbids
 * @mod: a module that is coming
 *
 * Context: Process context, may sleep.
 */
void kprobe_blacklist_add_module(struct module *mod)
{
	unsigned long text = (unsigned long)mod->kprobes_text_start;
	unsigned long no_instr = (unsigned long)mod->noinstr_text_start;

	if (mod->kprobe_blacklist)
		add_symbols(mod->kprobe_blacklist,
			    mod->kprobe_blacklist + mod->num_kprobe_blacklist);
	if (text)
		kprobe_blacklist_add_text(text, text + mod->kprobes_text_size);
	if (no_instr)
		kprobe_blacklist_add_text(no_instr,
					  no_instr + mod->noinstr_text_size);
}
NOKPROBE_SYMBOL(kprobe_blacklist_add_module);

/**
 * kprobe_blacklist_remove_memory() - forget what was forbidden in some memory
 * @mem: a part of a module, about to be freed
 *
 * Context: Process context, may sleep.
 */
void kprobe_blacklist_remove_memory(const struct module_memory *mem)
{
	unsigned long at = (unsigned long)mem->base;
	unsigned long end = at + mem->size;
	unsigned long behind;

	while ((at = kprobe_blacklist_next(at, &behind)) && at < end) {
		mtree_erase(&blacklist, at);
		at = behind;
	}
}
NOKPROBE_SYMBOL(kprobe_blacklist_remove_memory);

/**
 * kprobe_blacklist_remove_module() - forget what a module forbade
 * @mod: a module that is going
 *
 * Context: Process context, may sleep.
 */
void kprobe_blacklist_remove_module(struct module *mod)
{
	for_each_mod_mem_type(type)
		kprobe_blacklist_remove_memory(&mod->mem[type]);
}
NOKPROBE_SYMBOL(kprobe_blacklist_remove_module);
#endif /* CONFIG_MODULES */

/**
 * kprobe_blacklist_init() - take in what the kernel itself forbids
 *
 * Context: Boot, before init memory is freed.
 * Return: 0 or a negative errno.
 */
int __init kprobe_blacklist_init(void)
{
	int ret;

	ret = kprobe_blacklist_add_text((unsigned long)__kprobes_text_start,
					(unsigned long)__kprobes_text_end);
	if (ret)
		return ret;
	ret = kprobe_blacklist_add_text((unsigned long)__noinstr_text_start,
					(unsigned long)__noinstr_text_end);
	if (ret)
		return ret;
	add_symbols(__start_kprobe_blacklist, __stop_kprobe_blacklist);
	return arch_kprobe_blacklist();
}
