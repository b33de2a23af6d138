// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Probe points: one for each probed address, made with the first probe there,
 * freed some time after the last has left.
 *
 * A point is in the table (for hits, by hash) and in an index ordered by
 * address (for everything else) until it is freed or its text goes away. What
 * is freed may still be executing in a preempted task, so points and slots
 * wait for a Tasks RCU grace period, which nobody sleeps for. That is no help
 * where a task can sleep in a slot: see may_be_slept_in().
 */
#include <linux/extable.h>
#include <linux/llist.h>
#include <linux/maple_tree.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "internal.h"

/* All points that are not gone, by address; kprobe_mutex. */
static DEFINE_MTREE(kprobe_points);

/* Points whose text went away while probes were on them; kprobe_mutex. */
LIST_HEAD(kprobe_gone_points);

/* The table of struct kprobe_point_state's description, a row for each from. */
static const u8 legal_edges[KPROBE_POINT_STATES] = {
	[KPROBE_POINT_IDLE] = BIT(KPROBE_POINT_ARMED) | BIT(KPROBE_POINT_GONE),
	[KPROBE_POINT_ARMED] = BIT(KPROBE_POINT_IDLE) |
			       BIT(KPROBE_POINT_LEAVING) |
			       BIT(KPROBE_POINT_GONE),
	[KPROBE_POINT_LEAVING] = BIT(KPROBE_POINT_IDLE) |
				 BIT(KPROBE_POINT_ARMED) |
				 BIT(KPROBE_POINT_GONE),
	[KPROBE_POINT_GONE] = 0,
};

/**
 * kprobe_point_may_become() - is there an edge between two states?
 * @from: the state a point is in
 * @to:   the state it would go to
 *
 * Return: True when the edge is in the table of enum kprobe_point_state.
 */
bool kprobe_point_may_become(enum kprobe_point_state from,
			     enum kprobe_point_state to)
{
	return legal_edges[from] & BIT(to);
}
NOKPROBE_SYMBOL(kprobe_point_may_become);

/**
 * kprobe_point_set_state() - move a point along an edge
 * @point: the point
 * @state: its new state
 *
 * The only place that writes the state. An illegal edge is a bug of ours: it
 * warns and is not taken.
 *
 * Context: kprobe_mutex held.
 */
void kprobe_point_set_state(struct kprobe_point *point,
			    enum kprobe_point_state state)
{
	lockdep_assert_held(&kprobe_mutex);
	if (WARN_ON_ONCE(!kprobe_point_may_become(point->state, state)))
		return;
	WRITE_ONCE(point->state, state);
}
NOKPROBE_SYMBOL(kprobe_point_set_state);

/**
 * kprobe_point_next() - walk the points in order of address
 * @addr: where to start; advanced behind the point found
 * @last: last address to look at
 *
 * Context: kprobe_mutex held.
 * Return: The first point at or behind @addr, NULL when there is none.
 */
struct kprobe_point *kprobe_point_next(unsigned long *addr, unsigned long last)
{
	lockdep_assert_held(&kprobe_mutex);
	return mt_find(&kprobe_points, addr, last);
}
NOKPROBE_SYMBOL(kprobe_point_next);

static enum kprobe_mechanism choose_mechanism(unsigned long addr)
{
	if (IS_ENABLED(CONFIG_KPROBES_ON_FTRACE) && ftrace_location(addr) == addr)
		return KPROBE_FTRACE;
	return KPROBE_BREAKPOINT;
}

static void free_unpublished(struct kprobe_point *point)
{
	kprobe_slot_free(point->slot);
	kprobe_slot_free(point->post_slot);
	/* Nobody executes the slots, but somebody may ask whose they are. */
	kfree_rcu(point, rcu);
}

static struct kprobe_point *make_point(unsigned long addr, bool on_func_entry)
{
	struct kprobe_point *point = kzalloc(sizeof(*point), GFP_KERNEL);
	int ret;

	if (!point)
		return ERR_PTR(-ENOMEM);
	point->addr = addr;
	point->on_func_entry = on_func_entry;
	point->mechanism = choose_mechanism(addr);
	INIT_LIST_HEAD(&point->probes);
	INIT_LIST_HEAD(&point->batch);
	ret = arch_kprobe_prepare(point);
	if (!ret)
		ret = mtree_insert(&kprobe_points, addr, point, GFP_KERNEL);
	if (ret) {
		free_unpublished(point);
		return ERR_PTR(ret);
	}
	kprobe_table_insert(point);
	return point;
}

/**
 * kprobe_point_get() - find or make the point for an address
 * @addr:          a checked address
 * @on_func_entry: it is a function's entry
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: The point; ERR_PTR of -EILSEQ or -EINVAL when the instruction cannot
 * be probed, of -ENOMEM.
 */
struct kprobe_point *kprobe_point_get(unsigned long addr, bool on_func_entry)
{
	struct kprobe_point *point;

	lockdep_assert_held(&kprobe_mutex);
	point = kprobe_point_lookup(addr);
	return point ?: make_point(addr, on_func_entry);
}
NOKPROBE_SYMBOL(kprobe_point_get);

