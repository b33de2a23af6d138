// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Executes instructions of a golden table and of a kernel where they are, and the copies that
 * kprobe_isa.emit() writes of them in a slot, from the same random states: registers, memory,
 * the next instruction and faults have to be the same. Each word is executed once: what
 * its address has to do with it, the copy has to preserve wherever it is. The first word of a
 * class is executed from STATES_CLASS states, another one from STATES_WORD; fewer if an emulator
 * is slow.
 *
 * A copy may use memory below the stack pointer, after it has moved that. It may overwrite
 * registers of kprobe_insn.dead.
 */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>

#include "elf-file.h"
#include "execute.h"
#include "harness.h"
#include "image.h"

#define STATES_CLASS	100
#define STATES_WORD	8
#define STATES_SLOW	12		/* of slow ones, unless it is a whole table */
#define STATES_SAMPLE	6		/* of their sample */
#define STATES_SLOW_WORD	1
#define TRIES_MORE	30		/* while no state lets an instruction complete */
#define TRIES_SAMPLE	8		/* likewise, of a slow one's sample */
#define TRIES_BRANCH	1000
#define SHOWN_MAX	20
#define BYTES_MAX	64
#define GOLDEN_MAX	2048
#define SAMPLE		61		/* one function in so many, unless all are executed */
#define REASONS_MAX	32
#define IN_BLOCK	" in a block"

/**
 * struct class - a class of instructions
 * @name:   its name
 * @words:  different ones that were executed
 * @states: states that some of these completed from
 * @failed: words that no state let complete, but to the same fault or exception
 * @went:   a conditional branch that was taken
 * @stayed: one that was not
 * @cond:   it has conditional branches
 * @why:    why @failed did not complete, or some word was not executed
 * @not_run: how many were not
 * @addr:   where such a one is
 */
struct class {
	char *name;
	unsigned long words;
	unsigned long states;
	unsigned long failed;
	bool went;
	bool stayed;
	bool cond;
	const char *why;
	unsigned long not_run;
	unsigned long addr;
};

/**
 * struct tally - what was executed
 * @insns:   instructions
 * @refused: those that must not be probed
 * @same:    those whose word was executed before
 * @words:   others
 * @states:  states that they were executed from
 * @faults:  those of them that ended in a fault or an exception
 * @wrong:   words with a difference
 */
struct tally {
	unsigned long insns;
	unsigned long refused;
	unsigned long same;
	unsigned long words;
	unsigned long states;
	unsigned long faults;
	unsigned long wrong;
};

/**
 * struct count - how many words were not executed for a reason
 * @why: the reason
 * @nr:  how many
 */
struct count {
	const char *why;
	unsigned long nr;
};

/**
 * struct golden - an instruction of the golden table
 * @bytes: its bytes and those after it
 * @avail: how many
 */
struct golden {
	u8 bytes[BYTES_MAX];
	size_t avail;
};

static const struct execute_arch *const arch = &execute_arch;
static struct golden golden[GOLDEN_MAX];
static unsigned int nr_golden;
static struct tally tally;
static struct count reasons[REASONS_MAX];
static bool in_image;
static bool in_sample;
static struct class classes[CLASSES_MAX];
static unsigned int nr_classes;
static void *class_tree, *word_tree;

/**
 * execute_golden() - note an instruction of the golden table
 * @bytes: the instruction and what comes after it
 * @avail: how many bytes
 *
 * Context: The host, before execute_test().
 */
void execute_golden(const u8 *bytes, size_t avail)
{
	if (nr_golden == GOLDEN_MAX || avail > BYTES_MAX)
		return;
	memcpy(golden[nr_golden].bytes, bytes, avail);
	golden[nr_golden++].avail = avail;
}

static int compare_classes(const void *a, const void *b)
{
	return strcmp(((const struct class *)a)->name, ((const struct class *)b)->name);
}

static struct class *find_class(char *name)
{
	struct class key = { .name = name }, **found;

	found = tfind(&key, &class_tree, compare_classes);
	if (found)
		return *found;
	if (nr_classes == CLASSES_MAX) {
		fprintf(stderr, "more classes than %u\n", CLASSES_MAX);
		exit(2);
	}
	classes[nr_classes].name = strdup(name);
	return *(struct class **)tsearch(&classes[nr_classes++], &class_tree, compare_classes);
}

static struct class *class_of(const struct execute_subject *s)
{
	char name[EXECUTE_CLASS_SIZE + sizeof(IN_BLOCK)];
	const struct kprobe_form *form;

