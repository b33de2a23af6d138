// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Probe points: their states, the probes on them, and their order by address. There is one point
 * for each probed address. register.c makes it for the first probe there, and batch.c frees it some
 * time after the last probe was unregistered.
 *
 * Hits find a point in the table, by a hash, and everything else in a tree ordered by address. Both
 * consist of links in the points, so removing a point from them cannot fail.
 *
 * Points with their slots, and detours, are freed after a Tasks RCU grace period: a task can be
 * preempted in a slot or a detour and return there much later. Freeing needs kprobe_mutex, which an
 * RCU callback cannot take, so the callback passes the object on to a work item.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/extable.h>
#include <linux/kernel.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/llist.h>
#include <linux/rbtree.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "point.h"
#include "table.h"

/* The top of kernel/kprobes.c says what this mutex protects. */
DEFINE_MUTEX(kprobe_mutex);

/* How many calls of the API wait for it. */
static atomic_t waiting = ATOMIC_INIT(0);

/* Takes kprobe_mutex for a call of the API. Work on many points then releases it soon. */
void kprobe_lock(void)
{
	atomic_inc(&waiting);
	mutex_lock(&kprobe_mutex);
	atomic_dec(&waiting);
}

/* Should work on many points, which took kprobe_mutex at @began, release it for others? */
bool kprobe_turn_is_over(u64 began)
{
	lockdep_assert_held(&kprobe_mutex);
	return atomic_read(&waiting) && ktime_get_ns() - began > KPROBE_TURN_NS;
}

/* How many points to work on under one hold of kprobe_mutex. */
unsigned int kprobe_chunk_size(void)
{
	return atomic_read(&waiting) ? KPROBE_CHUNK_IN_TURN : KPROBE_CHUNK;
}

/*
 * All points that are not gone, and those whose text went away while probes were on them;
 * kprobe_mutex. Ordered by probed address, and in the order in which they went if several points
 * that are gone have the same one.
 */
static struct rb_root points = RB_ROOT;
static struct rb_root gone_points = RB_ROOT;

/* The table in enum kprobe_point_state's description, a row for each old state. */
static const u8 legal_edges[KPROBE_POINT_STATES] = {
	[KPROBE_POINT_IDLE] = BIT(KPROBE_POINT_ARMED) | BIT(KPROBE_POINT_GONE),
	[KPROBE_POINT_ARMED] = BIT(KPROBE_POINT_IDLE) | BIT(KPROBE_POINT_DISARM_PENDING) |
			       BIT(KPROBE_POINT_GONE),
	[KPROBE_POINT_DISARM_PENDING] = BIT(KPROBE_POINT_IDLE) | BIT(KPROBE_POINT_ARMED) |
					BIT(KPROBE_POINT_GONE),
	[KPROBE_POINT_GONE] = 0,
};

bool kprobe_point_may_become(enum kprobe_point_state from, enum kprobe_point_state to)
{
	return legal_edges[from] & BIT(to);
}

/* The table in enum kprobe_optimization's description, a row for each old state. */
static const u8 legal_optimizations[KPROBE_OPT_STATES] = {
	[KPROBE_OPT_IDLE] = BIT(KPROBE_OPT_QUEUED),
	[KPROBE_OPT_QUEUED] = BIT(KPROBE_OPT_IDLE) | BIT(KPROBE_OPT_WAITING),
	[KPROBE_OPT_WAITING] = BIT(KPROBE_OPT_IDLE),
};

bool kprobe_optimization_may_become(enum kprobe_optimization from,
				    enum kprobe_optimization to)
{
	return legal_optimizations[from] & BIT(to);
}

/* Nothing else writes the state. An illegal edge warns and is not taken. */
void kprobe_point_set_state(struct kprobe_point *point, enum kprobe_point_state state)
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
	return point->addr == addr ? point->order < from : point->addr < addr;
}

static bool node_is_before(struct rb_node *a, const struct rb_node *b)
{
	const struct kprobe_point *other = rb_entry(b, struct kprobe_point, by_addr);

	return is_before(point_of(a), other->addr, other->order);
}

/*
 * Finds the first point of a tree at or after a probed address, NULL if there is none. Points at
 * that address count only if their order is @from or more.
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

static struct rb_root *tree_of(const struct kprobe_point *point)
{
	lockdep_assert_held(&kprobe_mutex);
	return point->state == KPROBE_POINT_GONE ? &gone_points : &points;
}

/* Puts a point into its tree. Hits find it from now on unless it is gone. */
void kprobe_point_add(struct kprobe_point *point)
{
	static unsigned long nr_gone;

	if (point->state == KPROBE_POINT_GONE)
		point->order = ++nr_gone;
	rb_add(&point->by_addr, tree_of(point), node_is_before);
	if (point->state != KPROBE_POINT_GONE)
		kprobe_table_insert(point);
}

