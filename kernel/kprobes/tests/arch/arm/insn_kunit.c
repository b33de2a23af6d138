// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of A32's instruction set on words: how much room copies take, what a region's copy ends in,
 * which places of a function can have probes. What is planned for each instruction is in
 * tools/testing/kprobes-isa/golden/arm.txt.
 */
#include <kunit/test.h>
#include <linux/sizes.h>

#include "../../../survey.h"

#define ADDR	0xc0234560UL
#include "../../words.h"

#define BREAKPOINT	0xe7f4b5f0	/* udf #0x4b50 */
#define MOV		0xe1a00001	/* mov r0, r1 */
#define BX_LR		0xe12fff1e
#define BXNE_LR		0x112fff1e
#define BLNE		0x1b0003fe	/* blne .+0x1000 */
#define BLX_LR		0xe12fff3e
#define LDREX		0xe1910f9f	/* ldrex r0, [r1] */
#define STREX		0xe1813f90	/* strex r3, r0, [r1] */
#define LDR_LITERAL	0xe59f0000	/* ldr r0, .+8 */
#define ADR		0xe28f0000	/* adr r0, .+8 */
#define ADR_LR		0xe28fe004	/* add lr, pc, #4 */
#define LDRLS_PC	0x979ff103	/* ldrls pc, [pc, r3, lsl #2] */
#define ADD_PC		0xe082f000	/* add pc, r2, r0 */
#define LDR_PC		0xe59ff018	/* ldr pc, .+32 */
#define CMP_PC		0xe151000f	/* cmp r1, pc */
#define LDR_BY_PC	0xe79f0000	/* ldr r0, [pc, r0] */
#define PUSH_PC		0xe92dd800	/* push {fp, ip, lr, pc} */
#define B_12		0xea000001	/* b .+12 */

/* Entries of tables are data, which a big-endian kernel has in the other order. */
#ifdef CONFIG_CPU_BIG_ENDIAN
#define IN_TABLE(word)	__builtin_bswap32(word)
#else
#define IN_TABLE(word)	(word)
#endif

/* Slots and detours have room for the longest copies, and no more. */
static void arm_room(struct kunit *test)
{
	static const u32 longest[] = { LDR_PC, PUSH_PC };
	u8 text[sizeof(u32)], buf[KPROBE_DETOUR_MAX_SIZE];
	struct kprobe_code code = { .buf = buf, .size = sizeof(buf), .base = ADDR + SZ_4K };
	struct kprobe_insn insn;
	unsigned int i, from;

	for (i = 0; i < ARRAY_SIZE(longest); i++) {
		from = code.len;
		put_words(text, &longest[i], 1);
		arm_kprobe_isa.plan(&insn, text, sizeof(text), ADDR);
		arm_kprobe_isa.enter(&code, ADDR);
		KUNIT_EXPECT_EQ(test, code.len - from, KPROBE_STUB_ENTER);
		arm_kprobe_isa.leave(&code);
		KUNIT_EXPECT_EQ(test, code.len - from, KPROBE_STUB_ENTER + KPROBE_STUB_LEAVE);
		arm_kprobe_isa.emit(&code, &insn, text, ADDR);
		arm_kprobe_isa.jump(&code, ADDR + sizeof(u32), 0);
		KUNIT_EXPECT_EQ(test, code.len - from, KPROBE_SLOT_SIZE);
		if (i == 0)
			arm_kprobe_isa.leave(&code);
	}
	KUNIT_EXPECT_EQ(test, code.len, KPROBE_DETOUR_MAX_SIZE);
}

/* What a copy has on the stack, which unwinders ask, is what its instructions push and pop. */
static void arm_pushed(struct kunit *test)
{
	static const u32 words[] = { LDR_PC, PUSH_PC, CMP_PC, LDR_BY_PC, LDRLS_PC, ADR, MOV };
	u8 text[sizeof(u32)], buf[KPROBE_SLOT_SIZE];
	unsigned int i, at, pushed;
	struct kprobe_insn insn;
	u32 word;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		struct kprobe_code code = { .buf = buf, .size = sizeof(buf) };

		put_words(text, &words[i], 1);
		arm_kprobe_isa.plan(&insn, text, sizeof(text), ADDR);
		arm_kprobe_isa.emit(&code, &insn, text, ADDR);
		for (pushed = at = 0; at < code.len; at += sizeof(u32)) {
			KUNIT_EXPECT_EQ_MSG(test, pushed, arm_kprobe_copy_pushed(words[i], at),
					    "%08x at %u", words[i], at);
			word = get_unaligned_le32(buf + at);
			if ((word & 0x0fff0ff0) == 0x052d0000)		/* push {rd}, and room */
				pushed += word & 0xf;
			else if ((word & 0x0fff0fff) == 0x049d0004)	/* pop {rd} */
				pushed -= sizeof(u32);
		}
		KUNIT_EXPECT_EQ(test, 0, arm_kprobe_copy_pushed(words[i], at));
	}
}

