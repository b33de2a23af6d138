// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random calls of the API, compared with a model of it (model.c).
 *
 * A script is a list of calls that a seed determines. When one goes wrong, the script is
 * executed again and again without one of its steps, as long as it still goes wrong: the test
 * reports the few steps that are left.
 */
#include <kunit/test.h>
#include <linux/moduleparam.h>
#include <linux/prandom.h>

#include "model.h"

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "kprobes_model."

static unsigned long seed = 1;
module_param(seed, ulong, 0644);
MODULE_PARM_DESC(seed, "first seed of the scripts, default 1");

/* A kernel that checks each access to memory takes ten times as long. */
static unsigned int seeds = IS_ENABLED(CONFIG_KASAN) || IS_ENABLED(CONFIG_KCSAN) ? 2 : 8;
module_param(seeds, uint, 0644);
MODULE_PARM_DESC(seeds, "how many seeds, default 8, with KASAN or KCSAN 2");

static unsigned int scripts = 15;
module_param(scripts, uint, 0644);
MODULE_PARM_DESC(scripts, "how many scripts of 100 calls for each seed, default 15");

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

/* Takes out each step without which the script still goes wrong. Returns how many. */
static int take_out(struct model *m)
{
	int i, before = m->nr_steps;

	for (i = m->nr_steps - 1; i >= 0; i--) {
		struct model_step step = m->steps[i];

		remove_step(m, i);
		if (play(m) == m->nr_steps)
			insert_step(m, i, step);
	}
	return before - m->nr_steps;
}

/* A step may be needed only because of one that is taken out later. */
static void shrink(struct model *m)
{
	m->nr_steps = play(m) + 1;
	while (take_out(m))
		;
	play(m);
}

static void report(struct kunit *test, struct model *m)
{
	int i;

	shrink(m);
	for (i = 0; i < m->nr_steps; i++)
		kprobes_model_print(test, m, &m->steps[i]);
	KUNIT_FAIL(test, "%s", m->wrong);
}

/* Half of the places are good ones. */
static u8 random_place(struct rnd_state *random)
{
	u32 place = prandom_u32_state(random);

	switch (prandom_u32_state(random) % 4) {
	case 0:
		return place % kprobes_model_places();
	case 1:
		return kprobes_model_fleeting_place(place);
	default:
		return kprobes_model_good_place(place);
	}
}

/* Most numbers of entries are right. */
static s8 random_num(struct rnd_state *random)
{
	static const s8 bad[] = { 0, -1, -MODEL_ENTRIES, S8_MIN };
	u32 num = prandom_u32_state(random);

	return num % 8 ? 1 + num / 8 % MODEL_ENTRIES : bad[num / 8 % ARRAY_SIZE(bad)];
}

/* One instance is enough for the calls that a script makes. */
static int random_maxactive(struct rnd_state *random)
{
	static const int values[] = { 0, 1, 2, 100, -1, INT_MIN, INT_MAX };

	return values[prandom_u32_state(random) % ARRAY_SIZE(values)];
}

static struct model_step random_step(struct rnd_state *random)
{
	struct model_step step = {
		.call = prandom_u32_state(random) % MODEL_CALLS,
		.subject = prandom_u32_state(random) % MODEL_SUBJECTS,
		.num = random_num(random),
		.null_array = prandom_u32_state(random) % 16 == 0,
		.flags = prandom_u32_state(random),
		.delta = prandom_u32_state(random),
		.by_addr = prandom_u32_state(random) % 2,
		.large = prandom_u32_state(random) % 16 == 0,
		.maxactive = random_maxactive(random),
		.in_work = prandom_u32_state(random) % 8 == 0,
	};
	int i;

	/* Waiting takes long, and so do modules. */
	if ((step.call == MODEL_SETTLE || step.call == MODEL_MODULE) &&
	    prandom_u32_state(random) % 4)
		step.call = MODEL_REGISTER;
	for (i = 0; i < MODEL_ENTRIES; i++)
		step.places[i] = random_place(random);
	prandom_bytes_state(random, step.array, sizeof(step.array));
	return step;
}

static void choose_script(struct model *m, struct rnd_state *random)
{
	int i;

	m->nr_steps = MODEL_STEPS;
	kprobes_model_choose_spots(m, random);
	for (i = 0; i < MODEL_STEPS; i++)
		m->steps[i] = random_step(random);
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
	/* As next_seed() has made it. */
	unsigned long this_seed = seed + (unsigned long)test->param_value - 1;
	struct rnd_state random;
	int script;

	prandom_seed_state(&random, this_seed);
	for (script = 0; script < scripts; script++) {
		choose_script(m, &random);
		if (play(m) < MODEL_STEPS) {
			kunit_err(test, "kprobes_model.seed=%lu, script %d\n", this_seed, script);
			return report(test, m);
		}
		expect_nothing_left(test);
	}
}

/* A model that errs goes wrong, if not with the first script, and two or three steps show it. */
static void shrinks(struct kunit *test)
{
	struct model *m = kprobes_model(test);
	struct rnd_state random;
	int script;

	m->errs = true;
	prandom_seed_state(&random, 1);
	for (script = 0; script < scripts && !m->wrong[0]; script++) {
		choose_script(m, &random);
		play(m);
	}
	KUNIT_ASSERT_NE(test, m->wrong[0], 0);
	shrink(m);
	KUNIT_EXPECT_NE(test, m->wrong[0], 0);
	KUNIT_ASSERT_GE(test, m->nr_steps, 2);
	KUNIT_EXPECT_LE(test, m->nr_steps, 3);
	KUNIT_EXPECT_EQ(test, m->steps[m->nr_steps - 1].call, MODEL_RUN);
	m->errs = false;
	KUNIT_EXPECT_EQ(test, play(m), m->nr_steps);
}

/* A parameter is one more than the distance from the first seed: it must not be NULL. */
static const void *next_seed(const void *prev, char *desc)
{
	unsigned long i = (unsigned long)prev;

	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "seed %lu", seed + i);
	return i < seeds ? (const void *)(i + 1) : NULL;
}

static struct kunit_case model_cases[] = {
	KUNIT_CASE_SLOW(shrinks),
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
