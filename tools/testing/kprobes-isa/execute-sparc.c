// SPDX-License-Identifier: GPL-2.0-or-later
/* How QEMU executes SPARC of 64 bit. Addresses are those of memory. */
#include <stdio.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/unaligned.h>

#include "gdb.h"
#include "machine-gdb.h"

#define R(nr)		{ .id = 8 * (nr), .kind = MACHINE_GENERAL, .size = 8 }
#define STACK(nr)	{ .id = 8 * (nr), .kind = MACHINE_STACK, .size = 8 }
#define F(nr)		{ .id = 256 + 4 * (nr), .kind = MACHINE_RANDOM, .size = 4 }
#define D(nr)		{ .id = 256 + 4 * (nr), .kind = MACHINE_RANDOM, .size = 8 }

#define OTHER(name, field)	{ .id = name, .kind = MACHINE_RANDOM, .size = 8, .mask = field }

#define PC	512
#define NEXT	520
#define STATE	528
#define FSR	536
#define FPRS	544
#define Y	552

#define VECTORS	0x8000UL
#define BIAS	2047

/* Privileged, with floating point; and the address space of ordinary accesses. */
#define PSTATE	0x14
#define ASI	0x80ULL
#define STATE_VALUE	(ASI << 24 | PSTATE << 8)

static const struct machine_reg regs[] = {
	{ .id = 0, .kind = MACHINE_FIXED, .size = 8 },
	R(1), R(2), R(3), R(4), R(5), R(6), R(7), R(8), R(9), R(10), R(11), R(12), R(13), STACK(14),
	R(15), R(16), R(17), R(18), R(19), R(20), R(21), R(22), R(23), R(24), R(25), R(26), R(27),
	R(28), R(29), STACK(30), R(31),
	/* Conditions are random. */
	{ .id = STATE, .kind = MACHINE_RANDOM, .size = 8, .mask = 0xffULL << 32,
	  .value = STATE_VALUE },
	OTHER(FSR, 0x3f00000c00), OTHER(Y, 0xffffffff),
	{ .id = FPRS, .kind = MACHINE_FIXED, .size = 8, .value = 7 },
	F(0), F(1), F(2), F(3), F(4), F(5), F(6), F(7), F(8), F(9), F(10), F(11), F(12), F(13),
	F(14), F(15), F(16), F(17), F(18), F(19), F(20), F(21), F(22), F(23), F(24), F(25), F(26),
	F(27), F(28), F(29), F(30), F(31), D(32), D(34), D(36), D(38), D(40), D(42), D(44), D(46),
	D(48), D(50), D(52), D(54), D(56), D(58), D(60), D(62),
};

static unsigned int put(u32 *code, const u32 *words, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		code[i] = words[i];
	return nr;
}

/* wrpr %g0, value, reg */
#define WRPR(reg, value)	(0x81902000 | (reg) << 25 | (value))
#define TBA		5
#define PSTATE_REG	6
#define TL		7
#define CANSAVE		10
#define CANRESTORE	11
#define CLEANWIN	12
#define OTHERWIN	13

#define NOP		0x01000000

/* The CPU was not reset. It has a register window once this is written. */
static void open(void *unused)
{
	static const u8 state[] = { 0, 0, 0, 0, ASI, 0, PSTATE, 0 };

	gdb_write_register(82, state, sizeof(state));
}

/* The first step is a trap. Vectors are to be elsewhere than at 0. */
static unsigned int first(u32 *code)
{
	static const u32 words[] = {
		NOP,
		WRPR(TL, 0), WRPR(PSTATE_REG, PSTATE),
		0x03000020, 0x8b904000,		/* sethi %hi(0x8000), %g1; wrpr %g1, %g0, %tba */
		WRPR(CLEANWIN, 7), WRPR(OTHERWIN, 0), WRPR(CANSAVE, 3), WRPR(CANRESTORE, 3),
	};

	return put(code, words, ARRAY_SIZE(words));
}

/* A trap has changed the set of global registers. */
static unsigned int after(u32 *code)
{
	static const u32 words[] = { WRPR(TL, 0), WRPR(PSTATE_REG, PSTATE) };

	return put(code, words, ARRAY_SIZE(words));
}

static bool has_trapped(const u8 *bytes, bool trapped)
{
	return trapped;
}

static unsigned int before(u32 *code)
{
	static const u32 words[] = { WRPR(OTHERWIN, 0), WRPR(CANSAVE, 3), WRPR(CANRESTORE, 3) };

	return put(code, words, ARRAY_SIZE(words));
}

