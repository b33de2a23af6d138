// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of regions, of branches into them, of places for probes and of dead registers, on
 * functions of an instruction set that has all obstacles: toy_isa.h.
 */
#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "../function.h"
#include "../survey.h"
#include "alone.h"
#include "toy_isa.h"

/* The function, its cold part, and another function. */
#define START		0x10000UL
#define COLD		0x10040UL
#define OTHER		0x10080UL
#define WORDS		16
#define WORD_SIZE	2

#define DEAD()	TOY_ALU(1, 0), TOY_ALU(2, 0)

static const u16 *words_of_start;
static const u16 *words_of_cold;

static size_t read_words(unsigned long addr, u8 *buf, size_t size)
{
	const u16 *words = addr < COLD ? words_of_start : words_of_cold;
	unsigned long start = addr < COLD ? START : COLD;
	u8 bytes[WORDS * WORD_SIZE];
	unsigned int i;

	if (addr - start >= sizeof(bytes))
		return 0;
	for (i = 0; i < WORDS; i++)
		put_unaligned_le16(words[i], bytes + WORD_SIZE * i);
	size = min_t(size_t, size, sizeof(bytes) - (addr - start));
	memcpy(buf, bytes + (addr - start), size);
	return size;
}

static bool find(struct kprobe_lookup *lookup, unsigned long addr,
		 struct kprobe_function *f)
{
	if (addr < START || addr >= OTHER + WORDS * WORD_SIZE)
		return false;
	f->start = addr < COLD ? START : addr < OTHER ? COLD : OTHER;
	f->end = f->start + WORDS * WORD_SIZE;
	f->kind = f->start == COLD ? KPROBE_SYMBOL_COLD : KPROBE_SYMBOL_FUNCTION;
	return true;
}

/* An instruction that may fault, and one that another subsystem patches; 0 for none. */
static unsigned long faulting, taken;

static bool any_in(u32 kinds, unsigned long start, unsigned long end)
{
	return kinds & KPROBE_TEXT_FAULTS && faulting >= start && faulting < end;
}

static enum kprobe_reason taken_in(const struct kprobe_text *text, unsigned long start,
				   unsigned long end)
{
	return taken >= start && taken < end ? KPROBE_REASON_RESERVED : KPROBE_REASON_NONE;
}

static const struct kprobe_text toy_text = {
	.read = read_words,
	.find = find,
	.reserved = taken_in,
	.any_in = any_in,
	NO_OTHER_TEXT,
};

/* Regions */

struct toy_region_case {
	const char *name;
	u16 words[WORDS];
	u16 cold[WORDS];
	unsigned int site;	/* in words */
	enum kprobe_reason reason;
	unsigned int len;
	unsigned int nr;
	bool pads;
	unsigned int taken;	/* in words */
};

#define FITS(what, length, count, ...) \
	{ .name = what, .len = length, .nr = count, .words = { __VA_ARGS__ } }
