// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of stack traces from handlers, and from functions that a return-probed function
 * calls: they have every caller, in order, and no trampoline in place of one.
 */
#include <kunit/test.h>
#include <linux/kallsyms.h>
#include <linux/kprobe_point.h>
#include <linux/kprobes.h>
#include <linux/stacktrace.h>

#include "targets.h"

#define DEPTH	48

struct trace {
	unsigned long entries[DEPTH];
	unsigned int nr;
};

static void take(struct trace *t)
{
	t->nr = stack_trace_save(t->entries, DEPTH, 0);
}

static bool is_of(const char *name, const char *symbol)
{
	size_t len = strlen(symbol);

	return !strncmp(name, symbol, len) && (name[len] == '+' || !name[len]);
}

static bool is_in(unsigned long addr, const char *symbol)
{
	char name[KSYM_SYMBOL_LEN];

	/* A return address may lie after the end of a function. */
	sprint_backtrace(name, addr);
	if (is_of(name, symbol))
		return true;
	/* That of a hit at the entry may be the function's. */
	sprint_symbol(name, addr);
	return !KPROBE_HIT_OFFSET && is_of(name, symbol);
}

/* Where in a trace a function shows from @from on; the trace's end if not. */
static unsigned int find(const struct trace *t, unsigned int from,
			 const char *symbol)
{
	while (from < t->nr && !is_in(t->entries[from], symbol))
		from++;
	return from;
}

static void print(struct kunit *test, const struct trace *t)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		kunit_info(test, "  %pB\n", (void *)t->entries[i]);
}

/* The functions of @symbols show in this order, directly one after another. */
static void expect_trace(struct kunit *test, const struct trace *t,
			 const char *what, const char *const *symbols)
{
	unsigned int i, at, start;
	bool good = true;

	start = find(t, 0, symbols[0]);
	for (i = 0, at = start; symbols[i]; i++, at++)
		good &= at < t->nr && is_in(t->entries[at], symbols[i]);
	for (i = 0; i < t->nr; i++)
		good &= !is_kretprobe_trampoline(t->entries[i]);
	/* The trace must reach the start of the thread. */
	good &= find(t, start, "kthread") < t->nr;
	KUNIT_EXPECT_TRUE_MSG(test, good, "%s", what);
	if (!good)
		print(test, t);
}

/* Calls a probed function. Not inlined, and without a tail call, to be in the trace. */
static noinline int __noipa kprobes_trace_way(const struct kprobes_caller *c,
					      int (*fn)(void *arg), void *arg)
{
	int ret = c->call(fn, arg);

	barrier();
	return ret + 1;
}

/* An assembly function is called by way of another, in targets.c. */
static bool is_direct(const struct kprobes_caller *c)
{
	return c->call == kprobes_target_call_c;
}

static int take_below(void *arg)
{
	take(arg);
	return 41;
}

static void expect_way(struct kunit *test, const struct trace *t,
		       const char *what, const char *first)
{
	const struct kprobes_caller *c = test->param_value;
	const char *const direct[] = { first, c->symbol, "kprobes_trace_way", NULL };
	const char *const by_call_asm[] = {
		first, c->symbol, "call_asm", "kprobes_trace_way", NULL
	};
	const char *const *symbols = is_direct(c) ? direct : by_call_asm;

	expect_trace(test, t, what, first ? symbols : symbols + 1);
}

static void run_below(struct kunit *test, struct trace *t)
{
	const struct kprobes_caller *c = test->param_value;

	memset(t, 0, sizeof(*t));
	KUNIT_EXPECT_EQ(test, 43, kprobes_trace_way(c, take_below, t));
}

static struct trace *new_trace(struct kunit *test)
{
	struct trace *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	return t;
}

/* Checks the tests themselves, without a probe. */
static void unprobed(struct kunit *test)
{
	struct trace *t = new_trace(test);

	run_below(test, t);
	expect_way(test, t, "no probe", "take_below");
}

static void below_return_probes(struct kunit *test)
{
	struct trace *t = new_trace(test);
	int probes;

	for (probes = 1; probes <= 3; probes++) {
		kprobes_caller_returning(test);
		run_below(test, t);
		expect_way(test, t, "below return probes", "take_below");
	}
}

static int nest(void *arg)
{
	int ret = kprobes_target_call_c(take_below, arg);

	barrier();
	return ret - 1;
}

static void below_nested_return_probes(struct kunit *test)
{
	const struct kprobes_caller *c = test->param_value;
	static const char *const inner[] = {
		"take_below", "kprobes_target_call_c", "nest", NULL
	};
	struct trace *t = new_trace(test);

	kprobes_returning(test, c->symbol);
	kprobes_returning(test, "kprobes_target_call_c");
	kprobes_returning(test, "kprobes_trace_way");
	KUNIT_EXPECT_EQ(test, 43, kprobes_trace_way(c, nest, t));
	expect_trace(test, t, "inner", inner);
	expect_way(test, t, "outer", "nest");
}

/* From handlers: after kprobes' own functions come the callers of the probed one. */

static int trace_in_pre(struct kprobe *p, struct pt_regs *regs)
{
	take(kprobes_counter_of(p)->data);
	return 0;
}

static void trace_in_post(struct kprobe *p, struct pt_regs *regs,
			  unsigned long flags)
{
	take(kprobes_counter_of(p)->data);
}

