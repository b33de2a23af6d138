// SPDX-License-Identifier: GPL-2.0-or-later
/* s390, 64 bit. */
#include <ctype.h>
#include <string.h>
#include <linux/unaligned.h>

#include "harness.h"

/* Data, and what objdump does not know. */
static const char *const odd[] = { ".byte", ".short", ".word", ".long", ".insn", "unknown", NULL };

/*
 * Kinds of operands, behind a "%": general registers are "r", those of floating point "f", vectors
 * "v", access registers "a", control registers "c". All others are numbers.
 */
static const char *kind_of(const char *name)
{
	static const char *const kinds[] = { "r", "f", "v", "a", "c", NULL };
	const char *const *k;

	for (k = kinds; *k; k++)
		if (name[0] == **k && isdigit(name[1]))
			return *k;
	return NULL;
}

/* The first two bytes and the last two. */
static u32 form_word(const u8 *bytes)
{
	unsigned int len = bytes[0] < 0x40 ? 2 : bytes[0] < 0xc0 ? 4 : 6;

	return (u32)get_unaligned_be16(bytes) << 16 | get_unaligned_be16(bytes + len - 2);
}

/* Of six bytes the two in the middle are any. */
static bool put_word(u8 *bytes, u32 word)
{
	u16 any = get_unaligned_le16(bytes + 4);

	put_unaligned_be32(word, bytes);
	if (bytes[0] >= 0xc0) {
		memcpy(bytes + 4, bytes + 2, 2);
		put_unaligned_be16(any, bytes + 2);
	}
	return bytes[0] >= 0x40 || !(word & 0xffff);
}

static const char *const sequences[] = {
	"../../../kernel/kprobes/tests/arch/s390/sequences.S",
	SEQUENCES_RUN,
	NULL
};

const struct harness_target harness_target = {
	.name = "s390x",
	.isa = &s390_kprobe_isa,
	.from = 0x3ffe0234560,
	.near = 0x3ffe1235560,
	.away = 0x3fee0240000,
	.entry_nop = 6,
	.big_endian = true,
	.bug_size = 12,
	.form_word = form_word,
	.put_word = put_word,
	.objdump = "s390x-linux-gnu-objdump -d -w -M zarch",
	.odd = odd,
	.kind_of = kind_of,
	.sequences = sequences,
	.not_run = "not-run/s390x.txt",
};
