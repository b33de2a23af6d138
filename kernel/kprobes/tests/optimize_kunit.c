// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of points that become jumps, and of what can change them: each change is made
 * and reverted while the point is a jump and while it is optimizing. Hits are counted
 * and the text is checked all the time.
 */
#include <linux/ftrace.h>
#include <linux/kprobe_arch.h>

#include "../mechanism.h"
#include "../point.h"
#include "optimized.h"

#define PROBES	6
#define CALLS	3

/* What is probed. */
struct target {
	const char *name;
	const char *symbol;
	int (*call)(int a);
	int adds;
};

static int call_plain(int a)
{
	return kprobes_opt_plain(a);
}

static const struct target targets[] = {
	{ "instruction", "kprobes_opt_plain", call_plain, 10 },
	{ "C function", "kprobes_target_c", kprobes_target_c, 1 },
};

/**
 * struct opt - a target with its probes
 * @target: the target
 * @c:      the probes; the first is registered when a change begins
 * @addr:   their address
 * @next:   the address after the displaced instruction
 * @post:   the instruction pointer that post-handlers see
 * @hold:   keeps the point optimizing
 */
struct opt {
	const struct target *target;
	struct kprobes_counter *c[PROBES];
	unsigned long addr;
	unsigned long next;
	unsigned long post;
	struct kprobes_hog *hold;
};

/* Changes, and back. None of them waits for a grace period. */

static void register_one(struct kunit *test, struct opt *o, unsigned int i)
{
	KUNIT_EXPECT_EQ(test, 0, kprobes_register_again(o->c[i]));
}

static void unregister_one(struct opt *o, unsigned int i)
{
	unregister_kprobe(&o->c[i]->kp);
}

static void second_comes(struct kunit *test, struct opt *o)
{
	o->c[1]->kp.post_handler = NULL;
	register_one(test, o, 1);
}

static void second_comes_with_post(struct kunit *test, struct opt *o)
{
	o->c[1]->kp.post_handler = kprobes_count_post;
	register_one(test, o, 1);
}

static void second_goes(struct kunit *test, struct opt *o)
{
	unregister_one(o, 1);
}

static void more_come(struct kunit *test, struct opt *o)
{
	unsigned int i;

	for (i = 1; i < PROBES; i++)
		register_one(test, o, i);
}

static void more_go(struct kunit *test, struct opt *o)
{
	unsigned int i;

	for (i = 1; i < PROBES; i++)
		unregister_one(o, i);
}

static void disable_first(struct kunit *test, struct opt *o)
{
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&o->c[0]->kp));
}

static void enable_first(struct kunit *test, struct opt *o)
{
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&o->c[0]->kp));
}

static void second_instead(struct kunit *test, struct opt *o)
{
	second_comes(test, o);
	disable_first(test, o);
}

static void first_instead(struct kunit *test, struct opt *o)
{
	enable_first(test, o);
	second_goes(test, o);
}

static void neighbour_comes(struct kunit *test, struct opt *o)
{
	struct kprobe *p = &o->c[1]->kp;

	p->symbol_name = NULL;
	p->offset = 0;
	p->addr = (kprobe_opcode_t *)o->next;
	p->post_handler = NULL;
	register_one(test, o, 1);
}

static void switch_off(struct kunit *test, struct opt *o)
{
	kprobe_optimizer_allow(false);
}

static void switch_on(struct kunit *test, struct opt *o)
{
	kprobe_optimizer_allow(true);
}

static void disarm_all(struct kunit *test, struct opt *o)
{
	KUNIT_EXPECT_EQ(test, 0, kprobe_arm_all(false));
}

static void arm_all(struct kunit *test, struct opt *o)
{
	KUNIT_EXPECT_EQ(test, 0, kprobe_arm_all(true));
}

static void first_goes(struct kunit *test, struct opt *o)
{
	unregister_one(o, 0);
}

static void first_comes(struct kunit *test, struct opt *o)
{
	register_one(test, o, 0);
}

static void first_goes_and_comes(struct kunit *test, struct opt *o)
{
	first_goes(test, o);
	first_comes(test, o);
}

