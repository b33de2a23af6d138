// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * storm SECONDS SEED: drives the storm in the guest, and reports in KTAP to the kernel log.
 *
 * The module kprobe_storm has functions that are called all the time, and tasks that register,
 * enable, disable and unregister probes on them and on functions of the kernel. Fronts are
 * processes that disturb this: tracers, both knobs, events of ftrace and perf, a probed module that
 * comes and goes, CPUs that do, processes that are born and die. Memory allocations fail.
 *
 * This goes on in rounds. After each, nothing is registered, and the books must be right: see
 * struct storm_book. At the end the memory must be what it was after the first round.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"
#include "storm/storm.h"

#define KPROBES		"/sys/kernel/debug/kprobes/"
#define TRACING		"/sys/kernel/tracing/"
#define FAILSLAB	"/sys/kernel/debug/failslab/"
#define OPTIMIZATION	"/proc/sys/debug/kprobes-optimization"
#define PMU		"/sys/bus/event_source/devices/kprobe/type"

#define ROUND		20		/* seconds */
#define PATIENCE	60		/* seconds for a front to end, and for memory to be freed */
/* By so much the memory that is used varies, in bytes. */
#define LEFT		(128 * 1024)

/* Does the module call targets in NMIs? */
#if defined(__x86_64__) || defined(__i386__)
#define HAS_NMI		1
#else
#define HAS_NMI		0
#endif

typedef unsigned long long ull;

/* What the fronts share: how often each was at work, and what went wrong. */
struct shared {
	volatile int stop;
	volatile unsigned long done[16];
	volatile unsigned long perf_wrong;
	volatile unsigned long perf_calls;
};

static struct shared *shared;
static int device;
static unsigned int results, failed;

static void result(int good, const char *name)
{
	failed += !good;
	say("<5>%sok %u %s", good ? "" : "not ", ++results, name);
}

static long read_number(const char *path)
{
	FILE *f = fopen(path, "r");
	long n = -1;

	if (f) {
		fscanf(f, "%ld", &n);
		fclose(f);
	}
	return n;
}

static void nap(unsigned int milliseconds)
{
	usleep((rand() % milliseconds + 1) * 1000);
}

/* Fronts: each does its thing once and leaves nothing behind. */

static void tracers(void)
{
	static const char * const names[] = { "function", "function_graph" };

	write_file(TRACING "set_ftrace_filter", rand() % 3 ? "storm_*" : "");
	write_file(TRACING "current_tracer", names[rand() % 2]);
	nap(500);
	write_file(TRACING "current_tracer", "nop");
	write_file(TRACING "trace", "");
	write_file(TRACING "set_ftrace_filter", "");
	nap(200);
}

static void set_knob(uint32_t state)
{
	ioctl(device, STORM_KNOB, &state);
}

static void arming_knob(void)
{
	nap(2000);
	set_knob(STORM_CHANGING);
	if (!write_file(KPROBES "enabled", "0"))
		set_knob(STORM_OFF);
	nap(100);
	set_knob(STORM_CHANGING);
	while (write_file(KPROBES "enabled", "1"))
		nap(10);
	set_knob(STORM_ON);
}

static void optimization_knob(void)
{
	write_file(OPTIMIZATION, "0");
	nap(300);
	write_file(OPTIMIZATION, "1");
	nap(1000);
}

static void events(void)
{
	static const char * const places[] = {
		"p:storm/%c storm_plain", "p:storm/%c storm_nested+9", "r:storm/%c storm_recursive",
		"p:storm/%c vfs_read", "r2:storm/%c do_sys_openat2", "p:storm/%c schedule",
	};
	char line[128], path[128];
	int name = 'a' + rand() % 4, ret;

	snprintf(line, sizeof(line), places[rand() % 6], name);
	snprintf(path, sizeof(path), TRACING "events/storm/%c/enable", name);
	write_flags(TRACING "kprobe_events", line, O_APPEND);
	write_file(path, "1");
	nap(200);
	write_file(path, "0");
	snprintf(line, sizeof(line), "-:storm/%c", name);
	/* -ENOENT: it was not even made. */
	while ((ret = write_flags(TRACING "kprobe_events", line, O_APPEND)) && ret != -ENOENT)
		nap(10);
	nap(50);
}

