// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Batches: points that are armed and disarmed together, so that all CPUs are
 * synchronized once for all of them.
 *
 * When the last probe leaves a point, the point is not disarmed at once: a hit there
 * executes the displaced instruction and calls no handlers. A work item disarms all such
 * points together a little later. Unregistering ten thousand probes one by one therefore
 * takes as few passes over the text as unregistering them in one call.
 */
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "batch.h"
#include "ftrace.h"
#include "move_notes.h"
#include "optimizer.h"
#include "patch.h"
#include "point.h"
#include "point_release.h"
#include "renew.h"
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
		if (!point->shares)
			kprobe_patch_add(point, text);
	kprobe_patch_end();
}

/**
 * kprobe_batch_restore() - take breakpoints and jumps out of the text
 * @points: points in the text that do not use ftrace, linked by @batch
 *
 * The caller must change their states.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 */
void kprobe_batch_restore(struct list_head *points)
{
	kprobe_unoptimize(points);
	patch_sites(points, KPROBE_SITE_ORIGINAL);
}

/* The points of a batch, by what must be done for them. */
struct kprobe_passes {
	struct list_head arm[KPROBE_MECHANISMS];
	struct list_head disarm[KPROBE_MECHANISMS];
};

/* The point stays in the text or out of it. Its handlers may have changed. */
static void keep_point(struct kprobe_point *point)
{
	list_del_init(&point->batch);
	/* A probe was registered before the point was disarmed. */
	if (point->state == KPROBE_POINT_DISARM_PENDING)
		kprobe_point_set_state(point, KPROBE_POINT_ARMED);
	if (point->state == KPROBE_POINT_ARMED)
		kprobe_optimizer_queue(point);
}

/*
 * A hit of the moving point may be under way. It must not skip the probe on the next
 * instruction: the breakpoint stays until the move has ended, and calls no handlers.
 */
static bool must_finish_move(const struct kprobe_point *point)
{
	return kprobe_move_next(kprobe_move_of(point));
}

static void postpone_disarm(struct kprobe_point *point)
{
	list_del_init(&point->batch);
	if (point->state == KPROBE_POINT_ARMED)
		kprobe_point_set_state(point, KPROBE_POINT_DISARM_PENDING);
}

static void sort_point(struct kprobe_point *point, struct kprobe_passes *passes)
{
	bool wanted = kprobe_point_wanted(point);

	if (point->state == KPROBE_POINT_GONE)
		list_del_init(&point->batch);
	else if (wanted && point->state == KPROBE_POINT_IDLE)
		list_move_tail(&point->batch, &passes->arm[point->mechanism]);
	else if (!wanted && must_finish_move(point))
		postpone_disarm(point);
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

	list_for_each_entry_safe(point, next, points, batch) {
		list_del_init(&point->batch);
		kprobe_point_set_state(point, state);
		if (state == KPROBE_POINT_ARMED) {
			point->was_armed = true;
			kprobe_optimizer_queue(point);
		} else {
			kprobe_optimizer_queue_overlapping(point);
		}
		kprobe_point_put(point);
	}
}

/**
 * kprobe_batch_drop() - take points out of their batch
 * @points: points linked by their @batch; empty afterwards
 *
 * Context: kprobe_mutex held.
 */
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
	/* An error of ftrace changes nothing: calls for idle points are not reported. */
	kprobe_ftrace_disarm(&passes->disarm[KPROBE_FTRACE]);
	finish_pass(&passes->disarm[KPROBE_FTRACE], KPROBE_POINT_IDLE);
}

/**
 * kprobe_batch_use_ftrace() - have a point at a function's entry use ftrace
 * @point: a point that skips the entry nop and is not in the text
 *
 * Context: kprobe_mutex held.
 */
void kprobe_batch_use_ftrace(struct kprobe_point *point)
{
	kprobe_point_changed(point);
	kprobe_point_set_mechanism(point, KPROBE_FTRACE);
	WRITE_ONCE(point->key, 0);
}

