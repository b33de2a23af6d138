// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of blocks, which make instructions conditional, on a made-up instruction set: which of the
 * instructions are in one, what its state is there, and that no jump is. And of data between
 * instructions of several lengths, and of fixups behind the function.
 */
#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/kernel.h>

#include "../survey.h"
#include "toy_isa.h"

#define ADDR	0x10000UL
#include "words.h"

#define WORD_SIZE	2

static const struct kprobe_text text = { FUNCTION_ALONE };

/* The block of each instruction is its own state: how many come with it, itself included. */
static const struct toy_block_case {
	const char *name;
	u16 words[WORDS];
	unsigned int site;	/* in words */
	unsigned int block;
	enum kprobe_reason reason;	/* not to be displaced there */
	enum kprobe_reason no_jump;
} toy_block_cases[] = {
	{ "what begins it", { TOY_IF(2), TOY_NOP, TOY_NOP }, 0, 0,
	  .no_jump = KPROBE_REASON_NOT_DISPLACED },
	{ "first", { TOY_IF(2), TOY_ALU(3, 4), TOY_ALU(1, 0), TOY_ALU(2, 0) }, 1, 2,
	  .no_jump = KPROBE_REASON_JOINED },
	{ "last", { TOY_IF(2), TOY_NOP, TOY_NOP, TOY_ALU(1, 0), TOY_NOP, TOY_RETURN }, 2, 1,
	  .no_jump = KPROBE_REASON_JOINED },
	{ "only one", { TOY_IF(1), TOY_NOP, TOY_ALU(1, 0), TOY_NOP, TOY_RETURN }, 1, 1,
	  .no_jump = KPROBE_REASON_JOINED },
	{ "after it", { TOY_IF(1), TOY_NOP, TOY_NOP, TOY_NOP, TOY_NOP, TOY_RETURN }, 2, 0 },
	{ "in front of it", { TOY_NOP, TOY_NOP, TOY_NOP, TOY_IF(1), TOY_NOP, TOY_RETURN }, 0, 0 },
	{ "not far in front", { TOY_NOP, TOY_NOP, TOY_IF(1), TOY_NOP, TOY_RETURN }, 0, 0,
	  .no_jump = KPROBE_REASON_NOT_DISPLACED },
	{ "after a long one", { TOY_IF(2), TOY_LONG(1), 0, 0, TOY_NOP, TOY_RETURN }, 4, 1,
	  .no_jump = KPROBE_REASON_JOINED },
	{ "one after another", { TOY_IF(1), TOY_NOP, TOY_IF(3), TOY_NOP, TOY_NOP, TOY_NOP }, 4, 2,
	  .no_jump = KPROBE_REASON_JOINED },
	{ "return that ends it", { TOY_IF(2), TOY_NOP, TOY_RETURN, TOY_NOP, TOY_NOP }, 2, 1,
	  .no_jump = KPROBE_REASON_JOINED },
	{ "return in the middle", { TOY_IF(2), TOY_RETURN, TOY_NOP, TOY_NOP, TOY_NOP }, 1, 2,
	  KPROBE_REASON_FORM, KPROBE_REASON_JOINED },
};

KUNIT_ARRAY_PARAM_DESC(toy_block, toy_block_cases, name);

static struct kprobe_survey survey;

static void toy_block(struct kunit *test)
{
	const struct toy_block_case *c = test->param_value;
	unsigned long site = ADDR + WORD_SIZE * c->site;
	const struct kprobe_isa *isa = &toy_isa_with_blocks;
	const u8 *bytes = function + WORD_SIZE * c->site;
	struct kprobe_region region;
	struct kprobe_insn insn;
	unsigned int i;

	memset(function, 0, sizeof(function));
	for (i = 0; i < WORDS; i++)
		put_unaligned_le16(c->words[i], function + WORD_SIZE * i);
	kprobe_survey_init(&survey, isa, &text);
	KUNIT_ASSERT_EQ(test, KPROBE_REASON_NONE, kprobe_scan_site(&survey, site));
	KUNIT_EXPECT_EQ(test, c->block, kprobe_scan_block(&survey, site));
	KUNIT_EXPECT_EQ(test, c->no_jump, kprobe_scan_region(&survey, &region, site, site + 1));
	if (!c->block)
		return;
	isa->plan(&insn, bytes, isa->insn_max, site);
	KUNIT_EXPECT_EQ(test, c->reason, isa->within(&insn, bytes, c->block));
	/* Neither can a breakpoint lead to a detour. */
	KUNIT_EXPECT_NE(test, KPROBE_REASON_NONE,
			kprobe_region_of_one(isa, &region, &insn, bytes, isa->insn_max, site));
}

