/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _X86_KERNEL_KPROBES_REGION_H
#define _X86_KERNEL_KPROBES_REGION_H

/*
 * What a jump at a probe's site would replace: the region, whole instructions
 * from the site on. kprobes-region.c plans and emits regions and looks through
 * functions, on byte buffers alone; kprobes-examine.c asks about the running
 * kernel's text.
 */
#include <linux/kprobe_point.h>
#include <linux/types.h>
#include <asm/insn.h>
#include <asm/text-patching.h>

/* All of it is kept with the point. */
#define X86_KPROBE_REGION_MAX	KPROBE_TEXT_SIZE

/* What a call begins with in a copy: a push of the address it returns to. */
#define PUSH32_INSN_OPCODE	0x68
#define PUSH32_INSN_SIZE	5

/* A conditional jump with all its reach. */
#define X86_JCC32_INSN_SIZE	6

/*
 * The longest copy of a region. A short conditional jump grows from two bytes
 * to six; of what begins within the region's first five bytes and is followed
 * by something, no more than two can be. The third then begins with the fifth
 * byte and has at most fifteen, which as a copy are as many. A call grows from
 * five to ten, but is the last that flow gets to, so that no jump back comes
 * behind it; and so is a jump.
 */
#define X86_KPROBE_REGION_COPY_MAX \
	(2 * X86_JCC32_INSN_SIZE + MAX_INSN_SIZE + JMP32_INSN_SIZE)

/**
 * x86_kprobe_plan_region() - find the region and see if it can be displaced
 * @region: filled in on success
 * @text:   bytes from the site on, without any breakpoint of ours
 * @avail:  how many there are up to the function's end; more than
 *          %X86_KPROBE_REGION_MAX + %MAX_INSN_SIZE are never looked at
 *
 * What stands behind an unconditional jump or a return can be anything that
 * decodes, padding mostly: it cannot be executed unless something jumps there,
 * and that keeps a jump out of any region. It still has to be the function's
 * own: the next one's first bytes must stay.
 *
 * A direct call needs no place of its own in the rules. It is as long as the
 * jump, so it always is the region's last instruction and returns behind it.
 *
 * Context: Any.
 * Return: %KPROBE_REASON_NONE, %KPROBE_REASON_FUNCTION_ENDS,
 * %KPROBE_REASON_FUNCTION_UNDECODABLE, %KPROBE_REASON_NOT_DISPLACED, or
 * %KPROBE_REASON_CALL for an indirect call.
 */
enum kprobe_reason
x86_kprobe_plan_region(struct x86_kprobe_region *region, const u8 *text,
		       size_t avail);

/**
 * x86_kprobe_region_of_one() - a region that is one instruction
 * @region: filled in
 * @plan:   the plan for the instruction
 *
 * Shorter than a jump it may be: a breakpoint leads to its copy.
 *
 * Context: Any.
 * Return: %KPROBE_REASON_NONE, %KPROBE_REASON_NOT_DISPLACED, or
 * %KPROBE_REASON_CALL for an indirect call.
 */
enum kprobe_reason
x86_kprobe_region_of_one(struct x86_kprobe_region *region,
			 const struct x86_kprobe_plan *plan);

/**
 * x86_kprobe_emit_region() - write a region as it must stand elsewhere
 * @region: the plan for it
 * @first:  which instruction to begin with; @region->nr for none
 * @insns:  the region's bytes
 * @from:   the address that they are for
 * @buf:    room for %X86_KPROBE_REGION_COPY_MAX bytes
 * @to:     the address that the copy will run from
 * @at:     room for @region->nr - @first + 1 offsets: set to where in @buf the
 *          copy of each instruction begins, and what follows the last one
 *
 * Behind the last instruction comes a jump to the region's end, unless flow
 * does not get there. Nops vanish. A call becomes a push of the address that
 * it would have pushed and a jump: whoever is called returns to the original
 * text, so nobody sleeps with an address of the copy on his stack.
 *
 * Context: Any.
 * Return: The copy's length, or -ERANGE when something is out of reach from
 * @to.
 */
int x86_kprobe_emit_region(const struct x86_kprobe_region *region,
			   unsigned int first, const u8 *insns,
			   unsigned long from, u8 *buf, unsigned long to, u8 *at);

/**
 * struct x86_kprobe_scan - what going through a function brings to light
 * @start:    where the function, or the part of it, begins; set by the caller
 * @end:      where it ends; set by the caller
 * @from:     landing from here on is noted; set by the caller
 * @to:       up to here, this address not included; set by the caller
 * @way_out:  where jumps may go that leave the function, of no interest; or 0
 * @landed:   a direct branch lands in the range
 * @endbr:    the range has a landing pad for indirect branches
 * @indirect: there is a jump to where a register or memory points
 * @std:      the direction flag is set somewhere
 * @exit:     where the last instruction jumps to, if it is a jump, conditional
 *            or not, that leaves the function; else 0
 */
struct x86_kprobe_scan {
	unsigned long start;
	unsigned long end;
	unsigned long from;
	unsigned long to;
	unsigned long way_out;
	bool landed;
	bool endbr;
	bool indirect;
	bool std;
	unsigned long exit;
};

/**
 * x86_kprobe_scan_insn() - add an instruction to what is known of a function
 * @scan:  what is known
 * @insn:  the instruction's bytes
 * @avail: how many there are, with those behind it
 * @addr:  its address
 *
 * Context: Any.
 * Return: Its length, 0 when the bytes are no instruction or end within it.
 */
unsigned int x86_kprobe_scan_insn(struct x86_kprobe_scan *scan, const u8 *insn,
				  size_t avail, unsigned long addr);

/* How many bytes tell whether an instruction matters. */
#define X86_KPROBE_GLANCE	X86_JCC32_INSN_SIZE

/**
 * x86_kprobe_may_matter() - could some bytes begin instructions that matter?
 * @scan:  where landing would matter
 * @bytes: a piece of the function and %X86_KPROBE_GLANCE bytes behind it, with
 *         zeros for those behind the function's end
 * @nr:    the size of the piece
 * @addr:  its address, where an instruction may begin or not
 *
 * When the answer is no for all pieces of a function, decoding it would bring
 * nothing to light, whichever of its bytes begin an instruction, and whether all
 * of them do.
 *
 * Context: Any.
 * Return: False if x86_kprobe_scan_insn() would find nothing but jumps to @way_out.
 */
bool x86_kprobe_may_matter(const struct x86_kprobe_scan *scan, const u8 *bytes,
			   size_t nr, unsigned long addr);

/**
 * x86_kprobe_examine_region() - may a jump replace the text at a site?
 * @region: filled in if so
 * @site:   address of an instruction
 * @from:   nothing may jump to the region from this address on: @site, if it has
 *          to run right after the instruction in front and never else, or the
 *          one behind
 *
 * Probes inside the region are not looked at; they come and go.
 *
 * Context: Process context, kprobe_mutex held; takes text_mutex.
 * Return: What is in the way.
 */
enum kprobe_reason x86_kprobe_examine_region(struct x86_kprobe_region *region,
					     unsigned long site,
					       unsigned long from);

#endif /* _X86_KERNEL_KPROBES_REGION_H */
