// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of probes at a function's entry nop while tracers, livepatches and direct calls
 * use the nop. In any order of their coming, all of them see every call, and it goes
 * where it should.
 */
#include <kunit/test.h>
#include <linux/error-injection.h>
#include <linux/fprobe.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/slab.h>

#include "entry.h"

#define CALLS	5

/**
 * struct nop_user - a user of the nop other than kprobes
 * @name:  name of the test case
 * @on:    begins to use it
 * @off:   ends
 * @goes:  computes what kprobes_entry_target(a) returns meanwhile from what its body
 *         would return
 * @takes: the function's body is replaced meanwhile
 * @moves: a point at the entry must use ftrace meanwhile
 */
struct nop_user {
	const char *name;
	int (*on)(void);
	int (*off)(void);
	int (*goes)(int result);
	bool takes;
	bool moves;
};

/* How often the user in question has seen a call. */
static atomic_t seen;

static int stays(int result)
{
	return result;
}

/* A tracer, and a livepatch */

static void count_call(unsigned long ip, unsigned long parent_ip,
		       struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	atomic_inc(&seen);
}

static void redirect_call(unsigned long ip, unsigned long parent_ip,
			  struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	atomic_inc(&seen);
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS
	instruction_pointer_set(ftrace_get_regs(fregs), (unsigned long)kprobes_entry_other);
#else
	ftrace_regs_set_instruction_pointer(fregs, (unsigned long)kprobes_entry_other);
#endif
}

static struct ftrace_ops tracer = {
	.func = count_call,
};

static struct ftrace_ops tracer_with_regs = {
	.func = count_call,
	.flags = ENTRY_SAVE_REGS,
};

static struct ftrace_ops redirection = {
	.func = redirect_call,
	.flags = ENTRY_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY,
};

static int ops_on(struct ftrace_ops *ops)
{
	return ftrace_set_filter_ip(ops, kprobes_entry_addr(), 0, 1) ?:
	       register_ftrace_function(ops);
}

static int ops_off(struct ftrace_ops *ops)
{
	return unregister_ftrace_function(ops) ?:
	       ftrace_set_filter(ops, NULL, 0, 1);
}

static int tracer_on(void)
{
	return ops_on(&tracer);
}

static int tracer_off(void)
{
	return ops_off(&tracer);
}

static int tracer_with_regs_on(void)
{
	return ops_on(&tracer_with_regs);
}

static int tracer_with_regs_off(void)
{
	return ops_off(&tracer_with_regs);
}

static int redirection_on(void)
{
	return ops_on(&redirection);
}

static int redirection_off(void)
{
	return ops_off(&redirection);
}

/* Direct calls */

/* In 32 bit ftrace forgets them as soon as there is another user. */
#if defined(CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS) && defined(CONFIG_64BIT)
#define DIRECT_CALLS
static struct ftrace_ops direct;
static unsigned int directs_before;

static int direct_to(void (*trampoline)(void))
{
	directs_before = kprobes_entry_directs;
	return ftrace_set_filter_ip(&direct, kprobes_entry_addr(), 0, 1) ?:
	       register_ftrace_direct(&direct, (unsigned long)trampoline);
}

static int direct_on(void)
{
	return direct_to(kprobes_entry_direct);
}

static int around_on(void)
{
	return direct_to(kprobes_entry_around);
}

static int direct_off(void)
{
	atomic_add(kprobes_entry_directs - directs_before, &seen);
	return unregister_ftrace_direct(&direct, direct.direct_call, false) ?:
	       ftrace_set_filter(&direct, NULL, 0, 1);
}

static int around_goes(int result)
{
	return result + 1000;
}
#endif

/* fprobes */

#ifdef CONFIG_FPROBE
static atomic_t fprobe_returns;

static int fprobe_entry(struct fprobe *fp, unsigned long entry_ip,
			unsigned long ret_ip, struct pt_regs *regs, void *data)
{
	atomic_inc(&seen);
	return 0;
}

static void fprobe_exit_handler(struct fprobe *fp, unsigned long entry_ip,
				unsigned long ret_ip, struct pt_regs *regs,
				void *data)
{
	atomic_inc(&fprobe_returns);
	regs_set_return_value(regs, regs_return_value(regs) + 300);
}

/* Allocated for each test: ftrace does not forget an ops that is kernel data. */
static struct fprobe *fprobe;

