// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ftrace mechanism: a point at a function's entry that ftrace calls us for.
 *
 * One ftrace_ops has the addresses of all such points in its filter. takeover.c decides
 * which points use ftrace, and which have a breakpoint or jump after the entry nop.
 */
#include <linux/ftrace.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/slab.h>

#include "../trace/ftrace_internal.h"
#include "ftrace.h"
#include "move.h"
#include "move_notes.h"
#include "probed_code.h"
#include "table.h"

/* Set for good when ftrace has died; hits then are ftrace's to drop. */
bool kprobe_ftrace_disabled __read_mostly;

/**
 * kprobe_ftrace_kill() - ftrace has found its text corrupt
 *
 * Context: Any.
 */
void kprobe_ftrace_kill(void)
{
	kprobe_ftrace_disabled = true;
}
NOKPROBE_SYMBOL(kprobe_ftrace_kill);

static void report_call(struct kprobe_point *point, struct pt_regs *regs)
{
	unsigned long to = instruction_pointer(regs);
	unsigned long sp = kernel_stack_pointer(regs);
	bool moving = kprobe_is_moving(point);

	/* Also if no handler is called: a Tasks RCU grace period does not cover this call. */
	if (unlikely(moving) && !kprobe_move_note(point, sp))
		return;
	/* If ftrace has no memory to disarm a point, it goes on with its calls: it is idle. */
	if (unlikely(READ_ONCE(point->state) != KPROBE_POINT_ARMED))
		return;
	kprobe_entry_hit(point, regs);
	/* It does not come to the breakpoint. */
	if (unlikely(moving) && instruction_pointer(regs) != to)
		kprobe_move_take_note(point, sp);
}
NOKPROBE_SYMBOL(report_call);

static __always_inline void find_and_report(unsigned long ip, struct pt_regs *regs)
{
	struct kprobe_point *point = kprobe_table_find_user(ip, kprobe_after_nop(ip));

	/* Acquire: pairs with kprobe_move_begin(). */
	if (likely(point && smp_load_acquire(&point->mechanism) == KPROBE_FTRACE))
		report_call(point, regs);
}

/* ftrace calls us also where RCU is not watching. Only then can the table be read. */
static noinline void call_hit_slowly(unsigned long ip, struct pt_regs *regs,
				     unsigned int left)
{
	left = kprobe_leave_code_slowly(left);
	find_and_report(ip, regs);
	kprobe_return_to_code_slowly(left);
}
NOKPROBE_SYMBOL(call_hit_slowly);

static __always_inline void call_hit(unsigned long ip, struct pt_regs *regs)
{
	unsigned int left;

	if (unlikely(!regs || kprobe_ftrace_disabled))
		return;
	left = kprobe_begin_to_leave_code(regs);
	if (unlikely(left)) {
		call_hit_slowly(ip, regs, left);
		return;
	}
	find_and_report(ip, regs);
	preempt_enable_notrace();
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS
#define SAVE_REGS	FTRACE_OPS_FL_SAVE_REGS

/* Where a call with these registers goes on, @to if they are not all there. */
static unsigned long destination(struct ftrace_regs *fregs, unsigned long to)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);

	return regs ? instruction_pointer(regs) : to;
}
NOKPROBE_SYMBOL(destination);

static void ftrace_hit(unsigned long ip, unsigned long parent_ip,
		       struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	unsigned long to = destination(fregs, 0);

	call_hit(ip, ftrace_get_regs(fregs));
	/* A direct call belongs to the function. Its callback may also come later. */
	if (unlikely(destination(fregs, 0) != to))
		arch_ftrace_set_direct_caller(fregs, 0);
}
#else
#define SAVE_REGS	0

static unsigned long destination(struct ftrace_regs *fregs, unsigned long to)
{
	return ftrace_regs_get_instruction_pointer(fregs);
}
NOKPROBE_SYMBOL(destination);

/* ftrace has saved no more than a call's arguments and its way. */
static void ftrace_hit(unsigned long ip, unsigned long parent_ip,
		       struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	/* The compiler would clear it by memset(), which may be probed. */
	struct pt_regs regs __uninitialized;
	unsigned long to = destination(fregs, 0);

	arch_kprobe_get_call(&regs, fregs);
	call_hit(ip, &regs);
	arch_kprobe_put_call(fregs, &regs);
	if (unlikely(destination(fregs, 0) != to))
		arch_ftrace_set_direct_caller(fregs, 0);
}
#endif
NOKPROBE_SYMBOL(ftrace_hit);

