/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _PROOF_WORKLOAD_STEPS_H
#define _PROOF_WORKLOAD_STEPS_H

/*
 * What parts of the workload consist of: steps. A step prints what it saw. It says which outcome it
 * has to have, so that a workload that does not do its work is not taken for one that does: the
 * part then exits with status 1.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES		20000

static char data[BYTES], back[BYTES];
/* Nothing is there, which the compiler must not know. */
static char *volatile nowhere = (char *)8;
/* The exit status of a part's processes. */
static int failed;

static void fail(const char *what)
{
	printf("  FAILED: %s\n", what);
	failed = 1;
}

static unsigned int checksum(const void *from, size_t size)
{
	const unsigned char *p = from;
	unsigned int sum = 1;

	while (size--)
		sum = sum * 31 + *p++;
	return sum;
}

/* A call that must succeed. */
static long told(const char *what, long ret)
{
	if (ret < 0) {
		printf("  %s: %s\n", what, strerror(errno));
		fail(what);
	} else {
		printf("  %s: %ld\n", what, ret);
	}
	return ret;
}

/* A call that must fail with an errno. */
static void denied(const char *what, long ret, int error)
{
	if (ret < 0)
		printf("  %s: %s\n", what, strerror(errno));
	else
		printf("  %s: %ld\n", what, ret);
	if (ret >= 0 || errno != error)
		fail(what);
}

/* A value that is known. */
static void expect(const char *what, long value, long expected)
{
	printf("  %s: %ld\n", what, value);
	if (value != expected)
		fail(what);
}

/* A value that is the same each time. */
static void result(const char *what, long value)
{
	printf("  %s: %ld\n", what, value);
}

/* Ends a process of a part. */
static void leave(void)
{
	fflush(stdout);
	_exit(failed);
}

static int read_all(int fd, char *to, size_t size)
{
	size_t n = 0;
	ssize_t ret;

	while (n < size && (ret = read(fd, to + n, size - n)) > 0)
		n += ret;
	return n;
}

static void write_all(int fd, const char *from, size_t size)
{
	size_t n = 0;
	ssize_t ret;

	while (n < size && (ret = write(fd, from + n, size - n)) > 0)
		n += ret;
	if (n < size)
		fail("write");
}

/* What comes must be @data. */
static void read_data(int fd)
{
	expect("bytes", read_all(fd, back, BYTES), BYTES);
	expect("same", memcmp(back, data, BYTES), 0);
}

/* Its status as a shell would show it. */
static int status_of(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int wait_for(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid ? status_of(status) : -1;
}

/* Each command of it must succeed. */
static void shell(const char *what, const char *commands)
{
	char line[1024];

	snprintf(line, sizeof(line), "set -e -o pipefail; %s", commands);
	fflush(stdout);
	expect(what, status_of(system(line)), 0);
}

/* Writes to a file of the kernel's. */
static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0) {
		printf("  %s: %s\n", path, strerror(errno));
		fail(path);
	}
	if (fd >= 0)
		close(fd);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void list(const char *dir)
{
	struct dirent **entry;
	int i, n = scandir(dir, &entry, NULL, by_name);

	for (i = 0; i < n; i++)
		printf("  entry %s\n", entry[i]->d_name);
}

static volatile sig_atomic_t got, code;
static void *volatile where;

static void note(int number, siginfo_t *info, void *context)
{
	(void)context;
	got = number;
	code = info->si_code;
	where = info->si_addr;
}

static void catch(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction a = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };

	sigaction(number, &a, NULL);
}

/* The number of its lines that begin with a word. */
static long lines_with(const char *path, const char *begin)
{
	FILE *f = fopen(path, "r");
	char line[4096];
	long n = 0;

	while (f && fgets(line, sizeof(line), f))
		n += !strncmp(line, begin, strlen(begin));
	if (f)
		fclose(f);
	return n;
}

#endif /* _PROOF_WORKLOAD_STEPS_H */
