// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Slots for probes, and the probes' handlers. Handlers count with instructions of their own alone;
 * those of one target call another one.
 */
#include <linux/kprobes.h>
#include <linux/poison.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "internal.h"

/* Functions of the kernel that are probed as well. See witness.c for who counts their calls. */
static const char * const others[] = {
	"vfs_read", "vfs_write", "do_exit", "kernel_clone", "kmem_cache_free", "try_to_wake_up",
	"handle_mm_fault", "do_sys_openat2", "hrtimer_interrupt", "__queue_work", "load_module",
	"free_module", "ftrace_run_update_code", "proc_reg_read", "schedule_timeout",
	"storm_victim:storm_victim_called", "storm_victim:storm_victim_init_called",
};

#define TARGETS		5
#define NR_SLOTS	(TARGETS * STORM_KINDS + 2 * ARRAY_SIZE(others))

struct storm_slot storm_slots[NR_SLOTS];
const unsigned int storm_nr_slots = NR_SLOTS;
atomic_long_t storm_late;

/* The slot of a probe that is registered, or else NULL. */
static struct storm_slot *slot_of(struct storm_probe *probe)
{
	if (READ_ONCE(probe->magic) == STORM_MAGIC)
		return probe->slot;
	atomic_long_inc(&storm_late);
	return NULL;
}
NOKPROBE_SYMBOL(slot_of);

static void note(struct storm_slot *slot, enum storm_sum sum, enum storm_handler what)
{
	storm_count(slot, sum, 1);
	if (slot->target)
		storm_note_handler(slot, what);
}
NOKPROBE_SYMBOL(note);

static void call_nested(const struct storm_slot *slot)
{
	unsigned int i;

	if (!slot->target || slot->target != storm_targets)
		return;
	for (i = 0; i < TARGETS; i++)
		if (storm_targets[i].nested)
			storm_call(&storm_targets[i], 1, true);
}
NOKPROBE_SYMBOL(call_nested);

static int pre_handler(struct kprobe *p, struct pt_regs *regs)
{
	struct storm_slot *slot = slot_of(container_of(p, struct storm_probe, rp.kp));

	if (!slot)
		return 0;
	note(slot, STORM_HANDLED, STORM_PRE);
	if (!(atomic_long_read(&slot->sums[STORM_HANDLED]) % 16))
		call_nested(slot);
	return 0;
}
NOKPROBE_SYMBOL(pre_handler);

static void post_handler(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	struct storm_slot *slot = slot_of(container_of(p, struct storm_probe, rp.kp));

	if (slot)
		note(slot, STORM_POSTS, STORM_POST);
}
NOKPROBE_SYMBOL(post_handler);

static int count_return(struct kretprobe_instance *ri, bool entry)
{
	struct kretprobe *rp = get_kretprobe(ri);
	struct storm_slot *slot;

	if (!rp)
		return 0;
	slot = slot_of(container_of(rp, struct storm_probe, rp));
	if (slot)
		note(slot, entry ? STORM_ENTRIES : STORM_HANDLED,
		     entry ? STORM_ENTERED : STORM_PRE);
	return 0;
}
NOKPROBE_SYMBOL(count_return);

static int entry_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return count_return(ri, true);
}
NOKPROBE_SYMBOL(entry_handler);

static int return_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return count_return(ri, false);
}
NOKPROBE_SYMBOL(return_handler);

/**
 * storm_is_return() - does a return probe belong into a slot?
 * @slot: the slot
 *
 * Context: Any.
 * Return: Whether it does.
 */
bool storm_is_return(const struct storm_slot *slot)
{
	return slot->kind >= STORM_RETURN;
}

/**
 * storm_has_post() - does a probe with a post-handler belong into a slot?
 * @slot: the slot
 *
 * Context: Any.
 * Return: Whether it does.
 */
bool storm_has_post(const struct storm_slot *slot)
{
	return slot->kind == STORM_ENTRY_POST || slot->kind == STORM_INSIDE_POST;
}

