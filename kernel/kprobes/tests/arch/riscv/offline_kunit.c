// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests that a hart which has reported its death executes no text that may be patched: no
 * interrupt would reach it, and a jump has two instructions.
 */
#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/kprobes.h>
#include <linux/smp.h>

#include "../../../hit.h"
#include "../../targets.h"

static void dead_hart_calls_nobody(struct kunit *test)
{
	static const struct kprobes_place place = { .symbol = "__sbi_ecall" };
	static const struct kprobes_place ipi_place = { .symbol = "sbi_send_ipi" };
	struct kprobes_counter *c, *ipis;
	unsigned int cpu = kprobes_cpu_to_stop(test);

	c = kprobes_counting(test, &place);
	ipis = kprobes_counting(test, &ipi_place);
	wait_for_kprobe_optimizer();
	KUNIT_ASSERT_EQ(test, 0, remove_cpu(cpu));
	/* Another hart asks whether it has stopped. */
	KUNIT_EXPECT_GE(test, atomic_read(&c->pre), 1);
	/* It may have interrupted another one before it reported its death. */
	KUNIT_EXPECT_EQ(test, kprobes_misses(&ipis->kp, KPROBE_MISS_OFFLINE),
			kprobes_misses(&c->kp, KPROBE_MISS_OFFLINE));
	KUNIT_EXPECT_EQ(test, 0, add_cpu(cpu));
}

static struct kunit_case offline_cases[] = {
	KUNIT_CASE(dead_hart_calls_nobody),
	{}
};

static struct kunit_suite offline_suite = {
	.name = "kprobes_riscv_offline",
	.test_cases = offline_cases,
};

kunit_test_suite(offline_suite);
