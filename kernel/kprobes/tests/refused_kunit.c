// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of the record of what was refused: each refusal that the API knows is
 * there, with errno, reason, place and caller, and nothing else is.
 */
#include <kunit/test.h>
#include <linux/bug.h>
#include <linux/kprobes.h>
#include <linux/sched/clock.h>
#include <linux/objtool.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <linux/string.h>

#include "../reason.h"
#include "targets.h"

/* The number of the next one; what was refused last, if there is any. */
static u64 newest(struct kprobe_refusal *last)
{
	u64 number = 0;

	while (kprobe_get_refusal(&number, last))
		number++;
	return number;
}

/* The callers that the record names. */

static noinline __noclone int ask_for_probe(struct kprobe *p)
{
	int ret = register_kprobe(p);

	barrier();	/* no tail call: it is here that it returns to */
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

/**
 * struct expected - a call, and what is to be on record of it
 * @caller:  the name of the function that calls
 * @request: what it asks for
 * @error:   what it gets
 * @reason:  why
 * @number:  the number of the record
 */
struct expected {
	const char *caller;
	enum kprobe_request request;
	int error;
	enum kprobe_reason reason;
	u64 number;
};

static void expect_task(struct kunit *test, const struct kprobe_refusal *r)
{
	u64 now = local_clock();

	KUNIT_EXPECT_EQ(test, r->pid, task_pid_nr(current));
	KUNIT_EXPECT_STREQ(test, r->comm, current->comm);
	KUNIT_EXPECT_LE(test, r->time, now);
	KUNIT_EXPECT_GT(test, r->time + 10ULL * NSEC_PER_SEC, now);
}

/* One record more, and just this one. */
static struct kprobe_refusal expect_record(struct kunit *test, int error,
					   const struct expected *e)
{
	struct kprobe_refusal r = {};

	KUNIT_EXPECT_EQ(test, error, e->error);
	KUNIT_EXPECT_EQ(test, newest(&r), e->number + 1);
	KUNIT_EXPECT_EQ(test, kprobe_reason_errno(r.reason), e->error);
	KUNIT_EXPECT_STREQ(test, kprobe_reason_text(r.reason),
			   kprobe_reason_text(e->reason));
	KUNIT_EXPECT_EQ(test, r.request, e->request);
	KUNIT_EXPECT_TRUE_MSG(test, str_has_prefix(r.caller, e->caller) &&
			      r.caller[strlen(e->caller)] == '+',
			      "%s", r.caller);
	expect_task(test, &r);
	return r;
}

/* To be called before the call that is refused. */
static struct expected expect(const char *caller, enum kprobe_request request,
			      int error, enum kprobe_reason reason)
{
	struct kprobe_refusal ignored;

	return (struct expected){
		.caller = caller,
		.request = request,
		.error = error,
		.reason = reason,
		.number = newest(&ignored),
	};
}

static void expect_place(struct kunit *test, const struct kprobe_refusal *r,
			 const struct kprobe *p)
{
	KUNIT_EXPECT_EQ(test, r->by_name, !!p->symbol_name);
	KUNIT_EXPECT_STREQ(test, r->symbol, p->symbol_name ?: "");
	KUNIT_EXPECT_EQ(test, r->addr, (unsigned long)p->addr);
	KUNIT_EXPECT_EQ(test, r->offset, p->offset);
}

static void refuse_probe(struct kunit *test, struct kprobe p, int error,
			 enum kprobe_reason reason)
{
	struct expected e = expect("ask_for_probe", KPROBE_SET, error, reason);
	struct kprobe_refusal r = expect_record(test, ask_for_probe(&p), &e);

	expect_place(test, &r, &p);
}

static void refuse_symbol(struct kunit *test, const char *symbol,
			  unsigned int offset, int error,
			  enum kprobe_reason reason)
{
	struct kprobe p = { .symbol_name = symbol, .offset = offset };

	refuse_probe(test, p, error, reason);
}

static void refuse_addr(struct kunit *test, unsigned long addr, int error,
			enum kprobe_reason reason)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)addr };

	refuse_probe(test, p, error, reason);
}

