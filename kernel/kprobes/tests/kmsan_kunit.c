// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of KMSAN with probes: the registers that handlers get count as initialized.
 * Assembly saves them on the stack, where uninitialized variables may have been before.
 */
#include <kunit/test.h>
#include <linux/kmsan-checks.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/panic.h>

static int calls;

/* KMSAN's report in the log taints the kernel. */
static bool has_reported(void)
{
	return test_taint(TAINT_BAD_PAGE);
}

static noinline void leave_variables_behind(void)
{
	char variables[1500];

	barrier_data(variables);
}

static noinline __noclone notrace int untraced(int x)
{
	barrier();
	return x + 1;
}

static noinline __noclone int traced(int x)
{
	barrier();
	return x + 1;
}

static void look(const struct pt_regs *regs)
{
	calls++;
	kmsan_check_memory(regs, sizeof(*regs));
}

static int look_before(struct kprobe *p, struct pt_regs *regs)
{
	look(regs);
	return 0;
}

static void look_after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	look(regs);
}

static void call_both(void)
{
	leave_variables_behind();
	untraced(1);
	leave_variables_behind();
	traced(1);
}

static void expect_quiet(struct kunit *test, void *function, kprobe_post_handler_t after)
{
	struct kprobe p = {
		.addr = function,
		.pre_handler = look_before,
		.post_handler = after,
	};

	if (has_reported())
		kunit_skip(test, "something was reported before");
	calls = 0;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&p));
	call_both();
	wait_for_kprobe_optimizer();
	call_both();
	unregister_kprobe(&p);
	KUNIT_EXPECT_EQ(test, after ? 4 : 2, calls);
	KUNIT_EXPECT_FALSE(test, has_reported());
}

static void kmsan_before(struct kunit *test)
{
	expect_quiet(test, untraced, NULL);
	expect_quiet(test, traced, NULL);
}

static void kmsan_after(struct kunit *test)
{
	expect_quiet(test, untraced, look_after);
	expect_quiet(test, traced, look_after);
}

#ifdef CONFIG_KRETPROBES
static int look_at_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	look(regs);
	kmsan_check_memory(ri, sizeof(*ri));
	return 0;
}

static void kmsan_return(struct kunit *test)
{
	struct kretprobe rp = {
		.kp.addr = (kprobe_opcode_t *)untraced,
		.entry_handler = look_at_return,
		.handler = look_at_return,
	};

	if (has_reported())
		kunit_skip(test, "something was reported before");
	calls = 0;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&rp));
	call_both();
	unregister_kretprobe(&rp);
	KUNIT_EXPECT_EQ(test, 2, calls);
	KUNIT_EXPECT_FALSE(test, has_reported());
}
#endif

static struct kunit_case kmsan_cases[] = {
	KUNIT_CASE(kmsan_before),
	KUNIT_CASE(kmsan_after),
#ifdef CONFIG_KRETPROBES
	KUNIT_CASE(kmsan_return),
#endif
	{}
};

static struct kunit_suite kmsan_suite = {
	.name = "kprobes_kmsan",
	.test_cases = kmsan_cases,
};

kunit_test_suite(kmsan_suite);

MODULE_DESCRIPTION("KUnit tests of KMSAN with kprobes");
MODULE_LICENSE("GPL");
