// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of MIPS' instruction set on words: how far copies and jumps reach, what a detour begins
 * and ends with, which instructions a jump may replace, and delay slots. What is planned for each
 * instruction is in tools/testing/kprobes-isa/golden.
 */
#include <kunit/test.h>
#include <linux/sizes.h>

#include "../../../survey.h"

#define SEGMENT	((IS_ENABLED(CONFIG_64BIT) ? 0xffffffff00000000UL : 0) | 0x80000000UL)
#define ADDR	(SEGMENT + 0x234560)
#ifdef CONFIG_CPU_BIG_ENDIAN
#define PUT_WORD	put_unaligned_be32
#endif
#include "../../words.h"

#define R6	IS_ENABLED(CONFIG_CPU_MIPSR6)
#define NOP	0
#define MOVE	0x00601025	/* move $2, $3 */
#define J	0x0808d100	/* j ADDR - 0x160 */
#define JAL	0x0c08d100
#define JR	0x03e00008	/* jr $31 */
#define BEQ	0x10430010	/* beq $2, $3, .+0x44 */
#define BEQ_4	0x10430000	/* beq $2, $3, .+4 */
#define LL	(R6 ? 0x7c820036 : 0xc0820000)
#define SC	(R6 ? 0x7c820026 : 0xe0820000)
#define WAIT	0x42000020
#define BEQZC	0xd8400002	/* beqzc $2, .+12, of release 6 */

#define SIZE(nr)	((nr) * sizeof(u32))

/* Is the copy at @base of a branch and a nop out of reach, or a jump from there if @word is 0? */
static bool is_far(u32 word, unsigned long base)
{
	const u32 words[] = { word, NOP };
	u8 text[SIZE(2)], buf[SIZE(16)];
	struct kprobe_code code = { .buf = buf, .size = sizeof(buf), .base = base };
	struct kprobe_insn insn;

	put_words(text, words, 2);
	mips_kprobe_isa.plan(&insn, text, sizeof(text), ADDR);
	if (word)
		mips_kprobe_isa.emit(&code, &insn, text, ADDR);
	else
		mips_kprobe_isa.jump(&code, ADDR, 0);
	return code.far;
}

/* The segment is that of the word after j. The last jump of a condition is the fifth word. */
static void mips_reach(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, is_far(J, SEGMENT + SZ_256M - 8));
	KUNIT_EXPECT_TRUE(test, is_far(J, SEGMENT + SZ_256M - 4));
	KUNIT_EXPECT_FALSE(test, is_far(J, SEGMENT - 4));
	KUNIT_EXPECT_TRUE(test, is_far(J, SEGMENT - 8));
	KUNIT_EXPECT_FALSE(test, is_far(BEQ, SEGMENT + SZ_256M - 24));
	KUNIT_EXPECT_TRUE(test, is_far(BEQ, SEGMENT + SZ_256M - 20));
	KUNIT_EXPECT_FALSE(test, is_far(JR, SEGMENT + SZ_256M));
	KUNIT_EXPECT_FALSE(test, is_far(JAL, SEGMENT + SZ_256M - 16));
	KUNIT_EXPECT_TRUE(test, is_far(JAL, SEGMENT + SZ_256M - 12));
	/* A jump */
	KUNIT_EXPECT_FALSE(test, is_far(0, R6 ? ADDR + SZ_128M - 4 : SEGMENT + SZ_256M - 8));
	KUNIT_EXPECT_TRUE(test, is_far(0, R6 ? ADDR + SZ_128M : SEGMENT + SZ_256M - 4));
	KUNIT_EXPECT_FALSE(test, is_far(0, R6 ? ADDR - SZ_128M : SEGMENT - 4));
	KUNIT_EXPECT_TRUE(test, is_far(0, R6 ? ADDR - SZ_128M - 4 : SEGMENT - 8));
}

/* A region has a word in front of the longest copy, of a conditional call in 64-bit text. */
static void mips_room(struct kunit *test)
{
	unsigned long from = IS_ENABLED(CONFIG_64BIT) ? 0xa800000080234560UL : ADDR;
	const u32 words[] = { R6 ? 0x04100000 : 0x04900010, NOP };	/* nal, bltzal $4 */
	u8 text[SIZE(2)], buf[SIZE(64)];
	struct kprobe_code code = { .buf = buf, .size = sizeof(buf), .base = ADDR + SZ_4K };
	struct kprobe_insn insn;
	unsigned int copy, stub = KPROBE_STUB_ENTER + KPROBE_STUB_LEAVE;

	put_words(text, words, 2);
	mips_kprobe_isa.plan(&insn, text, sizeof(text), from);
	KUNIT_EXPECT_EQ(test, insn.fault, IS_ENABLED(CONFIG_64BIT) ? SIZE(6) : SIZE(2));
	mips_kprobe_isa.emit(&code, &insn, text, from);
	copy = code.len + KPROBE_JUMP_SIZE;
	KUNIT_EXPECT_LE(test, stub + copy, KPROBE_SLOT_SIZE);
	copy += SIZE(KPROBE_JUMP_SIZE / sizeof(u32) - 1);
	KUNIT_EXPECT_LE(test, sizeof(long) + stub + copy + KPROBE_STUB_LEAVE + stub + copy,
			KPROBE_DETOUR_MAX_SIZE);
}

