// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The probes of a phase of the sweep, their handlers, and the text that they are put into. The
 * caller serializes all but the handlers.
 *
 * Handlers count with instructions of their own alone: they call nothing that may be probed.
 */
#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "probes.h"

#ifndef KPROBE_HIT_OFFSET
#define KPROBE_HIT_OFFSET	0
#endif

/**
 * struct proof_return - a return probe
 * @rp:      the return probe
 * @error:   of registering it
 * @entries: calls of the entry handler
 * @returns: calls of the handler
 * @before:  hits of the probe at the same address before the return probe was armed
 */
struct proof_return {
	struct kretprobe rp;
	int error;
	atomic_t entries;
	atomic_t returns;
	unsigned int before;
};

/**
 * struct proof_probe - a probe
 * @kp:        the probe
 * @record:    its record
 * @error:     of registering it
 * @shown:     its flags when it was last looked at
 * @hits:      calls of the pre-handler
 * @posts:     calls of the post-handler
 * @faults:    calls of the fault handler
 * @wrong:     calls with a wrong instruction pointer
 * @early:     hits before the optimizer was turned on
 * @late:      hits after it was done
 * @until:     hits before it began to be disarmed
 * @returning: the return probe at the same address, or NULL
 */
struct proof_probe {
	struct kprobe kp;
	const struct proof_record *record;
	int error;
	u32 shown;
	atomic_t hits;
	atomic_t posts;
	atomic_t faults;
	atomic_t wrong;
	unsigned int early;
	unsigned int late;
	unsigned int until;
	struct proof_return *returning;
};

static struct proof_text texts[PROOF_OBJECTS];
static u8 *copies[PROOF_OBJECTS];

static struct proof_record *plan;
static struct proof_probe *probes;
static unsigned int nr_probes;
static struct proof_return *returns;

/* What is registered. */
static struct kprobe **kps;
static struct kretprobe **rps;
static unsigned int nr_kps, nr_rps;

static nokprobe_inline struct proof_probe *probe_of(struct kprobe *p)
{
	return container_of(p, struct proof_probe, kp);
}

static int notrace count_hit(struct kprobe *p, struct pt_regs *regs)
{
	struct proof_probe *probe = probe_of(p);

	raw_atomic_inc(&probe->hits);
	if (instruction_pointer(regs) != (unsigned long)p->addr + KPROBE_HIT_OFFSET)
		raw_atomic_inc(&probe->wrong);
	return 0;
}
NOKPROBE_SYMBOL(count_hit);

/* An entry is probed after its landing pad: what comes next is not known from the plan. */
static void notrace count_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	struct proof_probe *probe = probe_of(p);
	const struct proof_record *record = probe->record;

	raw_atomic_inc(&probe->posts);
	if ((record->flags & PROOF_SEQUENTIAL) &&
	    (unsigned long)p->addr == texts[record->object].start + record->offset &&
	    instruction_pointer(regs) != (unsigned long)p->addr + record->length)
		raw_atomic_inc(&probe->wrong);
}
NOKPROBE_SYMBOL(count_post);

static int notrace count_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	raw_atomic_inc(&probe_of(p)->faults);
	return 0;
}
NOKPROBE_SYMBOL(count_fault);

/* NULL while it is being unregistered. */
static nokprobe_inline struct proof_return *return_of(struct kretprobe_instance *ri)
{
	struct kretprobe *rp = get_kretprobe(ri);

	return rp ? container_of(rp, struct proof_return, rp) : NULL;
}

static int notrace count_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct proof_return *r = return_of(ri);

	if (r)
		raw_atomic_inc(&r->entries);
	return 0;
}
NOKPROBE_SYMBOL(count_entry);

static int notrace count_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct proof_return *r = return_of(ri);

	if (r)
		raw_atomic_inc(&r->returns);
	return 0;
}
NOKPROBE_SYMBOL(count_return);

static kprobe_opcode_t *address(const struct proof_record *record)
{
	return (void *)(unsigned long)(texts[record->object].start + record->offset);
}

/* A probe can be registered again. */
static void set_probe(struct proof_probe *probe, u32 flags)
{
	probe->kp.addr = address(probe->record);
	probe->kp.offset = 0;
	probe->kp.flags = flags;
}

static void set_return(struct proof_probe *probe, u32 flags)
{
	struct kretprobe *rp = &probe->returning->rp;

	rp->kp.addr = address(probe->record);
	rp->kp.offset = 0;
	rp->kp.flags = flags;
	rp->maxactive = 0;
}

static void set_handlers(struct proof_probe *probe, struct proof_return **next)
{
	u8 flags = probe->record->flags;

	probe->kp.pre_handler = count_hit;
	if (flags & PROOF_POST) {
		probe->kp.post_handler = count_post;
		probe->kp.fault_handler = count_fault;
	}
	if (flags & PROOF_RETURN) {
		probe->returning = (*next)++;
		probe->returning->rp.entry_handler = count_entry;
		probe->returning->rp.handler = count_return;
	}
}

/**
 * proof_set_text() - say where an object's text is
 * @text: the text
 *
 * Context: Process context.
 * Return: 0 or -EINVAL.
 */