#define STOPS(what, which, ...) \
	{ .name = what, .reason = KPROBE_REASON_##which, .words = { __VA_ARGS__ } }

static const struct toy_region_case toy_region_cases[] = {
	FITS("three words", 6, 3, DEAD(), TOY_NOP, DEAD(), TOY_RETURN),
	FITS("a long one", 6, 1, TOY_LONG(1), OTHER - START, 0),
	FITS("a long one at the end", 10, 3, DEAD(), TOY_LONG(1), OTHER - START - 4, 0),
	FITS("after a jump", 6, 1, TOY_JUMP(0x40), TOY_TRAP, TOY_TRAP),
	FITS("after a return", 10, 1, TOY_RETURN, TOY_NOP, TOY_LONG(1),
	     OTHER - START, 0),
	FITS("with a delay slot", 6, 2, TOY_COND(5, 4), TOY_ALU(3, 4), DEAD(),
	     TOY_RETURN),
	FITS("a delay slot at the end", 8, 3, DEAD(), TOY_COND(5, 4), TOY_NOP, DEAD(),
	     TOY_RETURN),
	FITS("jump to the first", 6, 3, DEAD(), TOY_NOP, DEAD(), TOY_JUMP(-5)),
	FITS("jump after the last", 6, 3, DEAD(), TOY_NOP, DEAD(), TOY_JUMP(-2)),
	FITS("sequence elsewhere", 6, 3, DEAD(), TOY_NOP, DEAD(), TOY_LOAD_LOCKED(3),
	     TOY_STORE_COND(3), TOY_RETURN),
	FITS("reads other text", 6, 3, DEAD(), TOY_NOP, DEAD(), TOY_LOAD_TEXT(3, 2),
	     TOY_RETURN, 0x1234),
	FITS("registers nobody touches", 6, 3, TOY_NOP, TOY_NOP, TOY_NOP, TOY_JUMP(0)),
	FITS("skips elsewhere", 6, 3, DEAD(), TOY_NOP, DEAD(), TOY_SKIP(3), TOY_NOP,
	     TOY_RETURN),

	STOPS("trap", NOT_DISPLACED, TOY_NOP, TOY_TRAP, TOY_NOP),
	STOPS("call", CALL, TOY_NOP, TOY_CALL(8), TOY_NOP, TOY_NOP),
	STOPS("sequence begins", NOT_DISPLACED, TOY_NOP, TOY_LOAD_LOCKED(3), TOY_NOP),
	STOPS("sequence ends", NOT_DISPLACED, TOY_NOP, TOY_NOP, TOY_STORE_COND(3)),
	STOPS("skips", NOT_DISPLACED, TOY_NOP, TOY_NOP, TOY_SKIP(3)),
	STOPS("trap after the copy", NOT_DISPLACED, TOY_TRAILED, TOY_NOP, TOY_NOP),
	STOPS("pad", NOT_DISPLACED, TOY_PAD, TOY_NOP, TOY_NOP),
	STOPS("pad that may become a breakpoint", LANDING_PAD, TOY_PAD_OR_TRAP, TOY_NOP,
	      TOY_NOP, DEAD(), TOY_RETURN),
	STOPS("pad of calls", LANDING_PAD, TOY_PAD_OF_CALLS, TOY_NOP, TOY_NOP, DEAD(),
	      TOY_RETURN),
	STOPS("bundle", NOT_DISPLACED, TOY_IF(2), TOY_NOP, TOY_NOP),
	STOPS("branch in a delay slot", NOT_DISPLACED, TOY_COND(5, 8), TOY_JUMP(4), TOY_NOP),
	STOPS("no instruction", FUNCTION_UNDECODABLE, TOY_NOP, TOY_NOTHING, TOY_NOP),
	STOPS("no instruction elsewhere", FUNCTION_UNDECODABLE, DEAD(), TOY_NOP, DEAD(),
	      TOY_NOTHING),
	STOPS("jump into it", JUMPED_INTO, DEAD(), TOY_NOP, DEAD(), TOY_JUMP(-4)),
	STOPS("branch to the last", JUMPED_INTO, DEAD(), TOY_NOP, DEAD(), TOY_COND(5, -3),
	      TOY_NOP),
	STOPS("call into it", JUMPED_INTO, DEAD(), TOY_NOP, DEAD(), TOY_CALL(-3)),
	STOPS("indirect jump", INDIRECT_JUMP, DEAD(), TOY_NOP, DEAD(), TOY_JUMP_TO(5)),
	STOPS("reads it", DATA, DEAD(), TOY_NOP, DEAD(), TOY_LOAD_TEXT(3, -3),
	      TOY_RETURN),
	STOPS("executes its first", DATA, DEAD(), TOY_NOP, DEAD(), TOY_EXECUTE(-5),
	      TOY_RETURN),
	STOPS("state", DIRECTION, DEAD(), TOY_NOP, DEAD(), TOY_STATE, TOY_RETURN),
	STOPS("registers in use", SCRATCH, TOY_NOP, TOY_ALU(3, 1), TOY_ALU(4, 2),
	      TOY_RETURN),
	STOPS("in use where a branch goes", SCRATCH, DEAD(), TOY_COND(5, 5), TOY_NOP, DEAD(),
	      TOY_RETURN, TOY_ALU(3, 1), TOY_ALU(3, 2), TOY_RETURN),
	STOPS("in use between", SCRATCH, TOY_ALU(1, 0), TOY_ALU(2, 1), TOY_ALU(3, 2), DEAD(),
	      TOY_RETURN),
	STOPS("in use after it", SCRATCH, DEAD(), TOY_NOP, TOY_ALU(3, 1), TOY_ALU(4, 2),
	      TOY_RETURN),
	STOPS("jump into another function", SCRATCH, TOY_NOP, TOY_NOP, TOY_NOP,
	      TOY_JUMP((OTHER + 2 - START) / 2 - 3)),
	{
		.name = "flow goes on into another function",
		.words = { [15] = TOY_ALU(3, 4) }, .reason = KPROBE_REASON_SCRATCH,
	}, {
		.name = "skipped",
		.words = { TOY_SKIP(3), DEAD(), TOY_NOP, DEAD(), TOY_RETURN },
		.site = 1, .reason = KPROBE_REASON_JOINED,
	}, {
		.name = "function ends",
		.words = { [13] = DEAD(), TOY_RETURN },
		.site = 14, .reason = KPROBE_REASON_FUNCTION_ENDS,
	}, {
		.name = "a delay slot that is another function's",
		.words = { [13] = TOY_NOP, TOY_NOP, TOY_COND(5, -8) },
		.site = 13, .reason = KPROBE_REASON_FUNCTION_ENDS,
	}, {
		.name = "indirect jump where there are pads",
		.words = { DEAD(), TOY_NOP, DEAD(), TOY_JUMP_TO(5), TOY_PAD },
		.len = 6, .nr = 3, .pads = true,
	}, {
		.name = "after a table",
		.words = { TOY_JUMP_BY(5, 1), TOY_ENTRY(2), DEAD(), TOY_NOP, DEAD(), TOY_RETURN },
		.site = 2, .len = 6, .nr = 3, .pads = true,
	}, {
		.name = "pad of calls after what ftrace patches",
		.words = { TOY_NOP, TOY_NOP, TOY_PAD_OF_CALLS, TOY_NOP, TOY_NOP, DEAD(),
			   TOY_RETURN },
		.site = 2, .taken = 1, .len = 6, .nr = 3, .pads = true,
	}, {
		.name = "pad of calls after a call that ftrace has patched in",
		.words = { TOY_NOP, TOY_CALL(100), TOY_PAD_OF_CALLS, TOY_NOP, TOY_NOP, DEAD(),
			   TOY_RETURN },
		.site = 2, .taken = 1, .len = 6, .nr = 3, .pads = true,
	}, {
		.name = "pad of calls after padding, where a function may start",
		.words = { TOY_RETURN, TOY_NOP, TOY_PAD_OF_CALLS, TOY_NOP, TOY_NOP, DEAD(),
			   TOY_RETURN },
		.site = 2, .reason = KPROBE_REASON_LANDING_PAD,
	}, {
		.name = "pad of calls after a function's end that is patched",
		.words = { TOY_NOP, TOY_RETURN, TOY_PAD_OF_CALLS, TOY_NOP, TOY_NOP, DEAD(),
			   TOY_RETURN },
		.site = 2, .taken = 1, .reason = KPROBE_REASON_LANDING_PAD,
	}, {
		.name = "pad that may become a breakpoint where no function starts",
		.words = { TOY_NOP, TOY_PAD_OR_TRAP, TOY_NOP, TOY_NOP, DEAD(), TOY_RETURN },
		.site = 1, .reason = KPROBE_REASON_LANDING_PAD,
	}, {
		.name = "jump from the cold part",
		.words = { DEAD(), TOY_NOP, DEAD(), TOY_JUMP((COLD - START) / 2 - 5) },
		.cold = { TOY_NOP, TOY_JUMP((START + 2 - COLD - 2) / 2) },
		.reason = KPROBE_REASON_JUMPED_INTO,
	}, {
		.name = "jump from the cold part to the first",
		.words = { DEAD(), TOY_NOP, DEAD(), TOY_JUMP((COLD - START) / 2 - 5) },
		.cold = { TOY_NOP, TOY_JUMP((START - COLD - 2) / 2) },
		.len = 6, .nr = 3,
	},
};

KUNIT_ARRAY_PARAM_DESC(toy_region, toy_region_cases, name);

/* The text is another one for each case. */
static struct kprobe_survey *fresh_survey(const struct kprobe_isa *isa)
{
	static struct kprobe_survey survey;

	kprobe_survey_init(&survey, isa, &toy_text);
	return &survey;
}

static void toy_scan_region(struct kunit *test)
{
	const struct toy_region_case *c = test->param_value;
	unsigned long site = START + WORD_SIZE * c->site;
	struct kprobe_region region;
	enum kprobe_reason reason;

	words_of_start = c->words;
	words_of_cold = c->cold;
	taken = c->taken ? START + WORD_SIZE * c->taken : 0;
	reason = kprobe_scan_region(fresh_survey(c->pads ? &toy_isa_with_pads : &toy_isa),
				    &region, site, site + 1);
	taken = 0;
	KUNIT_ASSERT_EQ(test, c->reason, reason);
	if (c->reason)
		return;
	KUNIT_EXPECT_EQ(test, region.len, c->len);
	KUNIT_EXPECT_EQ(test, region.nr, c->nr);
	KUNIT_EXPECT_NE(test, region.scratch, 0);
}

/* A jump that covers one instruction, in a function with branches everywhere. */
static void toy_scan_word(struct kunit *test)
{
	static const u16 words[WORDS] = { DEAD(), TOY_COND(5, -2), TOY_NOP, DEAD(),
					  TOY_JUMP_TO(5), TOY_NOTHING };
	struct kprobe_region region;

	words_of_start = words;
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_NONE,
			kprobe_scan_region(fresh_survey(&toy_isa_of_words), &region,
					   START, START + 1));
	KUNIT_EXPECT_EQ(test, region.len, WORD_SIZE);
	/* If no branch may lead to the first one either, the function is searched. */
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_FUNCTION_UNDECODABLE,
			kprobe_scan_region(fresh_survey(&toy_isa_of_words), &region,
					   START, START));
}

