// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares plans with what other decoders tell, and the differences with those in a list. A line of
 * the list has
 *
 *	decoder name what here there : who is right, and why
 *
 * Each of the first five may be a pattern. The name is the decoder's, or for what it does not know
 * the form's value/mask. What differs is one of:
 *
 *	known	is it an instruction? Only if no other decoder agrees
 *	len	its length
 *	flow	where execution continues
 *	target	of a direct branch
 *	slot	is the next instruction in its delay slot?
 *	branches its copy may branch, and the plan does not say so
 *	skip	may it keep the next instruction from taking effect?
 *	copy	its bytes run elsewhere, but depend on its address
 *	branch	no branch of its copy leads to its target
 *	reads	it reads a register that a jump may use, and the plan does not say so
 *	writes	the plan says that it writes such a register, and it does not
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>

#include "harness.h"
#include "words.h"
#include "words-check.h"

#define FIELDS		5
#define FIELD_SIZE	64
#define LISTED_MAX	512
#define FOUND_MAX	8192

/* A line of the list. */
struct listed {
	char field[FIELDS][FIELD_SIZE];
	u64 nr;
};

/* A difference, and an instruction that has it. */
struct found {
	char field[FIELDS][FIELD_SIZE];
	u8 bytes[WORDS_BYTES];
	struct listed *listed;
	u64 nr;
};

static struct listed listed[LISTED_MAX];
static struct found found[FOUND_MAX];
static unsigned int nr_listed, nr_found;
/* Of the instruction that is compared. */
static char now[8][FIELDS][FIELD_SIZE];
static unsigned int nr_now;
static const struct decoder *used[4];
static unsigned int nr_used;
static u64 known, unknown, branches;
static const char *list_name;

/* Other decoders know no landing pads. */
static const char *flow_here(const struct kprobe_insn *insn)
{
	return flow_names[insn->flow == KPROBE_FLOW_PAD ? KPROBE_FLOW_NEXT : insn->flow];
}

/* Where addresses have 32 bits, that many count. */
static unsigned long address_like(unsigned long addr)
{
	return harness_target.from >> 32 ? addr : (u32)addr;
}

static void load_list(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[512];

	list_name = path;
	while (f && fgets(line, sizeof(line), f) && nr_listed < LISTED_MAX) {
		struct listed *l = &listed[nr_listed];

		if (line[0] != '#' && sscanf(line, "%63s %63s %63s %63s %63s :", l->field[0],
					     l->field[1], l->field[2], l->field[3],
					     l->field[4]) == FIELDS)
			nr_listed++;
	}
	if (f)
		fclose(f);
}

static struct listed *find_listed(const struct found *f)
{
	unsigned int i, field;

	for (i = 0; i < nr_listed; i++) {
		for (field = 0; field < FIELDS; field++)
			if (fnmatch(listed[i].field[field], f->field[field], 0))
				break;
		if (field == FIELDS)
			return &listed[i];
	}
	return NULL;
}

/* Notes a difference of the instruction that is compared. */
static void differ(const struct decoder *by, const char *name, const char *what,
		   const char *here, const char *there)
{
	const char *fields[FIELDS] = { by->name, name, what, here, there };
	unsigned int i;

	for (i = 0; i < FIELDS && nr_now < ARRAY_SIZE(now); i++)
		snprintf(now[nr_now][i], FIELD_SIZE, "%s", fields[i]);
	nr_now++;
}

static void keep(char (*fields)[FIELD_SIZE], const u8 *bytes)
{
	struct found *f;
	unsigned int i;

	for (f = found; f < found + nr_found; f++) {
		for (i = 1; i < FIELDS; i++)
			if (strcmp(f->field[i], fields[i]))
				break;
		if (i == FIELDS && !strcmp(f->field[0], fields[0]))
			break;
	}
	if (f == found + FOUND_MAX)
		return;
	if (f == found + nr_found) {
		nr_found++;
		for (i = 0; i < FIELDS; i++)
			memcpy(f->field[i], fields[i], FIELD_SIZE);
		memcpy(f->bytes, bytes, WORDS_BYTES);
		f->listed = find_listed(f);
	}
	f->nr++;
	if (f->listed)
		f->listed->nr++;
}

