/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_SCAN_H
#define _KERNEL_KPROBES_SCAN_H

/*
 * scan.c: finds out whether a jump may replace instructions. What it needs to know besides
 * these, the caller supplies by struct kprobe_text.
 */
#include <linux/kprobe_isa.h>

#include "site.h"

/**
 * struct kprobe_scan - what is found out by decoding a function
 * @isa:      the instruction set; set by the caller
 * @start:    start of the function, or of the part that is decoded; set by the caller
 * @end:      its end; set by the caller
 * @site:     start of the region, which nobody must read; set by the caller
 * @from:     branches to addresses from here on are noted; set by the caller
 * @to:       end of the region and of these addresses; set by the caller
 * @way_out:  target of jumps that leave the function and can be ignored; or 0
 * @landed:   a direct branch leads to an address from @from up to @to
 * @pad:      there is a landing pad for indirect branches from @from up to @to
 * @indirect: there is an indirect jump, with a target from a register or memory
 * @state:    the CPU may get into a state that C code must not be called in
 * @read:     an instruction reads or executes the text of the region as data
 * @skipped:  the instruction in front may skip the one at @site
 * @touched:  registers of kprobe_isa.scratch that some instruction reads or writes; all
 *            of them if the function jumps to text that may read them
 * @goes_on:  execution continues after the last instruction that is not a nop
 * @exit:     target of the last instruction, if that is a jump, conditional
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