static unsigned int nr_reads;

static size_t count_reads(unsigned long addr, u8 *buf, size_t size)
{
	nr_reads++;
	return read_words(addr, buf, size);
}

/* A function is read and surveyed once for all the places in it that are looked at. */
static void toy_scan_once(struct kunit *test)
{
	static const u16 words[WORDS] = { DEAD(), TOY_NOP, TOY_NOP, TOY_NOP, TOY_NOP,
					  TOY_NOP, TOY_JUMP_TO(3), TOY_NOTHING };
	struct kprobe_survey *survey = fresh_survey(&toy_isa);
	struct kprobe_text text = toy_text;
	struct kprobe_region region;
	struct kprobe_function f;
	unsigned int i;

	words_of_start = words;
	text.read = count_reads;
	kprobe_survey_init(survey, &toy_isa, &text);
	nr_reads = 0;
	KUNIT_ASSERT_TRUE(test, find(NULL, START, &f));
	for (i = 0; i < 5; i++) {
		KUNIT_EXPECT_TRUE(test, kprobe_survey_begins(survey, &f, START + i * WORD_SIZE));
		KUNIT_EXPECT_EQ(test, kprobe_scan_site(survey, START + i * WORD_SIZE),
				KPROBE_REASON_NONE);
		KUNIT_EXPECT_EQ(test, kprobe_scan_region(survey, &region, START + i * WORD_SIZE,
							 START + i * WORD_SIZE + 1),
				KPROBE_REASON_FUNCTION_UNDECODABLE);
	}
	KUNIT_EXPECT_EQ(test, nr_reads, 1);
}

