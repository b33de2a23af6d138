// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Arm's instruction set T32, Thumb-2: what becomes of a probed instruction, and how it is written
 * elsewhere. kprobes-insn.c has A32. Functions on byte buffers alone.
 *
 * An instruction is one halfword or two, and so is its breakpoint. A jump is two halfwords. What
 * becomes of instructions is as with A32: copies, and of those that read pc other registers stand
 * for it in their copies.
 *
 * "it" makes up to four instructions conditional: a block. CPSR has the state of the block, and a
 * jump back into a block would lose it. So no jump can be in a block, and a slot of an instruction
 * in one ends in a breakpoint. The condition is the breakpoint's to check. Then the copy runs
 * without one. Short instructions set flags only outside of blocks, so they are alone in a block of
 * their own.
 */
#include <linux/align.h>
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/kprobe_isa.h>
#include <linux/sizes.h>
#include <linux/unaligned.h>

#include "kprobes-t32.h"

#define SHORT		2
#define LONG		4
#define PC_AHEAD	4	/* pc reads as the instruction's address and this */

#define REG_SP		13
#define REG_LR		14
#define REG_PC		15

#define IT_STATE(word)	((word) >> 16 & 0xff)

/* What copies are made of. None of these sets flags. */
#define MOVW		0xf2400000
#define MOVT		0xf2c00000
#define LDR		0xf8d00000					/* ldr rt, [rn] */
#define ADD_TWICE	0xeb000040					/* add rd, rn, rm, lsl #1 */
#define SET_BIT_0	0xf0400001					/* orr rd, rn, #1 */
#define STORE_LR(at)	(0xf8cde000 | (at))				/* str lr, [sp, #at] */
#define LOAD_LR(at)	(0xf8dde000 | (at))				/* ldr lr, [sp, #at] */
#define LDR_TBB(to, base, reg)	(0xf8100000 | (base) << 16 | (to) << 12 | (reg))
#define LDR_TBH(to, base, reg)	(0xf8300010 | (base) << 16 | (to) << 12 | (reg))
#define B		0xf0009000
#define BL		0xf000d000
/* Short ones. */
#define PUSH(regs)	(0xb400 | (regs))
#define POP(regs)	(0xbc00 | (regs))
#define POP_WITH_PC(regs)	(0xbd00 | (regs))
#define STORE(reg, at)	(0x9000 | (reg) << 8 | (at) / 4)	/* str reg, [sp, #at] */
#define ADD_SP(by)	(0xb000 | (by) / 4)
#define SUB_SP(by)	(0xb080 | (by) / 4)
#define ADD_LOW(reg, by)	(0x4400 | (by) << 3 | (reg))
#define BX(reg)		(0x4700 | (reg) << 3)
#define OVER_JUMP	1	/* distance of a short branch over a long instruction */
#define IT_ALWAYS	0xbfe8

/*
 * udf #0x4b, udf.w #0x4b50. BUG() is udf #2, ptrace's breakpoints are udf #1 and udf.w #0.
 */
#define SHORT_BREAKPOINT	0xde4b
#define LONG_BREAKPOINT		0xf7f4ab50

static __always_inline bool is_long(u32 half)
{
	return half >= 0xe800;
}

static u32 short_rd(u32 word)
{
	return (word >> 20 & 8) | (word >> 16 & 7);
}

static __always_inline u32 word_at(const u8 *bytes)
{
	u32 first = get_unaligned_le16(bytes);

	return HALF(first) | (is_long(first) ? get_unaligned_le16(bytes + SHORT) : 0);
}

/* How far a long branch leads. Two bits of it are inverted if it leads forwards. */
static long long_distance(u32 word)
{
	u32 inverted = word & BIT(26) ? 0 : BIT(13) | BIT(11), bits = word ^ inverted;

	return sign_extend64((word >> 26 & 1) << 24 | (bits >> 13 & 1) << 23 |
			     (bits >> 11 & 1) << 22 | (word >> 16 & 0x3ff) << 12 |
			     (word & 0x7ff) << 1, 24);
}

/* Likewise with a condition, where none is inverted. */
static long conditional_distance(u32 word)
{
	return sign_extend64((word >> 26 & 1) << 20 | (word >> 11 & 1) << 19 |
			     (word >> 13 & 1) << 18 | (word >> 16 & 0x3f) << 12 |
			     (word & 0x7ff) << 1, 20);
}

