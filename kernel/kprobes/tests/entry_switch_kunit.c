// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of a probe at a function's entry that switches from a breakpoint or jump to ftrace, with a
 * probe on the next instruction: calls that have passed the nop before are hits, and no call is a
 * hit twice.
 */
#include <kunit/test.h>
#include <linux/ftrace.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/module.h>

#include "../hit.h"
#include "../mechanism.h"
#include "entry.h"
#include "waits.h"

#define CALLS	5

/* Like a call that has passed the nop before the switch: begins after the nop. */
static void call_late(struct kunit *test, int times)
{
	int a;

	for (a = 0; a < times; a++)
		KUNIT_EXPECT_EQ(test, kprobes_entry_late(a), a + 1);
}

/* The same, of a test that goes on only if they came before the switch's end. */
static void call_in_time(struct kunit *test, int times)
{
	call_late(test, times);
	if (!kprobe_switches())
		kunit_skip(test, "the machine is slow: the grace period was over first");
}

struct pair {
	struct kprobes_counter *entry;
	struct kprobes_counter *next;
};

/* The probe at the entry switches, as if calls were about to be redirected. */
static struct pair start_switch(struct kunit *test)
{
	const enum entry_form *form = test->param_value;
	struct pair m;

	if (*form == ENTRY_FTRACE)
		kunit_skip(test, "does not switch");
	m.entry = kprobes_entry_counting(test);
	m.next = kprobes_entry_next(test);
	kprobes_entry_call(test, CALLS);
	call_late(test, CALLS);
	kprobes_expect_counts(test, m.entry, 2 * CALLS, 2 * CALLS);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&m.next->kp));
	KUNIT_ASSERT_EQ(test, KPROBE_REASON_NONE, kprobes_switch(&m.entry->kp));
	KUNIT_EXPECT_TRUE(test, m.entry->kp.flags & KPROBE_FLAG_FTRACE);
	KUNIT_EXPECT_TRUE(test, kprobe_switches());
	atomic_set(&m.entry->pre, 0);
	atomic_set(&m.entry->post, 0);
	return m;
}

static void late_calls_are_hits(struct kunit *test)
{
	struct pair m = start_switch(test);
	unsigned long addr = kprobes_entry_addr();
	int i;

	for (i = 1; i <= 3; i++) {
		kprobes_entry_call(test, 1);
		kprobes_expect_counts(test, m.entry, 2 * i - 1, 2 * i - 1);
		kprobes_expect_counts(test, m.next, 2 * i - 1, 2 * i - 1);
		call_in_time(test, 1);
		kprobes_expect_counts(test, m.entry, 2 * i, 2 * i);
		kprobes_expect_counts(test, m.next, 2 * i, 2 * i);
		KUNIT_EXPECT_EQ(test, m.entry->pre_ip, addr + KPROBE_HIT_OFFSET);
		KUNIT_EXPECT_EQ(test, m.entry->post_ip, addr + ENTRY_NOP_SIZE);
		KUNIT_EXPECT_EQ(test, m.next->pre_ip, addr + ENTRY_NOP_SIZE + KPROBE_HIT_OFFSET);
		KUNIT_EXPECT_GT(test, m.next->post_ip, addr + ENTRY_NOP_SIZE);
	}
	KUNIT_EXPECT_EQ(test, m.entry->kp.nmissed, 0);
	KUNIT_EXPECT_EQ(test, m.next->kp.nmissed, 0);
}

/* After the grace period the next instruction's probe has a breakpoint of its own. */
static void switch_ends(struct kunit *test)
{
	struct pair m = start_switch(test);

	wait_for_kprobe_optimizer();
	kprobes_entry_call(test, CALLS);
	call_late(test, CALLS);
	kprobes_expect_counts(test, m.entry, CALLS, CALLS);
	kprobes_expect_counts(test, m.next, 2 * CALLS, 2 * CALLS);
	KUNIT_EXPECT_TRUE(test, m.entry->kp.flags & KPROBE_FLAG_FTRACE);
	KUNIT_EXPECT_EQ(test, !!(m.next->kp.flags & KPROBE_FLAG_OPTIMIZED),
			*(const enum entry_form *)test->param_value == ENTRY_JUMP);
}

static int go_elsewhere(struct kprobe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, (unsigned long)kprobes_entry_other);
	return 1;
}

