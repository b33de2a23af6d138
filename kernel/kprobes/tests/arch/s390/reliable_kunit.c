// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of reliable stack traces, by which live patching decides: one through a return probe is
 * reliable, and has the true return address. One from a handler is refused, as from any exception:
 * it would go through registers that were saved where there may have been no frame.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kallsyms.h>
#include <linux/kthread.h>
#include <linux/sched/task.h>
#include <linux/stacktrace.h>

#include "../../optimized.h"

#define DEPTH	32

struct nap {
	struct completion over;
	struct completion begun;
	int result;
};

static int nap(void *arg)
{
	struct nap *n = arg;

	complete(&n->begun);
	wait_for_completion(&n->over);
	return 41;
}

/* Not inlined, and no tail call: it is in the trace. */
static noinline int kprobes_napper(void *arg)
{
	struct nap *n = arg;

	n->result = kprobes_target_call(nap, n);
	return 0;
}

static bool is_in(unsigned long addr, const char *symbol)
{
	unsigned long size, offset;

	return kallsyms_lookup_size_offset(addr, &size, &offset) &&
	       addr - offset == kallsyms_lookup_name(symbol);
}

/* Where in a trace @symbol's caller comes, which is after it; 0 if it is not there. */
static unsigned int after(const unsigned long *trace, int nr, const char *symbol)
{
	int i;

	for (i = 0; i < nr; i++)
		if (is_in(trace[i], symbol))
			return i + 1;
	return 0;
}

/* The length of the trace of a task that sleeps in nap(), or an error. */
static int trace_of(struct kunit *test, struct task_struct *task, unsigned long *trace)
{
	int nr = 0, tries = 100;

	do {
		msleep(20);
		nr = stack_trace_save_tsk_reliable(task, trace, DEPTH);
	} while (nr < 0 && tries--);
	return nr;
}

static void through_return_probe(struct kunit *test)
{
	struct kprobes_returns *r = kprobes_returning(test, "kprobes_target_call");
	unsigned long trace[DEPTH];
	struct task_struct *task;
	struct nap n = { };
	unsigned int at;
	int nr;

	init_completion(&n.over);
	init_completion(&n.begun);
	task = kthread_create(kprobes_napper, &n, "kprobes_napper");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	wake_up_process(task);
	wait_for_completion(&n.begun);
	nr = trace_of(test, task, trace);
	complete(&n.over);
	kthread_stop(task);
	put_task_struct(task);
	KUNIT_EXPECT_EQ(test, n.result, 42);
	KUNIT_ASSERT_GT(test, nr, 0);
	at = after(trace, nr, "kprobes_target_call");
	KUNIT_ASSERT_GT(test, at, 0);
	KUNIT_ASSERT_LT(test, at, nr);
	KUNIT_EXPECT_TRUE(test, is_in(trace[at], "kprobes_napper"));
	kprobes_expect_returns(test, r, 1, 1);
}

/* How this task's own trace ended, the last time. */
static int own;

static void trace_own(void)
{
	unsigned long trace[DEPTH];

	own = stack_trace_save_tsk_reliable(current, trace, DEPTH);
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
