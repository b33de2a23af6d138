// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of T32's instruction set on halfwords: what becomes of instructions in a block, which
 * places of a function can have probes, how much room copies take. What is planned for each
 * instruction is in tools/testing/kprobes-isa/golden/t32.txt.
 */
#include <kunit/test.h>
#include <linux/sizes.h>

#include "../../../survey.h"

#define ADDR	0xc0234560UL
#include "../../words.h"

#define HALVES	(WORDS * 2)

#define MOVS	0x2001		/* movs r0, #1 */
#define MOV	0x4608		/* mov r0, r1 */
#define BX_LR	0x4770
#define IT_EQ	0xbf08
#define ITE_NE	0xbf14
#define ITTTT_LS	0xbf9f
#define LDR_LITERAL	0x4801		/* ldr r0, .+8 */
#define CBZ	0xb100
#define B	0xe001		/* b .+6 */
#define ADR	0xa000		/* adr r0, .+4 */
#define UDF	0xde4b
#define NOP	0xbf00

/*
 * Long ones: 0xf8d0, 0x1004 is ldr.w r1, [r0, #4]; 0xe8df, 0xf003 and 0xf013 are tbb [pc, r3] and
 * tbh [pc, r3, lsl #1]; 0xf850, 0xf023 is ldr.w pc, [r0, r3, lsl #2]; 0xe851, 0x0f00 and 0xe841,
 * 0x0200 are ldrex r0, [r1] and strex r2, r0, [r1].
 */

/* Entries of tables are data, which a big-endian kernel has in the other order. */
#ifdef CONFIG_CPU_BIG_ENDIAN
#define IN_TABLE(half)	__builtin_bswap16(half)
#define FIRST_OF(word)	IN_TABLE((word) >> 16)
#define SECOND_OF(word)	IN_TABLE((word) & 0xffff)
#else
#define IN_TABLE(half)	(half)
#define FIRST_OF(word)	((word) & 0xffff)
#define SECOND_OF(word)	((word) >> 16)
#endif

static void put_halves(u8 *bytes, const u16 *halves, unsigned int nr)
{
	while (nr--)
		put_unaligned_le16(halves[nr], bytes + sizeof(u16) * nr);
}

static const struct kprobe_text text = { FUNCTION_ALONE };

static struct kprobe_survey survey;

#define EXCLUSIVE	KPROBE_REASON_EXCLUSIVE
#define DATA		KPROBE_REASON_DATA
#define INSIDE		KPROBE_REASON_INSIDE

/* Reasons are those of halfwords. */
static const struct t32_site_case {
	const char *name;
	u16 halves[HALVES];
	enum kprobe_reason reasons[HALVES];
} t32_site_cases[] = {
	{ "long", { MOV, 0xf8d0, 0x1004, MOV, BX_LR }, { 0, 0, INSIDE } },
	{ "exclusive",
	  { 0xe851, 0x0f00, 0xe841, 0x0200, BX_LR }, { EXCLUSIVE, INSIDE, EXCLUSIVE, INSIDE } },
	{ "literal like half of a long one", { LDR_LITERAL, BX_LR, NOP, NOP, 0x1234, 0xf800, MOV },
	  { 0, 0, 0, 0, DATA, DATA } },
	{ "data by its address", { ADR, BX_LR, 0x1234, 0x5678 }, { 0, 0, DATA, DATA } },
	/* From the table's start to what comes behind it are 4 bytes, and 6. */
	{ "table of bytes", { 0xe8df, 0xf003, 0x0302, 0x0002, MOV, MOV, BX_LR },
	  { 0, INSIDE, DATA, DATA } },
	{ "table of equal bytes", { 0xe8df, 0xf003, 0x0303, 0x0303, 0x0303, MOV, BX_LR },
	  { 0, INSIDE, DATA, DATA, DATA } },
	{ "table of halfwords",
	  { 0xe8df, 0xf013, IN_TABLE(3), IN_TABLE(4), IN_TABLE(3), MOV, MOV, BX_LR },
	  { 0, INSIDE, DATA, DATA, DATA } },
	{ "code behind a table that no entry leads to",
	  { 0xe8df, 0xf013, IN_TABLE(4), IN_TABLE(4), MOV, MOV, MOV, BX_LR },
	  { 0, INSIDE, DATA, DATA } },
	{ "table of addresses",
	  { ADR, NOP, 0xf850, 0xf023, FIRST_OF(ADDR + 17), SECOND_OF(ADDR + 17),
	    FIRST_OF(ADDR + 19), SECOND_OF(ADDR + 19),
	    MOV, MOV, BX_LR }, { 0, 0, 0, INSIDE, DATA, DATA, DATA, DATA } },
};

