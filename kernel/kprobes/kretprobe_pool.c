// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pools of return-probe instances: one pool for each return probe.
 *
 * A pool is a list of segments. Each has an array of instances, and a bitmap of those that are
 * free: one atomic operation takes or returns an instance, in any context. In addition, each CPU
 * has one spare instance, the one that it used last: most calls take and return that.
 *
 * If the user asked for a number of instances, that is a hard limit. A pool with the default number
 * grows when few are left. A hit must not allocate, so it queues an irq_work, which interrupts the
 * CPU as soon as interrupts are enabled there.
 *
 * Instances outlive their return probe as long as calls are in flight: unregistering detaches the
 * pool from it. The pool is freed an RCU grace period after the last instance was returned: other
 * CPUs may read that for a stack trace, see kretprobe_find_ret_addr().
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/overflow.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "frame.h"
#include "kretprobe_pool.h"

/* A pool with this many instances does not grow. */
#define KRETPROBE_MAX_GROWTH	65536

/* The most memory that is added at once, in an interrupt. With the bitmap it fits into 32 KiB. */
#define KRETPROBE_GROWTH_BYTES	(31 * SZ_1K)

/**
 * struct kretprobe_segment - instances of a pool that were allocated together
 * @older:     the segment added before this one
 * @nr:        number of instances
 * @left:      how many of them are free
 * @hint:      the word of @free where an instance was found or returned last
 * @free:      after the instances: a bit for each, set if it is free
 * @instances: each of kretprobe_pool.instance_size bytes
 */
struct kretprobe_segment {
	struct kretprobe_segment *older;
	unsigned int nr;
	atomic_t left;
	unsigned int hint;
	atomic_long_t *free;
	unsigned long instances[];
};

/* Pools that wait to grow or to be freed. */
static LLIST_HEAD(waiting_pools);

/**
 * get_kretprobe() - get the return probe of a call
 * @ri: the call's instance
 *
 * Context: In a handler, or anywhere else where the return probe is known to be registered.
 * Return: The return probe; NULL if it has been unregistered meanwhile.
 */
__kprobes struct kretprobe *get_kretprobe(struct kretprobe_instance *ri)
{
	return READ_ONCE(ri->pool->rp);
}
EXPORT_SYMBOL_GPL(get_kretprobe);

static __always_inline struct kretprobe_instance *
instance_at(struct kretprobe_segment *segment, const struct kretprobe_pool *pool, unsigned long i)
{
	return (void *)segment->instances + i * pool->instance_size;
}

/* NULL if out of memory. */
static struct kretprobe_segment *make_segment(struct kretprobe_pool *pool,
					      unsigned int instances, gfp_t gfp)
{
	size_t len = size_mul(instances, pool->instance_size);
	struct kretprobe_segment *segment;
	unsigned int i;

	len = size_add(len, BITS_TO_LONGS(instances) * sizeof(segment->free[0]));
	len = size_add(len, sizeof(*segment));
	/* As kvmalloc() does: nobody needs as many, and @ref could not count them. */
	if (len > INT_MAX)
		return NULL;
	gfp |= __GFP_NOWARN;
	/* The page allocator would take a power of two of pages for a large one. */
	segment = len > SZ_32K ? __vmalloc(len, gfp | __GFP_ZERO) : kzalloc(len, gfp);
	if (!segment)
		return NULL;
	segment->nr = instances;
	atomic_set(&segment->left, instances);
	segment->free = (void *)instance_at(segment, pool, instances);
	for (i = 0; i < instances; i++) {
		struct kretprobe_instance *ri = instance_at(segment, pool, i);

		ri->index = i;
		ri->pool = pool;
		ri->rp = pool->owner;
		atomic_long_or(BIT(i % BITS_PER_LONG), &segment->free[i / BITS_PER_LONG]);
	}
	return segment;
}

/* A grace period has ended since the last instance was returned; or the pool was never used. */
static void free_pool(struct rcu_head *rcu)
{
	struct kretprobe_pool *pool = container_of(rcu, struct kretprobe_pool, rcu);
	struct kretprobe_segment *segment, *older;

	for (segment = pool->newest; segment; segment = older) {
		older = segment->older;
		kvfree(segment);
	}
	free_percpu(pool->spare);
	kfree(pool);
}

