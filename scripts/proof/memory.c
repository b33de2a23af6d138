// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What memory is used: the storm must not leave any behind.
 *
 * Nobody else uses probes in the guest, so the caches of kprobes must be empty at the end, as they
 * were before the first round. Caches of kmalloc(), per-CPU and vmalloc memory are compared with
 * what they were after that round: what others allocate once is there then.
 */
#include <string.h>

#include "storm.h"
#include "uses.h"

/* By so much the memory that is used varies, in bytes. */
#define LEFT		(128 * 1024)

static struct use first_uses[USES], uses[USES];
static unsigned long long allowed;

/* Points of their own have a cache; see the kernel's argument slab_nomerge. */
#define POINTS		"kprobe_point"

static int is_ours(const char *name)
{
	return !strncmp(name, "kprobe_", 7);
}

static unsigned long long used(void)
{
	return read_uses(uses);
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
