/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_FUNCTION_H
#define _KERNEL_KPROBES_FUNCTION_H

/* What is known of text by symbols and tables. Hosts compile it too. */
#include <linux/bits.h>
#include <linux/types.h>

/* What the tables say of an address: bits, since callers may ask for several. */
#define KPROBE_TEXT_RESERVED	BIT(0)	/* patched or read by another subsystem */
#define KPROBE_TEXT_FAULTS	BIT(1)	/* an exception table has a fixup for the instruction */
#define KPROBE_TEXT_LANDED	BIT(2)	/* a jump label or a fixup leads there */
#define KPROBE_TEXT_SYMBOL	BIT(3)	/* a symbol of a module is there */

/**
 * enum kprobe_symbol - what a symbol of the text stands for
 * @KPROBE_SYMBOL_FUNCTION:   a function
 * @KPROBE_SYMBOL_COLD:       a function's rarely executed part, moved elsewhere by the
 *                            compiler, if the name is right: see kprobe_is_cold_part()
 * @KPROBE_SYMBOL_PREFIX:     bytes in front of a function
 * @KPROBE_SYMBOL_TRAMPOLINE: trampoline of a static call: a jump that is patched
 */
enum kprobe_symbol {
	KPROBE_SYMBOL_FUNCTION,
	KPROBE_SYMBOL_COLD,
	KPROBE_SYMBOL_PREFIX,
	KPROBE_SYMBOL_TRAMPOLINE,
};

/**
 * struct kprobe_function - the text from one symbol to the next
 * @start: its first byte
 * @end:   the first one after it
 * @kind:  what the symbol stands for
 */
struct kprobe_function {
	unsigned long start;
	unsigned long end;
	enum kprobe_symbol kind;
};

static inline bool kprobe_is_in_function(const struct kprobe_function *f, unsigned long addr)
{
	return addr >= f->start && addr < f->end;
}

/**
 * struct kprobe_lookup - cache of the function that was looked up last
 * @function: the function; its @end is 0 at first
 * @unpatched: ftrace patches nothing from here to the function's end
 * @allowed:  start of text around the last place that is not on the blacklist
 * @allowed_last: its last byte; less than @allowed at first
 * @surveyed: the survey in address.c was made with this cache
 *
 * A registration looks up the same function several times, and the next one of a chunk often
 * does so again. The cache is for one hold of kprobe_mutex: after that text may come or go.
 */
struct kprobe_lookup {
	struct kprobe_function function;
	unsigned long unpatched;
	unsigned long allowed;
	unsigned long allowed_last;
	bool surveyed;
};

/* Empties the cache. */
static inline void kprobe_lookup_init(struct kprobe_lookup *lookup)
{
	lookup->function.end = 0;
	lookup->allowed = 1;
	lookup->allowed_last = 0;
	lookup->surveyed = false;
}

#endif /* _KERNEL_KPROBES_FUNCTION_H */
