// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of scans for what leads into a region, on byte arrays of x86: kprobe_scan_insn()
 * and kprobe_scan_may_matter().
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/string.h>
#include <asm/insn.h>

#include "../../../../../arch/x86/kernel/kprobes-insn.h"
#include "../../../survey.h"
#include "text.h"

#define GLANCE		X86_JCC32_INSN_SIZE
#define HAS_PADS	IS_ENABLED(CONFIG_X86_KERNEL_IBT)

struct scan_case {
	const char *name;
	u8 text[40];
	size_t size;
	unsigned int from;	/* offsets */
	unsigned int to;
	bool landed;
	bool pad;
	bool indirect;
	bool state;
	bool undecodable;
	unsigned int exits;
	long exit;		/* offset of the last one's target */
};

#define RANGE(begin, after)	.from = begin, .to = after

static const struct scan_case scan_cases[] = {
	{ .name = "straight", RANGE(1, 5), TEXT(PUSH_RBP, MOV_RBP_RSP, 0x5d, 0xc3) },
	{ .name = "padding", RANGE(1, 5), TEXT(0x31, 0xc0, 0xc3, 0xcc, 0xcc, 0x0f, 0x0b) },
	{ .name = "jmp to the first byte", RANGE(1, 5),
	  TEXT(PUSH_RBP, MOV_RBP_RSP, 0x53, 0xeb, 0xf9) },
	{ .name = "jmp to the second", RANGE(1, 5), .landed = true,
	  TEXT(PUSH_RBP, MOV_RBP_RSP, 0x53, 0xeb, 0xfa) },
	{ .name = "jmp to the last", RANGE(1, 5), .landed = true,
	  TEXT(PUSH_RBP, MOV_RBP_RSP, 0x53, 0xeb, 0xfd) },
	{ .name = "jmp after the last", RANGE(1, 5),
	  TEXT(PUSH_RBP, MOV_RBP_RSP, 0x53, 0xeb, 0xfe) },
	{ .name = "jmp from in front", RANGE(3, 5), .landed = true,
	  TEXT(0xeb, 0x02, PUSH_RBP, 0x53, 0x53, 0x90) },
	{ .name = "jcc rel8", RANGE(1, 5), .landed = true,
	  TEXT(PUSH_RBP, MOV_RBP_RSP, 0x53, 0x75, 0xfa) },
	{ .name = "jcc rel32", RANGE(1, 5), .landed = true,
	  TEXT(PUSH_RBP, MOV_RBP_RSP, 0x53, 0x0f, 0x85, LE32(-10)) },
	{ .name = "jmp rel32", RANGE(1, 5), .landed = true,
	  TEXT(PUSH_RBP, MOV_RBP_RSP, 0x53, 0xe9, LE32(-9)) },
	{ .name = "loop", RANGE(1, 5), .landed = true,
	  TEXT(PUSH_RBP, MOV_RBP_RSP, 0x53, 0xe2, 0xfa) },
	{ .name = "jrcxz", RANGE(1, 5), .landed = true,
	  TEXT(PUSH_RBP, MOV_RBP_RSP, 0x53, 0xe3, 0xfa) },
	{ .name = "call", RANGE(1, 5), .landed = true,
	  TEXT(PUSH_RBP, MOV_RBP_RSP, 0x53, 0xe8, LE32(-9)) },
	{ .name = "xbegin", RANGE(1, 5), .landed = true,
	  TEXT(PUSH_RBP, MOV_RBP_RSP, 0x53, 0xc7, 0xf8, LE32(-10)) },
	{ .name = "vpermq is no jmp", RANGE(1, 5),
	  TEXT(PUSH_RBP, MOV_RBP_RSP, 0x53, 0xc5, 0xf8, 0x77, 0xc5, 0xfd, 0xe7, 0x07) },
	{ .name = "tail call", RANGE(1, 5), .exits = 1, .exit = 0x105,
	  TEXT(0xe9, LE32(0x100), 0xcc) },
	{ .name = "jumps out, both ways", RANGE(1, 5), .exits = 2, .exit = -12,
	  TEXT(0x74, 0x40, 0x75, 0xf0, 0xc3) },
	{ .name = "jmp to the end leaves", RANGE(3, 5), .exits = 1, .exit = 2,
	  TEXT(0xeb, 0x00) },
	{ .name = "call elsewhere does not", RANGE(1, 5), TEXT(0xe8, LE32(0x100), 0xc3) },
	{ .name = "jmp *rax", RANGE(1, 5), .indirect = true, TEXT(0xff, 0xe0, 0xcc) },
	{ .name = "notrack jmp *rax", RANGE(1, 5), .indirect = true,
	  TEXT(0x3e, 0xff, 0xe0, 0xcc) },
	{ .name = "jmp *table", RANGE(1, 5), .indirect = true,
	  TEXT(0xff, 0x24, 0xc5, LE32(0x100)) },
	{ .name = "jmp far", RANGE(1, 5), .indirect = true, TEXT(0xff, 0x2d, LE32(0x100)) },
	{ .name = "call *rax", RANGE(1, 5), TEXT(0xff, 0xd0, 0xc3) },
	{ .name = "push mem", RANGE(1, 5), TEXT(0xff, 0x30, 0xc3) },
	{ .name = "std", RANGE(1, 5), .state = true, TEXT(0xfd, 0xf3, 0xa4, 0xfc, 0xc3) },
	{ .name = "mov al, 0xfd", RANGE(1, 5), TEXT(0xb0, 0xfd, 0xc3) },
	{ .name = "paddw is no std", RANGE(1, 5),
	  TEXT(0x0f, 0xfd, 0xc1, 0xc5, 0xf9, 0xfd, 0xc1, 0xc3) },
	{ .name = "psubsb with REX2 is no call", RANGE(1, 5),
	  TEXT(0xd5, 0x80, 0xe8, 0xc1, 0xc3) },
	{ .name = "endbr in front", RANGE(5, 9), TEXT(0xf3, 0x0f, 0x1e, 0xfa, 0xc3) },
	{ .name = "endbr in the range", RANGE(1, 5), .pad = HAS_PADS,
	  TEXT(0xc3, 0xf3, 0x0f, 0x1e, 0xfa, 0xc3) },
	{ .name = "sealed endbr in the range", RANGE(1, 5), .pad = HAS_PADS,
	  TEXT(0xc3, 0x66, 0x0f, 0x1f, 0x00, 0xc3) },
	{ .name = "endbr after", RANGE(1, 5),
	  TEXT(0x90, 0x90, 0x90, 0x90, 0x90, 0xf3, 0x0f, 0x1e, 0xfa) },
	{ .name = "no instruction", RANGE(1, 5), .undecodable = true,
	  TEXT(0x90, 0xc5, 0xf8, 0x05, 0xc3) },
	{ .name = "cut off", RANGE(1, 5), .undecodable = true, TEXT(0x90, 0xe9, 0x00) },
};

