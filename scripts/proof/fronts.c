// SPDX-License-Identifier: GPL-2.0-or-later
/* Fronts: processes that disturb the storm. Each does its thing once and leaves nothing behind. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "storm.h"

#define OPTIMIZATION	"/proc/sys/debug/kprobes-optimization"
#define PMU		"/sys/bus/event_source/devices/kprobe/type"
#define CPU		"/sys/devices/system/cpu/"

static void nap(unsigned int milliseconds)
{
	usleep((rand() % milliseconds + 1) * 1000);
}

/* For longer than what the caller did since @begin, so that it does not hold up all others. */
static void rest(double begin, double least)
{
	double seconds = least + 2 * (now() - begin);

	usleep((seconds < 10 ? seconds : 10) * 1e6);
}

/* Does a line of a file have the words? */
static int has_line(const char *path, const char *words)
{
	FILE *f = fopen(path, "r");
	char line[512];
	int found = 0;

	while (f && !found && fgets(line, sizeof(line), f))
		found = !!strstr(line, words);
	if (f)
		fclose(f);
	return found;
}

static const char *lacks_tracers(void)
{
	return has_line(TRACING "available_tracers", "function") ? NULL : "no function tracer";
}

static int tracers(void)
{
	static const char * const names[] = { "function", "function_graph" };
	int graph = rand() % 2, set, traced;
	double begin = now();

	write_file(TRACING "set_ftrace_filter",
		   rand() % 3 ? "storm_*" : few_traced ? "storm_* *kprobe*" : "");
	set = !write_file(TRACING "current_tracer", names[graph]);
	nap(500);
	/* A call of a function; that of the graph ends in a brace or is a leaf. */
	traced = set && has_line(TRACING "trace", graph ? "()" : "<-");
	set &= !write_file(TRACING "current_tracer", "nop");
	write_file(TRACING "trace", "");
	write_file(TRACING "set_ftrace_filter", "");
	/* A traced kernel is slow. */
	rest(begin, 0.1);
	return set && traced;
}

void set_knob(uint32_t state)
{
	ioctl(device, STORM_KNOB, &state);
}

static int arming_knob(void)
{
	double begin = now();
	int off;

	set_knob(STORM_CHANGING);
	off = !write_file(KPROBES "enabled", "0");
	if (off)
		set_knob(STORM_OFF);
	nap(100);
	set_knob(STORM_CHANGING);
	while (write_file(KPROBES "enabled", "1"))
		nap(10);
	set_knob(STORM_ON);
	rest(begin, 1);
	return off;
}

static int optimization_knob(void)
{
	int off = !write_file(OPTIMIZATION, "0") && !read_number(OPTIMIZATION), on;

	nap(300);
	on = !write_file(OPTIMIZATION, "1") && read_number(OPTIMIZATION) == 1;
	nap(1000);
	return off && on;
}

static const char *lacks_optimization(void)
{
	return access(OPTIMIZATION, F_OK) ? "no optimization of probes" : NULL;
}

static const char *lacks_events(void)
{
	return access(TRACING "kprobe_events", F_OK) ? "no events of kprobes" : NULL;
}

/* How many hits has an event counted? */
static unsigned long hits_of(char name)
{
	FILE *f = fopen(TRACING "kprobe_profile", "r");
	char line[256], event[64];
	unsigned long hits, found = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, " %63s %lu", event, &hits) == 2 && event[0] == name && !event[1])
			found = hits;
	if (f)
		fclose(f);
	return found;
}

static int events(void)
{
	static const char * const places[] = {
		"p:storm/%c storm_plain", "p:storm/%c storm_nested+9", "r:storm/%c storm_recursive",
		"p:storm/%c vfs_read", "r2:storm/%c do_sys_openat2", "p:storm/%c schedule",
	};
	char line[128], path[128];
	int name = 'a' + rand() % 4, ret, made;
	unsigned long hits;

	snprintf(line, sizeof(line), places[rand() % 6], name);
	snprintf(path, sizeof(path), TRACING "events/storm/%c/enable", name);
	made = !write_flags(TRACING "kprobe_events", line, O_APPEND);
	made &= !write_file(path, "1");
	nap(200);
	hits = hits_of(name);
	made &= !write_file(path, "0");
	snprintf(line, sizeof(line), "-:storm/%c", name);
	/* -ENOENT: it was not even made. */
	while ((ret = write_flags(TRACING "kprobe_events", line, O_APPEND)) && ret != -ENOENT)
		nap(10);
	nap(50);
	return made && !ret && hits;
}

static const char *lacks_perf(void)
{
	return access(PMU, F_OK) ? "no perf events of kprobes" : NULL;
}

