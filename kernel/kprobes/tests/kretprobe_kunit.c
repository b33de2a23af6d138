// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of return probes: what handlers see, instances, their number and their
 * data, and functions that return in unusual ways.
 */
#include <kunit/test.h>
#include <linux/kprobes.h>
#include <linux/workqueue.h>

#include "targets.h"

/* What handlers see and do */

struct sight {
	struct kretprobe_instance *ri[2];
	void *ret_addr[2];
	int failures;
	unsigned long ip;
	unsigned long value;
	struct kprobes_returns *r;
};

static void look(struct kretprobe_instance *ri, int when)
{
	struct sight *s = kprobes_returns_of(ri)->data;

	s->ri[when] = ri;
	s->ret_addr[when] = ri->ret_addr;
	s->failures += ri->rp != &s->r->rp;
	s->failures += get_kretprobe(ri) != ri->rp;
	s->failures += ri->task != current;
	s->failures += get_kretprobe_retaddr(ri) != (unsigned long)ri->ret_addr;
	s->failures += kprobe_running() != &ri->rp->kp;
}

static int look_in_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	look(ri, 0);
	return 0;
}

static int look_in_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct sight *s = kprobes_returns_of(ri)->data;

	look(ri, 1);
	s->ip = instruction_pointer(regs);
	s->value = regs_return_value(regs);
	return 0;
}

static void handlers_see(struct kunit *test)
{
	struct kprobes_returns *r = kprobes_caller_returns(test);
	struct sight s = { .r = r };

	r->data = &s;
	r->in_entry = look_in_entry;
	r->in_return = look_in_return;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	KUNIT_EXPECT_EQ(test, 42, kprobes_call_41(test->param_value));
	unregister_kretprobe(&r->rp);

	kprobes_expect_returns(test, r, 1, 1);
	KUNIT_EXPECT_EQ(test, s.failures, 0);
	KUNIT_EXPECT_PTR_EQ(test, s.ri[0], s.ri[1]);
	KUNIT_EXPECT_PTR_EQ(test, s.ret_addr[0], s.ret_addr[1]);
	KUNIT_EXPECT_EQ(test, s.ip, (unsigned long)s.ret_addr[1]);
	KUNIT_EXPECT_TRUE(test, core_kernel_text(s.ip));
	KUNIT_EXPECT_FALSE(test, is_kretprobe_trampoline(s.ip));
	KUNIT_EXPECT_EQ(test, (int)s.value, 42);
}

static int add_100(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	regs_set_return_value(regs, regs_return_value(regs) + 100);
	return 0;
}

static void handler_changes_value(struct kunit *test)
{
	struct kprobes_returns *r = kprobes_caller_returning(test);

	r->in_return = add_100;
	KUNIT_EXPECT_EQ(test, 142, kprobes_call_41(test->param_value));
}

static int decline(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 1;
}

static void entry_declines(struct kunit *test)
{
	struct kprobes_returns *r = kprobes_caller_returns(test);
	int i;

	/* A declined call takes no instance. */
	r->rp.maxactive = 1;
	r->in_entry = decline;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_EQ(test, 42, kprobes_call_41(test->param_value));
	kprobes_expect_returns(test, r, 5, 0);
	r->in_entry = NULL;
	KUNIT_EXPECT_EQ(test, 42, kprobes_call_41(test->param_value));
	kprobes_expect_returns(test, r, 6, 1);
}

static void without_handlers(struct kunit *test)
{
	struct kprobes_returns *r = kprobes_caller_returns(test);

	r->rp.handler = NULL;
	r->rp.entry_handler = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	KUNIT_EXPECT_EQ(test, 42, kprobes_call_41(test->param_value));
	KUNIT_EXPECT_EQ(test, r->rp.nmissed, 0);
}

/* Recursion, each call with data of its own */

struct recursion {
	const struct kprobes_caller *caller;
	int depth;
};

static int recurse(void *arg)
{
	struct recursion *rec = arg;

	return rec->depth-- ? rec->caller->call(recurse, rec) : 0;
}

