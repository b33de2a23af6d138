// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers and unregisters arrays of probes, in chunks. The public API, which this is for, treats
 * a single probe as an array of one.
 *
 * Each chunk of at most KPROBE_CHUNK probes is one operation under one hold of
 * kprobe_mutex: its probes are checked, put on their points, and the points are
 * armed in one pass over the text. Other tasks can take the mutex between chunks, and a chunk
 * ends soon when they wait for it. When a probe is refused, those registered so far are
 * unregistered again.
 */
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include "address.h"
#include "batch.h"
#include "in_handler.h"
#include "kretprobe_pool.h"
#include "optimizer.h"
#include "point.h"
#include "point_make.h"
#include "point_release.h"
#include "reason.h"
#include "register.h"
#include "synchronize.h"

/* Set when kprobes has been initialized during boot. Stays false if that fails. */
bool kprobes_ready __ro_after_init;

/* Is the probe on @point, or on one of those after it, up to the address @last? */
static bool is_on_one_of(const struct kprobe_point *point, unsigned long last,
			 const struct kprobe *p)
{
	for (; point && point->addr <= last; point = kprobe_point_after(point))
		if (kprobe_point_has(point, p))
			return true;
	return false;
}

/* Only a caller that has overwritten @addr of a registered probe has all points searched. */
static bool is_on_a_point(const struct kprobe *p)
{
	unsigned long addr = (unsigned long)p->addr, from = 0;

	return is_on_one_of(kprobe_point_lookup(addr), addr, p) ||
	       is_on_one_of(kprobe_point_next_gone(addr, 0), addr, p) ||
	       is_on_one_of(kprobe_point_next(&from, ULONG_MAX), ULONG_MAX, p) ||
	       is_on_one_of(kprobe_point_next_gone(0, 0), ULONG_MAX, p);
}

/*
 * Is the probe registered or being unregistered? @p may be any pointer, also to memory that was
 * never written. A copy of a registered probe has another address than its @self. It may be put
 * back into its place after the probe was unregistered, but then it is on no point.
 */
__no_kmsan_checks bool kprobe_is_known(const struct kprobe *p)
{
	lockdep_assert_held(&kprobe_mutex);
	return p && p->self == p && (p->removing || is_on_a_point(p));
}

/* As kprobe_is_known(), but false while the probe is being unregistered. */
bool kprobe_is_registered(const struct kprobe *p)
{
	return kprobe_is_known(p) && !p->removing;
}

/* Finds or makes the point for a probe, ready for its handlers: does all that can fail. */
static enum kprobe_reason find_point(struct kprobe *p, struct kprobe_lookup *lookup,
				     struct kprobe_point **point)
{
	enum kprobe_reason reason;
	bool on_func_entry;
	unsigned long addr;

	reason = kprobe_resolve(p, lookup, &addr, &on_func_entry) ?:
		 kprobe_check_address(lookup, addr);
	if (reason)
		return reason;
	if (p->returns && !on_func_entry)
		return KPROBE_REASON_ENTRY;
	reason = kprobe_point_get(addr, on_func_entry, lookup, point);
	if (reason)
		return reason;
	if (p->post_handler)
		reason = kprobe_point_prepare_post(*point);
	if (reason)
		kprobe_point_put(*point);
	return reason;
}

/* Initializes a probe and puts it on its point. Cannot fail. */
static void join(struct kprobe *p, struct kprobe_point *point)
{
	unsigned int i;

	p->self = p;
	p->removing = false;
	p->moved = point->addr - (unsigned long)p->addr - p->offset;
	p->addr = (kprobe_opcode_t *)point->addr;
	p->opcode = point->opcode;
	p->nmissed = 0;
	for (i = 0; i < ARRAY_SIZE(p->misses); i++)
		atomic_long_set(&p->misses[i], 0);
	p->flags &= KPROBE_FLAG_DISABLED;
	if (point->on_func_entry)
		p->flags |= KPROBE_FLAG_ON_FUNC_ENTRY;
	p->flags |= kprobe_point_flag(point);
	kprobe_point_link(point, p);
}

/*
 * Puts a probe on its point, and the point into the chunk. @returns: it is the probe of a return
 * probe. A probe that is refused is on no point.
 */
