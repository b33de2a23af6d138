// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of the blacklist: it has whole functions, and all that are called in a hit.
 */
#include <kunit/test.h>
#include <linux/kallsyms.h>
#include <linux/kdebug.h>
#include <linux/kprobe_arch.h>
#include <linux/module.h>
#include <asm/sections.h>

#include "../frame.h"
#include "../hit.h"
#include "../place.h"
#include "../slot.h"
#include "arch_blacklist.h"
#include "targets.h"

/* Long enough that its end is far from its beginning. */
static __always_inline int some_code(int x)
{
	barrier();
	if (x & 1)
		x = x * 5 + 1;
	else
		x = (x ^ 0x55) / 3;
	barrier();
	return x;
}

static noinline __noclone int forbidden_function(int x)
{
	return some_code(x);
}
NOKPROBE_SYMBOL(forbidden_function);

static noinline __noclone __kprobes int function_in_kprobes_text(int x)
{
	return some_code(x);
}

static noinstr int noinstr_function(int x)
{
	return some_code(x);
}

static noinline __noclone int free_function(int x)
{
	return some_code(x);
}

/*
 * Names that compilers give to clones and split-off parts of functions. One of ftrace's own tests
 * probes the first traceable function with .isra in its name. It would be refused the forbidden
 * ones, and finds none but the free one where the compiler makes no such parts.
 */
static int forbidden_isra(int x) __asm__("forbidden_function.isra.0");
static int forbidden_constprop(int x) __asm__("forbidden_function.constprop.3");
static int forbidden_part(int x) __asm__("forbidden_function.part.1.isra.2");
static int noinstr_part(int x) __asm__("noinstr_function.part.0");
static int free_part(int x) __asm__("free_function.part.0");
static int free_isra(int x) __asm__("free_function.isra.0");
static int forbidden_other(int x) __asm__("forbidden_function.other.0");

static noinline __noclone notrace int forbidden_isra(int x)
{
	return some_code(x);
}

static noinline __noclone int forbidden_constprop(int x)
{
	return some_code(x);
}

static noinline __noclone notrace int forbidden_part(int x)
{
	return some_code(x);
}

static noinline __noclone int noinstr_part(int x)
{
	return some_code(x);
}

static noinline __noclone int free_part(int x)
{
	return some_code(x);
}

static noinline __noclone int free_isra(int x)
{
	return some_code(x);
}

static noinline __noclone int forbidden_other(int x)
{
	return some_code(x);
}

/* The compiler would leave out an unused function. */
static int (*const functions[])(int) = {
	forbidden_function, function_in_kprobes_text, noinstr_function, free_function,
	forbidden_isra, forbidden_constprop, forbidden_part, noinstr_part, free_part,
	free_isra, forbidden_other,
};

/* The function around an address, its padding included. */
struct bounds {
	unsigned long start;
	unsigned long end;
};

static struct bounds bounds_of(struct kunit *test, unsigned long addr)
{
	unsigned long size, offset;

	KUNIT_ASSERT_TRUE(test, kallsyms_lookup_size_offset(addr, &size, &offset));
	return (struct bounds){ addr - offset, addr - offset + size };
}

static unsigned long count_allowed(unsigned long start, unsigned long end)
{
	unsigned long addr, allowed = 0;

	for (addr = start; addr < end; addr++)
		allowed += !within_kprobe_blacklist(addr);
	return allowed;
}

static void expect_forbidden(struct kunit *test, unsigned long addr)
{
	struct bounds r = bounds_of(test, addr);
	unsigned long start, end = 0;

	KUNIT_EXPECT_EQ_MSG(test, 0, count_allowed(r.start, r.end), "in %ps", (void *)addr);
	/* An entry of its own: the bytes before and after are not in it. */
	start = kprobe_blacklist_next(r.start, &end);
	KUNIT_EXPECT_EQ_MSG(test, r.start, start, "%ps", (void *)addr);
	KUNIT_EXPECT_EQ_MSG(test, r.end, end, "%ps", (void *)addr);
	KUNIT_EXPECT_EQ_MSG(test, -EINVAL, kprobes_try(addr), "%ps", (void *)addr);
}

