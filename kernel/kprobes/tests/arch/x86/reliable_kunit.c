// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of reliable stack traces, which live patching relies on: if a task is in displaced
 * code, the trace has the probed function, or fails where it would without a probe. A task is
 * preempted in a slot or a detour; asleep_kunit.c has one that sleeps there. x86_unwind_kunit.c
 * takes a reliable trace at each instruction.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "../../optimized.h"
#include "unwind.h"

/*
 * By ORC data a task is unwound wherever an exception or interrupt has stopped it. By frame
 * pointers it is not, as there may be no frame: arch_stack_walk_reliable().
 */
#define RELIABLE	IS_ENABLED(CONFIG_UNWINDER_ORC)

/* How often a preempted task is looked at. */
#define LOOKS	20

/**
 * struct busy - a task that is nearly always in a probed instruction
 * @inside: it is in the probed function: the handler sets it, the function clears it
 * @buffer: memory that it fills
 * @size:   size of @buffer
 */
struct busy {
	bool inside;
	void *buffer;
	size_t size;
};

static int note_inside(struct kprobe *p, struct pt_regs *regs)
{
	struct busy *b = kprobes_counter_of(p)->data;

	WRITE_ONCE(b->inside, true);
	return 0;
}

static int fill(void *data)
{
	struct busy *b = data;

	while (!kthread_should_stop())
		kprobes_unwind_fill(b->buffer, b->size, &b->inside);
	return 0;
}

static void stop(void *task)
{
	kthread_stop(task);
}

static void look_normal(void *unused)
{
	sched_set_normal(current, 0);
	set_cpus_allowed_ptr(current, cpu_possible_mask);
}

/* Preempts the task on its CPU, so that its stack can be unwound at that place. */
static struct task_struct *preempt_busy(struct kunit *test, struct busy *b)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct task_struct *task;

	task = kthread_create(fill, b, "kprobes_busy");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
	kthread_bind(task, cpu);
	wake_up_process(task);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, stop, task));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, look_normal, NULL));
	KUNIT_ASSERT_EQ(test, 0, set_cpus_allowed_ptr(current, cpumask_of(cpu)));
	sched_set_fifo(current);
	return task;
}

static void look_at_busy(struct kunit *test, struct task_struct *task, struct busy *b)
{
	unsigned int i, named = 0, refused = 0;

	for (i = 0; i < LOOKS; i++) {
		int ret;

		/* The task runs whenever this one sleeps, and goes on inside. */
		usleep_range(500, 600);
		KPROBES_ASSERT_SOON(test, READ_ONCE(b->inside));
		ret = kprobes_reliably_in(task, "kprobes_unwind_fill");
		named += ret > 0;
		refused += ret == -EINVAL;
	}
	KUNIT_EXPECT_EQ(test, named, RELIABLE ? LOOKS : 0);
	KUNIT_EXPECT_EQ(test, refused, RELIABLE ? 0 : LOOKS);
}

static void look_at_preempted(struct kunit *test, bool post)
{
	const struct kprobes_place place = {
		.symbol = "kprobes_unwind_fill", .offset = kprobes_unwind_fill_at,
	};
	struct kprobes_counter *c = kprobes_counter(test, &place);
	struct busy *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);
	struct task_struct *task;

	if (!preempt_model_full() && !preempt_model_rt())
		kunit_skip(test, "the kernel is not preemptible");
	KUNIT_ASSERT_NOT_NULL(test, b);
	b->size = SZ_256K;
	b->buffer = kunit_kmalloc(test, b->size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, b->buffer);
	c->in_pre = note_inside;
	c->data = b;
	if (!post)
		c->kp.post_handler = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_expect_way(test, c);
	task = preempt_busy(test, b);
	look_at_busy(test, task, b);
	KUNIT_EXPECT_GE(test, atomic_read(&c->pre), 1);
}

static void preempted(struct kunit *test)
{
	look_at_preempted(test, false);
}

static void preempted_post(struct kunit *test)
{
	look_at_preempted(test, true);
}

static struct kunit_case reliable_cases[] = {
	KPROBES_CASE_WAYS(preempted),
	KPROBES_CASE_WAYS(preempted_post),
	{}
};

static int reliable_init(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_HAVE_RELIABLE_STACKTRACE))
		kunit_skip(test, "there are no reliable stack traces");
	return kprobes_way_init(test);
}

static struct kunit_suite reliable_suite = {
	.name = "kprobes_reliable",
	.init = reliable_init,
	.exit = kprobes_way_exit,
	.test_cases = reliable_cases,
};

kunit_test_suite(reliable_suite);

MODULE_DESCRIPTION("KUnit tests of reliable stack traces of displaced code");
MODULE_LICENSE("GPL");
