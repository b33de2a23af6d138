// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: perf_attach N [bpf]
 *
 * Attaches N probes by perf events, one after another, calls what they are on, and takes them
 * away one after another, as BPF tools do; with a program of BPF on each event, if told so. The
 * module of the benchmark measures both and makes the calls.
 */
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RUN	"/sys/module/kprobe_bench/parameters/run"
#define PMU	"/sys/bus/event_source/devices/kprobe/type"

static void command(const char *text)
{
	FILE *f = fopen(RUN, "w");

	if (!f || fprintf(f, "%s\n", text) < 0 || fclose(f)) {
		perror(text);
		exit(1);
	}
}

/* return 0: the event counts no hit for perf, as with most tools of BPF. */
static int load_program(void)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_KPROBE,
		.insns = (uintptr_t)insns,
		.insn_cnt = sizeof(insns) / sizeof(*insns),
		.license = (uintptr_t)"GPL",
		.kern_version = 0,
	};
	int fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));

	if (fd < 0) {
		perror("BPF_PROG_LOAD");
		exit(1);
	}
	return fd;
}

static int open_event(int type, const char *function, int program)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = type,
		.config1 = (uintptr_t)function,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1,
			 PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 || (program >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_BPF, program)) ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0)) {
		perror(function);
		exit(1);
	}
	return fd;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0, type = -1, seen = 0, i;
	struct rlimit files = { n + 64, n + 64 };
	int program = argc > 2 ? load_program() : -1;
	const char *name = argc > 2 ? "tools.bpf" : "perf";
	int *fds = calloc(n, sizeof(*fds));
	FILE *f = fopen(PMU, "r");
	char text[64];

	if (!f || fscanf(f, "%d", &type) != 1 || !fds ||
	    setrlimit(RLIMIT_NOFILE, &files)) {
		perror(PMU);
		return 1;
	}
	fclose(f);

	command("begin");
	for (i = 0; i < n; i++) {
		/* There are 1,000 functions in a module. */
		snprintf(text, sizeof(text), "bench_fns_%d:f%d", i / 1000,
			 1000 + i % 1000);
		fds[i] = open_event(type, text, program);
	}
	snprintf(text, sizeof(text), "end %s.attach %d", name, n);
	command(text);

	snprintf(text, sizeof(text), "call %d", n);
	command(text);
	for (i = 0; i < n; i++) {
		__u64 count;

		if (read(fds[i], &count, sizeof(count)) == sizeof(count))
			seen += count == (program < 0);
	}

	command("begin");
	for (i = 0; i < n; i++)
		close(fds[i]);
	snprintf(text, sizeof(text), "end %s.detach %d", name, n);
	command(text);
	if (seen == n)
		return 0;
	fprintf(stderr, "kprobe_bench: failed perf.attach %d of %d events saw their call\n",
		seen, n);
	return 1;
}
