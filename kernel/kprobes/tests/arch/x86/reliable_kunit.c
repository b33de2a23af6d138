// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of reliable stack traces, which live patching relies on: if a task is in displaced
 * code, the trace has the probed function, or fails where it would without a probe. One task
 * sleeps in a page fault in a slot, another is preempted in a slot or a detour.
 * x86_unwind_kunit.c takes a reliable trace at each instruction.
 */
#include <kunit/test.h>
#include <linux/anon_inodes.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/kallsyms.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>

#include "../../optimized.h"
#include "unwind.h"

#define TRACE_MAX	64

/*
 * By ORC data a task is unwound wherever an exception or interrupt has stopped it. By frame
 * pointers it is not, as there may be no frame: arch_stack_walk_reliable().
 */
#define RELIABLE	IS_ENABLED(CONFIG_UNWINDER_ORC)

/* Is a function in the reliable trace of a task that does not run? -errno if that fails. */
static int is_in_reliably(struct task_struct *task, const char *symbol)
{
	unsigned long entries[TRACE_MAX];
	unsigned long start = kallsyms_lookup_name(symbol), size, offset;
	int i, nr;

	nr = stack_trace_save_tsk_reliable(task, entries, TRACE_MAX);
	if (nr < 0 || !kallsyms_lookup_size_offset(start, &size, &offset))
		return nr;
	for (i = 0; i < nr; i++)
		if (entries[i] >= start && entries[i] < start + size)
			return 1;
	return 0;
}

/**
 * struct sleeper - a task that sleeps in a page fault
 * @mm:      the address space
 * @addr:    the page, which is not present
 * @faulted: the task has faulted
 * @go_on:   the fault may return, with an error
 * @result:  result of the load
 */
struct sleeper {
	struct mm_struct *mm;
	unsigned long addr;
	struct completion faulted;
	struct completion go_on;
	long result;
};

static vm_fault_t sleeper_fault(struct vm_fault *vmf)
{
	struct sleeper *s = vmf->vma->vm_private_data;

	complete(&s->faulted);
	wait_for_completion(&s->go_on);
	return VM_FAULT_SIGBUS;
}

static const struct vm_operations_struct sleeper_vm_ops = {
	.fault = sleeper_fault,
};

static int sleeper_mmap(struct file *file, struct vm_area_struct *vma)
{
	vma->vm_ops = &sleeper_vm_ops;
	vma->vm_private_data = file->private_data;
	return 0;
}

static const struct file_operations sleeper_fops = {
	.mmap = sleeper_mmap,
};

static int load(void *data)
{
	struct sleeper *s = data;

	kthread_use_mm(s->mm);
	s->result = kprobes_target_load_user((const long __user *)s->addr);
	kthread_unuse_mm(s->mm);
	return 0;
}

static struct sleeper *new_sleeper(struct kunit *test)
{
	struct sleeper *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	struct file *file;

	KUNIT_ASSERT_NOT_NULL(test, s);
	init_completion(&s->faulted);
	init_completion(&s->go_on);
	file = anon_inode_getfile("kprobes_sleeper", &sleeper_fops, s, O_RDONLY);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	s->addr = kunit_vm_mmap(test, file, 0, PAGE_SIZE, PROT_READ, MAP_PRIVATE, 0);
	fput(file);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(s->addr));
	KUNIT_ASSERT_NE(test, s->addr, 0);
	s->mm = current->mm;
	return s;
}

static void sleep_in_load(struct kunit *test, const char *what)
{
	struct sleeper *s = new_sleeper(test);
	struct task_struct *task = kthread_create(load, s, "kprobes_sleeper");
	bool asleep;
	int ret;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
	get_task_struct(task);
	wake_up_process(task);
	wait_for_completion(&s->faulted);
	asleep = kprobes_sleeps(task);
	ret = is_in_reliably(task, "kprobes_target_load_user");
	complete(&s->go_on);
	kthread_stop_put(task);
	KUNIT_EXPECT_TRUE(test, asleep);
	KUNIT_EXPECT_EQ_MSG(test, ret, RELIABLE ? 1 : -EINVAL, "%s", what);
	KUNIT_EXPECT_EQ(test, s->result, -1);
}

static void asleep_in_slot(struct kunit *test)
{
	const struct kprobes_place place = {
		.symbol = "kprobes_target_load_user",
		.offset = kprobes_load_user_offset,
	};
	struct kprobes_counter *c;

	sleep_in_load(test, "unprobed");
	c = kprobes_counter(test, &place);
	c->kp.post_handler = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	sleep_in_load(test, "in a slot");
	kprobes_counting(test, &place);
	sleep_in_load(test, "in a slot with post-handlers");
	kprobes_expect_counts(test, c, 2, 0);
}

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
		ret = is_in_reliably(task, "kprobes_unwind_fill");
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
	KUNIT_CASE(asleep_in_slot),
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