	if (arch->class_of) {
		arch->class_of(name, EXECUTE_CLASS_SIZE, s->bytes, s->insn.len);
	} else {
		form = kprobe_find_form(harness_target.isa->forms, forms_word(s->bytes));
		snprintf(name, sizeof(name), "%08x/%08x", form->value, form->mask);
	}
	if (s->in_block)
		strcat(name, IN_BLOCK);
	return find_class(name);
}

/* Words begin with their length. */
static int compare_words(const void *a, const void *b)
{
	const u8 *x = a, *y = b;

	return x[0] != y[0] ? x[0] - y[0] : memcmp(x + 1, y + 1, x[0]);
}

static bool is_new(const struct execute_subject *s)
{
	u8 *word = malloc(s->len + 1), **found;

	word[0] = s->len;
	memcpy(word + 1, s->bytes, s->len);
	found = tsearch(word, &word_tree, compare_words);
	if (*found == word)
		return true;
	free(word);
	return false;
}

static void show(const struct execute_subject *s, const char *what)
{
	char bytes[3 * BYTES_MAX + 1] = "";
	size_t i;

	for (i = 0; i < s->len; i++)
		sprintf(bytes + 3 * i, "%02x ", s->bytes[i]);
	tap_note("%lx: %s: %s", s->addr, bytes, what);
}

static void note_branch(struct class *class, const struct execute_subject *s,
			const struct machine_result *a)
{
	if (s->insn.flow != KPROBE_FLOW_COND || s->in_block ||
	    s->insn.target == s->addr + s->len ||
	    (arch->always && arch->always(s->bytes)))
		return;
	class->cond = true;
	if (a->pc == s->addr + s->len)
		class->stayed = true;
	else
		class->went = true;
}

static const char *const ends[] = {
	[MACHINE_FAULT] = "accesses memory that there is not",
	[MACHINE_EXCEPTION] = "raises an exception",
	[MACHINE_UNDEFINED] = "the CPU does not know it",
	[MACHINE_ABORTED] = "makes the emulator abort",
	[MACHINE_LONG] = "does not end soon",
};

/* Executes both from one state. Returns whether they completed. */
static enum machine_end run_state(struct class *class, const struct execute_subject *s, bool *wrong)
{
	static struct machine_result original, copy;
	union machine_value state[MACHINE_REGS];
	/* A branch may go to itself, or into its middle. Only others repeat themselves. */
	bool branch = s->insn.flow != KPROBE_FLOW_NEXT;
	unsigned int most = branch ? 1 + s->insn.bundle : 0;
	const char *what;

	machine_random_state(state);
	if (arch->limit)
		arch->limit(state, s->bytes, s->insn.len);
	machine_run(&copy, state, s->slot, s->copied, 0, branch);
	if (s->in_block)
		arch->enter_block(state);
	machine_run(&original, state, s->addr, s->len, most, branch);
	what = execute_compare(&original, &copy, s, state[machine_sp()].number);
	if (what && !*wrong && tally.wrong++ < SHOWN_MAX)
		show(s, what);
	*wrong |= !!what;
	tally.states++;
	tally.faults += original.end != MACHINE_WENT;
	if (original.end == MACHINE_WENT)
		note_branch(class, s, &original);
	return original.end;
}

/* Notes a word that was not executed, or not to its end. */
static void note_reason(struct class *class, const struct execute_subject *s, const char *why)
{
	unsigned int i = 0;

	class->why = class->why ?: why;
	class->addr = class->addr ?: s->addr;
	while (i < REASONS_MAX - 1 && reasons[i].nr && strcmp(reasons[i].why, why))
		i++;
	reasons[i].why = why;
	reasons[i].nr++;
}

static bool is_slow_sample(void)
{
	return arch->slow && in_sample;
}

/* Of a branch more states are tried until those of its class have gone both ways. */
static bool is_wanted(const struct class *class, unsigned int done, unsigned int want,
		      unsigned int tries)
{
	if (class->cond && !(class->went && class->stayed))
		return tries < TRIES_BRANCH;
	return done < want && tries < want + (is_slow_sample() ? TRIES_SAMPLE : TRIES_MORE);
}

static unsigned int nr_states(const struct class *class)
{
	bool slow = is_slow_sample() || (arch->slow && in_image);

	if (class->words)
		return slow ? STATES_SLOW_WORD : STATES_WORD;
	if (is_slow_sample())
		return STATES_SAMPLE;
	return slow ? STATES_SLOW : STATES_CLASS;
}

