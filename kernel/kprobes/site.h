/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_SITE_H
#define _KERNEL_KPROBES_SITE_H

/* site.c: single instructions, and the registers that nobody reads any more */
#include <linux/kprobe_isa.h>

#include "function.h"

/* The tables that lead out of a function without an instruction that jumps. */
#define KPROBE_EXIT_TABLES	2

struct kprobe_text;

typedef unsigned long kprobe_next_exit_t(const struct kprobe_text *text,
					 unsigned long *site, unsigned long end);

/**
 * struct kprobe_text - what is known of text besides its instructions
 * @read:      reads it as it is without probes; returns how many bytes there are
 * @find:      the function around an address
 * @is_whole:  all that jumps into the function's middle is in it, or in its cold
 *             part
 * @is_reserved: somebody else writes to bytes, or looks at them
 * @may_fault: an instruction there has an entry in an exception table
 * @is_landed_on: something leads there that is no instruction
 * @next_exit: where such things lead from a function, one table each: the target of
 *             the first one from @site on, which is set to the byte after it; 0 when
 *             there is none before @end
 * @is_thunk:  it is a thunk that jumps on to who knows where
 * @way_out:   where jumps may go that leave a function, of no interest; or 0
 * @lookup:    for those of them that need it
 */
struct kprobe_text {
	size_t (*read)(unsigned long addr, u8 *buf, size_t size);
	bool (*find)(const struct kprobe_text *text, unsigned long addr,
		     struct kprobe_function *function);
	bool (*is_whole)(const struct kprobe_function *function);
	bool (*is_reserved)(const struct kprobe_text *text, unsigned long start,
			    unsigned long end);
	bool (*may_fault)(const struct kprobe_text *text, unsigned long start,
			  unsigned long end);
	bool (*is_landed_on)(const struct kprobe_text *text, unsigned long start,
			     unsigned long end);
	kprobe_next_exit_t *next_exit[KPROBE_EXIT_TABLES];
	bool (*is_thunk)(unsigned long addr);
	unsigned long way_out;
	struct kprobe_lookup *lookup;
};

enum kprobe_reason kprobe_scan_site(const struct kprobe_isa *isa,
				    const struct kprobe_text *text, unsigned long site);
u32 kprobe_dead_scratch(const struct kprobe_isa *isa, const struct kprobe_text *text,
			const struct kprobe_function *function, unsigned long addr);

#endif /* _KERNEL_KPROBES_SITE_H */