static void refuse_return(struct kunit *test, struct kretprobe rp, int error,
			  enum kprobe_reason reason)
{
	struct expected e = expect("ask_for_return", KPROBE_SET_RETURN, error,
				   reason);
	struct kprobe_refusal r = expect_record(test, ask_for_return(&rp), &e);

	expect_place(test, &r, &rp.kp);
}

static void expect_no_place(struct kunit *test, const struct kprobe_refusal *r)
{
	const struct kprobe nowhere = {};

	expect_place(test, r, &nowhere);
}

/* Reasons */

static void refused_symbol(struct kunit *test)
{
	refuse_symbol(test, "kprobes_there_is_no_such_symbol", 0, -ENOENT,
		      KPROBE_REASON_SYMBOL);
	refuse_symbol(test, "kprobes_no_module:kprobes_target_c", 3, -ENOENT,
		      KPROBE_REASON_SYMBOL);
	refuse_symbol(test, "", 0, -ENOENT, KPROBE_REASON_SYMBOL);
	refuse_symbol(test, "kprobes_target_c", UINT_MAX, -EINVAL,
		      KPROBE_REASON_NO_TEXT);
	refuse_symbol(test, "__pfx_kprobes_target_c", 0, -EINVAL,
		      KPROBE_REASON_PREFIX);
}

static void refused_place(struct kunit *test)
{
	unsigned long target = (unsigned long)kprobes_target_c;
	struct kprobe both = {
		.symbol_name = "kprobes_target_c",
		.addr = (kprobe_opcode_t *)target,
	};

	refuse_probe(test, both, -EINVAL, KPROBE_REASON_BOTH);
	refuse_addr(test, 0, -EINVAL, KPROBE_REASON_NEITHER);
	refuse_addr(test, 1, -EINVAL, KPROBE_REASON_NO_TEXT);
	refuse_addr(test, (unsigned long)test, -EINVAL, KPROBE_REASON_NO_TEXT);
	refuse_symbol(test, "register_kprobe", 0, -EINVAL,
		      KPROBE_REASON_BLACKLIST);
	refuse_addr(test, kprobes_place_addr(kprobes_place_named(KPROBES_PLACE_C)) + 1,
		    -EILSEQ, KPROBE_REASON_INSIDE);
}

#ifdef CONFIG_X86
/* The first cannot be displaced, the second is none in this mode. */
static noinline __noipa notrace void no_place_for_probes(bool really)
{
	OPTIMIZER_HIDE_VAR(really);	/* clang has no noipa: it would see the caller's */
	if (really)
		asm volatile(".globl refused_kunit_hlt, refused_kunit_bad\n"
			     "refused_kunit_hlt:\n"
			     ANNOTATE_NOENDBR
			     "hlt\n"
			     "refused_kunit_bad:\n"
			     ANNOTATE_NOENDBR
			     ".byte 0x06\n");
}

extern char refused_kunit_hlt[], refused_kunit_bad[];

/* The architecture tells the kind; of the second it says nothing. */
static void refused_instruction(struct kunit *test)
{
	no_place_for_probes(false);
	refuse_addr(test, (unsigned long)refused_kunit_hlt, -EINVAL,
		    KPROBE_REASON_SLEEP);
	/* In 32 bit all bytes are some instruction. */
	if (IS_ENABLED(CONFIG_X86_64))
		refuse_addr(test, (unsigned long)refused_kunit_bad, -EILSEQ,
			    KPROBE_REASON_UNDECODABLE);
}
#else
static void refused_instruction(struct kunit *test)
{
	kunit_skip(test, "no instructions are known that cannot be probed");
}
#endif

static noinline __noclone int is_called_statically(int a)
{
	return a + 1;
}

DEFINE_STATIC_CALL(refused_kunit_call, is_called_statically);

/* The jump that makes a static call, by its name and as the place after it. */
static void refused_trampoline(struct kunit *test)
{
#ifdef CONFIG_HAVE_STATIC_CALL
	KUNIT_EXPECT_EQ(test, static_call(refused_kunit_call)(1), 2);
	refuse_symbol(test, STATIC_CALL_TRAMP_PREFIX_STR "refused_kunit_call", 0,
		      -EINVAL, KPROBE_REASON_TRAMPOLINE);
	refuse_addr(test, (unsigned long)STATIC_CALL_TRAMP_ADDR(refused_kunit_call),
		    -EINVAL, KPROBE_REASON_TRAMPOLINE);
#else
	kunit_skip(test, "static calls are pointers");
#endif
}

