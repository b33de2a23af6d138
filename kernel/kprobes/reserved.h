/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_RESERVED_H
#define _KERNEL_KPROBES_RESERVED_H

/* The kernel's tables, whose bounds the base declares where it uses them. */
#include <linux/extable.h>
#include <linux/static_call_types.h>
#include <linux/uaccess.h>

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

unsigned long kprobe_cfi_check(const void *first, size_t i);

#endif /* _KERNEL_KPROBES_RESERVED_H */
