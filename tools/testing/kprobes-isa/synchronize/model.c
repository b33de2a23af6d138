// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A model of kprobe_synchronize() and of the hits that it waits for: the loop is that of
 * kernel/kprobes/synchronize.c, the stores are those of kernel/kprobes/frame.h, and each CPU is a
 * thread of the host.
 *
 * The waiter's clock is the model's own, so that a busy host changes nothing. A look at a hazard
 * pointer is a turn of the model: before it, the hits end and others begin as the test has it. The
 * worst that a CPU can do is to have begun another hit whenever the waiter looks. Then the
 * waiter never sees the gap between two hits, however long that is.
 */
#include <pthread.h>
#include <semaphore.h>

#include <kunit/test.h>

#include "../../../../kernel/kprobes/frame.h"
#include "../harness.h"

/* The loop looks for a millisecond, then once each. A grace period takes some of them. */
#define LOOKS_MAX	2000
#define GRACE_US	5000

/* When the waiter has looked so often, it will not end any more. */
#define LOOKS_LIMIT	50000

/**
 * struct cpu - a CPU that is hit
 * @frames: its frames, the thread's own
 * @thread: what plays it
 * @turn:   posted to end a hit, and to begin the next one
 * @taken:  posted when that was done
 * @point:  what it hits
 * @begun:  hits that have begun
 * @ended:  hits whose handlers have returned
 * @last:   the hit after which there is none, 0 if they keep coming
 * @free:   hits follow each other without a turn of the model
 * @stop:   no more hits
 */
struct cpu {
	struct kprobe_cpu *frames;
	pthread_t thread;
	sem_t turn, taken;
	const void *point;
	unsigned long begun, ended, last;
	bool free, stop;
};

static struct cpu cpus[MODEL_CPUS];
static struct kprobe_cpu idle;
__thread struct kprobe_cpu kprobe_cpu;
struct mutex kprobe_mutex;	/* nobody takes it */

static const char point, other;

/**
 * struct model - what the waiter has done
 * @cpus:    CPUs that are hit
 * @lasts:   a hit lasts for so many looks
 * @looks:   how often it has looked
 * @us:      its clock
 * @barrier: every CPU was interrupted
 * @before:  hits that had begun then
 * @asked:   grace periods asked for
 * @covered: hits that had begun when the last one was
 * @ends:    when that ends at the earliest
 * @warned:  messages in the log
 * @lost:    where to go when it does not end
 */
static struct model {
	unsigned int cpus;
	unsigned int lasts;
	unsigned int looks;
	s64 us;
	bool barrier;
	unsigned long before[MODEL_CPUS];
	unsigned int asked;
	unsigned long covered[MODEL_CPUS];
	s64 ends;
	unsigned int warned;
	jmp_buf lost;
} model;

static unsigned long load(unsigned long *count)
{
	return __atomic_load_n(count, __ATOMIC_SEQ_CST);
}

/* A CPU that is hit */

struct kprobe_frame *kprobe_frame_enter_nested(const void *hazard, unsigned int entered)
{
	abort();	/* no hit is nested here */
}

static void hit(struct cpu *cpu, unsigned int rounds)
{
	struct kprobe_frame *frame = kprobe_frame_enter(cpu->point, 0);

	__atomic_add_fetch(&cpu->begun, 1, __ATOMIC_SEQ_CST);
	if (cpu->free) {
		while (rounds--)
			barrier();
	} else {
		sem_post(&cpu->taken);
		sem_wait(&cpu->turn);
	}
	__atomic_add_fetch(&cpu->ended, 1, __ATOMIC_SEQ_CST);
	kprobe_frame_exit(frame);
}

static bool has_to_stop(struct cpu *cpu)
{
	return __atomic_load_n(&cpu->stop, __ATOMIC_SEQ_CST);
}

