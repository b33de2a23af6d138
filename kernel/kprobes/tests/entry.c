// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Common code of the suites of probes at function entries that ftrace knows: the same
 * probe with a breakpoint, with a jump, and through ftrace.
 */
#include <kunit/test.h>
#include <linux/ftrace.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>

#include "../mechanism.h"
#include "entry.h"

unsigned int kprobes_entry_directs;

const struct kprobes_place kprobes_entry_place = {
	.name = "traced function",
	.symbol = "kprobes_entry_target",
};

static const enum entry_form forms[] = {
	ENTRY_BREAKPOINT,
	ENTRY_JUMP,
	ENTRY_FTRACE,
};

static void form_name(const enum entry_form *form, char *desc)
{
	static const char *const names[] = {
		[ENTRY_BREAKPOINT] = "breakpoint",
		[ENTRY_JUMP] = "jump",
		[ENTRY_FTRACE] = "ftrace",
	};

	strscpy(desc, names[*form], KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(form, forms, form_name);

const void *kprobes_form_gen_params(const void *prev, char *desc)
{
	return form_gen_params(prev, desc);
}

unsigned long kprobes_entry_addr(void)
{
	return (unsigned long)kprobe_lookup_name(kprobes_entry_place.symbol, 0);
}

static enum entry_form form_of(struct kunit *test)
{
	const enum entry_form *form = test->param_value;

	return *form;
}

static void allow_again(void *unused)
{
	kprobe_optimizer_allow(true);
}

static void forbid_jumps(struct kunit *test)
{
	kprobe_optimizer_allow(false);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, allow_again, NULL));
}

/* A counting probe on the instruction after the nop. */
struct kprobes_counter *kprobes_entry_next(struct kunit *test)
{
	struct kprobes_place next = kprobes_entry_place;

	next.offset = ENTRY_NOP_SIZE;
	return kprobes_counter(test, &next);
}

/* A counting probe on the instruction after that one. Nothing is probed there yet. */
struct kprobes_counter *kprobes_entry_second(struct kunit *test)
{
	const u8 *next = (u8 *)kprobes_entry_addr() + ENTRY_NOP_SIZE;
	struct kprobes_place second = kprobes_entry_place;

	kprobes_entry_clear();
	second.offset = ENTRY_NOP_SIZE + kprobes_insn_len(next, KPROBE_INSN_MAX);
	return kprobes_counter(test, &second);
}

/* Disarms points of earlier probes, which would else decide the form: switching ones last. */
void kprobes_entry_clear(void)
{
	wait_for_kprobe_optimizer();
	kprobe_disarm_pending();
}

/* Called before the test's probe is registered, so that it gets the test's form. */
void kprobes_entry_prepare(struct kunit *test)
{
	kprobes_entry_clear();
	if (form_of(test) == ENTRY_BREAKPOINT)
		forbid_jumps(test);
	if (form_of(test) == ENTRY_FTRACE)
		kprobes_by_ftrace(test);
}

/* Called after it was registered, or has changed: waits until it has that form. */
void kprobes_entry_settle(struct kunit *test, struct kprobe *p)
{
	static const u32 flags[] = {
		[ENTRY_JUMP] = KPROBE_FLAG_OPTIMIZED,
		[ENTRY_FTRACE] = KPROBE_FLAG_FTRACE,
	};
	const u32 mask = KPROBE_FLAG_OPTIMIZED | KPROBE_FLAG_FTRACE;

	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, p->flags & mask, flags[form_of(test)]);
}

/* A counting probe at the entry, registered, in the test's form. */
struct kprobes_counter *kprobes_entry_counting(struct kunit *test)
{
	struct kprobes_counter *c;

	kprobes_entry_prepare(test);
	c = kprobes_counting(test, &kprobes_entry_place);
	kprobes_entry_settle(test, &c->kp);
	return c;
}

/* Calls the function, and checks its result. */
void kprobes_entry_call(struct kunit *test, int times)
{
	int a;

	for (a = 0; a < times; a++)
		KUNIT_EXPECT_EQ(test, kprobes_entry_target(a), a + 1);
}

static void pass(unsigned long ip, unsigned long parent_ip,
		 struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
}

/* With IPMODIFY, so it counts as redirecting calls, although it does not. */
struct ftrace_ops kprobes_entry_redirection = {
	.func = pass,
	.flags = ENTRY_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY,
};

static void end_redirection(void *unused)
{
	unregister_ftrace_function(&kprobes_entry_redirection);
	ftrace_set_filter(&kprobes_entry_redirection, NULL, 0, 1);
}

/* Filters the function alone until the test ends. The caller must register the ops. */
void kprobes_entry_redirect(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&kprobes_entry_redirection,
						      kprobes_entry_addr(), 0, 1));
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, end_redirection, NULL));
}
