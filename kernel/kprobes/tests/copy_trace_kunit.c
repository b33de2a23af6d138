// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of stack traces that begin in a copy of a displaced instruction: they are those of
 * the original. A handler has the registers of its hit unwound, once with the instruction
 * pointer at the original, and once at each of its copies.
 */
#include <linux/kallsyms.h>
#include <linux/kprobe_arch.h>
#include <linux/stacktrace.h>

#include "optimized.h"

#define DEPTH	48

struct trace {
	unsigned long entries[DEPTH];
	unsigned int nr;
};

/**
 * struct unwound - what a handler has found
 * @want:   trace from the original
 * @have:   the last one from a copy that was different, else the last one
 * @copies: how many copies there are
 * @alike:  from how many the trace is the same
 */
struct unwound {
	struct trace want;
	struct trace have;
	unsigned int copies;
	unsigned int alike;
};

static void take(struct trace *t, struct pt_regs *regs, unsigned long ip)
{
	struct pt_regs at = *regs;

	instruction_pointer_set(&at, ip);
	t->nr = stack_trace_save_regs(&at, t->entries, DEPTH, 0);
}

static bool are_alike(const struct trace *a, const struct trace *b)
{
	return a->nr == b->nr && !memcmp(a->entries, b->entries, a->nr * sizeof(a->entries[0]));
}

static void compare(struct unwound *u, struct pt_regs *regs, void *copy)
{
	if (!copy || u->copies > u->alike)
		return;
	u->copies++;
	take(&u->have, regs, (unsigned long)copy);
	u->alike += are_alike(&u->have, &u->want);
}

static int unwind_copies(struct kprobe *p, struct pt_regs *regs)
{
	struct unwound *u = kprobes_counter_of(p)->data;
	const struct kprobe_point *point = p->point;

	take(&u->want, regs, point->site);
	compare(u, regs, kprobe_point_slot(point));
	compare(u, regs, point->text.run_post);
	if (point->detour)
		compare(u, regs, point->detour->route.run);
	return 0;
}

static void print(struct kunit *test, const char *what, const struct trace *t)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		kunit_info(test, "  %s: %pB\n", what, (void *)t->entries[i]);
}

/* It begins with the original, goes on in its caller, and does not end there. */
static void expect_complete(struct kunit *test, const struct trace *t, unsigned long site)
{
	KUNIT_ASSERT_GT(test, t->nr, 3);
	KUNIT_EXPECT_EQ(test, t->entries[0], site);
	KUNIT_EXPECT_TRUE(test, t->entries[1] != site && core_kernel_text(t->entries[1]));
}

static void unwound_alike(struct kunit *test, unsigned int offset)
{
	const struct kprobes_place place = { .symbol = "kprobes_opt_middle", .offset = offset };
	struct kprobes_counter *c = kprobes_counter(test, &place);
	struct unwound *u = kunit_kzalloc(test, sizeof(*u), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, u);
	c->data = u;
	c->in_pre = unwind_copies;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_expect_way(test, c);
	KUNIT_EXPECT_EQ(test, kprobes_opt_middle(5), 8);
	KUNIT_EXPECT_GT(test, u->copies, 0);
	KUNIT_EXPECT_EQ(test, u->copies, u->alike);
	expect_complete(test, &u->want, c->kp.point->site);
	if (u->copies == u->alike)
		return;
	print(test, "original", &u->want);
	print(test, "copy", &u->have);
}

static void copies_at_entry(struct kunit *test)
{
	unwound_alike(test, 0);
}

static void copies_in_middle(struct kunit *test)
{
	unwound_alike(test, kprobes_opt_middle_at);
}

static struct kunit_case trace_cases[] = {
	KPROBES_CASE_WAYS(copies_at_entry),
	KPROBES_CASE_WAYS(copies_in_middle),
	{}
};

static struct kunit_suite trace_suite = {
	.name = "kprobes_copy_trace",
	.init = kprobes_way_init,
	.exit = kprobes_way_exit,
	.test_cases = trace_cases,
};

kunit_test_suite(trace_suite);

MODULE_DESCRIPTION("KUnit tests of stack traces from copies of displaced instructions");
MODULE_LICENSE("GPL");
