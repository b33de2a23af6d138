/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_TESTS_WAITS_H
#define _KERNEL_KPROBES_TESTS_WAITS_H

/*
 * waits.c: waiting for what other tasks do. A wait ends as soon as its condition is true. It has a
 * limit only so that a failure has a name: no test may depend on how long something takes.
 */
#include <kunit/test.h>
#include <linux/iopoll.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>

#include "spin.h"

/* Limits in microseconds. Spinning ends before RCU complains of a stall. */
#define KPROBES_PATIENCE	(60 * USEC_PER_SEC)
#define KPROBES_SPIN_PATIENCE	(15 * USEC_PER_SEC)

/**
 * kprobes_comes_true() - wait until a condition is true
 * @condition: evaluated again and again
 *
 * Uses a timer of this CPU: one that is held up may be the one that counts jiffies.
 *
 * Context: Process context, sleeps.
 * Return: Whether it is true in the end.
 */
#define kprobes_comes_true(condition)						\
({										\
	bool __is_true;								\
										\
	read_poll_timeout((bool), __is_true, __is_true, 1000, KPROBES_PATIENCE,	\
			  false, condition);					\
	__is_true;								\
})

/* Expects that it becomes true, or else tells which one has not. */
#define KPROBES_EXPECT_SOON(test, condition)					\
do {										\
	if (!kprobes_comes_true(condition))					\
		KUNIT_FAIL(test, "waited in vain for %s", #condition);	\
} while (0)

#define KPROBES_ASSERT_SOON(test, condition)					\
do {										\
	if (!kprobes_comes_true(condition))					\
		KUNIT_FAIL_AND_ABORT(test, "waited in vain for %s", #condition); \
} while (0)

/* The same without sleeping, in any context. */
#define kprobes_spins_until(condition)						\
({										\
	u64 __until = ktime_get_mono_fast_ns() +				\
		      (u64)KPROBES_SPIN_PATIENCE * NSEC_PER_USEC;		\
										\
	while (!(condition) && ktime_get_mono_fast_ns() < __until)		\
		kprobes_spin(5);						\
	(bool)(condition);							\
})

bool kprobes_sleeps(struct task_struct *task);
int kprobes_reliably_in(struct task_struct *task, const char *symbol);
struct task_struct *kprobes_start_thread(struct kunit *test, int (*fn)(void *data), void *data,
					 unsigned int cpu, const char *name);
struct task_struct *kprobes_let_die(struct kunit *test, int (*fn)(void *data), void *data,
				    unsigned int cpu);

/**
 * struct kprobes_other - a thread that does something when it is told to
 * @task:  the thread
 * @fn:    what it does
 * @data:  for @fn
 * @go:    it is told to
 * @begun: it has been told
 * @done:  it has done it
 */
struct kprobes_other {
	struct task_struct *task;
	void (*fn)(void *data);
	void *data;
	bool go;
	bool begun;
	bool done;
};

struct kprobes_other *kprobes_other(struct kunit *test, void (*fn)(void *data), void *data,
				    unsigned int cpu);
bool kprobes_waits(const struct kprobes_other *other);
void kprobes_end_other(struct kprobes_other *other);

/**
 * enum kprobes_hog_kind - how a thread keeps its CPU
 * @KPROBES_HOG:          it runs in the kernel without sleeping, and can be preempted
 * @KPROBES_HOG_ATOMIC:   it cannot be preempted
 * @KPROBES_HOG_READER:   it is in an RCU read-side section
 */
enum kprobes_hog_kind {
	KPROBES_HOG,
	KPROBES_HOG_ATOMIC,
	KPROBES_HOG_READER,
};

/**
 * struct kprobes_hog - a thread that runs until it is released
 * @task:    the thread
 * @kind:    how it does so
 * @on:      it has begun
 * @release: it may end
 * @gave_up: it has ended before it was released: something has waited for it
 */
struct kprobes_hog {
	struct task_struct *task;
	enum kprobes_hog_kind kind;
	bool on;
	bool release;
	bool gave_up;
};

struct kprobes_hog *kprobes_hog(struct kunit *test, enum kprobes_hog_kind kind, unsigned int cpu);
void kprobes_release(struct kunit *test, struct kprobes_hog *hog);

#endif /* _KERNEL_KPROBES_TESTS_WAITS_H */
