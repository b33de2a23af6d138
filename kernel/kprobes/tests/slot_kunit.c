// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of slots: their owners, the protection of their memory, and that they are
 * allocated and freed. Most belong to a point that is in no table, so nobody executes them.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobe_arch.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uaccess.h>

#include "../chunk.h"
#include "../slot.h"
#include "targets.h"
#include "waits.h"

/* What slots consist of. A slot begins with the address of its owner. */
static_assert(UNIT == 8);
#define UNITS		DIV_ROUND_UP(sizeof(long) + KPROBE_SLOT_SIZE, UNIT)

/* Of the largest slots of instructions. The first unit of a page and the last ones are in none. */
static_assert(LAST_UNITS * 8 == round_up(KPROBE_INSN_MAX, 8));
#define SLOTS_PER_PAGE	((PAGE_SIZE / UNIT - 1 - LAST_UNITS) / UNITS)

/* So many that there must be several chunks of pages. */
#define MANY_SLOTS	(20 * SLOTS_PER_PAGE + 1)

/* A made-up address and length of the instruction that slots are for. */
#define OWNER_ADDR	0x1000UL
#define OWNER_LEN	3

/**
 * struct slots - slots that a test has allocated
 * @owner: the point that owns them
 * @slot:  the slots, NULL for those that were freed
 * @page:  room for tests to note the pages of slots
 * @nr:    how many were allocated
 */
struct slots {
	struct kprobe_point owner;
	void *slot[MANY_SLOTS];
	unsigned long page[MANY_SLOTS];
	unsigned int nr;
};

static void free_slots(void *data)
{
	struct slots *slots = data;
	unsigned int i;

	mutex_lock(&kprobe_mutex);
	for (i = 0; i < slots->nr; i++)
		kprobe_slot_free(slots->slot[i]);
	mutex_unlock(&kprobe_mutex);
	slots->nr = 0;
	/* RCU readers may still look up the owner. */
	synchronize_rcu();
}

/* The code of a slot that a test makes: so many bytes, each with the slot's number. */
struct slot_code {
	unsigned int size;
	u8 byte;
};

static enum kprobe_reason emit_code(void *arg, struct kprobe_code *code)
{
	const struct slot_code *c = arg;
	unsigned int i;

	for (i = 0; i < c->size; i++)
		kprobe_code_put(code, &c->byte, 1);
	return KPROBE_REASON_NONE;
}

static void *make_slot(struct kunit *test, struct slots *slots, unsigned int size, u8 byte)
{
	struct slot_code code = { .size = size, .byte = byte };
	enum kprobe_reason reason;
	void *slot;

	mutex_lock(&kprobe_mutex);
	reason = kprobe_slot_make(&slot, (unsigned long)&slots->owner | KPROBE_OWNER_IS_POINT,
				  emit_code, &code);
	kprobe_slots_sync();
	mutex_unlock(&kprobe_mutex);
	KUNIT_ASSERT_EQ(test, KPROBE_REASON_NONE, reason);
	return slot;
}

static void alloc_sized(struct kunit *test, struct slots *slots, unsigned int size)
{
	slots->slot[slots->nr] = make_slot(test, slots, size, slots->nr);
	slots->nr++;
}

static void alloc_one(struct kunit *test, struct slots *slots)
{
	alloc_sized(test, slots, KPROBE_SLOT_SIZE);
}

static void free_one(struct slots *slots, unsigned int i)
{
	mutex_lock(&kprobe_mutex);
	kprobe_slot_free(slots->slot[i]);
	mutex_unlock(&kprobe_mutex);
	slots->slot[i] = NULL;
}

static struct slots *alloc_slots(struct kunit *test, unsigned int nr)
{
	struct slots *slots = kunit_kzalloc(test, sizeof(*slots), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, slots);
	slots->owner.site = OWNER_ADDR;
	slots->owner.len = OWNER_LEN;
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_slots, slots));
	while (slots->nr < nr)
		alloc_one(test, slots);
	return slots;
}

static unsigned long page_at(const void *slot)
{
	return (unsigned long)slot & PAGE_MASK;
}

static int compare_slots(const void *a, const void *b)
{
	const void *x = *(void * const *)a, *y = *(void * const *)b;

	return x < y ? -1 : x > y;
}