static long distance_of(u32 word, u8 flow)
{
	u32 half = word >> 16;

	if (is_long(half))
		return flow == KPROBE_FLOW_COND ? conditional_distance(word) : long_distance(word);
	if (flow == KPROBE_FLOW_JUMP)
		return sign_extend64((half & 0x7ff) << 1, 11);
	if ((half & 0xf500) == 0xb100)
		return (half >> 9 & 1) << 6 | (half >> 3 & 0x1f) << 1;
	return sign_extend64((half & 0xff) << 1, 8);
}

/* The address that a load, or one of adr and mov, makes of pc. */
static unsigned long address_of(u32 word, unsigned long from)
{
	unsigned long pc = ALIGN_DOWN(from + PC_AHEAD, 4);
	u32 half = word >> 16, offset;
	bool forwards = half & BIT(7);

	if (!is_long(half))
		return (half & 0xff00) == 0x4600 ? from + PC_AHEAD : pc + (half & 0xff) * 4;
	if ((half & 0xf800) == 0xf000) {
		offset = (word >> 26 & 1) << 11 | (word >> 12 & 7) << 8 | (word & 0xff);
		forwards = !forwards;
	} else if ((half & 0xfe00) == 0xf800) {
		offset = word & 0xfff;
	} else {
		offset = (word & 0xff) * 4;
	}
	return forwards ? pc + offset : pc - offset;
}

static __always_inline bool is_tbb(u32 word)
{
	return (word & 0xffffffe0) == 0xe8dff000;
}

/* Is pc where it must not be? Neither can sp be where another register stands for pc. */
static bool has_bad_register(u32 word, const struct kprobe_form *form)
{
	u32 lowest = form->uses & (NUMBER | RELATIVE) ? REG_SP : REG_PC;
	u8 uses = form->uses;

	/* The index of tbb is in the last field. */
	if (is_tbb(word) && ((word & 0xf) == REG_SP || (word & 0xf) == REG_PC))
		return true;
	return (uses & N && RN(word) == REG_PC) || (uses & M && SHORT_RM(word) == REG_PC) ||
	       (uses & T && (RT(word) == lowest || RT(word) == REG_PC)) ||
	       (uses & D && (RD(word) == lowest || RD(word) == REG_PC));
}

/* Data, which a big-endian kernel has in the other order than instructions. */
static u32 half_of_data(const u8 *bytes)
{
	return IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? get_unaligned_be16(bytes) :
						   get_unaligned_le16(bytes);
}

static u32 word_of_data(const u8 *bytes)
{
	return IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? get_unaligned_be32(bytes) :
						   get_unaligned_le32(bytes);
}

/*
 * A table of bytes or halfwords has distances from its start, all forwards, in units of two bytes.
 * One of words, behind what loads pc, has addresses near by. Most instructions are larger numbers
 * than a halfword of a table.
 */
static unsigned int entry(const u8 *bytes, size_t avail, unsigned long addr,
			  struct kprobe_jump_table *table)
{
	unsigned long to;

	if (avail < table->unit)
		return 0;
	if (table->unit == LONG) {
		to = word_of_data(bytes);
		if (!(to & 1) || (u32)(to - addr) + SZ_64K >= 2 * SZ_64K)
			return 0;
		return LONG;
	}
	to = table->start + 2 * (table->unit == 1 ? bytes[0] : half_of_data(bytes));
	if (to >= table->limit && table->unit == SHORT)
		return 0;
	/* Behind the last byte there may be another one, for alignment. */
	if (to > addr)
		table->end = min(table->end, to);
	else if (table->end == ~0UL)
		return 0;
	return table->unit;
}