/* The event counts in this task alone, and nobody else calls this function. */
static void perf(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = read_number(PMU) };
	struct storm_calls calls = { .number = rand() % 200 };
	uint64_t count = 0;
	int fd;

	attr.config1 = (uintptr_t)"storm_kept";
	attr.config = rand() % 2;		/* a return probe? */
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	if (fd < 0)
		return;
	ioctl(device, STORM_CALL, &calls);
	read(fd, &count, sizeof(count));
	close(fd);
	shared->perf_calls += calls.number;
	if (count < calls.must || count > calls.number)
		shared->perf_wrong++;
	nap(20);
}

static void victim(void)
{
	int fd = open("/storm_victim.ko", O_RDONLY);

	syscall(SYS_finit_module, fd, "", 0);
	close(fd);
	nap(300);
	while (syscall(SYS_delete_module, "storm_victim", O_NONBLOCK) && errno == EAGAIN)
		nap(10);
	nap(100);
}

static void hotplug(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", 1 + rand() % 3);
	write_file(path, "0");
	nap(500);
	while (write_file(path, "1") == -EBUSY)
		nap(10);
	nap(1000);
}

static void births(void)
{
	int i;

	for (i = 0; i < 8; i++) {
		pid_t pid = fork();

		if (!pid) {
			if (rand() % 2)
				execl("/bin/busybox", "true", NULL);
			_exit(0);
		}
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
	nap(50);
}

static void files(void)
{
	char buf[4096];
	int fd = open(rand() % 2 ? KPROBES "list" : KPROBES "points", O_RDONLY);

	while (read(fd, buf, sizeof(buf)) > 0)
		;
	close(fd);
	nap(30);
}

static const struct front {
	const char *name;
	void (*once)(void);
	int fails;		/* its memory allocations do */
} fronts[] = {
	{ "tracers", tracers, 0 }, { "enabled", arming_knob, 0 },
	{ "optimization", optimization_knob, 0 }, { "events", events, 0 }, { "perf", perf, 1 },
	{ "victim", victim, 0 }, { "hotplug", hotplug, 0 }, { "births", births, 0 },
	{ "files", files, 1 },
};

#define FRONTS	(sizeof(fronts) / sizeof(*fronts))

static pid_t start_front(unsigned int i, unsigned int seed)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	srand(seed + i);
	if (fronts[i].fails)
		write_file("/proc/self/make-it-fail", "1");
	while (!shared->stop) {
		fronts[i].once();
		shared->done[i]++;
	}
	_exit(0);
}

/* Returns whether it has ended by itself. */
static int end_front(pid_t pid, double end)
{
	while (!waitpid(pid, NULL, WNOHANG)) {
		if (now() > end) {
			kill(pid, SIGKILL);
			return 0;
		}
		usleep(50000);
	}
	return 1;
}

static unsigned int lines_of(const char *path, const char *without)
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

/* Where memory that kprobes has is: caches of kmalloc(), and lines of /proc/meminfo. */
struct use {
	char name[64];
	long long bytes;
};

#define USES		100

static struct use first_uses[USES], uses[USES];

static unsigned int add_use(unsigned int n, const char *name, long long bytes)
{
	if (n >= USES)
		return n;
	strcpy(uses[n].name, name);
	uses[n].bytes = bytes;
	return n + 1;
}

/* Gives back what caches keep for each CPU, so that an object that is free counts as free. */
static void shrink_slabs(void)
{
	glob_t found;
	size_t i;

	write_file("/proc/sys/vm/drop_caches", "7");
	write_file("/proc/sys/vm/stat_refresh", "1");
	if (glob("/sys/kernel/slab/*/shrink", 0, NULL, &found))
		return;
	for (i = 0; i < found.gl_pathc; i++)
		write_file(found.gl_pathv[i], "1");
	globfree(&found);
}

