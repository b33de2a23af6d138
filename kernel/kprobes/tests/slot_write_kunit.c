// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests that memory has each slot as it was made: of several that are written together, if some are
 * freed before that, and if code does not fit where it was made for.
 */
#include <kunit/test.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>

#include "../slot.h"
#include "targets.h"

/* What slots consist of. A slot begins with the address of its owner. */
#define UNIT		8

#define MANY_SLOTS	200

/**
 * struct slots - slots that a test has made
 * @owner: the point that owns them; it is in no table
 * @slot:  the slots, NULL for those that were not made, or freed
 * @size:  how many bytes of code each has: its number, again and again
 */
struct slots {
	struct kprobe_point owner;
	u8 *slot[MANY_SLOTS];
	unsigned int size[MANY_SLOTS];
};

/**
 * struct bytes - code of a slot
 * @size:  how many bytes
 * @byte:  each of them
 * @grows: it is longer at each address than at the one before
 */
struct bytes {
	unsigned int size;
	u8 byte;
	bool grows;
};

static enum kprobe_reason emit_bytes(void *arg, struct kprobe_code *code)
{
	struct bytes *b = arg;
	unsigned int i;

	if (b->grows)
		b->size = min(b->size + UNIT, KPROBE_SLOT_SIZE);
	for (i = 0; i < b->size; i++)
		kprobe_code_put(code, &b->byte, 1);
	return KPROBE_REASON_NONE;
}

/* Makes slot @i, and leaves it to the caller to have it written. kprobe_mutex is held. */
static void make(struct kunit *test, struct slots *slots, unsigned int i, unsigned int size,
		 bool grows)
{
	struct bytes b = { .size = size, .byte = i, .grows = grows };
	void *slot;

	KUNIT_EXPECT_EQ(test, KPROBE_REASON_NONE,
			kprobe_slot_make(&slot, (unsigned long)&slots->owner |
					 KPROBE_OWNER_IS_POINT, emit_bytes, &b));
	slots->slot[i] = slot;
	slots->size[i] = b.size;
}

static void unmake(struct slots *slots, unsigned int i)
{
	kprobe_slot_free(slots->slot[i]);
	slots->slot[i] = NULL;
}

static void unmake_all(void *data)
{
	unsigned int i;

	scoped_guard(mutex, &kprobe_mutex)
		for (i = 0; i < MANY_SLOTS; i++)
			unmake(data, i);
	/* RCU readers may still look up the owner. */
	synchronize_rcu();
}

static struct slots *no_slots(struct kunit *test)
{
	struct slots *slots = kunit_kzalloc(test, sizeof(*slots), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, slots);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, unmake_all, slots));
	return slots;
}

/* Each byte of the slots that are there, and their owner. */
static void expect_written(struct kunit *test, struct slots *slots)
{
	unsigned int i, at, offset;

	for (i = 0; i < MANY_SLOTS; i++) {
		for (at = 0; slots->slot[i] && at < slots->size[i]; at++) {
			KUNIT_EXPECT_EQ(test, slots->slot[i][at], (u8)i);
			offset = ~0;
			KUNIT_EXPECT_PTR_EQ(test, &slots->owner,
					    kprobe_slot_owner((unsigned long)&slots->slot[i][at],
							      &offset));
			KUNIT_EXPECT_EQ(test, offset, at);
		}
	}
}

/* More than are written at once, of all lengths. */
static void written_together(struct kunit *test)
{
	struct slots *slots = no_slots(test);
	unsigned int i;

	scoped_guard(mutex, &kprobe_mutex) {
		for (i = 0; i < MANY_SLOTS; i++)
			make(test, slots, i, i % (KPROBE_SLOT_SIZE + 1), false);
		kprobe_slots_sync();
	}
	expect_written(test, slots);
}

static void freed_before_written(struct kunit *test)
{
	struct slots *slots = no_slots(test);
	void *freed;

	scoped_guard(mutex, &kprobe_mutex) {
		make(test, slots, 0, 2 * UNIT, false);
		make(test, slots, 1, 2 * UNIT, false);
		make(test, slots, 2, 2 * UNIT, false);
		freed = slots->slot[1];
		unmake(slots, 1);
		make(test, slots, 3, 2 * UNIT, false);
		kprobe_slots_sync();
	}
	KUNIT_EXPECT_PTR_EQ(test, freed, (void *)slots->slot[3]);
	expect_written(test, slots);
}

/* The rest of a slot's last unit is not overwritten by what was made before. */
static void rest_stays(struct kunit *test)
{
	unsigned int i, size = 3 * UNIT - sizeof(long), less = UNIT - 1;
	struct slots *slots = no_slots(test);
	u8 *freed;

	scoped_guard(mutex, &kprobe_mutex) {
		make(test, slots, 1, size, false);
		kprobe_slots_sync();
		make(test, slots, 2, size, false);
		kprobe_slots_sync();
		freed = slots->slot[1];
		unmake(slots, 1);
		make(test, slots, 3, size - less, false);
		kprobe_slots_sync();
	}
	KUNIT_ASSERT_PTR_EQ(test, freed, slots->slot[3]);
	for (i = size - less; i < size; i++)
		KUNIT_EXPECT_EQ(test, freed[i], 1);
	expect_written(test, slots);
}

/* Where the code turns out not to fit, it is made for another address. */
static void growing_code(struct kunit *test)
{
	struct slots *slots = no_slots(test);
	unsigned int i;

	scoped_guard(mutex, &kprobe_mutex) {
		/* Leaves room for short code only. */
		for (i = 0; i < MANY_SLOTS; i++)
			make(test, slots, i, sizeof(long), false);
		for (i = 0; i < MANY_SLOTS; i += 2)
			unmake(slots, i);
		make(test, slots, 0, 0, false);
		make(test, slots, 2, sizeof(long), true);
		kprobe_slots_sync();
	}
	KUNIT_EXPECT_GT(test, slots->size[2], sizeof(long) + UNIT);
	expect_written(test, slots);
}

static struct kunit_case slot_write_cases[] = {
	KUNIT_CASE(written_together),
	KUNIT_CASE(freed_before_written),
	KUNIT_CASE(rest_stays),
	KUNIT_CASE(growing_code),
	{}
};

/* Waits until the points of earlier suites are freed, with their slots. */
static int slot_write_suite_init(struct kunit_suite *suite)
{
	wait_for_kprobe_optimizer();
	kprobes_wait_for_frees();
	return 0;
}

static struct kunit_suite slot_write_suite = {
	.name = "kprobes_slot_write",
	.suite_init = slot_write_suite_init,
	.test_cases = slot_write_cases,
};

kunit_test_suite(slot_write_suite);

MODULE_DESCRIPTION("KUnit tests of how slots are written");
MODULE_LICENSE("GPL");
