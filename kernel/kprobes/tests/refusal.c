// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes calls of the API that must be refused, and checks errno and record: reason, place,
 * caller, task and time.
 */
#include <kunit/test.h>
#include <linux/kprobes.h>
#include <linux/sched/clock.h>
#include <linux/string.h>

#include "refusal.h"
#include "targets.h"

/* Reads the last record. Returns the number of the next one. */
u64 kprobes_last_refusal(struct kprobe_refusal *last)
{
	u64 number = 0;

	while (kprobe_get_refusal(&number, last))
		number++;
	return number;
}

/**
 * struct refused - what the record must say of a refused call
 * @caller:  the function that calls the API
 * @request: what it asks for
 * @reason:  why it is refused
 * @number:  of the record
 * @begun:   when it was called
 */
struct refused {
	const char *caller;
	enum kprobe_request request;
	enum kprobe_reason reason;
	u64 number;
	u64 begun;
};

/* To be called before the call that is refused. */
static void refused_begin(struct refused *call)
{
	struct kprobe_refusal ignored;

	call->number = kprobes_last_refusal(&ignored);
	call->begun = local_clock();
}

static void expect_task(struct kunit *test, const struct refused *call,
			const struct kprobe_refusal *r)
{
	KUNIT_EXPECT_EQ(test, r->pid, task_pid_nr(current));
	KUNIT_EXPECT_STREQ(test, r->comm, current->comm);
	KUNIT_EXPECT_GE(test, r->time, call->begun);
	KUNIT_EXPECT_LE(test, r->time, local_clock());
}

static void expect_place(struct kunit *test, const struct kprobe_refusal *r,
			 const struct kprobe *p)
{
	KUNIT_EXPECT_EQ(test, r->by_name, !!p->symbol_name);
	KUNIT_EXPECT_STREQ(test, r->symbol, p->symbol_name ?: "");
	KUNIT_EXPECT_EQ(test, r->addr, (unsigned long)p->addr);
	KUNIT_EXPECT_EQ(test, r->offset, p->offset);
}

/* Expects that the call has added one record, and checks it. */
static void expect_record(struct kunit *test, const struct refused *call, int error,
			  const struct kprobe *p)
{
	const struct kprobe nowhere = {};
	struct kprobe_refusal r = {};

	if (!IS_ENABLED(CONFIG_DEBUG_FS))
		return;
	KUNIT_EXPECT_EQ(test, kprobes_last_refusal(&r), call->number + 1);
	KUNIT_EXPECT_EQ(test, kprobe_reason_errno(r.reason), error);
	KUNIT_EXPECT_STREQ(test, kprobe_reason_text(r.reason),
			   kprobe_reason_text(call->reason));
	KUNIT_EXPECT_EQ(test, r.request, call->request);
	KUNIT_EXPECT_TRUE_MSG(test, str_has_prefix(r.caller, call->caller) &&
			      r.caller[strlen(call->caller)] == '+',
			      "%s", r.caller);
	expect_task(test, call, &r);
	expect_place(test, &r, p ?: &nowhere);
}

/* These functions must be named as callers in the records. */

static noinline __noclone int ask_for_probe(struct kprobe *p)
{
	int ret = register_kprobe(p);

	barrier();	/* no tail call: the API must return to here */
	return ret;
}

static noinline __noclone int ask_for_probes(struct kprobe **kps, int num)
{
	int ret = register_kprobes(kps, num);

	barrier();
	return ret;
}

static noinline __noclone int ask_for_return(struct kretprobe *rp)
{
	int ret = register_kretprobe(rp);

	barrier();
	return ret;
}

static noinline __noclone int ask_for_returns(struct kretprobe **rps, int num)
{
	int ret = register_kretprobes(rps, num);

	barrier();
	return ret;
}

static noinline __noclone int ask_to_enable(struct kprobe *p)
{
	int ret = enable_kprobe(p);

	barrier();
	return ret;
}

/*
 * In all of these, @error and @reason are what is expected, and @named is the probe that the record
 * names, NULL if it names none.
 */

