/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _PROOF_H
#define _PROOF_H

/* What the sweep's module, the program that drives it, and sweep.py (the plan) agree on. */
#include <linux/ioctl.h>
#include <linux/types.h>

/* Texts that are swept: the kernel's, and sections of modules. */
#define PROOF_OBJECTS		16
#define PROOF_NAME		40

/* Flags of a record. */
#define PROOF_POST		1	/* with a post-handler */
#define PROOF_SEQUENTIAL	2	/* the next instruction is the next one in the text */
#define PROOF_RETURN		4	/* a function's entry: a return probe as well */

/**
 * struct proof_record - an instruction, in the plan
 * @offset: from the start of its object's text
 * @object: the object
 * @length: of the instruction
 * @flags:  see above
 */
struct proof_record {
	__u32 offset;
	__u8 object;
	__u8 length;
	__u8 flags;
	__u8 unused;
};

/**
 * struct proof_result - what became of a record
 * @error:        of registering the probe, 0 or a negative errno
 * @return_error: of registering the return probe
 * @hits:         calls of the pre-handler
 * @posts:        calls of the post-handler
 * @faults:       calls of the fault handler
 * @missed:       hits whose handlers did not run
 * @wrong:        calls with another instruction pointer than the right one
 * @entries:      of the return probe
 * @returns:      of the return probe
 * @lost:         calls whose return was not probed
 * @outside:      hits while the return probe was not armed
 * @mechanism:    'b'reakpoint, 'j'ump, 'f'trace when last asked
 * @early:        hits before the optimizer was turned on
 * @late:         hits after it was done
 * @leaving:      hits while the probes were being unregistered
 */
struct proof_result {
	__s32 error;
	__s32 return_error;
	__u32 hits;
	__u32 posts;
	__u32 faults;
	__u32 missed;
	__u32 wrong;
	__u32 entries;
	__u32 returns;
	__u32 lost;
	__u32 outside;
	__u32 mechanism;
	__u32 early;
	__u32 late;
	__u32 leaving;
};

/**
 * struct proof_text - the text of an object
 * @object: which
 * @start:  its address
 * @size:   in bytes
 */
struct proof_text {
	__u64 object;
	__u64 start;
	__u64 size;
};

/**
 * struct proof_examination - records that are tried
 * @from:    the first; then the first that was not tried
 * @limit:   how many refused probes end the examination
 */
struct proof_examination {
	__u32 from;
	__u32 limit;
};

/* Bytes that are compared at once, and shown on either side of them. */
#define PROOF_WINDOW	8

/**
 * struct proof_difference - of a text from its copy
 * @object: which text
 * @from:   where to begin, from the start of the text; then where to go on
 * @at:     address of the first of PROOF_WINDOW bytes with a difference, 0 if there is none
 * @bytes:  how many of these differ
 * @unused: for alignment
 * @before: PROOF_WINDOW bytes before them, they and as many after them, in the copy
 * @now:    the same, in the text
 */
struct proof_difference {
	__u64 object;
	__u64 from;
	__u64 at;
	__u32 bytes;
	__u32 unused;
	__u8 before[3 * PROOF_WINDOW];
	__u8 now[3 * PROOF_WINDOW];
};

/**
 * struct proof_armed - registered probes
 * @probes:       number of probes
 * @returns:      number of return probes
 * @error:        why registering them together failed
 */
struct proof_armed {
	__u32 probes;
	__u32 returns;
	__s32 error;
};

/* A phase's records are written to the device. Its results are read from there. */
#define PROOF_TEXT	_IOW('K', 1, struct proof_text)
#define PROOF_EXAMINE	_IOWR('K', 2, struct proof_examination)
#define PROOF_COPY	_IO('K', 3)
#define PROOF_ARM	_IOR('K', 4, struct proof_armed)
#define PROOF_JUMPS	_IOR('K', 5, __u32)
#define PROOF_DISARM	_IO('K', 6)
#define PROOF_COMPARE	_IOWR('K', 7, struct proof_difference)
#define PROOF_INTERRUPTS	_IOW('K', 8, __u32)
#define PROOF_MECHANISM	_IOW('K', 9, __u32)

#endif /* _PROOF_H */
