// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of several probes on one address, of what handlers see in the
 * registers, and of handlers that change them or the execution path.
 */
#include <kunit/test.h>
#include <linux/cleanup.h>
#include <linux/error-injection.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobe_point.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/mutex.h>
#include <linux/unaligned.h>
#include <asm/sections.h>

#include "../hit.h"
#include "targets.h"

#define PROBES	4

struct shared {
	struct kprobes_counter *c[PROBES];
	char order[4 * PROBES + 1];	/* 'a'... for pre-, 'A'... for post-handlers */
	int nr;
};

static void note(struct kprobes_counter *c, char base)
{
	struct shared *s = c->data;
	int i;

	for (i = 0; i < PROBES; i++)
		if (s->c[i] == c && s->nr < sizeof(s->order) - 1)
			s->order[s->nr++] = base + i;
}

static int note_pre(struct kprobe *p, struct pt_regs *regs)
{
	note(kprobes_counter_of(p), 'a');
	return 0;
}

static void note_post(struct kprobe *p, struct pt_regs *regs,
		      unsigned long flags)
{
	note(kprobes_counter_of(p), 'A');
}

/* Probes for one place, registered in order. */
static struct shared *share_point(struct kunit *test)
{
	struct shared *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, s);
	for (i = 0; i < PROBES; i++) {
		s->c[i] = kprobes_counter(test, test->param_value);
		s->c[i]->in_pre = note_pre;
		s->c[i]->in_post = note_post;
		s->c[i]->data = s;
	}
	return s;
}

static struct shared *share_registered(struct kunit *test)
{
	struct shared *s = share_point(test);
	int i;

	for (i = 0; i < PROBES; i++)
		KUNIT_ASSERT_EQ(test, 0, register_kprobe(&s->c[i]->kp));
	return s;
}

static void expect_order(struct kunit *test, struct shared *s, const char *order)
{
	memset(s->order, 0, sizeof(s->order));
	s->nr = 0;
	kprobes_expect_targets(test, 1);
	KUNIT_EXPECT_STREQ(test, s->order, order);
}

/* The same place by the function's name, and by _text and an offset, as perf does. */
static void one_place_two_names(struct kunit *test)
{
	const struct kprobes_place *place = test->param_value;
	struct kprobes_counter *near = kprobes_counting(test, place);
	struct kprobes_counter *far = kprobes_counter(test, place);

	far->kp.symbol_name = "_text";
	far->kp.offset = kprobes_place_addr(place) - (unsigned long)_text;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&far->kp));
	KUNIT_EXPECT_PTR_EQ(test, far->kp.addr, near->kp.addr);
	KUNIT_EXPECT_EQ(test, !place->offset,
			!!(far->kp.flags & KPROBE_FLAG_ON_FUNC_ENTRY));
	kprobes_expect_targets(test, 1);
	kprobes_expect_counts(test, near, 1, 1);
	kprobes_expect_counts(test, far, 1, 1);
}

/* The one that was registered last runs first. */
static void newest_runs_first(struct kunit *test)
{
	struct shared *s = share_registered(test);
	int i;

	expect_order(test, s, "dcbaDCBA");
	for (i = 0; i < PROBES; i++) {
		KUNIT_EXPECT_PTR_EQ(test, s->c[i]->kp.addr, s->c[0]->kp.addr);
		KUNIT_EXPECT_EQ(test, s->c[i]->kp.opcode, s->c[0]->kp.opcode);
		KUNIT_EXPECT_EQ(test, s->c[i]->kp.nmissed, 0);
	}
}

static void one_leaves(struct kunit *test)
{
	struct shared *s = share_registered(test);

	unregister_kprobe(&s->c[1]->kp);
	expect_order(test, s, "dcaDCA");
	unregister_kprobe(&s->c[0]->kp);
	expect_order(test, s, "dcDC");
	unregister_kprobe(&s->c[3]->kp);
	expect_order(test, s, "cC");
	unregister_kprobe(&s->c[2]->kp);
	expect_order(test, s, "");
}

static void one_comes_back(struct kunit *test)
{
	struct shared *s = share_registered(test);

	unregister_kprobe(&s->c[1]->kp);
	s->c[1]->kp.addr = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&s->c[1]->kp));
	expect_order(test, s, "bdcaBDCA");
}

/* Every subset of probes enabled. */
static void only_enabled_run(struct kunit *test)
{
	struct shared *s = share_registered(test);
	unsigned int set, i;

	for (set = 0; set < BIT(PROBES); set++) {
		char expected[2 * PROBES + 1] = "";
		int n = 0;

		for (i = PROBES; i--;) {
			struct kprobe *p = &s->c[i]->kp;

			KUNIT_EXPECT_EQ(test, 0, set & BIT(i) ?
					enable_kprobe(p) : disable_kprobe(p));
			if (set & BIT(i))
				expected[n++] = 'a' + i;
		}
		for (i = PROBES; i--;)
			if (set & BIT(i))
				expected[n++] = 'A' + i;
		expect_order(test, s, expected);
	}
	for (i = 0; i < PROBES; i++)
		KUNIT_EXPECT_EQ(test, s->c[i]->kp.nmissed, 0);
}

