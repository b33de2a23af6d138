// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of Xen PV guests: they have no detours, which use the CPU's interrupt flag as if
 * there were no hypervisor. The tests only pretend to run in such a guest.
 */
#include <linux/cpufeature.h>
#include <linux/ftrace.h>
#include <linux/kprobe_arch.h>

#include "../reason.h"
#include "../table.h"
#include "optimized.h"

static int pretend(struct kunit *test)
{
	if (boot_cpu_has(X86_FEATURE_XENPV))
		kunit_skip(test, "runs in such a guest");
	set_cpu_cap(&boot_cpu_data, X86_FEATURE_XENPV);
	return 0;
}

static void stop_pretending(struct kunit *test)
{
	clear_bit(X86_FEATURE_XENPV, (unsigned long *)boot_cpu_data.x86_capability);
	/* Frees points that were made while pretending. */
	kprobes_take_way(KPROBES_BY_JUMP);
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
	struct kprobes_counter *c = probe_on(test, "kprobes_opt_plain");
	unsigned long addr = (unsigned long)c->kp.addr;

	KUNIT_EXPECT_EQ(test, KPROBES_BY_TRAP, kprobes_way_from(addr));
	KUNIT_EXPECT_EQ(test, 15, kprobes_opt_plain(5));
	kprobes_expect_counts(test, c, 1, 1);
	scoped_guard(mutex, &kprobe_mutex)
		KUNIT_EXPECT_STREQ(test, "no detours in this kind of guest",
				   kprobe_reason_text(kprobe_point_lookup(addr)->not_jump));
	unregister_kprobe(&c->kp);
}

/* A breakpoint at an entry needs a detour, so the entry uses ftrace. */
static void entry_by_ftrace(struct kunit *test)
{
	struct kprobes_counter *c;

	if (!ftrace_location((unsigned long)kprobes_target_c))
		kunit_skip(test, "functions are not traced");
	c = probe_on(test, "kprobes_target_c");
	kprobes_expect_mechanism(test, c, KPROBE_FTRACE, "pretending");
	unregister_kprobe(&c->kp);
}

static struct kunit_case xen_pv_cases[] = {
	KUNIT_CASE(no_detours),
	KUNIT_CASE(entry_by_ftrace),
	{}
};

static struct kunit_suite xen_pv_suite = {
	.name = "kprobes_xen_pv",
	.init = pretend,
	.exit = stop_pretending,
	.test_cases = xen_pv_cases,
};

kunit_test_suite(xen_pv_suite);
