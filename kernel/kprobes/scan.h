/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_SCAN_H
#define _KERNEL_KPROBES_SCAN_H

/*
 * scan.c: may a jump be here? What instructions tell, on any architecture. What only
 * the kernel knows is asked of it: struct kprobe_text.
 */
#include <linux/kprobe_isa.h>

#include "site.h"

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
 * @touched:  registers of kprobe_isa.scratch that some instruction reads or writes; all
 *            of them if flow leaves the function for a place that may read them
 * @goes_on:  flow goes on after the last instruction that is no nop
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
	bool goes_on;
	u32 touched;
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

#endif /* _KERNEL_KPROBES_SCAN_H */
