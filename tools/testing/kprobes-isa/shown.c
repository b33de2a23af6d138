// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads what objdump -d -w prints: "address:\tbytes\tinstruction", where a direct branch's
 * target is "hex <symbol>". The bytes are in groups. A group is a number in the file's byte
 * order: one byte on x86, powerpc, s390, sparc and parisc, a halfword for Thumb and compressed
 * instructions, a word for others.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shown.h"

/* Appends a number of @len bytes. */
static size_t add_group(u8 *bytes, size_t size, u64 group, size_t len, bool big_endian)
{
	size_t i;

	for (i = 0; i < len && i < size; i++)
		bytes[i] = group >> 8 * (big_endian ? len - 1 - i : i);
	return i;
}

static size_t parse_bytes(const char *at, u8 *bytes, size_t size, bool big_endian, size_t *unit)
{
	int before, after;
	unsigned long group;
	size_t n = 0;

	while (sscanf(at, " %n%lx%n", &before, &group, &after) == 1) {
		*unit = (after - before) / 2;
		n += add_group(bytes + n, size - n, group, *unit, big_endian);
		at += after;
	}
	return n;
}

/* "jmp    ffffffff81000000 <start>", but not "lea 0x1(%rip),%rax   # 1000 <start>" */
static unsigned long parse_target(const char *text)
{
	const char *symbol = strstr(text, " <"), *at = symbol;

	if (!symbol || strstr(text, "# "))
		return 0;
	while (at > text && at[-1] != ' ' && at[-1] != ',' && at[-1] != '\t')
		at--;
	return strtoul(at, NULL, 16);
}

/**
 * shown_parse() - read a line
 * @s:          the instruction
 * @line:       the line; @s points into it
 * @big_endian: the file's byte order
 *
 * Context: The host.
 * Return: False if the line has no instruction.
 */
bool shown_parse(struct shown *s, char *line, bool big_endian)
{
	char *bytes = strchr(line, '\t'), *text = bytes ? strchr(bytes + 1, '\t') : NULL;

	if (!text)
		return false;
	*s = (struct shown){ .text = text + 1, .addr = strtoul(line, NULL, 16) };
	*text = 0;
	text[1 + strcspn(text + 1, "\n")] = 0;
	s->len = parse_bytes(bytes + 1, s->bytes, sizeof(s->bytes), big_endian,
			     &s->unit);
	s->target = parse_target(s->text);
	return s->len;
}
