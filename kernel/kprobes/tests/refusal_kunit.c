// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of what the API refuses: every errno that the documentation names, and
 * that a refused call leaves probe and text as they were.
 */
#include <kunit/test.h>
#include <linux/bug.h>
#include <linux/jump_label.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/static_call.h>
#include <linux/vmalloc.h>
#include <asm/sections.h>

#include "../reserved.h"
#include "targets.h"

/* Places that somebody else patches or reads */

static DEFINE_STATIC_KEY_FALSE(site_key);
static int called(int a);
DEFINE_STATIC_CALL(kprobes_site_call, called);

static noinline int __noipa called(int a)
{
	return a;
}

/* A jump label, a static call and a BUG() site in one function. */
static noinline int __noipa sites(int a)
{
	if (static_branch_unlikely(&site_key))
		a++;
	a = static_call(kprobes_site_call)(a) + 1;
	WARN_ON_ONCE(a > 1000);
	return a;
}

static bool in_sites(unsigned long addr)
{
	unsigned long offset, size;

	return kallsyms_lookup_size_offset(addr, &size, &offset) &&
	       addr - offset == (unsigned long)sites;
}

static int noinstr not_instrumented(int a)
{
	return a + 1;
}

static noinline int __noipa not_probed(int a)
{
	return a + 1;
}

NOKPROBE_SYMBOL(not_probed);

static struct kprobe *new_probe(struct kunit *test)
{
	return &kprobes_counter(test, kprobes_place(0))->kp;
}

/* A refused probe is as before, the text as well, and nobody counts anything. */
static void expect_refused(struct kunit *test, struct kprobe *p, int error)
{
	unsigned long at = (unsigned long)p->addr;
	const struct kprobe before = *p;
	struct kprobes_text text;

	if (!at && p->symbol_name)
		at = (unsigned long)kprobe_lookup_name(p->symbol_name, 0);
	kprobes_text_save(&text, at + p->offset);
	KUNIT_EXPECT_EQ_MSG(test, register_kprobe(p), error, "%s %pS+%#x",
			    p->symbol_name, p->addr, p->offset);
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

static void refuse_symbol(struct kunit *test, const char *symbol,
			  unsigned int offset, int error)
{
	struct kprobe *p = new_probe(test);

	p->symbol_name = symbol;
	p->offset = offset;
	expect_refused(test, p, error);
}

static void refuse_addr(struct kunit *test, const void *addr, int error)
{
	struct kprobe *p = new_probe(test);

	p->symbol_name = NULL;
	p->addr = (kprobe_opcode_t *)addr;
	expect_refused(test, p, error);
}

/* What the caller says */

static void null_probe(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobe(NULL));
	KUNIT_EXPECT_EQ(test, -EINVAL, enable_kprobe(NULL));
	KUNIT_EXPECT_EQ(test, -EINVAL, disable_kprobe(NULL));
	unregister_kprobe(NULL);
}

static void symbol_and_addr(struct kunit *test)
{
	struct kprobe *p = new_probe(test);

	p->addr = (kprobe_opcode_t *)kprobes_target_c;
	expect_refused(test, p, -EINVAL);
}

static void neither_symbol_nor_addr(struct kunit *test)
{
	refuse_addr(test, NULL, -EINVAL);
}

static void unknown_symbol(struct kunit *test)
{
	refuse_symbol(test, "kprobes_there_is_no_such_symbol", 0, -ENOENT);
	refuse_symbol(test, "kprobes_no_module:kprobes_target_c", 0, -ENOENT);
	refuse_symbol(test, "", 0, -ENOENT);
}

/* What counts is where the offset ends, in whatever function that is. */
static void offset_past_function(struct kunit *test)
{
	unsigned long blacklisted = (unsigned long)register_kprobe;

	refuse_symbol(test, "kprobes_target_c", INT_MAX, -EINVAL);
	refuse_symbol(test, "kprobes_target_c", UINT_MAX, -EINVAL);
	refuse_symbol(test, "_text", _end - _text, -EINVAL);
	refuse_symbol(test, "_text", __start_rodata - _text, -EINVAL);
	refuse_symbol(test, "_text", blacklisted - (unsigned long)_text, -EINVAL);
}

static void middle_of_instruction(struct kunit *test)
{
	const struct kprobes_place *place;

	place = kprobes_place_named(KPROBES_PLACE_C);
	refuse_addr(test, (void *)kprobes_place_addr(place) + 1, -EILSEQ);
	place = kprobes_place_named("load relative to rip");
	if (place->offset)
		refuse_symbol(test, place->symbol, place->offset + 1, -EILSEQ);
}

