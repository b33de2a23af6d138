// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Misses: hits whose handlers did not run, counted by cause.
 *
 * This is part of the hit path: the rules at the top of hit.c hold here as well.
 */
#include <linux/array_size.h>
#include <linux/atomic.h>
#include <linux/kprobe_point.h>
#include <linux/kprobes.h>
#include <linux/rculist.h>

#include "miss.h"

void kprobe_count_miss(struct kprobe *p, enum kprobe_miss cause)
{
	/* @nmissed is a plain field of the API, but several CPUs may count at once. */
	atomic_long_inc((atomic_long_t *)&p->nmissed);
	if (cause == KPROBE_MISS_NESTED)
		return;
	smp_mb__after_atomic();	/* pairs with kprobe_misses() */
	atomic_long_inc(&p->misses[cause - 1]);
}
NOKPROBE_SYMBOL(kprobe_count_miss);

/* While hits are being missed, the number may be outdated. */
unsigned long kprobe_misses(const struct kprobe *p, enum kprobe_miss cause)
{
	unsigned long others = 0;
	unsigned int i;

	if (cause != KPROBE_MISS_NESTED)
		return atomic_long_read(&p->misses[cause - 1]);
	for (i = 0; i < ARRAY_SIZE(p->misses); i++)
		others += atomic_long_read(&p->misses[i]);
	smp_rmb();	/* @nmissed is not less than @others: pairs with kprobe_count_miss() */
	return READ_ONCE(p->nmissed) - others;
}
NOKPROBE_SYMBOL(kprobe_misses);

/*
 * The handler of @p has diverted a hit: the probes after @p miss it. @point is the hazard pointer
 * of the caller's frame.
 */
void kprobe_miss_rest(struct kprobe_point *point, struct kprobe *p)
{
	list_for_each_entry_continue_rcu(p, &point->probes, list)
		if (!kprobe_disabled(p))
			kprobe_count_miss(p, KPROBE_MISS_DIVERTED);
}
NOKPROBE_SYMBOL(kprobe_miss_rest);