static void slot_distinct(struct kunit *test)
{
	struct slots *slots = alloc_slots(test, MANY_SLOTS);
	unsigned int i, pages = 1;

	sort(slots->slot, slots->nr, sizeof(void *), compare_slots, NULL);
	for (i = 0; i < slots->nr; i++) {
		void *slot = slots->slot[i];

		KUNIT_EXPECT_EQ(test, sizeof(long) % UNIT, offset_in_page(slot) % UNIT);
		if (!i)
			continue;
		KUNIT_EXPECT_GE(test, (unsigned long)slot,
				(unsigned long)slots->slot[i - 1] + KPROBE_SLOT_SIZE);
		pages += page_at(slot) != page_at(slots->slot[i - 1]);
	}
	/* Pages are allocated only if all others are full. Some of these have other slots, too. */
	KUNIT_EXPECT_LE(test, pages, MANY_SLOTS / SLOTS_PER_PAGE + 10);
}

/* A displaced RIP-relative operand has to reach what the original reaches. */
static void slot_near_text(struct kunit *test)
{
	struct slots *slots = alloc_slots(test, 1);
	long distance = (long)slots->slot[0] - (long)slot_near_text;

	if (!KPROBES_NEAR_SLOTS)
		kunit_skip(test, "no such operands");
	KUNIT_EXPECT_EQ(test, distance, (long)(s32)distance);
}

static bool are_protected(void)
{
	return IS_ENABLED(CONFIG_STRICT_KERNEL_RWX) && !KPROBES_PAGES_ARE_WRITABLE;
}

static void expect_protected(struct kunit *test, void *addr)
{
	u8 byte = 0;

	/* The kernel's text is protected when it has booted. */
	if (core_kernel_text((unsigned long)addr) && system_state < SYSTEM_RUNNING)
		return;
	KUNIT_EXPECT_TRUE(test, kprobes_page_is_protected(addr));
	KUNIT_EXPECT_EQ(test, 0, copy_from_kernel_nofault(&byte, addr, 1));
	KUNIT_EXPECT_EQ(test, -EFAULT, copy_to_kernel_nofault(addr, &byte, 1));
}

/* What no slot has: the end of a page. A jump that goes astray traps there. */
static void slot_page_traps(struct kunit *test)
{
	struct slots *slots = alloc_slots(test, 1);
	u8 *end = (u8 *)page_at(slots->slot[0]) + PAGE_SIZE, *at;
	struct kprobe_insn insn;

	for (at = end - 2 * KPROBE_INSN_ALIGN; at < end; at += insn.len) {
		KUNIT_EXPECT_EQ(test, KPROBE_REASON_TRAP,
				arch_kprobe_isa->plan(&insn, at, end - at, (unsigned long)at));
		KUNIT_ASSERT_GT(test, insn.len, 0);
	}
}

static void slot_protected(struct kunit *test)
{
	struct slots *slots = alloc_slots(test, 1);
	void *slot = slots->slot[0];

	if (!are_protected())
		kunit_skip(test, "memory is not protected");
	expect_protected(test, slot);
	expect_protected(test, slot + KPROBE_SLOT_SIZE - 1);
	/* Also when another one in its page was written. */
	alloc_one(test, slots);
	expect_protected(test, slot);
}

static void expect_code(struct kunit *test, const struct slots *slots, unsigned int i,
			unsigned int size)
{
	u8 expected[KPROBE_SLOT_SIZE];

	memset(expected, i, size);
	KUNIT_EXPECT_MEMEQ(test, slots->slot[i], expected, size);
}

/* Of several lengths, next to each other, and in place of others. Nothing else changes. */
static void slot_written(struct kunit *test)
{
	struct slots *slots = alloc_slots(test, 0);
	unsigned int i;

	for (i = 0; i <= KPROBE_SLOT_SIZE; i++)
		alloc_sized(test, slots, i);
	for (i = 0; i <= KPROBE_SLOT_SIZE; i += 3)
		free_one(slots, i);
	for (i = 0; i <= KPROBE_SLOT_SIZE; i += 3)
		slots->slot[i] = make_slot(test, slots, i, i);
	for (i = 0; i <= KPROBE_SLOT_SIZE; i++)
		expect_code(test, slots, i, i);
}

