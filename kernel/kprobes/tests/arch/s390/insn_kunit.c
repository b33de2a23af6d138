// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of s390's instruction set on bytes: which places may have a probe or a jump, how far jumps
 * reach, and whether what is written fits. What is planned for each instruction is in
 * tools/testing/kprobes-isa/golden/s390x.txt.
 */
#include <kunit/test.h>
#include <linux/sizes.h>

#include "../../../survey.h"

#define ADDR	0x3ffe0234560UL
#define PUT_WORD	put_unaligned_be32
#include "../../words.h"

#define TEXT(bytes)	.text = bytes, .size = sizeof(bytes) - 1

#define LR		"\x18\x12"			/* lr %r1, %r2 */
#define LA		"\x41\x10\x20\x00"		/* la %r1, 0(%r2) */
#define MVC		"\xd2\x00\x20\x00\x30\x00"	/* mvc 0(1, %r2), 0(%r3) */
#define EX		"\x44\x40\x10\x00"		/* ex %r4, 0(%r1) */
#define EXRL_8		"\xc6\x40\x00\x00\x00\x04"	/* exrl %r4, .+8 */
#define LARL_12		"\xc0\x10\x00\x00\x00\x06"	/* larl %r1, .+12 */
#define LARL_BACK_6	"\xc0\x10\xff\xff\xff\xfd"	/* larl %r1, .-6 */
#define LGRL_8		"\xc4\x18\x00\x00\x00\x04"	/* lgrl %r1, .+8 */
#define BRAS_10		"\xa7\x15\x00\x05"		/* bras %r1, .+10 */
#define BASR		"\x0d\xe1"			/* basr %r14, %r1 */
#define BASR_BASE	"\x0d\xd0"			/* basr %r13, 0 */
#define BRASL		"\xc0\xe5\x00\x00\x10\x00"	/* brasl %r14, .+0x2000 */
#define BR_R14		"\x07\xfe"
#define BER_R14		"\x07\x8e"
#define BR_R1		"\x07\xf1"
#define BER_R1		"\x07\x81"
#define J_BACK_4	"\xa7\xf4\xff\xfe"
#define J_BACK_6	"\xa7\xf4\xff\xfd"
#define JE_TRAP		"\xa7\x84\x00\x01"		/* je .+2, as a conditional trap */
#define CGRJE		"\xec\x12\x00\x20\x80\x64"	/* cgrje %r1, %r2, .+0x40 */
#define SACF		"\xb2\x79\x01\x00"		/* sacf 0x100 */
#define TBEGIN		"\xe5\x60\x10\x00\xff\x00"	/* tbegin 0(%r1), 0xff00 */
#define TEND		"\xb2\xf8\x00\x00"

/* A survey of a function with the text and nopr behind it. */
static struct kprobe_survey *survey_of(const char *text, size_t size)
{
	static const struct kprobe_text lookup = { FUNCTION_ALONE };
	static struct kprobe_survey survey;

	memset(function, 0x07, sizeof(function));
	memcpy(function, text, size);
	kprobe_survey_init(&survey, &s390_kprobe_isa, &lookup);
	return &survey;
}

struct s390_site_case {
	const char *name;
	const char *text;
	size_t size;
	const char *places;
};

/* For each unit of text: a probe may be there, an instruction goes on, data, a transaction. */
static const struct s390_site_case s390_site_cases[] = {
	{ "ex, in front what it executes", TEXT(BRAS_10 MVC EX BR_R14), "p.dddp.p" },
	{ "ex of what larl addresses", TEXT(LARL_12 EX BR_R14 MVC), "p..p.pddd" },
	{ "exrl", TEXT(EXRL_8 BR_R14 MVC LR), "p..pd..p" },
	{ "literal", TEXT(LGRL_8 BR_R14 LA LA LR), "p..pddddp" },
	{ "transaction", TEXT(LR TBEGIN LR TEND LR), "pt..tt.p" },
};

KUNIT_ARRAY_PARAM_DESC(s390_site, s390_site_cases, name);

static void s390_site(struct kunit *test)
{
	static const char kinds[KPROBE_REASONS] = {
		[KPROBE_REASON_NONE] = 'p', [KPROBE_REASON_INSIDE] = '.',
		[KPROBE_REASON_DATA] = 'd', [KPROBE_REASON_EXCLUSIVE] = 't',
	};
	const struct s390_site_case *c = test->param_value;
	struct kprobe_survey *survey = survey_of(c->text, c->size);
	unsigned int i;

	for (i = 0; i < c->size / KPROBE_INSN_ALIGN; i++)
		KUNIT_EXPECT_EQ(test, c->places[i],
				kinds[kprobe_scan_site(survey, ADDR + KPROBE_INSN_ALIGN * i)]);
}

struct s390_jump_case {
	const char *name;
	const char *text;
	size_t size;
	enum kprobe_reason reason;
	unsigned int nr, len;
};

