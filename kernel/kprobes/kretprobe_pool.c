// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pools of return-probe instances: one pool for each return probe. Hits in kretprobe.c take
 * instances and return them; registering and unregistering make and destroy pools.
 *
 * A pool is a list of segments. Each segment is an objpool, which has a ring of free instances for
 * every CPU. In addition, each CPU has one spare instance, the one that it used last. Taking and
 * returning the spare instance does not touch the ring.
 *
 * If the user asked for a number of instances, that is a hard limit. A pool with the default number
 * grows when few instances are left: it gets a segment as large as all others together, but of at
 * most KRETPROBE_GROWTH_STEP instances. A hit must not allocate, so it queues an irq_work. That
 * interrupts the same CPU as soon as interrupts are enabled there, and allocates the segment. Each
 * CPU whose ring is empty queues its own, since another CPU may keep its interrupts disabled. With
 * PREEMPT_RT the allocation needs a task, so a work item allocates the segment.
 *
 * Instances outlive their return probe as long as calls are in flight. Unregistering therefore
 * detaches the pool from the return probe, and the pool is freed with its last instance.
 *
 * An instance may be used again at once. Its memory stays an instance until all instances of its
 * segment were returned and an RCU grace period has ended after that: CPUs that unwind the stacks
 * of other tasks may read it, see kretprobe_find_ret_addr().
 */
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/irq_work.h>
#include <linux/kmsan-checks.h>
#include <linux/kprobe_point.h>
#include <linux/kprobes.h>
#include <linux/llist.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "kretprobe_pool.h"

/* A pool with this many instances does not grow. */
#define KRETPROBE_MAX_GROWTH	65536

/* The most instances that are added at once: interrupts are disabled meanwhile. */
#define KRETPROBE_GROWTH_STEP	256

/* Instances that take_all_back() returns, and pools that wait for grow_pools(). */
static LLIST_HEAD(returned_instances);
static LLIST_HEAD(growing_pools);

/**
 * get_kretprobe() - get the return probe of a call
 * @ri: the call's instance
 *
 * Context: In a handler, or anywhere else where the return probe is known to be registered.
 * Return: The return probe; NULL if it has been unregistered meanwhile.
 */
struct kretprobe *get_kretprobe(struct kretprobe_instance *ri)
{
	return READ_ONCE(ri->pool->rp);
}
EXPORT_SYMBOL_GPL(get_kretprobe);
NOKPROBE_SYMBOL(get_kretprobe);

/* Set while this CPU adds to its ring, with interrupts disabled. An NMI must not add then. */
static DEFINE_PER_CPU(bool, kretprobe_pushing);

static void free_pool(struct kref *ref)
{
	struct kretprobe_pool *pool;

	pool = container_of(ref, struct kretprobe_pool, ref);
	free_percpu(pool->spare);
	kfree_rcu(pool, rcu);
}

static void put_pool(struct kretprobe_pool *pool)
{
	kref_put(&pool->ref, free_pool);
}

/* An RCU grace period has ended: nobody uses or reads the segment's instances any more. */
static void free_segment(struct rcu_head *rcu)
{
	struct kretprobe_segment *segment;

	segment = container_of(rcu, struct kretprobe_segment, rcu);
	objpool_free(&segment->objects);
	put_pool(segment->pool);
	kfree(segment);
}

/* Drops @nr references: of instances that are never used again, and of the pool. */
static void put_segment(struct kretprobe_segment *segment, unsigned int nr)
{
	if (refcount_sub_and_test(nr, &segment->ref))
		call_rcu(&segment->rcu, free_segment);
}

static int init_instance(void *object, void *context)
{
	struct kretprobe_segment *segment = context;
	struct kretprobe_instance *ri = object;

	ri->segment = segment;
	ri->pool = segment->pool;
	ri->rp = segment->pool->owner;
	/* KMSAN does not see the hit path's writes, but may check reads by handlers. */
	kmsan_unpoison_memory(ri, sizeof(*ri));
	return 0;
}

static int add_segment(struct kretprobe_pool *pool, unsigned int instances,
		       gfp_t gfp)
{
	struct kretprobe_segment *segment;
	int ret;

	segment = kzalloc(sizeof(*segment), gfp);
	if (!segment)
		return -ENOMEM;
	segment->pool = pool;
	segment->older = pool->newest;
	ret = objpool_init(&segment->objects, instances,
			   sizeof(struct kretprobe_instance) + pool->data_size,
			   gfp, segment, init_instance, NULL);
	if (ret) {
		kfree(segment);
		return ret;
	}
	refcount_set(&segment->ref, instances + 1);
	kref_get(&pool->ref);
	pool->size += instances;
	/* Pairs with kretprobe_pool_pop_slowly(), which may run on another CPU. */
	smp_store_release(&pool->newest, segment);
	return 0;
}

static unsigned int default_instances(void)
{
	return max_t(unsigned int, 10, 2 * num_possible_cpus());
}

/* Registering sets @maxactive. Users register a return probe again without clearing it. */
static bool wants_default(const struct kretprobe *rp)
{
	return rp->maxactive <= 0 || rp->maxactive == rp->default_maxactive;
}

