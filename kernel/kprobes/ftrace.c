// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ftrace mechanism: ftrace calls kprobes at a function's entry, and each call is a hit. One
 * ftrace_ops has the addresses of all such points in its filter. The filter is never empty while
 * the ops is registered: ftrace would trace every function then.
 *
 * A point may switch from a breakpoint after the entry nop to ftrace while the function is being
 * called, and each call is a hit exactly once. ftrace has not reported the calls that are between
 * nop and breakpoint when the switch begins: they are hits at the breakpoint. Later ones are
 * reported. The callback sends these to the pass slot instead of the site. It has a breakpoint as
 * well, whose hit goes on with what comes after the handlers of the point. After a Tasks RCU grace
 * period no call is between nop and breakpoint. The breakpoint is then removed, or left to the
 * point of the instruction itself if that is armed.
 *
 * ftrace_hit() and what it calls are part of the hit path: the rules in hit.c hold for them too.
 */
#include <linux/ftrace.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "../trace/ftrace_internal.h"
#include "hit.h"
#include "mechanism.h"
#include "patch.h"
#include "point.h"
#include "slot.h"
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

static __kprobes void report_call(struct kprobe_point *point, struct pt_regs *regs)
{
	unsigned long to = instruction_pointer(regs);

	/* ftrace goes on with its calls for an idle point if it had no memory to disarm it. */
	if (likely(READ_ONCE(point->state) == KPROBE_POINT_ARMED))
		kprobe_entry_hit(point, regs);
	/* Also if the point is not armed: it may be when the call comes to the breakpoint. */
	if (unlikely(kprobe_is_switching(point)) && instruction_pointer(regs) == to)
		instruction_pointer_set(regs, (unsigned long)kprobe_point_pass(point));
}

static __always_inline void find_and_report(unsigned long ip, struct pt_regs *regs)
{
	struct kprobe_point *point = kprobe_table_find_user(ip, kprobe_after_nop(ip));

	/* Acquire: @entry is read after @mechanism. Pairs with kprobe_switch_begin(). */
	if (likely(point && smp_load_acquire(&point->mechanism) == KPROBE_FTRACE))
		report_call(point, regs);
}

/* ftrace also calls where RCU is not watching. RCU must watch before the table is read. */
static noinline __kprobes void call_hit_slowly(unsigned long ip, struct pt_regs *regs,
					       unsigned int left)
{
	left = kprobe_leave_code_slowly(left);
	find_and_report(ip, regs);
	kprobe_return_to_code_slowly(left);
}

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

/* Where a call with these registers continues; @to if ftrace has not saved all of them. */
static __kprobes unsigned long destination(struct ftrace_regs *fregs, unsigned long to)
{
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS
	struct pt_regs *regs = ftrace_get_regs(fregs);

	return regs ? instruction_pointer(regs) : to;
#else
	return ftrace_regs_get_instruction_pointer(fregs);
#endif
}

static __kprobes void ftrace_hit(unsigned long ip, unsigned long parent_ip,
				 struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	unsigned long to = destination(fregs, 0);
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS
	call_hit(ip, ftrace_get_regs(fregs));
#else
	/*
	 * Of these ftrace saves only a call's arguments, return address, stack and instruction
	 * pointer. Uninitialized: the compiler would clear it by memset(), which may be probed.
	 */
	struct pt_regs regs __uninitialized;

	arch_kprobe_get_call(&regs, fregs);
	call_hit(ip, &regs);
	arch_kprobe_put_call(fregs, &regs);
#endif
	/*
	 * A diverted call must not make the function's direct call. If ftrace sets that up
	 * after this callback, it asks kprobe_ftrace_diverts().
	 */
	if (unlikely(destination(fregs, 0) != to))
		arch_ftrace_set_direct_caller(fregs, 0);
}

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
	.flags = FTRACE_OPS_FL_PERMANENT |
		 (IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS) ? FTRACE_OPS_FL_SAVE_REGS : 0),
};

/* How many sites are in the filter; kprobe_mutex. */
static unsigned int nr_sites;

/* How many points switch now; kprobe_mutex. */
static unsigned int nr_switches;
static DECLARE_WAIT_QUEUE_HEAD(switches_over);

