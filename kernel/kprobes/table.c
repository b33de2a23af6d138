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
 * The table is allocated for the first point and never changes its size. It has a chain for
 * each 16 KB of memory, so it takes at most one 2,048th of the memory. With the most chains,
 * 100,000 points are less than one a chain.
 */
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "table.h"

#define KPROBE_TABLE_SCALE	SZ_16K
#define KPROBE_TABLE_MIN	SZ_1K
#define KPROBE_TABLE_MAX	SZ_128K

/* @first: kprobe_mutex. The breakpoints of others are looked up before kprobes is initialized. */
struct kprobe_table kprobe_table __read_mostly;

void __init kprobe_table_init(void)
{
	u64 chains = (u64)totalram_pages() * PAGE_SIZE / KPROBE_TABLE_SCALE;

	chains = clamp_t(u64, chains, KPROBE_TABLE_MIN, KPROBE_TABLE_MAX);
	kprobe_table.shift = BITS_PER_LONG - order_base_2((unsigned long)chains);
}

/* Allocates the table unless it is there. Returns -ENOMEM or 0. */
int kprobe_table_alloc(void)
{
	struct kprobe_point **first;

	if (kprobe_table.first)
		return 0;
	first = kvcalloc(1UL << (BITS_PER_LONG - kprobe_table.shift), sizeof(*first), GFP_KERNEL);
	if (!first)
		return -ENOMEM;
	/* Pairs with the dependency in kprobe_first_in_chain(): the chains are empty. */
	smp_store_release(&kprobe_table.first, first);
	return 0;
}

/* Lets hits find a point, which must be complete. The table has been allocated. */
void kprobe_table_insert(struct kprobe_point *point)
{
	struct kprobe_point **link = &kprobe_table.first[kprobe_chain(point->site)];

	point->next = *link;
	/* Pairs with the dependency in kprobe_table_for_each(): the point is complete. */
	smp_store_release(link, point);
}

/*
 * Readers may use the point until an RCU grace period has passed. Those that are at it go on from
 * its link, which stays.
 */
void kprobe_table_remove(struct kprobe_point *point)
{
	struct kprobe_point **link = &kprobe_table.first[kprobe_chain(point->site)];

	while (*link != point)
		link = &(*link)->next;
	WRITE_ONCE(*link, point->next);
}

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