/* Keeps hits from finding a point. A hit that has found it before may still use it. */
void kprobe_point_remove(struct kprobe_point *point)
{
	rb_erase(&point->by_addr, tree_of(point));
	if (point->state != KPROBE_POINT_GONE)
		kprobe_table_remove(point);
}

/* Finds the first point from @addr to @last, NULL if there is none. Sets @addr to one after it. */
struct kprobe_point *kprobe_point_next(unsigned long *addr, unsigned long last)
{
	struct kprobe_point *point;

	lockdep_assert_held(&kprobe_mutex);
	point = first_from(&points, *addr, 0);
	if (!point || point->addr > last)
		return NULL;
	*addr = point->addr + 1;
	return point;
}

/* Finds the point with the next higher address, NULL if there is none. @point is in the tree. */
struct kprobe_point *kprobe_point_after(const struct kprobe_point *point)
{
	lockdep_assert_held(&kprobe_mutex);
	return point_of(rb_next(&point->by_addr));
}

/* Finds the first point from @addr on. @point is in the tree, at @addr or after it. */
struct kprobe_point *kprobe_point_first_from(unsigned long addr, struct kprobe_point *point)
{
	struct kprobe_point *before = point;

	lockdep_assert_held(&kprobe_mutex);
	while (before && before->addr >= addr) {
		point = before;
		before = point_of(rb_prev(&point->by_addr));
	}
	return point;
}

/*
 * The other point at the same site that a breakpoint there may belong to: of the entry nop in
 * front, or of the instruction after it. NULL if there is none.
 */
struct kprobe_point *kprobe_point_other(const struct kprobe_point *point)
{
	struct kprobe_point *entry;

	lockdep_assert_held(&kprobe_mutex);
	if (!KPROBE_ENTRY_NOP_SIZE || !kprobe_point_uses_site(point))
		return NULL;
	if (kprobe_point_skips_nop(point))
		return kprobe_point_at_site(point);
	entry = kprobe_table_find_user(point->site - KPROBE_ENTRY_NOP_SIZE, point->site);
	return entry && entry->site == point->site && kprobe_point_uses_site(entry) ? entry : NULL;
}

/*
 * Has the breakpoint at a site, or the right to write one, be that of the other point there, or of
 * nobody if @to is NULL. Changes nothing if it is already.
 */
void kprobe_point_give_site(struct kprobe_point *from, struct kprobe_point *to)
{
	lockdep_assert_held(&kprobe_mutex);
	if (to)
		WRITE_ONCE(to->key, to->site);
	/* A hit that finds neither looks again: pairs with kprobe_retry_trap(). */
	smp_store_release(&from->key, 0);
}

/*
 * Is another breakpoint or jump in the text that the point's jump would cover? Points whose site is
 * there come after @point in the order of addresses. @point itself need not be in the tree. A point
 * at the site itself counts also while it is not in the text: see kprobe_share_site().
 */
bool kprobe_point_has_neighbour(const struct kprobe_point *point)
{
	unsigned long addr = point->addr + 1, last = point->site + point->region_len - 1;
	const struct kprobe_point *other;

	if (kprobe_point_at_site(point))
		return true;
	other = kprobe_point_in_text(point) ? kprobe_point_after(point) :
					      kprobe_point_next(&addr, last);
	for (; other && other->addr <= last; other = kprobe_point_after(other))
		if (kprobe_point_in_text(other) && other->mechanism != KPROBE_FTRACE &&
		    kprobe_point_covers(point, other->site))
			return true;
	return false;
}

/*
 * Finds the first gone point from @addr on, NULL if there is none. At @addr itself it skips points
 * whose order is less than @from.
 */
struct kprobe_point *kprobe_point_next_gone(unsigned long addr, unsigned long from)
{
	lockdep_assert_held(&kprobe_mutex);
	return first_from(&gone_points, addr, from);
}

/*
 * Called when other handlers must run than before. The code of existing detours does not call
 * handlers any more. Any context; the caller keeps the point from being freed.
 */
void kprobe_point_changed(struct kprobe_point *point)
{
	/* Handlers on several CPUs and the holder of kprobe_mutex may do this at the same time. */
	atomic_inc((atomic_t *)&point->generation);
}

/* Loses no change: handlers change flags too, without kprobe_mutex. */
void kprobe_change_flags(struct kprobe *p, u32 clear, u32 set)
{
	u32 flags = READ_ONCE(p->flags);

	while (!try_cmpxchg(&p->flags, &flags, (flags & ~clear) | set))
		;
}

