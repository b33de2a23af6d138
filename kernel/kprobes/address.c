// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a probe goes, and whether it may go there.
 *
 * A user names a symbol or an address, and an offset. kprobe_resolve() makes the probed address
 * of these, and kprobe_check_address() looks for what forbids a probe there: no text, the
 * blacklist, a subsystem that patches or reads the text, or no instruction that begins there.
 * Registration calls both under kprobe_mutex, and the answers hold until that is released:
 * module notifiers take it, so text neither comes nor goes meanwhile.
 */
#include <linux/kallsyms.h>
#include <linux/kmsan-checks.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/overflow.h>
#include <asm/sections.h>

#include "address.h"
#include "blacklist.h"
#include "examine.h"
#include "function.h"
#include "index.h"
#include "reason.h"

/**
 * kprobe_lookup_name() - find a symbol
 * @name:   its name, "module:name" for a module's
 * @offset: not used; some architectures once looked elsewhere for the entry
 *
 * Context: Process context, may sleep.
 * Return: The symbol's address, NULL if there is none.
 */
kprobe_opcode_t *kprobe_lookup_name(const char *name, unsigned int offset)
{
	return (kprobe_opcode_t *)kallsyms_lookup_name(name);
}

static enum kprobe_reason check_symbol(const struct kprobe_function *f)
{
	switch (f->kind) {
	case KPROBE_SYMBOL_PREFIX:
		return KPROBE_REASON_PREFIX;
	case KPROBE_SYMBOL_TRAMPOLINE:
		return KPROBE_REASON_TRAMPOLINE;
	default:
		return KPROBE_REASON_NONE;
	}
}

/*
 * Is the code at the symbol entered by a call? A cold part is entered by a jump, and a return
 * trampoline by a return: neither has a return address.
 */
static bool is_called(const struct kprobe_function *f)
{
	return !(f->kind == KPROBE_SYMBOL_COLD && kprobe_is_cold_part(f->start)) &&
	       !kprobe_is_return_trampoline(f->start) && arch_kprobe_is_called(f->start);
}

/* Sets @addr to where a probe at @at goes. The two may differ at a function's entry. */
static enum kprobe_reason place_in_function(const struct kprobe_function *f, unsigned long at,
					    unsigned long *addr, bool *on_func_entry)
{
	enum kprobe_reason reason = check_symbol(f);

	if (reason)
		return reason;
	*addr = (unsigned long)arch_kprobe_entry(f->start, at - f->start,
						 on_func_entry);
	/* KMSAN has not seen the write: the architecture's code is not instrumented. */
	kmsan_unpoison_memory(on_func_entry, sizeof(*on_func_entry));
	if (*on_func_entry && !is_called(f))
		*on_func_entry = false;
	return KPROBE_REASON_NONE;
}

/*
 * As place_in_function(), with @f NULL if there is no symbol. Some kernels still have symbols
 * for init text that was freed and others have none: the reason is the same for both.
 */
static enum kprobe_reason place_at(const struct kprobe_function *f, unsigned long at,
				   unsigned long *addr, bool *on_func_entry)
{
	enum kprobe_reason reason = f ? place_in_function(f, at, addr, on_func_entry) :
					KPROBE_REASON_NO_TEXT;

	if (reason && is_kernel_inittext(at) && !core_kernel_text(at))
		return KPROBE_REASON_INIT_TEXT;
	return reason;
}

/*
 * Sets @addr to a symbol's address plus @offset. That may be past the symbol's end, since perf
 * names every place by its distance from _text. The caller checks the place.
 */
static enum kprobe_reason resolve_symbol(const char *name, unsigned int offset,
					 unsigned long *addr)
{
	unsigned long base;

	if (kprobe_is_prefix_symbol(name))
		return KPROBE_REASON_PREFIX;
	base = (unsigned long)kprobe_lookup_name(name, offset);
	if (!base)
		return KPROBE_REASON_SYMBOL;
	return check_add_overflow(base, offset, addr) ? KPROBE_REASON_NO_TEXT :
							KPROBE_REASON_NONE;
}