/* objpool computes the size of a CPU's ring, which may have all instances, in an int. */
static bool fits_in_ring(const struct kretprobe_pool *pool, unsigned int instances)
{
	size_t size = sizeof(struct kretprobe_instance) + pool->data_size;

	/* The ring's array of pointers is rounded up to a power of two: less than doubled. */
	return (u64)instances * (size + 2 * sizeof(void *)) < INT_MAX - PAGE_SIZE;
}

/* Makes the pool of a return probe. NULL if out of memory, or if @maxactive is too large. */
struct kretprobe_pool *kretprobe_pool_make(struct kretprobe *rp)
{
	struct kretprobe_pool *pool = kzalloc(sizeof(*pool), GFP_KERNEL);
	unsigned int instances;

	if (!pool)
		return NULL;
	pool->spare = alloc_percpu(struct kretprobe_instance *);
	pool->rp = rp;
	pool->handler = rp->handler;
	pool->owner = rp;
	pool->grows = wants_default(rp);
	pool->data_size = rp->data_size;
	kref_init(&pool->ref);
	instances = pool->grows ? default_instances() : rp->maxactive;
	if (!pool->spare || !fits_in_ring(pool, instances) ||
	    add_segment(pool, instances, GFP_KERNEL | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)) {
		free_percpu(pool->spare);
		kfree(pool);
		return NULL;
	}
	return pool;
}
NOKPROBE_SYMBOL(kretprobe_pool_make);

/*
 * The return probe is being unregistered. After the next kprobe_synchronize() nobody reads the
 * return probe or returns instances to the rings.
 */
void kretprobe_pool_detach(struct kretprobe_pool *pool)
{
	lockdep_assert_held(&kprobe_mutex);
	/* The unlinking that synchronize.c orders: returns read both fields after A. */
	WRITE_ONCE(pool->rp, NULL);
	WRITE_ONCE(pool->handler, NULL);
}
NOKPROBE_SYMBOL(kretprobe_pool_detach);

/* Takes the spare instance of any CPU. NULL if no CPU has one. */
static struct kretprobe_instance *take_spare(struct kretprobe_pool *pool)
{
	struct kretprobe_instance *ri = NULL;
	int cpu;

	for_each_possible_cpu(cpu) {
		/* Pairs with the other CPU's xchg() in kretprobe_pool_swap_spare(). */
		ri = xchg(per_cpu_ptr(pool->spare, cpu), NULL);
		if (ri)
			break;
	}
	return ri;
}
NOKPROBE_SYMBOL(take_spare);

/* Drops the references of the pool and of the instances that are not in use. */
static void retire_segment(struct kretprobe_segment *segment)
{
	unsigned int nr = 1;

	while (objpool_pop(&segment->objects))
		nr++;
	put_segment(segment, nr);
}

/*
 * Frees a pool when its last instance is returned. The pool was never used; or it is detached, and
 * not the hazard pointer of any frame. Instances of calls in flight have references to their
 * segment, and each segment has one to the pool.
 */
void kretprobe_pool_destroy(struct kretprobe_pool *pool)
{
	struct kretprobe_segment *segment = pool->newest;
	struct kretprobe_instance *ri;

	WRITE_ONCE(pool->rp, NULL);
	while ((ri = take_spare(pool)))
		put_segment(ri->segment, 1);
	while (segment) {
		struct kretprobe_segment *older = segment->older;

		retire_segment(segment);
		segment = older;
	}
	put_pool(pool);
}
NOKPROBE_SYMBOL(kretprobe_pool_destroy);

unsigned int kretprobe_pool_size(const struct kretprobe_pool *pool)
{
	return pool->size;
}
NOKPROBE_SYMBOL(kretprobe_pool_size);

/* If allocation fails, the next hit that finds few instances tries again. */
static void grow_pool(struct kretprobe_pool *pool, gfp_t gfp)
{
	unsigned int step = min(pool->size, KRETPROBE_GROWTH_STEP);

	if (READ_ONCE(pool->rp) && pool->size < KRETPROBE_MAX_GROWTH)
		add_segment(pool, step, gfp | __GFP_NOWARN);
	/* The CPU that grows the pool next sees @size and @newest: pairs with ask_for_more(). */
	atomic_set_release(&pool->wants, 0);
	put_pool(pool);
}

/*
 * A pool that still has its return probe is not destroyed before this returns: the caller has
 * disabled interrupts, which holds up kprobe_synchronize(), or holds kprobe_mutex.
 */
static void grow_pools(gfp_t gfp)
{
	struct llist_node *n = llist_del_all(&growing_pools);
	struct kretprobe_pool *pool, *next;

	llist_for_each_entry_safe(pool, next, n, growing)
		grow_pool(pool, gfp);
}

static void grow_in_work(struct work_struct *work)
{
	guard(mutex)(&kprobe_mutex);
	grow_pools(GFP_KERNEL);
}

static DECLARE_WORK(grow_work, grow_in_work);

static void grow_in_interrupt(struct irq_work *work)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		queue_work(system_unbound_wq, &grow_work);
	else
		grow_pools(GFP_ATOMIC);
}

