/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Opening a kprobe as a perf event: what the perf and BPF clients share.
 */
#ifndef CLIENT_PMU_H
#define CLIENT_PMU_H

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PMU_DIR "/sys/bus/event_source/devices/kprobe/"

/* Reads one number out of a file like "6" or "config:0". Returns -1 where there is none. */
static inline int pmu_number(const char *path, const char *format)
{
	FILE *f = fopen(path, "r");
	int value = -1;

	if (!f)
		return -1;
	if (fscanf(f, format, &value) != 1)
		value = -1;
	fclose(f);
	return value;
}

/* Returns the dynamic type of the kprobe PMU, or -1 if the kernel has none. */
static inline int pmu_type(void)
{
	return pmu_number(PMU_DIR "type", "%d");
}

/* Opens a disabled event of this task on a place in a function, or on its return. */
static inline int pmu_open_at(const char *function, uint64_t offset, bool on_return)
{
	struct perf_event_attr attr = {
		.type = pmu_type(),
		.size = sizeof(attr),
		.disabled = 1,
		.kprobe_func = (uintptr_t)function,
		.probe_offset = offset,
	};

	if (on_return)
		attr.config = 1ULL << pmu_number(PMU_DIR "format/retprobe", "config:%d");
	return syscall(__NR_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static inline int pmu_open(const char *function, bool on_return)
{
	return pmu_open_at(function, 0, on_return);
}

/* The address of the first symbol of that name in a file whose lines have both, else 0. */
static inline uint64_t address_in(const char *path, const char *format, const char *symbol)
{
	unsigned long long value;
	char line[512], name[256];
	uint64_t address = 0;
	FILE *f = fopen(path, "r");

	while (f && !address && fgets(line, sizeof(line), f))
		if (sscanf(line, format, &value, name) == 2 && !strcmp(name, symbol))
			address = value;
	if (f)
		fclose(f);
	return address;
}

static inline uint64_t symbol_address(const char *symbol)
{
	return address_in("/proc/kallsyms", "%llx %*c %255s", symbol);
}

/* One read(2) is one call of vfs_read(), wherever the kernel runs. */
#define READ_FUNCTION "vfs_read"

static inline int do_reads(int times)
{
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	int done = 0;
	char byte;

	if (fd < 0)
		return -1;
	while (done < times && read(fd, &byte, 1) == 1)
		done++;
	close(fd);
	return done;
}

#endif /* CLIENT_PMU_H */
