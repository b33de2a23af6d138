/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_FUNCTION_H
#define _KERNEL_KPROBES_FUNCTION_H

/* function.c: functions, and where instructions begin */
#include <linux/bitmap.h>
#include <linux/types.h>

struct module;

/**
 * enum kprobe_symbol - what a symbol of the text stands for
 * @KPROBE_SYMBOL_FUNCTION:   a function
 * @KPROBE_SYMBOL_COLD:       the part of a function that is hardly ever executed
 * @KPROBE_SYMBOL_PREFIX:     bytes in front of a function
 * @KPROBE_SYMBOL_TRAMPOLINE: the jump that makes a static call
 */
enum kprobe_symbol {
	KPROBE_SYMBOL_FUNCTION,
	KPROBE_SYMBOL_COLD,
	KPROBE_SYMBOL_PREFIX,
	KPROBE_SYMBOL_TRAMPOLINE,
};

/**
 * struct kprobe_function - a function, as far as symbols tell
 * @start: its first byte
 * @end:   the first one after it
 * @kind:  whether it is a function at all
 */
struct kprobe_function {
	unsigned long start;
	unsigned long end;
	enum kprobe_symbol kind;
};

bool kprobe_is_prefix_symbol(const char *name);
/* Larger functions are decoded anew each time. */
#define KPROBE_DECODED_MAX	4096

/**
 * struct kprobe_lookup - the function that was looked up last
 * @function: the function; @end is 0 at first
 * @module:   the module that it is in, or NULL
 * @decoded:  where @begins comes from: a function's start, 0 at first
 * @end:      it is known up to here
 * @begins:   where instructions begin, for each byte from @decoded on
 *
 * A registration asks for the same function several times, and the next one often once
 * more. Kept by the caller, for one hold of kprobe_mutex: text comes and goes under it.
 */
struct kprobe_lookup {
	struct kprobe_function function;
	struct module *module;
	unsigned long decoded;
	unsigned long end;
	DECLARE_BITMAP(begins, KPROBE_DECODED_MAX);
};

/* @begins is written when a function is decoded. */
static inline void kprobe_lookup_init(struct kprobe_lookup *lookup)
{
	lookup->function.end = 0;
	lookup->decoded = 0;
}

/* Of the function that was looked up last; NULL when @addr is elsewhere, or in the kernel. */
static inline struct module *kprobe_lookup_module(const struct kprobe_lookup *lookup,
						  unsigned long addr)
{
	const struct kprobe_function *last = &lookup->function;

	return addr >= last->start && addr < last->end ? lookup->module : NULL;
}

bool kprobe_find_function(unsigned long addr, struct kprobe_function *f);
bool kprobe_lookup_function(struct kprobe_lookup *lookup, unsigned long addr,
			    struct kprobe_function *f);
bool kprobe_is_boundary(struct kprobe_lookup *lookup, unsigned long addr);
void kprobe_drop_functions(const struct module *mod);

#endif /* _KERNEL_KPROBES_FUNCTION_H */