static void expect_free(struct kunit *test, unsigned long addr)
{
	struct bounds r = bounds_of(test, addr);

	KUNIT_EXPECT_EQ_MSG(test, r.end - r.start, count_allowed(r.start, r.end), "%ps",
			    (void *)addr);
	KUNIT_EXPECT_EQ_MSG(test, 0, kprobes_try(addr), "%ps", (void *)addr);
}

static void blacklist_whole_function(struct kunit *test)
{
	expect_forbidden(test, (unsigned long)forbidden_function);
}

static void blacklist_kprobes_text(struct kunit *test)
{
	unsigned long addr = (unsigned long)function_in_kprobes_text;

	KUNIT_EXPECT_GE(test, addr, (unsigned long)__kprobes_text_start);
	KUNIT_EXPECT_LT(test, addr, (unsigned long)__kprobes_text_end);
	expect_forbidden(test, addr);
	KUNIT_EXPECT_EQ(test, 0, count_allowed((unsigned long)__kprobes_text_start,
					       (unsigned long)__kprobes_text_end));
}

static void blacklist_noinstr_text(struct kunit *test)
{
	expect_forbidden(test, (unsigned long)noinstr_function);
	KUNIT_EXPECT_EQ(test, 0, count_allowed((unsigned long)__noinstr_text_start,
					       (unsigned long)__noinstr_text_end));
}

static void blacklist_entry_text(struct kunit *test)
{
#ifdef KPROBES_NO_ENTRY_TEXT
	kunit_skip(test, "no section is for entry code");
#else
	if (!ENTRY_IS_APART && &__entry_text_start[0] == &__entry_text_end[0])
		kunit_skip(test, "entry code is not apart");
	KUNIT_ASSERT_LT(test, (unsigned long)__entry_text_start,
			(unsigned long)__entry_text_end);
	KUNIT_EXPECT_EQ(test, 0, count_allowed((unsigned long)__entry_text_start,
					       (unsigned long)__entry_text_end));
#endif
}

static void blacklist_spares_others(struct kunit *test)
{
	unsigned long addr = (unsigned long)free_function;
	struct bounds r = bounds_of(test, addr);

	KUNIT_EXPECT_EQ(test, r.end - r.start, count_allowed(r.start, r.end));
	KUNIT_EXPECT_EQ(test, 0, kprobes_try(addr));
	KUNIT_EXPECT_FALSE(test, within_kprobe_blacklist(0));
	KUNIT_EXPECT_FALSE(test, within_kprobe_blacklist(ULONG_MAX));
	KUNIT_EXPECT_FALSE(test, within_kprobe_blacklist((unsigned long)functions));
}

/* What is known of a chunk's first probe does not hold for the others. */
static void blacklist_in_chunk(struct kunit *test)
{
	int (*const both[])(int) = { free_function, forbidden_function };
	struct kprobe probes[2] = {}, *kps[] = { &probes[0], &probes[1] };
	unsigned long start, last;
	int i;

	for (i = 0; i < ARRAY_SIZE(both); i++)
		probes[i].addr = (kprobe_opcode_t *)dereference_function_descriptor(both[i]);
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobes(kps, 2));
	KUNIT_EXPECT_FALSE(test, kprobe_blacklist_gap((unsigned long)probes[1].addr, &start,
						      &last));
	KUNIT_ASSERT_TRUE(test, kprobe_blacklist_gap((unsigned long)probes[0].addr, &start,
						     &last));
	KUNIT_EXPECT_LE(test, start, (unsigned long)probes[0].addr);
	KUNIT_EXPECT_GE(test, last, (unsigned long)probes[0].addr);
	KUNIT_EXPECT_EQ(test, 2, count_allowed(start, start + 1) + count_allowed(last, last + 1));
}

