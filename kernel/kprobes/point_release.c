// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frees points that have no probes left, and marks points whose text goes away.
 *
 * A preempted task may still execute a slot, so points and slots are freed after a
 * Tasks RCU grace period. That is not enough if a task can sleep in a slot: see
 * may_be_slept_in().
 */
#include <linux/extable.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/slab.h>

#include "code.h"
#include "deferred_free.h"
#include "optimizer.h"
#include "point.h"
#include "point_release.h"
#include "slot.h"

/* Frees a point now: hits do not find it, and nobody executes its slots or detour. */
void kprobe_point_free(struct kprobe_point *point)
{
	kprobe_slot_free(kprobe_point_slot(point));
	kprobe_slot_free(point->text.run_post);
	kfree(kprobe_point_emulation(point));
	kprobe_point_free_detour(point);
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
 * The copy of an instruction with an exception table entry may fault. The page fault handler may
 * sleep, as long as userfaultfd or a file system in user space takes, and the task then continues
 * in the copy. An emulated call that has run from its copy, because its operand could not be read,
 * returns there. Tasks RCU treats a sleeping task as one that has left the copy. Such a point is
 * therefore not freed before its text is. There are no more of them than exception table entries
 * and calls.
 */
static bool may_be_slept_in(const struct kprobe_point *point)
{
	const struct kprobe_emulation *emulation = kprobe_point_emulation(point);

	if (point->state != KPROBE_POINT_IDLE || !kprobe_point_slot(point))
		return false;
	return (emulation && READ_ONCE(emulation->entered)) || search_exception_tables(point->site);
}

static void unpublish(struct kprobe_point *point)
{
	struct kprobe_point *other = kprobe_point_other(point);

	kprobe_point_remove(point);
	if (!other)
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

/* Does the grace period of its switch to ftrace still have to end, although that was given up? */
static bool switch_is_waited_for(const struct kprobe_point *point)
{
#ifdef CONFIG_KPROBES_ON_FTRACE
	return point->entry && point->entry->waits;
#else
	return false;
#endif
}

/*
 * Unwinders find the point by its replaced detours, so it is freed after all of them. Tasks RCU
 * keeps the order of callbacks of one CPU only: a detour replaced earlier may be freed later.
 */
static void free_deferred(union kprobe_deferred_free *deferred)
{
	struct kprobe_point *point = container_of(deferred, struct kprobe_point, deferred);

	if (kprobe_detours_are_retired(point) || switch_is_waited_for(point))
		call_rcu_tasks(&deferred->rcu, grace_period_ended);
	else if (!may_be_slept_in(point))
		kprobe_point_free(point);
	/* Else a hit of the last moment has gone on in the slot: leak the point. */
}

static bool is_in_use(const struct kprobe_point *point)
{
	return !list_empty(&point->probes) || kprobe_point_in_text(point) || may_be_slept_in(point);
}

/*
 * Frees a point after a Tasks RCU grace period if it is not in the text, no probe is on it and no
 * task can sleep in its slot.
 */
void kprobe_point_put(struct kprobe_point *point)
{
	lockdep_assert_held(&kprobe_mutex);
	if (is_in_use(point))
		return;
	list_del_init(&point->batch);
	if (point->state == KPROBE_POINT_GONE)
		kprobe_point_remove_gone(point);
	else
		unpublish(point);
	kprobe_optimizer_dequeue(point);
	call_rcu_tasks(&point->deferred.rcu, grace_period_ended);
}

/*
 * Marks a point and its probes as gone because its text goes away. The probes stay registered until
 * their users unregister them. Another point can then be made for the address.
 */
void kprobe_point_kill(struct kprobe_point *point)
{
	struct kprobe *p;

	lockdep_assert_held(&kprobe_mutex);
	unpublish(point);
	kprobe_point_set_state(point, KPROBE_POINT_GONE);
	list_for_each_entry(p, &point->probes, list)
		kprobe_change_flags(p, 0, KPROBE_FLAG_GONE);
	/* A task may be at the start of a detour whose code would call the probes' handlers. */
	kprobe_point_changed(point);
	list_del_init(&point->batch);
	kprobe_point_add_gone(point);
	kprobe_point_put(point);
}
