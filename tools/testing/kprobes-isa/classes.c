// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Classes of instructions: a class is a mnemonic with kinds of operands. For each class in
 * a kernel the golden table must have a case. The comment of a case begins with the
 * instruction as objdump shows it.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>

#include "harness.h"

#define CLASSES_MAX	2048
#define CLASS_SIZE	128
#define LINE_SIZE	512

static char *classes[CLASSES_MAX];
static unsigned int nr_classes;

/* Appends a word of operands: "n" for a number, the target's kind for a register. */
static size_t add_word(char *class, const char *text)
{
	size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789.");
	const char *kind;
	char name[CLASS_SIZE / 2];

	snprintf(name, sizeof(name), "%.*s", (int)len, text);
	kind = isdigit(text[0]) || !strncmp(text + len, " <", 2) ? "n" :
		harness_target.kind_of(name);
	sprintf(strchr(class, 0), "%s", kind ?: name);
	return len;
}

/* Is this a comment or a symbol? On arm64 numbers begin with "#" as well. */
static bool ends_operands(const char *text)
{
	return strchr("\n<", *text) || !strncmp(text, "# ", 2) || !strncmp(text, "//", 2);
}

static void make_class(const char *text, char *class)
{
	size_t len = strcspn(text, " \t\n");

	len = min_t(size_t, len, CLASS_SIZE / 2);
	memcpy(class, text, len);
	class[len] = 0;
	text += len;
	while (*text && !ends_operands(text) && strlen(class) < CLASS_SIZE / 2) {
		if (isspace(*text) || *text == '-') {
			text++;
		} else if (isalnum(*text)) {
			text += add_word(class, text);
		} else {
			strncat(class, text, 1);
			text++;
		}
	}
}

static bool is_known(const char *class)
{
	unsigned int i;

	for (i = 0; i < nr_classes; i++)
		if (!strcmp(classes[i], class))
			return true;
	return false;
}

/**
 * classes_add() - note an instruction's class
 * @text: the instruction as objdump shows it
 *
 * Context: The host.
 * Return: True if it was not known before.
 */
bool classes_add(const char *text)
{
	char class[CLASS_SIZE];

	make_class(text, class);
	if (is_known(class) || nr_classes == CLASSES_MAX)
		return false;
	classes[nr_classes++] = strdup(class);
	return true;
}

/**
 * classes_load() - note the classes of a golden table
 * @path: the table
 *
 * Context: The host.
 */
void classes_load(const char *path)
{
	char line[LINE_SIZE], *comment;
	FILE *f = fopen(path, "r");

	while (f && harness_target.kind_of && fgets(line, sizeof(line), f)) {
		comment = strstr(line, "\t# ");
		if (comment)
			classes_add(comment + 3);
	}
	if (f)
		fclose(f);
}
