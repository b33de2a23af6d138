/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _STORM_H
#define _STORM_H

/* What the storm's module and the program that drives it agree on. */
#include <linux/ioctl.h>
#include <linux/types.h>

#define STORM_NAME	40

/**
 * struct storm_start - a round
 * @seed: decides what happens
 * @fail: the tasks that register are to be failed by failslab
 * @witness: ftrace is to count calls of functions of the kernel
 * @unused: for alignment
 */
struct storm_start {
	__u32 seed;
	__u32 fail;
	__u32 witness;
	__u32 unused;
};

/*
 * Sums in a slot's book, of hits. A call of a target in which the slot's probe was stable counts
 * exactly, so that the handlers of each such call are checked.
 */
enum storm_sum {
	STORM_MUST,		/* the probe was on, and the caller was no handler */
	STORM_MUST_ABSENT,	/* of these, hits without handlers */
	STORM_NESTED,		/* the probe was on, and the caller was a handler */
	STORM_MAY,		/* the probe changed, and the caller was no handler */
	STORM_MAY_ABSENT,	/* of these, hits without handlers */
	STORM_MAY_NESTED,	/* the probe changed, and the caller was a handler */
	STORM_NEVER,		/* the probe was off */
	STORM_HANDLED,		/* calls of the pre-handler or the return handler */
	STORM_POSTS,		/* calls of the post-handler */
	STORM_ENTRIES,		/* calls of the entry handler */
	STORM_SUMS_OF_BOOK,
};

/* Rules of the books. */
enum storm_rule {
	STORM_LOST,		/* a hit was neither handled nor missed */
	STORM_NOT_NESTED,	/* a hit from a handler was not missed as nested */
	STORM_EXCESS,		/* more misses than hits without handlers */
	STORM_NESTED_EXCESS,	/* more nested misses than hits from handlers */
	STORM_AWAKE,		/* a handler ran while the probe was off */
	STORM_TWICE,		/* handlers ran more often than the probe was hit */
	STORM_POST_MISMATCH,	/* post-handlers ran more or less often than pre-handlers */
	STORM_RETURN_MISMATCH,	/* returns were handled more or less often than entries */
	STORM_UNANSWERED,	/* a witnessed call was neither handled nor missed */
	STORM_RULES,
};

/**
 * struct storm_book - the book of a slot, over all the probes that were in it
 * @index:   which slot
 * @wrong:   bits of the rules that do not hold
 * @name:    what it probes
 * @sums:    what the storm has counted
 * @missed:  hits whose handlers did not run, as the kernel has counted them
 * @inner:   those of them that the kernel has counted as nested
 * @lost:    calls whose return was not probed, as the kernel has counted them
 * @probes:  how many probes were in it
 * @terms:   times in which calls of a function were witnessed
 * @witnessed:  calls in these
 * @unanswered: those of them that were neither handled nor missed
 */
struct storm_book {
	__u32 index;
	__u32 wrong;
	char name[STORM_NAME];
	__u64 sums[STORM_SUMS_OF_BOOK];
	__u64 missed;
	__u64 inner;
	__u64 lost;
	__u64 probes;
	__u64 terms;
	__u64 witnessed;
	__u64 unanswered;
};

/**
 * struct storm_sums - of a round
 * @calls:     calls of targets
 * @nmis:      NMIs in which all targets were called
 * @results:   calls with a wrong result
 * @late:      handlers that ran for a probe that was not registered
 * @strays:    handlers of targets that ran outside calls
 * @changes:   of probes that succeeded
 * @no_memory: that failed for lack of memory
 * @errors:    that failed otherwise and must not have
 * @error:     why, the last of these, a negative errno
 * @unused:    for alignment
 */
struct storm_sums {
	__u64 calls;
	__u64 nmis;
	__u64 results;
	__u64 late;
	__u64 strays;
	__u64 changes;
	__u64 no_memory;
	__u64 errors;
	__s32 error;
	__u32 unused;
};

/**
 * struct storm_calls - calls of the target that nobody else calls
 * @number: how many
 * @must:   while all probes were armed
 */
struct storm_calls {
	__u32 number;
	__u32 must;
};

/* States of something that calls depend on. */
enum { STORM_OFF, STORM_ON, STORM_CHANGING };

#define STORM_START	_IOW('S', 1, struct storm_start)
/* Ends the round: nothing is registered, nothing is called. */
#define STORM_STOP	_IO('S', 2)
#define STORM_SUMS	_IOR('S', 3, struct storm_sums)
#define STORM_BOOK	_IOWR('S', 4, struct storm_book)
/* The state of the file "enabled". */
#define STORM_KNOB	_IOW('S', 5, __u32)
#define STORM_CALL	_IOWR('S', 6, struct storm_calls)

#endif /* _STORM_H */