KUNIT_ARRAY_PARAM_DESC(t32_site, t32_site_cases, name);

static void t32_site(struct kunit *test)
{
	const struct t32_site_case *c = test->param_value;
	unsigned int i;

	put_halves(function, c->halves, HALVES);
	for (i = 0; i < HALVES && c->halves[i]; i++) {
		kprobe_survey_init(&survey, &t32_kprobe_isa, &text);
		KUNIT_EXPECT_EQ_MSG(test, c->reasons[i],
				    kprobe_scan_site(&survey, ADDR + sizeof(u16) * i),
				    "halfword %u", i);
	}
}

/* Instructions that are 1st to 4th in a block: its state, and a copy with the breakpoint. */
static const struct t32_block_case {
	const char *name;
	u16 halves[HALVES];
	unsigned int site;	/* in halfwords */
	unsigned int block;
	enum kprobe_reason reason;
	u16 copy[4];
	unsigned int len;	/* of @copy, in halfwords */
} t32_block_cases[] = {
	{ "only one", { IT_EQ, MOV, NOP, BX_LR }, 1, 0x08, 0, { MOV }, 1 },
	{ "sets no flags", { IT_EQ, MOVS, NOP, BX_LR }, 1, 0x08, 0, { 0xbfe8, MOVS }, 2 },
	{ "long", { IT_EQ, 0xf8d0, 0x1004, NOP, BX_LR }, 1, 0x08, 0, { 0xf8d0, 0x1004 }, 2 },
	{ "1st of two", { ITE_NE, MOV, MOVS, BX_LR }, 1, 0x14, 0, { MOV }, 1 },
	{ "2nd of two, else", { ITE_NE, MOV, MOVS, BX_LR }, 2, 0x08, 0, { 0xbfe8, MOVS }, 2 },
	{ "1st of four",
	  { ITTTT_LS, MOV, MOV, 0xf8d0, 0x1004, MOV, BX_LR }, 1, 0x9f, 0, { MOV }, 1 },
	{ "2nd of four",
	  { ITTTT_LS, MOV, MOV, 0xf8d0, 0x1004, MOV, BX_LR }, 2, 0x9e, 0, { MOV }, 1 },
	{ "3rd of four", { ITTTT_LS, MOV, MOV, 0xf8d0, 0x1004, MOV, BX_LR }, 3, 0x9c, 0,
	  { 0xf8d0, 0x1004 }, 2 },
	{ "4th of four",
	  { ITTTT_LS, MOV, MOV, 0xf8d0, 0x1004, MOV, BX_LR }, 5, 0x98, 0, { MOV }, 1 },
	{ "return", { IT_EQ, BX_LR, NOP, BX_LR }, 1, 0x08, 0, { BX_LR }, 1 },
	{ "return not at the end", { ITE_NE, BX_LR, MOV, BX_LR }, 1, 0x14, KPROBE_REASON_FORM },
	{ "branch on zero", { IT_EQ, CBZ, NOP, BX_LR }, 1, 0x08, KPROBE_REASON_FORM },
	{ "block in a block", { ITE_NE, MOV, IT_EQ, BX_LR }, 2, 0x08, KPROBE_REASON_FORM },
	{ "after it", { IT_EQ, MOV, NOP, BX_LR }, 2, 0 },
	{ "what begins it", { IT_EQ, MOV, NOP, BX_LR }, 0, 0 },
};

KUNIT_ARRAY_PARAM_DESC(t32_block, t32_block_cases, name);

