// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares plans of every instruction of a kernel with what objdump shows: the length, and
 * the target of a direct branch. The bytes that it shows must be those of the file. Where literals
 * may be taken for instructions of several lengths, the survey of a function must find the
 * beginning of each instruction.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>

#include "elf-file.h"
#include "harness.h"
#include "image.h"
#include "shown.h"

#define LINE_SIZE	4096
#define SHOWN_MAX	10

/**
 * struct tally - what was found in a file
 * @surveyed: places are asked for
 * @insns:    instructions that were compared
 * @refused:  those of them that must not be probed
 * @branches: those whose targets were compared
 * @wrong:    those that differed
 * @missing:  classes that the golden table does not have
 * @misread:  instructions whose bytes were not those of the file
 * @lost:     instructions that a survey takes for the inside of others
 * @as_data:  those that it takes for data
 * @data:     units of data in the text
 * @as_code:  those that it takes for instructions which can have probes
 */
struct tally {
	bool surveyed;
	unsigned long insns;
	unsigned long refused;
	unsigned long branches;
	unsigned long wrong;
	unsigned long missing;
	unsigned long misread;
	unsigned long lost;
	unsigned long as_data;
	unsigned long data;
	unsigned long as_code;
};

/* Is this no instruction, or several that objdump shows as one? */
static bool is_odd(const char *text)
{
	const char *const *odd = harness_target.odd;

	while (*odd && strncmp(text, *odd, strlen(*odd)))
		odd++;
	return *odd || strstr(text, "(bad)");
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
		wrong |= elf_address(insn.target) != s->target;
	} else if (insn.data_len && s->target) {
		wrong |= elf_address(insn.data) != s->target;
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

static void check_bytes(struct tally *tally, const struct shown *s)
{
	const u8 *bytes = elf_at(s->addr, s->len);

	if ((!bytes || memcmp(bytes, s->bytes, s->len)) && tally->misread++ < SHOWN_MAX)
		tap_note("%lx: %s: bytes are not those of the file", s->addr, s->text);
}

static enum kprobe_reason reason_at(unsigned long addr)
{
	static struct kprobe_survey survey;
	u8 bytes[KPROBE_GLANCE_MAX];
	struct kprobe_insn insn;
	size_t avail;

	if (!survey.isa)
		kprobe_survey_init(&survey, harness_target.isa, &image_text);
	avail = image_text.read(addr, bytes, sizeof(bytes));
	return harness_target.isa->plan(&insn, bytes, avail, addr) ?:
	       kprobe_scan_site(&survey, addr);
}

static void look_for_data(struct tally *tally, const struct shown *s)
{
	unsigned int align = harness_target.isa->align;
	unsigned long addr = (s->addr + align - 1) & ~(align - 1UL);

	for (; addr < s->addr + s->len; addr += align) {
		tally->data++;
		if (!reason_at(addr) && tally->as_code++ < SHOWN_MAX)
			tap_note("%lx: %s: data that can have a probe", addr, s->text);
	}
}

static void look_for_begin(struct tally *tally, const struct shown *s)
{
	enum kprobe_reason reason = reason_at(s->addr);

	tally->as_data += reason == KPROBE_REASON_DATA;
	if (reason == KPROBE_REASON_INSIDE && tally->lost++ < SHOWN_MAX)
		tap_note("%lx: %s: lost", s->addr, s->text);
}

static void look_at(struct tally *tally, const struct shown *s)
{
	check_bytes(tally, s);
	if (harness_target.class_of)
		guest_add(s->addr, s->bytes, s->len);
	if (harness_target.unit && s->unit != harness_target.unit && !is_odd(s->text))
		return;
	if (tally->surveyed && image_has_text(s->addr))
		(is_odd(s->text) ? look_for_data : look_for_begin)(tally, s);
	if (is_odd(s->text))
		return;
	compare(tally, s);
	note_class(tally, s);
}

/**
 * lengths_test() - compare plans with what objdump shows
 * @vmlinux: file with the instructions
 *
 * Context: The host, after elf_load() of the file.
 */
void lengths_test(const char *vmlinux)
{
	FILE *f = disassemble(vmlinux);
	struct tally tally = {};
	char line[LINE_SIZE];
	struct shown s;

	tap_begin("lengths");
	tally.surveyed = harness_target.isa->literals && image_load(vmlinux);
	while (f && fgets(line, sizeof(line), f))
		if (shown_parse(&s, line, elf.big_endian))
			look_at(&tally, &s);
		else
			guest_end_row();
	guest_end_row();
	tap_note("%lu instructions, %lu of them refused, %lu branches", tally.insns,
		 tally.refused, tally.branches);
	tap_result(f && !pclose(f) && tally.branches && !tally.wrong, "%s", vmlinux);
	tap_result(elf.big_endian == harness_target.big_endian && !tally.misread, "bytes of %s",
		   vmlinux);
	if (tally.surveyed) {
		tap_note("%lu instructions taken for data, %lu of %lu units of data for code",
			 tally.as_data, tally.as_code, tally.data);
		tap_result(!tally.lost, "no instruction of %s is lost", vmlinux);
	}
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
