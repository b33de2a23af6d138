// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of what the API refuses: every errno that the documentation names, and
 * that a refused call leaves probe and text as they were and is recorded with its
 * reason, place and caller.
 */
#include <kunit/test.h>
#include <linux/bug.h>
#include <linux/jump_label.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/objtool.h>
#include <linux/static_call.h>
#include <linux/vmalloc.h>
#include <asm/sections.h>

#include "../reserved.h"
#include "refusal.h"
#include "targets.h"

/* Places that another subsystem patches or reads */

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

/* Expects that probe and text are as before, and that no hits are counted. */
static void expect_refused(struct kunit *test, struct kprobe *p, int error,
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

static void refuse_symbol(struct kunit *test, const char *symbol,
			  unsigned int offset, int error,
			  enum kprobe_reason reason)
{
	struct kprobe *p = new_probe(test);

	p->symbol_name = symbol;
	p->offset = offset;
	expect_refused(test, p, error, reason);
}

static void refuse_addr(struct kunit *test, const void *addr, int error,
			enum kprobe_reason reason)
{
	struct kprobe *p = new_probe(test);

	p->symbol_name = NULL;
	p->addr = (kprobe_opcode_t *)addr;
	expect_refused(test, p, error, reason);
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
	expect_refused(test, p, -EINVAL, KPROBE_REASON_BOTH);
}

static void neither_symbol_nor_addr(struct kunit *test)
{
	refuse_addr(test, NULL, -EINVAL, KPROBE_REASON_NEITHER);
}

static void unknown_symbol(struct kunit *test)
{
	refuse_symbol(test, "kprobes_there_is_no_such_symbol", 0, -ENOENT,
		      KPROBE_REASON_SYMBOL);
	refuse_symbol(test, "kprobes_no_module:kprobes_target_c", 3, -ENOENT,
		      KPROBE_REASON_SYMBOL);
	refuse_symbol(test, "", 0, -ENOENT, KPROBE_REASON_SYMBOL);
}

/* An offset may lead into another function. */
static void offset_past_function(struct kunit *test)
{
	unsigned long blacklisted = (unsigned long)register_kprobe;

	refuse_symbol(test, "kprobes_target_c", INT_MAX, -EINVAL,
		      KPROBE_REASON_NO_TEXT);
	refuse_symbol(test, "kprobes_target_c", UINT_MAX, -EINVAL,
		      KPROBE_REASON_NO_TEXT);
	refuse_symbol(test, "_text", _end - _text, -EINVAL, KPROBE_REASON_NO_TEXT);
	refuse_symbol(test, "_text", __start_rodata - _text, -EINVAL,
		      KPROBE_REASON_NO_TEXT);
	refuse_symbol(test, "_text", blacklisted - (unsigned long)_text, -EINVAL,
		      KPROBE_REASON_BLACKLIST);
}

static void middle_of_instruction(struct kunit *test)
{
	const struct kprobes_place *place;

	place = kprobes_place_named(KPROBES_PLACE_C);
	refuse_addr(test, (void *)kprobes_place_addr(place) + 1, -EILSEQ,
		    KPROBE_REASON_INSIDE);
	place = kprobes_place_named(KPROBES_PLACE_LONG);
	if (place->offset)
		refuse_symbol(test, place->symbol, place->offset + 1, -EILSEQ,
			      KPROBE_REASON_INSIDE);
}

/* Instructions are decoded without breakpoints of probes. */
static void middle_of_probed_instruction(struct kunit *test)
{
	const struct kprobes_place *place;
	struct kprobes_counter *c;

	place = kprobes_place_named(KPROBES_PLACE_LONG);
	if (!place->offset)
		kunit_skip(test, "no place inside a function is known");
	c = kprobes_counting(test, place);
	refuse_symbol(test, place->symbol, place->offset + 1, -EILSEQ,
		      KPROBE_REASON_INSIDE);
	kprobes_expect_targets(test, 1);
	kprobes_expect_counts(test, c, 1, 1);
}

static void prefix_symbol(struct kunit *test)
{
	refuse_symbol(test, "__pfx_kprobes_target_c", 0, -EINVAL,
		      KPROBE_REASON_PREFIX);
	refuse_symbol(test, "__cfi_kprobes_target_c", 0, -EINVAL,
		      KPROBE_REASON_PREFIX);
}

/* Places that cannot be probed */

static void blacklisted(struct kunit *test)
{
	static const char *const symbols[] = {
		"register_kprobe", "unregister_kprobes", "get_kprobe",
		"kprobe_hit", "kprobe_running", "register_kretprobe",
		"get_kretprobe", "kretprobe_trampoline",
#ifdef CONFIG_GENERIC_ENTRY
		"irqentry_enter",
#endif
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(symbols); i++)
		refuse_symbol(test, symbols[i], 0, -EINVAL,
			      KPROBE_REASON_BLACKLIST);
	refuse_addr(test, not_probed, -EINVAL, KPROBE_REASON_BLACKLIST);
	refuse_addr(test, not_instrumented, -EINVAL, KPROBE_REASON_BLACKLIST);
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
		refuse_addr(test, (void *)addrs[i], -EINVAL,
			    KPROBE_REASON_NO_TEXT);
	refuse_addr(test, kunit_kzalloc(test, 64, GFP_KERNEL), -EINVAL,
		    KPROBE_REASON_NO_TEXT);
	refuse_addr(test, &i, -EINVAL, KPROBE_REASON_NO_TEXT);
	refuse_addr(test, __start_rodata, -EINVAL, KPROBE_REASON_NO_TEXT);
	if (vm)
		refuse_addr(test, vm, -EINVAL, KPROBE_REASON_NO_TEXT);
	vfree(vm);
}

static void addr_and_huge_offset(struct kunit *test)
{
	struct kprobe *p = new_probe(test);

	p->symbol_name = NULL;
	p->addr = (kprobe_opcode_t *)kprobes_target_c;
	p->offset = UINT_MAX;
	expect_refused(test, p, -EINVAL, KPROBE_REASON_NO_TEXT);
}

static void in_a_slot(struct kunit *test)
{
	unsigned long page;
	char name[KSYM_NAME_LEN], type;

	kprobes_counting(test, kprobes_place_named(KPROBES_PLACE_ASM));
	if (kprobe_get_kallsym(0, &page, &type, name))
		kunit_skip(test, "no instruction has a slot");
	KUNIT_EXPECT_TRUE(test, is_kprobe_insn_slot(page));
	refuse_addr(test, (void *)page, -EINVAL, KPROBE_REASON_NO_TEXT);
	refuse_addr(test, (void *)page + KPROBE_SLOT_SIZE, -EINVAL,
		    KPROBE_REASON_NO_TEXT);
}

#ifdef CONFIG_X86
#define SLEEPS		ANNOTATE_NOENDBR "hlt\n"
#define UNDECODABLE	ANNOTATE_NOENDBR ".byte 0x06\n"
#elif defined(CONFIG_ARM64)
#define SLEEPS		"wfi\n"
#define UNDECODABLE	"udf #0\n"
#endif

#ifdef SLEEPS
/* Two instructions: the first cannot be displaced, the second cannot be decoded. */
static noinline __noipa notrace void no_place_for_probes(bool really)
{
	OPTIMIZER_HIDE_VAR(really);	/* clang has no noipa: it would see the caller's */
	if (really)
		asm volatile(".globl refusal_hlt, refusal_bad\n"
			     "refusal_hlt:\n"
			     SLEEPS
			     "refusal_bad:\n"
			     UNDECODABLE);
}

extern char refusal_hlt[], refusal_bad[];

/* The reason for the first instruction tells its kind. */
static void instruction(struct kunit *test)
{
	no_place_for_probes(false);
	refuse_addr(test, refusal_hlt, -EINVAL, KPROBE_REASON_SLEEP);
	/* In 32 bit all bytes are some instruction. */
	if (IS_ENABLED(CONFIG_64BIT))
		refuse_addr(test, refusal_bad, -EILSEQ, KPROBE_REASON_UNDECODABLE);
}
#elif defined(CONFIG_RISCV)
extern const unsigned int kprobes_exclusive_within, kprobes_exclusive_after;

/* A breakpoint's trap would let the sequence begin again for ever. */
static void instruction(struct kunit *test)
{
	void *start = kprobe_lookup_name("kprobes_target_exclusive", 0);
	unsigned int load = kprobes_exclusive_within - 4;

	KUNIT_EXPECT_EQ(test, 0, kprobes_try((unsigned long)start));
	refuse_addr(test, start + load, -EINVAL, KPROBE_REASON_EXCLUSIVE);
	refuse_addr(test, start + kprobes_exclusive_within, -EINVAL, KPROBE_REASON_EXCLUSIVE);
	refuse_addr(test, start + kprobes_exclusive_after - 4, -EINVAL,
		    KPROBE_REASON_EXCLUSIVE);
	KUNIT_EXPECT_EQ(test, 0, kprobes_try((unsigned long)start + kprobes_exclusive_after));
}
#else
static void instruction(struct kunit *test)
{
	kunit_skip(test, "no instructions are known that cannot be probed");
}
#endif

#ifdef CONFIG_ARM64
extern const unsigned int kprobes_literal_offset;

/* What other instructions of the function have to say. */
static void neighbours(struct kunit *test)
{
	const char *symbol = "kprobes_target_exclusive";
	int offset;

	for (offset = 4; offset <= 12; offset += 4)
		refuse_symbol(test, symbol, offset, -EINVAL, KPROBE_REASON_EXCLUSIVE);
	refuse_symbol(test, symbol, kprobes_literal_offset, -EINVAL,
		      KPROBE_REASON_RESERVED);
	KUNIT_EXPECT_EQ(test, 0, kprobes_try(kallsyms_lookup_name(symbol)));
	KUNIT_EXPECT_EQ(test, 0, kprobes_try(kallsyms_lookup_name(symbol) + 16));
}
#else
static void neighbours(struct kunit *test)
{
	kunit_skip(test, "no instruction depends on another");
}
#endif

static void jump_label(struct kunit *test)
{
#ifdef CONFIG_JUMP_LABEL
	struct jump_entry *entry;
	int found = 0;

	for (entry = __start___jump_table; entry < __stop___jump_table; entry++) {
		if (jump_entry_key(entry) != &site_key.key)
			continue;
		refuse_addr(test, (void *)jump_entry_code(entry), -EINVAL,
			    KPROBE_REASON_RESERVED);
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

/* Returns how many probes were refused: none if the address is not in sites(). */
static int refuse_in_sites(struct kunit *test, unsigned long addr)
{
	unsigned long offset, size;

	if (!kallsyms_lookup_size_offset(addr, &size, &offset) ||
	    addr - offset != (unsigned long)sites)
		return 0;
	refuse_addr(test, (void *)addr, -EINVAL, KPROBE_REASON_RESERVED);
	return 1;
}

static void static_call_site(struct kunit *test)
{
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	struct static_call_site *site;
	int found = 0;

	for (site = __start_static_call_sites; site < __stop_static_call_sites;
	     site++) {
		unsigned long addr = (long)&site->addr + site->addr;

		found += refuse_in_sites(test, addr);
	}
	KUNIT_EXPECT_GE(test, found, 1);
#else
	kunit_skip(test, "static calls are not inline");
#endif
}

/* The trampoline of a static call, by its name and by its address. */
static void static_call_trampoline(struct kunit *test)
{
#ifdef CONFIG_HAVE_STATIC_CALL
	KUNIT_EXPECT_EQ(test, static_call(kprobes_site_call)(1), 1);
	refuse_symbol(test, STATIC_CALL_TRAMP_PREFIX_STR "kprobes_site_call", 0,
		      -EINVAL, KPROBE_REASON_TRAMPOLINE);
	refuse_addr(test, STATIC_CALL_TRAMP_ADDR(kprobes_site_call), -EINVAL,
		    KPROBE_REASON_TRAMPOLINE);
#else
	kunit_skip(test, "static calls are pointers");
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

		found += refuse_in_sites(test, addr);
	}
	KUNIT_EXPECT_GE(test, found, 1);
#else
	kunit_skip(test, "no table of BUG()s");
#endif
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
	KUNIT_CASE(middle_of_instruction),
	KUNIT_CASE(middle_of_probed_instruction),
	KUNIT_CASE(prefix_symbol),
	KUNIT_CASE(blacklisted),
	KUNIT_CASE(not_text),
	KUNIT_CASE(addr_and_huge_offset),
	KUNIT_CASE(in_a_slot),
	KUNIT_CASE(instruction),
	KUNIT_CASE(neighbours),
	KUNIT_CASE(jump_label),
	KUNIT_CASE(static_call_site),
	KUNIT_CASE(static_call_trampoline),
	KUNIT_CASE(bug_site),
	KPROBES_CASE_PLACES(registered_before),
	KUNIT_CASE(not_registered),
	KPROBES_CASE_PLACES(unregistered_twice),
	KPROBES_CASE_PLACES(copy_of_registered),
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
