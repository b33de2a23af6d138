/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_SURVEY_H
#define _KERNEL_KPROBES_SURVEY_H

/*
 * survey.c: what a function's instructions tell of each of its bytes. scan.c and liveness.c answer
 * questions by it. The caller supplies what else there is to know of the text.
 */
#include <linux/bits.h>
#include <linux/kprobe_isa.h>

#include "function.h"

struct kprobe_survey;

/**
 * struct kprobe_text - the text, and what is known of it besides instructions
 * @read:      reads the original bytes; returns how many there are
 * @find:      finds the function around an address
 * @is_whole:  why not all branches into the middle of the survey's function are in the function
 *             itself or in its cold part: %KPROBE_REASON_NONE if they are
 * @is_compiled: whether a compiler is known to have made a function: it has no literals of others
 * @reserved: why bytes must stay: another subsystem patches or reads them
 * @any_in:    whether the kernel's tables say one of some things of the text
 * @next_target: returns the target of the first jump label or exception fixup from @site on,
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
	enum kprobe_reason (*is_whole)(struct kprobe_survey *s);
	bool (*is_compiled)(const struct kprobe_function *function);
	enum kprobe_reason (*reserved)(const struct kprobe_text *text, unsigned long start,
				       unsigned long end);
	bool (*any_in)(u32 kinds, unsigned long start, unsigned long end);
	unsigned long (*next_target)(unsigned long *site, unsigned long end);
	bool (*is_thunk)(unsigned long addr);
	unsigned long way_out;
	struct kprobe_lookup *lookup;
};

/* What is known of a byte of text, in kprobe_scan.marks. */
#define KPROBE_MARK_BEGINS	BIT(0)	/* an instruction begins there */
#define KPROBE_MARK_LANDED	BIT(1)	/* a branch leads there, or it begins a landing pad */
#define KPROBE_MARK_READ	BIT(2)	/* an instruction reads or executes it as data */
#define KPROBE_MARK_SKIPPED	BIT(3)	/* the instruction in front may skip the one there */
#define KPROBE_MARK_SLOT	BIT(4)	/* it is in a delay slot, or in a block */
#define KPROBE_MARK_EXCLUSIVE	BIT(5)	/* it is part of an exclusive sequence */
#define KPROBE_MARK_TAKEN	BIT(6)	/* an instruction takes its address, as that of data */
#define KPROBE_MARK_ENDED	BIT(7)	/* the instruction in front does not go on to it */

/* Bytes of text that are read at once. */
#define KPROBE_WINDOW_SIZE	256

/* A bound of kprobe_isa.glance_len. */
#define KPROBE_GLANCE_MAX	16

/* Bytes that a survey has marks for. A larger function is surveyed anew for each half of this. */
#define KPROBE_SURVEY_SIZE	4096

/* How much longer than its last instruction a block is at most, see kprobe_isa.within(). */
#define KPROBE_BLOCK_SIZE	16

/* How many addresses instructions may take one after the other, without a branch in between. */
#define KPROBE_TAKEN_MAX	8

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
 * @open:     likewise, or may do so if that is an indirect call or no instruction
 * @exit:     target of the last instruction, if that is a jump, conditional
 *            or not, that leaves the function for text without marks; else 0
 * @slots:    how many of the next instructions are in delay slots
 * @block:    kprobe_insn.block of the last instruction
 * @exclusive: how many of the next instructions may be in an exclusive sequence
 * @nr_fresh: how many addresses were taken since the last branch
 * @fresh:    these addresses
 * @table:    the table of the last jump; it starts at 0 if there is none, or it has ended
 * @landed:   the last address in front of @base with %KPROBE_MARK_LANDED, or the function's start
 * @taken:    likewise with %KPROBE_MARK_TAKEN, or 0
 * @ended:    likewise with %KPROBE_MARK_ENDED, or 0
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
	bool open;
	u32 touched;
	unsigned long exit;
	unsigned int slots;
	u8 block;
	unsigned int exclusive;
	unsigned int nr_fresh;
	unsigned long fresh[KPROBE_TAKEN_MAX];
	struct kprobe_jump_table table;
	unsigned long landed;
	unsigned long taken;
	unsigned long ended;
};

