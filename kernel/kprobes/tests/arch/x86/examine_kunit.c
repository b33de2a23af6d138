// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of whether a jump may replace the text at a place, on functions made
 * for it (region.S). Copies of the regions are executed.
 */
#include <kunit/test.h>
#include <linux/cpufeature.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/kprobe_arch.h>
#include <linux/memory.h>
#include <linux/mutex.h>

#include "../../../place.h"
#include "../../../slot.h"
#include "../../targets.h"

/* Switches the labels in region.S. */
DECLARE_STATIC_KEY_FALSE(kprobes_region_key);
DEFINE_STATIC_KEY_FALSE(kprobes_region_key);

/* int fn(int a), never called but from assembly */
#define FUNCTION(fn) asmlinkage int kprobes_region_##fn(int a)

FUNCTION(plain);
FUNCTION(rip);
FUNCTION(cond);
FUNCTION(nops);
FUNCTION(jmp);
FUNCTION(tail);
FUNCTION(call);
FUNCTION(ret);
FUNCTION(again);
FUNCTION(warm);

struct examine_case {
	const char *name;
	enum kprobe_reason reason;
	unsigned int len;
};

#define REGION(fn, length) \
	{ .name = "kprobes_region_" fn, .len = length }
#define OBSTACLE(fn, which) \
	{ .name = "kprobes_region_" fn, .reason = KPROBE_REASON_##which }

#ifdef CONFIG_MITIGATION_RETPOLINE
#define THUNK(...)	__VA_ARGS__,
#else
#define THUNK(...)
#endif

static const struct examine_case examine_cases[] = {
	REGION("plain", 5),
	REGION("rip", 6),
	REGION("cond", 6),
	REGION("nops", 5),
	REGION("jmp", 5),
	REGION("tail", 7),
#ifndef CONFIG_FRAME_POINTER
	REGION("call", 6),
#endif
	REGION("ret", 5),
	REGION("again", 5),
	REGION("warm", 5),
	REGION("faulting_late", 5),
	REGION("idle", 5),
	REGION("harmless", 5),
#ifdef CONFIG_X86_KERNEL_IBT
	REGION("indirect", 5),
	THUNK(REGION("thunk", 5))
	OBSTACLE("landing", JUMPED_INTO),
#else
	OBSTACLE("indirect", INDIRECT_JUMP),
	THUNK(OBSTACLE("thunk", INDIRECT_JUMP))
	REGION("landing", 5),	/* no pad */
#endif
	OBSTACLE("jumped", JUMPED_INTO),
	OBSTACLE("called", JUMPED_INTO),
	OBSTACLE("chilled", JUMPED_INTO),
	OBSTACLE("chilled.cold", PART),
	OBSTACLE("warm.cold", PART),
	OBSTACLE("fixed_up", TABLE_TARGET),
	OBSTACLE("fixup_cold", JUMPED_INTO),
	REGION("fixup_cold_late", 5),
	OBSTACLE("faulting", EXTABLE),
#ifdef CONFIG_JUMP_LABEL
	OBSTACLE("label", RESERVED),
	OBSTACLE("labelled", TABLE_TARGET),
	OBSTACLE("label_cold", JUMPED_INTO),
	REGION("label_cold_late", 5),
#endif
#ifdef CONFIG_GENERIC_BUG
	OBSTACLE("bug", RESERVED),
#endif
	OBSTACLE("std", DIRECTION),
#ifndef CONFIG_FRAME_POINTER
	OBSTACLE("call_indirect", CALL),
#endif
	OBSTACLE("refused", NOT_DISPLACED),
	OBSTACLE("undecodable", FUNCTION_UNDECODABLE),
	OBSTACLE("short", FUNCTION_ENDS),
	OBSTACLE("next", PART),
};

static void get_name(const struct examine_case *c, char *desc)
{
	strscpy(desc, c->name + strlen("kprobes_region_"), KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(examine, examine_cases, get_name);

static unsigned long lookup(struct kunit *test, const char *name)
{
	unsigned long addr = kallsyms_lookup_name(name);

	KUNIT_ASSERT_NE_MSG(test, addr, 0, "%s is not there", name);
	return addr;
}

static enum kprobe_reason examine_from(struct kprobe_region *region, unsigned long site,
				       unsigned long from)
{
	struct kprobe_lookup lookup;

	kprobe_lookup_init(&lookup);
	return kprobe_examine(arch_kprobe_isa, region, &lookup, site, from);
}

/* Branches to the site itself are permitted. */
static enum kprobe_reason examine(struct kprobe_region *region, unsigned long site)
{
	return examine_from(region, site, site + 1);
}

static void x86_examine_function(struct kunit *test)
{
	const struct examine_case *c = test->param_value;
	unsigned long site = lookup(test, c->name);
	struct kprobe_region region;

	guard(mutex)(&kprobe_mutex);
	KUNIT_EXPECT_EQ(test, examine(&region, site), c->reason);
	if (!c->reason)
		KUNIT_EXPECT_EQ(test, region.len, c->len);
}

/* A jump label prevents the jump whether it is switched on or off. */
static void x86_examine_label_switched_on(struct kunit *test)
{
#ifdef CONFIG_JUMP_LABEL
	unsigned long site = lookup(test, "kprobes_region_labelled");
	struct kprobe_region region;
	enum kprobe_reason reason;

	static_branch_enable(&kprobes_region_key);
	scoped_guard(mutex, &kprobe_mutex)
		reason = examine(&region, site);
	static_branch_disable(&kprobes_region_key);
	KUNIT_EXPECT_EQ(test, reason, KPROBE_REASON_TABLE_TARGET);
#else
	kunit_skip(test, "no jump labels");
#endif
}

static void x86_examine_traced_entry(struct kunit *test)
{
	unsigned long site = ftrace_location((unsigned long)kprobes_target_c);
	struct kprobe_region region;

	if (!site)
		kunit_skip(test, "functions are not traced");
	guard(mutex)(&kprobe_mutex);
	KUNIT_EXPECT_EQ(test, examine(&region, site), KPROBE_REASON_FTRACE_SITE);
}

/* What functions share for their faults begins like a function, and is jumped into. */
static void x86_examine_shared_fixup(struct kunit *test)
{
	static const char * const symbols[] = {
		"__get_user_handle_exception", "__put_user_handle_exception",
	};
	struct kprobe_region region;
	unsigned int i;

	guard(mutex)(&kprobe_mutex);
	for (i = 0; i < ARRAY_SIZE(symbols); i++)
		KUNIT_EXPECT_EQ_MSG(test, examine(&region, lookup(test, symbols[i])),
				    KPROBE_REASON_PART, "%s", symbols[i]);
}

static void x86_examine_no_function(struct kunit *test)
{
	struct kprobe_region region;

	guard(mutex)(&kprobe_mutex);
	KUNIT_EXPECT_EQ(test, examine(&region, (unsigned long)test),
			KPROBE_REASON_FUNCTION_UNDECODABLE);
}

/* Text is decoded without breakpoints of probes. */
static int nothing(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static void x86_examine_probed(struct kunit *test)
{
	unsigned long site = lookup(test, "kprobes_region_plain");
	struct kprobe first = { .addr = (void *)site, .pre_handler = nothing };
	struct kprobe second = { .addr = (void *)site + 2, .pre_handler = nothing };
	struct kprobe *both[] = { &first, &second };
	struct kprobe_region region;
	enum kprobe_reason reason;

	KUNIT_ASSERT_EQ(test, register_kprobes(both, 2), 0);
	scoped_guard(mutex, &kprobe_mutex)
		reason = examine(&region, site);
	unregister_kprobes(both, 2);
	KUNIT_EXPECT_EQ(test, reason, KPROBE_REASON_NONE);
	KUNIT_EXPECT_EQ(test, region.len, 5);
	KUNIT_EXPECT_EQ(test, region.nr, 2);
}

struct landing_case {
	const char *name;
	unsigned int offset;
	enum kprobe_reason reason;
};

#define LANDED_ON(fn, at)	{ "kprobes_region_" fn, at, KPROBE_REASON_JUMPED_INTO }
#define NOT_LANDED_ON(fn, at)	{ "kprobes_region_" fn, at, KPROBE_REASON_NONE }
#define NO_LANDING_ON(fn, at, why) \
	{ "kprobes_region_" fn, at, KPROBE_REASON_##why }

static const struct landing_case landing_cases[] = {
	NOT_LANDED_ON("plain", 2),
	LANDED_ON("idle", 0),
	LANDED_ON("again", 0),
	NOT_LANDED_ON("again", 3),
	LANDED_ON("jumped", 2),
	LANDED_ON("called", 2),
	LANDED_ON("chilled", 2),
	NO_LANDING_ON("chilled.cold", 0, PART),
	NO_LANDING_ON("fixed_up", 2, TABLE_TARGET),
	LANDED_ON("fixup_cold", 0),
	NO_LANDING_ON("fixed_up", 4, EXTABLE),
	NO_LANDING_ON("undecodable", 2, FUNCTION_UNDECODABLE),
	NO_LANDING_ON("std", 2, DIRECTION),
	NO_LANDING_ON("next", 2, PART),
#ifdef CONFIG_JUMP_LABEL
	NO_LANDING_ON("labelled", 2, TABLE_TARGET),
	LANDED_ON("label_cold", 0),
	NO_LANDING_ON("labelled", 4, RESERVED),
#endif
#ifdef CONFIG_X86_KERNEL_IBT
	NO_LANDING_ON("landing", 4, NOT_DISPLACED),
	LANDED_ON("landing", 8),
	NOT_LANDED_ON("indirect", 0),
#else
	NO_LANDING_ON("indirect", 0, INDIRECT_JUMP),
	THUNK(NO_LANDING_ON("thunk", 0, INDIRECT_JUMP))
#endif
};

static void get_place(const struct landing_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s+%u",
		 c->name + strlen("kprobes_region_"), c->offset);
}

KUNIT_ARRAY_PARAM(landing, landing_cases, get_place);

static void x86_examine_landing(struct kunit *test)
{
	const struct landing_case *c = test->param_value;
	unsigned long site = lookup(test, c->name) + c->offset;
	struct kprobe_region region;

	guard(mutex)(&kprobe_mutex);
	KUNIT_EXPECT_EQ(test, examine_from(&region, site, site), c->reason);
}

/* Execution of copies */

struct run_case {
	const char *name;
	int (*fn)(int a);
};

#define RUN(what)	{ #what, kprobes_region_##what }

static const struct run_case run_cases[] = {
	RUN(plain), RUN(rip), RUN(cond), RUN(nops), RUN(jmp), RUN(tail),
	RUN(call), RUN(ret), RUN(again), RUN(warm),
};

KUNIT_ARRAY_PARAM_DESC(run, run_cases, name);

static enum kprobe_reason emit_copy(void *arg, struct kprobe_code *code)
{
	unsigned long from = (unsigned long)arg;
	u16 at[KPROBE_REGION_INSNS + 1];
	struct kprobe_region region;
	u8 text[KPROBE_TEXT_SIZE];
	enum kprobe_reason reason = examine(&region, from);

	if (reason)
		return reason;
	scoped_guard(mutex, &text_mutex)
		kprobe_read_insn(from, text, sizeof(text));
	kprobe_emit_region(&x86_kprobe_isa, code, &region, 0, text, from, at);
	return KPROBE_REASON_NONE;
}

static struct kprobe_point nobody;

static void free_slot(void *slot)
{
	guard(mutex)(&kprobe_mutex);
	kprobe_slot_free(slot);
}

static void *make_copy(struct kunit *test, unsigned long from)
{
	enum kprobe_reason reason;
	void *slot;

	scoped_guard(mutex, &kprobe_mutex) {
		reason = kprobe_slot_make(&slot, (unsigned long)&nobody | KPROBE_OWNER_IS_POINT,
					  emit_copy, (void *)from);
		kprobe_slots_sync();
	}
	KUNIT_ASSERT_EQ(test, reason, KPROBE_REASON_NONE);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, free_slot, slot), 0);
	return slot;
}

/* Entered by a copy of its first instructions, a function has the same result. */
static void x86_examine_copy_runs(struct kunit *test)
{
	const struct run_case *c = test->param_value;
	static const long args[] = { 0, 1, -1, 4, 5, 23, -1000, INT_MAX, INT_MIN };
	unsigned int i;
	void *copy;

	if (cpu_feature_enabled(X86_FEATURE_IBT))
		kunit_skip(test, "copies have no landing pads");
	copy = make_copy(test, (unsigned long)c->fn);
	for (i = 0; i < ARRAY_SIZE(args); i++)
		KUNIT_EXPECT_EQ_MSG(test, kprobes_target_call(copy, (void *)args[i]),
				    kprobes_target_call((void *)c->fn, (void *)args[i]),
				    "of %ld", args[i]);
}

static struct kunit_case x86_examine_cases[] = {
	KUNIT_CASE_PARAM(x86_examine_function, examine_gen_params),
	KUNIT_CASE(x86_examine_label_switched_on),
	KUNIT_CASE(x86_examine_traced_entry),
	KUNIT_CASE(x86_examine_shared_fixup),
	KUNIT_CASE(x86_examine_no_function),
	KUNIT_CASE(x86_examine_probed),
	KUNIT_CASE_PARAM(x86_examine_landing, landing_gen_params),
	KUNIT_CASE_PARAM(x86_examine_copy_runs, run_gen_params),
	{ }
};

static int make_index(struct kunit_suite *suite)
{
	guard(mutex)(&kprobe_mutex);
	return kprobe_check_text((unsigned long)kprobes_region_plain);
}

static struct kunit_suite x86_examine_suite = {
	.name = "kprobes_x86_examine",
	.suite_init = make_index,
	.test_cases = x86_examine_cases,
};

kunit_test_suite(x86_examine_suite);

MODULE_DESCRIPTION("KUnit tests of where kprobes' jumps may go on x86");
MODULE_LICENSE("GPL");
