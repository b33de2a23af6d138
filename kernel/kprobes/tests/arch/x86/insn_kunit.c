// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of plans and copies of instructions, on byte arrays: x86_kprobe_isa's plan() and
 * emit(). Nothing is patched or executed.
 */
#include <kunit/test.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <asm/insn.h>
#include <asm/text-patching.h>

#include "../../../../../arch/x86/kernel/kprobes-insn.h"

#define ADDR	0xffffffff81234567UL

#define BYTES(...) \
	.insn = { __VA_ARGS__ }, .size = sizeof((u8[]){ __VA_ARGS__ })

/* Plans */

struct verdict_case {
	const char *name;
	u8 insn[24];
	size_t size;
	enum kprobe_reason reason;
	enum kprobe_action action;
	enum kprobe_flow flow;
	u8 rip_at;
	size_t len;		/* @size if 0 */
};

/* Refused for any reason: reasons are compared in tools/testing/kprobes-isa/golden. */
#define ANY_REASON	KPROBE_REASONS

#define RUN(text, ...)	{ .name = text, BYTES(__VA_ARGS__), .action = KPROBE_RUN }
#define RUN_RIP(text, at, ...) \
	{ .name = text, BYTES(__VA_ARGS__), .action = KPROBE_RUN, .rip_at = at }