static void set_place(struct kprobe *kp, const struct storm_slot *slot)
{
	if (!slot->target) {
		kp->symbol_name = slot->symbol;
		return;
	}
	kp->addr = (void *)slot->target->function;
	if (slot->kind == STORM_INSIDE || slot->kind == STORM_INSIDE_POST)
		kp->offset = slot->target->inside;
}

/**
 * storm_new_probe() - make a probe for a slot
 * @slot: the slot, which is locked
 *
 * Context: Process context, may sleep.
 * Return: The probe, or NULL without memory.
 */
struct storm_probe *storm_new_probe(struct storm_slot *slot)
{
	struct storm_probe *probe = kzalloc(sizeof(*probe), GFP_KERNEL);

	if (!probe)
		return NULL;
	probe->magic = STORM_MAGIC;
	probe->slot = slot;
	set_place(&probe->rp.kp, slot);
	if (storm_is_return(slot)) {
		probe->rp.handler = return_handler;
		probe->rp.entry_handler = entry_handler;
		probe->rp.maxactive = slot->kind == STORM_RETURN_FEW;
		return probe;
	}
	probe->rp.kp.pre_handler = pre_handler;
	if (storm_has_post(slot))
		probe->rp.kp.post_handler = post_handler;
	return probe;
}

/**
 * storm_free_probe() - poison the memory of a probe, and free it
 * @probe: the probe, which nobody may use: it was unregistered, or refused
 *
 * Context: Process context.
 */
void storm_free_probe(struct storm_probe *probe)
{
	memset(probe, POISON_FREE, sizeof(*probe));
	kfree(probe);
}

/**
 * storm_settle_slot() - a change of a slot has ended
 * @slot: the slot, which is locked and CHANGING
 *
 * Context: Process context.
 */
void storm_settle_slot(struct storm_slot *slot)
{
	storm_set_phase(&slot->phase, slot->enabled ? STORM_ON : STORM_OFF);
	if (slot->enabled && !slot->target)
		storm_begin_term(slot);
}

/**
 * storm_fill_slot() - note that a slot's probe was registered, or was not
 * @slot:  the slot, which is locked and CHANGING
 * @probe: the probe; NULL if it was not
 *
 * Context: Process context.
 */
void storm_fill_slot(struct storm_slot *slot, struct storm_probe *probe)
{
	slot->probe = probe;
	slot->enabled = probe && !kprobe_disabled(&probe->rp.kp);
	slot->probes += !!probe;
	storm_settle_slot(slot);
}

/**
 * storm_empty_slot() - close the book of a slot's probe, and free its memory at once
 * @slot: the slot, which is locked and CHANGING. Its probe was unregistered.
 *
 * Context: Process context.
 */
void storm_empty_slot(struct storm_slot *slot)
{
	struct storm_probe *probe = slot->probe;

	storm_book_probe(slot);
	storm_free_probe(probe);
	slot->probe = NULL;
	slot->enabled = false;
	storm_settle_slot(slot);
}

/* Compilers inline functions: not every kernel has all of them. Those of the module come later. */
static bool is_absent(const char *symbol)
{
	struct kprobe p = { .symbol_name = symbol, .flags = KPROBE_FLAG_DISABLED };
	int ret;

	if (strchr(symbol, ':'))
		return false;
	ret = register_kprobe(&p);
	if (!ret)
		unregister_kprobe(&p);
	if (ret == -ENOENT)
		pr_notice("# the kernel does not have %s\n", symbol);
	return ret == -ENOENT;
}

/**
 * storm_init_slots() - say what belongs into each slot
 *
 * Those of a target come one after the other, and then those of other functions.
 *
 * Context: Process context.
 */
void storm_init_slots(void)
{
	unsigned int i;

	for (i = 0; i < NR_SLOTS; i++) {
		struct storm_slot *slot = &storm_slots[i];
		unsigned int other = i - TARGETS * STORM_KINDS;

		mutex_init(&slot->lock);
		if (i < TARGETS * STORM_KINDS) {
			slot->target = &storm_targets[i / STORM_KINDS];
			slot->kind = i % STORM_KINDS;
			continue;
		}
		slot->symbol = others[other / 2];
		slot->absent = is_absent(slot->symbol);
		slot->kind = other % 2 ? STORM_RETURN : STORM_ENTRY_POST;
	}
}
