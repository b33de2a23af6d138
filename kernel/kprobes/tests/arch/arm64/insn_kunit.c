// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of arm64's instruction set on words: how far copies and jumps reach, what a
 * detour begins and ends with, which instructions a jump may replace. What is planned
 * for each instruction is in tools/testing/kprobes-isa/golden/arm64.txt.
 */
#include <kunit/test.h>
#include <linux/sizes.h>

#include "../../../survey.h"

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
#define LDR_BACK_16	0x9cffff80	/* ldr q0, .-16 */
#define LDR_BACK_8	0x58ffffc0	/* ldr x0, .-8 */
#define CLREX		0xd5033f5f
#define SVC		0xd4000001
#define ADR_16		0x10000083	/* adr x3, .+16 */
#define ADR_12		0x10000063	/* adr x3, .+12 */
#define LDR		0xb9400060	/* ldr w0, [x3] */
#define BR_X3		0xd61f0060
#define B_12		0x14000003	/* b .+12 */
#define CBZ_16		0xb4000080	/* cbz x0, .+16 */
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
	KUNIT_EXPECT_LE(test, code.len, code.size);
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
				kprobe_region_of_one(&arm64_kprobe_isa, &region, &region.insn[0],
						     text, sizeof(text), ADDR));
	}
}

/* Places */

struct arm64_site_case {
	const char *name;
	u32 words[WORDS];
	enum kprobe_reason reasons[WORDS];
	bool compiled;
};

#define EXCLUSIVE	KPROBE_REASON_EXCLUSIVE
#define DATA		KPROBE_REASON_DATA

static const struct arm64_site_case arm64_site_cases[] = {
	{
		"exclusive sequence", { MOV, LDXR, MOV, STXR, CBZ, RET },
		{ 0, EXCLUSIVE, EXCLUSIVE, EXCLUSIVE },
	}, {
		"given up", { LDXR, CBZ, CLREX, RET }, { EXCLUSIVE, EXCLUSIVE, EXCLUSIVE },
	}, {
		"literal", { LDR_LITERAL, RET, 0x12345678, 0x9abcdef0, MOV },
		{ 0, 0, DATA, DATA },
	}, {
		"user's exclusive sequence", { MOV, LDTXR, MOV, STTXR, CBZ, RET },
		{ 0, EXCLUSIVE, EXCLUSIVE, EXCLUSIVE },
	}, {
		"transaction", { MOV, TSTART, CBZ, MOV, TCOMMIT, RET },
		{ 0, EXCLUSIVE, EXCLUSIVE, EXCLUSIVE, EXCLUSIVE },
	}, {
		"data by its address", { ADR_12, LDR, RET, 0x71374491, 0x12835b01, MOV, RET, MOV },
		{ 0, 0, 0, DATA, DATA, DATA, DATA, DATA },
	}, {
		"data, and code that a branch leads to",
		{ CBZ_16, ADR_12, RET, MOV, MOV, RET, MOV, MOV },
		{ 0, 0, 0, 0, 0, 0, 0, 0 },
	}, {
		"data between code", { B_12, NOP, RET, MOV, ADR_12, RET, NOP, MOV },
		{ 0, 0, 0, 0, 0, 0, 0, DATA },
	}, {
		"data in front of code", { ADR_12, CBZ_16, RET, MOV, MOV, MOV, RET },
		{ 0, 0, 0, DATA, DATA },
	}, {
		"start of a jump table's places", { ADR_12, MOV, BR_X3, MOV, RET },
		{ },
	}, {
		"address of code that is fallen into", { ADR_12, MOV, LDR, MOV, RET },
		{ },
	},
};

KUNIT_ARRAY_PARAM_DESC(arm64_site, arm64_site_cases, name);

typedef size_t (*read_t)(unsigned long addr, u8 *buf, size_t size);
typedef bool (*find_t)(struct kprobe_lookup *lookup, unsigned long addr,
		       struct kprobe_function *f);

static bool compiled;

static bool is_compiled(const struct kprobe_function *f)
{
	return compiled;
}

/* A survey of no function yet, in other text than the last one's. */
static struct kprobe_survey *survey_of(read_t read, find_t find)
{
	static struct kprobe_survey survey;
	static struct kprobe_text text;

	text = (struct kprobe_text){
		.read = read, .find = find, .is_compiled = is_compiled, .reserved = not_reserved,
		.any_in = none_in, .next_target = no_target, .is_thunk = no_thunk,
	};
	kprobe_survey_init(&survey, &arm64_kprobe_isa, &text);
	return &survey;
}

