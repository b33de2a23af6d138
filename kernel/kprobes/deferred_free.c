// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Freeing after a Tasks RCU grace period: a task can be preempted in a slot or a
 * detour and return there much later. No caller waits for the grace period. Freeing
 * needs kprobe_mutex, which an RCU callback cannot take, so the callback passes the
 * object on to a work item.
 */
#include <linux/kprobe_point.h>
#include <linux/kprobes.h>
#include <linux/llist.h>
#include <linux/workqueue.h>

#include "deferred_free.h"
#include "point.h"
#include "table.h"

/* Objects whose grace period has ended, for free_work. */
static LLIST_HEAD(ready_to_free);

/* Frees a chunk under one hold of kprobe_mutex. Returns the rest of the list. */
static struct llist_node *free_chunk(struct llist_node *all)
{
	struct kprobe_deferred_free *deferred;
	unsigned int done = 0;

	guard(mutex)(&kprobe_mutex);
	for (; all && done < KPROBE_CHUNK; done++) {
		deferred = llist_entry(all, struct kprobe_deferred_free, quiescent);
		all = all->next;
		deferred->free(deferred);
	}
	return all;
}

static void free_ready(struct work_struct *work)
{
	/* In the order of the calls of kprobe_free_rcu_tasks(): a detour before its point. */
	struct llist_node *all = llist_reverse_order(llist_del_all(&ready_to_free));

	while (all) {
		all = free_chunk(all);
		cond_resched();
	}
}

static DECLARE_WORK(free_work, free_ready);

static void grace_period_ended(struct rcu_head *rcu)
{
	struct kprobe_deferred_free *deferred;

	deferred = container_of(rcu, struct kprobe_deferred_free, rcu);
	if (llist_add(&deferred->quiescent, &ready_to_free))
		queue_work(system_unbound_wq, &free_work);
}

/**
 * kprobe_free_rcu_tasks() - free something when nobody executes it any more
 * @deferred: member of the object, which hits cannot reach any more
 * @free:     called in process context, with kprobe_mutex held
 *
 * Context: Any that may call call_rcu_tasks().
 */
void kprobe_free_rcu_tasks(struct kprobe_deferred_free *deferred,
			   void (*free)(struct kprobe_deferred_free *deferred))
{
	deferred->free = free;
	call_rcu_tasks(&deferred->rcu, grace_period_ended);
}
NOKPROBE_SYMBOL(kprobe_free_rcu_tasks);
