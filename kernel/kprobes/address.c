// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From what a caller asked for to an address that can be probed, or a reason
 * why not.
 */
#include <linux/bug.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/memory.h>
#include <linux/module.h>
#include <linux/static_call.h>
#include <linux/static_call_types.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/sections.h>

#include "internal.h"

/**
 * kprobe_lookup_name() - find a symbol
 * @name:   its name, "module:name" for a module's
 * @offset: not used; some architectures once looked elsewhere for the entry
 *
 * Context: Process context, may sleep.
 * Return: The symbol's address, NULL when there is none.
 */
kprobe_opcode_t *kprobe_lookup_name(const char *name, unsigned int offset)
{
	return (kprobe_opcode_t *)kallsyms_lookup_name(name);
}
NOKPROBE_SYMBOL(kprobe_lookup_name);

/* Bytes in front of a function, that only indirect calls' checks may read. */
static bool is_prefix_symbol(const char *name)
{
	const char *colon = strchr(name, ':');

	name = colon ? colon + 1 : name;
	return strstarts(name, "__cfi_") || strstarts(name, "__pfx_");
}

/* A static call's trampoline: a jump that is patched to go elsewhere. */
static bool is_static_call_trampoline(const char *name)
{
	return strstarts(name, STATIC_CALL_TRAMP_PREFIX_STR);
}

static int check_symbol_at(unsigned long addr)
{
	char name[KSYM_NAME_LEN];

	if (lookup_symbol_name(addr, name))
		return 0;
	return is_prefix_symbol(name) || is_static_call_trampoline(name) ?
	       -EINVAL : 0;
}

/* Any place in a function becomes the place where the probe goes. */
static int settle(unsigned long at, unsigned long *addr, bool *on_func_entry)
{
	unsigned long size, offset;
	int ret;

	if (!kallsyms_lookup_size_offset(at, &size, &offset))
		return -EINVAL;
	ret = check_symbol_at(at);
	if (ret)
		return ret;
	*addr = (unsigned long)arch_kprobe_entry(at - offset, offset,
						 on_func_entry);
	return 0;
}

/*
 * An offset that leaves the function is a mistake, unless it is the distance
 * to another symbol: that is how tools name a place by the one in front of it.
 */
static bool is_offset_valid(unsigned long base, unsigned int offset)
{
	unsigned long size, at;

	if (!kallsyms_lookup_size_offset(base, &size, &at))
		return false;
	if (offset < size - at)
		return true;
	return kallsyms_lookup_size_offset(base + offset, &size, &at) && !at;
}

static int resolve_symbol(const char *name, unsigned int offset,
			  unsigned long *addr)
{
	unsigned long base;

	if (is_prefix_symbol(name))
		return -EINVAL;
	base = (unsigned long)kprobe_lookup_name(name, offset);
	if (!base)
		return -ENOENT;
	if (!is_offset_valid(base, offset))
		return -EINVAL;
	*addr = base + offset;
	return 0;
}

/**
 * kprobe_resolve() - where does the caller want the probe?
 * @p:             the probe, as the caller filled it in
 * @addr:          set to the address to probe
 * @on_func_entry: set to whether that is a function's entry
 *
 * Context: Process context, may sleep.
 * Return: 0. -EINVAL when not just one of symbol and address is given, the
 * offset is behind the function's end, or no function is there; -ENOENT when
 * the symbol is unknown.
 */
int kprobe_resolve(const struct kprobe *p, unsigned long *addr,
		   bool *on_func_entry)
{
	unsigned long at;
	int ret;

	if (!p->symbol_name == !p->addr)
		return -EINVAL;
	if (p->symbol_name) {
		ret = resolve_symbol(p->symbol_name, p->offset, &at);
		if (ret)
			return ret;
	} else {
		at = (unsigned long)p->addr + p->offset;
	}
	ret = settle(at, addr, on_func_entry);
	/* Text that is known, but already freed, has lost its symbols. */
	if (ret && !p->symbol_name && is_kernel_inittext(at))
		return -ENOENT;
	return ret;
}
NOKPROBE_SYMBOL(kprobe_resolve);

/**
 * kprobe_on_func_entry() - does a place count as a function's entry?
 * @addr:   an address, or NULL
 * @sym:    a symbol, if @addr is NULL
 * @offset: bytes from there
 *
 * Context: Process context, may sleep.
 * Return: 0 when it does, -EINVAL when not, -ENOENT when the symbol is
 * unknown.
 */
int kprobe_on_func_entry(kprobe_opcode_t *addr, const char *sym,
			 unsigned long offset)
{
	const struct kprobe p = {
		.addr = addr,
		.symbol_name = sym,
		.offset = offset,
	};
	unsigned long ignored;
	bool on_entry;
	int ret;

	ret = kprobe_resolve(&p, &ignored, &on_entry);
	if (ret)
		return ret;
	return on_entry ? 0 : -EINVAL;
}
NOKPROBE_SYMBOL(kprobe_on_func_entry);

