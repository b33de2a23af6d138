/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _LINUX_KPROBE_ISA_H
#define _LINUX_KPROBE_ISA_H

/*
 * The pure half of an architecture's part in kprobes: what an instruction is,
 * and how it is written elsewhere. Instructions, byte buffers and verdicts only:
 * nothing here reads the kernel's text or keeps anything, so that it compiles
 * and is tested on any host (tools/testing/kprobes-isa). The other half, traps,
 * text and registers, is in linux/kprobe_arch.h.
 */
#include <linux/kprobe_reason.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/kprobes.h>

/**
 * enum kprobe_action - how a displaced instruction takes effect
 * @KPROBE_RUN:     a copy of it runs, as kprobe_isa.emit() writes it
 * @KPROBE_NOP:     it has no effect and is skipped
 * @KPROBE_EMULATE: a hit makes it take effect on the registers
 */
enum kprobe_action {
	KPROBE_RUN,
	KPROBE_NOP,
	KPROBE_EMULATE,
};

/**
 * enum kprobe_flow - where execution goes on after an instruction
 * @KPROBE_FLOW_NEXT:          with the next one
 * @KPROBE_FLOW_JUMP:          at a target that the instruction tells
 * @KPROBE_FLOW_COND:          at such a target, or with the next one
 * @KPROBE_FLOW_CALL:          at such a target, which returns to the next one
 * @KPROBE_FLOW_JUMP_INDIRECT: wherever a register or memory points
 * @KPROBE_FLOW_CALL_INDIRECT: likewise, and that returns to the next one
 * @KPROBE_FLOW_RETURN:        with the caller
 * @KPROBE_FLOW_PAD:           with the next one; indirect branches land here
 */
enum kprobe_flow {
	KPROBE_FLOW_NEXT,
	KPROBE_FLOW_JUMP,
	KPROBE_FLOW_COND,
	KPROBE_FLOW_CALL,
	KPROBE_FLOW_JUMP_INDIRECT,
	KPROBE_FLOW_CALL_INDIRECT,
	KPROBE_FLOW_RETURN,
	KPROBE_FLOW_PAD,
};

/**
 * struct kprobe_insn - the verdict on an instruction
 * @len:       its length in bytes
 * @breakpoint_len: that of the breakpoint that takes its place
 * @action:    enum kprobe_action
 * @flow:      enum kprobe_flow
 * @bundle:    how many of the instructions that follow belong to it: those in a
 *             branch's delay slots, which are no places for a probe, or, if
 *             @flow is %KPROBE_FLOW_NEXT, those that it makes conditional
 * @exclusive: 1 when it begins a sequence that no exception may interrupt (load
 *             locked), -1 when it ends one (store conditional), else 0
 * @fault:     offset in its copy of what can fault
 * @ends_in_trap: its copy must be followed by a breakpoint, not by a jump back
 * @may_skip:  it may keep the next instruction from taking effect
 * @executes:  it executes the instruction at @data
 * @state:     it may leave the CPU in a state that C code must not find
 * @no_copy:   among others a copy cannot take its place. Where there is a slot
 *             all the same, its copy runs in order to fault
 * @may_run:   it is emulated, but for the day when it cannot be: then its copy runs,
 *             to fault with the registers and the address that it would have had
 * @no_jump:   a breakpoint may take its place, a jump may not: indirect branches
 *             have to find a landing pad or a breakpoint
 * @data_len:  how much text at @data it reads, in bytes
 * @reads:     registers of kprobe_isa.scratch that it reads, a bit for each
 * @writes:    those that it writes, whatever its operands
 * @dead:      those that its copy may use on the way to where it goes, as nobody reads
 *             them there: of a call by convention. Of other direct branches, which
 *             plan() cannot know of, kprobe_region_set_scratch() tells
 * @target:    where a direct branch goes
 * @data:      address of text that it reads or executes
 * @arch:      what else the architecture needs to emit and to emulate it
 */
struct kprobe_insn {
	u8 len;
	u8 breakpoint_len;
	u8 action;
	u8 flow;
	u8 bundle;
	s8 exclusive;
	u8 fault;
	u8 ends_in_trap:1;
	u8 may_skip:1;
	u8 executes:1;
	u8 state:1;
	u8 no_copy:1;
	u8 may_run:1;
	u8 no_jump:1;
	u16 data_len;
	u32 reads;
	u32 writes;
	u32 dead;
	unsigned long target;
	unsigned long data;
	struct arch_kprobe_insn arch;
};

/**
 * struct kprobe_code - code being written
 * @buf:  where it is written to
 * @len:  how long it is; more than @size when it did not fit
 * @size: room in @buf; what goes beyond is counted and not written
 * @base: the address that it will run from
 * @far:  something was out of reach, so that the code is of no use
 */
struct kprobe_code {
	u8 *buf;
	unsigned int len;
	unsigned int size;
	unsigned long base;
	bool far;
};

/**
 * kprobe_code_put() - append bytes to code
 * @code:  the code
 * @bytes: the bytes
 * @len:   how many
 *
 * Context: Any.
 */
