// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of probes on compressed instructions of which a jump covers four, at a function's entry.
 */
#include <kunit/test.h>
#include <linux/kprobes.h>

#include "../../../mechanism.h"
#include "../../entry.h"

#define SYMBOL	"kprobes_entry_compressed"
#define CALLS	5

/* Offsets of instructions that a jump after the nop covers, and of the one after it. */
static const unsigned long offsets[] = { 2, 4, 6, 8 };

static void offset_name(const unsigned long *offset, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%lu bytes after the nop", *offset);
}

KUNIT_ARRAY_PARAM(offset, offsets, offset_name);

static void expect_sum(struct kunit *test)
{
	int a;

	for (a = 0; a < CALLS; a++)
		KUNIT_EXPECT_EQ(test, kprobes_entry_compressed(a), a + 1);
}

/* A probe at the entry, by a jump if that is possible. */
static struct kprobes_counter *enter(struct kunit *test)
{
	static const struct kprobes_place place = { .symbol = SYMBOL };
	struct kprobes_counter *entry = kprobes_counting(test, &place);

	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_TRUE(test, entry->kp.flags & KPROBE_FLAG_OPTIMIZED);
	return entry;
}

/* The instruction is planned, executed and restored as it was before the jump. */
static void covered_is_probed(struct kunit *test)
{
	const unsigned long *offset = test->param_value;
	const struct kprobes_place place = {
		.symbol = SYMBOL, .offset = ENTRY_NOP_SIZE + *offset,
	};
	struct kprobes_counter *entry, *covered;
	struct kprobes_text text;

	kprobes_entry_clear();
	kprobes_text_save(&text, kprobes_place_addr(&place) - *offset);
	entry = enter(test);
	covered = kprobes_counting(test, &place);
	expect_sum(test);
	kprobes_expect_counts(test, entry, CALLS, CALLS);
	kprobes_expect_counts(test, covered, CALLS, CALLS);

	unregister_kprobe(&covered->kp);
	unregister_kprobe(&entry->kp);
	kprobe_disarm_pending();
	kprobes_text_expect(test, &text);
	expect_sum(test);
}

static struct kunit_case entry_cases[] = {
	KUNIT_CASE_PARAM(covered_is_probed, offset_gen_params),
	{}
};

static struct kunit_suite entry_suite = {
	.name = "kprobes_riscv_entry",
	.test_cases = entry_cases,
};

kunit_test_suite(entry_suite);

MODULE_DESCRIPTION("KUnit tests of probes on compressed instructions at function entries");
MODULE_LICENSE("GPL");
