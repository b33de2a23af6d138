// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of regions on byte arrays of x86: kprobe_plan_region(),
 * kprobe_emit_region(), kprobe_scan_insn() and kprobe_scan_may_matter(). Nothing is
 * patched or executed.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/string.h>
#include <asm/text-patching.h>

#include "../../../arch/x86/kernel/kprobes-insn.h"
#include "../scan.h"

/* Addresses of regions and of their copies. */
#define FROM	0xffffffff81234000UL
#define APART	0x1000
#define TO	(FROM + APART)

/* The longest copy: two short jumps or loops, an instruction, the jump back. */
#define COPY_MAX	(2 * 9 + MAX_INSN_SIZE + JMP32_INSN_SIZE)
#define TEXT_MAX	(KPROBE_TEXT_SIZE + MAX_INSN_SIZE)
#define GLANCE		X86_JCC32_INSN_SIZE
#define HAS_PADS	IS_ENABLED(CONFIG_X86_KERNEL_IBT)

#define LE32(x) \
	(u32)(x) & 0xff, (u32)(x) >> 8 & 0xff, (u32)(x) >> 16 & 0xff, (u32)(x) >> 24

/* In a copy, from the offset after a branch to an offset in the original. */
#define BACK(after, target)	LE32((target) - APART - (after))

#define TEXT(...) \
	.text = { __VA_ARGS__ }, .size = sizeof((u8[]){ __VA_ARGS__ })
#define COPY(...) \
	.copy = { __VA_ARGS__ }, .copied = sizeof((u8[]){ __VA_ARGS__ })

#define PUSH_RBP	0x55
#define MOV_RBP_RSP	0x48, 0x89, 0xe5
#define NOP5		0x0f, 0x1f, 0x44, 0x00, 0x00
#define LOAD_RIP	0x48, 0x8b, 0x05, LE32(0x100)
#define MOVABS15	0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8

/* Plans */

struct plan_case {
	const char *name;
	u8 text[48];
	size_t size;
	enum kprobe_reason reason;
	unsigned int len;
	unsigned int nr;
};

#define REGION(what, length, count, ...) \
	{ .name = what, .len = length, .nr = count, TEXT(__VA_ARGS__) }
