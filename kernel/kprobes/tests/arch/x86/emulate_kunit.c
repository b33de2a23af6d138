// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of emulated instructions: arch_kprobe_emulate() on byte arrays, made-up registers
 * and stacks.
 */
#include <kunit/test.h>
#include <linux/kprobe_arch.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <asm/insn.h>
#include <asm/page_types.h>
#include <asm/processor-flags.h>
#include <asm/ptrace.h>

#include "../../../../../arch/x86/kernel/kprobes-insn.h"

/* The address of the instructions. */
#define ADDR	0xffffffff81234567UL

#define BYTES(...) \
	.insn = { __VA_ARGS__ }, .size = sizeof((u8[]){ __VA_ARGS__ })

enum { AX, CX, DX, BX, SP, BP, SI, DI, R8, R9, R10, R11, R12, R13, R14, R15, REGS };

#define NO_REG	X86_KPROBE_NO_REG

static unsigned long *reg(struct pt_regs *regs, int nr)
{
	unsigned long *const all[REGS] = {
		&regs->ax, &regs->cx, &regs->dx, &regs->bx,
		&regs->sp, &regs->bp, &regs->si, &regs->di,
		&regs->r8, &regs->r9, &regs->r10, &regs->r11,
		&regs->r12, &regs->r13, &regs->r14, &regs->r15,
	};

	return all[nr];
}

/* Gives each register another value, none of which is a valid address. */
static void fill_regs(struct pt_regs *regs)
{
	int i;

	memset(regs, 0, sizeof(*regs));
	for (i = 0; i < REGS; i++)
		*reg(regs, i) = 0x1010101010101010UL * (i & 7) + i;
	regs->flags = X86_EFLAGS_FIXED | X86_EFLAGS_IF;
	regs->ip = ADDR + 1;
}

/* Jumps */

static bool emulate(struct kunit *test, const u8 *insn, size_t size,
		    struct pt_regs *regs)
{
	struct kprobe_insn plan;
	struct kprobe_point point = { .site = ADDR, .emulated = &plan };
	bool done;

	KUNIT_ASSERT_EQ(test, x86_kprobe_plan(&plan, insn, size, ADDR), 0);
	KUNIT_ASSERT_NE(test, plan.action, KPROBE_RUN);
	point.len = plan.len;
	preempt_disable();
	done = arch_kprobe_emulate(&point, regs);
	preempt_enable();
	return done;
}

/* Nothing but the instruction pointer may have changed. */
static void expect_ip(struct kunit *test, struct pt_regs *regs, unsigned long ip)
{
	struct pt_regs want;

	fill_regs(&want);
	want.flags = regs->flags;
	want.ip = ip;
	KUNIT_EXPECT_EQ(test, regs->ip, ip);
	KUNIT_EXPECT_MEMEQ(test, regs, &want, sizeof(want));
}

static void x86_emulate_jumps(struct kunit *test)
{
	static const struct {
		u8 insn[MAX_INSN_SIZE];
		size_t size;
		long distance;
	} cases[] = {
		{ BYTES(0x90), 0 },
		{ BYTES(0x66, 0x0f, 0x1f, 0x44, 0, 0), 0 },
		{ BYTES(0xeb, 0x7f), 0x7f },
		{ BYTES(0xeb, 0x80), -0x80 },
		{ BYTES(0xe9, 0xff, 0xff, 0xff, 0x7f), S32_MAX },
		{ BYTES(0xe9, 0x00, 0x00, 0x00, 0x80), S32_MIN },
		{ BYTES(0x2e, 0xe9, 0xf0, 0xff, 0xff, 0xff), -0x10 },
	};
	struct pt_regs regs;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		fill_regs(&regs);
		KUNIT_EXPECT_TRUE(test, emulate(test, cases[i].insn, cases[i].size, &regs));
		expect_ip(test, &regs, ADDR + cases[i].size + cases[i].distance);
	}
}