static void run_states(struct class *class, const struct execute_subject *s)
{
	unsigned int want = nr_states(class), tries, done = 0;
	enum machine_end end = MACHINE_WENT, last = MACHINE_WENT;
	u8 buf[BYTES_MAX];
	struct kprobe_code code = { .buf = buf, .size = sizeof(buf) };
	bool wrong = false;

	harness_target.isa->breakpoint(&code, &s->insn);
	machine_exchange_text(s->addr + s->len, buf, code.len);
	/* To start an emulator anew takes as long as thousands of states. */
	for (tries = 0; end != MACHINE_ABORTED && is_wanted(class, done, want, tries); tries++) {
		end = run_state(class, s, &wrong);
		done += end == MACHINE_WENT;
		if (end != MACHINE_WENT)
			last = end;
	}
	machine_exchange_text(s->addr + s->len, buf, code.len);
	class->words++;
	class->states += done;
	if (done)
		return;
	class->failed++;
	note_reason(class, s, ends[last]);
}

/* Returns why there is no copy, NULL if there is one. */
static const char *write_copy(struct execute_subject *s)
{
	const struct kprobe_isa *isa = harness_target.isa;
	u32 scratch = isa->scratch & ~s->reads;
	u8 buf[128];
	struct kprobe_code code = { .buf = buf, .size = sizeof(buf), .base = machine_next_slot() };

	if (s->insn.no_copy)
		return "has no copy";
	if (s->insn.flow == KPROBE_FLOW_JUMP || s->insn.flow == KPROBE_FLOW_COND) {
		s->insn.dead = scratch & -scratch;
		if (isa->scratch && !scratch)
			return "reads all registers that its copy may write";
	}
	isa->emit(&code, &s->insn, s->bytes, s->addr);
	if (code.far) {
		/* In the table there are targets that nothing in a kernel has. */
		if (in_image && tally.wrong++ < SHOWN_MAX)
			show(s, "its copy does not reach its target");
		return "its copy does not reach its target";
	}
	/* Behind one that may skip the next instruction is a breakpoint in place of that. */
	s->copied = s->insn.may_skip ? s->insn.len : code.len;
	isa->breakpoint(&code, &s->insn);
	s->slot = machine_write_slot(buf, code.len);
	return NULL;
}

/* Adds what is in the delay slots. Returns why it cannot be executed, NULL if it can. */
static const char *add_bundle(struct execute_subject *s, size_t avail)
{
	const char *why = NULL;
	struct kprobe_insn next;
	unsigned int i;

	s->len = s->insn.len;
	s->reads = s->insn.reads;
	for (i = 0; i < s->insn.bundle && s->len < avail; i++) {
		harness_target.isa->plan(&next, s->bytes + s->len, avail - s->len,
					 s->addr + s->len);
		if (!why && arch->skip)
			why = arch->skip(s->bytes + s->len, next.len);
		s->len += next.len;
		s->reads |= next.reads;
		if (kprobe_flow_is_branch(s->insn.flow) && kprobe_flow_is_branch(next.flow))
			why = "has a branch in its delay slot";
	}
	return i < s->insn.bundle ? "has its delay slot in another function" : why;
}

/* Executes it, unless @why tells why not. */
static void execute(struct execute_subject *s, const char *why)
{
	struct class *class = class_of(s);

	tally.words++;
	if (!why && arch->skip)
		why = arch->skip(s->bytes, s->insn.len);
	if (!why)
		why = write_copy(s);
	if (!why) {
		run_states(class, s);
		return;
	}
	class->not_run++;
	note_reason(class, s, why);
}

/* As the last one of a block. The copy is written for that, and executed outside. */
static void execute_in_block(struct execute_subject *s)
{
	if (!arch->block || harness_target.isa->within(&s->insn, s->bytes, arch->block))
		return;
	s->in_block = true;
	execute(s, NULL);
}

/* Returns the instruction's length. */
static size_t execute_at(unsigned long addr, const u8 *bytes, size_t avail)
{
	struct execute_subject s = { .addr = addr, .bytes = bytes };
	enum kprobe_reason reason;
	const char *why;

	reason = harness_target.isa->plan(&s.insn, bytes, avail, addr);
	tally.insns++;
	tally.refused += !!reason;
	if (reason)
		return s.insn.len;
	why = add_bundle(&s, avail);
	if (is_new(&s)) {
		execute(&s, why);
		execute_in_block(&s);
	} else {
		tally.same++;
	}
	return s.insn.len;
}

