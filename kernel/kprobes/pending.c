// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Probes that wait for their module: those with KPROBE_FLAG_PENDING.
 *
 * While it waits, a probe is on a point that is gone: on one that never had text if its module was
 * not there yet, else on the one that it had when the module went away. It is registered, so it
 * can be unregistered, enabled and disabled, and is listed, as on any other point. When its module
 * comes the probe is resolved, checked, and put on a new point. If it is refused, that is recorded,
 * and it waits for the next time.
 *
 * A probe may be taken off its old point only when no hit can read the list of that one any more.
 * Hits of a gone point end before the module's notifier of GOING, or of LIVE for init text, has
 * returned: see kprobe_forget_places(). A module of that name cannot come before.
 */
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/string.h>

#include "frame.h"
#include "mechanism.h"
#include "pending.h"
#include "point.h"
#include "register.h"

static bool waits_for(const struct kprobe *p, const struct module *mod)
{
	size_t len = strlen(mod->name);

	return kprobe_is_waiting(p) && !strncmp(p->symbol_name, mod->name, len) &&
	       p->symbol_name[len] == ':';
}

static void refuse(struct kprobe *p, enum kprobe_reason reason)
{
	kprobe_refuse(p->returns ? KPROBE_SET_RETURN : KPROBE_SET,
		      (unsigned long)kprobe_arm_waiting, p, reason);
}

/* Arms the points of a chunk. Ftrace refuses all of its points or none, for a reason of its own. */
static void commit(struct kprobe_chunk *chunk, struct kprobe *last)
{
	enum kprobe_reason reason = kprobe_batch_commit(&chunk->batch);

	if (reason)
		refuse(last, reason);
}

/* The module's COMING notifiers run; or it is live, and could not be probed before. */
void kprobe_arm_waiting(const struct module *mod)
{
	struct kprobe_point *point, *next;
	struct kprobe *p, *after, *last = NULL;
	struct kprobe_chunk chunk;
	enum kprobe_reason reason;
	unsigned int nr = 0;

	lockdep_assert_held(&kprobe_mutex);
	kprobe_chunk_init(&chunk);
	for (point = kprobe_point_next_gone(0, 0); point; point = next) {
		/* The point may leave the tree with its last probe. */
		next = kprobe_point_next_gone(point->addr, (unsigned long)point + 1);
		list_for_each_entry_safe(p, after, &point->probes, list) {
			if (!waits_for(p, mod))
				continue;
			reason = kprobe_attach(p, &chunk);
			if (reason) {
				refuse(p, reason);
				continue;
			}
			last = p;
			if (++nr % KPROBE_CHUNK == 0)
				commit(&chunk, p);
		}
	}
	commit(&chunk, last);
}

static bool is_any(const void *hazard, const void *unused)
{
	return true;
}

/* Clears the addresses of the waiting probes of a module, and returns whether there were any. */
static bool clear_addresses(const struct module *mod, bool only_look)
{
	struct kprobe_point *point;
	struct kprobe *p;

	lockdep_assert_held(&kprobe_mutex);
	for (point = kprobe_point_next_gone(1, 0); point;
	     point = kprobe_point_next_gone(point->addr, (unsigned long)point + 1)) {
		list_for_each_entry(p, &point->probes, list) {
			if (!p->addr || !waits_for(p, mod))
				continue;
			if (only_look)
				return true;
			WRITE_ONCE(p->addr, NULL);
		}
	}
	return false;
}

/*
 * Has the probes whose text has gone forget where it was, so that they are resolved again when
 * their module comes. Waits for hits of their points: handlers may still read @addr, and the list.
 */
void kprobe_forget_places(const struct module *mod)
{
	bool any;

	scoped_guard(mutex, &kprobe_mutex)
		any = clear_addresses(mod, true);
	if (!any)
		return;
	kprobe_synchronize(is_any, NULL);
	scoped_guard(mutex, &kprobe_mutex)
		clear_addresses(mod, false);
}