enum kprobe_reason kprobe_add(struct kprobe *p, bool returns, struct kprobe_chunk *chunk)
{
	struct kprobe_point *point;
	enum kprobe_reason reason;

	lockdep_assert_held(&kprobe_mutex);
	if (!kprobes_ready)
		return KPROBE_REASON_EARLY;
	if (kprobe_is_known(p))
		return KPROBE_REASON_REGISTERED;
	p->returns = returns;
	reason = find_point(p, &chunk->lookup, &point);
	if (reason)
		return reason;
	join(p, point);
	list_move_tail(&point->batch, &chunk->batch);
	return KPROBE_REASON_NONE;
}

static struct kprobe *probe_at(const struct kprobe_array *array, int i)
{
	return array->probe(array->entries, i);
}

static enum kprobe_reason check_array(const struct kprobe_array *array)
{
	int i;

	if (array->num <= 0)
		return KPROBE_REASON_NUM;
	if (!array->entries)
		return KPROBE_REASON_NULL_ENTRY;
	for (i = 0; i < array->num; i++)
		if (!probe_at(array, i))
			return KPROBE_REASON_NULL_ENTRY;
	return KPROBE_REASON_NONE;
}

/**
 * struct progress - progress of a registration
 * @added:   number of probes that are on their points
 * @refused: index of the probe that was refused
 */
struct progress {
	int added;
	int refused;
};

static bool waits_for_ftrace(const struct kprobe *p)
{
	return p->point->mechanism == KPROBE_FTRACE && !(p->flags & KPROBE_FLAG_DISABLED) &&
	       !kprobe_point_in_text(p->point);
}

/* Finds the first probe from @first to @end whose point ftrace did not arm; the last if none. */
static int refused_by_ftrace(const struct kprobe_array *array, int first, int end)
{
	while (first < end - 1 && !waits_for_ftrace(probe_at(array, first)))
		first++;
	return first;
}

static enum kprobe_reason add_chunk(const struct kprobe_array *array, struct progress *progress,
				    struct kprobe_chunk *chunk)
{
	int end = progress->added + min(array->num - progress->added, KPROBE_CHUNK);
	u64 began = ktime_get_ns();
	enum kprobe_reason reason;

	do {
		progress->refused = progress->added;
		reason = array->add(probe_at(array, progress->added), chunk);
		progress->added += !reason;
		cond_resched();
	} while (!reason && progress->added < end && !kprobe_turn_is_over(began));
	return reason;
}

static enum kprobe_reason register_chunk(const struct kprobe_array *array,
					 struct progress *progress)
{
	int first = progress->added;
	enum kprobe_reason reason;
	struct kprobe_chunk chunk;

	guard(kprobe_lock)();
	kprobe_chunk_init(&chunk);
	reason = add_chunk(array, progress, &chunk);
	if (reason) {
		kprobe_batch_drop(&chunk.batch);
		return reason;
	}
	reason = kprobe_batch_commit(&chunk.batch);
	if (reason)
		progress->refused = refused_by_ftrace(array, first, progress->added);
	return reason;
}

static enum kprobe_reason register_chunks(const struct kprobe_array *array,
					  struct progress *progress)
{
	bool many = array->num > KPROBE_CHUNK;
	enum kprobe_reason reason;

	if (many)
		kprobe_optimizer_hold(true);
	reason = register_chunk(array, progress);
	while (!reason && progress->added < array->num) {
		cond_resched();
		reason = register_chunk(array, progress);
	}
	if (many)
		kprobe_optimizer_hold(false);
	return reason;
}

/* The address that the caller gave. join() has replaced it in @addr. */
static kprobe_opcode_t *place_asked_for(const struct kprobe *p)
{
	return (kprobe_opcode_t *)((unsigned long)p->addr - p->moved - p->offset);
}

static void roll_back(const struct kprobe_array *array, int num)
{
	const struct kprobe_array added = {
		.entries = array->entries, .num = num, .probe = array->probe,
	};
	int i;

	kprobe_unregister_array(&added);
	for (i = 0; i < num; i++) {
		struct kprobe *p = probe_at(array, i);

		p->addr = p->symbol_name ? NULL : place_asked_for(p);
		p->flags &= KPROBE_FLAG_DISABLED;
	}
}

