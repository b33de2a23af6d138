// SPDX-License-Identifier: GPL-2.0-or-later
/* How QEMU executes LoongArch. Addresses are those of memory, but for their upper bits. */
#include <stdio.h>
#include <linux/kernel.h>
#include <linux/unaligned.h>

#include "machine-gdb.h"

#define R(nr)	{ .id = 8 * (nr), .kind = MACHINE_GENERAL, .size = 8 }
#define C(nr)	{ .id = GDB_NUMBER | (67 + (nr)), .kind = MACHINE_RANDOM, .size = 1, .mask = 1 }
#define V(nr)	{ .id = GDB_NUMBER | (76 + (nr)), .kind = MACHINE_RANDOM, .size = 16 }

#define BADV	(34 * 8)
#define VECTORS	0x1000UL

static const struct machine_reg regs[] = {
	{ .id = 0, .kind = MACHINE_FIXED, .size = 8 },
	R(1), R(2), { .id = 3 * 8, .kind = MACHINE_STACK, .size = 8 }, R(4), R(5), R(6), R(7), R(8),
	R(9), R(10), R(11), R(12), R(13), R(14), R(15), R(16), R(17), R(18), R(19), R(20), R(21),
	R(22), R(23), R(24), R(25), R(26), R(27), R(28), R(29), R(30), R(31),
	C(0), C(1), C(2), C(3), C(4), C(5), C(6), C(7),
	{ .id = GDB_NUMBER | 75, .kind = MACHINE_FIXED, .size = 4 },	/* fcsr */
	V(0), V(1), V(2), V(3), V(4), V(5), V(6), V(7), V(8), V(9), V(10), V(11), V(12), V(13),
	V(14), V(15), V(16), V(17), V(18), V(19), V(20), V(21), V(22), V(23), V(24), V(25), V(26),
	V(27), V(28), V(29), V(30), V(31),
};

/* Floating point and vectors are on, and vectors of traps are 8 bytes apart. */
static unsigned int first(u32 *code)
{
	static const u32 words[] = {
		0x03803c04, 0x04000824,		/* ori $a0, $zero, 15; csrwr $a0, EUEN */
		0x14000204, 0x04001024,		/* lu12i.w $a0, 16; csrwr $a0, ECFG */
		0x14000024, 0x04003024,		/* lu12i.w $a0, 1; csrwr $a0, EENTRY */
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		code[i] = words[i];
	return i;
}

static bool is_load_linked(const u8 *bytes, bool trapped)
{
	u32 word = get_unaligned_le32(bytes);

	return word >> 24 == 0x20 || word >> 24 == 0x22 || (word & 0xfffff800) == 0x38578000;
}

/* A conditional store, after which nothing is linked. */
static unsigned int unlink_load(u32 *code)
{
	code[0] = 0x14000064;			/* lu12i.w $a0, 3 */
	code[1] = 0x21000084;			/* sc.w $a0, $a0, 0 */
	return 2;
}

/* Of floating point and vectors. */
static bool rest(const u8 *bytes)
{
	u32 major = bytes[3];

	return major == 0x01 || (major >= 0x08 && major < 0x10) ||
	       (major >= 0x2b && major < 0x34) || major == 0x38 ||
	       (major >= 0x48 && major < 0x4c) || major >= 0x70;
}

static enum machine_end trap(const u8 *values, unsigned long pc, struct machine_result *result)
{
	unsigned long code = (pc - VECTORS) / 8;

	if (pc - VECTORS >= 64 * 8)
		return MACHINE_NONE;
	result->fault = code;
	if (code == 13)
		return MACHINE_UNDEFINED;
	if (code != 1 && code != 2 && code != 8 && code != 9)
		return MACHINE_EXCEPTION;
	result->fault = get_unaligned_le64(values + BADV);
	result->write = code == 2;
	return MACHINE_FAULT;
}

static const char *skip(const u8 *bytes, size_t len)
{
	u32 word = get_unaligned_le32(bytes);

	if (word >> 24 == 0x04)
		return "accesses a system register";
	if (word >> 24 == 0x06)
		return "accesses system registers, the TLB or caches";
	if (word >> 13 == 3)
		return "reads the time";
	return NULL;
}

/* A register is compared with itself, or with 0. */
static bool always(const u8 *bytes)
{
	u32 word = get_unaligned_le32(bytes), rd = word & 31, rj = word >> 5 & 31;

	switch (word >> 26) {
	case 0x10: case 0x11:
		return !rj;
	case 0x12:
		return false;
	case 0x1a: case 0x1b:				/* unsigned */
		return rj == rd || !rd;
	default:
		return rj == rd;
	}
}

/* Without what names registers and immediate numbers. */
static void class_of(char *class, size_t size, const u8 *bytes, size_t len)
{
	u32 word = get_unaligned_le32(bytes), major = word >> 24, mask = 0xfe000000;

	if (major < 2 || major == 0x38 || major >= 0x70)
		mask = 0xffff8000;
	if (word < 0x8000 || word >> 18 == 0x45)	/* two registers */
		mask = 0xfffffc00;
	else if (major == 2 || major == 3 || (major >= 0x28 && major < 0x30))
		mask = 0xffc00000;
	else if (major >= 0x40 && major < 0x70)
		mask = major >> 2 == 0x12 ? 0xfc000300 : 0xfc000000;
	snprintf(class, size, "%08x/%08x", word & mask, mask);
}

const struct execute_arch execute_arch = {
	.regs = regs,
	.nr_regs = ARRAY_SIZE(regs),
	.align_sp = 16,
	.data = 0x9000000003400000,
	.stack = 0x9000000005010000,
	.slots = 0x9000000006000000,
	.always = always,
	.skip = skip,
	.class_of = class_of,
	.slow = true,
};

const struct gdb_machine gdb_machine = {
	.options = "-M none,memory-backend=m -cpu max",
	.size = 0x10000000,
	.address = 0xffffffffffff,
	.pc = { .nr = 33, .offset = 33 * 8, .size = 8 },
	.code = 0x2000,
	.first = first,
	.after = unlink_load,
	.ends = is_load_linked,
	.rest = rest,
	.trap = trap,
};
