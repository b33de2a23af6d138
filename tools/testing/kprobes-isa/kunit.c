// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs KUnit suites on the host. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <kunit/test.h>

#include "harness.h"

static struct kunit_suite *suites;

/**
 * kunit_host_add() - add a suite to those that kunit_test() runs
 * @suite: the suite
 *
 * Context: Before main().
 */
void kunit_host_add(struct kunit_suite *suite)
{
	suite->next = suites;
	suites = suite;
}

/**
 * kunit_host_fail() - report that an expectation is not met
 * @test:   the test
 * @fatal:  it is an assertion, so that the test ends
 * @file:   source file
 * @line:   line in it
 * @format: what was expected, as for printf()
 *
 * Context: Within a test.
 */
void kunit_host_fail(struct kunit *test, bool fatal, const char *file, int line,
		     const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	tap_note("%s:%d: %s", file, line, text);
	test->failed = true;
	if (fatal)
		longjmp(test->end, 1);
}

/**
 * kunit_host_skip() - skip a test
 * @test: the test
 *
 * Context: Within a test.
 */
void kunit_host_skip(struct kunit *test)
{
	test->skipped = true;
	longjmp(test->end, 1);
}

static void run_once(const struct kunit_case *c, const void *param, const char *name)
{
	struct kunit test = { .param_value = param };

	if (!setjmp(test.end))
		c->run_case(&test);
	if (test.skipped)
		tap_skip(name, "left out by the test");
	else
		tap_result(!test.failed, "%s", name);
}

static void run_case(const struct kunit_case *c)
{
	char desc[KUNIT_PARAM_DESC_SIZE], name[2 * KUNIT_PARAM_DESC_SIZE];
	const void *param = NULL;

	if (!c->generate_params) {
		run_once(c, NULL, c->name);
		return;
	}
	while ((param = c->generate_params(param, desc))) {
		snprintf(name, sizeof(name), "%s: %s", c->name, desc);
		run_once(c, param, name);
	}
}

/**
 * kunit_test() - run all suites that are linked in
 *
 * Context: The host.
 */
void kunit_test(void)
{
	const struct kunit_suite *suite;
	const struct kunit_case *c;

	for (suite = suites; suite; suite = suite->next) {
		tap_begin(suite->name);
		for (c = suite->test_cases; c->run_case; c++)
			run_case(c);
		tap_end(suite->name);
	}
}