/* A call that a handler diverts does not hit the next instruction. */
static void path_changes(struct kunit *test)
{
	struct pair m = start_switch(test);
	int i;

	for (i = 1; i <= CALLS; i++) {
		m.entry->in_pre = go_elsewhere;
		KUNIT_EXPECT_EQ(test, kprobes_entry_target(7), -7);
		KUNIT_EXPECT_EQ(test, kprobes_entry_late(7), -7);
		m.entry->in_pre = NULL;
		KUNIT_EXPECT_EQ(test, kprobes_entry_late(7), 8);
		kprobes_expect_counts(test, m.entry, 3 * i, i);
		kprobes_expect_counts(test, m.next, i, i);
	}
}

static int go_on_at_next(struct kprobe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, kprobes_entry_addr() + ENTRY_NOP_SIZE);
	return 1;
}

static void path_changes_to_next(struct kunit *test)
{
	struct pair m = start_switch(test);

	m.entry->in_pre = go_on_at_next;
	kprobes_entry_call(test, CALLS);
	call_in_time(test, CALLS);
	kprobes_expect_counts(test, m.entry, 2 * CALLS, 0);
	kprobes_expect_counts(test, m.next, 2 * CALLS, 2 * CALLS);
}

static int call_again(struct kprobe *p, struct pt_regs *regs)
{
	if (kprobes_entry_target(1) == 2 && kprobes_entry_late(1) == 2)
		kprobes_counter_of(p)->data = p;
	return 0;
}

/* Calls from a handler are misses of both probes, through ftrace and by the breakpoint. */
static void nested_calls_are_missed(struct kunit *test)
{
	struct pair m = start_switch(test);

	m.entry->in_pre = call_again;
	kprobes_entry_call(test, 1);
	call_in_time(test, 1);
	KUNIT_EXPECT_PTR_EQ(test, m.entry->data, &m.entry->kp);
	kprobes_expect_counts(test, m.entry, 2, 2);
	kprobes_expect_counts(test, m.next, 2, 2);
	KUNIT_EXPECT_EQ(test, m.entry->kp.nmissed, 4);
	KUNIT_EXPECT_EQ(test, m.next->kp.nmissed, 4);
}

static void next_goes(struct kunit *test)
{
	struct pair m = start_switch(test);

	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&m.next->kp));
	kprobes_entry_call(test, 1);
	call_in_time(test, 1);
	kprobes_expect_counts(test, m.entry, 2, 2);
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&m.next->kp));
	kprobes_entry_call(test, 1);
	call_in_time(test, 1);
	kprobes_expect_counts(test, m.entry, 4, 4);
	kprobes_expect_counts(test, m.next, 2, 2);
	unregister_kprobe(&m.next->kp);
	kprobe_disarm_pending();
	kprobes_entry_call(test, 1);
	call_in_time(test, 1);
	kprobes_expect_counts(test, m.entry, 6, 6);
	kprobes_expect_counts(test, m.next, 2, 2);
	wait_for_kprobe_optimizer();
	kprobes_entry_call(test, 1);
	kprobes_expect_counts(test, m.entry, 7, 7);
}

static void next_comes_back(struct kunit *test)
{
	struct pair m = start_switch(test);
	int i;

	for (i = 1; i <= 3; i++) {
		unregister_kprobe(&m.next->kp);
		kprobe_disarm_pending();
		m.next->kp.addr = NULL;
		KUNIT_ASSERT_EQ(test, 0, register_kprobe(&m.next->kp));
		kprobes_entry_call(test, 1);
		call_in_time(test, 1);
		kprobes_expect_counts(test, m.entry, 2 * i, 2 * i);
		kprobes_expect_counts(test, m.next, 2 * i, 2 * i);
	}
}

/*
 * A probe that comes during the switch to what a jump at the entry would cover is hit, with and
 * without one between them.
 */
static void second_comes(struct kunit *test, bool first_alone)
{
	struct kprobes_counter *second = kprobes_entry_second(test);
	struct pair m = start_switch(test);

	if (first_alone) {
		unregister_kprobe(&m.next->kp);
		kprobe_disarm_pending();
	}
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&second->kp));
	kprobes_entry_call(test, 1);
	call_in_time(test, 1);
	kprobes_expect_counts(test, second, 2, 2);
	kprobes_expect_counts(test, m.entry, 2, 2);
	if (!first_alone) {
		unregister_kprobe(&m.next->kp);
		kprobe_disarm_pending();
		kprobes_entry_call(test, 1);
		call_in_time(test, 1);
		kprobes_expect_counts(test, second, 4, 4);
	}
}

static void second_comes_later(struct kunit *test)
{
	second_comes(test, false);
}

static void second_comes_alone(struct kunit *test)
{
	second_comes(test, true);
}

