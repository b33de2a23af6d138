// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests that a jump is only made where it reaches the stub. Some stubs do not lead back: that
 * they reach all they need does not tell.
 */
#include <kunit/test.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <asm/sections.h>

#include "../../../mechanism.h"

struct reach_case {
	const char *name;
	u32 word;
};

static const struct reach_case reach_cases[] = {
	{ "ret", 0xd65f03c0 },
	{ "br x9", 0xd61f0120 },
	{ "blr x9", 0xd63f0120 },
	{ "b .+0x1000", 0x14000400 },
	{ "add x0, x0, #1", 0x91000400 },
};

KUNIT_ARRAY_PARAM_DESC(reach, reach_cases, name);

/* What becomes of an instruction at that address. Its text is not looked at, nor patched. */
static enum kprobe_reason make_jump_at(struct kunit *test, unsigned long site)
{
	const struct reach_case *c = test->param_value;
	struct kprobe_point point = {
		.addr = site, .site = site, .len = sizeof(u32), .region_len = sizeof(u32),
		.breakpoint_len = sizeof(u32),
	};
	struct kprobe_region region;
	enum kprobe_reason reason;
	u8 text[sizeof(u32)];

	put_unaligned_le32(c->word, text);
	memcpy(point.insn, text, sizeof(text));
	KUNIT_ASSERT_EQ(test, KPROBE_REASON_NONE,
			kprobe_plan_region(arch_kprobe_isa, &region, text, sizeof(text), site));
	guard(mutex)(&kprobe_mutex);
	reason = kprobe_detour_for_jump(&point, &region);
	kprobe_detour_free(point.detour);
	return reason;
}

static void arm64_in_reach(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_NONE, make_jump_at(test, (unsigned long)_stext));
}

/* Where modules are if CONFIG_RANDOMIZE_MODULE_REGION_FULL has put them there. */
static void arm64_out_of_reach(struct kunit *test)
{
	unsigned long text = (unsigned long)_stext;

	KUNIT_EXPECT_EQ(test, KPROBE_REASON_OUT_OF_REACH, make_jump_at(test, text - SZ_1G));
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_OUT_OF_REACH, make_jump_at(test, text + SZ_1G));
}

static struct kunit_case arm64_reach_test_cases[] = {
	KUNIT_CASE_PARAM(arm64_in_reach, reach_gen_params),
	KUNIT_CASE_PARAM(arm64_out_of_reach, reach_gen_params),
	{}
};

static struct kunit_suite arm64_reach_suite = {
	.name = "kprobes_arm64_reach",
	.test_cases = arm64_reach_test_cases,
};

kunit_test_suite(arm64_reach_suite);
