// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of faults: in a displaced instruction and in handlers, with and without
 * fault handlers and exception tables.
 */
#include <kunit/test.h>
#include <linux/kprobes.h>
#include <linux/mman.h>
#include <linux/uaccess.h>

#include "targets.h"

#ifndef TEST_DIVISION
/* No number of a trap, where division by zero is none. */
#define TEST_DIVISION	-1
#define TEST_DIVIDE_LEN	0
#define TEST_DIVISOR(regs)	TEST_RESULT(regs)
#else
#define DIVISIONS
#endif

static const long good_data = 1234;

/* What a fault handler does. */
enum remedy { DECLINE, REPAIR, SKIP };

/* A kind of fault, and the last one of it. */
struct faults {
	enum remedy remedy;
	int seen;
	int trapnr;
	unsigned long ip;
	bool running;		/* kprobe_running() was the probe */
	long result;		/* of what a handler did */
	const long *bad;
};

struct fault_kind {
	const char *name;
	int trapnr;
	unsigned long bad;
};

static const struct fault_kind kinds[] = {
	{ "page fault", TEST_PAGE_FAULT, -PAGE_SIZE },
#ifdef CONFIG_64BIT
	{ "address of no half", TEST_ADDRESS_FAULT, TEST_NO_HALF },
#endif
};

