// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Has probes at entries of functions use ftrace, as if calls were redirected.
 */
#include <kunit/test.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>

#include "../../trace/trace.h"
#include "../mechanism.h"
#include "../table.h"
#include "targets.h"

static void allow_skipping(void *unused)
{
	kprobe_ftrace_redirect_end();
}

/* No new point skips its entry nop until the test ends. */
void kprobes_by_ftrace(struct kunit *test)
{
	static struct hlist_head bucket;
	static struct ftrace_hash none = { .buckets = &bucket };

	KUNIT_ASSERT_EQ(test, 0, kprobe_ftrace_redirect_begin(&none));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, allow_skipping, NULL));
}

/* Has a probe's point, if it skips its entry nop, begin to switch. Returns why it cannot. */
enum kprobe_reason kprobes_switch(struct kprobe *p)
{
	LIST_HEAD(points);

	guard(mutex)(&kprobe_mutex);
	list_move_tail(&p->point->batch, &points);
	return kprobe_switch_to_ftrace(&points);
}
