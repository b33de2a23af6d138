// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of names that several symbols have: probes go to the one that was asked for, and a name
 * that does not tell is refused with those that do.
 */
#include <kunit/test.h>
#include <linux/compiler.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/string.h>
#include <asm/sections.h>

#include "../place.h"
#include "refusal.h"
#include "symbol_twin.h"
#include "targets.h"

static noinline __noclone int kprobes_symbol_twin(int x)
{
	barrier();
	return x + 1;
}

/* As a compiler names clones. */
int kprobes_cloned_isra(int x) __asm__("kprobes_cloned.isra.0");
int kprobes_cloned_cold(int x) __asm__("kprobes_cloned.isra.0.cold");
int kprobes_cloned_twice_isra(int x) __asm__("kprobes_cloned_twice.isra.0");

noinline __noclone int kprobes_cloned_isra(int x)
{
	barrier();
	return x + 3;
}

noinline __noclone int kprobes_cloned_twice_isra(int x)
{
	barrier();
	return x + 4;
}

/* As the text of a function is called whose descriptor has its name. */
int kprobes_dotted(int x) __asm__(".kprobes_dotted");

noinline __noclone int kprobes_dotted(int x)
{
	barrier();
	return x + 7;
}

/* Not for objtool: it takes this for a part of the first. */
#ifndef CONFIG_OBJTOOL
noinline __noclone int kprobes_cloned_cold(int x)
{
	barrier();
	return x + 6;
}
#endif

/* Both functions of one name, in the order of kallsyms. */
static void sort_twins(unsigned long twins[2])
{
	unsigned long mine = kprobe_code_address(kprobes_symbol_twin);
	unsigned long other = kprobes_other_twin();

	twins[0] = min(mine, other);
	twins[1] = max(mine, other);
}

/* Has a probe on @name be hit, which means the function at @addr, by one call of each. */
static void expect_hits(struct kunit *test, const char *name, unsigned long addr)
{
	const struct kprobes_place place = { .symbol = name };
	struct kprobes_counter *c = kprobes_counting(test, &place);

	KUNIT_EXPECT_EQ(test, (unsigned long)c->kp.addr, kprobe_entry_of(addr));
	kprobes_symbol_twin(1);
	kprobes_call_other_twin(1);
	kprobes_cloned_isra(1);
	kprobes_cloned_twice_isra(1);
	kprobes_dotted(1);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&c->pre));
	unregister_kprobe(&c->kp);
}

/* Has the name be refused, with these candidates. */
static void expect_candidates(struct kunit *test, const char *name, const char *candidates)
{
	const struct kprobes_place place = { .symbol = name };
	struct kprobe *p = &kprobes_counter(test, &place)->kp;
	struct kprobe_refusal r;

	kprobes_refuse_probe(test, p, -EADDRNOTAVAIL, KPROBE_REASON_AMBIGUOUS, p);
	kprobes_last_refusal(&r);
	KUNIT_EXPECT_STREQ(test, r.candidates, candidates);
	KUNIT_EXPECT_NULL(test, p->addr);
	/* Who only asks is told of one of them. */
	KUNIT_EXPECT_NOT_NULL(test, kprobe_lookup_name(name, 0));
	KUNIT_EXPECT_EQ(test, 0, kprobe_on_func_entry(NULL, name, 0));
}

static void expect_unknown(struct kunit *test, const char *name)
{
	const struct kprobes_place place = { .symbol = name };
	struct kprobe *p = &kprobes_counter(test, &place)->kp;
	struct kprobe_refusal r;

	kprobes_refuse_probe(test, p, -ENOENT, KPROBE_REASON_SYMBOL, p);
	kprobes_last_refusal(&r);
	KUNIT_EXPECT_STREQ(test, r.candidates, "");
}

static void one_of_two(struct kunit *test)
{
	unsigned long twins[2];

	sort_twins(twins);
	expect_hits(test, "kprobes_symbol_twin,1", twins[0]);
	expect_hits(test, "kprobes_symbol_twin,2", twins[1]);
	KUNIT_EXPECT_EQ(test, 0, kprobe_on_func_entry(NULL, "kprobes_symbol_twin,2", 0));
}

static void which_of_two(struct kunit *test)
{
	unsigned long twins[2];
	char list[KPROBE_REFUSAL_CANDIDATES];

	sort_twins(twins);
	scnprintf(list, sizeof(list), "%s,1 (_text+0x%lx) %s,2 (_text+0x%lx)",
		  "kprobes_symbol_twin", twins[0] - (unsigned long)_text,
		  "kprobes_symbol_twin", twins[1] - (unsigned long)_text);
	expect_candidates(test, "kprobes_symbol_twin", list);
	expect_candidates(test, "kprobes_symbol_twin,0", list);
}

static void only_one(struct kunit *test)
{
	unsigned long addr = kprobe_code_address(kprobes_call_other_twin);

	expect_hits(test, "kprobes_call_other_twin,0", addr);
	expect_hits(test, "kprobes_call_other_twin,1", addr);
}

static void no_such_position(struct kunit *test)
{
	expect_unknown(test, "kprobes_symbol_twin,3");
	expect_unknown(test, "kprobes_call_other_twin,2");
	expect_unknown(test, "kprobes_symbol_twin,");
	expect_unknown(test, "kprobes_symbol_twin,-1");
	expect_unknown(test, "kprobes_symbol_twin,x");
	expect_unknown(test, "kprobes_symbol_twin,1,1");
	expect_unknown(test, "kprobes_symbol_twin,99999999999");
	expect_unknown(test, ",1");
	expect_unknown(test, "");
}

