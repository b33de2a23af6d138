// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of LoongArch's instruction set on words: how far copies and jumps reach, room for them,
 * which instructions a jump may replace. What is planned for each instruction is in
 * tools/testing/kprobes-isa/golden/loongarch64.txt.
 */
#include <kunit/test.h>
#include <linux/sizes.h>

#include "../../../survey.h"

#define ADDR	0x9000000000234560UL
#include "../../words.h"

#define MOVE		0x001500a4	/* move a0, a1 */
#define LL		0x220000a4	/* ll.d a0, a1, 0 */
#define SC		0x230000a4	/* sc.d a0, a1, 0 */
#define BL		0x54100000	/* bl .+0x1000 */
#define BCEQZ		0x48008000	/* bceqz fcc0, .+0x80 */
#define JISCR0		0x48000200
#define RET		0x4c000020
#define JIRL		0x4c000081	/* jirl ra, a0, 0 */
#define JIRL_SELF	0x4c000021	/* jirl ra, ra, 0 */
#define PCADDU18I	0x1effffe1	/* pcaddu18i ra, 0x7ffff */
#define SYSCALL		0x002b0000

#define NOT_DISPLACED	KPROBE_REASON_NOT_DISPLACED

/* Plans @word, which @text gets, at ADDR. */
static void plan(struct kprobe_insn *insn, u8 *text, u32 word)
{
	put_words(text, &word, 1);
	loongarch_kprobe_isa.plan(insn, text, sizeof(u32), ADDR);
}

/* Is ADDR's copy at ADDR + apart out of reach, or a jump from there to ADDR? */
static bool is_far(u32 word, long apart)
{
	u8 text[sizeof(u32)], buf[WORDS * sizeof(u32)];
	struct kprobe_code code = { .buf = buf, .size = sizeof(buf), .base = ADDR + apart };
	struct kprobe_insn insn;

	plan(&insn, text, word);
	if (word)
		loongarch_kprobe_isa.emit(&code, &insn, text, ADDR);
	else
		loongarch_kprobe_isa.jump(&code, ADDR, 0);
	return code.far;
}

static void loongarch_jump_reach(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, is_far(0, SZ_128M));
	KUNIT_EXPECT_TRUE(test, is_far(0, SZ_128M + 4));
	KUNIT_EXPECT_FALSE(test, is_far(0, -SZ_128M + 4));
	KUNIT_EXPECT_TRUE(test, is_far(0, -SZ_128M));
}

/* A copy has the reach of a jump, whatever the branch's own. Through a register it has all. */
static void loongarch_branch_reach(struct kunit *test)
{
	/* The branch to the target is the copy's second word. */
	KUNIT_EXPECT_FALSE(test, is_far(BCEQZ, SZ_128M + 0x80 - 4));
	KUNIT_EXPECT_TRUE(test, is_far(BCEQZ, SZ_128M + 0x80));
	/* It is the copy's fifth word. */
	KUNIT_EXPECT_FALSE(test, is_far(BL, SZ_128M + 0x1000 - 16));
	KUNIT_EXPECT_TRUE(test, is_far(BL, SZ_128M + 0x1000 - 12));
	KUNIT_EXPECT_FALSE(test, is_far(JIRL, 1L << 62));
	KUNIT_EXPECT_FALSE(test, is_far(PCADDU18I, 1L << 62));
}

/* A stub in the memory of modules calls a trampoline in the kernel's text. */
static void loongarch_enter_reach(struct kunit *test)
{
	u8 buf[WORDS * sizeof(u32)];
	struct kprobe_code code = { .buf = buf, .size = sizeof(buf), .base = 0xffff800002000000UL };

	loongarch_kprobe_isa.enter(&code, 0x900000007ffffffcUL);
	KUNIT_EXPECT_FALSE(test, code.far);
	code.len = 0;
	loongarch_kprobe_isa.enter(&code, 0x9000000080000000UL);
	KUNIT_EXPECT_TRUE(test, code.far);
}

/* The lengths of a stub's parts, and room for the longest copies with a jump back. */
static void loongarch_room(struct kunit *test)
{
	static const u32 words[] = { MOVE, BCEQZ, BL, JIRL, PCADDU18I };
	const unsigned int call = KPROBE_STUB_ENTER, leave = KPROBE_STUB_LEAVE;
	u8 text[sizeof(u32)], buf[WORDS * sizeof(u32)];
	u16 at[KPROBE_REGION_INSNS + 1];
	struct kprobe_region region;
	struct kprobe_insn insn;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		struct kprobe_code code = { .buf = buf, .size = sizeof(buf), .base = ADDR };

		loongarch_kprobe_isa.enter(&code, ADDR);
		KUNIT_EXPECT_EQ(test, code.len, call);
		loongarch_kprobe_isa.leave(&code);
		KUNIT_EXPECT_EQ(test, code.len, call + leave);
		code.len = 0;
		plan(&insn, text, words[i]);
		kprobe_region_of_one(&loongarch_kprobe_isa, &region, &insn, text, sizeof(text),
				     ADDR);
		kprobe_emit_region(&loongarch_kprobe_isa, &code, &region, 0, text, ADDR, at);
		KUNIT_EXPECT_LE(test, 2 * (call + leave + code.len), KPROBE_DETOUR_MAX_SIZE);
		if (insn.action == KPROBE_RUN)
			code.len += call + leave;
		if (insn.action == KPROBE_RUN || insn.may_fault)
			KUNIT_EXPECT_LE(test, code.len, KPROBE_SLOT_SIZE);
	}
}

static const struct {
	u32 word;
	enum kprobe_reason reason;
	bool may_fault;
} regions[] = {
	{ MOVE }, { BL }, { JIRL }, { RET },
	/* They read what a trap does not save, and have a copy for when that cannot be read. */
	{ BCEQZ, .may_fault = true },
	{ JISCR0, .may_fault = true },
	{ JIRL_SELF, KPROBE_REASON_CALL },
	{ LL, NOT_DISPLACED }, { SC, NOT_DISPLACED }, { SYSCALL, NOT_DISPLACED },
	{ 0, KPROBE_REASON_FUNCTION_UNDECODABLE },
};

/* What a jump may replace. */
static void loongarch_region(struct kunit *test)
{
	struct kprobe_region region;
	u8 text[sizeof(u32)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(regions); i++) {
		put_words(text, &regions[i].word, 1);
		KUNIT_EXPECT_EQ_MSG(test, regions[i].reason,
				    kprobe_plan_region(&loongarch_kprobe_isa, &region, text,
						       sizeof(text), ADDR),
				    "%08x", regions[i].word);
		KUNIT_EXPECT_EQ(test, regions[i].may_fault, !!region.insn[0].may_fault);
	}
}

static struct kunit_case loongarch_insn_cases[] = {
	KUNIT_CASE(loongarch_jump_reach),
	KUNIT_CASE(loongarch_branch_reach),
	KUNIT_CASE(loongarch_enter_reach),
	KUNIT_CASE(loongarch_room),
	KUNIT_CASE(loongarch_region),
	{ }
};

static struct kunit_suite loongarch_insn_suite = {
	.name = "kprobes_loongarch_insn",
	.test_cases = loongarch_insn_cases,
};

kunit_test_suite(loongarch_insn_suite);

MODULE_DESCRIPTION("KUnit tests of kprobes' copies of LoongArch's instructions");
MODULE_LICENSE("GPL");
