// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Golden tables: compares plans and copies with those in a table, one case on each line.
 *
 *	bytes : plan : copy nearby : copy far away
 *	jump scratch : nearby : far away		(or return, enter, leave)
 *
 * Bytes are in hex, in the order of memory. After a "|" come the bytes after the instruction.
 * The plan is in words; addresses in it are distances from the instruction's, as "+5". Copies
 * are in hex, or "far" if a target is out of reach; copies of branches may use any register
 * that a jump may. After "#" comes a comment, mostly the instruction in assembly. Lines of the
 * second form have other code of detours: a jump to the instruction, which may use the register
 * in hex, or the code of return, enter and leave.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>

#include "execute.h"
#include "harness.h"

#define LINE_SIZE	512
#define BYTES_SIZE	96

/**
 * struct text - a line being written
 * @chars: its characters
 * @len:   its length
 */
struct text {
	char chars[LINE_SIZE];
	size_t len;
};

__printf(2, 3) static void add(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->chars + t->len, sizeof(t->chars) - t->len, format, args);
	va_end(args);
	t->len = min_t(size_t, t->len + n, sizeof(t->chars) - 1);
}

static void add_address(struct text *t, const char *word, unsigned long addr)
{
	long apart = addr - harness_target.from;

	if (apart < 0)
		add(t, " %s -0x%lx", word, -apart);
	else
		add(t, " %s +0x%lx", word, apart);
}

static void add_flow(struct text *t, const struct kprobe_insn *insn)
{
	switch (insn->flow) {
	case KPROBE_FLOW_NEXT:
		break;
	case KPROBE_FLOW_JUMP:
	case KPROBE_FLOW_COND:
	case KPROBE_FLOW_CALL:
		add_address(t, flow_names[insn->flow], insn->target);
		break;
	default:
		add(t, " %s", flow_names[insn->flow]);
	}
}

static void add_rest(struct text *t, const struct kprobe_insn *insn)
{
	if (insn->bundle)
		add(t, " bundle %u", insn->bundle);
	if (insn->exclusive)
		add(t, " exclusive %+d", insn->exclusive);
	if (insn->fault)
		add(t, " fault %u", insn->fault);
	if (insn->ends_in_trap)
		add(t, " ends-in-trap");
	if (insn->may_skip)
		add(t, " may-skip");
	/* Of others the flow tells it: words-check.c. */
	if (insn->branches && !kprobe_flow_is_branch(insn->flow))
		add(t, " branches");
	if (insn->data_len)
		add_address(t, insn->executes ? "executes" : "reads-text", insn->data);
	if (insn->state)
		add(t, " state");
	if (insn->no_copy)
		add(t, " no-copy");
	if (insn->no_jump)
		add(t, " no-jump");
	if (insn->no_jump_unless_traced)
		add(t, " no-jump-unless-traced");
	if (insn->no_jump_next)
		add(t, " no-jump-next");
	if (insn->takes_address)
		add_address(t, "takes-address", insn->data);
	if (insn->reads)
		add(t, " reads 0x%x", insn->reads);
	if (insn->writes)
		add(t, " writes 0x%x", insn->writes);
}

static void add_plan(struct text *t, enum kprobe_reason reason,
		     const struct kprobe_insn *insn, size_t size)
{
	if (reason)
		add(t, " : refused %s", reason_names[reason] ?: "otherwise");
	else
		add(t, " : %s", action_names[insn->action]);
	if (insn->len != size)
		add(t, " len %u", insn->len);
	add_flow(t, insn);
	add_rest(t, insn);
}

static void add_bytes(struct text *t, const u8 *bytes, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		add(t, " %02x", bytes[i]);
}

static void add_copy(struct text *t, const struct kprobe_insn *insn, const u8 *bytes,
		     unsigned long base)
{
	u8 buf[BYTES_SIZE];
	struct kprobe_code code = { .buf = buf, .size = sizeof(buf), .base = base };

	harness_target.isa->emit(&code, insn, bytes, harness_target.from);
	add(t, " :");
	if (code.far)
		add(t, " far");
	else
		add_bytes(t, buf, min(code.len, code.size));
}

static void add_jump(struct kprobe_code *code, const char *line)
{
	harness_target.isa->jump(code, harness_target.from, strtoul(line, NULL, 16));
}

static void add_return(struct kprobe_code *code, const char *line)
{
	harness_target.isa->back(code, harness_target.from);
}

static void add_enter(struct kprobe_code *code, const char *line)
{
	harness_target.isa->enter(code, harness_target.from);
}

static void add_leave(struct kprobe_code *code, const char *line)
{
	kprobe_code_leave(code, harness_target.isa);
}

static const struct {
	const char *name;
	void (*add)(struct kprobe_code *code, const char *line);
} codes[] = {
	{ "jump", add_jump },
	{ "return", add_return },
	{ "enter", add_enter },
	{ "leave", add_leave },
};

