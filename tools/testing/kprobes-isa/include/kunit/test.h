/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KPROBES_ISA_KUNIT_TEST_H
#define KPROBES_ISA_KUNIT_TEST_H

/* As much of KUnit as suites on byte arrays need, for the host: kunit.c. */
#include <assert.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>
#include <linux/types.h>

#define KUNIT_PARAM_DESC_SIZE	128

/**
 * struct kunit - a test that runs
 * @param_value: what it is to be run with
 * @failed:      an expectation was not met
 * @skipped:     it was left out
 * @end:         where an assertion goes
 */
struct kunit {
	const void *param_value;
	bool failed;
	bool skipped;
	jmp_buf end;
};

/**
 * struct kunit_case - a test
 * @run_case: the function
 * @name:     its name
 * @generate_params: gives the parameter after another, and its name
 */
struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
	const void *(*generate_params)(const void *prev, char *desc);
};

/**
 * struct kunit_suite - tests that belong together
 * @name:       their name
 * @test_cases: the tests, an empty one at the end
 * @next:       another suite
 */
struct kunit_suite {
	const char *name;
	struct kunit_case *test_cases;
	struct kunit_suite *next;
};

void kunit_host_add(struct kunit_suite *suite);
void kunit_host_skip(struct kunit *test);
__printf(5, 6) void kunit_host_fail(struct kunit *test, bool fatal, const char *file,
				    int line, const char *format, ...);

#define KUNIT_CASE(fn)			{ .run_case = fn, .name = #fn }
#define KUNIT_CASE_PARAM(fn, gen)	{ .run_case = fn, .name = #fn, .generate_params = gen }

#define kunit_test_suite(suite) \
	static void __attribute__((constructor)) add_suite(void) { kunit_host_add(&(suite)); }

#define KUNIT_ARRAY_PARAM_DESC(what, array, member)				\
	static const void *what##_gen_params(const void *prev, char *desc)	\
	{									\
		typeof((array)[0]) *next = prev ? (typeof(next))prev + 1 : (array);	\
										\
		if (next - (array) >= (long)ARRAY_SIZE(array))			\
			return NULL;						\
		snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", next->member);	\
		return next;							\
	}

#define KUNIT_HOST_CHECK(test, fatal, good, ...)				\
	do {									\
		if (!(good))							\
			kunit_host_fail(test, fatal, __FILE__, __LINE__, __VA_ARGS__); \
	} while (0)

#define KUNIT_HOST_COMPARE(test, fatal, a, op, b, ...)				\
	do {									\
		typeof(a) a_ = (a);						\
		typeof(b) b_ = (b);						\
										\
		KUNIT_HOST_CHECK(test, fatal, a_ op b_, #a " " #op " " #b	\
				 ": 0x%llx, 0x%llx " __VA_ARGS__ "",		\
				 (unsigned long long)a_, (unsigned long long)b_); \
	} while (0)

#define KUNIT_EXPECT_EQ(test, a, b)	KUNIT_HOST_COMPARE(test, false, a, ==, b)
#define KUNIT_EXPECT_NE(test, a, b)	KUNIT_HOST_COMPARE(test, false, a, !=, b)
#define KUNIT_EXPECT_GT(test, a, b)	KUNIT_HOST_COMPARE(test, false, a, >, b)
#define KUNIT_EXPECT_GE(test, a, b)	KUNIT_HOST_COMPARE(test, false, a, >=, b)
#define KUNIT_EXPECT_LT(test, a, b)	KUNIT_HOST_COMPARE(test, false, a, <, b)
#define KUNIT_EXPECT_LE(test, a, b)	KUNIT_HOST_COMPARE(test, false, a, <=, b)
#define KUNIT_ASSERT_EQ(test, a, b)	KUNIT_HOST_COMPARE(test, true, a, ==, b)
#define KUNIT_ASSERT_NE(test, a, b)	KUNIT_HOST_COMPARE(test, true, a, !=, b)
#define KUNIT_ASSERT_GT(test, a, b)	KUNIT_HOST_COMPARE(test, true, a, >, b)
#define KUNIT_ASSERT_GE(test, a, b)	KUNIT_HOST_COMPARE(test, true, a, >=, b)
#define KUNIT_ASSERT_LT(test, a, b)	KUNIT_HOST_COMPARE(test, true, a, <, b)
#define KUNIT_ASSERT_LE(test, a, b)	KUNIT_HOST_COMPARE(test, true, a, <=, b)
#define KUNIT_EXPECT_TRUE(test, a)	KUNIT_HOST_CHECK(test, false, a, "%s", #a)
#define KUNIT_EXPECT_FALSE(test, a)	KUNIT_HOST_CHECK(test, false, !(a), "!(%s)", #a)
#define KUNIT_ASSERT_TRUE(test, a)	KUNIT_HOST_CHECK(test, true, a, "%s", #a)
#define KUNIT_ASSERT_FALSE(test, a)	KUNIT_HOST_CHECK(test, true, !(a), "!(%s)", #a)
#define KUNIT_EXPECT_MEMEQ(test, a, b, n) \
	KUNIT_HOST_CHECK(test, false, !memcmp(a, b, n), "%s is %s", #a, #b)
#define KUNIT_EXPECT_EQ_MSG(test, a, b, ...)					\
	do {									\
		if ((a) != (b))							\
			kunit_host_fail(test, false, __FILE__, __LINE__, __VA_ARGS__); \
	} while (0)

#define kunit_skip(test, ...)	kunit_host_skip(test)

#define MODULE_DESCRIPTION(text)	static_assert(sizeof(text), "a text")
#define MODULE_LICENSE(text)		static_assert(sizeof(text), "a text")

#endif /* KPROBES_ISA_KUNIT_TEST_H */