/* Fills in @uses, and returns their sum. */
static unsigned long long used(void)
{
	unsigned long long kb, sum = 0;
	unsigned long objects, size;
	unsigned int n = 0, i;
	char line[256], name[64];
	FILE *f;

	memset(uses, 0, sizeof(uses));
	shrink_slabs();
	f = fopen("/proc/meminfo", "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%63s %llu", name, &kb) == 2 &&
		    (!strcmp(name, "VmallocUsed:") || !strcmp(name, "Percpu:")))
			n = add_use(n, name, kb * 1024);
	if (f)
		fclose(f);
	f = fopen("/proc/slabinfo", "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%63s %lu %*u %lu", name, &objects, &size) == 3 &&
		    !strncmp(name, "kmalloc-", 8))
			n = add_use(n, name, objects * size);
	if (f)
		fclose(f);
	for (i = 0; i < n; i++)
		sum += uses[i].bytes;
	return sum;
}

static void show_growth(void)
{
	unsigned int i, j;

	for (i = 0; i < USES && uses[i].name[0]; i++) {
		long long before = 0;

		for (j = 0; j < USES; j++)
			if (!strcmp(first_uses[j].name, uses[i].name))
				before = first_uses[j].bytes;
		if (uses[i].bytes != before)
			say("<5># %s: %lld, was %lld", uses[i].name, uses[i].bytes,
			    before);
	}
}

/* The head of points is a line, too. Idle points may be left, where a task can sleep in a copy. */
static int nothing_left(void)
{
	return !lines_of(KPROBES "list", NULL) && lines_of(KPROBES "points", "  idle  0  ") == 1;
}

static int comes_true(int (*what)(void))
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

static const char * const rules[] = {
	"right", "a call was neither handled nor missed", "more was handled or missed than called",
	"post-handlers", "more returns than entries", "more misses by causes than misses",
};

static void show_book(const struct storm_book *b)
{
	say("<5># %s: must %llu, may %llu, never %llu; handled %llu, posts %llu, entries %llu, "
	    "missed %llu, lost %llu; in %llu probes%s%s", b->name, (ull)b->must, (ull)b->may,
	    (ull)b->never, (ull)b->handled, (ull)b->posts, (ull)b->entries, (ull)b->missed,
	    (ull)b->lost, (ull)b->probes, b->wrong ? ": " : "", b->wrong ? rules[b->wrong] : "");
}

/* Adds up what all slots have seen. Returns whether all books are right. */
static int check_books(struct storm_book *sum)
{
	struct storm_book b = { 0 };
	int good = 1;

	for (; !ioctl(device, STORM_BOOK, &b); b.index++) {
		good &= !b.wrong;
		if (b.wrong)
			show_book(&b);
		sum->must += b.must;
		sum->may += b.may;
		sum->never += b.never;
		sum->handled += b.handled;
		sum->posts += b.posts;
		sum->entries += b.entries;
		sum->missed += b.missed;
		sum->lost += b.lost;
		sum->probes += b.probes;
	}
	return good && errno == ERANGE;
}

static int check_sums(const struct storm_sums *s)
{
	say("<5># calls %llu, in %llu NMIs, %llu with a wrong result; handlers too late %llu; changes %llu, "
	    "without memory %llu, failed %llu (errno %d); perf %lu calls, %lu times wrong",
	    (ull)s->calls, (ull)s->nmis, (ull)s->results, (ull)s->late, (ull)s->changes, (ull)s->no_memory,
	    (ull)s->errors, -s->error, shared->perf_calls, shared->perf_wrong);
	return s->calls && (s->nmis || !HAS_NMI) && s->changes && !s->results && !s->late && !s->errors &&
	       !shared->perf_wrong;
}