KUNIT_ARRAY_PARAM_DESC(scan, scan_cases, name);

static bool has_landing(const struct kprobe_scan *scan, const struct scan_case *c)
{
	return kprobe_scan_marks(scan, FROM + c->from, FROM + c->to) & KPROBE_MARK_LANDED;
}

static void x86_scan_found(struct kunit *test)
{
	const struct scan_case *c = test->param_value;
	u8 marks[sizeof(c->text)] = { };
	struct kprobe_scan scan = {
		.isa = &x86_kprobe_isa,
		.start = FROM, .end = FROM + c->size,
		.base = FROM, .size = c->size, .marks = marks,
	};
	unsigned int at, len, exits = 0;
	long exit = 0;

	for (at = 0; at < c->size; at += len) {
		len = kprobe_scan_insn(&scan, c->text + at, c->size - at, FROM + at);
		if (!len)
			break;
		if (scan.exit)
			exit = scan.exit - FROM;
		exits += !!scan.exit;
	}
	KUNIT_EXPECT_EQ(test, at < c->size, c->undecodable);
	KUNIT_EXPECT_EQ(test, has_landing(&scan, c), c->landed || c->pad);
	KUNIT_EXPECT_EQ(test, scan.indirect, c->indirect);
	KUNIT_EXPECT_EQ(test, scan.state, c->state);
	KUNIT_EXPECT_EQ(test, exits, c->exits);
	KUNIT_EXPECT_EQ(test, exit, c->exit);
}