/* Every combination of none, pre-, post- and both handlers on three probes. */
static void all_kinds_together(struct kunit *test)
{
	unsigned int kinds;
	struct shared *s;

	s = share_point(test);
	for (kinds = 0; kinds < 4 * 4 * 4; kinds++) {
		char pres[4] = "", posts[4] = "", expected[7] = "";
		unsigned int i, kind;

		/* Backwards, so that they run in the order of the alphabet. */
		for (i = 3; i--;) {
			struct kprobe *p = &s->c[i]->kp;

			kind = kinds >> (2 * i) & 3;
			p->addr = NULL;
			p->pre_handler = kind & 1 ? kprobes_count_pre : NULL;
			p->post_handler = kind & 2 ? kprobes_count_post : NULL;
			KUNIT_ASSERT_EQ(test, 0, register_kprobe(p));
		}
		for (i = 0; i < 3; i++) {
			kind = kinds >> (2 * i) & 3;
			if (kind & 1)
				pres[strlen(pres)] = 'a' + i;
			if (kind & 2)
				posts[strlen(posts)] = 'A' + i;
		}
		snprintf(expected, sizeof(expected), "%s%s", pres, posts);
		expect_order(test, s, expected);
		for (i = 0; i < 3; i++)
			unregister_kprobe(&s->c[i]->kp);
		expect_order(test, s, "");
	}
}

static void post_handler_comes_later(struct kunit *test)
{
	struct shared *s = share_point(test);

	s->c[0]->kp.post_handler = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&s->c[0]->kp));
	expect_order(test, s, "a");
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&s->c[1]->kp));
	expect_order(test, s, "baB");
	unregister_kprobe(&s->c[1]->kp);
	expect_order(test, s, "a");
	s->c[1]->kp.addr = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&s->c[1]->kp));
	expect_order(test, s, "baB");
}

static void return_probe_beside(struct kunit *test)
{
	struct shared *s;
	struct kretprobe *rp;
	const struct kprobes_place *place = test->param_value;

	s = share_point(test);
	rp = &kprobes_returns(test, place->symbol)->rp;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&s->c[0]->kp));
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(rp));
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&s->c[1]->kp));
	expect_order(test, s, "baBA");
	unregister_kprobe(&s->c[0]->kp);
	expect_order(test, s, "bB");
	unregister_kretprobe(rp);
	expect_order(test, s, "bB");
}

/* Registers */

/* The address that is executed next, 0 if unknown. Nothing must be probed there. */
static unsigned long next_address(const struct kprobes_place *place)
{
	unsigned long start = (unsigned long)kprobe_lookup_name(place->symbol, 0);

	unsigned long at = start + place->offset;
	struct kprobe_insn insn;
	u8 text[KPROBE_INSN_MAX];

	/* The probe of an earlier test may still be taken off the text. */
	scoped_guard(mutex, &kprobe_mutex)
		scoped_guard(mutex, &text_mutex)
			kprobe_read_insn(at, text, sizeof(text));
	if (arch_kprobe_isa->plan(&insn, text, sizeof(text), at))
		insn.flow = KPROBE_FLOW_NEXT;
	/* What is in a delay slot comes next. */
	if (insn.flow != KPROBE_FLOW_NEXT && insn.bundle)
		return at + insn.len;
	/* Where the kernel counts calls, they lead to code in front of the function. */
	if (insn.flow == KPROBE_FLOW_CALL)
		return insn.target;
	return place->next ? start + place->next : 0;
}

static void instruction_pointers(struct kunit *test)
{
	const struct kprobes_place *place = test->param_value;
	unsigned long next = next_address(place);
	struct kprobes_counter *c = kprobes_counting(test, place);
	unsigned long pre = (unsigned long)c->kp.addr + KPROBE_HIT_OFFSET;

	kprobes_expect_targets(test, 1);
	KUNIT_EXPECT_EQ(test, c->pre_ip, pre);
	if (next)
		KUNIT_EXPECT_EQ(test, c->post_ip, next);
	else
		KUNIT_EXPECT_GT(test, c->post_ip, (unsigned long)c->kp.addr);
}

static int add_to_argument(struct kprobe *p, struct pt_regs *regs)
{
	TEST_ARG(regs) += 1000;
	return 0;
}

static void add_to_result(struct kprobe *p, struct pt_regs *regs,
			  unsigned long flags)
{
	TEST_RESULT(regs) += 5000;
}

static int call_target(const struct kprobes_place *place, int a)
{
	if (!strcmp(place->symbol, "kprobes_target_c"))
		return kprobes_target_c(a) - 1;
	if (!strcmp(place->symbol, "kprobes_target_asm"))
		return kprobes_target_asm(a) - 10;
	return kprobes_target_endbr(a) - 100;
}

