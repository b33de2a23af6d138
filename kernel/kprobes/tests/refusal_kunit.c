// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of what the API refuses for what the caller says: every errno that the
 * documentation names, and that a refused call leaves probe and text as they were and is
 * recorded with its reason, place and caller. What it refuses for the text that the caller
 * names is in refusal_text_kunit.c.
 */
#include <kunit/test.h>
#include <linux/kprobes.h>
#include <asm/sections.h>

#include "../place.h"
#include "refusal.h"
#include "targets.h"

static struct kprobe *new_probe(struct kunit *test)
{
	return &kprobes_counter(test, kprobes_place(0))->kp;
}

/* Members of the probe that contradict each other or name no place */

static void null_probe(struct kunit *test)
{
	kprobes_refuse_probe(test, NULL, -EINVAL, KPROBE_REASON_NULL_ENTRY, NULL);
	kprobes_refuse_to_enable(test, NULL, KPROBE_REASON_NOT_REGISTERED, NULL);
	KUNIT_EXPECT_EQ(test, -EINVAL, disable_kprobe(NULL));
	unregister_kprobe(NULL);
}

static void symbol_and_addr(struct kunit *test)
{
	struct kprobe *p = new_probe(test);

	p->addr = (kprobe_opcode_t *)kprobes_target_c;
	kprobes_expect_refused(test, p, -EINVAL, KPROBE_REASON_BOTH);
}

static void neither_symbol_nor_addr(struct kunit *test)
{
	kprobes_refuse_addr(test, NULL, -EINVAL, KPROBE_REASON_NEITHER);
}

static void unknown_symbol(struct kunit *test)
{
	kprobes_refuse_symbol(test, "kprobes_there_is_no_such_symbol", 0, -ENOENT,
			      KPROBE_REASON_SYMBOL);
	kprobes_refuse_symbol(test, "kprobes_no_module:kprobes_target_c", 3, -ENOENT,
			      KPROBE_REASON_SYMBOL);
	kprobes_refuse_symbol(test, "", 0, -ENOENT, KPROBE_REASON_SYMBOL);
}

/* An offset may lead into another function. */
static void offset_past_function(struct kunit *test)
{
	unsigned long blacklisted = kprobe_code_address(kprobe_busy_begin);

	kprobes_refuse_symbol(test, "kprobes_target_c", INT_MAX, -EINVAL,
			      KPROBE_REASON_NO_TEXT);
	kprobes_refuse_symbol(test, "kprobes_target_c", UINT_MAX, -EINVAL,
			      KPROBE_REASON_NO_TEXT);
	kprobes_refuse_symbol(test, "_text", _end - _text, -EINVAL, KPROBE_REASON_NO_TEXT);
	kprobes_refuse_symbol(test, "_text", __start_rodata - _text, -EINVAL,
			      KPROBE_REASON_NO_TEXT);
	kprobes_refuse_symbol(test, "_text", blacklisted - (unsigned long)_text, -EINVAL,
			      KPROBE_REASON_BLACKLIST);
}

static void prefix_symbol(struct kunit *test)
{
	kprobes_refuse_symbol(test, "__pfx_kprobes_target_c", 0, -EINVAL,
			      KPROBE_REASON_PREFIX);
	kprobes_refuse_symbol(test, "__cfi_kprobes_target_c", 0, -EINVAL,
			      KPROBE_REASON_PREFIX);
}

static void addr_and_huge_offset(struct kunit *test)
{
	struct kprobe *p = new_probe(test);

	p->symbol_name = NULL;
	p->addr = (kprobe_opcode_t *)kprobes_target_c;
	p->offset = UINT_MAX;
	kprobes_expect_refused(test, p, -EINVAL, KPROBE_REASON_NO_TEXT);
}

/* Probes that are registered already, or not registered */

static void registered_before(struct kunit *test)
{
	const struct kprobes_place *place = test->param_value;
	struct kprobes_counter *c = kprobes_counting(test, place);

	kprobes_refuse_probe(test, &c->kp, -EINVAL, KPROBE_REASON_REGISTERED, &c->kp);
	c->kp.symbol_name = NULL;
	kprobes_refuse_probe(test, &c->kp, -EINVAL, KPROBE_REASON_REGISTERED, &c->kp);
	kprobes_expect_targets(test, 2);
	kprobes_expect_counts(test, c, 2, 2);
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&c->kp));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobe(&c->kp));
	KUNIT_EXPECT_TRUE(test, kprobe_disabled(&c->kp));
}