/* Sets @at to the place that a probe names. */
static enum kprobe_reason find_place(const struct kprobe *p, unsigned long *at)
{
	if (!p->symbol_name == !p->addr)
		return p->addr ? KPROBE_REASON_BOTH : KPROBE_REASON_NEITHER;
	if (p->symbol_name)
		return resolve_symbol(p->symbol_name, p->offset, at);
	if (check_add_overflow((unsigned long)p->addr, p->offset, at))
		return KPROBE_REASON_NO_TEXT;
	return KPROBE_REASON_NONE;
}

/*
 * Sets @addr to the address that the user of @p wants to probe, and @on_func_entry to whether
 * that is a function's entry. Returns why there is no such place.
 */
enum kprobe_reason kprobe_resolve(const struct kprobe *p, struct kprobe_lookup *lookup,
				  unsigned long *addr, bool *on_func_entry)
{
	struct kprobe_function f;
	unsigned long at;
	enum kprobe_reason reason = find_place(p, &at);

	if (reason)
		return reason;
	return place_at(kprobe_lookup_function(lookup, at, &f) ? &f : NULL, at, addr,
			on_func_entry);
}

/**
 * kprobe_on_func_entry() - check whether a place is a function's entry
 * @addr:   an address, or NULL
 * @sym:    a symbol, if @addr is NULL
 * @offset: bytes from there
 *
 * Context: Process context, may sleep. Takes no lock of kprobes: perf asks while it holds the
 * lock of a context, which CPU hotplug takes, and a registration waits for CPU hotplug.
 * Return: 0 if it is, -EINVAL if not, -ENOENT if the symbol is unknown.
 */
int kprobe_on_func_entry(kprobe_opcode_t *addr, const char *sym,
			 unsigned long offset)
{
	const struct kprobe p = {
		.addr = addr,
		.symbol_name = sym,
		.offset = offset,
	};
	struct kprobe_function f;
	unsigned long at, ignored;
	bool on_entry = false;
	enum kprobe_reason reason = find_place(&p, &at);

	if (!reason)
		reason = place_at(kprobe_ask_kallsyms(at, &f) ? &f : NULL, at, &ignored, &on_entry);
	if (reason)
		return kprobe_reason_errno(reason);
	return on_entry ? 0 : -EINVAL;
}

static bool is_blacklisted(struct kprobe_lookup *lookup, unsigned long addr)
{
	return (addr < lookup->allowed || addr > lookup->allowed_last) &&
	       !kprobe_blacklist_gap(addr, &lookup->allowed, &lookup->allowed_last);
}

/* Does another subsystem patch the instruction, or read its bytes? */
static enum kprobe_reason check_reserved(struct kprobe_lookup *lookup, unsigned long addr)
{
	if (!IS_ENABLED(CONFIG_KPROBES_ON_FTRACE) && ftrace_location(addr) == addr)
		return KPROBE_REASON_RESERVED;
	return kprobe_text_is_reserved(lookup, addr, addr + 1) ? KPROBE_REASON_RESERVED :
								 KPROBE_REASON_NONE;
}

static enum kprobe_reason check_place(struct kprobe_lookup *lookup, unsigned long addr)
{
	enum kprobe_reason reason;

	lockdep_assert_held(&kprobe_mutex);
	reason = kprobe_check_text(addr);
	if (reason)
		return reason;
	return is_blacklisted(lookup, addr) ? KPROBE_REASON_BLACKLIST : KPROBE_REASON_NONE;
}

/* As kprobe_check_address(), for an address where an instruction is known to begin. */
enum kprobe_reason kprobe_check_boundary(struct kprobe_lookup *lookup, unsigned long addr)
{
	return check_place(lookup, addr) ?: check_reserved(lookup, addr);
}

/* Why no probe may be set at an address. The answer holds as long as kprobe_mutex is held. */
enum kprobe_reason kprobe_check_address(struct kprobe_lookup *lookup, unsigned long addr)
{
	enum kprobe_reason reason = check_place(lookup, addr);

	if (!reason && !kprobe_is_boundary(lookup, addr))
		return KPROBE_REASON_INSIDE;
	return reason ?: check_reserved(lookup, addr);
}