/* What a jump at the first instruction covers. */
static const struct s390_jump_case s390_jump_cases[] = {
	{ "2, 2, 2", TEXT(LR LR LR LA), .nr = 3, .len = 6 },
	{ "2, 2, 6", TEXT(LR LR MVC), .nr = 3, .len = 10 },
	{ "4, 6", TEXT(LA BRASL LR), .nr = 2, .len = 10 },
	{ "return", TEXT(BR_R14), .nr = 1, .len = 6 },
	{ "conditional return", TEXT(BER_R14 LA), .nr = 2, .len = 6 },
	{ "conditional branch to a register", TEXT(BER_R1 LA), KPROBE_REASON_NOT_DISPLACED },
	{ "indirect jump elsewhere", TEXT(MVC BR_R1), KPROBE_REASON_INDIRECT_JUMP },
	{ "call that returns into it", TEXT(BASR LA), KPROBE_REASON_CALL },
	{ "call at its end", TEXT(LA BASR LR), .nr = 2, .len = 6 },
	{ "base register", TEXT(BASR_BASE LA), .nr = 2, .len = 6 },
	{ "loop to its start", TEXT(LR LA J_BACK_6), .nr = 2, .len = 6 },
	{ "loop to its middle", TEXT(LR LA J_BACK_4), KPROBE_REASON_JUMPED_INTO },
	{ "conditional trap", TEXT(JE_TRAP LR), KPROBE_REASON_JUMPED_INTO },
	{ "another address space", TEXT(MVC SACF), KPROBE_REASON_DIRECTION },
	{ "over what ex executes", TEXT(BRAS_10 MVC EX), KPROBE_REASON_DATA },
	{ "over what larl addresses", TEXT(BR_R14 MVC LARL_BACK_6 EX BR_R14), KPROBE_REASON_DATA },
};

KUNIT_ARRAY_PARAM_DESC(s390_jump, s390_jump_cases, name);

static void s390_jump(struct kunit *test)
{
	const struct s390_jump_case *c = test->param_value;
	struct kprobe_region region;

	KUNIT_ASSERT_EQ(test, c->reason, kprobe_scan_region(survey_of(c->text, c->size), &region,
							    ADDR, ADDR + 1));
	if (c->reason)
		return;
	KUNIT_EXPECT_EQ(test, region.nr, c->nr);
	KUNIT_EXPECT_EQ(test, region.len, c->len);
}

static void s390_jump_reach(struct kunit *test)
{
	static const unsigned long near[] = { ADDR + SZ_4G, ADDR - SZ_4G + 2 };
	static const unsigned long away[] = { ADDR + SZ_4G + 2, ADDR - SZ_4G };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(near); i++) {
		struct kprobe_code from_near = { .base = near[i] }, from_away = { .base = away[i] };

		s390_kprobe_isa.jump(&from_near, ADDR, 0);
		KUNIT_EXPECT_FALSE(test, from_near.far);
		s390_kprobe_isa.jump(&from_away, ADDR, 0);
		KUNIT_EXPECT_TRUE(test, from_away.far);
	}
}

/* Slots and detours have room for the longest code, and the header has the lengths of its parts. */
static void s390_room(struct kunit *test)
{
	static const u8 text[] = LR BASR_BASE CGRJE;
	struct kprobe_code code = { .base = ADDR + SZ_4K };
	u16 at[KPROBE_REGION_INSNS + 1];
	struct kprobe_region region;

	s390_kprobe_isa.enter(&code, ADDR);
	KUNIT_EXPECT_EQ(test, code.len, KPROBE_STUB_ENTER);
	kprobe_code_leave(&code, &s390_kprobe_isa);
	KUNIT_EXPECT_EQ(test, code.len, KPROBE_STUB_ENTER + KPROBE_STUB_LEAVE);
	KUNIT_EXPECT_LE(test, KPROBE_INSN_MAX + code.len + KPROBE_JUMP_SIZE, KPROBE_SLOT_SIZE);
	KUNIT_ASSERT_EQ(test, KPROBE_REASON_NONE,
			kprobe_plan_region(&s390_kprobe_isa, &region, text, sizeof(text), ADDR));
	kprobe_emit_region(&s390_kprobe_isa, &code, &region, 0, text, ADDR, at);
	kprobe_code_leave(&code, &s390_kprobe_isa);
	kprobe_emit_region(&s390_kprobe_isa, &code, &region, 2, text, ADDR, at);
	s390_kprobe_isa.enter(&code, ADDR);
	kprobe_code_leave(&code, &s390_kprobe_isa);
	KUNIT_EXPECT_LE(test, code.len, KPROBE_DETOUR_MAX_SIZE);
	KUNIT_EXPECT_FALSE(test, code.far);
}

static struct kunit_case s390_insn_cases[] = {
	KUNIT_CASE_PARAM(s390_site, s390_site_gen_params),
	KUNIT_CASE_PARAM(s390_jump, s390_jump_gen_params),
	KUNIT_CASE(s390_jump_reach),
	KUNIT_CASE(s390_room),
	{ }
};

static struct kunit_suite s390_insn_suite = {
	.name = "kprobes_s390_insn",
	.test_cases = s390_insn_cases,
};

kunit_test_suite(s390_insn_suite);

MODULE_DESCRIPTION("KUnit tests of kprobes' places in s390's text");
MODULE_LICENSE("GPL");
