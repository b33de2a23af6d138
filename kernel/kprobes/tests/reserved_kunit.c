// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of the indices of text that other subsystems patch, read or jump to: the answers
 * agree with the tables and with the base's own functions.
 */
#include <kunit/test.h>
#include <linux/bug.h>
#include <linux/jump_label.h>
#include <linux/kprobe_point.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/static_call.h>
#include <asm/sections.h>

#include "../place.h"
#include "kprobes_test.h"
#include "waits.h"

/* How many bytes around an address are compared. */
#define AROUND	4

static int make_kernel_index(struct kunit_suite *suite)
{
	guard(mutex)(&kprobe_mutex);
	return kprobe_check_text((unsigned long)_stext);
}

/* Init text that was freed does not count. */
static bool is_text(unsigned long addr)
{
	return core_kernel_text(addr) && core_kernel_text(addr - 1);
}

/*
 * An address from a table must be found by the ranges that have it, and by no other. A
 * test ends at its first failure, as there could be thousands.
 */
static bool expect_known(struct kunit *test, u32 kind, unsigned long addr)
{
	bool as_it_should;

	if (!is_text(addr))
		return true;
	as_it_should = kprobe_any_in(kind, addr, addr + 1) &&
		       kprobe_any_in(kind, addr - 1, addr + 1) &&
		       kprobe_any_in(kind, addr, addr + 5) && !kprobe_any_in(kind, addr, addr);
	KUNIT_EXPECT_TRUE_MSG(test, as_it_should, "%pS", (void *)addr);
	return as_it_should;
}

/*
 * The target must be found from the site, and not from the bytes in front of it. These
 * begin at @before, after any other site.
 */
static bool expect_lead(struct kunit *test, unsigned long before, unsigned long site,
			unsigned long target)
{
	unsigned long at = site, from = before, found;

	if (!is_text(site))
		return true;
	found = kprobe_next_target(&at, site + 1);
	KUNIT_EXPECT_EQ_MSG(test, found, target, "%pS", (void *)site);
	KUNIT_EXPECT_EQ_MSG(test, at, site + 1, "%pS", (void *)site);
	KUNIT_EXPECT_EQ_MSG(test, kprobe_next_target(&from, site), 0, "%pS", (void *)site);
	return found == target && at == site + 1 && from == before;
}

static void reserved_jump_labels(struct kunit *test)
{
#ifdef CONFIG_JUMP_LABEL
	struct jump_entry *entry;

	guard(mutex)(&kprobe_mutex);
	for (entry = __start___jump_table; entry < __stop___jump_table; entry++)
		if (!expect_known(test, KPROBE_TEXT_RESERVED, jump_entry_code(entry)) ||
		    !expect_known(test, KPROBE_TEXT_LANDED, jump_entry_target(entry)) ||
		    !expect_lead(test, jump_entry_code(entry) - 1, jump_entry_code(entry),
				 jump_entry_target(entry)))
			return;
#else
	kunit_skip(test, "no jump labels");
#endif
}

static void reserved_static_calls(struct kunit *test)
{
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	struct static_call_site *site;

	guard(mutex)(&kprobe_mutex);
	for (site = __start_static_call_sites; site < __stop_static_call_sites;
	     site++)
		if (!expect_known(test, KPROBE_TEXT_RESERVED,
				  (unsigned long)&site->addr + site->addr))
			return;
#else
	kunit_skip(test, "static calls are not inline");
#endif
}

static void reserved_bugs(struct kunit *test)
{
#ifdef CONFIG_GENERIC_BUG_RELATIVE_POINTERS
	struct bug_entry *bug;

	guard(mutex)(&kprobe_mutex);
	for (bug = __start___bug_table; bug < __stop___bug_table; bug++)
		if (!expect_known(test, KPROBE_TEXT_RESERVED,
				  (unsigned long)&bug->bug_addr_disp +
				  bug->bug_addr_disp))
			return;
#else
	kunit_skip(test, "no table of bugs, or of another form");
#endif
}

static void reserved_fixups(struct kunit *test)
{
#ifdef ARCH_HAS_RELATIVE_EXTABLE
	unsigned long site, last = 0;
	struct exception_table_entry *ex;

	guard(mutex)(&kprobe_mutex);
	for (ex = __start___ex_table; ex < __stop___ex_table; ex++) {
		site = (unsigned long)&ex->insn + ex->insn;
		if (!expect_known(test, KPROBE_TEXT_FAULTS, site) ||
		    !expect_known(test, KPROBE_TEXT_LANDED,
				  (unsigned long)&ex->fixup + ex->fixup) ||
		    !expect_lead(test, max(site - 1, last + 1), site,
				 (unsigned long)&ex->fixup + ex->fixup))
			return;
		last = site;
	}
#else
	kunit_skip(test, "an exception table of another form");
#endif
}

