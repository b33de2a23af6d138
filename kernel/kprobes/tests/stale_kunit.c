// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests what traps find that no breakpoint in the text explains, and what unwinders find that
 * decode text with probes.
 */
#include <kunit/test.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include "../hit.h"
#include "../place.h"
#include "optimized.h"
#include "targets.h"

/* More than a CPU that executes the text again can need. */
#define MANY	100000

static int trap_with(unsigned long addr, struct pt_regs *regs)
{
	unsigned long flags;
	int handled;

	local_irq_save(flags);
	handled = kprobe_breakpoint_hit(addr, regs, 0);
	local_irq_restore(flags);
	return handled;
}

static int trap_at(unsigned long addr, struct pt_regs *regs)
{
	*regs = (struct pt_regs){};
	return trap_with(addr, regs);
}

static void executed_again(struct kunit *test)
{
	unsigned long addr = kprobe_code_address(trap_at); /* nobody probes it */
	struct pt_regs regs;

	KUNIT_EXPECT_EQ(test, trap_at(addr, &regs), 1);
	KUNIT_EXPECT_EQ(test, instruction_pointer(&regs), addr);
}

/* Where branches have a delay slot, somebody's trap may be there. */
static void executed_again_in_delay_slot(struct kunit *test)
{
	unsigned long addr = kprobe_code_address(trap_at); /* nobody probes it */
	struct pt_regs regs = {};
	unsigned long next;

	instruction_pointer_set(&regs, addr);
	arch_kprobe_set_next_ip(&regs, addr + PAGE_SIZE);
	next = arch_kprobe_next_ip(&regs);
	KUNIT_EXPECT_EQ(test, trap_with(addr, &regs), 1);
	KUNIT_EXPECT_EQ(test, instruction_pointer(&regs), addr);
	KUNIT_EXPECT_EQ(test, next, arch_kprobe_next_ip(&regs));
}

/* Else a CPU would trap for ever on somebody else's instruction. */
static void not_for_ever(struct kunit *test)
{
	unsigned long addr = kprobe_code_address(trap_at); /* nobody probes it */
	struct pt_regs regs;
	unsigned int i = 0;

	migrate_disable();
	while (i < MANY && trap_at(addr, &regs))
		i++;
	KUNIT_EXPECT_GT(test, i, 0);
	KUNIT_EXPECT_LT(test, i, MANY);
	KUNIT_EXPECT_EQ(test, instruction_pointer(&regs), 0);
	/* That does not concern others. */
	KUNIT_EXPECT_EQ(test, trap_at(addr + KPROBE_INSN_ALIGN, &regs), 1);
	KUNIT_EXPECT_EQ(test, trap_at(addr, &regs), 1);
	migrate_enable();
}

/* Of such a slot each word may be the breakpoint. Of one for post-handlers it calls them. */
static void slot_ends_in_trap(struct kunit *test)
{
	struct kprobes_counter *c = kprobes_counter(test, kprobes_place_named(KPROBES_PLACE_ASM));
	unsigned int offset, post, posts = 0;
	struct kprobe_point *point;
	struct pt_regs regs, ended;

	kprobes_hold_optimizer(true);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	scoped_guard(mutex, &kprobe_mutex)
		point = kprobe_point_lookup((unsigned long)c->kp.addr);
	for (post = 0; post < 2; post++) {
		void *slot = post ? point->text.run_post : point->text.run;

		KUNIT_ASSERT_NOT_NULL(test, slot);
		for (offset = KPROBE_INSN_ALIGN; offset <= point->len;
		     offset += KPROBE_INSN_ALIGN) {
			point->ends_in_trap = 1;
			KUNIT_EXPECT_EQ(test, 1, trap_at((unsigned long)slot + offset, &regs));
			point->ends_in_trap = 0;
			ended = (struct pt_regs){};
			KUNIT_EXPECT_EQ(test, instruction_pointer(&regs),
					arch_kprobe_slot_ended(point, &ended, offset));
			posts += post;
		}
	}
	kprobes_expect_counts(test, c, 0, posts);
	unregister_kprobe(&c->kp);
	kprobes_hold_optimizer(false);
}

static void expect_original(struct kunit *test, const struct kprobes_text *text)
{
	u8 bytes[sizeof(text->bytes)];
	size_t from, to;

	for (from = 0; from < sizeof(bytes); from++) {
		for (to = from + 1; to <= sizeof(bytes); to++) {
			memcpy(bytes, (void *)text->addr, sizeof(bytes));
			kprobe_unpatch(text->addr + from, bytes + from, to - from);
			KUNIT_EXPECT_MEMEQ(test, bytes + from, text->bytes + from, to - from);
			KUNIT_EXPECT_MEMEQ(test, bytes, (void *)text->addr, from);
			KUNIT_EXPECT_MEMEQ(test, bytes + to, (void *)text->addr + to,
					   sizeof(bytes) - to);
		}
	}
}

/* From any byte on, as a breakpoint and as a jump, and when the probe has left. */
static void decoders_see_the_original(struct kunit *test)
{
	const struct kprobes_place *place = test->param_value;
	struct kprobes_counter *c = kprobes_counter(test, place);
	struct kprobes_text text;

	wait_for_kprobe_optimizer();
	kprobes_text_save(&text, kprobes_place_addr(place));
	kprobes_hold_optimizer(true);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	expect_original(test, &text);
	kprobes_hold_optimizer(false);
	wait_for_kprobe_optimizer();
	expect_original(test, &text);
	unregister_kprobe(&c->kp);
	expect_original(test, &text);
}

static struct kunit_case stale_test_cases[] = {
	KUNIT_CASE(executed_again),
	KUNIT_CASE(executed_again_in_delay_slot),
	KUNIT_CASE(not_for_ever),
	KUNIT_CASE(slot_ends_in_trap),
	KPROBES_CASE_PLACES(decoders_see_the_original),
	{}
};

static struct kunit_suite stale_suite = {
	.name = "kprobes_stale",
	.test_cases = stale_test_cases,
};

kunit_test_suite(stale_suite);