/* What decoding finds, kprobe_scan_may_matter() must mark or be true for. */
static void x86_scan_glance(struct kunit *test)
{
	const struct scan_case *c = test->param_value;
	u8 text[sizeof(c->text) + GLANCE] = { }, marks[sizeof(c->text)] = { };
	struct kprobe_scan scan = {
		.isa = &x86_kprobe_isa,
		.start = FROM, .end = FROM + c->size,
		.base = FROM, .size = c->size, .marks = marks,
	};
	bool may_matter;

	memcpy(text, c->text, c->size);
	may_matter = kprobe_scan_may_matter(&scan, text, c->size, FROM);
	if (c->indirect || c->state || c->exits)
		KUNIT_EXPECT_TRUE(test, may_matter);
	if (c->landed || c->pad)
		KUNIT_EXPECT_TRUE(test, may_matter || has_landing(&scan, c));
	scan.way_out = FROM + c->exit;
	if (c->exits == 1 && !c->landed)
		KUNIT_EXPECT_FALSE(test, kprobe_scan_may_matter(&scan, text, c->size, FROM));
}

#define MARKED		64

static bool has_found(const struct kprobe_scan *scan)
{
	return scan->indirect || scan->state || scan->exit ||
	       kprobe_scan_marks(scan, FROM - MARKED / 2, FROM + MARKED / 2) & KPROBE_MARK_LANDED;
}

/* The same for any bytes, and for instructions that begin anywhere in them. */
static void x86_scan_glance_at_any_bytes(struct kunit *test)
{
	static const u8 firsts[] = {
		0x0f, 0x66, 0x70, 0xc7, 0xe0, 0xe8, 0xe9, 0xeb, 0xf3, 0xfd, 0xff,
	};
	u8 text[MAX_INSN_SIZE + GLANCE] = { }, marks[MARKED], maybe[MARKED];
	unsigned int i, k, found = 0, passed_over = 0;
	struct kprobe_scan scan, glance;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 2);
	for (i = 0; i < 200000; i++) {
		scan = (struct kprobe_scan){
			.isa = &x86_kprobe_isa,
			.start = FROM - 64, .end = FROM + 64,
			.base = FROM - MARKED / 2, .size = MARKED, .marks = marks,
		};
		memset(marks, 0, MARKED);
		memset(maybe, 0, MARKED);
		glance = scan;
		glance.marks = maybe;
		prandom_bytes_state(&rnd, text, MAX_INSN_SIZE);
		if (i & 1)
			text[i / 2 % 4] = firsts[i / 8 % ARRAY_SIZE(firsts)];
		/* Small displacements, which stay in the function. */
		if (i & 2)
			memset(text + 2 + i % 5, i & 4 ? 0xff : 0, 3);
		if (!kprobe_scan_insn(&scan, text, MAX_INSN_SIZE, FROM) ||
		    !has_found(&scan))
			continue;
		found++;
		if (kprobe_scan_may_matter(&glance, text, MAX_INSN_SIZE, FROM))
			continue;
		passed_over += scan.indirect || scan.state || scan.exit;
		for (k = 0; k < MARKED; k++)
			passed_over += marks[k] & ~maybe[k] & KPROBE_MARK_LANDED;
	}
	KUNIT_EXPECT_GT(test, found, 10000);
	KUNIT_EXPECT_EQ(test, passed_over, 0);
}

static struct kunit_case x86_scan_cases[] = {
	KUNIT_CASE_PARAM(x86_scan_found, scan_gen_params),
	KUNIT_CASE_PARAM(x86_scan_glance, scan_gen_params),
	KUNIT_CASE(x86_scan_glance_at_any_bytes),
	{ }
};

static struct kunit_suite x86_scan_suite = {
	.name = "kprobes_x86_scan",
	.test_cases = x86_scan_cases,
};

kunit_test_suite(x86_scan_suite);

MODULE_DESCRIPTION("KUnit tests of kprobes' scans for branches on x86");
MODULE_LICENSE("GPL");