static void expect_slot_of(struct kunit *test, void *slot, struct kprobe_point *owner)
{
	unsigned long addr = (unsigned long)slot;
	unsigned int i, offset;

	for (i = 0; i < KPROBE_SLOT_SIZE; i++, addr++) {
		offset = ~0;
		KUNIT_EXPECT_TRUE(test, is_kprobe_insn_slot(addr));
		KUNIT_EXPECT_TRUE(test, kernel_text_address(addr));
		KUNIT_EXPECT_TRUE(test, __kernel_text_address(addr));
		KUNIT_EXPECT_PTR_EQ(test, owner, kprobe_slot_owner(addr, &offset));
		if (owner)
			KUNIT_EXPECT_EQ(test, i, offset);
		KUNIT_EXPECT_EQ(test, kprobe_displaced_ip(addr),
				owner ? owner->site + (i ? owner->len : 0) : addr);
	}
}

static void slot_of_every_byte(struct kunit *test)
{
	struct slots *slots = alloc_slots(test, 1), *others = alloc_slots(test, 1);
	void *slot;

	others->owner.site = OWNER_ADDR + 0x100;
	slot = slots->slot[0];
	expect_slot_of(test, slot, &slots->owner);
	expect_slot_of(test, others->slot[0], &others->owner);
	free_one(slots, 0);
	/* The page still exists, but the slot has no owner. */
	if (is_kprobe_insn_slot((unsigned long)slot))
		expect_slot_of(test, slot, NULL);
	expect_slot_of(test, others->slot[0], &others->owner);
}

static void expect_no_slot(struct kunit *test, unsigned long addr)
{
	unsigned int offset;

	KUNIT_EXPECT_FALSE(test, is_kprobe_insn_slot(addr));
	KUNIT_EXPECT_NULL(test, kprobe_slot_owner(addr, &offset));
	KUNIT_EXPECT_EQ(test, addr, kprobe_displaced_ip(addr));
}

static bool page_is_listed(unsigned long page)
{
	char name[KSYM_NAME_LEN], type;
	unsigned int nr = 0;
	unsigned long value;

	/* Pages are numbered; kprobe_mutex keeps them from coming and going. */
	guard(mutex)(&kprobe_mutex);
	while (!kprobe_get_kallsym(nr++, &value, &type, name))
		if (value == page)
			return true;
	return false;
}

static void slot_neighbours(struct kunit *test)
{
	struct slots *slots = alloc_slots(test, SLOTS_PER_PAGE);
	unsigned long page = page_at(slots->slot[0]), end = page;

	KUNIT_EXPECT_TRUE(test, is_kprobe_insn_slot(page));
	KUNIT_EXPECT_TRUE(test, is_kprobe_insn_slot(page + PAGE_SIZE - 1));
	while (page_is_listed(page - PAGE_SIZE))
		page -= PAGE_SIZE;
	while (page_is_listed(end))
		end += PAGE_SIZE;
	/* After each allocation of execmem there is an unmapped page. */
	expect_no_slot(test, end);
	expect_no_slot(test, page - 1);
	expect_no_slot(test, 0);
	expect_no_slot(test, ULONG_MAX);
	expect_no_slot(test, (unsigned long)slot_neighbours);
	expect_no_slot(test, (unsigned long)slots);
}

/* Pages in the order of /proc/kallsyms. */
static unsigned int count_pages(struct kunit *test)
{
	unsigned long value, last = 0;
	char name[KSYM_NAME_LEN], type;
	unsigned int nr = 0;

	while (!kprobe_get_kallsym(nr, &value, &type, name)) {
		KUNIT_EXPECT_STREQ(test, name, "kprobe_insn_page");
		KUNIT_EXPECT_EQ(test, type, 't');
		KUNIT_EXPECT_EQ(test, 0, offset_in_page(value));
		KUNIT_EXPECT_GT(test, value, last);
		KUNIT_EXPECT_TRUE(test, is_kprobe_insn_slot(value));
		last = value;
		nr++;
	}
	KUNIT_EXPECT_EQ(test, -ERANGE, kprobe_get_kallsym(nr + 1, &value, &type, name));
	return nr;
}

static void slot_pages_come_and_go(struct kunit *test)
{
	struct slots *slots = alloc_slots(test, 1);
	unsigned int i, before = count_pages(test), gone = 0;

	while (slots->nr < MANY_SLOTS)
		alloc_one(test, slots);
	/* Some may be in pages that are there. */
	KUNIT_EXPECT_GE(test, count_pages(test), before + 2);
	for (i = 0; i < MANY_SLOTS; i++) {
		slots->page[i] = page_at(slots->slot[i]);
		KUNIT_EXPECT_TRUE(test, page_is_listed(slots->page[i]));
	}
	for (i = MANY_SLOTS; i-- > 1; )
		free_one(slots, i);
	KUNIT_EXPECT_LE(test, count_pages(test), before + 8);
	for (i = 0; i < MANY_SLOTS; i++) {
		bool is_there = is_kprobe_insn_slot(slots->page[i]);

		gone += !is_there;
		KUNIT_EXPECT_EQ(test, is_there, page_is_listed(slots->page[i]));
	}
	KUNIT_EXPECT_GE(test, gone, SLOTS_PER_PAGE - 1);
}

