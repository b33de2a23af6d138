// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of the records of refused calls: calls that are not recorded, names that are too
 * long or cannot be read, the ring. refusal_kunit.c tests what is refused and recorded.
 */
#include <kunit/test.h>
#include <linux/kprobes.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "refusal.h"
#include "targets.h"

/* Calls that are not recorded */

static void not_refused(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counter(test, kprobes_place(0));
	struct kprobe_refusal r;
	u64 number = kprobes_last_refusal(&r);

	KUNIT_EXPECT_EQ(test, 0, register_kprobe(&c->kp));
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&c->kp));
	unregister_kprobe(&c->kp);
	unregister_kprobe(&c->kp);
	KUNIT_EXPECT_EQ(test, -ENOENT,
			kprobe_on_func_entry(NULL, "kprobes_no_such", 0));
	KUNIT_EXPECT_EQ(test, number, kprobes_last_refusal(&r));
}

/* Names */

static void refuse_name_of_length(struct kunit *test, size_t len)
{
	char *name = kmalloc(len + 1, GFP_KERNEL);
	struct kprobe p = { .symbol_name = name };
	struct kprobe_refusal r;

	KUNIT_ASSERT_NOT_NULL(test, name);
	memset(name, '?', len);
	name[len] = '\0';
	KUNIT_EXPECT_EQ(test, -ENOENT, register_kprobe(&p));
	memset(name, '!', len);
	kfree(name);
	kprobes_last_refusal(&r);
	KUNIT_EXPECT_EQ(test, strlen(r.symbol),
			min(len, (size_t)KPROBE_REFUSAL_NAME - 1));
	KUNIT_EXPECT_EQ(test, strspn(r.symbol, "?"),
			len < KPROBE_REFUSAL_NAME ? len : KPROBE_REFUSAL_NAME - 4);
	if (len >= KPROBE_REFUSAL_NAME)
		KUNIT_EXPECT_STREQ(test, r.symbol + KPROBE_REFUSAL_NAME - 4, "...");
}

/* The caller's string is freed as soon as the call is over. */
static void long_names(struct kunit *test)
{
	static const size_t lengths[] = {
		1, KPROBE_REFUSAL_NAME - 2, KPROBE_REFUSAL_NAME - 1,
		KPROBE_REFUSAL_NAME, KPROBE_REFUSAL_NAME + 1, KSYM_NAME_LEN,
		PAGE_SIZE, 100000,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++)
		refuse_name_of_length(test, lengths[i]);
}

/* An address that is not mapped. */
#ifndef KPROBES_UNREADABLE
#define KPROBES_UNREADABLE	8
#endif

/* Symbol and address are given: that is refused before the symbol's name is read. */
static void unreadable_name(struct kunit *test)
{
	struct kprobe p = {
		.symbol_name = (const char *)KPROBES_UNREADABLE,
		.addr = (kprobe_opcode_t *)kprobes_target_c,
	};
	struct kprobe_refusal r;

	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobe(&p));
	kprobes_last_refusal(&r);
	KUNIT_EXPECT_STREQ(test, r.symbol, "(unreadable)");
	p.symbol_name = (const char *)ERR_PTR(-EINVAL);
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobe(&p));
	kprobes_last_refusal(&r);
	KUNIT_EXPECT_STREQ(test, r.symbol, "(unreadable)");
}

/* The ring */

static void ring_wraps(struct kunit *test)
{
	struct kprobe p = { .symbol_name = "kprobes_no_such" };
	struct kprobe_refusal r;
	u64 first = kprobes_last_refusal(&r), number = 0;
	unsigned int i;

	for (i = 0; i < 2 * KPROBE_REFUSALS_KEPT + 5; i++) {
		p.offset = i;
		KUNIT_EXPECT_EQ(test, -ENOENT, register_kprobe(&p));
	}
	for (i = KPROBE_REFUSALS_KEPT + 5; kprobe_get_refusal(&number, &r); i++) {
		KUNIT_EXPECT_EQ(test, number, first + i);
		KUNIT_EXPECT_EQ(test, r.offset, i);
		number++;
	}
	KUNIT_EXPECT_EQ(test, i, 2 * KPROBE_REFUSALS_KEPT + 5);
}

/* A record that does not exist yet is not found, and nothing is changed. */
static void ring_has_an_end(struct kunit *test)
{
	struct kprobe_refusal r;
	u64 number = kprobes_last_refusal(&r), next = number;

	KUNIT_EXPECT_FALSE(test, kprobe_get_refusal(&next, &r));
	KUNIT_EXPECT_EQ(test, next, number);
	next = S64_MAX;
	KUNIT_EXPECT_FALSE(test, kprobe_get_refusal(&next, &r));
}

static void words(struct kunit *test)
{
	int i;

	for (i = 0; i < KPROBE_REASONS; i++)
		KUNIT_EXPECT_NOT_NULL_MSG(test, kprobe_reason_text(i), "%d", i);
}

static struct kunit_case reason_cases[] = {
	KUNIT_CASE(not_refused),
	KUNIT_CASE(long_names),
	KUNIT_CASE(unreadable_name),
	KUNIT_CASE(ring_wraps),
	KUNIT_CASE(ring_has_an_end),
	KUNIT_CASE(words),
	{}
};

static struct kunit_suite reason_suite = {
	.name = "kprobes_reason",
	.test_cases = reason_cases,
};

kunit_test_suite(reason_suite);
