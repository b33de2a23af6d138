// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Watches the console for tests of reports: keeps the first line that has some text.
 */
#include <kunit/test.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/printk.h>

#include "console.h"

static const char *awaited;
static char line[256];
static bool seen;

static void on_print(void *unused, const char *text, size_t len)
{
	if (seen || !strnstr(text, awaited, len))
		return;
	strscpy(line, text, min(len + 1, sizeof(line)));
	smp_store_release(&seen, true);	/* pairs with kprobes_console_line() */
}

static void stop_watching(void *unused)
{
	unregister_trace_console(on_print, NULL);
	tracepoint_synchronize_unregister();
}

/* Watches for @text until the end of the test. */
void kprobes_watch_console(struct kunit *test, const char *text)
{
	if (!IS_ENABLED(CONFIG_TRACEPOINTS))
		kunit_skip(test, "the console cannot be watched");
	awaited = text;
	seen = false;
	KUNIT_ASSERT_EQ(test, 0, register_trace_console(on_print, NULL));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, stop_watching, NULL));
}

/* The first line with the text, empty while there is none. */
const char *kprobes_console_line(void)
{
	return smp_load_acquire(&seen) ? line : "";	/* pairs with on_print() */
}