static DEFINE_PER_CPU(struct irq_work, grow_irq_work) = IRQ_WORK_INIT(grow_in_interrupt);

static __always_inline void ring_push(struct kretprobe_instance *ri)
{
	raw_cpu_write(kretprobe_pushing, true);
	barrier();	/* before the ring changes */
	objpool_push(ri, &ri->segment->objects);
	barrier();	/* after it has changed */
	raw_cpu_write(kretprobe_pushing, false);
}

static void take_back(struct kretprobe_instance *ri)
{
	if (!ri->pool->rp) {
		put_segment(ri->segment, 1);
		return;
	}
	guard(preempt)();
	ring_push(ri);
}

static void take_all_back(struct work_struct *work)
{
	struct llist_node *n = llist_del_all(&returned_instances);
	struct kretprobe_instance *ri, *next;

	mutex_lock(&kprobe_mutex);
	llist_for_each_entry_safe(ri, next, n, llist)
		take_back(ri);
	mutex_unlock(&kprobe_mutex);
}

static DECLARE_WORK(return_work, take_all_back);

static void queue_return_work(struct irq_work *work)
{
	queue_work(system_unbound_wq, &return_work);
}

/* A hit may be in an NMI, which cannot queue a work item. */
static DEFINE_IRQ_WORK(return_irq_work, queue_return_work);

/* How many instances are free in the ring of one CPU? */
static unsigned int ring_fill(const struct objpool_head *objects, int cpu)
{
	const struct objpool_slot *ring = objects->cpu_slots[cpu];

	return READ_ONCE(ring->last) - READ_ONCE(ring->head);
}
NOKPROBE_SYMBOL(ring_fill);

static bool few_are_left(const struct objpool_head *objects)
{
	unsigned int left = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		left += ring_fill(objects, cpu);
	return left <= objects->nr_objs / 4;
}
NOKPROBE_SYMBOL(few_are_left);

static void ask_for_more(struct kretprobe_pool *pool)
{
	/* A full barrier. Pairs with grow_pool(). */
	if (!atomic_xchg(&pool->wants, 1)) {
		kref_get(&pool->ref);
		llist_add(&pool->growing, &growing_pools);
	}
	/* The first CPU that runs its irq_work grows all pools that wait. */
	irq_work_queue(raw_cpu_ptr(&grow_irq_work));
}
NOKPROBE_SYMBOL(ask_for_more);

/* __flatten: compilers must not put objpool's functions where they can be probed. */
static __flatten struct kretprobe_instance *
pop_anywhere(struct kretprobe_pool *pool, struct kretprobe_segment *segment)
{
	struct kretprobe_instance *ri;

	do {
		ri = objpool_pop(&segment->objects);
		segment = segment->older;
	} while (!ri && segment);
	return ri ?: take_spare(pool);
}
NOKPROBE_SYMBOL(pop_anywhere);

/* Gets an instance if this CPU has no spare one. NULL if all instances are in use. */
struct kretprobe_instance *
kretprobe_pool_pop_slowly(struct kretprobe_pool *pool)
{
	/* Pairs with add_segment(). */
	struct kretprobe_segment *segment = smp_load_acquire(&pool->newest);
	struct objpool_head *objects = &segment->objects;
	int cpu = raw_smp_processor_id();
	struct kretprobe_instance *ri;

	/* Unlike adding to a ring, taking from it is safe against interrupts. */
	ri = __objpool_try_get_slot(objects, cpu);
	/* Counts the instances of other CPUs only if this one's ring is empty. */
	if (!ring_fill(objects, cpu) && pool->grows && few_are_left(objects))
		ask_for_more(pool);
	return ri ?: pop_anywhere(pool, segment);
}
NOKPROBE_SYMBOL(kretprobe_pool_pop_slowly);

/* Returns an instance that does not become the spare one: to the ring, or later. */
void __flatten kretprobe_pool_push_slowly(struct kretprobe_instance *ri)
{
	if (likely(READ_ONCE(ri->pool->rp) && !raw_cpu_read(kretprobe_pushing)))
		ring_push(ri);
	else
		kretprobe_pool_return_later(ri);
}
NOKPROBE_SYMBOL(kretprobe_pool_push_slowly);

/* Has a work item return an instance. Any context will do. */
void kretprobe_pool_return_later(struct kretprobe_instance *ri)
{
	if (llist_add(&ri->llist, &returned_instances))
		irq_work_queue(&return_irq_work);
}
NOKPROBE_SYMBOL(kretprobe_pool_return_later);

/**
 * kprobe_flush_task() - take back the instances of a task that has ended
 * @tsk: the task, which never runs again
 *
 * Context: RCU callback.
 */
void kprobe_flush_task(struct task_struct *tsk)
{
	struct llist_node *n = tsk->kretprobe_instances.first;

	WRITE_ONCE(tsk->kretprobe_instances.first, NULL);
	while (n) {
		struct kretprobe_instance *ri = llist_entry(n, struct kretprobe_instance, llist);

		n = n->next;
		kretprobe_pool_return_later(ri);
	}
}
NOKPROBE_SYMBOL(kprobe_flush_task);
