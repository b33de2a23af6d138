/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_RESERVED_H
#define _KERNEL_KPROBES_RESERVED_H

/* reserved.c: text that other subsystems patch or read, and where their tables lead to */
#include <linux/bits.h>
#include <linux/extable.h>
#include <linux/static_call.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <asm/kprobes.h>

struct kprobe_lookup;
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

/*
 * How far in front of its trap the instructions are that a report of kCFI reads. 0 is the trap
 * itself, for architectures whose report reads none.
 */
#ifndef KPROBE_CFI_CHECK
#define KPROBE_CFI_CHECK	{ 0 }
#endif

/* What the tables say of an address: bits, since callers may ask for several. */
#define KPROBE_TEXT_RESERVED	BIT(0)	/* patched or read by another subsystem */
#define KPROBE_TEXT_FAULTS	BIT(1)	/* an exception table has a fixup for the instruction */
#define KPROBE_TEXT_LANDED	BIT(2)	/* a jump label or a fixup leads there */

int kprobe_make_index(const struct module *mod);
int kprobe_index_text(unsigned long addr);
void kprobe_drop_index(const struct module *mod);

bool kprobe_any_in(u32 kinds, unsigned long start, unsigned long end);
unsigned long kprobe_next_target(unsigned long *site, unsigned long end);
bool kprobe_fixup_is_shared(unsigned long start, unsigned long end);
bool kprobe_text_is_reserved(struct kprobe_lookup *lookup, unsigned long start,
			     unsigned long end);

#endif /* _KERNEL_KPROBES_RESERVED_H */