int proof_set_text(const struct proof_text *text)
{
	if (text->object >= PROOF_OBJECTS)
		return -EINVAL;
	texts[text->object] = *text;
	return 0;
}

static bool is_in_text(const struct proof_record *record)
{
	return record->object < PROOF_OBJECTS && record->offset < texts[record->object].size;
}

static unsigned int count_returning(const struct proof_record *records, unsigned int number)
{
	unsigned int i, n = 0;

	for (i = 0; i < number; i++)
		n += !!(records[i].flags & PROOF_RETURN);
	return n;
}

static int make_probes(const struct proof_record *records, unsigned int number)
{
	unsigned int returning = count_returning(records, number);

	plan = kvmemdup(records, number * sizeof(*plan), GFP_KERNEL);
	probes = kvcalloc(number, sizeof(*probes), GFP_KERNEL);
	kps = kvcalloc(number, sizeof(*kps), GFP_KERNEL);
	returns = kvcalloc(returning + 1, sizeof(*returns), GFP_KERNEL);
	rps = kvcalloc(returning + 1, sizeof(*rps), GFP_KERNEL);
	return plan && probes && kps && returns && rps ? 0 : -ENOMEM;
}

/**
 * proof_load() - begin a phase
 * @records: its records
 * @number:  how many
 *
 * Context: Process context, may sleep. No probes are registered.
 * Return: 0, -EINVAL if a record is outside of the text, -ENOMEM.
 */
int proof_load(const struct proof_record *records, unsigned int number)
{
	struct proof_return *next;
	unsigned int i;

	proof_unload();
	for (i = 0; i < number; i++)
		if (!is_in_text(&records[i]))
			return -EINVAL;
	if (make_probes(records, number)) {
		proof_unload();
		return -ENOMEM;
	}
	nr_probes = number;
	next = returns;
	for (i = 0; i < number; i++) {
		probes[i].record = &plan[i];
		set_handlers(&probes[i], &next);
	}
	return 0;
}

/**
 * proof_unload() - end a phase
 *
 * Context: Process context, may sleep.
 */
void proof_unload(void)
{
	proof_disarm();
	kvfree(plan);
	kvfree(probes);
	kvfree(kps);
	kvfree(returns);
	kvfree(rps);
	plan = NULL;
	probes = NULL;
	kps = NULL;
	returns = NULL;
	rps = NULL;
	nr_probes = 0;
}

/* Returns how many were refused. */
static unsigned int try(struct proof_probe *probe)
{
	set_probe(probe, KPROBE_FLAG_DISABLED);
	probe->error = register_kprobe(&probe->kp);
	if (!probe->error)
		kps[nr_kps++] = &probe->kp;
	if (!probe->returning)
		return !!probe->error;
	set_return(probe, KPROBE_FLAG_DISABLED);
	probe->returning->error = register_kretprobe(&probe->returning->rp);
	if (!probe->returning->error)
		rps[nr_rps++] = &probe->returning->rp;
	return !!probe->error + !!probe->returning->error;
}

/**
 * proof_examine() - find out which probes are refused
 * @examination: where to begin, and after how many refused ones to stop
 *
 * Each probe is registered, not armed, and unregistered. The kernel remembers the reasons of the
 * last refused calls only: the caller reads them in between.
 *
 * Context: Process context, may sleep.
 */
void proof_examine(struct proof_examination *examination)
{
	unsigned int refused = 0, i;

	for (i = examination->from; i < nr_probes && refused + 2 <= examination->limit; i++) {
		refused += try(&probes[i]);
		cond_resched();
	}
	proof_disarm();
	examination->from = i;
}

static void gather(struct proof_probe *probe)
{
	if (!probe->error) {
		set_probe(probe, 0);
		kps[nr_kps++] = &probe->kp;
	}
	if (probe->returning && !probe->returning->error) {
		set_return(probe, 0);
		rps[nr_rps++] = &probe->returning->rp;
	}
}

/* Hits of the probe at the same address tell how often a return probe has to be entered. */
static void note_hits_before(void)
{
	unsigned int i;

	for (i = 0; i < nr_probes; i++)
		if (probes[i].returning)
			probes[i].returning->before = atomic_read(&probes[i].hits);
}

static void note_hits_until(void)
{
	unsigned int i;

	for (i = 0; i < nr_probes; i++)
		probes[i].until = atomic_read(&probes[i].hits);
}

/**
 * proof_arm() - register all probes that are not refused, together
 * @armed: how many there are
 *
 * Context: Process context, may sleep.
 */
void proof_arm(struct proof_armed *armed)
{
	unsigned int i;

	nr_kps = 0;
	nr_rps = 0;
	for (i = 0; i < nr_probes; i++)
		gather(&probes[i]);
	armed->error = nr_kps ? register_kprobes(kps, nr_kps) : 0;
	if (armed->error)
		nr_kps = 0;
	else if (nr_rps)
		armed->error = register_kretprobes(rps, nr_rps);
	if (armed->error)
		nr_rps = 0;
	note_hits_before();
	armed->probes = nr_kps;
	armed->returns = nr_rps;
}