static int trace_in_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	take(kprobes_returns_of(ri)->data);
	return 0;
}

/* At a function's entry it has no frame yet, and only ORC finds its caller. */
static void need_orc(struct kunit *test)
{
	if (IS_ENABLED(CONFIG_UNWINDER_FRAME_POINTER))
		kunit_skip(test, "frame pointers do not tell an entry's caller");
}

static struct kprobes_counter *tracing_probe(struct kunit *test)
{
	const struct kprobes_caller *c = test->param_value;
	const struct kprobes_place place = { .symbol = c->symbol };
	struct kprobes_counter *counter;

	need_orc(test);
	counter = kprobes_counter(test, &place);
	counter->data = new_trace(test);
	return counter;
}

static void call_once(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 43, kprobes_trace_way(test->param_value,
						    kprobes_return_41, NULL));
}

static void from_pre_handler(struct kunit *test)
{
	struct kprobes_counter *c = tracing_probe(test);

	c->in_pre = trace_in_pre;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	call_once(test);
	expect_way(test, c->data, "pre-handler", NULL);
	/* With a return probe on the same call. */
	kprobes_caller_returning(test);
	call_once(test);
	expect_way(test, c->data, "pre-handler beside a return probe", NULL);
}

/* The callers after the probed function, whose instruction runs as a copy. */
static void expect_callers(struct kunit *test, const struct trace *t,
			   const char *what)
{
	static const char *const direct[] = { "kprobes_trace_way", NULL };
	static const char *const by_call_asm[] = {
		"call_asm", "kprobes_trace_way", NULL
	};

	expect_trace(test, t, what, is_direct(test->param_value) ? direct :
							      by_call_asm);
}

static void from_post_handler(struct kunit *test)
{
	struct kprobes_counter *c = tracing_probe(test);

	c->in_post = trace_in_post;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	call_once(test);
	expect_callers(test, c->data, "post-handler");
	kprobes_caller_returning(test);
	call_once(test);
	expect_callers(test, c->data, "post-handler beside a return probe");
}

static void from_entry_handler(struct kunit *test)
{
	int probes;

	need_orc(test);
	for (probes = 1; probes <= 3; probes++) {
		struct kprobes_returns *r = kprobes_caller_returns(test);

		r->data = new_trace(test);
		r->in_entry = trace_in_return;
		KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
		call_once(test);
		expect_way(test, r->data, "entry handler", NULL);
	}
}

static void from_return_handler(struct kunit *test)
{
	struct kprobes_returns *r[3];
	int probes, i;

	for (probes = 0; probes < 3; probes++) {
		r[probes] = kprobes_caller_returns(test);
		r[probes]->data = new_trace(test);
		r[probes]->in_return = trace_in_return;
		KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r[probes]->rp));
		call_once(test);
		for (i = 0; i <= probes; i++)
			expect_callers(test, r[i]->data, "return handler");
	}
}

static noinline int __noipa kprobes_trace_tail(void *arg)
{
	int ret = kprobes_target_tail(take_below, arg);

	barrier();
	return ret;
}

static void below_tail_calls(struct kunit *test)
{
	static const char *const symbols[] = {
		"take_below", "kprobes_target_call", "kprobes_trace_tail",
		"below_tail_calls", NULL
	};
	struct trace *t = new_trace(test);

	kprobes_returning(test, "kprobes_target_tail");
	kprobes_returning(test, "kprobes_target_call");
	kprobes_returning(test, "kprobes_target_tail_middle");
	KUNIT_EXPECT_EQ(test, 42, kprobes_trace_tail(t));
	expect_trace(test, t, "below tail calls", symbols);
}

static noinline __noclone unsigned long kprobes_tell_return_address(void)
{
	void *raw = __builtin_return_address(0);

	barrier();
	return (unsigned long)__builtin_extract_return_addr(raw);
}

/* __builtin_return_address() in a probed function is the trampoline's address. */
static void return_address_is_trampolines(struct kunit *test)
{
	struct kprobes_returns *r = kprobes_returns(test, "kprobes_tell_return_address");

	KUNIT_EXPECT_TRUE(test, is_in(kprobes_tell_return_address(), __func__));
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	KUNIT_EXPECT_TRUE(test, is_kretprobe_trampoline(kprobes_tell_return_address()));
	kprobes_expect_returns(test, r, 1, 1);
	unregister_kretprobe(&r->rp);
	KUNIT_EXPECT_TRUE(test, is_in(kprobes_tell_return_address(), __func__));
}

static struct kunit_case trace_cases[] = {
	KPROBES_CASE_CALLERS(unprobed),
	KPROBES_CASE_CALLERS(below_return_probes),
	KPROBES_CASE_CALLERS(below_nested_return_probes),
	KPROBES_CASE_CALLERS(from_pre_handler),
	KPROBES_CASE_CALLERS(from_post_handler),
	KPROBES_CASE_CALLERS(from_entry_handler),
	KPROBES_CASE_CALLERS(from_return_handler),
	KUNIT_CASE(below_tail_calls),
	KUNIT_CASE(return_address_is_trampolines),
	{}
};

static struct kunit_suite trace_suite = {
	.name = "kprobes_return_trace",
	.test_cases = trace_cases,
};

kunit_test_suite(trace_suite);