#define OBSTACLE(what, which, ...) \
	{ .name = what, .reason = KPROBE_REASON_##which, TEXT(__VA_ARGS__) }

static const struct plan_case plan_cases[] = {
	REGION("one instruction", 5, 1, 0xb8, 1, 2, 3, 4),
	REGION("what follows is not looked at", 5, 1, 0xb8, 1, 2, 3, 4, 0x0f, 0x0b),
	REGION("prologue", 5, 3, PUSH_RBP, MOV_RBP_RSP, 0x53, 0x90),
	REGION("five instructions", 5, 5, 0x50, 0x51, 0x52, 0x53, 0x54),
	REGION("longest", 19, 5, 0x50, 0x51, 0x52, 0x53, MOVABS15),
	REGION("nops", 5, 3, 0x90, 0x66, 0x90, 0x66, 0x90),
	REGION("entry of a traced function", 5, 1, NOP5, PUSH_RBP),
	REGION("jcc rel8", 5, 2, 0x74, 0x10, 0x83, 0xc0, 0x01),
	REGION("jcc rel32", 6, 1, 0x0f, 0x84, 1, 2, 3, 4),
	REGION("jmp rel32", 5, 1, 0xe9, 1, 2, 3, 4),
	REGION("jmp rel8, padding", 5, 1, 0xeb, 0x10, 0xcc, 0xcc, 0xcc),
	REGION("jmp rel8, what is reached otherwise", 6, 1, 0xeb, 0x10, 0x0f, 0x0b, 0x89, 0xc0),
	REGION("jmp in the middle", 5, 3, 0x90, 0x90, 0xeb, 0x10, 0xcc),
	REGION("ret, padding", 5, 1, 0xc3, 0xcc, 0xcc, 0xcc, 0xcc),
	REGION("ret imm16, padding", 5, 1, 0xc2, 0x08, 0x00, 0xcc, 0xcc),
	REGION("pop, ret, long nop", 12, 2, 0x5d, 0xc3,
	       0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0),
	REGION("ret at the end", 5, 3, 0x48, 0x89, 0xd8, 0x5b, 0xc3),
	REGION("call", 5, 1, 0xe8, 1, 2, 3, 4),
	REGION("push, call", 6, 2, PUSH_RBP, 0xe8, 1, 2, 3, 4),
	REGION("call with prefix", 9, 4, 0x50, 0x51, 0x52, 0x2e, 0xe8, 1, 2, 3, 4),
	REGION("load relative to rip", 7, 1, LOAD_RIP),
	REGION("loop", 5, 4, 0xe2, 0x10, 0x90, 0x90, 0x90),
	REGION("loopne", 5, 4, 0x90, 0xe0, 0x10, 0x90, 0x90),
	REGION("jrcxz", 5, 4, 0xe3, 0x10, 0x90, 0x90, 0x90),
	REGION("sti, ret", 5, 2, 0xfb, 0xc3, 0xcc, 0xcc, 0xcc),

	OBSTACLE("nothing", FUNCTION_ENDS),
	OBSTACLE("ends after four bytes", FUNCTION_ENDS, PUSH_RBP, MOV_RBP_RSP),
	OBSTACLE("ret at the end, no padding", FUNCTION_ENDS, 0x31, 0xc0, 0xc3),
	OBSTACLE("not all of the padding", FUNCTION_ENDS, 0xc3, 0xcc, 0xcc, 0xcc),
	OBSTACLE("ends in an instruction", FUNCTION_UNDECODABLE, 0x48, 0x89, 0xe5, 0xe8, 1, 2),
	OBSTACLE("no instruction", FUNCTION_UNDECODABLE, 0x90, 0x06, 0x90, 0x90, 0x90),
	OBSTACLE("padding ends in an instruction", FUNCTION_UNDECODABLE, 0xc3, 0xe8, 1, 2, 3),
	OBSTACLE("int3", NOT_DISPLACED, 0xcc, 0x90, 0x90, 0x90, 0x90),
	OBSTACLE("int3 after a nop", NOT_DISPLACED, 0x90, 0xcc, 0x90, 0x90, 0x90),
	OBSTACLE("ud2", NOT_DISPLACED, 0x89, 0xc0, 0x0f, 0x0b, 0x90),
	OBSTACLE("endbr64", NOT_DISPLACED, 0xf3, 0x0f, 0x1e, 0xfa, 0x90),
	OBSTACLE("hlt", NOT_DISPLACED, 0x90, 0xf4, 0x90, 0x90, 0x90),
	OBSTACLE("sti, hlt", NOT_DISPLACED, 0x0f, 0x1f, 0x40, 0x00, 0xfb, 0xf4),
	OBSTACLE("jmp *rax", NOT_DISPLACED, 0xff, 0xe0, 0xcc, 0xcc, 0xcc),
	OBSTACLE("jmp *mem", NOT_DISPLACED, 0xff, 0x24, 0xc5, 1, 2, 3, 4),
	OBSTACLE("call *rax", CALL, 0xff, 0xd0, 0x90, 0x90, 0x90),
	OBSTACLE("call *rax at the end", CALL, 0x48, 0x89, 0xe5, 0xff, 0xd0),
	OBSTACLE("call *mem", CALL, 0xff, 0x15, 1, 2, 3, 4),
};

KUNIT_ARRAY_PARAM_DESC(plan, plan_cases, name);

static enum kprobe_reason plan_at(struct kprobe_region *region, const u8 *text,
				  size_t size, unsigned long addr)
{
	return kprobe_plan_region(&x86_kprobe_isa, region, text, size, addr);
}

static void x86_region_plan(struct kunit *test)
{
	const struct plan_case *c = test->param_value;
	struct kprobe_region region;

	KUNIT_EXPECT_EQ(test, plan_at(&region, c->text, c->size, FROM), c->reason);
	if (c->reason)
		return;
	KUNIT_EXPECT_EQ(test, region.len, c->len);
	KUNIT_EXPECT_EQ(test, region.nr, c->nr);
}

/* Copies */

struct emit_case {
	const char *name;
	u8 text[24];
	size_t size;
	unsigned int first;
	u8 copy[COPY_MAX];
	size_t copied;
	u16 at[KPROBE_REGION_INSNS + 1];
};

#define AT(...)	.at = { __VA_ARGS__ }

static const struct emit_case emit_cases[] = {
	{
		.name = "prologue",
		TEXT(PUSH_RBP, MOV_RBP_RSP, 0x53),
		COPY(PUSH_RBP, MOV_RBP_RSP, 0x53, 0xe9, BACK(10, 5)),
		AT(0, 1, 4, 5),
	}, {
		.name = "prologue, from the second on",
		TEXT(PUSH_RBP, MOV_RBP_RSP, 0x53),
		.first = 1,
		COPY(MOV_RBP_RSP, 0x53, 0xe9, BACK(9, 5)),
		AT(0, 3, 4),
	}, {
		.name = "prologue, nothing of it",
		TEXT(PUSH_RBP, MOV_RBP_RSP, 0x53),
		.first = 3,
		COPY(0xe9, BACK(5, 5)),
	}, {
		.name = "load relative to rip",
		TEXT(0x90, LOAD_RIP),
		COPY(0x48, 0x8b, 0x05, LE32(0x100 - APART + 1), 0xe9, BACK(12, 8)),
		AT(0, 0, 7),
	}, {
		.name = "nops",
		TEXT(0x66, 0x90, 0x50, 0x66, 0x90),
		COPY(0x50, 0xe9, BACK(6, 5)),
		AT(0, 0, 1, 1),
	}, {
		.name = "nothing but a nop",
		TEXT(NOP5),
		COPY(0xe9, BACK(5, 5)),
		AT(0, 0),
	}, {
		.name = "jcc rel8 forwards",
		TEXT(0x75, 0x7f, MOV_RBP_RSP),
		COPY(0x0f, 0x85, BACK(6, 0x81), MOV_RBP_RSP, 0xe9, BACK(14, 5)),
		AT(0, 6, 9),
	}, {
		.name = "jcc rel8 backwards",
		TEXT(MOV_RBP_RSP, 0x7f, 0x80),
		COPY(MOV_RBP_RSP, 0x0f, 0x8f, BACK(9, 5 - 0x80), 0xe9, BACK(14, 5)),
		AT(0, 3, 9),
	}, {
		.name = "jcc rel32 with hint",
		TEXT(0x2e, 0x0f, 0x82, LE32(-0x10000)),
		COPY(0x0f, 0x82, BACK(6, 7 - 0x10000), 0xe9, BACK(11, 7)),
		AT(0, 6),
	}, {
		.name = "jmp rel8",
		TEXT(0x50, 0xeb, 0x10, 0xcc, 0xcc),
		COPY(0x50, 0xe9, BACK(6, 0x13)),
		AT(0, 1, 6),
	}, {
		.name = "jmp rel8 to itself",
		TEXT(0xeb, 0xfe, 0xcc, 0xcc, 0xcc),
		COPY(0xe9, BACK(5, 0)),
		AT(0, 5),
	}, {
		.name = "jmp rel32",
		TEXT(0xe9, LE32(0x123456)),
		COPY(0xe9, BACK(5, 0x12345b)),
		AT(0, 5),
	}, {
		.name = "jmp, none of it",
		TEXT(0xe9, LE32(0x123456)),
		.first = 1,
		COPY(),
	}, {
		.name = "ret",
		TEXT(0x5b, 0xc3, 0xcc, 0xcc, 0xcc),
		COPY(0x5b, 0xc3),
		AT(0, 1, 2),
	}, {
		.name = "ret imm16",
		TEXT(0xc2, 0x08, 0x00, 0xcc, 0xcc),
		COPY(0xc2, 0x08, 0x00),
		AT(0, 3),
	}, {
		.name = "push, call",
		TEXT(0x53, 0xe8, LE32(0x2000)),
		COPY(0x53, 0x68, LE32(FROM + 6), 0xe9, BACK(11, 0x2006)),
		AT(0, 1, 11),
	}, {
		.name = "call of the next instruction",
		TEXT(0xe8, LE32(0)),
		COPY(0x68, LE32(FROM + 5), 0xe9, BACK(10, 5)),
		AT(0, 10),
	}, {
		.name = "loop",
		TEXT(0x50, 0xe2, 0xfd, 0x51, 0x52),
		COPY(0x50, 0xe2, 2, 0xeb, 5, 0xe9, BACK(10, 0), 0x51, 0x52, 0xe9, BACK(17, 5)),
		AT(0, 1, 10, 11, 12),
	}, {
		.name = "jecxz",
		TEXT(0x67, 0xe3, 0x10, 0x51, 0x52),
		COPY(0x67, 0xe3, 2, 0xeb, 5, 0xe9, BACK(10, 0x13), 0x51, 0x52,
		     0xe9, BACK(17, 5)),
		AT(0, 10, 11, 12),
	}, {
		.name = "the longest",
		TEXT(0x74, 0x00, 0x75, 0x00, MOVABS15),
		COPY(0x0f, 0x84, BACK(6, 2), 0x0f, 0x85, BACK(12, 4), MOVABS15,
		     0xe9, BACK(32, 19)),
		AT(0, 6, 12, 27),
	},
};

KUNIT_ARRAY_PARAM_DESC(emit, emit_cases, name);

static void x86_region_emit(struct kunit *test)
{
	const struct emit_case *c = test->param_value;
	u16 at[KPROBE_REGION_INSNS + 1] = {};
	u8 buf[COPY_MAX + 1];
	struct kprobe_code code = { .buf = buf, .size = COPY_MAX, .base = TO };
	struct kprobe_region region;

	KUNIT_ASSERT_EQ(test, plan_at(&region, c->text, c->size, FROM), KPROBE_REASON_NONE);
	KUNIT_ASSERT_EQ(test, region.len, c->size);
	memset(buf, 0x06, sizeof(buf));
	kprobe_emit_region(&x86_kprobe_isa, &code, &region, c->first, c->text, FROM, at);
	KUNIT_EXPECT_FALSE(test, code.far);
	KUNIT_ASSERT_EQ(test, code.len, c->copied);
	if (c->copied)
		KUNIT_EXPECT_MEMEQ(test, buf, c->copy, c->copied);
	KUNIT_EXPECT_EQ(test, buf[c->copied], 0x06);
	KUNIT_EXPECT_MEMEQ(test, at + c->first, c->at,
			   sizeof(at) - c->first * sizeof(at[0]));
}

/* A region of one instruction may be shorter than a jump, and is planned like others. */
static void x86_region_of_one(struct kunit *test)
{
	static const struct {
		u8 insn[4];
		u8 len;
		enum kprobe_reason reason;
	} cases[] = {
		{ { 0x50 }, 1 },
		{ { 0x75, 0x10 }, 2 },
		{ { 0x90 }, 1 },
		{ { 0xc3 }, 1 },
		{ { 0xe2, 0x10 }, 2 },
		{ { 0xff, 0xe0 }, 2, KPROBE_REASON_NOT_DISPLACED },
		{ { 0xff, 0xd0 }, 2, KPROBE_REASON_CALL },
	};
	struct kprobe_region region;
	struct kprobe_insn plan;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_ASSERT_EQ(test, 0, x86_kprobe_plan(&plan, cases[i].insn, 4, FROM));
		KUNIT_EXPECT_EQ(test, cases[i].reason,
				kprobe_region_of_one(&region, &plan));
		KUNIT_EXPECT_EQ(test, region.nr, 1);
		KUNIT_EXPECT_EQ(test, region.len, cases[i].len);
	}
}

