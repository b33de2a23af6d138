// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How QEMU executes MIPS of 64 bit, little-endian. In the segment of the kernel addresses are those
 * of memory, but for their upper bits.
 */
#include <stdio.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/unaligned.h>

#include "machine-gdb.h"

#define word_of(bytes)	get_unaligned_le32(bytes)
#include "execute-mips.h"

#define R(nr)	{ .id = 8 * (nr), .kind = MACHINE_GENERAL, .size = 8 }
#define F(nr)	{ .id = 8 * (38 + (nr)), .kind = MACHINE_RANDOM, .size = 8 }

/* Floating point, with 32 registers; the vectors that a reset selects; addresses of 64 bit. */
#define STATUS	(BIT(29) | BIT(26) | BIT(22) | BIT(7))
#define VECTORS	0xffffffffbfc00000
#define BADVADDR	(35 * 8)
#define CAUSE	(36 * 8)

static const struct machine_reg regs[] = {
	{ .id = 0, .kind = MACHINE_FIXED, .size = 8 },
	R(1), R(2), R(3), R(4), R(5), R(6), R(7), R(8), R(9), R(10), R(11), R(12), R(13), R(14),
	R(15), R(16), R(17), R(18), R(19), R(20), R(21), R(22), R(23), R(24), R(25), R(26), R(27),
	R(28), { .id = 29 * 8, .kind = MACHINE_STACK, .size = 8 }, R(30), R(31),
	{ .id = 32 * 8, .kind = MACHINE_FIXED, .size = 8, .value = STATUS },
	{ .id = 33 * 8, .kind = MACHINE_RANDOM, .size = 8 },		/* lo */
	{ .id = 34 * 8, .kind = MACHINE_RANDOM, .size = 8 },		/* hi */
	/* Conditions of floating point. */
#ifdef CONFIG_CPU_MIPSR6
	{ .id = 70 * 8, .kind = MACHINE_FIXED, .size = 4, .value = 0xc0000 },
#else
	{ .id = 70 * 8, .kind = MACHINE_RANDOM, .size = 4, .mask = 0xfe800000 },
#endif
	F(0), F(1), F(2), F(3), F(4), F(5), F(6), F(7), F(8), F(9), F(10), F(11), F(12), F(13),
	F(14), F(15), F(16), F(17), F(18), F(19), F(20), F(21), F(22), F(23), F(24), F(25), F(26),
	F(27), F(28), F(29), F(30), F(31),
};

#ifdef CONFIG_CPU_MIPSR6
#define SC	0x7c840026			/* sc	$4, 0($4) */

/* QEMU remembers that no branch may come after a compact one. */
static bool is_compact(u32 major)
{
	return major == 0x06 || major == 0x07 || major == 0x08 || major == 0x16 ||
	       major == 0x17 || major == 0x18 || major == 0x36 || major == 0x3e;
}
#else
#define SC	0xe0840000

static bool is_compact(u32 major)
{
	return false;
}
#endif

/* A load locked, too, is remembered. */
static bool ends(const u8 *bytes, bool trapped)
{
	u32 word = word_of(bytes), major = word >> 26;

	return is_compact(major) || major == 0x30 || major == 0x34 ||
	       (major == 0x1f && ((word & 0x3f) == 0x36 || (word & 0x3f) == 0x37));
}

/* A conditional store, after which nothing is linked. */
static unsigned int after(u32 *code)
{
	code[0] = 0;					/* nop */
	code[1] = 0x3c048000;				/* lui	$4, 0x8000 */
	code[2] = SC;
	return 3;
}

static enum machine_end trap(const u8 *values, unsigned long pc, struct machine_result *result)
{
	unsigned long code = get_unaligned_le64(values + CAUSE) >> 2 & 31;

	if (pc - VECTORS >= 0x1000)
		return MACHINE_NONE;
	result->fault = code;
	if (code == 10)
		return MACHINE_UNDEFINED;
	if (!code || (code > 5 && code != 7))
		return MACHINE_EXCEPTION;
	if (code <= 5)
		result->fault = get_unaligned_le64(values + BADVADDR);
	result->write = code == 1 || code == 3 || code == 5;
	return MACHINE_FAULT;
}

const struct execute_arch execute_arch = {
	.regs = regs,
	.nr_regs = ARRAY_SIZE(regs),
	.align_sp = 16,
	.data = 0xffffffff83400000,
	.stack = 0xffffffff84810000,
	.slots = 0xffffffff82000000,
	.always = always,
	.skip = skip,
	.class_of = class_of,
	.slow = true,
};

const struct gdb_machine gdb_machine = {
#ifdef CONFIG_CPU_MIPSR6
	.options = "-M none,memory-backend=m -cpu I6400",
#else
	.options = "-M none,memory-backend=m -cpu MIPS64R2-generic",
#endif
	.size = 0x10000000,
	.address = 0x1fffffff,
	.pc = { .nr = 37, .offset = 37 * 8, .size = 8 },
	.code = 0xffffffff80002000,
	.after = after,
	.ends = ends,
	.trap = trap,
};
