// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of a point's states: the edges that are taken when its probes come, go, are
 * switched off, and lose their text. state_table_kunit.c tests which edges are legal.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/kprobe_arch.h>
#include <linux/memory.h>

#include "../mechanism.h"
#include "../point.h"
#include "../register.h"
#include "targets.h"
#include "waits.h"

/* Stands for "there is no point". */
#define NO_POINT	KPROBE_POINT_STATES

static const char *state_name(enum kprobe_point_state state)
{
	static const char * const names[] = {
		"IDLE", "ARMED", "DISARM_PENDING", "GONE", "no point",
	};

	return names[state];
}

/* Functions that are probed by these tests alone */

static int target_calls;

/* Has no ftrace call site, so a probe at its entry has a breakpoint there. */
static noinline __noclone notrace int breakpoint_target(int x)
{
	barrier();
	target_calls++;
	barrier();
	return x + 1;
}

/* Has a call site: a breakpoint after its nop, or ftrace if the place after it is probed. */
static noinline __noclone int entry_target(int x)
{
	barrier();
	target_calls++;
	barrier();
	return x + 1;
}

struct target {
	const char *name;
	int (*function)(int x);
	bool by_ftrace;
};

static const struct target targets[] = {
	{ "breakpoint", breakpoint_target },
	{ "function entry", entry_target },
	{ "ftrace", entry_target, true },
};

KUNIT_ARRAY_PARAM_DESC(targets, targets, name);

/**
 * struct state_test - two probes on one address
 * @target: the function
 * @addr:   the address probed
 * @probe:  the probes
 * @hits:   of each of them
 */
struct state_test {
	const struct target *target;
	unsigned long addr;
	struct kprobe probe[2];
	unsigned int hits[2];
};

static int count_first(struct kprobe *p, struct pt_regs *regs)
{
	container_of(p, struct state_test, probe[0])->hits[0]++;
	return 0;
}

static int count_second(struct kprobe *p, struct pt_regs *regs)
{
	container_of(p, struct state_test, probe[1])->hits[1]++;
	return 0;
}

static void reset_probe(struct state_test *t, unsigned int i)
{
	t->probe[i] = (struct kprobe){
		.addr = (kprobe_opcode_t *)t->target->function,
		.pre_handler = i ? count_second : count_first,
	};
}

static void end_test(void *data)
{
	struct state_test *t = data;
	struct kprobe *probes[] = { &t->probe[0], &t->probe[1] };

	unregister_kprobes(probes, ARRAY_SIZE(probes));
	if (!kprobe_armed_globally)
		kprobe_arm_all(true);
	wait_for_kprobe_optimizer();
}

/* Registers the first probe and unregisters it. */
static void visit(struct kunit *test, struct state_test *t)
{
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&t->probe[0]));
	t->addr = (unsigned long)t->probe[0].addr;
	unregister_kprobe(&t->probe[0]);
	wait_for_kprobe_optimizer();
}

static struct state_test *new_test(struct kunit *test)
{
	struct state_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->target = test->param_value;
	if (t->target->by_ftrace && !IS_ENABLED(CONFIG_KPROBES_ON_FTRACE))
		kunit_skip(test, "ftrace leads to no point");
	reset_probe(t, 0);
	reset_probe(t, 1);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, end_test, t));
	if (t->target->by_ftrace)
		kprobes_by_ftrace(test);
	/* To learn the address that is probed. */
	visit(test, t);
	KUNIT_ASSERT_EQ(test, t->target->by_ftrace, !!(t->probe[0].flags & KPROBE_FLAG_FTRACE));
	return t;
}

static struct kprobe_point *point_of(struct state_test *t)
{
	return kprobe_point_lookup(t->addr);
}

static enum kprobe_point_state state_locked(struct state_test *t)
{
	struct kprobe_point *point = point_of(t);

	lockdep_assert_held(&kprobe_mutex);
	return point ? point->state : NO_POINT;
}

static enum kprobe_point_state state_of(struct state_test *t)
{
	guard(mutex)(&kprobe_mutex);
	return state_locked(t);
}

#define EXPECT_STATE_LOCKED(test, t, wanted)					\
	KUNIT_EXPECT_STREQ(test, state_name(wanted), state_name(state_locked(t)))

#define EXPECT_STATE(test, t, wanted)						\
	KUNIT_EXPECT_STREQ(test, state_name(wanted), state_name(state_of(t)))

