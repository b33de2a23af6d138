// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which classes of instructions a guest runs with and without probes: each class that the
 * golden table has and that can be probed must be in one of the sequences of
 * kernel/kprobes/tests/differential_kunit.c, or in a file that tells why it is not. Each
 * line of that is the instruction, as a pattern of the shell, and the reason, with tabs
 * between.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>

#include "harness.h"

#define LINE_SIZE	512
#define EXCUSES_MAX	256

/* Macros of the sequences, and how many arguments come before the probed instruction. */
static const struct {
	const char *name;
	unsigned int before;
} macros[] = {
	{ "PROBE", 0 }, { "COMPRESSED", 0 }, { "RUN", 0 }, { "RUNC", 0 }, { "OVER", 0 },
	{ "OVERC", 0 }, { "BACK", 0 }, { "LITERAL", 0 }, { "USER", 0 }, { "PAD", 0 },
	{ "STACK", 2 }, { "STACK_BELOW", 2 }, { "SYSTEM", 2 }, { "CALL", 2 }, { "JUMP", 2 },
	{ "TO", 2 }, { "TO_PAD", 3 }, { "OVER_SLOT", 1 }, { "BACK_SLOT", 1 }, { "BLOCK", 1 },
	{ "PROBE_IN_BLOCK", 0 }, { "BEGINS", 1 }, { "PREPARED", 0 }, { "BEHIND", 1 },
};

/**
 * struct excuse - why some classes are not run
 * @pattern: of the instruction
 * @used:    whether there was one
 */
struct excuse {
	char *pattern;
	bool used;
};

static struct excuse excuses[EXCUSES_MAX];
static unsigned int nr_excuses;

static FILE *open_file(const char *path)
{
	FILE *f = fopen(path, "r");

	if (f)
		return f;
	perror(path);
	exit(2);
}

/* After an argument, which may be in quotes, and the comma. */
static char *next_argument(char *at)
{
	if (*at == '"')
		at += 1 + strcspn(at + 1, "\"");
	at += strcspn(at, ",");
	at += *at == ',';
	return at + strspn(at, " ");
}

/* The probed instruction of a line of assembly, without quotes; NULL if there is none. */
static char *probed(char *line)
{
	size_t len, i;

	line += strspn(line, "\t");
	len = strcspn(line, " \t\n");
	for (i = 0; i < ARRAY_SIZE(macros); i++) {
		unsigned int skip = macros[i].before;

		if (strlen(macros[i].name) != len || strncmp(line, macros[i].name, len))
			continue;
		line += len + strspn(line + len, " \t");
		while (skip--)
			line = next_argument(line);
		if (*line != '"')
			return line;
		line++;
		line[strcspn(line, "\"")] = 0;
		return line;
	}
	return NULL;
}

static void read_sequences(struct class_set *run)
{
	const char *const *path;
	char line[LINE_SIZE], *insn;

	for (path = harness_target.sequences; *path; path++) {
		FILE *f = open_file(*path);

		while (fgets(line, sizeof(line), f)) {
			insn = probed(line);
			if (insn)
				class_set_add(run, insn);
		}
		fclose(f);
	}
}

static void read_excuses(void)
{
	FILE *f = open_file(harness_target.not_run);
	char line[LINE_SIZE], *tab;

	while (fgets(line, sizeof(line), f)) {
		tab = strchr(line, '\t');
		if (line[0] == '#' || !tab || nr_excuses == EXCUSES_MAX)
			continue;
		*tab = 0;
		excuses[nr_excuses++].pattern = strdup(line);
	}
	fclose(f);
}

static bool is_excused(const char *insn)
{
	unsigned int i;

	for (i = 0; i < nr_excuses; i++) {
		if (fnmatch(excuses[i].pattern, insn, 0))
			continue;
		excuses[i].used = true;
		return true;
	}
	return false;
}

/* The instruction of a case that can be probed, NULL if it is none. */
static char *instruction_of(char *line)
{
	char *comment = strstr(line, "\t# ");

	if (!comment || strstr(line, " : refused "))
		return NULL;
	/* Other code of detours is no instruction. */
	if (!strchr("0123456789abcdef", line[0]) || !strchr("0123456789abcdef", line[1]))
		return NULL;
	comment[strcspn(comment, "\n")] = 0;
	return comment + 3;
}

static unsigned int missing_classes(const char *path, struct class_set *run)
{
	char line[LINE_SIZE], *insn;
	unsigned int missing = 0;
	FILE *f = open_file(path);

	while (fgets(line, sizeof(line), f)) {
		insn = instruction_of(line);
		if (!insn || !class_set_add(run, insn) || is_excused(insn))
			continue;
		tap_note("neither run nor in %s: %s", harness_target.not_run, insn);
		missing++;
	}
	fclose(f);
	return missing;
}

static unsigned int unused_excuses(void)
{
	unsigned int i, unused = 0;

	for (i = 0; i < nr_excuses; i++) {
		if (excuses[i].used)
			continue;
		tap_note("needless in %s: %s", harness_target.not_run, excuses[i].pattern);
		unused++;
	}
	return unused;
}

/**
 * sequences_test() - look for classes that no sequence has
 * @path: the golden table
 *
 * Context: The host.
 */
void sequences_test(const char *path)
{
	static struct class_set run;

	tap_begin("sequences");
	read_sequences(&run);
	read_excuses();
	tap_result(!missing_classes(path, &run), "classes are run with probes");
	tap_result(!unused_excuses(), "no class is excused without need");
	tap_end("sequences");
}
