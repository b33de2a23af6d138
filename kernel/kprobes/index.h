/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_INDEX_H
#define _KERNEL_KPROBES_INDEX_H

/* index.c: what the kernel's and modules' tables say of text, and which text can be probed now */
#include <linux/bits.h>
#include <linux/extable.h>
#include <linux/kprobe_reason.h>
#include <linux/static_call.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <asm/kprobes.h>

struct kprobe_function;
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

/* How far in front of its trap the instructions are that a report of kCFI reads; 0 is the trap. */
#ifndef KPROBE_CFI_CHECK
#define KPROBE_CFI_CHECK	{ 0 }
#endif

/* What the tables say of an address: bits, since callers may ask for several. */
#define KPROBE_TEXT_RESERVED	BIT(0)	/* patched or read by another subsystem */
#define KPROBE_TEXT_FAULTS	BIT(1)	/* an exception table has a fixup for the instruction */
#define KPROBE_TEXT_LANDED	BIT(2)	/* a jump label or a fixup leads there */
#define KPROBE_TEXT_SYMBOL	BIT(3)	/* a symbol of a module is there */

int kprobe_module_comes(struct module *mod);
void kprobe_module_has_come(struct module *mod);
enum kprobe_reason kprobe_check_text(unsigned long addr);
int kprobe_make_index(const struct module *mod);
void kprobe_drop_index(const struct module *mod);

bool kprobe_find_function(unsigned long addr, struct kprobe_function *f);
bool kprobe_lookup_function(struct kprobe_lookup *lookup, unsigned long addr,
			    struct kprobe_function *f);
bool kprobe_any_in(u32 kinds, unsigned long start, unsigned long end);
unsigned long kprobe_next_target(unsigned long *site, unsigned long end);
bool kprobe_fixup_is_shared(unsigned long start, unsigned long end);

#endif /* _KERNEL_KPROBES_INDEX_H */