static void kind_name(const struct fault_kind *kind, char *desc)
{
	strscpy(desc, kind->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(kind, kinds, kind_name);

static const long *bad_pointer(struct kunit *test)
{
	const struct fault_kind *kind = test->param_value;

	return (const long *)kind->bad;
}

static int on_fault(struct kprobe *p, struct pt_regs *regs, int number)
{
	struct faults *f = kprobes_counter_of(p)->data;
	int trapnr = TEST_TRAP(number);

	f->seen++;
	f->trapnr = trapnr;
	f->ip = instruction_pointer(regs);
	f->running = kprobe_running() == p;
	if (f->remedy == REPAIR) {
		if (trapnr == TEST_DIVISION)
			TEST_DIVISOR(regs) = 1;
		else
			TEST_ARG(regs) = (unsigned long)&good_data;
	} else if (f->remedy == SKIP) {
		TEST_RESULT(regs) = 77;
		instruction_pointer_set(regs, f->ip + (trapnr == TEST_DIVISION ?
						       TEST_DIVIDE_LEN : KPROBES_LOAD_LEN));
	}
	return f->remedy != DECLINE;
}

static struct kprobes_counter *fault_probe(struct kunit *test,
					   const char *symbol, int offset,
					   enum remedy remedy)
{
	const struct kprobes_place place = { .symbol = symbol, .offset = offset };
	struct kprobes_counter *c = kprobes_counter(test, &place);
	struct faults *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	f->remedy = remedy;
	c->data = f;
	c->kp.fault_handler = on_fault;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	return c;
}

static struct kprobes_counter *load_probe(struct kunit *test,
					  enum remedy remedy)
{
	return fault_probe(test, "kprobes_target_load", 0, remedy);
}

static void expect_fault(struct kunit *test, struct kprobes_counter *c,
			 int trapnr)
{
	struct faults *f = c->data;

	KUNIT_EXPECT_EQ(test, f->seen, 1);
	KUNIT_EXPECT_EQ(test, f->trapnr, trapnr);
	KUNIT_EXPECT_EQ(test, f->ip, (unsigned long)c->kp.addr);
	KUNIT_EXPECT_TRUE(test, f->running);
	KUNIT_EXPECT_EQ(test, c->kp.nmissed, 0);
	f->seen = 0;
	atomic_set(&c->pre, 0);
	atomic_set(&c->post, 0);
}

static void expect_load_fault(struct kunit *test, struct kprobes_counter *c)
{
	const struct fault_kind *kind = test->param_value;

	expect_fault(test, c, kind->trapnr);
}

/* Displaced instructions: handlers run once, whether handler or kernel fixes the fault */

static void table_mends(struct kunit *test)
{
	const struct kprobes_place place = { .symbol = "kprobes_target_load" };
	struct kprobes_counter *c = kprobes_counter(test, &place);

	KUNIT_EXPECT_EQ(test, kprobes_target_load(bad_pointer(test)), -1);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	KUNIT_EXPECT_EQ(test, kprobes_target_load(bad_pointer(test)), -1);
	kprobes_expect_counts(test, c, 1, 0);
	KUNIT_EXPECT_EQ(test, kprobes_target_load(&good_data), good_data);
	kprobes_expect_counts(test, c, 2, 1);
	KUNIT_EXPECT_EQ(test, c->kp.nmissed, 0);
}

static void table_mends_without_post_handler(struct kunit *test)
{
	const struct kprobes_place place = { .symbol = "kprobes_target_load" };
	struct kprobes_counter *c = kprobes_counter(test, &place);

	c->kp.post_handler = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	KUNIT_EXPECT_EQ(test, kprobes_target_load(bad_pointer(test)), -1);
	KUNIT_EXPECT_EQ(test, kprobes_target_load(&good_data), good_data);
	kprobes_expect_counts(test, c, 2, 0);
}

static void handler_declines(struct kunit *test)
{
	struct kprobes_counter *c = load_probe(test, DECLINE);

	KUNIT_EXPECT_EQ(test, kprobes_target_load(bad_pointer(test)), -1);
	kprobes_expect_counts(test, c, 1, 0);
	expect_load_fault(test, c);
	KUNIT_EXPECT_EQ(test, kprobes_target_load(&good_data), good_data);
	kprobes_expect_counts(test, c, 1, 1);
	KUNIT_EXPECT_EQ(test, ((struct faults *)c->data)->seen, 0);
}

static void handler_repairs(struct kunit *test)
{
	struct kprobes_counter *c = load_probe(test, REPAIR);

	KUNIT_EXPECT_EQ(test, kprobes_target_load(bad_pointer(test)), good_data);
	kprobes_expect_counts(test, c, 1, 1);
	expect_load_fault(test, c);
}

static void handler_skips(struct kunit *test)
{
	struct kprobes_counter *c = load_probe(test, SKIP);

	KUNIT_EXPECT_EQ(test, kprobes_target_load(bad_pointer(test)), 77);
	kprobes_expect_counts(test, c, 1, 0);
	expect_load_fault(test, c);
}

/* Without a fault handler that fixes it, this would be an oops. */
static void handler_alone_mends(struct kunit *test)
{
	struct kprobes_counter *c;

	c = fault_probe(test, "kprobes_target_load_bare", 0, REPAIR);
	KUNIT_EXPECT_EQ(test, kprobes_target_load_bare(bad_pointer(test)),
			good_data);
	kprobes_expect_counts(test, c, 1, 1);
	expect_load_fault(test, c);
	((struct faults *)c->data)->remedy = SKIP;
	KUNIT_EXPECT_EQ(test, kprobes_target_load_bare(bad_pointer(test)), 77);
	kprobes_expect_counts(test, c, 1, 0);
	expect_load_fault(test, c);
}

static void handlers_are_asked_in_order(struct kunit *test)
{
	static const enum remedy remedies[] = { DECLINE, REPAIR, REPAIR, REPAIR };
	struct kprobes_counter *c[ARRAY_SIZE(remedies)];
	int i;

	/* The newest probe's fault handler is called first. */
	for (i = ARRAY_SIZE(c); i--;)
		c[i] = load_probe(test, remedies[i]);
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&c[1]->kp));
	KUNIT_EXPECT_EQ(test, kprobes_target_load(bad_pointer(test)), good_data);
	kprobes_expect_counts(test, c[1], 0, 0);
	kprobes_expect_counts(test, c[3], 1, 1);
	KUNIT_EXPECT_EQ(test, ((struct faults *)c[1]->data)->seen, 0);
	KUNIT_EXPECT_EQ(test, ((struct faults *)c[3]->data)->seen, 0);
	expect_load_fault(test, c[0]);
	expect_load_fault(test, c[2]);
}

/* The fault of a probed instruction is fixed up even if its hit is missed. */
static int load_in_handler(struct kprobe *p, struct pt_regs *regs)
{
	struct faults *f = kprobes_counter_of(p)->data;

	f->result = kprobes_target_load(f->bad);
	return 0;
}

