// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How QEMU executes PowerPC with 64 bit, of either byte order: as a hypervisor without translated
 * addresses. Their upper four bits do not count.
 */
#include <stdio.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/unaligned.h>

#include "gdb.h"
#include "machine-gdb.h"

#ifdef CONFIG_CPU_LITTLE_ENDIAN
#define word_of(bytes)	get_unaligned_le32(bytes)
#define MSR_LE		1ULL
#else
#define word_of(bytes)	get_unaligned_be32(bytes)
#define MSR_LE		0ULL
#endif
#include "execute-powerpc.h"

/* 64 bit, hypervisor, vectors and floating point; a machine check does not end all; recoverable. */
#define MSR	(BIT(63) | BIT(60) | BIT(25) | BIT(23) | BIT(13) | BIT(12) | BIT(1) | MSR_LE)

#define R(nr)	{ .id = 8 * (nr), .kind = MACHINE_GENERAL, .size = 8 }
#define F(nr)	{ .id = GDB_NUMBER | (71 + (nr)), .kind = MACHINE_RANDOM, .size = 8 }
#define V(nr)	{ .id = GDB_NUMBER | (104 + (nr)), .kind = MACHINE_RANDOM, .size = 16 }
#define VS(nr)	{ .id = GDB_NUMBER | (138 + (nr)), .kind = MACHINE_RANDOM, .size = 8 }

/* The first one of floating point among the registers. */
#define FPR	38

static const struct machine_reg regs[] = {
	R(0), { .id = 8, .kind = MACHINE_STACK, .size = 8 }, R(2), R(3), R(4), R(5), R(6), R(7),
	R(8), R(9), R(10), R(11), R(12), R(13), R(14), R(15), R(16), R(17), R(18), R(19), R(20),
	R(21), R(22), R(23), R(24), R(25), R(26), R(27), R(28), R(29), R(30), R(31),
	{ .id = 264, .kind = MACHINE_FIXED, .size = 8, .value = MSR },
	{ .id = 272, .kind = MACHINE_RANDOM, .size = 4 },			/* cr */
	{ .id = 276, .kind = MACHINE_GENERAL, .size = 8 },			/* lr */
	{ .id = 284, .kind = MACHINE_GENERAL, .size = 8 },			/* ctr */
	{ .id = 292, .kind = MACHINE_RANDOM, .size = 4, .mask = 0xe0000000 },	/* xer */
	{ .id = GDB_NUMBER | 103, .kind = MACHINE_FIXED, .size = 4 },		/* fpscr */
	F(0), F(1), F(2), F(3), F(4), F(5), F(6), F(7), F(8), F(9), F(10), F(11), F(12), F(13),
	F(14), F(15), F(16), F(17), F(18), F(19), F(20), F(21), F(22), F(23), F(24), F(25), F(26),
	F(27), F(28), F(29), F(30), F(31),
	V(0), V(1), V(2), V(3), V(4), V(5), V(6), V(7), V(8), V(9), V(10), V(11), V(12), V(13),
	V(14), V(15), V(16), V(17), V(18), V(19), V(20), V(21), V(22), V(23), V(24), V(25), V(26),
	V(27), V(28), V(29), V(30), V(31),
	VS(0), VS(1), VS(2), VS(3), VS(4), VS(5), VS(6), VS(7), VS(8), VS(9), VS(10), VS(11),
	VS(12), VS(13), VS(14), VS(15), VS(16), VS(17), VS(18), VS(19), VS(20), VS(21), VS(22),
	VS(23), VS(24), VS(25), VS(26), VS(27), VS(28), VS(29), VS(30), VS(31),
};

/* After a reset the CPU is big-endian, and so is what QEMU tells of it. */
static void open(void *unused)
{
	u8 msr[8];

	put_unaligned_be64(MSR, msr);
	gdb_write_register(65, msr, sizeof(msr));
}

/* Traps do not change the byte order. */
static unsigned int first(u32 *code)
{
	code[0] = 0x38600000 | MSR_LE;		/* li	r3, 0 or 1 */
	code[1] = 0x7863d906;			/* sldi	r3, r3, 59 */
	code[2] = 0x7c70fba6;			/* mtspr HID0, r3 */
	return 3;
}

static bool is_load_reserve(const u8 *bytes, bool trapped)
{
	u32 word = word_of(bytes), opcode = word >> 1 & 0x3ff;

	return word >> 26 == 31 && (opcode == 20 || opcode == 52 || opcode == 84 ||
				    opcode == 116 || opcode == 276);
}

/* A conditional store, after which nothing is reserved. */
static unsigned int unreserve(u32 *code)
{
	code[0] = 0x38603000;			/* li	r3, 0x3000 */
	code[1] = 0x7c6019ad;			/* stdcx. r3, 0, r3 */
	return 2;
}

/* Of floating point and vectors. */
static bool rest(const u8 *bytes)
{
	u32 word = word_of(bytes), opcode = word >> 1 & 0x3ff, low = opcode & 31;

	switch (word >> 26) {
	case 1: case 4: case 6: case 48 ... 57: case 59: case 60: case 61: case 63:
		return true;
	case 31:
		return low == 6 || low == 7 || low == 12 || low == 13 ||
		       (low == 23 && opcode >= 512) ||
		       (low == 19 && opcode != 19 && opcode != 339 && opcode != 467);
	default:
		return false;
	}
}

static enum machine_end trap(const u8 *values, unsigned long pc, struct machine_result *result)
{
	if (pc < 0x100 || pc >= 0x2000)
		return MACHINE_NONE;
	result->fault = pc;
	switch (pc) {
	case 0x200: case 0x300: case 0x380: case 0x600:
		return MACHINE_FAULT;
	case 0xe40:
		return MACHINE_UNDEFINED;
	default:
		return MACHINE_EXCEPTION;
	}
}

/*
 * mtfsf may enable the exception that it sets. QEMU ignores that, as MSR does not want any, but
 * then goes on to the next instruction.
 */
static void limit(union machine_value *state, const u8 *bytes, size_t len)
{
	u32 word = word_of(bytes);

	if ((word & 0xfc0007fe) == 0xfc00058e)
		state[FPR + (word >> 11 & 31)].number &= ~0xf8ULL;
}

static const char *skip_more(const u8 *bytes, size_t len)
{
	u32 word = word_of(bytes), rs = word >> 21 & 31;

	/* or rx, rx, rx */
	if ((word & 0xfc0007ff) == 0x7c000378 && (word >> 16 & 31) == rs && (word >> 11 & 31) == rs)
		return "is a hint, for which QEMU goes on to the next instruction";
	if ((word & 0xfc0007fe) == 0x7c0005e6)
		return "reads a random number";
	return skip(bytes, len);
}

const struct execute_arch execute_arch = {
	.regs = regs,
	.nr_regs = ARRAY_SIZE(regs),
	.align_sp = 16,
	.data = 0xc000000003400000,
	.stack = 0xc000000005010000,
	.slots = 0xc000000001e00000,
	.always = always,
	.open = open,
	.limit = limit,
	.skip = skip_more,
	.class_of = class_of,
	.slow = true,
};

const struct gdb_machine gdb_machine = {
	.options = "-M powernv10,memory-backend=m -cpu power10",
	.size = 0x40000000,
	.address = 0x0fffffffffffffff,
	.pc = { .nr = 64, .offset = 256, .size = 8 },
	.code = 0xc000000006000000,
	.first = first,
	.after = unreserve,
	.ends = is_load_reserve,
	.rest = rest,
	.trap = trap,
};
