// SPDX-License-Identifier: GPL-2.0-or-later
/* How Unicorn executes arm64. */
#include <linux/kernel.h>
#include <linux/unaligned.h>
#include <unicorn/unicorn.h>

#include "execute.h"

#define X(nr)	{ .id = UC_ARM64_REG_X##nr, .kind = MACHINE_GENERAL, .size = 8 }
#define Q(nr)	{ .id = UC_ARM64_REG_Q##nr, .kind = MACHINE_RANDOM, .size = 16 }

static const struct machine_reg regs[] = {
	X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7), X(8), X(9), X(10), X(11), X(12), X(13),
	X(14), X(15), X(16), X(17), X(18), X(19), X(20), X(21), X(22), X(23), X(24), X(25), X(26),
	X(27), X(28), X(29), X(30),
	{ .id = UC_ARM64_REG_SP, .kind = MACHINE_STACK, .size = 8 },
	{ .id = UC_ARM64_REG_NZCV, .kind = MACHINE_RANDOM, .size = 4, .mask = 0xf0000000 },
	Q(0), Q(1), Q(2), Q(3), Q(4), Q(5), Q(6), Q(7), Q(8), Q(9), Q(10), Q(11), Q(12), Q(13),
	Q(14), Q(15), Q(16), Q(17), Q(18), Q(19), Q(20), Q(21), Q(22), Q(23), Q(24), Q(25), Q(26),
	Q(27), Q(28), Q(29), Q(30), Q(31),
};

static void open_fpu(void *uc)
{
	u64 cpacr = 3 << 20;

	uc_reg_write(uc, UC_ARM64_REG_CPACR_EL1, &cpacr);
}

static const char *skip(const u8 *bytes, size_t len)
{
	u32 word = get_unaligned_le32(bytes);

	/* cntvct_el0 and others, with op0, op1 and CRn of 3, 3 and 14; rndr. */
	if ((word & 0xfffff000) == 0xd53be000 || (word & 0xffffffc0) == 0xd53b2400)
		return "reads the time or a random number";
	/* mrs and msr of what is not for user mode. */
	if ((word & 0xffd00000) == 0xd5100000 && (word & 0x00070000) != 0x00030000)
		return "accesses a system register";
	return NULL;
}

/* b.al, b.nv */
static bool always(const u8 *bytes)
{
	return (get_unaligned_le32(bytes) & 0xff00001e) == 0x5400000e;
}

/* Without what names registers, immediate numbers and conditions. */
static void class_of(char *class, size_t size, const u8 *bytes, size_t len)
{
	u32 word = get_unaligned_le32(bytes), mask;

	switch (word >> 25 & 0xf) {
	case 8: case 9:				/* immediates */
		mask = 0xff800000;
		break;
	case 10: case 11:			/* branches and system */
		mask = 0xff000000;
		if (word >> 24 == 0xd5)
			mask = 0xfffff0e0;
		else if (word >> 24 == 0xd6)
			mask = 0xfffffc00;
		else if (word >> 24 == 0x54)
			mask = 0xff00000f;
		break;
	case 4: case 6: case 12: case 14:	/* loads and stores */
		mask = (word >> 24 & 0x3b) == 0x39 ? 0xffc00000 : 0xffe00c00;
		break;
	default:
		mask = 0xffe0fc00;
	}
	snprintf(class, size, "%08x/%08x", word & mask, mask);
}

const struct execute_arch execute_arch = {
	.arch = UC_ARCH_ARM64,
	.mode = UC_MODE_LITTLE_ENDIAN,
	.cpu = UC_CPU_ARM64_MAX,
	.regs = regs,
	.nr_regs = ARRAY_SIZE(regs),
	.align_sp = 16,
	.data = 0xffff000003400000,
	.stack = 0xffff800083c10000,
	.slots = 0xffff80007c000000,
	.undefined = 1,
	.always = always,
	.open = open_fpu,
	.skip = skip,
	.class_of = class_of,
};
