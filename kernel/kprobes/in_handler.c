// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Serves the calls that a probe's handler makes to the API of kprobes.
 *
 * A probe that disables itself when it is hit is a common idiom. The handler must neither
 * sleep nor wait: the task that was hit may hold kprobe_mutex, and kprobe_synchronize()
 * would wait for the hit that it is called from. Only the probe's flag and the point's
 * generation change at once, so that no detour calls the probe's handlers any more. A work item
 * makes the text match.
 *
 * The work item goes through all points, so that no request refers to an object that may be
 * freed before it is served.
 */
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/workqueue.h>

#include "batch.h"
#include "frame.h"
#include "in_handler.h"
#include "point.h"

/* True also between kprobe_busy_begin() and kprobe_busy_end(). The caller must not sleep then. */
bool kprobe_in_handler(void)
{
	/* No handler runs here. If a frame is in use, it belongs to a handler that has slept. */
	if (preemptible())
		return false;
	guard(preempt_notrace)();
	return kprobe_running_frame();
}

/* One pass serves all requests that came since the work item was queued. */
static void commit_all(struct work_struct *work)
{
	kprobe_commit_all();
}

static DECLARE_DELAYED_WORK(commit_work, commit_all);

static void queue_commit(struct irq_work *work)
{
	queue_delayed_work(system_unbound_wq, &commit_work, KPROBE_DISARM_DELAY);
}

/* A handler may be in an NMI, which cannot queue a work item. */
static DEFINE_IRQ_WORK(commit_irq_work, queue_commit);

/*
 * Disables or enables a probe from a handler, for hits that begin later. If the point is not armed,
 * enabling takes effect when the work item has armed it. Returns -EINVAL if the probe is not
 * registered, or is gone and cannot be enabled.
 */
int kprobe_set_disabled_in_handler(struct kprobe *kp, bool disabled)
{
	struct kprobe_point *point;
	unsigned long flags;
	bool found;

	/* Holds up kprobe_synchronize(): unregistering the probe does not return meanwhile. */
	raw_local_irq_save(flags);
	point = kprobe_point_lookup((unsigned long)READ_ONCE(kp->addr));
	found = point && kprobe_point_has(point, kp);
	if (found)
		kprobe_point_set_disabled(point, kp, disabled);
	raw_local_irq_restore(flags);
	if (!found)
		return disabled && kprobe_gone(kp) ? 0 : -EINVAL;
	irq_work_queue(&commit_irq_work);
	return 0;
}

/* Waits until the text matches what handlers have switched. kprobe_mutex must not be held. */
void kprobe_flush_requests(void)
{
	irq_work_sync(&commit_irq_work);
	flush_delayed_work(&commit_work);
}
