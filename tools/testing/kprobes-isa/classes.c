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

#define CLASS_SIZE	128
#define LINE_SIZE	512

/* What the name of a register, or a number, is made of. */
static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789.";

/* Those that the golden table has. */
static struct class_set known;

/* Appends a word of operands: "n" for a number, the target's kind for a register. */
static size_t add_word(char *class, const char *text)
{
	size_t len = strspn(text, letters);
	const char *kind;
	char name[CLASS_SIZE / 2];

	snprintf(name, sizeof(name), "%.*s", (int)len, text);
	kind = isdigit(text[0]) || !strncmp(text + len, " <", 2) ? "n" :
		harness_target.kind_of(name);
	sprintf(strchr(class, 0), "%s", kind ?: name);
	return len;
}

/*
 * Is this a comment? On arm64 numbers begin with "#" too. Comments begin with "@" on arm and with
 * "!" on sparc.
 */
static bool ends_operands(const char *text)
{
	return strchr("\n@", *text) || !strncmp(text, "# ", 2) || !strncmp(text, "//", 2) ||
	       !strncmp(text, "! ", 2);
}

static void make_class(const char *text, char *class)
{
	size_t len = strcspn(text, " \t\n");

	len = min_t(size_t, len, CLASS_SIZE / 2);
	memcpy(class, text, len);
	class[len] = 0;
	if (harness_target.shorten)
		harness_target.shorten(class);
	text += len;
	while (*text && !ends_operands(text) && strlen(class) < CLASS_SIZE / 2) {
		if (isspace(*text) || *text == '-' || *text == '%') {
			text++;
		} else if (*text == '<') {
			/* A symbol, after which parisc has another operand. */
			text += strcspn(text, ">\n");
			text += *text == '>';
		} else if (isalnum(*text)) {
			text += add_word(class, text);
		} else {
			strncat(class, text, 1);
			text++;
		}
	}
}

/**
 * class_set_add() - add an instruction's class to a set
 * @set:  the set
 * @text: the instruction as objdump shows it
 *
 * Context: The host.
 * Return: True if it was not there before.
 */
bool class_set_add(struct class_set *set, const char *text)
{
	char class[CLASS_SIZE];
	unsigned int i;

	make_class(text, class);
	for (i = 0; i < set->nr; i++)
		if (!strcmp(set->names[i], class))
			return false;
	if (set->nr == CLASSES_MAX)
		return false;
	set->names[set->nr++] = strdup(class);
	return true;
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
	return class_set_add(&known, text);
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
