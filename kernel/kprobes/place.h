/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_PLACE_H
#define _KERNEL_KPROBES_PLACE_H

/* Where probes, jumps and return probes may be. */
#include <linux/bits.h>
#include <linux/extable.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobe_point.h>
#include <linux/rethook.h>
#include <linux/static_call.h>
#include <linux/types.h>
#include <linux/uaccess.h>

#include "function.h"

struct module;
struct module_memory;

/* Bounds of the kernel's tables, from the linker script. No header of the base declares them. */
extern unsigned long __start_kprobe_blacklist[];
extern unsigned long __stop_kprobe_blacklist[];

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

/* index.c: what symbols and tables say of text, and which text can be probed now */
int kprobe_module_comes(struct module *mod);
void kprobe_module_has_come(struct module *mod);
enum kprobe_reason kprobe_check_text(unsigned long addr);
int kprobe_make_index(const struct module *mod);
void kprobe_drop_index(const struct module *mod);

bool kprobe_is_prefix_symbol(const char *name);
enum kprobe_symbol kprobe_symbol_kind(const char *name);
bool kprobe_is_cold_part(unsigned long addr);
bool kprobe_ask_kallsyms(unsigned long addr, struct kprobe_function *f);
bool kprobe_find_function(unsigned long addr, struct kprobe_function *f);
bool kprobe_lookup_function(struct kprobe_lookup *lookup, unsigned long addr,
			    struct kprobe_function *f);
bool kprobe_any_in(u32 kinds, unsigned long start, unsigned long end);
unsigned long kprobe_next_target(unsigned long *site, unsigned long end);
bool kprobe_fixup_is_shared(unsigned long start, unsigned long end);

/* symbol.c: the symbol that a name means */
enum kprobe_reason kprobe_find_symbol(const char *name, bool any, unsigned long *addr);
void kprobe_list_candidates(const char *name, char *text, size_t size);

/* blacklist.c: text that must not be probed */
int kprobe_blacklist_init(void);
int kprobe_blacklist_add_module(struct module *mod);
void kprobe_blacklist_remove_module(struct module *mod);
void kprobe_blacklist_remove_memory(const struct module_memory *mem);
bool kprobe_blacklist_gap(unsigned long addr, unsigned long *start, unsigned long *last);
unsigned long kprobe_blacklist_next(unsigned long addr, unsigned long *end);

/* address.c: finds the address of a probe, tells whether a probe or a jump may be there */
enum kprobe_reason kprobe_resolve(const struct kprobe *p, struct kprobe_lookup *lookup,
				  unsigned long *addr, bool *on_func_entry);
enum kprobe_reason kprobe_check_address(struct kprobe_lookup *lookup, unsigned long addr,
					bool begins);
enum kprobe_reason kprobe_text_reserved(struct kprobe_lookup *lookup, unsigned long start,
					unsigned long end);
enum kprobe_reason kprobe_examine_site(struct kprobe_lookup *lookup, unsigned long site);
bool kprobe_examine_state(struct kprobe_lookup *lookup);
u8 kprobe_examine_block(struct kprobe_lookup *lookup, unsigned long site);
u32 kprobe_examine_scratch(struct kprobe_lookup *lookup, unsigned long addr);
enum kprobe_reason kprobe_examine(const struct kprobe_isa *isa, struct kprobe_region *region,
				  struct kprobe_lookup *lookup, unsigned long site,
				  unsigned long from);
enum kprobe_reason kprobe_examine_point(struct kprobe_point *point, struct kprobe_lookup *lookup,
					struct kprobe_region *region);

/* The address of the code that a pointer to a function, or to any text, stands for. */
static inline unsigned long kprobe_code_address(void *pointer)
{
	return (unsigned long)dereference_symbol_descriptor(pointer) & ~KPROBE_POINTER_FLAGS;
}

/* Does the function graph tracer or a rethook have traced functions return to @addr? */
static __always_inline bool kprobe_is_return_trampoline(unsigned long addr)
{
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	if (addr == kprobe_code_address(return_to_handler))
		return true;
#endif
	return IS_ENABLED(CONFIG_RETHOOK) && is_rethook_trampoline(addr);
}

#endif /* _KERNEL_KPROBES_PLACE_H */
