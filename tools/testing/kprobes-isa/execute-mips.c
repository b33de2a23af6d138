// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How Unicorn executes MIPS with 32 bit, big-endian. Unicorn 2.0.1 raises an exception at any
 * instruction of 64 bit.
 */
#include <linux/kernel.h>
#include <linux/unaligned.h>
#include <unicorn/unicorn.h>

#include "execute.h"

#define word_of(bytes)	get_unaligned_be32(bytes)
#include "execute-mips.h"

#define R(nr)	{ .id = UC_MIPS_REG_##nr, .kind = MACHINE_GENERAL, .size = 4 }
#define F(nr)	{ .id = UC_MIPS_REG_F##nr, .kind = MACHINE_RANDOM, .size = 4 }

static const struct machine_reg regs[] = {
	{ .id = UC_MIPS_REG_0, .kind = MACHINE_FIXED, .size = 4 },
	R(1), R(2), R(3), R(4), R(5), R(6), R(7), R(8), R(9), R(10), R(11), R(12), R(13), R(14),
	R(15), R(16), R(17), R(18), R(19), R(20), R(21), R(22), R(23), R(24), R(25), R(26), R(27),
	R(28), { .id = UC_MIPS_REG_29, .kind = MACHINE_STACK, .size = 4 }, R(30), R(31),
	{ .id = UC_MIPS_REG_HI, .kind = MACHINE_RANDOM, .size = 4 },
	{ .id = UC_MIPS_REG_LO, .kind = MACHINE_RANDOM, .size = 4 },
	F(0), F(1), F(2), F(3), F(4), F(5), F(6), F(7), F(8), F(9), F(10), F(11), F(12), F(13),
	F(14), F(15), F(16), F(17), F(18), F(19), F(20), F(21), F(22), F(23), F(24), F(25), F(26),
	F(27), F(28), F(29), F(30), F(31),
};

static const char *skip_hint(const u8 *bytes, size_t len)
{
	u32 word = word_of(bytes);

	if ((word & 0xfc00003e) == 8 && word >> 6 & 0x1f)
		return "has a hint, at which Unicorn raises an exception";	/* jr, jalr */
	return skip(bytes, len);
}

static void open_fpu(void *uc)
{
	u32 status = 1 << 29;

	uc_reg_write(uc, UC_MIPS_REG_CP0_STATUS, &status);
}

const struct execute_arch execute_arch = {
	.arch = UC_ARCH_MIPS,
	.mode = UC_MODE_MIPS32 | UC_MODE_BIG_ENDIAN,
	.cpu = UC_CPU_MIPS32_24KF,
	.regs = regs,
	.nr_regs = ARRAY_SIZE(regs),
	.align_sp = 8,
	.data = 0x83400000,
	.stack = 0x84810000,
	.slots = 0x82000000,
	.always = always,
	.open = open_fpu,
	.skip = skip_hint,
	.class_of = class_of,
};
