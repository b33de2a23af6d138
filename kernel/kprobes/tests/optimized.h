/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_TESTS_OPTIMIZED_H
#define _KERNEL_KPROBES_TESTS_OPTIMIZED_H

/* optimized.c: common code of the optimizer's suites. Functions are in arch/<arch>/optimize.S. */
#include <kunit/test.h>
#include <linux/kprobe_point.h>

#include "targets.h"
#include "waits.h"

int kprobes_opt_plain(int a);
int kprobes_opt_flags(long a);
int kprobes_opt_push(long a);
int kprobes_opt_stack(long a);
int kprobes_opt_call(int a);
int kprobes_opt_middle(int a);
int kprobes_opt_std(int a);
int kprobes_opt_callee(void);

extern const unsigned int kprobes_opt_flags_at, kprobes_opt_jcc_at;
extern const unsigned int kprobes_opt_stack_at, kprobes_opt_middle_at;

/* The text has its original bytes. */
#define KPROBES_BARE	KPROBE_MECHANISMS

/**
 * enum kprobes_way - how hits get to handlers
 * @KPROBES_BY_TRAP:   the breakpoint's trap calls them
 * @KPROBES_BY_DETOUR: the breakpoint leads to a detour
 * @KPROBES_BY_JUMP:   a jump leads to a detour
 * @KPROBES_NO_WAY:    none of these
 */
enum kprobes_way {
	KPROBES_BY_TRAP,
	KPROBES_BY_DETOUR,
	KPROBES_BY_JUMP,
	KPROBES_NO_WAY,
};

const void *kprobes_way_gen_params(const void *prev, char *desc);
const void *kprobes_detour_gen_params(const void *prev, char *desc);
const char *kprobes_way_name(enum kprobes_way way);
void kprobes_take_way(enum kprobes_way way);
void kprobes_leave_way(void);
enum kprobes_way kprobes_way_of(struct kunit *test);
int kprobes_way_init(struct kunit *test);
void kprobes_way_exit(struct kunit *test);
void kprobes_hold_optimizer(bool hold);
void kprobes_settle(enum kprobes_way way);
enum kprobes_way kprobes_way_from(unsigned long addr);

/* A test that is run for each of them, or for those with a detour. */
#define KPROBES_CASE_WAYS(fn)	KUNIT_CASE_PARAM(fn, kprobes_way_gen_params)
#define KPROBES_CASE_DETOURS(fn) KUNIT_CASE_PARAM(fn, kprobes_detour_gen_params)

const char *kprobes_mechanism_name(enum kprobe_mechanism mechanism);
enum kprobe_mechanism kprobes_mechanism_in_text(unsigned long addr);
void kprobes_expect_mechanism(struct kunit *test, const struct kprobes_counter *c,
			      enum kprobe_mechanism mechanism, const char *when);
void kprobes_expect_way(struct kunit *test, const struct kprobes_counter *c);
int kprobes_register_again(struct kprobes_counter *c);
void kprobes_expect_jump(struct kunit *test, struct kprobes_counter *c);

/* Handlers that do nothing but call a function, which looks at the context that they run in. */
void kprobes_look(struct kprobes_counter *c, void (*around)(void));
struct kprobes_counter *kprobes_looking(struct kunit *test, void (*around)(void), bool post);
struct kprobes_returns *kprobes_looking_return(struct kunit *test, void (*around)(void));

struct kprobes_hog *kprobes_hold(struct kunit *test);

#endif /* _KERNEL_KPROBES_TESTS_OPTIMIZED_H */