/* A cold part counts for none. */
static void only_clone(struct kunit *test)
{
	expect_hits(test, "kprobes_cloned.*", kprobe_code_address(kprobes_cloned_isra));
	expect_hits(test, "kprobes_cloned.*,1", kprobe_code_address(kprobes_cloned_isra));
}

static void which_clone(struct kunit *test)
{
	unsigned long isra = kprobe_code_address(kprobes_cloned_twice_isra) - (unsigned long)_text;
	unsigned long part = kallsyms_lookup_name("kprobes_cloned_twice.part.0") -
			     (unsigned long)_text;
	bool isra_is_first = isra < part;
	char list[KPROBE_REFUSAL_CANDIDATES];

	scnprintf(list, sizeof(list), "%s.%s.0 (_text+0x%lx) %s.%s.0 (_text+0x%lx)",
		  "kprobes_cloned_twice", isra_is_first ? "isra" : "part", min(isra, part),
		  "kprobes_cloned_twice", isra_is_first ? "part" : "isra", max(isra, part));
	expect_candidates(test, "kprobes_cloned_twice.*", list);
}

static void no_clone(struct kunit *test)
{
	expect_unknown(test, "kprobes_target_c.*");
	expect_unknown(test, "kprobes_clone.*");
	expect_unknown(test, "kprobes_cloned.*x");
	expect_unknown(test, "kprobes_clone*");
	expect_unknown(test, "kprobes_cloned");
	expect_unknown(test, ".*");
	expect_unknown(test, "*");
}

static void no_module(struct kunit *test)
{
	expect_unknown(test, ":kprobes_target_c");
	expect_unknown(test, "kprobes_no_such_module:kprobes_target_c");
	expect_unknown(test, "kprobes_no_such_module:kprobes_symbol_twin,1");
	expect_unknown(test, "kprobes_a_module_with_a_name_longer_than_any_module_can_have:f");
}

/* The list is cut where the buffer ends, whatever its size. */
static void list_is_cut(struct kunit *test)
{
	char whole[200], text[200];
	size_t size, len;

	kprobe_list_candidates("kprobes_symbol_twin", whole, sizeof(whole));
	len = strlen(whole);
	for (size = sizeof("..."); size <= len; size++) {
		memset(text, '!', sizeof(text));
		kprobe_list_candidates("kprobes_symbol_twin", text, size);
		KUNIT_ASSERT_LT(test, strnlen(text, size), size);
		KUNIT_EXPECT_STREQ(test, text + strlen(text) - strlen("..."), "...");
		KUNIT_EXPECT_MEMEQ(test, text, whole, strlen(text) - strlen("..."));
		KUNIT_EXPECT_EQ(test, text[size], '!');
	}
	kprobe_list_candidates("kprobes_symbol_twin", text, len + 1);
	KUNIT_EXPECT_STREQ(test, text, whole);
}

/* Where functions have no descriptors, a name means no other. */
static void behind_a_dot(struct kunit *test)
{
	unsigned long dotted = kallsyms_lookup_name(".kprobes_dotted");

	KUNIT_ASSERT_NE(test, 0, dotted);
	expect_hits(test, ".kprobes_dotted", dotted);
	if (!IS_ENABLED(CONFIG_HAVE_FUNCTION_DESCRIPTORS)) {
		expect_unknown(test, "kprobes_dotted");
		expect_unknown(test, "kprobes_dotted,1");
		KUNIT_EXPECT_NULL(test, kprobe_lookup_name("kprobes_dotted", 0));
		return;
	}
	expect_hits(test, "kprobes_dotted", dotted);
	expect_hits(test, "kprobes_dotted,1", dotted);
	KUNIT_EXPECT_EQ(test, dotted, (unsigned long)kprobe_lookup_name("kprobes_dotted", 0));
	KUNIT_EXPECT_EQ(test, 0, kprobe_on_func_entry(NULL, "kprobes_dotted", 0));
	expect_unknown(test, "kprobes_dotted,2");
}

/* The address that C code has of a function may be that of a descriptor, or have bit 0 set. */
static void by_c_address(struct kunit *test)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)kprobes_symbol_twin };

	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&p));
	KUNIT_EXPECT_EQ(test, (unsigned long)p.addr,
			kprobe_entry_of(kprobe_code_address(kprobes_symbol_twin)));
	unregister_kprobe(&p);
}

static struct kunit_case symbol_cases[] = {
	KUNIT_CASE(one_of_two),
	KUNIT_CASE(which_of_two),
	KUNIT_CASE(only_one),
	KUNIT_CASE(no_such_position),
	KUNIT_CASE(only_clone),
	KUNIT_CASE(which_clone),
	KUNIT_CASE(no_clone),
	KUNIT_CASE(no_module),
	KUNIT_CASE(behind_a_dot),
	KUNIT_CASE(by_c_address),
	KUNIT_CASE(list_is_cut),
	{}
};

static struct kunit_suite symbol_suite = {
	.name = "kprobes_symbol",
	.test_cases = symbol_cases,
};

kunit_test_suite(symbol_suite);
