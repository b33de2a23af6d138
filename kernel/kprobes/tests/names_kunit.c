// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of what clients ask about symbols and addresses before they set a probe.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/workqueue.h>

#include "../table.h"
#include "targets.h"

static void looks_up_names(struct kunit *test)
{
	KUNIT_EXPECT_PTR_EQ(test, kprobe_lookup_name("kprobes_target_c", 0),
			    (kprobe_opcode_t *)kprobes_target_c);
	KUNIT_EXPECT_NULL(test,
			  kprobe_lookup_name("kprobes_there_is_no_such_symbol", 0));
}

static void knows_function_entries(struct kunit *test)
{
	kprobe_opcode_t *c = (kprobe_opcode_t *)kprobes_target_c;
	const struct kprobes_place *last = kprobes_place(kprobes_places() - 1);
	unsigned long pad;

	pad = kprobes_place_addr(kprobes_place_named(KPROBES_PLACE_C)) -
	      (unsigned long)c;
	KUNIT_EXPECT_EQ(test, 0, kprobe_on_func_entry(c, NULL, 0));
	KUNIT_EXPECT_EQ(test, 0, kprobe_on_func_entry(c, NULL, pad));
	KUNIT_EXPECT_EQ(test, 0, kprobe_on_func_entry(NULL, "kprobes_target_c", 0));
	KUNIT_EXPECT_EQ(test, 0,
			kprobe_on_func_entry(NULL, "kprobes_target_c", pad));
	KUNIT_EXPECT_EQ(test, -EINVAL, kprobe_on_func_entry(c, NULL, pad + 1));
	if (last->offset)
		KUNIT_EXPECT_EQ(test, -EINVAL,
				kprobe_on_func_entry(NULL, last->symbol,
						     last->offset));
	KUNIT_EXPECT_EQ(test, -ENOENT,
			kprobe_on_func_entry(NULL,
					     "kprobes_there_is_no_such_symbol",
					     0));
}

/**
 * struct question - asks whether a place is a function's entry, from another task
 * @work:   does it
 * @done:   it has the answer
 */
struct question {
	struct work_struct work;
	struct completion done;
};

static void ask(struct work_struct *work)
{
	struct question *q = container_of(work, struct question, work);

	kprobe_on_func_entry(NULL, "kprobes_target_c", 0);
	complete(&q->done);
}

/* perf asks under a lock that CPU hotplug takes, and whoever holds the mutex may wait for that. */
static void asks_without_mutex(struct kunit *test)
{
	struct question q = { .done = COMPLETION_INITIALIZER_ONSTACK(q.done) };

	INIT_WORK_ONSTACK(&q.work, ask);
	scoped_guard(mutex, &kprobe_mutex) {
		schedule_work(&q.work);
		KUNIT_EXPECT_NE(test, 0, wait_for_completion_timeout(&q.done, 10 * HZ));
	}
	flush_work(&q.work);
	destroy_work_on_stack(&q.work);
}

static struct kunit_case names_cases[] = {
	KUNIT_CASE(looks_up_names),
	KUNIT_CASE(knows_function_entries),
	KUNIT_CASE(asks_without_mutex),
	{}
};

static struct kunit_suite names_suite = {
	.name = "kprobes_names",
	.test_cases = names_cases,
};

kunit_test_suite(names_suite);
