// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Batches: points, linked by @batch, that are armed and disarmed together, so that all CPUs are
 * synchronized once for all of them. Each call of the API ends in kprobe_batch_commit(), which
 * makes the text match what the probes on these points want.
 *
 * When the last probe leaves a point, the point becomes DISARM_PENDING: a hit only executes the
 * displaced instruction. A work item disarms all such points together a little later, so that
 * unregistering probes one by one takes few passes over the text. A point that has left the text
 * and has no probes is freed after a Tasks RCU grace period.
 *
 * A probe's handler may disable probes, also its own. It must neither sleep nor wait: the task that
 * was hit may hold kprobe_mutex. Only the probe's flag and the point's generation change at once. A
 * work item makes the text match. It goes through all points, so that no request refers to an
 * object that may be freed before it is served.
 */
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "frame.h"
#include "mechanism.h"
#include "patch.h"
#include "point.h"
#include "slot.h"
#include "table.h"

/* Points in state DISARM_PENDING; kprobe_mutex. */
static LIST_HEAD(pending_points);

/* The file "enabled" in debugfs; kprobe_mutex. */
bool kprobe_armed_globally = true;

static void patch_sites(struct list_head *points, enum kprobe_site_text text)
{
	struct kprobe_point *point;

	lockdep_assert_held(&kprobe_mutex);
	if (list_empty(points))
		return;
	kprobe_patch_begin();
	list_for_each_entry(point, points, batch)
		if (kprobe_point_owns_site(point))
			kprobe_patch_add(point, text);
	kprobe_patch_end();
}

/*
 * Of two points with one site, the one at the entry nop has the breakpoint while it is in the text.
 * @points are about to be armed by breakpoints. If one of two is in the text already, it has no
 * jump: kprobe_unoptimize_overlapping().
 */
static void take_sites(struct list_head *points)
{
	struct kprobe_point *point, *other;

	list_for_each_entry(point, points, batch) {
		other = kprobe_point_other(point);
		if (!other || kprobe_point_skips_nop(point))
			continue;
		if (!kprobe_point_in_text(other))
			kprobe_point_give_site(other, point);
	}
	list_for_each_entry(point, points, batch) {
		other = kprobe_point_at_site(point);
		if (!other)
			continue;
		/* It gets no jump. */
		kprobe_optimizer_dequeue(other);
		kprobe_point_give_site(other, point);
	}
}

/*
 * Leaves breakpoints of points at entry nops to armed points of the instructions after these. A
 * point with a jump has no other at its site.
 */
static void leave_sites(struct list_head *points)
{
	struct kprobe_point *point, *other;

	list_for_each_entry(point, points, batch) {
		other = kprobe_point_at_site(point);
		if (other && kprobe_point_in_text(other))
			kprobe_point_give_site(point, other);
	}
}

/*
 * Takes breakpoints and jumps of points out of the text. The caller then changes their states. Hits
 * go by the detour of a jump until the text is as it was.
 */
void kprobe_batch_restore(struct list_head *points)
{
	struct kprobe_point *point;

	list_for_each_entry(point, points, batch)
		kprobe_optimizer_dequeue(point);
	leave_sites(points);
	patch_sites(points, KPROBE_SITE_ORIGINAL);
	list_for_each_entry(point, points, batch) {
		if (point->mechanism != KPROBE_JUMP)
			continue;
		kprobe_point_set_mechanism(point, KPROBE_BREAKPOINT);
		kprobe_point_choose_route(point);
	}
}

/* Frees a point now: hits do not find it, and nobody executes its slots or detour. */
void kprobe_point_free(struct kprobe_point *point)
{
	kprobe_slot_free(kprobe_point_slot(point));
	kprobe_slot_free(point->text.run_post);
	kfree(kprobe_point_emulation(point));
	kprobe_detour_free(point->detour);
#ifdef CONFIG_KPROBES_ON_FTRACE
	if (point->entry) {
		kprobe_slot_free(point->entry->pass);
		kfree_rcu(point->entry, deferred.rcu);
	}
#endif
	/* An unwinder may have looked the point up under RCU, and still read it. */
	kfree_rcu(point, deferred.rcu);
}

/*
 * A task may sleep in the fault of a copy. An emulated call whose operand cannot be read calls from
 * its copy, and the task may sleep in what is called. Tasks RCU treats such a task as one that has
 * left the copy. So the point is not freed before its text is. There are no more such points than
 * exception table entries and calls.
 */
