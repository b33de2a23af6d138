// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of breakpoint traps when there is no breakpoint in the text any more.
 */
#include <kunit/test.h>
#include <linux/kprobes.h>
#include <asm/insn.h>
#include <asm/text-patching.h>

#include "../../../stale.h"
#include "../../targets.h"

/* Calls the handler of a trap at @addr as exc_int3() does. */
static int trap_at(const void *addr, struct pt_regs *regs)
{
	unsigned long flags;
	int handled;

	*regs = (struct pt_regs){
		.ip = (unsigned long)addr + INT3_INSN_SIZE,
		.cs = __KERNEL_CS,
	};
	local_irq_save(flags);
	handled = kprobe_int3_handler(regs);
	local_irq_restore(flags);
	return handled;
}

static void stale_is_executed_again(struct kunit *test)
{
	int before = atomic_read(&kprobe_stale_breakpoints);
	struct pt_regs regs;

	KUNIT_EXPECT_EQ(test, trap_at(kprobes_target_c, &regs), 1);
	KUNIT_EXPECT_EQ(test, regs.ip, (unsigned long)kprobes_target_c);
	KUNIT_EXPECT_EQ(test, atomic_read(&kprobe_stale_breakpoints), before + 1);
}

static void expect_foreign(struct kunit *test, const void *addr)
{
	int before = atomic_read(&kprobe_stale_breakpoints);
	struct pt_regs regs;

	KUNIT_EXPECT_EQ(test, trap_at(addr, &regs), 0);
	KUNIT_EXPECT_EQ(test, regs.ip, (unsigned long)addr + INT3_INSN_SIZE);
	KUNIT_EXPECT_EQ(test, atomic_read(&kprobe_stale_breakpoints), before);
}

static void foreign_is_left_alone(struct kunit *test)
{
	static const u8 int3[] = { 0x90, 0xcc, 0x90 };

	expect_foreign(test, int3 + 1);
}

static void int_3_of_two_bytes_is_left_alone(struct kunit *test)
{
	static const u8 int_3[] = { 0x90, 0xcd, 0x03, 0x90 };

	expect_foreign(test, int_3 + 2);
}

static void unreadable_is_left_alone(struct kunit *test)
{
	expect_foreign(test, (void *)(VMALLOC_END + 1));
}

static struct kunit_case stale_cases[] = {
	KUNIT_CASE(stale_is_executed_again),
	KUNIT_CASE(foreign_is_left_alone),
	KUNIT_CASE(int_3_of_two_bytes_is_left_alone),
	KUNIT_CASE(unreadable_is_left_alone),
	{}
};

static struct kunit_suite stale_suite = {
	.name = "kprobes_x86_stale",
	.test_cases = stale_cases,
};

kunit_test_suite(stale_suite);
