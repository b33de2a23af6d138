// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Probe points: one for each probed address, made with the first probe there,
 * freed some time after the last has left.
 *
 * A point is in the table (for hits, by hash) and in a tree ordered by address
 * (for everything else) until it is freed or its text goes away. Both are made of
 * links in the points, so that taking a point out of them cannot fail. A preempted
 * task may still execute a slot, so points and slots are freed after a Tasks RCU
 * grace period. That is not enough where a task can sleep in a slot: see
 * may_be_slept_in().
 */
#include <linux/extable.h>
#include <linux/ftrace.h>
#include <linux/rbtree.h>
#include <linux/slab.h>

#include "internal.h"

/*
 * All points that are not gone, and those whose text went away while probes were
 * on them; kprobe_mutex. By address, and as there may be several gone ones at one,
 * then by their own addresses.
 */
static struct rb_root points = RB_ROOT;
static struct rb_root gone_points = RB_ROOT;

/* The table of struct kprobe_point_state's description, a row for each from. */
static const u8 legal_edges[KPROBE_POINT_STATES] = {
	[KPROBE_POINT_IDLE] = BIT(KPROBE_POINT_ARMED) | BIT(KPROBE_POINT_GONE),
	[KPROBE_POINT_ARMED] = BIT(KPROBE_POINT_IDLE) |
			       BIT(KPROBE_POINT_OPTIMIZING) |
			       BIT(KPROBE_POINT_DISARM_PENDING) |
			       BIT(KPROBE_POINT_GONE),
	[KPROBE_POINT_OPTIMIZING] = BIT(KPROBE_POINT_ARMED) |
				  BIT(KPROBE_POINT_GONE),
	[KPROBE_POINT_DISARM_PENDING] = BIT(KPROBE_POINT_IDLE) |
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

/*
 * No point is here; kprobe_mutex. Whatever is asked about a place is asked
 * several times, and mostly there is none. Who sets many mostly goes upwards.
 */
static struct { unsigned long first, last; } known_gap = { 1, 0 };

static void leave_gap(unsigned long addr)
{
	if (addr >= known_gap.first && addr <= known_gap.last)
		known_gap.first = addr + 1;
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
 * The first point of a tree at or after an address and, there, from a point's own
 * address on. Sets @before to the last one before that; either may be NULL.
 */
static struct kprobe_point *first_from(const struct rb_root *tree, unsigned long addr,
				       unsigned long from,
				       struct kprobe_point **before)
{
	struct rb_node *node = tree->rb_node;
	struct kprobe_point *found = NULL;

	*before = NULL;
	while (node) {
		struct kprobe_point *point = point_of(node);

		if (is_before(point, addr, from)) {
			*before = point;
			node = node->rb_right;
		} else {
			found = point;
			node = node->rb_left;
		}
	}
	return found;
}

static void note_gap(const struct kprobe_point *before, const struct kprobe_point *after)
{
	known_gap.first = before ? before->addr + 1 : 0;
	known_gap.last = after ? after->addr - 1 : ULONG_MAX;
}

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
	struct kprobe_point *point, *before;

	lockdep_assert_held(&kprobe_mutex);
	if (*addr > last || (*addr >= known_gap.first && last <= known_gap.last))
		return NULL;
	point = first_from(&points, *addr, 0, &before);
	if (!point || point->addr > *addr)
		note_gap(before, point);
	if (!point || point->addr > last)
		return NULL;
	*addr = point->addr + 1;
	return point;
}
NOKPROBE_SYMBOL(kprobe_point_next);

/**
 * kprobe_point_next_gone() - walk the points whose text has gone
 * @addr: probed address of the points to begin with
 * @from: where, among them, to begin: the address of a point's structure,
 *        which need not exist any more
 *
 * Context: kprobe_mutex held.
 * Return: The first point from there on, NULL when there is none.
 */
struct kprobe_point *kprobe_point_next_gone(unsigned long addr,
					    unsigned long from)
{
	struct kprobe_point *before;

	lockdep_assert_held(&kprobe_mutex);
	return first_from(&gone_points, addr, from, &before);
}
NOKPROBE_SYMBOL(kprobe_point_next_gone);

static void free_unpublished(struct kprobe_point *point)
{
	kprobe_slot_free(point->slot);
	kprobe_slot_free(point->post_slot);
	kprobe_point_free_detour(point);
	/* Nobody executes the slots, but somebody may ask whose they are. */
	kfree_rcu(point, deferred.rcu);
}

/* The place of a breakpoint, behind the instruction that users know if need be. */
static enum kprobe_reason prepare_breakpoint(struct kprobe_point *point)
{
	enum kprobe_reason reason;

	point->mechanism = KPROBE_BREAKPOINT;
	point->key = point->site;
	reason = arch_kprobe_prepare(point);
	if (!reason && !point->emulated)
		point->text[0].run = point->slot;
	return reason;
}

/**
 * kprobe_point_prepare_post() - make a point ready for post-handlers
 * @point: the point; hits may be under way
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: %KPROBE_REASON_NONE or %KPROBE_REASON_NO_MEMORY.
 */
enum kprobe_reason kprobe_point_prepare_post(struct kprobe_point *point)
{
	enum kprobe_reason reason;

	lockdep_assert_held(&kprobe_mutex);
	if (point->post_slot)
		return KPROBE_REASON_NONE;
	reason = arch_kprobe_prepare_post(point);
	if (reason || !point->post_slot)
		return reason;
	point->text[1].run = point->text[0].run;
	point->text[1].run_post = point->post_slot;
	kprobe_point_choose_route(point);
	return KPROBE_REASON_NONE;
}
NOKPROBE_SYMBOL(kprobe_point_prepare_post);

#ifdef CONFIG_KPROBES_ON_FTRACE
static enum kprobe_reason prepare_entry(struct kprobe_point *point)
{
	point->opcode = KPROBE_ENTRY_OPCODE;
	point->site = arch_kprobe_behind_entry(point->addr);
	if (kprobe_ftrace_may_stand_behind(point) && !prepare_breakpoint(point) &&
	    kprobe_optimizer_prepare(point))
		return KPROBE_REASON_NONE;
	point->mechanism = KPROBE_FTRACE;
	point->key = 0;
	return KPROBE_REASON_NONE;
}

static bool is_ftrace_site(unsigned long addr)
{
	return ftrace_location_range(addr, addr) == addr;
}
#else
static enum kprobe_reason prepare_entry(struct kprobe_point *point)
{
	return KPROBE_REASON_FTRACE;
}

static bool is_ftrace_site(unsigned long addr)
{
	return false;
}
#endif

/* What the instruction at the probed address is, whoever has patched it. */
static enum kprobe_reason prepare_point(struct kprobe_point *point)
{
	enum kprobe_reason reason;

	if (is_ftrace_site(point->addr))
		return prepare_entry(point);
	reason = prepare_breakpoint(point);
	point->opcode = point->insn[0];
	return reason;
}

static struct kprobe_point *alloc_point(unsigned long addr, bool on_func_entry)
{
	struct kprobe_point *point = kzalloc(sizeof(*point), GFP_KERNEL);

	if (!point)
		return NULL;
	point->addr = addr;
	point->site = addr;
	point->on_func_entry = on_func_entry;
	INIT_LIST_HEAD(&point->probes);
	INIT_LIST_HEAD(&point->batch);
#ifdef CONFIG_OPTPROBES
	INIT_LIST_HEAD(&point->optimize);
#endif
	return point;
}

static enum kprobe_reason make_point(unsigned long addr, bool on_func_entry,
				     struct kprobe_point **made)
{
	struct kprobe_point *point = alloc_point(addr, on_func_entry);
	enum kprobe_reason reason;

	if (!point)
		return KPROBE_REASON_NO_MEMORY;
	reason = prepare_point(point);
	if (reason) {
		free_unpublished(point);
		return reason;
	}
	kprobe_point_choose_route(point);
	leave_gap(addr);
	rb_add(&point->by_addr, &points, node_is_before);
	kprobe_move_join(point);
	kprobe_table_insert(point);
	*made = point;
	return KPROBE_REASON_NONE;
}

/* A function's entry may not stand where somebody wants a probe of its own. */
static enum kprobe_reason clear_site(unsigned long addr)
{
	struct kprobe_point *entry = kprobe_table_find(addr);

	return entry ? kprobe_ftrace_take_over(entry) : KPROBE_REASON_NONE;
}

/**
 * kprobe_point_get() - find or make the point for an address
 * @addr:          a checked address
 * @on_func_entry: it is a function's entry
 * @point:         set to the point
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: %KPROBE_REASON_NONE; why the instruction cannot be probed; or why ftrace
 * does not take the point of the function's entry, which has to make room.
 */
enum kprobe_reason kprobe_point_get(unsigned long addr, bool on_func_entry,
				    struct kprobe_point **point)
{
	lockdep_assert_held(&kprobe_mutex);
	*point = kprobe_point_lookup(addr);
	if (*point)
		return KPROBE_REASON_NONE;
	return clear_site(addr) ?: make_point(addr, on_func_entry, point);
}
NOKPROBE_SYMBOL(kprobe_point_get);

static void free_deferred(struct kprobe_deferred_free *deferred)
{
	free_unpublished(container_of(deferred, struct kprobe_point, deferred));
}

static void unpublish(struct kprobe_point *point)
{
	kprobe_move_leave(point);
	rb_erase(&point->by_addr, &points);
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
	       search_exception_tables(point->site);
}

static bool is_in_use(const struct kprobe_point *point)
{
	return !list_empty(&point->probes) || kprobe_point_in_text(point) || may_be_slept_in(point);
}

/**
 * kprobe_point_put() - let go of a point that may have become useless
 * @point: the point
 *
 * Frees it, after a Tasks RCU grace period, if it is not in the text and no
 * probe is on it.
 *
 * Context: kprobe_mutex held.
 */
void kprobe_point_put(struct kprobe_point *point)
{
	lockdep_assert_held(&kprobe_mutex);
	if (is_in_use(point))
		return;
	list_del_init(&point->batch);
	if (point->state == KPROBE_POINT_GONE)
		rb_erase(&point->by_addr, &gone_points);
	else
		unpublish(point);
	kprobe_optimizer_dequeue(point);
	kprobe_free_rcu_tasks(&point->deferred, free_deferred);
}
NOKPROBE_SYMBOL(kprobe_point_put);

/**
 * kprobe_point_changed() - what hits have to do has changed
 * @point: the point
 *
 * Detours made for the point so far no longer call handlers by themselves.
 *
 * Context: kprobe_mutex held.
 */
void kprobe_point_changed(struct kprobe_point *point)
{
	lockdep_assert_held(&kprobe_mutex);
	WRITE_ONCE(point->generation, point->generation + 1);
}
NOKPROBE_SYMBOL(kprobe_point_changed);

/**
 * kprobe_point_flag() - what a point's mechanism is called in its probes' flags
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
NOKPROBE_SYMBOL(kprobe_point_flag);

/**
 * kprobe_point_set_mechanism() - a point is reached in another way from now on
 * @point:     the point
 * @mechanism: how
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
		WRITE_ONCE(p->flags, (p->flags & ~old) | kprobe_point_flag(point));
}
NOKPROBE_SYMBOL(kprobe_point_set_mechanism);

/**
 * kprobe_point_link() - put a probe on a point
 * @point: the point, ready for the probe's handlers
 * @p:     the probe, on no point
 *
 * Its handlers will run before those of the probes that are there.
 *
 * Context: kprobe_mutex held.
 */
void kprobe_point_link(struct kprobe_point *point, struct kprobe *p)
{
	lockdep_assert_held(&kprobe_mutex);
	p->point = point;
	kprobe_point_changed(point);
	/* Release: whoever sees the probe sees the route that it needs. */
	list_add_rcu(&p->list, &point->probes);
}
NOKPROBE_SYMBOL(kprobe_point_link);

/**
 * kprobe_point_unlink() - take a probe off its point
 * @p: the probe
 *
 * Hits may still look at it until kprobe_synchronize() has returned.
 *
 * Context: kprobe_mutex held.
 */
void kprobe_point_unlink(struct kprobe *p)
{
	struct kprobe_point *point = p->point;

	lockdep_assert_held(&kprobe_mutex);
	kprobe_point_changed(point);
	list_del_rcu(&p->list);
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
	list_del_init(&point->batch);
	rb_add(&point->by_addr, &gone_points, node_is_before);
	kprobe_point_put(point);
}
NOKPROBE_SYMBOL(kprobe_point_kill);
