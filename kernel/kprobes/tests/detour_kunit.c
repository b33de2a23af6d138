// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of breakpoints that lead to detours: which points have one, and what happens when
 * probes come and go.
 */
#include <linux/hardirq.h>
#include <linux/irqflags.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>

#include "../mechanism.h"
#include "optimized.h"

/* The length of the first instruction of kprobes_opt_plain(). */
#define PLAIN_FIRST	KPROBES_OPT_PLAIN_LEN

static struct kprobes_counter *probe_at(struct kunit *test, const char *symbol,
					unsigned int offset)
{
	const struct kprobes_place place = { .symbol = symbol, .offset = offset };
	struct kprobes_counter *c = kprobes_counter(test, &place);

	c->kp.post_handler = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	return c;
}

static void expect_way(struct kunit *test, const struct kprobes_counter *c,
		       enum kprobes_way way)
{
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, way, kprobes_way_from((unsigned long)c->kp.addr));
}

static enum kprobe_reason reason_of(const struct kprobes_counter *c)
{
	guard(mutex)(&kprobe_mutex);
	return kprobe_point_lookup((unsigned long)c->kp.addr)->not_jump;
}

/* Context */

struct seen {
	bool nmi;
	bool irqs_off;
};

static int look_around(struct kprobe *p, struct pt_regs *regs)
{
	struct seen *s = kprobes_counter_of(p)->data;

	s->nmi = in_nmi();
	s->irqs_off = irqs_disabled();
	return 0;
}

/* Handlers run after the trap has returned. */
static void leaves_trap(struct kunit *test)
{
	struct kprobes_counter *c;
	struct seen s;

	kprobes_take_way(KPROBES_BY_TRAP);
	c = probe_at(test, "kprobes_opt_plain", 0);
	c->in_pre = look_around;
	c->data = &s;
	KUNIT_EXPECT_EQ(test, 15, kprobes_opt_plain(5));
	KUNIT_EXPECT_EQ(test, KPROBES_BY_TRAP, kprobes_way_from((unsigned long)c->kp.addr));
	KUNIT_EXPECT_EQ(test, s.nmi, KPROBES_TRAP_IS_NMI);
	KUNIT_EXPECT_TRUE(test, s.irqs_off);
	kprobes_leave_way();

	kprobe_optimizer_allow(false);
	expect_way(test, c, KPROBES_BY_DETOUR);
	KUNIT_EXPECT_EQ(test, 15, kprobes_opt_plain(5));
	KUNIT_EXPECT_FALSE(test, s.nmi);
	KUNIT_EXPECT_FALSE(test, s.irqs_off);
	kprobes_expect_counts(test, c, 2, 0);
}

#ifdef TEST_DIVISION
/* Which points */

/*
 * Any jump is impossible because the next instruction, which may fault, comes after one of
 * a single byte.
 */
static void where_no_jump_can_be(struct kunit *test)
{
	struct kprobes_counter *c = probe_at(test, "kprobes_target_divide",
					     kprobes_divide_offset - 1);

	expect_way(test, c, KPROBES_BY_DETOUR);
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_EXTABLE, reason_of(c));
	KUNIT_EXPECT_EQ(test, 7, kprobes_target_divide(42, 6));
	KUNIT_EXPECT_EQ(test, -1, kprobes_target_divide(42, 0));
	kprobes_expect_counts(test, c, 2, 0);
}

/* A task may sleep in an instruction with an exception table entry. */
static void not_where_it_may_fault(struct kunit *test)
{
	struct kprobes_counter *c;

	c = probe_at(test, "kprobes_target_divide", kprobes_divide_offset);
	expect_way(test, c, KPROBES_BY_TRAP);
	KUNIT_EXPECT_EQ(test, 7, kprobes_target_divide(42, 6));
	KUNIT_EXPECT_EQ(test, -1, kprobes_target_divide(42, 0));
	kprobes_expect_counts(test, c, 2, 0);
}
#endif /* TEST_DIVISION */

