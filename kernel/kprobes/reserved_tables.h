/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_RESERVED_TABLES_H
#define _KERNEL_KPROBES_RESERVED_TABLES_H

/* reserved_tables.c: tables of addresses that other subsystems have */
#include <linux/bug.h>
#include <linux/extable.h>
#include <linux/static_call.h>
#include <linux/types.h>
#include <linux/uaccess.h>

struct module;

/* Bounds of the kernel's tables, from the linker script. No header of the base declares them. */
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
extern struct static_call_site __start_static_call_sites[];
extern struct static_call_site __stop_static_call_sites[];
#endif

#ifdef CONFIG_GENERIC_BUG
extern struct bug_entry __start___bug_table[];
extern struct bug_entry __stop___bug_table[];
#endif

extern struct exception_table_entry __start___ex_table[];
extern struct exception_table_entry __stop___ex_table[];

#ifdef CONFIG_ARCH_USES_CFI_TRAPS
extern s32 __start___kcfi_traps[];
extern s32 __stop___kcfi_traps[];
#endif

/**
 * struct reserved_table - a table of addresses that belongs to another subsystem
 * @first: its first entry
 * @nr:    number of entries
 * @addr:  returns the address of interest in an entry
 */
struct reserved_table {
	const void *first;
	size_t nr;
	unsigned long (*addr)(const void *first, size_t i);
};

static inline unsigned long reserved_table_addr(const struct reserved_table *table, size_t i)
{
	return table->addr(table->first, i);
}

/* Each returns a module's table, or the kernel's for NULL. */

#ifdef CONFIG_JUMP_LABEL
struct reserved_table kprobe_label_sites(const struct module *mod);
struct reserved_table kprobe_label_targets(const struct module *mod);
#else
#define kprobe_label_sites	NULL
#define kprobe_label_targets	NULL
#endif

#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
struct reserved_table kprobe_call_sites(const struct module *mod);
#else
#define kprobe_call_sites	NULL
#endif

#ifdef CONFIG_GENERIC_BUG
struct reserved_table kprobe_bug_sites(const struct module *mod);
#else
#define kprobe_bug_sites	NULL
#endif

#ifdef CONFIG_ARCH_USES_CFI_TRAPS
struct reserved_table kprobe_cfi_checks(const struct module *mod);
#else
#define kprobe_cfi_checks	NULL
#endif

struct reserved_table kprobe_fixup_targets(const struct module *mod);
struct reserved_table kprobe_fault_sites(const struct module *mod);

unsigned long kprobe_cfi_check(const void *first, size_t i);

#endif /* _KERNEL_KPROBES_RESERVED_TABLES_H */
