// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of a task that sleeps in the copy of an instruction: its load of user memory has a page
 * fault, which waits. Live patching has to know of such a task what it knows without a probe: the
 * reliable stack trace has the probed function, or there is none.
 */
#include <kunit/test.h>
#include <linux/anon_inodes.h>
#include <linux/completion.h>
#include <linux/file.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>

#include "targets.h"
#include "waits.h"

#define TARGET	"kprobes_target_load_user"

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

/*
 * Has a task sleep in the load, and a probe go meanwhile if @goes. Returns what the reliable trace
 * of the task says of the loading function.
 */
static int trace_sleeper(struct kunit *test, struct kprobe *goes)
{
	struct sleeper *s = new_sleeper(test);
	struct task_struct *task = kthread_create(load, s, "kprobes_sleeper");
	bool asleep;
	int found;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
	get_task_struct(task);
	wake_up_process(task);
	wait_for_completion(&s->faulted);
	asleep = kprobes_sleeps(task);
	if (goes) {
		unregister_kprobe(goes);
		kprobes_wait_for_frees();
	}
	found = kprobes_reliably_in(task, TARGET);
	complete(&s->go_on);
	kthread_stop_put(task);
	KUNIT_EXPECT_TRUE(test, asleep);
	KUNIT_EXPECT_EQ(test, s->result, -1);
	return found;
}

static struct kprobes_place load_place(void)
{
	return (struct kprobes_place){ .symbol = TARGET, .offset = kprobes_load_user_offset };
}

static void asleep_in_slot(struct kunit *test)
{
	const struct kprobes_place place = load_place();
	struct kprobes_counter *c;
	int bare;

	bare = trace_sleeper(test, NULL);
	KUNIT_EXPECT_TRUE_MSG(test, bare == 1 || bare == -EINVAL, "unprobed: %d", bare);
	c = kprobes_counter(test, &place);
	c->kp.post_handler = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	KUNIT_EXPECT_EQ(test, trace_sleeper(test, NULL), bare);
	kprobes_expect_counts(test, c, 1, 0);
	kprobes_counting(test, &place);
	KUNIT_EXPECT_EQ_MSG(test, trace_sleeper(test, NULL), bare, "with post-handlers");
	kprobes_expect_counts(test, c, 2, 0);
}

/*
 * Tasks RCU does not wait for a task that sleeps. The copy must stay, and its fixup be found when
 * the fault fails.
 */
static void probe_goes_meanwhile(struct kunit *test)
{
	const struct kprobes_place place = load_place();
	int bare = trace_sleeper(test, NULL);
	struct kprobes_counter *c;
	int post;

	for (post = 0; post < 2; post++) {
		c = kprobes_counter(test, &place);
		if (!post)
			c->kp.post_handler = NULL;
		KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
		KUNIT_EXPECT_EQ(test, trace_sleeper(test, &c->kp), bare);
		kprobes_expect_counts(test, c, 1, 0);
	}
}

static struct kunit_case asleep_cases[] = {
	KUNIT_CASE(asleep_in_slot),
	KUNIT_CASE(probe_goes_meanwhile),
	{}
};

static struct kunit_suite asleep_suite = {
	.name = "kprobes_asleep",
	.test_cases = asleep_cases,
};

kunit_test_suite(asleep_suite);

MODULE_DESCRIPTION("KUnit tests of tasks that sleep in copies of instructions");
MODULE_LICENSE("GPL");