/* Code in front of a function and after it, and what it makes of the function's second word. */
static void toy_survey_around(struct kunit *test)
{
	static const u16 leads[WORDS] = { TOY_LONG(1), 0, 0, TOY_JUMP((COLD - START) / 2 - 2) };
	static const u16 reads[WORDS] = { TOY_LOAD_TEXT(3, (COLD - START) / 2 + 1) };
	static const u16 nops[WORDS];
	static const u16 after[WORDS] = { [8] = TOY_COND(5, -7), [12] = TOY_LOAD_TEXT(3, -11) };
	struct kprobe_survey *survey = fresh_survey(&toy_isa);
	struct kprobe_function f;

	KUNIT_ASSERT_TRUE(test, find(NULL, COLD, &f));
	words_of_start = leads;
	words_of_cold = nops;
	kprobe_survey_function(survey, &f, COLD, COLD + 2);
	KUNIT_EXPECT_EQ(test, kprobe_survey_around(survey, COLD + 2, COLD + 4),
			KPROBE_MARK_LANDED);
	KUNIT_EXPECT_EQ(test, kprobe_survey_around(survey, COLD + 4, f.end), 0);
	words_of_start = reads;
	survey = fresh_survey(&toy_isa);
	kprobe_survey_function(survey, &f, COLD, COLD + 2);
	KUNIT_EXPECT_EQ(test, kprobe_survey_around(survey, COLD + 2, COLD + 4), KPROBE_MARK_READ);
	words_of_start = after;
	survey = fresh_survey(&toy_isa);
	f = (struct kprobe_function){ .start = START, .end = START + 8 * WORD_SIZE };
	kprobe_survey_function(survey, &f, START, START + 2);
	KUNIT_EXPECT_EQ(test, kprobe_survey_around(survey, START + 2, START + 4),
			KPROBE_MARK_LANDED | KPROBE_MARK_READ);
	KUNIT_EXPECT_EQ(test, kprobe_survey_around(survey, START + 4, f.end), 0);
}

