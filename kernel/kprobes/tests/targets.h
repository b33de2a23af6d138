/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_TESTS_TARGETS_H
#define _KERNEL_KPROBES_TESTS_TARGETS_H

/*
 * targets.c: functions to probe and probes that count. Entries of functions in targets.c
 * are call sites of ftrace. Of functions in targets_asm.S the instructions are known, and
 * entries have breakpoints.
 */
#ifndef __ASSEMBLY__
#include <linux/atomic.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobe_reason.h>
#include <linux/kprobes.h>
#include <linux/types.h>

#include "kprobes_test.h"
#include "spin.h"

#ifndef kprobes_landing_pad
/* The length of the landing pad at a function's start. */
static inline unsigned int kprobes_landing_pad(unsigned long addr)
{
	return 0;
}
#endif

#ifndef kprobes_page_is_protected
/* Can nobody write to a page of text? Else that is tried out elsewhere, or not so. */
static inline bool kprobes_page_is_protected(void *addr)
{
	return true;
}
#endif

/* Can the kernel write to all of its pages, although they are protected? */
#ifndef KPROBES_PAGES_ARE_WRITABLE
#define KPROBES_PAGES_ARE_WRITABLE	false
#endif

#ifndef kprobes_calls_ftrace
/* Has ftrace its call at the entry @addr? It is where the nop begins, if not said otherwise. */
static inline bool kprobes_calls_ftrace(unsigned long addr)
{
	return *(kprobe_opcode_t *)addr != KPROBE_ENTRY_OPCODE;
}
#endif

/* Does no instruction get its breakpoint without that CPUs are stopped? */
#ifndef KPROBES_ALWAYS_STOPS_CPUS
#define KPROBES_ALWAYS_STOPS_CPUS	false
#endif

/* An address in neither half of a 64-bit address space. */
#ifndef TEST_NO_HALF
#define TEST_NO_HALF	BIT(63)
#endif

struct kunit;

/* The length of an instruction, 0 if there is none at @bytes. */
static inline unsigned int kprobes_insn_len(const u8 *bytes, size_t avail)
{
	struct kprobe_insn insn;

	arch_kprobe_isa->plan(&insn, bytes, avail, 0);
	return insn.len;
}

/**
 * struct kprobes_place - a place that kprobes_targets_run() passes once
 * @name:   name of the test case
 * @symbol: a function
 * @offset: bytes from its start
 * @next:   offset of the instruction that is executed next, 0 if unknown
 */
struct kprobes_place {
	const char *name;
	const char *symbol;
	unsigned long offset;
	unsigned long next;
};

const struct kprobes_place *kprobes_place(unsigned int i);
unsigned int kprobes_places(void);
const struct kprobes_place *kprobes_place_named(const char *name);
unsigned long kprobes_place_addr(const struct kprobes_place *place);
const void *kprobes_place_gen_params(const void *prev, char *desc);
const void *kprobes_entry_gen_params(const void *prev, char *desc);

/* A test that is run for each place, or for each function's entry. */
#define KPROBES_CASE_PLACES(fn)	KUNIT_CASE_PARAM(fn, kprobes_place_gen_params)
#define KPROBES_CASE_ENTRIES(fn) KUNIT_CASE_PARAM(fn, kprobes_entry_gen_params)

/* Passes every place once and returns KPROBES_TARGETS_RESULT(a). */
int kprobes_targets_run(int a);
#define KPROBES_TARGETS_RESULT(a)	(3 * (a) + 111)

/* Parts of it, to be called alone. */
int kprobes_target_c(int a);
int kprobes_target_asm(int a);
int kprobes_target_endbr(int a);

/* Names of places that are entries: of ftrace, with a breakpoint, with a landing pad. */
#define KPROBES_PLACE_C		"C function"
#define KPROBES_PLACE_ASM	"assembly function"
#define KPROBES_PLACE_ENDBR	"function with landing pad"

/* An instruction of several units, inside of a function. */
#define KPROBES_PLACE_LONG	"address relative to its own"

/**
 * struct kprobes_caller - a function that calls another
 * @name:   name of the test case
 * @symbol: the function
 * @call:   calls it, returns fn(arg) + 1
 */
struct kprobes_caller {
	const char *name;
	const char *symbol;
	int (*call)(int (*fn)(void *arg), void *arg);
};

const void *kprobes_caller_gen_params(const void *prev, char *desc);

/* A test that is run for each of them. */
#define KPROBES_CASE_CALLERS(fn) KUNIT_CASE_PARAM(fn, kprobes_caller_gen_params)

int kprobes_target_call_c(int (*fn)(void *arg), void *arg);
int kprobes_return_41(void *unused);
int kprobes_call_41(const struct kprobes_caller *caller);

