// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Probe points: there is one for each probed address. It is made for the first probe
 * there, and freed some time after the last was unregistered.
 *
 * Until it is freed or its text goes away, a point is in the table, where hits find it by
 * a hash, and in a tree ordered by address, for everything else. Both consist of links
 * in the points, so removing a point from them cannot fail.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/rbtree.h>
#include <linux/slab.h>

#include "point.h"
#include "table.h"

/*
 * All points that are not gone, and those whose text went away while probes were
 * on them; kprobe_mutex. Ordered by probed address. Several points that are gone may
 * have the same one: these are ordered by the address of their structures.
 */
static struct rb_root points = RB_ROOT;
static struct rb_root gone_points = RB_ROOT;

/* The table in enum kprobe_point_state's description, a row for each old state. */
static const u8 legal_edges[KPROBE_POINT_STATES] = {
	[KPROBE_POINT_IDLE] = BIT(KPROBE_POINT_ARMED) | BIT(KPROBE_POINT_GONE),
	[KPROBE_POINT_ARMED] = BIT(KPROBE_POINT_IDLE) |
			       BIT(KPROBE_POINT_DISARM_PENDING) |
			       BIT(KPROBE_POINT_GONE),
	[KPROBE_POINT_DISARM_PENDING] = BIT(KPROBE_POINT_IDLE) |
				 BIT(KPROBE_POINT_ARMED) |
				 BIT(KPROBE_POINT_GONE),
	[KPROBE_POINT_GONE] = 0,
};

/**
 * kprobe_point_may_become() - check whether an edge between two states is legal
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

#ifdef CONFIG_OPTPROBES
/* The table in enum kprobe_optimization's description, a row for each old state. */
static const u8 legal_optimizations[KPROBE_OPT_STATES] = {
	[KPROBE_OPT_IDLE] = BIT(KPROBE_OPT_QUEUED),
	[KPROBE_OPT_QUEUED] = BIT(KPROBE_OPT_IDLE) | BIT(KPROBE_OPT_WAITING),
	[KPROBE_OPT_WAITING] = BIT(KPROBE_OPT_IDLE),
};

/**
 * kprobe_optimization_may_become() - check whether an edge between two states is legal
 * @from: what the optimizer has to do for a point
 * @to:   the new value of that
 *
 * Context: Any.
 * Return: True when the edge is in the table of enum kprobe_optimization.
 */
bool kprobe_optimization_may_become(enum kprobe_optimization from,
				    enum kprobe_optimization to)
{
	return legal_optimizations[from] & BIT(to);
}
#endif

/**
 * kprobe_point_set_state() - set the state of a point
 * @point: the point
 * @state: its new state
 *
 * Nothing else writes the state. An illegal edge is a bug of kprobes: it
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

static struct kprobe_point *point_of(struct rb_node *node)
{
	return rb_entry_safe(node, struct kprobe_point, by_addr);
}

static bool is_before(const struct kprobe_point *point, unsigned long addr,
		      unsigned long from)
{
	return point->addr == addr ? (unsigned long)point < from :
				     point->addr < addr;
}

static bool node_is_before(struct rb_node *a, const struct rb_node *b)
{
	const struct kprobe_point *other = rb_entry(b, struct kprobe_point, by_addr);

	return is_before(point_of(a), other->addr, (unsigned long)other);
}

/*
 * Finds the first point of a tree at or after a probed address. Points at that address
 * count only if their structures are at or after @from. NULL if there is none.
 */
static struct kprobe_point *first_from(const struct rb_root *tree, unsigned long addr,
				       unsigned long from)
{
	struct rb_node *node = tree->rb_node;
	struct kprobe_point *found = NULL;

	while (node) {
		struct kprobe_point *point = point_of(node);

		if (is_before(point, addr, from)) {
			node = node->rb_right;
		} else {
			found = point;
			node = node->rb_left;
		}
	}
	return found;
}

/**
 * kprobe_point_add() - let hits find a point
 * @point: new point
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 */
void kprobe_point_add(struct kprobe_point *point)
{
	lockdep_assert_held(&kprobe_mutex);
	rb_add(&point->by_addr, &points, node_is_before);
	kprobe_table_insert(point);
}

/**
 * kprobe_point_remove() - keep hits from finding a point
 * @point: the point
 *
 * Context: kprobe_mutex held.
 */
void kprobe_point_remove(struct kprobe_point *point)
{
	lockdep_assert_held(&kprobe_mutex);
	rb_erase(&point->by_addr, &points);
	kprobe_table_remove(point);
}

