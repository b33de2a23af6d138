// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of slots in the kernel's text. These are for architectures where a jump does not reach
 * execmem's memory; on others, tests alone turn them on.
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/sched.h>

#include "../chunk.h"
#include "../mechanism.h"
#include "../slot.h"
#include "targets.h"

#define HITS	3

/* More than there is room for. */
#define MANY	(KPROBE_NEAR_SIZE / KPROBE_SLOT_SIZE)

/**
 * struct slots - slots that a test has made
 * @owner: the point that owns them; it is in no table
 * @slot:  the slots
 * @nr:    how many
 */
struct slots {
	struct kprobe_point owner;
	void *slot[MANY];
	unsigned int nr;
};

static void use_near(bool use)
{
	guard(mutex)(&kprobe_mutex);
	kprobe_use_near_slots(use);
}

static int near_init(struct kunit *test)
{
	/* Points that come back would keep their slots. */
	kprobes_wait_for_frees();
	use_near(true);
	return 0;
}

static void near_exit(struct kunit *test)
{
	use_near(!__is_defined(KPROBE_NEAR_FOR_TESTS));
}

static bool is_near(const void *slot)
{
	return core_kernel_text((unsigned long)slot);
}

/* By a breakpoint at first, then mostly by a jump. */
static void near_hit(struct kunit *test)
{
	const struct kprobes_place *place = test->param_value;
	struct kprobes_counter *c = kprobes_counting(test, place);
	struct kprobe_point *point = c->kp.point;
	void *slot = kprobe_point_slot(point);

	KUNIT_EXPECT_TRUE(test, kprobe_wants_near_slot(point->site));
	if (slot) {
		KUNIT_EXPECT_TRUE(test, is_near(slot));
		KUNIT_EXPECT_TRUE(test, is_kprobe_insn_slot((unsigned long)slot));
		KUNIT_EXPECT_EQ(test, point->site, kprobe_displaced_ip((unsigned long)slot));
	}
	kprobes_expect_targets(test, HITS);
	kprobes_expect_counts(test, c, HITS, HITS);
	wait_for_kprobe_optimizer();
	if (point->detour)
		KUNIT_EXPECT_TRUE(test, is_near(point->detour->slot));
	kprobes_expect_targets(test, HITS);
	kprobes_expect_counts(test, c, 2 * HITS, 2 * HITS);
}

static enum kprobe_reason emit_bytes(void *arg, struct kprobe_code *code)
{
	static const u8 bytes[KPROBE_SLOT_SIZE];

	kprobe_code_put(code, bytes, sizeof(bytes));
	return KPROBE_REASON_NONE;
}

/* Not each CPU fetches it yet. */
static void *make_unsynced(struct kunit *test, struct slots *slots)
{
	void *slot;

	guard(mutex)(&kprobe_mutex);
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_NONE,
			kprobe_slot_make(&slot, (unsigned long)&slots->owner |
					 KPROBE_OWNER_IS_POINT, emit_bytes, NULL));
	return slot;
}

static void *make(struct kunit *test, struct slots *slots)
{
	void *slot = make_unsynced(test, slots);

	guard(mutex)(&kprobe_mutex);
	kprobe_slots_sync();
	return slot;
}

static void unmake_all(void *data)
{
	struct slots *slots = data;

	while (slots->nr) {
		scoped_guard(mutex, &kprobe_mutex)
			kprobe_slot_free(slots->slot[--slots->nr]);
		cond_resched();
	}
	/* RCU readers may still look up the owner. */
	synchronize_rcu();
}

static struct slots *no_slots(struct kunit *test, unsigned long site)
{
	struct slots *slots = kunit_kzalloc(test, sizeof(*slots), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, slots);
	slots->owner.site = site;
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, unmake_all, slots));
	return slots;
}

/* Others are used then, and these again as soon as there is room. */
static void near_is_full(struct kunit *test)
{
	struct slots *slots = no_slots(test, (unsigned long)near_is_full);
	unsigned int i, near = 0;
	void *slot;

	for (i = 0; i < MANY; i++) {
		slot = make_unsynced(test, slots);
		KUNIT_ASSERT_NOT_NULL(test, slot);
		slots->slot[slots->nr++] = slot;
		cond_resched();
		/* Once full, it stays so. */
		if (is_near(slot))
			KUNIT_EXPECT_EQ(test, near++, i);
	}
	KUNIT_ASSERT_GT(test, near, MANY / 4);
	KUNIT_ASSERT_LT(test, near, MANY);
	scoped_guard(mutex, &kprobe_mutex) {
		kprobe_slot_free(slots->slot[near / 2]);
		slots->slot[near / 2] = NULL;
	}
	slot = make(test, slots);
	KUNIT_EXPECT_TRUE(test, is_near(slot));
	slots->slot[near / 2] = slot;
}

/* Slots are where they were made. The memory stays when the last one has gone. */
static void near_is_kept(struct kunit *test)
{
	struct slots *slots = no_slots(test, (unsigned long)near_is_kept);
	void *slot = make(test, slots);

	KUNIT_EXPECT_TRUE(test, is_near(slot));
	slots->slot[slots->nr++] = slot;
	KUNIT_EXPECT_TRUE(test, kprobes_slot_has_owner(slot));
	unmake_all(slots);
	KUNIT_EXPECT_FALSE(test, kprobes_slot_has_owner(slot));
	KUNIT_EXPECT_TRUE(test, is_kprobe_insn_slot((unsigned long)slot));
	KUNIT_EXPECT_PTR_EQ(test, slot, make(test, slots));
	slots->slot[slots->nr++] = slot;
}

static void near_only_in_reach(struct kunit *test)
{
	/* The other half of the address space. */
	unsigned long far = (unsigned long)near_only_in_reach ^ 1UL << (BITS_PER_LONG - 1);
	struct slots *slots = no_slots(test, far);

	if (!IS_ENABLED(CONFIG_64BIT))
		kunit_skip(test, "a jump reaches everything");
	KUNIT_EXPECT_FALSE(test, kprobe_wants_near_slot(far));
	slots->slot[0] = make(test, slots);
	slots->nr = 1;
	KUNIT_EXPECT_FALSE(test, is_near(slots->slot[0]));
}

static void near_is_turned_off(struct kunit *test)
{
	struct slots *slots = no_slots(test, (unsigned long)near_is_turned_off);

	use_near(false);
	slots->slot[0] = make(test, slots);
	slots->nr = 1;
	KUNIT_EXPECT_FALSE(test, is_near(slots->slot[0]));
}

static struct kunit_case near_test_cases[] = {
	KPROBES_CASE_PLACES(near_hit),
	KUNIT_CASE(near_is_full),
	KUNIT_CASE(near_is_kept),
	KUNIT_CASE(near_only_in_reach),
	KUNIT_CASE(near_is_turned_off),
	{}
};

static struct kunit_suite near_suite = {
	.name = "kprobes_near",
	.init = near_init,
	.exit = near_exit,
	.test_cases = near_test_cases,
};

kunit_test_suite(near_suite);
