// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions that are called and probed. A call executes each of their instructions so often. */
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/sched.h>

#include "internal.h"

/* How deep storm_recursive() gets. */
#define DEPTH	3

noinline __noipa long storm_plain(long a)
{
	OPTIMIZER_HIDE_VAR(a);
	a += 3;
	OPTIMIZER_HIDE_VAR(a);
	return a * 2 - a;
}

/* The lowest bits tell how deep. */
noinline __noipa long storm_recursive(long a)
{
	OPTIMIZER_HIDE_VAR(a);
	if (a % 4 < DEPTH - 1)
		a = storm_recursive(a + 1) - 1;
	OPTIMIZER_HIDE_VAR(a);
	return a;
}

noinline __noipa long storm_sleeping(long a)
{
	OPTIMIZER_HIDE_VAR(a);
	usleep_range(100, 3000);
	OPTIMIZER_HIDE_VAR(a);
	return a + 5;
}

noinline __noipa long storm_nested(long a)
{
	OPTIMIZER_HIDE_VAR(a);
	a += 7;
	OPTIMIZER_HIDE_VAR(a);
	return a;
}

noinline __noipa long storm_kept(long a)
{
	OPTIMIZER_HIDE_VAR(a);
	a += 9;
	OPTIMIZER_HIDE_VAR(a);
	return a;
}

struct storm_target storm_targets[] = {
	{ "storm_plain", storm_plain, 3, 1 },
	{ "storm_recursive", storm_recursive, 0, DEPTH },
	{ "storm_sleeping", storm_sleeping, 5, 1, .sleeps = true },
	{ "storm_nested", storm_nested, 7, 1, .nested = true },
	{ "storm_kept", storm_kept, 9, 1, .kept = true },
};

const unsigned int storm_nr_targets = ARRAY_SIZE(storm_targets);

static atomic_t hits;

static int count(struct kprobe *p, struct pt_regs *regs)
{
	atomic_inc(&hits);
	return 0;
}
NOKPROBE_SYMBOL(count);

/* How often does a call hit the instruction there? -errno if there is none. */
static int count_hits(const struct storm_target *target, unsigned int offset)
{
	struct kprobe p = {
		.addr = (void *)target->function,
		.offset = offset,
		.pre_handler = count,
	};
	int ret = register_kprobe(&p);

	if (ret)
		return ret;
	atomic_set(&hits, 0);
	target->function(0);
	unregister_kprobe(&p);
	return atomic_read(&hits);
}

/**
 * storm_find_inside() - find an instruction of each target that is not the first one
 *
 * The entry's one may be a nop of the compiler, of five bytes, after a landing pad of four.
 *
 * Context: Process context, may sleep. Nothing else is probed.
 * Return: 0, or -ENOEXEC if there is none.
 */
int storm_find_inside(void)
{
	unsigned int i, offset;

	for (i = 0; i < storm_nr_targets; i++) {
		struct storm_target *target = &storm_targets[i];

		for (offset = 5; offset < 48 && !target->inside; offset++)
			if (count_hits(target, offset) == target->hits)
				target->inside = offset;
		if (!target->inside)
			return -ENOEXEC;
	}
	return 0;
}