/* Has the CPU evaluate all conditions, in the order of their opcodes. */
static void ask_cpu(unsigned long flags, bool taken[16])
{
	asm volatile("push %[flags]\n\tpopf\n\t"
		     "seto   0(%[to])\n\tsetno  1(%[to])\n\t"
		     "setb   2(%[to])\n\tsetae  3(%[to])\n\t"
		     "sete   4(%[to])\n\tsetne  5(%[to])\n\t"
		     "setbe  6(%[to])\n\tseta   7(%[to])\n\t"
		     "sets   8(%[to])\n\tsetns  9(%[to])\n\t"
		     "setp  10(%[to])\n\tsetnp 11(%[to])\n\t"
		     "setl  12(%[to])\n\tsetge 13(%[to])\n\t"
		     "setle 14(%[to])\n\tsetg  15(%[to])"
		     : : [flags] "r" (flags), [to] "r" (taken) : "cc", "memory");
}

/* Makes flags for conditions from the bits of @pick. */
static unsigned long make_flags(unsigned int pick)
{
	return X86_EFLAGS_FIXED | X86_EFLAGS_IF |
	       (pick & 1 ? X86_EFLAGS_CF : 0) | (pick & 2 ? X86_EFLAGS_PF : 0) |
	       (pick & 4 ? X86_EFLAGS_ZF : 0) | (pick & 8 ? X86_EFLAGS_SF : 0) |
	       (pick & 16 ? X86_EFLAGS_OF : 0);
}

static void expect_jump(struct kunit *test, const u8 *insn, size_t size,
			unsigned long flags, long distance)
{
	struct pt_regs regs;

	fill_regs(&regs);
	regs.flags = flags;
	KUNIT_EXPECT_TRUE(test, emulate(test, insn, size, &regs));
	KUNIT_EXPECT_EQ(test, regs.flags, flags);
	expect_ip(test, &regs, ADDR + size + distance);
}

static void x86_emulate_jcc(struct kunit *test)
{
	unsigned int cc, pick;
	bool taken[16];

	for (pick = 0; pick < 32; pick++) {
		unsigned long flags = make_flags(pick);

		ask_cpu(flags, taken);
		for (cc = 0; cc < 16; cc++) {
			u8 near[] = { 0x70 + cc, 0x80 };
			u8 far[] = { 0x0f, 0x80 + cc, 0x78, 0x56, 0x34, 0x12 };

			expect_jump(test, near, sizeof(near), flags,
				    taken[cc] ? -0x80 : 0);
			expect_jump(test, far, sizeof(far), flags,
				    taken[cc] ? 0x12345678 : 0);
		}
	}
}

struct loop_case {
	u8 insn[3];
	size_t size;
	unsigned long cx;
	bool zf;
	bool taken;
	unsigned long left;
};

#define LOOP(count, zero, goes, then, ...) \
	{ BYTES(__VA_ARGS__), .cx = count, .zf = zero, .taken = goes, .left = then }

static const struct loop_case loop_cases[] = {
	LOOP(2, false, true, 1, 0xe2, 0x10),
	LOOP(1, true, false, 0, 0xe2, 0x10),
	LOOP(0, false, true, -1UL, 0xe2, 0x10),
	LOOP(SZ_4G + 1, false, true, SZ_4G, 0xe2, 0x10),
	LOOP(SZ_4G + 1, false, false, 0, 0x67, 0xe2, 0x10),
	LOOP(SZ_4G + 2, false, true, 1, 0x67, 0xe2, 0x10),
	LOOP(SZ_4G, false, true, U32_MAX, 0x67, 0xe2, 0x10),
	LOOP(2, true, true, 1, 0xe1, 0x10),
	LOOP(2, false, false, 1, 0xe1, 0x10),
	LOOP(1, true, false, 0, 0xe1, 0x10),
	LOOP(2, true, false, 1, 0xe0, 0x10),
	LOOP(2, false, true, 1, 0xe0, 0x10),
	LOOP(1, false, false, 0, 0xe0, 0x10),
	LOOP(0, false, true, 0, 0xe3, 0x10),
	LOOP(1, true, false, 1, 0xe3, 0x10),
	LOOP(SZ_4G, false, false, SZ_4G, 0xe3, 0x10),
	LOOP(SZ_4G, false, true, SZ_4G, 0x67, 0xe3, 0x10),
	LOOP(SZ_4G + 1, false, false, SZ_4G + 1, 0x67, 0xe3, 0x10),
};

