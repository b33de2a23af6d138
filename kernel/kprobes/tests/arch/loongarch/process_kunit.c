// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests of what a breakpoint's trap leaves in control registers, for processes that begin later. */
#include <kunit/test.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/processor.h>
#include <linux/ptrace.h>
#include <asm/loongarch.h>

#include "../../optimized.h"

/* A kernel thread has the PRMD of its parent, and a program that of the thread that starts it. */
static void program_has_interrupts(struct kunit *test)
{
	struct pt_regs regs = {};
	struct kprobes_counter *c;

	kprobes_take_way(KPROBES_BY_TRAP);
	c = kprobes_counter(test, kprobes_place_named(KPROBES_PLACE_ASM));
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	scoped_guard(irqsave) {
		kprobes_expect_targets(test, 1);
		regs.csr_prmd = csr_read32(LOONGARCH_CSR_PRMD);
	}
	KUNIT_EXPECT_EQ(test, 0, regs.csr_prmd & CSR_PRMD_PIE);
	start_thread(&regs, 0, 0);
	KUNIT_EXPECT_EQ(test, PLV_USER | CSR_PRMD_PIE,
			regs.csr_prmd & (PLV_MASK | CSR_PRMD_PIE));
	unregister_kprobe(&c->kp);
}

static struct kunit_case process_cases[] = {
	KUNIT_CASE(program_has_interrupts),
	{}
};

static struct kunit_suite process_suite = {
	.name = "kprobes_loongarch_process",
	.exit = kprobes_way_exit,
	.test_cases = process_cases,
};

kunit_test_suite(process_suite);