static void *play(void *arg)
{
	struct cpu *cpu = arg;

	cpu->frames = &kprobe_cpu;
	do {
		hit(cpu, cpu->begun % 64);
	} while (!has_to_stop(cpu) && cpu->begun != cpu->last);
	/* Somebody may still look at the frames. */
	sem_post(&cpu->taken);
	while (!has_to_stop(cpu))
		sem_wait(&cpu->turn);
	return NULL;
}

struct kprobe_cpu *model_cpu(int cpu)
{
	return (unsigned int)cpu < model.cpus ? cpus[cpu].frames : &idle;
}

static bool is_over(struct cpu *cpu)
{
	return cpu->last && load(&cpu->ended) == cpu->last;
}

/* The waiter's side */

void model_look(void)
{
	unsigned int i;

	if (++model.looks > LOOKS_LIMIT)
		longjmp(model.lost, 1);
	for (i = 0; i < model.cpus; i++) {
		if (cpus[i].free || is_over(&cpus[i]) || model.looks % model.lasts)
			continue;
		sem_post(&cpus[i].turn);
		sem_wait(&cpus[i].taken);
	}
}

/* None of its CPUs is idle. */
void on_each_cpu_cond(bool (*cond)(int cpu, void *info), void (*fn)(void *info), void *info,
		      bool wait)
{
	unsigned int i;

	if (cond(0, info))
		fn(info);
	for (i = 0; i < model.cpus; i++)
		model.before[i] = load(&cpus[i].begun);
	model.barrier = true;
}

ktime_t ktime_get(void)
{
	return model.us++;
}

s64 ktime_us_delta(ktime_t later, ktime_t earlier)
{
	return later - earlier;
}

static bool have_ended(unsigned long *begun)
{
	unsigned int i;

	for (i = 0; i < model.cpus; i++)
		if (load(&cpus[i].ended) < begun[i])
			return false;
	return true;
}

/* CPUs that are free have ended what they have begun before somebody has slept. */
void usleep_range(unsigned long min, unsigned long max)
{
	unsigned long begun;
	unsigned int i;

	model.us += min;
	for (i = 0; i < model.cpus; i++) {
		begun = load(&cpus[i].begun);
		while (cpus[i].free && load(&cpus[i].ended) < begun)
			sched_yield();
	}
}

unsigned long start_poll_synchronize_rcu_expedited(void)
{
	unsigned int i;

	if (!model.barrier)
		abort();	/* it would not cover all hits before the barrier */
	for (i = 0; i < model.cpus; i++)
		model.covered[i] = load(&cpus[i].begun);
	model.ends = model.us + GRACE_US;
	return ++model.asked;
}

bool poll_state_synchronize_rcu(unsigned long cookie)
{
	return cookie == model.asked && model.us >= model.ends && have_ended(model.covered);
}

void pr_warn(const char *format, ...)
{
	model.warned++;
}

/* Tests */

static void start(unsigned int nr, const struct cpu *like, unsigned int lasts)
{
	unsigned int i;

	memset(&model, 0, sizeof(model));
	memset(cpus, 0, sizeof(cpus));
	model.cpus = nr;
	model.lasts = lasts;
	for (i = 0; i < nr; i++) {
		cpus[i].point = like->point;
		cpus[i].last = like->last;
		cpus[i].free = like->free;
		sem_init(&cpus[i].turn, 0, 0);
		sem_init(&cpus[i].taken, 0, 0);
		if (pthread_create(&cpus[i].thread, NULL, play, &cpus[i]))
			abort();
		if (!cpus[i].free)
			sem_wait(&cpus[i].taken);
		while (!load(&cpus[i].begun))
			sched_yield();
	}
}

static void stop(void)
{
	unsigned int i;

	for (i = 0; i < model.cpus; i++) {
		__atomic_store_n(&cpus[i].stop, true, __ATOMIC_SEQ_CST);
		sem_post(&cpus[i].turn);
		pthread_join(cpus[i].thread, NULL);
		sem_destroy(&cpus[i].turn);
		sem_destroy(&cpus[i].taken);
	}
}

