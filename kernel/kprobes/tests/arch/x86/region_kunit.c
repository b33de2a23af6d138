// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of regions on byte arrays of x86: kprobe_plan_region() and
 * kprobe_emit_region(). Nothing is patched or executed.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/string.h>
#include <asm/text-patching.h>

#include "../../../../../arch/x86/kernel/kprobes-insn.h"
#include "text.h"

/* How far away copies of regions are. */
#define APART	0x1000
#define TO	(FROM + APART)

/* The longest copy: two short jumps or loops, an instruction, the jump back. */
#define COPY_MAX	(2 * 9 + MAX_INSN_SIZE + JMP32_INSN_SIZE)
#define TEXT_MAX	(KPROBE_TEXT_SIZE + MAX_INSN_SIZE)

/* In a copy, from the offset after a branch to an offset in the original. */
#define BACK(after, target)	LE32((target) - APART - (after))

#define COPY(...) \
	.copy = { __VA_ARGS__ }, .copied = sizeof((u8[]){ __VA_ARGS__ })

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
	REGION("jmp *rax, padding", 5, 1, 0xff, 0xe0, 0xcc, 0xcc, 0xcc),
	REGION("jmp *mem", 7, 1, 0xff, 0x24, 0xc5, 1, 2, 3, 4),

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

/* CPUs that speculate straight on after a return or an indirect jump come to this. */
#ifdef CONFIG_MITIGATION_SLS
#define COPY_TO_END(...)	COPY(__VA_ARGS__, 0xcc)
#else
#define COPY_TO_END(...)	COPY(__VA_ARGS__)
#endif

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
		COPY_TO_END(0x5b, 0xc3),
		AT(0, 1, 2 + IS_ENABLED(CONFIG_MITIGATION_SLS)),
	}, {
		.name = "ret imm16",
		TEXT(0xc2, 0x08, 0x00, 0xcc, 0xcc),
		COPY_TO_END(0xc2, 0x08, 0x00),
		AT(0, 3 + IS_ENABLED(CONFIG_MITIGATION_SLS)),
	}, {
		.name = "jmp *mem relative to rip",
		TEXT(0x50, 0xff, 0x25, LE32(0x100)),
		COPY_TO_END(0x50, 0xff, 0x25, LE32(0x100 - APART)),
		AT(0, 1, 7 + IS_ENABLED(CONFIG_MITIGATION_SLS)),
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
		{ { 0xff, 0xe0 }, 2 },
		{ { 0xff, 0xd0 }, 2, KPROBE_REASON_CALL },
	};
	struct kprobe_region region;
	struct kprobe_insn plan;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_ASSERT_EQ(test, 0, x86_kprobe_plan(&plan, cases[i].insn, 4, FROM));
		KUNIT_EXPECT_EQ(test, cases[i].reason,
				kprobe_region_of_one(&x86_kprobe_isa, &region, &plan,
						     cases[i].insn, 4, FROM));
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

static struct kunit_case x86_region_cases[] = {
	KUNIT_CASE_PARAM(x86_region_plan, plan_gen_params),
	KUNIT_CASE_PARAM(x86_region_emit, emit_gen_params),
	KUNIT_CASE(x86_region_of_one),
	KUNIT_CASE_PARAM(x86_region_reach, reach_gen_params),
	KUNIT_CASE(x86_region_any_bytes),
	{ }
};

static struct kunit_suite x86_region_suite = {
	.name = "kprobes_x86_region",
	.test_cases = x86_region_cases,
};

kunit_test_suite(x86_region_suite);

MODULE_DESCRIPTION("KUnit tests of the regions that kprobes' jumps replace on x86");
MODULE_LICENSE("GPL");
