// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is of no use any more may still be executing: a task can be preempted in
 * a slot or a detour, and resume there much later. A Tasks RCU grace period ends
 * that, and nobody sleeps for it. What then is to be freed needs a mutex, which
 * RCU callbacks cannot take, so it passes from the callback to a work.
 */
#include <linux/llist.h>
#include <linux/workqueue.h>

#include "internal.h"

/* On their way from the callback to process context. */
static LLIST_HEAD(quiescent_graves);

/* One hold of kprobe_mutex; returns what is left. */
static struct llist_node *free_chunk(struct llist_node *all)
{
	struct kprobe_grave *grave;
	unsigned int done = 0;

	guard(mutex)(&kprobe_mutex);
	for (; all && done < KPROBE_CHUNK; done++) {
		grave = llist_entry(all, struct kprobe_grave, quiescent);
		all = all->next;
		grave->free(grave);
	}
	return all;
}

static void free_quiescent(struct work_struct *work)
{
	/* In the order of burial: detours before their points. */
	struct llist_node *all = llist_reverse_order(llist_del_all(&quiescent_graves));

	while (all) {
		all = free_chunk(all);
		cond_resched();
	}
}

static DECLARE_WORK(free_work, free_quiescent);

static void grave_is_quiescent(struct rcu_head *rcu)
{
	struct kprobe_grave *grave = container_of(rcu, struct kprobe_grave, rcu);

	if (llist_add(&grave->quiescent, &quiescent_graves))
		queue_work(system_unbound_wq, &free_work);
}

/**
 * kprobe_bury() - free something when nobody executes it any more
 * @grave: in what is to be freed; hits do not find the way there any more
 * @free:  called in process context, with kprobe_mutex held
 *
 * Context: Any that may call call_rcu_tasks().
 */
void kprobe_bury(struct kprobe_grave *grave,
		 void (*free)(struct kprobe_grave *grave))
{
	grave->free = free;
	call_rcu_tasks(&grave->rcu, grave_is_quiescent);
}
NOKPROBE_SYMBOL(kprobe_bury);