/* Copies */

#define APART	0x40

struct toy_copy_case {
	const char *name;
	u16 words[WORDS];
	unsigned int first;
	u16 copy[WORDS];
	unsigned int len;	/* in words */
	bool far;
};

static const struct toy_copy_case toy_copy_cases[] = {
	{
		.name = "as they are",
		.words = { TOY_ALU(3, 4), TOY_ALU(5, 6), TOY_ALU(7, 8) },
		.copy = { TOY_ALU(3, 4), TOY_ALU(5, 6), TOY_ALU(7, 8),
			  TOY_LONG(1), 6 - APART - 6 + 0x10000, 0xffff },
		.len = 6,
	}, {
		.name = "from the second on, without the nop",
		.words = { TOY_ALU(3, 4), TOY_NOP, TOY_ALU(7, 8) },
		.first = 1,
		.copy = { TOY_ALU(7, 8), TOY_LONG(1), 6 - APART - 2 + 0x10000, 0xffff },
		.len = 4,
	}, {
		.name = "branch with its delay slot",
		.words = { TOY_COND(5, 20), TOY_ALU(3, 4), TOY_NOP },
		.copy = { TOY_COND(5, 20 - APART / 2), TOY_ALU(3, 4),
			  TOY_LONG(1), 6 - APART - 4 + 0x10000, 0xffff },
		.len = 5,
	}, {
		.name = "branch whose copy does not reach",
		.words = { TOY_COND(5, -110), TOY_ALU(3, 4), TOY_NOP },
		.far = true,
	}, {
		.name = "jump by the register",
		.words = { TOY_ALU(3, 4), TOY_JUMP(20), TOY_NOP },
		.copy = { TOY_ALU(3, 4), TOY_LONG(1), 42 - APART - 2 + 0x10000, 0xffff },
		.len = 4,
	}, {
		.name = "no way back after a return",
		.words = { TOY_ALU(3, 4), TOY_RETURN, TOY_NOP },
		.copy = { TOY_ALU(3, 4), TOY_RETURN },
		.len = 2,
	}, {
		.name = "reads the same text",
		.words = { TOY_LOAD_TEXT(3, 64), TOY_NOP, TOY_NOP },
		.copy = { TOY_LOAD_TEXT(3, 64 - APART / 2),
			  TOY_LONG(1), 6 - APART - 2 + 0x10000, 0xffff },
		.len = 4,
	},
};

KUNIT_ARRAY_PARAM_DESC(toy_copy, toy_copy_cases, name);

