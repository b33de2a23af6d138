/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_TESTS_MODEL_H
#define _KERNEL_KPROBES_TESTS_MODEL_H

/* model.c: calls of the API, and a model that predicts what they do */
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

enum model_call {
	MODEL_REGISTER, MODEL_UNREGISTER, MODEL_REGISTER_ARRAY, MODEL_UNREGISTER_ARRAY,
	MODEL_REGISTER_RETURNS, MODEL_UNREGISTER_RETURNS, MODEL_ENABLE, MODEL_DISABLE,
	MODEL_RUN, MODEL_ARM_ALL, MODEL_OPTIMIZE, MODEL_SETTLE, MODEL_CALLS
};

/**
 * struct model_step - a call and its arguments
 * @call:     what is called
 * @subject:  of a call that has one
 * @array:    subjects of one that has an array
 * @num:      how many of @array the caller says there are; may be 0
 * @place:    where probes are put that are not registered
 * @flags:    of these probes; the lowest bit is also what a knob is set to
 * @by_addr:  the caller knows the address instead of the symbol
 * @in_work:  the call is made by a work item that a handler has queued
 */
struct model_step {
	enum model_call call;
	u8 subject;
	u8 array[MODEL_ENTRIES];
	u8 num;
	u8 place;
	u32 flags;
	bool by_addr;
	bool in_work;
};

/**
 * struct model_expected - what the model says of a probe
 * @registered: it is registered
 * @disabled:   it is disabled
 * @hits:       how often it was hit since the script began
 */
struct model_expected {
	bool registered;
	bool disabled;
	int hits;
};

/**
 * struct model - the probes, what is expected of them, and a script
 * @probes:   probes
 * @returns:  return probes
 * @garbage:  never registered
 * @expected: of @probes, then of @returns
 * @armed:    points may be armed
 * @steps:    the script
 * @nr_steps: its length
 * @wrong:    the first thing that was not as expected
 * @freed:    address of memory that was freed
 * @trigger:  its pre-handler queues @work
 * @work:     executes @step
 * @step:     for it
 */
struct model {
	struct kprobes_counter probes[MODEL_PROBES];
	struct kprobes_returns returns[MODEL_RETURNS];
	struct kretprobe garbage;
	struct model_expected expected[MODEL_PROBES + MODEL_RETURNS];
	bool armed;
	struct model_step steps[MODEL_STEPS];
	int nr_steps;
	char wrong[160];
	void *freed;
	struct kprobe trigger;
	struct work_struct work;
	const struct model_step *step;
};

struct model *kprobes_model(struct kunit *test);
void kprobes_model_begin(struct model *m);
void kprobes_model_step(struct model *m, const struct model_step *step);
void kprobes_model_unregister_all(struct model *m);
void kprobes_model_print(struct kunit *test, const struct model_step *step);
unsigned int kprobes_model_places(void);

#endif /* _KERNEL_KPROBES_TESTS_MODEL_H */
