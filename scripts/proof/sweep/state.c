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

#include "../uses.h"
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

/* May a task be preempted in the kernel, also between the handlers of a hit? */
static int is_preemptible(void)
{
	return !system("grep -q ' preempt_schedule$' /proc/kallsyms");
}

/* Objects of a slab cache. -1 if the cache has no name of its own: see slab_nomerge. */
static long objects_of(const struct use *uses, const char *cache)
{
	unsigned int i;

	for (i = 0; i < USES; i++)
		if (!strcmp(uses[i].name, cache))
			return uses[i].objects;
	return -1;
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

/* Memory of the kinds that probes use, and what is counted by its name. */
struct memory {
	unsigned long long bytes;
	long points, detours;
};

static struct memory used(void)
{
	struct use uses[USES];
	struct memory m = { .bytes = read_uses(uses) };

	m.points = objects_of(uses, "kprobe_point");
	m.detours = objects_of(uses, "kprobe_detour");
	return m;
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
