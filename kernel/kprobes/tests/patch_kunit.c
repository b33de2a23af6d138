// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of the steps in which sites are patched: after each step CPUs can execute the
 * text.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/string.h>

#include "../patch.h"
#include "../point.h"
#include "../table.h"
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

	arch_kprobe_isa->breakpoint(&code, &point->plan);
	return !memcmp(text, breakpoint, code.len);
}

static bool differs_after_breakpoint(const struct kprobe_point *point, const u8 *a,
				     const u8 *b)
{
	unsigned int head = point->plan.breakpoint_len;

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

#ifdef CONFIG_OPTPROBES
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
#endif

static struct kunit_case patch_cases[] = {
	KUNIT_CASE(patch_breakpoint),
#ifdef CONFIG_OPTPROBES
	KUNIT_CASE(patch_jump),
#endif
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
