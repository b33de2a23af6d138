/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_SYMBOL_H
#define _KERNEL_KPROBES_SYMBOL_H

/* symbol.c: the symbol that a name means */
#include <linux/kprobe_reason.h>
#include <linux/types.h>

enum kprobe_reason kprobe_find_symbol(const char *name, bool any, unsigned long *addr);
void kprobe_list_candidates(const char *name, char *text, size_t size);

#endif /* _KERNEL_KPROBES_SYMBOL_H */