#ifdef CONFIG_MODULES
#ifdef CONFIG_JUMP_LABEL
static bool has_jump_label(const struct module *mod, unsigned long addr)
{
	struct jump_entry *entry = mod->jump_entries;
	struct jump_entry *end = entry + mod->num_jump_entries;

	for (; entry < end; entry++)
		if (jump_entry_code(entry) == addr)
			return true;
	return false;
}
#else
static bool has_jump_label(const struct module *mod, unsigned long addr)
{
	return false;
}
#endif

#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
static bool has_static_call(const struct module *mod, unsigned long addr)
{
	struct static_call_site *site = mod->static_call_sites;
	struct static_call_site *end = site + mod->num_static_call_sites;

	for (; site < end; site++)
		if ((unsigned long)&site->addr + site->addr == addr)
			return true;
	return false;
}
#else
static bool has_static_call(const struct module *mod, unsigned long addr)
{
	return false;
}
#endif

/*
 * What jump_label_text_reserved() and static_call_text_reserved() would say of
 * a module. Both hold on to the module for a moment, so that rmmod may fail,
 * and the former does not tell what it has found.
 */
static bool is_module_patch_site(unsigned long addr)
{
	struct module *mod;

	guard(preempt)();
	mod = __module_text_address(addr);
	return mod && (has_jump_label(mod, addr) || has_static_call(mod, addr));
}
#else
static bool is_module_patch_site(unsigned long addr)
{
	return false;
}
#endif /* CONFIG_MODULES */

static bool is_kernel_patch_site(unsigned long addr)
{
	bool found;

	jump_label_lock();
	found = jump_label_text_reserved((void *)addr, (void *)addr);
	jump_label_unlock();
	return found || static_call_text_reserved((void *)addr, (void *)addr);
}

/* Does somebody else patch this place, or look at its bytes? */
static bool is_reserved_text(unsigned long addr)
{
	if (!IS_ENABLED(CONFIG_KPROBES_ON_FTRACE) && ftrace_location(addr) == addr)
		return true;
	if (IS_ENABLED(CONFIG_GENERIC_BUG) && find_bug(addr))
		return true;
	return core_kernel_text(addr) ? is_kernel_patch_site(addr) :
					is_module_patch_site(addr);
}

/* Everything that executes but was never compiled is not for probes. */
static int check_text(unsigned long addr)
{
	if (core_kernel_text(addr))
		return 0;
	if (is_kernel_inittext(addr))
		return -ENOENT;
	return kprobe_check_module_text(addr);
}

static bool is_boundary(unsigned long addr)
{
	unsigned long size, offset;
	int ret;

	if (!kallsyms_lookup_size_offset(addr, &size, &offset))
		return false;
	mutex_lock(&text_mutex);
	ret = arch_kprobe_check_boundary(addr, addr - offset);
	mutex_unlock(&text_mutex);
	return !ret;
}

/**
 * kprobe_check_address() - may a probe be set here?
 * @addr: a resolved address
 *
 * What it finds stays true until the caller lets go of kprobe_mutex: text can
 * neither come nor go meanwhile.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: 0. -EINVAL when it is not text, blacklisted, or somebody else's
 * patch site; -ENOENT when it is text that is about to go or has gone;
 * -EILSEQ when it is inside an instruction.
 */
int kprobe_check_address(unsigned long addr)
{
	int ret;

	lockdep_assert_held(&kprobe_mutex);
	ret = check_text(addr);
	if (ret)
		return ret;
	if (within_kprobe_blacklist(addr) || is_reserved_text(addr))
		return -EINVAL;
	return is_boundary(addr) ? 0 : -EILSEQ;
}
NOKPROBE_SYMBOL(kprobe_check_address);

/**
 * kprobe_read_insn() - read text as it is without breakpoints of probes
 * @addr: where to start
 * @buf:  where to put the bytes
 * @size: how many are wanted
 *
 * Context: Process context, text_mutex held, so that no other patching is
 * under way.
 * Return: How many bytes could be read: fewer than @size where text ends.
 */
int kprobe_read_insn(unsigned long addr, u8 *buf, size_t size)
{
	struct kprobe_point *point;
	size_t i;

	lockdep_assert_held(&text_mutex);
	while (size && copy_from_kernel_nofault(buf, (void *)addr, size))
		size--;
	guard(rcu)();
	for (i = 0; i < size; i++) {
		point = kprobe_point_lookup(addr + i);
		if (point && point->mechanism == KPROBE_BREAKPOINT)
			memcpy(buf + i, point->insn,
			       min(sizeof(*point->insn), size - i));
	}
	return size;
}
NOKPROBE_SYMBOL(kprobe_read_insn);
