// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of the steps in which sites are patched: after each step CPUs can execute the
 * text.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/execmem.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/module.h>
#include <linux/set_memory.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "../patch.h"
#include "../point.h"
#include "optimized.h"

/* More than any batch of one site has. */
#define STEPS_MAX	6

/**
 * struct written - what a batch of one site has written
 * @site:   where the site is
 * @before: what was there
 * @text:   what was there after each step
 * @nr:     how many steps there were
 */
struct written {
	unsigned long site;
	u8 before[KPROBE_JUMP_SIZE];
	u8 text[STEPS_MAX][KPROBE_JUMP_SIZE];
	unsigned int nr;
};

static void record_step(const struct kprobe_patch *step, unsigned int nr)
{
	struct kunit *test = kunit_get_current_test();
	struct written *written = test->priv;

	KUNIT_EXPECT_EQ(test, nr, 1);
	KUNIT_EXPECT_MEMEQ(test, (void *)step->addr, step->old, step->len);
	arch_kprobe_patch(step, nr);
	if (WARN_ON(written->nr == STEPS_MAX))
		return;
	memcpy(written->text[written->nr++], (void *)written->site, KPROBE_JUMP_SIZE);
}

static void expect_steps(struct kunit *test, const struct kprobe_point *point,
			 enum kprobe_site_text text)
{
	struct written *written = test->priv;

	*written = (struct written){ .site = point->site };
	memcpy(written->before, (void *)point->site, sizeof(written->before));
	kprobe_patch_begin();
	kprobe_patch_add(point, text);
	kprobe_patch_end();
	KUNIT_EXPECT_GT(test, written->nr, 0);
}

static bool begins_with_breakpoint(const struct kprobe_point *point, const u8 *text)
{
	u8 breakpoint[KPROBE_JUMP_SIZE];
	struct kprobe_code code = {
		.buf = breakpoint, .size = sizeof(breakpoint), .base = point->site,
	};

	kprobe_point_put_breakpoint(point, &code);
	return !memcmp(text, breakpoint, code.len);
}

static bool differs_after_breakpoint(const struct kprobe_point *point, const u8 *a,
				     const u8 *b)
{
	unsigned int head = point->breakpoint_len;

	return memcmp(a + head, b + head, KPROBE_JUMP_SIZE - head);
}

/* A step changes bytes after the first only if a breakpoint is there before and after. */
static void expect_guarded(struct kunit *test, const struct kprobe_point *point)
{
	const struct written *written = test->priv;
	const u8 *before = written->before;
	unsigned int i;

	for (i = 0; i < written->nr; i++) {
		const u8 *after = written->text[i];

		if (differs_after_breakpoint(point, before, after)) {
			KUNIT_EXPECT_TRUE(test, begins_with_breakpoint(point, before));
			KUNIT_EXPECT_TRUE(test, begins_with_breakpoint(point, after));
		}
		before = after;
	}
}

static const u8 *last_text(const struct written *written)
{
	return written->nr ? written->text[written->nr - 1] : written->before;
}

static int patch_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct written), GFP_KERNEL);
	return test->priv ? 0 : -ENOMEM;
}

/* A breakpoint is there or it is not: one step each. */
static void patch_breakpoint(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counting(test,
						     kprobes_place_named(KPROBES_PLACE_ASM));
	const struct kprobe_point *point = c->kp.point;
	struct written *written = test->priv;

	KUNIT_ASSERT_EQ(test, disable_kprobe(&c->kp), 0);
	KUNIT_ASSERT_EQ(test, point->state, KPROBE_POINT_IDLE);
	guard(mutex)(&kprobe_mutex);
	kunit_activate_static_stub(test, kprobe_patch_step, record_step);
	expect_steps(test, point, KPROBE_SITE_BREAKPOINT);
	KUNIT_EXPECT_EQ(test, written->nr, 1);
	KUNIT_EXPECT_TRUE(test, begins_with_breakpoint(point, last_text(written)));
	expect_steps(test, point, KPROBE_SITE_ORIGINAL);
	KUNIT_EXPECT_EQ(test, written->nr, 1);
	KUNIT_EXPECT_MEMEQ(test, last_text(written), (u8 *)point->insn, KPROBE_JUMP_SIZE);
	kunit_deactivate_static_stub(test, kprobe_patch_step);
}

static const struct kprobes_place plain = {
	.name = "instruction", .symbol = "kprobes_opt_plain",
};