/**
 * struct kprobes_counter - a probe that counts
 * @kp:      the probe
 * @pre:     calls of its pre-handler
 * @post:    calls of its post-handler
 * @pre_ip:  regs->ip in the last call of the pre-handler
 * @post_ip: the same of the post-handler
 * @in_pre:  what else the pre-handler does, if not NULL; returned
 * @in_post: what else the post-handler does, if not NULL
 * @data:    for these
 */
struct kprobes_counter {
	struct kprobe kp;
	atomic_t pre;
	atomic_t post;
	unsigned long pre_ip;
	unsigned long post_ip;
	kprobe_pre_handler_t in_pre;
	kprobe_post_handler_t in_post;
	void *data;
};

static inline struct kprobes_counter *kprobes_counter_of(struct kprobe *p)
{
	return container_of(p, struct kprobes_counter, kp);
}

int kprobes_count_pre(struct kprobe *p, struct pt_regs *regs);
void kprobes_count_post(struct kprobe *p, struct pt_regs *regs,
			unsigned long flags);
struct kprobes_counter *kprobes_counter(struct kunit *test,
					const struct kprobes_place *place);
struct kprobes_counter *kprobes_counting(struct kunit *test,
					 const struct kprobes_place *place);
unsigned int kprobes_misses(const struct kprobe *p, enum kprobe_miss cause);
void kprobes_expect_counts(struct kunit *test, struct kprobes_counter *c,
			   int pre, int post);

/**
 * struct kprobes_returns - a return probe that counts
 * @rp:        the return probe
 * @entries:   calls of its entry handler
 * @returns:   calls of its return handler
 * @in_entry:  what else the entry handler does, if not NULL; returned
 * @in_return: what else the return handler does, if not NULL
 * @data:      for these
 */
struct kprobes_returns {
	struct kretprobe rp;
	atomic_t entries;
	atomic_t returns;
	kretprobe_handler_t in_entry;
	kretprobe_handler_t in_return;
	void *data;
};

static inline struct kprobes_returns *
kprobes_returns_of(struct kretprobe_instance *ri)
{
	return container_of(get_kretprobe(ri), struct kprobes_returns, rp);
}

void kprobes_returns_init(struct kprobes_returns *r, const char *symbol);
struct kprobes_returns *kprobes_returns(struct kunit *test, const char *symbol);
struct kprobes_returns *kprobes_returning(struct kunit *test,
					  const char *symbol);
struct kprobes_returns *kprobes_caller_returns(struct kunit *test);
struct kprobes_returns *kprobes_caller_returning(struct kunit *test);
void kprobes_expect_returns(struct kunit *test, struct kprobes_returns *r,
			    int entries, int returns);

/**
 * struct kprobes_text - bytes of a function as they were
 * @addr:  where
 * @bytes: what
 */
struct kprobes_text {
	unsigned long addr;
	u8 bytes[16];
};

void kprobes_text_save(struct kprobes_text *text, unsigned long addr);
void kprobes_text_expect(struct kunit *test, const struct kprobes_text *text);
int kprobes_try(unsigned long addr);
unsigned long kprobes_symbol_end(unsigned long addr);
void kprobes_expect_blacklisted(struct kunit *test, unsigned long start, unsigned long end);
void kprobes_expect_off(struct kunit *test, const struct kprobe *p);
void kprobes_expect_targets(struct kunit *test, unsigned int times);
unsigned int kprobes_leave_cpu(struct kunit *test);
unsigned int kprobes_cpu_to_stop(struct kunit *test);
void kprobes_wait_for_frees(void);
bool kprobes_slot_has_owner(const void *slot);

#ifdef CONFIG_KPROBES_ON_FTRACE
void kprobes_by_ftrace(struct kunit *test);
enum kprobe_reason kprobes_switch(struct kprobe *p);
#else
static inline void kprobes_by_ftrace(struct kunit *test) { }

static inline enum kprobe_reason kprobes_switch(struct kprobe *p)
{
	return KPROBE_REASON_FTRACE;
}
#endif

extern const struct kprobes_place kprobes_asm_places[];
extern const struct kprobes_place kprobes_asm_places_end[];

/* Functions that return in various ways. */
int kprobes_target_call(int (*fn)(void *arg), void *arg);
int kprobes_target_tail(int (*fn)(void *arg), void *arg);
int kprobes_target_left(int a);
void kprobes_target_lost(void);

/* Instructions that fault. */
long kprobes_target_load(const long *p);
long kprobes_target_load_bare(const long *p);
long kprobes_target_load_late(const long *p);
long kprobes_target_load_nop(const long *p);
unsigned long kprobes_target_zeropad(const void *p);
long kprobes_target_load_user(const long __user *p);
int kprobes_target_divide(int a, int b);
extern const unsigned int kprobes_load_user_offset, kprobes_divide_offset;

#endif /* __ASSEMBLY__ */
#endif /* _KERNEL_KPROBES_TESTS_TARGETS_H */