/* With more handlers than a detour calls, a detour is slower than the trap. */
static void not_with_many_handlers(struct kunit *test)
{
	struct kprobes_counter *c[5];
	int i;

	if (!__is_defined(ARCH_KPROBE_OWN_DETOURS))
		kunit_skip(test, "a stub leaves all handlers to the core");
	kprobe_optimizer_allow(false);
	for (i = 0; i < ARRAY_SIZE(c); i++) {
		c[i] = probe_at(test, "kprobes_opt_plain", 0);
		expect_way(test, c[i], i < 4 ? KPROBES_BY_DETOUR : KPROBES_BY_TRAP);
		KUNIT_EXPECT_EQ(test, 15, kprobes_opt_plain(5));
	}
	for (i = 0; i < ARRAY_SIZE(c); i++)
		kprobes_expect_counts(test, c[i], 5 - i, 0);
	unregister_kprobe(&c[2]->kp);
	expect_way(test, c[0], KPROBES_BY_DETOUR);
	KUNIT_EXPECT_EQ(test, 15, kprobes_opt_plain(5));
	kprobes_expect_counts(test, c[0], 6, 0);
	kprobes_expect_counts(test, c[2], 3, 0);
	kprobes_expect_counts(test, c[4], 2, 0);
}

/* As things change */

/* Both probes are hit, although the first one's jump would cover the second. */
static void neighbours(struct kunit *test)
{
	struct kprobes_counter *first = probe_at(test, "kprobes_opt_plain", 0);
	struct kprobes_counter *second;
	int i;

	if (KPROBES_OPT_COVERS_ONE)
		kunit_skip(test, "a jump covers one instruction");
	expect_way(test, first, KPROBES_BY_JUMP);
	second = probe_at(test, "kprobes_opt_plain", PLAIN_FIRST);
	KUNIT_EXPECT_EQ(test, 15, kprobes_opt_plain(5));
	kprobes_expect_counts(test, first, 1, 0);
	kprobes_expect_counts(test, second, 1, 0);

	expect_way(test, first, KPROBES_BY_DETOUR);
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_NEIGHBOUR, reason_of(first));
	for (i = 2; i < 5; i++) {
		KUNIT_EXPECT_EQ(test, 15, kprobes_opt_plain(5));
		kprobes_expect_counts(test, first, i, 0);
		kprobes_expect_counts(test, second, i, 0);
	}
	unregister_kprobe(&second->kp);
	kprobe_disarm_pending();
	expect_way(test, first, KPROBES_BY_JUMP);
	KUNIT_EXPECT_EQ(test, 15, kprobes_opt_plain(5));
	kprobes_expect_counts(test, first, 5, 0);
	kprobes_expect_counts(test, second, 4, 0);
}

/* A neighbour that is disabled is not in the way, until it is enabled. */
static void disabled_neighbour(struct kunit *test)
{
	struct kprobes_counter *first = probe_at(test, "kprobes_opt_plain", 0);
	struct kprobes_counter *second = probe_at(test, "kprobes_opt_plain", PLAIN_FIRST);
	int i;

	if (KPROBES_OPT_COVERS_ONE)
		kunit_skip(test, "a jump covers one instruction");
	for (i = 1; i < 4; i++) {
		expect_way(test, first, KPROBES_BY_DETOUR);
		KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&second->kp));
		expect_way(test, first, KPROBES_BY_JUMP);
		KUNIT_EXPECT_EQ(test, 15, kprobes_opt_plain(5));
		KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&second->kp));
		KUNIT_EXPECT_EQ(test, 15, kprobes_opt_plain(5));
		kprobes_expect_counts(test, first, 2 * i, 0);
		kprobes_expect_counts(test, second, i, 0);
	}
}