/* A slot that was freed in a full page is allocated next. */
static void slot_reused(struct kunit *test)
{
	struct slots *slots = alloc_slots(test, MANY_SLOTS);
	unsigned int i, pages = count_pages(test);

	for (i = 0; i < MANY_SLOTS; i += 2)
		free_one(slots, i);
	for (i = 0; i < MANY_SLOTS; i += 2)
		slots->slot[i] = make_slot(test, slots, KPROBE_SLOT_SIZE, i);
	KUNIT_EXPECT_EQ(test, pages, count_pages(test));
	sort(slots->slot, slots->nr, sizeof(void *), compare_slots, NULL);
	for (i = 1; i < MANY_SLOTS; i++)
		KUNIT_EXPECT_PTR_NE(test, slots->slot[i], slots->slot[i - 1]);
}

/* With many slots several pages are allocated at once. Each page is like one by itself. */
static void slot_in_chunks(struct kunit *test)
{
	struct slots *slots = alloc_slots(test, MANY_SLOTS);
	unsigned long owner = (unsigned long)&slots->owner | KPROBE_OWNER_IS_POINT;
	unsigned int i, offset, neighbours = 0;
	void *slot;

	sort(slots->slot, slots->nr, sizeof(void *), compare_slots, NULL);
	for (i = 0; i < slots->nr; i++) {
		slot = slots->slot[i];
		KUNIT_EXPECT_LE(test, offset_in_page(slot) + KPROBE_SLOT_SIZE,
				PAGE_SIZE - LAST_UNITS * UNIT);
		KUNIT_EXPECT_TRUE(test, page_is_listed(page_at(slot)));
		KUNIT_EXPECT_EQ(test, owner, kprobe_running_owner((unsigned long)slot));
		slot += KPROBE_SLOT_SIZE - 1;
		KUNIT_EXPECT_EQ(test, owner, kprobe_running_owner((unsigned long)slot));
		KUNIT_EXPECT_PTR_EQ(test, &slots->owner,
				    kprobe_slot_owner((unsigned long)slot, &offset));
		KUNIT_EXPECT_EQ(test, offset, KPROBE_SLOT_SIZE - 1);
		if (i)
			neighbours += page_at(slots->slot[i]) ==
				      page_at(slots->slot[i - 1]) + PAGE_SIZE;
	}
	/* There is an unmapped page after each chunk. */
	KUNIT_EXPECT_GT(test, neighbours, 0);
}

/* As many bytes as an instruction may have can be read, also from the last one of a page. */
static void slot_can_be_decoded(struct kunit *test)
{
	/* So that slots end with units. */
	const unsigned int size = 2 * UNIT - sizeof(long);
	struct slots *slots = alloc_slots(test, 0);
	u8 insn[KPROBE_INSN_MAX];
	unsigned int i;

	while (slots->nr < MANY_SLOTS)
		alloc_sized(test, slots, size);
	for (i = 0; i < slots->nr; i++)
		KUNIT_EXPECT_EQ(test, 0,
				copy_from_kernel_nofault(insn,
							 slots->slot[i] + size - KPROBE_INSN_ALIGN,
							 sizeof(insn)));
}

/* Lookups while pages come and go */

struct slot_reader {
	struct task_struct *task;
	unsigned long addr;
	unsigned long wrong;
};

static int read_slots(void *data)
{
	struct slot_reader *reader = data;

	while (!kthread_should_stop()) {
		unsigned long addr = READ_ONCE(reader->addr);
		unsigned long ip = kprobe_displaced_ip(addr);

		if (ip != addr && ip != OWNER_ADDR && ip != OWNER_ADDR + OWNER_LEN)
			reader->wrong++;
		is_kprobe_insn_slot(addr ^ PAGE_SIZE);
		cond_resched();
	}
	return 0;
}