/**
 * kprobe_point_add_gone() - add a point to those whose text has gone
 * @point: the point, removed
 *
 * Context: kprobe_mutex held.
 */
void kprobe_point_add_gone(struct kprobe_point *point)
{
	lockdep_assert_held(&kprobe_mutex);
	rb_add(&point->by_addr, &gone_points, node_is_before);
}

/**
 * kprobe_point_remove_gone() - remove a point from those whose text has gone
 * @point: the point
 *
 * Context: kprobe_mutex held.
 */
void kprobe_point_remove_gone(struct kprobe_point *point)
{
	lockdep_assert_held(&kprobe_mutex);
	rb_erase(&point->by_addr, &gone_points);
}

/**
 * kprobe_point_next() - walk the points in order of address
 * @addr: where to start; set to the address after the point found
 * @last: last address to look at
 *
 * Context: kprobe_mutex held.
 * Return: The first point at or after @addr, NULL when there is none.
 */
struct kprobe_point *kprobe_point_next(unsigned long *addr, unsigned long last)
{
	struct kprobe_point *point;

	lockdep_assert_held(&kprobe_mutex);
	if (*addr > last)
		return NULL;
	point = first_from(&points, *addr, 0);
	if (!point || point->addr > last)
		return NULL;
	*addr = point->addr + 1;
	return point;
}

/**
 * kprobe_point_after() - find the point with the next higher address
 * @point: a point that was added and is not gone: a new one has no place in the order yet,
 *	   see kprobe_point_next()
 *
 * Context: kprobe_mutex held.
 * Return: That point, NULL when there is none.
 */
struct kprobe_point *kprobe_point_after(const struct kprobe_point *point)
{
	lockdep_assert_held(&kprobe_mutex);
	return point_of(rb_next(&point->by_addr));
}

#ifdef CONFIG_OPTPROBES
/**
 * kprobe_point_has_neighbour() - check whether another probe is where a jump would be
 * @point: a point that has no jump
 *
 * Points whose site is in the region come after the point, in the order of addresses. The
 * point itself need not be in the tree yet.
 *
 * Context: kprobe_mutex held.
 * Return: True if so. A probe that ftrace leads to leaves the text alone.
 */
bool kprobe_point_has_neighbour(const struct kprobe_point *point)
{
	unsigned long addr = point->addr + 1, last = point->site + point->region_len - 1;
	const struct kprobe_point *other;

	while ((other = kprobe_point_next(&addr, last)))
		if (kprobe_point_in_text(other) && other->mechanism != KPROBE_FTRACE &&
		    kprobe_point_covers(point, other->site))
			return true;
	return false;
}
#endif

/**
 * kprobe_point_next_gone() - walk the points whose text has gone
 * @addr: probed address to begin at
 * @from: address of a point's structure to begin at, among points with that probed
 *        address; compared only, so the structure need not exist any more
 *
 * Context: kprobe_mutex held.
 * Return: The first point from there on, NULL when there is none.
 */
struct kprobe_point *kprobe_point_next_gone(unsigned long addr,
					    unsigned long from)
{
	lockdep_assert_held(&kprobe_mutex);
	return first_from(&gone_points, addr, from);
}

/**
 * kprobe_point_changed() - note that the handlers that hits must call have changed
 * @point: the point
 *
 * The code of detours that were made for the point does not call handlers any more.
 *
 * Context: Any; the point stays meanwhile.
 */
void kprobe_point_changed(struct kprobe_point *point)
{
	/* Two handlers, and whoever holds kprobe_mutex, may do so at once. */
	atomic_inc((atomic_t *)&point->generation);
}

/**
 * kprobe_change_flags() - change the flags of a registered probe
 * @p:     the probe
 * @clear: flags to clear
 * @set:   flags to set
 *
 * No change is lost: handlers change flags as well, without kprobe_mutex.
 *
 * Context: Any; the probe stays meanwhile.
 */
void kprobe_change_flags(struct kprobe *p, u32 clear, u32 set)
{
	u32 flags = READ_ONCE(p->flags);

	while (!try_cmpxchg(&p->flags, &flags, (flags & ~clear) | set))
		;
}

/**
 * kprobe_point_switch() - disable or enable a probe
 * @point:    the point that it is on
 * @p:        the probe
 * @disabled: whether to disable it
 *
 * Context: kprobe_mutex held, or in a handler with interrupts disabled.
 */
