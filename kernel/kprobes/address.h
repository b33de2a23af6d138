/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_ADDRESS_H
#define _KERNEL_KPROBES_ADDRESS_H

/* address.c: finds the address of a probe, tells whether a probe or a jump may be there */
#include <linux/compiler.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kprobe_point.h>
#include <linux/rethook.h>
#include <linux/types.h>

struct kprobe_lookup;

enum kprobe_reason kprobe_resolve(const struct kprobe *p, struct kprobe_lookup *lookup,
				  unsigned long *addr, bool *on_func_entry);
enum kprobe_reason kprobe_check_address(struct kprobe_lookup *lookup, unsigned long addr,
					bool begins);
bool kprobe_text_is_reserved(struct kprobe_lookup *lookup, unsigned long start,
			     unsigned long end);
enum kprobe_reason kprobe_examine_site(struct kprobe_lookup *lookup, unsigned long site);
u32 kprobe_examine_scratch(struct kprobe_lookup *lookup, unsigned long addr);
enum kprobe_reason kprobe_examine(const struct kprobe_isa *isa, struct kprobe_region *region,
				  struct kprobe_lookup *lookup, unsigned long site,
				  unsigned long from);
enum kprobe_reason kprobe_examine_point(struct kprobe_point *point,
					struct kprobe_lookup *lookup,
					struct kprobe_region *region);

/* Does the function graph tracer or a rethook have traced functions return to @addr? */
static __always_inline bool kprobe_is_return_trampoline(unsigned long addr)
{
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	if (addr == (unsigned long)dereference_kernel_function_descriptor(return_to_handler))
		return true;
#endif
	return IS_ENABLED(CONFIG_RETHOOK) && is_rethook_trampoline(addr);
}

#endif /* _KERNEL_KPROBES_ADDRESS_H */