static void stop_reader(void *data)
{
	struct slot_reader *reader = data;

	if (reader->task)
		kthread_stop(reader->task);
	reader->task = NULL;
}

static void slot_lookup_while_pages_go(struct kunit *test)
{
	struct slot_reader *reader = kunit_kzalloc(test, sizeof(*reader), GFP_KERNEL);
	struct slots *slots = alloc_slots(test, 1);
	struct task_struct *task;
	unsigned int round, i;

	KUNIT_ASSERT_NOT_NULL(test, reader);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, stop_reader, reader));
	task = kthread_run(read_slots, reader, "kprobe_slots");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
	reader->task = task;
	for (round = 0; round < 20; round++) {
		while (slots->nr < 2 * SLOTS_PER_PAGE + 1) {
			alloc_one(test, slots);
			WRITE_ONCE(reader->addr,
				   (unsigned long)slots->slot[slots->nr - 1] + round % 2);
		}
		cond_resched();
		for (i = 1; i < slots->nr; i++)
			free_one(slots, i);
		slots->nr = 1;
	}
	stop_reader(reader);
	KUNIT_EXPECT_EQ(test, 0, reader->wrong);
}

/* Slots of a point in use */

static int slot_target_calls;

static noinline __noclone notrace int slot_target(int x)
{
	barrier();
	slot_target_calls++;
	barrier();
	return x + 1;
}

static int slot_pre(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static void slot_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
}

static void unregister_probe(void *p)
{
	unregister_kprobe(p);
}

static void expect_slot_at(struct kunit *test, void *slot, unsigned long addr, u8 len)
{
	KUNIT_EXPECT_EQ(test, addr, kprobe_displaced_ip((unsigned long)slot));
	KUNIT_EXPECT_EQ(test, addr + len, kprobe_displaced_ip((unsigned long)slot + 1));
	if (are_protected())
		expect_protected(test, slot);
}

/* A point's slot is freed only after a Tasks RCU grace period. */
static void slot_of_point(struct kunit *test)
{
	struct kprobe *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);
	struct kprobe_point *point;
	void *slot, *post_slot;

	KUNIT_ASSERT_NOT_NULL(test, p);
	p->addr = (kprobe_opcode_t *)slot_target;
	p->pre_handler = slot_pre;
	p->post_handler = slot_post;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(p));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, unregister_probe, p));
	point = kprobe_point_lookup((unsigned long)p->addr);
	KUNIT_ASSERT_NOT_NULL(test, point);
	slot = kprobe_point_slot(point);
	post_slot = point->text.run_post;
	if (!slot || !post_slot)
		kunit_skip(test, "the instruction is emulated");
	expect_slot_at(test, slot, point->site, point->len);
	expect_slot_at(test, post_slot, point->site, point->len);
	KUNIT_EXPECT_EQ(test, 8, slot_target(7));

	kunit_release_action(test, unregister_probe, p);
	wait_for_kprobe_optimizer();
	KPROBES_EXPECT_SOON(test, !kprobes_slot_has_owner(slot));
	KPROBES_EXPECT_SOON(test, !kprobes_slot_has_owner(post_slot));
	KUNIT_EXPECT_EQ(test, 9, slot_target(8));
}

static struct kunit_case slot_cases[] = {
	KUNIT_CASE(slot_distinct),
	KUNIT_CASE(slot_near_text),
	KUNIT_CASE(slot_page_traps),
	KUNIT_CASE(slot_protected),
	KUNIT_CASE(slot_written),
	KUNIT_CASE(slot_of_every_byte),
	KUNIT_CASE(slot_neighbours),
	KUNIT_CASE(slot_pages_come_and_go),
	KUNIT_CASE(slot_reused),
	KUNIT_CASE(slot_in_chunks),
	KUNIT_CASE(slot_can_be_decoded),
	KUNIT_CASE(slot_lookup_while_pages_go),
	KUNIT_CASE(slot_of_point),
	{}
};

/* Waits until the points of earlier suites are freed, with their slots. */
static int slot_suite_init(struct kunit_suite *suite)
{
	wait_for_kprobe_optimizer();
	kprobes_wait_for_frees();
	return 0;
}

static struct kunit_suite slot_suite = {
	.name = "kprobes_slot",
	.suite_init = slot_suite_init,
	.test_cases = slot_cases,
};

kunit_test_suite(slot_suite);

MODULE_DESCRIPTION("KUnit tests of slots for displaced instructions");
MODULE_LICENSE("GPL");