static noinline __noclone int warns(int a)
{
	WARN_ON_ONCE(a > 1000);
	return a;
}

static void refused_reserved(struct kunit *test)
{
#ifdef CONFIG_GENERIC_BUG
	unsigned long start = (unsigned long)warns, at, size, offset;

	KUNIT_ASSERT_TRUE(test, kallsyms_lookup_size_offset(start, &size, &offset));
	KUNIT_EXPECT_EQ(test, warns(1), 1);
	for (at = start; at < start + size && !find_bug(at); at++)
		;
	if (at == start + size)
		kunit_skip(test, "no BUG() site in warns()");
	refuse_addr(test, at, -EINVAL, KPROBE_REASON_RESERVED);
#else
	kunit_skip(test, "no table of BUG()s");
#endif
}

static void refused_registered(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counting(test, kprobes_place(0));
	struct expected e = expect("ask_for_probe", KPROBE_SET, -EINVAL,
				   KPROBE_REASON_REGISTERED);
	struct kprobe_refusal r = expect_record(test, ask_for_probe(&c->kp), &e);

	expect_place(test, &r, &c->kp);
	kprobes_expect_targets(test, 1);
}

static void refused_arrays(struct kunit *test)
{
	struct kprobe p = { .symbol_name = "kprobes_target_c" };
	struct kprobe *kps[] = { &p, NULL };
	struct expected e = expect("ask_for_probe", KPROBE_SET, -EINVAL,
				   KPROBE_REASON_NULL_ENTRY);
	struct kprobe_refusal r = expect_record(test, ask_for_probe(NULL), &e);

	expect_no_place(test, &r);
	e = expect("ask_for_probes", KPROBE_SET, -EINVAL, KPROBE_REASON_NULL_ENTRY);
	r = expect_record(test, ask_for_probes(kps, 2), &e);
	expect_no_place(test, &r);
	e.number++;
	expect_record(test, ask_for_probes(NULL, 2), &e);
	e = expect("ask_for_probes", KPROBE_SET, -EINVAL, KPROBE_REASON_NUM);
	expect_record(test, ask_for_probes(kps, 0), &e);
	e.number++;
	expect_record(test, ask_for_probes(kps, INT_MIN), &e);
}

/* It is the bad one that is on record, and once, whatever comes after it. */
static void refused_batch(struct kunit *test)
{
	struct kprobe good = { .symbol_name = "kprobes_target_c" };
	struct kprobe bad = { .symbol_name = "kprobes_bad", .offset = 7 };
	struct kprobe worse = { .addr = (kprobe_opcode_t *)1 };
	struct kprobe *kps[] = { &good, &bad, &worse };
	struct expected e = expect("ask_for_probes", KPROBE_SET, -ENOENT,
				   KPROBE_REASON_SYMBOL);
	struct kprobe_refusal r = expect_record(test, ask_for_probes(kps, 3), &e);

	expect_place(test, &r, &bad);
}

static void refused_return_probes(struct kunit *test)
{
	const struct kprobes_place *last = kprobes_place(kprobes_places() - 1);
	struct kretprobe rp = { .kp.symbol_name = last->symbol };

	if (!IS_ENABLED(CONFIG_KRETPROBES))
		kunit_skip(test, "no return probes");
	rp.kp.offset = last->offset;
	if (last->offset)
		refuse_return(test, rp, -EINVAL, KPROBE_REASON_ENTRY);
	rp.kp.offset = 0;
	rp.data_size = KRETPROBE_MAX_DATA_SIZE + 1;
	refuse_return(test, rp, -E2BIG, KPROBE_REASON_DATA_SIZE);
	rp.data_size = 0;
	rp.kp.symbol_name = "kprobe_hit";
	refuse_return(test, rp, -EINVAL, KPROBE_REASON_BLACKLIST);
}

