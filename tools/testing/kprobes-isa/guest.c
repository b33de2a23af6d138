// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which classes of a kernel's instructions its guest runs with probes: each class that occurs
 * in the text must be that of an instruction which kernel/kprobes/tests/differential_kunit.c
 * probes, or be in a file that tells why it is not. The sequences are those of the kernel
 * itself, read from its table, so that no source needs to be understood. Its instructions are
 * told apart here, from one symbol to the next: objdump does not know all of them, and loses
 * its way behind one that it does not.
 *
 * Each line of the file is a class, as a pattern of the shell, and the reason, with tabs
 * between. That of a class that is refused begins with "refused:" and the plan's reason.
 */
#include <fnmatch.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>

#include "elf-file.h"
#include "harness.h"

#define LINE_SIZE	512
#define CLASS_SIZE	128
#define EXCUSES_MAX	512
#define PROBED_MAX	8192
#define REFUSED		"refused: "

/*
 * As in kernel/kprobes/tests/differential.h: the instruction does not complete, or is another
 * one when the kernel runs. These do not count.
 */
#define DIFF_FAULTS	1
#define DIFF_ENTRY	2

/**
 * struct class - a class of a kernel's instructions
 * @name:   as class_of() tells it
 * @addr:   where one of them is
 * @reason: why it is refused; %KPROBE_REASON_NONE if one of the class is not
 * @run:    a sequence probes one
 */
struct class {
	char *name;
	unsigned long addr;
	enum kprobe_reason reason;
	bool run;
};

/**
 * struct excuse - why some classes are not run
 * @pattern: of the class
 * @why:     the reason
 */
struct excuse {
	char *pattern;
	char *why;
};

/* Bytes in a row, up to a symbol. */
static u8 *row;
static size_t row_len, row_size;
static unsigned long row_addr;

static struct class classes[CLASSES_MAX];
static unsigned int nr_classes;
static struct excuse excuses[EXCUSES_MAX];
static unsigned int nr_excuses;
static unsigned long probed[PROBED_MAX];
static unsigned int nr_probed, nr_sequences;