static void missed_and_mended(struct kunit *test)
{
	struct kprobes_counter *inner = load_probe(test, REPAIR);
	struct kprobes_counter *outer;
	struct faults f = { .bad = bad_pointer(test) };

	outer = kprobes_counter(test, kprobes_place_named(KPROBES_PLACE_ASM));
	outer->in_pre = load_in_handler;
	outer->data = &f;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&outer->kp));
	kprobes_expect_targets(test, 1);
	unregister_kprobe(&outer->kp);
	KUNIT_EXPECT_EQ(test, f.result, -1);
	kprobes_expect_counts(test, outer, 1, 1);
	kprobes_expect_counts(test, inner, 0, 0);
	KUNIT_EXPECT_EQ(test, inner->kp.nmissed, 1);
}

#ifdef DIVISIONS
/* Division */

static void division(struct kunit *test, enum remedy remedy, int result,
		     int post)
{
	struct kprobes_counter *c;

	c = fault_probe(test, "kprobes_target_divide", kprobes_divide_offset,
			remedy);
	KUNIT_EXPECT_EQ(test, kprobes_target_divide(42, 0), result);
	kprobes_expect_counts(test, c, 1, post);
	expect_fault(test, c, TEST_DIVISION);
	KUNIT_EXPECT_EQ(test, kprobes_target_divide(42, 2), 21);
	kprobes_expect_counts(test, c, 1, 1);
}

static void division_by_zero(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kprobes_target_divide(42, 0), -1);
	division(test, DECLINE, -1, 0);
}

static void division_repaired(struct kunit *test)
{
	division(test, REPAIR, 42, 1);
}

static void division_skipped(struct kunit *test)
{
	division(test, SKIP, 77, 0);
}
#endif

/* User memory */

static void user_page_comes(struct kunit *test)
{
	struct kprobes_counter *c;
	unsigned long page;

	page = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
			     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(page));
	c = fault_probe(test, "kprobes_target_load_user",
			kprobes_load_user_offset, DECLINE);
	KUNIT_EXPECT_EQ(test, 0,
			kprobes_target_load_user((const long __user *)page));
	kprobes_expect_counts(test, c, 1, 1);
	expect_fault(test, c, TEST_PAGE_FAULT);
	/* Now it is there. */
	KUNIT_EXPECT_EQ(test, 0,
			kprobes_target_load_user((const long __user *)page));
	kprobes_expect_counts(test, c, 1, 1);
	KUNIT_EXPECT_EQ(test, ((struct faults *)c->data)->seen, 0);
}

static void user_page_is_missing(struct kunit *test)
{
	struct kprobes_counter *c;
	unsigned long page;

	page = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_NONE,
			     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(page));
	c = fault_probe(test, "kprobes_target_load_user",
			kprobes_load_user_offset, DECLINE);
	KUNIT_EXPECT_EQ(test, -1,
			kprobes_target_load_user((const long __user *)page));
	kprobes_expect_counts(test, c, 1, 0);
	expect_fault(test, c, TEST_PAGE_FAULT);
}

/* Handlers */

static int load_bare_in_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct faults *f = kprobes_counter_of(p)->data;

	f->result = kprobes_target_load_bare(f->bad);
	return 0;
}

static void load_bare_in_post(struct kprobe *p, struct pt_regs *regs,
			      unsigned long flags)
{
	load_bare_in_pre(p, regs);
}

static int load_nofault_in_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct faults *f = kprobes_counter_of(p)->data;
	long data;

	f->result = copy_from_kernel_nofault(&data, f->bad, sizeof(data));
	return 0;
}

static void load_nofault_in_post(struct kprobe *p, struct pt_regs *regs,
				 unsigned long flags)
{
	load_nofault_in_pre(p, regs);
}

/* A probe with one handler that loads from a bad address. */
static struct kprobes_counter *faulty_probe(struct kunit *test,
					    const struct kprobes_place *place,
					    kprobe_pre_handler_t pre,
					    kprobe_post_handler_t post,
					    const struct fault_kind *kind)
{
	struct kprobes_counter *c;
	struct faults *f;

	c = fault_probe(test, place->symbol, place->offset,
			pre == load_nofault_in_pre ||
			post == load_nofault_in_post ? DECLINE : REPAIR);
	f = c->data;
	f->bad = (const long *)kind->bad;
	c->in_pre = pre;
	c->in_post = post;
	kprobes_expect_targets(test, 1);
	kprobes_expect_counts(test, c, 1, 1);
	KUNIT_EXPECT_EQ(test, f->seen, 1);
	KUNIT_EXPECT_EQ(test, f->trapnr, kind->trapnr);
	KUNIT_EXPECT_TRUE(test, f->running);
	KUNIT_EXPECT_EQ(test, c->kp.nmissed, 0);
	unregister_kprobe(&c->kp);
	return c;
}

