// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Common code of the optimizer's suites: finds out from the text how hits get to the
 * handlers, and keeps points from becoming jumps.
 */
#include <kunit/test-bug.h>
#include <linux/delay.h>
#include <linux/kprobe_arch.h>
#include <linux/kthread.h>

#include "../mechanism.h"
#include "../point.h"
#include "optimized.h"

const char *kprobes_mechanism_name(enum kprobe_mechanism mechanism)
{
	static const char * const names[] = {
		"breakpoint", "jump", "ftrace", "nothing",
	};

	return names[mechanism];
}

static bool has_jump(const struct kprobe_point *point)
{
	u8 jump[KPROBE_JUMP_SIZE];
	struct kprobe_code code = {
		.buf = jump, .size = sizeof(jump), .base = point->site,
	};

	if (!point->detour)
		return false;
	kprobe_point_isa(point)->jump(&code, kprobe_point_jump_target(point),
				      kprobe_point_scratch(point));
	arch_kprobe_adapt_jump(point, jump);
	return !memcmp((void *)point->site, jump, code.len);
}

/* Has the text a breakpoint, and its original bytes after that? */
static bool has_breakpoint(const struct kprobe_point *point)
{
	u8 text[KPROBE_INSN_MAX];
	struct kprobe_code code = { .buf = text, .size = sizeof(text) };

	memcpy(text, point->insn, point->len);
	kprobe_point_put_breakpoint(point, &code);
	return !memcmp((void *)point->site, text, point->len);
}

static enum kprobe_mechanism mechanism_at(const struct kprobe_point *point)
{
	if (point->mechanism == KPROBE_FTRACE && kprobes_calls_ftrace(point->addr))
		return KPROBE_FTRACE;
	if (has_jump(point))
		return KPROBE_JUMP;
	if (has_breakpoint(point))
		return KPROBE_BREAKPOINT;
	return KPROBES_BARE;
}

/* Finds out from the text, and not from the point, what is at a probed address. */
enum kprobe_mechanism kprobes_mechanism_in_text(unsigned long addr)
{
	struct kprobe_point *point;

	guard(mutex)(&kprobe_mutex);
	point = kprobe_point_lookup(addr);
	return point ? mechanism_at(point) : KPROBES_BARE;
}

/* Ways */

static const char * const way_names[] = {
	[KPROBES_BY_TRAP] = "trap",
	[KPROBES_BY_DETOUR] = "detour",
	[KPROBES_BY_JUMP] = "jump",
};

const void *kprobes_way_gen_params(const void *prev, char *desc)
{
	static const enum kprobes_way ways[] = {
		KPROBES_BY_TRAP,
		KPROBES_BY_DETOUR,
		KPROBES_BY_JUMP,
	};
	const enum kprobes_way *way = prev ? (enum kprobes_way *)prev + 1 : ways;

	way += way == &ways[KPROBES_BY_DETOUR] && !KPROBES_DETOUR_OF_ANY;
	if (way >= ways + ARRAY_SIZE(ways))
		return NULL;
	strscpy(desc, way_names[*way], KUNIT_PARAM_DESC_SIZE);
	return way;
}

const void *kprobes_detour_gen_params(const void *prev, char *desc)
{
	return kprobes_way_gen_params(prev ?: kprobes_way_gen_params(NULL, desc), desc);
}

const char *kprobes_way_name(enum kprobes_way way)
{
	return way_names[way];
}

static void release_optimizer(void *unused)
{
	kprobes_hold_optimizer(false);
}

/*
 * Stops the optimizer, at most until the end of the test, as if a registration of several chunks
 * were under way.
 */
void kprobes_hold_optimizer(bool hold)
{
	struct kunit *test = kunit_get_current_test();
	static bool held;

	if (hold == held)
		return;
	if (!hold) {
		held = false;
		kprobe_optimizer_release();
		return;
	}
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action(test, release_optimizer, NULL));
	/* It works once between two holds. */
	KPROBES_ASSERT_SOON(test, kprobe_optimizer_hold());
	held = true;
}

/* From now on hits of new points get to handlers in this way, if that is possible. */
void kprobes_take_way(enum kprobes_way way)
{
	kprobe_optimizer_allow(way == KPROBES_BY_JUMP);
	kprobes_hold_optimizer(way == KPROBES_BY_TRAP);
	/* A point that is still in the text would be used again, with its detour. */
	kprobe_disarm_pending();
}

/* Undoes kprobes_take_way(), if it was called. */
void kprobes_leave_way(void)
{
	kprobes_hold_optimizer(false);
	kprobe_optimizer_allow(true);
}

/* The way of a test that is run for each of them; without a parameter, by jump. */
enum kprobes_way kprobes_way_of(struct kunit *test)
{
	const enum kprobes_way *way = test->param_value;

	return way ? *way : KPROBES_BY_JUMP;
}

int kprobes_way_init(struct kunit *test)
{
	kprobes_take_way(kprobes_way_of(test));
	return 0;
}

void kprobes_way_exit(struct kunit *test)
{
	kprobes_leave_way();
}

void kprobes_settle(enum kprobes_way way)
{
	if (way != KPROBES_BY_TRAP)
		wait_for_kprobe_optimizer();
}

static enum kprobes_way way_from_breakpoint(unsigned long addr)
{
	struct kprobe_point *point;