static void entry_goes(struct kunit *test)
{
	struct pair m = start_switch(test);

	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&m.entry->kp));
	kprobes_entry_call(test, 1);
	call_late(test, 1);
	kprobes_expect_counts(test, m.entry, 0, 0);
	kprobes_expect_counts(test, m.next, 2, 2);
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&m.entry->kp));
	kprobes_entry_call(test, 1);
	kprobes_expect_counts(test, m.entry, 1, 1);
	kprobes_expect_counts(test, m.next, 3, 3);
	unregister_kprobe(&m.entry->kp);
	kprobe_disarm_pending();
	kprobes_entry_call(test, 1);
	call_late(test, 1);
	wait_for_kprobe_optimizer();
	kprobes_entry_call(test, 1);
	kprobes_expect_counts(test, m.entry, 1, 1);
	kprobes_expect_counts(test, m.next, 6, 6);
}

static void disable(void *p)
{
	disable_kprobe(p);
}

/* The probe is disabled meanwhile, by another CPU. */
static int stay(struct kprobe *p, struct pt_regs *regs)
{
	struct kprobes_other *off = kprobes_counter_of(p)->data;

	WRITE_ONCE(off->go, true);
	if (!kprobes_spins_until(!kprobe_switches()))
		kprobes_counter_of(p)->data = NULL;
	return 0;
}

/* A hit whose handler runs when the entry's probe is disabled does not pass the next probe. */
static void entry_goes_in_handler(struct kunit *test)
{
	struct kprobes_other *off;
	struct pt_regs regs;
	unsigned int cpu;
	struct pair m;

	cpu = kprobes_leave_cpu(test);
	m = start_switch(test);
	off = kprobes_other(test, disable, &m.entry->kp, cpu);
	m.entry->data = off;
	m.entry->in_pre = stay;
	/* Those of no call that ftrace has reported. */
	memset(&regs, 1, sizeof(regs));
	/* As if the breakpoint was hit, but its trap would disable interrupts. */
	preempt_disable();
	kprobe_hit(m.entry->kp.point, &regs, 0);
	/* And then the breakpoint in the slot where the hit goes on. */
	KUNIT_EXPECT_TRUE(test, kprobe_breakpoint_hit(instruction_pointer(&regs), &regs, 0));
	preempt_enable();
	KUNIT_EXPECT_NOT_NULL(test, m.entry->data);
	KPROBES_EXPECT_SOON(test, READ_ONCE(off->done));
	KUNIT_EXPECT_EQ(test, atomic_read(&m.entry->pre), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&m.next->pre), 1);
	KUNIT_EXPECT_EQ(test, m.next->kp.nmissed, 0);
	/* The next instruction's probe has the breakpoint. */
	wait_for_kprobe_optimizer();
	atomic_set(&m.next->pre, 0);
	kprobes_entry_call(test, 1);
	call_late(test, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&m.entry->pre), 1);
	kprobes_expect_counts(test, m.next, 2, 2);
}

/* All probes are switched off and on: the breakpoint stays, and calls no handlers. */
static void all_go_off(struct kunit *test)
{
	struct pair m = start_switch(test);

	KUNIT_EXPECT_EQ(test, 0, kprobe_arm_all(false));
	kprobes_entry_call(test, 1);
	call_late(test, 1);
	kprobes_expect_counts(test, m.entry, 0, 0);
	kprobes_expect_counts(test, m.next, 0, 0);
	KUNIT_EXPECT_EQ(test, 0, kprobe_arm_all(true));
	kprobes_entry_call(test, 1);
	call_late(test, 1);
	KUNIT_EXPECT_GE(test, atomic_read(&m.entry->pre), 1);
	kprobes_expect_counts(test, m.next, 2, 2);
	KUNIT_EXPECT_EQ(test, m.entry->kp.nmissed, 0);
	KUNIT_EXPECT_EQ(test, m.next->kp.nmissed, 0);
}

/**
 * struct reported - a call that ftrace's callbacks keep when kprobes' own has returned
 * @on:    calls are kept
 * @there: one is
 * @go:    it may go on
 */
static struct reported {
	bool on;
	bool there;
	bool go;
} reported;

static void keep_reported(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			  struct ftrace_regs *fregs)
{
	if (!READ_ONCE(reported.on))
		return;
	WRITE_ONCE(reported.there, true);
	kprobes_spins_until(READ_ONCE(reported.go));
}

/* Registered before kprobes' own: callbacks run the newest first. ftrace keeps its trampoline. */
static struct ftrace_ops reported_ops = { .func = keep_reported };

static void end_reported(void *unused)
{
	unregister_ftrace_function(&reported_ops);
	ftrace_set_filter(&reported_ops, NULL, 0, 1);
}

