// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How QEMU executes PA-RISC, of 32 or 64 bit. Addresses are those of memory. QEMU shows gdb the
 * lower half of registers, so that those of 64 bit are loaded and stored by instructions.
 */
#include <stdio.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/unaligned.h>

#include "machine-gdb.h"

#define SAVED		0x1800		/* address of registers in memory */
#define VECTORS		0x1000UL

#ifdef CONFIG_64BIT
#define R(nr)	{ .id = GDB_MEMORY | (SAVED + 8 * (nr)), .kind = MACHINE_GENERAL, .size = 8 }
#define PSW		(PSW_Q | PSW_W)
#define SAR_MASK	0x3f
#else
#define R(nr)	{ .id = 4 * (nr), .kind = MACHINE_GENERAL, .size = 4 }
#define PSW		PSW_Q
#define SAR_MASK	0x1f
#endif
#define F(nr)	{ .id = 256 + 8 * (nr), .kind = MACHINE_RANDOM, .size = 8 }

#define IOR		(40 * 4)

#define PSW_Q		BIT(3)
#define PSW_CB		GENMASK(15, 8)
#define PSW_V		BIT(17)
#define PSW_B		BIT(19)
#define PSW_X		BIT(20)
#define PSW_N		BIT(21)
#define PSW_W		BIT(27)

/* Bit B of the PSW tells that a branch was taken; only b,gate wants to know. */
static const struct machine_reg regs[] = {
	{ .id = 0, .kind = MACHINE_RANDOM, .size = 4, .mask = PSW_CB | PSW_V, .value = PSW,
	  .ignore = PSW_B | PSW_X },
	R(1), R(2), R(3), R(4), R(5), R(6), R(7), R(8), R(9), R(10), R(11), R(12), R(13), R(14),
	R(15), R(16), R(17), R(18), R(19), R(20), R(21), R(22), R(23), R(24), R(25), R(26), R(27),
	R(28), R(29), { .id = 30 * 4, .kind = MACHINE_STACK, .size = 4 }, R(31),
	{ .id = 32 * 4, .kind = MACHINE_RANDOM, .size = 4, .mask = SAR_MASK },
	F(4), F(5), F(6), F(7), F(8), F(9), F(10), F(11), F(12), F(13), F(14), F(15), F(16), F(17),
	F(18), F(19), F(20), F(21), F(22), F(23), F(24), F(25), F(26), F(27), F(28), F(29), F(30),
	F(31),
};

/* The CPU was not reset: the first step is a trap, and the second one goes up to the breakpoint. */
static unsigned int first(u32 *code)
{
	code[0] = 0x08000240;			/* nop */
	code[1] = 0;				/* break */
	code[2] = 0x34012000;			/* ldi 0x1000, r1 */
	code[3] = 0x01c11840;			/* mtctl r1, iva */
	code[4] = 0x34010180;			/* ldi 0xc0, r1 */
	code[5] = 0x01411840;			/* mtctl r1, ccr */
	return 6;
}

#ifdef CONFIG_64BIT
/* ldd or std with an address alone; of each register but the stack pointer. */
static unsigned int put_each(u32 *code, u32 word)
{
	unsigned int nr = 0, reg;

	for (reg = 1; reg < 32; reg++)
		if (reg != 30)
			code[nr++] = word | reg << 16 | (SAVED + 8 * reg) << 1;
	return nr;
}

static unsigned int before(u32 *code)
{
	return put_each(code, 0x50000000);
}

static unsigned int after(u32 *code)
{
	return put_each(code, 0x70000000);
}
#endif

static bool skips(const u8 *values)
{
	return get_unaligned_be32(values) & PSW_N;
}

static enum machine_end trap(const u8 *values, unsigned long pc, struct machine_result *result)
{
	unsigned long type = (pc - VECTORS) / 32;

	if (pc - VECTORS >= 32 * 32)
		return MACHINE_NONE;
	result->fault = type;
	if (type == 8)
		return MACHINE_UNDEFINED;
	if (type != 1 && type < 15)
		return MACHINE_EXCEPTION;
	if (type != 1)
		result->fault = get_unaligned_be32(values + IOR);
	return MACHINE_FAULT;
}

/* cmpb,*, cmpib,*, depd, extrd */
static bool is_of_64_bit(u32 major)
{
	return major == 0x27 || major == 0x2f || major == 0x3b;
}

