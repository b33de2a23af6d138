/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KPROBES_ISA_EXECUTE_MIPS_H
#define KPROBES_ISA_EXECUTE_MIPS_H

/* MIPS' instructions, of 32 bit and 64. Who includes this defines word_of(). */
#include <stdio.h>
#include <linux/types.h>

static const char *skip(const u8 *bytes, size_t len)
{
	u32 word = word_of(bytes);

	if (word >> 26 == 0x10)
		return "accesses a system register";
	if (word >> 26 == 0x1f && (word & 0x3f) == 0x3b)
		return "accesses a system register";	/* rdhwr */
	if (word >> 26 == 0x2f)
		return "is for the cache";
	return NULL;
}

/* beq of a register with itself, bgez and blez of $0. */
static bool always(const u8 *bytes)
{
	u32 word = word_of(bytes), rs = word >> 21 & 31, rt = word >> 16 & 31;

	switch (word >> 26) {
	case 4: case 5: case 20: case 21:
		return rs == rt;
	case 1: case 6: case 7: case 22: case 23:
		return !rs;
	default:
		return false;
	}
}

/* Without what names registers and immediate numbers. */
static void class_of(char *class, size_t size, const u8 *bytes, size_t len)
{
	u32 word = word_of(bytes), mask = 0xfc000000;

	switch (word >> 26) {
	case 0: case 0x1c: case 0x13:
		mask = 0xfc00003f;
		break;
	case 1:
		mask = 0xfc1f0000;
		break;
	case 0x11:
		mask = (word >> 21 & 31) >= 16 ? 0xffe0003f : 0xffe00000;
		break;
	case 0x1f:
		mask = 0xfc0007ff;
		break;
	}
	snprintf(class, size, "%08x/%08x", word & mask, mask);
}

#endif /* KPROBES_ISA_EXECUTE_MIPS_H */
