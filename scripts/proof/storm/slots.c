// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Slots for probes, the probes' handlers, and the books. Handlers count with instructions of their
 * own alone; those of one target call another one.
 */
#include <linux/kprobes.h>
#include <linux/poison.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "internal.h"

/* Functions of the kernel that are probed as well. Nobody counts their calls. */
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

static void call_nested(const struct storm_slot *slot)
{
	unsigned int i;

	if (!slot->target || slot->target != storm_targets)
		return;
	for (i = 0; i < TARGETS; i++)
		if (storm_targets[i].nested)
			storm_call(&storm_targets[i], 1);
}
NOKPROBE_SYMBOL(call_nested);

static int pre_handler(struct kprobe *p, struct pt_regs *regs)
{
	struct storm_slot *slot = slot_of(container_of(p, struct storm_probe, rp.kp));

	if (!slot)
		return 0;
	atomic_long_inc(&slot->handled);
	if (!(atomic_long_read(&slot->handled) % 16))
		call_nested(slot);
	return 0;
}
NOKPROBE_SYMBOL(pre_handler);

static void post_handler(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	struct storm_slot *slot = slot_of(container_of(p, struct storm_probe, rp.kp));

	if (slot)
		atomic_long_inc(&slot->posts);
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
		atomic_long_inc(entry ? &slot->entries : &slot->handled);
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

static bool has_post(const struct storm_slot *slot)
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
	if (has_post(slot))
		probe->rp.kp.post_handler = post_handler;
	return probe;
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
	storm_set_phase(&slot->phase, slot->enabled ? STORM_ON : STORM_OFF);
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
	unsigned int i;

	slot->missed += probe->rp.kp.nmissed;
	slot->lost += storm_is_return(slot) ? probe->rp.nmissed : 0;
	for (i = 0; i < ARRAY_SIZE(probe->rp.kp.misses); i++)
		slot->causes += atomic_long_read(&probe->rp.kp.misses[i]);
	memset(probe, POISON_FREE, sizeof(*probe));
	kfree(probe);
	slot->probe = NULL;
	slot->enabled = false;
	storm_set_phase(&slot->phase, STORM_OFF);
}

static bool is_between(u64 n, const struct storm_book *book)
{
	return n >= book->must && n <= book->must + book->may;
}

/*
 * Rules: 1 and 2: what had to be hit was handled, or missed, and no more was; 3: post-handlers run
 * like pre-handlers; 4: what has returned was entered; 5: misses by causes are misses.
 */
static u32 check_book(const struct storm_book *book, const struct storm_slot *slot)
{
	u64 sum = book->handled + book->missed + book->lost;

	if (book->causes > book->missed)
		return 5;
	if (storm_is_return(slot) && book->handled > book->entries)
		return 4;
	if (!slot->target)
		return !storm_is_return(slot) && book->lost ? 2 : 0;
	if (!is_between(sum, book))
		return sum < book->must ? 1 : 2;
	if (has_post(slot) && !is_between(book->posts + book->missed, book))
		return 3;
	return 0;
}

static const char * const kinds[STORM_KINDS] = {
	"entry", "entry post", "inside", "inside post", "return", "return one",
};

/**
 * storm_get_book() - look at a slot's book
 * @book: its index; filled in
 *
 * Context: Process context. Nothing is registered or called.
 * Return: 0, or -ERANGE after the last one.
 */
int storm_get_book(struct storm_book *book)
{
	const struct storm_slot *slot;

	if (book->index >= NR_SLOTS)
		return -ERANGE;
	slot = &storm_slots[book->index];
	*book = (struct storm_book){
		.index = book->index,
		.must = atomic_long_read(&slot->must),
		.may = atomic_long_read(&slot->may),
		.never = atomic_long_read(&slot->never),
		.handled = atomic_long_read(&slot->handled),
		.posts = atomic_long_read(&slot->posts),
		.entries = atomic_long_read(&slot->entries),
		.missed = slot->missed,
		.causes = slot->causes,
		.lost = slot->lost,
		.probes = slot->probes,
	};
	snprintf(book->name, sizeof(book->name), "%.20s %s",
		 slot->target ? slot->target->name : slot->symbol, kinds[slot->kind]);
	book->wrong = check_book(book, slot);
	return 0;
}

/**
 * storm_reset_books() - begin anew
 *
 * Context: Process context. Nothing is registered or called.
 */
void storm_reset_books(void)
{
	unsigned int i;

	for (i = 0; i < NR_SLOTS; i++) {
		struct storm_slot *slot = &storm_slots[i];

		atomic_long_set(&slot->must, 0);
		atomic_long_set(&slot->may, 0);
		atomic_long_set(&slot->never, 0);
		atomic_long_set(&slot->handled, 0);
		atomic_long_set(&slot->posts, 0);
		atomic_long_set(&slot->entries, 0);
		slot->missed = 0;
		slot->causes = 0;
		slot->lost = 0;
		slot->probes = 0;
	}
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
		slot->kind = other % 2 ? STORM_RETURN : STORM_ENTRY_POST;
	}
}
