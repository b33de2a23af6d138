/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _LINUX_KPROBE_ISA_H
#define _LINUX_KPROBE_ISA_H

/*
 * The instruction half of an architecture's part in kprobes: it decodes instructions,
 * tells how they can be displaced, and writes them for another address. It is pure: it
 * works on byte buffers, does not read the kernel's text and keeps no state, so that it
 * compiles and is tested on any host (tools/testing/kprobes-isa). The other half, traps,
 * text and registers, is in linux/kprobe_arch.h.
 */
#include <linux/kprobe_reason.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/byteorder.h>
#include <asm/kprobes.h>

/* The most bytes of text that a point patches. */
#ifndef KPROBE_JUMP_SIZE
#define KPROBE_JUMP_SIZE	sizeof(kprobe_opcode_t)
#endif

/* What addresses and lengths of instructions are multiples of. */
#ifndef KPROBE_INSN_ALIGN
#define KPROBE_INSN_ALIGN	1
#endif

/* Text that a point remembers: the last instruction begins before the jump ends. */
#define KPROBE_TEXT_SIZE	(KPROBE_JUMP_SIZE - KPROBE_INSN_ALIGN + KPROBE_INSN_MAX)

/**
 * enum kprobe_action - how a displaced instruction takes effect
 * @KPROBE_RUN:     a copy of it runs, as kprobe_isa.emit() writes it
 * @KPROBE_NOP:     it has no effect and is skipped
 * @KPROBE_EMULATE: a hit emulates it on the saved registers
 */
enum kprobe_action {
	KPROBE_RUN,
	KPROBE_NOP,
	KPROBE_EMULATE,
};

/**
 * enum kprobe_flow - where execution continues after an instruction
 * @KPROBE_FLOW_NEXT:          with the next instruction
 * @KPROBE_FLOW_JUMP:          at a target that is encoded in the instruction
 * @KPROBE_FLOW_COND:          at such a target, or with the next instruction
 * @KPROBE_FLOW_CALL:          at such a target, which returns to the next instruction
 * @KPROBE_FLOW_JUMP_INDIRECT: at an address from a register or memory
 * @KPROBE_FLOW_CALL_INDIRECT: likewise, and that returns to the next instruction
 * @KPROBE_FLOW_RETURN:        in the caller
 * @KPROBE_FLOW_PAD:           with the next instruction; this one is a landing pad of
 *                             indirect branches
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
 * struct kprobe_insn - the plan for displacing an instruction
 * @len:       its length in bytes
 * @breakpoint_len: length of the breakpoint that replaces it
 * @action:    enum kprobe_action
 * @flow:      enum kprobe_flow
 * @bundle:    how many of the instructions that follow belong to it: those in a
 *             branch's delay slots, which cannot be probed, or, if
 *             @flow is %KPROBE_FLOW_NEXT, those that it makes conditional
 * @exclusive: 1 if it begins a sequence that no exception may interrupt (load
 *             locked), -1 if it ends one (store conditional), else 0
 * @fault:     offset in its copy of what can fault, at most 7 times %KPROBE_INSN_ALIGN. Of a
 *             branch with a delay slot: of the branch, whose slot comes next
 * @ends_in_trap: its copy must be followed by a breakpoint, not by a jump back
 * @may_skip:  it may keep the next instruction from taking effect
 * @branches:  it runs as a copy, and may branch from there: what comes after the copy is then not
 *             reached. Post-handlers are not called, see %KPROBE_MISS_BRANCHED
 * @executes:  it executes the instruction at @data
 * @state:     it may leave the CPU in a state that C code must not be called in: no jump is set in
 *             the function, and no stub is entered by a breakpoint or for post-handlers, unless
 *             ARCH_KPROBE_CLEARS_STATE says that the trampolines change it for the call
 * @no_copy:   a region cannot contain a copy of it
 * @may_fault: it is emulated, with an operand in memory. If that cannot be read, a copy
 *             of it runs, which faults with the right registers and address. A copied call
 *             may return to the copy
 * @no_jump:   a breakpoint may replace it, but a jump may not: indirect branches
 *             must land on a landing pad or a breakpoint
 * @no_jump_unless_traced: the same, unless it comes right after what ftrace patches: indirect
 *             calls can land on it if a function starts there
 * @no_jump_next: a breakpoint may replace the instruction after it, but a jump may not
 * @takes_address: it takes the address @data: of data in the text, unless an indirect jump
 *             that is relative to it comes next
 * @block:     state that it leaves to the next instruction, if it makes that conditional or is in
 *             between: what kprobe_isa.within() gets then. 0 at the end of a block
 * @table:     how far from its start the table of this jump may begin in the text; 0 if it has
 *             none there
 * @table_unit: how long the entries of that table are, if kprobe_isa.entry() has to know
 * @data_len:  how many bytes of text at @data it reads
 * @reads:     registers that it reads, a bit for each, if they may be in kprobe_isa.scratch
 * @writes:    those that it writes, whatever its operands
 * @dead:      those that its copy may use to reach its target, because nobody reads
 *             them there. plan() sets this for a call that follows the calling convention;
 *             kprobe_region_set_scratch() does for other direct branches. Of a probed
 *             instruction that runs from a slot: the one for the jump back
 * @target:    target of a direct branch
 * @data:      address of text that it reads or executes, or whose address it takes
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
	u8 branches:1;
	u8 executes:1;
	u8 state:1;
	u8 no_copy:1;
	u8 may_fault:1;
	u8 no_jump:1;
	u8 no_jump_unless_traced:1;
	u8 no_jump_next:1;
	u8 takes_address:1;
	u8 block;
	u8 table;
	u8 table_unit;
	u16 data_len;
	u32 reads;
	u32 writes;
	u32 dead;
	unsigned long target;
	unsigned long data;
	struct arch_kprobe_insn arch;
};

/**
 * struct kprobe_form - what becomes of instructions with some bits in common
 * @mask:   the bits that tell these instructions from others
 * @value:  what these bits are
 * @reason: enum kprobe_reason: why they must not be probed
 * @action: this and all that follow are as in struct kprobe_insn
 * @flow:   see there
 * @bundle: see there
 * @exclusive: see there
 * @data_len: see there
 * @uses:   fields that name registers, for plan()
 * @no_copy: see there
 * @no_jump: see there
 * @no_jump_unless_traced: see there
 * @no_jump_next: see there
 * @takes_address: see there
 */