static void reserved_cfi_checks(struct kunit *test)
{
#ifdef CONFIG_ARCH_USES_CFI_TRAPS
	static const s8 check[] = KPROBE_CFI_CHECK;
	unsigned int i;
	s32 *trap;

	guard(mutex)(&kprobe_mutex);
	KUNIT_EXPECT_GT(test, __stop___kcfi_traps - __start___kcfi_traps, 0);
	for (trap = __start___kcfi_traps; trap < __stop___kcfi_traps; trap++)
		for (i = 0; i < ARRAY_SIZE(check); i++)
			if (!expect_known(test, KPROBE_TEXT_RESERVED,
					  (unsigned long)trap + *trap - check[i]))
				return;
#else
	kunit_skip(test, "indirect calls are not checked");
#endif
}

/* Where the type has no symbol: it seems to be the end of the function before. */
static void reserved_cfi_type(struct kunit *test)
{
#if defined(CONFIG_CFI_CLANG) && !defined(KPROBES_CFI_SYMBOLS)
	/* KUnit calls it by a pointer. */
	unsigned long entry = (unsigned long)reserved_cfi_type;
	struct kprobe_lookup lookup;

	guard(mutex)(&kprobe_mutex);
	kprobe_lookup_init(&lookup);
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_CFI_TYPE,
			kprobe_check_address(&lookup, entry - sizeof(u32), true));
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_NONE, kprobe_check_address(&lookup, entry, true));
#else
	kunit_skip(test, "functions have no type, or it has a symbol");
#endif
}

#ifdef CONFIG_JUMP_LABEL
static bool base_knows_label(unsigned long addr)
{
	bool known;

	jump_label_lock();
	known = jump_label_text_reserved((void *)addr, (void *)addr);
	jump_label_unlock();
	return known;
}

static bool base_knows_call(unsigned long addr)
{
	return static_call_text_reserved((void *)addr, (void *)addr);
}

/* The base's functions are true for every byte of a site. */
static bool base_knows(unsigned long addr)
{
	return base_knows_label(addr) || base_knows_call(addr) || find_bug(addr);
}

/* A site begins here. Not seen if another one ends just before it. */
static bool base_begins(unsigned long addr)
{
	return find_bug(addr) || (base_knows(addr) && !base_knows(addr - 1));
}

static void expect_as_base(struct kunit *test, unsigned long site)
{
	unsigned long addr;

	for (addr = site - AROUND; addr < site + AROUND; addr++) {
		bool reserved = kprobe_any_in(KPROBE_TEXT_RESERVED, addr, addr + 1);

		KUNIT_EXPECT_TRUE_MSG(test, reserved || !base_begins(addr), "%pS",
				      (void *)addr);
		KUNIT_EXPECT_TRUE_MSG(test, !reserved || base_knows(addr), "%pS",
				      (void *)addr);
	}
}
#endif

/* Checks some sites only, because the base walks all tables for each. */
static void reserved_as_base_says(struct kunit *test)
{
#ifdef CONFIG_JUMP_LABEL
	struct jump_entry *entry;
	unsigned long addr;

	guard(mutex)(&kprobe_mutex);
	for (entry = __start___jump_table; entry < __stop___jump_table; entry += 101) {
		addr = jump_entry_code(entry);
		if (is_text(addr - AROUND) && is_text(addr + AROUND))
			expect_as_base(test, addr);
	}
#else
	kunit_skip(test, "no jump labels");
#endif
}

#ifdef CONFIG_MODULES
/* A module with an instruction that may fault, and another one in its init text or none. */
struct toy_module {
	struct module mod;
	struct exception_table_entry ex[2];
};

static struct toy_module toys[2];
/* Text of the first module, of the second, and the first one's init text. */
static u8 toy_text[3][16] __maybe_unused;

#ifdef ARCH_HAS_RELATIVE_EXTABLE
#define SITE	3
#define FIXUP	9

static void set_text(struct toy_module *toy, enum mod_mem_type type, u8 *text)
{
	struct exception_table_entry *ex = &toy->ex[toy->mod.num_exentries++];

	toy->mod.mem[type] = (struct module_memory){ .base = text, .size = sizeof(toy_text[0]) };
	ex->insn = (long)&text[SITE] - (long)&ex->insn;
	ex->fixup = (long)&text[FIXUP] - (long)&ex->fixup;
}