/* Has the function call itself, @calls calls in all. */
static void expect_recursion(struct kunit *test, int calls)
{
	struct recursion rec = {
		.caller = test->param_value,
		.depth = calls - 1,
	};

	KUNIT_EXPECT_EQ(test, calls, rec.caller->call(recurse, &rec));
}

static int write_data(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	unsigned long *data = (unsigned long *)ri->data;
	int call = atomic_read(&kprobes_returns_of(ri)->entries);
	int i;

	for (i = 0; i < ri->rp->data_size / sizeof(long); i++)
		data[i] = call + i;
	return 0;
}

/* Calls return in the reverse order. */
static int check_data(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kprobes_returns *r = kprobes_returns_of(ri);
	unsigned long *data = (unsigned long *)ri->data;
	int *failures = r->data;
	int call, i;

	call = atomic_read(&r->entries) - atomic_read(&r->returns) + 1;
	for (i = 0; i < ri->rp->data_size / sizeof(long); i++)
		*failures += data[i] != call + i;
	return 0;
}

static void data_of_size(struct kunit *test, size_t size)
{
	struct kprobes_returns *r = kprobes_caller_returns(test);
	int failures = 0;

	r->rp.data_size = size;
	r->in_entry = write_data;
	r->in_return = check_data;
	r->data = &failures;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	expect_recursion(test, 8);
	unregister_kretprobe(&r->rp);
	kprobes_expect_returns(test, r, 8, 8);
	KUNIT_EXPECT_EQ(test, failures, 0);
}

static void data_is_private(struct kunit *test)
{
	data_of_size(test, 0);
	data_of_size(test, sizeof(long));
	data_of_size(test, 10 * sizeof(long));
	data_of_size(test, KRETPROBE_MAX_DATA_SIZE);
}

/* How many */

static void maxactive_is_told(struct kunit *test)
{
	static const int asked[] = { 0, -1, INT_MIN, 1, 5, 1000 };
	int fallback = max_t(int, 10, 2 * num_possible_cpus());
	int i;

	for (i = 0; i < ARRAY_SIZE(asked); i++) {
		struct kprobes_returns *r = kprobes_caller_returns(test);

		r->rp.maxactive = asked[i];
		KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
		KUNIT_EXPECT_EQ(test, r->rp.maxactive,
				asked[i] > 0 ? asked[i] : fallback);
		unregister_kretprobe(&r->rp);
	}
}

/* So many that their size in bytes is more than an int can hold, with data or without. */
static void maxactive_is_too_large(struct kunit *test)
{
	static const struct { int maxactive; size_t data; } asked[] = {
		{ INT_MAX, 0 }, { 1 << 24, 200 }, { 1050000, KRETPROBE_MAX_DATA_SIZE },
		{ INT_MAX / KRETPROBE_MAX_DATA_SIZE, KRETPROBE_MAX_DATA_SIZE },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(asked); i++) {
		struct kprobes_returns *r = kprobes_caller_returns(test);

		r->rp.maxactive = asked[i].maxactive;
		r->rp.data_size = asked[i].data;
		KUNIT_EXPECT_EQ(test, -ENOMEM, register_kretprobe(&r->rp));
		KUNIT_EXPECT_EQ(test, asked[i].maxactive, r->rp.maxactive);
	}
}

/* Its memory is used for a plain probe, after it was unregistered or refused. */
static void is_reused_as_a_probe(struct kunit *test)
{
	const struct kprobes_caller *caller = test->param_value;
	struct kprobes_returns *r = kprobes_caller_returns(test);
	struct kprobe was = r->rp.kp;
	int refused;

	for (refused = 0; refused < 2; refused++) {
		if (refused) {
			r->rp.kp.symbol_name = "kprobes_no_such_function";
			r->rp.kp.addr = NULL;
		}
		KUNIT_ASSERT_EQ(test, refused ? -ENOENT : 0, register_kretprobe(&r->rp));
		unregister_kretprobe(&r->rp);
		KUNIT_ASSERT_NULL(test, r->rp.kp.pre_handler);
		r->rp.kp.symbol_name = was.symbol_name;
		r->rp.kp.addr = was.addr;
		KUNIT_ASSERT_EQ(test, 0, register_kprobe(&r->rp.kp));
		KUNIT_EXPECT_EQ(test, 42, kprobes_call_41(caller));
		unregister_kprobe(&r->rp.kp);
		kprobes_expect_returns(test, r, 0, 0);
		r->rp.kp.addr = was.addr;
	}
}