/**
 * struct kprobe_survey - what is known of a function, for all points in it
 * @isa:      the instruction set
 * @text:     the text, and what is known of it besides instructions
 * @function: the function; its @end is 0 at first
 * @cold:     its cold part; empty if no branch to it was found
 * @other:    the function of the last target outside that was looked at
 * @exit:     that target
 * @scan:     what was found out by decoding both
 * @begun:    %KPROBE_MARK_BEGINS is complete up to here
 * @open:     kprobe_scan.open at the end of @function
 * @scanned:  @scan is of the whole function
 * @vague:    the function was not decoded, and bytes may be marked that no branch leads to
 * @reason:   why no jump can be in the function, if that does not depend on the place
 * @asked:    kprobe_text.is_whole was called
 * @whole:    what it has returned
 * @addr:     address of @window
 * @avail:    how many bytes it has; 0 at first
 * @window:   text that was read last, and zeros
 * @marks:    for @scan
 */
struct kprobe_survey {
	const struct kprobe_isa *isa;
	const struct kprobe_text *text;
	struct kprobe_function function;
	struct kprobe_function cold;
	struct kprobe_function other;
	unsigned long exit;
	struct kprobe_scan scan;
	unsigned long begun;
	bool open;
	bool scanned;
	bool vague;
	bool asked;
	enum kprobe_reason reason;
	enum kprobe_reason whole;
	unsigned long addr;
	size_t avail;
	u8 window[KPROBE_WINDOW_SIZE + KPROBE_GLANCE_MAX];
	u8 marks[KPROBE_SURVEY_SIZE];
};

/* Makes the survey that of no function. Leaves the marks, which are many, as they are. */
static inline void kprobe_survey_init(struct kprobe_survey *s, const struct kprobe_isa *isa,
				      const struct kprobe_text *text)
{
	s->isa = isa;
	s->text = text;
	s->function.end = 0;
	s->avail = 0;
}

unsigned int kprobe_scan_insn(struct kprobe_scan *scan, const u8 *bytes,
			      size_t avail, unsigned long addr);
bool kprobe_scan_may_matter(struct kprobe_scan *scan, const u8 *bytes,
			    size_t nr, unsigned long addr);
u8 kprobe_scan_marks(const struct kprobe_scan *scan, unsigned long from, unsigned long to);

const u8 *kprobe_survey_look(struct kprobe_survey *s, unsigned long addr, unsigned long end,
			     size_t least, size_t *avail);
enum kprobe_reason kprobe_survey_plan(struct kprobe_survey *s, struct kprobe_insn *insn,
				      unsigned long addr, unsigned long end);
void kprobe_survey_function(struct kprobe_survey *s, const struct kprobe_function *function,
			    unsigned long from, unsigned long to);
u8 kprobe_survey_around(struct kprobe_survey *s, unsigned long start, unsigned long end);
enum kprobe_reason kprobe_survey_whole(struct kprobe_survey *s);
enum kprobe_reason kprobe_survey_branches(struct kprobe_survey *s, unsigned long from,
					  unsigned long to);
bool kprobe_survey_begins(struct kprobe_survey *s, const struct kprobe_function *function,
			  unsigned long addr);
u32 kprobe_free_scratch(struct kprobe_survey *s, const struct kprobe_function *function,
			unsigned long addr);
u32 kprobe_dead_scratch(struct kprobe_survey *s, const struct kprobe_function *function,
			unsigned long addr);

enum kprobe_reason kprobe_scan_site(struct kprobe_survey *s, unsigned long site);
u8 kprobe_scan_block(struct kprobe_survey *s, unsigned long site);
enum kprobe_reason kprobe_scan_region(struct kprobe_survey *s, struct kprobe_region *region,
				      unsigned long site, unsigned long from);

#endif /* _KERNEL_KPROBES_SURVEY_H */
