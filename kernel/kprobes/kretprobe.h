/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_KRETPROBE_H
#define _KERNEL_KPROBES_KRETPROBE_H

/*
 * Between kretprobe.c, where functions are entered and return, and
 * kretprobe_pool.c, where the instances for that come from.
 */
#include <linux/kref.h>
#include <linux/objpool.h>

#include "internal.h"

/**
 * struct kretprobe_segment - some of a pool's instances
 * @objects: the free ones
 * @older:   the segment added before this one
 * @pool:    the pool
 */
struct kretprobe_segment {
	struct objpool_head objects;
	struct kretprobe_segment *older;
	struct kretprobe_pool *pool;
};

/**
 * struct kretprobe_pool - instances for one return probe
 * @rp:       the return probe; NULL once it is being unregistered
 * @draining: set from then on, see kprobe_drain()
 * @grows:    the number of instances was left to us
 * @data_size: the return probe's
 * @size:     how many there are; written while only one CPU can see the pool,
 *            or by the CPU that has set @wants
 * @newest:   the segments
 * @ref:      one for the return probe, one for each segment and one while it
 *            waits to grow
 * @wants:    set while the pool waits to grow
 * @growing:  in growing_pools
 * @rcu:      for freeing
 */
struct kretprobe_pool {
	struct kretprobe *rp;
	bool draining;
	bool grows;
	unsigned int size;
	size_t data_size;
	struct kretprobe_segment *newest;
	struct kref ref;
	atomic_t wants;
	struct llist_node growing;
	struct rcu_head rcu;
};

struct kretprobe_pool *kretprobe_pool_make(struct kretprobe *rp);
void kretprobe_pool_detach(struct kretprobe_pool *pool);
void kretprobe_pool_destroy(struct kretprobe_pool *pool);
unsigned int kretprobe_pool_size(const struct kretprobe_pool *pool);

struct kretprobe_instance *
kretprobe_pool_pop_slowly(struct kretprobe_pool *pool);
void kretprobe_pool_runs_low(struct kretprobe_pool *pool);
void kretprobe_pool_return_later(struct kretprobe_instance *ri);

/* How many instances are free in one CPU's ring. */
static __always_inline unsigned int
kretprobe_ring_fill(const struct objpool_head *objects, int cpu)
{
	const struct objpool_slot *ring = objects->cpu_slots[cpu];

	return READ_ONCE(ring->last) - READ_ONCE(ring->head);
}

/**
 * kretprobe_pool_pop() - get an instance for a call
 * @pool: the pool
 *
 * Context: Hit path, in a frame that has the return probe's point published.
 * Return: The instance, NULL when all are in use.
 */
static __always_inline struct kretprobe_instance *
kretprobe_pool_pop(struct kretprobe_pool *pool)
{
	/* Pairs with add_segment(). */
	struct objpool_head *objects = &smp_load_acquire(&pool->newest)->objects;
	int cpu = raw_smp_processor_id();
	struct kretprobe_instance *ri;

	/* Taking from a ring is safe against interrupts without more ado. */
	ri = __objpool_try_get_slot(objects, cpu);
	if (unlikely(!kretprobe_ring_fill(objects, cpu)))
		kretprobe_pool_runs_low(pool);
	return likely(ri) ? ri : kretprobe_pool_pop_slowly(pool);
}

/* An NMI that comes while this CPU's ring is being added to must not add. */
DECLARE_PER_CPU(bool, kretprobe_pushing);

static __always_inline void kretprobe_ring_push(struct kretprobe_instance *ri)
{
	raw_cpu_write(kretprobe_pushing, true);
	barrier();	/* before the ring changes */
	objpool_push(ri, &ri->segment->objects);
	barrier();	/* after it has changed */
	raw_cpu_write(kretprobe_pushing, false);
}

/**
 * kretprobe_pool_push() - give an instance back
 * @ri: the instance
 *
 * Context: Hit path, in a frame that has the pool published; or with
 * interrupts disabled.
 */
static __always_inline void kretprobe_pool_push(struct kretprobe_instance *ri)
{
	if (likely(READ_ONCE(ri->pool->rp) && !raw_cpu_read(kretprobe_pushing)))
		kretprobe_ring_push(ri);
	else
		kretprobe_pool_return_later(ri);
}

#endif /* _KERNEL_KPROBES_KRETPROBE_H */
