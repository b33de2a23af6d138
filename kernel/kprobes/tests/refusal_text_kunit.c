// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of what the API refuses for the text that a probe is asked for: text that is on the
 * blacklist, inside an instruction, of another subsystem, or no text at all. As in
 * refusal_kunit.c probe and text stay as they were, and the call is recorded.
 */
#include <kunit/test.h>
#include <linux/bug.h>
#include <linux/ftrace.h>
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/objtool.h>
#include <linux/static_call.h>
#include <linux/vmalloc.h>
#include <asm/sections.h>

#include "../place.h"
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

/* Instructions */

static void middle_of_instruction(struct kunit *test)
{
	const struct kprobes_place *place;

	place = kprobes_place_named(KPROBES_PLACE_C);
	/* Where bit 0 of a pointer tells the instruction set it does not count. */
	if (!KPROBE_POINTER_FLAGS)
		kprobes_refuse_addr(test, (void *)kprobes_place_addr(place) + 1, -EILSEQ,
				    KPROBE_REASON_INSIDE);
	place = kprobes_place_named(KPROBES_PLACE_LONG);
	if (place->offset)
		kprobes_refuse_symbol(test, place->symbol, place->offset + 1, -EILSEQ,
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
	kprobes_refuse_symbol(test, place->symbol, place->offset + 1, -EILSEQ,
			      KPROBE_REASON_INSIDE);
	kprobes_expect_targets(test, 1);
	kprobes_expect_counts(test, c, 1, 1);
}

/* Places that cannot be probed */

static void blacklisted(struct kunit *test)
{
	static const char *const symbols[] = {
		"kprobe_busy_begin", "kprobe_hit", "kprobe_running",
		"get_kretprobe", "kretprobe_trampoline",
#ifdef CONFIG_GENERIC_ENTRY
		"irqentry_enter",
#endif
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(symbols); i++)
		kprobes_refuse_symbol(test, symbols[i], 0, -EINVAL,
				      KPROBE_REASON_BLACKLIST);
	kprobes_refuse_addr(test, not_probed, -EINVAL, KPROBE_REASON_BLACKLIST);
	kprobes_refuse_addr(test, not_instrumented, -EINVAL, KPROBE_REASON_BLACKLIST);
	KUNIT_EXPECT_TRUE(test, within_kprobe_blacklist((long)not_probed));
	KUNIT_EXPECT_FALSE(test, within_kprobe_blacklist((long)kprobes_target_c));
	KUNIT_EXPECT_EQ(test, 2, not_probed(not_instrumented(0)));
}

static int some_data;

static void not_text(struct kunit *test)
{
	const unsigned long addrs[] = {
		2, 0xfff, 0x400000, TASK_SIZE_MAX, LONG_MAX,
		-1UL, -4095UL, (unsigned long)&some_data,
	};
	void *vm = vmalloc(PAGE_SIZE);
	int i;

	for (i = 0; i < ARRAY_SIZE(addrs); i++)
		kprobes_refuse_addr(test, (void *)addrs[i], -EINVAL,
				    KPROBE_REASON_NO_TEXT);
	kprobes_refuse_addr(test, kunit_kzalloc(test, 64, GFP_KERNEL), -EINVAL,
			    KPROBE_REASON_NO_TEXT);
	kprobes_refuse_addr(test, &i, -EINVAL, KPROBE_REASON_NO_TEXT);
	kprobes_refuse_addr(test, __start_rodata, -EINVAL, KPROBE_REASON_NO_TEXT);
	if (vm)
		kprobes_refuse_addr(test, vm, -EINVAL, KPROBE_REASON_NO_TEXT);
	vfree(vm);
}

/* The page of a probe's slot, 0 if it has none. */
static unsigned long slot_page(const struct kprobe *p)
{
	guard(mutex)(&kprobe_mutex);
	return (unsigned long)kprobe_point_slot(p->point) & PAGE_MASK;
}

static void in_a_slot(struct kunit *test)
{
	enum kprobe_reason reason;
	struct kprobes_counter *c;
	unsigned long page;

	c = kprobes_counting(test, kprobes_place_named(KPROBES_PLACE_ASM));
	page = slot_page(&c->kp);
	if (!page)
		kunit_skip(test, "the instruction has no slot");
	KUNIT_EXPECT_TRUE(test, is_kprobe_insn_slot(page));
	/* The kernel's text has some where no probe can be. */
	reason = core_kernel_text(page) ? KPROBE_REASON_BLACKLIST : KPROBE_REASON_NO_TEXT;
	kprobes_refuse_addr(test, (void *)page, -EINVAL, reason);
	kprobes_refuse_addr(test, (void *)page + KPROBE_SLOT_SIZE, -EINVAL, reason);
}

#ifndef KPROBES_SLEEP_REASON
#define KPROBES_SLEEP_REASON	KPROBE_REASON_SLEEP
#endif

/* Two instructions: the first cannot be displaced, the second cannot be decoded. */
static noinline __noipa notrace void no_place_for_probes(bool really)
{
	OPTIMIZER_HIDE_VAR(really);	/* clang has no noipa: it would see the caller's */
	if (really)
		asm volatile(".globl refusal_hlt, refusal_bad\n"
			     "refusal_hlt:\n"
			     KPROBES_SLEEP_INSN
			     "refusal_bad:\n"
			     KPROBES_BAD_INSN);
}

extern char refusal_hlt[], refusal_bad[];

/* The reason for the first instruction tells its kind. */
static void instruction(struct kunit *test)
{
	no_place_for_probes(false);
	kprobes_refuse_addr(test, refusal_hlt, -EINVAL, KPROBES_SLEEP_REASON);
	/* In 32 bit all bytes are some instruction. */
	if (IS_ENABLED(CONFIG_64BIT))
		kprobes_refuse_addr(test, refusal_bad, -EILSEQ, KPROBE_REASON_UNDECODABLE);
}

#ifdef KPROBES_HAS_EXCLUSIVES
extern const unsigned int kprobes_exclusive_within, kprobes_exclusive_after;

/* A breakpoint's trap would let the sequence begin again for ever. */
static void exclusive(struct kunit *test)
{
	const char *symbol = "kprobes_target_exclusive";
	unsigned long start = kallsyms_lookup_name(symbol);
	const unsigned int offsets[] = {
		kprobes_exclusive_within - 4, kprobes_exclusive_within, kprobes_exclusive_after - 4,
	};
	unsigned int i;

	KUNIT_EXPECT_EQ(test, 0, kprobes_try(start));
	for (i = 0; i < ARRAY_SIZE(offsets); i++)
		kprobes_refuse_symbol(test, symbol, offsets[i], -EINVAL, KPROBE_REASON_EXCLUSIVE);
	KUNIT_EXPECT_EQ(test, 0, kprobes_try(start + kprobes_exclusive_after));
}
#endif

#ifdef KPROBES_HAS_LITERALS
extern const unsigned int kprobes_literal_offset;

/* An instruction of the function loads it. */
static void literal(struct kunit *test)
{
	kprobes_refuse_symbol(test, "kprobes_target_exclusive", kprobes_literal_offset, -EINVAL,
			      KPROBE_REASON_DATA);
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
		kprobes_refuse_addr(test, (void *)jump_entry_code(entry), -EINVAL,
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
static int __maybe_unused refuse_in_sites(struct kunit *test, unsigned long addr)
{
	unsigned long offset, size;

	if (!kallsyms_lookup_size_offset(addr, &size, &offset) ||
	    addr - offset != (unsigned long)sites)
		return 0;
	kprobes_refuse_addr(test, (void *)addr, -EINVAL, KPROBE_REASON_RESERVED);
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
	kprobes_refuse_symbol(test, STATIC_CALL_TRAMP_PREFIX_STR "kprobes_site_call", 0,
			      -EINVAL, KPROBE_REASON_TRAMPOLINE);
	kprobes_refuse_addr(test, STATIC_CALL_TRAMP_ADDR(kprobes_site_call), -EINVAL,
			    KPROBE_REASON_TRAMPOLINE);
#else
	kunit_skip(test, "static calls are pointers");
#endif
}

/* A pointer for ftrace is in front of functions, at the end of the ones before. */
static void pointer_of_ftrace(struct kunit *test)
{
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS
	unsigned long entry = (unsigned long)kprobes_target_c;

	if (!ftrace_location(entry))
		kunit_skip(test, "ftrace does not know the function");
	kprobes_refuse_addr(test, (void *)entry - 8, -EINVAL, KPROBE_REASON_RESERVED);
	kprobes_refuse_addr(test, (void *)entry - 4, -EINVAL, KPROBE_REASON_RESERVED);
	KUNIT_EXPECT_EQ(test, 0, kprobes_try(entry));
#else
	kunit_skip(test, "ftrace keeps no pointers in the text");
#endif
}

static void bug_site(struct kunit *test)
{
#if defined(CONFIG_GENERIC_BUG) && defined(__WARN_FLAGS)
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
	kunit_skip(test, "no table of BUG()s, or warnings are not in it");
#endif
}

static struct kunit_case refusal_text_cases[] = {
	KUNIT_CASE(middle_of_instruction),
	KUNIT_CASE(middle_of_probed_instruction),
	KUNIT_CASE(blacklisted),
	KUNIT_CASE(not_text),
	KUNIT_CASE(in_a_slot),
	KUNIT_CASE(instruction),
#ifdef KPROBES_HAS_EXCLUSIVES
	KUNIT_CASE(exclusive),
#endif
#ifdef KPROBES_HAS_LITERALS
	KUNIT_CASE(literal),
#endif
	KUNIT_CASE(jump_label),
	KUNIT_CASE(static_call_site),
	KUNIT_CASE(static_call_trampoline),
	KUNIT_CASE(pointer_of_ftrace),
	KUNIT_CASE(bug_site),
	{}
};

static struct kunit_suite refusal_text_suite = {
	.name = "kprobes_refusal_text",
	.test_cases = refusal_text_cases,
};

kunit_test_suite(refusal_text_suite);