/* The breakpoint of a probe must not be taken for the instruction. */
static void middle_of_probed_instruction(struct kunit *test)
{
	const struct kprobes_place *place;
	struct kprobes_counter *c;

	place = kprobes_place_named("load relative to rip");
	if (!place->offset)
		kunit_skip(test, "no place inside a function is known");
	c = kprobes_counting(test, place);
	refuse_symbol(test, place->symbol, place->offset + 1, -EILSEQ);
	kprobes_expect_targets(test, 1);
	kprobes_expect_counts(test, c, 1, 1);
}

static void prefix_symbol(struct kunit *test)
{
	refuse_symbol(test, "__pfx_kprobes_target_c", 0, -EINVAL);
	refuse_symbol(test, "__cfi_kprobes_target_c", 0, -EINVAL);
}

/* Where it says */

static void blacklisted(struct kunit *test)
{
	static const char *const symbols[] = {
		"register_kprobe", "unregister_kprobes", "get_kprobe",
		"kprobe_hit", "kprobe_running", "register_kretprobe",
		"get_kretprobe", "kretprobe_trampoline", "irqentry_enter",
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(symbols); i++)
		refuse_symbol(test, symbols[i], 0, -EINVAL);
	refuse_addr(test, not_probed, -EINVAL);
	refuse_addr(test, not_instrumented, -EINVAL);
	KUNIT_EXPECT_TRUE(test, within_kprobe_blacklist((long)not_probed));
	KUNIT_EXPECT_FALSE(test, within_kprobe_blacklist((long)kprobes_target_c));
	KUNIT_EXPECT_EQ(test, 2, not_probed(not_instrumented(0)));
}

static int some_data;

static void not_text(struct kunit *test)
{
	const unsigned long addrs[] = {
		1, 0xfff, 0x400000, TASK_SIZE_MAX, LONG_MAX,
		-1UL, -4095UL, (unsigned long)&some_data,
	};
	void *vm = vmalloc(PAGE_SIZE);
	int i;

	for (i = 0; i < ARRAY_SIZE(addrs); i++)
		refuse_addr(test, (void *)addrs[i], -EINVAL);
	refuse_addr(test, kunit_kzalloc(test, 64, GFP_KERNEL), -EINVAL);
	refuse_addr(test, &i, -EINVAL);
	refuse_addr(test, __start_rodata, -EINVAL);
	if (vm)
		refuse_addr(test, vm, -EINVAL);
	vfree(vm);
}

static void addr_and_huge_offset(struct kunit *test)
{
	struct kprobe *p = new_probe(test);

	p->symbol_name = NULL;
	p->addr = (kprobe_opcode_t *)kprobes_target_c;
	p->offset = UINT_MAX;
	expect_refused(test, p, -EINVAL);
}

static void in_a_slot(struct kunit *test)
{
	unsigned long page;
	char name[KSYM_NAME_LEN], type;

	kprobes_counting(test, kprobes_place_named(KPROBES_PLACE_ASM));
	if (kprobe_get_kallsym(0, &page, &type, name))
		kunit_skip(test, "no instruction has a slot");
	KUNIT_EXPECT_TRUE(test, is_kprobe_insn_slot(page));
	refuse_addr(test, (void *)page, -EINVAL);
	refuse_addr(test, (void *)page + KPROBE_SLOT_SIZE, -EINVAL);
}

static void jump_label(struct kunit *test)
{
#ifdef CONFIG_JUMP_LABEL
	struct jump_entry *entry;
	int found = 0;

	for (entry = __start___jump_table; entry < __stop___jump_table; entry++) {
		if (jump_entry_key(entry) != &site_key.key)
			continue;
		refuse_addr(test, (void *)jump_entry_code(entry), -EINVAL);
		found++;
	}
	KUNIT_EXPECT_GE(test, found, 1);
	/* The key still works. */
	static_branch_enable(&site_key);
	KUNIT_EXPECT_EQ(test, sites(1), 3);
	static_branch_disable(&site_key);
	KUNIT_EXPECT_EQ(test, sites(1), 2);
#else
	kunit_skip(test, "no jump labels");
#endif
}

static void static_call_site(struct kunit *test)
{
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	struct static_call_site *site;
	int found = 0;

	for (site = __start_static_call_sites; site < __stop_static_call_sites;
	     site++) {
		unsigned long addr = (long)&site->addr + site->addr;

		if (!in_sites(addr))
			continue;
		refuse_addr(test, (void *)addr, -EINVAL);
		found++;
	}
	KUNIT_EXPECT_GE(test, found, 1);
#else
	kunit_skip(test, "static calls are not inline");
#endif
}

