// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of probes at a function's entry nop if the instruction after it is probed as well, or is
 * executed more often than the nop.
 */
#include <kunit/test.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/memory.h>

#include "../mechanism.h"
#include "entry.h"
#include "optimized.h"

#define CALLS	5

static bool is_ftraced(const struct kprobes_counter *c)
{
	return c->kp.flags & KPROBE_FLAG_FTRACE;
}

/* Both are hit, each at its own place. */
static void expect_both(struct kunit *test, struct kprobes_counter *entry,
			struct kprobes_counter *next)
{
	unsigned long addr = kprobes_entry_addr();

	atomic_set(&entry->pre, 0);
	atomic_set(&entry->post, 0);
	atomic_set(&next->pre, 0);
	atomic_set(&next->post, 0);
	kprobes_entry_call(test, CALLS);
	kprobes_expect_counts(test, entry, CALLS, CALLS);
	kprobes_expect_counts(test, next, CALLS, CALLS);
	KUNIT_EXPECT_EQ(test, entry->pre_ip, addr + KPROBE_HIT_OFFSET);
	KUNIT_EXPECT_EQ(test, entry->post_ip, addr + ENTRY_NOP_SIZE);
	KUNIT_EXPECT_EQ(test, next->pre_ip, addr + ENTRY_NOP_SIZE + KPROBE_HIT_OFFSET);
	KUNIT_EXPECT_GT(test, next->post_ip, addr + ENTRY_NOP_SIZE);
	KUNIT_EXPECT_PTR_EQ(test, get_kprobe((void *)addr), &entry->kp);
	KUNIT_EXPECT_PTR_EQ(test, get_kprobe((void *)addr + ENTRY_NOP_SIZE),
			    &next->kp);
}

/* The next instruction is probed when the entry's probe is a breakpoint or a jump. */
static void next_comes_later(struct kunit *test)
{
	const enum entry_form *form = test->param_value;
	struct kprobes_counter *entry = kprobes_entry_counting(test);
	struct kprobes_counter *next;

	next = kprobes_entry_next(test);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&next->kp));
	KUNIT_EXPECT_EQ(test, is_ftraced(entry), *form == ENTRY_FTRACE);
	KUNIT_EXPECT_FALSE(test, is_ftraced(next));
	expect_both(test, entry, next);
	wait_for_kprobe_optimizer();
	expect_both(test, entry, next);

	unregister_kprobe(&next->kp);
	kprobes_entry_call(test, CALLS);
	kprobes_expect_counts(test, entry, 2 * CALLS, 2 * CALLS);
	kprobes_expect_counts(test, next, CALLS, CALLS);
	kprobes_entry_settle(test, &entry->kp);
	kprobes_entry_call(test, CALLS);
	kprobes_expect_counts(test, entry, 3 * CALLS, 3 * CALLS);
}

static void next_comes_first(struct kunit *test)
{
	struct kprobes_counter *entry, *next = kprobes_entry_next(test);

	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&next->kp));
	entry = kprobes_counting(test, &kprobes_entry_place);
	KUNIT_EXPECT_FALSE(test, is_ftraced(entry));
	expect_both(test, entry, next);
	wait_for_kprobe_optimizer();
	expect_both(test, entry, next);

	unregister_kprobe(&entry->kp);
	kprobes_entry_call(test, CALLS);
	kprobes_expect_counts(test, entry, CALLS, CALLS);
	kprobes_expect_counts(test, next, 2 * CALLS, 2 * CALLS);
}

/* Both have counted the calls made so far, and count as many when the optimizer has come. */
static void expect_calls(struct kunit *test, struct kprobes_counter *entry,
			 struct kprobes_counter *second)
{
	kprobes_expect_counts(test, entry, CALLS, CALLS);
	kprobes_expect_counts(test, second, CALLS, CALLS);
	wait_for_kprobe_optimizer();
	kprobes_entry_call(test, CALLS);
	kprobes_expect_counts(test, entry, 2 * CALLS, 2 * CALLS);
	kprobes_expect_counts(test, second, 2 * CALLS, 2 * CALLS);
}

