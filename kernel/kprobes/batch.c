// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Batches: points that are armed and disarmed together, so that all CPUs are synchronized once
 * for all of them.
 *
 * A batch is a list of points, linked by @batch. kprobe_batch_commit() makes the text match
 * what the probes on these points want. Registering, unregistering, enabling and disabling end
 * in it.
 *
 * When the last probe leaves a point, the point becomes DISARM_PENDING and stays in the text: a
 * hit there executes the displaced instruction and calls no handlers. A work item disarms all
 * such points together a little later. Unregistering ten thousand probes one by one therefore
 * takes as few passes over the text as unregistering them in one call.
 */
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "batch.h"
#include "code.h"
#include "ftrace.h"
#include "optimizer.h"
#include "patch.h"
#include "point.h"
#include "point_release.h"
#include "table.h"

/* Points in state DISARM_PENDING; kprobe_mutex. */
static LIST_HEAD(pending_points);

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
		kprobe_point_flush_slots(point);
		if (!kprobe_point_in_text(other))
			kprobe_point_give_site(other, point);
	}
	list_for_each_entry(point, points, batch) {
		other = kprobe_point_at_site(point);
		if (!other)
			continue;
		kprobe_point_flush_slots(point);
		/* It gets no jump. */
		kprobe_optimizer_dequeue(other);
		kprobe_point_give_site(other, point);
	}
}

/* Leaves breakpoints of points at entry nops to armed points of the instructions after these. */
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
 * Takes the breakpoints and jumps of points out of the text. None of the points may use ftrace.
 * The caller then changes their states.
 */
void kprobe_batch_restore(struct list_head *points)
{
	kprobe_unoptimize(points);
	leave_sites(points);
	patch_sites(points, KPROBE_SITE_ORIGINAL);
}

/* The points of a batch, sorted by what must be done for them. */
struct kprobe_passes {
	struct list_head arm[KPROBE_MECHANISMS];
	struct list_head disarm[KPROBE_MECHANISMS];
};

/*
 * Leaves the point in the text, or out of it. The optimizer looks at a point in the text again,
 * as its handlers may have changed.
 */
static void keep_point(struct kprobe_point *point)
{
	list_del_init(&point->batch);
	/* A probe was registered or enabled before the point was disarmed. */
	if (point->state == KPROBE_POINT_DISARM_PENDING)
		kprobe_point_set_state(point, KPROBE_POINT_ARMED);
	if (point->state == KPROBE_POINT_ARMED)
		kprobe_optimizer_queue(point);
}

static void sort_point(struct kprobe_point *point, struct kprobe_passes *passes)
{
	bool wanted = kprobe_point_wanted(point);

	if (point->state == KPROBE_POINT_GONE)
		list_del_init(&point->batch);
	else if (wanted && point->state == KPROBE_POINT_IDLE)
		list_move_tail(&point->batch, &passes->arm[point->mechanism]);
	else if (!wanted && kprobe_point_in_text(point))
		list_move_tail(&point->batch, &passes->disarm[point->mechanism]);
	else
		keep_point(point);
}

static void sort_batch(struct list_head *batch, struct kprobe_passes *passes)
{
	struct kprobe_point *point, *next;

	list_for_each_entry_safe(point, next, batch, batch)
		sort_point(point, passes);
}