/* A structure that is not registered may contain anything: only its @addr is written. */
static void not_registered(struct kunit *test)
{
	struct kprobe garbage;

	memset(&garbage, 0x5a, sizeof(garbage));
	kprobes_refuse_to_enable(test, &garbage, KPROBE_REASON_NOT_REGISTERED, NULL);
	KUNIT_EXPECT_EQ(test, -EINVAL, disable_kprobe(&garbage));
	unregister_kprobe(&garbage);
	KUNIT_EXPECT_NULL(test, garbage.addr);
	KUNIT_EXPECT_EQ(test, garbage.flags, 0x5a5a5a5a);
	unregister_kprobe(&garbage);
}

static void unregistered_twice(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counting(test, test->param_value);
	struct kprobes_counter *other = kprobes_counting(test, test->param_value);

	unregister_kprobe(&c->kp);
	unregister_kprobe(&c->kp);
	KUNIT_EXPECT_NULL(test, c->kp.addr);
	kprobes_expect_targets(test, 1);
	kprobes_expect_counts(test, other, 1, 1);
}

/* A copy of a registered probe is not registered. */
static void copy_of_registered(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counting(test, test->param_value);
	struct kprobes_counter copy = *c;

	KUNIT_EXPECT_EQ(test, -EINVAL, disable_kprobe(&copy.kp));
	unregister_kprobe(&copy.kp);
	kprobes_expect_targets(test, 1);
	kprobes_expect_counts(test, c, 1, 1);
}

/* The structure of a registered probe is put back after the probe was unregistered. */
static void copy_put_back(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counting(test, test->param_value);
	struct kprobes_counter *other = kprobes_counting(test, test->param_value);
	struct kprobe copy = c->kp;

	unregister_kprobe(&c->kp);
	c->kp = copy;
	kprobes_refuse_to_enable(test, &c->kp, KPROBE_REASON_NOT_REGISTERED, NULL);
	KUNIT_EXPECT_EQ(test, -EINVAL, disable_kprobe(&c->kp));
	unregister_kprobe(&c->kp);
	KUNIT_EXPECT_NULL(test, c->kp.addr);
	kprobes_expect_targets(test, 1);
	kprobes_expect_counts(test, c, 0, 0);
	KUNIT_EXPECT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_expect_targets(test, 1);
	kprobes_expect_counts(test, c, 1, 1);
	kprobes_expect_counts(test, other, 2, 2);
}

/* A caller in a hurry sets @addr of a registered probe for the next registration. */
static void addr_overwritten(struct kunit *test)
{
	struct kprobes_counter *other = kprobes_counting(test, test->param_value);
	struct kprobes_counter *c = kprobes_counting(test, test->param_value);
	struct kprobes_counter *elsewhere = kprobes_counting(test, kprobes_place(0));
	kprobe_opcode_t *addrs[] = { NULL, elsewhere->kp.addr, (void *)c };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(addrs); i++) {
		c->kp.addr = addrs[i];
		kprobes_refuse_probe(test, &c->kp, -EINVAL, KPROBE_REASON_REGISTERED, &c->kp);
		KUNIT_EXPECT_PTR_EQ(test, c->kp.addr, addrs[i]);
		KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&c->kp));
		kprobes_expect_targets(test, 1);
		kprobes_expect_counts(test, c, i, i);
		KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&c->kp));
		kprobes_expect_targets(test, 1);
		kprobes_expect_counts(test, c, i + 1, i + 1);
	}
	unregister_kprobe(&c->kp);
	kprobes_expect_off(test, &c->kp);
	kprobes_expect_targets(test, 1);
	kprobes_expect_counts(test, c, i, i);
	kprobes_expect_counts(test, other, 2 * i + 1, 2 * i + 1);
}