/* With kprobe_mutex held, or in a handler with interrupts disabled. */
void kprobe_point_set_disabled(struct kprobe_point *point, struct kprobe *p, bool disabled)
{
	/* Who sees the flag and unlinks the probe relies on it: no detour calls its handlers. */
	kprobe_point_changed(point);
	/*
	 * A full barrier, before the generation changes. Pairs with smp_rmb() in make_detour(): a
	 * detour of the new generation has seen the flag.
	 */
	kprobe_change_flags(p, KPROBE_FLAG_DISABLED, disabled ? KPROBE_FLAG_DISABLED : 0);
	kprobe_point_changed(point);
}

/*
 * Plans the instruction of a point once more. The plan is not kept: it is several times larger than
 * what most points need of it.
 */
void kprobe_point_plan(const struct kprobe_point *point, struct kprobe_insn *insn)
{
	arch_kprobe_isa->plan(insn, (u8 *)point->insn, sizeof(point->insn), point->site);
#ifdef KPROBE_BLOCKS
	if (point->block)
		arch_kprobe_isa->within(insn, (u8 *)point->insn, point->block);
#endif
	if (arch_kprobe_isa->scratch && !point->emulated)
		insn->dead = point->dead ? BIT(point->dead - 1) : 0;
	insn->ends_in_trap = point->ends_in_trap;
}

static bool has_fixup(unsigned long addr)
{
	return core_kernel_text(addr) ? search_kernel_exception_table(addr) :
					search_module_extables(addr);
}

/* Has the instruction, or that in the delay slot of its copy, an exception table entry? */
bool kprobe_point_search_fixup(const struct kprobe_point *point)
{
	return has_fixup(point->site) || (point->has_slot && has_fixup(point->site + point->len));
}

/* The flag that probes have for the mechanism of their point; 0 for a breakpoint. */
u32 kprobe_point_flag(const struct kprobe_point *point)
{
	static const u32 flags[KPROBE_MECHANISMS] = {
		[KPROBE_JUMP] = KPROBE_FLAG_OPTIMIZED,
		[KPROBE_FTRACE] = KPROBE_FLAG_FTRACE,
	};

	return flags[point->mechanism];
}

/* Also changes the flags of the point's probes. */
void kprobe_point_set_mechanism(struct kprobe_point *point, enum kprobe_mechanism mechanism)
{
	u32 old = kprobe_point_flag(point);
	struct kprobe *p;

	lockdep_assert_held(&kprobe_mutex);
	WRITE_ONCE(point->mechanism, mechanism);
	list_for_each_entry(p, &point->probes, list)
		kprobe_change_flags(p, old, kprobe_point_flag(point));
}

/*
 * Is the probe on the point? @p may be any pointer. With kprobe_mutex held, or with interrupts
 * disabled.
 */
bool kprobe_point_has(const struct kprobe_point *point, const struct kprobe *p)
{
	const struct kprobe *other;

	list_for_each_entry_rcu(other, &point->probes, list, true)
		if (other == p)
			return true;
	return false;
}

/* Moves the first points, a chunk of them, to another list, by any of their links. */
void kprobe_take_chunk(struct list_head *from, struct list_head *to)
{
	unsigned int max = kprobe_chunk_size(), i;

	for (i = 0; i < max && !list_empty(from); i++)
		list_move_tail(from->next, to);
}

/* Objects whose grace period has ended, for free_work. */
static LLIST_HEAD(ready_to_free);

static void free_ready(struct work_struct *work)
{
	/*
	 * In the order of their callbacks, in which most detours come before their point: a
	 * point whose detours are not freed yet waits for another grace period.
	 */
	struct llist_node *all = llist_reverse_order(llist_del_all(&ready_to_free));
	union kprobe_deferred_free *deferred;

	for (; all; cond_resched()) {
		unsigned int left = kprobe_chunk_size();

		guard(mutex)(&kprobe_mutex);
		for (; all && left; left--) {
			deferred = llist_entry(all, union kprobe_deferred_free, quiescent);
			all = all->next;
			deferred->free(deferred);
		}
	}
}

static DECLARE_WORK(free_work, free_ready);

/*
 * Called by callbacks of call_rcu_tasks(): has a work item call @free, in process context and
 * with kprobe_mutex held, for the object that contains @rcu.
 */
void kprobe_free_soon(struct rcu_head *rcu, void (*free)(union kprobe_deferred_free *deferred))
{
	union kprobe_deferred_free *deferred = container_of(rcu, union kprobe_deferred_free, rcu);

	deferred->free = free;
	if (llist_add(&deferred->quiescent, &ready_to_free))
		queue_work(system_unbound_wq, &free_work);
}