	guard(mutex)(&kprobe_mutex);
	point = kprobe_point_lookup(addr);
	if (!point->route->enter)
		return KPROBES_BY_TRAP;
	/* A detour for former handlers is not used. */
	return kprobe_has_breakpoint_detour(point) && point->detour->direct ?
	       KPROBES_BY_DETOUR : KPROBES_NO_WAY;
}

/* How hits at an address get to handlers now. */
enum kprobes_way kprobes_way_from(unsigned long addr)
{
	switch (kprobes_mechanism_in_text(addr)) {
	case KPROBE_BREAKPOINT:
		return way_from_breakpoint(addr);
	case KPROBE_JUMP:
		return KPROBES_BY_JUMP;
	default:
		return KPROBES_NO_WAY;
	}
}

static void expect_flags(struct kunit *test, const struct kprobe *p,
			 enum kprobe_mechanism mechanism, const char *when)
{
	KUNIT_EXPECT_EQ_MSG(test, !!(p->flags & KPROBE_FLAG_OPTIMIZED),
			    mechanism == KPROBE_JUMP, "%s", when);
	KUNIT_EXPECT_EQ_MSG(test, !!(p->flags & KPROBE_FLAG_FTRACE),
			    mechanism == KPROBE_FTRACE, "%s", when);
}

/* Text, point and the probe's flags all have this mechanism. */
void kprobes_expect_mechanism(struct kunit *test, const struct kprobes_counter *c,
			      enum kprobe_mechanism mechanism, const char *when)
{
	unsigned long addr = (unsigned long)c->kp.addr;
	struct kprobe_point *point;

	KUNIT_EXPECT_STREQ_MSG(test, kprobes_mechanism_name(kprobes_mechanism_in_text(addr)),
			       kprobes_mechanism_name(mechanism), "%s", when);
	if (mechanism == KPROBES_BARE)
		return;
	guard(mutex)(&kprobe_mutex);
	point = kprobe_point_lookup(addr);
	/* An assertion would end the thread with the mutex locked. */
	KUNIT_EXPECT_NOT_NULL_MSG(test, point, "%s", when);
	if (!point)
		return;
	KUNIT_EXPECT_EQ_MSG(test, point->mechanism, mechanism, "%s", when);
	KUNIT_EXPECT_EQ_MSG(test, point->state, KPROBE_POINT_ARMED, "%s", when);
	if (!list_empty(&c->kp.list))
		expect_flags(test, &c->kp, mechanism, when);
}

/* Expects that a probe that was just registered is hit in the test's way. */
void kprobes_expect_way(struct kunit *test, const struct kprobes_counter *c)
{
	enum kprobes_way way = kprobes_way_of(test);

	kprobes_settle(way);
	KUNIT_ASSERT_EQ(test, way, kprobes_way_from((unsigned long)c->kp.addr));
	kprobes_expect_mechanism(test, c, way == KPROBES_BY_JUMP ? KPROBE_JUMP :
				 KPROBE_BREAKPOINT, kprobes_way_name(way));
}

/* Registers a counting probe that was registered before. */
int kprobes_register_again(struct kprobes_counter *c)
{
	if (c->kp.symbol_name)
		c->kp.addr = NULL;
	c->kp.flags = 0;
	return register_kprobe(&c->kp);
}

/* Registers a probe and waits until it is optimized. */
void kprobes_expect_jump(struct kunit *test, struct kprobes_counter *c)
{
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	wait_for_kprobe_optimizer();
	KUNIT_ASSERT_TRUE_MSG(test, c->kp.flags & KPROBE_FLAG_OPTIMIZED, "%pS",
			      c->kp.addr);
	kprobes_expect_mechanism(test, c, KPROBE_JUMP, "optimized");
}

/* No other test runs meanwhile. */
static void (*look_around)(void);

static int look_in_pre(struct kprobe *p, struct pt_regs *regs)
{
	look_around();
	return 0;
}

static void look_in_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	look_around();
}

void kprobes_look(struct kprobes_counter *c, void (*around)(void))
{
	look_around = around;
	c->in_pre = look_in_pre;
	c->in_post = look_in_post;
}

/* A probe on kprobes_opt_plain(), hit in the test's way. */
struct kprobes_counter *kprobes_looking(struct kunit *test, void (*around)(void), bool post)
{
	const struct kprobes_place place = { .symbol = "kprobes_opt_plain" };
	struct kprobes_counter *c = kprobes_counter(test, &place);

	kprobes_look(c, around);
	if (!post)
		c->kp.post_handler = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_expect_way(test, c);
	return c;
}

#ifdef CONFIG_KRETPROBES
static int look_in_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	look_around();
	return 0;
}

/* A return probe there, both of whose handlers look. */
struct kprobes_returns *kprobes_looking_return(struct kunit *test, void (*around)(void))
{
	struct kprobes_returns *r = kprobes_returns(test, "kprobes_opt_plain");

	look_around = around;
	r->in_entry = look_in_return;
	r->in_return = look_in_return;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	kprobes_settle(kprobes_way_of(test));
	return r;
}
#endif

/*
 * From here on points that would become jumps stay optimizing: delays Tasks RCU, or RCU if the
 * kernel uses that instead. Tasks RCU waits for a preempted task as well. On PREEMPT_RT the task
 * must let itself be preempted: a thread there runs the timers of this CPU, and of others that are
 * idle.
 */
struct kprobes_hog *kprobes_hold(struct kunit *test)
{
	return kprobes_hog(test, IS_ENABLED(CONFIG_TASKS_RCU) ? KPROBES_HOG : KPROBES_HOG_ATOMIC,
			   kprobes_leave_cpu(test));
}