static void toy_emit_region(struct kunit *test)
{
	const struct toy_copy_case *c = test->param_value;
	u8 text[WORDS * WORD_SIZE], buf[WORDS * WORD_SIZE];
	struct kprobe_code code = { .buf = buf, .size = sizeof(buf), .base = START + APART };
	u16 at[KPROBE_REGION_INSNS + 1];
	struct kprobe_region region;
	unsigned int i;

	for (i = 0; i < WORDS; i++)
		put_unaligned_le16(c->words[i], text + WORD_SIZE * i);
	KUNIT_ASSERT_EQ(test, 0, kprobe_plan_region(&toy_isa, &region, text,
						    sizeof(text), START));
	kprobe_region_set_scratch(&region, BIT(1));
	kprobe_emit_region(&toy_isa, &code, &region, c->first, text, START, at);
	KUNIT_ASSERT_EQ(test, code.far, c->far);
	if (c->far)
		return;
	KUNIT_ASSERT_EQ(test, code.len, c->len * WORD_SIZE);
	for (i = 0; i < c->len; i++)
		KUNIT_EXPECT_EQ(test, get_unaligned_le16(buf + WORD_SIZE * i), c->copy[i]);
}

/* A region of one instruction takes along what is in its delay slot. */
static void toy_region_of_one(struct kunit *test)
{
	static const struct {
		u16 words[2];
		unsigned int avail, len;
		enum kprobe_reason reason;
	} cases[] = {
		{ { TOY_ALU(3, 4), TOY_NOP }, 4, 2 },
		{ { TOY_COND(5, 20), TOY_ALU(3, 4) }, 4, 4 },
		{ { TOY_COND(5, 20), TOY_SKIP(4) }, 4, 4, KPROBE_REASON_NOT_DISPLACED },
		{ { TOY_COND(5, 20) }, 2, 2, KPROBE_REASON_FUNCTION_ENDS },
	};
	struct kprobe_region region;
	u8 text[2 * WORD_SIZE];
	struct kprobe_insn insn;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		put_unaligned_le16(cases[i].words[0], text);
		put_unaligned_le16(cases[i].words[1], text + WORD_SIZE);
		toy_isa.plan(&insn, text, cases[i].avail, START);
		KUNIT_ASSERT_EQ(test, cases[i].reason,
				kprobe_region_of_one(&toy_isa, &region, &insn, text,
						     cases[i].avail, START));
		KUNIT_EXPECT_EQ(test, region.len, cases[i].len);
		KUNIT_EXPECT_EQ(test, region.from[1], cases[i].len);
	}
}

/* Places */

struct toy_site_case {
	const char *name;
	u16 words[WORDS];
	unsigned int site;	/* in bytes */
	enum kprobe_reason reason;
};