void kprobe_point_switch(struct kprobe_point *point, struct kprobe *p, bool disabled)
{
	/* A full barrier. A detour that has the new generation has seen the flag: make_detour(). */
	kprobe_change_flags(p, KPROBE_FLAG_DISABLED, disabled ? KPROBE_FLAG_DISABLED : 0);
	kprobe_point_changed(point);
}

/**
 * kprobe_point_plan() - plan once more how a point's instruction is displaced
 * @point: the point
 * @insn:  filled in
 *
 * A plan is several times as large as what has to be remembered of most.
 *
 * Context: kprobe_mutex held.
 */
void kprobe_point_plan(const struct kprobe_point *point, struct kprobe_insn *insn)
{
	arch_kprobe_isa->plan(insn, (u8 *)point->insn, sizeof(point->insn), point->site);
	if (arch_kprobe_isa->scratch && !point->emulated)
		insn->dead = point->dead ? BIT(point->dead - 1) : 0;
	insn->ends_in_trap = point->ends_in_trap;
}

/**
 * kprobe_point_flag() - get the flag of probes that stands for a point's mechanism
 * @point: the point
 *
 * Return: The flag, or 0.
 */
u32 kprobe_point_flag(const struct kprobe_point *point)
{
	static const u32 flags[KPROBE_MECHANISMS] = {
		[KPROBE_JUMP] = KPROBE_FLAG_OPTIMIZED,
		[KPROBE_FTRACE] = KPROBE_FLAG_FTRACE,
	};

	return flags[point->mechanism];
}

/**
 * kprobe_point_set_mechanism() - set the mechanism of a point, and its probes' flags
 * @point:     the point
 * @mechanism: its new mechanism
 *
 * Context: kprobe_mutex held.
 */
void kprobe_point_set_mechanism(struct kprobe_point *point,
				enum kprobe_mechanism mechanism)
{
	u32 old = kprobe_point_flag(point);
	struct kprobe *p;

	lockdep_assert_held(&kprobe_mutex);
	WRITE_ONCE(point->mechanism, mechanism);
	list_for_each_entry(p, &point->probes, list)
		kprobe_change_flags(p, old, kprobe_point_flag(point));
}

/**
 * kprobe_point_link() - put a probe on a point
 * @point: the point, whose route must call post-handlers if the probe has one
 * @p:     the probe, on no point
 *
 * Its handlers will run before those of the other probes on the point.
 *
 * Context: kprobe_mutex held.
 */
void kprobe_point_link(struct kprobe_point *point, struct kprobe *p)
{
	lockdep_assert_held(&kprobe_mutex);
	p->point = point;
	/* What calls handlers need not know of one that must not run. */
	if (!kprobe_disabled(p))
		kprobe_point_changed(point);
	/* Release: a hit that sees the probe sees the route that it needs. */
	list_add_rcu(&p->list, &point->probes);
}

/**
 * kprobe_point_unlink() - take a probe off its point
 * @p: the probe
 *
 * Hits may still use it until kprobe_synchronize() has returned.
 *
 * Context: kprobe_mutex held.
 */
void kprobe_point_unlink(struct kprobe *p)
{
	struct kprobe_point *point = p->point;

	lockdep_assert_held(&kprobe_mutex);
	if (!kprobe_disabled(p))
		kprobe_point_changed(point);
	list_del_rcu(&p->list);
}

/**
 * kprobe_take_chunk() - take as many points as one hold of kprobe_mutex may work on
 * @from: list of points, by any of their links
 * @to:   list that the first %KPROBE_CHUNK of them are moved to
 *
 * Context: kprobe_mutex held.
 */
void kprobe_take_chunk(struct list_head *from, struct list_head *to)
{
	unsigned int i;

	for (i = 0; i < KPROBE_CHUNK && !list_empty(from); i++)
		list_move_tail(from->next, to);
}

/* debugfs "enabled"; kprobe_mutex. */
bool kprobe_armed_globally = true;

/**
 * kprobe_point_wanted() - check whether a point should be armed
 * @point: the point
 *
 * This follows from the probes on it and from the file "enabled" in debugfs, and is not
 * stored.
 *
 * Context: kprobe_mutex held.
 * Return: True if handlers of some probe should run.
 */
bool kprobe_point_wanted(struct kprobe_point *point)
{
	struct kprobe *p;

	lockdep_assert_held(&kprobe_mutex);
	if (!kprobe_armed_globally)
		return false;
	list_for_each_entry(p, &point->probes, list)
		if (!kprobe_disabled(p))
			return true;
	return false;
}