static void blacklist_pieces(struct kunit *test)
{
	expect_forbidden(test, (unsigned long)forbidden_isra);
	expect_forbidden(test, (unsigned long)forbidden_constprop);
	expect_forbidden(test, (unsigned long)forbidden_part);
	expect_forbidden(test, (unsigned long)noinstr_part);
	expect_free(test, (unsigned long)free_part);
	expect_free(test, (unsigned long)free_isra);
	expect_free(test, (unsigned long)forbidden_other);
}

static void blacklist_cold_piece(struct kunit *test)
{
	unsigned long addr = kallsyms_lookup_name("kprobes_forbidden_asm.cold");

	KUNIT_ASSERT_NE(test, 0, addr);
	expect_forbidden(test, kallsyms_lookup_name("kprobes_forbidden_asm"));
	expect_forbidden(test, addr);
}

#ifdef CONFIG_KRETPROBES
static int find_cold(void *data, const char *name, unsigned long addr)
{
	unsigned long *found = data;

	/* Functions of a test have names that say so. */
	if (!strstr(name, ".cold") || strstarts(name, "kprobes_") || !core_kernel_text(addr) ||
	    within_kprobe_blacklist(addr))
		return 0;
	*found = addr;
	return 1;
}

static void expect_no_return_probe(struct kunit *test, unsigned long addr)
{
	struct kretprobe rp = { .kp.addr = (kprobe_opcode_t *)addr };
	int ret = register_kretprobe(&rp);

	if (!ret)
		unregister_kretprobe(&rp);
	KUNIT_EXPECT_EQ_MSG(test, -EINVAL, ret, "%ps", (void *)addr);
	KUNIT_EXPECT_EQ_MSG(test, 0, kprobes_try(addr), "%ps", (void *)addr);
	KUNIT_EXPECT_EQ(test, -EINVAL, kprobe_on_func_entry((void *)addr, NULL, 0));
}

/* A cold part is jumped to, so there is no return address on top of the stack. */
static void blacklist_return_of_cold(struct kunit *test)
{
	unsigned long addr;

	if (!kallsyms_on_each_symbol(find_cold, &addr))
		kunit_skip(test, "the compiler has made no cold parts");
	expect_no_return_probe(test, addr);
}

/* Functions that the graph tracer traces return to it. */
static void blacklist_return_of_return(struct kunit *test)
{
	unsigned long addr = kallsyms_lookup_name("return_to_handler");

	if (!addr)
		kunit_skip(test, "no function graph tracer");
	if (within_kprobe_blacklist(addr))
		kunit_skip(test, "it cannot be probed at all");
	expect_no_return_probe(test, addr);
}
#else
static void blacklist_return_of_cold(struct kunit *test)
{
	kunit_skip(test, "no return probes");
}

static void blacklist_return_of_return(struct kunit *test)
{
	kunit_skip(test, "no return probes");
}
#endif

/* Functions on the hit path, and of the API those that handlers call, which must exist. */
static const char * const serving_functions[] = {
	"kprobe_running", "kprobe_busy_begin", "kprobe_busy_end", "kprobe_fault_handler",
	"notify_die", "atomic_notifier_call_chain",
};

/* Functions that the compiler may have inlined. */
static const char * const inner_functions[] = {
	"kprobe_hit", "kprobe_breakpoint_hit", "kprobe_post_hit", "kprobe_frame_enter_nested",
	"count_miss", "kprobe_point_lookup", "kprobe_slot_owner", "is_kprobe_insn_slot",
	"kprobe_displaced_ip", "arch_kprobe_emulate", "ftrace_graph_ret_addr",
	"llist_add_batch", "preempt_schedule_notrace",
	"lockdep_hardirqs_on_prepare", "__kasan_check_read", "kasan_check_range",
	"__kcsan_check_access", "kcsan_setup_watchpoint", "ftrace_likely_update",
	"__sanitizer_cov_trace_pc", "__sanitizer_cov_trace_const_cmp4", "check_kcov_mode",
	"write_comp_data", "canonicalize_ip",
};