static void arm64_site(struct kunit *test)
{
	struct kprobe_survey *survey = survey_of(read_function, find_function);
	const struct arm64_site_case *c = test->param_value;
	unsigned int i;

	compiled = c->compiled;
	put_words(function, c->words, WORDS);
	for (i = 0; i < WORDS; i++)
		KUNIT_EXPECT_EQ(test, c->reasons[i],
				kprobe_scan_site(survey, ADDR + sizeof(u32) * i));
}

/* SHA-256's, of which 49 are instructions. */
static const u32 constants[] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

#define BEFORE	4	/* words of code */

static const u32 digest_code[BEFORE] = { ADR_16, LDR, RET, NOP };

static size_t read_digest(unsigned long addr, u8 *buf, size_t size)
{
	size_t i = (addr - ADDR) / sizeof(u32);

	if (size < sizeof(u32) || i >= BEFORE + ARRAY_SIZE(constants))
		return 0;
	put_unaligned_le32(i < BEFORE ? digest_code[i] : constants[i - BEFORE], buf);
	return sizeof(u32);
}

static bool find_digest(struct kprobe_lookup *lookup, unsigned long addr,
			struct kprobe_function *f)
{
	*f = (struct kprobe_function){
		.start = ADDR, .end = ADDR + sizeof(digest_code) + sizeof(constants),
		.kind = KPROBE_SYMBOL_FUNCTION,
	};
	return true;
}

/* Tables in the text that only adr leads to, behind the padding of a function. */
static void arm64_constants(struct kunit *test)
{
	struct kprobe_survey *survey = survey_of(read_digest, find_digest);
	unsigned int i;

	for (i = 0; i < BEFORE + ARRAY_SIZE(constants); i++)
		KUNIT_EXPECT_EQ_MSG(test, i < BEFORE ? KPROBE_REASON_NONE : DATA,
				    kprobe_scan_site(survey, ADDR + sizeof(u32) * i),
				    "word %u", i);
}

/* The words are two symbols'. */
static bool find_half(struct kprobe_lookup *lookup, unsigned long addr,
		      struct kprobe_function *f)
{
	unsigned long half = sizeof(function) / 2;

	*f = (struct kprobe_function){
		.start = ADDR + (addr - ADDR) / half * half, .kind = KPROBE_SYMBOL_FUNCTION,
	};
	f->end = f->start + half;
	return true;
}

static const struct arm64_site_case arm64_literal_cases[] = {
	{
		/* AES' rows, in the order of bytes that they are loaded in. */
		"with a symbol",
		{ 0x0f03070b, 0x0a0e0206, 0x05090d01, 0x0004080c, LDR_BACK_16, RET },
		{ DATA, DATA, DATA, DATA },
	}, {
		"behind another function", { MOV, RET, 0x12835b01, 0x0fc19dc6, LDR_BACK_8, RET },
		{ 0, 0, DATA, DATA },
	}, {
		"that nobody loads", { MOV, RET, 0x12835b01, 0x0fc19dc6, MOV, RET }, { },
	}, {
		/* A pointer of ftrace's, in front of another function. */
		"that is a compiler's", { MOV, RET, 0x12835b01, 0x0fc19dc6, LDR_BACK_8, RET },
		{ }, .compiled = true,
	},
};

KUNIT_ARRAY_PARAM_DESC(arm64_literal, arm64_literal_cases, name);

/* What another function loads. */
static void arm64_literal(struct kunit *test)
{
	struct kprobe_survey *survey = survey_of(read_function, find_half);
	const struct arm64_site_case *c = test->param_value;
	unsigned int i;

	compiled = c->compiled;
	put_words(function, c->words, WORDS);
	for (i = 0; i < WORDS / 2; i++)
		KUNIT_EXPECT_EQ(test, c->reasons[i],
				kprobe_scan_site(survey, ADDR + sizeof(u32) * i));
}

/* May a jump replace the second of two instructions? */
static enum kprobe_reason scan_second(u32 first, u32 second)
{
	const u32 words[WORDS] = { first, second, RET };
	struct kprobe_region region;

	put_words(function, words, WORDS);
	return kprobe_scan_region(survey_of(read_function, find_function), &region,
				  ADDR + sizeof(u32), ADDR + 2 * sizeof(u32));
}

/* What movprfx is the prefix of can be a breakpoint, but no branch. */
static void arm64_prefixed(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_NONE, scan_second(MOV, SVE_ADD));
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_JOINED, scan_second(MOVPRFX, SVE_ADD));
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_JOINED, scan_second(MOVPRFX_P, SVE_ADD));
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
	KUNIT_CASE(arm64_constants),
	KUNIT_CASE_PARAM(arm64_literal, arm64_literal_gen_params),
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