struct reach_case {
	const char *name;
	unsigned long from;
	unsigned long to;
	u8 text[8];
	size_t size;
	bool far;
};

#define HIGH	0xffffffffc0000000UL
#define LOW	0xffffffff80000000UL
#define FAR	0xffffc90000000000UL

#define REACH(what, f, t, e, ...) \
	{ .name = what, .from = f, .to = t, .far = e, TEXT(__VA_ARGS__) }

static const struct reach_case reach_cases[] = {
	REACH("near", LOW, HIGH, false, PUSH_RBP, MOV_RBP_RSP, 0x53),
	REACH("way back", LOW, FAR, true, PUSH_RBP, MOV_RBP_RSP, 0x53),
	REACH("jmp", LOW, FAR, true, 0xe9, 0, 0, 0, 0),
	REACH("jcc", LOW, FAR, true, 0x0f, 0x84, 0, 0, 0, 0),
	REACH("operand", LOW, FAR, true, LOAD_RIP),
	REACH("operand, but near", HIGH, LOW, true, 0x48, 0x8b, 0x05, LE32(0x7fffffff)),
	REACH("jcc, but near", HIGH, LOW, true, 0x0f, 0x84, LE32(0x7fffffff)),
	REACH("call", LOW, HIGH, false, 0xe8, 0, 0, 0, 0),
	REACH("call, but near", HIGH, LOW, true, 0xe8, LE32(0x7fffffff)),
	REACH("call from where push cannot tell", FAR, FAR + 0x100, true, 0xe8, 0, 0, 0, 0),
	REACH("ret needs no reach", LOW, FAR, false, 0x48, 0x89, 0xd8, 0x5b, 0xc3),
};