static void twice_in_array(struct kunit *test)
{
	struct kprobe *p = &kprobes_counter(test, test->param_value)->kp;
	struct kprobes_counter *other = kprobes_counting(test, test->param_value);
	struct kprobe *kps[] = { p, p };

	kprobes_refuse_probes(test, kps, 2, -EINVAL, KPROBE_REASON_REGISTERED, p);
	KUNIT_EXPECT_NULL(test, p->addr);
	KUNIT_EXPECT_EQ(test, 0, register_kprobe(p));
	unregister_kprobes(kps, 2);
	kprobes_expect_off(test, p);
	/* It was registered when the call began. */
	KUNIT_EXPECT_NOT_NULL(test, p->addr);
	unregister_kprobes(kps, 2);
	KUNIT_EXPECT_NULL(test, p->addr);
	kprobes_expect_targets(test, 1);
	kprobes_expect_counts(test, other, 1, 1);
}

static void bad_arrays(struct kunit *test)
{
	struct kprobe *kps[] = { new_probe(test), NULL, new_probe(test) };

	kprobes_refuse_probes(test, NULL, 1, -EINVAL, KPROBE_REASON_NULL_ENTRY, NULL);
	kprobes_refuse_probes(test, kps, 0, -EINVAL, KPROBE_REASON_NUM, NULL);
	kprobes_refuse_probes(test, kps, -1, -EINVAL, KPROBE_REASON_NUM, NULL);
	kprobes_refuse_probes(test, kps, INT_MIN, -EINVAL, KPROBE_REASON_NUM, NULL);
	kprobes_refuse_probes(test, kps, 3, -EINVAL, KPROBE_REASON_NULL_ENTRY, NULL);
	kprobes_expect_off(test, kps[0]);
	kprobes_expect_off(test, kps[2]);
	KUNIT_EXPECT_EQ(test, 0, register_kprobes(kps, 1));
}

/* The probe that is refused is recorded, and no other one. */
static void bad_probe_in_array(struct kunit *test)
{
	struct kprobe good = { .symbol_name = "kprobes_target_c" };
	struct kprobe bad = { .symbol_name = "kprobes_bad", .offset = 7 };
	struct kprobe worse = { .addr = (kprobe_opcode_t *)1 };
	struct kprobe *kps[] = { &good, &bad, &worse };

	kprobes_refuse_probes(test, kps, 3, -ENOENT, KPROBE_REASON_SYMBOL, &bad);
}

static void enabled_when_gone(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counting(test, kprobes_place(0));
	u32 flags = c->kp.flags;

	c->kp.flags |= KPROBE_FLAG_GONE;
	kprobes_refuse_to_enable(test, &c->kp, KPROBE_REASON_GONE, &c->kp);
	c->kp.flags = flags;
}

/* Return probes */

static void bad_return_probe_arrays(struct kunit *test)
{
	struct kretprobe *rp = &kprobes_returns(test, "kprobes_target_c")->rp;
	struct kretprobe *rps[3] = { rp };

	if (!IS_ENABLED(CONFIG_KRETPROBES))
		kunit_skip(test, "no return probes");
	kprobes_refuse_return_probe(test, NULL, -EINVAL, KPROBE_REASON_NULL_ENTRY, NULL);
	kprobes_refuse_return_probes(test, NULL, 1, KPROBE_REASON_NULL_ENTRY, NULL);
	kprobes_refuse_return_probes(test, rps, 0, KPROBE_REASON_NUM, NULL);
	kprobes_refuse_return_probes(test, rps, -1, KPROBE_REASON_NUM, NULL);
	kprobes_refuse_return_probes(test, rps, 2, KPROBE_REASON_NULL_ENTRY, NULL);
	rps[2] = rp;
	rps[1] = &kprobes_returns(test, "kprobes_target_asm")->rp;
	kprobes_refuse_return_probes(test, rps, 3, KPROBE_REASON_REGISTERED, &rp->kp);
	kprobes_expect_off(test, &rp->kp);
	kprobes_expect_off(test, &rps[1]->kp);
	unregister_kretprobe(NULL);
	unregister_kretprobes(NULL, 1);
	unregister_kretprobes(rps, 0);
	unregister_kretprobes(rps, 3);
	kprobes_expect_targets(test, 1);
}