static void repaired_in_handlers(struct kunit *test)
{
	const struct kprobes_place *place = test->param_value;
	struct kprobes_counter *c;
	int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		c = faulty_probe(test, place, load_bare_in_pre, NULL, &kinds[i]);
		KUNIT_EXPECT_EQ(test, ((struct faults *)c->data)->result,
				good_data);
		c = faulty_probe(test, place, NULL, load_bare_in_post, &kinds[i]);
		KUNIT_EXPECT_EQ(test, ((struct faults *)c->data)->result,
				good_data);
	}
}

/* Handlers that fault in an instruction with an exception table entry. */
static void nofault_in_handlers(struct kunit *test)
{
	const struct kprobes_place *place = test->param_value;
	struct kprobes_counter *c;

	c = faulty_probe(test, place, load_nofault_in_pre, NULL, &kinds[0]);
	KUNIT_EXPECT_EQ(test, ((struct faults *)c->data)->result, -EFAULT);
	c = faulty_probe(test, place, NULL, load_nofault_in_post, &kinds[0]);
	KUNIT_EXPECT_EQ(test, ((struct faults *)c->data)->result, -EFAULT);
}

/* The same without a fault handler. */
static void nofault_without_fault_handler(struct kunit *test)
{
	struct faults f = { .bad = (const long *)kinds[0].bad };
	struct kprobes_counter *c = kprobes_counter(test, test->param_value);

	c->in_pre = load_nofault_in_pre;
	c->in_post = load_nofault_in_post;
	c->data = &f;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_expect_targets(test, 1);
	unregister_kprobe(&c->kp);
	kprobes_expect_counts(test, c, 1, 1);
	KUNIT_EXPECT_EQ(test, f.result, -EFAULT);
}

static int load_nofault_in_return(struct kretprobe_instance *ri,
				  struct pt_regs *regs)
{
	struct faults *f = kprobes_returns_of(ri)->data;
	long data;

	f->result = copy_from_kernel_nofault(&data, f->bad, sizeof(data));
	return 0;
}

static void nofault_in_return_handler(struct kunit *test)
{
	struct faults f = { .bad = (const long *)kinds[0].bad };
	const struct kprobes_place *place = test->param_value;
	struct kprobes_returns *r = kprobes_returns(test, place->symbol);

	r->in_return = load_nofault_in_return;
	r->data = &f;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	kprobes_expect_targets(test, 1);
	unregister_kretprobe(&r->rp);
	kprobes_expect_returns(test, r, 1, 1);
	KUNIT_EXPECT_EQ(test, f.result, -EFAULT);
}

static struct kunit_case fault_cases[] = {
	KUNIT_CASE_PARAM(table_mends, kind_gen_params),
	KUNIT_CASE_PARAM(table_mends_without_post_handler, kind_gen_params),
	KUNIT_CASE_PARAM(handler_declines, kind_gen_params),
	KUNIT_CASE_PARAM(handler_repairs, kind_gen_params),
	KUNIT_CASE_PARAM(handler_skips, kind_gen_params),
	KUNIT_CASE_PARAM(handler_alone_mends, kind_gen_params),
	KUNIT_CASE_PARAM(handlers_are_asked_in_order, kind_gen_params),
	KUNIT_CASE_PARAM(missed_and_mended, kind_gen_params),
#ifdef DIVISIONS
	KUNIT_CASE(division_by_zero),
	KUNIT_CASE(division_repaired),
	KUNIT_CASE(division_skipped),
#endif
	KUNIT_CASE(user_page_comes),
	KUNIT_CASE(user_page_is_missing),
	KPROBES_CASE_PLACES(repaired_in_handlers),
	KPROBES_CASE_PLACES(nofault_in_handlers),
	KPROBES_CASE_PLACES(nofault_without_fault_handler),
	KPROBES_CASE_ENTRIES(nofault_in_return_handler),
	{}
};

static struct kunit_suite fault_suite = {
	.name = "kprobes_fault",
	.test_cases = fault_cases,
};

kunit_test_suite(fault_suite);
