// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds or makes the point for an address, when a probe is registered there. The architecture
 * plans how the instruction is displaced, and the point gets its mechanism, a breakpoint or ftrace.
 */
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/slab.h>

#include "batch.h"
#include "code.h"
#include "displaced.h"
#include "entry.h"
#include "optimizer.h"
#include "point.h"
#include "point_make.h"
#include "point_release.h"
#include "table.h"

/* Plans the displaced instruction at @site, where the breakpoint goes. */
static enum kprobe_reason prepare_breakpoint(struct kprobe_point *point,
					     struct kprobe_lookup *lookup)
{
	point->mechanism = KPROBE_BREAKPOINT;
	point->key = point->site;
	return kprobe_displace(point, lookup);
}

/* Prepares a point for a probe with a post-handler. Hits may be under way. */
enum kprobe_reason kprobe_point_prepare_post(struct kprobe_point *point)
{
	enum kprobe_reason reason;
	void *post_slot = NULL;

	lockdep_assert_held(&kprobe_mutex);
	reason = kprobe_displace_post(point, &post_slot);
	if (!post_slot)
		return reason;
	kprobe_point_set_post(point, post_slot);
	kprobe_leave_detour(point);
	return KPROBE_REASON_NONE;
}

#ifdef CONFIG_KPROBES_ON_FTRACE
static enum kprobe_reason prepare_entry(struct kprobe_point *point,
					struct kprobe_lookup *lookup)
{
	enum kprobe_reason not_jump = KPROBE_REASON_FTRACE;
	struct kprobe_region region;

	point->opcode = KPROBE_ENTRY_OPCODE;
	point->site = kprobe_after_nop(point->addr);
	if (kprobe_may_skip_nop(point, lookup) && !prepare_breakpoint(point, lookup))
		not_jump = kprobe_decide_jump(point, lookup, &region);
	/* With a neighbour the breakpoint leads to a detour of its instruction alone. */
	if (!not_jump || not_jump == KPROBE_REASON_NEIGHBOUR)
		return KPROBE_REASON_NONE;
	point->mechanism = KPROBE_FTRACE;
	point->key = 0;
	return KPROBE_REASON_NONE;
}

static bool is_ftrace_site(unsigned long addr)
{
	return ftrace_location_range(addr, addr) == addr;
}
#else
static enum kprobe_reason prepare_entry(struct kprobe_point *point,
					struct kprobe_lookup *lookup)
{
	return KPROBE_REASON_FTRACE;
}

static bool is_ftrace_site(unsigned long addr)
{
	return false;
}
#endif

/* Chooses the mechanism, and plans the instruction if that is a breakpoint. */
static enum kprobe_reason prepare_point(struct kprobe_point *point,
					struct kprobe_lookup *lookup)
{
	enum kprobe_reason reason;

	if (is_ftrace_site(point->addr))
		return prepare_entry(point, lookup);
	reason = prepare_breakpoint(point, lookup);
	point->opcode = point->insn[0];
	return reason;
}

/* A cache of their own, as there may be very many points: each takes its exact size. */
static struct kmem_cache *point_cache __ro_after_init;

int __init kprobe_point_init(void)
{
	point_cache = KMEM_CACHE(kprobe_point, 0);
	return point_cache ? 0 : -ENOMEM;
}

static struct kprobe_point *alloc_point(unsigned long addr, bool on_func_entry)
{
	struct kprobe_point *point;

	if (kprobe_table_alloc())
		return NULL;
	point = kmem_cache_zalloc(point_cache, GFP_KERNEL);
	if (!point)
		return NULL;
	point->addr = addr;
	point->site = addr;
	point->on_func_entry = on_func_entry;
	INIT_LIST_HEAD(&point->probes);
	INIT_LIST_HEAD(&point->batch);
#ifdef CONFIG_OPTPROBES
	INIT_LIST_HEAD(&point->optimize);
#endif
	return point;
}

static enum kprobe_reason make_point(unsigned long addr, bool on_func_entry,
				     struct kprobe_lookup *lookup,
				     struct kprobe_point **made)
{
	struct kprobe_point *point = alloc_point(addr, on_func_entry);
	enum kprobe_reason reason;

	if (!point)
		return KPROBE_REASON_NO_MEMORY;
	reason = prepare_point(point, lookup);
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

/*
 * Finds or makes the point for an address that kprobe_check_address() has accepted. @lookup caches
 * look-ups under the same hold of kprobe_mutex. Fails if the instruction cannot be probed.
 */
enum kprobe_reason kprobe_point_get(unsigned long addr, bool on_func_entry,
				    struct kprobe_lookup *lookup,
				    struct kprobe_point **point)
{
	lockdep_assert_held(&kprobe_mutex);
	*point = kprobe_point_lookup(addr);
	if (*point)
		return KPROBE_REASON_NONE;
	return make_point(addr, on_func_entry, lookup, point);
}
