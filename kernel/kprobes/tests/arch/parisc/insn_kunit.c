// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of PA-RISC's instruction set on words: how far jumps reach, which instructions a jump may
 * replace, how they are copied, and which registers it may use; delay slots; and sequences that no
 * exception may interrupt. What is planned for each instruction is in
 * tools/testing/kprobes-isa/golden/parisc.txt.
 */
#include <kunit/test.h>

#include "../../../survey.h"

#define ADDR		0x10234560UL
#define PUT_WORD	put_unaligned_be32
#include "../../words.h"

#define NOP		0x08000240
#define COPY		0x08040243	/* copy r4,r3 */
#define COPY_R1		0x08010243	/* copy r1,r3 */
#define COPY_LINK	0x081f0242	/* copy r31,rp */
#define LDI_R1		0x34010002	/* ldi 1,r1 */
#define SKIP		0x08832880	/* cmpclr,= r3,r4,r0 */
#define MFIA		0x000014a3	/* mfia r3 */
#define TAKE_LOCK	0x0c6011c4	/* ldcw 0(r3),r4 */
#define RSM_Q		0x00080e60
#define RFI		0x00000c00
#define MTCTL_TR1	0x03231840	/* mtctl r3,tr1 */
#define MTSP_SR3	0x0003d820	/* mtsp r3,sr3 */
#define B_16_N		0xe8000012
#define CALL_RP		0xe800bff0	/* b,l .+0x1000,rp */
#define BL_N		0xe800bff2
#define BV		0xe840c000	/* bv r0(rp) */
#define BV_N		0xe840c002
#define BV_R3		0xe860c000	/* bv r0(r3) */
#define BV_R3_N		0xe860c002
#define BE_L		0xe6c02000	/* be,l 0(sr4,r22),sr0,r31 */
#define BVE_L		0xe840f000	/* bve,l (rp),rp */
#define BLR		0xe8434000	/* blr r3,rp */
#define CMPB		0x80832010	/* cmpb,= r3,r4,.+16 */
#define CMPB_N		0x80832012
#define CMPB_BACK_N	0x80833fd7	/* cmpb,=,n r3,r4,.-16 */
#define MOVB_N		0xc8232012	/* movb,=,n r3,r1,.+16 */
#define BREAK		0x03ff801f

/* A jump to ADDR + 8 by way of r1; and the second part of one to ADDR + 16. */
#define LDIL		0x203a0204
#define BE_8_N		0xe0202ad2
#define BE_16_N		0xe0202ae2

struct parisc_region_case {
	const char *name;
	u32 words[3];
	unsigned int len;	/* of the region, in words; 0 if there is none */
	u32 copy[WORDS];	/* or why not */
};

static const struct parisc_region_case parisc_region_cases[] = {
	{ "copies", { COPY, NOP }, 2, { COPY, LDIL, BE_8_N } },
	{ "return at the end", { COPY, BV, NOP }, 3, { COPY, BV, NOP } },
	{ "jump without slot", { COPY, B_16_N, SKIP }, 2, { COPY, LDIL, 0xe0202aea } },
	{ "branch without slot", { CMPB_N, COPY }, 2,
	  { 0x8883200a, LDIL, BE_16_N, COPY, LDIL, BE_8_N } },
	{ "call", { COPY, CALL_RP, NOP }, 3,
	  { COPY, 0x205a0204, 0x34420ad8, 0x203a2204, 0xe0202ac8, NOP } },
	{ "call, two links", { BE_L, COPY_LINK }, 2,
	  { 0x23fa0204, 0x37ff0ad0, 0x00001820, 0xe2c02000, COPY_LINK } },
	{ "call by blr", { BLR, NOP }, 0, { KPROBE_REASON_CALL } },
	{ "trap in the slot", { COPY, BL_N, BREAK }, 0, { KPROBE_REASON_NOT_DISPLACED } },
	{ "nullifies", { COPY, SKIP, NOP }, 0, { KPROBE_REASON_NOT_DISPLACED } },
	{ "nullifies in the slot", { CALL_RP, SKIP, NOP }, 0, { KPROBE_REASON_NOT_DISPLACED } },
	{ "branch in the slot", { CMPB, BV_N, NOP }, 0, { KPROBE_REASON_NOT_DISPLACED } },
	{ "address in the slot", { BV, MFIA, NOP }, 0, { KPROBE_REASON_NOT_DISPLACED } },
	{ "lock", { COPY, TAKE_LOCK, NOP }, 0, { KPROBE_REASON_NOT_DISPLACED } },
};