/* Runs the target and tells which of the two probes were hit. */
static unsigned int hit_by_call(struct kunit *test, struct state_test *t)
{
	unsigned int first = t->hits[0], second = t->hits[1];
	int calls = target_calls;

	KUNIT_EXPECT_EQ(test, 42, t->target->function(41));
	KUNIT_EXPECT_EQ(test, calls + 1, target_calls);
	return (t->hits[0] - first) | (t->hits[1] - second) << 1;
}

/* Does the text differ from the original bytes? */
static bool text_is_patched(struct kprobe_point *point)
{
	if (point->mechanism == KPROBE_FTRACE)
		return kprobes_calls_ftrace(point->addr);
	return memcmp((void *)point->site, point->insn, point->len);
}

static void state_arm(struct kunit *test)
{
	struct state_test *t = new_test(test);

	EXPECT_STATE(test, t, NO_POINT);
	KUNIT_EXPECT_EQ(test, 0, hit_by_call(test, t));
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&t->probe[0]));
	EXPECT_STATE(test, t, KPROBE_POINT_ARMED);
	KUNIT_ASSERT_NOT_NULL(test, point_of(t));
	KUNIT_EXPECT_TRUE(test, text_is_patched(point_of(t)));
	KUNIT_EXPECT_EQ(test, 1, hit_by_call(test, t));
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&t->probe[1]));
	EXPECT_STATE(test, t, KPROBE_POINT_ARMED);
	KUNIT_EXPECT_EQ(test, 3, hit_by_call(test, t));
}

/* Returns with kprobe_mutex held, and the point DISARM_PENDING. */
static struct kprobe_point *come_and_go(struct kunit *test, struct state_test *t)
{
	struct kprobe *p = &t->probe[0];
	struct kprobe_point *point;
	int tries;

	for (tries = 0; tries < 20; tries++) {
		if (p->symbol_name)
			p->addr = NULL;
		KUNIT_EXPECT_EQ(test, 0, register_kprobe(p));
		unregister_kprobe(p);
		mutex_lock(&kprobe_mutex);
		/* On a busy machine it may have been disarmed already. */
		point = kprobe_point_lookup(t->addr);
		if (point && point->state == KPROBE_POINT_DISARM_PENDING)
			return point;
		mutex_unlock(&kprobe_mutex);
	}
	KUNIT_FAIL_AND_ABORT(test, "is disarmed at once");
	return NULL;
}

static void state_leave_and_reap(struct kunit *test)
{
	struct state_test *t = new_test(test);
	struct kprobe_point *point = come_and_go(test, t);

	KUNIT_EXPECT_TRUE(test, text_is_patched(point));
	KUNIT_EXPECT_EQ(test, 0, hit_by_call(test, t));
	kprobe_disarm_chunk();
	EXPECT_STATE_LOCKED(test, t, NO_POINT);
	mutex_unlock(&kprobe_mutex);
	KUNIT_EXPECT_EQ(test, 0, hit_by_call(test, t));
}

static void state_reaper_comes(struct kunit *test)
{
	struct state_test *t = new_test(test);

	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&t->probe[0]));
	unregister_kprobe(&t->probe[0]);
	KPROBES_EXPECT_SOON(test, state_of(t) == NO_POINT);
	KUNIT_EXPECT_EQ(test, 0, hit_by_call(test, t));
}

/* How often the test has patched text, counted by a probe on perf_event_text_poke(). */
static struct task_struct *patching_task;
static int times_patched;

static int count_patching(struct kprobe *p, struct pt_regs *regs)
{
	times_patched += current == patching_task;
	return 0;
}

static struct kprobe patching_probe;

static void stop_counting_patching(void *unused)
{
	unregister_kprobe(&patching_probe);
}

static void start_counting_patching(struct kunit *test)
{
	patching_probe = (struct kprobe){
		.symbol_name = "perf_event_text_poke",
		.pre_handler = count_patching,
	};
	patching_task = current;
	if (!IS_ENABLED(CONFIG_PERF_EVENTS))
		kunit_skip(test, "perf is not told");
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&patching_probe));
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, stop_counting_patching, NULL));
}

/* Registers a probe before the breakpoint is taken out of the text. */
static void register_locked(struct kunit *test, struct kprobe *p)
{
	struct kprobe_chunk chunk;

	lockdep_assert_held(&kprobe_mutex);
	kprobe_chunk_init(&chunk);
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_NONE, kprobe_add(p, false, &chunk));
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_NONE, kprobe_batch_commit(&chunk.batch));
}

