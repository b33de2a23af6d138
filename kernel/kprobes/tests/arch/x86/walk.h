/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_TESTS_X86_WALK_H
#define _KERNEL_KPROBES_TESTS_X86_WALK_H

/*
 * walk.c: calls a function, and unwinds from each instruction of it and of what its
 * probes execute
 */
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/types.h>

#include "arrive.h"
#include "cover.h"
#include "step.h"

struct kprobes_counter;
struct kunit;

/* How many callers are compared at most. */
#define KPROBES_WALK_DEPTH	6

/* Room for a trace that also has the functions of the trap. */
#define KPROBES_TRACE_MAX	64

/* Bytes of the longest of the functions. */
#define KPROBES_WALK_BYTES	64

/* What calls the function. */
enum kprobes_walk_context {
	KPROBES_WALK_TASK,
	KPROBES_WALK_IRQ,
	KPROBES_WALK_NMI,
	KPROBES_WALK_CONTEXTS,
};

/* How often kprobes_walk_everywhere() calls the function; kprobes_walk_in_task(). */
#define KPROBES_WALK_CALLS	6
#define KPROBES_WALK_TASK_CALLS	KPROBES_HOWS

/**
 * struct kprobes_walk_place - where a probe is set
 * @name:     name of the test case
 * @symbol:   name of a function: int f(int a), a + 1
 * @function: the function
 * @at:       offset of the probed instruction
 */
struct kprobes_walk_place {
	const char *name;
	const char *symbol;
	int (*function)(int a);
	const unsigned int *at;
};

/**
 * struct kprobes_trace - a stack trace that was taken
 * @entries: its addresses
 * @nr:      how many
 * @ip:      the interrupted instruction
 * @what:    what has interrupted it
 * @how:     how the trace was taken
 */
struct kprobes_trace {
	unsigned long entries[KPROBES_TRACE_MAX];
	unsigned int nr;
	unsigned long ip;
	const char *what;
	const char *how;
};

/**
 * struct kprobes_walk - a function is called and unwound from at each instruction
 * @steps:     for stepping
 * @arrival:   for interrupts and NMIs
 * @function:  the function
 * @start:     its first byte
 * @end:       the byte after its last
 * @site:      address of the displaced instruction
 * @after:     address of the instruction after that
 * @starts:    where a breakpoint may lead from there: only traps stop before these
 * @nr_starts: how many
 * @covers:    the displaced code, and the trampolines that it leads to
 * @nr_covers: how many
 * @context:   what calls the function
 * @how:       what looks
 * @ways:      for each context the callers of the function, from a trace without a probe
 * @way:       those of @context
 * @depth:     how many; 0 at first
 * @learning:  the function is not probed: @way and @orphans are written
 * @orphans:   offsets in the function from which a trace lacks its caller, without a probe
 * @meddle:    called before each instruction: acts as an interrupt or another CPU
 * @around:    called before and after the function
 * @data:      for these two
 * @uninterrupted: it is not to be interrupted, but by NMIs
 * @result:    of the function
 * @stack:     the stack pointer when it was called, 0 before that
 * @returned:  the function has returned, but its caller does not run yet
 * @handling:  a handler takes a trace: no traces are taken from it
 * @looks:     from how many instructions a trace was taken
 * @reliable:  from how many of them a reliable one could be taken
 * @wrong:     how many traces were wrong
 * @trace:     the first wrong one
 * @work:      for a call by an interrupt
 */
struct kprobes_walk {
	struct kprobes_steps steps;
	struct kprobes_arrival arrival;
	int (*function)(int a);
	unsigned long start;
	unsigned long end;
	unsigned long site;
	unsigned long after;
	unsigned long starts[KPROBES_ARRIVALS_MAX - 1];
	unsigned int nr_starts;
	struct kprobes_cover *covers;
	unsigned int nr_covers;
	enum kprobes_walk_context context;
	enum kprobes_how how;
	unsigned long ways[KPROBES_WALK_CONTEXTS][KPROBES_WALK_DEPTH];
	unsigned long *way;
	unsigned int depth;
	bool learning;
	DECLARE_BITMAP(orphans, KPROBES_WALK_BYTES);
	void (*meddle)(struct kprobes_walk *w, struct pt_regs *regs);
	void (*around)(struct kprobes_walk *w, bool before);
	void *data;
	bool uninterrupted;
	int result;
	unsigned long stack;
	bool returned;
	bool handling;
	unsigned int looks;
	unsigned int reliable;
	unsigned int wrong;
	struct kprobes_trace trace;
	struct irq_work work;
};

struct kprobes_walk *kprobes_walk(struct kunit *test, const struct kprobes_walk_place *place);
void kprobes_walk_everywhere(struct kunit *test, struct kprobes_walk *w, const char *what);
void kprobes_walk_in_task(struct kunit *test, struct kprobes_walk *w, const char *what);
void kprobes_walk_trace(struct kprobes_walk *w, struct pt_regs *regs);

struct kprobes_cover *kprobes_walk_cover(struct kunit *test, struct kprobes_walk *w,
					 const char *name, const void *start, unsigned int size);
void kprobes_walk_cover_point(struct kunit *test, struct kprobes_walk *w,
			      const struct kprobe_point *point);
void kprobes_walk_cover_trampoline(struct kunit *test, struct kprobes_walk *w,
				   const char *name, const void *trampoline);
void kprobes_walk_expect_covered(struct kunit *test, const struct kprobes_walk *w,
				 const char *what);

/* Do hits of the point go on in its detour? */
static inline bool kprobes_walk_is_detoured(const struct kprobe_point *point)
{
	return point->detour && point->route == &point->detour->route;
}

int kprobes_walk_init(struct kunit *test);
void kprobes_walk_exit(struct kunit *test);

#endif /* _KERNEL_KPROBES_TESTS_X86_WALK_H */
