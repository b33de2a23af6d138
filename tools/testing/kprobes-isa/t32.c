// SPDX-License-Identifier: GPL-2.0-or-later
/* Arm, T32, little endian. */
#include <ctype.h>
#include <string.h>
#include <linux/unaligned.h>

#include "harness.h"

/* Others have the vectors, one address several times. */
#define OBJDUMP	"arm-linux-gnueabihf-objdump -d -w -j .head.text -j .text -j .init.text " \
		"-j .exit.text"

/* Data, and what objdump does not know. */
static const char *const odd[] = { ".word", ".short", ".byte", NULL };

/*
 * Kinds of operands. General registers are "r", but sp and pc are themselves. Registers of
 * floating point and SIMD are named by their size. Shifts are part of the class. All others are
 * "o": status and system registers, coprocessors, operands of barriers.
 */
static const char *kind_of(const char *name)
{
	static const char *const parts[] = { "sp", "pc", "lsl", "lsr", "asr", "ror", "rrx", NULL };
	static const char *const general[] = { "sl", "fp", "ip", "lr", NULL };
	static const char *const sized[] = { "r", "s", "d", "q", NULL };
	const char *const *p;

	for (p = parts; *p; p++)
		if (!strcmp(name, *p))
			return NULL;
	for (p = general; *p; p++)
		if (!strcmp(name, *p))
			return "r";
	for (p = sized; *p; p++)
		if (name[0] == **p && isdigit(name[1]))
			return *p;
	return isxdigit(name[0]) && name[strspn(name, "0123456789abcdef")] == 0 ? "n" : "o";
}

/* The condition is not part of the class. It comes last, or in front of a type. */
static void shorten(char *mnemonic)
{
	static const char *const conditions[] = {
		"eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le",
		NULL
	};
	static const char *const whole[] = {
		"teq", "mls", "smmls", "vmls", "vcls", "vceq", "vcge", "vcgt", "vcle", "vclt",
		"movs", "lsls", "bics", "adcs", "sbcs", "rscs", "muls", "svc", "hvc", "hlt", NULL
	};
	size_t len = strcspn(mnemonic, ".");
	const char *const *p;

	for (p = whole; *p; p++)
		if (strlen(*p) == len && !strncmp(mnemonic, *p, len))
			return;
	for (p = conditions; *p; p++)
		if (len > 2 && !strncmp(mnemonic + len - 2, *p, 2)) {
			memmove(mnemonic + len - 2, mnemonic + len, strlen(mnemonic + len) + 1);
			return;
		}
}

static bool is_long(u32 half)
{
	return half >= 0xe800;
}

/* The first halfword, and the second one if there is one. */
static u32 form_word(const u8 *bytes)
{
	u32 first = get_unaligned_le16(bytes);

	return first << 16 | (is_long(first) ? get_unaligned_le16(bytes + 2) : 0);
}

static bool put_word(u8 *bytes, u32 word)
{
	put_unaligned_le16(word >> 16, bytes);
	if (is_long(word >> 16))
		put_unaligned_le16(word & 0xffff, bytes + 2);
	return is_long(word >> 16) || !(word & 0xffff);
}

const struct harness_target harness_target = {
	.name = "t32",
	.isa = &t32_kprobe_isa,
	.from = 0xc0234560,
	.near = 0xc0235560,
	.away = 0xc1230000,
	.entry_nop = 4,
	.bug_size = 12,
	.bug_absolute = 4,
	.jump_absolute = 4,
	.fixup_size = 8,
	.fixup_absolute = 4,
	.form_word = form_word,
	.put_word = put_word,
	.objdump = OBJDUMP,
	.unit = 2,
	.odd = odd,
	.kind_of = kind_of,
	.shorten = shorten,
};
