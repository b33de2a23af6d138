// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts where the kernel's functions can have a jump: at their entry, at the instruction
 * after it, and at any other. If jumps are refused by mistake, no other test fails: probes
 * only get slower.
 */
#include <kunit/test.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kprobe_arch.h>
#include <linux/ktime.h>
#include <linux/memory.h>
#include <linux/mutex.h>
#include <linux/prandom.h>
#include <linux/static_call_types.h>
#include <linux/string.h>
#include <asm/sections.h>

#include "../place.h"
#include "../reason.h"
#include "kprobes_test.h"
#include "targets.h"

/* One instruction is examined in so many bytes of text. */
#define STRIDE	256

/**
 * struct share - results for places of a kind
 * @count: number of places for each reason
 * @nr_short: how many can only have a short jump
 * @ns:    how long it took to examine them
 */
struct share {
	unsigned int count[KPROBE_REASONS];
	unsigned int nr_short;
	u64 ns;
};

/**
 * struct survey - a walk over the kernel's functions
 * @last:   address of the symbol before, as a function may have several
 * @entry:  results for the first instruction after landing pad and ftrace's nop
 * @after:  results for the instruction after it
 * @any:    results for instructions all over the text
 * @random: state of the pseudo-random numbers that choose them
 */
struct survey {
	unsigned long last;
	struct share entry;
	struct share after;
	struct share any;
	struct rnd_state random;
};

static size_t read_text(unsigned long addr, u8 *text)
{
	guard(mutex)(&text_mutex);
	return kprobe_read_insn(addr, text, KPROBE_INSN_MAX);
}

static bool is_entry_nop(unsigned long addr)
{
	return ftrace_text_reserved((void *)addr, (void *)addr);
}

static bool is_reserved(unsigned long addr)
{
	guard(mutex)(&text_mutex);
	return arch_kprobe_text_reserved(addr, addr + 1);
}

/* Skips what ftrace patches into a call, which a jump must not replace. */
static unsigned long skip_ftrace(unsigned long addr)
{
	u8 text[KPROBE_INSN_MAX];
	unsigned int len;

	while (is_entry_nop(addr) || is_reserved(addr)) {
		len = kprobes_insn_len(text, read_text(addr, text));
		if (!len)
			break;
		addr += len;
	}
	return addr;
}

/* Examines a place, unless a probe on it is refused. Returns the length of its instruction. */
static unsigned int look_at(struct share *share, struct kprobe_lookup *lookup,
			    unsigned long addr)
{
	/* The jump for an entry nop is after it. */
	struct kprobe_point point = {
		.addr = addr, .site = is_entry_nop(addr) ? kprobe_after_nop(addr) : addr,
	};
	struct kprobe_region region;
	u8 text[KPROBE_INSN_MAX];
	struct kprobe_insn insn;
	u64 begin;

	if (kprobe_check_address(lookup, addr, false))
		return 0;
	if (arch_kprobe_isa->plan(&insn, text, read_text(addr, text), addr))
		return insn.len;
	begin = ktime_get_ns();
	share->count[kprobe_examine_point(&point, lookup, &region)]++;
	share->ns += ktime_get_ns() - begin;
	share->nr_short += point.region_len && kprobe_point_jumps_short(&point);
	return insn.len;
}

/*
 * What is in front of a function, padding at a section's end, cold parts of functions, trampolines
 * of static calls.
 */
static bool is_no_function(const char *name)
{
	return kprobe_is_prefix_symbol(name) || strstr(name, ".cold") ||
	       strstr(name, "_text_end") ||
	       strstarts(name, STATIC_CALL_TRAMP_PREFIX_STR);
}

/* Random bytes of a function choose instructions by their lengths; all kernels choose alike. */
static void look_around(struct survey *survey, struct kprobe_lookup *lookup,
			unsigned long addr)
{
	struct kprobe_function function;
	unsigned long chosen, at;
	u8 text[KPROBE_INSN_MAX];
	unsigned int len;

	if (!kprobe_lookup_function(lookup, addr, &function))
		return;
	chosen = function.start + prandom_u32_state(&survey->random) % STRIDE;
	for (at = function.start; at < function.end && chosen < function.end; at += len) {
		len = kprobes_insn_len(text, read_text(at, text));
		if (!len)
			return;
		if (chosen - at >= len)
			continue;
		look_at(&survey->any, lookup, at);
		chosen += STRIDE;
	}
}

static int survey_symbol(void *data, const char *name, unsigned long addr)
{
	struct survey *survey = data;
	struct kprobe_lookup lookup;
	unsigned int len;

	/* Init text will be freed, and has no veneers. */
	if (addr == survey->last || !__is_kernel_text(addr) || is_no_function(name))
		return 0;
	survey->last = addr;
	kprobe_lookup_init(&lookup);
	guard(mutex)(&kprobe_mutex);
	addr = skip_ftrace(kprobe_entry_of(addr));
	look_around(survey, &lookup, addr);
	len = look_at(&survey->entry, &lookup, addr);
	if (len)
		look_at(&survey->after, &lookup, skip_ftrace(addr + len));
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
	kunit_info(test, "    %u of them only a short one", share->nr_short);
	kunit_info(test, "    %llu ns each", share->ns / all);
	for (i = 1; i < KPROBE_REASONS; i++)
		if (share->count[i])
			kunit_info(test, "    %s: %u", kprobe_reason_text(i), share->count[i]);
	/* Only tests have functions that cannot be decoded. */
	KUNIT_EXPECT_LT(test, 1000 * share->count[KPROBE_REASON_FUNCTION_UNDECODABLE], all);
	if (KPROBES_HAS_SHARES)
		KUNIT_EXPECT_GE(test, tenths, 10 * least);
}

static void jumps(struct kunit *test)
{
	struct survey *survey = kunit_kzalloc(test, sizeof(*survey), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, survey);
	prandom_seed_state(&survey->random, 1);
	kallsyms_on_each_symbol(survey_symbol, survey);
	report(test, "entry", &survey->entry, KPROBES_SHARE_AT_ENTRY);
	report(test, "second instruction", &survey->after, KPROBES_SHARE_AFTER);
	report(test, "any instruction", &survey->any, KPROBES_SHARE_ANYWHERE);
	if (!KPROBES_HAS_SHARES)
		kunit_skip(test, "there is no share that all such kernels have");
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
