// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random calls of the API, compared with a model of it (model.c).
 *
 * A script is a list of calls that a seed determines. When one goes wrong, the script is
 * executed again and again without one of its steps, as long as it still goes wrong: the test
 * reports the few steps that are left.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "model.h"

#define SCRIPTS	25

/* Executes a script from the beginning; returns how many steps went well. */
static int play(struct model *m)
{
	int i;

	kprobes_model_begin(m);
	for (i = 0; i < m->nr_steps && !m->wrong[0]; i++)
		kprobes_model_step(m, &m->steps[i]);
	kprobes_model_unregister_all(m);
	return m->wrong[0] ? i - 1 : i;
}

static void remove_step(struct model *m, int i)
{
	m->nr_steps--;
	memmove(&m->steps[i], &m->steps[i + 1], (m->nr_steps - i) * sizeof(m->steps[0]));
}

static void insert_step(struct model *m, int i, struct model_step step)
{
	memmove(&m->steps[i + 1], &m->steps[i], (m->nr_steps - i) * sizeof(m->steps[0]));
	m->nr_steps++;
	m->steps[i] = step;
}

/* Takes out every step without which the script still goes wrong. */
static void shrink(struct model *m)
{
	int i;

	for (i = m->nr_steps - 1; i >= 0; i--) {
		struct model_step step = m->steps[i];

		remove_step(m, i);
		if (play(m) == m->nr_steps)
			insert_step(m, i, step);
	}
	play(m);
}

static void report(struct kunit *test, struct model *m)
{
	int i;

	shrink(m);
	for (i = 0; i < m->nr_steps; i++)
		kprobes_model_print(test, &m->steps[i]);
	KUNIT_FAIL(test, "%s", m->wrong);
}

static struct model_step random_step(struct rnd_state *random)
{
	struct model_step step = {
		.call = prandom_u32_state(random) % MODEL_CALLS,
		.subject = prandom_u32_state(random) % MODEL_SUBJECTS,
		.num = prandom_u32_state(random) % (MODEL_ENTRIES + 1),
		.place = prandom_u32_state(random) % kprobes_model_places(),
		.flags = prandom_u32_state(random),
		.by_addr = prandom_u32_state(random) % 2,
		.in_work = prandom_u32_state(random) % 8 == 0,
	};

	/* Waiting takes long. Most places are good ones. */
	if (step.call == MODEL_SETTLE && prandom_u32_state(random) % 4)
		step.call = MODEL_REGISTER;
	if (prandom_u32_state(random) % 4)
		step.place %= kprobes_places() + 1;
	prandom_bytes_state(random, step.array, sizeof(step.array));
	return step;
}

static void expect_nothing_left(struct kunit *test)
{
	unsigned int i;

	wait_for_kprobe_optimizer();
	for (i = 0; i < kprobes_places(); i++) {
		const struct kprobes_place *place = kprobes_place(i);
		void *addr = (void *)kprobes_place_addr(place);

		KUNIT_EXPECT_NULL_MSG(test, get_kprobe(addr), "%s", place->name);
	}
	kprobes_expect_targets(test, 1);
}

static void model(struct kunit *test)
{
	struct model *m = kprobes_model(test);
	struct rnd_state random;
	int i, script;

	prandom_seed_state(&random, (unsigned long)test->param_value);
	for (script = 0; script < SCRIPTS; script++) {
		m->nr_steps = MODEL_STEPS;
		for (i = 0; i < MODEL_STEPS; i++)
			m->steps[i] = random_step(&random);
		if (play(m) < MODEL_STEPS)
			return report(test, m);
		expect_nothing_left(test);
	}
}

static const void *next_seed(const void *prev, char *desc)
{
	unsigned long seed = (unsigned long)prev + 1;

	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "seed %lu", seed);
	return seed <= 8 ? (const void *)seed : NULL;
}

static struct kunit_case model_cases[] = {
	KUNIT_CASE_PARAM_ATTR(model, next_seed, { .speed = KUNIT_SPEED_SLOW }),
	{}
};

static struct kunit_suite model_suite = {
	.name = "kprobes_model",
	.test_cases = model_cases,
};

kunit_test_suite(model_suite);

MODULE_DESCRIPTION("KUnit tests of kprobes: random calls of the API, and a model of it");
MODULE_LICENSE("GPL");