static int fprobe_on(void)
{
	unsigned long addr = kprobes_entry_addr();

	fprobe = kzalloc(sizeof(*fprobe), GFP_KERNEL);
	if (!fprobe)
		return -ENOMEM;
	fprobe->entry_handler = fprobe_entry;
	fprobe->exit_handler = fprobe_exit_handler;
	atomic_set(&fprobe_returns, 0);
	return register_fprobe_ips(fprobe, &addr, 1);
}

static int fprobe_off(void)
{
	int ret;

	if (fprobe->nmissed || atomic_read(&fprobe_returns) != atomic_read(&seen))
		pr_err("an fprobe missed %lu calls, saw %d return\n",
		       fprobe->nmissed, atomic_read(&fprobe_returns));
	ret = unregister_fprobe(fprobe);
	kfree(fprobe);
	return ret;
}

static int fprobe_goes(int result)
{
	return result + 300;
}
#endif

static const struct nop_user users[] = {
	{ "tracer", tracer_on, tracer_off, stays },
	{ "tracer with registers", tracer_with_regs_on, tracer_with_regs_off, stays },
	{ "redirection", redirection_on, redirection_off, stays, true, true },
#ifdef DIRECT_CALLS
	{ "direct call", direct_on, direct_off, stays, false, true },
	{ "direct call around", around_on, direct_off, around_goes, false, true },
#endif
#ifdef CONFIG_FPROBE
	{ "fprobe", fprobe_on, fprobe_off, fprobe_goes },
#endif
};

KUNIT_ARRAY_PARAM_DESC(user, users, name);
#define CASE_USERS(fn)	KUNIT_CASE_PARAM(fn, user_gen_params)

static const struct nop_user *active;

static void switch_on(struct kunit *test)
{
	atomic_set(&seen, 0);
	active = test->param_value;
	KUNIT_ASSERT_EQ(test, 0, active->on());
}

/* Ends the use, after which @calls calls must have been seen. */
static void switch_off(struct kunit *test, int calls)
{
	const struct nop_user *user = active;

	active = NULL;
	KUNIT_EXPECT_EQ(test, 0, user->off());
	KUNIT_EXPECT_EQ(test, atomic_read(&seen), calls);
}

static void call(struct kunit *test, int times)
{
	int a, body;

	for (a = 0; a < times; a++) {
		body = active && active->takes ? -a : a + 1;
		KUNIT_EXPECT_EQ(test, kprobes_entry_target(a),
				active ? active->goes(body) : body);
	}
}

static bool is_ftraced(const struct kprobes_counter *c)
{
	return c->kp.flags & KPROBE_FLAG_FTRACE;
}

/* A probe and a return probe */
struct pair {
	struct kprobes_counter *c;
	struct kprobes_returns *r;
};

static struct pair probe(struct kunit *test, bool return_first)
{
	struct pair pair;

	if (return_first)
		pair.r = kprobes_returning(test, kprobes_entry_place.symbol);
	pair.c = kprobes_counting(test, &kprobes_entry_place);
	if (!return_first)
		pair.r = kprobes_returning(test, kprobes_entry_place.symbol);
	return pair;
}

static void unprobe(struct pair *pair)
{
	unregister_kprobe(&pair->c->kp);
	unregister_kretprobe(&pair->r->rp);
}

static void expect_calls(struct kunit *test, struct pair *pair, int calls)
{
	kprobes_expect_counts(test, pair->c, calls, calls);
	kprobes_expect_returns(test, pair->r, calls, calls);
	KUNIT_EXPECT_EQ(test, pair->c->pre_ip, kprobes_entry_addr() + KPROBE_HIT_OFFSET);
	KUNIT_EXPECT_EQ(test, pair->c->post_ip,
			kprobes_entry_addr() + ENTRY_NOP_SIZE);
}

/* Checks the users of the nop themselves, without a probe. */
static void alone(struct kunit *test)
{
	switch_on(test);
	call(test, CALLS);
	switch_off(test, CALLS);
	call(test, CALLS);
}

static void comes_first(struct kunit *test)
{
	const struct nop_user *user = test->param_value;
	struct pair pair;

	switch_on(test);
	pair = probe(test, false);
	KUNIT_EXPECT_EQ(test, is_ftraced(pair.c), user->moves);
	call(test, CALLS);
	expect_calls(test, &pair, CALLS);
	wait_for_kprobe_optimizer();
	call(test, CALLS);
	expect_calls(test, &pair, 2 * CALLS);
	switch_off(test, 2 * CALLS);
	call(test, CALLS);
	expect_calls(test, &pair, 3 * CALLS);
}