/*
 * The instruction after the next one is probed first, and has a jump if it can. What leads
 * to the entry's handlers must not take calls past it.
 */
static void second_comes_first(struct kunit *test)
{
	struct kprobes_counter *entry, *second = kprobes_entry_second(test);

	kprobes_entry_prepare(test);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&second->kp));
	wait_for_kprobe_optimizer();
	entry = kprobes_counting(test, &kprobes_entry_place);
	kprobes_entry_call(test, CALLS);
	expect_calls(test, entry, second);
}

static int note_context(struct kprobe *p, struct pt_regs *regs)
{
	int *in_trap = kprobes_counter_of(p)->data;

	*in_trap += !!in_nmi();
	return 0;
}

/*
 * The second instruction is probed when the entry's probe is a breakpoint or a jump, or was
 * one and is disabled. Handlers at the entry do not run in the trap, also not before the
 * optimizer has seen that.
 */
static void no_trap_for_neighbour(struct kunit *test)
{
	const enum entry_form *form = test->param_value;
	struct kprobes_counter *entry, *second;
	int in_trap = 0, disabled;

	if (*form == ENTRY_FTRACE)
		kunit_skip(test, "no other probe matters to it");
	for (disabled = 0; disabled < 2; disabled++) {
		/* Looks at the text. */
		second = kprobes_entry_second(test);
		entry = kprobes_entry_counting(test);
		entry->data = &in_trap;
		entry->in_pre = note_context;
		if (disabled)
			KUNIT_ASSERT_EQ(test, 0, disable_kprobe(&entry->kp));
		kprobes_hold_optimizer(true);
		KUNIT_EXPECT_EQ(test, 0, register_kprobe(&second->kp));
		if (disabled)
			KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&entry->kp));
		kprobes_entry_call(test, CALLS);
		kprobes_hold_optimizer(false);
		expect_calls(test, entry, second);
		KUNIT_EXPECT_EQ(test, in_trap, 0);
		unregister_kprobe(&second->kp);
		unregister_kprobe(&entry->kp);
	}
}

/* The text after the nop, as far as a jump may reach. */
#define TEXT_SIZE	KPROBE_JUMP_SIZE

static void read_after_nop(u8 *text, size_t offset)
{
	unsigned long addr = kprobes_entry_addr() + ENTRY_NOP_SIZE;

	guard(mutex)(&kprobe_mutex);
	guard(mutex)(&text_mutex);
	kprobe_read_insn(addr + offset, text, TEXT_SIZE - offset);
}

/* What other probes are planned by is the text as it was, wherever they begin to read. */
static void original_is_read(struct kunit *test)
{
	u8 before[TEXT_SIZE], now[TEXT_SIZE];
	size_t offset;

	read_after_nop(before, 0);
	kprobes_entry_counting(test);
	for (offset = 0; offset < TEXT_SIZE; offset++) {
		read_after_nop(now, offset);
		KUNIT_EXPECT_MEMEQ(test, now, before + offset, TEXT_SIZE - offset);
	}
}

/* A disabled probe counts as well, because it may be enabled at any time. */
static void next_is_disabled(struct kunit *test)
{
	struct kprobes_counter *entry, *next = kprobes_entry_next(test);

	entry = kprobes_counting(test, &kprobes_entry_place);
	next->kp.flags = KPROBE_FLAG_DISABLED;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&next->kp));
	kprobes_entry_call(test, CALLS);
	kprobes_expect_counts(test, entry, CALLS, CALLS);
	kprobes_expect_counts(test, next, 0, 0);
	KUNIT_ASSERT_EQ(test, 0, enable_kprobe(&next->kp));
	expect_both(test, entry, next);
	KUNIT_ASSERT_EQ(test, 0, disable_kprobe(&next->kp));
	kprobes_entry_call(test, CALLS);
	kprobes_expect_counts(test, entry, 2 * CALLS, 2 * CALLS);
	kprobes_expect_counts(test, next, CALLS, CALLS);
}