static void expect_no_text(struct kunit *test, const char * const *names, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, kprobes_try(kallsyms_lookup_name(names[i])),
				    "%s", names[i]);
}

static const char * const serving_returns[] = {
	"kretprobe_trampoline", "kretprobe_return", "kretprobe_find_ret_addr",
	"kprobe_flush_task",
};

static void expect_names(struct kunit *test, const char * const *names, unsigned int nr,
			 bool optional)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		unsigned long addr = kallsyms_lookup_name(names[i]);

		KUNIT_EXPECT_TRUE_MSG(test, addr || optional, "there is no %s", names[i]);
		if (!addr)
			continue;
		KUNIT_EXPECT_TRUE_MSG(test, within_kprobe_blacklist(addr), "%s", names[i]);
		if (within_kprobe_blacklist(addr))
			KUNIT_EXPECT_EQ_MSG(test, -EINVAL, kprobes_try(addr), "%s", names[i]);
	}
}

static void blacklist_subsystem(struct kunit *test)
{
	expect_names(test, serving_functions, ARRAY_SIZE(serving_functions), false);
	expect_names(test, inner_functions, ARRAY_SIZE(inner_functions), true);
	expect_names(test, serving_here, ARRAY_SIZE(serving_here), false);
	expect_names(test, early_here, ARRAY_SIZE(early_here), true);
	expect_no_text(test, no_text_here, ARRAY_SIZE(no_text_here));
	if (IS_ENABLED(CONFIG_KVM))
		expect_names(test, guest_here, ARRAY_SIZE(guest_here), false);
	if (IS_ENABLED(CONFIG_KRETPROBES))
		expect_names(test, serving_returns, ARRAY_SIZE(serving_returns), false);
}

/* The labels are symbols of their own. Which there are depends on the configuration. */
static void blacklist_ftrace(struct kunit *test)
{
	unsigned int i;

	if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE))
		kunit_skip(test, "ftrace patches nothing");
	KUNIT_EXPECT_NE(test, 0, kallsyms_lookup_name(ftrace_here[0]));
	for (i = 0; i < ARRAY_SIZE(ftrace_here); i++) {
		unsigned long addr = kallsyms_lookup_name(ftrace_here[i]);

		if (addr)
			kprobes_expect_blacklisted(test, addr, kprobes_symbol_end(addr));
	}
}

/* Entered or left in another way than functions: no return probes, but probes. */
static void blacklist_no_functions(struct kunit *test)
{
	unsigned int i, found = 0;

	if (!IS_ENABLED(CONFIG_KRETPROBES))
		kunit_skip(test, "no return probes");
	for (i = 0; i < ARRAY_SIZE(no_functions_here); i++) {
		struct kretprobe rp = { .kp.symbol_name = no_functions_here[i] };
		unsigned long addr = kallsyms_lookup_name(no_functions_here[i]);
		int ret;

		if (!addr)
			continue;
		found++;
		ret = register_kretprobe(&rp);
		if (!ret)
			unregister_kretprobe(&rp);
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, ret, "%s", no_functions_here[i]);
		KUNIT_EXPECT_EQ_MSG(test, 0, kprobes_try(addr), "%s", no_functions_here[i]);
	}
	if (!found)
		kunit_skip(test, "there are none in this configuration");
}

/* No grace period waits for a CPU in these. */
static const char * const dying[] = {
	"cpuhp_report_idle_dead", "arch_cpu_idle_dead",
};

static void blacklist_dying_cpu(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_HOTPLUG_CPU))
		kunit_skip(test, "needs CONFIG_HOTPLUG_CPU");
	expect_names(test, dying, ARRAY_SIZE(dying), false);
	expect_names(test, dying_here, ARRAY_SIZE(dying_here), false);
}

