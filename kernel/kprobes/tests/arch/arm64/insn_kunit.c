// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of arm64's instruction set on words: how far copies and jumps reach, what a
 * detour begins and ends with, which instructions a jump may replace. What is planned
 * for each instruction is in tools/testing/kprobes-isa/golden/arm64.txt.
 */
#include <kunit/test.h>
#include <linux/sizes.h>

#include "../../../scan.h"

#define ADDR	0xffff800080234560UL
#include "../../words.h"

#define NOP		0xd503201f
#define BTI_C		0xd503245f
#define PACIASP		0xd503233f
#define PACIBSP		0xd503237f
#define LDXR		0xc85f7c20	/* ldxr x0, [x1] */
#define STXR		0xc8037c20	/* stxr w3, x0, [x1] */
#define BL		0x94000400	/* bl .+0x1000 */
#define BLR_X3		0xd63f0060
#define BLR_X30		0xd63f03c0
#define RET		0xd65f03c0
#define CBZ		0xb4000400	/* cbz x0, .+0x80 */
#define ADR		0x10000000	/* adr x0, . */
#define MOV		0xaa0103e0	/* mov x0, x1 */
#define LDR_LITERAL	0x58000040	/* ldr x0, .+8 */
#define LDR_SIMD	0x9c000040	/* ldr q0, .+8 */
#define CLREX		0xd5033f5f
#define SVC		0xd4000001
#define LDTXR		0xc95f7c20	/* ldtxr x0, [x1] */
#define STTXR		0xc9037c20	/* sttxr w3, x0, [x1] */
#define TSTART		0xd5233060	/* tstart x0 */
#define TCOMMIT		0xd503307f
#define MOVPRFX		0x0420bc20	/* movprfx z0, z1 */
#define MOVPRFX_P	0x04902020	/* movprfx z0.s, p0/z, z1.s */
#define SVE_ADD		0x04a00040	/* add z0.s, p0/m, z0.s, z2.s */

/* Reach */

/* Is ADDR's copy at ADDR + apart out of reach, or a jump from there to ADDR? */
static bool is_far(u32 word, long apart)
{
	u8 text[sizeof(u32)], buf[WORDS * sizeof(u32)];
	struct kprobe_code code = { .buf = buf, .size = sizeof(buf), .base = ADDR + apart };
	struct kprobe_insn insn;

	put_words(text, &word, 1);
	if (word)
		arm64_kprobe_isa.plan(&insn, text, sizeof(text), ADDR);
	if (word)
		arm64_kprobe_isa.emit(&code, &insn, text, ADDR);
	else
		arm64_kprobe_isa.jump(&code, ADDR, 0);
	return code.far;
}

static void arm64_jump_reach(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, is_far(0, SZ_128M));
	KUNIT_EXPECT_TRUE(test, is_far(0, SZ_128M + 4));
	KUNIT_EXPECT_FALSE(test, is_far(0, -SZ_128M + 4));
	KUNIT_EXPECT_TRUE(test, is_far(0, -SZ_128M));
}

/* A copy has the reach of a jump, whatever the branch's own. */
static void arm64_branch_reach(struct kunit *test)
{
	/* The branch to it is the copy's second word. */
	KUNIT_EXPECT_FALSE(test, is_far(CBZ, SZ_128M + 0x80 - 4));
	KUNIT_EXPECT_TRUE(test, is_far(CBZ, SZ_128M + 0x80));
	/* The branch to it is the copy's third word. */
	KUNIT_EXPECT_FALSE(test, is_far(BL, SZ_128M + 0x1000 - 8));
	KUNIT_EXPECT_TRUE(test, is_far(BL, SZ_128M + 0x1000 - 4));
}

static void arm64_page_reach(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, is_far(ADR, SZ_4G));
	KUNIT_EXPECT_TRUE(test, is_far(ADR, SZ_4G + SZ_4K));
	KUNIT_EXPECT_FALSE(test, is_far(ADR, -SZ_4G + SZ_4K));
	KUNIT_EXPECT_TRUE(test, is_far(ADR, -SZ_4G));
	KUNIT_EXPECT_FALSE(test, is_far(BLR_X3, SZ_4G));
	KUNIT_EXPECT_FALSE(test, is_far(MOV, SZ_4G + SZ_4K));
}

/* Detours */

static void expect_code(struct kunit *test, const struct kprobe_code *code,
			const u32 *words, unsigned int nr)
{
	unsigned int i;

	KUNIT_ASSERT_EQ(test, code->len, sizeof(u32) * nr);
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ(test, get_unaligned_le32(code->buf + sizeof(u32) * i), words[i]);
}

