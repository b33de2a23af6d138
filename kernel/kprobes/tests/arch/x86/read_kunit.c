// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of indirect branches whose operand cannot be read when they are hit, and can when it
 * is tried again: a fault handler repairs that, as KFENCE or another CPU may do. The branch
 * must take effect as without a probe. Post-handlers are missed.
 */
#include <kunit/test.h>
#include <linux/kprobe_point.h>
#include <linux/kprobes.h>

#include "../../../hit.h"
#include "../../../point.h"
#include "../../targets.h"

/* Where kprobes_target_call_mem() goes. */
static const struct kprobes_branch good = { .to = kprobes_target_returns_to };

#define BAD	((const struct kprobes_branch *)-PAGE_SIZE)

/* What a test's fault handler has seen. */
struct faults {
	int seen;
	unsigned long ip;
	unsigned long result;
};

static int repair(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	struct faults *f = kprobes_counter_of(p)->data;

	f->seen++;
	f->ip = instruction_pointer(regs);
	TEST_ARG(regs) = (unsigned long)&good;
	return 1;
}

static struct kprobes_counter *branch_probe(struct kunit *test, const char *symbol,
					    unsigned int offset)
{
	const struct kprobes_place place = { .symbol = symbol, .offset = offset };
	struct kprobes_counter *c = kprobes_counter(test, &place);

	c->data = kunit_kzalloc(test, sizeof(struct faults), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, c->data);
	c->kp.fault_handler = repair;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	return c;
}

static struct kprobes_counter *call_probe(struct kunit *test)
{
	return branch_probe(test, "kprobes_target_call_mem", kprobes_call_mem_offset);
}

static unsigned long after_call(void)
{
	return (unsigned long)kprobes_target_call_mem + kprobes_called_mem_offset;
}

static void expect_repaired(struct kunit *test, struct kprobes_counter *c)
{
	struct faults *f = c->data;

	KUNIT_EXPECT_EQ(test, f->seen, 1);
	KUNIT_EXPECT_EQ(test, f->ip, (unsigned long)c->kp.addr);
	kprobes_expect_counts(test, c, 1, 0);
	KUNIT_EXPECT_EQ(test, c->kp.nmissed, 1);
	KUNIT_EXPECT_EQ(test, kprobes_misses(&c->kp, KPROBE_MISS_DIVERTED), 1);
}

/* The callee returns to the slot, which stands for the probed function. */
static void call_is_tried_again(struct kunit *test)
{
	struct kprobes_counter *c = call_probe(test);
	unsigned long ret = kprobes_target_call_mem(BAD);

	KUNIT_EXPECT_TRUE(test, is_kprobe_insn_slot(ret));
	KUNIT_EXPECT_EQ(test, kprobe_displaced_ip(ret), after_call());
	expect_repaired(test, c);
	KUNIT_EXPECT_EQ(test, kprobes_target_call_mem(&good), after_call());
	kprobes_expect_counts(test, c, 2, 1);
	KUNIT_EXPECT_EQ(test, ((struct faults *)c->data)->seen, 1);
}

/* The stack has nothing more on it than without a probe. */
static void jump_is_tried_again(struct kunit *test)
{
	struct kprobes_counter *c = branch_probe(test, "kprobes_target_jump_mem", 0);

	KUNIT_EXPECT_FALSE(test, is_kprobe_insn_slot(kprobes_target_jump_mem(BAD)));
	expect_repaired(test, c);
}

static int call_in_handler(struct kprobe *p, struct pt_regs *regs)
{
	struct faults *f = kprobes_counter_of(p)->data;

	f->result = kprobes_target_call_mem(BAD);
	return 0;
}

/* A hit in a handler is one miss, although it comes by a second breakpoint. */
static void missed(struct kunit *test)
{
	struct kprobes_counter *inner = call_probe(test);
	struct kprobes_counter *outer = kprobes_counter(test,
							kprobes_place_named(KPROBES_PLACE_ASM));
	struct faults f = {};

	outer->in_pre = call_in_handler;
	outer->kp.fault_handler = repair;
	outer->data = &f;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&outer->kp));
	kprobes_expect_targets(test, 1);
	unregister_kprobe(&outer->kp);
	KUNIT_EXPECT_EQ(test, f.seen, 1);
	KUNIT_EXPECT_EQ(test, kprobe_displaced_ip(f.result), after_call());
	kprobes_expect_counts(test, outer, 1, 1);
	kprobes_expect_counts(test, inner, 0, 0);
	KUNIT_EXPECT_EQ(test, inner->kp.nmissed, 1);
}

static struct kprobe *leaving;
static unsigned long returns_to;

/* All that a callee may have happen before it returns. */
static unsigned long probe_goes(void)
{
	unregister_kprobe(leaving);
	kprobes_wait_for_frees();
	returns_to = kprobe_displaced_ip((unsigned long)__builtin_return_address(0));
	return 41;
}

static const struct kprobes_branch going = { .to = probe_goes };

static int repair_by_going(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	TEST_ARG(regs) = (unsigned long)&going;
	return 1;
}

/* The callee returns to the slot of a probe that was unregistered. */
static void slot_outlives_probe(struct kunit *test)
{
	struct kprobes_counter *c = call_probe(test);

	c->kp.fault_handler = repair_by_going;
	leaving = &c->kp;
	KUNIT_EXPECT_EQ(test, kprobes_target_call_mem(BAD), 41);
	/* The slot is still the point's. */
	KUNIT_EXPECT_EQ(test, returns_to, after_call());
	kprobes_expect_counts(test, c, 1, 0);
	c->kp.addr = NULL;
	/* The next probe there uses the point and the slot again. */
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	KUNIT_EXPECT_EQ(test, kprobes_target_call_mem(&good), after_call());
	kprobes_expect_counts(test, c, 2, 1);
}

/* The slot of a call stands for the call at its start, and else for what comes after it. */
static void slot_is_the_call(struct kunit *test)
{
	struct kprobes_counter *c = call_probe(test);
	unsigned long addr = (unsigned long)c->kp.addr;
	unsigned int pushed, i;
	unsigned long slot;

	guard(mutex)(&kprobe_mutex);
	slot = (unsigned long)kprobe_point_slot(kprobe_point_lookup(addr));
	KUNIT_ASSERT_NE(test, slot, 0);
	for (i = 0; i <= kprobes_called_mem_offset - kprobes_call_mem_offset; i++) {
		KUNIT_EXPECT_EQ(test, kprobe_displaced_frame(slot + i, &pushed),
				i ? after_call() : addr);
		KUNIT_EXPECT_EQ(test, pushed, 0);
	}
}

static struct kunit_case x86_read_cases[] = {
	KUNIT_CASE(call_is_tried_again),
	KUNIT_CASE(jump_is_tried_again),
	KUNIT_CASE(missed),
	KUNIT_CASE(slot_outlives_probe),
	KUNIT_CASE(slot_is_the_call),
	{}
};

static struct kunit_suite x86_read_suite = {
	.name = "kprobes_x86_read",
	.test_cases = x86_read_cases,
};

kunit_test_suite(x86_read_suite);
