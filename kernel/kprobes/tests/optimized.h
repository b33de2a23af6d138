/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_TESTS_OPTIMIZED_H
#define _KERNEL_KPROBES_TESTS_OPTIMIZED_H

/* optimized.c: common code of the optimizer's suites. Functions are in arch/<arch>/optimize.S. */
#include <kunit/test.h>
#include <linux/kprobe_point.h>

#include "targets.h"

int kprobes_opt_plain(int a);
/* kprobes_opt_plain(): length of its first instruction. */
#define KPROBES_OPT_PLAIN_LEN	(IS_ENABLED(CONFIG_X86_32) ? 3 : 4)
/* Length of its first two instructions, and of three. */
#ifdef CONFIG_X86
#define KPROBES_OPT_PLAIN_LEN2	(IS_ENABLED(CONFIG_X86_64) ? 7 : 4)
#define KPROBES_OPT_PLAIN_LEN3	(IS_ENABLED(CONFIG_X86_64) ? 11 : 7)
#else
#define KPROBES_OPT_PLAIN_LEN2	8
#define KPROBES_OPT_PLAIN_LEN3	12
#endif
/* A jump covers no more than an instruction: no other one is ever in its way. */
#define KPROBES_OPT_COVERS_ONE	IS_ENABLED(CONFIG_ARM64)
/* How many instructions of it a jump covers. */
#define KPROBES_OPT_PLAIN_NR	(IS_ENABLED(CONFIG_X86_32) ? 3 : 2 - KPROBES_OPT_COVERS_ONE)
int kprobes_opt_flags(long a);
/* Length of its branch, and where that leads to. */
#define KPROBES_OPT_JCC_LEN	(IS_ENABLED(CONFIG_X86) ? 2 : 4)
#define KPROBES_OPT_JCC_OVER	(IS_ENABLED(CONFIG_X86) ? 7 : 8)
/* The flag that it depends on. */
#ifdef CONFIG_X86
#define KPROBES_OPT_FLIP(regs)	((regs)->flags ^= X86_EFLAGS_ZF)
#elif defined(CONFIG_ARM64)
#define KPROBES_OPT_FLIP(regs)	((regs)->pstate ^= PSR_Z_BIT)
#endif
int kprobes_opt_push(long a);
int kprobes_opt_stack(long a);
int kprobes_opt_call(int a);
int kprobes_opt_middle(int a);
#ifdef CONFIG_ARM64
int kprobes_opt_literal(int a);
#endif
int kprobes_opt_std(int a);
int kprobes_opt_callee(void);

/* arch/riscv/optimize.S: a jump of two instructions. */
void kprobes_opt_far(void);

/* arch/riscv/optimize.S: loads six words into t1 to t6, and stores them and others after eight words. */
void kprobes_opt_keep(unsigned long *words);
extern const unsigned int kprobes_opt_keep_at;

extern const unsigned int kprobes_opt_flags_at, kprobes_opt_jcc_at;
extern const unsigned int kprobes_opt_stack_at, kprobes_opt_middle_at;
#ifdef CONFIG_ARM64
extern const unsigned int kprobes_opt_literal_at;
#endif

/* arch/riscv/vector.S: loads and stores vector registers. */
void kprobes_vector_load(const void *from);
void kprobes_vector_store(void *to);

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

/**
 * struct kprobes_hold - keeps Tasks RCU grace periods from ending
 * @task:    spins
 * @held:    it has begun to
 * @release: it may end
 */
struct kprobes_hold {
	struct task_struct *task;
	bool held;
	bool release;
};

struct kprobes_hold *kprobes_hold(struct kunit *test);
void kprobes_release(struct kprobes_hold *hold);

#endif /* _KERNEL_KPROBES_TESTS_OPTIMIZED_H */
