// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of short jumps: of what they and their veneers are in the text, of hits that
 * come by them, of veneers that are replaced, run out and are given back.
 */
#include <kunit/test.h>
#include <linux/kallsyms.h>
#include <linux/kprobe_arch.h>

#include "../../../mechanism.h"
#include "../../optimized.h"
#include "step.h"
#include "unwind.h"

/* More than there are veneers in the prefixes around the function. */
#define DETOURS_MAX	64

static const struct kprobes_place *place(void)
{
	static struct kprobes_place short_only = { .symbol = "kprobes_unwind_short" };

	short_only.offset = kprobes_unwind_short_at;
	return &short_only;
}

static int call(void)
{
	return kprobes_unwind_short(41);
}

/* Where the short jump at a probe leads, and it is a veneer; 0 if there is none. */
static unsigned long veneer_of(const struct kprobes_counter *c)
{
	const u8 *text = (u8 *)c->kp.addr;
	unsigned long addr;

	if (text[0] != JMP8_INSN_OPCODE)
		return 0;
	addr = (unsigned long)text + JMP8_INSN_SIZE + (s8)text[1];
	return *(u8 *)addr == JMP32_INSN_OPCODE ? addr : 0;
}

/**
 * struct snapshot - text around the function, with the prefixes that jumps at it reach
 * @start: its first byte
 * @bytes: the text
 */
struct snapshot {
	unsigned long start;
	u8 bytes[2 * SZ_256];
};

/* Frees what earlier probes have left behind. */
static void drain(void)
{
	kprobe_disarm_pending();
	kprobes_wait_for_frees();
}

static struct snapshot *snapshot(struct kunit *test)
{
	struct snapshot *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	unsigned int patience = 20;

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->start = kprobes_place_addr(place()) - SZ_256;
	drain();
	do {
		memcpy(s->bytes, (void *)s->start, sizeof(s->bytes));
		drain();
	} while (--patience && memcmp(s->bytes, (void *)s->start, sizeof(s->bytes)));
	return s;
}

/* The text is as it was, as soon as the detours are freed. */
static void expect_text(struct kunit *test, const struct snapshot *s)
{
	unsigned int patience = 20;

	do
		drain();
	while (--patience && memcmp(s->bytes, (void *)s->start, sizeof(s->bytes)));
	KUNIT_EXPECT_MEMEQ(test, s->bytes, (void *)s->start, sizeof(s->bytes));
}

static void veneer_is_hit(struct kunit *test)
{
	struct snapshot *s = snapshot(test);
	struct kprobes_counter *c = kprobes_counter(test, place());
	u8 after;

	kprobes_expect_jump(test, c);
	KUNIT_EXPECT_NE(test, veneer_of(c), 0);
	after = s->bytes[SZ_256 + JMP8_INSN_SIZE];
	KUNIT_EXPECT_EQ(test, ((u8 *)c->kp.addr)[JMP8_INSN_SIZE], after);
	KUNIT_EXPECT_EQ(test, call(), 42);
	KUNIT_EXPECT_EQ(test, call(), 42);
	kprobes_expect_counts(test, c, 2, 2);
	KUNIT_EXPECT_EQ(test, c->pre_ip, (unsigned long)c->kp.addr + 1);
	KUNIT_EXPECT_EQ(test, c->post_ip, (unsigned long)c->kp.addr + JMP8_INSN_SIZE);
	unregister_kprobe(&c->kp);
	KUNIT_EXPECT_EQ(test, call(), 42);
	expect_text(test, s);
}

/* After the probed instruction, with another result. */
static int divert(struct kprobe *p, struct pt_regs *regs)
{
	regs->ax = 100;
	regs->ip = (unsigned long)p->addr + JMP8_INSN_SIZE;
	return 1;
}

static void veneer_diverts(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counter(test, place());

	c->in_pre = divert;
	kprobes_expect_jump(test, c);
	KUNIT_EXPECT_NE(test, veneer_of(c), 0);
	KUNIT_EXPECT_EQ(test, call(), 101);
	kprobes_expect_counts(test, c, 1, 0);
	unregister_kprobe(&c->kp);
}