static void arm64_stub(struct kunit *test)
{
	static const u32 words[] = {
		0xd10543ff,	/* sub sp, sp, #336 */
		0xf9007bfe,	/* str x30, [sp, #240] */
		0x940003fe,	/* bl .+0xff8 */
		0xf9407bfe,	/* ldr x30, [sp, #240] */
		0x910543ff,	/* add sp, sp, #336 */
		0xd4200080,	/* brk #4 */
	};
	u8 buf[WORDS * sizeof(u32)];
	struct kprobe_code code = { .buf = buf, .size = sizeof(buf), .base = ADDR };

	arm64_kprobe_isa.enter(&code, ADDR + SZ_4K);
	arm64_kprobe_isa.leave(&code);
	arm64_kprobe_isa.breakpoint(&code, NULL);
	KUNIT_EXPECT_FALSE(test, code.far);
	expect_code(test, &code, words, ARRAY_SIZE(words));
}

/* Slots and detours have room for the longest copy: of a load into a SIMD register. */
static void arm64_room(struct kunit *test)
{
	u8 text[sizeof(u32)], buf[KPROBE_DETOUR_MAX_SIZE];
	struct kprobe_code code = { .buf = buf, .size = sizeof(buf), .base = ADDR + SZ_4K };
	const u32 word = LDR_SIMD;
	struct kprobe_insn insn;
	unsigned int i;

	put_words(text, &word, 1);
	arm64_kprobe_isa.plan(&insn, text, sizeof(text), ADDR);
	for (i = 0; i < 2; i++) {
		if (i) {
			KUNIT_EXPECT_LE(test, code.len, KPROBE_SLOT_SIZE);
			arm64_kprobe_isa.leave(&code);
		}
		arm64_kprobe_isa.enter(&code, ADDR);
		arm64_kprobe_isa.leave(&code);
		arm64_kprobe_isa.emit(&code, &insn, text, ADDR);
		arm64_kprobe_isa.jump(&code, ADDR + sizeof(u32), 0);
	}
	/* A detour begins with its address. */
	KUNIT_EXPECT_LE(test, code.len + sizeof(long), code.size);
}

struct arm64_region_case {
	const char *name;
	u32 word;
	enum kprobe_reason reason;
	u32 copy[WORDS];
	unsigned int len;	/* in words */
};

/* The copy is a page after the instruction. */
static const struct arm64_region_case arm64_region_cases[] = {
	{ "mov", MOV, .copy = { MOV, 0x17fffc00 }, .len = 2 },
	{ "nop", NOP, .copy = { 0x17fffc01 }, .len = 1 },
	{ "cbz", CBZ, .copy = { 0xb5000040, 0x17fffc1f, 0x17fffbff }, .len = 3 },
	{ "bl", BL, .copy = { 0xf0fffffe, 0x911593de, 0x17fffffe }, .len = 3 },
	{ "blr", BLR_X3, .copy = { 0xf0fffffe, 0x911593de, 0xd65f0060 }, .len = 3 },
	{ "ret", RET, .copy = { RET }, .len = 1 },
	{ "blr x30", BLR_X30, .reason = KPROBE_REASON_CALL },
	{ "ldxr", LDXR, .reason = KPROBE_REASON_NOT_DISPLACED },
	{ "stxr", STXR, .reason = KPROBE_REASON_NOT_DISPLACED },
	{ "svc", SVC, .reason = KPROBE_REASON_NOT_DISPLACED },
	{ "udf", 0, .reason = KPROBE_REASON_FUNCTION_UNDECODABLE },
};

KUNIT_ARRAY_PARAM_DESC(arm64_region, arm64_region_cases, name);

static void arm64_region(struct kunit *test)
{
	const struct arm64_region_case *c = test->param_value;
	u8 text[sizeof(u32)], buf[WORDS * sizeof(u32)];
	struct kprobe_code code = { .buf = buf, .size = sizeof(buf), .base = ADDR + SZ_4K };
	u16 at[KPROBE_REGION_INSNS + 1];
	struct kprobe_region region;

	put_words(text, &c->word, 1);
	KUNIT_ASSERT_EQ(test, c->reason, kprobe_plan_region(&arm64_kprobe_isa, &region, text,
							    sizeof(text), ADDR));
	if (c->reason)
		return;
	KUNIT_EXPECT_EQ(test, region.len, sizeof(u32));
	kprobe_emit_region(&arm64_kprobe_isa, &code, &region, 0, text, ADDR, at);
	expect_code(test, &code, c->copy, c->len);
}

/* Where indirect branches are checked they find the pad, or a breakpoint, but no jump. */
static void arm64_pads(struct kunit *test)
{
	static const u32 pads[] = { BTI_C, PACIASP, PACIBSP };
	struct kprobe_region region;
	u8 text[sizeof(u32)];
	unsigned int i;

	if (!arm64_kprobe_isa.pads)
		kunit_skip(test, "no CONFIG_ARM64_BTI_KERNEL");
	for (i = 0; i < ARRAY_SIZE(pads); i++) {
		put_words(text, &pads[i], 1);
		KUNIT_EXPECT_EQ(test, KPROBE_REASON_NONE,
				kprobe_plan_region(&arm64_kprobe_isa, &region, text,
						   sizeof(text), ADDR));
		KUNIT_EXPECT_EQ(test, !!region.insn[0].no_jump, pads[i] == BTI_C);
		KUNIT_EXPECT_EQ(test, !!region.insn[0].no_jump_unless_traced, pads[i] != BTI_C);
		KUNIT_EXPECT_EQ(test, KPROBE_REASON_NONE,
				kprobe_region_of_one(&region, &region.insn[0]));
	}
}