#define NOP(text, ...)	{ .name = text, BYTES(__VA_ARGS__), .action = KPROBE_NOP }
#define EMULATED(text, where, ...) \
	{ .name = text, BYTES(__VA_ARGS__), .action = KPROBE_EMULATE, \
	  .flow = KPROBE_FLOW_##where }
#define REFUSED(text, ...)	{ .name = text, BYTES(__VA_ARGS__), .reason = ANY_REASON }
#define NO_INSN(text, ...) \
	{ .name = text, BYTES(__VA_ARGS__), .reason = KPROBE_REASON_UNDECODABLE }

static enum kprobe_reason plan_at(struct kprobe_insn *plan, const u8 *insn, size_t avail)
{
	return x86_kprobe_isa.plan(plan, insn, avail, ADDR);
}

static const struct verdict_case verdict_cases[] = {
	RUN("push rbp", 0x55),
	RUN("mov rbp, rsp", 0x48, 0x89, 0xe5),
	RUN("pushf", 0x9c),
	RUN("popf", 0x9d),
	RUN("cli", 0xfa),
	RUN("rep movsq", 0xf3, 0x48, 0xa5),
	RUN("lock cmpxchg [rdi], rsi", 0xf0, 0x48, 0x0f, 0xb1, 0x37),
	RUN("mov rax, gs:[0x28]", 0x65, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0),
	RUN("movabs rax, moffs", 0x48, 0xa1, 1, 2, 3, 4, 5, 6, 7, 8),
	RUN("movabs rax, imm64", 0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8),
	RUN("push imm8", 0x6a, 0x7f),
	RUN("enter", 0xc8, 0x10, 0, 0),
	RUN("leave", 0xc9),
	RUN("push [rax]", 0xff, 0x30),
	RUN("inc [rax]", 0xff, 0x00),
	RUN("pop [rax]", 0x8f, 0x00),
	RUN("pause", 0xf3, 0x90),
	RUN("xchg r8, rax", 0x49, 0x90),
	RUN("lock nop faults", 0xf0, 0x90),
	RUN("mov ds, eax", 0x8e, 0xd8),
	RUN("clac", 0x0f, 0x01, 0xca),
	RUN("stac", 0x0f, 0x01, 0xcb),
	RUN("rdtscp", 0x0f, 0x01, 0xf9),
	RUN("vmcall", 0x0f, 0x01, 0xc1),
	RUN("rdsspq", 0xf3, 0x48, 0x0f, 0x1e, 0xc8),
	RUN("lfence", 0x0f, 0xae, 0xe8),
	RUN("wrmsr", 0x0f, 0x30),
	RUN("prefetchw [rax]", 0x0f, 0x0d, 0x08),
	RUN("xabort", 0xc6, 0xf8, 0x01),
	RUN("mov dword [rax], imm32", 0xc7, 0x00, 1, 2, 3, 4),
	/* The same opcode bytes as jnbe, jmp, ud2: VEX and EVEX have other maps. */
	RUN("vzeroupper", 0xc5, 0xf8, 0x77),
	RUN("vpxor xmm0", 0xc5, 0xf9, 0xef, 0xc0),
	RUN("vpmulhrsw xmm0", 0xc4, 0xe2, 0x79, 0x0b, 0xc0),
	RUN("vpternlogd zmm0", 0x62, 0xf3, 0x7d, 0x48, 0x25, 0xc0, 0xff),
	/* pshufb, whose last opcode byte is push es */
	RUN("phsubd mm0, mm1", 0x0f, 0x38, 0x06, 0xc1),
	{ .name = "sti, ret", BYTES(0xfb, 0xc3), .action = KPROBE_RUN, .len = 1 },
	{ .name = "sti, end", BYTES(0xfb), .action = KPROBE_RUN },

	RUN_RIP("mov rax, [rip]", 3, 0x48, 0x8b, 0x05, 1, 2, 3, 4),
	RUN_RIP("lea rdi, [rip]", 3, 0x48, 0x8d, 0x3d, 1, 2, 3, 4),
	RUN_RIP("cmp dword [rip], imm32", 2, 0x81, 0x3d, 1, 2, 3, 4, 5, 6, 7, 8),
	RUN_RIP("test byte [rip], imm8", 2, 0xf6, 0x05, 1, 2, 3, 4, 5),
	RUN_RIP("mov gs:[rip], rax", 4, 0x65, 0x48, 0x89, 0x05, 1, 2, 3, 4),
	RUN_RIP("pshufb xmm0, [rip]", 5, 0x66, 0x0f, 0x38, 0x00, 0x05, 1, 2, 3, 4),
	RUN_RIP("vmovdqu ymm0, [rip]", 4, 0xc5, 0xfe, 0x6f, 0x05, 1, 2, 3, 4),
	RUN_RIP("push [rip]", 2, 0xff, 0x35, 1, 2, 3, 4),

	NOP("nop", 0x90),
	NOP("data16 nop", 0x66, 0x90),
	NOP("nop dword [rax]", 0x0f, 0x1f, 0x00),
	RUN("four prefixes, inc [rax]", 0x2e, 0x36, 0x3e, 0x66, 0xff, 0x00),
	NOP("nop 11", 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0),
	EMULATED("call", CALL, 0xe8, 1, 2, 3, 4),
	EMULATED("cs call", CALL, 0x2e, 0xe8, 1, 2, 3, 4),
	EMULATED("addr32 call", CALL, 0x67, 0xe8, 1, 2, 3, 4),
	EMULATED("jmp rel8", JUMP, 0xeb, 0x80),
	EMULATED("jmp rel32", JUMP, 0xe9, 1, 2, 3, 4),
	EMULATED("bnd jmp rel32", JUMP, 0xf2, 0xe9, 1, 2, 3, 4),
	EMULATED("je rel8", COND, 0x74, 0x10),
	EMULATED("jg rel32", COND, 0x0f, 0x8f, 1, 2, 3, 4),
	EMULATED("cs jne rel32", COND, 0x2e, 0x0f, 0x85, 1, 2, 3, 4),
	EMULATED("loop", COND, 0xe2, 0xfe),
	EMULATED("loope", COND, 0xe1, 0xfe),
	EMULATED("loopne", COND, 0xe0, 0xfe),
	EMULATED("jrcxz", COND, 0xe3, 0xfe),
	EMULATED("jecxz", COND, 0x67, 0xe3, 0xfe),
	EMULATED("ret", RETURN, 0xc3),
	EMULATED("ret imm16", RETURN, 0xc2, 0x10, 0),
	EMULATED("rep ret", RETURN, 0xf3, 0xc3),
	EMULATED("bnd ret", RETURN, 0xf2, 0xc3),
	EMULATED("jmp rax", JUMP_INDIRECT, 0xff, 0xe0),
	EMULATED("call r11", CALL_INDIRECT, 0x41, 0xff, 0xd3),
	EMULATED("cs call r11", CALL_INDIRECT, 0x2e, 0x41, 0xff, 0xd3),
	EMULATED("notrack jmp rax", JUMP_INDIRECT, 0x3e, 0xff, 0xe0),
	EMULATED("call [rax]", CALL_INDIRECT, 0xff, 0x10),

	REFUSED("int3", 0xcc),
	REFUSED("int 0x80", 0xcd, 0x80),
	REFUSED("int1", 0xf1),
	REFUSED("ud2", 0x0f, 0x0b),
	REFUSED("ud1", 0x0f, 0xb9, 0xc0),
	REFUSED("ud0", 0x0f, 0xff, 0xc0),
	REFUSED("xen cpuid", 0x0f, 0x0b, 0x78, 0x65, 0x6e, 0x0f, 0xa2),
	REFUSED("kvm cpuid", 0x0f, 0x0b, 0x6b, 0x76, 0x6d, 0x0f, 0xa2),
	REFUSED("call far [rax]", 0xff, 0x18),
	REFUSED("jmp far [rax]", 0xff, 0x28),
	REFUSED("ret far", 0xcb),
	REFUSED("ret far imm16", 0xca, 0x08, 0x00),
	REFUSED("lretq", 0x48, 0xcb),
	REFUSED("iretq", 0x48, 0xcf),
	REFUSED("syscall", 0x0f, 0x05),
	REFUSED("sysretq", 0x48, 0x0f, 0x07),
	REFUSED("sysenter", 0x0f, 0x34),
	REFUSED("sysexit", 0x0f, 0x35),
	REFUSED("rsm", 0x0f, 0xaa),
	REFUSED("erets", 0xf2, 0x0f, 0x01, 0xca),
	REFUSED("eretu", 0xf3, 0x0f, 0x01, 0xca),
	REFUSED("uiret", 0xf3, 0x0f, 0x01, 0xec),
	REFUSED("swapgs", 0x0f, 0x01, 0xf8),
	REFUSED("getsec", 0x0f, 0x37),
	REFUSED("vmlaunch", 0x0f, 0x01, 0xc2),
	REFUSED("vmresume", 0x0f, 0x01, 0xc3),
	REFUSED("tdcall", 0x66, 0x0f, 0x01, 0xcc),
	REFUSED("seamret", 0x66, 0x0f, 0x01, 0xcd),
	REFUSED("seamcall", 0x66, 0x0f, 0x01, 0xcf),
	REFUSED("encls", 0x0f, 0x01, 0xcf),
	REFUSED("enclu", 0x0f, 0x01, 0xd7),
	REFUSED("enclv", 0x0f, 0x01, 0xc0),
	REFUSED("vmrun", 0x0f, 0x01, 0xd8),
	REFUSED("skinit", 0x0f, 0x01, 0xde),
	REFUSED("endbr64", 0xf3, 0x0f, 0x1e, 0xfa),
	REFUSED("endbr32", 0xf3, 0x0f, 0x1e, 0xfb),
	REFUSED("xbegin", 0xc7, 0xf8, 1, 2, 3, 4),
	REFUSED("hlt", 0xf4),
	REFUSED("mwait", 0x0f, 0x01, 0xc9),
	REFUSED("mwaitx", 0x0f, 0x01, 0xfb),
	REFUSED("sti, hlt", 0xfb, 0xf4),
	REFUSED("sti, mwait", 0xfb, 0x0f, 0x01, 0xc9),
	REFUSED("sti, sysexit", 0xfb, 0x0f, 0x35),
	REFUSED("mov ss, eax", 0x8e, 0xd0),
	REFUSED("xop vpcmov", 0x8f, 0xe8, 0x78, 0xa2, 0xc0, 0x10),
	REFUSED("rel16 call", 0x66, 0xe8, 1, 2, 3, 4),
	REFUSED("rel16 jmp", 0x66, 0xe9, 1, 2, 3, 4),
	REFUSED("rel16 je", 0x66, 0x0f, 0x84, 1, 2, 3, 4),
	REFUSED("data16 je rel8", 0x66, 0x74, 0x10),
	REFUSED("data16 loop", 0x66, 0xe2, 0xfe),
	REFUSED("data16 ret", 0x66, 0xc3),
	REFUSED("data16 jmp rax", 0x66, 0xff, 0xe0),
	REFUSED("lock call [rax]", 0xf0, 0xff, 0x10),
	REFUSED("jmp fs:[rax]", 0x64, 0xff, 0x20),
	REFUSED("call [eax]", 0x67, 0xff, 0x10),
	REFUSED("mov rax, [eip]", 0x67, 0x48, 0x8b, 0x05, 1, 2, 3, 4),
	REFUSED("rex2 add r16, rax", 0xd5, 0x18, 0x01, 0xc0),
	/* The decoder keeps four, and takes the next for an opcode. */
	REFUSED("five prefixes, inc [rax]", 0x2e, 0x36, 0x64, 0x65, 0x66, 0xff, 0x00),
	REFUSED("five prefixes, nop", 0x66, 0x2e, 0x3e, 0x26, 0x36, 0x90),
	REFUSED("five prefixes, lock inc", 0x2e, 0x36, 0x64, 0x66, 0xf0, 0xff, 0x00),
	REFUSED("rex, data16 nop", 0x48, 0x66, 0x90),
	REFUSED("rex, rex inc [rax]", 0x48, 0x48, 0xff, 0x00),
	REFUSED("jmpabs", 0xd5, 0x00, 0xa1, 1, 2, 3, 4, 5, 6, 7, 8),

	NO_INSN("nothing"),
	NO_INSN("pop es", 0x07),
	NO_INSN("pop ss", 0x17),
	NO_INSN("call far imm", 0x9a, 1, 2, 3, 4, 5, 6),
	NO_INSN("jmp far imm", 0xea, 1, 2, 3, 4, 5, 6),
	NO_INSN("into", 0xce),
	NO_INSN("pusha", 0x60),
	NO_INSN("aam", 0xd4, 0x0a),
	NO_INSN("prefixes only", 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
		0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x90),
	NO_INSN("vex without need", 0xc5, 0xf8, 0x05),
};

KUNIT_ARRAY_PARAM_DESC(verdict, verdict_cases, name);

/* Bytes after the instruction do not change its plan, but missing bytes do. */
static void expect_length(struct kunit *test, const struct verdict_case *c)
{
	struct kprobe_insn plan;
	size_t size;

	KUNIT_EXPECT_EQ(test, plan_at(&plan, c->insn, sizeof(c->insn)), KPROBE_REASON_NONE);
	KUNIT_EXPECT_EQ(test, plan.len, c->size);
	for (size = 0; size < c->size; size++)
		KUNIT_EXPECT_EQ_MSG(test, plan_at(&plan, c->insn, size),
				    KPROBE_REASON_UNDECODABLE, "%zu of %zu bytes",
				    size, c->size);
}

static unsigned int emit(const struct kprobe_insn *plan, const u8 *insn,
			 unsigned long from, u8 *copy, unsigned long to, bool *far)
{
	struct kprobe_code code = { .buf = copy, .size = MAX_INSN_SIZE, .base = to };

	x86_kprobe_isa.emit(&code, plan, insn, from);
	*far = code.far;
	return code.len;
}

static void expect_same_copy(struct kunit *test, const struct verdict_case *c,
			     const struct kprobe_insn *plan)
{
	u8 copy[MAX_INSN_SIZE + 1];
	bool far;

	memset(copy, 0xcc, sizeof(copy));
	KUNIT_EXPECT_EQ(test, emit(plan, c->insn, ADDR, copy, 0, &far), plan->len);
	KUNIT_EXPECT_FALSE(test, far);
	KUNIT_EXPECT_MEMEQ(test, copy, c->insn, plan->len);
	KUNIT_EXPECT_EQ(test, copy[plan->len], 0xcc);
}

static void expect_refused(struct kunit *test, const struct verdict_case *c,
			   enum kprobe_reason reason)
{
	if (c->reason != ANY_REASON) {
		KUNIT_EXPECT_EQ(test, reason, c->reason);
		return;
	}
	KUNIT_EXPECT_NE(test, reason, KPROBE_REASON_NONE);
	KUNIT_EXPECT_NE(test, reason, KPROBE_REASON_UNDECODABLE);
}

static void x86_insn_verdict(struct kunit *test)
{
	const struct verdict_case *c = test->param_value;
	struct kprobe_insn plan;
	enum kprobe_reason reason = plan_at(&plan, c->insn, c->size);

	if (c->reason) {
		expect_refused(test, c, reason);
		return;
	}
	KUNIT_ASSERT_EQ(test, reason, KPROBE_REASON_NONE);
	KUNIT_EXPECT_EQ(test, plan.action, c->action);
	KUNIT_EXPECT_EQ(test, plan.flow, c->flow);
	KUNIT_EXPECT_EQ(test, plan.len, c->len ?: c->size);
	KUNIT_EXPECT_EQ(test, plan.arch.rip_at, c->rip_at);
	if (!c->len)
		expect_length(test, c);
	if (plan.arch.rip_at)
		return;
	/* A jump may have a breakpoint after it, against speculation. */
	if (plan.action == KPROBE_RUN ||
	    (plan.may_fault && plan.flow == KPROBE_FLOW_CALL_INDIRECT))
		expect_same_copy(test, c, &plan);
}

/* For any bytes, a plan's offsets are within the instruction, and this within the bytes. */
static void x86_insn_any_bytes(struct kunit *test)
{
	static const u8 tails[] = { 0x00, 0x05, 0x25, 0xc0, 0xff };
	struct kprobe_insn plan;
	u8 insn[MAX_INSN_SIZE];
	unsigned int i, n;

	for (i = 0; i <= U16_MAX; i++) {
		for (n = 0; n < ARRAY_SIZE(tails); n++) {
			memset(insn, tails[n], sizeof(insn));
			put_unaligned_be16(i, insn);
			if (plan_at(&plan, insn, sizeof(insn)))
				continue;
			KUNIT_ASSERT_GT(test, plan.len, 0);
			KUNIT_ASSERT_LE(test, plan.len, MAX_INSN_SIZE);
			KUNIT_ASSERT_LE(test, plan.action, KPROBE_EMULATE);
			KUNIT_ASSERT_LE(test, plan.flow, KPROBE_FLOW_PAD);
			if (plan.arch.rip_at)
				KUNIT_ASSERT_LE(test, plan.arch.rip_at + 4, plan.len);
		}
	}
}

/* Copies */

struct move_case {
	const char *name;
	unsigned long from;
	unsigned long to;
	s32 disp;
	bool far;
};

#define MOVE(text, f, t, d, e) \
	{ .name = text, .from = f, .to = t, .disp = d, .far = e }

static const struct move_case move_cases[] = {
	MOVE("stays", ADDR, ADDR, 0x1234, false),
	MOVE("up", ADDR, ADDR + SZ_16M, 0x1234, false),
	MOVE("down", ADDR, ADDR - SZ_16M, 0x1234, false),
	MOVE("up, target below", ADDR, ADDR + SZ_16M, -0x1234, false),
	MOVE("down, sign changes", ADDR, ADDR - 0x2000, -0x1234, false),
	MOVE("as far up as can be", ADDR, ADDR + SZ_2G - 1, -1, false),
	MOVE("too far up", ADDR, ADDR + SZ_2G, -1, true),
	MOVE("as far down as can be", ADDR, ADDR - SZ_2G + 1, 0, false),
	MOVE("too far down", ADDR, ADDR - SZ_2G, 0, true),
	MOVE("far, target between", ADDR, ADDR + 3UL * SZ_1G, SZ_1G + 1, false),
	MOVE("direct map", ADDR, 0xffff888000000000UL, 0, true),
	MOVE("across zero", -0x1000UL, 0x1000UL, 0x10, false),
	MOVE("across zero, down", 0x1000UL, -0x1000UL, -0x10, false),
};

KUNIT_ARRAY_PARAM_DESC(move, move_cases, name);

/* How long the int3 is that ends speculation after an indirect jump. */
static unsigned int end_len(const struct kprobe_insn *plan)
{
	return IS_ENABLED(CONFIG_MITIGATION_SLS) && plan->flow == KPROBE_FLOW_JUMP_INDIRECT ?
	       INT3_INSN_SIZE : 0;
}

static void expect_moved(struct kunit *test, const struct move_case *c,
			 const u8 *bytes, size_t size)
{
	u8 insn[MAX_INSN_SIZE], copy[MAX_INSN_SIZE];
	struct kprobe_insn plan;
	bool far;
	s32 disp;

	memcpy(insn, bytes, size);
	KUNIT_ASSERT_EQ(test, plan_at(&plan, insn, size), KPROBE_REASON_NONE);
	KUNIT_ASSERT_NE(test, plan.arch.rip_at, 0);
	put_unaligned_le32(c->disp, insn + plan.arch.rip_at);

	KUNIT_ASSERT_EQ(test, emit(&plan, insn, c->from, copy, c->to, &far),
			size + end_len(&plan));
	KUNIT_ASSERT_EQ(test, far, c->far);
	if (far)
		return;
	disp = get_unaligned_le32(copy + plan.arch.rip_at);
	KUNIT_EXPECT_EQ(test, c->from + size + c->disp, c->to + size + disp);
	put_unaligned_le32(c->disp, copy + plan.arch.rip_at);
	KUNIT_EXPECT_MEMEQ(test, copy, insn, size);
}

/* With an immediate after the displacement, and without. */
static void x86_insn_emit_rip_relative(struct kunit *test)
{
	static const u8 load[] = { 0x48, 0x8b, 0x05, 0, 0, 0, 0 };
	static const u8 store[] = { 0xc7, 0x05, 0, 0, 0, 0, 5, 6, 7, 8 };
	static const u8 jump[] = { 0xff, 0x25, 0, 0, 0, 0 };

	expect_moved(test, test->param_value, load, sizeof(load));
	expect_moved(test, test->param_value, store, sizeof(store));
	expect_moved(test, test->param_value, jump, sizeof(jump));
}

static struct kunit_case x86_insn_cases[] = {
	KUNIT_CASE_PARAM(x86_insn_verdict, verdict_gen_params),
	KUNIT_CASE(x86_insn_any_bytes),
	KUNIT_CASE_PARAM(x86_insn_emit_rip_relative, move_gen_params),
	{ }
};

static struct kunit_suite x86_insn_suite = {
	.name = "kprobes_x86_insn",
	.test_cases = x86_insn_cases,
};

kunit_test_suite(x86_insn_suite);

MODULE_DESCRIPTION("KUnit tests of kprobes' x86 instruction plans");
MODULE_LICENSE("GPL");