static void put_pool(struct kretprobe_pool *pool, unsigned int refs)
{
	if (refcount_sub_and_test(refs, &pool->ref))
		call_rcu(&pool->rcu, free_pool);
}

/* Makes the pool of a return probe. Returns false if there is not enough memory. */
bool kretprobe_pool_make(struct kretprobe *rp, unsigned int instances, bool grows)
{
	struct kretprobe_pool *pool = kzalloc(sizeof(*pool), GFP_KERNEL);

	if (!pool)
		return false;
	pool->rp = rp;
	pool->handler = rp->handler;
	pool->owner = rp;
	pool->instance_size = ALIGN(sizeof(struct kretprobe_instance) + rp->data_size,
				    sizeof(long));
	pool->size = instances;
	pool->most = grows ? KRETPROBE_MAX_GROWTH : 0;
	pool->spare = alloc_percpu(struct kretprobe_instance *);
	/* The OOM killer is not for a user who asks for too many. */
	pool->newest = make_segment(pool, instances, GFP_KERNEL | __GFP_RETRY_MAYFAIL);
	if (!pool->spare || !pool->newest) {
		free_pool(&pool->rcu);
		return false;
	}
	atomic_set(&pool->left, instances);
	refcount_set(&pool->ref, instances + 1);
	rp->pool = pool;
	rp->spare = pool->spare;
	return true;
}

/* After the next kprobe_synchronize(), nobody reads the return probe or returns instances to it. */
void kretprobe_detach(struct kprobe *p)
{
	struct kretprobe_pool *pool = container_of(p, struct kretprobe, kp)->pool;

	lockdep_assert_held(&kprobe_mutex);
	/* The unlinking that synchronize.c orders: returns read both fields after A. */
	WRITE_ONCE(pool->rp, NULL);
	WRITE_ONCE(pool->handler, NULL);
}

/* The pool of a return probe, which its returns publish as hazard pointer. NULL for others. */
const void *kretprobe_hazard(const struct kprobe *p)
{
	return kprobe_is_return_probe(p) ? container_of(p, struct kretprobe, kp)->pool : NULL;
}

/*
 * Clears what registering has set in a return probe, and frees its pool when the last instance is
 * returned. No hit uses the probe: it was detached before kprobe_synchronize(), or refused. It may
 * be registered as a plain probe next.
 */
void kretprobe_destroy(struct kprobe *p)
{
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);
	struct kretprobe_segment *segment;
	struct kretprobe_pool *pool;
	unsigned int unused = 0;
	int cpu;

	pool = rp->pool;
	rp->pool = NULL;
	rp->spare = NULL;
	p->pre_handler = NULL;
	for_each_possible_cpu(cpu)
		unused += !!*per_cpu_ptr(pool->spare, cpu);
	for (segment = pool->newest; segment; segment = segment->older)
		unused += atomic_read(&segment->left);
	put_pool(pool, unused + 1);
}

/*
 * Adds a segment as large as all others together, within a limit. If allocation fails, the next hit
 * that finds few instances tries again. Disabled interrupts hold up kprobe_synchronize(): a pool
 * that still has its return probe is not destroyed before it has the segment.
 */
static void grow_pool(struct kretprobe_pool *pool)
{
	unsigned int step = min_t(size_t, pool->size, KRETPROBE_GROWTH_BYTES / pool->instance_size);
	struct kretprobe_segment *segment = make_segment(pool, step, GFP_ATOMIC);

	scoped_guard(irqsave) {
		if (segment && READ_ONCE(pool->rp)) {
			segment->older = pool->newest;
			refcount_add(step, &pool->ref);
			WRITE_ONCE(pool->size, pool->size + step);
			atomic_add(step, &pool->left);
			/* Pairs with kretprobe_pool_pop_slowly(), maybe on another CPU. */
			smp_store_release(&pool->newest, segment);
			segment = NULL;
		}
	}
	kvfree(segment);
	/* The CPU that grows the pool next sees @size and @newest: pairs with ask_for_more(). */
	atomic_set_release(&pool->wants, 0);
}