static void t32_block(struct kunit *test)
{
	const struct t32_block_case *c = test->param_value;
	unsigned long site = ADDR + sizeof(u16) * c->site;
	const u8 *bytes = function + sizeof(u16) * c->site;
	const struct kprobe_isa *isa = &t32_kprobe_isa;
	u8 buf[SZ_32], expected[sizeof(c->copy)];
	struct kprobe_code code = { .buf = buf, .size = sizeof(buf), .base = ADDR + SZ_4K };
	struct kprobe_region region;
	struct kprobe_insn insn;

	put_halves(function, c->halves, HALVES);
	put_halves(expected, c->copy, ARRAY_SIZE(c->copy));
	kprobe_survey_init(&survey, isa, &text);
	KUNIT_ASSERT_EQ(test, KPROBE_REASON_NONE, kprobe_scan_site(&survey, site));
	KUNIT_ASSERT_EQ(test, c->block, kprobe_scan_block(&survey, site));
	if (!c->block)
		return;
	KUNIT_EXPECT_NE(test, KPROBE_REASON_NONE,
			kprobe_scan_region(&survey, &region, site, site + 1));
	KUNIT_ASSERT_EQ(test, KPROBE_REASON_NONE, isa->plan(&insn, bytes, isa->insn_max, site));
	KUNIT_ASSERT_EQ(test, c->reason, isa->within(&insn, bytes, c->block));
	if (c->reason)
		return;
	KUNIT_EXPECT_TRUE(test, insn.ends_in_trap);
	KUNIT_EXPECT_EQ(test, c->block & 7 ? (c->block & 0xe0) | (c->block << 1 & 0x1f) : 0,
			insn.block);
	isa->emit(&code, &insn, bytes, site);
	KUNIT_ASSERT_EQ(test, sizeof(u16) * c->len, code.len);
	KUNIT_EXPECT_MEMEQ(test, expected, buf, code.len);
}

/* Which of two instructions a jump covers matters, where it covers two. */
static const struct t32_region_case {
	const char *name;
	u16 halves[HALVES];
	enum kprobe_reason reason;
	unsigned int nr;
} t32_region_cases[] = {
	{ "two", { MOV, MOVS, BX_LR }, .nr = 2 },
	{ "a long one", { 0xf8d0, 0x1004, BX_LR }, .nr = 1 },
	{ "the second is long", { MOV, 0xf8d0, 0x1004, BX_LR }, .nr = 2 },
	{ "a return", { BX_LR, NOP }, .nr = 1 },
	{ "a block begins", { MOV, IT_EQ, MOV, BX_LR }, KPROBE_REASON_NOT_DISPLACED },
	{ "a branch into it", { MOV, MOV, MOV, 0xe7fc, BX_LR }, KPROBE_REASON_JUMPED_INTO },
	{ "a breakpoint", { MOV, UDF, BX_LR }, KPROBE_REASON_NOT_DISPLACED },
	{ "a call at the end", { MOV, 0x4798, BX_LR }, .nr = 2 },
	{ "a call at the start", { 0x4798, MOV, BX_LR }, KPROBE_REASON_CALL },
};

KUNIT_ARRAY_PARAM_DESC(t32_region, t32_region_cases, name);

static void t32_region(struct kunit *test)
{
	const struct t32_region_case *c = test->param_value;
	struct kprobe_region region;

	put_halves(function, c->halves, HALVES);
	kprobe_survey_init(&survey, &t32_kprobe_isa, &text);
	KUNIT_ASSERT_EQ(test, c->reason, kprobe_scan_region(&survey, &region, ADDR, ADDR + 1));
	if (!c->reason)
		KUNIT_EXPECT_EQ(test, c->nr, region.nr);
}

/* Slots and detours have room for the longest copy: that of tbb. */
static void t32_room(struct kunit *test)
{
	static const u16 longest[] = { 0xe8df, 0xf003 };
	const struct kprobe_isa *isa = &t32_kprobe_isa;
	u8 bytes[sizeof(longest)], buf[SZ_64];
	struct kprobe_code code = { .buf = buf, .size = sizeof(buf), .base = ADDR + SZ_4K };
	struct kprobe_insn insn;
	unsigned int from;

	put_halves(bytes, longest, ARRAY_SIZE(longest));
	isa->plan(&insn, bytes, sizeof(bytes), ADDR);
	isa->enter(&code, ADDR);
	KUNIT_EXPECT_EQ(test, code.len, KPROBE_STUB_ENTER);
	from = code.len;
	isa->leave(&code);
	KUNIT_EXPECT_EQ(test, code.len - from, KPROBE_STUB_LEAVE);
	isa->emit(&code, &insn, bytes, ADDR);
	isa->breakpoint(&code, &insn);
	KUNIT_EXPECT_LE(test, code.len, KPROBE_SLOT_SIZE);
	isa->emit(&code, &insn, bytes, ADDR);
	KUNIT_EXPECT_LE(test, code.len, KPROBE_DETOUR_MAX_SIZE);
}