KUNIT_ARRAY_PARAM_DESC(parisc_region, parisc_region_cases, name);

static void parisc_region(struct kunit *test)
{
	const struct parisc_region_case *c = test->param_value;
	u8 text[sizeof(c->words)], buf[WORDS * sizeof(u32)] = {};
	struct kprobe_code code = { .buf = buf, .size = sizeof(buf), .base = ADDR + 0x1000 };
	u16 at[KPROBE_REGION_INSNS + 1];
	struct kprobe_region region;
	enum kprobe_reason reason;
	unsigned int i;

	put_words(text, c->words, ARRAY_SIZE(c->words));
	reason = kprobe_plan_region(&parisc_kprobe_isa, &region, text, sizeof(text), ADDR);
	KUNIT_ASSERT_EQ(test, reason, c->len ? KPROBE_REASON_NONE : c->copy[0]);
	if (reason)
		return;
	KUNIT_EXPECT_EQ(test, region.len, sizeof(u32) * c->len);
	kprobe_region_set_scratch(&region, BIT(1));
	kprobe_emit_region(&parisc_kprobe_isa, &code, &region, 0, text, ADDR, at);
	KUNIT_EXPECT_FALSE(test, code.far);
	for (i = 0; i < WORDS; i++)
		KUNIT_EXPECT_EQ(test, get_unaligned_be32(buf + sizeof(u32) * i), c->copy[i]);
}

static const struct kprobe_text parisc_text = { FUNCTION_ALONE };

static struct kprobe_survey *survey_of(const u32 *words)
{
	static struct kprobe_survey survey;

	put_words(function, words, WORDS);
	kprobe_survey_init(&survey, &parisc_kprobe_isa, &parisc_text);
	return &survey;
}

struct parisc_site_case {
	const char *name;
	u32 words[WORDS];
	enum kprobe_reason reasons[WORDS];
};

#define SLOT		KPROBE_REASON_DELAY_SLOT
#define DATA		KPROBE_REASON_DATA
#define EXCL		KPROBE_REASON_EXCLUSIVE

static const struct parisc_site_case parisc_site_cases[] = {
	{ "delay slots", { CMPB, COPY, CMPB_BACK_N, COPY, BL_N, COPY, BV, COPY },
	  { 0, SLOT, 0, SLOT, 0, SLOT, 0, SLOT } },
	{ "nullified if taken", { CMPB_N, COPY, B_16_N, COPY, BV_N, COPY, SKIP, COPY }, { } },
	{ "lock", { COPY, TAKE_LOCK, COPY, COPY, COPY, CMPB_N, BV_N, COPY },
	  { 0, EXCL, EXCL, EXCL, EXCL, EXCL, EXCL, EXCL } },
	{ "page tables", { COPY, MTCTL_TR1, COPY, MTSP_SR3, COPY, BV_N, COPY, COPY },
	  { 0, EXCL, EXCL, EXCL } },
#ifdef CONFIG_64BIT
	{ "table behind a delay slot", { COPY, BV_R3, COPY, 12, 8, BV_N, COPY },
	  { 0, 0, SLOT, DATA, DATA } },
	{ "table in a delay slot", { COPY, BV_R3_N, 8, 12, COPY, BV_N, COPY },
	  { 0, 0, DATA, DATA } },
#endif
	{ "no way back from a trap", { COPY, RSM_Q, COPY, RFI, COPY, BV_N, COPY, COPY },
	  { 0, EXCL, EXCL, EXCL } },
};

KUNIT_ARRAY_PARAM_DESC(parisc_site, parisc_site_cases, name);

static void parisc_site(struct kunit *test)
{
	const struct parisc_site_case *c = test->param_value;
	struct kprobe_survey *survey = survey_of(c->words);
	unsigned int i;

	for (i = 0; i < WORDS; i++)
		KUNIT_EXPECT_EQ(test, c->reasons[i],
				kprobe_scan_site(survey, ADDR + sizeof(u32) * i));
}

