/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_SCAN_H
#define _KERNEL_KPROBES_SCAN_H

/*
 * scan.c: finds out whether a jump may replace instructions. The caller supplies what else there is
 * to know of the text by struct kprobe_text.
 */
#include <linux/bits.h>
#include <linux/kprobe_isa.h>

#include "function.h"
#include "site.h"

/* What is known of a byte of text, in kprobe_scan.marks. */
#define KPROBE_MARK_LANDED	BIT(0)	/* a branch leads there, or it begins a landing pad */
#define KPROBE_MARK_READ	BIT(1)	/* an instruction reads or executes it as data */
#define KPROBE_MARK_SKIPPED	BIT(2)	/* the instruction in front may skip the one there */

/* Bytes of text that are read at once. */
#define KPROBE_WINDOW_SIZE	256

/* A bound of kprobe_isa.glance_len. */
#define KPROBE_GLANCE_MAX	16

/* Bytes that a survey has marks for. A larger function is surveyed anew for each half of this. */
#define KPROBE_SURVEY_SIZE	4096

/**
 * struct kprobe_scan - what is found out by decoding a function
 * @isa:      the instruction set; set by the caller
 * @start:    start of the function, or of the part that is decoded; set by the caller
 * @end:      its end; set by the caller
 * @base:     address of the text that @marks is for; set by the caller
 * @size:     how many bytes of it; set by the caller
 * @marks:    marks of each of these bytes; set by the caller
 * @way_out:  target of jumps that leave the function and can be ignored; or 0
 * @indirect: there is an indirect jump, with a target from a register or memory
 * @state:    the CPU may get into a state that C code must not be called in
 * @touched:  registers of kprobe_isa.scratch that some instruction reads or writes; all
 *            of them if the function jumps to text that may read them
 * @goes_on:  execution continues after the last instruction that is not a nop
 * @exit:     target of the last instruction, if that is a jump, conditional
 *            or not, that leaves the function for text without marks; else 0
 */
struct kprobe_scan {
	const struct kprobe_isa *isa;
	unsigned long start;
	unsigned long end;
	unsigned long base;
	unsigned long size;
	u8 *marks;
	unsigned long way_out;
	bool indirect;
	bool state;
	bool goes_on;
	u32 touched;
	unsigned long exit;
};

/**
 * struct kprobe_survey - what is known of a function, for all points in it
 * @function: the function; its @end is 0 at first
 * @cold:     its cold part; empty if no branch to it was found
 * @scan:     what was found out by decoding both
 * @reason:   why no jump can be in the function, if that does not depend on the place
 * @vague:    the function was not decoded, and bytes may be marked that no branch leads to
 * @text:     the text, and what is known of it besides instructions
 * @exit:     last target outside of the function that was looked at
 * @addr:     address of @window
 * @avail:    how many bytes it has; 0 at first
 * @window:   text that was read last, and zeros
 * @marks:    for @scan
 */
struct kprobe_survey {
	struct kprobe_function function;
	struct kprobe_function cold;
	struct kprobe_scan scan;
	enum kprobe_reason reason;
	bool vague;
	const struct kprobe_text *text;
	unsigned long exit;
	unsigned long addr;
	size_t avail;
	u8 window[KPROBE_WINDOW_SIZE + KPROBE_GLANCE_MAX];
	u8 marks[KPROBE_SURVEY_SIZE];
};

/* Makes the survey that of no function. Leaves the marks, which are many, as they are. */
static inline void kprobe_survey_init(struct kprobe_survey *survey)
{
	survey->function.end = 0;
	survey->avail = 0;
}

unsigned int kprobe_scan_insn(struct kprobe_scan *scan, const u8 *bytes,
			      size_t avail, unsigned long addr);
bool kprobe_scan_may_matter(struct kprobe_scan *scan, const u8 *bytes,
			    size_t nr, unsigned long addr);
u8 kprobe_scan_marks(const struct kprobe_scan *scan, unsigned long from, unsigned long to);
typedef enum kprobe_reason (*kprobe_scan_t)(const struct kprobe_isa *isa,
					    const struct kprobe_text *text,
					    struct kprobe_survey *survey,
					    struct kprobe_region *region,
					    unsigned long site, unsigned long from);

enum kprobe_reason kprobe_scan_region(const struct kprobe_isa *isa,
				      const struct kprobe_text *text,
				      struct kprobe_survey *survey,
				      struct kprobe_region *region,
				      unsigned long site, unsigned long from);
enum kprobe_reason kprobe_scan_planned(const struct kprobe_isa *isa,
				       const struct kprobe_text *text,
				       struct kprobe_survey *survey,
				       struct kprobe_region *region,
				       unsigned long site, unsigned long from);

#endif /* _KERNEL_KPROBES_SCAN_H */
