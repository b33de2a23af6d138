// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers and unregisters arrays of probes; a single probe is an array of one.
 *
 * Each chunk of at most KPROBE_CHUNK probes is one operation under one hold of kprobe_mutex: its
 * probes are checked and put on their points, which are made if need be, and the points are armed
 * in one pass over the text. A chunk ends soon when other tasks wait for the mutex. When a probe is
 * refused, those registered so far are unregistered again.
 */
#include <linux/init.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "frame.h"
#include "kretprobe_pool.h"
#include "mechanism.h"
#include "place.h"
#include "point.h"
#include "reason.h"
#include "register.h"
#include "slot.h"
#include "table.h"

/* Set when kprobes has been initialized during boot. Stays false if that fails. */
bool kprobes_ready __ro_after_init;

/* Is the probe on @point, or on one of those after it up to the address @last? */
static bool is_on_one_of(const struct kprobe_point *point, unsigned long last,
			 const struct kprobe *p)
{
	for (; point && point->addr <= last; point = kprobe_point_after(point))
		if (kprobe_point_has(point, p))
			return true;
	return false;
}

/* Only a caller that has overwritten @addr of a probe that is armed has all points searched. */
static bool is_on_a_point(const struct kprobe *p)
{
	unsigned long addr = (unsigned long)p->addr, from = 0;

	return is_on_one_of(kprobe_point_lookup(addr), addr, p) ||
	       is_on_one_of(kprobe_point_next_gone(addr, 0), addr, p) ||
	       is_on_one_of(kprobe_point_next_gone(0, 0), ULONG_MAX, p) ||
	       is_on_one_of(kprobe_point_next(&from, ULONG_MAX), ULONG_MAX, p);
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

/* A cache of their own, as there may be very many points: each takes its exact size. */
static struct kmem_cache *point_cache __ro_after_init;

int __init kprobe_point_init(void)
{
	point_cache = KMEM_CACHE(kprobe_point, 0);
	return point_cache ? 0 : -ENOMEM;
}

/* Prepares a point for a probe with a post-handler. Hits may be under way. */
static enum kprobe_reason prepare_post(struct kprobe_point *point)
{
	enum kprobe_reason reason;
	void *post_slot = NULL;

	reason = kprobe_displace_post(point, &post_slot);
	if (!post_slot)
		return reason;
	if (point->route)
		kprobe_slots_sync();
	smp_store_release(&point->text.run_post, post_slot);	/* see point.h */
	kprobe_leave_detour(point);
	return KPROBE_REASON_NONE;
}

static struct kprobe_point *alloc_point(void)
{
	struct kprobe_point *point = kmem_cache_zalloc(point_cache, GFP_KERNEL);

	if (point) {
		INIT_LIST_HEAD(&point->probes);
		INIT_LIST_HEAD(&point->batch);
		INIT_LIST_HEAD(&point->optimize);
	}
	return point;
}

/* Makes the point for an address that can be probed. Nobody else knows it yet. */
enum kprobe_reason kprobe_make_point(unsigned long addr, bool on_func_entry,
				     struct kprobe_lookup *lookup, struct kprobe_point **made)
{
	enum kprobe_reason reason = KPROBE_REASON_NONE;
	struct kprobe_point *point = alloc_point();

	if (!point)
		return KPROBE_REASON_NO_MEMORY;
	point->addr = addr;
	point->site = addr;
	point->key = addr;
	point->on_func_entry = on_func_entry;
	point->mechanism = KPROBE_BREAKPOINT;
	if (!kprobe_choose_entry(point, lookup)) {
		reason = kprobe_displace(point, lookup);
		point->opcode = point->insn[0];
	}
	if (reason)
		kprobe_point_free(point);
	else
		*made = point;
	return reason;
}

/* Makes a point, and lets hits find it. */
static enum kprobe_reason add_point(unsigned long addr, bool on_func_entry, bool post,
				    struct kprobe_lookup *lookup, struct kprobe_point **made)
{
	enum kprobe_reason reason = KPROBE_REASON_NO_MEMORY;
	struct kprobe_point *point;

	if (!kprobe_table_alloc())
		reason = kprobe_make_point(addr, on_func_entry, lookup, &point);
	if (reason)
		return reason;
	if (post)
		reason = prepare_post(point);
	if (reason) {
		kprobe_point_free(point);
		return reason;
	}
	/* Until it is armed, another point at the site keeps the breakpoint, or the right to it. */
	if (kprobe_point_other(point))
		point->key = 0;
	kprobe_point_choose_route(point);
	kprobe_point_add(point);
	reason = kprobe_share_site(point);
	if (reason)
		kprobe_point_put(point);
	else
		*made = point;
	return reason;
}

static bool names_module(const struct kprobe *p)
{
	return p->symbol_name && strchr(p->symbol_name, ':');
}

/*
 * Initializes a probe and puts it in front of the others on its point: its handlers run first. If
 * it has a post-handler, the route of the point must call post-handlers already. A probe that has
 * waited for its module leaves the point where it did so: no hit of that one can be under way.
 */
static void join(struct kprobe *p, struct kprobe_point *point)
{
	u32 kept = KPROBE_FLAG_DISABLED | (names_module(p) ? KPROBE_FLAG_PENDING : 0);
	u32 flags = kprobe_point_flag(point);
	bool waited = p->point;

	if (point->on_func_entry)
		flags |= KPROBE_FLAG_ON_FUNC_ENTRY;
	if (waited) {
		kept |= KPROBE_FLAG_GONE;
		list_del(&p->list);
		kprobe_point_put(p->point);
	} else {
		p->given = p->flags & (KPROBE_FLAG_DISABLED | KPROBE_FLAG_PENDING);
		p->nmissed = 0;
	}
	p->self = p;
	p->removing = false;
	p->refused = KPROBE_REASON_NONE;
	p->moved = point->addr - (unsigned long)p->addr - p->offset;
	p->addr = (kprobe_opcode_t *)point->addr;
	p->opcode = point->opcode;
	kprobe_change_flags(p, ~kept, flags);
	p->point = point;
	if (list_empty(&point->probes))
		memset(point->misses, 0, sizeof(point->misses));
	/* Release: a hit that sees the probe sees the route that it needs, see point.h. */
	list_add_rcu(&p->list, &point->probes);
	/* Last, by a full barrier: pairs with kprobe_set_disabled_in_handler(). */
	if (waited)
		kprobe_change_flags(p, KPROBE_FLAG_GONE, 0);
	/* Detours need not change for a disabled probe: its handlers do not run. */
	if (!kprobe_disabled(p))
		kprobe_point_changed(point);
}

/*
 * Puts a probe on its point, which it finds or makes, and the point into the chunk. A probe that is
 * refused is where it was.
 */
enum kprobe_reason kprobe_attach(struct kprobe *p, struct kprobe_chunk *chunk)
{
	struct kprobe_point *point;
	enum kprobe_reason reason;
	/* Initialized for KMSAN: the code that sets them may not be instrumented. */
	bool on_func_entry = false;
	unsigned long addr = 0;

	lockdep_assert_held(&kprobe_mutex);
	reason = kprobe_resolve(p, &chunk->lookup, &addr, &on_func_entry) ?:
		 kprobe_check_address(&chunk->lookup, addr, false);
	if (reason)
		return reason;
	if (p->returns && !on_func_entry)
		return KPROBE_REASON_ENTRY;
	point = kprobe_point_lookup(addr);
	if (!point)
		reason = add_point(addr, on_func_entry, p->post_handler, &chunk->lookup, &point);
	else if (p->post_handler)
		reason = prepare_post(point);
	if (reason)
		return reason;
	join(p, point);
	list_move_tail(&point->batch, &chunk->batch);
	return KPROBE_REASON_NONE;
}

/* Is the module that the probe names not there, or not yet? It may come and go at any time. */
static bool is_module_absent(const struct kprobe *p)
{
	char name[MODULE_NAME_LEN];

	strscpy(name, p->symbol_name, min(sizeof(name), strcspn(p->symbol_name, ":") + 1));
	guard(preempt)();
	return IS_ENABLED(CONFIG_MODULES) && !find_module(name);
}

/* Puts a probe on a point that is gone from the beginning, until its module comes: pending.c. */
static enum kprobe_reason wait_for_module(struct kprobe *p)
{
	struct kprobe_point *point = alloc_point();

	if (!point)
		return KPROBE_REASON_NO_MEMORY;
	kprobe_point_set_state(point, KPROBE_POINT_GONE);
	kprobe_point_add(point);
	join(p, point);
	kprobe_change_flags(p, 0, KPROBE_FLAG_GONE);
	return KPROBE_REASON_NONE;
}

/*
 * Puts a new probe on its point, or on one where it waits for its module. @returns: it is the probe
 * of a return probe. A probe that is refused is on no point.
 */
enum kprobe_reason kprobe_add(struct kprobe *p, bool returns, struct kprobe_chunk *chunk)
{
	bool may_wait = p->flags & KPROBE_FLAG_PENDING, absent;
	enum kprobe_reason reason;

	lockdep_assert_held(&kprobe_mutex);
	if (!kprobes_ready)
		return KPROBE_REASON_EARLY;
	if (kprobe_is_known(p))
		return KPROBE_REASON_REGISTERED;
	p->returns = returns;
	p->point = NULL;
	absent = may_wait && names_module(p) && is_module_absent(p);
	reason = kprobe_attach(p, chunk);
	if (!reason || !may_wait)
		return reason;
	if (!names_module(p))
		return reason == KPROBE_REASON_SYMBOL ? KPROBE_REASON_PENDING : reason;
	/* If it was there before and after, it has no such function. */
	if (reason == KPROBE_REASON_MODULE_COMING || reason == KPROBE_REASON_MODULE_GOING ||
	    (reason == KPROBE_REASON_SYMBOL && (absent || is_module_absent(p))))
		reason = wait_for_module(p);
	return reason;
}

static struct kprobe *probe_at(const struct kprobe_array *array, int i)
{
	void *entry = ((void **)array->entries)[i];

	return entry ? entry + array->offset : NULL;
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

/*
 * Registers the next probes of an array, up to %KPROBE_CHUNK, and adds their number to @added. If
 * one is refused, sets @refused: those before it stay on their points.
 */
static enum kprobe_reason register_chunk(const struct kprobe_array *array, int *added,
					 struct kprobe **refused)
{
	int first = *added, end = first + min(array->num - first, KPROBE_CHUNK), i = first;
	enum kprobe_reason reason;
	struct kprobe_chunk chunk;
	struct kprobe *p;
	u64 began;

	guard(kprobe_lock)();
	began = ktime_get_ns();
	kprobe_chunk_init(&chunk);
	do {
		p = probe_at(array, i);
		reason = array->add ? array->add(p, &chunk) : kprobe_add(p, false, &chunk);
		if (reason) {
			*refused = p;
			kprobe_batch_drop(&chunk.batch);
			return reason;
		}
		*added = ++i;
		cond_resched();
	} while (i < end && !kprobe_turn_is_over(began));
	reason = kprobe_batch_commit(&chunk.batch);
	/* The first probe whose point ftrace did not arm. */
	for (i = first; reason && i < *added; i++) {
		p = probe_at(array, i);
		*refused = p;
		if (p->point->mechanism == KPROBE_FTRACE && !kprobe_point_in_text(p->point) &&
		    !kprobe_disabled(p))
			break;
	}
	return reason;
}

static void roll_back(const struct kprobe_array *array, int num)
{
	const struct kprobe_array added = {
		.entries = array->entries, .num = num, .offset = array->offset,
	};
	int i;

	kprobe_unregister_array(&added);
	for (i = 0; i < num; i++) {
		struct kprobe *p = probe_at(array, i);

		/* join() has replaced the address that the caller gave. */
		p->addr = p->symbol_name ? NULL : (void *)p->addr - p->moved - p->offset;
		p->flags = p->given;
	}
}

/*
 * Has a refused call be found in debugfs and in the log, and by who asked for an event. @p is NULL
 * if the probe is unknown. @caller is the address that the API returns to.
 */
void kprobe_refuse(enum kprobe_request request, unsigned long caller, struct kprobe *p,
		   enum kprobe_reason reason)
{
	char candidates[KPROBE_REFUSAL_CANDIDATES] = "";

	if (p)
		p->refused = reason;
	if (reason == KPROBE_REASON_AMBIGUOUS)
		kprobe_list_candidates(p->symbol_name, candidates, sizeof(candidates));
	kprobe_record_refusal(request, caller, p, reason, candidates);
}

/*
 * Registers all probes of an array or none, and records a refused call for debugfs. @caller is the
 * address that the API returns to. Returns 0 or the errno of the first probe that was refused.
 */
int kprobe_register_array(const struct kprobe_array *array,
			  enum kprobe_request request, unsigned long caller)
{
	enum kprobe_reason reason = check_array(array);
	struct kprobe *refused = NULL;
	bool stopped;
	int added = 0;

	/* Do not record the refusal: the probed code may hold the lock of the records. */
	if (kprobe_in_handler()) {
		pr_warn_ratelimited("kprobes: %pS cannot register probes in a probe's handler\n",
				    (void *)caller);
		return kprobe_reason_errno(KPROBE_REASON_IN_HANDLER);
	}
	if (!reason) {
		stopped = array->num > KPROBE_CHUNK && kprobe_optimizer_hold();
		do {
			reason = register_chunk(array, &added, &refused);
			cond_resched();
		} while (!reason && added < array->num);
		if (stopped)
			kprobe_optimizer_release();
	}
	if (!reason)
		return 0;
	roll_back(array, added);
	kprobe_refuse(request, caller, refused, reason);
	return kprobe_reason_errno(reason);
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

		if (!kprobe_is_known(p)) {
			if (p)
				p->addr = NULL;
			continue;
		}
		if (p->removing)
			continue;
		p->removing = true;
		if (p->returns)
			kretprobe_detach(p);
		if (!kprobe_disabled(p))
			kprobe_point_changed(p->point);
		list_del_rcu(&p->list);
		hlist_add_head(&p->hlist, removed);
		list_move_tail(&p->point->batch, &batch);
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
		if (p->returns)
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
