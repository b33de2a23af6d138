// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests of branches into the middle of a function from outside, where alignment does not tell. */
#include <kunit/test.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/kprobe_point.h>

#include "../place.h"

/* crossing.S */
#define FUNCTION(fn)	asmlinkage void kprobes_crossing_##fn(void)

FUNCTION(into);
FUNCTION(beside);

static void expect_reason(struct kunit *test, void (*fn)(void), enum kprobe_reason reason)
{
	unsigned long addr = (unsigned long)fn;
	struct kprobe_lookup lookup;
	struct kprobe_region region;

	if (arch_kprobe_isa->align < CONFIG_FUNCTION_ALIGNMENT)
		kunit_skip(test, "alignment tells");
	guard(mutex)(&kprobe_mutex);
	kprobe_lookup_init(&lookup);
	KUNIT_EXPECT_EQ(test, reason,
			kprobe_examine(arch_kprobe_isa, &region, &lookup, addr, addr));
}

/* The branch leads after the region, but into the function: where else may one lead to? */
static void crossing_into(struct kunit *test)
{
	expect_reason(test, kprobes_crossing_into, KPROBE_REASON_PART);
}

static void crossing_to_start(struct kunit *test)
{
	expect_reason(test, kprobes_crossing_beside, KPROBE_REASON_NONE);
}

static struct kunit_case crossing_cases[] = {
	KUNIT_CASE(crossing_into),
	KUNIT_CASE(crossing_to_start),
	{ }
};

static struct kunit_suite crossing_suite = {
	.name = "kprobes_crossing",
	.test_cases = crossing_cases,
};

kunit_test_suite(crossing_suite);

MODULE_DESCRIPTION("KUnit tests of kprobes' search for branches into functions");
MODULE_LICENSE("GPL");