static void comes_first_and_stays(struct kunit *test)
{
	struct pair pair;

	switch_on(test);
	pair = probe(test, true);
	call(test, CALLS);
	unprobe(&pair);
	call(test, CALLS);
	expect_calls(test, &pair, CALLS);
	pair = probe(test, false);
	call(test, CALLS);
	unprobe(&pair);
	expect_calls(test, &pair, CALLS);
	switch_off(test, 3 * CALLS);
	call(test, CALLS);
}

/* The user comes when the probe is a breakpoint or a jump. */
static void comes_later(struct kunit *test, bool optimized)
{
	const struct nop_user *user = test->param_value;
	struct pair pair = probe(test, optimized);

	KUNIT_EXPECT_FALSE(test, is_ftraced(pair.c));
	if (optimized)
		wait_for_kprobe_optimizer();
	call(test, CALLS);
	switch_on(test);
	KUNIT_EXPECT_EQ(test, is_ftraced(pair.c), user->moves);
	call(test, CALLS);
	expect_calls(test, &pair, 2 * CALLS);
	switch_off(test, CALLS);
	call(test, CALLS);
	expect_calls(test, &pair, 3 * CALLS);
	/* And again, now that the point may use ftrace. */
	switch_on(test);
	call(test, CALLS);
	expect_calls(test, &pair, 4 * CALLS);
	unprobe(&pair);
	call(test, CALLS);
	switch_off(test, 2 * CALLS);
	expect_calls(test, &pair, 4 * CALLS);
}

static void comes_to_a_breakpoint(struct kunit *test)
{
	comes_later(test, false);
}

static void comes_to_a_jump(struct kunit *test)
{
	comes_later(test, true);
}

/* The user comes when the point is not in the text. */
static void comes_to_a_disabled_probe(struct kunit *test)
{
	struct pair pair = probe(test, false);

	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&pair.c->kp));
	KUNIT_EXPECT_EQ(test, 0, disable_kretprobe(&pair.r->rp));
	switch_on(test);
	call(test, CALLS);
	kprobes_expect_counts(test, pair.c, 0, 0);
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&pair.c->kp));
	KUNIT_EXPECT_EQ(test, 0, enable_kretprobe(&pair.r->rp));
	call(test, CALLS);
	expect_calls(test, &pair, CALLS);
	switch_off(test, 2 * CALLS);
	call(test, CALLS);
	expect_calls(test, &pair, 2 * CALLS);
}

static int go_elsewhere(struct kprobe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, (unsigned long)kprobes_entry_other);
	return 1;
}

static bool is_direct(const struct nop_user *user)
{
	return user->moves && !user->takes;
}

/* The user of the nop sees the call, if it is no direct call; the function does not. */
static void probe_changes_path(struct kunit *test)
{
	const struct nop_user *user = test->param_value;
	struct kprobes_counter *c;
	int result;

	if (user->takes)
		kunit_skip(test, "two who do the same");
	c = kprobes_counting(test, &kprobes_entry_place);
	c->in_pre = go_elsewhere;
	KUNIT_EXPECT_EQ(test, kprobes_entry_target(7), -7);
	result = is_direct(user) ? -7 : user->goes(-7);
	switch_on(test);
	KUNIT_EXPECT_EQ(test, kprobes_entry_target(7), result);
	switch_off(test, !is_direct(user));
	KUNIT_EXPECT_EQ(test, kprobes_entry_target(7), -7);
	kprobes_expect_counts(test, c, 3, 0);
}

/* The next instruction is probed as well. Redirected calls do not hit it. */
static void next_is_probed(struct kunit *test)
{
	const struct nop_user *user = test->param_value;
	struct pair pair = probe(test, false);
	struct kprobes_counter *next = kprobes_entry_next(test);

	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&next->kp));
	switch_on(test);
	call(test, CALLS);
	switch_off(test, CALLS);
	call(test, CALLS);
	expect_calls(test, &pair, 2 * CALLS);
	kprobes_expect_counts(test, next, user->takes ? CALLS : 2 * CALLS,
			      user->takes ? CALLS : 2 * CALLS);
}

/* Ways to extend a redirection that is in effect */

static int extend_by_address(void)
{
	return ftrace_set_filter_ip(&redirection, kprobes_entry_addr(), 0, 0);
}