static void state_return(struct kunit *test)
{
	struct state_test *t = new_test(test);
	struct kprobe_point *point;
	int patched;

	start_counting_patching(test);
	point = come_and_go(test, t);
	patched = times_patched;
	KUNIT_EXPECT_GT(test, patched, 0);
	register_locked(test, &t->probe[1]);
	EXPECT_STATE_LOCKED(test, t, KPROBE_POINT_ARMED);
	kprobe_disarm_chunk();
	EXPECT_STATE_LOCKED(test, t, KPROBE_POINT_ARMED);
	KUNIT_EXPECT_EQ(test, patched, times_patched);
	mutex_unlock(&kprobe_mutex);
	KUNIT_EXPECT_PTR_EQ(test, point, point_of(t));
	KUNIT_EXPECT_EQ(test, 2, hit_by_call(test, t));
}

/* The probe is registered again, but disabled: the point is not wanted. */
static void state_return_disabled(struct kunit *test)
{
	struct state_test *t = new_test(test);
	struct kprobe *q = &t->probe[1];

	q->flags = KPROBE_FLAG_DISABLED;
	come_and_go(test, t);
	register_locked(test, q);
	EXPECT_STATE_LOCKED(test, t, KPROBE_POINT_IDLE);
	mutex_unlock(&kprobe_mutex);
	KUNIT_EXPECT_EQ(test, 0, hit_by_call(test, t));
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(q));
	EXPECT_STATE(test, t, KPROBE_POINT_ARMED);
	KUNIT_EXPECT_EQ(test, 2, hit_by_call(test, t));
}

static void state_disable(struct kunit *test)
{
	struct state_test *t = new_test(test);

	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&t->probe[0]));
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&t->probe[1]));
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&t->probe[0]));
	EXPECT_STATE(test, t, KPROBE_POINT_ARMED);
	KUNIT_EXPECT_EQ(test, 2, hit_by_call(test, t));
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&t->probe[1]));
	EXPECT_STATE(test, t, KPROBE_POINT_IDLE);
	KUNIT_EXPECT_EQ(test, 0, hit_by_call(test, t));
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&t->probe[0]));
	EXPECT_STATE(test, t, KPROBE_POINT_ARMED);
	KUNIT_EXPECT_EQ(test, 1, hit_by_call(test, t));
	/* The probe that stays is disabled, so the point is not wanted. */
	unregister_kprobe(&t->probe[0]);
	EXPECT_STATE(test, t, KPROBE_POINT_IDLE);
	KUNIT_EXPECT_EQ(test, 0, hit_by_call(test, t));
	unregister_kprobe(&t->probe[1]);
	EXPECT_STATE(test, t, NO_POINT);
}

static void state_global_off(struct kunit *test)
{
	struct state_test *t = new_test(test);

	t->probe[1].flags = KPROBE_FLAG_DISABLED;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&t->probe[0]));
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&t->probe[1]));
	KUNIT_ASSERT_EQ(test, 0, kprobe_arm_all(false));
	EXPECT_STATE(test, t, KPROBE_POINT_IDLE);
	KUNIT_EXPECT_EQ(test, 0, hit_by_call(test, t));
	KUNIT_EXPECT_FALSE(test, kprobe_disabled(&t->probe[0]));
	KUNIT_EXPECT_TRUE(test, kprobe_disabled(&t->probe[1]));
	KUNIT_ASSERT_EQ(test, 0, kprobe_arm_all(true));
	EXPECT_STATE(test, t, KPROBE_POINT_ARMED);
	KUNIT_EXPECT_EQ(test, 1, hit_by_call(test, t));
	KUNIT_EXPECT_TRUE(test, kprobe_disabled(&t->probe[1]));
}

/* While all are off, probes are registered, switched and unregistered, but not armed. */
static void state_changes_while_off(struct kunit *test)
{
	struct state_test *t = new_test(test);

	KUNIT_ASSERT_EQ(test, 0, kprobe_arm_all(false));
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&t->probe[0]));
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&t->probe[1]));
	EXPECT_STATE(test, t, KPROBE_POINT_IDLE);
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&t->probe[0]));
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&t->probe[1]));
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&t->probe[1]));
	EXPECT_STATE(test, t, KPROBE_POINT_IDLE);
	KUNIT_EXPECT_EQ(test, 0, hit_by_call(test, t));
	KUNIT_ASSERT_EQ(test, 0, kprobe_arm_all(true));
	EXPECT_STATE(test, t, KPROBE_POINT_ARMED);
	KUNIT_EXPECT_EQ(test, 2, hit_by_call(test, t));
}

