/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_RESERVED_H
#define _KERNEL_KPROBES_RESERVED_H

/* reserved.c: text that other subsystems patch, read, or jump to */
#include <linux/extable.h>
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/static_call_types.h>
#include <linux/uaccess.h>

/* From the linker script: bounds of the kernel's tables, which no base header declares. */
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

/*
 * A module's jump labels are sorted while it comes, when its text can be probed already.
 * Who searches them for @addr holds what jump_label holds then. Before text_mutex, as there.
 */
static inline void kprobe_reserved_lock(unsigned long addr)
{
	if (!core_kernel_text(addr))
		jump_label_lock();
}

static inline void kprobe_reserved_unlock(unsigned long addr)
{
	if (!core_kernel_text(addr))
		jump_label_unlock();
}

bool kprobe_text_is_reserved(struct module *mod, unsigned long start,
			     unsigned long end);
bool kprobe_jump_label_lands_in(struct module *mod, unsigned long start,
				unsigned long end);
bool kprobe_fixup_lands_in(struct module *mod, unsigned long start,
			   unsigned long end);
bool kprobe_fault_is_expected(struct module *mod, unsigned long start,
			      unsigned long end);
unsigned long kprobe_next_label_target(struct module *mod, unsigned long *site,
				       unsigned long end);
unsigned long kprobe_next_fixup(struct module *mod, unsigned long *site,
				unsigned long end);
unsigned long kprobe_cfi_check(const void *first, size_t i);

#endif /* _KERNEL_KPROBES_RESERVED_H */
