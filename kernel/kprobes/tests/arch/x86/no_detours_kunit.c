// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of what has no detours: a Xen PV guest, as they use the CPU's interrupt flag as if
 * there were no hypervisor, and a CPU with FRED, as they may end by an iret. The tests only
 * pretend to run there.
 */
#include <linux/cpufeature.h>
#include <linux/ftrace.h>
#include <linux/kprobe_arch.h>

#include "../../../reason.h"
#include "../../optimized.h"

static const struct pretence {
	const char *name;
	unsigned int feature;
	const char *reason;
} pretences[] = {
	{ "Xen PV", X86_FEATURE_XENPV, "hypervisor: no detours in this kind of guest" },
#ifdef CONFIG_X86_FRED
	{ "FRED", X86_FEATURE_FRED, "fred: no detours while FRED is in use" },
#endif
};

KUNIT_ARRAY_PARAM_DESC(pretence, pretences, name);

static void stop_pretending(void *data)
{
	const struct pretence *pretence = data;

	clear_bit(pretence->feature, (unsigned long *)boot_cpu_data.x86_capability);
	/* Frees points that were made while pretending. */
	kprobes_take_way(KPROBES_BY_JUMP);
}

static const struct pretence *pretend(struct kunit *test)
{
	const struct pretence *pretence = test->param_value;

	if (boot_cpu_has(pretence->feature))
		kunit_skip(test, "it is so");
	set_cpu_cap(&boot_cpu_data, pretence->feature);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, stop_pretending,
							   (void *)pretence));
	return pretence;
}

static struct kprobes_counter *probe_on(struct kunit *test, const char *symbol)
{
	const struct kprobes_place place = { .symbol = symbol };
	struct kprobes_counter *c = kprobes_counter(test, &place);

	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	wait_for_kprobe_optimizer();
	return c;
}

static void no_detours(struct kunit *test)
{
	const struct pretence *pretence = pretend(test);
	struct kprobes_counter *c = probe_on(test, "kprobes_opt_plain");
	unsigned long addr = (unsigned long)c->kp.addr;

	KUNIT_EXPECT_EQ(test, KPROBES_BY_TRAP, kprobes_way_from(addr));
	KUNIT_EXPECT_EQ(test, 15, kprobes_opt_plain(5));
	kprobes_expect_counts(test, c, 1, 1);
	scoped_guard(mutex, &kprobe_mutex)
		KUNIT_EXPECT_STREQ(test, pretence->reason,
				   kprobe_reason_text(kprobe_point_lookup(addr)->not_jump));
	unregister_kprobe(&c->kp);
}

/* A breakpoint at an entry needs a detour, so the entry uses ftrace. */
static void entry_by_ftrace(struct kunit *test)
{
	struct kprobes_counter *c;

	if (!ftrace_location((unsigned long)kprobes_target_c))
		kunit_skip(test, "functions are not traced");
	pretend(test);
	c = probe_on(test, "kprobes_target_c");
	kprobes_expect_mechanism(test, c, KPROBE_FTRACE, "pretending");
	unregister_kprobe(&c->kp);
}

static struct kunit_case no_detours_cases[] = {
	KUNIT_CASE_PARAM(no_detours, pretence_gen_params),
	KUNIT_CASE_PARAM(entry_by_ftrace, pretence_gen_params),
	{}
};

static struct kunit_suite no_detours_suite = {
	.name = "kprobes_no_detours",
	.test_cases = no_detours_cases,
};

kunit_test_suite(no_detours_suite);
