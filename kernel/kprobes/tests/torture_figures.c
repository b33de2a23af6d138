// SPDX-License-Identifier: GPL-2.0-or-later
/* What has happened in the torture test of kprobes, see torture.c. */
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/printk.h>

#include "torture.h"

enum wanted { ANY, SOME, NONE };

/* Prints what has happened. Returns whether that is what has to happen in a test. */
bool torture_print_figures(int last_error)
{
	static const struct {
		const char *name;
		enum wanted wanted;
	} figures[TORTURE_COUNTS] = {
		[TORTURE_PRE] = { "handled", SOME },
		[TORTURE_POST] = { "posts", SOME },
		[TORTURE_ENTERED] = { "entries", SOME },
		[TORTURE_STABLE] = { "stable", SOME },
		[TORTURE_STABLE_ABSENT] = { "absent", SOME },
		[TORTURE_STABLE_NESTED] = { "nested", SOME },
		[TORTURE_UNSTABLE] = { "unstable", ANY },
		[TORTURE_UNSTABLE_ABSENT] = { "absent", ANY },
		[TORTURE_UNSTABLE_NESTED] = { "nested", ANY },
		[TORTURE_NEVER] = { "off", SOME },
		[TORTURE_IN_TASK] = { "task", SOME },
		[TORTURE_IN_SOFTIRQ] = { "softirq", SOME },
		[TORTURE_IN_HARDIRQ] = { "hardirq", SOME },
		[TORTURE_REGISTERED] = { "registered", SOME },
		[TORTURE_TOGGLED] = { "toggled", SOME },
		[TORTURE_REGISTERED_TWICE] = { "twice", SOME },
		[TORTURE_JUMPS] = { "jumps", SOME },
		[TORTURE_FTRACED] = { "ftrace", ANY },
		[TORTURE_TRAPS] = { "traps", ANY },
		[TORTURE_WALKS] = { "walks", SOME },
		[TORTURE_NO_MEMORY] = { "nomem", ANY },
		[TORTURE_REFUSED] = { "refused", ANY },
		[TORTURE_FAILED] = { "failed", NONE },
		[TORTURE_LATE] = { "late", NONE },
		[TORTURE_STRAY] = { "stray", NONE },
		[TORTURE_MIXED_UP] = { "mixed-up", NONE },
		[TORTURE_WRONG] = { "wrong", NONE },
	};
	bool good = true;
	unsigned int i;
	char line[640];
	int len = 0;

	torture_add_up();
	for (i = 0; i < TORTURE_COUNTS; i++) {
		long n = atomic_long_read(&torture_counts[i]);
		bool bad = figures[i].wanted == SOME ? !n : figures[i].wanted == NONE && n;

		len += scnprintf(line + len, sizeof(line) - len, "%s %s: %ld", bad ? " !!!" : "",
				 figures[i].name, n);
		good &= !bad;
	}
	pr_alert("kprobes-torture:%s last error: %d\n", line, last_error);
	return good;
}