static void execute_function(const struct image_function *f)
{
	u8 bytes[BYTES_MAX];
	unsigned long addr;
	size_t len, avail;
	bool data = false;

	for (addr = f->start; addr < f->last; addr += len) {
		data = image_is_data(addr, data);
		if (data) {
			len = harness_target.isa->align;
			continue;
		}
		avail = image_text.read(addr, bytes, min_t(size_t, sizeof(bytes), f->end - addr));
		len = execute_at(addr, bytes, avail);
		if (!len)
			return;
	}
}

static void execute_image(bool whole)
{
	size_t i;

	in_image = true;
	machine_map_image();
	for (i = 0; i < image_nr_functions; i++)
		if (image_functions[i].code && (whole || i % SAMPLE == 0))
			execute_function(&image_functions[i]);
}

static void execute_table(void)
{
	unsigned long addr = harness_target.from;
	unsigned int i;

	in_image = false;
	machine_map_page(addr);
	for (i = 0; i < nr_golden; i++) {
		machine_write_text(addr, golden[i].bytes, golden[i].avail);
		execute_at(addr, golden[i].bytes, golden[i].avail);
	}
}

/* Classes that are the same in what @why and @failed say, one by one or by number. */
static void print_not_run(bool whole)
{
	unsigned int i;

	for (i = 0; i < nr_classes; i++) {
		const struct class *c = &classes[i];

		if (c->not_run + c->failed && (whole || !c->states))
			tap_note("not executed: class %s: %lu of %lu words, as at %lx: %s", c->name,
				 c->not_run + c->failed, c->not_run + c->words, c->addr, c->why);
	}
}

static bool is_other_way_missing(void)
{
	bool missing = false;
	unsigned int i;

	for (i = 0; i < nr_classes; i++) {
		const struct class *c = &classes[i];

		if (!c->cond || (c->went && c->stayed))
			continue;
		tap_note("%s is %s", c->name, c->went ? "always taken" : "never taken");
		missing = true;
	}
	return missing;
}

static void print_tally(void)
{
	unsigned long not_run = 0, failed = 0, without = 0;
	unsigned int i;

	for (i = 0; i < nr_classes; i++) {
		not_run += classes[i].not_run;
		failed += classes[i].failed;
		without += !classes[i].states;
	}
	tap_note("%lu instructions, %lu of them refused, %lu executed before", tally.insns,
		 tally.refused, tally.same);
	tap_note("%lu words of %u classes: %lu not executed, %lu from no state to their end",
		 tally.words, nr_classes, not_run, failed);
	for (i = 0; i < REASONS_MAX && reasons[i].nr; i++)
		tap_note("not executed: %lu words: %s", reasons[i].nr, reasons[i].why);
	tap_note("%lu classes have no word that was executed to its end", without);
	tap_note("%lu states, %lu of them to a fault, %lu words differ", tally.states,
		 tally.faults, tally.wrong);
}

static void forget(void)
{
	tally = (struct tally){};
	memset(reasons, 0, sizeof(reasons));
	memset(classes, 0, sizeof(classes));
	nr_classes = 0;
	class_tree = NULL;
	word_tree = NULL;
}

static void finish(const char *name, bool whole)
{
	print_not_run(whole);
	print_tally();
	tap_result(tally.states && !tally.wrong, "copies do what instructions do, %s", name);
	tap_result(!is_other_way_missing(), "branches go both ways, %s", name);
	forget();
	machine_close();
}

/**
 * execute_table_test() - execute the instructions of the golden table
 * @whole: from all states, not a sample
 *
 * Context: The host, after golden_test().
 */
void execute_table_test(bool whole)
{
	char group[EXECUTE_CLASS_SIZE];

	snprintf(group, sizeof(group), "execute_%s", harness_target.name);
	tap_begin(group);
	in_sample = !whole;
	if (!machine_open(true)) {
		tap_skip("golden", "no emulator");
	} else {
		execute_table();
		finish("golden", true);
	}
	tap_end(group);
}

/**
 * execute_image_test() - execute the instructions of a kernel
 * @vmlinux: the kernel
 * @whole:   all of them, not a sample
 *
 * Context: The host.
 */
void execute_image_test(const char *vmlinux, bool whole)
{
	char group[EXECUTE_CLASS_SIZE];

	snprintf(group, sizeof(group), "execute_kernel_%s", harness_target.name);
	tap_begin(group);
	in_sample = !whole;
	if (!image_load(vmlinux) || !machine_open(false)) {
		tap_skip(vmlinux, "no kernel with symbols, or no emulator");
	} else {
		execute_image(whole);
		finish(vmlinux, whole);
	}
	tap_end(group);
}