static void x86_emulate_loop(struct kunit *test)
{
	const struct loop_case *c;
	struct pt_regs regs;

	for (c = loop_cases; c < loop_cases + ARRAY_SIZE(loop_cases); c++) {
		fill_regs(&regs);
		regs.cx = c->cx;
		regs.flags |= c->zf ? X86_EFLAGS_ZF : 0;
		KUNIT_EXPECT_TRUE(test, emulate(test, c->insn, c->size, &regs));
		KUNIT_EXPECT_EQ_MSG(test, regs.cx, c->left, "%*ph, count %lx",
				    (int)c->size, c->insn, c->cx);
		*reg(&regs, CX) = 0x1010101010101010UL + CX;
		expect_ip(test, &regs, ADDR + c->size + (c->taken ? 0x10 : 0));
	}
}

/* Calls, returns, indirect branches: with a stack */

#define TARGET	0xffffffff89abcdefUL
#define CELLS	32

/* The index of the word in stack or memory that has the target. */
#define CELL	20

static void x86_emulate_call(struct kunit *test)
{
	static const u8 call[] = { 0xe8, 0x00, 0xff, 0xff, 0xff };
	static const u8 cs_call[] = { 0x2e, 0xe8, 0x00, 0x01, 0x00, 0x00 };
	unsigned long stack[CELLS] = { };
	struct pt_regs regs;

	fill_regs(&regs);
	regs.sp = (unsigned long)&stack[CELL];
	KUNIT_EXPECT_TRUE(test, emulate(test, call, sizeof(call), &regs));
	KUNIT_EXPECT_EQ(test, regs.ip, ADDR + 5 - 0x100);
	KUNIT_EXPECT_PTR_EQ(test, (void *)regs.sp, (void *)&stack[CELL - 1]);
	KUNIT_EXPECT_EQ(test, stack[CELL - 1], ADDR + 5);

	KUNIT_EXPECT_TRUE(test, emulate(test, cs_call, sizeof(cs_call), &regs));
	KUNIT_EXPECT_EQ(test, regs.ip, ADDR + 6 + 0x100);
	KUNIT_EXPECT_PTR_EQ(test, (void *)regs.sp, (void *)&stack[CELL - 2]);
	KUNIT_EXPECT_EQ(test, stack[CELL - 2], ADDR + 6);
	KUNIT_EXPECT_EQ(test, stack[CELL - 3], 0);
}

static void x86_emulate_ret(struct kunit *test)
{
	static const u8 ret[] = { 0xc3 }, ret_drop[] = { 0xc2, 0x00, 0x80 };
	unsigned long stack[CELLS] = { [CELL] = TARGET };
	struct pt_regs regs;

	fill_regs(&regs);
	regs.sp = (unsigned long)&stack[CELL];
	KUNIT_EXPECT_TRUE(test, emulate(test, ret, sizeof(ret), &regs));
	KUNIT_EXPECT_PTR_EQ(test, (void *)regs.sp, (void *)&stack[CELL + 1]);
	*reg(&regs, SP) = 0x4040404040404040UL + SP;
	expect_ip(test, &regs, TARGET);

	regs.sp = (unsigned long)&stack[CELL];
	KUNIT_EXPECT_TRUE(test, emulate(test, ret_drop, sizeof(ret_drop), &regs));
	KUNIT_EXPECT_EQ(test, regs.sp, (unsigned long)&stack[CELL + 1] + 0x8000);
	*reg(&regs, SP) = 0x4040404040404040UL + SP;
	expect_ip(test, &regs, TARGET);
}

static void x86_emulate_register(struct kunit *test)
{
	unsigned long stack[CELLS] = { };
	struct pt_regs regs;
	int nr;

	for (nr = 0; nr < REGS; nr++) {
		u8 call[] = { nr & 8 ? 0x41 : 0x40, 0xff, 0xd0 | (nr & 7) };
		u8 jmp[] = { 0x3e, nr & 8 ? 0x41 : 0x40, 0xff, 0xe0 | (nr & 7) };
		unsigned long target;

		fill_regs(&regs);
		regs.sp = (unsigned long)&stack[CELL];
		target = *reg(&regs, nr);
		KUNIT_EXPECT_TRUE(test, emulate(test, jmp, sizeof(jmp), &regs));
		KUNIT_EXPECT_EQ(test, regs.ip, target);
		KUNIT_EXPECT_TRUE(test, emulate(test, call, sizeof(call), &regs));
		KUNIT_EXPECT_EQ(test, regs.ip, target);
		KUNIT_EXPECT_PTR_EQ(test, (void *)regs.sp, (void *)&stack[CELL - 1]);
		KUNIT_EXPECT_EQ(test, stack[CELL - 1], ADDR + sizeof(call));
	}
}