static const char *skip(const u8 *bytes, size_t len)
{
	u32 word = get_unaligned_be32(bytes);

	if (!IS_ENABLED(CONFIG_64BIT) && is_of_64_bit(word >> 26))
		return "has 64 bit";
	if (word >> 26)
		return NULL;
	switch (word >> 5 & 0xff) {
	case 0x45:						/* mfctl */
		return (word >> 21 & 31) == 16 ? "reads the time" : NULL;
	case 0xc2:						/* mtctl */
		return (word >> 21 & 31) != 11 ? "writes a system register" : NULL;
	case 0x6b: case 0x73: case 0xc1: case 0xc3:		/* ssm, rsm, mtsp, mtsm */
		return "writes a system register";
	default:
		return NULL;
	}
}

/* The condition is "never" or "always", or of a register and itself, or a number is loaded. */
static bool always(const u8 *bytes)
{
	u32 word = get_unaligned_be32(bytes), major = word >> 26;
	bool compares = major == 0x20 || major == 0x22 || major == 0x27 || major == 0x2f;

	if (major == 0x33)
		return true;
	if (major == 0x30 || major == 0x31 || major == 0x3b)
		return false;
	return !(word >> 13 & (major == 0x32 ? 3 : 7)) ||
	       (compares && (word >> 21 & 31) == (word >> 16 & 31));
}

/* What is compared with a number is often the same. */
static void limit(union machine_value *state, const u8 *bytes, size_t len)
{
	u32 word = get_unaligned_be32(bytes), major = word >> 26, number = word >> 16 & 31;

	if ((major == 0x21 || major == 0x23 || major == 0x3b) && !(machine_random() & 3))
		state[word >> 21 & 31].number = (s64)(number >> 1) - (number & 1) * 16;
}

/* QEMU does not write the return address of b,l,push. */
static unsigned int ignore(const u8 *bytes, size_t len)
{
	return (get_unaligned_be32(bytes) & 0xfc00e000) == 0xe8008000 ? 2 : ARRAY_SIZE(regs);
}

/* Without what names registers and immediate numbers, and without conditions. */
static void class_of(char *class, size_t size, const u8 *bytes, size_t len)
{
	u32 word = get_unaligned_be32(bytes), mask = 0xfc000000;

	switch (word >> 26) {
	case 0x00:
		mask = 0xfc001fe0;
		break;
	case 0x01: case 0x03: case 0x09: case 0x0b:
		mask = 0xfc001fc0;
		break;
	case 0x02:
		mask = 0xfc000fe0;
		break;
	case 0x0c: case 0x0e:
		mask = 0xfc00ffe0;
		break;
	case 0x34: case 0x35: case 0x36: case 0x3c: case 0x3d: case 0x3e:
		mask = 0xfc001c00;
		break;
	case 0x38: case 0x39:
		mask = 0xfc00e002;
		break;
	case 0x3a:
		mask = 0xfc00f003;
		break;
	case 0x20: case 0x21: case 0x22: case 0x23: case 0x27: case 0x28: case 0x29: case 0x2a:
	case 0x2b: case 0x2f: case 0x30: case 0x31: case 0x32: case 0x33: case 0x3b:
		mask = 0xfc00e003;
		break;
	}
	snprintf(class, size, "%08x/%08x", word & mask, mask);
}

const struct execute_arch execute_arch = {
	.regs = regs,
	.nr_regs = ARRAY_SIZE(regs),
	.align_sp = 64,
#ifdef CONFIG_64BIT
	.data = 0x43400000,
	.stack = 0x45010000,
	.slots = 0x48000000,
#else
	.data = 0x13400000,
	.stack = 0x15010000,
	.slots = 0x18000000,
#endif
	.always = always,
	.limit = limit,
	.ignore = ignore,
	.skip = skip,
	.class_of = class_of,
	.slow = true,
};

const struct gdb_machine gdb_machine = {
#ifdef CONFIG_64BIT
	.options = "-M none,memory-backend=m -cpu hppa64",
	.size = 0x50000000,
	.before = before,
	.after = after,
	.clean = { .nr = 0, .size = 4 },
	.value = PSW,
#else
	.options = "-M none,memory-backend=m -cpu hppa",
	.size = 0x20000000,
#endif
	.address = ~0UL,
	.pc = { .nr = 33, .offset = 33 * 4, .size = 4 },
	.next = { .nr = 35, .offset = 35 * 4, .size = 4 },
	.code = 0x2000,
	.first = first,
	.trap = trap,
	.skips = skips,
};