static void blacklist_walk(struct kunit *test)
{
	unsigned long start, end = 0, last_end = 0, at = 0, nr = 0;

	while ((start = kprobe_blacklist_next(at, &end))) {
		nr++;
		KUNIT_ASSERT_GE(test, start, last_end);
		KUNIT_ASSERT_GT(test, end, start);
		KUNIT_EXPECT_TRUE(test, within_kprobe_blacklist(start));
		KUNIT_EXPECT_TRUE(test, within_kprobe_blacklist(end - 1));
		if (last_end && start > last_end) {
			KUNIT_EXPECT_FALSE(test, within_kprobe_blacklist(last_end));
			KUNIT_EXPECT_FALSE(test, within_kprobe_blacklist(start - 1));
		}
		at = end;
		last_end = end;
	}
	KUNIT_EXPECT_GT(test, nr, 100);
}

/* From inside an entry a walk begins with that entry. */
static void blacklist_walk_from_inside(struct kunit *test)
{
	struct bounds r = bounds_of(test, (unsigned long)forbidden_function);
	unsigned long end = 0;

	KUNIT_EXPECT_EQ(test, r.start, kprobe_blacklist_next(r.end - 1, &end));
	KUNIT_EXPECT_EQ(test, r.end, end);
	KUNIT_EXPECT_EQ(test, 0, kprobe_blacklist_next(ULONG_MAX, &end));
}

#ifdef CONFIG_MODULES
/* A struct module whose text is a function of this file. */
static struct module *pretend_module(struct kunit *test, struct bounds r)
{
	struct module *mod = kunit_kzalloc(test, sizeof(*mod), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, mod);
	mod->mem[MOD_TEXT].base = (void *)r.start;
	mod->mem[MOD_TEXT].size = r.end - r.start;
	return mod;
}

static void remove_module(void *mod)
{
	mutex_lock(&kprobe_mutex);
	kprobe_blacklist_remove_module(mod);
	mutex_unlock(&kprobe_mutex);
}

static void add_module(struct kunit *test, struct module *mod)
{
	mutex_lock(&kprobe_mutex);
	KUNIT_EXPECT_EQ(test, 0, kprobe_blacklist_add_module(mod));
	mutex_unlock(&kprobe_mutex);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, remove_module, mod));
}

/* One function comes and goes; its neighbours stay as they were. */
static void expect_comes_and_goes(struct kunit *test, struct module *mod, struct bounds r)
{
	bool before = within_kprobe_blacklist(r.start - 1);
	bool after = within_kprobe_blacklist(r.end);

	KUNIT_ASSERT_EQ(test, r.end - r.start, count_allowed(r.start, r.end));
	add_module(test, mod);
	KUNIT_EXPECT_EQ(test, 0, count_allowed(r.start, r.end));
	KUNIT_EXPECT_EQ(test, before, within_kprobe_blacklist(r.start - 1));
	KUNIT_EXPECT_EQ(test, after, within_kprobe_blacklist(r.end));
	KUNIT_EXPECT_EQ(test, -EINVAL, kprobes_try((unsigned long)free_function));
	kunit_release_action(test, remove_module, mod);
	KUNIT_EXPECT_EQ(test, r.end - r.start, count_allowed(r.start, r.end));
	KUNIT_EXPECT_EQ(test, before, within_kprobe_blacklist(r.start - 1));
	KUNIT_EXPECT_EQ(test, after, within_kprobe_blacklist(r.end));
	KUNIT_EXPECT_EQ(test, 0, kprobes_try((unsigned long)free_function));
}

static void blacklist_module_symbol(struct kunit *test)
{
	struct bounds r = bounds_of(test, (unsigned long)free_function);
	struct module *mod = pretend_module(test, r);
	unsigned long entry = (unsigned long)free_function;

	mod->kprobe_blacklist = &entry;
	mod->num_kprobe_blacklist = 1;
	expect_comes_and_goes(test, mod, r);
}