static void maxactive_is_a_limit(struct kunit *test)
{
	int active;

	for (active = 1; active <= 6; active++) {
		struct kprobes_returns *r = kprobes_caller_returns(test);

		r->rp.maxactive = active;
		KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
		expect_recursion(test, 6);
		expect_recursion(test, 6);
		KUNIT_EXPECT_EQ(test, atomic_read(&r->entries), 2 * active);
		KUNIT_EXPECT_EQ(test, atomic_read(&r->returns), 2 * active);
		KUNIT_EXPECT_EQ(test, r->rp.nmissed, 2 * (6 - active));
		KUNIT_EXPECT_EQ(test, kprobes_misses(&r->rp.kp, KPROBE_MISS_INSTANCE),
				r->rp.nmissed);
		unregister_kretprobe(&r->rp);
	}
}

static void nmissed_starts_at_zero(struct kunit *test)
{
	struct kprobes_returns *r = kprobes_caller_returns(test);

	r->rp.nmissed = 7;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	KUNIT_EXPECT_EQ(test, r->rp.nmissed, 0);
}

/* More than one at a time */

static void several_on_one_function(struct kunit *test)
{
	const struct kprobes_caller *caller = test->param_value;
	const struct kprobes_place place = { .symbol = caller->symbol };
	struct kprobes_returns *r[3];
	struct kprobes_counter *c;
	int i;

	r[0] = kprobes_caller_returning(test);
	r[1] = kprobes_caller_returning(test);
	c = kprobes_counting(test, &place);
	r[2] = kprobes_caller_returning(test);
	KUNIT_EXPECT_EQ(test, 42, kprobes_call_41(caller));
	expect_recursion(test, 3);
	kprobes_expect_counts(test, c, 4, 4);
	for (i = 0; i < 3; i++)
		kprobes_expect_returns(test, r[i], 4, 4);

	/* Each has the true return address, so any may be unregistered. */
	unregister_kretprobe(&r[0]->rp);
	KUNIT_EXPECT_EQ(test, 42, kprobes_call_41(caller));
	kprobes_expect_returns(test, r[0], 4, 4);
	kprobes_expect_returns(test, r[1], 5, 5);
	kprobes_expect_returns(test, r[2], 5, 5);
}

/* Each of several return probes has the true return address. */
static void several_know_the_way(struct kunit *test)
{
	struct kprobes_returns *r[3];
	struct sight s[3] = { };
	int i;

	for (i = 0; i < 3; i++) {
		r[i] = kprobes_caller_returns(test);
		s[i].r = r[i];
		r[i]->data = &s[i];
		r[i]->in_entry = look_in_entry;
		r[i]->in_return = look_in_return;
		KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r[i]->rp));
	}
	KUNIT_EXPECT_EQ(test, 42, kprobes_call_41(test->param_value));
	for (i = 0; i < 3; i++) {
		unregister_kretprobe(&r[i]->rp);
		KUNIT_EXPECT_EQ(test, s[i].failures, 0);
		KUNIT_EXPECT_PTR_EQ(test, s[i].ret_addr[0], s[0].ret_addr[0]);
		KUNIT_EXPECT_EQ(test, s[i].ip, (unsigned long)s[i].ret_addr[1]);
		KUNIT_EXPECT_FALSE(test, is_kretprobe_trampoline(s[i].ip));
	}
}

/* The order of the handlers' calls, as the digits of a number. */
struct turns {
	struct kprobes_returns *r[3];
	int entries;
	int returns;
};

static int digit_of(struct kretprobe_instance *ri)
{
	struct kprobes_returns *r = kprobes_returns_of(ri);
	struct turns *turns = r->data;
	int i = 0;

	while (i < 2 && turns->r[i] != r)
		i++;
	return i + 1;
}

