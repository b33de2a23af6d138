// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of return probes on functions whose return addresses the function graph tracer
 * and fprobes replace as well. In any order, all see the return, the function returns to
 * its caller, and stack traces show the callers.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/fprobe.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>

#include "entry.h"
#include "waits.h"

#define DEPTH	48
#define TARGET	"kprobes_target_call_c"

static const struct kprobes_place target = { .symbol = TARGET };

struct trace {
	unsigned long entries[DEPTH];
	unsigned int nr;
};

/* The graph tracer, and an fprobe */

static atomic_t graph_entries, graph_returns, fprobe_returns;
static bool graph_is_on, fprobe_is_on;

static int graph_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	atomic_inc(&graph_entries);
	return 1;
}

static void graph_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops)
{
	atomic_inc(&graph_returns);
}

static struct fgraph_ops graph = {
	.entryfunc = graph_entry,
	.retfunc = graph_return,
};

static void graph_on(struct kunit *test)
{
	unsigned long addr = kprobes_place_addr(&target);

	atomic_set(&graph_entries, 0);
	atomic_set(&graph_returns, 0);
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&graph.ops, addr, 0, 1));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_graph(&graph));
	graph_is_on = true;
}

static void graph_off(void)
{
	if (graph_is_on)
		unregister_ftrace_graph(&graph);
	graph_is_on = false;
}

static void fprobe_returned(struct fprobe *fp, unsigned long entry_ip,
			    unsigned long ret_ip, struct pt_regs *regs,
			    void *data)
{
	atomic_inc(&fprobe_returns);
}

/* Allocated for each test: ftrace does not forget an ops that is kernel data. */
static struct fprobe *fprobe;

static void fprobe_on(struct kunit *test)
{
	unsigned long addr = kprobes_place_addr(&target);

	atomic_set(&fprobe_returns, 0);
	if (!IS_ENABLED(CONFIG_FPROBE))
		return;
	fprobe = kzalloc(sizeof(*fprobe), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fprobe);
	fprobe->exit_handler = fprobe_returned;
	KUNIT_ASSERT_EQ(test, 0, register_fprobe_ips(fprobe, &addr, 1));
	fprobe_is_on = true;
}

static void fprobe_off(void)
{
	if (fprobe_is_on) {
		unregister_fprobe(fprobe);
		kfree(fprobe);
	}
	fprobe_is_on = false;
}

/* Traces */

static void take(struct trace *t)
{
	t->nr = stack_trace_save(t->entries, DEPTH, 0);
}

static int take_below(void *arg)
{
	take(arg);
	return 41;
}

static noinline int __noipa kprobes_graph_way(struct trace *t)
{
	int ret = kprobes_target_call_c(take_below, t);

	barrier();	/* no tail call */
	return ret + 1;
}

static bool is_in(unsigned long addr, const char *symbol)
{
	char name[KSYM_SYMBOL_LEN];
	size_t len = strlen(symbol);

	sprint_backtrace(name, addr);
	return !strncmp(name, symbol, len) && (name[len] == '+' || !name[len]);
}

/* Is the true return address hidden by a trampoline? */
static bool is_hidden(unsigned long addr)
{
	return is_kretprobe_trampoline(addr) || is_in(addr, "return_to_handler") ||
	       is_in(addr, "arch_rethook_trampoline");
}

/* The trace has the caller once, after the target if that has not returned. */
static bool is_good(const struct trace *t, bool below)
{
	unsigned int i, good = 0;

	for (i = 0; i < t->nr; i++) {
		if (is_hidden(t->entries[i]))
			return false;
		if (is_in(t->entries[i], "kprobes_graph_way"))
			good += !below || (i && is_in(t->entries[i - 1], TARGET));
	}
	return good == 1;
}

static void expect_good(struct kunit *test, const struct trace *t, bool below,
			const char *what)
{
	bool good = is_good(t, below);
	unsigned int i;

	KUNIT_EXPECT_TRUE_MSG(test, good, "%s", what);
	for (i = 0; !good && i < t->nr; i++)
		kunit_info(test, "  %pB\n", (void *)t->entries[i]);
}