static bool may_be_slept_in(const struct kprobe_point *point)
{
	const struct kprobe_emulation *emulation = kprobe_point_emulation(point);

	if (point->state != KPROBE_POINT_IDLE || !kprobe_point_slot(point))
		return false;
	return point->has_fixup || (emulation && READ_ONCE(emulation->entered));
}

static void unpublish(struct kprobe_point *point)
{
	struct kprobe_point *other = kprobe_point_other(point);

	kprobe_point_remove(point);
	if (!other || point->state == KPROBE_POINT_GONE)
		return;
	kprobe_point_give_site(point, other);
	if (!kprobe_point_skips_nop(other))
		return;
	/* Its hits do not go by the pass slot any more. A new detour may call handlers itself. */
	kprobe_point_changed(other);
	kprobe_point_choose_route(other);
	kprobe_optimizer_queue(other);
}

static void free_deferred(union kprobe_deferred_free *deferred);

static void grace_period_ended(struct rcu_head *rcu)
{
	kprobe_free_soon(rcu, free_deferred);
}

/*
 * Unwinders find the point by its replaced detours, so it is freed after all of them. Tasks RCU
 * keeps the order of callbacks of one CPU only: a detour replaced earlier may be freed later.
 */
static void free_deferred(union kprobe_deferred_free *deferred)
{
	struct kprobe_point *point = container_of(deferred, struct kprobe_point, deferred);
	bool waits = point->detour && point->detour->retired;

#ifdef CONFIG_KPROBES_ON_FTRACE
	/* The grace period of a switch to ftrace has to end, also if that was given up. */
	waits |= point->entry && point->entry->waits;
#endif
	if (waits)
		call_rcu_tasks(&deferred->rcu, grace_period_ended);
	else if (!may_be_slept_in(point))
		kprobe_point_free(point);
	/* Else a hit of the last moment has gone on in the slot: leak the point. */
}

/* Frees a point later if it is not in the text, has no probe, and no task can sleep in its slot. */
void kprobe_point_put(struct kprobe_point *point)
{
	lockdep_assert_held(&kprobe_mutex);
	if (!list_empty(&point->probes) || kprobe_point_in_text(point) || may_be_slept_in(point))
		return;
	list_del_init(&point->batch);
	unpublish(point);
	kprobe_optimizer_dequeue(point);
	call_rcu_tasks(&point->deferred.rcu, grace_period_ended);
}

/*
 * Marks a point and its probes as gone because its text goes away. The probes stay registered until
 * their users unregister them. Another point can then be made for the address. Ftrace calls kprobes
 * there no more, so the probes lose that flag; they have lost that of a jump with the jump.
 */
void kprobe_point_kill(struct kprobe_point *point)
{
	struct kprobe *p;

	lockdep_assert_held(&kprobe_mutex);
	/* First, by a full barrier: pairs with set_on_point(). */
	list_for_each_entry(p, &point->probes, list)
		kprobe_change_flags(p, kprobe_point_flag(point), KPROBE_FLAG_GONE);
	unpublish(point);
	kprobe_point_set_state(point, KPROBE_POINT_GONE);
	/* A task may be at the start of a detour whose code would call the probes' handlers. */
	kprobe_point_changed(point);
	list_del_init(&point->batch);
	kprobe_point_add(point);
	kprobe_point_put(point);
}

static void finish_pass(struct list_head *points, enum kprobe_point_state state)
{
	struct kprobe_point *point, *next;

	/* First: a point that covers another one of @points must not be queued. */
	list_for_each_entry(point, points, batch)
		kprobe_point_set_state(point, state);
	list_for_each_entry_safe(point, next, points, batch) {
		list_del_init(&point->batch);
		if (state == KPROBE_POINT_ARMED)
			kprobe_optimizer_queue(point);
		else
			kprobe_optimizer_queue_overlapping(point);
		kprobe_point_put(point);
	}
}

/* Takes points out of their batch, which is empty afterwards. kprobe_mutex is held. */
void kprobe_batch_drop(struct list_head *points)
{
	struct kprobe_point *point, *next;

	list_for_each_entry_safe(point, next, points, batch)
		list_del_init(&point->batch);
}

/* Has a point that skips the entry nop use ftrace from now on. It must not be in the text. */
void kprobe_batch_use_ftrace(struct kprobe_point *point)
{
	kprobe_point_changed(point);
	kprobe_point_give_site(point, kprobe_point_other(point));
	kprobe_point_set_mechanism(point, KPROBE_FTRACE);
}