/* Freed points on their way from the RCU callback to process context. */
static LLIST_HEAD(dead_points);

static void bury_points(struct work_struct *work)
{
	struct llist_node *all = llist_del_all(&dead_points);
	struct kprobe_point *point, *next;

	mutex_lock(&kprobe_mutex);
	llist_for_each_entry_safe(point, next, all, dead)
		free_unpublished(point);
	mutex_unlock(&kprobe_mutex);
}

static DECLARE_WORK(bury_work, bury_points);

static void point_is_quiescent(struct rcu_head *rcu)
{
	struct kprobe_point *point = container_of(rcu, struct kprobe_point, rcu);

	if (llist_add(&point->dead, &dead_points))
		queue_work(system_unbound_wq, &bury_work);
}

static void unpublish(struct kprobe_point *point)
{
	mtree_erase(&kprobe_points, point->addr);
	kprobe_table_remove(point);
}

/*
 * A fault in the copy of an instruction may be resolved while its task sleeps,
 * for as long as user space likes, and the task then goes on in the copy. To
 * Tasks RCU sleeping looks like having left it. Such points stay, as long as
 * their text does: there are no more of them than exception table entries.
 */
static bool may_be_slept_in(const struct kprobe_point *point)
{
	return point->state == KPROBE_POINT_IDLE && point->slot &&
	       search_exception_tables(point->addr);
}

static bool is_in_use(const struct kprobe_point *point)
{
	return !list_empty(&point->probes) || point->pending ||
	       point->state == KPROBE_POINT_ARMED ||
	       point->state == KPROBE_POINT_LEAVING ||
	       may_be_slept_in(point);
}

/**
 * kprobe_point_put() - let go of a point that may have become useless
 * @point: the point
 *
 * Frees it, after a Tasks RCU grace period, if it is not in the text and no
 * probe is on it or about to be.
 *
 * Context: kprobe_mutex held.
 */
void kprobe_point_put(struct kprobe_point *point)
{
	lockdep_assert_held(&kprobe_mutex);
	if (is_in_use(point))
		return;
	list_del_init(&point->batch);
	if (point->state != KPROBE_POINT_GONE)
		unpublish(point);
	call_rcu_tasks(&point->rcu, point_is_quiescent);
}
NOKPROBE_SYMBOL(kprobe_point_put);

/**
 * kprobe_point_link() - put a probe on a point
 * @point: the point, ready for the probe's handlers
 * @p:     the probe, on no point
 *
 * Context: kprobe_mutex held.
 */
void kprobe_point_link(struct kprobe_point *point, struct kprobe *p)
{
	lockdep_assert_held(&kprobe_mutex);
	p->point = point;
	if (p->post_handler)
		WRITE_ONCE(point->nr_post, point->nr_post + 1);
	list_add_tail_rcu(&p->list, &point->probes);
}
NOKPROBE_SYMBOL(kprobe_point_link);

/**
 * kprobe_point_unlink() - take a probe off its point
 * @p: the probe
 *
 * Hits may still look at it until kprobe_drain() has returned.
 *
 * Context: kprobe_mutex held.
 */
void kprobe_point_unlink(struct kprobe *p)
{
	struct kprobe_point *point = p->point;

	lockdep_assert_held(&kprobe_mutex);
	list_del_rcu(&p->list);
	if (p->post_handler)
		WRITE_ONCE(point->nr_post, point->nr_post - 1);
}
NOKPROBE_SYMBOL(kprobe_point_unlink);

/**
 * kprobe_point_wanted() - should the point be armed?
 * @point: the point
 *
 * Derived from the probes on it and from the global knob, never stored.
 *
 * Context: kprobe_mutex held.
 * Return: True when some probe's handlers should run.
 */
bool kprobe_point_wanted(struct kprobe_point *point)
{
	struct kprobe *p;

	lockdep_assert_held(&kprobe_mutex);
	if (!kprobe_armed_globally())
		return false;
	list_for_each_entry(p, &point->probes, list)
		if (!kprobe_disabled(p))
			return true;
	return false;
}
NOKPROBE_SYMBOL(kprobe_point_wanted);

/**
 * kprobe_point_kill() - a point's text is going away
 * @point: a point that is not gone
 *
 * Its probes are marked; they stay registered until their owners take them
 * off. The address is free for another point, should other text come there.
 *
 * Context: kprobe_mutex held.
 */
void kprobe_point_kill(struct kprobe_point *point)
{
	struct kprobe *p;

	lockdep_assert_held(&kprobe_mutex);
	unpublish(point);
	kprobe_point_set_state(point, KPROBE_POINT_GONE);
	list_for_each_entry(p, &point->probes, list)
		WRITE_ONCE(p->flags, p->flags | KPROBE_FLAG_GONE);
	list_move_tail(&point->batch, &kprobe_gone_points);
	kprobe_point_put(point);
}
NOKPROBE_SYMBOL(kprobe_point_kill);
