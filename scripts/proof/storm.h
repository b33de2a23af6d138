/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _PROOF_STORM_H
#define _PROOF_STORM_H

/* The storm's program: storm.c runs the rounds. */
#include <stdint.h>

#include "program.h"
#include "storm/storm.h"

#define KPROBES		"/sys/kernel/debug/kprobes/"
#define TRACING		"/sys/kernel/tracing/"
#define FAILSLAB	"/sys/kernel/debug/failslab/"

#define PATIENCE	60		/* seconds for a front to end, and for memory to be freed */

typedef unsigned long long ull;

/* What the fronts share. */
struct shared {
	volatile int stop;
	volatile unsigned long tried[16];
	volatile unsigned long done[16];	/* of these, how many did what they are there for */
	volatile unsigned long perf_wrong;
	volatile unsigned long perf_calls;
};

extern struct shared *shared;
extern int device;
/* Is the kernel so slow that its timers' interrupts would take all of the time, were they traced? */
extern int few_traced;

long read_number(const char *path);
unsigned int lines_of(const char *path, const char *without);
/* Has an allocation failed in this round, unless the kernel lacks failslab? */
int have_failed(void);
/* Waits until it is true, or patience ends. */
int comes_true(int (*what)(void));

/* fronts.c */
struct front {
	const char *name;
	int (*once)(void);		/* returns whether it did what it is there for */
	const char *(*lacks)(void);	/* what the kernel lacks for it, or NULL */
	int fails;			/* its memory allocations do */
};

extern const struct front fronts[];
extern const unsigned int nr_fronts;

void set_knob(uint32_t state);
/*
 * Has them disturb for some seconds, and until each was at work and allocations have failed.
 * Returns how many were killed.
 */
unsigned int rage(unsigned int seed, double seconds);
/* Has each task get the memory that the graph tracer leaves it. */
void use_graph(void);
/* Prints what they did. Returns whether each did what it is there for. */
int check_fronts(void);

/* memory.c */
/* Notes what is used after the first round. */
void note_memory(void);
/* Returns whether what is used is what it was, and prints it. */
int check_memory(void);
/* Returns whether no point or detour is left, and prints how many are. */
int check_caches(void);

#endif /* _PROOF_STORM_H */