static void post_takes_over(struct kunit *test, struct opt *o)
{
	first_goes(test, o);
	second_comes_with_post(test, o);
}

static void first_takes_over(struct kunit *test, struct opt *o)
{
	second_goes(test, o);
	first_comes(test, o);
}

static void first_is_reaped(struct kunit *test, struct opt *o)
{
	first_goes(test, o);
	kprobe_disarm_pending();
}

/* Kills the point as if its text were freed. */
static void kill(struct kunit *test, struct opt *o)
{
	struct kprobe_point *point = kprobe_point_lookup(o->addr);
	LIST_HEAD(points);

	mutex_lock(&kprobe_mutex);
	list_move_tail(&point->batch, &points);
	kprobe_batch_restore(&points);
	list_del_init(&point->batch);
	kprobe_point_kill(point);
	mutex_unlock(&kprobe_mutex);
	KUNIT_EXPECT_TRUE(test, kprobe_gone(&o->c[0]->kp));
}

/**
 * struct change - a change of a point
 * @name:      name of the test case
 * @apply:     makes it
 * @hits:      which probes are hit from then on
 * @mechanism: mechanism of the point when the optimizer is done
 * @revert:    reverts it; the first probe is then hit by a jump
 */
struct change {
	const char *name;
	void (*apply)(struct kunit *test, struct opt *o);
	unsigned int hits;
	enum kprobe_mechanism mechanism;
	void (*revert)(struct kunit *test, struct opt *o);
};

#define ALL	(BIT(PROBES) - 1)

static const struct change changes[] = {
	{ "second probe", second_comes, 3, KPROBE_JUMP, second_goes },
	{ "second probe with post-handler", second_comes_with_post, 3,
	  KPROBE_JUMP, second_goes },
	{ "more probes than a detour calls", more_come, ALL, KPROBE_JUMP, more_go },
	{ "disabled", disable_first, 0, KPROBES_BARE, enable_first },
	{ "one of two disabled", second_instead, 2, KPROBE_JUMP, first_instead },
	{ "probe in the region", neighbour_comes, 3, KPROBE_BREAKPOINT, second_goes },
	{ "optimizer off", switch_off, 1, KPROBE_BREAKPOINT, switch_on },
	{ "all disarmed", disarm_all, 0, KPROBES_BARE, arm_all },
	{ "unregistered", first_goes, 0, KPROBES_BARE, first_comes },
	{ "unregistered and restored", first_is_reaped, 0, KPROBES_BARE, first_comes },
	{ "comes back", first_goes_and_comes, 1, KPROBE_JUMP, first_goes_and_comes },
	{ "replaced by one with post-handler", post_takes_over, 2, KPROBE_JUMP,
	  first_takes_over },
	{ "text gone", kill, 0, KPROBES_BARE, first_goes_and_comes },
};

/* A change of a target's point, whose first probe has a post-handler or not. */
struct combination {
	const struct change *change;
	const struct target *target;
	bool post;
};

static struct combination combinations[ARRAY_SIZE(changes) * ARRAY_SIZE(targets) * 2];

static const void *combination_gen_params(const void *prev, char *desc)
{
	unsigned int i = prev ? (struct combination *)prev - combinations + 1 : 0;
	struct combination *c = &combinations[i];

	if (i == ARRAY_SIZE(combinations))
		return NULL;
	c->change = &changes[i / 4];
	c->target = &targets[i / 2 % 2];
	c->post = i % 2;
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s, %s%s", c->target->name,
		 c->change->name, c->post ? ", post-handler" : "");
	return c;
}

/* Counting */

static void call_target(struct kunit *test, struct opt *o, const char *when)
{
	int i;

	for (i = 0; i < CALLS; i++)
		KUNIT_EXPECT_EQ_MSG(test, o->target->call(i), i + o->target->adds,
				    "%s", when);
}

