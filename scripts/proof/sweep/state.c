// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the kernel's files say about the state that probes leave: memory, points in debugfs, and the
 * functions that tasks are in. Included by sweep.c.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"

#define KPROBES		"/sys/kernel/debug/kprobes/"
/* Functions that tasks are in, by name. */
#define FUNCTIONS	4096

static unsigned int lines_of(const char *path)
{
	FILE *f = fopen(path, "r");
	unsigned int n = 0;
	int c;

	while (f && (c = getc(f)) != EOF)
		n += c == '\n';
	if (f)
		fclose(f);
	return n;
}

/* Lines of debugfs's points with or without some words. */
static unsigned int points_with(const char *words, int with)
{
	FILE *f = fopen(KPROBES "points", "r");
	unsigned int n = 0;
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		n += !!strstr(line, words) == with;
	if (f)
		fclose(f);
	return n;
}

/* Their addresses, which are what a line begins with. */
static void print_idle(FILE *to)
{
	FILE *f = fopen(KPROBES "points", "r");
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "  idle  0  "))
			fprintf(to, "idle %.*s\n", (int)strcspn(line, " "), line);
	if (f)
		fclose(f);
}

/* Does KASAN keep memory for a while that was freed? */
static int has_quarantine(void)
{
	return !system("grep -q ' kasan_quarantine_put' /proc/kallsyms");
}

static unsigned long long used(void)
{
	unsigned long long kb, sum = 0;
	char line[128], name[64];
	FILE *f;

	write_file("/proc/sys/vm/drop_caches", "7");
	write_file("/proc/sys/vm/stat_refresh", "1");
	f = fopen("/proc/meminfo", "r");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%63s %llu", name, &kb) != 2)
			continue;
		if (!strcmp(name, "Slab:") || !strcmp(name, "VmallocUsed:") ||
		    !strcmp(name, "Percpu:"))
			sum += kb * 1024;
	}
	if (f)
		fclose(f);
	return sum;
}

/*
 * Objects of a slab cache that are in use. The kernel counts a CPU's free ones as used, unless the
 * cache was shrunk before. -1 if the cache has no name of its own: see slab_nomerge.
 */
static long objects_of(const char *cache)
{
	char path[128], line[512], name[64];
	FILE *f;
	long n, found = -1;

	snprintf(path, sizeof(path), "/sys/kernel/slab/%s/shrink", cache);
	write_file(path, "1");
	f = fopen("/proc/slabinfo", "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%63s %ld", name, &n) == 2 && !strcmp(name, cache))
			found = n;
	if (f)
		fclose(f);
	return found;
}

/* Pages of slots and detours. The kernel lists them slowly when it is full of probes. */
static long slot_pages(void)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[512];
	long n = 0;

	while (f && fgets(line, sizeof(line), f))
		n += !!strstr(line, "[__builtin__kprobes]");
	if (f)
		fclose(f);
	return n;
}

/* What is counted by its name. */
struct counts {
	long points, detours;
};

static struct counts count_objects(void)
{
	return (struct counts){ objects_of("kprobe_point"), objects_of("kprobe_detour") };
}

static struct function {
	char name[128];
	unsigned int number;
} functions[FUNCTIONS];
static unsigned int nr_functions;

static void note_function(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_functions && strcmp(functions[i].name, name); i++)
		;
	if (i == FUNCTIONS)
		return;
	if (i == nr_functions)
		strcpy(functions[nr_functions++].name, name);
	functions[i].number++;
}

/* A line: [<0>] NAME+0xOFFSET/0xSIZE */
static void note_stack(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[256], name[128];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "[<0>] %127[^+]+", name) == 1)
			note_function(name);
	if (f)
		fclose(f);
}

static unsigned int note_threads(const char *process)
{
	char path[1024];
	struct dirent *entry;
	unsigned int n = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%s/task", process);
	d = opendir(path);
	while (d && (entry = readdir(d))) {
		if (!isdigit(entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/task/%s/stack", process, entry->d_name);
		note_stack(path);
		n++;
	}
	if (d)
		closedir(d);
	return n;
}

/* Prints the functions that tasks are in: their return probes wait. */
static void print_stacks(FILE *to)
{
	struct dirent *entry;
	unsigned int i, tasks = 0;
	DIR *d = opendir("/proc");

	nr_functions = 0;
	memset(functions, 0, sizeof(functions));
	while (d && (entry = readdir(d)))
		if (isdigit(entry->d_name[0]))
			tasks += note_threads(entry->d_name);
	if (d)
		closedir(d);
	fprintf(to, "tasks %u\n", tasks);
	for (i = 0; i < nr_functions; i++)
		fprintf(to, "inside %u %s\n", functions[i].number, functions[i].name);
}