static void blacklist_module_sections(struct kunit *test)
{
	struct bounds r = bounds_of(test, (unsigned long)free_function);
	struct module *mod = pretend_module(test, r);

	mod->kprobes_text_start = (void *)r.start;
	mod->kprobes_text_size = r.end - r.start;
	expect_comes_and_goes(test, mod, r);
	mod->kprobes_text_start = NULL;
	mod->noinstr_text_start = (void *)r.start;
	mod->noinstr_text_size = r.end - r.start;
	expect_comes_and_goes(test, mod, r);
}

/* Named twice and in a section as well: once on the list. */
static void blacklist_module_twice(struct kunit *test)
{
	struct bounds r = bounds_of(test, (unsigned long)free_function);
	struct module *mod = pretend_module(test, r);
	unsigned long entries[] = {
		(unsigned long)free_function, (unsigned long)free_function,
	};

	mod->kprobe_blacklist = entries;
	mod->num_kprobe_blacklist = ARRAY_SIZE(entries);
	mod->kprobes_text_start = (void *)r.start;
	mod->kprobes_text_size = r.end - r.start;
	expect_comes_and_goes(test, mod, r);
}

/* Memory without symbols: what a section covers is one entry, and a name stands for nothing. */
static void blacklist_without_symbol(struct kunit *test)
{
	const unsigned long size = 256, first = 16, len = 64;
	unsigned long start = (unsigned long)kunit_kzalloc(test, size, GFP_KERNEL);
	struct bounds r = { start, start + size };
	struct module *mod = pretend_module(test, r);
	unsigned long entry = start + 2 * len, end = 0;

	KUNIT_ASSERT_NE(test, start, 0);
	mod->kprobe_blacklist = &entry;
	mod->num_kprobe_blacklist = 1;
	mod->noinstr_text_start = (void *)(start + first);
	mod->noinstr_text_size = len;
	add_module(test, mod);
	KUNIT_EXPECT_EQ(test, size - len, count_allowed(r.start, r.end));
	KUNIT_EXPECT_EQ(test, start + first, kprobe_blacklist_next(start, &end));
	KUNIT_EXPECT_EQ(test, start + first + len, end);
	KUNIT_EXPECT_FALSE(test, within_kprobe_blacklist(entry));
	kunit_release_action(test, remove_module, mod);
	KUNIT_EXPECT_EQ(test, size, count_allowed(r.start, r.end));
}
#endif

static struct kunit_case blacklist_cases[] = {
	KUNIT_CASE(blacklist_whole_function),
	KUNIT_CASE(blacklist_kprobes_text),
	KUNIT_CASE(blacklist_noinstr_text),
	KUNIT_CASE(blacklist_entry_text),
	KUNIT_CASE(blacklist_spares_others),
	KUNIT_CASE(blacklist_in_chunk),
	KUNIT_CASE(blacklist_pieces),
	KUNIT_CASE(blacklist_cold_piece),
	KUNIT_CASE(blacklist_return_of_cold),
	KUNIT_CASE(blacklist_return_of_return),
	KUNIT_CASE(blacklist_subsystem),
	KUNIT_CASE(blacklist_dying_cpu),
	KUNIT_CASE(blacklist_ftrace),
	KUNIT_CASE(blacklist_no_functions),
	KUNIT_CASE(blacklist_walk),
	KUNIT_CASE(blacklist_walk_from_inside),
#ifdef CONFIG_MODULES
	KUNIT_CASE(blacklist_module_symbol),
	KUNIT_CASE(blacklist_module_sections),
	KUNIT_CASE(blacklist_module_twice),
	KUNIT_CASE(blacklist_without_symbol),
#endif
	{}
};

static struct kunit_suite blacklist_suite = {
	.name = "kprobes_blacklist",
	.test_cases = blacklist_cases,
};

kunit_test_suite(blacklist_suite);

MODULE_DESCRIPTION("KUnit tests of the blacklist of kprobes");
MODULE_LICENSE("GPL");
