/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_SCAN_H
#define _KERNEL_KPROBES_SCAN_H

/*
 * May a probe be here, may a jump? What instructions tell, on any architecture.
 * What only the kernel knows is asked of it: struct kprobe_text.
 */
#include <linux/kprobe_isa.h>

/**
 * enum kprobe_symbol - what a symbol of the text stands for
 * @KPROBE_SYMBOL_FUNCTION:   a function
 * @KPROBE_SYMBOL_COLD:       the part of a function that is hardly ever executed
 * @KPROBE_SYMBOL_PREFIX:     bytes in front of a function
 * @KPROBE_SYMBOL_TRAMPOLINE: the jump that makes a static call
 */
enum kprobe_symbol {
	KPROBE_SYMBOL_FUNCTION,
	KPROBE_SYMBOL_COLD,
	KPROBE_SYMBOL_PREFIX,
	KPROBE_SYMBOL_TRAMPOLINE,
};

/**
 * struct kprobe_function - a function, as far as symbols tell
 * @start: its first byte
 * @end:   the first one after it
 * @kind:  whether it is a function at all
 */
struct kprobe_function {
	unsigned long start;
	unsigned long end;
	enum kprobe_symbol kind;
};

/* The tables that lead out of a function without an instruction that jumps. */
#define KPROBE_EXIT_TABLES	2

typedef unsigned long kprobe_next_exit_t(unsigned long *site, unsigned long end);

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
 */
struct kprobe_text {
	size_t (*read)(unsigned long addr, u8 *buf, size_t size);
	bool (*find)(unsigned long addr, struct kprobe_function *function);
	bool (*is_whole)(const struct kprobe_function *function);
	bool (*is_reserved)(unsigned long start, unsigned long end);
	bool (*may_fault)(unsigned long start, unsigned long end);
	bool (*is_landed_on)(unsigned long start, unsigned long end);
	kprobe_next_exit_t *next_exit[KPROBE_EXIT_TABLES];
	bool (*is_thunk)(unsigned long addr);
	unsigned long way_out;
};

/**
 * struct kprobe_scan - what going through a function brings to light
 * @isa:      the instruction set; set by the caller
 * @start:    where the function, or the part of it, begins; set by the caller
 * @end:      where it ends; set by the caller
 * @site:     where the region begins: nobody may read it; set by the caller
 * @from:     landing from here on is noted; set by the caller
 * @to:       up to here, this address not included; set by the caller
 * @way_out:  where jumps may go that leave the function, of no interest; or 0
 * @landed:   a direct branch lands in the range
 * @pad:      the range has a landing pad for indirect branches
 * @indirect: there is a jump to where a register or memory points
 * @state:    the CPU may get into a state that C code must not find
 * @read:     something reads or executes the region where it stands
 * @skipped:  the instruction in front may skip the one at @site
 * @exit:     where the last instruction jumps to, if it is a jump, conditional
 *            or not, that leaves the function; else 0
 */
struct kprobe_scan {
	const struct kprobe_isa *isa;
	unsigned long start;
	unsigned long end;
	unsigned long site;
	unsigned long from;
	unsigned long to;
	unsigned long way_out;
	bool landed;
	bool pad;
	bool indirect;
	bool state;
	bool read;
	bool skipped;
	unsigned long exit;
};

unsigned int kprobe_scan_insn(struct kprobe_scan *scan, const u8 *bytes,
			      size_t avail, unsigned long addr);
bool kprobe_scan_may_matter(const struct kprobe_scan *scan, const u8 *bytes,
			    size_t nr, unsigned long addr);
enum kprobe_reason kprobe_scan_region(const struct kprobe_isa *isa,
				      const struct kprobe_text *text,
				      struct kprobe_region *region,
				      unsigned long site, unsigned long from);

/* site.c: single instructions, and the registers that nobody reads any more. */
enum kprobe_reason kprobe_scan_site(const struct kprobe_isa *isa,
				    const struct kprobe_text *text, unsigned long site);
u32 kprobe_dead_scratch(const struct kprobe_isa *isa, const struct kprobe_text *text,
			const struct kprobe_function *function, unsigned long addr);

#endif /* _KERNEL_KPROBES_SCAN_H */
