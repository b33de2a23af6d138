/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KPROBES_ISA_EXECUTE_POWERPC_H
#define KPROBES_ISA_EXECUTE_POWERPC_H

/* PowerPC's instructions, of 32 bit and 64. Who includes this defines word_of(). */
#include <stdio.h>
#include <linux/types.h>

static const char *skip(const u8 *bytes, size_t len)
{
	u32 word = word_of(bytes), opcode = word >> 1 & 0x3ff;
	u32 spr = (word >> 16 & 0x1f) | (word >> 6 & 0x3e0);

	if (word >> 26 != 31)
		return NULL;
	switch (opcode) {
	case 339: case 467:			/* mfspr, mtspr */
		return spr == 1 || spr == 8 || spr == 9 ? NULL : "accesses a system register";
	case 371:				/* mftb */
		return "reads the time";
	case 146: case 178: case 210: case 242:	/* mtmsr, mtmsrd, mtsr, mtsrin */
		return "writes a system register";
	default:
		return NULL;
	}
}

/* The branches that go always: BO is 1x1xx. */
static bool always(const u8 *bytes)
{
	return (word_of(bytes) & 0xfe800000) == 0x42800000;
}

/* Without what names registers and immediate numbers. */
static void class_of(char *class, size_t size, const u8 *bytes, size_t len)
{
	u32 word = word_of(bytes), mask = 0xfc000000;

	switch (word >> 26) {
	case 16:				/* bc: BO but for its hints */
		mask = 0xffc00003;
		break;
	case 18: case 58: case 62:
		mask = 0xfc000003;
		break;
	case 30:
		mask = 0xfc00001c;
		break;
	case 19: case 31: case 59: case 63:
		mask = 0xfc0007ff;
		break;
	case 4:
		mask = 0xfc0007ff;
		break;
	}
	snprintf(class, size, "%08x/%08x", word & mask, mask);
}

#endif /* KPROBES_ISA_EXECUTE_POWERPC_H */