static unsigned int op3_of(u32 word)
{
	return word >> 19 & 0x3f;
}

/* What accesses register windows, in a delay slot too: flushw, saved, return, save and restore. */
static bool wants(const u8 *bytes, size_t len)
{
	bool wanted = false;
	u32 word, op3;
	size_t at;

	for (at = 0; at + 4 <= len; at += 4) {
		word = get_unaligned_be32(bytes + at);
		op3 = op3_of(word);
		wanted |= word >> 30 == 2 &&
			  (op3 == 0x2b || op3 == 0x31 || op3 == 0x39 || op3 >= 0x3c);
	}
	return wanted;
}

static enum machine_end trap(const u8 *values, unsigned long pc, struct machine_result *result)
{
	unsigned long type = (pc - VECTORS) >> 5;

	if (pc - VECTORS >= 0x8000)
		return MACHINE_NONE;
	result->fault = type;
	if (type == 0x10)
		return MACHINE_UNDEFINED;
	return type >= 0x30 && type < 0x40 ? MACHINE_FAULT : MACHINE_EXCEPTION;
}

/* Of state registers y, ccr, asi, pc and fprs. */
#define ORDINARY_STATE	(BIT(0) | BIT(2) | BIT(3) | BIT(5) | BIT(6) | BIT(15))

static const char *skip(const u8 *bytes, size_t len)
{
	u32 word = get_unaligned_be32(bytes), op3 = op3_of(word), rd = word >> 25 & 31;
	u32 rs1 = word >> 14 & 31, asi = word >> 5 & 0xff;

	if (word >> 30 == 2 && (op3 == 0x2a || op3 == 0x32))
		return "accesses a privileged register";
	if (word >> 30 == 2 && ((op3 == 0x28 && !(ORDINARY_STATE >> rs1 & 1)) ||
				(op3 == 0x30 && !(ORDINARY_STATE >> rd & 1))))
		return "accesses a state register, such as the time";
	if (word >> 30 == 3 && op3 & 0x10 && op3 != 0x3d && !(word & 0x2000) &&
	    (asi < 0x80 || asi > 0x8b))
		return "accesses another address space";
	return NULL;
}

/* ba, bn, and those that compare %g0 with 0. */
static bool always(const u8 *bytes)
{
	u32 word = get_unaligned_be32(bytes);

	if ((word >> 22 & 7) == 3)
		return !(word >> 14 & 31);
	return !(word >> 25 & 7);
}

/* A call to an address that is no multiple of 4 traps. A copy of it has changed %o7 by then. */
static void limit(union machine_value *state, const u8 *bytes, size_t len)
{
	u32 word = get_unaligned_be32(bytes);

	if ((word & 0xfff80000) != 0x9fc00000)
		return;
	state[word >> 14 & 31].number &= ~3ULL;
	if (!(word & 0x2000))
		state[word & 31].number &= ~3ULL;
}

/* Without what names registers and immediate numbers. */
static void class_of(char *class, size_t size, const u8 *bytes, size_t len)
{
	u32 word = get_unaligned_be32(bytes), op3 = op3_of(word), mask = 0xc1f82000;

	if (word >> 30 == 1)
		mask = 0xc0000000;
	else if (word >> 30 == 0)
		mask = (word >> 22 & 7) == 4 ? 0xc1c00000 : 0xffc00000;
	else if (word >> 30 == 2 && (op3 == 0x34 || op3 == 0x35 || op3 == 0x36))
		mask = 0xc1f83fe0;
	snprintf(class, size, "%08x/%08x", word & mask, mask);
}

const struct execute_arch execute_arch = {
	.regs = regs,
	.nr_regs = ARRAY_SIZE(regs),
	.align_sp = 16,
	.data = 0x3400000,
	.stack = 0x5010000 - BIAS,
	.slots = 0xa00000,
	.always = always,
	.open = open,
	.limit = limit,
	.skip = skip,
	.class_of = class_of,
	.slow = true,
};

const struct gdb_machine gdb_machine = {
	.options = "-M none,memory-backend=m -cpu TI-UltraSparc-IIi,+fmaf,+vis3,+ima,+vis4",
	.size = 0x10000000,
	.address = ~0UL,
	.pc = { .nr = 80, .offset = PC, .size = 8 },
	.next = { .nr = 81, .offset = NEXT, .size = 8 },
	.bank = { .nr = 82, .size = 8 },
	.in_bank = STATE_VALUE,
	.code = 0x2000,
	.first = first,
	.before = before,
	.wants = wants,
	.after = after,
	.ends = has_trapped,
	.trap = trap,
};
