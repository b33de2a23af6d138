/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_SITE_H
#define _KERNEL_KPROBES_SITE_H

/* site.c: whether an instruction can be probed, and registers that are dead there */
#include <linux/kprobe_isa.h>

#include "function.h"

/**
 * struct kprobe_text - the text, and what is known of it besides instructions
 * @read:      reads the original bytes; returns how many there are
 * @find:      finds the function around an address
 * @is_whole:  whether all branches into the function's middle are in the function itself
 *             or in its cold part
 * @is_reserved: whether another subsystem patches or reads bytes
 * @may_fault: whether an instruction there has an entry in an exception table
 * @is_landed_on: whether a jump label or an exception fixup leads there
 * @next_exit: returns the target of the first jump label or exception fixup from @site on,
 *             and sets @site to the byte after the address of that; 0 if there is none
 *             before @end
 * @is_thunk:  whether an address is a thunk, which jumps to an unknown target
 * @way_out:   target of jumps that leave a function and can be ignored; or 0
 * @lookup:    cache for the functions above
 */
struct kprobe_text {
	size_t (*read)(unsigned long addr, u8 *buf, size_t size);
	bool (*find)(struct kprobe_lookup *lookup, unsigned long addr,
		     struct kprobe_function *function);
	bool (*is_whole)(const struct kprobe_text *text,
			 const struct kprobe_function *function);
	bool (*is_reserved)(const struct kprobe_text *text, unsigned long start,
			    unsigned long end);
	bool (*may_fault)(const struct kprobe_text *text, unsigned long start,
			  unsigned long end);
	bool (*is_landed_on)(const struct kprobe_text *text, unsigned long start,
			     unsigned long end);
	unsigned long (*next_exit)(const struct kprobe_text *text, unsigned long *site,
				   unsigned long end);
	bool (*is_thunk)(unsigned long addr);
	unsigned long way_out;
	struct kprobe_lookup *lookup;
};

enum kprobe_reason kprobe_scan_site(const struct kprobe_isa *isa,
				    const struct kprobe_text *text, unsigned long site);
u32 kprobe_dead_scratch(const struct kprobe_isa *isa, const struct kprobe_text *text,
			const struct kprobe_function *function, unsigned long addr);

#endif /* _KERNEL_KPROBES_SITE_H */