static int note_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct turns *turns = kprobes_returns_of(ri)->data;

	turns->entries = 10 * turns->entries + digit_of(ri);
	return 0;
}

static int note_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct turns *turns = kprobes_returns_of(ri)->data;

	turns->returns = 10 * turns->returns + digit_of(ri);
	return 0;
}

static void take_turns(struct kunit *test, struct turns *turns,
		       const char *const *symbols)
{
	int i;

	for (i = 0; i < 3; i++) {
		turns->r[i] = kprobes_returns(test, symbols[i]);
		turns->r[i]->data = turns;
		turns->r[i]->in_entry = note_entry;
		turns->r[i]->in_return = note_return;
		KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&turns->r[i]->rp));
	}
}

static void expect_turns(struct kunit *test, struct turns *turns,
			 int entries, int returns)
{
	KUNIT_EXPECT_EQ(test, turns->entries, entries);
	KUNIT_EXPECT_EQ(test, turns->returns, returns);
	turns->entries = 0;
	turns->returns = 0;
}

static void newest_runs_first(struct kunit *test)
{
	const struct kprobes_caller *caller = test->param_value;
	const char *const symbols[] = { caller->symbol, caller->symbol, caller->symbol };
	struct turns turns = { };

	take_turns(test, &turns, symbols);
	KUNIT_EXPECT_EQ(test, 42, kprobes_call_41(caller));
	expect_turns(test, &turns, 321, 321);
	/* The outer call returns after the inner one. */
	expect_recursion(test, 2);
	expect_turns(test, &turns, 321321, 321321);
	KUNIT_EXPECT_EQ(test, 0, disable_kretprobe(&turns.r[1]->rp));
	KUNIT_EXPECT_EQ(test, 42, kprobes_call_41(caller));
	expect_turns(test, &turns, 31, 31);
	KUNIT_EXPECT_EQ(test, 0, enable_kretprobe(&turns.r[1]->rp));
	unregister_kretprobe(&turns.r[2]->rp);
	KUNIT_EXPECT_EQ(test, 42, kprobes_call_41(caller));
	expect_turns(test, &turns, 21, 21);
}

static int call_in_turn(void *arg)
{
	return kprobes_targets_run(1) == KPROBES_TARGETS_RESULT(1) ? 41 : 0;
}

static void nested_functions(struct kunit *test)
{
	const struct kprobes_caller *caller = test->param_value;
	struct kprobes_returns *r[] = {
		kprobes_caller_returning(test),
		kprobes_returning(test, "kprobes_targets_run"),
		kprobes_returning(test, "kprobes_target_c"),
		kprobes_returning(test, "kprobes_target_asm"),
		kprobes_returning(test, "kprobes_target_endbr"),
	};
	int i;

	KUNIT_EXPECT_EQ(test, 42, caller->call(call_in_turn, NULL));
	for (i = 0; i < ARRAY_SIZE(r); i++)
		kprobes_expect_returns(test, r[i], 1, 1);
}

#define CALLS_PER_CPU	2000

static void call_often(struct work_struct *work)
{
	int i;

	for (i = 0; i < CALLS_PER_CPU; i++) {
		kprobes_target_call_c(call_in_turn, NULL);
		if (i % 64 == 0)
			cond_resched();
	}
}

/* With too few instances: calls = returns + misses. */
static void books_balance(struct kunit *test)
{
	struct kprobes_returns *r;
	int calls, returns;

	r = kprobes_returns(test, "kprobes_target_call_c");
	r->rp.maxactive = 2;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	calls = CALLS_PER_CPU * num_online_cpus();
	KUNIT_ASSERT_EQ(test, 0, schedule_on_each_cpu(call_often));
	returns = atomic_read(&r->returns);
	KUNIT_EXPECT_EQ(test, atomic_read(&r->entries), returns);
	KUNIT_EXPECT_EQ(test, returns + r->rp.nmissed + r->rp.kp.nmissed, calls);
	KUNIT_EXPECT_GT(test, returns, 0);
}

