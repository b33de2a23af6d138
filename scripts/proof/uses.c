// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How much memory the kernel uses of the kinds that kprobes use: caches of kmalloc() and of their own,
 * per-CPU and vmalloc memory. Objects are counted, not the pages of their slabs: how these fill up
 * depends on what everybody else does.
 */
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "program.h"
#include "uses.h"

static unsigned int add_use(struct use *uses, unsigned int n, const char *name, long long objects,
			    long long size)
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

static unsigned int add_meminfo(struct use *uses, unsigned int n)
{
	FILE *f = fopen("/proc/meminfo", "r");
	char line[256], name[64];
	unsigned long long kb;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%63s %llu", name, &kb) == 2 &&
		    (!strcmp(name, "VmallocUsed:") || !strcmp(name, "Percpu:")))
			n = add_use(uses, n, name, kb, 1024);
	if (f)
		fclose(f);
	return n;
}

static unsigned int add_slabs(struct use *uses, unsigned int n)
{
	FILE *f = fopen("/proc/slabinfo", "r");
	unsigned long objects, size;
	char line[256], name[64];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%63s %lu %*u %lu", name, &objects, &size) == 3 &&
		    (!strncmp(name, "kmalloc-", 8) || !strncmp(name, "kprobe_", 7)))
			n = add_use(uses, n, name, objects, size);
	if (f)
		fclose(f);
	return n;
}

/* Fills in USES uses, those left over with nothing, and returns the sum of their bytes. */
unsigned long long read_uses(struct use *uses)
{
	unsigned long long sum = 0;
	unsigned int n, i;

	memset(uses, 0, USES * sizeof(*uses));
	shrink_slabs();
	n = add_slabs(uses, add_meminfo(uses, 0));
	for (i = 0; i < n; i++)
		sum += uses[i].bytes;
	return sum;
}