static void state_leaving_while_switched(struct kunit *test)
{
	struct state_test *t = new_test(test);
	int arm;

	for (arm = 0; arm < 2; arm++) {
		KUNIT_ASSERT_EQ(test, 0, register_kprobe(&t->probe[0]));
		unregister_kprobe(&t->probe[0]);
		KUNIT_ASSERT_EQ(test, 0, kprobe_arm_all(arm));
		EXPECT_STATE(test, t, NO_POINT);
		KUNIT_EXPECT_EQ(test, 0, hit_by_call(test, t));
		KUNIT_ASSERT_EQ(test, 0, kprobe_arm_all(true));
	}
}

static void disarm_text(struct kprobe_point *point)
{
	LIST_HEAD(points);

	list_move_tail(&point->batch, &points);
	if (point->mechanism == KPROBE_FTRACE)
		kprobe_ftrace_disarm(&points);
	else
		kprobe_batch_restore(&points);
	list_del_init(&point->batch);
}

/* Kills a point as if its text were freed. */
static void kill_point(struct state_test *t)
{
	struct kprobe_point *point = point_of(t);

	lockdep_assert_held(&kprobe_mutex);
	if (!point)
		return;
	if (point->state != KPROBE_POINT_IDLE)
		disarm_text(point);
	kprobe_point_kill(point);
}

static void expect_gone(struct kunit *test, struct state_test *t)
{
	KUNIT_EXPECT_TRUE(test, kprobe_gone(&t->probe[0]));
	KUNIT_EXPECT_EQ(test, -EINVAL, enable_kprobe(&t->probe[0]));
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&t->probe[0]));
	EXPECT_STATE(test, t, NO_POINT);
	KUNIT_EXPECT_EQ(test, 0, hit_by_call(test, t));
	/* Another point can be made for the address, and removed. */
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&t->probe[1]));
	KUNIT_EXPECT_EQ(test, 2, hit_by_call(test, t));
	KUNIT_EXPECT_TRUE(test, kprobe_gone(&t->probe[0]));
	KUNIT_EXPECT_FALSE(test, kprobe_gone(&t->probe[1]));
	unregister_kprobe(&t->probe[0]);
	KUNIT_EXPECT_EQ(test, 2, hit_by_call(test, t));
	EXPECT_STATE(test, t, KPROBE_POINT_ARMED);
}

static void kill_registered(struct kunit *test, u32 flags)
{
	struct state_test *t = new_test(test);

	t->probe[0].flags = flags;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&t->probe[0]));
	scoped_guard(mutex, &kprobe_mutex)
		kill_point(t);
	expect_gone(test, t);
}

static void state_kill_armed(struct kunit *test)
{
	kill_registered(test, 0);
}

static void state_kill_idle(struct kunit *test)
{
	kill_registered(test, KPROBE_FLAG_DISABLED);
}

static void state_kill_leaving(struct kunit *test)
{
	struct state_test *t = new_test(test);

	come_and_go(test, t);
	kill_point(t);
	EXPECT_STATE_LOCKED(test, t, NO_POINT);
	kprobe_disarm_chunk();
	mutex_unlock(&kprobe_mutex);
	KUNIT_EXPECT_EQ(test, 0, hit_by_call(test, t));
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&t->probe[1]));
	KUNIT_EXPECT_EQ(test, 2, hit_by_call(test, t));
}

static struct kunit_case state_cases[] = {
	KUNIT_CASE_PARAM(state_arm, targets_gen_params),
	KUNIT_CASE_PARAM(state_leave_and_reap, targets_gen_params),
	KUNIT_CASE_PARAM(state_reaper_comes, targets_gen_params),
	KUNIT_CASE_PARAM(state_return, targets_gen_params),
	KUNIT_CASE_PARAM(state_return_disabled, targets_gen_params),
	KUNIT_CASE_PARAM(state_disable, targets_gen_params),
	KUNIT_CASE_PARAM(state_global_off, targets_gen_params),
	KUNIT_CASE_PARAM(state_changes_while_off, targets_gen_params),
	KUNIT_CASE_PARAM(state_leaving_while_switched, targets_gen_params),
	KUNIT_CASE_PARAM(state_kill_armed, targets_gen_params),
	KUNIT_CASE_PARAM(state_kill_idle, targets_gen_params),
	KUNIT_CASE_PARAM(state_kill_leaving, targets_gen_params),
	{}
};

/* The optimizer would change states by itself: it is tested in optimize_kunit.c. */
static int without_optimizer(struct kunit_suite *suite)
{
	kprobe_optimizer_allow(false);
	return 0;
}

static void with_optimizer(struct kunit_suite *suite)
{
	kprobe_optimizer_allow(true);
}

static struct kunit_suite state_suite = {
	.name = "kprobes_state",
	.suite_init = without_optimizer,
	.suite_exit = with_optimizer,
	.test_cases = state_cases,
};

kunit_test_suite(state_suite);
