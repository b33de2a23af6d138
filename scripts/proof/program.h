/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _PROOF_PROGRAM_H
#define _PROOF_PROGRAM_H

/* What the proof's programs have alike. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The kernel log is the heartbeat: without it, the machine counts as hung. */
static inline void say(const char *format, ...)
{
	int fd = open("/dev/kmsg", O_WRONLY);
	char line[512];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line) - 1, format, args);
	va_end(args);
	/* Else it is shown when the next one comes. */
	strcat(line, "\n");
	if (fd >= 0) {
		write(fd, line, strlen(line));
		close(fd);
	}
}

static inline int write_flags(const char *path, const char *text, int flags)
{
	int fd = open(path, O_WRONLY | flags), ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

static inline int write_file(const char *path, const char *text)
{
	return write_flags(path, text, O_TRUNC);
}

static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

#endif /* _PROOF_PROGRAM_H */