/**
 * proof_disarm() - unregister all probes
 *
 * Context: Process context, may sleep.
 */
void proof_disarm(void)
{
	note_hits_until();
	/* A task that was preempted in the copy of an instruction still gets its post-handler. */
	synchronize_rcu_tasks();
	if (nr_rps)
		unregister_kretprobes(rps, nr_rps);
	if (nr_kps)
		unregister_kprobes(kps, nr_kps);
	nr_kps = 0;
	nr_rps = 0;
}

/**
 * proof_jumps() - look at the probes' mechanisms
 *
 * Context: Process context.
 * Return: How many are reached by a jump.
 */
unsigned int proof_jumps(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < nr_kps; i++) {
		u32 flags = READ_ONCE(kps[i]->flags);

		probe_of(kps[i])->shown = flags;
		n += !!(flags & KPROBE_FLAG_OPTIMIZED);
	}
	return n;
}

/**
 * proof_note_mechanism() - tell hits of a mechanism apart from those of another one
 * @optimized: the optimizer is done; else it is about to be turned on
 *
 * Context: Process context.
 */
void proof_note_mechanism(bool optimized)
{
	unsigned int i, hits;

	for (i = 0; i < nr_probes; i++) {
		hits = atomic_read(&probes[i].hits);
		if (optimized)
			probes[i].late = hits;
		else
			probes[i].early = hits;
	}
}

/**
 * proof_copy_text() - remember the text as it is
 *
 * Context: Process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int proof_copy_text(void)
{
	unsigned int i;

	for (i = 0; i < PROOF_OBJECTS; i++) {
		kvfree(copies[i]);
		copies[i] = NULL;
		if (!texts[i].size)
			continue;
		copies[i] = kvmalloc(texts[i].size, GFP_KERNEL);
		if (!copies[i])
			return -ENOMEM;
		memcpy(copies[i], (void *)(unsigned long)texts[i].start, texts[i].size);
	}
	return 0;
}

/* Copies a part of a text that may begin before it or end after it. */
static void show(u8 *to, const u8 *from, unsigned long at, unsigned long size)
{
	unsigned long i;

	for (i = 0; i < 3 * PROOF_WINDOW; i++)
		if (at + i >= PROOF_WINDOW && at + i - PROOF_WINDOW < size)
			to[i] = READ_ONCE(from[at + i - PROOF_WINDOW]);
}

static unsigned int count_different(const u8 *now, const u8 *copy, unsigned long number)
{
	unsigned int i, n = 0;

	for (i = 0; i < number; i++)
		n += READ_ONCE(now[i]) != copy[i];
	return n;
}

/**
 * proof_compare_text() - find where a text differs from its copy
 * @difference: where to begin; filled in
 *
 * Context: Process context.
 * Return: 0, or -EINVAL if there is no copy of the text.
 */
int proof_compare_text(struct proof_difference *difference)
{
	struct proof_difference *d = difference;
	const u8 *now, *copy;
	unsigned long size;

	if (d->object >= PROOF_OBJECTS || !copies[d->object])
		return -EINVAL;
	now = (void *)(unsigned long)texts[d->object].start;
	copy = copies[d->object];
	size = texts[d->object].size;
	*d = (struct proof_difference){ .object = d->object, .from = d->from };
	for (; d->from < size && !d->bytes; d->from += PROOF_WINDOW)
		d->bytes = count_different(now + d->from, copy + d->from,
					   min_t(u64, PROOF_WINDOW, size - d->from));
	if (!d->bytes)
		return 0;
	d->at = (unsigned long)now + d->from - PROOF_WINDOW;
	show(d->before, copy, d->from - PROOF_WINDOW, size);
	show(d->now, now, d->from - PROOF_WINDOW, size);
	return 0;
}

static u32 mechanism(const struct proof_probe *probe)
{
	if (probe->shown & KPROBE_FLAG_FTRACE)
		return 'f';
	return probe->shown & KPROBE_FLAG_OPTIMIZED ? 'j' : 'b';
}

/**
 * proof_result() - get what became of a record
 * @i:      its index
 * @result: filled in
 *
 * Context: Process context.
 * Return: 0, or -ERANGE at the end.
 */
int proof_result(unsigned int i, struct proof_result *result)
{
	const struct proof_probe *probe;
	const struct proof_return *returning;

	if (i >= nr_probes)
		return -ERANGE;
	probe = &probes[i];
	returning = probe->returning;
	*result = (struct proof_result){
		.error = probe->error,
		.hits = atomic_read(&probe->hits),
		.posts = atomic_read(&probe->posts),
		.faults = atomic_read(&probe->faults),
		.missed = probe->kp.nmissed,
		.wrong = atomic_read(&probe->wrong),
		.mechanism = mechanism(probe),
		.early = probe->early,
	};
	result->late = result->hits - probe->late;
	result->leaving = result->hits - probe->until;
	if (!returning)
		return 0;
	result->return_error = returning->error;
	result->entries = atomic_read(&returning->entries);
	result->returns = atomic_read(&returning->returns);
	result->lost = returning->rp.nmissed;
	result->outside = result->hits - (probe->until - returning->before);
	return 0;
}