/* Stack traces of a return handler: from where it runs, and from its registers. */
struct return_traces {
	struct trace handler;
	struct trace regs;
};

static int trace_in_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct return_traces *t = kprobes_returns_of(ri)->data;

	take(&t->handler);
	t->regs.nr = stack_trace_save_regs(regs, t->regs.entries, DEPTH, 0);
	return 0;
}

/* A return probe with a trace, in the test's form */

static void *new_traces(struct kunit *test, size_t size)
{
	void *traces = kunit_kzalloc(test, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, traces);
	return traces;
}

static struct kprobes_returns *probe(struct kunit *test)
{
	const enum entry_form *form = test->param_value;
	struct kprobes_returns *r = kprobes_returns(test, TARGET);

	kprobes_entry_clear();
	if (*form == ENTRY_FTRACE)
		kprobes_by_ftrace(test);
	r->in_return = trace_in_handler;
	r->data = new_traces(test, sizeof(struct return_traces));
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	KUNIT_EXPECT_EQ(test, !!(r->rp.kp.flags & KPROBE_FLAG_FTRACE),
			*form == ENTRY_FTRACE);
	if (*form == ENTRY_JUMP)
		wait_for_kprobe_optimizer();
	return r;
}

static void run(struct kunit *test, struct kprobes_returns *r, const char *what)
{
	struct trace *below = new_traces(test, sizeof(*below));
	struct return_traces *traces = r ? r->data : NULL;

	KUNIT_EXPECT_EQ(test, 43, kprobes_graph_way(below));
	expect_good(test, below, true, what);
	if (!r)
		return;
	expect_good(test, &traces->handler, false, what);
	expect_good(test, &traces->regs, false, what);
}

static void expect_graph(struct kunit *test, int calls)
{
	KUNIT_EXPECT_EQ(test, atomic_read(&graph_entries), calls);
	KUNIT_EXPECT_EQ(test, atomic_read(&graph_returns), calls);
}

static void expect_fprobe(struct kunit *test, int calls)
{
	if (IS_ENABLED(CONFIG_FPROBE))
		KUNIT_EXPECT_EQ(test, atomic_read(&fprobe_returns), calls);
	if (fprobe_is_on)
		KUNIT_EXPECT_EQ(test, fprobe->nmissed, 0);
}

static int note_caller(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	*(unsigned long *)kprobes_returns_of(ri)->data = get_kretprobe_retaddr(ri);
	return 0;
}

static void note_caller_of(struct kunit *test, const char *symbol, unsigned long *caller)
{
	struct kprobes_returns *r = kprobes_returns(test, symbol);

	r->in_return = note_caller;
	r->data = caller;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
}

static noinline int __noipa kprobes_graph_tail(int a)
{
	int ret = kprobes_entry_tail(a);

	barrier();	/* no tail call */
	return ret;
}

static int take_in_pre(struct kprobe *p, struct pt_regs *regs)
{
	take(kprobes_counter_of(p)->data);
	return 0;
}

/*
 * Takes a trace inside the function that is called in place of the other: at its entry, where
 * frame pointers show the caller as well. The handlers of return probes that come later run first.
 */
static struct trace *trace_inside(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counter(test, &kprobes_entry_place);
	struct trace *t = new_traces(test, sizeof(*t));

	c->in_pre = take_in_pre;
	c->data = t;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	return t;
}

static void expect_caller(struct kunit *test, const struct trace *t, const char *symbol)
{
	unsigned int i, found = 0;

	for (i = 0; i < t->nr; i++) {
		KUNIT_EXPECT_FALSE_MSG(test, is_hidden(t->entries[i]), "%pB",
				       (void *)t->entries[i]);
		found += is_in(t->entries[i], symbol);
	}
	KUNIT_EXPECT_EQ_MSG(test, found, 1, "%s", symbol);
}

/*
 * The tracer has replaced the return address of a function before its return probe does. The
 * function that it calls in its place finds the return probe's, and so on.
 */