/* Has a probe refused, and recorded. */
void kprobes_refuse_probe(struct kunit *test, struct kprobe *p,
			  int error, enum kprobe_reason reason,
			  const struct kprobe *named)
{
	struct refused call = { "ask_for_probe", KPROBE_SET, reason };

	refused_begin(&call);
	KUNIT_EXPECT_EQ(test, ask_for_probe(p), error);
	expect_record(test, &call, error, named);
}

/* Has a probe refused. Probe and text are as before, and no hits are counted. */
void kprobes_expect_refused(struct kunit *test, struct kprobe *p, int error,
			    enum kprobe_reason reason)
{
	unsigned long at = (unsigned long)p->addr;
	const struct kprobe before = *p;
	struct kprobes_text text;

	if (!at && p->symbol_name)
		at = (unsigned long)kprobe_lookup_name(p->symbol_name, 0);
	kprobes_text_save(&text, at + p->offset);
	kprobes_refuse_probe(test, p, error, reason, p);
	KUNIT_EXPECT_PTR_EQ(test, p->addr, before.addr);
	KUNIT_EXPECT_EQ(test, p->offset, before.offset);
	KUNIT_EXPECT_EQ(test, p->flags, before.flags);
	kprobes_expect_off(test, p);
	KUNIT_EXPECT_NULL(test, get_kprobe((void *)text.addr));
	wait_for_kprobe_optimizer();
	kprobes_text_expect(test, &text);
	KUNIT_EXPECT_EQ(test, -EINVAL, enable_kprobe(p));
	KUNIT_EXPECT_EQ(test, -EINVAL, disable_kprobe(p));
}

/* Has a new probe refused, at an offset from a symbol. */
void kprobes_refuse_symbol(struct kunit *test, const char *symbol, unsigned int offset,
			   int error, enum kprobe_reason reason)
{
	struct kprobe *p = &kprobes_counter(test, kprobes_place(0))->kp;

	p->symbol_name = symbol;
	p->offset = offset;
	kprobes_expect_refused(test, p, error, reason);
}

/* Has a new probe refused, at an address. */
void kprobes_refuse_addr(struct kunit *test, const void *addr, int error,
			 enum kprobe_reason reason)
{
	struct kprobe *p = &kprobes_counter(test, kprobes_place(0))->kp;

	p->symbol_name = NULL;
	p->addr = (kprobe_opcode_t *)addr;
	kprobes_expect_refused(test, p, error, reason);
}

/* Has an array of probes refused, and recorded. */
void kprobes_refuse_probes(struct kunit *test, struct kprobe **kps, int num,
			   int error, enum kprobe_reason reason,
			   const struct kprobe *named)
{
	struct refused call = { "ask_for_probes", KPROBE_SET, reason };

	refused_begin(&call);
	KUNIT_EXPECT_EQ(test, ask_for_probes(kps, num), error);
	expect_record(test, &call, error, named);
}

/* Has a return probe refused, and recorded. */
void kprobes_refuse_return_probe(struct kunit *test, struct kretprobe *rp,
				 int error, enum kprobe_reason reason,
				 const struct kprobe *named)
{
	struct refused call = { "ask_for_return", KPROBE_SET_RETURN, reason };

	refused_begin(&call);
	KUNIT_EXPECT_EQ(test, ask_for_return(rp), error);
	expect_record(test, &call, error, named);
}

/* Has an array of return probes refused, and recorded. */
void kprobes_refuse_return_probes(struct kunit *test, struct kretprobe **rps, int num,
				  enum kprobe_reason reason,
				  const struct kprobe *named)
{
	struct refused call = { "ask_for_returns", KPROBE_SET_RETURN, reason };

	refused_begin(&call);
	KUNIT_EXPECT_EQ(test, ask_for_returns(rps, num), -EINVAL);
	expect_record(test, &call, -EINVAL, named);
}

/* Has an enabling refused, and recorded. */
void kprobes_refuse_to_enable(struct kunit *test, struct kprobe *p,
			      enum kprobe_reason reason,
			      const struct kprobe *named)
{
	struct refused call = { "ask_to_enable", KPROBE_ENABLE, reason };

	refused_begin(&call);
	KUNIT_EXPECT_EQ(test, ask_to_enable(p), -EINVAL);
	expect_record(test, &call, -EINVAL, named);
}