static void expect_hit(struct kunit *test, const struct opt *o, unsigned int i,
		       bool hit, const char *when)
{
	struct kprobes_counter *c = o->c[i];
	bool post = hit && c->kp.post_handler;

	KUNIT_EXPECT_EQ_MSG(test, atomic_read(&c->pre), hit ? CALLS : 0, "%s", when);
	KUNIT_EXPECT_EQ_MSG(test, atomic_read(&c->post), post ? CALLS : 0, "%s", when);
	KUNIT_EXPECT_EQ_MSG(test, c->kp.nmissed, 0, "%s", when);
	if (hit)
		KUNIT_EXPECT_EQ_MSG(test, c->pre_ip, (unsigned long)c->kp.addr + KPROBE_HIT_OFFSET,
				    "%s", when);
	if (post)
		KUNIT_EXPECT_EQ_MSG(test, c->post_ip, o->post, "%s", when);
}

/* Calls the target, and expects that only the probes in @set are hit. */
static void expect_hits(struct kunit *test, struct opt *o, unsigned int set,
			const char *when)
{
	unsigned int i;

	for (i = 0; i < PROBES; i++) {
		atomic_set(&o->c[i]->pre, 0);
		atomic_set(&o->c[i]->post, 0);
	}
	call_target(test, o, when);
	for (i = 0; i < PROBES; i++)
		expect_hit(test, o, i, set & BIT(i), when);
}

static void expect_settled(struct kunit *test, struct opt *o, unsigned int set,
			   enum kprobe_mechanism mechanism, const char *when)
{
	struct kprobes_counter *c = o->c[set & 2 && !(set & 1) ? 1 : 0];

	wait_for_kprobe_optimizer();
	kprobes_expect_mechanism(test, c, mechanism, when);
	expect_hits(test, o, set, when);
}

/* Set-up */

static void end_test(void *unused)
{
	kprobe_optimizer_allow(true);
	if (!kprobe_armed_globally)
		kprobe_arm_all(true);
}

/* Would a jump at a function's entry cover the call that ftrace patches? */
static bool calls_ftrace_early(const char *symbol)
{
	unsigned long addr = (unsigned long)kprobe_lookup_name(symbol, 0);

	return ftrace_text_reserved((void *)addr, (void *)(addr + KPROBE_JUMP_SIZE - 1));
}

static struct opt *new_opt(struct kunit *test)
{
	const struct combination *co = test->param_value;
	struct kprobes_place place = { .symbol = co->target->symbol };
	struct opt *o = kunit_kzalloc(test, sizeof(*o), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, o);
	if (!KPROBE_ENTRY_NOP_SIZE && calls_ftrace_early(co->target->symbol))
		kunit_skip(test, "a jump would cover what ftrace patches");
	o->target = co->target;
	for (i = 0; i < PROBES; i++)
		o->c[i] = kprobes_counter(test, &place);
	if (!co->post)
		o->c[0]->kp.post_handler = NULL;
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, end_test, NULL));
	return o;
}

static void register_first(struct kunit *test, struct opt *o)
{
	struct kprobe_point *point;

	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&o->c[0]->kp));
	o->addr = (unsigned long)o->c[0]->kp.addr;
	point = kprobe_point_lookup(o->addr);
	KUNIT_ASSERT_NOT_NULL(test, point);
	o->next = point->site + point->len;
	o->post = kprobe_point_skips_nop(point) ? point->site : o->next;
}

static struct opt *new_jump(struct kunit *test)
{
	const struct combination *co = test->param_value;
	struct opt *o = new_opt(test);

	if (KPROBES_OPT_COVERS_ONE && co->change && co->change->apply == neighbour_comes)
		kunit_skip(test, "a jump covers one instruction");
	register_first(test, o);
	expect_hits(test, o, 1, "at first");
	expect_settled(test, o, 1, KPROBE_JUMP, "at first");
	return o;
}

static bool is_optimizing(struct opt *o)
{
	struct kprobe_point *point;

	guard(mutex)(&kprobe_mutex);
	point = kprobe_point_lookup(o->addr);
	return point && kprobe_point_is_optimizing(point);
}

static struct opt *new_settling(struct kunit *test)
{
	struct opt *o = new_opt(test);

