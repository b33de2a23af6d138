// SPDX-License-Identifier: GPL-2.0-or-later
/* How Unicorn executes arm, A32. */
#include <linux/kernel.h>
#include <linux/unaligned.h>
#include <unicorn/unicorn.h>

#include "execute.h"

/* Interrupts off, supervisor mode. */
#define CPSR	0xd3

#include "execute-arm.h"

static const char *skip(const u8 *bytes, size_t len)
{
	u32 word = get_unaligned_le32(bytes);

	if (((word & 0x0f000000) == 0x0e000000 || (word & 0x0fe00000) == 0x0c400000) &&
	    (word & 0xe00) == 0xe00)
		return "accesses a system register";
	if ((word & 0x0fb00000) == 0x03200000 && word & 0xf0000)
		return "writes the status register";
	if ((word & 0x0fb0fff0) == 0x0120f000 || (word & 0xfff10020) == 0xf1000000)
		return "writes the status register";
	return NULL;
}

/*
 * What indexes a table at pc, compilers have checked before. Where it faults, another register has
 * the place of pc.
 */
static void limit(union machine_value *state, const u8 *bytes, size_t len)
{
	u32 word = get_unaligned_le32(bytes), rn = word >> 16 & 0xf, rm = word & 0xf;

	if ((word >> 25 & 7) == 3 && rn == 15 && rm < 15)
		state[rm].number &= 7;
	else if ((word >> 25 & 7) == 3 && rm == 15 && rn < 15)
		state[rn].number &= 7;
}

static bool always(const u8 *bytes)
{
	return get_unaligned_le32(bytes) >> 28 >= 14;
}

/* Without what names registers and immediate numbers. */
static void class_of(char *class, size_t size, const u8 *bytes, size_t len)
{
	u32 word = get_unaligned_le32(bytes), mask;

	switch (word >> 25 & 7) {
	case 0: case 3:
		mask = word & 0x10 ? 0x0ff000f0 : 0x0ff00070;
		break;
	case 5:
		mask = 0xff000000;
		break;
	case 6: case 7:
		mask = 0x0ff00f10;
		break;
	default:
		mask = 0x0ff00000;
	}
	if (word >> 28 == 15)
		mask |= 0xf0000000;
	snprintf(class, size, "%08x/%08x", word & mask, mask);
}

const struct execute_arch execute_arch = {
	.arch = UC_ARCH_ARM,
	.mode = UC_MODE_ARM,
	.cpu = UC_CPU_ARM_CORTEX_A15,
	.regs = regs,
	.nr_regs = ARRAY_SIZE(regs),
	.align_sp = 8,
	.data = 0xc3400000,
	.stack = 0xf0810000,
	.slots = 0xbf400000,
	.undefined = 1,
	.always = always,
	.open = open_fpu,
	.limit = limit,
	.skip = skip,
	.class_of = class_of,
};
