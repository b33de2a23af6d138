// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests that the blacklist has no function without a reason. Most are in sections that are
 * forbidden as a whole, or are marked where they are defined. All others are listed here.
 */
#include <kunit/test.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/string.h>
#include <asm/sections.h>

#include "../place.h"
#include "targets.h"

/* Functions that are refused without a mark or a section: why, and their names. */
struct unmarked {
	const char *reason;
	const char *names[40];
};

/* Text that is refused as a whole, besides what is so on all architectures. */
struct section {
	const char *start;
	const char *end;
};

#include "arch_unmarked.h"

#ifndef kprobes_is_linkers
static bool kprobes_is_linkers(unsigned long addr)
{
	return false;
}
#endif

static const struct unmarked unmarked[] = {
	{ "a CPU goes offline, and RCU was told", {
		"cpuhp_report_idle_dead", "rcutree_report_cpu_dead", "arch_cpu_idle_dead",
		"cpuhp_ap_report_dead", "idle_task_exit", "cpuidle_play_dead",
		"acpi_idle_play_dead" } },
	{ "marked in assembly, which leaves no symbol", {
		"kprobes_forbidden_asm" } },
};

/* Does a function say itself that it must not be probed? */
static bool is_marked(const char *name)
{
	static char mark[sizeof("_kbl_addr_") + KSYM_NAME_LEN];

	snprintf(mark, sizeof(mark), "_kbl_addr_%s", name);
	return kallsyms_lookup_name(mark);
}

static bool is_in_section(unsigned long addr)
{
	unsigned int i;

	if ((addr >= (unsigned long)__kprobes_text_start &&
	     addr < (unsigned long)__kprobes_text_end) ||
	    (addr >= (unsigned long)__noinstr_text_start &&
	     addr < (unsigned long)__noinstr_text_end))
		return true;
#ifndef KPROBES_NO_ENTRY_TEXT
	if (addr >= (unsigned long)__entry_text_start &&
	    addr < (unsigned long)__entry_text_end)
		return true;
#endif
	for (i = 0; i < ARRAY_SIZE(sections_here); i++)
		if (addr >= (unsigned long)sections_here[i].start &&
		    addr < (unsigned long)sections_here[i].end)
			return true;
	return false;
}

static bool is_sanitizers(const char *name)
{
	return strstarts(name, "__asan_") || strstarts(name, "__hwasan_") ||
	       strstarts(name, "__tsan_") || strstarts(name, "__sanitizer_cov_");
}

/* A listed name may end with a star, for any more characters. */
static bool is_named(const char *name, const char *listed)
{
	size_t len = strcspn(listed, "*");

	return listed[len] ? !strncmp(name, listed, len) : !strcmp(name, listed);
}

static bool is_in_table(const struct unmarked *table, unsigned int nr, const char *name)
{
	unsigned int i;

	for (; nr; nr--, table++)
		for (i = 0; i < ARRAY_SIZE(table->names) && table->names[i]; i++)
			if (is_named(name, table->names[i]))
				return true;
	return false;
}

static bool is_listed(const char *name)
{
	return is_in_table(unmarked, ARRAY_SIZE(unmarked), name) ||
	       is_in_table(unmarked_here, ARRAY_SIZE(unmarked_here), name);
}

/*
 * What is refused is in a section, or marked at its definition, or in the tables of this file
 * and its architecture's, which tell why.
 */
static void each_has_a_reason(struct kunit *test)
{
	unsigned long start, end = 0, at = 0;
	static char name[KSYM_NAME_LEN];

	if (!IS_ENABLED(CONFIG_KALLSYMS_ALL))
		kunit_skip(test, "needs CONFIG_KALLSYMS_ALL");
	for (; (start = kprobe_blacklist_next(at, &end)); at = end) {
		/* What the linker has put behind a function has the name of that. */
		if (!core_kernel_text(start) || is_in_section(start) ||
		    kprobes_is_linkers(start) || lookup_symbol_name(start, name))
			continue;
		/* What is in front of a function goes with it, and what a compiler moves out. */
		if (kprobe_is_prefix_symbol(name))
			memmove(name, name + strlen("__pfx_"), strlen(name) + 1 - strlen("__pfx_"));
		name[1 + strcspn(name + 1, ".")] = 0;
		KUNIT_EXPECT_TRUE_MSG(test, is_in_section(kallsyms_lookup_name(name)) ||
				      is_marked(name) || is_sanitizers(name) ||
				      is_listed(name), "%s", name);
	}
}

static int expect_clone(void *data, const char *name, unsigned long addr)
{
	const char *dot = strchr(name + 1, '.');
	static char plain[KSYM_NAME_LEN];
	struct kunit *test = data;

	if (!dot || (!strstarts(dot, ".constprop.") && !strstarts(dot, ".isra.")))
		return 0;
	strscpy(plain, name, dot - name + 1);
	if (core_kernel_text(addr) &&
	    is_in_table(unmarked_here, ARRAY_SIZE(unmarked_here), plain) &&
	    !kallsyms_lookup_name(plain))
		KUNIT_EXPECT_TRUE_MSG(test, within_kprobe_blacklist(addr), "%s", name);
	return 0;
}

/* A compiler may leave no function of a name, but clones. */
static void clones_have_it_too(struct kunit *test)
{
	kallsyms_on_each_symbol(expect_clone, test);
}

/* What a hit or a CPU without vectors executes in other configurations only can be probed. */
static void spares_others(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(free_here); i++) {
		unsigned long addr = kallsyms_lookup_name(free_here[i]);

		if (addr)
			KUNIT_EXPECT_EQ_MSG(test, 0, kprobes_try(addr), "%s", free_here[i]);
	}
}

static struct kunit_case reason_cases[] = {
	KUNIT_CASE(each_has_a_reason),
	KUNIT_CASE(clones_have_it_too),
	KUNIT_CASE(spares_others),
	{}
};

static struct kunit_suite reason_suite = {
	.name = "kprobes_blacklist_reason",
	.test_cases = reason_cases,
};

kunit_test_suite(reason_suite);
