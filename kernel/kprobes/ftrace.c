// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ftrace mechanism: ftrace calls kprobes at a function's entry, and each call is a hit.
 *
 * One ftrace_ops has the addresses of all such points in its filter. Batches add points to the
 * filter and take them out. entry.c decides which points use ftrace, and which have a
 * breakpoint or jump after the entry nop. The filter is never empty while the ops is
 * registered: ftrace would trace every function then.
 *
 * ftrace_hit() and what it calls are part of the hit path: the rules at the top of hit.c hold
 * for them as well.
 */
#include <linux/ftrace.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/slab.h>

#include "../trace/ftrace_internal.h"
#include "ftrace.h"
#include "hit.h"
#include "point.h"
#include "switch.h"
#include "table.h"

/* Set for good when ftrace has died: no call of ftrace is a hit any more. */
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

static void report_call(struct kprobe_point *point, struct pt_regs *regs)
{
	unsigned long to = instruction_pointer(regs);

	/* ftrace goes on with its calls for an idle point if it had no memory to disarm it. */
	if (likely(READ_ONCE(point->state) == KPROBE_POINT_ARMED))
		kprobe_entry_hit(point, regs);
	/* Also if the point is not armed: it may be when the call comes to the breakpoint. */
	if (unlikely(kprobe_is_switching(point)) && instruction_pointer(regs) == to)
		instruction_pointer_set(regs, (unsigned long)kprobe_point_pass(point));
}
NOKPROBE_SYMBOL(report_call);

static __always_inline void find_and_report(unsigned long ip, struct pt_regs *regs)
{
	struct kprobe_point *point = kprobe_table_find_user(ip, kprobe_after_nop(ip));

	/* Acquire: @entry is read after @mechanism. Pairs with kprobe_switch_begin(). */
	if (likely(point && smp_load_acquire(&point->mechanism) == KPROBE_FTRACE))
		report_call(point, regs);
}

/* ftrace also calls where RCU is not watching. RCU must watch before the table is read. */
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

/* Where a call with these registers continues; @to if ftrace has not saved all of them. */
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
	/*
	 * A diverted call must not make the function's direct call. If ftrace sets that up
	 * after this callback, it asks kprobe_ftrace_diverts().
	 */
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

/* ftrace saves only a call's arguments, return address, stack and instruction pointer. */
static void ftrace_hit(unsigned long ip, unsigned long parent_ip,
		       struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	/* Uninitialized: the compiler would clear it by memset(), which may be probed. */
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
 * kprobe_ftrace_diverts() - does a call continue elsewhere than in its function?
 * @ip:    address of the nop that ftrace has replaced
 * @fregs: registers of the call
 *
 * Context: A callback of ftrace.
 * Return: True if a callback, such as a hit, has changed the instruction pointer.
 */
bool kprobe_ftrace_diverts(unsigned long ip, struct ftrace_regs *fregs)
{
	unsigned long to = kprobe_after_nop(ip);

	return destination(fregs, to) != to;
}

static struct ftrace_ops kprobe_ftrace_ops = {
	.func = ftrace_hit,
	.flags = SAVE_REGS | FTRACE_OPS_FL_PERMANENT,
};

/* How many sites are in the filter; kprobe_mutex. */
static unsigned int nr_sites;

/* The addresses of points linked by @batch, to be freed by kvfree(); NULL without memory. */
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

/* Translates an errno of ftrace. */
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

/* Has ftrace call kprobes for idle points. Returns why ftrace refuses; none is armed then. */
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

/* Keeps ftrace from calling kprobes for points, and ends their switches. Returns ftrace's errno. */
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
		kprobe_switch_end(point);
	sites = sites_of(points, &nr);
	if (sites) {
		ret = remove_sites(sites, nr);
		kvfree(sites);
		return ret;
	}
	/* There is no memory to do it at once: take them out one by one. */
	list_for_each_entry(point, points, batch)
		ret = remove_sites(&point->addr, 1) ?: ret;
	return ret;
}
