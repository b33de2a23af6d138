/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_TESTS_TORTURE_H
#define _KERNEL_KPROBES_TESTS_TORTURE_H

/*
 * torture.c has the threads, torture_books.c the targets, the handlers and the books,
 * torture_figures.c what is printed of them.
 */
#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>

/* A probe that is on is called disarmed while the file "enabled" is off. */
enum torture_state { TORTURE_OFF, TORTURE_ON, TORTURE_CHANGING, TORTURE_DISARMED };

/*
 * A phase is a number that grows with each change, and a state in its lowest bits. What had the
 * same phase before and after a call had that state throughout.
 */
#define TORTURE_STATE(phase)	((phase) & 3)

static inline void torture_set_state(unsigned long *phase, enum torture_state state)
{
	/* A change that has ended comes before its new state: pairs with read_phases(). */
	smp_store_release(phase, ((READ_ONCE(*phase) | 3) + 1) | state);
	/* CHANGING comes before the change: pairs with the barriers of torture_call(). */
	smp_mb();
}

/*
 * What is counted of a slot: calls of handlers, and hits of its probe as calls of its target tell.
 * Absent are hits without handlers.
 */
enum torture_sum {
	TORTURE_PRE,		/* of a return probe: its return handler */
	TORTURE_POST,
	TORTURE_ENTERED,	/* the entry handler of a return probe */
	TORTURE_HANDLERS,
	TORTURE_STABLE = TORTURE_HANDLERS,	/* the probe was on, and no handler the caller */
	TORTURE_STABLE_ABSENT,
	TORTURE_STABLE_NESTED,	/* the probe was on, and the caller was a handler */
	TORTURE_UNSTABLE,	/* the same while the probe changed */
	TORTURE_UNSTABLE_ABSENT,
	TORTURE_UNSTABLE_NESTED,
	TORTURE_NEVER,		/* the probe was off */
	TORTURE_SUMS,
};

/* A place for a probe that comes and goes. */
struct torture_slot {
	struct mutex lock;	/* held by who changes the probe */
	const char *symbol;
	unsigned int offset;
	bool has_post;
	bool is_return;
	int maxactive;
	unsigned int together;	/* so many probes of such slots are changed at once */
	const struct torture_target *target;	/* NULL if others call the function */
	unsigned int index;	/* among the target's slots */
	unsigned long phase;	/* ON while the probe is registered and enabled */
	struct torture_probe *probe;
	atomic_long_t sums[TORTURE_SUMS];
	unsigned long broken;	/* rules of the books */
	/* What the kernel has counted for all probes that were here: */
	unsigned long missed;
	unsigned long lost;	/* calls whose return was not probed */
};

/* A probe. Its memory is poisoned and freed as soon as it is unregistered. */
struct torture_probe {
	unsigned int magic;
	struct torture_slot *slot;
	struct kretprobe rp;	/* or its kprobe alone */
};

struct torture_call;

/* What has happened: the sums of all slots, and */
enum torture_count {
	TORTURE_IN_TASK = TORTURE_SUMS,	/* calls, by context */
	TORTURE_IN_SOFTIRQ,
	TORTURE_IN_HARDIRQ,
	TORTURE_REGISTERED,	/* probes */
	TORTURE_TOGGLED,	/* probes that were enabled or disabled */
	TORTURE_REGISTERED_TWICE, /* probes that were refused because they were registered */
	TORTURE_JUMPS,		/* probes that were entered so before they were unregistered */
	TORTURE_FTRACED,
	TORTURE_TRAPS,
	TORTURE_WALKS,		/* stacks that were read */
	TORTURE_NO_MEMORY,	/* changes that failed for lack of memory */
	TORTURE_REFUSED,	/* that could not be made */
	TORTURE_FAILED,		/* that failed otherwise */
	TORTURE_LATE,		/* handlers of a probe that was unregistered */
	TORTURE_STRAY,		/* handlers of a target outside its calls */
	TORTURE_MIXED_UP,	/* return handlers with another call's data */
	TORTURE_WRONG,		/* calls with a wrong result */
	TORTURE_COUNTS,
};

extern atomic_long_t torture_counts[TORTURE_COUNTS];
extern unsigned long torture_armed;
extern int torture_hold_us;
/* At most. */
#define TORTURE_BATCH	64

extern struct torture_slot torture_slots[];
extern unsigned int torture_nr_slots;

static inline void torture_count(enum torture_count what, unsigned int n)
{
	atomic_long_add(n, &torture_counts[what]);
}

int torture_init_books(void);
void torture_init_probe(struct torture_probe *probe, struct torture_slot *slot);
void torture_book_probe(struct torture_slot *slot);
void torture_call_all(enum torture_count context, bool sleep);
struct torture_call **torture_call_of_task(void);
void torture_add_up(void);
bool torture_books_are_right(void);
bool torture_print_figures(int last_error);
bool torture_text_is_back(void);

#endif /* _KERNEL_KPROBES_TESTS_TORTURE_H */
