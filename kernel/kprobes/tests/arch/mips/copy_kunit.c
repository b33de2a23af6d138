// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of hits where a copy from user memory has landed after a fault: it computes what is left
 * from the address of the task's last fault, and a handler's own fault must not change that.
 */
#include <kunit/test.h>
#include <linux/kallsyms.h>
#include <linux/mman.h>

#include "../../optimized.h"

#define LENGTH	64

static int handlers;

static void have_fault(void)
{
	long data;

	handlers += copy_from_kernel_nofault(&data, (void *)-PAGE_SIZE, sizeof(data)) == -EFAULT;
}

static void probe_landing(struct kunit *test, unsigned long addr)
{
	const struct kprobes_place place = { .symbol = "__raw_copy_from_user" };
	struct kprobes_counter *c = kprobes_counter(test, &place);

	c->kp.offset = addr - (unsigned long)__raw_copy_from_user;
	kprobes_look(c, have_fault);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
}

/* Probes on all places where a load of the copy goes on after a fault. */
static void probe_landings(struct kunit *test)
{
	unsigned long addr, start = (unsigned long)__raw_copy_from_user, size, offset;
	const struct exception_table_entry *entry;
	unsigned long probed[16];
	unsigned int nr = 0, i;

	KUNIT_ASSERT_TRUE(test, kallsyms_lookup_size_offset(start, &size, &offset));
	for (addr = start; addr < start + size; addr += sizeof(u32)) {
		entry = search_exception_tables(addr);
		if (!entry)
			continue;
		for (i = 0; i < nr && probed[i] != entry->fixup; i++)
			;
		if (i < nr || !kernel_text_address(entry->fixup))
			continue;
		KUNIT_ASSERT_LT(test, nr, ARRAY_SIZE(probed));
		probed[nr++] = entry->fixup;
		probe_landing(test, entry->fixup);
	}
	KUNIT_ASSERT_GT(test, nr, 0);
}

/* A page that is there, and after it none. */
static const char __user *page_before_none(struct kunit *test)
{
	unsigned long page = kunit_vm_mmap(test, NULL, 0, 2 * PAGE_SIZE, PROT_READ,
					   MAP_ANONYMOUS | MAP_PRIVATE, 0);

	KUNIT_ASSERT_TRUE(test, page && !IS_ERR_VALUE(page));
	KUNIT_ASSERT_EQ(test, 0, vm_munmap(page + PAGE_SIZE, PAGE_SIZE));
	return (const char __user *)page + PAGE_SIZE;
}

static void left_after_fault(struct kunit *test)
{
	const char __user *end = page_before_none(test);
	u8 to[LENGTH];
	int have;

	probe_landings(test);
	kprobes_settle(kprobes_way_of(test));
	for (have = 0; have < LENGTH; have++) {
		handlers = 0;
		KUNIT_EXPECT_EQ(test, LENGTH - have, raw_copy_from_user(to, end - have, LENGTH));
		KUNIT_EXPECT_GT(test, handlers, 0);
	}
}

static struct kunit_case copy_cases[] = {
	KPROBES_CASE_WAYS(left_after_fault),
	{}
};

static struct kunit_suite copy_suite = {
	.name = "kprobes_mips_copy",
	.init = kprobes_way_init,
	.exit = kprobes_way_exit,
	.test_cases = copy_cases,
};

kunit_test_suite(copy_suite);

MODULE_DESCRIPTION("KUnit tests of kprobes' hits after a fault of a copy from user memory");
MODULE_LICENSE("GPL");