/* Points at entries whose detour cannot be made use ftrace. */
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

	/* Detours are made for the neighbours that there will be. */
	kprobe_unoptimize_overlapping(points);
	prepare_breakpoints(passes);
	patch_sites(points, KPROBE_SITE_BREAKPOINT);
	finish_pass(points, KPROBE_POINT_ARMED);
	reason = kprobe_ftrace_arm(&passes->arm[KPROBE_FTRACE]);
	if (reason)
		kprobe_batch_drop(&passes->arm[KPROBE_FTRACE]);
	finish_pass(&passes->arm[KPROBE_FTRACE], KPROBE_POINT_ARMED);
	return reason;
}

/**
 * kprobe_batch_commit() - arm and disarm points as their probes want it
 * @batch: points linked by their @batch; empty afterwards
 *
 * Arms the points that are wanted and idle, disarms those in the text that are
 * not wanted, and frees those that have no probes.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: %KPROBE_REASON_NONE, or why ftrace has failed to arm its points of the batch,
 * which then stay idle.
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

/**
 * kprobe_find_wanted() - find the point at a site that has probes, or must stay for a while
 * @site: the site
 *
 * Disarms the point if it is DISARM_PENDING and has no probes.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: The point, or NULL.
 */
struct kprobe_point *kprobe_find_wanted(unsigned long site)
{
	struct kprobe_point *point = kprobe_table_find(site);
	LIST_HEAD(batch);

	if (!point || point->state != KPROBE_POINT_DISARM_PENDING)
		return point;
	list_move_tail(&point->batch, &batch);
	kprobe_batch_commit(&batch);
	return kprobe_table_find(site);
}

/**
 * kprobe_disarm_chunk() - disarm some of the points in state DISARM_PENDING
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: Whether there are more.
 */
bool kprobe_disarm_chunk(void)
{
	LIST_HEAD(chunk);

	/* The result is of no interest: disarming does not fail. */
	kprobe_take_chunk(&pending_points, &chunk);
	kprobe_batch_commit(&chunk);
	return !list_empty(&pending_points);
}

/**
 * kprobe_disarm_pending() - disarm all points in state DISARM_PENDING now
 *
 * Context: Process context, may sleep.
 */
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

/**
 * kprobe_batch_move_ended() - disarm a point that could not be disarmed while it moved
 * @point: the point, which may be wanted all the same
 *
 * Context: kprobe_mutex held.
 */
void kprobe_batch_move_ended(struct kprobe_point *point)
{
	lockdep_assert_held(&kprobe_mutex);
	if (point->state != KPROBE_POINT_DISARM_PENDING)
		return;
	list_move_tail(&point->batch, &pending_points);
	queue_delayed_work(system_unbound_wq, &disarm_work, KPROBE_DISARM_DELAY);
}

/**
 * kprobe_batch_defer_disarm() - release points whose probes are being unregistered
 * @batch: points linked by their @batch; empty afterwards
 *
 * A work item will disarm the points without probes. The others are committed now.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 */
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
		/* It is DISARM_PENDING already if a probe came and went meanwhile. */
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
	unsigned int done = 0;
	LIST_HEAD(batch);

	guard(mutex)(&kprobe_mutex);
	while (done++ < KPROBE_CHUNK && (point = kprobe_point_next(addr, ULONG_MAX)))
		list_move_tail(&point->batch, &batch);
	*reason = kprobe_batch_commit(&batch) ?: *reason;
	return done > KPROBE_CHUNK;
}

/**
 * kprobe_commit_all() - make the text match what the probes of every point want
 *
 * Context: Process context, may sleep.
 * Return: %KPROBE_REASON_NONE, or why ftrace has failed to arm some of the points.
 */
enum kprobe_reason kprobe_commit_all(void)
{
	enum kprobe_reason reason = KPROBE_REASON_NONE;
	unsigned long addr = 0;

	while (commit_chunk(&addr, &reason))
		cond_resched();
	return reason;
}

/**
 * kprobe_arm_all() - disarm every point, or arm those that are wanted again
 * @arm: true to let the probes decide, false to disarm all points
 *
 * Context: Process context, may sleep.
 * Return: %KPROBE_REASON_NONE, or why ftrace has failed to arm some of the points.
 */
enum kprobe_reason kprobe_arm_all(bool arm)
{
	static DEFINE_MUTEX(one_at_a_time);

	guard(mutex)(&one_at_a_time);
	scoped_guard(mutex, &kprobe_mutex)
		kprobe_armed_globally = arm;
	return kprobe_commit_all();
}