static void finish_pass(struct list_head *points, enum kprobe_point_state state)
{
	struct kprobe_point *point, *next;

	/* First: a point that covers another one of @points must not be queued. */
	list_for_each_entry(point, points, batch)
		kprobe_point_set_state(point, state);
	list_for_each_entry_safe(point, next, points, batch) {
		list_del_init(&point->batch);
		if (state == KPROBE_POINT_ARMED) {
			point->was_armed = true;
			kprobe_optimizer_queue(point);
		} else {
			kprobe_optimizer_queue_overlapping(point);
		}
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

static void disarm_pass(struct kprobe_passes *passes)
{
	struct list_head *points = &passes->disarm[KPROBE_BREAKPOINT];

	list_splice_tail_init(&passes->disarm[KPROBE_JUMP], points);
	kprobe_batch_restore(points);
	finish_pass(points, KPROBE_POINT_IDLE);
	/* Ignore errors of ftrace: report_call() drops its calls for idle points. */
	kprobe_ftrace_disarm(&passes->disarm[KPROBE_FTRACE]);
	finish_pass(&passes->disarm[KPROBE_FTRACE], KPROBE_POINT_IDLE);
}

/* Has a point that skips the entry nop use ftrace from now on. It must not be in the text. */
void kprobe_batch_use_ftrace(struct kprobe_point *point)
{
	kprobe_point_changed(point);
	kprobe_point_give_site(point, kprobe_point_other(point));
	kprobe_point_set_mechanism(point, KPROBE_FTRACE);
}

/* Makes the detours that entries need before they are armed. Entries without one use ftrace. */
static void prepare_breakpoints(struct kprobe_passes *passes)
{
	struct kprobe_point *point, *next;

	list_for_each_entry_safe(point, next, &passes->arm[KPROBE_BREAKPOINT], batch) {
		if (kprobe_detour_prepare(point))
			continue;
		kprobe_batch_use_ftrace(point);
		list_move_tail(&point->batch, &passes->arm[KPROBE_FTRACE]);
	}
}

static enum kprobe_reason arm_pass(struct kprobe_passes *passes)
{
	struct list_head *points = &passes->arm[KPROBE_BREAKPOINT];
	enum kprobe_reason reason;

	/* First: kprobe_detour_prepare() makes another detour for a point with a neighbour. */
	kprobe_unoptimize_overlapping(points);
	prepare_breakpoints(passes);
	take_sites(points);
	patch_sites(points, KPROBE_SITE_BREAKPOINT);
	finish_pass(points, KPROBE_POINT_ARMED);
	reason = kprobe_ftrace_arm(&passes->arm[KPROBE_FTRACE]);
	if (reason)
		kprobe_batch_drop(&passes->arm[KPROBE_FTRACE]);
	finish_pass(&passes->arm[KPROBE_FTRACE], KPROBE_POINT_ARMED);
	return reason;
}

/*
 * Arms the points of @batch that are wanted and idle, disarms those in the text that are not
 * wanted, and frees these if they have no probes. @batch is empty afterwards. Returns why
 * ftrace has failed to arm its points, which then stay idle.
 */
enum kprobe_reason kprobe_batch_commit(struct list_head *batch)
{
	struct kprobe_passes passes;
	unsigned int i;

	lockdep_assert_held(&kprobe_mutex);
	for (i = 0; i < KPROBE_MECHANISMS; i++) {
		INIT_LIST_HEAD(&passes.arm[i]);
		INIT_LIST_HEAD(&passes.disarm[i]);
	}
	sort_batch(batch, &passes);
	disarm_pass(&passes);
	return arm_pass(&passes);
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
		queue_delayed_work(system_unbound_wq, &disarm_work,
				   KPROBE_DISARM_DELAY);
	kprobe_batch_commit(batch);
}

/* Commits a chunk of points from @addr on. Returns whether there are more. */
static bool commit_chunk(unsigned long *addr, enum kprobe_reason *reason)
{
	struct kprobe_point *point;
	unsigned int max = kprobe_chunk_size(), done = 0;
	LIST_HEAD(batch);

	guard(mutex)(&kprobe_mutex);
	for (; done < max && (point = kprobe_point_next(addr, ULONG_MAX)); done++)
		list_move_tail(&point->batch, &batch);
	*reason = kprobe_batch_commit(&batch) ?: *reason;
	return done == max;
}

/* Commits every point, a chunk at a time. Returns why ftrace has failed to arm some of them. */
enum kprobe_reason kprobe_commit_all(void)
{
	enum kprobe_reason reason = KPROBE_REASON_NONE;
	unsigned long addr = 0;

	while (commit_chunk(&addr, &reason))
		cond_resched();
	return reason;
}

/* Disarms every point if @arm is false, else arms those that are wanted. */
enum kprobe_reason kprobe_arm_all(bool arm)
{
	static DEFINE_MUTEX(one_at_a_time);

	guard(mutex)(&one_at_a_time);
	scoped_guard(mutex, &kprobe_mutex)
		kprobe_armed_globally = arm;
	return kprobe_commit_all();
}