/* No instruction set but those with blocks knows any. */
static void toy_block_unknown(struct kunit *test)
{
	memset(function, 0, sizeof(function));
	put_unaligned_le16(TOY_IF(2), function);
	kprobe_survey_init(&survey, &toy_isa, &text);
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_NONE, kprobe_scan_site(&survey, ADDR + WORD_SIZE));
	KUNIT_EXPECT_EQ(test, 0, kprobe_scan_block(&survey, ADDR + WORD_SIZE));
}

/* A large function has marks from here on if they are to include what comes next. */
#define HALF	(KPROBE_SURVEY_SIZE / 2)

static size_t read_large(unsigned long addr, u8 *buf, size_t size)
{
	unsigned long begins = ADDR + HALF - WORD_SIZE;

	memset(buf, 0, size);
	if (begins >= addr && begins + WORD_SIZE <= addr + size)
		put_unaligned_le16(TOY_IF(3), buf + (begins - addr));
	return size;
}

static bool find_large(struct kprobe_lookup *lookup, unsigned long addr, struct kprobe_function *f)
{
	f->start = ADDR;
	f->end = ADDR + 2 * KPROBE_SURVEY_SIZE;
	f->kind = KPROBE_SYMBOL_FUNCTION;
	return true;
}

static void toy_block_in_large_function(struct kunit *test)
{
	struct kprobe_text large = text;
	unsigned int i;

	large.read = read_large;
	large.find = find_large;
	for (i = 0; i < 4; i++) {
		unsigned long site = ADDR + HALF + WORD_SIZE * i;

		kprobe_survey_init(&survey, &toy_isa_with_blocks, &large);
		KUNIT_EXPECT_EQ(test, KPROBE_REASON_NONE, kprobe_scan_site(&survey, site));
		KUNIT_EXPECT_EQ(test, 3 - i, kprobe_scan_block(&survey, site));
	}
}

/* Where a literal or a table ends, an instruction begins, whatever the data would be. */
static const struct toy_data_case {
	const char *name;
	u16 words[WORDS];
	unsigned int site;	/* in words */
	enum kprobe_reason reason;
} toy_data_cases[] = {
	{ "literal", { TOY_LOAD_TEXT(3, 2), TOY_RETURN, TOY_LONG(1), TOY_NOP }, 2,
	  KPROBE_REASON_DATA },
	{ "after a literal like a long one", { TOY_LOAD_TEXT(3, 2), TOY_RETURN, TOY_LONG(1) }, 3 },
	{ "after no literal", { TOY_NOP, TOY_RETURN, TOY_LONG(1) }, 3, KPROBE_REASON_INSIDE },
	{ "table", { TOY_JUMP_BY(3, 1), TOY_ENTRY(3), TOY_ENTRY(2) }, 2, KPROBE_REASON_DATA },
	{ "where a table's entry leads", { TOY_JUMP_BY(3, 1), TOY_ENTRY(1), TOY_ENTRY(2) }, 2,
	  KPROBE_REASON_INSIDE },
	{ "where the lowest entry leads",
	  { TOY_JUMP_BY(3, 1), TOY_ENTRY(4), TOY_ENTRY(2), TOY_ENTRY(3) }, 3,
	  KPROBE_REASON_INSIDE },
	{ "where a branch in front of the table leads",
	  { TOY_COND(5, 4), TOY_NOP, TOY_JUMP_BY(3, 1), TOY_ENTRY(6), TOY_ENTRY(5) }, 4,
	  KPROBE_REASON_INSIDE },
	{ "no branch leads there",
	  { TOY_COND(5, 5), TOY_NOP, TOY_JUMP_BY(3, 1), TOY_ENTRY(6), TOY_ENTRY(5) }, 4,
	  KPROBE_REASON_DATA },
};