static enum kprobe_reason plan(struct kprobe_insn *insn, const u8 *bytes, size_t avail,
			       unsigned long addr)
{
	const struct kprobe_form *form;
	enum kprobe_reason reason;
	u32 word;

	*insn = (struct kprobe_insn){};
	if (avail < SHORT || (is_long(get_unaligned_le16(bytes)) && avail < LONG))
		return KPROBE_REASON_UNDECODABLE;
	word = word_at(bytes);
	insn->len = is_long(word >> 16) ? LONG : SHORT;
	insn->breakpoint_len = insn->len;
	form = kprobe_find_form(&t32_kprobe_forms, word);
	reason = kprobe_plan_form(insn, form);
	if (kprobe_insn_has_target(insn))
		insn->target = addr + PC_AHEAD + distance_of(word, insn->flow);
	if (insn->data_len || form->uses & NUMBER)
		insn->data = address_of(word, addr);
	if ((word & HALF(0xff00)) == HALF(0xbf00) && insn->action == KPROBE_EMULATE) {
		insn->block = IT_STATE(word);
		insn->bundle = 4 - __ffs(insn->block);
	}
	if (is_tbb(word)) {
		insn->fault = 12;
		insn->table = PC_AHEAD;
		insn->table_unit = word & 0x10 ? 2 : 1;
	} else if (insn->len == LONG && insn->flow == KPROBE_FLOW_JUMP_INDIRECT) {
		insn->table = ALIGN(addr + LONG, 4) - addr;
		insn->table_unit = LONG;
	}
	return reason ?: has_bad_register(word, form) ? KPROBE_REASON_FORM : KPROBE_REASON_NONE;
}

/* What branches must be the last one in its block. */
static enum kprobe_reason within(struct kprobe_insn *insn, const u8 *bytes, u8 block)
{
	const struct kprobe_form *form = kprobe_find_form(&t32_kprobe_forms, word_at(bytes));
	bool last = !(block & 7);

	insn->arch.block = block;
	insn->block = t32_kprobe_next_in_block(block);
	insn->ends_in_trap = true;
	if (insn->flow == KPROBE_FLOW_JUMP)
		insn->flow = KPROBE_FLOW_COND;
	else if (insn->flow == KPROBE_FLOW_JUMP_INDIRECT || insn->flow == KPROBE_FLOW_RETURN)
		insn->flow = KPROBE_FLOW_NEXT;
	if (form->uses & NOT_IN_BLOCK || (form->flow != KPROBE_FLOW_NEXT && !last))
		return KPROBE_REASON_FORM;
	return KPROBE_REASON_NONE;
}

static void put_short(struct kprobe_code *code, u32 half)
{
	u8 bytes[SHORT];

	put_unaligned_le16(half, bytes);
	kprobe_code_put(code, bytes, sizeof(bytes));
}

static void put_long(struct kprobe_code *code, u32 word)
{
	put_short(code, word >> 16);
	put_short(code, word & 0xffff);
}

/* @word: the branch, without where it leads. */
static void put_branch(struct kprobe_code *code, u32 word, unsigned long to)
{
	long apart = (to & ~1UL) - kprobe_code_here(code) - PC_AHEAD;
	u32 inverted = apart < 0 ? 0 : BIT(13) | BIT(11);

	if (apart < -SZ_16M || apart >= SZ_16M)
		code->far = true;
	word |= (apart >> 24 & 1) << 26 | (apart >> 12 & 0x3ff) << 16 | (apart >> 1 & 0x7ff);
	word |= (apart >> 23 & 1) << 13 | (apart >> 22 & 1) << 11;
	put_long(code, word ^ inverted);
}

static void put_jump(struct kprobe_code *code, unsigned long to, u32 scratch)
{
	put_branch(code, B, to);
}

/* Over a jump with all the reach, unless the condition holds. */
static void put_conditional(struct kprobe_code *code, u32 word, unsigned long to)
{
	u32 half = word >> 16;

	if ((half & 0xf500) == 0xb100)
		put_short(code, ((half & 0xf907) ^ BIT(11)) | OVER_JUMP << 3);
	else if (is_long(half))
		put_short(code, 0xd000 | ((half >> 6 & 0xf) ^ 1) << 8 | OVER_JUMP);
	else
		put_short(code, ((half & 0xff00) ^ BIT(8)) | OVER_JUMP);
	put_jump(code, to, 0);
}

static void put_half_number(struct kprobe_code *code, u32 word, u32 reg, u32 number)
{
	put_long(code, word | reg << 8 | (number & 0xf000) << 4 | (number & 0x800) << 15 |
		 (number & 0x700) << 4 | (number & 0xff));
}

static void put_number(struct kprobe_code *code, u32 reg, u32 number)
{
	put_half_number(code, MOVW, reg, number & 0xffff);
	put_half_number(code, MOVT, reg, number >> 16);
}

