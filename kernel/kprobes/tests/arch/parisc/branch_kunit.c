// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of instructions that nullify the next one, of branches that do, of what is in delay slots,
 * of the carry and of space registers: with and without a probe functions return the same. And of
 * the linker's code.
 */
#include <kunit/test.h>
#include <linux/kprobes.h>
#include <asm/sections.h>

#include "../../targets.h"

static struct kprobes_counter *count(struct kunit *test, const char *symbol, unsigned int offset)
{
	const struct kprobes_place place = { .symbol = symbol, .offset = offset };
	struct kprobes_counter *c = kprobes_counter(test, &place);

	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	return c;
}

/* The post-handler sees the instruction behind the nullified one. */
static void nullifies(struct kunit *test)
{
	struct kprobes_counter *c = count(test, "kprobes_target_skip", kprobes_skip_at);
	unsigned long start = (unsigned long)c->kp.addr - kprobes_skip_at;

	KUNIT_EXPECT_EQ(test, 2, kprobes_target_skip(3, 4));
	KUNIT_EXPECT_EQ(test, start + kprobes_skipped_at, c->post_ip);
	KUNIT_EXPECT_EQ(test, 1, kprobes_target_skip(3, 3));
	KUNIT_EXPECT_EQ(test, start + kprobes_skip_over, c->post_ip);
	unregister_kprobe(&c->kp);
	kprobes_expect_counts(test, c, 2, 2);
}

/* The breakpoint is nullified as the instruction would be. */
static void nullified(struct kunit *test)
{
	struct kprobes_counter *c = count(test, "kprobes_target_skip", kprobes_skipped_at);

	KUNIT_EXPECT_EQ(test, 1, kprobes_target_skip(3, 3));
	kprobes_expect_counts(test, c, 0, 0);
	KUNIT_EXPECT_EQ(test, 2, kprobes_target_skip(3, 4));
	unregister_kprobe(&c->kp);
	kprobes_expect_counts(test, c, 1, 1);
}

/* Taken it executes its delay slot, else not. */
static void backward(struct kunit *test)
{
	struct kprobes_counter *c = count(test, "kprobes_target_loop", kprobes_loop_at);

	KUNIT_EXPECT_EQ(test, 10, kprobes_target_loop(4));
	unregister_kprobe(&c->kp);
	kprobes_expect_counts(test, c, 4, 4);
}

/* Taken it does not execute its delay slot. */
static void forward(struct kunit *test)
{
	struct kprobes_counter *c = count(test, "kprobes_target_ahead", kprobes_ahead_at);

	KUNIT_EXPECT_EQ(test, 7, kprobes_target_ahead(1));
	KUNIT_EXPECT_EQ(test, 9, kprobes_target_ahead(0));
	unregister_kprobe(&c->kp);
	kprobes_expect_counts(test, c, 2, 2);
}

/* A hit keeps the carry, whichever way it comes. */
static void carry(struct kunit *test)
{
	struct kprobes_counter *c = count(test, "kprobes_target_carry", kprobes_carry_at);
	unsigned int i;

	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, 1, kprobes_target_carry(-1UL, 1));
		KUNIT_EXPECT_EQ(test, 0, kprobes_target_carry(-1UL, 0));
		wait_for_kprobe_optimizer();
	}
	unregister_kprobe(&c->kp);
	kprobes_expect_counts(test, c, 4, 4);
}

static int copy_memory(struct kprobe *p, struct pt_regs *regs)
{
	struct pt_regs copy;

	memcpy(&copy, regs, sizeof(copy));
	kprobes_counter_of(p)->data = (void *)copy.gr[26];
	return 0;
}

static void copy_after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	copy_memory(p, regs);
}

/* A hit keeps the space registers, whichever way it comes. The handlers' copies change them. */
static void spaces(struct kunit *test)
{
	struct kprobes_counter *c = count(test, "kprobes_target_spaces", kprobes_spaces_at);
	unsigned int i;

	c->in_pre = copy_memory;
	c->in_post = copy_after;
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, 42, kprobes_target_spaces(2, 40));
		wait_for_kprobe_optimizer();
	}
	unregister_kprobe(&c->kp);
	kprobes_expect_counts(test, c, 2, 2);
}

/* The return is emulated. What its delay slot loads may fault there, and is fixed up. */
static void faults_in_slot(struct kunit *test)
{
	struct kprobes_counter *c = count(test, "kprobes_target_slot", kprobes_slot_return_at);
	long there = 42;

	KUNIT_EXPECT_EQ(test, 42, kprobes_target_slot(&there));
	KUNIT_EXPECT_EQ(test, -1, kprobes_target_slot((const long *)TEST_NO_HALF));
	unregister_kprobe(&c->kp);
	kprobes_expect_counts(test, c, 2, 2);
}

/* Hits call by them. A jump of a probe looks the same. */
static void linker_stubs_are_forbidden(struct kunit *test)
{
	unsigned long addr, end = (unsigned long)_etext - KPROBE_JUMP_SIZE;
	unsigned int stubs = 0, probed = 0;

	for (addr = (unsigned long)_stext; addr <= end; addr += KPROBE_INSN_ALIGN) {
		if (!kprobes_is_linkers(addr) || kprobe_is_site(addr))
			continue;
		stubs++;
		probed += !within_kprobe_blacklist(addr) ||
			  !within_kprobe_blacklist(addr + KPROBE_INSN_ALIGN);
	}
	if (!stubs)
		kunit_skip(test, "calls reach all of the kernel");
	KUNIT_EXPECT_EQ_MSG(test, 0, probed, "of %u", stubs);
}

static struct kunit_case branch_cases[] = {
	KUNIT_CASE(nullifies),
	KUNIT_CASE(nullified),
	KUNIT_CASE(backward),
	KUNIT_CASE(forward),
	KUNIT_CASE(carry),
	KUNIT_CASE(spaces),
	KUNIT_CASE(faults_in_slot),
	KUNIT_CASE(linker_stubs_are_forbidden),
	{}
};

static struct kunit_suite branch_suite = {
	.name = "kprobes_parisc_branch",
	.test_cases = branch_cases,
};

kunit_test_suite(branch_suite);

MODULE_DESCRIPTION("KUnit tests of nullification, delay slots and the carry on PA-RISC");
MODULE_LICENSE("GPL");