/* The entry's probe is disabled when the next instruction is probed. */
static void entry_is_disabled(struct kunit *test)
{
	struct kprobes_counter *entry, *next = kprobes_entry_next(test);

	entry = kprobes_counting(test, &kprobes_entry_place);
	KUNIT_ASSERT_EQ(test, 0, disable_kprobe(&entry->kp));
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&next->kp));
	kprobes_entry_call(test, CALLS);
	kprobes_expect_counts(test, entry, 0, 0);
	kprobes_expect_counts(test, next, CALLS, CALLS);
	KUNIT_ASSERT_EQ(test, 0, enable_kprobe(&entry->kp));
	expect_both(test, entry, next);
	KUNIT_ASSERT_EQ(test, 0, disable_kprobe(&entry->kp));
	kprobes_entry_call(test, CALLS);
	kprobes_expect_counts(test, entry, CALLS, CALLS);
	kprobes_expect_counts(test, next, 2 * CALLS, 2 * CALLS);
}

/* The next instruction's probe comes back, to a disabled one at the entry and a third one. */
static void next_comes_back(struct kunit *test)
{
	struct kprobes_counter *second = kprobes_entry_second(test), *entry, *next;

	entry = kprobes_counting(test, &kprobes_entry_place);
	next = kprobes_entry_next(test);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&next->kp));
	wait_for_kprobe_optimizer();
	KUNIT_ASSERT_EQ(test, 0, disable_kprobe(&entry->kp));
	unregister_kprobe(&next->kp);
	kprobes_entry_clear();
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&second->kp));
	next->kp.addr = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&next->kp));
	KUNIT_ASSERT_EQ(test, 0, enable_kprobe(&entry->kp));
	expect_both(test, entry, next);
	kprobes_expect_counts(test, second, CALLS, CALLS);
}

static int send_back(struct kprobe *p, struct pt_regs *regs)
{
	struct kprobes_counter *c = kprobes_counter_of(p);

	if (atomic_read(&c->pre) % 2 == 0)
		return 0;
	instruction_pointer_set(regs, (unsigned long)p->addr);
	return 1;
}

/* A handler of the next instruction's probe sends the hit back there: that is no call. */
static void next_is_hit_again(struct kunit *test)
{
	struct kprobes_counter *entry, *next = kprobes_entry_next(test);

	entry = kprobes_counting(test, &kprobes_entry_place);
	next->in_pre = send_back;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&next->kp));
	kprobes_entry_call(test, CALLS);
	kprobes_expect_counts(test, entry, CALLS, CALLS);
	kprobes_expect_counts(test, next, 2 * CALLS, CALLS);
}

/* The last enabled probes of two points go at once, in either order. One point covers the other. */
static void covering_goes(struct kunit *test)
{
	struct kprobes_counter *entry, *second, *off[2];
	struct kprobes_text text;
	struct kprobe *kps[2];
	int first;

	for (first = 0; first < 2; first++) {
		second = kprobes_entry_second(test);
		kprobes_text_save(&text, kprobes_entry_addr());
		off[0] = kprobes_counter(test, &kprobes_entry_place);
		off[1] = kprobes_entry_second(test);
		off[0]->kp.flags = KPROBE_FLAG_DISABLED;
		off[1]->kp.flags = KPROBE_FLAG_DISABLED;
		/* None is a jump: those leave the text in another order. */
		kprobes_hold_optimizer(true);
		entry = kprobes_counting(test, &kprobes_entry_place);
		KUNIT_EXPECT_EQ(test, 0, register_kprobe(&second->kp));
		KUNIT_EXPECT_EQ(test, 0, register_kprobe(&off[0]->kp));
		KUNIT_EXPECT_EQ(test, 0, register_kprobe(&off[1]->kp));
		kps[first] = &second->kp;
		kps[!first] = &entry->kp;
		unregister_kprobes(kps, 2);
		kprobes_hold_optimizer(false);
		wait_for_kprobe_optimizer();
		kprobes_text_expect(test, &text);
		unregister_kprobe(&off[0]->kp);
		unregister_kprobe(&off[1]->kp);
	}
}