static void bug_site(struct kunit *test)
{
#ifdef CONFIG_GENERIC_BUG
	struct bug_entry *bug;
	int found = 0;

	for (bug = __start___bug_table; bug < __stop___bug_table; bug++) {
#ifdef CONFIG_GENERIC_BUG_RELATIVE_POINTERS
		unsigned long addr = (long)&bug->bug_addr_disp +
				     bug->bug_addr_disp;
#else
		unsigned long addr = bug->bug_addr;
#endif

		if (!in_sites(addr))
			continue;
		refuse_addr(test, (void *)addr, -EINVAL);
		found++;
	}
	KUNIT_EXPECT_GE(test, found, 1);
#else
	kunit_skip(test, "no table of BUG()s");
#endif
}

/* When it says it */

static void registered_before(struct kunit *test)
{
	const struct kprobes_place *place = test->param_value;
	struct kprobes_counter *c = kprobes_counting(test, place);

	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobe(&c->kp));
	c->kp.symbol_name = NULL;
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobe(&c->kp));
	kprobes_expect_targets(test, 2);
	kprobes_expect_counts(test, c, 2, 2);
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&c->kp));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobe(&c->kp));
	KUNIT_EXPECT_TRUE(test, kprobe_disabled(&c->kp));
}

/* Whatever the structure looks like, only what was registered is touched. */
static void not_registered(struct kunit *test)
{
	struct kprobe garbage;

	memset(&garbage, 0x5a, sizeof(garbage));
	KUNIT_EXPECT_EQ(test, -EINVAL, enable_kprobe(&garbage));
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

static void bad_arrays(struct kunit *test)
{
	struct kprobe *kps[] = { new_probe(test), NULL, new_probe(test) };

	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobes(NULL, 1));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobes(kps, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobes(kps, -1));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobes(kps, 3));
	kprobes_expect_off(test, kps[0]);
	kprobes_expect_off(test, kps[2]);
	KUNIT_EXPECT_EQ(test, 0, register_kprobes(kps, 1));
}

/* Return probes */

static void bad_return_probe_arrays(struct kunit *test)
{
	struct kretprobe *rp = &kprobes_returns(test, "kprobes_target_c")->rp;
	struct kretprobe *rps[3] = { rp };

	KUNIT_EXPECT_EQ(test, -EINVAL, register_kretprobe(NULL));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kretprobes(NULL, 1));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kretprobes(rps, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kretprobes(rps, -1));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kretprobes(rps, 2));
	rps[2] = rp;
	rps[1] = &kprobes_returns(test, "kprobes_target_asm")->rp;
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kretprobes(rps, 3));
	kprobes_expect_off(test, &rp->kp);
	kprobes_expect_off(test, &rps[1]->kp);
	unregister_kretprobe(NULL);
	unregister_kretprobes(NULL, 1);
	unregister_kretprobes(rps, 0);
	unregister_kretprobes(rps, 3);
	kprobes_expect_targets(test, 1);
}

static void refuse_return(struct kunit *test, const char *symbol,
			  unsigned int offset, size_t data_size, int error)
{
	struct kretprobe *rp = &kprobes_returns(test, symbol)->rp;

	rp->kp.offset = offset;
	rp->data_size = data_size;
	rp->maxactive = 3;
	KUNIT_EXPECT_EQ(test, error, register_kretprobe(rp));
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

	if (last->offset)
		refuse_return(test, last->symbol, last->offset, 0, -EINVAL);
	refuse_return(test, "kprobes_target_c", 0, KRETPROBE_MAX_DATA_SIZE + 1,
		      -E2BIG);
	refuse_return(test, "kprobes_target_c", 0, SIZE_MAX, -E2BIG);
	refuse_return(test, "kprobes_there_is_no_such_symbol", 0, 0, -ENOENT);
	refuse_return(test, "kprobe_hit", 0, 0, -EINVAL);
	refuse_return(test, NULL, 0, 0, -EINVAL);
	refuse_return(test, "kprobes_target_c", UINT_MAX, 0, -EINVAL);
}

static void return_probe_registered_before(struct kunit *test)
{
	struct kretprobe *rp = &kprobes_returning(test, "kprobes_target_c")->rp;

	KUNIT_EXPECT_EQ(test, -EINVAL, register_kretprobe(rp));
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
	KUNIT_CASE(middle_of_instruction),
	KUNIT_CASE(middle_of_probed_instruction),
	KUNIT_CASE(prefix_symbol),
	KUNIT_CASE(blacklisted),
	KUNIT_CASE(not_text),
	KUNIT_CASE(addr_and_huge_offset),
	KUNIT_CASE(in_a_slot),
	KUNIT_CASE(jump_label),
	KUNIT_CASE(static_call_site),
	KUNIT_CASE(bug_site),
	KPROBES_CASE_PLACES(registered_before),
	KUNIT_CASE(not_registered),
	KPROBES_CASE_PLACES(unregistered_twice),
	KPROBES_CASE_PLACES(copy_of_registered),
	KUNIT_CASE(bad_arrays),
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
