// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file "points" in debugfs, and the walk over all points that it shares with "list".
 *
 * A reader holds kprobe_mutex for one line at a time: for a whole page of output it would
 * delay registrations by milliseconds. Most of a line's time goes into looking the symbol up,
 * which is a binary search in the kernel and a linear one in a module. The reader remembers
 * the address where it was and finds it again in logarithmic time, so it needs no copy either.
 */
#include <linux/debugfs.h>
#include <linux/kprobe_point.h>
#include <linux/kprobes.h>
#include <linux/sched.h>

#include "debugfs_file.h"
#include "miss.h"
#include "optimizer.h"
#include "point.h"
#include "points.h"
#include "reason.h"

static struct kprobe_point *point_at(struct kprobe_position *at)
{
	struct kprobe_point *point;
	unsigned long addr = at->addr;

	if (!at->among_gone) {
		point = kprobe_point_next(&addr, ULONG_MAX);
		if (point) {
			at->addr = point->addr;
			return point;
		}
		*at = (struct kprobe_position){
			.reader = at->reader,
			.among_gone = true,
		};
	}
	/* Search by address: there may be too many to walk from the first one. */
	point = kprobe_point_next_gone(at->addr, at->gone);
	if (point) {
		at->addr = point->addr;
		at->gone = (unsigned long)point;
	}
	return point;
}

/* Takes kprobe_mutex until kprobe_points_stop(). @pos 0 begins, with SEQ_START_TOKEN. */
void *kprobe_points_start(struct seq_file *m, loff_t *pos)
{
	struct kprobe_position *at = m->private;

	mutex_lock(&kprobe_mutex);
	if (*pos)
		return point_at(at);
	*at = (struct kprobe_position){ .reader = at->reader };
	return SEQ_START_TOKEN;
}

/* Releases kprobe_mutex for a moment, so that others get it between two lines. */
void *kprobe_points_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct kprobe_position *at = m->private;

	++*pos;
	if (v != SEQ_START_TOKEN && at->among_gone)
		at->gone++;
	else if (v != SEQ_START_TOKEN)
		at->addr++;
	mutex_unlock(&kprobe_mutex);
	cond_resched();
	mutex_lock(&kprobe_mutex);
	return point_at(at);
}

void kprobe_points_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&kprobe_mutex);
}

/*
 * Finds symbol and module of a point. A point that is gone has no symbol: its address may be in
 * another module by now. The caller holds kprobe_mutex as long as it uses @place: the module stays.
 */
void kprobe_point_place(const struct kprobe_point *point,
			struct kprobe_place *place)
{
	unsigned long size;

	lockdep_assert_held(&kprobe_mutex);
	place->module = NULL;
	place->symbol = NULL;
	if (point->state != KPROBE_POINT_GONE)
		place->symbol = kallsyms_lookup(point->addr, &size,
						&place->offset, &place->module,
						place->name);
}

void kprobe_show_place(struct seq_file *m, const struct kprobe_point *point,
		       const struct kprobe_place *place)
{
	if (place->symbol)
		seq_printf(m, "  %s+0x%lx", place->symbol, place->offset);
	else
		seq_printf(m, "  0x%px", kprobe_shown(m, point->addr));
}

static const char * const states[] = {
	[KPROBE_POINT_IDLE] = "idle",
	[KPROBE_POINT_ARMED] = "armed",
	[KPROBE_POINT_DISARM_PENDING] = "disarm-pending",
	[KPROBE_POINT_GONE] = "gone",
};

static_assert(ARRAY_SIZE(states) == KPROBE_POINT_STATES);

static const char * const mechanisms[] = {
	[KPROBE_BREAKPOINT] = "breakpoint",
	[KPROBE_FTRACE] = "ftrace",
	[KPROBE_JUMP] = "jump",
};

/* A breakpoint or jump may be after the probed entry nop. */
static void show_mechanism(struct seq_file *m, const struct kprobe_point *point)
{
	seq_printf(m, "  %s", mechanisms[point->mechanism]);
	if (point->site != point->addr && point->mechanism != KPROBE_FTRACE)
		seq_printf(m, "+%lu", point->site - point->addr);
}

static unsigned long count_misses(const struct kprobe_point *point,
				  enum kprobe_miss cause)
{
	unsigned long sum = 0;
	struct kprobe *p;

	list_for_each_entry(p, &point->probes, list)
		sum += kprobe_misses(p, cause);
	return sum;
}

static void show_counts(struct seq_file *m, const struct kprobe_point *point)
{
	enum kprobe_miss cause;

	seq_printf(m, "  %zu", list_count_nodes((void *)&point->probes));
	for (cause = 0; cause < KPROBE_MISS_CAUSES; cause++)
		seq_printf(m, "  %lu", count_misses(point, cause));
}

/* Why hits do not come by a jump; KPROBE_REASON_NONE if they do. */
static enum kprobe_reason reason_of(const struct kprobe_point *point)
{
	lockdep_assert_held(&kprobe_mutex);
	if (point->mechanism == KPROBE_FTRACE)
		return KPROBE_REASON_THROUGH_FTRACE;
	if (!kprobe_point_in_text(point) || point->state == KPROBE_POINT_DISARM_PENDING)
		return KPROBE_REASON_NOT_ARMED;
	if (point->mechanism == KPROBE_JUMP)
		return KPROBE_REASON_NONE;
	if (point->verdict == KPROBE_VERDICT_IMPOSSIBLE)
		return point->not_jump;
	if (!kprobe_optimizer_is_allowed())
		return KPROBE_REASON_SWITCHED_OFF;
	if (!kprobe_point_owns_site(point))
		return KPROBE_REASON_NEIGHBOUR;
	return point->optimization == KPROBE_OPT_IDLE ? point->not_jump :
							KPROBE_REASON_QUEUED;
}

static void show_point(struct seq_file *m, const struct kprobe_point *point)
{
	struct kprobe_place place;

	kprobe_point_place(point, &place);
	seq_printf(m, "%px", kprobe_shown(m, point->addr));
	kprobe_show_place(m, point, &place);
	seq_printf(m, "  %s", place.module ?: "-");
	show_mechanism(m, point);
	seq_printf(m, "  %s", kprobe_point_is_optimizing(point) ? "optimizing" :
		   states[point->state]);
	show_counts(m, point);
	seq_printf(m, "  %s\n", kprobe_reason_text(reason_of(point)));
}

static int points_show(struct seq_file *m, void *v)
{
	if (v == SEQ_START_TOKEN)
		seq_puts(m, "address  symbol  module  mechanism  state  probes  nested  depth  diverted  offline  not-optimized\n");
	else
		show_point(m, v);
	return 0;
}

static const struct seq_operations points_sops = {
	.start = kprobe_points_start,
	.next = kprobe_points_next,
	.stop = kprobe_points_stop,
	.show = points_show,
};

const struct kprobe_file kprobe_points_file = {
	.ops = &points_sops,
	.size = sizeof(struct kprobe_position),
};