/* A jump is written, replaced and removed while a breakpoint is in front of its bytes. */
static void patch_jump(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counter(test, &plain);
	struct written *written = test->priv;
	const struct kprobe_point *point;
	u8 jump[KPROBE_JUMP_SIZE];

	kprobes_expect_jump(test, c);
	guard(mutex)(&kprobe_mutex);
	point = c->kp.point;
	memcpy(jump, (void *)point->site, sizeof(jump));
	kunit_activate_static_stub(test, kprobe_patch_step, record_step);
	expect_steps(test, point, KPROBE_SITE_JUMP);
	expect_guarded(test, point);
	KUNIT_EXPECT_MEMEQ(test, last_text(written), jump, sizeof(jump));
	expect_steps(test, point, KPROBE_SITE_ORIGINAL);
	expect_guarded(test, point);
	KUNIT_EXPECT_MEMEQ(test, last_text(written), (u8 *)point->insn, KPROBE_JUMP_SIZE);
	expect_steps(test, point, KPROBE_SITE_BREAKPOINT);
	expect_steps(test, point, KPROBE_SITE_JUMP);
	expect_guarded(test, point);
	KUNIT_EXPECT_MEMEQ(test, last_text(written), jump, sizeof(jump));
	kunit_deactivate_static_stub(test, kprobe_patch_step);
}

/* Where the patches of a step are: close together, far apart, at pages' ends, in any order. */
static const unsigned int many_offsets[] = {
	0, 4, 8, 64, 512, 516, 1100, PAGE_SIZE - 8, PAGE_SIZE - 4, PAGE_SIZE, PAGE_SIZE + 4,
	300, 304, 2 * PAGE_SIZE - 4, PAGE_SIZE + 2048, PAGE_SIZE + 2044, 1104,
};

#define MANY_SIZE	(2 * PAGE_SIZE)

static int fill_text(u8 *text, u8 *with)
{
	unsigned int i;
	int ret;

	for (i = 0; i < MANY_SIZE; i++)
		with[i] = i * 7;
	ret = set_memory_rox((unsigned long)text, MANY_SIZE / PAGE_SIZE);
	if (!ret)
		arch_kprobe_write_slot(text, with, MANY_SIZE);
	return ret;
}

static void free_text(void *text)
{
	execmem_free(text);
}

/* A step changes the text of its patches and no other. */
static void patch_many(struct kunit *test)
{
	static const u32 word = 0x04030201;
	struct kprobe_patch *step;
	u8 *text, *expected;
	unsigned int i;

	step = kunit_kcalloc(test, ARRAY_SIZE(many_offsets), sizeof(*step), GFP_KERNEL);
	expected = kunit_kmalloc(test, MANY_SIZE, GFP_KERNEL);
	text = execmem_alloc(EXECMEM_KPROBES, MANY_SIZE);
	KUNIT_ASSERT_TRUE(test, step && expected && text);
	set_vm_flush_reset_perms(text);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, free_text, text), 0);
	KUNIT_ASSERT_EQ(test, fill_text(text, expected), 0);
	KUNIT_ASSERT_EQ(test, memcmp(text, expected, MANY_SIZE), 0);
	for (i = 0; i < ARRAY_SIZE(many_offsets); i++) {
		u8 *at = text + many_offsets[i];

		step[i] = (struct kprobe_patch){
			.addr = (unsigned long)at, .old = expected + many_offsets[i],
			.new = (const u8 *)&word, .len = sizeof(word),
		};
	}
	scoped_guard(mutex, &kprobe_mutex) {
		cpus_read_lock();
		mutex_lock(&text_mutex);
		arch_kprobe_patch(step, ARRAY_SIZE(many_offsets));
		mutex_unlock(&text_mutex);
		cpus_read_unlock();
	}
	for (i = 0; i < ARRAY_SIZE(many_offsets); i++)
		memcpy(expected + many_offsets[i], &word, sizeof(word));
	KUNIT_EXPECT_EQ(test, memcmp(text, expected, MANY_SIZE), 0);
}

static struct kunit_case patch_cases[] = {
	KUNIT_CASE(patch_breakpoint),
	KUNIT_CASE(patch_jump),
	KUNIT_CASE(patch_many),
	{}
};

static struct kunit_suite patch_suite = {
	.name = "kprobes_patch",
	.init = patch_init,
	.test_cases = patch_cases,
};

kunit_test_suite(patch_suite);

MODULE_DESCRIPTION("KUnit tests of patching text at sites");
MODULE_LICENSE("GPL");