struct memory_case {
	const char *name;
	u8 insn[MAX_INSN_SIZE];	/* with ModRM's reg field 0 */
	size_t size;
	u8 at;			/* offset of ModRM */
	u8 base;
	long delta;		/* offset of the target's cell from the base */
	u8 index;
	long count;
};

static const struct memory_case memory_cases[] = {
	{ "[rax]", BYTES(0xff, 0x00), 1, AX, 0, NO_REG },
	{ "[rdi+8]", BYTES(0xff, 0x47, 0x08), 1, DI, 8, NO_REG },
	{ "[rbp-0x80]", BYTES(0xff, 0x45, 0x80), 1, BP, -0x80, NO_REG },
	{ "[rcx+disp32]", BYTES(0xff, 0x81, 0, 0, 0x01, 0x80), 1, CX, -0x7fff0000, NO_REG },
	{ "[r11]", BYTES(0x41, 0xff, 0x03), 2, R11, 0, NO_REG },
	{ "[r12]", BYTES(0x41, 0xff, 0x04, 0x24), 2, R12, 0, NO_REG },
	{ "[r13+0]", BYTES(0x41, 0xff, 0x45, 0x00), 2, R13, 0, NO_REG },
	{ "[rsp]", BYTES(0xff, 0x04, 0x24), 1, SP, 0, NO_REG },
	{ "[rsp+0x28]", BYTES(0xff, 0x44, 0x24, 0x28), 1, SP, 0x28, NO_REG },
	{ "[rax+rbx*8]", BYTES(0xff, 0x04, 0xd8), 1, AX, 24, BX, 3 },
	{ "[rax-rbx*4-8]", BYTES(0xff, 0x44, 0x98, 0xf8), 1, AX, -20, BX, -3 },
	{ "[r13+r12*2+0]", BYTES(0x43, 0xff, 0x44, 0x65, 0x00), 2, R13, 10, R12, 5 },
	{ "[rdx+r9]", BYTES(0x42, 0xff, 0x04, 0x0a), 2, DX, 7, R9, 7 },
	{ "[rax*8+disp32]", BYTES(0xff, 0x04, 0xc5, 0x10, 0, 0, 0), 1, NO_REG, 0x10, AX },
	{ "notrack [rax]", BYTES(0x3e, 0xff, 0x00), 2, AX, 0, NO_REG },
	{ "rex.w ss:[rax]", BYTES(0x36, 0x48, 0xff, 0x00), 3, AX, 0, NO_REG },
};

KUNIT_ARRAY_PARAM_DESC(memory, memory_cases, name);

/* Sets registers so that the operand is @cell. */
static void aim(const struct memory_case *c, struct pt_regs *regs, unsigned long *cell)
{
	if (c->base != NO_REG)
		*reg(regs, c->base) = (unsigned long)cell - c->delta;
	if (c->index != NO_REG)
		*reg(regs, c->index) = c->count;
	if (c->base == NO_REG)
		*reg(regs, c->index) = ((unsigned long)cell - c->delta) / 8;
}

static void x86_emulate_memory(struct kunit *test)
{
	const struct memory_case *c = test->param_value;
	unsigned long stack[CELLS] = { [CELL] = TARGET };
	unsigned long sp, *pushed;
	struct pt_regs regs, before;
	u8 insn[MAX_INSN_SIZE];

	fill_regs(&regs);
	regs.sp = (unsigned long)&stack[CELL / 2];
	aim(c, &regs, &stack[CELL]);
	sp = regs.sp;
	before = regs;
	before.ip = TARGET;

	memcpy(insn, c->insn, c->size);
	insn[c->at] |= 4 << 3;
	KUNIT_EXPECT_TRUE(test, emulate(test, insn, c->size, &regs));
	KUNIT_EXPECT_MEMEQ(test, &regs, &before, sizeof(regs));

	insn[c->at] ^= (4 ^ 2) << 3;
	KUNIT_EXPECT_TRUE(test, emulate(test, insn, c->size, &regs));
	pushed = (unsigned long *)regs.sp;
	KUNIT_EXPECT_EQ(test, regs.sp, sp - sizeof(long));
	KUNIT_EXPECT_EQ(test, *pushed, ADDR + c->size);
	before.sp = regs.sp;
	KUNIT_EXPECT_MEMEQ(test, &regs, &before, sizeof(regs));
}