/* Functions that end by jumping to another share a return address. */
static void tail_calls(struct kunit *test)
{
	static const char *const symbols[] = {
		"kprobes_target_tail", "kprobes_target_tail_middle",
		"kprobes_target_call",
	};
	struct kprobes_returns *r[ARRAY_SIZE(symbols)];
	unsigned int set, i;

	for (set = 1; set < BIT(ARRAY_SIZE(symbols)); set++) {
		for (i = 0; i < ARRAY_SIZE(symbols); i++) {
			r[i] = kprobes_returns(test, symbols[i]);
			if (set & BIT(i))
				KUNIT_ASSERT_EQ(test, 0,
						register_kretprobe(&r[i]->rp));
		}
		KUNIT_EXPECT_EQ(test, 42, kprobes_target_tail(kprobes_return_41, NULL));
		KUNIT_EXPECT_EQ(test, 42, kprobes_target_call(kprobes_return_41, NULL));
		for (i = 0; i < ARRAY_SIZE(symbols); i++) {
			int calls = set & BIT(i) ? 1 + (i == 2) : 0;

			kprobes_expect_returns(test, r[i], calls, calls);
			unregister_kretprobe(&r[i]->rp);
		}
	}
}

/* The function that was jumped to returns before the one that jumped. */
static void tail_calls_in_turn(struct kunit *test)
{
	static const char *const once[] = {
		"kprobes_target_tail", "kprobes_target_tail_middle",
		"kprobes_target_call",
	};
	static const char *const twice[] = {
		"kprobes_target_tail", "kprobes_target_call", "kprobes_target_call",
	};
	struct turns turns = { };

	take_turns(test, &turns, once);
	KUNIT_EXPECT_EQ(test, 42, kprobes_target_tail(kprobes_return_41, NULL));
	expect_turns(test, &turns, 123, 321);
	unregister_kretprobe(&turns.r[0]->rp);
	unregister_kretprobe(&turns.r[1]->rp);
	unregister_kretprobe(&turns.r[2]->rp);
	take_turns(test, &turns, twice);
	KUNIT_EXPECT_EQ(test, 42, kprobes_target_tail(kprobes_return_41, NULL));
	expect_turns(test, &turns, 132, 321);
}

/* The instance of a call that never returned is removed when the outer call returns. */
static void mismatch(struct kunit *test)
{
	struct kprobes_returns *left, *leave;
	int i;

	left = kprobes_returning(test, "kprobes_target_left");
	leave = kprobes_returns(test, "kprobes_target_leave");
	leave->rp.maxactive = 1;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&leave->rp));
	kunit_info(test, "\"kretprobe BUG!\" is to follow, 3 times\n");
	for (i = 1; i <= 3; i++) {
		KUNIT_EXPECT_EQ(test, kprobes_target_left(i), i + 5);
		kprobes_expect_returns(test, left, i, i);
		kprobes_expect_returns(test, leave, i, 0);
	}
}

static struct kunit_case return_cases[] = {
	KPROBES_CASE_CALLERS(handlers_see),
	KPROBES_CASE_CALLERS(handler_changes_value),
	KPROBES_CASE_CALLERS(entry_declines),
	KPROBES_CASE_CALLERS(without_handlers),
	KPROBES_CASE_CALLERS(data_is_private),
	KPROBES_CASE_CALLERS(maxactive_is_told),
	KPROBES_CASE_CALLERS(maxactive_is_too_large),
	KPROBES_CASE_CALLERS(is_reused_as_a_probe),
	KPROBES_CASE_CALLERS(maxactive_is_a_limit),
	KPROBES_CASE_CALLERS(nmissed_starts_at_zero),
	KPROBES_CASE_CALLERS(several_on_one_function),
	KPROBES_CASE_CALLERS(several_know_the_way),
	KPROBES_CASE_CALLERS(newest_runs_first),
	KPROBES_CASE_CALLERS(nested_functions),
	KUNIT_CASE(books_balance),
	KUNIT_CASE(tail_calls),
	KUNIT_CASE(tail_calls_in_turn),
	KUNIT_CASE(mismatch),
	{}
};

static struct kunit_suite return_suite = {
	.name = "kprobes_return",
	.test_cases = return_cases,
};

kunit_test_suite(return_suite);
