/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _STORM_INTERNAL_H
#define _STORM_INTERNAL_H

#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>

#include "storm.h"

/*
 * A phase is a number that grows with each change, and a state in its lowest bits. What had the
 * same phase before and after a call had that state throughout.
 */
#define STORM_STATE(phase)	((phase) & 3)

static inline void storm_set_phase(unsigned long *phase, unsigned int state)
{
	/* What made the change comes before it, and calls that see it come after. */
	smp_store_release(phase, (((READ_ONCE(*phase) >> 2) + 1) << 2) | state);
}

/**
 * struct storm_target - a function that is called and probed
 * @name:     its name
 * @function: the function
 * @plus:     what it adds to its argument
 * @hits:     how often a call hits a probe in it
 * @sleeps:   it may sleep
 * @nested:   called by handlers, too
 * @kept:     called by STORM_CALL alone
 * @inside:   offset of an instruction that is not the first one
 */
struct storm_target {
	const char *name;
	long (*function)(long a);
	long plus;
	unsigned int hits;
	bool sleeps;
	bool nested;
	bool kept;
	unsigned int inside;
};

long storm_plain(long a);
long storm_recursive(long a);
long storm_sleeping(long a);
long storm_nested(long a);
long storm_kept(long a);

extern struct storm_target storm_targets[];
extern const unsigned int storm_nr_targets;

/* Of these slots each target has one. */
enum storm_kind {
	STORM_ENTRY,		/* at the entry, pre-handler alone */
	STORM_ENTRY_POST,
	STORM_INSIDE,
	STORM_INSIDE_POST,
	STORM_RETURN,
	STORM_RETURN_FEW,	/* with one instance */
	STORM_KINDS,
};

struct storm_probe;

/**
 * struct storm_slot - a place for a probe that comes and goes
 * @lock:    protects what only those change who change probes
 * @target:  what is probed; NULL for any other function
 * @symbol:  that function
 * @absent:  the kernel does not have it
 * @kind:    of probe
 * @phase:   a phase: ON while it is registered and enabled
 * @probe:   the probe, or NULL
 * @enabled: it is
 * @sums:    what calls and handlers count, see struct storm_book
 * @broken:  bits of rules that single calls have broken
 * @missed:  see struct storm_book
 * @inner:   see there
 * @lost:    see there
 * @probes:  see there
 * @term:    the term that is under way, if its function has a witness: see witness.c
 * @terms:   see struct storm_book
 * @witnessed:  see there
 * @unanswered: see there
 */
struct storm_slot {
	struct mutex lock;	/* for all but what handlers and callers count */
	const struct storm_target *target;
	const char *symbol;
	bool absent;
	enum storm_kind kind;
	unsigned long phase;
	struct storm_probe *probe;
	bool enabled;
	atomic_long_t sums[STORM_SUMS_OF_BOOK];
	unsigned long broken;
	unsigned long missed;
	unsigned long inner;
	unsigned long lost;
	unsigned long probes;
	struct {
		bool counts;
		unsigned long knob;
		unsigned long calls;
		unsigned long answered;
	} term;
	unsigned long terms;
	unsigned long witnessed;
	unsigned long unanswered;
};

static inline void storm_count(struct storm_slot *slot, enum storm_sum sum, unsigned long n)
{
	atomic_long_add(n, &slot->sums[sum]);
}

enum storm_handler { STORM_PRE, STORM_POST, STORM_ENTERED, STORM_HANDLERS };

/**
 * struct storm_tally - what handlers have seen of a call
 * @outer:  the tally of the call in whose handler or interrupt this one is made
 * @target: what is called
 * @nested: is the caller a handler?
 * @seen:   how often each slot's handlers have run. That of a return counts as PRE.
 */
struct storm_tally {
	struct storm_tally *outer;
	const struct storm_target *target;
	bool nested;
	unsigned int seen[STORM_HANDLERS][STORM_KINDS];
};

#define STORM_MAGIC	0x5707af07UL

/**
 * struct storm_probe - a probe in a slot, whose memory is poisoned once it is unregistered
 * @magic: STORM_MAGIC while it is registered
 * @slot:  the slot
 * @rp:    the return probe; else its kprobe is the probe
 */
struct storm_probe {
	unsigned long magic;
	struct storm_slot *slot;
	struct kretprobe rp;
};

/* main.c */
extern struct storm_sums storm_sums;
extern unsigned long storm_knob;
void storm_note_change(int error);

/* targets.c */
int storm_find_inside(void);

/* tally.c */
extern atomic_long_t storm_strays;
void storm_begin_tally(struct storm_tally *tally);
void storm_end_tally(struct storm_tally *tally);
void storm_note_handler(const struct storm_slot *slot, enum storm_handler what);

/* witness.c */
extern atomic_long_t storm_victim_calls, storm_victim_init_calls;
void storm_start_witnesses(void);
void storm_stop_witnesses(void);
void storm_begin_term(struct storm_slot *slot);
void storm_end_term(struct storm_slot *slot);

/* book.c */
void storm_book_call(struct storm_slot *slot, const struct storm_tally *tally, unsigned int state);
void storm_book_probe(struct storm_slot *slot);
void storm_reset_books(void);
int storm_get_book(struct storm_book *book);

/* slots.c */
extern struct storm_slot storm_slots[];
extern const unsigned int storm_nr_slots;
extern atomic_long_t storm_late;
void storm_init_slots(void);
bool storm_is_return(const struct storm_slot *slot);
bool storm_has_post(const struct storm_slot *slot);
struct storm_probe *storm_new_probe(struct storm_slot *slot);
void storm_free_probe(struct storm_probe *probe);
void storm_settle_slot(struct storm_slot *slot);
void storm_fill_slot(struct storm_slot *slot, struct storm_probe *probe);
void storm_empty_slot(struct storm_slot *slot);

/* operations.c */
int storm_start_operations(const struct storm_start *start);
void storm_stop_operations(void);

/* callers.c */
void storm_call(const struct storm_target *target, long a, bool nested);
bool storm_call_kept(void);
void storm_rest(u64 begin, unsigned int times);
int storm_start_callers(void);
void storm_stop_callers(void);
extern atomic_long_t storm_calls, storm_calls_in_nmi, storm_wrong_results;

#endif /* _STORM_INTERNAL_H */
