// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * storm SECONDS SEED FEW_TRACED: drives the storm in the guest, and reports in KTAP to the
 * kernel log. FEW_TRACED is 1 for a kernel that is slow, and 0 for others.
 *
 * The module kprobe_storm has functions that are called all the time, and tasks that register,
 * enable, disable and unregister probes on them and on functions of the kernel. Fronts are
 * processes that disturb this: tracers, both knobs, events of ftrace and perf, a probed module that
 * comes and goes, CPUs that do, processes that are born and die. Memory allocations fail.
 *
 * This goes on in rounds. After each, nothing is registered, the books must be right (see
 * storm/book.c), and each front and failslab must have been at work. At the end the memory must be
 * what it was.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "storm.h"

#define ROUND		20		/* seconds */
#define PLENTY		1000000000	/* allocations to fail */

/* Does the module call targets in NMIs? */
#if defined(__x86_64__) || defined(__i386__)
#define HAS_NMI		1
#else
#define HAS_NMI		0
#endif

struct shared *shared;
int device;
int few_traced;

static unsigned int results, failed;

static void result(int good, const char *name)
{
	failed += !good;
	say("<5>%sok %u %s", good ? "" : "not ", ++results, name);
}

static void round_result(unsigned int number, int good, const char *what)
{
	char name[64];

	snprintf(name, sizeof(name), "round %u: %s", number, what);
	result(good, name);
}

static void skip(const char *name, const char *reason)
{
	char line[128];

	snprintf(line, sizeof(line), "%s # SKIP %s", name, reason);
	result(1, line);
}

long read_number(const char *path)
{
	FILE *f = fopen(path, "r");
	long n = -1;

	if (f) {
		fscanf(f, "%ld", &n);
		fclose(f);
	}
	return n;
}

unsigned int lines_of(const char *path, const char *without)
{
	FILE *f = fopen(path, "r");
	char line[512];
	unsigned int n = 0;

	while (f && fgets(line, sizeof(line), f))
		n += !without || !strstr(line, without);
	if (f)
		fclose(f);
	return n;
}

/* The head of points is a line, too. Idle points may be left, where a task can sleep in a copy. */
static int nothing_left(void)
{
	return !lines_of(KPROBES "list", NULL) && lines_of(KPROBES "points", "  idle  0  ") == 1;
}

int comes_true(int (*what)(void))
{
	double end = now() + PATIENCE;

	while (!what()) {
		if (now() > end)
			return 0;
		usleep(200000);
	}
	return 1;
}

static void show_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[256];
	unsigned int n;

	for (n = 0; f && n < 20 && fgets(line, sizeof(line), f); n++)
		say("<5># %s", strtok(line, "\n"));
	if (f)
		fclose(f);
}

static int check_left(void)
{
	if (comes_true(nothing_left))
		return 1;
	show_file(KPROBES "list");
	show_file(KPROBES "points");
	show_file(TRACING "kprobe_events");
	return 0;
}

static const char * const rules[STORM_RULES] = {
	[STORM_LOST] = "a hit was neither handled nor missed",
	[STORM_NOT_NESTED] = "a hit from a handler was not missed as nested",
	[STORM_EXCESS] = "more misses than hits without handlers",
	[STORM_NESTED_EXCESS] = "more nested misses than hits from handlers",
	[STORM_AWAKE] = "a handler ran while the probe was off",
	[STORM_TWICE] = "handlers ran more often than the probe was hit",
	[STORM_POST_MISMATCH] = "post-handlers do not match pre-handlers",
	[STORM_RETURN_MISMATCH] = "returns do not match entries",
	[STORM_UNANSWERED] = "a witnessed call was neither handled nor missed",
};

static void show_book(const struct storm_book *b)
{
	const __u64 *sums = b->sums;
	unsigned int i;

	say("<5># book of %s: must %llu, must absent %llu, nested %llu, may %llu, may absent %llu, may nested %llu, never %llu",
	    b->name, (ull)sums[STORM_MUST], (ull)sums[STORM_MUST_ABSENT], (ull)sums[STORM_NESTED],
	    (ull)sums[STORM_MAY], (ull)sums[STORM_MAY_ABSENT], (ull)sums[STORM_MAY_NESTED],
	    (ull)sums[STORM_NEVER]);
	say("<5># handlers of %s: handled %llu, posts %llu, entries %llu, missed %llu, missed nested %llu, lost %llu, probes %llu",
	    b->name, (ull)sums[STORM_HANDLED], (ull)sums[STORM_POSTS], (ull)sums[STORM_ENTRIES],
	    (ull)b->missed, (ull)b->inner, (ull)b->lost, (ull)b->probes);
	if (b->terms)
		say("<5># witnesses of %s: terms %llu, witnessed %llu, unanswered %llu", b->name,
		    (ull)b->terms, (ull)b->witnessed, (ull)b->unanswered);
	for (i = 0; i < STORM_RULES; i++)
		if (b->wrong & 1U << i)
			say("<5># %s: %s", b->name, rules[i]);
}

static void add_book(struct storm_book *sum, const struct storm_book *b)
{
	unsigned int i;

	for (i = 0; i < STORM_SUMS_OF_BOOK; i++)
		sum->sums[i] += b->sums[i];
	sum->missed += b->missed;
	sum->inner += b->inner;
	sum->lost += b->lost;
	sum->probes += b->probes;
	sum->terms += b->terms;
	sum->witnessed += b->witnessed;
	sum->unanswered += b->unanswered;
}

/* Does ftrace count the calls of functions of the kernel in that round? */
static int has_witness(unsigned int number)
{
	return number % 2 && !access(TRACING "available_filter_functions", F_OK);
}

