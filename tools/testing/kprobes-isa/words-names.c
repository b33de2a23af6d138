// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What becomes of each instruction that another decoder has a name for, when it is probed: a list
 * by what that is, of all names but those whose instructions simply run in a copy. A row of a table
 * that takes in too much or too little moves names, however few of the words that are.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>

#include "harness.h"
#include "words.h"
#include "words-check.h"

#define NAMES		32768
#define OUTCOMES	64
#define OUTCOME_SIZE	96
#define COLUMNS		100

/* The outcomes of the words with a name, a bit for each. */
struct named {
	char *name;
	u64 outcomes;
};

static struct named names[NAMES];
static char outcomes[OUTCOMES][OUTCOME_SIZE];
static unsigned int nr_names, nr_outcomes;

/* The words of golden tables, without numbers of registers and addresses. */
static void describe(char *text, const struct kprobe_insn *insn, enum kprobe_reason reason)
{
	bool next = insn->flow == KPROBE_FLOW_NEXT;

	snprintf(text, OUTCOME_SIZE, "%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s",
		 reason ? reason_names[reason] : action_names[insn->action],
		 next ? "" : " ", next ? "" : flow_names[insn->flow],
		 insn->bundle ? " bundle" : "",
		 insn->exclusive > 0 ? " exclusive+" : insn->exclusive ? " exclusive-" : "",
		 insn->fault ? " fault" : "", insn->ends_in_trap ? " ends-in-trap" : "",
		 insn->may_skip ? " may-skip" : "",
		 insn->branches && !kprobe_flow_is_branch(insn->flow) ? " branches" : "",
		 !insn->data_len ? "" : insn->executes ? " executes" : " reads-text",
		 insn->no_copy ? " no-copy" : "", insn->no_jump ? " no-jump" : "",
		 insn->no_jump_unless_traced ? " no-jump-unless-traced" : "",
		 insn->no_jump_next ? " no-jump-next" : "",
		 insn->takes_address ? " takes-address" : "");
}

static unsigned int outcome_of(const struct kprobe_insn *insn, enum kprobe_reason reason)
{
	char text[OUTCOME_SIZE];
	unsigned int i;

	describe(text, insn, reason);
	for (i = 0; i < nr_outcomes && strcmp(outcomes[i], text); i++)
		;
	if (i == OUTCOMES)
		exit(2);
	if (i == nr_outcomes)
		memcpy(outcomes[nr_outcomes++], text, sizeof(text));
	return i;
}

/**
 * names_note() - note what becomes of an instruction
 * @name:   the other decoder's name for it
 * @insn:   its plan
 * @reason: why it is refused, if it is
 *
 * Context: The host.
 */
void names_note(const char *name, const struct kprobe_insn *insn, enum kprobe_reason reason)
{
	unsigned int hash = 5381;
	const char *c;

	for (c = name; *c; c++)
		hash = hash * 33 + *c;
	while (names[hash % NAMES].name && strcmp(names[hash % NAMES].name, name))
		hash++;
	if (!names[hash % NAMES].name) {
		if (++nr_names == NAMES)
			exit(2);
		names[hash % NAMES].name = strdup(name);
	}
	names[hash % NAMES].outcomes |= 1ULL << outcome_of(insn, reason);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A line of all outcomes, in their own order and not in that of words. */
static char *heading(u64 set)
{
	const char *of[OUTCOMES];
	unsigned int i, nr = 0;
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (i = 0; i < nr_outcomes; i++)
		if (set >> i & 1)
			of[nr++] = outcomes[i];
	qsort(of, nr, sizeof(of[0]), by_text);
	for (i = 0; i < nr; i++)
		fprintf(f, "%s%s", i ? ", " : "", of[i]);
	fclose(f);
	return text;
}

static char *group(u64 set)
{
	static char *of[NAMES];
	unsigned int i, nr = 0, column = 0;
	char *text, *head = heading(set);
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (i = 0; i < NAMES; i++)
		if (names[i].name && names[i].outcomes == set)
			of[nr++] = names[i].name;
	qsort(of, nr, sizeof(of[0]), by_text);
	fprintf(f, "%s:", head);
	for (i = 0; i < nr; i++) {
		column += strlen(of[i]) + 1;
		if (!i || column > COLUMNS - 8) {
			fprintf(f, "\n\t%s", of[i]);
			column = strlen(of[i]);
		} else {
			fprintf(f, " %s", of[i]);
		}
	}
	fprintf(f, "\n");
	fclose(f);
	free(head);
	return text;
}

/* All groups; that of instructions that simply run is left out. */
static char *list(void)
{
	u64 seen[1024];
	unsigned int i, k, nr = 0;
	char *groups[1024], *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (i = 0; i < NAMES; i++) {
		for (k = 0; k < nr && seen[k] != names[i].outcomes; k++)
			;
		if (k < nr || !names[i].name)
			continue;
		if (nr == ARRAY_SIZE(seen))
			exit(2);
		seen[nr] = names[i].outcomes;
		groups[nr++] = group(names[i].outcomes);
	}
	qsort(groups, nr, sizeof(groups[0]), by_text);
	for (i = 0; i < nr; i++) {
		if (strncmp(groups[i], "run:", 4))
			fputs(groups[i], f);
		free(groups[i]);
	}
	fclose(f);
	return text;
}

static bool has_line(const char *text, const char *line, size_t len)
{
	const char *at = text;

	while (at && (strncmp(at, line, len) || at[len] != '\n')) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	return at;
}

static void show_missing(const char *mark, const char *text, const char *other)
{
	size_t len;

	for (; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		if (!has_line(other, text, len))
			tap_note("%s %.*s", mark, (int)len, text);
	}
}

/**
 * names_end() - compare the list with a file, or write that
 * @path:  the file
 * @write: write it
 *
 * Context: The host.
 */
void names_end(const char *path, bool write)
{
	static char before[1 << 20];
	FILE *f = fopen(path, write ? "w" : "r");
	char *now = list();

	if (f && write)
		fputs(now, f);
	else if (f)
		before[fread(before, 1, sizeof(before) - 1, f)] = 0;
	if (f)
		fclose(f);
	if (!write) {
		show_missing("was:", before, now);
		show_missing("is:", now, before);
		tap_result(nr_names && !strcmp(before, now), "names are in %s", path);
	}
	free(now);
}
