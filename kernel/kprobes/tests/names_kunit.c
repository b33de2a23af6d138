// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of what clients ask about symbols and addresses before they set a probe.
 */
#include <kunit/test.h>
#include <linux/compiler.h>
#include <linux/completion.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/workqueue.h>

#include "../place.h"
#include "targets.h"

static void looks_up_names(struct kunit *test)
{
	KUNIT_EXPECT_PTR_EQ(test, kprobe_lookup_name("kprobes_target_c", 0),
			    (kprobe_opcode_t *)kprobe_code_address(kprobes_target_c));
	KUNIT_EXPECT_NULL(test,
			  kprobe_lookup_name("kprobes_there_is_no_such_symbol", 0));
}

static void knows_function_entries(struct kunit *test)
{
	kprobe_opcode_t *c = (kprobe_opcode_t *)kprobe_code_address(kprobes_target_c);
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

/* Functions whose names look like those of cold parts: blacklist.S. */
int kprobes_coldroom(int x) __asm__("kprobes_names.coldroom");
int kprobes_of_its_own(int x) __asm__("kprobes_names_own.cold");

/* Not for objtool: it takes the second for a part of the first. */
#if defined(CONFIG_DYNAMIC_FTRACE) && !defined(CONFIG_OBJTOOL)
static int another(int x) __asm__("kprobes_names_both");
static int beside_another(int x) __asm__("kprobes_names_both.cold");

static noinline __noclone int another(int x)
{
	barrier();
	return x + 1;
}

static noinline __noclone int beside_another(int x)
{
	barrier();
	return x + 2;
}

static void call_beside_another(void)
{
	another(1);
	beside_another(1);
}
#else
#define call_beside_another	NULL
#endif

static void call_coldroom(void)
{
	kprobes_coldroom(1);
}

static void call_of_its_own(void)
{
	kprobes_of_its_own(1);
}

static const struct odd_name {
	const char *name;
	void (*call)(void);
} odd_names[] = {
	{ "kprobes_names.coldroom", call_coldroom },
	{ "kprobes_names_own.cold", call_of_its_own },
	{ "kprobes_names_both.cold", call_beside_another },
};

KUNIT_ARRAY_PARAM_DESC(odd_name, odd_names, name);

/* They are called as others are, and return to their callers. */
static void function_named_as_cold_part(struct kunit *test)
{
	const struct odd_name *odd = test->param_value;

	if (!odd->call)
		kunit_skip(test, "ftrace does not tell that it is a function");
	KUNIT_EXPECT_EQ(test, 0, kprobe_on_func_entry(NULL, odd->name, 0));
#ifdef CONFIG_KRETPROBES
	struct kprobes_returns *r = kprobes_returning(test, odd->name);

	odd->call();
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&r->returns));
#endif
}

static struct kunit_case names_cases[] = {
	KUNIT_CASE(looks_up_names),
	KUNIT_CASE(knows_function_entries),
	KUNIT_CASE(asks_without_mutex),
	KUNIT_CASE_PARAM(function_named_as_cold_part, odd_name_gen_params),
	{}
};

static struct kunit_suite names_suite = {
	.name = "kprobes_names",
	.test_cases = names_cases,
};

kunit_test_suite(names_suite);
