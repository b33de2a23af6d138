// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of hits while user access is enabled on arm64: handlers run without it, however
 * they are called, and the probed code goes on with it.
 */
#include <kunit/test.h>
#include <linux/kprobes.h>
#include <linux/mman.h>
#include <linux/uaccess.h>
#include <asm/sysreg.h>

#include "../../optimized.h"

/**
 * struct seen - what handlers have found
 * @handlers: how many there were
 * @access:   in how many of them user access was enabled
 */
struct seen {
	int handlers;
	int access;
};

/* No other test runs meanwhile. */
static struct seen seen;

static bool access_is_enabled(void)
{
	if (system_uses_ttbr0_pan())
		return read_sysreg(ttbr0_el1) & TTBR_ASID_MASK;
	return !read_sysreg_s(SYS_PSTATE_PAN);
}

static void look_around(void)
{
	seen.handlers++;
	seen.access += access_is_enabled();
}

/* A task of the kernel has no tables of a user. */
static void need_user_memory(struct kunit *test)
{
	unsigned long page;

	if (!system_uses_ttbr0_pan() && !system_uses_hw_pan())
		kunit_skip(test, "user memory is always accessible");
	page = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
			     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_TRUE(test, page && !IS_ERR_VALUE(page));
}

/* As futex operations do, but with a call in between. */
static void call_with_access(struct kunit *test, int handlers)
{
	bool before, after;
	int result;

	seen = (struct seen){ };
	uaccess_enable_privileged();
	before = access_is_enabled();
	result = kprobes_opt_plain(5);
	after = access_is_enabled();
	uaccess_disable_privileged();
	KUNIT_EXPECT_EQ(test, 15, result);
	KUNIT_EXPECT_TRUE(test, before);
	KUNIT_EXPECT_TRUE(test, after);
	KUNIT_EXPECT_EQ(test, handlers, seen.handlers);
	KUNIT_EXPECT_EQ(test, 0, seen.access);
	KUNIT_EXPECT_EQ(test, 15, kprobes_opt_plain(5));
	KUNIT_EXPECT_FALSE(test, access_is_enabled());
}

static void access_in_pre(struct kunit *test)
{
	need_user_memory(test);
	kprobes_looking(test, look_around, false);
	call_with_access(test, 1);
}

static void access_in_post(struct kunit *test)
{
	need_user_memory(test);
	kprobes_looking(test, look_around, true);
	call_with_access(test, 2);
}

#ifdef CONFIG_KRETPROBES
static void access_in_return(struct kunit *test)
{
	need_user_memory(test);
	kprobes_looking_return(test, look_around);
	call_with_access(test, 2);
}
#endif

static struct kunit_case access_cases[] = {
	KPROBES_CASE_WAYS(access_in_pre),
	KPROBES_CASE_WAYS(access_in_post),
#ifdef CONFIG_KRETPROBES
	KPROBES_CASE_WAYS(access_in_return),
#endif
	{}
};

static struct kunit_suite access_suite = {
	.name = "kprobes_arm64_access",
	.init = kprobes_way_init,
	.exit = kprobes_way_exit,
	.test_cases = access_cases,
};

kunit_test_suite(access_suite);

MODULE_DESCRIPTION("KUnit tests of hits while user access is enabled");
MODULE_LICENSE("GPL");
