// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints KTAP with groups of results, one level deep. How many there are, nobody knows before, and
 * kunit_parser.py takes no plan that comes after them: there is none.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"

static unsigned int groups, failed_groups;	/* done */
static unsigned int results, failures;		/* in this group */

/**
 * tap_begin() - begin a group of results
 * @group: its name
 *
 * Context: Not within a group.
 */
void tap_begin(const char *group)
{
	if (!groups)
		printf("KTAP version 1\n");
	printf("    KTAP version 1\n    # Subtest: %s\n", group);
	results = 0;
	failures = 0;
}

/**
 * tap_note() - explain a result
 * @format: as for printf()
 *
 * Context: Within a group, before the result.
 */
void tap_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("    # ");
	vprintf(format, args);
	printf("\n");
	va_end(args);
}

/**
 * tap_result() - print a result
 * @ok:     whether the test has passed
 * @format: its name, as for printf()
 *
 * Context: Within a group.
 */
void tap_result(bool ok, const char *format, ...)
{
	char name[256], *c;
	va_list args;

	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	/* In a result a "#" begins a directive. Assemblers put it in front of numbers. */
	while ((c = strchr(name, '#')))
		memmove(c, c + 1, strlen(c));
	printf("    %sok %u %s\n", ok ? "" : "not ", ++results, name);
	failures += !ok;
}

/**
 * tap_skip() - print that a test was skipped
 * @name: its name
 * @why:  why it was left out
 *
 * Context: Within a group.
 */
void tap_skip(const char *name, const char *why)
{
	printf("    ok %u %s # SKIP %s\n", ++results, name, why);
}

/**
 * tap_end() - end a group
 * @group: its name
 *
 * Context: Within a group.
 */
void tap_end(const char *group)
{
	printf("%sok %u %s\n", failures ? "not " : "", ++groups, group);
	failed_groups += !!failures;
}

/**
 * tap_finish() - end the report
 *
 * Context: Not within a group.
 * Return: The program's exit status: 1 if a test has failed, else 0.
 */
int tap_finish(void)
{
	return failed_groups ? 1 : 0;
}
