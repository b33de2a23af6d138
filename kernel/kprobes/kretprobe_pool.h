/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_KRETPROBE_POOL_H
#define _KERNEL_KPROBES_KRETPROBE_POOL_H

/* kretprobe.c: entries and returns of functions with return probes; kretprobe_pool.c: instances */
#include <linux/kprobes.h>
#include <linux/llist.h>
#include <linux/percpu.h>
#include <linux/refcount.h>

/**
 * struct kretprobe_pool - instances for one return probe
 * @rp:       the return probe; NULL once it is being unregistered
 * @handler:  the return probe's; NULL when @rp is NULL, or if there is none
 * @owner:    the return probe, which may have been freed: not to be dereferenced
 * @spare:    for each CPU the instance that it uses next, or NULL; other CPUs take it if all
 *            segments are empty
 * @newest:   the segment added last
 * @instance_size: size in bytes of an instance with its data
 * @size:     number of instances; written before other CPUs know the pool, and then by the CPU
 *            that grows the pool while @wants is set
 * @most:     the pool grows as long as it has fewer instances than that
 * @left:     how many instances are free in all segments
 * @ref:      one for each instance, one for the return probe, one while the pool waits to grow
 * @wants:    set while the pool waits to grow
 * @waiting:  for the irq_work, which has the pool grow, or frees it if @ref is 0
 * @rcu:      for freeing: another CPU may unwind the stack of a task that has used an instance
 */
struct kretprobe_pool {
	struct kretprobe *rp;
	kretprobe_handler_t handler;
	struct kretprobe *owner;
	struct kretprobe_instance * __percpu *spare;
	struct kretprobe_segment *newest;
	size_t instance_size;
	unsigned int size;
	unsigned int most;
	atomic_t left;
	refcount_t ref;
	atomic_t wants;
	struct llist_node waiting;
	struct rcu_head rcu;
};

int kretprobe_entry(struct kprobe *p, struct pt_regs *regs);
bool kretprobe_pool_make(struct kretprobe *rp, unsigned int instances, bool grows);
void kretprobe_detach(struct kprobe *p);
void kretprobe_destroy(struct kprobe *p);
void kretprobe_serve_pools(void);
const void *kretprobe_hazard(const struct kprobe *p);
struct kretprobe_instance *kretprobe_pool_pop_slowly(struct kretprobe_pool *pool);
void kretprobe_pool_push_slowly(struct kretprobe_instance *ri);

/*
 * Takes the instance that the previous call on this CPU has used: NULL if there is none. The return
 * probe's point must be the hazard pointer of the caller's frame.
 */
static __always_inline struct kretprobe_instance *
kretprobe_pool_pop_spare(struct kretprobe *rp)
{
	return xchg(raw_cpu_ptr(rp->spare), NULL);
}

/*
 * Leaves @ri as this CPU's spare instance. Returns the one so far, or NULL; the caller must return
 * that to the pool. The pool is the hazard pointer of the caller's frame, and had its return probe
 * when it became that.
 */
static __always_inline struct kretprobe_instance *
kretprobe_pool_swap_spare(struct kretprobe_instance *ri)
{
	/* A full barrier: pairs with kretprobe_pool_pop_slowly() on another CPU. */
	return xchg(raw_cpu_ptr(ri->pool->spare), ri);
}

/*
 * Returns an instance, in any context. The pool, or its return probe's point, must be the hazard
 * pointer of the caller's frame, or interrupts must be disabled.
 */
static __always_inline void kretprobe_pool_push(struct kretprobe_instance *ri)
{
	if (likely(READ_ONCE(ri->pool->rp)))
		ri = kretprobe_pool_swap_spare(ri);
	if (unlikely(ri))
		kretprobe_pool_push_slowly(ri);
}

#endif /* _KERNEL_KPROBES_KRETPROBE_POOL_H */
