// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Probes that wait for their module: those with KPROBE_FLAG_PENDING.
 *
 * While it waits, a probe is on a point that is gone: on one that never had text if its module was
 * not there yet, else on the one that it had when the module went away. It is registered, so it
 * can be unregistered, enabled and disabled, and is listed, as on any other point. When its module
 * comes the probe is resolved, checked, and put on a new point. If it is refused, that is recorded,
 * and it waits for the next time. If ftrace refuses, that is recorded too, and the probe is on its
 * point, which is not armed until it is enabled once more.
 *
 * A probe may be taken off its old point only when no hit can read the list of that one any more.
 * Hits of a gone point end before the module's notifier of GOING, or of LIVE for init text, has
 * returned: see kprobe_forget_places(). A module of that name cannot come before.
 */
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "frame.h"
#include "kretprobe_pool.h"
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

/* Arms the points of a chunk. If ftrace refuses its points, that is recorded for each probe. */
static void commit(struct kprobe_chunk *chunk, const struct module *mod)
{
	enum kprobe_reason reason = kprobe_batch_commit(&chunk->batch);
	struct kprobe_point *point;
	unsigned long addr = 0;
	struct kprobe *p;

	while (reason && (point = kprobe_point_next(&addr, ULONG_MAX))) {
		if (point->mechanism != KPROBE_FTRACE || kprobe_point_in_text(point) ||
		    !within_module(point->addr, mod))
			continue;
		list_for_each_entry(p, &point->probes, list)
			if (!kprobe_disabled(p))
				refuse(p, reason);
	}
}

/* The oldest probe first: handlers of the newest one run first. The point may go with the last. */
static void attach_waiting(struct kprobe_point *point, const struct module *mod,
			   struct kprobe_chunk *chunk, unsigned int *nr)
{
	struct list_head *at = point->probes.prev;
	enum kprobe_reason reason;
	struct kprobe *p;

	while (at != &point->probes) {
		p = list_entry(at, struct kprobe, list);
		at = at->prev;
		if (!waits_for(p, mod))
			continue;
		reason = kprobe_attach(p, chunk);
		if (reason)
			refuse(p, reason);
		else if (++*nr % KPROBE_CHUNK == 0)
			commit(chunk, mod);
		cond_resched();
	}
}

/* The module's COMING notifiers run; or it is live, and could not be probed before. */
void kprobe_arm_waiting(const struct module *mod)
{
	struct kprobe_point *point, *next;
	struct kprobe_chunk chunk;
	unsigned int nr = 0;

	lockdep_assert_held(&kprobe_mutex);
	kprobe_chunk_init(&chunk);
	for (point = kprobe_point_next_gone(1, 0); point; point = next) {
		next = kprobe_point_next_gone(point->addr, point->order + 1);
		attach_waiting(point, mod, &chunk, &nr);
	}
	/* Those that were registered while the module was not there are newer. */
	for (point = kprobe_point_next_gone(0, 0); point && !point->addr; point = next) {
		next = kprobe_point_next_gone(0, point->order + 1);
		attach_waiting(point, mod, &chunk, &nr);
	}
	commit(&chunk, mod);
}

/**
 * struct places - hazard pointers of hits that may still read where probes were
 * @hazard: points and pools of return probes; NULL if memory ran out
 * @nr:     how many there are
 * @max:    room in @hazard
 */
struct places {
	const void **hazard;
	unsigned int nr;
	unsigned int max;
};

static void note(struct places *places, const void *hazard)
{
	if (places->nr < places->max)
		places->hazard[places->nr] = hazard;
	places->nr++;
}

static bool is_noted(const void *hazard, const void *arg)
{
	const struct places *places = arg;
	unsigned int i;

	for (i = 0; i < places->nr; i++)
		if (!places->hazard || places->hazard[i] == hazard)
			return hazard != &kprobe_offline_hazard;
	return false;
}

/* Notes the places of the waiting probes of a module, or has them forget these. */
static void visit(const struct module *mod, struct places *places, bool forget)
{
	struct kprobe_point *point;
	struct kprobe *p;

	lockdep_assert_held(&kprobe_mutex);
	for (point = kprobe_point_next_gone(1, 0); point;
	     point = kprobe_point_next_gone(point->addr, point->order + 1)) {
		list_for_each_entry(p, &point->probes, list) {
			if (!p->addr || !waits_for(p, mod))
				continue;
			if (forget) {
				WRITE_ONCE(p->addr, NULL);
				continue;
			}
			note(places, point);
			if (p->returns)
				note(places, kretprobe_hazard(p));
		}
	}
}

/*
 * Has the probes whose text has gone forget where it was, so that they are resolved again when
 * their module comes. Waits for hits of their points: handlers may still read @addr, and the list.
 * If memory runs out it waits for all hits.
 */
void kprobe_forget_places(const struct module *mod)
{
	struct places places = {};

	scoped_guard(mutex, &kprobe_mutex) {
		visit(mod, &places, false);
		if (!places.nr)
			return;
		places.hazard = kvmalloc_array(places.nr, sizeof(*places.hazard), GFP_KERNEL);
		if (places.hazard) {
			places.max = places.nr;
			places.nr = 0;
			visit(mod, &places, false);
		}
	}
	kprobe_synchronize(is_noted, &places);
	scoped_guard(mutex, &kprobe_mutex)
		visit(mod, &places, true);
	kvfree(places.hazard);
}