/* Both in one batch, in either order. */
static void both_at_once(struct kunit *test)
{
	struct kprobes_counter *entry, *next;
	struct kprobe *kps[2];
	int first;

	for (first = 0; first < 2; first++) {
		entry = kprobes_counter(test, &kprobes_entry_place);
		next = kprobes_entry_next(test);
		kps[first] = &entry->kp;
		kps[!first] = &next->kp;
		KUNIT_ASSERT_EQ(test, 0, register_kprobes(kps, 2));
		KUNIT_EXPECT_FALSE(test, is_ftraced(entry));
		expect_both(test, entry, next);
		unregister_kprobes(kps, 2);
		kprobes_entry_call(test, CALLS);
		kprobes_expect_counts(test, entry, CALLS, CALLS);
		kprobes_expect_counts(test, next, CALLS, CALLS);
	}
}

/* When the points of both are freed, a new probe at the entry skips the nop again. */
static void skips_nop_again(struct kunit *test)
{
	struct kprobes_counter *entry, *next;

	kprobes_entry_prepare(test);
	entry = kprobes_counting(test, &kprobes_entry_place);
	next = kprobes_entry_next(test);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&next->kp));
	unregister_kprobe(&next->kp);
	unregister_kprobe(&entry->kp);
	kprobes_entry_clear();
	entry->kp.addr = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&entry->kp));
	kprobes_entry_settle(test, &entry->kp);
	kprobes_entry_call(test, CALLS);
	kprobes_expect_counts(test, entry, CALLS, CALLS);
}

#define ROUNDS	3

static void loop_counts_calls(struct kunit *test)
{
	const struct kprobes_place entry_place = { .symbol = "kprobes_entry_loop" };
	const struct kprobes_place round_place = {
		.symbol = "kprobes_entry_loop", .offset = ENTRY_NOP_SIZE,
	};
	struct kprobes_counter *entry, *round;
	int i;

	entry = kprobes_counting(test, &entry_place);
	KUNIT_EXPECT_TRUE(test, is_ftraced(entry));
	for (i = 0; i < CALLS; i++)
		KUNIT_EXPECT_EQ(test, kprobes_entry_loop(ROUNDS, i), i + ROUNDS);
	kprobes_expect_counts(test, entry, CALLS, CALLS);

	round = kprobes_counting(test, &round_place);
	for (i = 0; i < CALLS; i++)
		KUNIT_EXPECT_EQ(test, kprobes_entry_loop(ROUNDS, i), i + ROUNDS);
	kprobes_expect_counts(test, entry, 2 * CALLS, 2 * CALLS);
	kprobes_expect_counts(test, round, ROUNDS * CALLS, ROUNDS * CALLS);
}

static int neighbour_init(struct kunit *test)
{
	kprobes_entry_clear();
	return 0;
}

static struct kunit_case neighbour_cases[] = {
	KPROBES_CASE_FORMS(next_comes_later),
	KUNIT_CASE(next_comes_first),
	KPROBES_CASE_FORMS(second_comes_first),
	KPROBES_CASE_FORMS(no_trap_for_neighbour),
	KPROBES_CASE_FORMS(original_is_read),
	KUNIT_CASE(next_is_disabled),
	KUNIT_CASE(entry_is_disabled),
	KUNIT_CASE(next_comes_back),
	KUNIT_CASE(next_is_hit_again),
	KUNIT_CASE(covering_goes),
	KUNIT_CASE(both_at_once),
	KPROBES_CASE_FORMS(skips_nop_again),
	KUNIT_CASE(loop_counts_calls),
	{}
};

static struct kunit_suite neighbour_suite = {
	.name = "kprobes_entry_neighbour",
	.init = neighbour_init,
	.test_cases = neighbour_cases,
};

kunit_test_suite(neighbour_suite);
