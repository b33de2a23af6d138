// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts how many of the kernel's functions can have a jump at their entry. If jumps are
 * refused by mistake, no other test fails: probes only get slower.
 */
#include <kunit/test.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kprobe_arch.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/static_call_types.h>
#include <linux/string.h>

#include "../address.h"
#include "../examine.h"
#include "../function.h"
#include "../reason.h"
#include "../table.h"

/*
 * The least share in percent of the places that can be probed, for any kernel. On x86
 * without IBT functions with an indirect jump have no jumps, and their number depends on
 * the compiler.
 */
#define LEAST_AT_ENTRY	95
#define LEAST_AFTER	90
#define HAS_LEAST	(!IS_ENABLED(CONFIG_X86) || IS_ENABLED(CONFIG_X86_KERNEL_IBT))

/**
 * struct share - results for one place in every function
 * @count: number of places for each reason
 * @ns:    how long it took to examine them
 */
struct share {
	unsigned int count[KPROBE_REASONS];
	u64 ns;
};

/**
 * struct survey - a walk over the kernel's functions
 * @last:   address of the symbol before, as a function may have several
 * @entry:  results for the first instruction after landing pad and ftrace's nop
 * @after:  results for the instruction after it
 */
struct survey {
	unsigned long last;
	struct share entry;
	struct share after;
};

/* Skips a landing pad and ftrace's nop, which a jump must not replace. */
static unsigned long skip_landing_pad(unsigned long addr)
{
	bool on_entry;

	addr = (unsigned long)arch_kprobe_entry(addr, 0, &on_entry);
	if (ftrace_text_reserved((void *)addr, (void *)addr))
		addr = arch_kprobe_skip_nop(addr);
	return addr;
}

/* Examines a site. Returns the length of its instruction, which is planned in any case. */
static unsigned int look_at(struct share *share, struct kprobe_lookup *lookup,
			    unsigned long site)
{
	struct kprobe_region region = {};
	u64 begin;

	if (kprobe_check_address(lookup, site))
		return 0;
	begin = ktime_get_ns();
	share->count[kprobe_examine(&region, lookup, site, site + KPROBE_INSN_ALIGN)]++;
	share->ns += ktime_get_ns() - begin;
	return region.insn[0].len;
}

/* Padding, also at a section's end, cold parts of functions, trampolines of static calls. */
static bool is_no_function(const char *name)
{
	return strstarts(name, "__pfx_") || strstr(name, ".cold") || strstr(name, "_text_end") ||
	       strstarts(name, STATIC_CALL_TRAMP_PREFIX_STR);
}

static int survey_symbol(void *data, const char *name, unsigned long addr)
{
	struct survey *survey = data;
	struct kprobe_lookup lookup;
	unsigned int len;

	if (addr == survey->last || !core_kernel_text(addr) || is_no_function(name))
		return 0;
	survey->last = addr;
	addr = skip_landing_pad(addr);
	kprobe_lookup_init(&lookup);
	guard(mutex)(&kprobe_mutex);
	len = look_at(&survey->entry, &lookup, addr);
	if (len)
		look_at(&survey->after, &lookup, addr + len);
	return 0;
}

static unsigned int total(const struct share *share)
{
	unsigned int i, sum = 0;

	for (i = 0; i < KPROBE_REASONS; i++)
		sum += share->count[i];
	return sum;
}

static void report(struct kunit *test, const char *where, const struct share *share,
		   unsigned int least)
{
	unsigned int i, all = total(share), tenths;

	KUNIT_ASSERT_GT(test, all, 0);
	tenths = share->count[KPROBE_REASON_NONE] * 1000 / all;
	kunit_info(test, "%s: %u of %u can have a jump, %u.%u %%",
		   where, share->count[KPROBE_REASON_NONE], all,
		   tenths / 10, tenths % 10);
	kunit_info(test, "    %llu ns each", share->ns / all);
	for (i = 1; i < KPROBE_REASONS; i++)
		if (share->count[i])
			kunit_info(test, "    %s: %u", kprobe_reason_text(i), share->count[i]);
	/* Only tests have functions that cannot be decoded. */
	KUNIT_EXPECT_LT(test, 1000 * share->count[KPROBE_REASON_FUNCTION_UNDECODABLE], all);
	if (HAS_LEAST)
		KUNIT_EXPECT_GE(test, tenths, 10 * least);
}

static void jumps(struct kunit *test)
{
	struct survey *survey = kunit_kzalloc(test, sizeof(*survey), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, survey);
	kallsyms_on_each_symbol(survey_symbol, survey);
	report(test, "entry", &survey->entry, LEAST_AT_ENTRY);
	report(test, "second instruction", &survey->after, LEAST_AFTER);
	if (!HAS_LEAST)
		kunit_skip(test, "without IBT there is no share that all kernels have");
}

static struct kunit_case share_cases[] = {
	KUNIT_CASE_SLOW(jumps),
	{ }
};

static struct kunit_suite share_suite = {
	.name = "kprobes_share",
	.test_cases = share_cases,
};

kunit_test_suite(share_suite);

MODULE_DESCRIPTION("KUnit test of how many functions kprobes' jumps can go to");
MODULE_LICENSE("GPL");
