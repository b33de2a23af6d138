// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of how long a probe stays that get_kprobe() has found.
 */
#include <kunit/test.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>

#include "targets.h"
#include "waits.h"

/* How long the probe is used when another CPU has begun to unregister it. */
#define LOOK_MS	100

static void take_off(void *p)
{
	unregister_kprobe(p);
}

/* A thread on another CPU that unregisters a probe. */
static struct kprobes_other *other_for(struct kunit *test, struct kprobes_counter **c)
{
	unsigned int cpu = kprobes_leave_cpu(test);

	*c = kprobes_counting(test, kprobes_place_named(KPROBES_PLACE_C));
	/* Work that is left may stop CPUs, with kprobe_mutex held: then nobody else goes on. */
	wait_for_kprobe_optimizer();
	return kprobes_other(test, take_off, &(*c)->kp, cpu);
}

static void end(struct kunit *test, struct kprobes_other *other, void *addr)
{
	KPROBES_EXPECT_SOON(test, READ_ONCE(other->done));
	KUNIT_EXPECT_NULL(test, get_kprobe(addr));
}

/* While interrupts are disabled here, unregistering does not return. */
static void interrupts_pin_probe(struct kunit *test)
{
	struct kprobes_counter *c;
	struct kprobes_other *other = other_for(test, &c);
	void *addr = c->kp.addr;
	bool begun, taken;
	struct kprobe *p;

	local_irq_disable();
	p = get_kprobe(addr);
	WRITE_ONCE(other->go, true);
	begun = kprobes_spins_until(!get_kprobe(addr));
	kprobes_spin(LOOK_MS * USEC_PER_MSEC);
	taken = READ_ONCE(other->done);
	local_irq_enable();
	end(test, other, addr);
	KUNIT_EXPECT_PTR_EQ(test, p, &c->kp);
	KUNIT_EXPECT_TRUE(test, begun);
	KUNIT_EXPECT_FALSE(test, taken);
}

/* While only preemption is disabled, it does return. */
static void preemption_pins_nothing(struct kunit *test)
{
	struct kprobes_counter *c;
	struct kprobes_other *other = other_for(test, &c);
	void *addr = c->kp.addr;
	bool found, taken;

	preempt_disable();
	found = get_kprobe(addr);
	WRITE_ONCE(other->go, true);
	taken = kprobes_spins_until(READ_ONCE(other->done));
	preempt_enable();
	end(test, other, addr);
	KUNIT_EXPECT_TRUE(test, found);
	KUNIT_EXPECT_TRUE(test, taken);
}

static struct kunit_case get_cases[] = {
	KUNIT_CASE(interrupts_pin_probe),
	KUNIT_CASE(preemption_pins_nothing),
	{}
};

static struct kunit_suite get_suite = {
	.name = "kprobes_get",
	.test_cases = get_cases,
};

kunit_test_suite(get_suite);
