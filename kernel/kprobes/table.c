// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of points: finds the point of an address without a lock, and in
 * constant time however many points there are. Points are hashed by their site. A
 * breakpoint's hit takes the point whose key is the site as well.
 *
 * A hit can happen anywhere, also in the memory allocator or in an NMI, so the lookup
 * is inline and calls no function. That rules out rhashtable, whose lookup calls a
 * function to walk nested tables.
 *
 * A breakpoint's hit must find its point. The point is in the table before the breakpoint
 * is in the text, and smp_wmb() is in between: write_sites(). A CPU that fetches the breakpoint
 * traps, and most CPUs do not execute the trap's loads before the fetch. For the others,
 * retry_stale_breakpoint() looks again after smp_rmb(). In the other direction, a point leaves
 * the table after arch_kprobe_patch() has waited until each CPU has left such a trap.
 *
 * A point has two links, and a generation of buckets uses one of them. To grow the
 * table, all points are added to a bigger generation by their other link, and then one
 * pointer publishes it. A reader stays in the generation that it began with. The old
 * generation is freed after an RCU grace period, and only then can the table grow
 * again. The bridge's multicast table introduced this scheme in 2010.
 */
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "table.h"

#define KPROBE_TABLE_MIN_BITS	6

/* Static: the breakpoints of others are looked up before memory can be allocated. */
static struct kprobe_point *first_chains[1 << KPROBE_TABLE_MIN_BITS];
static struct kprobe_buckets first_buckets = {
	.bits = KPROBE_TABLE_MIN_BITS,
	.shift = BITS_PER_LONG - KPROBE_TABLE_MIN_BITS,
	.chain = first_chains,
};

struct kprobe_buckets __rcu *kprobe_buckets = RCU_INITIALIZER(&first_buckets);

/* The generation that readers may still be in, NULL if none; kprobe_mutex. */
static struct kprobe_buckets *old_buckets;

/* Number of points in the table; kprobe_mutex. */
static unsigned int nr_points;

static struct kprobe_buckets *current_buckets(void)
{
	return rcu_dereference_protected(kprobe_buckets,
					 lockdep_is_held(&kprobe_mutex));
}

static void free_buckets(struct kprobe_buckets *b)
{
	kvfree(b->chain);
	kfree(b);
}

static void free_old_buckets(struct work_struct *work)
{
	struct kprobe_buckets *b;

	b = container_of(to_rcu_work(work), struct kprobe_buckets, free);
	mutex_lock(&kprobe_mutex);
	old_buckets = NULL;
	mutex_unlock(&kprobe_mutex);
	if (b != &first_buckets)
		free_buckets(b);
}

/* The chains have an allocation of their own: they take a power of two of bytes. */
static struct kprobe_buckets *alloc_buckets(unsigned int bits,
					    unsigned int generation)
{
	struct kprobe_buckets *b = kzalloc(sizeof(*b), GFP_KERNEL);

	if (!b)
		return NULL;
	b->bits = bits;
	b->shift = BITS_PER_LONG - bits;
	b->generation = generation;
	b->chain = kvcalloc(1UL << bits, sizeof(*b->chain), GFP_KERNEL);
	if (b->chain)
		return b;
	kfree(b);
	return NULL;
}

static void add_to_chain(const struct kprobe_buckets *b, struct kprobe_point *point)
{
	struct kprobe_point **first = kprobe_chain(b, point->site);

	point->next[b->generation] = *first;
	/* Pairs with the dependency in kprobe_table_for_each(): the point is complete. */
	smp_store_release(first, point);
}

/*
 * Does nothing if the point is not in the generation. Readers that are at the point go on from its
 * link, which stays.
 */
static void remove_from_chain(const struct kprobe_buckets *b, struct kprobe_point *point)
{
	struct kprobe_point **link = kprobe_chain(b, point->site);

	while (*link && *link != point)
		link = &(*link)->next[b->generation];
	if (*link)
		WRITE_ONCE(*link, point->next[b->generation]);
}

/* If there is no memory, the chains get longer, and the next insert tries again. */
static void grow(struct kprobe_buckets *from, unsigned int bits)
{
	struct kprobe_buckets *to = alloc_buckets(bits, !from->generation);
	struct kprobe_point *point;
	unsigned long i;

	if (!to)
		return;
	for (i = 0; i < 1UL << from->bits; i++)
		for (point = from->chain[i]; point; point = point->next[from->generation])
			add_to_chain(to, point);
	/* Pairs with the dependency in kprobe_table_find(): the chains of @to are complete. */
	rcu_assign_pointer(kprobe_buckets, to);
	old_buckets = from;
	INIT_RCU_WORK(&from->free, free_old_buckets);
	queue_rcu_work(system_unbound_wq, &from->free);
}

/* Makes room for @more points ahead of as many inserts. */
void kprobe_table_reserve(unsigned int more)
{
	struct kprobe_buckets *b = current_buckets();
	unsigned int bits = b->bits;

	while (nr_points + more > 1UL << bits)
		bits++;
	if (bits > b->bits && !old_buckets)
		grow(b, bits);
}
NOKPROBE_SYMBOL(kprobe_table_reserve);

/* Lets hits find a point, which must be complete. */
void kprobe_table_insert(struct kprobe_point *point)
{
	kprobe_table_reserve(1);
	add_to_chain(current_buckets(), point);
	nr_points++;
}
NOKPROBE_SYMBOL(kprobe_table_insert);

/* Readers may use the point until an RCU grace period has passed. */
void kprobe_table_remove(struct kprobe_point *point)
{
	remove_from_chain(current_buckets(), point);
	/* Readers may still walk the old generation, until it is freed. */
	if (old_buckets)
		remove_from_chain(old_buckets, point);
	nr_points--;
}
NOKPROBE_SYMBOL(kprobe_table_remove);

/**
 * kprobe_point_lookup() - find the point for a probed address
 * @addr: the address
 *
 * Context: Any; the caller is an RCU reader or holds kprobe_mutex.
 * Return: The point, or NULL.
 */
struct kprobe_point *kprobe_point_lookup(unsigned long addr)
{
	return kprobe_table_find_user(addr, addr) ?:
	       kprobe_table_find_user(addr, kprobe_after_nop(addr));
}
NOKPROBE_SYMBOL(kprobe_point_lookup);