static int compare_addresses(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

/* An entry of the table: two addresses, an offset and flags. */
static void note_sequence(unsigned long entry)
{
	unsigned long code = elf_absolute(entry, elf.word);
	u32 at = elf_absolute(entry + 2 * elf.word, sizeof(at));
	u32 flags = elf_absolute(entry + 2 * elf.word + sizeof(at), sizeof(flags));

	nr_sequences++;
	if (!(flags & (DIFF_FAULTS | DIFF_ENTRY)) && nr_probed < PROBED_MAX)
		probed[nr_probed++] = code + at;
}

/**
 * guest_load() - read which instructions a kernel's own test probes
 *
 * Context: The host, after elf_load() of the kernel; classes that follow are of that.
 */
void guest_load(void)
{
	unsigned long at = elf_value_of("kprobes_diff_sequences");
	unsigned long end = elf_value_of("kprobes_diff_sequences_end");
	size_t size = 2 * elf.word + 2 * sizeof(u32);

	nr_probed = 0;
	for (; at && at + size <= end; at += size)
		note_sequence(at);
	qsort(probed, nr_probed, sizeof(*probed), compare_addresses);
}

static int compare_classes(const void *a, const void *b)
{
	return strcmp(((const struct class *)a)->name, ((const struct class *)b)->name);
}

static struct class *find_class(char *name)
{
	static void *tree;
	struct class key = { .name = name }, **found = tfind(&key, &tree, compare_classes);

	if (found)
		return *found;
	if (nr_classes == CLASSES_MAX) {
		fprintf(stderr, "more classes than %u\n", CLASSES_MAX);
		exit(2);
	}
	classes[nr_classes].name = strdup(name);
	return *(struct class **)tsearch(&classes[nr_classes++], &tree, compare_classes);
}

static void note_class(const u8 *bytes, size_t len, unsigned long addr,
		       enum kprobe_reason reason)
{
	char name[CLASS_SIZE];
	struct class *class;

	harness_target.class_of(name, sizeof(name), bytes, len);
	class = find_class(name);
	if (!class->addr || (class->reason && !reason)) {
		class->addr = addr;
		class->reason = reason;
	}
	class->run |= !!bsearch(&addr, probed, nr_probed, sizeof(*probed), compare_addresses);
}

/**
 * guest_end_row() - note the classes of the instructions in a row of bytes
 *
 * Context: The host, after guest_load() of the kernel.
 */
void guest_end_row(void)
{
	enum kprobe_reason reason;
	struct kprobe_insn insn;
	size_t at, len;

	for (at = 0; at < row_len; at += len) {
		reason = harness_target.isa->plan(&insn, row + at, row_len - at, row_addr + at);
		len = insn.len ?: 1;
		note_class(row + at, min_t(size_t, len, row_len - at), row_addr + at, reason);
	}
	row_len = 0;
}

/**
 * guest_add() - add some bytes to the row
 * @addr:  where they are
 * @bytes: what they are
 * @len:   how many
 *
 * Context: The host. Bytes that do not follow those before end that row.
 */
void guest_add(unsigned long addr, const u8 *bytes, size_t len)
{
	if (addr != row_addr + row_len)
		guest_end_row();
	if (!row_len)
		row_addr = addr;
	if (row_len + len > row_size) {
		row_size = 2 * (row_len + len);
		row = realloc(row, row_size);
	}
	memcpy(row + row_len, bytes, len);
	row_len += len;
}

static void read_excuses(void)
{
	FILE *f = fopen(harness_target.not_run, "r");
	char line[LINE_SIZE], *tab;

	if (!f) {
		perror(harness_target.not_run);
		exit(2);
	}
	while (fgets(line, sizeof(line), f)) {
		tab = strchr(line, '\t');
		if (line[0] == '#' || !tab || nr_excuses == EXCUSES_MAX)
			continue;
		*tab = 0;
		tab += 1 + strspn(tab + 1, "\t");
		tab[strcspn(tab, "\n")] = 0;
		excuses[nr_excuses++] = (struct excuse){ strdup(line), strdup(tab) };
	}
	fclose(f);
}

static const struct excuse *find_excuse(const struct class *class)
{
	unsigned int i;

	for (i = 0; i < nr_excuses; i++)
		if (!fnmatch(excuses[i].pattern, class->name, 0))
			return &excuses[i];
	return NULL;
}

/* What is refused is so for the reason that the file tells, and nothing else. */
static bool is_right(const struct excuse *excuse, const struct class *class)
{
	const char *refused = reason_names[class->reason] ?: "otherwise";
	size_t len = strlen(REFUSED);

	if (!class->reason || strncmp(excuse->why, REFUSED, len))
		return !class->reason && strncmp(excuse->why, REFUSED, len);
	return strcspn(excuse->why + len, ",") == strlen(refused) &&
	       !strncmp(excuse->why + len, refused, strlen(refused));
}

static unsigned int note_classes(bool run, const char *what)
{
	unsigned int i, wrong = 0;

	for (i = 0; i < nr_classes; i++) {
		const struct class *class = &classes[i];
		const struct excuse *excuse = find_excuse(class);

		if (class->run != run || (run ? !excuse : excuse && is_right(excuse, class)))
			continue;
		tap_note("%s: %s, as at %lx, refused: %s", what, class->name, class->addr,
			 class->reason ? reason_names[class->reason] ?: "otherwise" : "no");
		wrong++;
	}
	return wrong;
}

static unsigned int count_run(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < nr_classes; i++)
		nr += classes[i].run;
	return nr;
}

/**
 * guest_test() - look for classes of the kernels that no sequence has
 *
 * Context: The host, once.
 */
void guest_test(void)
{
	tap_begin("guest");
	read_excuses();
	tap_note("%u classes, %u of them run by %u sequences", nr_classes, count_run(),
		 nr_sequences);
	tap_result(nr_sequences, "kernels have the sequences");
	tap_result(!note_classes(false, "neither run nor excused"), "classes are run with probes");
	tap_result(!note_classes(true, "excused without need"),
		   "no class is excused without need");
	tap_end("guest");
}
