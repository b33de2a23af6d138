/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_KPROBES_TABLE_H
#define _KERNEL_KPROBES_TABLE_H

/* table.c: finds the point of an address, for hits */
#include <linux/context_tracking.h>
#include <linux/hash.h>
#include <linux/kprobe_point.h>
#include <linux/rcupdate.h>

/**
 * struct kprobe_table - the points, hashed by their sites
 * @first: the first point of each chain; NULL until the first registration
 * @shift: by how many bits a hash is shifted right to get a chain's index
 */
struct kprobe_table {
	struct kprobe_point **first;
	unsigned int shift;
};

extern struct kprobe_table kprobe_table;

/* As hash_long(), but the shift is not computed anew. */
static __always_inline unsigned long kprobe_chain(unsigned long site)
{
	return site * GOLDEN_RATIO_PRIME >> kprobe_table.shift;
}

static __always_inline struct kprobe_point *kprobe_first_in_chain(unsigned long site)
{
	struct kprobe_point **first = rcu_dereference_raw(kprobe_table.first);

	return likely(first) ? rcu_dereference_raw(first[kprobe_chain(site)]) : NULL;
}

#define kprobe_table_for_each(point, at)			\
	for (point = kprobe_first_in_chain(at); point;		\
	     point = rcu_dereference_raw(point->next))

/* The point that a breakpoint at @site belongs to. */
static __always_inline struct kprobe_point *kprobe_table_find(unsigned long site)
{
	struct kprobe_point *point;

	kprobe_table_for_each(point, site)
		if (likely(READ_ONCE(point->key) == site))
			return point;
	return NULL;
}

/* The point for the probed address @addr, whose displaced instruction is at @site. */
static __always_inline struct kprobe_point *
kprobe_table_find_user(unsigned long addr, unsigned long site)
{
	struct kprobe_point *point;

	kprobe_table_for_each(point, site)
		if (likely(point->addr == addr))
			return point;
	return NULL;
}

void kprobe_table_init(void);
int kprobe_table_alloc(void);
void kprobe_table_insert(struct kprobe_point *point);
void kprobe_table_remove(struct kprobe_point *point);

/* May the caller read under RCU? */
static __always_inline bool kprobe_rcu_is_watching(void)
{
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	return rcu_is_watching_curr_cpu();
#else
	return true;	/* on the only CPU, a grace period cannot end before the caller is done */
#endif
}

#endif /* _KERNEL_KPROBES_TABLE_H */
