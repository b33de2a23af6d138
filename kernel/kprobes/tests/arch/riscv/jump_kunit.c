// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of interrupts that come between the two instructions of a jump, which may be taken
 * out before the interrupted task goes on.
 */
#include <asm/csr.h>

#include "../../../mechanism.h"
#include "../../optimized.h"

/* Where a task goes on that an interrupt finds @offset bytes after the probed address. */
static long goes_on_at(const struct kprobes_counter *c, long offset, unsigned long status)
{
	struct pt_regs regs = {
		.epc = (unsigned long)c->kp.addr + offset,
		.status = status,
	};

	kprobe_interrupted(&regs);
	return regs.epc - (unsigned long)c->kp.addr;
}

static void begins_again(struct kunit *test)
{
	const struct kprobes_place place = { .symbol = "kprobes_opt_plain" };
	struct kprobes_counter *c = kprobes_counter(test, &place);

	kprobes_expect_jump(test, c);
	KUNIT_EXPECT_EQ(test, 0, goes_on_at(c, 0, SR_PP));
	KUNIT_EXPECT_EQ(test, 0, goes_on_at(c, 4, SR_PP));
	KUNIT_EXPECT_EQ(test, 8, goes_on_at(c, 8, SR_PP));
	/* An address of user space means something else. */
	KUNIT_EXPECT_EQ(test, 4, goes_on_at(c, 4, 0));
	unregister_kprobe(&c->kp);
	kprobe_disarm_pending();
	KUNIT_EXPECT_EQ(test, 4, goes_on_at(c, 4, SR_PP));
}

/* The probed instruction was executed already, and would be hit twice. */
static void original_goes_on(struct kunit *test)
{
	const struct kprobes_place place = { .symbol = "kprobes_opt_far" };
	struct kprobes_counter *c = kprobes_counter(test, &place);

	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	KUNIT_EXPECT_EQ(test, 4, goes_on_at(c, 4, SR_PP));
	kprobes_settle(KPROBES_BY_JUMP);
	KUNIT_EXPECT_EQ(test, c->kp.flags & KPROBE_FLAG_OPTIMIZED ? 0 : 4,
			goes_on_at(c, 4, SR_PP));
	unregister_kprobe(&c->kp);
}

static struct kunit_case jump_cases[] = {
	KUNIT_CASE(begins_again),
	KUNIT_CASE(original_goes_on),
	{}
};

static struct kunit_suite jump_suite = {
	.name = "kprobes_riscv_jump",
	.test_cases = jump_cases,
};

kunit_test_suite(jump_suite);

MODULE_DESCRIPTION("KUnit tests of interrupts within a jump");
MODULE_LICENSE("GPL");