static void both_of_a_tail_call(struct kunit *test)
{
	static const struct kprobes_place tail = { .symbol = "kprobes_entry_tail" };
	unsigned long sites[] = { kprobes_place_addr(&tail), kprobes_entry_addr() };
	unsigned long callers[2] = { };
	struct trace *inside;

	kprobes_entry_clear();
	inside = trace_inside(test);
	note_caller_of(test, tail.symbol, &callers[0]);
	note_caller_of(test, kprobes_entry_place.symbol, &callers[1]);
	graph_on(test);
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ips(&graph.ops, sites, 2, 0, 1));
	KUNIT_EXPECT_EQ(test, 5, kprobes_graph_tail(4));
	expect_caller(test, inside, "kprobes_graph_tail");
	KUNIT_EXPECT_TRUE_MSG(test, is_in(callers[0], "kprobes_graph_tail"), "%pS",
			      (void *)callers[0]);
	KUNIT_EXPECT_TRUE_MSG(test, is_in(callers[1], "kprobes_graph_tail"), "%pS",
			      (void *)callers[1]);
	expect_graph(test, 2);
}

/* A task that sleeps below such a tail call */

static int sleep_below(void *awake)
{
	wait_for_completion(awake);
	return 41;
}

static noinline void __noipa kprobes_graph_sleep(void *awake)
{
	kprobes_entry_tail_call(sleep_below, awake);
	barrier();	/* no tail call */
}

static void expect_way(struct kunit *test, const struct trace *t)
{
	expect_caller(test, t, "sleep_below");
	expect_caller(test, t, TARGET);
	expect_caller(test, t, "kprobes_graph_sleep");
	expect_caller(test, t, "kthread");
}

static void trace_sleeper(struct kunit *test)
{
	struct trace *t = new_traces(test, sizeof(*t));
	DECLARE_COMPLETION_ONSTACK(awake);
	struct kprobes_other *sleeper;
	int nr;

	sleeper = kprobes_other(test, kprobes_graph_sleep, &awake, raw_smp_processor_id());
	WRITE_ONCE(sleeper->go, true);
	KUNIT_EXPECT_TRUE(test, kprobes_waits(sleeper));
	t->nr = stack_trace_save_tsk(sleeper->task, t->entries, DEPTH, 0);
	expect_way(test, t);
	nr = stack_trace_save_tsk_reliable(sleeper->task, t->entries, DEPTH);
	if (IS_ENABLED(CONFIG_HAVE_RELIABLE_STACKTRACE)) {
		KUNIT_EXPECT_GT(test, nr, 0);
		t->nr = max(nr, 0);
		expect_way(test, t);
	}
	complete(&awake);
	kprobes_end_other(sleeper);
}

/*
 * Of another task, the unwinder has no instance to go on from: it counts those that it has seen. If
 * the tracer replaces one of the addresses, the instances differ in what they have kept; if it
 * replaces both, each look-up gives the same trampoline as the one before.
 */
static void sleeper_of_a_tail_call(struct kunit *test)
{
	static const struct kprobes_place tail = { .symbol = "kprobes_entry_tail_call" };
	unsigned long sites[] = { kprobes_place_addr(&tail), kprobes_place_addr(&target) };
	unsigned long callers[2] = { };

	trace_sleeper(test);
	note_caller_of(test, tail.symbol, &callers[0]);
	note_caller_of(test, TARGET, &callers[1]);
	trace_sleeper(test);
	graph_on(test);
	trace_sleeper(test);
	expect_graph(test, 1);
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ips(&graph.ops, sites, 2, 0, 1));
	trace_sleeper(test);
	expect_graph(test, 3);
	KUNIT_EXPECT_TRUE_MSG(test, is_in(callers[0], "kprobes_graph_sleep"), "%pS",
			      (void *)callers[0]);
	KUNIT_EXPECT_TRUE_MSG(test, is_in(callers[1], "kprobes_graph_sleep"), "%pS",
			      (void *)callers[1]);
}

