// SPDX-License-Identifier: GPL-2.0-or-later
/* How Unicorn executes arm, T32. */
#include <linux/kernel.h>
#include <linux/unaligned.h>
#include <unicorn/unicorn.h>

#include "execute.h"

/* Interrupts off, T32, supervisor mode. */
#define CPSR	0xf3

#include "execute-arm.h"

static unsigned long start(unsigned long addr)
{
	return addr | 1;
}

static u32 word_of(const u8 *bytes, size_t len)
{
	return get_unaligned_le16(bytes) << 16 | (len == 4 ? get_unaligned_le16(bytes + 2) : 0);
}

/* "it al" has one instruction, with this state. */
#define BLOCK	0xe8

static void enter_block(union machine_value *state)
{
	unsigned int i = 0;

	while (regs[i].id != UC_ARM_REG_CPSR)
		i++;
	state[i].number |= (BLOCK & 3) << 25 | (BLOCK >> 2) << 10;
}

static const char *skip(const u8 *bytes, size_t len)
{
	u32 word = word_of(bytes, len);

	if (((word & 0xef000000) == 0xee000000 || (word & 0xefe00000) == 0xec400000) &&
	    (word & 0xe00) == 0xe00)
		return "accesses a system register";
	if ((word & 0xfff0d000) == 0xf3808000 || (word & 0xfff0d400) == 0xf3a08400 ||
	    (word & 0xffe80000) == 0xb6600000)
		return "writes the status register";
	/* vmrs, but of FPSCR and FPEXC. Behind it Unicorn does not end a block. */
	if ((word & 0xfff00f10) == 0xeef00a10 && (word >> 16 & 0xf) != 1 && (word >> 16 & 0xf) != 8)
		return "tells what floating point the CPU has";
	return NULL;
}

/* The index of a table that compilers have checked before: tbb, tbh. */
static void limit(union machine_value *state, const u8 *bytes, size_t len)
{
	u32 word = word_of(bytes, len);

	if ((word & 0xffffffe0) == 0xe8dff000)
		state[word & 0xf].number &= 7;
}

/* Without what names registers and immediate numbers. */
static void class_of(char *class, size_t size, const u8 *bytes, size_t len)
{
	u32 word = word_of(bytes, len), mask = 0xfff00000;

	if (len == 2)
		mask = word >> 28 == 4 || word >> 28 == 11 || word >> 28 == 13 ? 0xff000000 :
										0xf8000000;
	else if (word >> 28 == 14 && word >> 25 & 1)
		mask = word >> 26 & 1 ? 0xfff00f10 : 0xfff00030;
	else if (word >> 27 == 0x1e)
		mask = word & 0x8000 ? 0xf800d000 : 0xfbf08000;
	else if (word >> 24 == 0xfa || word >> 24 == 0xfb)
		mask = 0xfff0f0f0;
	else if (word >> 27 == 0x1f)
		mask = word & 0x00800000 ? 0xfff00000 : 0xfff00f00;
	snprintf(class, size, "%08x/%08x", word & mask, mask);
}

const struct execute_arch execute_arch = {
	.arch = UC_ARCH_ARM,
	.mode = UC_MODE_THUMB,
	.cpu = UC_CPU_ARM_CORTEX_A15,
	.regs = regs,
	.nr_regs = ARRAY_SIZE(regs),
	.align_sp = 8,
	.data = 0xc3400000,
	.stack = 0xf0810000,
	.slots = 0xbf800000,
	.undefined = 1,
	.start = start,
	.open = open_fpu,
	.limit = limit,
	.block = BLOCK,
	.enter_block = enter_block,
	.skip = skip,
	.class_of = class_of,
};
