// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of returns that do not match the instances of the task: the report in the log, and
 * the end of the task.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/kmsg_dump.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/string.h>

#include "targets.h"
#include "waits.h"

#define COMPLAINT	"kretprobe BUG!: Processing kretprobe "

/* The last complaint in the log, what follows %COMPLAINT; and how many there are. */
static unsigned int last_complaint(char *last, size_t size)
{
	static char line[256];
	struct kmsg_dump_iter iter = { };
	unsigned int n = 0;
	char *found;
	size_t len;

	kmsg_dump_rewind(&iter);
	while (kmsg_dump_get_line(&iter, false, line, sizeof(line) - 1, &len)) {
		line[len] = 0;
		found = strstr(line, COMPLAINT);
		if (!found)
			continue;
		strscpy(last, strim(found + strlen(COMPLAINT)), size);
		n++;
	}
	return n;
}

#define WORD_DIGITS	((int)(2 * sizeof(long)))

/* Unless @exact, the reported address is not compared. */
static void expect_complaint(struct kunit *test, unsigned int before,
			     const void *rp, bool exact, unsigned long at)
{
	char complaint[64] = "", expected[64];

	KUNIT_EXPECT_EQ(test, last_complaint(complaint, sizeof(complaint)), before + 1);
	snprintf(expected, sizeof(expected), "%0*lx @ %0*lx", WORD_DIGITS,
		 (unsigned long)rp, WORD_DIGITS, at);
	if (!exact)
		*strchr(expected, '@') = *strchrnul(complaint, '@') = 0;
	KUNIT_EXPECT_STREQ(test, complaint, expected);
}

static unsigned int complaints(void)
{
	char unused[64];

	return last_complaint(unused, sizeof(unused));
}

static int note_address(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	*(unsigned long *)kprobes_returns_of(ri)->data = (unsigned long)ri->ret_addr;
	return 0;
}

/* When the outer call returns, the topmost instance is that of a call that never did. */
static void skipped_return(struct kunit *test)
{
	struct kprobes_returns *left, *leave;
	unsigned int before = complaints();
	unsigned long ret_addr = 0;

	left = kprobes_returning(test, "kprobes_target_left");
	leave = kprobes_returns(test, "kprobes_target_leave");
	leave->in_entry = note_address;
	leave->data = &ret_addr;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&leave->rp));
	KUNIT_EXPECT_EQ(test, kprobes_target_left(1), 6);
	expect_complaint(test, before, &leave->rp, true, ret_addr);
	kprobes_expect_returns(test, left, 1, 1);
	kprobes_expect_returns(test, leave, 1, 0);
}

/* The call's last pre-handler: goes back to the caller past the trampoline, once. */
static int leave_once(struct kprobe *p, struct pt_regs *regs)
{
	unsigned long *ret_addr = kprobes_counter_of(p)->data;

	if (!*ret_addr)
		return 0;
	kprobes_return_now(regs);
	instruction_pointer_set(regs, *ret_addr);
	*ret_addr = 0;
	return 1;
}

static int note_first_address(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kprobes_returns *r = kprobes_returns_of(ri);

	if (atomic_read(&r->entries) == 1)
		note_address(ri, regs);
	return 0;
}

/*
 * Instances of a call that never returned are at the same place on the stack as those of the
 * next calls, which all return: to each of two return probes.
 */
static void returns_after_a_lost_one(struct kunit *test)
{
	const struct kprobes_place entry = { .symbol = "kprobes_target_asm" };
	struct kprobes_counter *leaving = kprobes_counter(test, &entry);
	struct kprobes_returns *older, *newer;
	unsigned long ret_addr = 0;
	int i;

	leaving->in_pre = leave_once;
	leaving->data = &ret_addr;
	leaving->kp.post_handler = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&leaving->kp));
	older = kprobes_returning(test, entry.symbol);
	newer = kprobes_returns(test, entry.symbol);
	newer->in_entry = note_first_address;
	newer->data = &ret_addr;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&newer->rp));
	for (i = 0; i < 4; i++)
		kprobes_target_asm(i);
	kprobes_expect_returns(test, newer, 4, 3);
	kprobes_expect_returns(test, older, 4, 3);
}

static int lost_thread(void *unused)
{
	kprobes_target_lost();
	return 0;
}

/* A return without an instance: the task is killed, and the kernel lives on. */
static void unknown_return(struct kunit *test)
{
	struct kprobes_returns *r = kprobes_returning(test, "kprobes_target_c");
	unsigned int before = complaints();
	struct task_struct *task;

	task = kprobes_let_die(test, lost_thread, NULL, raw_smp_processor_id());
	KUNIT_EXPECT_EQ(test, task->exit_code, SIGSEGV);
	expect_complaint(test, before, NULL, false, 0);
	/* Probes still work. */
	kprobes_expect_targets(test, 1);
	kprobes_expect_returns(test, r, 1, 1);
}

static struct kunit_case lost_cases[] = {
	KUNIT_CASE(skipped_return),
	KUNIT_CASE(returns_after_a_lost_one),
	KUNIT_CASE(unknown_return),
	{}
};

static struct kunit_suite lost_suite = {
	.name = "kprobes_return_lost",
	.test_cases = lost_cases,
};

kunit_test_suite(lost_suite);
