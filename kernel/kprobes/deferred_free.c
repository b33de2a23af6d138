// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Deferred free: frees points with their slots, and detours, after a Tasks RCU grace period. A
 * task can be preempted in a slot or a detour and return there much later. No caller waits for the
 * grace period.
 *
 * Freeing needs kprobe_mutex, which an RCU callback cannot take, so the callback calls
 * kprobe_free_soon(), which passes the object on to a work item.
 */
#include <linux/kprobe_point.h>
#include <linux/kprobes.h>
#include <linux/llist.h>
#include <linux/workqueue.h>

#include "deferred_free.h"
#include "point.h"

/* Objects whose grace period has ended, for free_work. */
static LLIST_HEAD(ready_to_free);

/* Frees a chunk under one hold of kprobe_mutex. Returns the rest of the list. */
static struct llist_node *free_chunk(struct llist_node *all)
{
	union kprobe_deferred_free *deferred;
	unsigned int done = 0;

	guard(mutex)(&kprobe_mutex);
	for (; all && done < KPROBE_CHUNK; done++) {
		deferred = llist_entry(all, union kprobe_deferred_free, quiescent);
		all = all->next;
		deferred->free(deferred);
	}
	return all;
}

static void free_ready(struct work_struct *work)
{
	/*
	 * In the order of their callbacks, in which most detours come before their point: a
	 * point whose detours are not freed yet waits for another grace period.
	 */
	struct llist_node *all = llist_reverse_order(llist_del_all(&ready_to_free));

	while (all) {
		all = free_chunk(all);
		cond_resched();
	}
}

static DECLARE_WORK(free_work, free_ready);

/*
 * Called by callbacks of call_rcu_tasks(): has a work item call @free, in process context and
 * with kprobe_mutex held, for the object that contains @rcu.
 */
void kprobe_free_soon(struct rcu_head *rcu, void (*free)(union kprobe_deferred_free *deferred))
{
	union kprobe_deferred_free *deferred;

	deferred = container_of(rcu, union kprobe_deferred_free, rcu);
	deferred->free = free;
	if (llist_add(&deferred->quiescent, &ready_to_free))
		queue_work(system_unbound_wq, &free_work);
}
