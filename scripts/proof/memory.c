// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What memory is used: the storm must not leave any behind.
 *
 * Nobody else uses probes in the guest, so the caches of kprobes must be empty at the end, as they
 * were before the first round. Caches of kmalloc(), per-CPU and vmalloc memory are compared with
 * what they were after that round: what others allocate once is there then.
 */
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "storm.h"

/* By so much the memory that is used varies, in bytes. */
#define LEFT		(128 * 1024)
#define USES		100

struct use {
	char name[64];
	long long objects;		/* of a cache */
	long long bytes;
};

static struct use first_uses[USES], uses[USES];
static unsigned long long allowed;

/* Points of their own have a cache; see the kernel's argument slab_nomerge. */
#define POINTS		"kprobe_point"

static int is_ours(const char *name)
{
	return !strncmp(name, "kprobe_", 7);
}

static unsigned int add_use(unsigned int n, const char *name, long long objects, long long size)
{
	if (n >= USES)
		return n;
	strcpy(uses[n].name, name);
	uses[n].objects = objects;
	uses[n].bytes = objects * size;
	return n + 1;
}

/* Gives back what caches keep for each CPU, so that an object that is free counts as free. */
static void shrink_slabs(void)
{
	glob_t found;
	size_t i;

	write_file("/proc/sys/vm/drop_caches", "7");
	write_file("/proc/sys/vm/stat_refresh", "1");
	if (glob("/sys/kernel/slab/*/shrink", 0, NULL, &found))
		return;
	for (i = 0; i < found.gl_pathc; i++)
		write_file(found.gl_pathv[i], "1");
	globfree(&found);
}

static unsigned int add_meminfo(unsigned int n)
{
	FILE *f = fopen("/proc/meminfo", "r");
	char line[256], name[64];
	unsigned long long kb;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%63s %llu", name, &kb) == 2 &&
		    (!strcmp(name, "VmallocUsed:") || !strcmp(name, "Percpu:")))
			n = add_use(n, name, kb, 1024);
	if (f)
		fclose(f);
	return n;
}

static unsigned int add_slabs(unsigned int n)
{
	FILE *f = fopen("/proc/slabinfo", "r");
	unsigned long objects, size;
	char line[256], name[64];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%63s %lu %*u %lu", name, &objects, &size) == 3 &&
		    (!strncmp(name, "kmalloc-", 8) || is_ours(name)))
			n = add_use(n, name, objects, size);
	if (f)
		fclose(f);
	return n;
}

/* Fills in @uses, and returns their sum. */
static unsigned long long used(void)
{
	unsigned long long sum = 0;
	unsigned int n, i;

	memset(uses, 0, sizeof(uses));
	shrink_slabs();
	n = add_slabs(add_meminfo(0));
	for (i = 0; i < n; i++)
		sum += uses[i].bytes;
	return sum;
}

static const struct use *find(const struct use *in, const char *name)
{
	unsigned int i;

	for (i = 0; i < USES; i++)
		if (!strcmp(in[i].name, name))
			return &in[i];
	return NULL;
}

static void show_growth(void)
{
	unsigned int i;

	for (i = 0; i < USES && uses[i].name[0]; i++) {
		const struct use *before = find(first_uses, uses[i].name);

		if (uses[i].bytes != (before ? before->bytes : 0))
			say("<5># use of %s: at the end %lld, after the first round %lld",
			    uses[i].name, uses[i].bytes, before ? before->bytes : 0);
	}
}

/*
 * Points that are idle may be left, where a task can sleep in a copy. Their detours, too, then: as
 * many.
 */
static long long idle_points(void)
{
	return (long long)lines_of(KPROBES "points", NULL) - lines_of(KPROBES "points", "  idle  ");
}

static int caches_are_empty(void)
{
	long long idle = idle_points();
	unsigned int i;

	used();
	for (i = 0; i < USES && uses[i].name[0]; i++)
		if (is_ours(uses[i].name) && uses[i].objects > idle)
			return 0;
	return !!find(uses, POINTS);
}

int check_caches(void)
{
	int good = comes_true(caches_are_empty);
	unsigned int i;

	if (!find(uses, POINTS))
		say("<5># there is no cache %s; is it merged with another one?", POINTS);
	for (i = 0; i < USES && uses[i].name[0]; i++)
		if (is_ours(uses[i].name))
			say("<5># cache %s: at the end %lld, idle points %lld", uses[i].name,
			    uses[i].objects, idle_points());
	return good;
}

void note_memory(void)
{
	/* Some is freed after grace periods. */
	comes_true(caches_are_empty);
	allowed = used() + LEFT;
	memcpy(first_uses, uses, sizeof(uses));
}

static int memory_is_back(void)
{
	return used() <= allowed;
}

int check_memory(void)
{
	int good = comes_true(memory_is_back);

	say("<5># memory: at the end %llu, after the first round %llu", used(), allowed - LEFT);
	show_growth();
	return good;
}
