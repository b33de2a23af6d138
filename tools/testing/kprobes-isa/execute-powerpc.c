// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How Unicorn executes PowerPC with 32 bit, big-endian. Unicorn 2.0.1 cannot set the bits of MSR
 * for 64 bit and for little-endian data, neither by its registers nor by an instruction.
 */
#include <linux/kernel.h>
#include <linux/unaligned.h>
#include <unicorn/unicorn.h>

#include "execute.h"

#define word_of(bytes)	get_unaligned_be32(bytes)
#include "execute-powerpc.h"

#define WORD		4

#define GENERAL(name)	{ .id = UC_PPC_REG_##name, .kind = MACHINE_GENERAL, .size = WORD }
#define FPR(nr)		{ .id = UC_PPC_REG_FPR##nr, .kind = MACHINE_RANDOM, .size = 8 }

static const struct machine_reg regs[] = {
	GENERAL(0), { .id = UC_PPC_REG_1, .kind = MACHINE_STACK, .size = WORD },
	GENERAL(2), GENERAL(3), GENERAL(4), GENERAL(5), GENERAL(6), GENERAL(7), GENERAL(8),
	GENERAL(9), GENERAL(10), GENERAL(11), GENERAL(12), GENERAL(13), GENERAL(14), GENERAL(15),
	GENERAL(16), GENERAL(17), GENERAL(18), GENERAL(19), GENERAL(20), GENERAL(21), GENERAL(22),
	GENERAL(23), GENERAL(24), GENERAL(25), GENERAL(26), GENERAL(27), GENERAL(28), GENERAL(29),
	GENERAL(30), GENERAL(31), GENERAL(LR), GENERAL(CTR),
	{ .id = UC_PPC_REG_CR, .kind = MACHINE_RANDOM, .size = 4 },
	{ .id = UC_PPC_REG_XER, .kind = MACHINE_RANDOM, .size = 4, .mask = 0xe0000000 },
	FPR(0), FPR(1), FPR(2), FPR(3), FPR(4), FPR(5), FPR(6), FPR(7), FPR(8), FPR(9), FPR(10),
	FPR(11), FPR(12), FPR(13), FPR(14), FPR(15), FPR(16), FPR(17), FPR(18), FPR(19), FPR(20),
	FPR(21), FPR(22), FPR(23), FPR(24), FPR(25), FPR(26), FPR(27), FPR(28), FPR(29), FPR(30),
	FPR(31),
};

/* MSR: floating point is on. */
static void set_msr(void *uc)
{
	u64 msr = 1 << 13;

	uc_reg_write(uc, UC_PPC_REG_MSR, &msr);
}

const struct execute_arch execute_arch = {
	.arch = UC_ARCH_PPC,
	.mode = UC_MODE_PPC32 | UC_MODE_BIG_ENDIAN,
	.cpu = UC_CPU_PPC32_7457A_V1_2,
	.regs = regs,
	.nr_regs = ARRAY_SIZE(regs),
	.align_sp = 16,
	.data = 0xc3400000,
	.stack = 0xc5010000,
	.slots = 0xc1e00000,
	.undefined = 96,		/* emulation assistance */
	.always = always,
	.open = set_msr,
	.skip = skip,
	.class_of = class_of,
};
