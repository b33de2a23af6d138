// SPDX-License-Identifier: GPL-2.0-or-later
/* An instruction set that no machine has: toy_isa.h. */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/unaligned.h>

#include "toy_isa.h"

#define WORD_SIZE	2
#define SCRATCH		(BIT(1) | BIT(2))

static u32 bit_of(unsigned int reg)
{
	return BIT(reg) & SCRATCH;
}

static void plan_branch(struct kprobe_insn *insn, u8 flow, unsigned long target)
{
	insn->flow = flow;
	insn->target = target;
	insn->action = KPROBE_EMULATE;
}

static void plan_text(struct kprobe_insn *insn, unsigned long data, bool executes)
{
	insn->data = data;
	insn->data_len = WORD_SIZE;
	insn->executes = executes;
}

static enum kprobe_reason plan_long(struct kprobe_insn *insn, const u8 *bytes,
				    size_t avail, unsigned long addr)
{
	insn->len = avail < TOY_LONG_SIZE ? 0 : TOY_LONG_SIZE;
	if (!insn->len)
		return KPROBE_REASON_UNDECODABLE;
	plan_branch(insn, KPROBE_FLOW_JUMP,
		    addr + (s32)get_unaligned_le32(bytes + WORD_SIZE));
	return KPROBE_REASON_NONE;
}

static enum kprobe_reason plan_special(struct kprobe_insn *insn, unsigned int which,
				       unsigned long near)
{
	insn->state = which == 1;
	insn->ends_in_trap = which == 2;
	insn->takes_address = which == 3;
	insn->data = which == 3 ? near : 0;
	return which ? KPROBE_REASON_NONE : KPROBE_REASON_TRAP;
}

/* Whatever needs no emulation; one that need not return goes on as well. */
static enum kprobe_reason plan_return(struct kprobe_insn *insn, unsigned int reg)
{
	const struct kprobe_form form = {
		.action = reg ? KPROBE_RUN : KPROBE_EMULATE, .flow = KPROBE_FLOW_RETURN,
	};
	enum kprobe_reason reason = kprobe_plan_form(insn, &form);

	if (reg == 2)
		insn->flow = KPROBE_FLOW_NEXT;
	return reason;
}

static void plan_flow(struct kprobe_insn *insn, unsigned int op, unsigned long target)
{
	static const u8 flows[] = {
		[2] = KPROBE_FLOW_JUMP, [3] = KPROBE_FLOW_COND, [4] = KPROBE_FLOW_CALL,
	};

	plan_branch(insn, flows[op], target);
	insn->bundle = op == 3 || op == 4;
	insn->no_copy = op == 4;
}

static enum kprobe_reason plan_indirect(struct kprobe_insn *insn, unsigned int reg,
					unsigned int words)
{
	plan_branch(insn, KPROBE_FLOW_JUMP_INDIRECT, 0);
	insn->bundle = reg == 15;
	insn->table = words * WORD_SIZE;
	return KPROBE_REASON_NONE;
}

static unsigned int entry(const u8 *bytes, size_t avail, unsigned long addr,
			  struct kprobe_jump_table *table)
{
	unsigned int word = avail < WORD_SIZE ? 0 : get_unaligned_le16(bytes);
	unsigned long to = table->start + (word & 0xff) * WORD_SIZE;

	if ((word & 0xff00) != TOY_ENTRY(0))
		return 0;
	if (to > addr)
		table->end = min(table->end, to);
	return WORD_SIZE;
}

static enum kprobe_reason plan_op(struct kprobe_insn *insn, unsigned int op,
				  unsigned int reg, unsigned long near)
{
	switch (op) {
	case 2 ... 4:
		plan_flow(insn, op, near);
		if (op == 4 && !reg)
			insn->dead = SCRATCH;
		return KPROBE_REASON_NONE;
	case 6:
		return plan_return(insn, reg);
	case 7:
		insn->may_skip = true;
		return KPROBE_REASON_NONE;
	case 8:
	case 9:
		insn->exclusive = op == 8 ? 1 : -1;
		return KPROBE_REASON_NONE;
	case 10:
		insn->bundle = reg;
		insn->block = reg;
		return KPROBE_REASON_NONE;
	case 11:
	case 12:
		plan_text(insn, near, op == 12);
		return KPROBE_REASON_NONE;
	case 13:
		return plan_special(insn, reg, near);
	case 14:
		insn->flow = reg == 2 ? KPROBE_FLOW_NEXT : KPROBE_FLOW_PAD;
		insn->no_jump = reg == 1;
		insn->no_jump_unless_traced = reg == 2;
		return reg ? KPROBE_REASON_NONE : KPROBE_REASON_LANDING_PAD;
	default:
		return KPROBE_REASON_NONE;
	}
}