KUNIT_ARRAY_PARAM_DESC(reach, reach_cases, name);

static void x86_region_reach(struct kunit *test)
{
	const struct reach_case *c = test->param_value;
	u8 buf[COPY_MAX];
	struct kprobe_code code = { .buf = buf, .size = COPY_MAX, .base = c->to };
	u16 at[KPROBE_REGION_INSNS + 1];
	struct kprobe_region region;

	KUNIT_ASSERT_EQ(test, plan_at(&region, c->text, c->size, c->from),
			KPROBE_REASON_NONE);
	kprobe_emit_region(&x86_kprobe_isa, &code, &region, 0, c->text, c->from, at);
	KUNIT_EXPECT_EQ(test, code.far, c->far);
	KUNIT_EXPECT_GT(test, code.len, 0);
}

static void expect_bounds(struct kunit *test, const u8 *text,
			  const struct kprobe_region *region)
{
	u8 buf[COPY_MAX];
	u16 at[KPROBE_REGION_INSNS + 1] = {};
	unsigned int i, first;

	KUNIT_ASSERT_GE(test, region->len, JMP32_INSN_SIZE);
	KUNIT_ASSERT_LE(test, region->len, KPROBE_TEXT_SIZE);
	KUNIT_ASSERT_GT(test, region->nr, 0);
	KUNIT_ASSERT_LE(test, region->nr, JMP32_INSN_SIZE);
	for (first = 0; first <= region->nr; first++) {
		struct kprobe_code code = { .buf = buf, .size = COPY_MAX, .base = TO };

		kprobe_emit_region(&x86_kprobe_isa, &code, region, first, text, FROM, at);
		KUNIT_ASSERT_LE(test, code.len, COPY_MAX);
		for (i = first + 1; i <= region->nr; i++)
			KUNIT_ASSERT_LE(test, at[i - 1], at[i]);
	}
}

