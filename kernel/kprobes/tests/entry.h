/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_TESTS_ENTRY_H
#define _KERNEL_KPROBES_TESTS_ENTRY_H

/*
 * entry.c: common code of the suites of probes at function entries that ftrace knows.
 * The functions are in entry_asm.S.
 */
#include <linux/kprobe_point.h>

#include "targets.h"

struct ftrace_ops;

/* Has a nop, and after it an instruction that sets the result, and two more. */
int kprobes_entry_target(int a);
/* Calls that function in its place. */
int kprobes_entry_tail(int a);
/* Calls kprobes_target_call_c() in its place. */
int kprobes_entry_tail_call(int (*fn)(void *arg), void *arg);
/* Jumps to the instruction after that nop. */
int kprobes_entry_late(int a);
/* A loop right after the nop, of @n rounds, at least one; returns a + n. */
int kprobes_entry_loop(int n, int a);
/* No nop; returns -a. */
int kprobes_entry_other(int a);
/* Trampolines, and how often they have run. */
void kprobes_entry_direct(void);
void kprobes_entry_around(void);
extern unsigned int kprobes_entry_directs;

/**
 * enum entry_form - how a probe at an entry is reached
 * @ENTRY_BREAKPOINT: by a breakpoint after the nop
 * @ENTRY_JUMP:       by a jump there
 * @ENTRY_FTRACE:     by ftrace, as if calls were redirected
 */
enum entry_form {
	ENTRY_BREAKPOINT,
	ENTRY_JUMP,
	ENTRY_FTRACE,
};

extern const struct kprobes_place kprobes_entry_place;

const void *kprobes_form_gen_params(const void *prev, char *desc);
#define KPROBES_CASE_FORMS(fn)	KUNIT_CASE_PARAM(fn, kprobes_form_gen_params)

unsigned long kprobes_entry_addr(void);
void kprobes_entry_clear(void);
void kprobes_entry_prepare(struct kunit *test);
void kprobes_entry_settle(struct kunit *test, struct kprobe *p);
struct kprobes_counter *kprobes_entry_counting(struct kunit *test);
struct kprobes_counter *kprobes_entry_next(struct kunit *test);
struct kprobes_counter *kprobes_entry_second(struct kunit *test);
void kprobes_entry_call(struct kunit *test, int times);

/* All registers, where ftrace can save them. */
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS
#define ENTRY_SAVE_REGS	FTRACE_OPS_FL_SAVE_REGS
#else
#define ENTRY_SAVE_REGS	0
#endif

/* For register_ftrace_function(). */
extern struct ftrace_ops kprobes_entry_redirection;
void kprobes_entry_redirect(struct kunit *test);

#endif /* _KERNEL_KPROBES_TESTS_ENTRY_H */
