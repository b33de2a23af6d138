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

static void free_quiescent(struct work_struct *work)
{
	struct kprobe_grave *grave, *next;
	unsigned int done = 0;
	struct llist_node *all;

	/* In the order of burial: detours before their points. */
	all = llist_reverse_order(llist_del_all(&quiescent_graves));
	mutex_lock(&kprobe_mutex);
	llist_for_each_entry_safe(grave, next, all, quiescent) {
		grave->free(grave);
		kprobe_let_others_in_after(++done, KPROBE_SITES_PER_PASS);
	}
	mutex_unlock(&kprobe_mutex);
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