static void name_form(char *name, size_t size, const u8 *bytes)
{
	const struct kprobe_forms *forms = harness_target.isa->forms;
	const struct kprobe_form *form;

	if (!forms) {
		snprintf(name, size, "%02x%02x%02x", bytes[0], bytes[1], bytes[2]);
		return;
	}
	form = kprobe_find_form(forms, forms_word(bytes));
	snprintf(name, size, "%08x/%08x", form->value, form->mask);
}

/* Does a branch of the copy lead to the target? LLVM forgets the sign of what auipc adds. */
static bool copy_leads_to(const struct decoder *by, const struct kprobe_code *copy,
			  unsigned long target)
{
	unsigned int at = 0;
	struct decoded d;

	by->reset();
	while (at < copy->len && by->decode(&d, copy->buf + at, copy->len - at, copy->base + at)) {
		if (d.has_target && (u32)d.target == (u32)target)
			return true;
		at += d.len;
	}
	return false;
}

static void compare_copy(const struct decoder *by, const struct decoded *d, const u8 *bytes,
			 const struct kprobe_insn *insn, const struct kprobe_code *copy)
{
	if (!copy || copy->far || !copy->len || copy->len > copy->size)
		return;
	if (d->relative && copy->len == insn->len && !memcmp(copy->buf, bytes, insn->len))
		differ(by, d->name, "copy", "verbatim", "relative");
	if (by->follows && (insn->flow == KPROBE_FLOW_JUMP || insn->flow == KPROBE_FLOW_COND) &&
	    !copy_leads_to(by, copy, insn->target))
		differ(by, d->name, "branch", "elsewhere", "target");
}

static void compare_registers(const struct decoder *by, const struct decoded *d,
			      const struct kprobe_insn *insn)
{
	u32 scratch = harness_target.isa->scratch;

	if (!d->registers)
		return;
	if (d->reads & scratch & ~insn->reads)
		differ(by, d->name, "reads", "no", "yes");
	if (insn->writes & scratch & ~d->writes)
		differ(by, d->name, "writes", "yes", "no");
}

static const char *flow_there(const struct decoded *d)
{
	bool leaves = !strcmp(d->flow, "return") || !strcmp(d->flow, "jump-indirect");

	if (!d->conditional)
		return d->flow;
	return leaves ? "next" : !strcmp(d->flow, "jump") ? "cond" : d->flow;
}

static void compare_known(const struct decoder *by, const struct decoded *d, const u8 *bytes,
			  const struct kprobe_insn *insn, enum kprobe_reason reason,
			  const struct kprobe_code *copy)
{
	bool refused = reason != KPROBE_REASON_NONE;
	char here[32], there[16];

	known++;
	if (!insn->len || reason == KPROBE_REASON_UNDECODABLE) {
		differ(by, d->name, "known", reason_names[reason], "known");
		return;
	}
	if (insn->len != d->len) {
		if (refused)
			snprintf(here, sizeof(here), "%s", reason_names[reason]);
		else
			snprintf(here, sizeof(here), "%u", insn->len);
		snprintf(there, sizeof(there), "%u", d->len);
		differ(by, d->name, "len", here, there);
		return;
	}
	if (strcmp(flow_here(insn), flow_there(d))) {
		differ(by, d->name, "flow", refused ? reason_names[reason] : flow_here(insn),
		       flow_there(d));
		return;
	}
	if (kprobe_insn_has_target(insn) && d->has_target) {
		branches++;
		if (address_like(insn->target) != address_like(d->target))
			differ(by, d->name, "target", "other", "other");
	}
	if (d->delay_slot != (insn->bundle && insn->flow != KPROBE_FLOW_NEXT))
		differ(by, d->name, "slot", d->delay_slot ? "no" : "yes",
		       d->delay_slot ? "yes" : "no");
	if (refused || insn->action == KPROBE_NOP)
		return;
	if (insn->action == KPROBE_RUN && strcmp(d->flow, "next") && !insn->branches)
		differ(by, d->name, "branches", "no", "yes");
	if (d->skips >= 0 && d->skips != insn->may_skip)
		differ(by, d->name, "skip", d->skips ? "no" : "yes", d->skips ? "yes" : "no");
	compare_copy(by, d, bytes, insn, copy);
	compare_registers(by, d, insn);
}