static void pre_handler_writes_registers(struct kunit *test)
{
	const struct kprobes_place *place = test->param_value;
	struct kprobes_counter *c = kprobes_counter(test, place);

	c->in_pre = add_to_argument;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	KUNIT_EXPECT_EQ(test, call_target(place, 7), 1007);
}

static void post_handler_writes_registers(struct kunit *test)
{
	const struct kprobes_place *place = test->param_value;
	struct kprobes_counter *c = kprobes_counter(test, place);
	bool set = place->next && kprobes_places() > 1;

	/* Not if the function sets the result register after the probed instruction. */
	if (!set)
		kunit_skip(test, "the result is set after it");
	c->in_post = add_to_result;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	KUNIT_EXPECT_EQ(test, call_target(place, 7), 5007);
}

/* Execution-path changes */

/* Returns from the function at once, through another one: ftrace keeps the stack pointer. */
static int return_42(struct kprobe *p, struct pt_regs *regs)
{
	regs_set_return_value(regs, 42);
	if (p->flags & KPROBE_FLAG_FTRACE)
		override_function_with_return(regs);
	else
		kprobes_return_now(regs);
	return 1;
}

static int call_diverted(const struct kprobes_place *place)
{
	return call_target(place, 7) - call_target(place, 0);
}

static void pre_handler_changes_path(struct kunit *test)
{
	const struct kprobes_place *place = test->param_value;
	struct shared *s = share_point(test);

	if (!IS_ENABLED(CONFIG_FUNCTION_ERROR_INJECTION))
		kunit_skip(test, "no function to return by");
	s->c[1]->in_pre = return_42;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&s->c[0]->kp));
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&s->c[1]->kp));
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&s->c[2]->kp));
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&s->c[3]->kp));
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&s->c[3]->kp));

	KUNIT_EXPECT_EQ(test, call_diverted(place), 0);
	kprobes_expect_counts(test, s->c[2], 2, 0);
	kprobes_expect_counts(test, s->c[1], 2, 0);
	kprobes_expect_counts(test, s->c[0], 0, 0);
	KUNIT_EXPECT_EQ(test, kprobes_misses(&s->c[0]->kp, KPROBE_MISS_DIVERTED), 2);
	KUNIT_EXPECT_EQ(test, kprobes_misses(&s->c[0]->kp, KPROBE_MISS_NESTED), 0);
	KUNIT_EXPECT_EQ(test, s->c[2]->kp.nmissed, 0);
	KUNIT_EXPECT_EQ(test, s->c[1]->kp.nmissed, 0);
	KUNIT_EXPECT_EQ(test, s->c[0]->kp.nmissed, 2);
	KUNIT_EXPECT_EQ(test, s->c[3]->kp.nmissed, 0);

	/* What a probe has missed remains when it leaves. */
	unregister_kprobe(&s->c[0]->kp);
	KUNIT_EXPECT_EQ(test, kprobes_misses(&s->c[2]->kp, KPROBE_MISS_DIVERTED), 2);
	s->c[0]->kp.addr = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&s->c[0]->kp));

	/* Without it the path is not changed. */
	unregister_kprobe(&s->c[1]->kp);
	KUNIT_EXPECT_EQ(test, call_diverted(place), 7);
	kprobes_expect_counts(test, s->c[0], 2, 2);
}

static noinline int __noipa other_function(int a)
{
	return -a;
}

static int go_elsewhere(struct kprobe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, (unsigned long)other_function);
	return 1;
}

static void goes_to_another_function(struct kunit *test)
{
	const struct kprobes_place *place = test->param_value;
	struct kprobes_counter *c = kprobes_counter(test, place);

	c->in_pre = go_elsewhere;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	KUNIT_EXPECT_EQ(test, call_diverted(place), -7);
	kprobes_expect_counts(test, c, 2, 0);
}

static struct kunit_case shared_point_cases[] = {
	KPROBES_CASE_PLACES(one_place_two_names),
	KPROBES_CASE_PLACES(newest_runs_first),
	KPROBES_CASE_PLACES(one_leaves),
	KPROBES_CASE_PLACES(one_comes_back),
	KPROBES_CASE_PLACES(only_enabled_run),
	KPROBES_CASE_PLACES(all_kinds_together),
	KPROBES_CASE_PLACES(post_handler_comes_later),
	KPROBES_CASE_ENTRIES(return_probe_beside),
	KPROBES_CASE_PLACES(instruction_pointers),
	KPROBES_CASE_ENTRIES(pre_handler_writes_registers),
	KPROBES_CASE_PLACES(post_handler_writes_registers),
	KPROBES_CASE_ENTRIES(pre_handler_changes_path),
	KPROBES_CASE_ENTRIES(goes_to_another_function),
	{}
};

static struct kunit_suite shared_point_suite = {
	.name = "kprobes_shared_point",
	.test_cases = shared_point_cases,
};

kunit_test_suite(shared_point_suite);