/* Some traps report the address after the breakpoint: the second one keeps it in the slot. */
static enum kprobe_reason emit_pass(void *arg, struct kprobe_code *code)
{
	kprobe_point_put_breakpoint(arg, code);
	kprobe_point_put_breakpoint(arg, code);
	return KPROBE_REASON_NONE;
}

/* Makes the point's struct kprobe_entry, which stays until the point is freed. */
enum kprobe_reason kprobe_entry_make(struct kprobe_point *point)
{
	enum kprobe_reason reason;
	struct kprobe_entry *entry;

	lockdep_assert_held(&kprobe_mutex);
	if (point->entry)
		return KPROBE_REASON_NONE;
	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return KPROBE_REASON_NO_MEMORY;
	reason = kprobe_slot_make(&entry->pass, (unsigned long)point | KPROBE_OWNER_IS_POINT,
				  emit_pass, point);
	if (reason) {
		kfree(entry);
		return reason;
	}
	entry->point = point;
	entry->shared.run = entry->pass;
	/* Pairs with the address dependency in kprobe_is_switching() and kprobe_point_pass(). */
	smp_store_release(&point->entry, entry);
	return KPROBE_REASON_NONE;
}

/*
 * Ends a point's switch, if it switches. Before the grace period has ended, the point must be about
 * to leave the text, or its text to go away: calls that ftrace did not report are no hits then.
 */
static void end_switch(struct kprobe_point *point)
{
	struct kprobe_point *other;

	lockdep_assert_held(&kprobe_mutex);
	if (!kprobe_is_switching(point))
		return;
	/* Remove the breakpoint, or leave it to the other point at the site if that is armed. */
	other = kprobe_point_other(point);
	if (!other || !kprobe_point_in_text(other)) {
		kprobe_patch_begin();
		kprobe_patch_add(point, KPROBE_SITE_ORIGINAL);
		kprobe_patch_end();
	}
	kprobe_point_give_site(point, other);
	/* Release: ftrace's callback does not send a call past a breakpoint that is the point's. */
	smp_store_release(&point->entry->switching, false);
	kprobe_point_choose_route(point);
	if (other)
		kprobe_optimizer_queue(other);
	WRITE_ONCE(nr_switches, nr_switches - 1);
	wake_up_all(&switches_over);
}

static void end_deferred(union kprobe_deferred_free *deferred)
{
	struct kprobe_entry *entry = container_of(deferred, struct kprobe_entry, deferred);

	entry->waits = false;
	end_switch(entry->point);
}

static void grace_period_ended(struct rcu_head *rcu)
{
	kprobe_free_soon(rcu, end_deferred);
}

/*
 * Begins to switch points, linked by @batch, which ftrace reports calls for. Each has a breakpoint
 * in the text and a struct kprobe_entry.
 */
void kprobe_switch_begin(struct list_head *points)
{
	struct kprobe_point *point;

	kprobe_slots_sync();
	list_for_each_entry(point, points, batch) {
		WRITE_ONCE(nr_switches, nr_switches + 1);
		WRITE_ONCE(point->entry->switching, true);
		/* @switching was set before. Pairs with find_and_report(). */
		smp_wmb();
		kprobe_point_set_mechanism(point, KPROBE_FTRACE);
		point->entry->waits = true;
		call_rcu_tasks(&point->entry->deferred.rcu, grace_period_ended);
	}
}

/* Does any point switch to ftrace? The answer holds while kprobe_mutex is held. */
bool kprobe_switches(void)
{
	return READ_ONCE(nr_switches);
}

/* Waits until no point switches. That may take a Tasks RCU grace period. */
void kprobe_switch_wait(void)
{
	lockdep_assert_not_held(&kprobe_mutex);
	wait_event(switches_over, !kprobe_switches());
}

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
	ret = ftrace_set_filter_ips(&kprobe_ftrace_ops, sites, nr, 0, 0);
	if (!ret && !nr_sites) {
		ret = register_ftrace_function(&kprobe_ftrace_ops);
		if (ret)
			ftrace_set_filter_ips(&kprobe_ftrace_ops, sites, nr, 1, 0);
	}
	kvfree(sites);
	switch (ret) {
	case 0:
		nr_sites += nr;
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
		end_switch(point);
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
