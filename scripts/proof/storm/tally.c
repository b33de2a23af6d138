// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tallies: what handlers have seen of one call of a target. With them the books know of each
 * single call how often handlers ran, and need not guess from sums.
 *
 * A handler runs in the context of the call that it belongs to. Calls in interrupts and NMIs end
 * before what they have interrupted goes on, so the innermost tally of a CPU is the one. Tasks are
 * preempted and move between CPUs, so theirs are found by task.
 */
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "internal.h"

/* More than there are tasks that call targets. */
#define TASKS	32

atomic_long_t storm_strays;

struct task_tally {
	struct task_struct *task;	/* who has taken this place, or NULL */
	struct storm_tally *innermost;	/* only @task uses it */
};

static struct task_tally task_tallies[TASKS];
static DEFINE_PER_CPU(struct storm_tally *, innermost);

/*
 * Does what runs now end before this CPU goes on with anything else? Of a handler's calls this
 * holds in traps, which count as NMIs. With PREEMPT_RT softirqs are preempted.
 */
static bool in_interrupt_call(void)
{
	return in_nmi() || in_hardirq() ||
	       (in_serving_softirq() && !IS_ENABLED(CONFIG_PREEMPT_RT));
}
NOKPROBE_SYMBOL(in_interrupt_call);

static struct task_tally *find_task(struct task_struct *task)
{
	unsigned int i;

	for (i = 0; i < TASKS; i++)
		if (READ_ONCE(task_tallies[i].task) == task)
			return &task_tallies[i];
	return NULL;
}
NOKPROBE_SYMBOL(find_task);

static struct task_tally *take_place(void)
{
	struct task_tally *place;

	while ((place = find_task(NULL)))
		if (!cmpxchg(&place->task, NULL, current))
			return place;
	return NULL;
}
NOKPROBE_SYMBOL(take_place);

/**
 * storm_begin_tally() - a call of a target begins
 * @tally: what handlers count in until storm_end_tally()
 *
 * Context: Any.
 */
void storm_begin_tally(struct storm_tally *tally)
{
	struct task_tally *place;

	if (in_interrupt_call()) {
		tally->outer = this_cpu_read(innermost);
		this_cpu_write(innermost, tally);
		return;
	}
	place = find_task(current) ?: take_place();
	if (!place)
		return;		/* its handlers will be strays */
	tally->outer = place->innermost;
	WRITE_ONCE(place->innermost, tally);
}
NOKPROBE_SYMBOL(storm_begin_tally);

/**
 * storm_end_tally() - a call of a target has ended
 * @tally: as for storm_begin_tally()
 *
 * Context: That of storm_begin_tally().
 */
void storm_end_tally(struct storm_tally *tally)
{
	struct task_tally *place;

	if (in_interrupt_call()) {
		this_cpu_write(innermost, tally->outer);
		return;
	}
	place = find_task(current);
	if (!place)
		return;
	WRITE_ONCE(place->innermost, tally->outer);
	if (!tally->outer)
		smp_store_release(&place->task, NULL);	/* pairs with take_place() */
}
NOKPROBE_SYMBOL(storm_end_tally);

static struct storm_tally *current_tally(void)
{
	struct storm_tally *tally = this_cpu_read(innermost);
	struct task_tally *place;

	if (tally)
		return tally;
	place = find_task(current);
	return place ? place->innermost : NULL;
}
NOKPROBE_SYMBOL(current_tally);

/**
 * storm_note_handler() - a handler of a target's slot runs
 * @slot: the slot
 * @what: which handler
 *
 * Context: The handler's.
 */
void storm_note_handler(const struct storm_slot *slot, enum storm_handler what)
{
	struct storm_tally *tally = current_tally();

	if (tally && tally->target == slot->target)
		tally->seen[what][slot->kind]++;
	else
		atomic_long_inc(&storm_strays);
}
NOKPROBE_SYMBOL(storm_note_handler);
