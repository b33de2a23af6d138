// SPDX-License-Identifier: GPL-2.0-or-later
/* How Unicorn executes RISC-V, 64 bit. */
#include <linux/kernel.h>
#include <linux/unaligned.h>
#include <unicorn/unicorn.h>

#include "execute.h"

#define X(nr)	{ .id = UC_RISCV_REG_X##nr, .kind = MACHINE_GENERAL, .size = 8 }
#define F(nr)	{ .id = UC_RISCV_REG_F##nr, .kind = MACHINE_RANDOM, .size = 8 }

static const struct machine_reg regs[] = {
	{ .id = UC_RISCV_REG_X0, .kind = MACHINE_FIXED, .size = 8 },
	X(1),
	{ .id = UC_RISCV_REG_X2, .kind = MACHINE_STACK, .size = 8 },
	X(3), X(4), X(5), X(6), X(7), X(8), X(9), X(10), X(11), X(12), X(13), X(14), X(15), X(16),
	X(17), X(18), X(19), X(20), X(21), X(22), X(23), X(24), X(25), X(26), X(27), X(28), X(29),
	X(30), X(31),
	F(0), F(1), F(2), F(3), F(4), F(5), F(6), F(7), F(8), F(9), F(10), F(11), F(12), F(13),
	F(14), F(15), F(16), F(17), F(18), F(19), F(20), F(21), F(22), F(23), F(24), F(25), F(26),
	F(27), F(28), F(29), F(30), F(31),
	{ .id = UC_RISCV_REG_FCSR, .kind = MACHINE_RANDOM, .size = 8, .mask = 0x1f },
};

/* mstatus.FS: floating point is on. */
static void open_fpu(void *uc)
{
	u64 mstatus = 0;

	uc_reg_read(uc, UC_RISCV_REG_MSTATUS, &mstatus);
	mstatus |= 3 << 13;
	uc_reg_write(uc, UC_RISCV_REG_MSTATUS, &mstatus);
}

static const char *skip(const u8 *bytes, size_t len)
{
	u32 word = len == 4 ? get_unaligned_le32(bytes) : 0, csr = word >> 20;

	if ((word & 0x7f) != 0x73 || !(word & 0x3000))
		return NULL;
	if (csr >= 0xc00 && csr < 0xc20)
		return "reads the time";
	return csr <= 3 ? NULL : "accesses a system register";
}

/* Without what names registers and immediate numbers. */
static void class_of(char *class, size_t size, const u8 *bytes, size_t len)
{
	u32 word = len == 4 ? get_unaligned_le32(bytes) : get_unaligned_le16(bytes), mask;

	if (len == 2) {
		mask = 0xe003;
		if ((word & mask) == 0x8001)
			mask = 0xfc63;
		else if ((word & mask) == 0x8002)
			mask = 0xf003;
	} else {
		switch (word & 0x7f) {
		case 0x17: case 0x37: case 0x6f:
			mask = 0x7f;
			break;
		case 0x2f: case 0x33: case 0x3b: case 0x53: case 0x73:
			mask = 0xfe00707f;
			break;
		default:
			mask = 0x707f;
		}
	}
	snprintf(class, size, "%08x/%08x", word & mask, mask);
}

const struct execute_arch execute_arch = {
	.arch = UC_ARCH_RISCV,
	.mode = UC_MODE_RISCV64,
	.cpu = UC_CPU_RISCV64_ANY,
	.regs = regs,
	.nr_regs = ARRAY_SIZE(regs),
	.align_sp = 16,
	.data = 0xffffffd803400000,
	.stack = 0xffffffc800010000,
	.slots = 0xffffffff40000000,
	.undefined = 2,
	.open = open_fpu,
	.skip = skip,
	.class_of = class_of,
};
