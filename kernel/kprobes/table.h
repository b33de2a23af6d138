/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_TABLE_H
#define _KERNEL_KPROBES_TABLE_H

/* table.c: finds the point of an address, for hits */
#include <linux/context_tracking.h>
#include <linux/hash.h>
#include <linux/kprobe_point.h>
#include <linux/llist.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

/**
 * struct kprobe_buckets - one generation of the table of points
 * @bits:       log2 of the number of chains
 * @shift:      by how many bits a hash is shifted right to get a chain's index
 * @generation: which link of a point this generation uses
 * @chain:      the first point of each chain
 * @free:       for freeing once no reader is left
 */
struct kprobe_buckets {
	unsigned int bits;
	unsigned int shift;
	unsigned int generation;
	struct kprobe_point **chain;
	struct rcu_work free;
};

extern struct kprobe_buckets __rcu *kprobe_buckets;

/* As hash_long(), but the shift is not computed anew. */
static __always_inline struct kprobe_point **
kprobe_chain(const struct kprobe_buckets *b, unsigned long site)
{
	return &b->chain[site * GOLDEN_RATIO_PRIME >> b->shift];
}

#define kprobe_table_for_each(point, b, at)				\
	for (point = rcu_dereference_raw(*kprobe_chain(b, at)); point;	\
	     point = rcu_dereference_raw(point->next[(b)->generation]))

/* The point that a breakpoint at @site belongs to. */
static __always_inline struct kprobe_point *kprobe_table_find(unsigned long site)
{
	struct kprobe_buckets *b = rcu_dereference_raw(kprobe_buckets);
	struct kprobe_point *point;

	kprobe_table_for_each(point, b, site)
		if (likely(READ_ONCE(point->key) == site))
			return point;
	return NULL;
}

/* The point for the probed address @addr, whose displaced instruction is at @site. */
static __always_inline struct kprobe_point *
kprobe_table_find_user(unsigned long addr, unsigned long site)
{
	struct kprobe_buckets *b = rcu_dereference_raw(kprobe_buckets);
	struct kprobe_point *point;

	kprobe_table_for_each(point, b, site)
		if (likely(point->addr == addr))
			return point;
	return NULL;
}

void kprobe_table_reserve(unsigned int more);
void kprobe_table_insert(struct kprobe_point *point);
void kprobe_table_remove(struct kprobe_point *point);

/* May the caller read under RCU? */
static __always_inline bool kprobe_rcu_is_watching(void)
{
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	return rcu_is_watching_curr_cpu();
#else
	/* There is only one CPU: a grace period cannot end before the caller is done. */
	return true;
#endif
}

#endif /* _KERNEL_KPROBES_TABLE_H */