/* The event counts in this task alone, and nobody else calls this function. */
static int perf(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = read_number(PMU) };
	struct storm_calls calls = { .number = rand() % 200 };
	uint64_t count = 0;
	int fd, good;

	attr.config1 = (uintptr_t)"storm_kept";
	attr.config = rand() % 2;		/* a return probe? */
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	if (fd < 0)
		return 0;
	good = !ioctl(device, STORM_CALL, &calls) && read(fd, &count, sizeof(count)) > 0;
	close(fd);
	shared->perf_calls += calls.number;
	if (!good || count < calls.must || count > calls.number)
		shared->perf_wrong++;
	nap(20);
	return good && calls.must && count;
}

static int victim(void)
{
	int fd = open("/storm_victim.ko", O_RDONLY), loaded, ret;

	loaded = !syscall(SYS_finit_module, fd, "", 0);
	close(fd);
	nap(300);
	while ((ret = syscall(SYS_delete_module, "storm_victim", O_NONBLOCK)) && errno == EAGAIN)
		nap(10);
	nap(100);
	return loaded && !ret;
}

static int hotplug(void)
{
	char path[64];
	int off;

	snprintf(path, sizeof(path), CPU "cpu%d/online", 1 + rand() % 3);
	off = !write_file(path, "0") && !read_number(path);
	nap(500);
	while (write_file(path, "1") == -EBUSY)
		nap(10);
	nap(1000);
	return off && read_number(path) == 1;
}

static const char *lacks_hotplug(void)
{
	return access(CPU "cpu1/online", F_OK) ? "no CPUs that go offline" : NULL;
}

static int births(void)
{
	int i, status, good = 0;

	for (i = 0; i < 8; i++) {
		pid_t pid = fork();

		if (!pid) {
			if (rand() % 2)
				execl("/bin/busybox", "true", NULL);
			_exit(0);
		}
	}
	while (waitpid(-1, &status, 0) > 0)
		good += !status;
	nap(50);
	return good == 8;
}

static int files(void)
{
	char buf[4096];
	int fd = open(rand() % 2 ? KPROBES "list" : KPROBES "points", O_RDONLY);
	ssize_t n, sum = 0;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		sum += n;
	close(fd);
	nap(30);
	return fd >= 0 && !n && sum;
}

const struct front fronts[] = {
	{ "tracers", tracers, lacks_tracers, 0 }, { "enabled", arming_knob, NULL, 0 },
	{ "optimization", optimization_knob, lacks_optimization, 0 },
	{ "events", events, lacks_events, 0 }, { "perf", perf, lacks_perf, 1 },
	{ "victim", victim, NULL, 0 }, { "hotplug", hotplug, lacks_hotplug, 0 },
	{ "births", births, NULL, 0 }, { "files", files, NULL, 1 },
};

#define FRONTS	(sizeof(fronts) / sizeof(*fronts))

const unsigned int nr_fronts = FRONTS;

static int is_lacking(unsigned int i)
{
	return fronts[i].lacks && fronts[i].lacks();
}

static pid_t start_front(unsigned int i, unsigned int seed)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	srand(seed + i);
	if (fronts[i].fails)
		write_file("/proc/self/make-it-fail", "1");
	while (!shared->stop) {
		shared->done[i] += fronts[i].once();
		shared->tried[i]++;
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

static int all_were_at_work(void)
{
	unsigned int i;

	for (i = 0; i < FRONTS; i++)
		if (!shared->done[i] && !is_lacking(i))
			return 0;
	return 1;
}

unsigned int rage(unsigned int seed, double seconds)
{
	double end = now() + seconds, last = end + PATIENCE;
	unsigned int killed = 0, i;
	pid_t pids[FRONTS];

	for (i = 0; i < FRONTS; i++)
		pids[i] = is_lacking(i) ? 0 : start_front(i, seed * FRONTS);
	while (now() < end || (now() < last && !(all_were_at_work() && have_failed())))
		sleep(1);
	shared->stop = 1;
	for (i = 0, end = now() + PATIENCE; i < FRONTS; i++) {
		if (!pids[i] || end_front(pids[i], end))
			continue;
		say("<5># front %s does not end", fronts[i].name);
		killed++;
	}
	return killed;
}

void use_graph(void)
{
	write_file(TRACING "current_tracer", "function_graph");
	write_file(TRACING "current_tracer", "nop");
}

int check_fronts(void)
{
	char line[256] = "";
	unsigned int i;

	for (i = 0; i < FRONTS; i++)
		if (!is_lacking(i))
			snprintf(line + strlen(line), sizeof(line) - strlen(line),
				 "%s %s %lu of %lu", *line ? "," : "", fronts[i].name,
				 shared->done[i], shared->tried[i]);
	say("<5># fronts:%s", line);
	return all_were_at_work();
}