/* Checks the test itself, without probes. */
static void graph_alone(struct kunit *test)
{
	graph_on(test);
	run(test, NULL, "graph");
	expect_graph(test, 1);
}

static void fprobe_alone(struct kunit *test)
{
	fprobe_on(test);
	run(test, NULL, "fprobe");
	expect_fprobe(test, 1);
	graph_on(test);
	run(test, NULL, "fprobe and graph");
	expect_fprobe(test, 2);
	expect_graph(test, 1);
}

static void graph_first(struct kunit *test)
{
	struct kprobes_returns *r;

	graph_on(test);
	r = probe(test);
	run(test, r, "both");
	run(test, r, "both again");
	expect_graph(test, 2);
	graph_off();
	run(test, r, "return probe");
	kprobes_expect_returns(test, r, 3, 3);
	expect_graph(test, 2);
}

static void graph_later(struct kunit *test)
{
	struct kprobes_returns *r = probe(test);

	run(test, r, "return probe");
	graph_on(test);
	run(test, r, "both");
	expect_graph(test, 1);
	unregister_kretprobe(&r->rp);
	run(test, NULL, "graph");
	kprobes_expect_returns(test, r, 2, 2);
	expect_graph(test, 2);
}

static void fprobe_first(struct kunit *test)
{
	struct kprobes_returns *r;

	fprobe_on(test);
	r = probe(test);
	run(test, r, "both");
	fprobe_off();
	run(test, r, "return probe");
	kprobes_expect_returns(test, r, 2, 2);
	expect_fprobe(test, 1);
}

static void fprobe_later(struct kunit *test)
{
	struct kprobes_returns *r = probe(test);

	fprobe_on(test);
	run(test, r, "both");
	unregister_kretprobe(&r->rp);
	run(test, NULL, "fprobe");
	kprobes_expect_returns(test, r, 1, 1);
	expect_fprobe(test, 2);
}

/* All three replace the return address, in each order: @order from 0 to 5. */
static void all_in_order(struct kunit *test, unsigned int order)
{
	unsigned int i, who, first = order % 3;
	struct kprobes_returns *r = NULL;

	for (i = 0; i < 3; i++) {
		who = (first + (order < 3 ? i : 3 - i)) % 3;
		if (who == 0)
			r = probe(test);
		else if (who == 1)
			graph_on(test);
		else
			fprobe_on(test);
		run(test, r, "on the way to all");
	}
	run(test, r, "all");
	fprobe_off();
	run(test, r, "without fprobe");
	graph_off();
	run(test, r, "return probe");
	unregister_kretprobe(&r->rp);
}

static void all_together(struct kunit *test)
{
	unsigned int order;

	for (order = 0; order < 6; order++)
		all_in_order(test, order);
}

/* Called in the function: switches the graph tracer on or off. */
static int switch_graph(void *test)
{
	if (graph_is_on)
		graph_off();
	else
		graph_on(test);
	return 41;
}

static void graph_changes_below(struct kunit *test)
{
	struct kprobes_returns *r = probe(test);
	int i;

	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, 42, kprobes_target_call_c(switch_graph, test));
		run(test, r, "below changes");
	}
	kprobes_expect_returns(test, r, 8, 8);
}

static void graph_exit(struct kunit *test)
{
	graph_off();
	fprobe_off();
}

static struct kunit_case graph_cases[] = {
	KUNIT_CASE(graph_alone),
	KUNIT_CASE(both_of_a_tail_call),
	KUNIT_CASE(sleeper_of_a_tail_call),
	KUNIT_CASE(fprobe_alone),
	KPROBES_CASE_FORMS(graph_first),
	KPROBES_CASE_FORMS(graph_later),
	KPROBES_CASE_FORMS(fprobe_first),
	KPROBES_CASE_FORMS(fprobe_later),
	KPROBES_CASE_FORMS(all_together),
	KPROBES_CASE_FORMS(graph_changes_below),
	{}
};

static struct kunit_suite graph_suite = {
	.name = "kprobes_entry_graph",
	.test_cases = graph_cases,
	.exit = graph_exit,
};

kunit_test_suite(graph_suite);