/* Places */

struct arm64_site_case {
	const char *name;
	u32 words[WORDS];
	enum kprobe_reason reasons[WORDS];
};

#define EXCLUSIVE	KPROBE_REASON_EXCLUSIVE
#define RESERVED	KPROBE_REASON_RESERVED

static const struct arm64_site_case arm64_site_cases[] = {
	{
		"exclusive sequence", { MOV, LDXR, MOV, STXR, CBZ, RET },
		{ 0, EXCLUSIVE, EXCLUSIVE, EXCLUSIVE },
	}, {
		"given up", { LDXR, CBZ, CLREX, RET }, { EXCLUSIVE, EXCLUSIVE, EXCLUSIVE },
	}, {
		"literal", { LDR_LITERAL, RET, 0x12345678, 0x9abcdef0, MOV },
		{ 0, 0, RESERVED, RESERVED },
	}, {
		"user's exclusive sequence", { MOV, LDTXR, MOV, STTXR, CBZ, RET },
		{ 0, EXCLUSIVE, EXCLUSIVE, EXCLUSIVE },
	}, {
		"transaction", { MOV, TSTART, CBZ, MOV, TCOMMIT, RET },
		{ 0, EXCLUSIVE, EXCLUSIVE, EXCLUSIVE, EXCLUSIVE },
	},
};

KUNIT_ARRAY_PARAM_DESC(arm64_site, arm64_site_cases, name);

static void arm64_site(struct kunit *test)
{
	static const struct kprobe_text text = { .read = read_function,
						 .find = find_function };
	const struct arm64_site_case *c = test->param_value;
	unsigned int i;

	put_words(function, c->words, WORDS);
	for (i = 0; i < WORDS; i++)
		KUNIT_EXPECT_EQ(test, c->reasons[i],
				kprobe_scan_site(&arm64_kprobe_isa, &text,
						 ADDR + sizeof(u32) * i));
}

static bool no_range(const struct kprobe_text *text, unsigned long start, unsigned long end)
{
	return false;
}

/* May a jump replace the second of two instructions? */
static enum kprobe_reason scan_second(u32 first, u32 second)
{
	static const struct kprobe_text text = {
		.read = read_function, .find = find_function,
		.is_reserved = no_range, .may_fault = no_range,
	};
	const u32 words[WORDS] = { first, second, RET };
	static struct kprobe_survey survey;
	struct kprobe_region region;

	put_words(function, words, WORDS);
	kprobe_survey_init(&survey);
	return kprobe_scan_region(&arm64_kprobe_isa, &text, &survey, &region,
				  ADDR + sizeof(u32), ADDR + 2 * sizeof(u32));
}

/* What movprfx is the prefix of can be a breakpoint, but no branch. */
static void arm64_prefixed(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_NONE, scan_second(MOV, SVE_ADD));
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_NOT_DISPLACED, scan_second(MOVPRFX, SVE_ADD));
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_NOT_DISPLACED, scan_second(MOVPRFX_P, SVE_ADD));
}

/* If not all bytes of an instruction are there, even its length is unknown. */
static void arm64_cut_short(struct kunit *test)
{
	struct kprobe_insn insn;
	u8 text[sizeof(u32)];
	const u32 word = MOV;

	put_words(text, &word, 1);
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_UNDECODABLE,
			arm64_kprobe_isa.plan(&insn, text, sizeof(text) - 1, ADDR));
	KUNIT_EXPECT_EQ(test, insn.len, 0);
}

static struct kunit_case arm64_insn_cases[] = {
	KUNIT_CASE(arm64_jump_reach),
	KUNIT_CASE(arm64_branch_reach),
	KUNIT_CASE(arm64_page_reach),
	KUNIT_CASE(arm64_stub),
	KUNIT_CASE(arm64_room),
	KUNIT_CASE_PARAM(arm64_region, arm64_region_gen_params),
	KUNIT_CASE(arm64_pads),
	KUNIT_CASE_PARAM(arm64_site, arm64_site_gen_params),
	KUNIT_CASE(arm64_prefixed),
	KUNIT_CASE(arm64_cut_short),
	{ }
};

static struct kunit_suite arm64_insn_suite = {
	.name = "kprobes_arm64_insn",
	.test_cases = arm64_insn_cases,
};

kunit_test_suite(arm64_insn_suite);

MODULE_DESCRIPTION("KUnit tests of kprobes' copies of arm64's instructions");
MODULE_LICENSE("GPL");
