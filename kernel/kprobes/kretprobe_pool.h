/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_KRETPROBE_POOL_H
#define _KERNEL_KPROBES_KRETPROBE_POOL_H

/* kretprobe_pool.c: where instances of return probes come from */
#include <linux/kprobes.h>
#include <linux/kref.h>
#include <linux/objpool.h>
#include <linux/percpu.h>
#include <linux/refcount.h>

/**
 * struct kretprobe_segment - some of a pool's instances
 * @objects: the free ones
 * @older:   the segment added before this one
 * @pool:    the pool
 * @ref:     one for each instance that may still be used and one for the pool;
 *           changes only once the return probe is being unregistered
 * @rcu:     for freeing: another CPU may be unwinding the stack of a task that
 *           one of the instances has just been on
 */
struct kretprobe_segment {
	struct objpool_head objects;
	struct kretprobe_segment *older;
	struct kretprobe_pool *pool;
	refcount_t ref;
	struct rcu_head rcu;
};

/**
 * struct kretprobe_pool - instances for one return probe
 * @rp:       the return probe; NULL once it is being unregistered
 * @owner:    the return probe, not to be looked into
 * @spare:    for each CPU an instance that is next to be used there, or NULL;
 *            also taken from there by other CPUs that find none elsewhere
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
	bool grows;
	struct kretprobe *rp;
	struct kretprobe *owner;
	struct kretprobe_instance * __percpu *spare;
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
void kretprobe_pool_push_slowly(struct kretprobe_instance *ri);
void kretprobe_pool_return_later(struct kretprobe_instance *ri);

/**
 * kretprobe_pool_pop_spare() - get an instance for a call
 * @pool: the pool
 *
 * Most calls use what the last one on this CPU has left there.
 *
 * Context: Hit path, in a frame that has the return probe's point published.
 * Return: The instance, NULL when kretprobe_pool_pop_slowly() has to look for one.
 */
static __always_inline struct kretprobe_instance *
kretprobe_pool_pop_spare(struct kretprobe_pool *pool)
{
	return xchg(raw_cpu_ptr(pool->spare), NULL);
}

/**
 * kretprobe_pool_push_for() - give an instance back
 * @rp: what @pool->rp was since the pool is published
 * @ri: the instance
 *
 * When @rp is not NULL, spare instances will not be taken back before
 * kprobe_synchronize() has waited for the caller's frame.
 *
 * Context: As kretprobe_pool_push().
 */
static __always_inline void kretprobe_pool_push_for(struct kretprobe *rp,
						    struct kretprobe_instance *ri)
{
	if (likely(rp))
		ri = xchg(raw_cpu_ptr(ri->pool->spare), ri);
	if (unlikely(ri))
		kretprobe_pool_push_slowly(ri);
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
	kretprobe_pool_push_for(READ_ONCE(ri->pool->rp), ri);
}

#endif /* _KERNEL_KPROBES_KRETPROBE_POOL_H */
