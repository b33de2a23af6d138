// SPDX-License-Identifier: GPL-2.0
/*
 * Life of events that perf uses: a kprobe event of tracefs cannot be removed while perf has it
 * open, and goes on counting; what a task has opened goes with the task, however that ends.
 */
#include <signal.h>
#include <sys/wait.h>

#include "../kselftest.h"
#include "client_pmu.h"

#define TRACEFS	"/sys/kernel/tracing/"
#define EVENT	"kselftest/perf_life"
#define LIST	"/sys/kernel/debug/kprobes/list"
#define READS	100

/* Returns 0, or the error of writing a line to kprobe_events. */
static int define(const char *line)
{
	int fd = open(TRACEFS "kprobe_events", O_WRONLY | O_APPEND | O_CLOEXEC);
	int error = 0;

	if (fd < 0)
		return errno;
	if (write(fd, line, strlen(line)) < 0)
		error = errno;
	close(fd);
	return error;
}

static int open_tracepoint(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = pmu_number(TRACEFS "events/" EVENT "/id", "%d"),
	};

	return syscall(__NR_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static long long counted(int fd)
{
	long long count = -1;

	return read(fd, &count, sizeof(count)) == sizeof(count) ? count : -1;
}

static void test_busy(void)
{
	int error, fd;
	long long before;

	error = define("p:" EVENT " " READ_FUNCTION "\n");
	if (error)
		ksft_exit_fail_msg("kprobe_events: %s\n", strerror(error));
	fd = open_tracepoint();
	if (fd < 0)
		ksft_exit_fail_perror("perf_event_open");
	ksft_test_result(define("-:" EVENT "\n") == EBUSY, "an event in use is not removed\n");
	/* Reading a count is a hit as well. */
	before = counted(fd);
	do_reads(READS);
	ksft_test_result(before >= 0 && counted(fd) - before == READS + 1,
			 "it goes on counting\n");
	close(fd);
	ksft_test_result(!define("-:" EVENT "\n"), "it is removed when it is closed\n");
}

/* Returns how many probes there are in READ_FUNCTION, -1 if the list cannot be read. */
static int probes(void)
{
	char line[512];
	FILE *f = fopen(LIST, "r");
	int n = 0;

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		n += !!strstr(line, "  " READ_FUNCTION "+");
	fclose(f);
	return n;
}

/* Opens an event and an event of a return, tells so, and waits for its end. */
static void open_and_wait(int ready)
{
	bool opened = pmu_open(READ_FUNCTION, false) >= 0 && pmu_open(READ_FUNCTION, true) >= 0;

	if (write(ready, &opened, sizeof(opened)) == sizeof(opened))
		pause();
	_exit(1);
}

static void test_death(void)
{
	int before = probes(), during;
	bool opened = false;
	int ready[2];
	pid_t child;

	if (pipe(ready))
		ksft_exit_fail_perror("pipe");
	child = fork();
	if (child < 0)
		ksft_exit_fail_perror("fork");
	if (!child)
		open_and_wait(ready[1]);
	if (read(ready[0], &opened, sizeof(opened)) != sizeof(opened))
		opened = false;
	during = probes();
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ksft_test_result(opened && before >= 0 && during == before + 2,
			 "a task has opened two events\n");
	ksft_print_msg("%d, %d, %d probes\n", before, during, probes());
	ksft_test_result(before >= 0 && probes() == before, "none is left when it is killed\n");
}

int main(void)
{
	ksft_print_header();
	if (pmu_type() < 0 || access(TRACEFS "kprobe_events", W_OK))
		ksft_exit_skip("no kprobe events: CONFIG_PERF_EVENTS and CONFIG_KPROBE_EVENTS\n");
	if (probes() < 0)
		ksft_exit_skip("no list: CONFIG_DEBUG_FS\n");
	ksft_set_plan(5);
	test_busy();
	test_death();
	ksft_finished();
}
