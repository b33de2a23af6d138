// SPDX-License-Identifier: GPL-2.0
/*
 * Who sees addresses in /sys/kernel/debug/kprobes: what /proc/kallsyms shows, these files show, by
 * kernel.kptr_restrict, kernel.perf_event_paranoid and the rights of whoever has opened the file.
 * Nothing else in them changes.
 */
#include <ctype.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "../kselftest.h"
#include "client_pmu.h"

#define DIR "/sys/kernel/debug/kprobes/"
#define KPTR_RESTRICT "/proc/sys/kernel/kptr_restrict"
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define DIGITS ((int)(2 * sizeof(long)))
#define NOBODY 65534

static const char * const files[] = { "list", "points", "blacklist", "refused" };

static int kptr_restrict, paranoid;

static void set(const char *path, int value)
{
	FILE *f = fopen(path, "w");

	if (!f || fprintf(f, "%d\n", value) < 0 || fclose(f))
		ksft_exit_fail_perror(path);
}

static void put_back(void)
{
	set(KPTR_RESTRICT, kptr_restrict);
	set(PARANOID, paranoid);
}

/* Of the rights of root, CAP_SYSLOG is what /proc/kallsyms asks for. */
static void may_syslog(bool may)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2];

	if (syscall(__NR_capget, &header, caps))
		ksft_exit_fail_perror("capget");
	if (may)
		caps[CAP_TO_INDEX(CAP_SYSLOG)].effective |= CAP_TO_MASK(CAP_SYSLOG);
	else
		caps[CAP_TO_INDEX(CAP_SYSLOG)].effective &= ~CAP_TO_MASK(CAP_SYSLOG);
	if (syscall(__NR_capset, &header, caps))
		ksft_exit_fail_perror("capset");
}

static int open_file(const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), DIR "%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		ksft_exit_fail_perror(path);
	return fd;
}

/* The whole of it, in memory of the caller's. */
static char *read_all(int fd)
{
	size_t size = 1 << 20, used = 0;
	char *text = malloc(size + 1);
	ssize_t n;

	if (!text || lseek(fd, 0, SEEK_SET))
		ksft_exit_fail_perror("reading from the start");
	while ((n = read(fd, text + used, size - used)) > 0)
		used += n;
	if (n < 0 || used == size)
		ksft_exit_fail_perror("reading to the end");
	text[used] = '\0';
	return text;
}

static char *read_file(const char *name)
{
	int fd = open_file(name);
	char *text = read_all(fd);

	close(fd);
	return text;
}

/* Is there an address, as "ffffffff81000000" or "0xffffffff81000000"? */
static bool is_address(const char *text, const char *at)
{
	int i;

	if (at - text >= 2 && at[-1] == 'x' && at[-2] == '0')
		at -= 2;
	if (at > text && (isalnum(at[-1]) || at[-1] == '_'))
		return false;
	if (at[0] == '0' && at[1] == 'x')
		at += 2;
	for (i = 0; i < DIGITS; i++)
		if (!isxdigit(at[i]))
			return false;
	return !isalnum(at[i]) && at[i] != '_';
}

/* Replaces all addresses by zeros. Returns how many there were that are not zero already. */
static int hide(char *text, int *zeros)
{
	int shown = 0;
	char *at;

	*zeros = 0;
	for (at = text; *at; at++) {
		if (!isxdigit(*at) || !is_address(text, at))
			continue;
		if (at[0] == '0' && at[1] == 'x')
			at += 2;
		if (strspn(at, "0") >= (size_t)DIGITS)
			++*zeros;
		else
			shown++;
		memset(at, '0', DIGITS);
		at += DIGITS - 1;
	}
	return shown;
}

/* All addresses or none; and there is at least one to see. */
static bool shows_as_expected(const char *name, char *text, bool expected)
{
	int zeros, shown = hide(text, &zeros);

	if (expected ? shown && !zeros : zeros && !shown)
		return true;
	ksft_print_msg("%s: %d addresses are shown, %d are hidden\n", name, shown, zeros);
	return false;
}

static bool file_shows_as_expected(const char *name, bool expected)
{
	char *text = read_file(name);
	bool ok = shows_as_expected(name, text, expected);

	free(text);
	return ok;
}