/* What a jump to the first instruction may use. */
static void parisc_dead(struct kunit *test)
{
	static const struct {
		u32 words[WORDS];
		u32 dead;
	} cases[] = {
		{ { LDI_R1, COPY, BV_R3_N }, BIT(1) },
		{ { SKIP, LDI_R1, BV_R3_N }, 0 },
		{ { COPY_R1, COPY, BV_N }, (u32)~BIT(1) },
		{ { BV, COPY_R1 }, (u32)~BIT(1) },
		{ { MOVB_N, BV_N, BV_N, BV_N, BV_N }, (u32)~BIT(1) },
		{ { CALL_RP, COPY_R1 }, (u32)~BIT(1) },
		{ { CALL_RP, COPY }, U32_MAX },
		{ { BE_L, COPY_LINK }, U32_MAX },
		{ { BE_L, COPY }, BIT(31) },
	};
	struct kprobe_function f = { .start = ADDR, .end = ADDR + sizeof(function) };
	unsigned int i;
	u32 dead;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		dead = kprobe_dead_scratch(survey_of(cases[i].words), &f, ADDR);
		KUNIT_EXPECT_EQ(test, dead, cases[i].dead & parisc_kprobe_isa.scratch);
	}
}

/* In 64 bit ldil extends the sign. No memory of the kernel is further up. */
static void parisc_reach(struct kunit *test)
{
	struct kprobe_code code = { .base = ADDR };

	parisc_kprobe_isa.jump(&code, 0x7ffffffc, BIT(1));
	KUNIT_EXPECT_FALSE(test, code.far);
	parisc_kprobe_isa.jump(&code, 0x80000000, BIT(1));
	KUNIT_EXPECT_EQ(test, code.far, IS_ENABLED(CONFIG_64BIT));
}

static unsigned int length_of(const u32 *words)
{
	struct kprobe_code code = {};
	struct kprobe_insn insn;
	u8 text[2 * sizeof(u32)];

	put_words(text, words, 2);
	parisc_kprobe_isa.plan(&insn, text, sizeof(text), ADDR);
	parisc_kprobe_isa.emit(&code, &insn, text, ADDR);
	return code.len;
}

/* Slots and detours have room for the longest copies. */
static void parisc_room(struct kunit *test)
{
	static const u32 skip[] = { SKIP, NOP }, branch[] = { CMPB, NOP };
	static const u32 short_branch[] = { CMPB_N, NOP }, call[] = { BVE_L, NOP };
	unsigned int calls = KPROBE_STUB_ENTER + KPROBE_STUB_LEAVE;
	struct kprobe_code enter = {}, leave = {}, back = {};

	parisc_kprobe_isa.enter(&enter, ADDR);
	parisc_kprobe_isa.leave(&leave);
	parisc_kprobe_isa.back(&back, ADDR);
	KUNIT_EXPECT_EQ(test, enter.len, KPROBE_STUB_ENTER);
	KUNIT_EXPECT_EQ(test, leave.len, KPROBE_STUB_LEAVE);
	KUNIT_EXPECT_LE(test, length_of(skip) + calls + back.len, KPROBE_SLOT_SIZE);
	KUNIT_EXPECT_LE(test, length_of(short_branch) +
			max(length_of(branch) + KPROBE_JUMP_SIZE, length_of(call)) + 2 * calls +
			KPROBE_STUB_LEAVE + length_of(short_branch) + KPROBE_JUMP_SIZE,
			KPROBE_DETOUR_MAX_SIZE);
}

/* A jump back that needs no register has r1 on the stack from its second instruction on. */
static void parisc_back(struct kunit *test)
{
	u8 buf[2 * WORDS * sizeof(u32)] = {};
	struct kprobe_code code = { .buf = buf, .size = sizeof(buf), .base = ADDR };
	unsigned int at;

	put_words(buf, (const u32[]){ COPY }, 1);
	code.len = sizeof(u32);
	parisc_kprobe_isa.back(&code, ADDR);
	for (at = 0; at <= code.len; at += sizeof(u32))
		KUNIT_EXPECT_EQ_MSG(test, at > sizeof(u32) && at < code.len ? 64 : 0,
				    parisc_kprobe_back_pushed(buf + at), "at %u", at);
}

static struct kunit_case parisc_insn_cases[] = {
	KUNIT_CASE_PARAM(parisc_region, parisc_region_gen_params),
	KUNIT_CASE_PARAM(parisc_site, parisc_site_gen_params),
	KUNIT_CASE(parisc_dead),
	KUNIT_CASE(parisc_reach),
	KUNIT_CASE(parisc_room),
	KUNIT_CASE(parisc_back),
	{ }
};

static struct kunit_suite parisc_insn_suite = {
	.name = "kprobes_parisc_insn",
	.test_cases = parisc_insn_cases,
};

kunit_test_suite(parisc_insn_suite);

MODULE_DESCRIPTION("KUnit tests of kprobes' copies of PA-RISC's instructions");
MODULE_LICENSE("GPL");
