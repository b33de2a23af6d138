// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of points, hashed by their sites: finds the point of an address without a lock, and in
 * constant time. A hit can happen anywhere, also in the memory allocator or in an NMI, so the
 * lookup is inline and calls no function. That rules out rhashtable.
 *
 * A breakpoint's hit must find its point. The point is in the table before the breakpoint is in the
 * text, and smp_wmb() is in between: write_sites(). Most CPUs do not execute the loads of a
 * breakpoint's trap before they fetch the breakpoint. For the others, kprobe_retry_trap()
 * looks again after smp_rmb(). In the other direction, a point leaves the table after
 * arch_kprobe_patch() has waited until each CPU has left such a trap.
 */
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "table.h"

/* @first: kprobe_mutex. The breakpoints of others are looked up before kprobes is initialized. */
struct kprobe_table kprobe_table __read_mostly;

/* A chain for each 16 KB of memory, within limits: its size never changes. */
void __init kprobe_table_init(void)
{
	u64 chains = (u64)totalram_pages() * PAGE_SIZE / SZ_16K;

	chains = clamp_t(u64, chains, SZ_1K, SZ_128K);
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

/* Readers use the point, and go on from its link, until an RCU grace period has passed. */
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
__kprobes struct kprobe_point *kprobe_point_lookup(unsigned long addr)
{
	return kprobe_table_find_user(addr, addr) ?:
	       kprobe_table_find_user(addr, kprobe_after_nop(addr));
}