static void test_opener(int kptr, int perf, bool syslog)
{
	bool expected = (kptr < 2 && syslog) || (!kptr && perf < 2);
	bool ok = true;

	set(KPTR_RESTRICT, kptr);
	set(PARANOID, perf);
	may_syslog(syslog);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		ok &= file_shows_as_expected(files[i], expected);
	may_syslog(true);
	ksft_test_result(ok, "kptr_restrict=%d perf_event_paranoid=%d, %s CAP_SYSLOG: %s\n", kptr,
			 perf, syslog ? "with" : "without", expected ? "shown" : "hidden");
}

static void test_openers(void)
{
	for (int kptr = 0; kptr <= 2; kptr++)
		for (int perf = 1; perf <= 2; perf++)
			for (int syslog = 0; syslog <= 1; syslog++)
				test_opener(kptr, perf, syslog);
}

/* Decided when the file is opened: what comes later changes nothing, for nobody. */
static void test_rights_stay(bool syslog)
{
	int fds[ARRAY_SIZE(files)];
	bool ok = true;

	set(KPTR_RESTRICT, 1);
	set(PARANOID, 2);
	may_syslog(syslog);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		fds[i] = open_file(files[i]);
	may_syslog(!syslog);
	set(KPTR_RESTRICT, syslog ? 2 : 0);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char *text = read_all(fds[i]);

		ok &= shows_as_expected(files[i], text, syslog);
		free(text);
		close(fds[i]);
	}
	may_syslog(true);
	ksft_test_result(ok, "a file opened %s CAP_SYSLOG stays so\n", syslog ? "with" : "without");
}

static char *read_with(const char *name, int kptr)
{
	char *text;
	int zeros;

	set(KPTR_RESTRICT, kptr);
	text = read_file(name);
	hide(text, &zeros);
	return text;
}

/* Points may still be on the way from one mechanism to another. */
static bool differs_in_addresses_only(const char *name)
{
	bool equal = false;

	for (int i = 0; i < 10 && !equal; i++) {
		char *shown = read_with(name, 0), *hidden = read_with(name, 2);

		equal = !strcmp(shown, hidden);
		free(shown);
		free(hidden);
		if (!equal)
			sleep(1);
	}
	return equal;
}

static bool is_refused_to_nobody(const char *name)
{
	char path[64];
	int status;
	pid_t pid;

	snprintf(path, sizeof(path), DIR "%s", name);
	pid = fork();
	if (!pid)
		_exit(setuid(NOBODY) || open(path, O_RDONLY) >= 0 || errno != EACCES);
	return waitpid(pid, &status, 0) == pid && !status;
}

/* A probe to be listed, and one to be refused: at an address that is no text. */
static int set_probes(void)
{
	struct perf_event_attr attr = {
		.type = pmu_type(),
		.size = sizeof(attr),
		.probe_offset = 1,
	};
	int fd = pmu_open(READ_FUNCTION, false);

	if (fd < 0)
		ksft_exit_fail_perror("perf_event_open");
	if (syscall(__NR_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC) >= 0)
		ksft_exit_fail_msg("a probe at address 1 was not refused\n");
	return fd;
}

int main(void)
{
	int fd;

	ksft_print_header();
	if (access(DIR "refused", R_OK))
		ksft_exit_skip("no " DIR ": CONFIG_KPROBES, CONFIG_DEBUG_FS, or not root\n");
	if (pmu_type() < 0)
		ksft_exit_skip("no kprobe PMU: CONFIG_PERF_EVENTS and CONFIG_KPROBE_EVENTS\n");
	ksft_set_plan(12 + 2 + 2 * ARRAY_SIZE(files));
	kptr_restrict = pmu_number(KPTR_RESTRICT, "%d");
	paranoid = pmu_number(PARANOID, "%d");
	atexit(put_back);
	fd = set_probes();
	test_openers();
	test_rights_stay(true);
	test_rights_stay(false);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		ksft_test_result(differs_in_addresses_only(files[i]),
				 "%s: nothing else is hidden\n", files[i]);
		ksft_test_result(is_refused_to_nobody(files[i]), "%s: not for nobody\n",
				 files[i]);
	}
	close(fd);
	ksft_finished();
}