/* A new detour has a new veneer: a task may still be at the old one. */
static void veneer_is_replaced(struct kunit *test)
{
	struct snapshot *s = snapshot(test);
	struct kprobes_counter *c = kprobes_counter(test, place());
	struct kprobes_counter *second = kprobes_counter(test, place());
	unsigned long first;

	kprobes_expect_jump(test, c);
	first = veneer_of(c);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&second->kp));
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_NE(test, veneer_of(c), 0);
	KUNIT_EXPECT_NE(test, veneer_of(c), first);
	KUNIT_EXPECT_EQ(test, call(), 42);
	kprobes_expect_counts(test, c, 1, 1);
	kprobes_expect_counts(test, second, 1, 1);
	unregister_kprobe(&second->kp);
	unregister_kprobe(&c->kp);
	expect_text(test, s);
}

/* While grace periods do not end, veneers are not given back. Hits are handled. */
static void veneers_run_out(struct kunit *test)
{
	struct snapshot *s = snapshot(test);
	struct kprobes_counter *c = kprobes_counter(test, place());
	struct kprobes_hog *hold;
	unsigned int i;

	kprobes_expect_jump(test, c);
	hold = kprobes_hold(test);
	for (i = 0; i < DETOURS_MAX; i++) {
		KUNIT_ASSERT_EQ(test, 0, disable_kprobe(&c->kp));
		kprobe_disarm_pending();
		KUNIT_ASSERT_EQ(test, 0, enable_kprobe(&c->kp));
		wait_for_kprobe_optimizer();
		KUNIT_EXPECT_EQ(test, call(), 42);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&c->pre), DETOURS_MAX);
	unregister_kprobe(&c->kp);
	kprobes_release(test, hold);
	expect_text(test, s);
}

static void veneer_is_refused(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counter(test, place());
	struct kprobe inside = { };
	int ret;

	kprobes_expect_jump(test, c);
	inside.addr = (kprobe_opcode_t *)veneer_of(c);
	ret = register_kprobe(&inside);
	KUNIT_EXPECT_EQ(test, ret, -EINVAL);
	if (!ret)
		unregister_kprobe(&inside);
	unregister_kprobe(&c->kp);
}

/**
 * struct stepped - the function is called and unwound from at its veneer
 * @steps:   for stepping
 * @veneer: the veneer
 * @ip:      what an unwinder takes it for
 */
struct stepped {
	struct kprobes_steps steps;
	unsigned long veneer;
	unsigned long ip;
};

static void each_step(struct kprobes_steps *steps, struct pt_regs *regs)
{
	struct stepped *s = container_of(steps, struct stepped, steps);

	if (regs->ip == s->veneer)
		s->ip = kprobe_displaced_ip(regs->ip);
}

static int call_stepped(void *unused)
{
	return call();
}

/* x86_unwind_kunit.c compares whole traces. */
static void veneer_is_unwound(struct kunit *test)
{
	struct stepped s = { .steps = { .fn = call_stepped, .each = each_step } };
	struct kprobes_counter *c = kprobes_counter(test, place());

	kprobes_expect_jump(test, c);
	s.veneer = veneer_of(c);
	KUNIT_EXPECT_EQ(test, kprobes_step(&s.steps), 42);
	KUNIT_EXPECT_EQ(test, s.ip, (unsigned long)c->kp.addr);
	unregister_kprobe(&c->kp);
	KUNIT_EXPECT_EQ(test, kprobe_displaced_ip((unsigned long)call), (unsigned long)call);
}

static struct kunit_case veneer_cases[] = {
	KUNIT_CASE(veneer_is_hit),
	KUNIT_CASE(veneer_diverts),
	KUNIT_CASE(veneer_is_replaced),
	KUNIT_CASE(veneers_run_out),
	KUNIT_CASE(veneer_is_refused),
	KUNIT_CASE(veneer_is_unwound),
	{}
};

static int veneer_init(struct kunit *test)
{
	if (!arch_kprobe_unused_prefix())
		kunit_skip(test, "this kernel uses the bytes in front of functions");
	return kprobes_way_init(test) ?: kprobes_steps_init(test);
}

static void veneer_exit(struct kunit *test)
{
	kprobes_steps_exit(test);
	kprobes_way_exit(test);
}

static struct kunit_suite veneer_suite = {
	.name = "kprobes_x86_veneer",
	.init = veneer_init,
	.exit = veneer_exit,
	.test_cases = veneer_cases,
};

kunit_test_suite(veneer_suite);

MODULE_DESCRIPTION("KUnit tests of short jumps and their veneers on x86");
MODULE_LICENSE("GPL");