/* This follows from the probes on the point and from the file "enabled", and is not stored. */
static bool is_wanted(struct kprobe_point *point)
{
	struct kprobe *p;

	list_for_each_entry(p, &point->probes, list)
		if (!kprobe_disabled(p))
			return kprobe_armed_globally;
	return false;
}

/*
 * Arms the points of @batch that are wanted and idle, disarms those in the text that are not
 * wanted, and frees these if they have no probes. @batch is empty afterwards. Returns why
 * ftrace has failed to arm its points, which then stay idle.
 */
enum kprobe_reason kprobe_batch_commit(struct list_head *batch)
{
	enum kprobe_reason reason = KPROBE_REASON_NONE;
	struct kprobe_point *point, *next;
	LIST_HEAD(disarm_ftrace);
	LIST_HEAD(arm_ftrace);
	LIST_HEAD(disarm);
	LIST_HEAD(arm);

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry_safe(point, next, batch, batch) {
		bool ftrace = point->mechanism == KPROBE_FTRACE;
		bool wanted = is_wanted(point);

		if (wanted && point->state == KPROBE_POINT_IDLE) {
			list_move_tail(&point->batch, ftrace ? &arm_ftrace : &arm);
		} else if (!wanted && kprobe_point_in_text(point)) {
			list_move_tail(&point->batch, ftrace ? &disarm_ftrace : &disarm);
		} else {
			list_del_init(&point->batch);
			/* A probe was registered or enabled before the point was disarmed. */
			if (point->state == KPROBE_POINT_DISARM_PENDING)
				kprobe_point_set_state(point, KPROBE_POINT_ARMED);
			/* Its handlers may have changed. */
			if (point->state == KPROBE_POINT_ARMED)
				kprobe_optimizer_queue(point);
		}
	}
	if (!list_empty(&disarm)) {
		kprobe_batch_restore(&disarm);
		finish_pass(&disarm, KPROBE_POINT_IDLE);
	}
	if (!list_empty(&disarm_ftrace)) {
		/* Ignore errors of ftrace: report_call() drops its calls for idle points. */
		kprobe_ftrace_disarm(&disarm_ftrace);
		finish_pass(&disarm_ftrace, KPROBE_POINT_IDLE);
	}
	if (!list_empty(&arm)) {
		/* First: kprobe_detour_prepare() makes a point with a neighbour another detour. */
		kprobe_unoptimize_overlapping(&arm);
		list_for_each_entry(point, &arm, batch)
			kprobe_detour_prepare(point);
		/* All detours are there: CPUs are told of them once. */
		list_for_each_entry_safe(point, next, &arm, batch) {
			if (kprobe_detour_commit(point))
				continue;
			kprobe_batch_use_ftrace(point);
			list_move_tail(&point->batch, &arm_ftrace);
		}
		kprobe_slots_sync();
		take_sites(&arm);
		patch_sites(&arm, KPROBE_SITE_BREAKPOINT);
		finish_pass(&arm, KPROBE_POINT_ARMED);
	}
	if (!list_empty(&arm_ftrace)) {
		reason = kprobe_ftrace_arm(&arm_ftrace);
		if (reason)
			kprobe_batch_drop(&arm_ftrace);
		finish_pass(&arm_ftrace, KPROBE_POINT_ARMED);
	}
	return reason;
}

/* Disarms some of the points in @pending_points. Returns whether there are more. */
bool kprobe_disarm_chunk(void)
{
	LIST_HEAD(chunk);

	/* Ignore the result: no point here has to be armed, and disarming does not fail. */
	kprobe_take_chunk(&pending_points, &chunk);
	kprobe_batch_commit(&chunk);
	return !list_empty(&pending_points);
}

/* Disarms all points in @pending_points now, a chunk at a time. */
void kprobe_disarm_pending(void)
{
	bool more;

	do {
		scoped_guard(mutex, &kprobe_mutex)
			more = kprobe_disarm_chunk();
		cond_resched();
	} while (more);
}

static void disarm_pending(struct work_struct *work)
{
	kprobe_disarm_pending();
}

static DECLARE_DELAYED_WORK(disarm_work, disarm_pending);

/* Has the work item disarm the points without probes, and commits the others now. */
void kprobe_batch_defer_disarm(struct list_head *batch)
{
	struct kprobe_point *point, *next;

	list_for_each_entry_safe(point, next, batch, batch) {
		if (!list_empty(&point->probes))
			continue;
		kprobe_optimizer_dequeue(point);
		if (!kprobe_point_in_text(point)) {
			list_del_init(&point->batch);
			kprobe_point_put(point);
			continue;
		}
		/* It is DISARM_PENDING already if a probe came and went before the work item. */
		if (point->state == KPROBE_POINT_ARMED)
			kprobe_point_set_state(point, KPROBE_POINT_DISARM_PENDING);
		list_move_tail(&point->batch, &pending_points);
	}
	if (!list_empty(&pending_points))
		queue_delayed_work(system_unbound_wq, &disarm_work, KPROBE_DISARM_DELAY);
	kprobe_batch_commit(batch);
}