static void serve_pools(struct irq_work *work)
{
	struct llist_node *n = llist_del_all(&waiting_pools);
	struct kretprobe_pool *pool, *next;

	llist_for_each_entry_safe(pool, next, n, waiting) {
		if (refcount_read(&pool->ref)) {
			grow_pool(pool);
			put_pool(pool, 1);
		} else {
			call_rcu(&pool->rcu, free_pool);
		}
	}
}

static DEFINE_PER_CPU(struct irq_work, serve_irq_work) = IRQ_WORK_INIT(serve_pools);

/* Serves the pools that wait since hits on a CPU that has come or gone. */
void kretprobe_serve_pools(void)
{
	serve_pools(NULL);
}

static __kprobes void ask_for_more(struct kretprobe_pool *pool)
{
	/* A full barrier. Pairs with grow_pool(). */
	if (!atomic_xchg(&pool->wants, 1)) {
		refcount_inc(&pool->ref);
		llist_add(&pool->waiting, &waiting_pools);
	}
	/* On this CPU, as others may keep interrupts disabled: the first grows all that wait. */
	kprobe_irq_work_queue(raw_cpu_ptr(&serve_irq_work));
}

/* Takes a free instance of a segment. NULL if none is found. */
static __kprobes struct kretprobe_instance *take_free(struct kretprobe_segment *segment,
						      struct kretprobe_pool *pool)
{
	unsigned int words = BITS_TO_LONGS(segment->nr), word = READ_ONCE(segment->hint), n;

	for (n = atomic_read(&segment->left) > 0 ? words : 0; n; n--) {
		long bits = atomic_long_read(&segment->free[word]);

		/* The loop ends when the word is empty, or with the lowest bit taken. */
		while (bits && !atomic_long_try_cmpxchg(&segment->free[word], &bits,
							bits & (bits - 1)))
			;
		if (bits) {
			atomic_dec(&segment->left);
			atomic_dec(&pool->left);
			WRITE_ONCE(segment->hint, word);
			return instance_at(segment, pool, word * BITS_PER_LONG + __ffs(bits));
		}
		word = word + 1 < words ? word + 1 : 0;
	}
	return NULL;
}

/* Gets an instance if this CPU has no spare one. NULL if all instances are in use. */
__kprobes struct kretprobe_instance *kretprobe_pool_pop_slowly(struct kretprobe_pool *pool)
{
	/* Pairs with grow_pool(). */
	struct kretprobe_segment *segment = smp_load_acquire(&pool->newest);
	unsigned int size = READ_ONCE(pool->size), cpu;
	struct kretprobe_instance *ri = NULL;

	if (size < pool->most && atomic_read(&pool->left) <= size / 4)
		ask_for_more(pool);
	for (; !ri && segment; segment = segment->older)
		ri = take_free(segment, pool);
	/* for_each_possible_cpu() calls functions that can be probed. */
	for (cpu = 0; !ri && cpu < nr_cpu_ids; cpu++)
		if (cpu_possible(cpu))
			/* Pairs with the other CPU's xchg() in kretprobe_pool_swap_spare(). */
			ri = xchg(per_cpu_ptr(pool->spare, cpu), NULL);
	return ri;
}

/* Returns an instance that does not become the spare one. */
__kprobes void kretprobe_pool_push_slowly(struct kretprobe_instance *ri)
{
	struct kretprobe_pool *pool = ri->pool;
	unsigned long i = ri->index, start = (unsigned long)ri - i * pool->instance_size;
	struct kretprobe_segment *segment;

	if (unlikely(!READ_ONCE(pool->rp))) {
		if (!refcount_dec_and_test(&pool->ref))
			return;
		llist_add(&pool->waiting, &waiting_pools);
		kprobe_irq_work_queue(raw_cpu_ptr(&serve_irq_work));
		return;
	}
	segment = container_of((void *)start, struct kretprobe_segment, instances);
	atomic_inc(&segment->left);
	atomic_inc(&pool->left);
	WRITE_ONCE(segment->hint, i / BITS_PER_LONG);
	/* Nobody uses the instance any more when it can be taken: pairs with take_free(). */
	smp_mb__before_atomic();
	atomic_long_or(BIT(i % BITS_PER_LONG), &segment->free[i / BITS_PER_LONG]);
}
