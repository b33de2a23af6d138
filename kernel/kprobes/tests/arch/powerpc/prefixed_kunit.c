// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of probes on instructions of two words, which a POWER10 executes: copies address what the
 * originals do, and the second word is no place for a probe.
 */
#include <kunit/test.h>
#include <asm/cputable.h>

#include "../../optimized.h"
#include "context.h"

#define DISPLACEMENT	0x12345678
#define SUM		(1000 + 70000 + 0x123456789)

static unsigned long call(unsigned long *at)
{
	return kprobes_prefixed((void *)at + DISPLACEMENT);
}

static struct kprobes_counter *set_probe(struct kunit *test, unsigned int i)
{
	const struct kprobes_place place = {
		.symbol = "kprobes_prefixed", .offset = kprobes_prefixed_at[i],
	};
	struct kprobes_counter *c = kprobes_counter(test, &place);

	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_expect_way(test, c);
	return c;
}

static void prefixed_hit(struct kunit *test)
{
	struct kprobes_counter *c;
	unsigned long number;
	unsigned int i;

	if (!cpu_has_feature(CPU_FTR_ARCH_31))
		kunit_skip(test, "the CPU has no prefixes");
	for (i = 0; i < ARRAY_SIZE(kprobes_prefixed_at); i++) {
		c = set_probe(test, i);
		number = 5;
		KUNIT_EXPECT_EQ(test, 5 + SUM, call(&number));
		KUNIT_EXPECT_EQ(test, 5 + SUM, number);
		kprobes_expect_counts(test, c, 1, 1);
		unregister_kprobe(&c->kp);
		number = 6;
		KUNIT_EXPECT_EQ(test, 6 + SUM, call(&number));
	}
}

/* The jumps of all do not cover each other. */
static void prefixed_all(struct kunit *test)
{
	struct kprobes_counter *c[ARRAY_SIZE(kprobes_prefixed_at)];
	unsigned long number = 7;
	unsigned int i;

	if (!cpu_has_feature(CPU_FTR_ARCH_31))
		kunit_skip(test, "the CPU has no prefixes");
	for (i = 0; i < ARRAY_SIZE(c); i++)
		c[i] = set_probe(test, i);
	KUNIT_EXPECT_EQ(test, 7 + SUM, call(&number));
	for (i = 0; i < ARRAY_SIZE(c); i++)
		kprobes_expect_counts(test, c[i], 1, 1);
}

static void prefixed_suffix(struct kunit *test)
{
	struct kprobe p = { .symbol_name = "kprobes_prefixed" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kprobes_prefixed_at); i++) {
		p.addr = NULL;
		p.offset = kprobes_prefixed_at[i] + 4;
		KUNIT_EXPECT_EQ(test, -EILSEQ, register_kprobe(&p));
	}
}

static struct kunit_case prefixed_cases[] = {
	KPROBES_CASE_WAYS(prefixed_hit),
	KPROBES_CASE_WAYS(prefixed_all),
	KUNIT_CASE(prefixed_suffix),
	{}
};

static struct kunit_suite prefixed_suite = {
	.name = "kprobes_powerpc_prefixed",
	.init = kprobes_way_init,
	.exit = kprobes_way_exit,
	.test_cases = prefixed_cases,
};

kunit_test_suite(prefixed_suite);

MODULE_DESCRIPTION("KUnit tests of probes on PowerPC's prefixed instructions");
MODULE_LICENSE("GPL");