static void refused_return_arrays(struct kunit *test)
{
	struct kretprobe rp = { .kp.symbol_name = "kprobes_target_c" };
	struct kretprobe *rps[] = { &rp, NULL };
	struct expected e;
	struct kprobe_refusal r;

	if (!IS_ENABLED(CONFIG_KRETPROBES))
		kunit_skip(test, "no return probes");
	e = expect("ask_for_returns", KPROBE_SET_RETURN, -EINVAL,
		   KPROBE_REASON_NULL_ENTRY);
	r = expect_record(test, ask_for_returns(rps, 2), &e);
	expect_no_place(test, &r);
	e.number++;
	expect_record(test, ask_for_returns(NULL, 1), &e);
	e = expect("ask_for_returns", KPROBE_SET_RETURN, -EINVAL,
		   KPROBE_REASON_NUM);
	expect_record(test, ask_for_returns(rps, 0), &e);
}

static void refused_return_registered(struct kunit *test)
{
	struct kretprobe *rp;
	struct expected e;

	if (!IS_ENABLED(CONFIG_KRETPROBES))
		kunit_skip(test, "no return probes");
	rp = &kprobes_returning(test, "kprobes_target_c")->rp;
	e = expect("ask_for_return", KPROBE_SET_RETURN, -EINVAL,
		   KPROBE_REASON_REGISTERED);
	expect_record(test, ask_for_return(rp), &e);
	kprobes_expect_targets(test, 1);
}

/* What is not registered may be anything: nothing of it is on record. */
static void refused_to_enable(struct kunit *test)
{
	struct expected e = expect("ask_to_enable", KPROBE_ENABLE, -EINVAL,
				   KPROBE_REASON_NOT_REGISTERED);
	struct kprobe_refusal r;
	struct kprobe garbage;

	memset(&garbage, 0x5a, sizeof(garbage));
	r = expect_record(test, ask_to_enable(&garbage), &e);
	expect_no_place(test, &r);
	e.number++;
	r = expect_record(test, ask_to_enable(NULL), &e);
	expect_no_place(test, &r);
}

static void refused_to_enable_gone(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counting(test, kprobes_place(0));
	struct expected e = expect("ask_to_enable", KPROBE_ENABLE, -EINVAL,
				   KPROBE_REASON_GONE);
	u32 flags = c->kp.flags;
	struct kprobe_refusal r;

	c->kp.flags |= KPROBE_FLAG_GONE;
	r = expect_record(test, ask_to_enable(&c->kp), &e);
	c->kp.flags = flags;
	expect_place(test, &r, &c->kp);
}

/* What is no refusal */

static void not_refused(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counter(test, kprobes_place(0));
	struct kprobe_refusal r;
	u64 number = newest(&r);

	KUNIT_EXPECT_EQ(test, 0, ask_for_probe(&c->kp));
	KUNIT_EXPECT_EQ(test, 0, ask_to_enable(&c->kp));
	unregister_kprobe(&c->kp);
	unregister_kprobe(&c->kp);
	KUNIT_EXPECT_EQ(test, -ENOENT,
			kprobe_on_func_entry(NULL, "kprobes_no_such", 0));
	KUNIT_EXPECT_EQ(test, number, newest(&r));
}

/* Names */

static void refuse_name_of_length(struct kunit *test, size_t len)
{
	char *name = kmalloc(len + 1, GFP_KERNEL);
	struct kprobe p = { .symbol_name = name };
	struct kprobe_refusal r;

	KUNIT_ASSERT_NOT_NULL(test, name);
	memset(name, '?', len);
	name[len] = '\0';
	KUNIT_EXPECT_EQ(test, -ENOENT, ask_for_probe(&p));
	memset(name, '!', len);
	kfree(name);
	newest(&r);
	KUNIT_EXPECT_EQ(test, strlen(r.symbol),
			min(len, (size_t)KPROBE_REFUSAL_NAME - 1));
	KUNIT_EXPECT_EQ(test, strspn(r.symbol, "?"),
			len < KPROBE_REFUSAL_NAME - 1 ? len : KPROBE_REFUSAL_NAME - 4);
	if (len >= KPROBE_REFUSAL_NAME)
		KUNIT_EXPECT_STREQ(test, r.symbol + KPROBE_REFUSAL_NAME - 4, "...");
}

