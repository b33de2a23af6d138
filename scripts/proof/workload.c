// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload: uses the kernel in many ways and prints what it saw, which is the same each time: no
 * times, addresses, or process numbers. A part that takes too long or dies prints that. Exits with
 * 1 if a step of it has not done what it has to do: then nothing was proved.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <linux/perf_event.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define PART_LIMIT	300
/* What this program exits with when the workload executes it. */
#define EXECUTED	17

#include "workload/steps.h"
#include "workload/files.c"
#include "workload/sockets.c"
#include "workload/memory.c"
#include "workload/processes.c"
#include "workload/signals.c"
#include "workload/system.c"
#include "workload/network.c"
#include "workload/calls.c"
#include "workload/tracing.c"

static const struct part {
	const char *name;
	void (*run)(void);
} parts[] = {
	{ "files", files }, { "more files", more_files }, { "watched files", watched_files },
	{ "pipes", pipes }, { "tcp", tcp }, { "datagrams", datagrams },
	{ "unix sockets", unix_sockets }, { "memory", memory }, { "processes", processes },
	{ "traced", traced }, { "signals", signals }, { "timers", timers }, { "faults", faults },
	{ "proc", proc }, { "trees", trees }, { "mounts", mounts }, { "modules", modules },
	{ "binary format", binary_format }, { "namespaces", namespaces }, { "messages", messages },
	{ "terminal", terminal }, { "calls", more_calls }, { "counters", counters },
	{ "events", events }, { "bpf", bpf_programs }, { "hotplug", hotplug },
};

static void loopback_up(void)
{
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	ioctl(fd, SIOCSIFFLAGS, &lo);
	close(fd);
}

/* Each part in a process of its own. */
int main(int argc, char **argv)
{
	size_t i;

	if (argc > 1) {
		printf("  executed as %s with %d arguments\n", argv[0], argc);
		return EXECUTED;
	}
	setvbuf(stdout, NULL, _IOFBF, 65536);
	setenv("PATH", "/bin:/sbin:/usr/bin:/usr/sbin", 1);
	for (i = 0; i < BYTES; i++)
		data[i] = i * 7 + i / 251;
	loopback_up();
	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		pid_t pid;

		printf("%s\n", parts[i].name);
		fflush(stdout);
		pid = fork();
		if (!pid) {
			setvbuf(stdout, NULL, _IOLBF, 4096);
			alarm(PART_LIMIT);
			failed = 0;
			parts[i].run();
			leave();
		}
		expect("ended", wait_for(pid), 0);
	}
	return failed;
}