static void call_once(void *unused)
{
	kprobes_entry_target(1);
}

/* The entry's probe was off when the call passed the nop, and is on when it comes to the site. */
static void comes_back_under_call(struct kunit *test)
{
	struct kprobes_other *call;
	unsigned int cpu = kprobes_leave_cpu(test);
	struct pair m;

	reported = (struct reported){};
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&reported_ops, kprobes_entry_addr(), 0, 1));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&reported_ops));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, end_reported, NULL));
	m = start_switch(test);
	call = kprobes_other(test, call_once, NULL, cpu);
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&m.entry->kp));
	WRITE_ONCE(reported.on, true);
	WRITE_ONCE(call->go, true);
	KPROBES_EXPECT_SOON(test, READ_ONCE(reported.there));
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&m.entry->kp));
	WRITE_ONCE(reported.go, true);
	KPROBES_EXPECT_SOON(test, READ_ONCE(call->done));
	kprobes_expect_counts(test, m.entry, 0, 0);
	kprobes_expect_counts(test, m.next, 1, 1);
	KUNIT_EXPECT_EQ(test, m.entry->kp.nmissed, 0);
}

/* Unregisters both in either order: the original text is restored when the switch has ended. */
static void both_go(struct kunit *test)
{
	struct kprobes_text text;
	struct pair m;
	int first;

	kprobes_text_save(&text, kprobes_entry_addr());
	m = start_switch(test);
	for (first = 0; first < 2; first++) {
		unregister_kprobe(first ? &m.entry->kp : &m.next->kp);
		if (first)
			kprobe_disarm_pending();
		unregister_kprobe(first ? &m.next->kp : &m.entry->kp);
		kprobes_entry_clear();
		kprobes_text_expect(test, &text);
		kprobes_entry_call(test, 1);
		m.entry->kp.addr = NULL;
		m.next->kp.addr = NULL;
		KUNIT_ASSERT_EQ(test, 0, register_kprobe(&m.entry->kp));
		KUNIT_ASSERT_EQ(test, 0, register_kprobe(&m.next->kp));
	}
	kprobes_entry_call(test, 1);
	kprobes_expect_counts(test, m.entry, 1, 1);
	kprobes_expect_counts(test, m.next, 1, 1);
}

/* Redirections of calls */

/* A redirection begins only after the switch: calls past the nop have been hits by then. */
static void redirection_waits(struct kunit *test)
{
	struct kprobes_counter *c;
	struct kprobes_text text;

	kprobes_text_save(&text, kprobes_entry_addr() + ENTRY_NOP_SIZE);
	c = kprobes_entry_counting(test);
	kprobes_entry_call(test, CALLS);
	kprobes_entry_redirect(test);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&kprobes_entry_redirection));
	KUNIT_EXPECT_TRUE(test, c->kp.flags & KPROBE_FLAG_FTRACE);
	kprobes_entry_call(test, CALLS);
	kprobes_expect_counts(test, c, 2 * CALLS, 2 * CALLS);
	KUNIT_EXPECT_EQ(test, c->kp.nmissed, 0);
	if (*(const enum entry_form *)test->param_value != ENTRY_FTRACE)
		kprobes_text_expect(test, &text);
}

static int switch_init(struct kunit *test)
{
	kprobes_entry_clear();
	return 0;
}

static struct kunit_case switch_cases[] = {
	KPROBES_CASE_FORMS(late_calls_are_hits),
	KPROBES_CASE_FORMS(switch_ends),
	KPROBES_CASE_FORMS(path_changes),
	KPROBES_CASE_FORMS(path_changes_to_next),
	KPROBES_CASE_FORMS(nested_calls_are_missed),
	KPROBES_CASE_FORMS(next_goes),
	KPROBES_CASE_FORMS(next_comes_back),
	KPROBES_CASE_FORMS(second_comes_later),
	KPROBES_CASE_FORMS(second_comes_alone),
	KPROBES_CASE_FORMS(entry_goes),
	KPROBES_CASE_FORMS(entry_goes_in_handler),
	KPROBES_CASE_FORMS(all_go_off),
	KPROBES_CASE_FORMS(comes_back_under_call),
	KPROBES_CASE_FORMS(both_go),
	KPROBES_CASE_FORMS(redirection_waits),
	{}
};

static struct kunit_suite switch_suite = {
	.name = "kprobes_entry_switch",
	.init = switch_init,
	.test_cases = switch_cases,
};

kunit_test_suite(switch_suite);

MODULE_DESCRIPTION("KUnit tests of probes that switch to ftrace");
MODULE_LICENSE("GPL");
