// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of probes at a function's entry nop: users see no difference between a breakpoint
 * or jump after the nop, and ftrace.
 */
#include <kunit/test.h>
#include <linux/error-injection.h>
#include <linux/kallsyms.h>
#include <linux/kprobe_point.h>
#include <linux/kprobes.h>
#include <linux/stacktrace.h>

#include "../mechanism.h"
#include "entry.h"
#include "optimized.h"

#define CALLS	5

/* Addresses that users see */

static void tells_the_address(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_entry_counting(test);
	unsigned long addr = kprobes_entry_addr();

	KUNIT_EXPECT_EQ(test, (unsigned long)c->kp.addr, addr);
	KUNIT_EXPECT_TRUE(test, c->kp.flags & KPROBE_FLAG_ON_FUNC_ENTRY);
	KUNIT_EXPECT_PTR_EQ(test, get_kprobe((void *)addr), &c->kp);
	KUNIT_EXPECT_PTR_NE(test, get_kprobe((void *)addr + ENTRY_NOP_SIZE),
			    &c->kp);
	KUNIT_EXPECT_NULL(test, get_kprobe((void *)addr + 1));
}

static void tells_instruction_pointers(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_entry_counting(test);

	kprobes_entry_call(test, CALLS);
	kprobes_expect_counts(test, c, CALLS, CALLS);
	KUNIT_EXPECT_EQ(test, c->pre_ip, kprobes_entry_addr() + KPROBE_HIT_OFFSET);
	KUNIT_EXPECT_EQ(test, c->post_ip, kprobes_entry_addr() + ENTRY_NOP_SIZE);
	KUNIT_EXPECT_EQ(test, c->kp.nmissed, 0);
}

struct both_regs {
	struct pt_regs pre;
	struct pt_regs post;
};

static int copy_in_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct both_regs *both = kprobes_counter_of(p)->data;

	both->pre = *regs;
	return 0;
}

static void copy_in_post(struct kprobe *p, struct pt_regs *regs,
			 unsigned long flags)
{
	struct both_regs *both = kprobes_counter_of(p)->data;

	both->post = *regs;
}

/* Between the two handlers is a nop, and nothing else. */
static void post_handler_follows_the_nop(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_entry_counting(test);
	struct both_regs both = { };

	c->data = &both;
	c->in_pre = copy_in_pre;
	c->in_post = copy_in_post;
	KUNIT_EXPECT_EQ(test, kprobes_entry_target(4321), 4322);
	KUNIT_EXPECT_EQ(test, TEST_ARG(&both.pre), 4321);
	KUNIT_EXPECT_EQ(test, instruction_pointer(&both.post),
			instruction_pointer(&both.pre) + ENTRY_NOP_SIZE - KPROBE_HIT_OFFSET);
	instruction_pointer_set(&both.post, instruction_pointer(&both.pre));
	KUNIT_EXPECT_MEMEQ(test, &both.post, &both.pre, sizeof(both.pre));
	unregister_kprobe(&c->kp);
}

static int tell_the_caller(struct kprobe *p, struct pt_regs *regs)
{
	kprobes_counter_of(p)->data = (void *)arch_kretprobe_return_address(regs);
	return 0;
}

static void stack_is_the_callers(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_entry_counting(test);
	char name[KSYM_SYMBOL_LEN];

	c->in_pre = tell_the_caller;
	kprobes_entry_call(test, 1);
	sprint_symbol(name, (unsigned long)c->data);
	KUNIT_EXPECT_TRUE_MSG(test, strstarts(name, "kprobes_entry_call+"), "%s",
			      name);
}

/* What handlers do */

static int add_in_pre(struct kprobe *p, struct pt_regs *regs)
{
	TEST_ARG(regs) += 1000;
	return 0;
}

static void add_in_post(struct kprobe *p, struct pt_regs *regs,
			unsigned long flags)
{
	TEST_ARG(regs) += 200;
	if (!TEST_RESULT_IS_ARG)
		TEST_RESULT(regs) = 77;
}

/* Handlers run before the function's first instruction, which sets the result. */
static void handlers_write_registers(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_entry_counting(test);

	c->in_pre = add_in_pre;
	KUNIT_EXPECT_EQ(test, kprobes_entry_target(7), 1008);
	c->in_post = add_in_post;
	KUNIT_EXPECT_EQ(test, kprobes_entry_target(7), 1208);
	c->in_pre = NULL;
	KUNIT_EXPECT_EQ(test, kprobes_entry_target(7), 208);
}

static int go_elsewhere(struct kprobe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, (unsigned long)kprobes_entry_other);
	return 1;
}

