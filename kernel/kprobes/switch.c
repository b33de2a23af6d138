// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Switches a point from a breakpoint after the entry nop to ftrace, while the function is being
 * called. entry.c decides which points switch. Each call is a hit exactly once:
 *
 * When the switch begins, some calls are between the nop and the breakpoint. ftrace has not
 * reported these calls, so they are hits when they reach the breakpoint. ftrace reports all later
 * calls. Its callback calls the handlers and sends the call to a slot instead of the site, which
 * has a breakpoint as well: its hit goes on with what comes after the handlers of the point. So a
 * call that reaches the breakpoint at the site was not reported.
 *
 * After a Tasks RCU grace period no call is between the nop and the breakpoint any more. The
 * breakpoint is removed, or left to the point of the instruction itself if that is armed.
 */
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "code.h"
#include "optimizer.h"
#include "patch.h"
#include "point.h"
#include "slot.h"
#include "switch.h"
#include "table.h"

/* How many points switch now, and how many switches have ended; kprobe_mutex. */
static unsigned int nr_switches;
static unsigned int switches_ended;
static DECLARE_WAIT_QUEUE_HEAD(switches_over);

/*
 * Some traps report the address after the breakpoint: the second one keeps it in the slot. There is
 * nothing else in it.
 */
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

/* Removes the breakpoint, or leaves it to the other point at the site if that is armed. */
static void give_up_breakpoint(struct kprobe_point *point)
{
	struct kprobe_point *other = kprobe_point_other(point);

	if (!other || !kprobe_point_in_text(other)) {
		kprobe_patch_begin();
		kprobe_patch_add(point, KPROBE_SITE_ORIGINAL);
		kprobe_patch_end();
	}
	kprobe_point_give_site(point, other);
}

/*
 * Ends a point's switch, if it switches. Before the grace period has ended, the point must be about
 * to leave the text, or its text to go away: calls that ftrace did not report are no hits then.
 */
void kprobe_switch_end(struct kprobe_point *point)
{
	struct kprobe_point *other;

	lockdep_assert_held(&kprobe_mutex);
	if (!kprobe_is_switching(point))
		return;
	other = kprobe_point_other(point);
	give_up_breakpoint(point);
	/* Release: ftrace's callback does not send a call past a breakpoint that is the point's. */
	smp_store_release(&point->entry->switching, false);
	kprobe_point_choose_route(point);
	if (other)
		kprobe_optimizer_queue(other);
	WRITE_ONCE(nr_switches, nr_switches - 1);
	WRITE_ONCE(switches_ended, switches_ended + 1);
	wake_up_all(&switches_over);
}

static void end_deferred(union kprobe_deferred_free *deferred)
{
	struct kprobe_entry *entry = container_of(deferred, struct kprobe_entry, deferred);

	entry->waits = false;
	kprobe_switch_end(entry->point);
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

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry(point, points, batch) {
		kprobe_slots_sync();
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

/* A count of the switches that have ended, for kprobe_switch_wait(). */
unsigned int kprobe_switches_ended(void)
{
	return READ_ONCE(switches_ended);
}

/*
 * Waits until another switch ends than those that @ended counts, or no point switches. That may
 * take a Tasks RCU grace period.
 */
void kprobe_switch_wait(unsigned int ended)
{
	lockdep_assert_not_held(&kprobe_mutex);
	wait_event(switches_over, !kprobe_switches() || kprobe_switches_ended() != ended);
}
