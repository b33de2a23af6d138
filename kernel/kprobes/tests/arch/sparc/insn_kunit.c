// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of SPARC V9's instruction set on words: how far copies reach, what a detour begins and
 * ends with, and delay slots. What is planned for each instruction is in
 * tools/testing/kprobes-isa/golden/sparc64.txt.
 */
#include <kunit/test.h>
#include <linux/sizes.h>

#include "../../../survey.h"

#define ADDR		0x1612340UL
#define PUT_WORD	put_unaligned_be32
#include "../../words.h"

#define NOP		0x01000000
#define ADD		0x9402400b	/* add %o1, %o3, %o2 */
#define BNE_A		0x32480020	/* bne,a %icc, .+0x80 */
#define BA		0x10800020	/* ba .+0x80 */
#define BA_A		0x30800020	/* ba,a .+0x80 */
#define BE_20		0x02800005	/* be .+20 */
#define CWBE		0x12c2640b	/* cwbe %o1, 11, .+0x80 */
#define CALL		0x40000400	/* call .+0x1000 */
#define JMPL_O7		0x9fc3e008	/* jmpl %o7+8, %o7 */
#define JMP		0x81c04000	/* jmp %g1 */
#define RET		0x81c7e008
#define RETURN		0x81cfe008	/* return %i7+8 */
#define RESTORE		0x81e80000
#define RD_PC		0x83414000	/* rd %pc, %g1 */
#define TA		0x91d02005	/* ta 5 */
#define WR_PIC		0xa3806000	/* wr %g1, 0, %pic */
#define RD_PIC		0x83444000	/* rd %pic, %g1 */
#define RD_PIC_G0	0x81444000	/* rd %pic, %g0 */
#define MASK		0x8d912002	/* wrpr %g4, PSTATE_IE, %pstate */
#define UNMASK		0x8d912000	/* wrpr %g4, 0, %pstate */

static bool is_far(u32 word, unsigned long from, unsigned long base)
{
	const u32 words[] = { word, ADD };
	u8 text[sizeof(words)], buf[WORDS * sizeof(u32)];
	struct kprobe_code code = { .buf = buf, .size = sizeof(buf), .base = base };
	struct kprobe_insn insn;

	put_words(text, words, 2);
	sparc_kprobe_isa.plan(&insn, text, sizeof(text), from);
	sparc_kprobe_isa.emit(&code, &insn, text, from);
	return code.far;
}

/* A copy has the reach of ba, whatever the branch's own. Its last branch counts. */
static void sparc_reach(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, is_far(BA_A, ADDR, ADDR + 0x80 + SZ_8M));
	KUNIT_EXPECT_TRUE(test, is_far(BA_A, ADDR, ADDR + 0x80 + SZ_8M + 4));
	KUNIT_EXPECT_FALSE(test, is_far(BA_A, ADDR, ADDR + 0x80 - SZ_8M + 4));
	KUNIT_EXPECT_TRUE(test, is_far(BA_A, ADDR, ADDR + 0x80 - SZ_8M));
	KUNIT_EXPECT_FALSE(test, is_far(BNE_A, ADDR, ADDR + 0x80 + SZ_8M - 12));
	KUNIT_EXPECT_TRUE(test, is_far(BNE_A, ADDR, ADDR + 0x80 + SZ_8M - 8));
	KUNIT_EXPECT_FALSE(test, is_far(CALL, ADDR, ADDR + 0x1000 + SZ_8M - 8));
	KUNIT_EXPECT_TRUE(test, is_far(CALL, ADDR, ADDR + 0x1000 + SZ_8M - 4));
	KUNIT_EXPECT_FALSE(test, is_far(ADD, ADDR, ADDR + 2 * SZ_8M));
	KUNIT_EXPECT_FALSE(test, is_far(RD_PC, SZ_4G - 4, SZ_4G));
	KUNIT_EXPECT_TRUE(test, is_far(RD_PC, SZ_4G, SZ_4G));
}