static void add_code(struct text *t, const char *line, unsigned int which,
		     unsigned long base)
{
	u8 buf[BYTES_SIZE];
	struct kprobe_code code = { .buf = buf, .size = sizeof(buf), .base = base };

	codes[which].add(&code, line + strlen(codes[which].name));
	add(t, " :");
	if (code.far)
		add(t, " far");
	else
		add_bytes(t, buf, min(code.len, code.size));
}

/* Returns how many bytes the line begins with; sets @size to the instruction's part. */
static size_t read_bytes(const char *line, u8 *bytes, size_t *size)
{
	size_t n = 0;
	char *end;

	*size = 0;
	while (n < BYTES_SIZE) {
		while (*line == ' ')
			line++;
		if (*line == '|') {
			*size = n;
			line++;
			continue;
		}
		bytes[n] = strtoul(line, &end, 16);
		if (end == line)
			break;
		n++;
		line = end;
	}
	*size = *size ?: n;
	return n;
}

static void trim(char *line)
{
	size_t len = strlen(line);

	while (len && isspace(line[len - 1]))
		line[--len] = 0;
}

static void copy_case(struct text *t, const char *line)
{
	t->len = 0;
	add(t, "%.*s", (int)strcspn(line, ":"), line);
	trim(t->chars);
	t->len = strlen(t->chars);
}

static bool make_code_line(struct text *t, const char *line)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(codes); i++)
		if (!strncmp(line, codes[i].name, strlen(codes[i].name)))
			break;
	if (i == ARRAY_SIZE(codes))
		return false;
	copy_case(t, line);
	add_code(t, line, i, harness_target.near);
	add_code(t, line, i, harness_target.away);
	return true;
}

/* Makes the line anew from its first column. */
static void make_line(struct text *t, const char *line)
{
	u8 bytes[BYTES_SIZE] = {};
	enum kprobe_reason reason;
	struct kprobe_insn insn;
	size_t size, avail;

	if (make_code_line(t, line))
		return;
	avail = read_bytes(line, bytes, &size);
	reason = harness_target.isa->plan(&insn, bytes, avail, harness_target.from);
	if (avail >= harness_target.isa->align)
		forms_note(bytes);
	copy_case(t, line);
	add_plan(t, reason, &insn, size);
	if (reason)
		return;
	if (insn.flow == KPROBE_FLOW_JUMP || insn.flow == KPROBE_FLOW_COND)
		insn.dead = harness_target.isa->scratch;
	add_copy(t, &insn, bytes, harness_target.near);
	add_copy(t, &insn, bytes, harness_target.away);
}

static FILE *open_table(const char *path)
{
	FILE *f = fopen(path, "r");

	if (f)
		return f;
	perror(path);
	exit(2);
}

/* Cuts off the comment and copies it to @comment. */
static bool is_case(char *line, char *comment)
{
	size_t code = strcspn(line, "#\n");

	memcpy(comment, line + code, strlen(line + code) + 1);
	trim(comment);
	line[code] = 0;
	trim(line);
	return line[0];
}

/**
 * golden_write() - print a table with the present plans and copies
 * @path: the table
 *
 * Context: The host.
 * Return: 0.
 */
int golden_write(const char *path)
{
	FILE *f = open_table(path);
	char line[LINE_SIZE], comment[LINE_SIZE];
	struct text now;

	while (fgets(line, sizeof(line), f)) {
		now.chars[0] = 0;
		if (is_case(line, comment))
			make_line(&now, line);
		printf("%s%s%s\n", now.chars, now.chars[0] && comment[0] ? "\t" : "",
		       comment);
	}
	fclose(f);
	return 0;
}

static void note_instruction(const char *line)
{
	u8 bytes[BYTES_SIZE] = {};
	size_t size, avail = read_bytes(line, bytes, &size);

	if (avail >= harness_target.isa->align)
		execute_golden(bytes, avail);
}

/**
 * golden_read() - note the instructions of a table for execute_table_test()
 * @path: the table
 *
 * Context: The host.
 */
void golden_read(const char *path)
{
	char line[LINE_SIZE], comment[LINE_SIZE];
	FILE *f = open_table(path);

	while (fgets(line, sizeof(line), f))
		if (is_case(line, comment))
			note_instruction(line);
	fclose(f);
}

static void test_line(const char *line, const char *comment)
{
	struct text now;
	bool same;

	make_line(&now, line);
	note_instruction(line);
	same = !strcmp(line, now.chars);
	if (!same) {
		tap_note("table %s", line);
		tap_note("code  %s", now.chars);
	}
	tap_result(same, "%.*s%s", (int)strcspn(line, ":"), line, comment[0] ? comment + 1 : "");
}

/**
 * golden_test() - compare plans and copies with a table
 * @path: the table
 *
 * Context: The host.
 */
void golden_test(const char *path)
{
	FILE *f = open_table(path);
	char line[LINE_SIZE], comment[LINE_SIZE], group[LINE_SIZE];

	snprintf(group, sizeof(group), "golden_%s", harness_target.name);
	tap_begin(group);
	while (fgets(line, sizeof(line), f))
		if (is_case(line, comment))
			test_line(line, comment);
	tap_end(group);
	fclose(f);
}