static void expect_toy(struct kunit *test, unsigned int i)
{
	unsigned long text = (unsigned long)toy_text[i], end = text + sizeof(toy_text[i]);
	unsigned long site = text;

	KUNIT_EXPECT_TRUE(test, kprobe_any_in(KPROBE_TEXT_FAULTS, text, end));
	KUNIT_EXPECT_FALSE(test, kprobe_any_in(KPROBE_TEXT_RESERVED, text, end));
	KUNIT_EXPECT_FALSE(test, kprobe_any_in(KPROBE_TEXT_FAULTS, text, text + SITE));
	KUNIT_EXPECT_FALSE(test, kprobe_any_in(KPROBE_TEXT_FAULTS, text + SITE + 1, end));
	KUNIT_EXPECT_TRUE(test, kprobe_any_in(KPROBE_TEXT_LANDED, text + FIXUP, end));
	KUNIT_EXPECT_FALSE(test, kprobe_any_in(KPROBE_TEXT_LANDED, text + FIXUP + 1, end));
	KUNIT_EXPECT_EQ(test, kprobe_next_target(&site, end), text + FIXUP);
	KUNIT_EXPECT_EQ(test, site, text + SITE + 1);
	KUNIT_EXPECT_EQ(test, kprobe_next_target(&site, end), 0);
	KUNIT_EXPECT_FALSE(test, kprobe_fixup_is_shared(text, end));
	KUNIT_EXPECT_TRUE(test, kprobe_fixup_is_shared(text + SITE + 1, end));
}
#endif

/* The text of one module may lie between the text and the init text of another one. */
static void reserved_in_modules(struct kunit *test)
{
#ifdef ARCH_HAS_RELATIVE_EXTABLE
	unsigned int i;

	guard(mutex)(&kprobe_mutex);
	memset(toys, 0, sizeof(toys));
	set_text(&toys[0], MOD_TEXT, toy_text[0]);
	set_text(&toys[1], MOD_TEXT, toy_text[1]);
	set_text(&toys[0], MOD_INIT_TEXT, toy_text[2]);
	for (i = 0; i < ARRAY_SIZE(toys); i++) {
		toys[i].mod.extable = toys[i].ex;
		KUNIT_EXPECT_EQ(test, 0, kprobe_make_index(&toys[i].mod));
	}
	for (i = 0; i < ARRAY_SIZE(toy_text); i++)
		expect_toy(test, i);
	kprobe_drop_index(&toys[0].mod);
	expect_toy(test, 1);
	kprobe_drop_index(&toys[1].mod);
	KUNIT_EXPECT_FALSE(test, kprobe_any_in(KPROBE_TEXT_FAULTS, (unsigned long)toy_text,
					       (unsigned long)toy_text + sizeof(toy_text)));
#else
	kunit_skip(test, "an exception table of another form");
#endif
}

static void make_index(void *data)
{
	guard(mutex)(&kprobe_mutex);
	kprobe_make_index(&toys[0].mod);
	kprobe_drop_index(&toys[0].mod);
}

/* A module's tables are sorted under a lock while it comes. Who reads them waits for the end. */
static void __maybe_unused expect_wait(struct kunit *test, void (*lock)(void),
				       void (*unlock)(void))
{
	struct kprobes_other *other = kprobes_other(test, make_index, NULL, raw_smp_processor_id());

	memset(toys, 0, sizeof(toys));
	lock();
	WRITE_ONCE(other->go, true);
	KUNIT_EXPECT_TRUE(test, kprobes_waits(other));
	KUNIT_EXPECT_FALSE(test, READ_ONCE(other->done));
	unlock();
	KPROBES_EXPECT_SOON(test, READ_ONCE(other->done));
}

static void reserved_while_calls_sorted(struct kunit *test)
{
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	expect_wait(test, static_call_lock, static_call_unlock);
#else
	kunit_skip(test, "static calls are not inline");
#endif
}

static void reserved_while_labels_sorted(struct kunit *test)
{
#ifdef CONFIG_JUMP_LABEL
	expect_wait(test, jump_label_lock, jump_label_unlock);
#else
	kunit_skip(test, "no jump labels");
#endif
}

#endif /* CONFIG_MODULES */

static struct kunit_case reserved_cases[] = {
	KUNIT_CASE(reserved_jump_labels),
	KUNIT_CASE(reserved_static_calls),
	KUNIT_CASE(reserved_bugs),
	KUNIT_CASE(reserved_fixups),
	KUNIT_CASE(reserved_cfi_checks),
	KUNIT_CASE(reserved_cfi_type),
	KUNIT_CASE(reserved_as_base_says),
#ifdef CONFIG_MODULES
	KUNIT_CASE(reserved_in_modules),
	KUNIT_CASE(reserved_while_calls_sorted),
	KUNIT_CASE(reserved_while_labels_sorted),
#endif
	{ }
};

static struct kunit_suite reserved_suite = {
	.name = "kprobes_reserved",
	.suite_init = make_kernel_index,
	.test_cases = reserved_cases,
};

kunit_test_suite(reserved_suite);

MODULE_DESCRIPTION("KUnit tests of what kprobes knows of others' text");
MODULE_LICENSE("GPL");