/* The callee returns to the original text, so nobody sleeps with an address of the copy in lr. */
static void put_call(struct kprobe_code *code, const struct kprobe_insn *insn, u32 word,
		     unsigned long from)
{
	put_number(code, REG_LR, (from + insn->len) | 1);
	if (insn->flow == KPROBE_FLOW_CALL)
		put_jump(code, insn->target, 0);
	else
		put_short(code, BX(SHORT_RM(word)));
}

static u32 low_register_but(u32 a, u32 b)
{
	return __ffs(~(BIT(a) | BIT(b)));
}

/* Saves registers, with room for where to go on, and goes on there, in T32 if its bit 0 is set. */
static void put_save(struct kprobe_code *code, u32 regs)
{
	put_short(code, SUB_SP(4));
	put_short(code, PUSH(regs));
}

static void put_go_on(struct kprobe_code *code, u32 regs, u32 to)
{
	put_short(code, STORE(to, 4 * hweight8(regs)));
	put_short(code, POP_WITH_PC(regs));
}

/* tbb, tbh: the base is pc. */
static void put_table_branch(struct kprobe_code *code, u32 word, unsigned long from)
{
	u32 index = word & 0xf, base = low_register_but(index, index);
	u32 distance = low_register_but(index, base), regs = BIT(base) | BIT(distance);

	put_save(code, regs);
	put_number(code, base, from + PC_AHEAD);
	put_long(code, word & 0x10 ? LDR_TBH(distance, base, index) :
				     LDR_TBB(distance, base, index));
	put_long(code, ADD_TWICE | base << 16 | base << 8 | distance);
	put_long(code, SET_BIT_0 | base << 16 | base << 8);
	put_go_on(code, regs, base);
}

static void put_add_pc(struct kprobe_code *code, u32 word, unsigned long from)
{
	u32 reg = SHORT_RM(word), by = low_register_but(reg, reg);

	put_save(code, BIT(by));
	put_number(code, by, from + PC_AHEAD);
	put_short(code, ADD_LOW(by, reg));
	put_long(code, SET_BIT_0 | by << 16 | by << 8);
	put_go_on(code, BIT(by), by);
}

static void put_load_pc(struct kprobe_code *code, unsigned long data)
{
	u32 by = 0;

	put_save(code, BIT(by));
	put_number(code, by, data);
	put_long(code, LDR | by << 16 | by << 12);
	put_go_on(code, BIT(by), by);
}

/* The register that is loaded stands for pc, or a saved one if there is none. */
static void put_relative(struct kprobe_code *code, const struct kprobe_insn *insn, u32 word,
			 unsigned long from)
{
	u32 by = insn->len == LONG ? RT(word) : SHORT_RT(word);

	if (is_tbb(word)) {
		put_table_branch(code, word, from);
	} else if ((word & HALF(0xff87)) == HALF(0x4487)) {
		put_add_pc(code, word, from);
	} else if ((word & HALF(0xff78)) == HALF(0x4478)) {
		by = low_register_but(short_rd(word), short_rd(word));
		put_short(code, PUSH(BIT(by)));
		put_number(code, by, from + PC_AHEAD);
		put_short(code, (word >> 16 & 0xff87) | by << 3);
		put_short(code, POP(BIT(by)));
	} else if ((word & 0xfe000000) == 0xec000000) {
		by = 0;
		put_short(code, PUSH(BIT(by)));
		put_number(code, by, insn->data);
		put_long(code, (word & ~(GENMASK(19, 16) | 0xff)) | by << 16);
		put_short(code, POP(BIT(by)));
	} else if (by == REG_PC) {
		put_load_pc(code, insn->data);
	} else {
		put_number(code, by, insn->data);
		if (insn->len == SHORT || insn->data_len == 4)
			put_long(code, LDR | by << 16 | by << 12);
		else if (insn->data_len == 8)
			put_long(code, (word & ~(GENMASK(19, 16) | 0xff)) | by << 16);
		else	/* with twelve bits of distance */
			put_long(code, (word & ~(GENMASK(19, 16) | 0xfff)) | BIT(23) | by << 16);
	}
}

static u32 result_of(u32 word)
{
	u32 half = word >> 16;

	if (is_long(half))
		return RD(word);
	return (half & 0xff00) == 0x4600 ? short_rd(word) : SHORT_RT(word);
}