static void plan_registers(struct kprobe_insn *insn, unsigned int op, unsigned int reg,
			   unsigned int byte)
{
	if (op == 1 || op == 8 || op == 11 || op == 15)
		insn->writes = bit_of(reg);
	if (op == 1)
		insn->reads = bit_of(byte & 0xf);
	if (op == 3 || op == 5 || op == 7 || op == 9)
		insn->reads = bit_of(reg);
}

static enum kprobe_reason plan(struct kprobe_insn *insn, const u8 *bytes, size_t avail,
			       unsigned long addr)
{
	unsigned int word, op, reg;

	*insn = (struct kprobe_insn){};
	if (avail < WORD_SIZE)
		return KPROBE_REASON_UNDECODABLE;
	word = get_unaligned_le16(bytes);
	op = word >> 12;
	reg = word >> 8 & 0xf;
	if (!op && word)
		return KPROBE_REASON_UNDECODABLE;
	insn->len = WORD_SIZE;
	insn->breakpoint_len = WORD_SIZE;
	insn->action = op ? KPROBE_RUN : KPROBE_NOP;
	plan_registers(insn, op, reg, word);
	if (op == 15)
		return plan_long(insn, bytes, avail, addr);
	if (op == 5)
		return plan_indirect(insn, reg, word & 0xff);
	return plan_op(insn, op, reg, addr + WORD_SIZE * (long)(s8)word);
}

/* No branch can be in a block of conditional instructions, but as the last of it. */
static enum kprobe_reason within(struct kprobe_insn *insn, const u8 *bytes, u8 block)
{
	insn->block = block - 1;
	insn->ends_in_trap = true;
	return insn->block && insn->flow != KPROBE_FLOW_NEXT ? KPROBE_REASON_FORM :
							       KPROBE_REASON_NONE;
}

static void put_word(struct kprobe_code *code, unsigned int word)
{
	u8 bytes[WORD_SIZE];

	put_unaligned_le16(word, bytes);
	kprobe_code_put(code, bytes, WORD_SIZE);
}

static void put_jump(struct kprobe_code *code, unsigned long to, u32 scratch)
{
	unsigned long disp = to - kprobe_code_here(code);

	if ((long)disp != (s32)disp || !scratch)
		code->far = true;
	put_word(code, TOY_LONG(scratch == BIT(1) ? 1 : 2));
	put_word(code, disp & 0xffff);
	put_word(code, disp >> 16 & 0xffff);
}

/* The same word with another displacement. */
static void put_near(struct kprobe_code *code, const u8 *bytes, unsigned long to)
{
	long words = (long)(to - kprobe_code_here(code)) / WORD_SIZE;

	if (words != (s8)words)
		code->far = true;
	put_word(code, (get_unaligned_le16(bytes) & 0xff00) | (words & 0xff));
}

static void emit(struct kprobe_code *code, const struct kprobe_insn *insn,
		 const u8 *bytes, unsigned long from)
{
	if (insn->action == KPROBE_NOP)
		return;
	if (insn->len == TOY_LONG_SIZE)
		put_jump(code, insn->target, insn->writes);
	else if (insn->flow == KPROBE_FLOW_JUMP && insn->dead)
		put_jump(code, insn->target, insn->dead & -insn->dead);
	else if (insn->data_len)
		put_near(code, bytes, insn->data);
	else if (insn->flow == KPROBE_FLOW_JUMP || insn->flow == KPROBE_FLOW_COND)
		put_near(code, bytes, insn->target);
	else
		kprobe_code_put(code, bytes, insn->len);
	if (insn->flow == KPROBE_FLOW_COND)
		kprobe_code_put(code, bytes + WORD_SIZE, WORD_SIZE);
}

static void put_breakpoint(struct kprobe_code *code, const struct kprobe_insn *insn)
{
	put_word(code, TOY_TRAP);
}

static void put_enter(struct kprobe_code *code, unsigned long common)
{
	put_jump(code, common, BIT(1));
}

static void put_leave(struct kprobe_code *code)
{
}

#define TOY						\
	.insn_max = TOY_LONG_SIZE,			\
	.align = WORD_SIZE,				\
	.plan = plan,					\
	.emit = emit,					\
	.jump = put_jump,				\
	.breakpoint = put_breakpoint,			\
	.enter = put_enter,				\
	.leave = put_leave,				\
	.entry = entry

#define LONG_JUMP					\
	.jump_size = TOY_LONG_SIZE,			\
	.jump_insns = 2,				\
	.scratch = SCRATCH

const struct kprobe_isa toy_isa = { TOY, LONG_JUMP };

const struct kprobe_isa toy_isa_with_pads = { TOY, LONG_JUMP, .pads = true };

const struct kprobe_isa toy_isa_with_blocks = {
	TOY, LONG_JUMP, .within = within, .literals = true
};

/* For planning only: it has a shorter jump_size than the jumps that it writes. */
const struct kprobe_isa toy_isa_of_words = {
	TOY, .jump_size = WORD_SIZE, .jump_insns = 1, .stateless = true
};
