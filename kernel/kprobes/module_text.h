/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_MODULE_TEXT_H
#define _KERNEL_KPROBES_MODULE_TEXT_H

/* module_text.c: finds the module of an address */
#include <linux/kprobe_reason.h>

struct module;

enum kprobe_reason kprobe_check_module_text(const struct module *known, unsigned long addr);
#ifdef CONFIG_MODULES
struct module *kprobe_module_of(unsigned long addr);
#else
static inline struct module *kprobe_module_of(unsigned long addr)
{
	return NULL;
}
#endif
int kprobe_module_comes(struct module *mod);
void kprobe_module_has_come(struct module *mod);

#endif /* _KERNEL_KPROBES_MODULE_TEXT_H */