#define SITE(what, at, which, ...) \
	{ .name = what, .site = at, .reason = KPROBE_REASON_##which, .words = { __VA_ARGS__ } }

static const struct toy_site_case toy_site_cases[] = {
	SITE("first", 0, NONE, TOY_NOP),
	SITE("inside", 1, INSIDE, TOY_NOP),
	SITE("inside a long one", 2, INSIDE, TOY_LONG(1), 0, 0),
	SITE("after a long one", 6, NONE, TOY_LONG(1), 0, 0),
	SITE("after no instruction", 2, INSIDE, TOY_NOTHING, TOY_NOP),
	SITE("branch", 0, NONE, TOY_COND(1, 3), TOY_NOP),
	SITE("delay slot", 2, DELAY_SLOT, TOY_COND(1, 3), TOY_NOP),
	SITE("after the delay slot", 4, NONE, TOY_COND(1, 3), TOY_NOP),
	SITE("in a bundle", 2, NONE, TOY_IF(2), TOY_NOP, TOY_NOP),
	SITE("sequence begins", 2, EXCLUSIVE, TOY_NOP, TOY_LOAD_LOCKED(3), TOY_NOP,
	     TOY_STORE_COND(3)),
	SITE("in a sequence", 4, EXCLUSIVE, TOY_NOP, TOY_LOAD_LOCKED(3), TOY_NOP,
	     TOY_STORE_COND(3)),
	SITE("sequence ends", 6, EXCLUSIVE, TOY_NOP, TOY_LOAD_LOCKED(3), TOY_NOP,
	     TOY_STORE_COND(3)),
	SITE("after a sequence", 8, NONE, TOY_NOP, TOY_LOAD_LOCKED(3), TOY_NOP,
	     TOY_STORE_COND(3)),
	SITE("before a sequence", 0, NONE, TOY_NOP, TOY_LOAD_LOCKED(3)),
	SITE("read", 8, DATA, TOY_LOAD_TEXT(3, 4)),
	SITE("next to what is read", 10, NONE, TOY_LOAD_TEXT(3, 4)),
	SITE("first of a table", 2, DATA, TOY_JUMP_BY(3, 1), TOY_ENTRY(2), TOY_ENTRY(3)),
	SITE("last of a table", 4, DATA, TOY_JUMP_BY(3, 1), TOY_ENTRY(2), TOY_ENTRY(3)),
	SITE("after a table", 6, NONE, TOY_JUMP_BY(3, 1), TOY_ENTRY(2), TOY_ENTRY(3), TOY_NOP),
	SITE("before a table", 2, NONE, TOY_JUMP_BY(3, 2), TOY_NOP, TOY_ENTRY(2)),
	SITE("table behind the next one", 4, DATA, TOY_JUMP_BY(3, 2), TOY_NOP, TOY_ENTRY(2)),
	SITE("after what is like a table", 4, INSIDE, TOY_JUMP_TO(3), TOY_ENTRY(2), TOY_NOP),
	SITE("like a table after one", 6, INSIDE, TOY_JUMP_BY(3, 1), TOY_ENTRY(2), TOY_NOP,
	     TOY_ENTRY(2)),
	SITE("after a table in a delay slot", 4, NONE, TOY_SLOT_BY, TOY_ENTRY(2), TOY_NOP),
	SITE("after a table whose address was taken", 10, NONE, TOY_TAKE(4), TOY_COND(1, -1),
	     TOY_NOP, TOY_JUMP_BY(3, 1), TOY_ENTRY(2), TOY_NOP),
	SITE("executed from elsewhere", 2, DATA, TOY_JUMP(2), TOY_NOP, TOY_EXECUTE(-1)),
};

KUNIT_ARRAY_PARAM_DESC(toy_site, toy_site_cases, name);

static void toy_scan_site(struct kunit *test)
{
	const struct toy_site_case *c = test->param_value;

	words_of_start = c->words;
	KUNIT_EXPECT_EQ(test, c->reason,
			kprobe_scan_site(fresh_survey(&toy_isa), START + c->site));
}

static void toy_scan_no_function(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_NO_TEXT,
			kprobe_scan_site(fresh_survey(&toy_isa), START - 2));
}

/* Registers */

struct toy_dead_case {
	const char *name;
	u16 words[WORDS];
	u32 dead;
	unsigned int faulting;	/* in words */
	unsigned int taken;
};

#define R1	BIT(1)
#define R2	BIT(2)