/* What another decoder does not know need not be told apart, if it simply runs or is refused. */
static void compare_unknown(const struct decoder *by, const u8 *bytes,
			    const struct kprobe_insn *insn, enum kprobe_reason reason)
{
	bool simple = insn->flow == KPROBE_FLOW_NEXT && insn->action == KPROBE_RUN;
	char name[FIELD_SIZE];

	unknown++;
	if (reason != KPROBE_REASON_NONE || simple)
		return;
	name_form(name, sizeof(name), bytes);
	differ(by, name, "known", flow_here(insn), "unknown");
}

/**
 * compare() - compare a plan with what other decoders tell
 * @bytes:  the instruction, %WORDS_BYTES of them
 * @insn:   its plan
 * @reason: why it is refused, if it is
 * @copy:   its copy; NULL if that has other instructions in it
 *
 * If one of the decoders agrees, what others make of it does not count.
 *
 * Context: The host, after compare_begin().
 */
void compare(const u8 *bytes, const struct kprobe_insn *insn, enum kprobe_reason reason,
	     const struct kprobe_code *copy)
{
	bool agreed = false;
	unsigned int i, before;
	struct decoded d;

	nr_now = 0;
	for (i = 0; i < nr_used; i++) {
		before = nr_now;
		used[i]->reset();
		if (used[i]->decode(&d, bytes, WORDS_BYTES, harness_target.from)) {
			if (!i)
				names_note(d.name, insn, reason);
			compare_known(used[i], &d, bytes, insn, reason, copy);
		} else {
			compare_unknown(used[i], bytes, insn, reason);
		}
		agreed |= nr_now == before;
	}
	for (i = 0; !agreed && i < nr_now && i < ARRAY_SIZE(now); i++)
		keep(now[i], bytes);
}

/**
 * compare_begin() - open the decoders
 * @differences: file with known differences
 *
 * Context: The host.
 */
void compare_begin(const char *differences)
{
	const struct decoder *const *by;

	for (by = decoders; *by && nr_used < ARRAY_SIZE(used); by++)
		if ((*by)->open(harness_target.name))
			used[nr_used++] = *by;
	load_list(differences);
}

static void print(const struct found *f)
{
	tap_note("%s %s %s %s %s\t%02x %02x %02x %02x %02x %02x %02x %02x, %llu words", f->field[0],
		 f->field[1], f->field[2], f->field[3], f->field[4], f->bytes[0], f->bytes[1],
		 f->bytes[2], f->bytes[3], f->bytes[4], f->bytes[5], f->bytes[6], f->bytes[7],
		 (unsigned long long)f->nr);
}

/**
 * compare_end() - print what differs
 * @all: all words were planned, so each line of the list has to be found
 *
 * Context: The host.
 * Return: Whether there was another decoder.
 */
bool compare_end(bool all)
{
	unsigned int i, unlisted = 0, stale = 0;

	if (!nr_used) {
		tap_skip("comparison", DECODERS_WHY);
		return false;
	}
	for (i = 0; i < nr_used; i++)
		tap_note("compared with %s", used[i]->name);
	tap_note("%llu instructions known there, %llu not, %llu branches, %u differences",
		 (unsigned long long)known, (unsigned long long)unknown,
		 (unsigned long long)branches, nr_found);
	for (i = 0; i < nr_found; i++)
		if (!found[i].listed) {
			print(&found[i]);
			unlisted++;
		}
	tap_result(known && !unlisted, "differences are in %s", list_name);
	for (i = 0; all && i < nr_listed; i++)
		if (!listed[i].nr) {
			tap_note("line %u is not found: %s %s", i + 1, listed[i].field[1],
				 listed[i].field[2]);
			stale++;
		}
	if (all)
		tap_result(!stale, "lines of %s are found", list_name);
	return true;
}
