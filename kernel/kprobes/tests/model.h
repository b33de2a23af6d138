/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_TESTS_MODEL_H
#define _KERNEL_KPROBES_TESTS_MODEL_H

/*
 * Calls of the API, and a model that predicts what they do: model.c has the calls,
 * model_place.c the places that probes are put on, model_state.c compares what debugfs shows,
 * model_module.c has a module come and go.
 */
#include <linux/notifier.h>
#include <linux/prandom.h>
#include <linux/workqueue.h>

#include "targets.h"

#define MODEL_PROBES	6
#define MODEL_RETURNS	3
/* Subjects of a call: the probes, the return probes, memory that is no probe, and NULL. */
#define MODEL_GARBAGE	(MODEL_PROBES + MODEL_RETURNS)
#define MODEL_NOTHING	(MODEL_GARBAGE + 1)
#define MODEL_SUBJECTS (MODEL_NOTHING + 1)
/* Entries of an array. */
#define MODEL_ENTRIES	4
#define MODEL_STEPS	100
#define MODEL_SPOTS	12

enum model_call {
	MODEL_REGISTER, MODEL_UNREGISTER, MODEL_REGISTER_ARRAY, MODEL_UNREGISTER_ARRAY,
	MODEL_REGISTER_RETURNS, MODEL_UNREGISTER_RETURNS, MODEL_ENABLE, MODEL_DISABLE,
	MODEL_RUN, MODEL_ARM_ALL, MODEL_OPTIMIZE, MODEL_SETTLE, MODEL_FREE_INIT, MODEL_MODULE,
	MODEL_CALLS
};

/* What a registration may return, as a set. Only where one bit is set it is known. */
enum model_outcome {
	MODEL_OK = 1,
	MODEL_EINVAL = 2,
	MODEL_EILSEQ = 4,
	MODEL_ENOENT = 8,
	MODEL_E2BIG = 16,
	MODEL_ENOMEM = 32,
	MODEL_OTHER = 64,
};

/**
 * struct model_spot - a random address
 * @addr:     the address
 * @kind:     how it was chosen
 * @outcomes: of putting a probe there, and a return probe
 * @known:    the same, without what was not yet seen to be wrong
 */
struct model_spot {
	unsigned long addr;
	const char *kind;
	u8 outcomes[2];
	u8 known[2];
};

/**
 * struct model_step - a call and its arguments
 * @call:       what is called
 * @subject:    of a call that has one
 * @array:      subjects of one that has an array
 * @num:        how many of @array the caller says there are; may be negative
 * @null_array: the array is NULL
 * @places:     where the probes of @array are put, if they are not registered; @subject is put
 *              on the first one
 * @flags:      of these probes; the lowest bit is also what a knob is set to
 * @delta:      how far the address that the caller gives is in front of a random one
 * @by_addr:    the caller knows the address instead of the symbol
 * @large:      the caller of a return probe wants too much private data
 * @maxactive:  what the caller of a return probe asks for; INT_MAX is more than there can be
 * @in_work:    the call is made by a work item that a handler has queued
 */
struct model_step {
	enum model_call call;
	u8 subject;
	u8 array[MODEL_ENTRIES];
	s8 num;
	bool null_array;
	u8 places[MODEL_ENTRIES];
	u32 flags;
	u8 delta;
	bool by_addr;
	bool large;
	int maxactive;
	bool in_work;
};

/**
 * struct model_expected - what the model says of a probe
 * @registered: it is registered
 * @disabled:   it is disabled
 * @gone:       its text has gone
 * @large:      it wants too much private data
 * @many:       it wants more instances than there can be
 * @place:      where it was put
 * @hits:       how often it was hit since it was put there
 */
struct model_expected {
	bool registered;
	bool disabled;
	bool gone;
	bool large;
	bool many;
	u8 place;
	int hits;
};

/* Life of the module kprobes_target, as module notifiers see it. */
enum model_module { MODEL_ABSENT, MODEL_COMING, MODEL_LIVE, MODEL_GOING };

