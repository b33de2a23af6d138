// SPDX-License-Identifier: GPL-2.0
/*
 * perf as a client of kprobes: events of the kprobe PMU count every hit of this task, no more
 * and no less, at the entry of a function and at its return, alone and together.
 */
#include "../kselftest.h"
#include "client_pmu.h"

#define READS 1000

static void enable(int fd, bool on)
{
	if (ioctl(fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0))
		ksft_exit_fail_perror("ioctl");
}

static long long counted(int fd)
{
	long long count = -1;

	if (read(fd, &count, sizeof(count)) != sizeof(count))
		ksft_exit_fail_perror("reading a count");
	return count;
}

static int open_event(bool on_return)
{
	int fd = pmu_open(READ_FUNCTION, on_return);

	if (fd < 0)
		ksft_exit_fail_perror("perf_event_open");
	return fd;
}

static void expect_count(int fd, long long want, const char *what)
{
	long long have = counted(fd);

	if (have != want)
		ksft_print_msg("counted %lld, expected %lld\n", have, want);
	ksft_test_result(have == want, "%s\n", what);
}

/* Reading a count is a vfs_read() as well, so the event is off by then. */
static void test_count(bool on_return)
{
	int fd = open_event(on_return);
	int done;

	enable(fd, true);
	done = do_reads(READS);
	enable(fd, false);
	expect_count(fd, done, on_return ? "every return counted" : "every entry counted");

	do_reads(READS);
	expect_count(fd, done, on_return ? "no return counted while disabled" :
					   "no entry counted while disabled");
	close(fd);
}

static void test_together(void)
{
	int fds[] = { open_event(false), open_event(true), open_event(false), open_event(true) };
	bool equal = true;
	int done;

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		enable(fds[i], true);
	done = do_reads(READS);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		enable(fds[i], false);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		long long have = counted(fds[i]);

		if (have != done) {
			ksft_print_msg("event %zu counted %lld of %d\n", i, have, done);
			equal = false;
		}
		close(fds[i]);
	}
	ksft_test_result(equal, "four events on one function\n");
}

static void test_unknown_function(void)
{
	int fd = pmu_open("no_such_function_anywhere", false);

	ksft_test_result(fd < 0, "unknown function refused\n");
	if (fd >= 0)
		close(fd);
}

int main(void)
{
	ksft_print_header();
	if (pmu_type() < 0)
		ksft_exit_skip("no kprobe PMU: CONFIG_PERF_EVENTS and CONFIG_KPROBE_EVENTS\n");
	ksft_set_plan(6);
	test_count(false);
	test_count(true);
	test_together();
	test_unknown_function();
	ksft_finished();
}
