// SPDX-License-Identifier: GPL-2.0-or-later
/* How Unicorn executes s390. */
#include <linux/kernel.h>
#include <unicorn/unicorn.h>

#include "execute.h"

#define R(nr)	{ .id = UC_S390X_REG_R##nr, .kind = MACHINE_GENERAL, .size = 8 }
#define F(nr)	{ .id = UC_S390X_REG_F##nr, .kind = MACHINE_RANDOM, .size = 8 }

static const struct machine_reg regs[] = {
	R(0), R(1), R(2), R(3), R(4), R(5), R(6), R(7), R(8), R(9), R(10), R(11), R(12), R(13),
	R(14), { .id = UC_S390X_REG_R15, .kind = MACHINE_STACK, .size = 8 },
	/* The condition code; addresses of 64 bit. */
	{ .id = UC_S390X_REG_PSWM, .kind = MACHINE_RANDOM, .size = 8, .mask = 3ULL << 44,
	  .value = 0x180000000 },
	F(0), F(1), F(2), F(3), F(4), F(5), F(6), F(7), F(8), F(9), F(10), F(11), F(12), F(13),
	F(14), F(15),
};

static const char *skip(const u8 *bytes, size_t len)
{
	/* stpt, ectg */
	if ((bytes[0] == 0xb2 && bytes[1] == 0x09) || (bytes[0] == 0xc8 && (bytes[1] & 0xf) == 1))
		return "reads the time";
	if (bytes[0] == 0xb2 && (bytes[1] == 0x05 || bytes[1] == 0x7c || bytes[1] == 0x78))
		return "reads the time";
	if (bytes[0] == 0xb2 && bytes[1] == 0x04)
		return "writes the time";
	return NULL;
}

/* The mask of a branch is 15. */
static bool always(const u8 *bytes)
{
	return bytes[1] >> 4 == 15;
}

/* By the first byte, and what belongs to the opcode besides. */
static void class_of(char *class, size_t size, const u8 *bytes, size_t len)
{
	switch (bytes[0]) {
	case 0x01: case 0xb2: case 0xb3: case 0xb9: case 0xe5:
		snprintf(class, size, "%02x%02x", bytes[0], bytes[1]);
		break;
	case 0xa5: case 0xa7: case 0xc0: case 0xc2: case 0xc4: case 0xc6: case 0xc8: case 0xcc:
		snprintf(class, size, "%02x.%x", bytes[0], bytes[1] & 0xf);
		break;
	case 0xe3: case 0xe7: case 0xeb: case 0xec: case 0xed:
		snprintf(class, size, "%02x..%02x", bytes[0], bytes[5]);
		break;
	default:
		snprintf(class, size, "%02x", bytes[0]);
	}
}

const struct execute_arch execute_arch = {
	.arch = UC_ARCH_S390X,
	.mode = UC_MODE_BIG_ENDIAN,
	.cpu = UC_CPU_S390X_MAX,
	.regs = regs,
	.nr_regs = ARRAY_SIZE(regs),
	.align_sp = 8,
	.data = 0x3400000,
	.stack = 0x5010000,
	.slots = 0x40000000,
	.table_slots = 0x3ffdc000000,
	.until = true,
	.always = always,
	.skip = skip,
	.class_of = class_of,
};