static bool uses(const void *hazard, const void *arg)
{
	return hazard == arg;
}

/* Expects that the waiter returns, and that no hit is left that had begun before the barrier. */
static void synchronize(struct kunit *test)
{
	bool lost = setjmp(model.lost);

	if (!lost)
		kprobe_synchronize(uses, &point);
	KUNIT_EXPECT_FALSE(test, lost);
	KUNIT_EXPECT_TRUE(test, cpus[0].point == &other || have_ended(model.before));
}

static const struct crowd {
	const char *name;
	unsigned int cpus;
	unsigned int lasts;
} crowds[] = {
	{ "a short hit after another", 1, 1 },
	{ "hits of two looks", 1, 2 },
	{ "slow handlers", 1, 100 },
	{ "short hits on all CPUs", MODEL_CPUS, 1 },
	{ "slow handlers on all CPUs", MODEL_CPUS, 100 },
};

KUNIT_ARRAY_PARAM_DESC(crowd, crowds, name);

/* One grace period ends the wait for hits that keep coming, on however many CPUs. */
static void hits_keep_coming(struct kunit *test)
{
	const struct crowd *crowd = test->param_value;

	start(crowd->cpus, &(struct cpu){ .point = &point }, crowd->lasts);
	synchronize(test);
	KUNIT_EXPECT_LE(test, model.looks, LOOKS_MAX);
	KUNIT_EXPECT_EQ(test, model.asked, 1);
	KUNIT_EXPECT_EQ(test, model.warned, 0);
	stop();
}

/* The same at the host's own speed: the waiter may see the gap or not. */
static void hits_come_freely(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 50 && !test->failed; i++) {
		start(1 + i % 2, &(struct cpu){ .point = &point, .free = true }, 1);
		synchronize(test);
		KUNIT_EXPECT_LE(test, model.looks, LOOKS_MAX);
		KUNIT_EXPECT_LE(test, model.asked, 1);
		stop();
	}
}

/* A grace period does not end before the hit. Whoever waits so long, finds out why. */
static void long_hit(struct kunit *test)
{
	start(1, &(struct cpu){ .point = &point, .last = 1 }, 5000);
	synchronize(test);
	KUNIT_EXPECT_GE(test, model.looks, 5000);
	KUNIT_EXPECT_EQ(test, model.asked, 1);
	KUNIT_EXPECT_EQ(test, model.warned, 1);
	stop();
}

/* No grace period is needed for a hit that ends soon, when there are no others. */
static void short_hit(struct kunit *test)
{
	start(MODEL_CPUS, &(struct cpu){ .point = &point, .last = 1 }, 100);
	synchronize(test);
	KUNIT_EXPECT_LE(test, model.looks, 100 + 2 * MODEL_CPUS * KPROBE_FRAMES);
	KUNIT_EXPECT_EQ(test, model.asked, 0);
	stop();
}

static void hits_of_others(struct kunit *test)
{
	start(MODEL_CPUS, &(struct cpu){ .point = &other }, 1);
	synchronize(test);
	KUNIT_EXPECT_EQ(test, model.looks, MODEL_CPUS * KPROBE_FRAMES);
	KUNIT_EXPECT_EQ(test, model.asked, 0);
	stop();
}

static struct kunit_case synchronize_cases[] = {
	KUNIT_CASE_PARAM(hits_keep_coming, crowd_gen_params),
	KUNIT_CASE(hits_come_freely),
	KUNIT_CASE(long_hit),
	KUNIT_CASE(short_hit),
	KUNIT_CASE(hits_of_others),
	{}
};

static struct kunit_suite synchronize_suite = {
	.name = "kprobes_synchronize",
	.test_cases = synchronize_cases,
};

kunit_test_suite(synchronize_suite);

/**
 * main() - run the model
 *
 * Context: The host.
 * Return: 0 if all is good.
 */
int main(void)
{
	kunit_test();
	return tap_finish();
}
