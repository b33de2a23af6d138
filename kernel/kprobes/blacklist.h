/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_BLACKLIST_H
#define _KERNEL_KPROBES_BLACKLIST_H

/* blacklist.c: text that must not be probed */
#include <linux/types.h>

struct module;
struct module_memory;

/* From the linker script: the bounds of the table of all NOKPROBE_SYMBOL()s. */
extern unsigned long __start_kprobe_blacklist[];
extern unsigned long __stop_kprobe_blacklist[];

int kprobe_blacklist_init(void);
int kprobe_blacklist_add_module(struct module *mod);
void kprobe_blacklist_remove_module(struct module *mod);
void kprobe_blacklist_remove_memory(const struct module_memory *mem);
bool kprobe_blacklist_gap(unsigned long addr, unsigned long *start, unsigned long *last);
unsigned long kprobe_blacklist_next(unsigned long addr, unsigned long *end);

#endif /* _KERNEL_KPROBES_BLACKLIST_H */