static void goes_to_another_function(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_entry_counting(test);

	c->in_pre = go_elsewhere;
	KUNIT_EXPECT_EQ(test, kprobes_entry_target(7), -7);
	kprobes_expect_counts(test, c, 1, 0);
	c->in_pre = NULL;
	kprobes_entry_call(test, 1);
	kprobes_expect_counts(test, c, 2, 1);
}

static int return_42(struct kprobe *p, struct pt_regs *regs)
{
	regs_set_return_value(regs, 42);
	override_function_with_return(regs);
	return 1;
}

static void returns_to_the_caller(struct kunit *test)
{
	struct kprobes_counter *c;

	if (!IS_ENABLED(CONFIG_FUNCTION_ERROR_INJECTION))
		kunit_skip(test, "no function to return by");
	c = kprobes_entry_counting(test);
	c->in_pre = return_42;
	KUNIT_EXPECT_EQ(test, kprobes_entry_target(7), 42);
	kprobes_expect_counts(test, c, 1, 0);
}

/* Coming and going */

static void register_once(struct kunit *test, struct kprobes_counter *c)
{
	c->kp.addr = NULL;
	atomic_set(&c->pre, 0);
	atomic_set(&c->post, 0);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_entry_call(test, CALLS);
	kprobes_expect_counts(test, c, CALLS, CALLS);
	unregister_kprobe(&c->kp);
	kprobes_entry_call(test, CALLS);
	kprobes_expect_counts(test, c, CALLS, CALLS);
}

static void registers_again(struct kunit *test)
{
	struct kprobes_counter *c;
	int i;

	kprobes_entry_prepare(test);
	c = kprobes_counter(test, &kprobes_entry_place);
	for (i = 0; i < 10; i++)
		register_once(test, c);
	c->kp.addr = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_entry_settle(test, &c->kp);
	unregister_kprobe(&c->kp);
	/* The original text is restored. */
	wait_for_kprobe_optimizer();
	for (i = 0; i < 10; i++)
		register_once(test, c);
}

static void disables_and_enables(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_entry_counting(test);
	int i;

	for (i = 1; i <= 4; i++) {
		KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&c->kp));
		kprobes_entry_call(test, CALLS);
		KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&c->kp));
		kprobes_entry_call(test, CALLS);
		if (i > 2)
			kprobes_entry_settle(test, &c->kp);
		kprobes_expect_counts(test, c, i * CALLS, i * CALLS);
	}
	KUNIT_EXPECT_EQ(test, c->kp.nmissed, 0);
}

static void starts_disabled(struct kunit *test)
{
	struct kprobes_counter *c;

	kprobes_entry_prepare(test);
	c = kprobes_counter(test, &kprobes_entry_place);
	c->kp.flags = KPROBE_FLAG_DISABLED;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_entry_call(test, CALLS);
	kprobes_expect_counts(test, c, 0, 0);
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&c->kp));
	kprobes_entry_settle(test, &c->kp);
	kprobes_entry_call(test, CALLS);
	kprobes_expect_counts(test, c, CALLS, CALLS);
}

/* Several */

static void several_are_hit(struct kunit *test)
{
	struct kprobes_counter *first, *second, *third;

	first = kprobes_entry_counting(test);
	second = kprobes_counter(test, &kprobes_entry_place);
	second->kp.post_handler = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&second->kp));
	kprobes_entry_call(test, CALLS);
	third = kprobes_counting(test, &kprobes_entry_place);
	kprobes_entry_settle(test, &third->kp);
	kprobes_entry_call(test, CALLS);
	unregister_kprobe(&first->kp);
	kprobes_entry_call(test, CALLS);

	kprobes_expect_counts(test, first, 2 * CALLS, 2 * CALLS);
	kprobes_expect_counts(test, second, 3 * CALLS, 0);
	kprobes_expect_counts(test, third, 2 * CALLS, 2 * CALLS);
	KUNIT_EXPECT_EQ(test, second->pre_ip, kprobes_entry_addr() + KPROBE_HIT_OFFSET);
	KUNIT_EXPECT_EQ(test, third->post_ip,
			kprobes_entry_addr() + ENTRY_NOP_SIZE);
}

static void post_handler_comes_and_goes(struct kunit *test)
{
	struct kprobes_counter *first, *second;
	int i;

	first = kprobes_entry_counting(test);
	second = kprobes_counter(test, &kprobes_entry_place);
	second->kp.pre_handler = NULL;
	for (i = 1; i <= 3; i++) {
		second->kp.addr = NULL;
		KUNIT_ASSERT_EQ(test, 0, register_kprobe(&second->kp));
		kprobes_entry_call(test, CALLS);
		kprobes_entry_settle(test, &first->kp);
		kprobes_entry_call(test, CALLS);
		unregister_kprobe(&second->kp);
		kprobes_entry_call(test, CALLS);
		kprobes_expect_counts(test, second, 0, i * 2 * CALLS);
	}
	kprobes_expect_counts(test, first, 9 * CALLS, 9 * CALLS);
}