/**
 * kprobe_ftrace_diverts() - does a call go on elsewhere than in its function?
 * @ip:    address of the nop that ftrace has replaced
 * @fregs: registers of the call
 *
 * Context: A callback of ftrace.
 * Return: True if a callback, as a hit is, has changed the instruction pointer.
 */
bool kprobe_ftrace_diverts(unsigned long ip, struct ftrace_regs *fregs)
{
	unsigned long to = kprobe_after_nop(ip);

	return destination(fregs, to) != to;
}
NOKPROBE_SYMBOL(kprobe_ftrace_diverts);

static struct ftrace_ops kprobe_ftrace_ops = {
	.func = ftrace_hit,
	.flags = SAVE_REGS | FTRACE_OPS_FL_PERMANENT,
};

/* Sites in the filter; kprobe_mutex. ftrace traces all if it is empty. */
static unsigned int nr_sites;

/* The addresses of a list of points, for ftrace. */
static unsigned long *sites_of(struct list_head *points, unsigned int *nr)
{
	struct kprobe_point *point;
	unsigned long *sites;

	*nr = list_count_nodes(points);
	sites = kvmalloc_array(*nr, sizeof(*sites), GFP_KERNEL);
	if (!sites)
		return NULL;
	*nr = 0;
	list_for_each_entry(point, points, batch)
		sites[(*nr)++] = point->addr;
	return sites;
}

static int add_sites(unsigned long *sites, unsigned int nr)
{
	int ret;

	ret = ftrace_set_filter_ips(&kprobe_ftrace_ops, sites, nr, 0, 0);
	if (ret)
		return ret;
	if (!nr_sites)
		ret = register_ftrace_function(&kprobe_ftrace_ops);
	if (ret)
		ftrace_set_filter_ips(&kprobe_ftrace_ops, sites, nr, 1, 0);
	else
		nr_sites += nr;
	return ret;
}

/* What ftrace says when it does not arm points. */
static enum kprobe_reason reason_for(int error)
{
	switch (error) {
	case 0:
		return KPROBE_REASON_NONE;
	case -ENOMEM:
		return KPROBE_REASON_NO_MEMORY;
	case -EBUSY:
		return KPROBE_REASON_FTRACE_OFF;
	case -ENODEV:
		return KPROBE_REASON_FTRACE_DEAD;
	default:
		return KPROBE_REASON_FTRACE;
	}
}

/**
 * kprobe_ftrace_arm() - have ftrace call us at a number of points
 * @points: idle points, linked by their @batch
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: %KPROBE_REASON_NONE, or why ftrace refuses; nothing is armed then.
 */
enum kprobe_reason kprobe_ftrace_arm(struct list_head *points)
{
	unsigned long *sites;
	unsigned int nr;
	int ret;

	lockdep_assert_held(&kprobe_mutex);
	if (list_empty(points))
		return KPROBE_REASON_NONE;
	sites = sites_of(points, &nr);
	if (!sites)
		return KPROBE_REASON_NO_MEMORY;
	ret = add_sites(sites, nr);
	kvfree(sites);
	return reason_for(ret);
}
NOKPROBE_SYMBOL(kprobe_ftrace_arm);

static int remove_sites(unsigned long *sites, unsigned int nr)
{
	int ret;

	/* Unregister first: with an empty filter it would trace everything. */
	if (nr_sites == nr)
		unregister_ftrace_function(&kprobe_ftrace_ops);
	ret = ftrace_set_filter_ips(&kprobe_ftrace_ops, sites, nr, 1, 0);
	nr_sites -= nr;
	return ret;
}

/**
 * kprobe_ftrace_disarm() - keep ftrace from calling us at a number of points
 * @points: armed points, linked by their @batch
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: 0, or what ftrace says.
 */
int kprobe_ftrace_disarm(struct list_head *points)
{
	struct kprobe_point *point;
	unsigned long *sites;
	unsigned int nr;
	int ret = 0;

	lockdep_assert_held(&kprobe_mutex);
	if (list_empty(points))
		return 0;
	list_for_each_entry(point, points, batch)
		kprobe_move_end(point);
	sites = sites_of(points, &nr);
	if (sites) {
		ret = remove_sites(sites, nr);
		kvfree(sites);
		return ret;
	}
	/* No memory for doing it at once: one by one. */
	list_for_each_entry(point, points, batch)
		ret = remove_sites(&point->addr, 1) ?: ret;
	return ret;
}
NOKPROBE_SYMBOL(kprobe_ftrace_disarm);
