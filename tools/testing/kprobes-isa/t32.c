// SPDX-License-Identifier: GPL-2.0-or-later
/* Arm, T32, little endian. */
#include <linux/unaligned.h>

#include "arm-class.h"
#include "harness.h"

/* Data, and what objdump does not know. */
static const char *const odd[] = { ".word", ".short", ".byte", NULL };

static const char *const sequences[] = {
	"../../../kernel/kprobes/tests/arch/arm/sequences-t32.S",
	"../../../kernel/kprobes/tests/arch/arm/sequences-both.inc",
	SEQUENCES_RUN,
	NULL
};

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
	.kind_of = arm_kind_of,
	.shorten = arm_shorten,
	.sequences = sequences,
	.not_run = "not-run/t32.txt",
};
