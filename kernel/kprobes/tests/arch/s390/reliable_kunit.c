// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of reliable stack traces, by which live patching decides: one through a return probe is
 * reliable, and has the true return address. One from a handler is refused, as from any exception:
 * it would go through registers that were saved where there may have been no frame.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/smp.h>
#include <linux/stacktrace.h>

#include "../../optimized.h"
#include "../../waits.h"

struct nap {
	struct completion over;
	int result;
};

static int nap(void *arg)
{
	struct nap *n = arg;

	wait_for_completion(&n->over);
	return 41;
}

/* Not inlined, and no tail call: it is in the trace. */
static noinline void kprobes_napper(void *arg)
{
	struct nap *n = arg;

	n->result = kprobes_target_call(nap, n);
}

static void through_return_probe(struct kunit *test)
{
	struct kprobes_returns *r = kprobes_returning(test, "kprobes_target_call");
	struct kprobes_other *napper;
	struct nap n = { };

	init_completion(&n.over);
	napper = kprobes_other(test, kprobes_napper, &n, raw_smp_processor_id());
	WRITE_ONCE(napper->go, true);
	KUNIT_EXPECT_TRUE(test, kprobes_waits(napper));
	KUNIT_EXPECT_EQ(test, kprobes_reliably_in(napper->task, "kprobes_target_call"), 1);
	KUNIT_EXPECT_EQ(test, kprobes_reliably_in(napper->task, "kprobes_napper"), 1);
	complete(&n.over);
	kprobes_end_other(napper);
	KUNIT_EXPECT_EQ(test, n.result, 42);
	kprobes_expect_returns(test, r, 1, 1);
}

/* How this task's own trace ended, the last time. */
static int own;

static void trace_own(void)
{
	unsigned long trace[64];

	own = stack_trace_save_tsk_reliable(current, trace, ARRAY_SIZE(trace));
}

static void in_handler(struct kunit *test, bool post)
{
	kprobes_looking(test, trace_own, post);
	trace_own();
	KUNIT_EXPECT_GT(test, own, 0);
	KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 15);
	KUNIT_EXPECT_EQ(test, own, -EINVAL);
}

static void in_pre_handler(struct kunit *test)
{
	in_handler(test, false);
}

static void in_post_handler(struct kunit *test)
{
	in_handler(test, true);
}

static void in_return_handler(struct kunit *test)
{
	kprobes_looking_return(test, trace_own);
	trace_own();
	KUNIT_EXPECT_GT(test, own, 0);
	KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 15);
	KUNIT_EXPECT_EQ(test, own, -EINVAL);
}

static struct kunit_case reliable_cases[] = {
	KUNIT_CASE(through_return_probe),
	KPROBES_CASE_WAYS(in_pre_handler),
	KPROBES_CASE_WAYS(in_post_handler),
	KPROBES_CASE_WAYS(in_return_handler),
	{}
};

static struct kunit_suite reliable_suite = {
	.name = "kprobes_s390_reliable",
	.init = kprobes_way_init,
	.exit = kprobes_way_exit,
	.test_cases = reliable_cases,
};

kunit_test_suite(reliable_suite);

MODULE_DESCRIPTION("KUnit tests of reliable stack traces with probes on s390");
MODULE_LICENSE("GPL");