static int extend_by_pattern(void)
{
	unsigned char pattern[] = "kprobes_entry_targe*";

	return ftrace_set_filter(&redirection, pattern, strlen(pattern), 0);
}

#ifndef KPROBES_BYSTANDER
/* A function that ftrace knows, at the entry of which there can be a jump. */
#define KPROBES_BYSTANDER	"int_sqrt"
#endif

static void expect_extended(struct kunit *test, int (*extend)(void))
{
	static const struct kprobes_place elsewhere = { .symbol = KPROBES_BYSTANDER };
	struct kprobes_counter *bystander = kprobes_counting(test, &elsewhere);
	struct kprobes_counter *c = kprobes_counting(test, &kprobes_entry_place);
	unsigned long loop;

	loop = (unsigned long)kprobe_lookup_name("kprobes_entry_loop", 0);
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&redirection, loop, 0, 1));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&redirection));
	KUNIT_EXPECT_FALSE(test, is_ftraced(c));
	KUNIT_EXPECT_EQ(test, 8, kprobes_entry_target(7));
	KUNIT_EXPECT_EQ(test, 0, extend());
	KUNIT_EXPECT_TRUE(test, is_ftraced(c));
	KUNIT_EXPECT_EQ(test, -7, kprobes_entry_target(7));
	kprobes_expect_counts(test, c, 2, 2);
	/* Calls of this function are not redirected. */
	KUNIT_EXPECT_FALSE(test, is_ftraced(bystander));
	KUNIT_EXPECT_EQ(test, 0, ops_off(&redirection));
	KUNIT_EXPECT_EQ(test, 8, kprobes_entry_target(7));
	kprobes_expect_counts(test, c, 3, 3);
}

static void redirection_is_extended(struct kunit *test)
{
	expect_extended(test, extend_by_address);
}

static void redirection_is_extended_by_pattern(struct kunit *test)
{
	expect_extended(test, extend_by_pattern);
}

static int tracer_init(struct kunit *test)
{
	kprobes_entry_clear();
	return 0;
}

static void tracer_exit(struct kunit *test)
{
	if (active)
		active->off();
	active = NULL;
}

/* As error injection does. */
static int inject(struct kprobe *p, struct pt_regs *regs)
{
	regs_set_return_value(regs, -EIO);
	override_function_with_return(regs);
	return 1;
}

static void expect_injected(struct kunit *test)
{
	int i;

	for (i = 0; i < CALLS; i++)
		KUNIT_EXPECT_EQ(test, -EIO, kprobes_entry_target(i));
}

/* A call that a handler sends elsewhere goes there, and a direct call is not made for it. */
static void is_passed_over(struct kunit *test, bool first)
{
	struct kprobes_counter *c = kprobes_counter(test, &kprobes_entry_place);
	const struct nop_user *user = test->param_value;

	if (!is_direct(user))
		kunit_skip(test, "not a direct call");
	if (!IS_ENABLED(CONFIG_FUNCTION_ERROR_INJECTION))
		kunit_skip(test, "no error injection");
	c->kp.pre_handler = inject;
	c->kp.post_handler = NULL;
	if (first)
		switch_on(test);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	if (!first)
		switch_on(test);
	KUNIT_EXPECT_TRUE(test, is_ftraced(c));
	expect_injected(test);
	switch_off(test, 0);
	expect_injected(test);
	unregister_kprobe(&c->kp);
	call(test, CALLS);
}

static void is_passed_over_if_first(struct kunit *test)
{
	is_passed_over(test, true);
}

static void is_passed_over_if_later(struct kunit *test)
{
	is_passed_over(test, false);
}

static struct kunit_case tracer_cases[] = {
	CASE_USERS(alone),
	CASE_USERS(is_passed_over_if_first),
	CASE_USERS(is_passed_over_if_later),
	CASE_USERS(comes_first),
	CASE_USERS(comes_first_and_stays),
	CASE_USERS(comes_to_a_breakpoint),
	CASE_USERS(comes_to_a_jump),
	CASE_USERS(comes_to_a_disabled_probe),
	CASE_USERS(probe_changes_path),
	CASE_USERS(next_is_probed),
	KUNIT_CASE(redirection_is_extended),
	KUNIT_CASE(redirection_is_extended_by_pattern),
	{}
};

static struct kunit_suite tracer_suite = {
	.name = "kprobes_entry_tracer",
	.init = tracer_init,
	.test_cases = tracer_cases,
	.exit = tracer_exit,
};

kunit_test_suite(tracer_suite);