/* The caller's string is freed as soon as the call is over. */
static void long_names(struct kunit *test)
{
	static const size_t lengths[] = {
		1, KPROBE_REFUSAL_NAME - 2, KPROBE_REFUSAL_NAME - 1,
		KPROBE_REFUSAL_NAME, KPROBE_REFUSAL_NAME + 1, KSYM_NAME_LEN,
		PAGE_SIZE, 100000,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++)
		refuse_name_of_length(test, lengths[i]);
}

/* A pointer that nobody has looked at before, as there is an address too. */
static void unreadable_name(struct kunit *test)
{
	struct kprobe p = {
		.symbol_name = (const char *)8,
		.addr = (kprobe_opcode_t *)kprobes_target_c,
	};
	struct kprobe_refusal r;

	KUNIT_EXPECT_EQ(test, -EINVAL, ask_for_probe(&p));
	newest(&r);
	KUNIT_EXPECT_STREQ(test, r.symbol, "(unreadable)");
	p.symbol_name = (const char *)ERR_PTR(-EINVAL);
	KUNIT_EXPECT_EQ(test, -EINVAL, ask_for_probe(&p));
	newest(&r);
	KUNIT_EXPECT_STREQ(test, r.symbol, "(unreadable)");
}

/* The ring */

static void ring_wraps(struct kunit *test)
{
	struct kprobe p = { .symbol_name = "kprobes_no_such" };
	struct kprobe_refusal r;
	u64 first = newest(&r), number = 0;
	unsigned int i;

	for (i = 0; i < 2 * KPROBE_REFUSALS_KEPT + 5; i++) {
		p.offset = i;
		KUNIT_EXPECT_EQ(test, -ENOENT, ask_for_probe(&p));
	}
	for (i = KPROBE_REFUSALS_KEPT + 5; kprobe_get_refusal(&number, &r); i++) {
		KUNIT_EXPECT_EQ(test, number, first + i);
		KUNIT_EXPECT_EQ(test, r.offset, i);
		number++;
	}
	KUNIT_EXPECT_EQ(test, i, 2 * KPROBE_REFUSALS_KEPT + 5);
}

/* A number that is still to come is not there; nothing is made up for it. */
static void ring_has_an_end(struct kunit *test)
{
	struct kprobe_refusal r;
	u64 number = newest(&r), next = number;

	KUNIT_EXPECT_FALSE(test, kprobe_get_refusal(&next, &r));
	KUNIT_EXPECT_EQ(test, next, number);
	next = S64_MAX;
	KUNIT_EXPECT_FALSE(test, kprobe_get_refusal(&next, &r));
}

static void words(struct kunit *test)
{
	int i;

	for (i = 0; i < KPROBE_REASONS; i++)
		KUNIT_EXPECT_NOT_NULL_MSG(test, kprobe_reason_text(i), "%d", i);
	for (i = 0; i < KPROBE_REASONS; i++)
		KUNIT_EXPECT_NOT_NULL_MSG(test, kprobe_reason_text(i), "%d", i);
}

static struct kunit_case refused_cases[] = {
	KUNIT_CASE(refused_symbol),
	KUNIT_CASE(refused_place),
	KUNIT_CASE(refused_instruction),
	KUNIT_CASE(refused_trampoline),
	KUNIT_CASE(refused_reserved),
	KUNIT_CASE(refused_registered),
	KUNIT_CASE(refused_arrays),
	KUNIT_CASE(refused_batch),
	KUNIT_CASE(refused_return_probes),
	KUNIT_CASE(refused_return_arrays),
	KUNIT_CASE(refused_return_registered),
	KUNIT_CASE(refused_to_enable),
	KUNIT_CASE(refused_to_enable_gone),
	KUNIT_CASE(not_refused),
	KUNIT_CASE(long_names),
	KUNIT_CASE(unreadable_name),
	KUNIT_CASE(ring_wraps),
	KUNIT_CASE(ring_has_an_end),
	KUNIT_CASE(words),
	{}
};

static struct kunit_suite refused_suite = {
	.name = "kprobes_refused",
	.test_cases = refused_cases,
};

kunit_test_suite(refused_suite);