/* Commits every point, a chunk at a time. Returns why ftrace has failed to arm some of them. */
static enum kprobe_reason commit_points(void)
{
	enum kprobe_reason reason = KPROBE_REASON_NONE;
	struct kprobe_point *point = NULL;
	unsigned long addr = 0;

	do {
		unsigned int left = kprobe_chunk_size();
		LIST_HEAD(batch);

		scoped_guard(mutex, &kprobe_mutex) {
			for (; left && (point = kprobe_point_next(&addr, ULONG_MAX)); left--)
				list_move_tail(&point->batch, &batch);
			reason = kprobe_batch_commit(&batch) ?: reason;
		}
		cond_resched();
	} while (point);
	return reason;
}

/* Disarms every point if @arm is false, else arms those that are wanted. */
enum kprobe_reason kprobe_arm_all(bool arm)
{
	static DEFINE_MUTEX(one_at_a_time);

	guard(mutex)(&one_at_a_time);
	scoped_guard(mutex, &kprobe_mutex)
		WRITE_ONCE(kprobe_armed_globally, arm);
	return commit_points();
}

/* True also after kprobe_busy_begin(). */
bool kprobe_in_handler(void)
{
	/* No handler runs here. If a frame is in use, it belongs to a handler that has slept. */
	if (preemptible())
		return false;
	guard(preempt_notrace)();
	return kprobe_running_frame();
}

/* One pass serves all requests that came since the work item was queued. */
static void commit_all(struct work_struct *work)
{
	commit_points();
}

static DECLARE_DELAYED_WORK(commit_work, commit_all);

static void queue_commit(struct irq_work *work)
{
	queue_delayed_work(system_unbound_wq, &commit_work, KPROBE_DISARM_DELAY);
}

/* A handler may be in an NMI, which cannot queue a work item. */
static DEFINE_IRQ_WORK(commit_irq_work, queue_commit);

/* A request of a CPU that did not serve irq_work. Not each machine can exchange a bool. */
static int commit_is_left;

/* False if the probe is not on the point of its address. */
static bool set_on_point(struct kprobe *kp, bool disabled)
{
	struct kprobe_point *point;
	unsigned long flags;
	bool found;

	/* Holds up kprobe_synchronize(): unregistering the probe does not return meanwhile. */
	raw_local_irq_save(flags);
	point = kprobe_point_lookup((unsigned long)READ_ONCE(kp->addr));
	found = point && kprobe_point_has(point, kp);
	if (found)
		kprobe_point_set_disabled(point, kp, disabled);
	else
		smp_rmb();	/* Then flags are read: pairs with kprobe_point_kill(). */
	raw_local_irq_restore(flags);
	return found;
}

/*
 * Disables or enables a probe from a handler, for hits that begin later. Returns -EINVAL if the
 * probe is not registered, or is gone and cannot be enabled.
 */
int kprobe_set_disabled_in_handler(struct kprobe *kp, bool disabled)
{
	/* What unregistering leaves in @flags and @addr does not tell. */
	if (!kp || READ_ONCE(kp->self) != kp)
		return -EINVAL;
	if (!set_on_point(kp, disabled)) {
		bool waiting = kprobe_is_waiting(kp);

		if (waiting)
			kprobe_change_flags(kp, KPROBE_FLAG_DISABLED,
					    disabled ? KPROBE_FLAG_DISABLED : 0);
		/* Its module may have come meanwhile: pairs with join(). */
		smp_rmb();
		if (!set_on_point(kp, disabled) && !waiting)
			return disabled && kprobe_gone(kp) ? 0 : -EINVAL;
	}
	if (!kprobe_irq_work_queue(&commit_irq_work))
		WRITE_ONCE(commit_is_left, true);
	return 0;
}

/* Serves what handlers have asked for on a CPU that has come or gone. */
void kprobe_serve_requests(void)
{
	if (xchg(&commit_is_left, false))
		queue_commit(NULL);
}

/* Waits until the text matches what handlers have switched. kprobe_mutex must not be held. */
void kprobe_flush_requests(void)
{
	irq_work_sync(&commit_irq_work);
	flush_delayed_work(&commit_work);
}