static void refuse_return(struct kunit *test, const char *symbol,
			  unsigned int offset, size_t data_size, int error,
			  enum kprobe_reason reason)
{
	struct kretprobe *rp = &kprobes_returns(test, symbol)->rp;

	rp->kp.offset = offset;
	rp->data_size = data_size;
	rp->maxactive = 3;
	kprobes_refuse_return_probe(test, rp, error, reason, &rp->kp);
	KUNIT_EXPECT_EQ(test, rp->maxactive, 3);
	KUNIT_EXPECT_NULL(test, rp->kp.addr);
	KUNIT_EXPECT_NULL(test, rp->pool);
	kprobes_expect_off(test, &rp->kp);
	KUNIT_EXPECT_EQ(test, -EINVAL, enable_kretprobe(rp));
	kprobes_expect_targets(test, 1);
}

static void return_probe_refused(struct kunit *test)
{
	const struct kprobes_place *last = kprobes_place(kprobes_places() - 1);

	if (!IS_ENABLED(CONFIG_KRETPROBES))
		kunit_skip(test, "no return probes");
	if (last->offset)
		refuse_return(test, last->symbol, last->offset, 0, -EINVAL,
			      KPROBE_REASON_ENTRY);
	refuse_return(test, "kprobes_target_c", 0, KRETPROBE_MAX_DATA_SIZE + 1,
		      -E2BIG, KPROBE_REASON_DATA_SIZE);
	refuse_return(test, "kprobes_target_c", 0, SIZE_MAX, -E2BIG,
		      KPROBE_REASON_DATA_SIZE);
	refuse_return(test, "kprobes_there_is_no_such_symbol", 0, 0, -ENOENT,
		      KPROBE_REASON_SYMBOL);
	refuse_return(test, "kprobe_hit", 0, 0, -EINVAL, KPROBE_REASON_BLACKLIST);
	refuse_return(test, NULL, 0, 0, -EINVAL, KPROBE_REASON_NEITHER);
	refuse_return(test, "kprobes_target_c", UINT_MAX, 0, -EINVAL,
		      KPROBE_REASON_NO_TEXT);
}

static void return_probe_registered_before(struct kunit *test)
{
	struct kretprobe *rp;

	if (!IS_ENABLED(CONFIG_KRETPROBES))
		kunit_skip(test, "no return probes");
	rp = &kprobes_returning(test, "kprobes_target_c")->rp;
	kprobes_refuse_return_probe(test, rp, -EINVAL, KPROBE_REASON_REGISTERED, &rp->kp);
	kprobes_expect_targets(test, 1);
	unregister_kretprobe(rp);
	KUNIT_EXPECT_NOT_NULL(test, rp->kp.addr);
	unregister_kretprobe(rp);
	KUNIT_EXPECT_NULL(test, rp->kp.addr);
}

static struct kunit_case refusal_cases[] = {
	KUNIT_CASE(null_probe),
	KUNIT_CASE(symbol_and_addr),
	KUNIT_CASE(neither_symbol_nor_addr),
	KUNIT_CASE(unknown_symbol),
	KUNIT_CASE(offset_past_function),
	KUNIT_CASE(prefix_symbol),
	KUNIT_CASE(addr_and_huge_offset),
	KPROBES_CASE_PLACES(registered_before),
	KUNIT_CASE(not_registered),
	KPROBES_CASE_PLACES(unregistered_twice),
	KPROBES_CASE_PLACES(copy_of_registered),
	KPROBES_CASE_PLACES(copy_put_back),
	KPROBES_CASE_PLACES(addr_overwritten),
	KPROBES_CASE_PLACES(twice_in_array),
	KUNIT_CASE(bad_arrays),
	KUNIT_CASE(bad_probe_in_array),
	KUNIT_CASE(enabled_when_gone),
	KUNIT_CASE(bad_return_probe_arrays),
	KUNIT_CASE(return_probe_refused),
	KUNIT_CASE(return_probe_registered_before),
	{}
};

static struct kunit_suite refusal_suite = {
	.name = "kprobes_refusal",
	.test_cases = refusal_cases,
};

kunit_test_suite(refusal_suite);