static void show_fronts(void)
{
	char line[256] = "";
	size_t i;

	for (i = 0; i < FRONTS; i++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), " %s %lu",
			 fronts[i].name, shared->done[i]);
	say("<5># fronts:%s", line);
}

static void begin_round(unsigned int seed)
{
	const struct storm_start start = { .seed = seed, .fail = !access(FAILSLAB, F_OK) };

	memset(shared, 0, sizeof(*shared));
	set_knob(STORM_ON);
	if (ioctl(device, STORM_START, &start))
		say("<5># cannot start: %s", strerror(errno));
}

/* Returns how many fronts had to be killed. */
static unsigned int rage(unsigned int seed, double seconds)
{
	pid_t pids[FRONTS];
	unsigned int killed = 0;
	double end;
	size_t i;

	for (i = 0; i < FRONTS; i++)
		pids[i] = start_front(i, seed * FRONTS);
	for (end = now() + seconds; now() < end; sleep(1))
		;
	shared->stop = 1;
	for (i = 0, end = now() + PATIENCE; i < FRONTS; i++) {
		if (end_front(pids[i], end))
			continue;
		say("<5># front %s does not end", fronts[i].name);
		killed++;
	}
	return killed;
}

/* Returns how many probes there were. */
static unsigned long long storm_round(unsigned int number, unsigned int seed, double seconds)
{
	struct storm_book sum = { .name = "all" };
	struct storm_sums sums;
	char name[64];
	unsigned int killed;

	begin_round(seed);
	killed = rage(seed, seconds);
	if (ioctl(device, STORM_STOP) || ioctl(device, STORM_SUMS, &sums))
		say("<5># cannot stop: %s", strerror(errno));
	show_fronts();
	snprintf(name, sizeof(name), "round %u: books", number);
	result(check_books(&sum), name);
	show_book(&sum);
	snprintf(name, sizeof(name), "round %u: sums", number);
	result(check_sums(&sums), name);
	snprintf(name, sizeof(name), "round %u: fronts have ended", number);
	result(!killed, name);
	snprintf(name, sizeof(name), "round %u: nothing is left", number);
	result(check_left(), name);
	return sum.probes;
}

static unsigned long long allowed;

static int memory_is_back(void)
{
	return used() <= allowed;
}

static void fail_slabs(void)
{
	write_file(FAILSLAB "probability", "1");
	write_file(FAILSLAB "interval", "1");
	write_file(FAILSLAB "times", "-1");
	write_file(FAILSLAB "task-filter", "Y");
	write_file(FAILSLAB "ignore-gfp-wait", "N");
	write_file(FAILSLAB "verbose", "0");
}

int main(int argc, char **argv)
{
	unsigned int seconds = argc > 1 ? atoi(argv[1]) : 60, seed = argc > 2 ? atoi(argv[2]) : 1;
	unsigned int rounds = seconds < 2 * ROUND ? 2 : seconds / ROUND, i;
	unsigned long long first = 0, last, probes = 0;

	device = open("/dev/kprobe_storm", O_RDWR);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (device < 0 || shared == MAP_FAILED)
		return 1;
	fail_slabs();
	say("<5>KTAP version 1");
	say("<5>1..%u", 4 * rounds + 1);
	for (i = 1; i <= rounds; i++) {
		say("<5># round %u of %u, seed %u", i, rounds, seed + i);
		probes += storm_round(i, seed + i, (double)seconds / rounds);
		if (i == 1) {
			first = used();
			memcpy(first_uses, uses, sizeof(uses));
			probes = 0;
		}
	}
	allowed = first + LEFT;
	/* KASAN keeps memory for a while that was freed. */
	if (!system("grep -q ' kasan_quarantine_put' /proc/kallsyms")) {
		result(1, "memory is what it was # SKIP with KASAN");
		return failed != 0;
	}
	i = comes_true(memory_is_back);
	last = used();
	say("<5># memory after the first round %llu, at the end %llu, %llu probes between", first,
	    last, probes);
	show_growth();
	result(i, "memory is what it was");
	return failed != 0;
}
