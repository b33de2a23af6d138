// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts how many places of a kernel can be probed, and at how many the probe becomes a
 * jump: entries of functions, and one in SAMPLE of its instructions.
 */
#include <stdio.h>
#include <string.h>
#include <linux/kernel.h>

#include "harness.h"
#include "image.h"

#define SAMPLE		13
#define TEXT_MAX	64

/**
 * struct tally - results for a set of places
 * @name:    what places these are
 * @nr:      how many
 * @refused: by reason, how many cannot be probed; at %KPROBE_REASON_NONE, how many can
 * @region:  the latter by the reason why no region can be displaced, if none can
 * @jump:    the same places by the reason why there is no jump, if there is none
 */
struct tally {
	const char *name;
	unsigned long nr;
	unsigned long refused[KPROBE_REASONS];
	unsigned long region[KPROBE_REASONS];
	unsigned long jump[KPROBE_REASONS];
};

static enum kprobe_reason plan_at(struct kprobe_insn *insn, unsigned long addr,
				  const struct image_function *f)
{
	u8 bytes[TEXT_MAX];
	size_t avail;

	avail = image_text.read(addr, bytes, min_t(size_t, TEXT_MAX, f->end - addr));
	return harness_target.isa->plan(insn, bytes, avail, addr);
}

static enum kprobe_reason region_at(unsigned long addr, const struct image_function *f)
{
	struct kprobe_region region;
	u8 bytes[TEXT_MAX];
	size_t avail;

	avail = image_text.read(addr, bytes, min_t(size_t, TEXT_MAX, f->end - addr));
	return kprobe_plan_region(harness_target.isa, &region, bytes, avail, addr);
}

static void count(struct tally *t, unsigned long addr, unsigned long from,
		  const struct image_function *f)
{
	static struct kprobe_survey survey;
	struct kprobe_region region;
	enum kprobe_reason reason;
	struct kprobe_insn insn;

	t->nr++;
	reason = plan_at(&insn, addr, f);
	if (!reason)
		reason = image_text.reserved(&image_text, addr, addr + insn.len);
	if (!survey.isa)
		kprobe_survey_init(&survey, harness_target.isa, &image_text);
	if (!reason)
		reason = kprobe_scan_site(&survey, addr);
	t->refused[reason]++;
	if (reason)
		return;
	t->region[region_at(addr, f)]++;
	t->jump[kprobe_scan_region(&survey, &region, addr, from)]++;
}

static void print(const char *what, const unsigned long *reasons)
{
	unsigned long nr = 0;
	unsigned int i;

	for (i = 0; i < KPROBE_REASONS; i++)
		nr += reasons[i];
	printf("  %-7s", what);
	for (i = 0; i < KPROBE_REASONS; i++)
		if (reasons[i])
			printf(" %s %lu (%.2f %%)", reason_names[i] ?: "other", reasons[i],
			       100.0 * reasons[i] / nr);
	printf("\n");
}

static void print_tally(const struct tally *t)
{
	printf("%s: %lu\n", t->name, t->nr);
	print("probe", t->refused);
	print("region", t->region);
	print("jump", t->jump);
}

static void count_function(struct tally *entries, struct tally *insns,
			   const struct image_function *f)
{
	unsigned long addr, entry = f->start;
	static unsigned int turn;
	enum kprobe_reason reason;
	struct kprobe_insn insn;

	if (!f->code)
		return;
	/* A probe is after a landing pad, and its breakpoint after ftrace's nop. */
	reason = plan_at(&insn, entry, f);
	if (insn.flow == KPROBE_FLOW_PAD && (reason || insn.action == KPROBE_NOP))
		entry += insn.len;
	if (image_has_entry_nop(entry))
		entry += harness_target.entry_nop;
	count(entries, entry, entry == f->start ? entry + 1 : entry, f);
	for (addr = f->start; addr < f->last; addr += insn.len) {
		plan_at(&insn, addr, f);
		if (!insn.len)
			return;
		if (++turn % SAMPLE == 0)
			count(insns, addr, addr + 1, f);
	}
}

/**
 * share_print() - print how many places of a kernel can be probed
 * @vmlinux: the kernel
 *
 * Context: The host, once.
 * Return: 0, or 2 if the file is not a kernel that can be read.
 */
int share_print(const char *vmlinux)
{
	struct tally entries = { "entries of functions" }, insns = { "instructions" };
	size_t i;

	if (!image_load(vmlinux)) {
		fprintf(stderr, "%s: not a kernel with symbols\n", vmlinux);
		return 2;
	}
	for (i = 0; i < image_nr_functions; i++)
		count_function(&entries, &insns, &image_functions[i]);
	print_tally(&entries);
	print_tally(&insns);
	return 0;
}
