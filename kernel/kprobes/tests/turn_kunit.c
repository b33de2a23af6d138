// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests that a registration of many probes lets other tasks register theirs meanwhile.
 */
#include <kunit/test.h>
#include <linux/kprobes.h>
#include <linux/slab.h>

#include "../point.h"
#include "targets.h"
#include "waits.h"

/* One chunk, if nobody waits. */
#define MANY	256

/* Found by name, one after the other, so that none is found faster than the one before. */
static const char * const names[] = { "kprobes_target_c", "kprobes_target_asm" };

struct turns {
	struct kprobe kp[MANY];
	struct kprobe *list[MANY];
	struct kprobe other;
	int ret;
	int other_ret;
};

static int ignore(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static void register_many(void *data)
{
	struct turns *turns = data;

	turns->ret = register_kprobes(turns->list, MANY);
}

static void register_other(void *data)
{
	struct turns *turns = data;

	turns->other_ret = register_kprobe(&turns->other);
}

/* After the threads have ended, which may still register probes if the test fails. */
static void unregister_all(void *data)
{
	struct turns *turns = data;

	unregister_kprobe(&turns->other);
	unregister_kprobes(turns->list, MANY);
}

static struct turns *new_turns(struct kunit *test)
{
	struct turns *turns = kunit_kzalloc(test, sizeof(*turns), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, turns);
	for (i = 0; i < MANY; i++) {
		turns->kp[i].symbol_name = names[i % ARRAY_SIZE(names)];
		turns->kp[i].pre_handler = ignore;
		turns->list[i] = &turns->kp[i];
	}
	turns->other.symbol_name = names[0];
	turns->other.pre_handler = ignore;
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, unregister_all, turns));
	return turns;
}

/* Was it registered after all of the many that are on its point? The newest is the first there. */
static bool was_last(struct turns *turns)
{
	guard(mutex)(&kprobe_mutex);
	return list_is_first(&turns->other.list, &turns->other.point->probes);
}

/* Both wait for kprobe_mutex, the one with many probes in front. */
static void others_get_their_turn(struct kunit *test)
{
	struct turns *turns = new_turns(test);
	unsigned int cpu = raw_smp_processor_id();
	struct kprobes_other *many = kprobes_other(test, register_many, turns, cpu);
	struct kprobes_other *other = kprobes_other(test, register_other, turns, cpu);

	mutex_lock(&kprobe_mutex);
	WRITE_ONCE(many->go, true);
	KPROBES_EXPECT_SOON(test, kprobes_waits(many));
	WRITE_ONCE(other->go, true);
	KPROBES_EXPECT_SOON(test, kprobes_waits(other));
	mutex_unlock(&kprobe_mutex);
	KPROBES_ASSERT_SOON(test, READ_ONCE(many->done) && READ_ONCE(other->done));
	KUNIT_ASSERT_EQ(test, turns->ret, 0);
	KUNIT_ASSERT_EQ(test, turns->other_ret, 0);
	KUNIT_EXPECT_FALSE(test, was_last(turns));
}

static struct kunit_case turn_cases[] = {
	KUNIT_CASE(others_get_their_turn),
	{}
};

static struct kunit_suite turn_suite = {
	.name = "kprobes_turn",
	.test_cases = turn_cases,
};

kunit_test_suite(turn_suite);
