// SPDX-License-Identifier: GPL-2.0
/*
 * perf as a client of kprobes: events of the kprobe PMU count every hit of this task, no more
 * and no less, at the entry of a function and at its return, alone and together. Places that
 * cannot be probed are refused with an error that says so.
 */
#include "../kselftest.h"
#include "client_pmu.h"

#define READS 1000

/* How many bytes of the function are tried. */
#define BYTES 64

/* Where ftrace's call of a function is, and nothing but ftrace may write: not at its entry. */
#if defined(__aarch64__) || defined(__arm__) || defined(__mips__) || defined(__powerpc__) || \
	defined(__sparc__)
#define CALL_ERROR EINVAL
#else
#define CALL_ERROR 0
#endif

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

/* Functions that ftrace knows, whose first instruction may be a call or a load of its call. */
static void test_attach(const char *function)
{
	int fd = pmu_open(function, false);

	if (fd < 0)
		ksft_perror(function);
	else
		enable(fd, true);
	ksft_test_result(fd >= 0, "%s can be probed\n", function);
	close(fd);
}

static void test_unknown_function(void)
{
	int fd = pmu_open("no_such_function_anywhere", false);

	ksft_test_result(fd < 0, "unknown function refused\n");
	if (fd >= 0)
		close(fd);
}

/* Returns 0 if an event can be opened there, else its error. */
static int error_at(uint64_t offset)
{
	int fd = pmu_open_at(READ_FUNCTION, offset, false);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static void test_ftrace_call(void)
{
	uint64_t call = address_in("/sys/kernel/tracing/available_filter_functions_addrs",
				   "%llx %255s", READ_FUNCTION);
	uint64_t offset = call - symbol_address(READ_FUNCTION);
	int error;

	if (!call) {
		ksft_test_result_code(KSFT_SKIP, "where ftrace's call is", "ftrace has none there");
		return;
	}
	error = error_at(offset);
	ksft_print_msg(READ_FUNCTION "+%d, where ftrace's call is: %s\n", (int)offset,
		       error ? strerror(error) : "opened");
	ksft_test_result(error == CALL_ERROR, "where ftrace's call is\n");
}

/* A place is an instruction, or inside of one, or something that must not be probed. */
static void test_each_byte(void)
{
	int opened = 0, refused = 0, inside = 0;

	for (int offset = 0; offset < BYTES; offset++)
		switch (error_at(offset)) {
		case 0:
			opened++;
			break;
		case EINVAL:
			refused++;
			break;
		case EILSEQ:
			inside++;
			break;
		default:
			ksft_print_msg(READ_FUNCTION "+%d: %s\n", offset, strerror(errno));
		}
	ksft_print_msg("%d bytes opened, %d refused, %d inside an instruction\n", opened,
		       refused, inside);
	ksft_test_result(opened > 1 && inside && opened + refused + inside == BYTES,
			 "each byte is opened or refused for what it is\n");
}

int main(void)
{
	ksft_print_header();
	if (pmu_type() < 0)
		ksft_exit_skip("no kprobe PMU: CONFIG_PERF_EVENTS and CONFIG_KPROBE_EVENTS\n");
	ksft_set_plan(9);
	test_count(false);
	test_count(true);
	test_together();
	/* Refused by older kernels on riscv64: bpftrace issue 5093 */
	test_attach("close_fd");
	test_unknown_function();
	test_ftrace_call();
	test_each_byte();
	ksft_finished();
}