	if (KPROBES_OPT_COVERS_ONE)
		kunit_skip(test, "a jump covers one instruction");
	wait_for_kprobe_optimizer();
	o->hold = kprobes_hold(test);
	register_first(test, o);
	KPROBES_ASSERT_SOON(test, is_optimizing(o));
	KUNIT_EXPECT_EQ(test, kprobes_mechanism_in_text(o->addr), KPROBE_BREAKPOINT);
	expect_hits(test, o, 1, "settling");
	return o;
}

static void apply(struct kunit *test, struct opt *o, const char *when)
{
	const struct combination *co = test->param_value;

	co->change->apply(test, o);
	expect_hits(test, o, co->change->hits, when);
}

static void revert(struct kunit *test, struct opt *o, const char *when)
{
	const struct combination *co = test->param_value;

	co->change->revert(test, o);
	expect_hits(test, o, 1, when);
}

static void expect_changed(struct kunit *test, struct opt *o)
{
	const struct change *change = ((struct combination *)test->param_value)->change;

	expect_settled(test, o, change->hits, change->mechanism, "changed");
}

/* The tests */

static void change_jump(struct kunit *test)
{
	struct opt *o = new_jump(test);

	apply(test, o, "change of a jump");
	expect_changed(test, o);
	revert(test, o, "back");
	expect_settled(test, o, 1, KPROBE_JUMP, "back");
}

static void change_jump_and_back(struct kunit *test)
{
	struct opt *o = new_jump(test);
	int i;

	for (i = 0; i < 3; i++) {
		apply(test, o, "change of a jump");
		revert(test, o, "back at once");
	}
	expect_settled(test, o, 1, KPROBE_JUMP, "back at once");
}

static void change_settling(struct kunit *test)
{
	struct opt *o = new_settling(test);

	apply(test, o, "change while settling");
	kprobes_release(test, o->hold);
	expect_changed(test, o);
	revert(test, o, "back");
	expect_settled(test, o, 1, KPROBE_JUMP, "back");
}

static void change_settling_and_back(struct kunit *test)
{
	struct opt *o = new_settling(test);

	apply(test, o, "change while settling");
	revert(test, o, "back while settling");
	KUNIT_EXPECT_NE(test, kprobes_mechanism_in_text(o->addr), KPROBE_JUMP);
	kprobes_release(test, o->hold);
	expect_settled(test, o, 1, KPROBE_JUMP, "back while settling");
}

/* The instruction after a function's entry nop is probed, too: one breakpoint does for both. */
static void entry_shares_breakpoint(struct kunit *test)
{
	const struct combination entry = {
		.target = &targets[1],
	};
	struct kprobe_point *point;
	struct opt *o;

	test->param_value = &entry;
	o = new_jump(test);
	point = kprobe_point_lookup(o->addr);
	if (!kprobe_point_skips_nop(point))
		kunit_skip(test, "the function is not traced");
	o->next = point->site;
	neighbour_comes(test, o);
	expect_hits(test, o, 3, "the next instruction");
	expect_settled(test, o, 3, KPROBE_BREAKPOINT, "the next instruction");
	kprobes_expect_mechanism(test, o->c[1], KPROBE_BREAKPOINT, "the next instruction");
	second_goes(test, o);
	expect_settled(test, o, 1, KPROBE_JUMP, "alone");
}

static struct kunit_case optimize_cases[] = {
	KUNIT_CASE_PARAM(change_jump, combination_gen_params),
	KUNIT_CASE_PARAM(change_jump_and_back, combination_gen_params),
	KUNIT_CASE_PARAM(change_settling, combination_gen_params),
	KUNIT_CASE_PARAM(change_settling_and_back, combination_gen_params),
	KUNIT_CASE(entry_shares_breakpoint),
	{}
};

static struct kunit_suite optimize_suite = {
	.name = "kprobes_optimize",
	.test_cases = optimize_cases,
};

kunit_test_suite(optimize_suite);

MODULE_DESCRIPTION("KUnit tests of points that become jumps");
MODULE_LICENSE("GPL");