/*
 * Modules may be at addresses that look like branches. A table's words are near their targets. If
 * the word is a branch, its delay slot is one.
 */
static void sparc_table(struct kunit *test)
{
	const u32 word = BA + 0x10000;
	struct kprobe_insn insn;
	u8 text[sizeof(u32)];

	put_words(text, &word, 1);
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_DATA,
			sparc_kprobe_isa.plan(&insn, text, sizeof(text), word - SZ_512K));
	KUNIT_EXPECT_EQ(test, insn.bundle, 1);
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_NONE,
			sparc_kprobe_isa.plan(&insn, text, sizeof(text), word - SZ_2M));
}

struct sparc_region_case {
	const char *name;
	u32 words[2];
	enum kprobe_reason reason;
	unsigned int len;	/* of the copy with the jump back, in words */
};

static const struct sparc_region_case sparc_region_cases[] = {
	{ "add", { ADD, NOP }, 0, 2 },
	{ "nop", { NOP, NOP }, 0, 1 },
	{ "ba,a", { BA_A, ADD }, 0, 1 },
	{ "ba", { BA, ADD }, 0, 2 },
	{ "bne,a", { BNE_A, ADD }, 0, 5 },
	{ "cwbe", { CWBE, ADD }, 0, 4 },
	{ "call", { CALL, ADD }, 0, 4 },
	{ "jmpl %o7", { JMPL_O7, ADD }, KPROBE_REASON_CALL },
	{ "call and rd %pc", { CALL, RD_PC }, KPROBE_REASON_CALL },
	{ "ba and rd %pc", { BA, RD_PC }, KPROBE_REASON_NOT_DISPLACED },
	{ "ba and bne,a", { BA, BNE_A }, KPROBE_REASON_NOT_DISPLACED },
	{ "ba and ta", { BA, TA }, KPROBE_REASON_NOT_DISPLACED },
	{ "ret", { RET, RESTORE }, 0, 2 },
	{ "ta", { TA, NOP }, KPROBE_REASON_NOT_DISPLACED },
	{ "illtrap", { 0, NOP }, KPROBE_REASON_FUNCTION_UNDECODABLE },
};

KUNIT_ARRAY_PARAM_DESC(sparc_region, sparc_region_cases, name);

/* A detour displaces a branch together with its delay slot, and not half of that. */
static void sparc_region(struct kunit *test)
{
	const struct sparc_region_case *c = test->param_value;
	u8 text[sizeof(c->words)], buf[KPROBE_DETOUR_MAX_SIZE];
	struct kprobe_code code = { .buf = buf, .size = sizeof(buf), .base = ADDR + SZ_4K };
	u16 at[KPROBE_REGION_INSNS + 1];
	struct kprobe_region region;

	put_words(text, c->words, 2);
	KUNIT_ASSERT_EQ(test, c->reason, kprobe_plan_region(&sparc_kprobe_isa, &region, text,
							    sizeof(text), ADDR));
	if (c->reason)
		return;
	kprobe_emit_region(&sparc_kprobe_isa, &code, &region, 0, text, ADDR, at);
	KUNIT_EXPECT_EQ(test, code.len, sizeof(u32) * c->len);
	KUNIT_EXPECT_EQ(test, region.len, sizeof(u32) * (1 + region.insn[0].bundle));
	KUNIT_EXPECT_EQ(test, region.insn[0].bundle ? KPROBE_REASON_FUNCTION_ENDS : 0,
			kprobe_plan_region(&sparc_kprobe_isa, &region, text, sizeof(u32), ADDR));
}

struct sparc_site_case {
	const char *name;
	u32 words[WORDS];
	enum kprobe_reason probe[WORDS];
	enum kprobe_reason jump;	/* to the first instruction */
};

#define SLOT		KPROBE_REASON_DELAY_SLOT
#define EXCLUSIVE	KPROBE_REASON_EXCLUSIVE

