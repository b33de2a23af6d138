// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of handlers that call the API: a probe that is disabled by a handler is not hit any more,
 * and the call neither waits nor sleeps.
 */
#include <kunit/test.h>
#include <linux/interrupt.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include "console.h"
#include "targets.h"
#include "waits.h"

#define RUNS		100

/* What a handler does, and to which probe. */
struct call {
	int (*api)(struct kprobe *kp);
	struct kprobe *kp;
	unsigned int calls;
	int ret;		/* the last one's */
};

static void make(struct call *call)
{
	call->calls++;
	call->ret = call->api(call->kp);
}

static int call_in_pre(struct kprobe *p, struct pt_regs *regs)
{
	make(kprobes_counter_of(p)->data);
	return 0;
}

static void call_in_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	make(kprobes_counter_of(p)->data);
}

static int call_in_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	make(kprobes_returns_of(ri)->data);
	return 0;
}

static struct call *new_call(struct kunit *test, int (*api)(struct kprobe *kp), struct kprobe *kp)
{
	struct call *call = kunit_kzalloc(test, sizeof(*call), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, call);
	call->api = api;
	call->kp = kp;
	return call;
}

/* A registered probe whose pre-handler makes a call. */
static struct call *calling(struct kunit *test, struct kprobes_counter *c,
			    int (*api)(struct kprobe *kp), struct kprobe *kp)
{
	struct call *call = new_call(test, api, kp);

	c->in_pre = call_in_pre;
	c->data = call;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	return call;
}

static void expect_disabled(struct kunit *test, struct kprobe *kp)
{
	KUNIT_EXPECT_TRUE(test, kprobe_disabled(kp));
	KUNIT_EXPECT_EQ(test, kp->nmissed, 0);
}

/* The idiom of a probe that is for one hit. Then the text is as it was, and it can be enabled. */
static void expect_one_hit(struct kunit *test, struct kprobes_counter *c, struct call *call)
{
	struct kprobes_text text;

	kprobes_text_save(&text, kprobes_place_addr(test->param_value));
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	wait_for_kprobe_optimizer();
	kprobes_expect_targets(test, RUNS);
	KUNIT_EXPECT_EQ(test, atomic_read(&c->pre), 1);
	KUNIT_EXPECT_LE(test, atomic_read(&c->post), 1);
	KUNIT_EXPECT_EQ(test, call->calls, 1);
	KUNIT_EXPECT_EQ(test, call->ret, 0);
	expect_disabled(test, &c->kp);
	wait_for_kprobe_optimizer();
	kprobes_text_expect(test, &text);
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&c->kp));
	kprobes_expect_targets(test, RUNS);
	KUNIT_EXPECT_EQ(test, atomic_read(&c->pre), 2);
}

static void disables_itself(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counter(test, test->param_value);
	struct call *call = new_call(test, disable_kprobe, &c->kp);

	c->in_pre = call_in_pre;
	c->data = call;
	expect_one_hit(test, c, call);
	KUNIT_EXPECT_EQ(test, call->calls, 2);
}

static void disables_itself_in_post(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counter(test, test->param_value);
	struct call *call = new_call(test, disable_kprobe, &c->kp);

	c->in_post = call_in_post;
	c->data = call;
	expect_one_hit(test, c, call);
	KUNIT_EXPECT_EQ(test, atomic_read(&c->post), 2);
}

static void disables_newer_ones(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counter(test, test->param_value);
	struct kprobes_counter *newer;

	newer = kprobes_counter(test, test->param_value);
	calling(test, c, disable_kprobe, &newer->kp);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&newer->kp));
	wait_for_kprobe_optimizer();
	kprobes_expect_targets(test, RUNS);
	KUNIT_EXPECT_EQ(test, atomic_read(&newer->pre), 1);
	kprobes_expect_counts(test, c, RUNS, RUNS);
	expect_disabled(test, &newer->kp);
}

static const struct kprobes_place *another_place(struct kunit *test)
{
	const struct kprobes_place *place = kprobes_place_named(KPROBES_PLACE_C);

	return place == test->param_value ? kprobes_place_named(KPROBES_PLACE_ASM) : place;
}

/* That one's handlers may be called once: by the hit under way, or if its place comes first. */
static void disables_other(struct kunit *test, const struct kprobes_place *place)
{
	struct kprobes_counter *other = kprobes_counting(test, place);
	struct kprobes_counter *c = kprobes_counter(test, test->param_value);

	calling(test, c, disable_kprobe, &other->kp);
	wait_for_kprobe_optimizer();
	kprobes_expect_targets(test, RUNS);
	KUNIT_EXPECT_LE(test, atomic_read(&other->pre), 1);
	kprobes_expect_counts(test, c, RUNS, RUNS);
	expect_disabled(test, &other->kp);
}

/* The newest probe's handlers run first. */
static void disables_older_ones(struct kunit *test)
{
	disables_other(test, test->param_value);
}

static void disables_elsewhere(struct kunit *test)
{
	disables_other(test, another_place(test));
}

/* One probe switches another one on, which had no breakpoint. */
static void enables_elsewhere(struct kunit *test)
{
	struct kprobes_counter *other = kprobes_counter(test, another_place(test));
	struct kprobes_counter *c = kprobes_counter(test, test->param_value);
	struct call *call;

	other->kp.flags = KPROBE_FLAG_DISABLED;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&other->kp));
	call = calling(test, c, enable_kprobe, &other->kp);
	kprobes_expect_targets(test, 1);
	KUNIT_EXPECT_EQ(test, call->ret, 0);
	wait_for_kprobe_optimizer();
	atomic_set(&other->pre, 0);
	kprobes_expect_targets(test, RUNS);
	KUNIT_EXPECT_EQ(test, atomic_read(&other->pre), RUNS);
}