/* Takes an address for @insn from which its displacement leads to the target's cell. */
static void x86_emulate_rip_relative(struct kunit *test)
{
	static const u8 jmp[] = { 0xff, 0x25, 0x00, 0xf0, 0xff, 0xff };
	unsigned long cell = TARGET;
	struct kprobe_insn plan;
	struct kprobe_point point = {
		.site = (unsigned long)&cell + 0x1000 - sizeof(jmp),
		.len = sizeof(jmp),
		.emulated = &plan,
	};
	struct pt_regs regs;

	KUNIT_ASSERT_EQ(test, x86_kprobe_plan(&plan, jmp, sizeof(jmp), ADDR), 0);
	KUNIT_EXPECT_EQ(test, plan.arch.rip_at, 2);
	fill_regs(&regs);
	KUNIT_EXPECT_TRUE(test, arch_kprobe_emulate(&point, &regs));
	expect_ip(test, &regs, TARGET);
}

static DEFINE_PER_CPU(unsigned long, percpu_target);

static void x86_emulate_percpu(struct kunit *test)
{
	u8 jmp[] = { 0x65, 0xff, 0x24, 0x25, 0, 0, 0, 0 };
	u8 jmp_based[] = { 0x65, 0xff, 0x66, 0x08 };
	unsigned long offset = (__force unsigned long)&percpu_target;
	struct pt_regs regs;
	int cpu;

	if (!IS_ENABLED(CONFIG_SMP))
		kunit_skip(test, "no segment for per-CPU data without SMP");
	for_each_possible_cpu(cpu)
		per_cpu(percpu_target, cpu) = TARGET + cpu;
	KUNIT_ASSERT_EQ(test, (long)offset, (s32)offset);
	put_unaligned_le32(offset, jmp + 4);

	migrate_disable();
	fill_regs(&regs);
	KUNIT_EXPECT_TRUE(test, emulate(test, jmp, sizeof(jmp), &regs));
	expect_ip(test, &regs, TARGET + smp_processor_id());

	fill_regs(&regs);
	regs.si = offset - 8;
	KUNIT_EXPECT_TRUE(test, emulate(test, jmp_based, sizeof(jmp_based), &regs));
	KUNIT_EXPECT_EQ(test, regs.ip, TARGET + smp_processor_id());
	migrate_enable();
}

/* Emulation fails without any effect, so that the copy runs and faults. */
static void x86_emulate_unreadable_target(struct kunit *test)
{
	const unsigned long nowhere[] = {
		0, 0x1000, TASK_SIZE_MAX - 8, BIT(62), BIT(63),
		0xffff800000000000UL, 0xffffffffff600000UL, -8UL,
	};
	static const u8 insns[][3] = { { 0xff, 0x60, 0 }, { 0xff, 0x50, 0 } };
	struct pt_regs regs, before;
	int i, n;

	for (i = 0; i < ARRAY_SIZE(nowhere); i++) {
		for (n = 0; n < ARRAY_SIZE(insns); n++) {
			fill_regs(&regs);
			regs.ax = nowhere[i];
			before = regs;
			KUNIT_EXPECT_FALSE(test, emulate(test, insns[n], 3, &regs));
			KUNIT_EXPECT_MEMEQ(test, &regs, &before, sizeof(regs));
		}
	}
}

static struct kunit_case x86_emulate_cases[] = {
	KUNIT_CASE(x86_emulate_jumps),
	KUNIT_CASE(x86_emulate_jcc),
	KUNIT_CASE(x86_emulate_loop),
	KUNIT_CASE(x86_emulate_call),
	KUNIT_CASE(x86_emulate_ret),
	KUNIT_CASE(x86_emulate_register),
	KUNIT_CASE_PARAM(x86_emulate_memory, memory_gen_params),
	KUNIT_CASE(x86_emulate_rip_relative),
	KUNIT_CASE(x86_emulate_percpu),
	KUNIT_CASE(x86_emulate_unreadable_target),
	{ }
};

static struct kunit_suite x86_emulate_suite = {
	.name = "kprobes_x86_emulate",
	.test_cases = x86_emulate_cases,
};

kunit_test_suite(x86_emulate_suite);

MODULE_DESCRIPTION("KUnit tests of kprobes' emulated x86 instructions");
MODULE_LICENSE("GPL");
