// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Times, on the processor that this runs on, the code of kprobes that leads from probed code to
 * handlers and back: detours as the kernel makes them (made.c), and the kernel's C code. An
 * emulator counts instructions, and of these a few take longer than all others.
 *
 * Each row is the median of many runs, in ticks of the time stamp counter and beside the least that
 * any hit needs whose handler sees registers: these saved and restored, and a call.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <asm/prctl.h>
#include <unistd.h>
#include <x86intrin.h>

#include "made.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define RUNS		801
#define CALLS		1000
#define CODE_SIZE	4096

/* Where %gs leads: what the linker has called per-CPU data is that much further. */
#define PERCPU		0x10000000UL

static void *map(uintptr_t at, size_t size, int prot)
{
	void *mapped = mmap((void *)at, size, prot,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (mapped == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return mapped;
}

/* The kernel's allocators, for return probes' instances */
void *pcpu_alloc_noprof(size_t size, size_t align, bool reserved, unsigned int gfp)
{
	/* A per-CPU pointer, in low memory, as %gs adds to it. */
	static char *next = (char *)0x30000000;
	char *mapped = map((uintptr_t)next + PERCPU, 4096, PROT_READ | PROT_WRITE);

	next += 4096;
	return mapped - PERCPU;
}

void *__kmalloc_cache_noprof(void *cache, unsigned int gfp, size_t size)
{
	return calloc(1, size);
}

void *__kmalloc_noprof(size_t size, unsigned int gfp)
{
	return calloc(1, size);
}

static const struct {
	const char *name;
	void (*code)(void);
} bare[] = {
	{ "flags pushed and popped", after_flags },
	{ "an atomic increment", after_count },
	{ "a call", after_call },
	{ "a call, registers saved and restored", after_registers },
	{ "a call, registers and flags: the unit", after_all },
};

static const struct made made[] = {
	{ "detour, no handler", 0 },
	{ "detour, a pre-handler", 1 },
	{ "detour, a pre-handler, hits counted", 1, .counts = 1 },
	{ "detour, four pre-handlers", 4 },
	{ "detour, a post-handler", 1, .post = 1 },
	{ "return probe, nine calls deep", 1, .returns = MADE_RETURNS },
	{ "the same with an entry handler", 1, .returns = MADE_RETURNS_SLOWLY },
};

static int by_time(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static inline void call(void (*code)(void), bool deep)
{
	if (deep)
		call_deep(code);
	else
		code();
}

/* The time of a call, and of the loop. */
static double ticks(void (*code)(void), bool deep)
{
	static double runs[RUNS];
	unsigned int i, run;
	unsigned long begin;

	for (run = 0; run < RUNS; run++) {
		_mm_lfence();
		begin = __rdtsc();
		_mm_lfence();
		for (i = 0; i < CALLS; i++)
			call(code, deep);
		_mm_lfence();
		runs[run] = (double)(__rdtsc() - begin) / CALLS;
	}
	qsort(runs, RUNS, sizeof(runs[0]), by_time);
	return runs[RUNS / 2];
}

/* Of the probed function alone, as it is called, and of what a hit needs at least. */
static double alone[2], unit;

static void row(const char *name, void (*code)(void), bool deep)
{
	double more = ticks(code, deep) - alone[deep];

	printf("%-46s %8.1f %8.2f\n", name, more, more / unit);
}

/* Per-CPU data, and at 40 what the compiler guards stacks with. */
static void make_percpu(void)
{
	size_t size = __stop_percpu - __start_percpu;
	uintptr_t first = PERCPU + (uintptr_t)__start_percpu;

	map(PERCPU, 4096, PROT_READ | PROT_WRITE);
	map(first & ~4095UL, size + 8192, PROT_READ | PROT_WRITE);
	memcpy((void *)first, __start_percpu, size);
	if (syscall(SYS_arch_prctl, ARCH_SET_GS, PERCPU)) {
		perror("arch_prctl");
		exit(1);
	}
	made_begin(PERCPU);
}

int main(void)
{
	/* Within reach of calls and jumps. */
	char *code = map(0x20000000, 64 * CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC);
	void (*detour)(void);
	unsigned int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	make_percpu();
	for (i = 0; i < 2; i++)
		alone[i] = ticks(probed, i);
	unit = ticks(after_all, false) - alone[0];
	printf("%-46s %8s %8s\n", "", "ticks", "units");
	for (i = 0; i < ARRAY_SIZE(bare); i++)
		row(bare[i].name, bare[i].code, false);
	for (i = 0; i < ARRAY_SIZE(made); i++) {
		detour = made_detour(&made[i], probed, code + i * CODE_SIZE, CODE_SIZE);
		if (!detour) {
			printf("%s: no detour can be made\n", made[i].name);
			return 1;
		}
		row(made[i].name, detour, made[i].returns);
	}
	row("a return by another address, nine calls deep", returns_elsewhere, true);
	return 0;
}
