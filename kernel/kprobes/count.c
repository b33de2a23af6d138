// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Turns counting of hits on and off. A static key has the hits in hit.c counted. What an
 * architecture's own detours handle by themselves does not come there: while counting is on, their
 * code counts as well. So all detours change with the key, as they do with the handlers of their
 * point. One that was made before leaves its hits to hit.c from now on, until the optimizer has
 * made another one.
 *
 * The count is a member of the point: it needs no memory when counting is turned on, and a hit
 * writes to the point's own cache lines alone.
 */
#include <linux/atomic.h>
#include <linux/cleanup.h>
#include <linux/jump_label.h>
#include <linux/kprobe_arch.h>
#include <linux/mutex.h>
#include <linux/sched.h>

#include "hit.h"
#include "mechanism.h"
#include "point.h"

/* Serializes switching. Taken before kprobe_mutex and what static keys need. */
static DEFINE_MUTEX(switch_mutex);

/* Has counting been on since boot? */
static bool has_counted;

/* Applies the switch to a chunk of points from @addr on. Returns whether there are more. */
static bool switch_chunk(bool on, unsigned long *addr)
{
	unsigned int left = kprobe_chunk_size();
	struct kprobe_point *point;

	guard(kprobe_lock)();
	for (; left; left--) {
		point = kprobe_point_next(addr, ULONG_MAX);
		if (!point)
			return false;
		if (on)
			atomic_long_set(&point->hits, 0);
		kprobe_point_changed(point);
		kprobe_optimizer_queue(point);
	}
	return true;
}

/*
 * Turns counting on, with all counts 0, or off. Changes nothing if it is already. When it returns,
 * each later hit is counted, or none.
 */
void kprobe_set_counting(bool on)
{
	unsigned long addr = 0;

	guard(mutex)(&switch_mutex);
	if (on == kprobe_is_counting())
		return;
	/* Not under kprobe_mutex. Detours that are made from now on count, or do not. */
	if (on)
		static_branch_enable(&kprobe_counting);
	else
		static_branch_disable(&kprobe_counting);
	while (switch_chunk(on, &addr))
		cond_resched();
	if (on)
		WRITE_ONCE(has_counted, true);
}

bool kprobe_is_counting(void)
{
	return static_key_enabled(&kprobe_counting);
}

/* Has the point a count? One that is gone has none: the last switch may not have come to it. */
bool kprobe_has_count(const struct kprobe_point *point)
{
	lockdep_assert_held(&kprobe_mutex);
	return READ_ONCE(has_counted) && point->state != KPROBE_POINT_GONE;
}