static const struct toy_dead_case toy_dead_cases[] = {
	{ "written", { TOY_ALU(1, 0), TOY_JUMP_TO(5) }, R1 },
	{ "read, then written", { TOY_ALU(3, 1), TOY_ALU(1, 0), TOY_JUMP_TO(5) }, 0 },
	{ "read and written at once", { TOY_ALU(1, 1), TOY_JUMP_TO(5) }, 0 },
	{ "written, then read", { TOY_ALU(1, 0), TOY_ALU(3, 1), TOY_JUMP_TO(5) }, R1 },
	{ "nobody is known to", { TOY_JUMP_TO(5) }, 0 },
	{ "read by an indirect jump", { TOY_ALU(2, 0), TOY_JUMP_TO(1) }, R2 },
	{ "return", { TOY_RETURN }, R1 | R2 },
	{ "read, return", { TOY_ALU(3, 2), TOY_RETURN }, R1 },
	{ "call", { TOY_CALL(8) }, R1 | R2 },
	{ "call, read in its delay slot", { TOY_CALL(8), TOY_ALU(3, 2) }, R1 },
	{ "call by no convention", { TOY_CALL_OWN(8) }, 0 },
	{ "written, call by no convention", { TOY_ALU(1, 0), TOY_CALL_OWN(8) }, R1 },
	{ "jump to another function", { TOY_JUMP((OTHER - START) / 2) }, R1 | R2 },
	{ "jump over it", { TOY_JUMP(2), TOY_ALU(3, 1), TOY_RETURN }, R1 | R2 },
	{ "jump for ever", { TOY_JUMP(0) }, 0 },
	{ "both ways", { TOY_COND(5, 4), TOY_NOP, TOY_ALU(1, 0), TOY_JUMP_TO(5),
			 TOY_ALU(1, 0), TOY_JUMP_TO(5) }, R1 },
	{ "one way", { TOY_COND(5, 4), TOY_NOP, TOY_ALU(1, 0), TOY_JUMP_TO(5),
		       TOY_ALU(2, 0), TOY_JUMP_TO(5) }, 0 },
	{ "branch depends on it", { TOY_COND(1, 2), TOY_NOP, TOY_RETURN }, R2 },
	{ "in a delay slot", { TOY_COND(5, 2), TOY_ALU(1, 0), TOY_JUMP_TO(5) }, 0 },
	{ "skipped", { TOY_SKIP(5), TOY_ALU(1, 0), TOY_ALU(2, 0), TOY_JUMP_TO(5) }, R2 },
	{ "jump that may be skipped", { TOY_SKIP(5), TOY_JUMP((OTHER - START) / 2 - 1),
					TOY_ALU(3, 1), TOY_RETURN }, R2 },
	{ "return that may be skipped", { TOY_SKIP(5), TOY_RETURN, TOY_ALU(3, 1), TOY_RETURN },
	  R2 },
	{ "call that may be skipped", { TOY_SKIP(5), TOY_CALL(8), TOY_NOP, TOY_ALU(3, 2),
					TOY_RETURN }, R1 },
	{ "in a bundle", { TOY_IF(2), TOY_ALU(1, 0), TOY_ALU(2, 0), TOY_JUMP_TO(5) }, 0 },
	{ "no instruction", { TOY_ALU(1, 0), TOY_NOTHING }, R1 },
	{ "jump to the cold part", { TOY_JUMP((COLD - START) / 2) }, 0 },
	{ "jump into another function", { TOY_ALU(1, 0), TOY_JUMP((OTHER - START) / 2) }, R1 },
	{ "a fixup may read it", { TOY_ALU(1, 0), TOY_NOP, TOY_RETURN }, R1, 1, 0 },
	{ "what is patched may read it", { TOY_ALU(1, 0), TOY_NOP, TOY_RETURN }, R1, 0, 1 },
};

KUNIT_ARRAY_PARAM_DESC(toy_dead, toy_dead_cases, name);

static void toy_dead_scratch(struct kunit *test)
{
	const struct toy_dead_case *c = test->param_value;
	struct kprobe_function f;

	words_of_start = c->words;
	faulting = c->faulting ? START + WORD_SIZE * c->faulting : 0;
	taken = c->taken ? START + WORD_SIZE * c->taken : 0;
	KUNIT_ASSERT_TRUE(test, find(NULL, START, &f));
	KUNIT_EXPECT_EQ(test, c->dead, kprobe_dead_scratch(fresh_survey(&toy_isa), &f, START));
	faulting = 0;
	taken = 0;
}

static struct kunit_case toy_isa_cases[] = {
	KUNIT_CASE_PARAM(toy_scan_region, toy_region_gen_params),
	KUNIT_CASE(toy_scan_word),
	KUNIT_CASE(toy_scan_once),
	KUNIT_CASE(toy_survey_around),
	KUNIT_CASE_PARAM(toy_emit_region, toy_copy_gen_params),
	KUNIT_CASE(toy_region_of_one),
	KUNIT_CASE_PARAM(toy_scan_site, toy_site_gen_params),
	KUNIT_CASE(toy_scan_no_function),
	KUNIT_CASE_PARAM(toy_dead_scratch, toy_dead_gen_params),
	{ }
};

static struct kunit_suite toy_isa_suite = {
	.name = "kprobes_toy_isa",
	.test_cases = toy_isa_cases,
};

kunit_test_suite(toy_isa_suite);

MODULE_DESCRIPTION("KUnit tests of kprobes' regions on a made-up instruction set");
MODULE_LICENSE("GPL");
