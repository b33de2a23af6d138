// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tasks that register, enable, disable and unregister the slots' probes, alone and in batches, in
 * an order that the seed decides.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "internal.h"

#define WORKERS		3
#define BATCH		6

static struct task_struct *workers[WORKERS];
static struct rnd_state random[WORKERS];
static bool fail_slabs;

/**
 * struct batch - slots that are changed together, and are locked meanwhile
 * @slots: the slots
 * @kps:   the probes, if they are no return probes
 * @rps:   the return probes, if they are
 * @nr:    how many
 */
struct batch {
	struct storm_slot *slots[BATCH];
	struct kprobe *kps[BATCH];
	struct kretprobe *rps[BATCH];
	unsigned int nr;
};

static void begin_change(struct storm_slot *slot)
{
	storm_end_term(slot);
	storm_set_phase(&slot->phase, STORM_CHANGING);
	smp_mb();	/* before the change: pairs with the first barrier of storm_call() */
}

static bool is_in_module(const struct storm_slot *slot)
{
	return !slot->target && strchr(slot->symbol, ':');
}

/* A function of a module that is not loaded, or goes, is not there. No other error is expected. */
static bool is_expected(const struct storm_slot *slot, int error)
{
	if (is_in_module(slot))
		return error == -ENOENT || error == -EINVAL;
	return slot->absent && error == -ENOENT;
}

static int unexpected(const struct batch *b, int ret)
{
	unsigned int i;

	for (i = 0; i < b->nr; i++)
		if (is_expected(b->slots[i], ret))
			return 0;
	return ret;
}

/* Registers what a batch has new probes of, or unregisters what it has. */
static int register_all(struct batch *b)
{
	if (b->nr == 1)
		return storm_is_return(b->slots[0]) ? register_kretprobe(b->rps[0]) :
						      register_kprobe(b->kps[0]);
	return storm_is_return(b->slots[0]) ? register_kretprobes(b->rps, b->nr) :
					      register_kprobes(b->kps, b->nr);
}

static void unregister_all(struct batch *b)
{
	if (storm_is_return(b->slots[0]))
		b->nr == 1 ? unregister_kretprobe(b->rps[0]) : unregister_kretprobes(b->rps, b->nr);
	else
		b->nr == 1 ? unregister_kprobe(b->kps[0]) : unregister_kprobes(b->kps, b->nr);
}

static void put_in_batch(struct batch *b, unsigned int i, struct storm_probe *probe)
{
	b->kps[i] = &probe->rp.kp;
	b->rps[i] = &probe->rp;
}

static void fill(struct batch *b, bool disabled)
{
	struct storm_probe *probes[BATCH];
	unsigned int i;
	int ret = 0;

	for (i = 0; i < b->nr; i++) {
		probes[i] = storm_new_probe(b->slots[i]);
		if (!probes[i]) {
			ret = -ENOMEM;
			continue;
		}
		if (disabled)
			probes[i]->rp.kp.flags = KPROBE_FLAG_DISABLED;
		put_in_batch(b, i, probes[i]);
	}
	for (i = 0; i < b->nr; i++)
		begin_change(b->slots[i]);
	if (!ret)
		ret = register_all(b);
	storm_note_change(unexpected(b, ret));
	for (i = 0; i < b->nr; i++) {
		storm_fill_slot(b->slots[i], ret ? NULL : probes[i]);
		if (ret && probes[i])
			storm_free_probe(probes[i]);
	}
}

static void empty(struct batch *b)
{
	unsigned int i;

	for (i = 0; i < b->nr; i++) {
		put_in_batch(b, i, b->slots[i]->probe);
		begin_change(b->slots[i]);
	}
	unregister_all(b);
	for (i = 0; i < b->nr; i++)
		storm_empty_slot(b->slots[i]);
	storm_note_change(0);
}

static void toggle(struct storm_slot *slot)
{
	struct storm_probe *probe = slot->probe;
	bool enable = !slot->enabled;
	int ret;

	begin_change(slot);
	if (storm_is_return(slot))
		ret = enable ? enable_kretprobe(&probe->rp) : disable_kretprobe(&probe->rp);
	else
		ret = enable ? enable_kprobe(&probe->rp.kp) : disable_kprobe(&probe->rp.kp);
	if (!ret)
		slot->enabled = enable;
	storm_settle_slot(slot);
	storm_note_change(unexpected(&(struct batch){ .slots = { slot }, .nr = 1 }, ret));
}