static inline void kprobe_code_put(struct kprobe_code *code, const void *bytes,
				   unsigned int len)
{
	if (code->len + len <= code->size)
		memcpy(code->buf + code->len, bytes, len);
	code->len += len;
}

/**
 * kprobe_code_here() - where the next byte of code will run
 * @code: the code
 *
 * Context: Any.
 * Return: Its address.
 */
static inline unsigned long kprobe_code_here(const struct kprobe_code *code)
{
	return code->base + code->len;
}

/**
 * struct kprobe_isa - an instruction set
 * @insn_max:  length of its longest instruction in bytes
 * @align:     what lengths and addresses of instructions are multiples of
 * @jump_size: most bytes of text that a jump covers
 * @jump_insns: how many instructions the jump is
 * @first_bytes: of 256 bytes, those that instructions which @glance knows begin
 *             with; NULL where a function is decoded as fast
 * @glance_len: how many bytes @glance looks at
 * @pads:      all that an indirect jump can reach begins with %KPROBE_FLOW_PAD
 * @stateless: no instruction sets @state of its verdict
 * @joins:     instructions may belong together, or be data that another one reads
 * @scratch:   registers of which a jump needs one that nobody reads any more, a
 *             bit for each; 0 when it needs none
 *
 * @plan:  Judges the instruction at @bytes, of which there are @avail, at the
 *	address @addr. Returns %KPROBE_REASON_NONE, or why no probe may be there.
 *	As far as it is known what the bytes are, all the same fills in @len,
 *	@flow, @target, @bundle, @exclusive, @state and @data; where it is not,
 *	@len is 0.
 * @emit:  Appends what has the effect of a planned instruction, which was at
 *	@from, when it runs at kprobe_code_here(). It goes on after itself, and a
 *	call returns to where the original would. A nop may become nothing. Of a
 *	branch with delay slots, @bytes has their instructions as well, and they
 *	are written with it.
 * @jump:  Appends an unconditional jump, by way of the one register in @scratch.
 * @breakpoint: Appends the breakpoint for an instruction.
 * @enter: Appends the head of a detour: a call of @common, which finds in the
 *	registers and on the stack what the probed code has there.
 * @leave: Appends what undoes the rest of that.
 * @glance: Optional. Fills in @flow, @target and @state of what may begin at some
 *	bytes, whether or not an instruction does. Where more than a look is
 *	needed it is %KPROBE_FLOW_JUMP_INDIRECT.
 *
 * Context: Any, for all of them.
 */
struct kprobe_isa {
	u8 insn_max;
	u8 align;
	u8 jump_size;
	u8 jump_insns;
	u8 glance_len;
	bool pads;
	bool stateless;
	bool joins;
	u32 scratch;
	const bool *first_bytes;
	enum kprobe_reason (*plan)(struct kprobe_insn *insn, const u8 *bytes,
				   size_t avail, unsigned long addr);
	void (*emit)(struct kprobe_code *code, const struct kprobe_insn *insn,
		     const u8 *bytes, unsigned long from);
	void (*jump)(struct kprobe_code *code, unsigned long to, u32 scratch);
	void (*breakpoint)(struct kprobe_code *code, const struct kprobe_insn *insn);
	void (*enter)(struct kprobe_code *code, unsigned long common);
	void (*leave)(struct kprobe_code *code);
	void (*glance)(struct kprobe_insn *insn, const u8 *bytes, unsigned long addr);
};

/* Instructions that a jump covers, on any architecture. */
#define KPROBE_REGION_INSNS	6

/**
 * struct kprobe_region - the instructions that a jump replaces
 * @len:     length in bytes; whole instructions, as many as the jump at least
 * @nr:      how many instructions flow can get to from the first one; what is in
 *           a branch's delay slots counts as part of the branch
 * @from:    where each of them begins, and what follows the last: bytes from the
 *           region's start
 * @scratch: register of kprobe_isa.scratch that the jump, branches and the way back may
 *           use, as a bit: nobody needs it anywhere in the region
 * @insn:    what becomes of them
 *
 * After an unconditional jump or a return the region goes on up to @len without
 * flow: with bytes that nobody executes, and of which there is no plan.
 */
struct kprobe_region {
	u8 len;
	u8 nr;
	u8 from[KPROBE_REGION_INSNS + 1];
	u32 scratch;
	struct kprobe_insn insn[KPROBE_REGION_INSNS];
};

/* Supplied by the core, kernel/kprobes/region.c, and pure as well. */
enum kprobe_reason kprobe_plan_region(const struct kprobe_isa *isa,
				      struct kprobe_region *region, const u8 *text,
				      size_t avail, unsigned long addr);
enum kprobe_reason kprobe_region_of_one(struct kprobe_region *region,
					const struct kprobe_insn *insn);
void kprobe_region_set_scratch(struct kprobe_region *region, u32 scratch);
bool kprobe_region_goes_on(const struct kprobe_region *region);
void kprobe_emit_region(const struct kprobe_isa *isa, struct kprobe_code *code,
			const struct kprobe_region *region, unsigned int first,
			const u8 *text, unsigned long addr, u16 *at);

#endif /* _LINUX_KPROBE_ISA_H */