/* Which of the regions at @words have how many words, and why others cannot be displaced. */
struct mips_region_case {
	const char *name;
	u32 words[4];
	unsigned int nr[2];		/* with a jump of two words, and of one */
	enum kprobe_reason reason[2];
};

#define DISPLACED	KPROBE_REASON_NOT_DISPLACED

static const struct mips_region_case mips_region_cases[] = {
	{ "two words", { MOVE, MOVE, MOVE, MOVE }, { 2, 1 } },
	{ "branch", { BEQ, MOVE, MOVE, MOVE }, { 2, 2 } },
	{ "branch after a word", { MOVE, BEQ, MOVE, MOVE }, { 3, 1 } },
	{ "call after a word", { MOVE, JAL, MOVE, MOVE }, { 3, 1 } },
	{ "branch in the delay slot", { BEQ, BEQ, MOVE, MOVE }, {}, { DISPLACED, DISPLACED } },
	{ "refused in the delay slot", { MOVE, JR, WAIT, MOVE }, { 0, 1 }, { DISPLACED } },
	{ "exclusive", { MOVE, LL, SC, MOVE }, { 0, 1 }, { DISPLACED } },
};

KUNIT_ARRAY_PARAM_DESC(mips_region, mips_region_cases, name);

static void mips_region(struct kunit *test)
{
	const struct mips_region_case *c = test->param_value;
	struct kprobe_region region;
	u8 text[SIZE(4)];

	put_words(text, c->words, 4);
	KUNIT_EXPECT_EQ(test, c->reason[R6], kprobe_plan_region(&mips_kprobe_isa, &region, text,
								sizeof(text), ADDR));
	if (!c->reason[R6])
		KUNIT_EXPECT_EQ(test, region.len, SIZE(c->nr[R6]));
}

/* Delay slots and exclusive sequences have no probes, and no jump follows a compact branch. */
static void mips_sites(struct kunit *test)
{
	static const u32 words[WORDS] = { BEQ_4, MOVE, MOVE, LL, MOVE, SC, JR, NOP };
	static const u32 compact[WORDS] = { BEQZC, MOVE, MOVE, JR, NOP };
	static const enum kprobe_reason reasons[WORDS] = {
		[1] = KPROBE_REASON_DELAY_SLOT, [3] = KPROBE_REASON_EXCLUSIVE,
		[4] = KPROBE_REASON_EXCLUSIVE, [5] = KPROBE_REASON_EXCLUSIVE,
		[7] = KPROBE_REASON_DELAY_SLOT,
	};
	static const struct kprobe_text text = { FUNCTION_ALONE };
	static struct kprobe_survey survey;
	struct kprobe_region region;
	unsigned int i;

	put_words(function, words, WORDS);
	kprobe_survey_init(&survey, &mips_kprobe_isa, &text);
	for (i = 0; i < WORDS; i++)
		KUNIT_EXPECT_EQ(test, reasons[i], kprobe_scan_site(&survey, ADDR + SIZE(i)));
	if (!R6)
		return;
	put_words(function, compact, WORDS);
	kprobe_survey_init(&survey, &mips_kprobe_isa, &text);
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_JOINED,
			kprobe_scan_region(&survey, &region, ADDR + SIZE(1), ADDR + SIZE(1) + 1));
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_NONE,
			kprobe_scan_region(&survey, &region, ADDR + SIZE(2), ADDR + SIZE(2) + 1));
}

static struct kunit_case mips_insn_cases[] = {
	KUNIT_CASE(mips_reach),
	KUNIT_CASE(mips_room),
	KUNIT_CASE_PARAM(mips_region, mips_region_gen_params),
	KUNIT_CASE(mips_sites),
	{ }
};

static struct kunit_suite mips_insn_suite = {
	.name = "kprobes_mips_insn",
	.test_cases = mips_insn_cases,
};

kunit_test_suite(mips_insn_suite);

MODULE_DESCRIPTION("KUnit tests of kprobes' copies of MIPS' instructions");
MODULE_LICENSE("GPL");