struct kprobe_form {
	u32 mask;
	u32 value;
	u8 reason;
	u8 action;
	u8 flow;
	u8 bundle;
	s8 exclusive;
	u8 data_len;
	u8 uses;
	u8 no_copy:1;
	u8 no_jump:1;
	u8 no_jump_unless_traced:1;
	u8 no_jump_next:1;
	u8 takes_address:1;
};

/* Rows of tables: what becomes of instructions, and why others must not be probed. */
#define KPROBE_FORM(bits, word, what, where, ...) \
	{ .mask = bits, .value = word, .action = KPROBE_##what, .flow = KPROBE_FLOW_##where, \
	  __VA_ARGS__ }
#define KPROBE_REFUSE(bits, word, why, ...) \
	{ .mask = bits, .value = word, .reason = KPROBE_REASON_##why, __VA_ARGS__ }

/**
 * struct kprobe_forms - an instruction set of words, as its manual has it
 * @shift: where the field begins that tells its groups apart
 * @bits:  mask of the field after shifting, at most 0x1f
 * @major: the forms of each group. The first that matches counts; the last matches all
 */
struct kprobe_forms {
	u8 shift;
	u8 bits;
	const struct kprobe_form *major[32];
};

/**
 * kprobe_find_form() - find an instruction's form
 * @forms: the instruction set
 * @word:  the instruction
 *
 * Context: Any.
 * Return: The form.
 */
static inline const struct kprobe_form *kprobe_find_form(const struct kprobe_forms *forms,
							 u32 word)
{
	const struct kprobe_form *form = forms->major[word >> forms->shift & forms->bits];

	while ((word & form->mask) != form->value)
		form++;
	return form;
}

/**
 * kprobe_flow_is_branch() - may an instruction branch?
 * @flow: its enum kprobe_flow
 *
 * Context: Any.
 * Return: False if execution continues with the next instruction. What may branch or not, by an
 * address from a register or memory, has no flow of its own: plan() may say %KPROBE_FLOW_NEXT.
 */
static inline bool kprobe_flow_is_branch(u8 flow)
{
	return flow != KPROBE_FLOW_NEXT && flow != KPROBE_FLOW_PAD;
}

/**
 * kprobe_plan_form() - plan an instruction by its form
 * @insn: what the form tells is filled in
 * @form: the form
 *
 * Context: Any.
 * Return: %KPROBE_REASON_NONE, or why the instruction must not be probed.
 */
static inline enum kprobe_reason kprobe_plan_form(struct kprobe_insn *insn,
						  const struct kprobe_form *form)
{
	insn->action = form->action;
	insn->flow = form->flow;
	insn->bundle = form->bundle;
	insn->exclusive = form->exclusive;
	insn->branches = !form->reason && form->action == KPROBE_RUN &&
			 kprobe_flow_is_branch(form->flow);
	insn->data_len = form->data_len;
	insn->no_copy = form->no_copy;
	insn->no_jump = form->no_jump;
	insn->no_jump_unless_traced = form->no_jump_unless_traced;
	insn->no_jump_next = form->no_jump_next;
	insn->takes_address = form->takes_address;
	return form->reason;
}

/**
 * kprobe_insn_has_target() - does a plan have a target?
 * @insn: the plan
 *
 * Context: Any.
 * Return: True if the instruction is a direct branch.
 */
static inline bool kprobe_insn_has_target(const struct kprobe_insn *insn)
{
	return insn->flow == KPROBE_FLOW_JUMP || insn->flow == KPROBE_FLOW_COND ||
	       insn->flow == KPROBE_FLOW_CALL;
}

/**
 * kprobe_insn_ends_flow() - does execution never continue right after an instruction?
 * @insn: the plan
 *
 * Context: Any.
 * Return: True for jumps and returns, false for calls and conditional branches.
 */
static inline bool kprobe_insn_ends_flow(const struct kprobe_insn *insn)
{
	return insn->flow == KPROBE_FLOW_JUMP || insn->flow == KPROBE_FLOW_RETURN ||
	       insn->flow == KPROBE_FLOW_JUMP_INDIRECT;
}

/**
 * struct kprobe_code - code being written
 * @buf:  where it is written to
 * @len:  its length; more than @size if it did not fit
 * @size: room in @buf; bytes beyond it are counted but not written
 * @base: the address that it will run from
 * @far:  an operand or target was out of reach, so the code must not be used
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
 * kprobe_put_le32() - append a little-endian word to code
 * @code: the code
 * @word: the word
 *
 * Context: Any.
 */
static inline void kprobe_put_le32(struct kprobe_code *code, u32 word)
{
	__le32 bytes = cpu_to_le32(word);

	kprobe_code_put(code, &bytes, sizeof(bytes));
}

/**
 * kprobe_put_be32() - append a big-endian word to code
 * @code: the code
 * @word: the word
 *
 * Context: Any.
 */
static inline void kprobe_put_be32(struct kprobe_code *code, u32 word)
{
	__be32 bytes = cpu_to_be32(word);

	kprobe_code_put(code, &bytes, sizeof(bytes));
}

/**
 * kprobe_code_here() - get the address that the next byte of code will run from
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
 * struct kprobe_jump_table - a jump table in the text
 * @start: where it may begin
 * @end:   where it has ended for certain; the highest address while that is not known
 * @limit: where the function ends, or the part of it that the jump is in
 * @unit:  kprobe_insn.table_unit of the jump
 */
struct kprobe_jump_table {
	unsigned long start;
	unsigned long end;
	unsigned long limit;
	u8 unit;
};

/**
 * struct kprobe_isa - an instruction set
 * @insn_max:  length of its longest instruction in bytes
 * @align:     lengths and addresses of instructions are multiples of this
 * @jump_size: most bytes of text that a jump covers
 * @jump_insns: number of instructions that a jump consists of
 * @first_bytes: for each value of a byte, whether an instruction that @glance knows may
 *             begin with it; NULL if there is no @glance
 * @glance_len: how many bytes @glance reads
 * @pads:      every target of an indirect jump begins with %KPROBE_FLOW_PAD
 * @literals: lengths of instructions differ, and what instructions read in the text is not to be
 *             decoded
 * @stateless: plan() sets @state for no instruction
 * @forms:     the forms by which @plan plans, or NULL; for tests
 * @scratch:   a jump needs one of these registers, one that nobody reads any more; a
 *             bit for each, 0 if a jump needs none. None of them passes a value to a
 *             function or back, whatever the kernel is compiled by
 *
 * @plan:  Plans the instruction at @bytes, of which there are @avail, for the
 *	address @addr. Returns %KPROBE_REASON_NONE, or why it must not be probed.
 *	In that case as well, if the bytes can be decoded, fills in @len,
 *	@flow, @target, @bundle, @exclusive, @state and @data. If they cannot,
 *	@len is 0.
 * @within: Optional, for an instruction set with blocks: some instruction makes those after it
 *	conditional, and the CPU has a state for that, which a jump into the block would lose.
 *	Changes the plan of an instruction in a block: @block is kprobe_insn.block of the one in
 *	front of it. Sets @ends_in_trap if execution continues in the block or after it, and @block.
 *	@flow is that of a condition. Returns why the instruction must not be probed there, if
 *	plan() has not told so. No jump can be in a block.
 * @emit:  Appends code for kprobe_code_here() that has the effect of a planned
 *	instruction at @from. Execution continues after that code, and a
 *	call returns to where the original would, unless it is emulated. A nop may be
 *	left out. For a branch with delay slots, @bytes includes the instructions in
 *	them, which are written with it.
 * @jump:  Appends an unconditional jump, which may use the one register in @scratch.
 * @back:  Optional, where a jump needs a register: appends one that needs none, for the
 *	end of a slot.
 * @breakpoint: Appends the breakpoint for an instruction.
 * @enter: Appends the start of a detour: a call of @common. There the registers and
 *	the stack are those of the probed code, except for what the call itself needs.
 * @leave: Appends code that undoes what is left of that after @common has returned.
 *	NULL if nothing is.
 * @entry: Optional, where kprobe_insn.table may be set. Returns how many of @avail bytes at @addr
 *	are an entry of @table, 0 if none are: entries lead to code near by. May set @end of
 *	the table to where an entry leads, if that is the lowest place behind the table.
 * @glance: Optional, a fast replacement of @plan. Fills in @flow, @target and @state of
 *	the instruction that may begin at some bytes, whether or not one does. If that
 *	takes decoding, @flow is %KPROBE_FLOW_JUMP_INDIRECT, so that the caller decodes.
 *	Only for an instruction set where no instruction belongs to another one, and none is
 *	data that another one reads: a whole function is not planned then.
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
	bool literals;
	bool stateless;
	u32 scratch;
	const struct kprobe_forms *forms;
	const bool *first_bytes;
	enum kprobe_reason (*plan)(struct kprobe_insn *insn, const u8 *bytes,
				   size_t avail, unsigned long addr);
	enum kprobe_reason (*within)(struct kprobe_insn *insn, const u8 *bytes, u8 block);
	void (*emit)(struct kprobe_code *code, const struct kprobe_insn *insn,
		     const u8 *bytes, unsigned long from);
	void (*jump)(struct kprobe_code *code, unsigned long to, u32 scratch);
	void (*back)(struct kprobe_code *code, unsigned long to);
	void (*breakpoint)(struct kprobe_code *code, const struct kprobe_insn *insn);
	void (*enter)(struct kprobe_code *code, unsigned long common);
	void (*leave)(struct kprobe_code *code);
	unsigned int (*entry)(const u8 *bytes, size_t avail, unsigned long addr,
			      struct kprobe_jump_table *table);
	void (*glance)(struct kprobe_insn *insn, const u8 *bytes, unsigned long addr);
};

/**
 * kprobe_code_leave() - append what undoes kprobe_isa.enter after its call has returned
 * @code: the code
 * @isa:  the instruction set
 *
 * Context: Any.
 */
static inline void kprobe_code_leave(struct kprobe_code *code, const struct kprobe_isa *isa)
{
	if (isa->leave)
		isa->leave(code);
}

/* The most instructions that a jump covers, on any architecture. */
#define KPROBE_REGION_INSNS	6

/**
 * struct kprobe_region - the instructions that a jump replaces
 * @len:     length in bytes: whole instructions. At least as long as the jump, unless only
 *           a breakpoint leads to the detour
 * @nr:      number of instructions that can be executed from the first one on;
 *           instructions in delay slots count as part of their branch
 * @from:    offset of each of them from the region's start, and of what follows the last
 * @scratch: register of kprobe_isa.scratch, as a bit, that the jump, branches and the
 *           jump back may use: no value in it is needed anywhere in the region
 * @insn:    the plans for them
 *
 * If one of them is an unconditional jump or a return, it is the last, and the region
 * may be longer than they are: the bytes after it are not executed and have no plan.
 */
struct kprobe_region {
	u8 len;
	u8 nr;
	u8 from[KPROBE_REGION_INSNS + 1];
	u32 scratch;
	struct kprobe_insn insn[KPROBE_REGION_INSNS];
};

/* Supplied by the core, kernel/kprobes/region.c; pure functions as well. */
enum kprobe_reason kprobe_plan_region(const struct kprobe_isa *isa,
				      struct kprobe_region *region, const u8 *text,
				      size_t avail, unsigned long addr);
enum kprobe_reason kprobe_region_of_one(const struct kprobe_isa *isa,
					struct kprobe_region *region,
					const struct kprobe_insn *insn, const u8 *text,
					size_t avail, unsigned long addr);
void kprobe_region_set_scratch(struct kprobe_region *region, u32 scratch);
bool kprobe_region_goes_on(const struct kprobe_region *region);
void kprobe_emit_region(const struct kprobe_isa *isa, struct kprobe_code *code,
			const struct kprobe_region *region, unsigned int first,
			const u8 *text, unsigned long addr, u16 *at);

#endif /* _LINUX_KPROBE_ISA_H */
