/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_KRETPROBE_POOL_H
#define _KERNEL_KPROBES_KRETPROBE_POOL_H

/* kretprobe_pool.c: allocates the instances of return probes */
#include <linux/kprobes.h>
#include <linux/kref.h>
#include <linux/objpool.h>
#include <linux/percpu.h>
#include <linux/refcount.h>

/**
 * struct kretprobe_segment - instances of a pool that were allocated together
 * @objects: the free ones
 * @older:   the segment added before this one
 * @pool:    the pool
 * @ref:     one for each instance that may still be used and one for the pool; changes only after
 *           the pool has lost its return probe
 * @rcu:     for freeing: another CPU may unwind the stack of a task that has used an instance
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
 * @handler:  the return probe's; NULL when @rp is NULL, or if there is none
 * @owner:    the return probe, which may have been freed: not to be dereferenced
 * @spare:    for each CPU the instance that it uses next, or NULL; other CPUs take it if all
 *            rings are empty
 * @grows:    the user has asked for the default number of instances
 * @data_size: the return probe's
 * @size:     number of instances; written before other CPUs know the pool, and then by the CPU
 *            that grows the pool while @wants is set
 * @newest:   the segment added last
 * @ref:      one for the return probe, one for each segment, and one while the pool waits to grow
 * @wants:    set while the pool waits to grow
 * @growing:  in growing_pools
 * @rcu:      for freeing
 */
struct kretprobe_pool {
	bool grows;
	struct kretprobe *rp;
	kretprobe_handler_t handler;
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

/*
 * Most calls use the instance that the previous call on this CPU has used. If there is none, call
 * kretprobe_pool_pop_slowly(). The return probe's point must be the hazard pointer of the caller's
 * frame.
 */
static __always_inline struct kretprobe_instance *
kretprobe_pool_pop_spare(struct kretprobe *rp)
{
	return xchg(raw_cpu_ptr(rp->spare), NULL);
}

/*
 * Leaves @ri as this CPU's spare instance. Returns the one so far, or NULL; the caller must return
 * that to the pool. The pool is the hazard pointer of the caller's frame, and had its return probe
 * when it became that, so it is not destroyed before kprobe_synchronize() has waited for the frame.
 */
static __always_inline struct kretprobe_instance *
kretprobe_pool_swap_spare(struct kretprobe_instance *ri)
{
	/* A full barrier: pairs with take_spare() on a CPU that has no instance left. */
	return xchg(raw_cpu_ptr(ri->pool->spare), ri);
}

/*
 * Returns an instance. The pool, or its return probe's point, must be the hazard pointer of the
 * caller's frame, or interrupts must be disabled.
 */
static __always_inline void kretprobe_pool_push(struct kretprobe_instance *ri)
{
	if (likely(READ_ONCE(ri->pool->rp)))
		ri = kretprobe_pool_swap_spare(ri);
	if (unlikely(ri))
		kretprobe_pool_push_slowly(ri);
}

#endif /* _KERNEL_KPROBES_KRETPROBE_POOL_H */