/* Registering what is registered is refused, and changes nothing. */
static void register_twice(struct storm_slot *slot)
{
	struct storm_probe *probe = slot->probe;
	int ret;

	if (storm_is_return(slot))
		ret = register_kretprobe(&probe->rp);
	else
		ret = register_kprobe(&probe->rp.kp);
	storm_note_change(ret ? 0 : -EEXIST);
}

static u32 below(struct rnd_state *rnd, u32 n)
{
	return prandom_u32_state(rnd) % n;
}

static void change_one(struct storm_slot *slot, struct rnd_state *rnd)
{
	struct batch b = { .slots = { slot }, .nr = 1 };

	if (!slot->probe)
		fill(&b, !below(rnd, 6));
	else if (below(rnd, 3) == 0)
		empty(&b);
	else if (below(rnd, 8))
		toggle(slot);
	else
		register_twice(slot);
}

/* Slots of the first one's sort that can be locked, all with a probe or all without. */
static void gather(struct batch *b, struct storm_slot *first, struct rnd_state *rnd)
{
	unsigned int i = below(rnd, storm_nr_slots), n;

	for (n = 0; n < storm_nr_slots && b->nr < BATCH; n++, i++) {
		struct storm_slot *slot = &storm_slots[i % storm_nr_slots];

		if (slot == first || storm_is_return(slot) != storm_is_return(first) ||
		    !slot->target != !first->target || !mutex_trylock(&slot->lock))
			continue;
		if (!slot->probe == !first->probe)
			b->slots[b->nr++] = slot;
		else
			mutex_unlock(&slot->lock);
	}
}

static void change_many(struct storm_slot *first, struct rnd_state *rnd)
{
	struct batch b = { .slots = { first }, .nr = 1 };
	unsigned int i;

	gather(&b, first, rnd);
	if (first->probe)
		empty(&b);
	else
		fill(&b, !below(rnd, 6));
	/* The caller has locked the first one. */
	for (i = 1; i < b.nr; i++)
		mutex_unlock(&b.slots[i]->lock);
}

static void change(struct rnd_state *rnd)
{
	struct storm_slot *slot = &storm_slots[below(rnd, storm_nr_slots)];

	if (!mutex_trylock(&slot->lock))
		return;
	if (below(rnd, 5))
		change_one(slot, rnd);
	else
		change_many(slot, rnd);
	mutex_unlock(&slot->lock);
}

static int work(void *data)
{
	struct rnd_state *rnd = data;

#ifdef CONFIG_FAULT_INJECTION
	current->make_it_fail = fail_slabs;
#endif
	while (!kthread_should_stop()) {
		u64 begin = ktime_get_ns();

		change(rnd);
		/* Slots rest most of the time, so that most calls count exactly. */
		storm_rest(begin, 2);
	}
	return 0;
}

/**
 * storm_start_operations() - begin to change slots
 * @start: how
 *
 * Context: Process context, may sleep. storm_stop_operations() ends it, also if this has failed.
 * Return: 0 or a negative errno.
 */
int storm_start_operations(const struct storm_start *start)
{
	unsigned int i;

	fail_slabs = start->fail;
	for (i = 0; i < WORKERS; i++) {
		struct task_struct *task;

		prandom_seed_state(&random[i], start->seed + i);
		task = kthread_run(work, &random[i], "storm_worker/%u", i);
		if (IS_ERR(task))
			return PTR_ERR(task);
		workers[i] = task;
	}
	return 0;
}

/**
 * storm_stop_operations() - end changing slots, and unregister what is left in them
 *
 * Context: Process context, may sleep.
 */
void storm_stop_operations(void)
{
	unsigned int i;

	for (i = 0; i < WORKERS; i++)
		if (workers[i])
			kthread_stop(workers[i]);
	memset(workers, 0, sizeof(workers));
	for (i = 0; i < storm_nr_slots; i++) {
		struct storm_slot *slot = &storm_slots[i];
		struct batch b = { .slots = { slot }, .nr = 1 };

		if (slot->probe)
			empty(&b);
	}
}
