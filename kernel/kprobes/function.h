/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_FUNCTION_H
#define _KERNEL_KPROBES_FUNCTION_H

/* function.c: functions, and where instructions begin */
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
bool kprobe_find_function(unsigned long addr, struct kprobe_function *f);
bool kprobe_is_boundary(unsigned long addr);
void kprobe_drop_functions(const struct module *mod);

#endif /* _KERNEL_KPROBES_FUNCTION_H */