/*
 * Registers all probes of an array or none, and records a refused call for debugfs. @caller is the
 * address that the API returns to. Returns 0 or the errno of the first probe that was refused.
 */
int kprobe_register_array(const struct kprobe_array *array,
			  enum kprobe_request request, unsigned long caller)
{
	enum kprobe_reason reason = check_array(array);
	struct progress progress = {};
	struct kprobe *refused = NULL;

	/* Do not record the refusal: the probed code may hold the lock of the records. */
	if (kprobe_in_handler()) {
		pr_warn_ratelimited("kprobes: %pS cannot register probes in a probe's handler\n",
				    (void *)caller);
		return kprobe_reason_errno(KPROBE_REASON_IN_HANDLER);
	}
	if (!reason) {
		reason = register_chunks(array, &progress);
		refused = probe_at(array, progress.refused);
	}
	if (!reason)
		return 0;
	roll_back(array, progress.added);
	kprobe_record_refusal(request, caller, refused, reason);
	return kprobe_reason_errno(reason);
}

static void remove_probe(struct kprobe *p, struct hlist_head *removed,
			 struct list_head *batch)
{
	p->removing = true;
	kretprobe_detach(p);
	kprobe_point_unlink(p);
	hlist_add_head(&p->hlist, removed);
	list_move_tail(&p->point->batch, batch);
}

/*
 * Takes the probes of a chunk off their points and adds them to @removed. Hits may use them until
 * kprobe_synchronize() has returned, and they cannot be registered again before end_removal().
 * Leaves the probes alone that another task is removing: their handlers may still read @addr.
 */
static void remove_chunk(const struct kprobe_array *array, int first, struct hlist_head *removed)
{
	int end = first + min(array->num - first, KPROBE_CHUNK);
	LIST_HEAD(batch);

	guard(kprobe_lock)();
	for (; first < end; first++) {
		struct kprobe *p = probe_at(array, first);

		if (kprobe_is_registered(p))
			remove_probe(p, removed, &batch);
		else if (p && !kprobe_is_known(p))
			p->addr = NULL;
	}
	kprobe_batch_defer_disarm(&batch);
}

/* Do hits with this hazard pointer use one of the removed probes? */
static bool uses_removed(const void *hazard, const void *removed)
{
	const struct kprobe *p;

	hlist_for_each_entry(p, (const struct hlist_head *)removed, hlist)
		if (hazard == p->point || hazard == kretprobe_hazard(p))
			return true;
	return false;
}

static void end_removal(struct hlist_head *removed)
{
	struct hlist_node *next;
	struct kprobe *p;

	guard(kprobe_lock)();
	hlist_for_each_entry_safe(p, next, removed, hlist) {
		kretprobe_destroy(p);
		p->point = NULL;
		INIT_LIST_HEAD(&p->list);
		hlist_del_init(&p->hlist);
		p->self = NULL;
	}
}

static void disable_in_handler(const struct kprobe_array *array)
{
	struct kprobe *p;
	int i;

	for (i = 0; i < array->num; i++) {
		p = probe_at(array, i);
		if (!p || kprobe_set_disabled_in_handler(p, true))
			continue;
		pr_warn_ratelimited("kprobes: a handler cannot unregister the probe at %pS: it is disabled and must not be freed\n",
				    p->addr);
	}
}

/*
 * Waits until no handler of the probes runs any more. Ignores NULL entries. In a handler it only
 * disables the probes: it would wait for the handler itself.
 */
void kprobe_unregister_array(const struct kprobe_array *array)
{
	int i;

	if (!array->entries)
		return;
	if (kprobe_in_handler()) {
		disable_in_handler(array);
		return;
	}
	for (i = 0; i < array->num; i += KPROBE_CHUNK) {
		HLIST_HEAD(removed);

		remove_chunk(array, i, &removed);
		if (!hlist_empty(&removed)) {
			kprobe_synchronize(uses_removed, &removed);
			end_removal(&removed);
		}
		cond_resched();
	}
}