/*
 * Adds up what all slots have seen. Returns whether all books are right, and had work: what happens
 * while a slot changes does not count exactly, and must not be more than what does.
 */
static int check_books(unsigned int number)
{
	struct storm_book b = { 0 }, sum = { .name = "all" };
	int good = 1;

	for (; !ioctl(device, STORM_BOOK, &b); b.index++) {
		good &= !b.wrong;
		if (b.wrong)
			show_book(&b);
		add_book(&sum, &b);
	}
	good &= errno == ERANGE;
	show_book(&sum);
	if (sum.sums[STORM_MAY] > sum.sums[STORM_MUST]) {
		say("<5># more calls while slots changed than while they rested");
		good = 0;
	}
	if (has_witness(number) && !(sum.terms && sum.witnessed)) {
		say("<5># no calls of the kernel's functions were witnessed");
		good = 0;
	}
	return good && sum.sums[STORM_MUST] && sum.sums[STORM_NESTED] && sum.inner;
}

static int check_sums(const struct storm_sums *s)
{
	say("<5># sums: calls %llu, in NMIs %llu, wrong results %llu, late handlers %llu, strays %llu",
	    (ull)s->calls, (ull)s->nmis, (ull)s->results, (ull)s->late, (ull)s->strays);
	say("<5># sums: changes %llu, without memory %llu, failed %llu, errno %d, perf calls %lu, perf wrong %lu",
	    (ull)s->changes, (ull)s->no_memory, (ull)s->errors, -s->error, shared->perf_calls,
	    shared->perf_wrong);
	return s->calls && (s->nmis || !HAS_NMI) && s->changes && !s->results && !s->late &&
	       !s->strays && !s->errors && !shared->perf_wrong;
}

static int has_failslab(void)
{
	return !access(FAILSLAB, F_OK);
}

static void fail_slabs(void)
{
	char times[32];

	snprintf(times, sizeof(times), "%d", PLENTY);
	write_file(FAILSLAB "probability", "1");
	write_file(FAILSLAB "interval", "1");
	write_file(FAILSLAB "times", times);
	write_file(FAILSLAB "task-filter", "Y");
	write_file(FAILSLAB "ignore-gfp-wait", "N");
	write_file(FAILSLAB "verbose", "0");
}

/* Each failure takes one off the times that are left. */
static long failures(void)
{
	return PLENTY - read_number(FAILSLAB "times");
}

int have_failed(void)
{
	return !has_failslab() || failures() > 0;
}

static int check_failures(void)
{
	say("<5># failslab: failed allocations %ld", failures());
	return have_failed();
}

static void begin_round(unsigned int number, unsigned int seed)
{
	const struct storm_start start = {
		.seed = seed,
		.fail = has_failslab(),
		/* With a witness, the function has ftrace's call at its entry all the time. */
		.witness = number % 2,
	};

	memset(shared, 0, sizeof(*shared));
	fail_slabs();
	set_knob(STORM_ON);
	if (ioctl(device, STORM_START, &start))
		say("<5># cannot start: %s", strerror(errno));
}

static void storm_round(unsigned int number, unsigned int seed, double seconds)
{
	struct storm_sums sums = { 0 };
	unsigned int killed;

	begin_round(number, seed);
	killed = rage(seed, seconds);
	if (ioctl(device, STORM_STOP) || ioctl(device, STORM_SUMS, &sums))
		say("<5># cannot stop: %s", strerror(errno));
	round_result(number, check_books(number), "books");
	round_result(number, check_sums(&sums), "sums");
	round_result(number, check_fronts(), "fronts were at work");
	round_result(number, !killed, "fronts have ended");
	if (has_failslab())
		round_result(number, check_failures(), "allocations failed");
	round_result(number, check_left(), "nothing is left");
}

/* Returns how many things the kernel lacks, and reports them as skipped. */
static unsigned int report_lacks(int quiet)
{
	unsigned int n = 0, i;

	for (i = 0; i < nr_fronts; i++) {
		const char *lack = fronts[i].lacks ? fronts[i].lacks() : NULL;

		if (!lack)
			continue;
		n++;
		if (!quiet)
			skip(fronts[i].name, lack);
	}
	if (has_failslab())
		return n;
	if (!quiet)
		skip("allocations failed", "no failslab");
	return n + 1;
}

static void report_memory(void)
{
	/* KASAN keeps memory for a while that was freed. */
	if (!system("grep -q ' kasan_quarantine_put' /proc/kallsyms")) {
		skip("memory is what it was", "with KASAN");
		skip("no points and detours are left", "with KASAN");
		return;
	}
	result(check_memory(), "memory is what it was");
	result(check_caches(), "no points and detours are left");
}

int main(int argc, char **argv)
{
	unsigned int seconds = argc > 1 ? atoi(argv[1]) : 60, seed = argc > 2 ? atoi(argv[2]) : 1;
	unsigned int rounds = seconds < 2 * ROUND ? 2 : seconds / ROUND, i;

	few_traced = argc > 3 && atoi(argv[3]);
	device = open("/dev/kprobe_storm", O_RDWR);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (device < 0 || shared == MAP_FAILED)
		return 1;
	say("<5>KTAP version 1");
	say("<5>1..%u", (5 + has_failslab()) * rounds + report_lacks(1) + 2);
	report_lacks(0);
	use_graph();
	for (i = 1; i <= rounds; i++) {
		say("<5># round %u of %u, seed %u", i, rounds, seed + i);
		storm_round(i, seed + i, (double)seconds / rounds);
		if (i == 1)
			note_memory();
	}
	report_memory();
	return failed != 0;
}