/* For any bytes, neither a region nor its copy exceeds its bounds. */
static void x86_region_any_bytes(struct kunit *test)
{
	static const u8 short_jump[] = { 0x74, 0x02 };
	u8 text[TEXT_MAX];
	unsigned int i, regions = 0;
	struct kprobe_region region;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 1);
	for (i = 0; i < 50000; i++) {
		prandom_bytes_state(&rnd, text, sizeof(text));
		/* Half of the arrays have instructions whose copies grow most. */
		if (i & 1)
			memcpy(text, short_jump, sizeof(short_jump));
		if (i & 2)
			memcpy(text + 2, short_jump, sizeof(short_jump));
		if (plan_at(&region, text, sizeof(text), FROM))
			continue;
		expect_bounds(test, text, &region);
		regions++;
	}
	KUNIT_EXPECT_GT(test, regions, 10000);
}

/* Functions */

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

static void x86_region_scan(struct kunit *test)
{
	const struct scan_case *c = test->param_value;
	struct kprobe_scan scan = {
		.isa = &x86_kprobe_isa,
		.start = FROM, .end = FROM + c->size,
		.from = FROM + c->from, .to = FROM + c->to,
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
	KUNIT_EXPECT_EQ(test, scan.landed, c->landed);
	KUNIT_EXPECT_EQ(test, scan.pad, c->pad);
	KUNIT_EXPECT_EQ(test, scan.indirect, c->indirect);
	KUNIT_EXPECT_EQ(test, scan.state, c->state);
	KUNIT_EXPECT_EQ(test, exits, c->exits);
	KUNIT_EXPECT_EQ(test, exit, c->exit);
}

static bool has_found(const struct kprobe_scan *scan)
{
	return scan->landed || scan->pad || scan->indirect || scan->state || scan->exit;
}

/* If decoding finds anything, kprobe_scan_may_matter() must be true. */
static void x86_region_glance(struct kunit *test)
{
	const struct scan_case *c = test->param_value;
	struct kprobe_scan scan = {
		.isa = &x86_kprobe_isa,
		.start = FROM, .end = FROM + c->size,
		.from = FROM + c->from, .to = FROM + c->to,
	};
	u8 text[sizeof(c->text) + GLANCE] = { };
	bool may_matter;

	memcpy(text, c->text, c->size);
	may_matter = kprobe_scan_may_matter(&scan, text, c->size, FROM);
	if (c->landed || c->pad || c->indirect || c->state || c->exits)
		KUNIT_EXPECT_TRUE(test, may_matter);
	scan.way_out = FROM + c->exit;
	if (c->exits == 1 && !c->landed)
		KUNIT_EXPECT_FALSE(test, kprobe_scan_may_matter(&scan, text, c->size, FROM));
}

/* The same for any bytes, and for instructions that begin anywhere in them. */
static void x86_region_glance_at_any_bytes(struct kunit *test)
{
	static const u8 firsts[] = {
		0x0f, 0x66, 0x70, 0xc7, 0xe0, 0xe8, 0xe9, 0xeb, 0xf3, 0xfd, 0xff,
	};
	u8 text[MAX_INSN_SIZE + GLANCE] = { };
	struct kprobe_scan scan;
	unsigned int i, found = 0, passed_over = 0;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 2);
	for (i = 0; i < 200000; i++) {
		scan = (struct kprobe_scan){
			.isa = &x86_kprobe_isa,
			.start = FROM - 64, .end = FROM + 64,
			.from = FROM - 32, .to = FROM + 32,
		};
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
		passed_over += !kprobe_scan_may_matter(&scan, text, MAX_INSN_SIZE, FROM);
	}
	KUNIT_EXPECT_GT(test, found, 10000);
	KUNIT_EXPECT_EQ(test, passed_over, 0);
}

static struct kunit_case x86_region_cases[] = {
	KUNIT_CASE_PARAM(x86_region_plan, plan_gen_params),
	KUNIT_CASE_PARAM(x86_region_emit, emit_gen_params),
	KUNIT_CASE(x86_region_of_one),
	KUNIT_CASE_PARAM(x86_region_reach, reach_gen_params),
	KUNIT_CASE(x86_region_any_bytes),
	KUNIT_CASE_PARAM(x86_region_scan, scan_gen_params),
	KUNIT_CASE_PARAM(x86_region_glance, scan_gen_params),
	KUNIT_CASE(x86_region_glance_at_any_bytes),
	{ }
};

static struct kunit_suite x86_region_suite = {
	.name = "kprobes_x86_region",
	.test_cases = x86_region_cases,
};

kunit_test_suite(x86_region_suite);

MODULE_DESCRIPTION("KUnit tests of the regions that kprobes' jumps replace on x86");
MODULE_LICENSE("GPL");
