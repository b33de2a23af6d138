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
 */
struct storm_start {
	__u32 seed;
	__u32 fail;
};

/**
 * struct storm_book - the book of a slot, over all the probes that were in it
 * @index:   which slot
 * @wrong:   0, or which rule does not hold, see check_book()
 * @name:    what it probes
 * @must:    calls that had to be handled or missed
 * @may:     calls while the slot changed
 * @never:   calls while there was nothing to be hit
 * @handled: calls of the pre-handler or the return handler
 * @posts:   calls of the post-handler
 * @entries: calls of the entry handler
 * @missed:  hits whose handlers did not run
 * @causes:  those of them that were counted by cause, too
 * @lost:    calls whose return was not probed
 * @probes:  how many probes were in it
 */
struct storm_book {
	__u32 index;
	__u32 wrong;
	char name[STORM_NAME];
	__u64 must;
	__u64 may;
	__u64 never;
	__u64 handled;
	__u64 posts;
	__u64 entries;
	__u64 missed;
	__u64 causes;
	__u64 lost;
	__u64 probes;
};

/**
 * struct storm_sums - of a round
 * @calls:     calls of targets
 * @nmis:      NMIs in which all targets were called
 * @results:   calls with a wrong result
 * @late:      handlers that ran for a probe that was not registered
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
