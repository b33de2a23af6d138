/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_POINT_H
#define _KERNEL_KPROBES_POINT_H

/* point.c: points, their states, the probes on them, their routes */
#include <linux/cleanup.h>
#include <linux/kprobe_arch.h>
#include <linux/mutex.h>
#include <linux/time64.h>

#include "table.h"

/*
 * While others wait for kprobe_mutex in kprobe_lock(), work on many points releases it after so
 * many nanoseconds, or after so many points.
 */
#define KPROBE_TURN_NS		(100 * NSEC_PER_USEC)
#define KPROBE_CHUNK_IN_TURN	32

void kprobe_lock(void);
bool kprobe_turn_is_over(u64 began);
unsigned int kprobe_chunk_size(void);
DEFINE_LOCK_GUARD_0(kprobe_lock, kprobe_lock(), mutex_unlock(&kprobe_mutex))

void kprobe_point_add(struct kprobe_point *point);
void kprobe_point_remove(struct kprobe_point *point);
void kprobe_point_changed(struct kprobe_point *point);
void kprobe_change_flags(struct kprobe *p, u32 clear, u32 set);
void kprobe_point_set_disabled(struct kprobe_point *point, struct kprobe *p, bool disabled);
void kprobe_point_set_mechanism(struct kprobe_point *point, enum kprobe_mechanism mechanism);
u32 kprobe_point_flag(const struct kprobe_point *point);
void kprobe_point_plan(const struct kprobe_point *point, struct kprobe_insn *insn);
bool kprobe_point_has(const struct kprobe_point *point, const struct kprobe *p);
void kprobe_take_chunk(struct list_head *from, struct list_head *to);
bool kprobe_point_may_become(enum kprobe_point_state from, enum kprobe_point_state to);
bool kprobe_optimization_may_become(enum kprobe_optimization from,
				    enum kprobe_optimization to);
void kprobe_point_set_state(struct kprobe_point *point, enum kprobe_point_state state);
void kprobe_free_soon(struct rcu_head *rcu, void (*free)(union kprobe_deferred_free *deferred));
struct kprobe_point *kprobe_point_next(unsigned long *addr, unsigned long last);
struct kprobe_point *kprobe_point_after(const struct kprobe_point *point);
struct kprobe_point *kprobe_point_first_from(unsigned long addr, struct kprobe_point *point);
struct kprobe_point *kprobe_point_next_gone(unsigned long addr, unsigned long from);

/* The largest distance from a point's address to the end of text that it patches or displaces. */
#define KPROBE_PATCH_REACH	(KPROBE_ENTRY_NOP_SIZE + KPROBE_JUMP_SIZE)
#define KPROBE_REGION_REACH	(KPROBE_ENTRY_NOP_SIZE + KPROBE_TEXT_SIZE)

/* Does the probe wait for its module? It is then on a point that is gone. */
static inline bool kprobe_is_waiting(const struct kprobe *p)
{
	return !(~READ_ONCE(p->flags) & (KPROBE_FLAG_GONE | KPROBE_FLAG_PENDING));
}

/* Is the mechanism in the text? */
static inline bool kprobe_point_in_text(const struct kprobe_point *point)
{
	return point->state == KPROBE_POINT_ARMED ||
	       point->state == KPROBE_POINT_DISARM_PENDING;
}

/* Is there a breakpoint that will become a jump after a grace period? */
static inline bool kprobe_point_is_optimizing(const struct kprobe_point *point)
{
	return point->optimization == KPROBE_OPT_WAITING;
}

bool kprobe_point_search_fixup(const struct kprobe_point *point);
bool kprobe_point_has_neighbour(const struct kprobe_point *point);

/* Would the point's jump cover the text at @site, by another byte than the first? */
static inline bool kprobe_point_covers(const struct kprobe_point *point, unsigned long site)
{
	return site > point->site && site < point->site + point->region_len;
}

/* Does the point switch to ftrace? While it does, its breakpoint stays. */
static __always_inline bool kprobe_is_switching(const struct kprobe_point *point)
{
#ifdef CONFIG_KPROBES_ON_FTRACE
	struct kprobe_entry *entry = READ_ONCE(point->entry);

	return entry && smp_load_acquire(&entry->switching);	/* pairs with end_switch() */
#else
	return false;
#endif
}

/* The slot by which hits of a point at an entry nop come to the other point there, or NULL. */
static __always_inline void *kprobe_point_pass(const struct kprobe_point *point)
{
#ifdef CONFIG_KPROBES_ON_FTRACE
	struct kprobe_entry *entry = READ_ONCE(point->entry);

	return entry ? entry->pass : NULL;
#else
	return NULL;
#endif
}

/* Is the point hit by a breakpoint or jump at its site? */
static inline bool kprobe_point_uses_site(const struct kprobe_point *point)
{
	return point->mechanism != KPROBE_FTRACE || kprobe_is_switching(point);
}

/* Is the breakpoint or jump at the site, or the right to write one, the point's? It is not gone. */
static inline bool kprobe_point_owns_site(const struct kprobe_point *point)
{
	return point->key;
}

/* The point of the instruction after a point's entry nop, NULL if there is none. */
static __always_inline struct kprobe_point *
kprobe_point_at_site(const struct kprobe_point *point)
{
	return kprobe_point_skips_nop(point) ?
	       kprobe_table_find_user(point->site, point->site) : NULL;
}

struct kprobe_point *kprobe_point_other(const struct kprobe_point *point);
void kprobe_point_give_site(struct kprobe_point *from, struct kprobe_point *to);

/*
 * Routes. A hit reads the route of its point after it has called the pre-handlers:
 *
 *   kprobe_point_set_route(),			join()			a hit
 *   prepare_post()
 *     store @route or @run_post (release)	  list_add_rcu()	  probes
 *							  smp_rmb()
 *							  load @route
 *
 * A route is stored before a probe that needs it is linked, so a hit that has seen the probe
 * reads that route or a later one. Hits cannot find a point before it has its first route. Before
 * another route is stored, the caller calls kprobe_slots_sync().
 */
static inline void kprobe_point_set_route(struct kprobe_point *point,
					  const struct kprobe_route *route)
{
	lockdep_assert_held(&kprobe_mutex);
	smp_store_release(&point->route, route);	/* see above */
}

/* Appends the breakpoint for a point's instruction. */
static inline void kprobe_point_put_breakpoint(const struct kprobe_point *point,
					       struct kprobe_code *code)
{
	const struct kprobe_insn insn = {
		.len = point->len, .breakpoint_len = point->breakpoint_len,
	};

	arch_kprobe_isa->breakpoint(code, &insn);
}

static __always_inline const struct kprobe_route *
kprobe_point_route(const struct kprobe_point *point)
{
	smp_rmb();	/* pairs with list_add_rcu() in join() */
	return READ_ONCE(point->route);
}

#endif /* _KERNEL_KPROBES_POINT_H */
