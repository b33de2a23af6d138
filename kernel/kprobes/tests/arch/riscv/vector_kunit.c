// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of hits in code that uses vector registers and is preemptible: a handler has
 * another task preempt it, which uses the same registers.
 */
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <asm/vector.h>

#include "../../optimized.h"

/**
 * struct intruder - the other task
 * @task:  the task, which runs when it is woken, in the place of the test
 * @ran:   it did
 * @other: what it loads into the registers
 */
struct intruder {
	struct task_struct *task;
	bool ran;
	void *other;
};

/* Eight of 32 registers. */
static size_t size(void)
{
	return riscv_v_vsize / 4;
}

static int intrude(void *data)
{
	struct intruder *in = data;

	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);
		if (kthread_should_stop())
			return 0;
		kernel_vector_begin();
		kprobes_vector_load(in->other);
		kernel_vector_end();
		WRITE_ONCE(in->ran, true);
	}
}

static void stop(void *task)
{
	kthread_stop_put(task);
}

/* On this CPU, which the test's thread does not leave any more. */
static struct intruder *make_intruder(struct kunit *test)
{
	struct intruder *in = kunit_kzalloc(test, sizeof(*in), GFP_KERNEL);
	unsigned int cpu = raw_smp_processor_id();

	if (!has_vector())
		kunit_skip(test, "the CPU has no vectors");
	KUNIT_ASSERT_NOT_NULL(test, in);
	in->other = kunit_kzalloc(test, size(), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, in->other);
	KUNIT_ASSERT_EQ(test, 0, set_cpus_allowed_ptr(current, cpumask_of(cpu)));
	in->task = kthread_create(intrude, in, "kprobes_intruder");
	KUNIT_ASSERT_FALSE(test, IS_ERR(in->task));
	get_task_struct(in->task);
	kthread_bind(in->task, cpu);
	sched_set_fifo(in->task);
	wake_up_process(in->task);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, stop, in->task));
	return in;
}

static void expect_kept(struct kunit *test, struct intruder *in)
{
	u8 *ours = kunit_kzalloc(test, size(), GFP_KERNEL);
	u8 *seen = kunit_kzalloc(test, size(), GFP_KERNEL);
	bool ran;

	KUNIT_ASSERT_NOT_NULL(test, ours);
	KUNIT_ASSERT_NOT_NULL(test, seen);
	memset(ours, 0xa5, size());
	WRITE_ONCE(in->ran, false);
	kernel_vector_begin();
	kprobes_vector_load(ours);
	kprobes_vector_store(seen);
	ran = READ_ONCE(in->ran);
	kernel_vector_end();
	KUNIT_EXPECT_TRUE(test, ran);
	KUNIT_EXPECT_MEMEQ(test, seen, ours, size());
}

static void wake(struct intruder *in)
{
	if (current != in->task)
		wake_up_process(in->task);
}

static int wake_in_pre(struct kprobe *p, struct pt_regs *regs)
{
	wake(kprobes_counter_of(p)->data);
	return 0;
}

static void wake_in_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	wake(kprobes_counter_of(p)->data);
}

static struct kprobes_counter *counter(struct kunit *test)
{
	static const struct kprobes_place place = { .symbol = "kprobes_vector_store" };
	struct kprobes_counter *c = kprobes_counter(test, &place);

	c->data = make_intruder(test);
	return c;
}

static void vector_in_pre(struct kunit *test)
{
	struct kprobes_counter *c = counter(test);

	c->in_pre = wake_in_pre;
	c->kp.post_handler = NULL;
	kprobes_expect_jump(test, c);
	expect_kept(test, c->data);
}

static void vector_in_post(struct kunit *test)
{
	struct kprobes_counter *c = counter(test);

	c->in_post = wake_in_post;
	kprobes_expect_jump(test, c);
	expect_kept(test, c->data);
}

static int wake_in_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	wake(kprobes_returns_of(ri)->data);
	return 0;
}

static void vector_in_return(struct kunit *test)
{
	struct kprobes_returns *r = kprobes_returns(test, "kprobes_vector_load");

	r->data = make_intruder(test);
	r->in_return = wake_in_return;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	expect_kept(test, r->data);
}

static struct kunit_case vector_cases[] = {
	KUNIT_CASE(vector_in_pre),
	KUNIT_CASE(vector_in_post),
	KUNIT_CASE(vector_in_return),
	{}
};

static struct kunit_suite vector_suite = {
	.name = "kprobes_riscv_vector",
	.test_cases = vector_cases,
};

kunit_test_suite(vector_suite);

MODULE_DESCRIPTION("KUnit tests of hits of probes in code that uses vectors");
MODULE_LICENSE("GPL");