KUNIT_ARRAY_PARAM_DESC(toy_data, toy_data_cases, name);

static void toy_data(struct kunit *test)
{
	const struct toy_data_case *c = test->param_value;
	unsigned int i;

	memset(function, 0, sizeof(function));
	for (i = 0; i < WORDS; i++)
		put_unaligned_le16(c->words[i], function + WORD_SIZE * i);
	kprobe_survey_init(&survey, &toy_isa_with_blocks, &text);
	KUNIT_EXPECT_EQ(test, c->reason, kprobe_scan_site(&survey, ADDR + WORD_SIZE * c->site));
}

/* A load's fixup, behind the function, comes back to here. */
static unsigned long comes_back_to;

#define FIXUP	(ADDR + 0x80)

static size_t read_with_fixup(unsigned long addr, u8 *buf, size_t size)
{
	long back = (comes_back_to - FIXUP - WORD_SIZE) / WORD_SIZE;

	if (addr < FIXUP)
		return read_function(addr, buf, size);
	memset(buf, 0, size);
	if (addr == FIXUP)
		put_unaligned_le16(TOY_NOP, buf);
	if (addr <= FIXUP + WORD_SIZE)
		put_unaligned_le16(TOY_JUMP(back), buf + (FIXUP + WORD_SIZE - addr));
	return size;
}

static bool find_with_fixup(struct kprobe_lookup *lookup, unsigned long addr,
			    struct kprobe_function *f)
{
	if (addr < FIXUP)
		return find_function(lookup, addr, f);
	*f = (struct kprobe_function){ .start = FIXUP, .end = FIXUP + 2 * WORD_SIZE };
	return true;
}

static unsigned long next_fixup(unsigned long *site, unsigned long end)
{
	unsigned long load = ADDR + WORD_SIZE;

	if (*site > load || load >= end)
		return 0;
	*site = load + 1;
	return FIXUP;
}

static void toy_fixup(struct kunit *test)
{
	static const u16 words[] = {
		TOY_ALU(1, 0), TOY_ALU(2, 0), TOY_NOP, TOY_ALU(1, 0), TOY_ALU(2, 0), TOY_RETURN,
	};
	struct kprobe_text with_fixup = text;
	struct kprobe_region region;
	unsigned int i;

	with_fixup.read = read_with_fixup;
	with_fixup.find = find_with_fixup;
	with_fixup.next_target = next_fixup;
	memset(function, 0, sizeof(function));
	for (i = 0; i < ARRAY_SIZE(words); i++)
		put_unaligned_le16(words[i], function + WORD_SIZE * i);
	for (i = 1; i < 5; i++) {
		comes_back_to = ADDR + WORD_SIZE * i;
		kprobe_survey_init(&survey, &toy_isa, &with_fixup);
		KUNIT_EXPECT_EQ(test, i < 3 ? KPROBE_REASON_JUMPED_INTO : KPROBE_REASON_NONE,
				kprobe_scan_region(&survey, &region, ADDR, ADDR + 1));
	}
}

static struct kunit_case toy_block_cases_all[] = {
	KUNIT_CASE_PARAM(toy_block, toy_block_gen_params),
	KUNIT_CASE(toy_block_unknown),
	KUNIT_CASE(toy_block_in_large_function),
	KUNIT_CASE_PARAM(toy_data, toy_data_gen_params),
	KUNIT_CASE(toy_fixup),
	{ }
};

static struct kunit_suite toy_block_suite = {
	.name = "kprobes_toy_block",
	.test_cases = toy_block_cases_all,
};

kunit_test_suite(toy_block_suite);

MODULE_DESCRIPTION("KUnit tests of kprobes in blocks of conditional instructions");
MODULE_LICENSE("GPL");