/**
 * struct model - the probes, what is expected of them, and a script
 * @probes:      probes
 * @returns:     return probes
 * @garbage:     never registered
 * @expected:    of @probes, then of @returns
 * @armed:       points may be armed
 * @errs:        expects hits of disabled probes, to see that this is found
 * @steps:       the script
 * @nr_steps:    its length
 * @spots:       random addresses, for all steps
 * @wrong:       the first thing that was not as expected
 * @freed:       address of data that was freed
 * @freed_text:  address of executable memory that was freed
 * @refusals:    number of the next record of a refused call
 * @others:      lines in debugfs "list" that are not of @probes and @returns
 * @trigger:     its pre-handler queues @work
 * @work:        executes @step
 * @step:        for it, and for @notifier
 * @module:      state of the module
 * @module_text: address of a function in it, also after it was unloaded
 * @notifier:    executes @step while the module comes and goes
 */
struct model {
	struct kprobes_counter probes[MODEL_PROBES];
	struct kprobes_returns returns[MODEL_RETURNS];
	struct kretprobe garbage;
	struct model_expected expected[MODEL_PROBES + MODEL_RETURNS];
	bool armed;
	bool errs;
	struct model_step steps[MODEL_STEPS];
	int nr_steps;
	struct model_spot spots[MODEL_SPOTS];
	char wrong[160];
	void *freed;
	void *freed_text;
	u64 refusals;
	unsigned int others;
	struct kprobe trigger;
	struct work_struct work;
	const struct model_step *step;
	enum model_module module;
	unsigned long module_text;
	struct notifier_block notifier;
};

/* model.c */
struct model *kprobes_model(struct kunit *test);
void kprobes_model_begin(struct model *m);
void kprobes_model_step(struct model *m, const struct model_step *step);
void kprobes_model_unregister_all(struct model *m);
void kprobes_model_print(struct kunit *test, const struct model *m,
			 const struct model_step *step);
struct kprobe *kprobes_model_probe(struct model *m, unsigned int subject);
void kprobes_model_register(struct model *m, const struct model_step *step);
__printf(2, 3) void kprobes_model_wrong(struct model *m, const char *format, ...);

static inline bool kprobes_model_is_return(unsigned int subject)
{
	return subject >= MODEL_PROBES && subject < MODEL_GARBAGE;
}

static inline bool kprobes_model_is_registered(const struct model *m, unsigned int subject)
{
	return subject < MODEL_GARBAGE && m->expected[subject].registered;
}

/* model_place.c */
unsigned int kprobes_model_places(void);
void kprobes_model_place_name(const struct model *m, unsigned int place, char *name, size_t size);
void kprobes_model_set_place(struct model *m, struct kprobe *kp, unsigned int place,
			     const struct model_step *step);
unsigned int kprobes_model_outcomes(struct model *m, unsigned int place, bool returns);
void kprobes_model_seen(struct model *m, unsigned int place, bool returns,
			unsigned int outcome);
bool kprobes_model_is_passed(unsigned int place);
bool kprobes_model_is_spot(unsigned int place);
unsigned int kprobes_model_good_place(u32 random);
unsigned int kprobes_model_fleeting_place(u32 random);
void kprobes_model_choose_spots(struct model *m, struct rnd_state *random);

/* model_state.c */
void kprobes_model_state_begin(struct model *m);
void kprobes_model_check_state(struct model *m);
void kprobes_model_check_refusal(struct model *m, int ret);

/* model_module.c */
#ifdef CONFIG_MODULES
void kprobes_model_module_begin(struct model *m);
void kprobes_model_module_reset(struct model *m);
void kprobes_model_module_end(struct model *m);
void kprobes_model_module_step(struct model *m, const struct model_step *step);
#else
static inline void kprobes_model_module_begin(struct model *m) { }
static inline void kprobes_model_module_reset(struct model *m) { }
static inline void kprobes_model_module_end(struct model *m) { }
static inline void kprobes_model_module_step(struct model *m, const struct model_step *step) { }
#endif

#endif /* _KERNEL_KPROBES_TESTS_MODEL_H */
