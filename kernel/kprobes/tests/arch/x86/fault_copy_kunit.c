// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of faults in copies of instructions that only x86 has: machine checks, and accesses of
 * registers that are not there.
 */
#include <kunit/test.h>
#include <linux/kprobe_arch.h>
#include <linux/string.h>
#include <asm/extable.h>
#include <asm/trapnr.h>

#include "../../console.h"
#include "../../targets.h"

static unsigned long copy_of(const struct kprobes_counter *c, bool post)
{
	struct kprobe_point *point;

	guard(mutex)(&kprobe_mutex);
	point = kprobe_point_lookup((unsigned long)c->kp.addr);
	return (unsigned long)(post ? point->route->run_post : point->route->run);
}

static struct kprobes_counter *probe_on(struct kunit *test, const char *symbol)
{
	const struct kprobes_place place = { .symbol = symbol };
	struct kprobes_counter *c = kprobes_counter(test, &place);

	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	return c;
}

/* The type tells, for example, whether a machine check can be recovered from. */
static void expect_fixup_type(struct kunit *test, const struct kprobes_counter *c)
{
	int type = kprobes_fixup_type((unsigned long)c->kp.addr);

	KUNIT_EXPECT_NE(test, type, EX_TYPE_NONE);
	KUNIT_EXPECT_EQ(test, type, kprobes_fixup_type(copy_of(c, false)));
	KUNIT_EXPECT_EQ(test, type, kprobes_fixup_type(copy_of(c, true)));
}

static void machine_check_is_fixed_up(struct kunit *test)
{
	struct kprobes_counter *c = probe_on(test, "kprobes_target_load_mce");
	struct pt_regs original = { .ip = (unsigned long)c->kp.addr };
	int post;

	expect_fixup_type(test, c);
	KUNIT_EXPECT_TRUE(test, fixup_exception(&original, X86_TRAP_MC, 0, 0));
	for (post = 0; post < 2; post++) {
		struct pt_regs regs = { .ip = copy_of(c, post) };

		KUNIT_EXPECT_TRUE(test, fixup_exception(&regs, X86_TRAP_MC, 0, 0));
		KUNIT_EXPECT_EQ(test, regs.ip, original.ip);
		KUNIT_EXPECT_EQ(test, regs.ax, X86_TRAP_MC);
	}
}

/* The kernel warns only once, and may have done so before. */
static void warning_names_the_function(struct kunit *test)
{
	struct kprobes_counter *c = probe_on(test, "kprobes_target_rdmsr");
	struct pt_regs regs = {
		.ip = copy_of(c, false),
		.cs = __KERNEL_CS,
		.sp = current_stack_pointer,
	};

	expect_fixup_type(test, c);
	kprobes_watch_console(test, "unchecked MSR access error");
	KUNIT_EXPECT_TRUE(test, fixup_exception(&regs, X86_TRAP_GP, 0, 0));
	if (!kprobes_console_line()[0])
		kunit_skip(test, "the kernel has warned before");
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(kprobes_console_line(),
					       "(kprobes_target_rdmsr+0x0/"),
				  "%s", kprobes_console_line());
}

static struct kunit_case x86_fault_copy_cases[] = {
	KUNIT_CASE(machine_check_is_fixed_up),
	KUNIT_CASE(warning_names_the_function),
	{}
};

static struct kunit_suite x86_fault_copy_suite = {
	.name = "kprobes_x86_fault_copy",
	.test_cases = x86_fault_copy_cases,
};

kunit_test_suite(x86_fault_copy_suite);