static const struct sparc_site_case sparc_site_cases[] = {
	{ "delay slots", { BNE_A, ADD, CALL, ADD, BA_A, ADD, RET, RESTORE },
	  { 0, SLOT, 0, SLOT, 0, 0, 0, SLOT } },
	{ "interrupts masked", { ADD, MASK, ADD, UNMASK, ADD, RETURN, NOP },
	  { 0, EXCLUSIVE, EXCLUSIVE, EXCLUSIVE, 0, 0, SLOT } },
	{ "branch to a delay slot", { BNE_A, ADD, ADD, 0x30bffffe, ADD },
	  { 0, SLOT }, KPROBE_REASON_JUMPED_INTO },
	{ "branch behind a delay slot", { BE_20, ADD, ADD, 0x30bfffff, ADD }, { 0, SLOT } },
	{ "jump by a table, branch", { BNE_A, ADD, JMP, NOP },
	  { 0, SLOT, 0, SLOT }, KPROBE_REASON_INDIRECT_JUMP },
	{ "jump by a table", { ADD, ADD, JMP, NOP }, { 0, 0, 0, SLOT } },
	{ "reads what it has written", { ADD, WR_PIC, RD_PIC_G0, ADD, RD_PIC },
	  { 0, EXCLUSIVE, EXCLUSIVE, 0, 0 } },
};

KUNIT_ARRAY_PARAM_DESC(sparc_site, sparc_site_cases, name);

static void sparc_site(struct kunit *test)
{
	static struct kprobe_survey survey;
	static const struct kprobe_text text = { FUNCTION_ALONE };
	const struct sparc_site_case *c = test->param_value;
	struct kprobe_region region;
	unsigned int i;

	kprobe_survey_init(&survey, &sparc_kprobe_isa, &text);
	put_words(function, c->words, WORDS);
	for (i = 0; i < WORDS; i++)
		KUNIT_EXPECT_EQ_MSG(test, c->probe[i],
				    kprobe_scan_site(&survey, ADDR + sizeof(u32) * i),
				    "word %u", i);
	KUNIT_EXPECT_EQ(test, c->jump, kprobe_scan_region(&survey, &region, ADDR, ADDR + 1));
}

/* Slots and detours have room for the longest copies. */
static void sparc_room(struct kunit *test)
{
	static const u32 words[] = { ADD, RD_PC, BNE_A };
	u8 text[2 * sizeof(u32)], buf[KPROBE_DETOUR_MAX_SIZE];
	struct kprobe_code code;
	struct kprobe_insn insn;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		code = (struct kprobe_code){ .buf = buf, .size = sizeof(buf), .base = ADDR };
		put_words(text, &words[i], 1);
		put_words(text + sizeof(u32), &words[0], 1);
		sparc_kprobe_isa.plan(&insn, text, sizeof(text), ADDR);
		for (j = 0; j < 1 + (insn.action == KPROBE_RUN); j++) {
			if (j) {
				KUNIT_EXPECT_LE(test, code.len, KPROBE_SLOT_SIZE);
				sparc_kprobe_isa.leave(&code);
			}
			sparc_kprobe_isa.enter(&code, ADDR);
			sparc_kprobe_isa.leave(&code);
			sparc_kprobe_isa.emit(&code, &insn, text, ADDR);
			sparc_kprobe_isa.jump(&code, ADDR, 0);
		}
		KUNIT_EXPECT_LE(test, code.len, KPROBE_DETOUR_MAX_SIZE);
	}
}

static struct kunit_case sparc_insn_cases[] = {
	KUNIT_CASE(sparc_reach),
	KUNIT_CASE(sparc_table),
	KUNIT_CASE_PARAM(sparc_region, sparc_region_gen_params),
	KUNIT_CASE_PARAM(sparc_site, sparc_site_gen_params),
	KUNIT_CASE(sparc_room),
	{ }
};

static struct kunit_suite sparc_insn_suite = {
	.name = "kprobes_sparc_insn",
	.test_cases = sparc_insn_cases,
};

kunit_test_suite(sparc_insn_suite);

MODULE_DESCRIPTION("KUnit tests of kprobes' copies of SPARC V9's instructions");
MODULE_LICENSE("GPL");