static void emit(struct kprobe_code *code, const struct kprobe_insn *insn,
		 const u8 *bytes, unsigned long from)
{
	u32 word = word_at(bytes);
	const struct kprobe_form *form = kprobe_find_form(&t32_kprobe_forms, word);

	if (insn->action == KPROBE_NOP)
		return;
	if (form->flow == KPROBE_FLOW_JUMP) {
		put_jump(code, insn->target, 0);
	} else if (form->flow == KPROBE_FLOW_COND) {
		put_conditional(code, word, insn->target);
	} else if (form->flow == KPROBE_FLOW_CALL || form->flow == KPROBE_FLOW_CALL_INDIRECT) {
		put_call(code, insn, word, from);
	} else if (form->uses & NUMBER) {
		put_number(code, result_of(word), address_of(word, from));
	} else if (form->uses & RELATIVE) {
		put_relative(code, insn, word, from);
	} else {
		/* What would set flags. */
		if (insn->arch.block && word < HALF(0x4400))
			put_short(code, IT_ALWAYS);
		kprobe_code_put(code, bytes, insn->len);
	}
}

/* How much put_relative() writes. */
static __always_inline unsigned int relative_len(u32 word)
{
	if (is_tbb(word))
		return 28;
	if ((word & HALF(0xff87)) == HALF(0x4487))	/* add pc, rm */
		return 22;
	if ((word & HALF(0xff78)) == HALF(0x4478))	/* add rd, pc */
		return 14;
	if ((word & 0xfe000000) == 0xec000000)		/* vldr */
		return 16;
	if (RT(word) == REG_PC && is_long(word >> 16))	/* ldr pc */
		return 20;
	return 12;
}

/**
 * t32_kprobe_copy_len() - how long is the copy of an instruction in a slot?
 * @bytes: the instruction, one that runs
 * @block: state of the block that it is in, 0 if in none
 *
 * Context: Any.
 * Return: How many bytes emit() writes.
 */
__kprobes unsigned int t32_kprobe_copy_len(const u8 *bytes, u8 block)
{
	u32 word = word_at(bytes);
	const struct kprobe_form *form = kprobe_find_form(&t32_kprobe_forms, word);
	unsigned int len = is_long(word >> 16) ? LONG : SHORT;

	if (form->uses & NUMBER)
		return 2 * LONG;
	if (form->uses & RELATIVE)
		return relative_len(word);
	return block && word < HALF(0x4400) ? SHORT + len : len;
}

/**
 * t32_kprobe_copy_pushed() - how much is on the stack in the copy of an instruction?
 * @bytes:  the instruction
 * @offset: where in its copy, or behind that
 *
 * Context: Any.
 * Return: How many bytes put_relative() has pushed there to save registers.
 */
__kprobes unsigned int t32_kprobe_copy_pushed(const u8 *bytes, unsigned int offset)
{
	u32 word = word_at(bytes);
	const struct kprobe_form *form = kprobe_find_form(&t32_kprobe_forms, word);
	unsigned int len = relative_len(word);

	/* The shortest copies save nothing. */
	if (!(form->uses & RELATIVE) || !offset || offset >= len || len == 12)
		return 0;
	if (form->flow != KPROBE_FLOW_JUMP_INDIRECT || offset == SHORT)
		return 4;
	return is_tbb(word) ? 12 : 8;
}

static void put_breakpoint(struct kprobe_code *code, const struct kprobe_insn *insn)
{
	if (insn->breakpoint_len == SHORT)
		put_short(code, SHORT_BREAKPOINT);
	else
		put_long(code, LONG_BREAKPOINT);
}

/* The call overwrites lr: the stub saves it where the registers will be. */
static void put_enter(struct kprobe_code *code, unsigned long common)
{
	put_short(code, SUB_SP(KPROBE_STUB_FRAME));
	put_long(code, STORE_LR(KPROBE_STUB_LINK));
	put_branch(code, BL, common);
}

static void put_leave(struct kprobe_code *code)
{
	put_long(code, LOAD_LR(KPROBE_STUB_LINK));
	put_short(code, ADD_SP(KPROBE_STUB_FRAME));
}

const struct kprobe_isa t32_kprobe_isa = {
	.insn_max = LONG,
	.align = SHORT,
	.jump_size = LONG,
	.jump_insns = 1,
	.stateless = true,
	.literals = true,
	.forms = &t32_kprobe_forms,
	.plan = plan,
	.within = within,
	.emit = emit,
	.jump = put_jump,
	.breakpoint = put_breakpoint,
	.enter = put_enter,
	.leave = put_leave,
	.entry = entry,
};