/* Return probes */

#ifdef CONFIG_KRETPROBES
struct call {
	unsigned long argument;
	unsigned long value;
	bool entry_traced;
	bool return_traced;
};

/* Does the trace have the target's caller, and a symbol for each address? */
static bool trace_is_good(void)
{
	char name[KSYM_SYMBOL_LEN];
	unsigned long entries[32];
	bool seen = false;
	unsigned int i, nr;

	nr = stack_trace_save(entries, ARRAY_SIZE(entries), 0);
	for (i = 0; i < nr; i++) {
		sprint_backtrace(name, entries[i]);
		seen |= strstarts(name, "kprobes_entry_call+");
		if (is_kretprobe_trampoline(entries[i]))
			return false;
	}
	return seen;
}

static int note_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = kprobes_returns_of(ri)->data;

	call->argument = TEST_ARG(regs);
	call->entry_traced = trace_is_good();
	return 0;
}

static int note_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = kprobes_returns_of(ri)->data;

	call->value = regs_return_value(regs);
	call->return_traced = trace_is_good();
	return 0;
}

static void return_probe_sees_the_call(struct kunit *test)
{
	struct kprobes_returns *r;
	struct call call = { };

	kprobes_entry_prepare(test);
	r = kprobes_returns(test, kprobes_entry_place.symbol);
	r->data = &call;
	r->in_entry = note_entry;
	r->in_return = note_return;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	kprobes_entry_settle(test, &r->rp.kp);
	kprobes_entry_call(test, CALLS);
	kprobes_expect_returns(test, r, CALLS, CALLS);
	KUNIT_EXPECT_EQ(test, call.argument, CALLS - 1);
	KUNIT_EXPECT_EQ(test, call.value, CALLS);
	KUNIT_EXPECT_TRUE(test, call.entry_traced);
	KUNIT_EXPECT_TRUE(test, call.return_traced);
	unregister_kretprobe(&r->rp);
}

/* A return probe replaces the return address, then another probe changes the path. */
static void return_probe_beside_a_change_of_path(struct kunit *test)
{
	struct kprobes_returns *r;
	struct kprobes_counter *c;

	kprobes_entry_prepare(test);
	c = kprobes_counting(test, &kprobes_entry_place);
	r = kprobes_returning(test, kprobes_entry_place.symbol);
	kprobes_entry_settle(test, &c->kp);
	c->in_pre = go_elsewhere;
	KUNIT_EXPECT_EQ(test, kprobes_entry_target(7), -7);
	kprobes_expect_returns(test, r, 1, 1);
	kprobes_expect_counts(test, c, 1, 0);
}
#endif

/* The detour is made for the handlers of the probe that is registered, and only once. */
static void detour_is_current_at_once(struct kunit *test)
{
	struct kprobes_counter *c;

	kprobes_entry_clear();
	kprobes_hold_optimizer(true);
	c = kprobes_counting(test, &kprobes_entry_place);
	scoped_guard(mutex, &kprobe_mutex) {
		KUNIT_EXPECT_EQ(test, c->kp.point->mechanism, KPROBE_BREAKPOINT);
		KUNIT_EXPECT_TRUE(test, kprobe_has_breakpoint_detour(c->kp.point));
	}
	kprobes_hold_optimizer(false);
}

static struct kunit_case entry_cases[] = {
	KPROBES_CASE_FORMS(tells_the_address),
	KPROBES_CASE_FORMS(tells_instruction_pointers),
	KPROBES_CASE_FORMS(post_handler_follows_the_nop),
	KPROBES_CASE_FORMS(stack_is_the_callers),
	KPROBES_CASE_FORMS(handlers_write_registers),
	KPROBES_CASE_FORMS(goes_to_another_function),
	KPROBES_CASE_FORMS(returns_to_the_caller),
	KPROBES_CASE_FORMS(registers_again),
	KPROBES_CASE_FORMS(disables_and_enables),
	KPROBES_CASE_FORMS(starts_disabled),
	KPROBES_CASE_FORMS(several_are_hit),
	KPROBES_CASE_FORMS(post_handler_comes_and_goes),
#ifdef CONFIG_KRETPROBES
	KPROBES_CASE_FORMS(return_probe_sees_the_call),
	KPROBES_CASE_FORMS(return_probe_beside_a_change_of_path),
#endif
	KUNIT_CASE(detour_is_current_at_once),
	{}
};

static struct kunit_suite entry_suite = {
	.name = "kprobes_entry",
	.test_cases = entry_cases,
};

kunit_test_suite(entry_suite);