/* The copy is a page after the instruction. What has a condition goes on, and only once. */
static const struct arm_region_case {
	const char *name;
	u32 word;
	enum kprobe_reason reason;
	u32 copy[WORDS];
	unsigned int len;	/* in words */
} arm_region_cases[] = {
	{ "mov", MOV, .copy = { MOV, 0xeafffbfe }, .len = 2 },
	{ "bx lr", BX_LR, .copy = { BX_LR }, .len = 1 },
	{ "bxne lr", BXNE_LR, .copy = { BXNE_LR, 0xeafffbfe }, .len = 2 },
	{ "blne", BLNE, .copy = { 0x1304e564, 0x134ce023, 0x1afffffc, 0xeafffbfc }, .len = 4 },
	{ "blx lr", BLX_LR, .reason = KPROBE_REASON_CALL },
	{ "breakpoint", BREAKPOINT, .reason = KPROBE_REASON_NOT_DISPLACED },
};

KUNIT_ARRAY_PARAM_DESC(arm_region, arm_region_cases, name);

static void arm_region(struct kunit *test)
{
	const struct arm_region_case *c = test->param_value;
	u8 text[sizeof(u32)], buf[WORDS * sizeof(u32)], expected[sizeof(buf)];
	struct kprobe_code code = { .buf = buf, .size = sizeof(buf), .base = ADDR + SZ_4K };
	u16 at[KPROBE_REGION_INSNS + 1];
	struct kprobe_region region;

	put_words(text, &c->word, 1);
	put_words(expected, c->copy, c->len);
	KUNIT_ASSERT_EQ(test, c->reason, kprobe_plan_region(&arm_kprobe_isa, &region, text,
							    sizeof(text), ADDR));
	if (c->reason)
		return;
	kprobe_emit_region(&arm_kprobe_isa, &code, &region, 0, text, ADDR, at);
	KUNIT_ASSERT_EQ(test, code.len, sizeof(u32) * c->len);
	KUNIT_EXPECT_MEMEQ(test, buf, expected, code.len);
	arm_kprobe_isa.breakpoint(&code, &region.insn[0]);
	KUNIT_EXPECT_EQ(test, BREAKPOINT, get_unaligned_le32(buf + sizeof(u32) * c->len));
}

/* An address to return to is made as any other, but it is no sign of data. */
static void arm_address(struct kunit *test)
{
	static const u32 words[] = { ADR, ADR_LR };
	u8 text[sizeof(words)];
	struct kprobe_insn insn;

	put_words(text, words, ARRAY_SIZE(words));
	arm_kprobe_isa.plan(&insn, text, sizeof(u32), ADDR);
	KUNIT_EXPECT_EQ(test, insn.data, ADDR + 8);
	KUNIT_EXPECT_TRUE(test, insn.takes_address);
	arm_kprobe_isa.plan(&insn, text + sizeof(u32), sizeof(u32), ADDR);
	KUNIT_EXPECT_EQ(test, insn.data, ADDR + 12);
	KUNIT_EXPECT_FALSE(test, insn.takes_address);
}

#define EXCLUSIVE	KPROBE_REASON_EXCLUSIVE
#define DATA		KPROBE_REASON_DATA

static const struct arm_site_case {
	const char *name;
	u32 words[WORDS];
	enum kprobe_reason reasons[WORDS];
} arm_site_cases[] = {
	{ "exclusive", { MOV, LDREX, STREX, BX_LR }, { 0, EXCLUSIVE, EXCLUSIVE } },
	{ "literal", { LDR_LITERAL, BX_LR, MOV, MOV }, { 0, 0, DATA } },
	{ "data by its address", { ADR, BX_LR, MOV, MOV }, { 0, 0, DATA, DATA } },
	{ "table", { LDRLS_PC, B_12, IN_TABLE(ADDR + 20), IN_TABLE(ADDR + 16), BX_LR, MOV },
	  { 0, 0, DATA, DATA } },
	{ "table of offsets", { ADR, ADD_PC, IN_TABLE(8), IN_TABLE(12), BX_LR, MOV },
	  { 0, 0, DATA, DATA } },
};

KUNIT_ARRAY_PARAM_DESC(arm_site, arm_site_cases, name);

/* What can be probed, by the instruction itself and by the function around it. */
static void arm_site(struct kunit *test)
{
	static struct kprobe_text text = { FUNCTION_ALONE };
	const struct arm_site_case *c = test->param_value;
	static struct kprobe_survey survey;
	enum kprobe_reason reason;
	struct kprobe_insn insn;
	unsigned int i;

	put_words(function, c->words, WORDS);
	kprobe_survey_init(&survey, &arm_kprobe_isa, &text);
	for (i = 0; i < WORDS && c->words[i]; i++) {
		reason = arm_kprobe_isa.plan(&insn, function + sizeof(u32) * i, sizeof(u32),
					     ADDR + sizeof(u32) * i);
		reason = reason ?: kprobe_scan_site(&survey, ADDR + sizeof(u32) * i);
		KUNIT_EXPECT_EQ_MSG(test, c->reasons[i], reason, "word %u", i);
	}
}

static struct kunit_case arm_insn_cases[] = {
	KUNIT_CASE(arm_room),
	KUNIT_CASE(arm_pushed),
	KUNIT_CASE(arm_address),
	KUNIT_CASE_PARAM(arm_region, arm_region_gen_params),
	KUNIT_CASE_PARAM(arm_site, arm_site_gen_params),
	{ }
};

static struct kunit_suite arm_insn_suite = {
	.name = "kprobes_arm_insn",
	.test_cases = arm_insn_cases,
};

kunit_test_suite(arm_insn_suite);

MODULE_DESCRIPTION("KUnit tests of kprobes' copies of A32's instructions");
MODULE_LICENSE("GPL");