static void return_probe_disables_itself(struct kunit *test, bool in_entry)
{
	const struct kprobes_place *place = test->param_value;
	struct kprobes_returns *r = kprobes_returns(test, place->symbol);
	struct call *call = new_call(test, disable_kprobe, &r->rp.kp);

	if (in_entry)
		r->in_entry = call_in_return;
	else
		r->in_return = call_in_return;
	r->data = call;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	wait_for_kprobe_optimizer();
	kprobes_expect_targets(test, RUNS);
	/* The call under way still has its return handled. */
	kprobes_expect_returns(test, r, 1, 1);
	KUNIT_EXPECT_EQ(test, call->ret, 0);
	KUNIT_EXPECT_EQ(test, r->rp.nmissed, 0);
	expect_disabled(test, &r->rp.kp);
}

static void disables_itself_in_entry(struct kunit *test)
{
	return_probe_disables_itself(test, true);
}

static void disables_itself_in_return(struct kunit *test)
{
	return_probe_disables_itself(test, false);
}

static int unregister(struct kprobe *kp)
{
	unregister_kprobe(kp);
	return 0;
}

/* It cannot be done, and the caller cannot be told: the log is. */
static void unregisters_itself(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counter(test, test->param_value);

	kprobes_watch_console(test, "cannot unregister");
	calling(test, c, unregister, &c->kp);
	wait_for_kprobe_optimizer();
	kprobes_expect_targets(test, RUNS);
	KUNIT_EXPECT_EQ(test, atomic_read(&c->pre), 1);
	expect_disabled(test, &c->kp);
	/* The log has ten such lines in a row at most. */
	if (test->param_value == kprobes_place(0))
		KUNIT_EXPECT_NOT_NULL(test, strstr(kprobes_console_line(), c->kp.symbol_name));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobe(&c->kp));
	unregister_kprobe(&c->kp);
	kprobes_expect_off(test, &c->kp);
}

static void registers_another(struct kunit *test)
{
	struct kprobes_counter *other = kprobes_counter(test, another_place(test));
	struct kprobes_counter *c = kprobes_counter(test, test->param_value);
	struct call *call = calling(test, c, register_kprobe, &other->kp);

	kprobes_expect_targets(test, RUNS);
	KUNIT_EXPECT_EQ(test, call->ret, -EBUSY);
	kprobes_expect_counts(test, c, RUNS, RUNS);
	kprobes_expect_off(test, &other->kp);
}

/* A handler names a probe that is not registered, or not any more. */
static void disables_no_probe(struct kunit *test)
{
	struct kprobes_counter *other = kprobes_counter(test, test->param_value);
	struct kprobes_counter *c = kprobes_counter(test, test->param_value);
	struct call *call = calling(test, c, disable_kprobe, &other->kp);

	kprobes_expect_targets(test, 1);
	KUNIT_EXPECT_EQ(test, call->ret, -EINVAL);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&other->kp));
	unregister_kprobe(&other->kp);
	kprobes_expect_targets(test, 1);
	KUNIT_EXPECT_EQ(test, call->ret, -EINVAL);
	KUNIT_EXPECT_EQ(test, other->kp.flags & KPROBE_FLAG_DISABLED, 0);
	/* As one that was unregistered while it waited for its module. */
	other->kp.flags = KPROBE_FLAG_GONE | KPROBE_FLAG_PENDING;
	kprobes_expect_targets(test, 1);
	KUNIT_EXPECT_EQ(test, call->ret, -EINVAL);
	KUNIT_EXPECT_EQ(test, other->kp.flags, KPROBE_FLAG_GONE | KPROBE_FLAG_PENDING);
	other->kp.flags = 0;
	/* No probe at all */
	call->kp = NULL;
	kprobes_expect_targets(test, 1);
	KUNIT_EXPECT_EQ(test, call->ret, -EINVAL);
}

/* The whole in softirqs */

static bool softirq_done;

static void run_in_softirq(struct tasklet_struct *tasklet)
{
	kprobes_targets_run(1);
	WRITE_ONCE(softirq_done, true);
}

static DECLARE_TASKLET(run_tasklet, run_in_softirq);

static void disables_itself_in_softirq(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counter(test, test->param_value);
	int i;

	calling(test, c, disable_kprobe, &c->kp);
	wait_for_kprobe_optimizer();
	for (i = 0; i < 3; i++) {
		WRITE_ONCE(softirq_done, false);
		tasklet_schedule(&run_tasklet);
		KPROBES_EXPECT_SOON(test, READ_ONCE(softirq_done));
	}
	tasklet_kill(&run_tasklet);
	KUNIT_EXPECT_EQ(test, atomic_read(&c->pre), 1);
	expect_disabled(test, &c->kp);
}

static struct kunit_case in_handler_cases[] = {
	KPROBES_CASE_PLACES(disables_itself),
	KPROBES_CASE_PLACES(disables_itself_in_post),
	KPROBES_CASE_PLACES(disables_itself_in_softirq),
	KPROBES_CASE_PLACES(disables_older_ones),
	KPROBES_CASE_PLACES(disables_newer_ones),
	KPROBES_CASE_PLACES(disables_elsewhere),
	KPROBES_CASE_PLACES(disables_no_probe),
	KPROBES_CASE_PLACES(enables_elsewhere),
	KPROBES_CASE_ENTRIES(disables_itself_in_entry),
	KPROBES_CASE_ENTRIES(disables_itself_in_return),
	KPROBES_CASE_PLACES(unregisters_itself),
	KPROBES_CASE_PLACES(registers_another),
	{}
};

static struct kunit_suite in_handler_suite = {
	.name = "kprobes_in_handler",
	.test_cases = in_handler_cases,
};

kunit_test_suite(in_handler_suite);
