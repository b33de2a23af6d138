// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares plans of every instruction of a kernel with what objdump shows: the length, and
 * the target of a direct branch.
 *
 * objdump -d -w prints "address:\tbytes\tinstruction", where the bytes are in groups
 * that are little-endian numbers, and a direct branch's target as "hex <symbol>".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>

#include "harness.h"

#define LINE_SIZE	4096
#define SHOWN_MAX	10

/**
 * struct shown - an instruction as objdump shows it
 * @addr:   its address
 * @len:    how many bytes it has
 * @bytes:  the bytes, and zeros
 * @target: the target in the text that it names, 0 if none
 * @text:   the instruction
 */
struct shown {
	unsigned long addr;
	size_t len;
	u8 bytes[32];
	unsigned long target;
	const char *text;
};

/**
 * struct tally - what was found in a file
 * @insns:    instructions that were compared
 * @refused:  those of them that must not be probed
 * @branches: those whose targets were compared
 * @wrong:    those that differed
 * @missing:  classes that the golden table does not have
 */
struct tally {
	unsigned long insns;
	unsigned long refused;
	unsigned long branches;
	unsigned long wrong;
	unsigned long missing;
};

/* A group is a number, its last byte the first in memory. */
static size_t parse_bytes(const char *at, u8 *bytes, size_t size)
{
	unsigned long group;
	size_t n = 0;
	int before, after;

	while (sscanf(at, " %n%lx%n", &before, &group, &after) == 1) {
		for (; before < after && n < size; before += 2, group >>= 8)
			bytes[n++] = group;
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

/* Is this no instruction, or several that objdump shows as one? */
static bool is_odd(const char *text)
{
	const char *const *odd = harness_target.odd;

	while (*odd && strncmp(text, *odd, strlen(*odd)))
		odd++;
	return *odd || strstr(text, "(bad)");
}

static bool parse(char *line, struct shown *s)
{
	char *bytes = strchr(line, '\t'), *text = bytes ? strchr(bytes + 1, '\t') : NULL;

	if (!text)
		return false;
	*s = (struct shown){ .text = text + 1, .addr = strtoul(line, NULL, 16) };
	*text = 0;
	s->text = text + 1;
	text[1 + strcspn(text + 1, "\n")] = 0;
	s->len = parse_bytes(bytes + 1, s->bytes, sizeof(s->bytes));
	s->target = parse_target(s->text);
	return s->len;
}

static void compare(struct tally *tally, const struct shown *s)
{
	enum kprobe_reason reason;
	struct kprobe_insn insn;
	bool wrong;

	reason = harness_target.isa->plan(&insn, s->bytes, s->len, s->addr);
	tally->insns++;
	tally->refused += !!reason;
	wrong = insn.len != s->len;
	if (kprobe_insn_has_target(&insn) && s->target) {
		tally->branches++;
		wrong |= insn.target != s->target;
	} else if (insn.data_len && s->target) {
		wrong |= insn.data != s->target;
	}
	if (wrong && tally->wrong++ < SHOWN_MAX)
		tap_note("%lx: %s: len %u of %zu, target %lx of %lx", s->addr, s->text,
			 insn.len, s->len, insn.target, s->target);
}

static void note_class(struct tally *tally, const struct shown *s)
{
	char bytes[3 * sizeof(s->bytes) + 1] = "";
	size_t i;

	if (!harness_target.kind_of || !classes_add(s->text))
		return;
	for (i = 0; i < s->len; i++)
		sprintf(bytes + 3 * i, "%02x ", s->bytes[i]);
	tap_note("not in the table: %s:\t# %s", bytes, s->text);
	tally->missing++;
}

static FILE *disassemble(const char *path)
{
	char command[LINE_SIZE];

	snprintf(command, sizeof(command), "%s '%s'", harness_target.objdump, path);
	return popen(command, "r");
}

static void look_at(struct tally *tally, const struct shown *s)
{
	if (harness_target.class_of)
		guest_add(s->addr, s->bytes, s->len);
	if (is_odd(s->text))
		return;
	compare(tally, s);
	note_class(tally, s);
}

/**
 * lengths_test() - compare plans with what objdump shows
 * @vmlinux: file with the instructions
 *
 * Context: The host.
 */
void lengths_test(const char *vmlinux)
{
	FILE *f = disassemble(vmlinux);
	struct tally tally = {};
	char line[LINE_SIZE];
	struct shown s;

	tap_begin("lengths");
	while (f && fgets(line, sizeof(line), f))
		if (parse(line, &s))
			look_at(&tally, &s);
		else
			guest_end_row();
	guest_end_row();
	tap_note("%lu instructions, %lu of them refused, %lu branches", tally.insns,
		 tally.refused, tally.branches);
	tap_result(f && !pclose(f) && tally.branches && !tally.wrong, "%s", vmlinux);
	if (harness_target.kind_of)
		tap_result(!tally.missing, "classes of %s", vmlinux);
	tap_end("lengths");
}

/**
 * lengths_skip() - report that there is no kernel to compare with
 *
 * Context: The host.
 */
void lengths_skip(void)
{
	tap_begin("lengths");
	tap_skip("vmlinux", "no kernel of this architecture was built");
	tap_end("lengths");
}