/* What a copy has on the stack, which unwinders ask, by what it pushes first and pops last. */
static const struct t32_pushed_case {
	const char *name;
	u16 halves[2];
	u8 pushed[2];	/* behind the first halfword, and behind the second one */
} t32_pushed_cases[] = {
	{ "tbb", { 0xe8df, 0xf003 }, { 4, 12 } },
	{ "add pc", { 0x4487 }, { 4, 8 } },
	{ "ldr pc", { 0xf8df, 0xf004 }, { 4, 8 } },
	{ "add of pc", { 0x4478 }, { 4, 4 } },
	{ "vldr", { 0xed9f, 0x0b02 }, { 4, 4 } },
	{ "ldrb, literal", { 0xf89f, 0x0004 } },
	{ "mov of pc", { 0x467b } },
	{ "mov", { MOV } },
	{ "ldr", { 0xf8d0, 0x1004 } },
};

KUNIT_ARRAY_PARAM_DESC(t32_pushed, t32_pushed_cases, name);

static void t32_pushed(struct kunit *test)
{
	const struct t32_pushed_case *c = test->param_value;
	u8 bytes[sizeof(c->halves)];
	unsigned int len, at;

	put_halves(bytes, c->halves, 2);
	len = t32_kprobe_copy_len(bytes, 0);
	KUNIT_EXPECT_EQ(test, 0, t32_kprobe_copy_pushed(bytes, 0));
	KUNIT_EXPECT_EQ(test, c->pushed[0], t32_kprobe_copy_pushed(bytes, 2));
	for (at = 4; at < len; at += 2)
		KUNIT_EXPECT_EQ(test, c->pushed[1], t32_kprobe_copy_pushed(bytes, at));
	KUNIT_EXPECT_EQ(test, 0, t32_kprobe_copy_pushed(bytes, max(len, 4U)));
}

/* How long a copy is, which unwinders ask, is how much is written. */
static void t32_copy_len(struct kunit *test)
{
	static const u16 halves[][2] = {
		{ 0xe8df, 0xf003 },	/* tbb [pc, r3] */
		{ 0x4487 },		/* add pc, r0 */
		{ 0x4478 },		/* add r0, pc */
		{ 0xed9f, 0x0b02 },	/* vldr d0, .+12 */
		{ 0xf8df, 0xf004 },	/* ldr.w pc, .+8 */
		{ 0xf89f, 0x0004 },	/* ldrb.w r0, .+8 */
		{ 0xe9df, 0x0102 },	/* ldrd r0, r1, .+12 */
		{ 0x467b },		/* mov r3, pc */
		{ MOV }, { MOVS }, { 0xf8d0, 0x1004 },
	};
	const struct kprobe_isa *isa = &t32_kprobe_isa;
	u8 bytes[sizeof(halves[0])], buf[SZ_64];
	struct kprobe_insn insn;
	unsigned int i, block;

	for (i = 0; i < ARRAY_SIZE(halves); i++) {
		put_halves(bytes, halves[i], 2);
		for (block = 0; block <= 0x08; block += 0x08) {
			struct kprobe_code code = { .buf = buf, .size = sizeof(buf) };

			isa->plan(&insn, bytes, sizeof(bytes), ADDR);
			if (block)
				isa->within(&insn, bytes, block);
			isa->emit(&code, &insn, bytes, ADDR);
			KUNIT_EXPECT_EQ_MSG(test, code.len, t32_kprobe_copy_len(bytes, block),
					    "%04x, block %02x", halves[i][0], block);
		}
	}
}

static struct kunit_case t32_insn_cases[] = {
	KUNIT_CASE_PARAM(t32_site, t32_site_gen_params),
	KUNIT_CASE_PARAM(t32_block, t32_block_gen_params),
	KUNIT_CASE_PARAM(t32_region, t32_region_gen_params),
	KUNIT_CASE(t32_room),
	KUNIT_CASE(t32_copy_len),
	KUNIT_CASE_PARAM(t32_pushed, t32_pushed_gen_params),
	{ }
};

static struct kunit_suite t32_insn_suite = {
	.name = "kprobes_t32_insn",
	.test_cases = t32_insn_cases,
};

kunit_test_suite(t32_insn_suite);

MODULE_DESCRIPTION("KUnit tests of kprobes' copies of T32's instructions");
MODULE_LICENSE("GPL");