/* The switch debug.kprobes-optimization turns off jumps, and not detours. */
static void switched(struct kunit *test)
{
	struct kprobes_counter *c = probe_at(test, "kprobes_opt_plain", 0);
	int i;

	for (i = 1; i < 6; i++) {
		expect_way(test, c, i & 1 ? KPROBES_BY_JUMP : KPROBES_BY_DETOUR);
		KUNIT_EXPECT_EQ(test, 15, kprobes_opt_plain(5));
		kprobes_expect_counts(test, c, i, 0);
		kprobe_optimizer_allow(!(i & 1));
	}
}

/* Optimization is switched off while the jump's detour is for former handlers. */
static void switched_while_out_of_date(struct kunit *test)
{
	struct kprobes_counter *first = probe_at(test, "kprobes_opt_plain", 0);
	struct kprobes_counter *second;

	expect_way(test, first, KPROBES_BY_JUMP);
	kprobes_hold_optimizer(true);
	second = probe_at(test, "kprobes_opt_plain", 0);
	KUNIT_EXPECT_EQ(test, KPROBES_BY_JUMP, kprobes_way_from((unsigned long)first->kp.addr));
	KUNIT_EXPECT_EQ(test, 15, kprobes_opt_plain(5));
	kprobe_optimizer_allow(false);
	kprobes_hold_optimizer(false);
	expect_way(test, second, KPROBES_BY_DETOUR);
	KUNIT_EXPECT_EQ(test, 15, kprobes_opt_plain(5));
	kprobes_expect_counts(test, first, 2, 0);
	kprobes_expect_counts(test, second, 2, 0);
}

/* Disabled probes are not called. If all are disabled there is no breakpoint. */
static void disabled(struct kunit *test)
{
	struct kprobes_counter *first, *second;

	kprobe_optimizer_allow(false);
	first = probe_at(test, "kprobes_opt_plain", 0);
	second = probe_at(test, "kprobes_opt_plain", 0);
	expect_way(test, second, KPROBES_BY_DETOUR);
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&first->kp));
	KUNIT_EXPECT_EQ(test, 15, kprobes_opt_plain(5));
	expect_way(test, second, KPROBES_BY_DETOUR);
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&second->kp));
	expect_way(test, second, KPROBES_NO_WAY);
	KUNIT_EXPECT_EQ(test, 15, kprobes_opt_plain(5));
	kprobes_expect_counts(test, first, 0, 0);
	kprobes_expect_counts(test, second, 1, 0);

	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&first->kp));
	KUNIT_EXPECT_EQ(test, 15, kprobes_opt_plain(5));
	expect_way(test, first, KPROBES_BY_DETOUR);
	KUNIT_EXPECT_EQ(test, 15, kprobes_opt_plain(5));
	kprobes_expect_counts(test, first, 2, 0);
	kprobes_expect_counts(test, second, 1, 0);
}

static int begin_test(struct kunit *test)
{
	if (!KPROBES_DETOUR_OF_ANY)
		kunit_skip(test, "only calls and returns have a detour of one instruction");
	return 0;
}

static void end_test(struct kunit *test)
{
	kprobes_leave_way();
}

static struct kunit_case detour_cases[] = {
	KUNIT_CASE(leaves_trap),
#ifdef TEST_DIVISION
	KUNIT_CASE(where_no_jump_can_be),
	KUNIT_CASE(not_where_it_may_fault),
#endif
	KUNIT_CASE(not_with_many_handlers),
	KUNIT_CASE(neighbours),
	KUNIT_CASE(disabled_neighbour),
	KUNIT_CASE(switched),
	KUNIT_CASE(switched_while_out_of_date),
	KUNIT_CASE(disabled),
	{}
};

static struct kunit_suite detour_suite = {
	.name = "kprobes_detour",
	.init = begin_test,
	.exit = end_test,
	.test_cases = detour_cases,
};

kunit_test_suite(detour_suite);

MODULE_DESCRIPTION("KUnit tests of breakpoints that lead to detours");
MODULE_LICENSE("GPL");
