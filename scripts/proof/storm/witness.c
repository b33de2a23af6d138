// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Witnesses: who counts the calls of functions that the storm does not call itself. For functions
 * of the kernel it is ftrace, for those of storm_victim.ko their caller.
 *
 * A slot's probe has terms: the times in which it stays registered and enabled, and probes stay
 * armed. At the end of a term, all calls that were witnessed in it were handled or missed.
 */
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "internal.h"

#define WITNESSES	32

struct witness {
	const char *symbol;
	atomic_long_t calls;
	bool counts;
#ifdef CONFIG_DYNAMIC_FTRACE
	struct ftrace_ops ops;
#endif
};

static struct witness witnesses[WITNESSES];

/* Counted by storm_victim.ko, before it calls. */
atomic_long_t storm_victim_calls;
EXPORT_SYMBOL_GPL(storm_victim_calls);
atomic_long_t storm_victim_init_calls;
EXPORT_SYMBOL_GPL(storm_victim_init_calls);

#ifdef CONFIG_DYNAMIC_FTRACE
static void notrace count_call(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
			       struct ftrace_regs *fregs)
{
	atomic_long_inc(&container_of(ops, struct witness, ops)->calls);
}
NOKPROBE_SYMBOL(count_call);

static bool start_ftrace(struct witness *w)
{
	int ret;

	if (w->counts)
		return true;
	/* The previous registration has left flags. */
	memset(&w->ops, 0, sizeof(w->ops));
	w->ops.func = count_call;
	ret = ftrace_set_filter(&w->ops, (char *)w->symbol, strlen(w->symbol), true) ?:
	      register_ftrace_function(&w->ops);
	if (ret)
		ftrace_free_filter(&w->ops);
	return !ret;
}

static void stop_ftrace(struct witness *w)
{
	if (!w->counts)
		return;
	unregister_ftrace_function(&w->ops);
	ftrace_free_filter(&w->ops);
}
#else
static bool start_ftrace(struct witness *w) { return false; }
static void stop_ftrace(struct witness *w) { }
#endif

static struct witness *witness_of(const char *symbol)
{
	unsigned int i;

	for (i = 0; i < WITNESSES && witnesses[i].symbol; i++)
		if (!strcmp(witnesses[i].symbol, symbol))
			return &witnesses[i];
	if (i == WITNESSES)
		return NULL;
	witnesses[i].symbol = symbol;
	return &witnesses[i];
}

/* Which counter counts a slot's calls? NULL: nobody does. */
static atomic_long_t *calls_of(const struct storm_slot *slot)
{
	struct witness *w;

	if (!strcmp(slot->symbol, "storm_victim:storm_victim_called"))
		return &storm_victim_calls;
	if (!strcmp(slot->symbol, "storm_victim:storm_victim_init_called"))
		return &storm_victim_init_calls;
	w = witness_of(slot->symbol);
	return w && w->counts ? &w->calls : NULL;
}

/**
 * storm_start_witnesses() - have ftrace count calls
 *
 * Context: Process context, may sleep. storm_stop_witnesses() ends it.
 */
void storm_start_witnesses(void)
{
	unsigned int i;

	for (i = 0; i < storm_nr_slots; i++) {
		const struct storm_slot *slot = &storm_slots[i];
		struct witness *w;

		if (slot->target || strchr(slot->symbol, ':'))
			continue;
		w = witness_of(slot->symbol);
		if (w)
			w->counts = start_ftrace(w);
	}
}

/**
 * storm_stop_witnesses() - end counting calls
 *
 * Context: Process context, may sleep. No term is under way.
 */
void storm_stop_witnesses(void)
{
	unsigned int i;

	for (i = 0; i < WITNESSES; i++) {
		stop_ftrace(&witnesses[i]);
		witnesses[i].counts = false;
	}
}

/* What a slot's probe has done about the calls, so far. */
static unsigned long answered(const struct storm_slot *slot)
{
	const struct kretprobe *rp = &slot->probe->rp;

	if (!storm_is_return(slot))
		return atomic_long_read(&slot->sums[STORM_HANDLED]) + READ_ONCE(rp->kp.nmissed);
	return atomic_long_read(&slot->sums[STORM_ENTRIES]) + READ_ONCE(rp->kp.nmissed) +
	       READ_ONCE(rp->nmissed);
}

/**
 * storm_begin_term() - a slot's probe is registered and enabled
 * @slot: the slot, which is locked, and of a function that the storm does not call
 *
 * Context: Process context.
 */
void storm_begin_term(struct storm_slot *slot)
{
	const atomic_long_t *calls = calls_of(slot);

	slot->term.knob = READ_ONCE(storm_knob);
	slot->term.counts = calls && STORM_STATE(slot->term.knob) == STORM_ON;
	if (!slot->term.counts)
		return;
	slot->term.answered = answered(slot);
	smp_mb();	/* Each call from here on is answered, and more may be. */
	slot->term.calls = atomic_long_read(calls);
}

/**
 * storm_end_term() - a slot's probe is going to be changed
 * @slot: the slot, which is locked, and of a function that the storm does not call
 *
 * Context: Process context, may sleep.
 */
void storm_end_term(struct storm_slot *slot)
{
	const atomic_long_t *calls;
	unsigned long witnessed, done;

	if (!slot->probe || !slot->enabled || !slot->term.counts)
		return;
	slot->term.counts = false;
	calls = calls_of(slot);
	witnessed = atomic_long_read(calls) - slot->term.calls;
	/* Calls that were counted come to the probe, unless they are preempted. */
	synchronize_rcu();
	done = answered(slot) - slot->term.answered;
	/* A module's function may have gone, and come again without the probe. */
	if (READ_ONCE(storm_knob) != slot->term.knob ||
	    slot->probe->rp.kp.flags & KPROBE_FLAG_GONE)
		return;
	slot->witnessed += witnessed;
	if (witnessed > done)
		slot->unanswered += witnessed - done;
	slot->terms++;
}
