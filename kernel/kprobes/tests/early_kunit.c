// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of calls of the API before kprobes is initialized: all are refused, and leave
 * nothing behind.
 */
#include <kunit/test.h>
#include <linux/console.h>
#include <linux/init.h>
#include <linux/kprobes.h>

#include "targets.h"

static int do_nothing(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static struct kprobe probe = {
	.symbol_name = "kprobes_target_c",
	.pre_handler = do_nothing,
};

static struct kprobe *probes[] = { &probe };

static struct kretprobe return_probe = {
	.kp.symbol_name = "kprobes_target_c",
};

static struct kretprobe *return_probes[] = { &return_probe };

/* What the calls have returned, in this order. */
static struct {
	bool made;
	int probe, probes, return_probe, return_probes, enable, disable;
	struct kprobe *found;
} said;

/* Runs when consoles are initialized, before any initcall; kprobes is an initcall. */
static int __init ask_too_early(void)
{
	said.probe = register_kprobe(&probe);
	said.probes = register_kprobes(probes, 1);
	if (IS_ENABLED(CONFIG_KRETPROBES)) {
		said.return_probe = register_kretprobe(&return_probe);
		said.return_probes = register_kretprobes(return_probes, 1);
	}
	said.enable = enable_kprobe(&probe);
	said.disable = disable_kprobe(&probe);
	said.found = get_kprobe(kprobes_target_c);
	unregister_kprobe(&probe);
	said.made = true;
	return 0;
}
console_initcall(ask_too_early);

static void too_early_is_refused(struct kunit *test)
{
	KUNIT_ASSERT_TRUE(test, said.made);
	KUNIT_EXPECT_EQ(test, said.probe, -EAGAIN);
	KUNIT_EXPECT_EQ(test, said.probes, -EAGAIN);
	if (IS_ENABLED(CONFIG_KRETPROBES)) {
		KUNIT_EXPECT_EQ(test, said.return_probe, -EAGAIN);
		KUNIT_EXPECT_EQ(test, said.return_probes, -EAGAIN);
	}
	KUNIT_EXPECT_EQ(test, said.enable, -EINVAL);
	KUNIT_EXPECT_EQ(test, said.disable, -EINVAL);
	KUNIT_EXPECT_NULL(test, said.found);
}

/* The same structures can be registered now. */
static void later_is_accepted(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, register_kprobe(&probe), 0);
	KUNIT_EXPECT_PTR_EQ(test, get_kprobe(probe.addr), &probe);
	unregister_kprobe(&probe);
	if (!IS_ENABLED(CONFIG_KRETPROBES))
		return;
	KUNIT_EXPECT_EQ(test, register_kretprobe(&return_probe), 0);
	unregister_kretprobe(&return_probe);
}

static struct kunit_case early_cases[] = {
	KUNIT_CASE(too_early_is_refused),
	KUNIT_CASE(later_is_accepted),
	{}
};

static struct kunit_suite early_suite = {
	.name = "kprobes_early",
	.test_cases = early_cases,
};

kunit_test_suite(early_suite);
