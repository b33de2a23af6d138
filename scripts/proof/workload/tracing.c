// SPDX-License-Identifier: GPL-2.0-or-later
/* Parts of the workload: events and counters of the kernel, and BPF. Included by workload.c. */
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "steps.h"

#define TRACING		"/sys/kernel/tracing/"
#define INSTANCE	TRACING "instances/w/"

extern const char __executable_start[];

/* Has a breakpoint of its own. */
static __attribute__((noinline)) int probed(int a)
{
	asm volatile("" : : : "memory");
	return a + 1;
}

static void fire(void)
{
	for (volatile int i = 0; i < 5; i++) {
		probed(i);
		sched_yield();
		getppid();
	}
}

/* An instance: the tracers that the workload itself is run under are the first one's. */
static void events(void)
{
	char line[128];

	told("instance", mkdir(INSTANCE, 0755));
	snprintf(line, sizeof(line), "p:proof/probed /workload:0x%lx arg=%%di\n",
		 (unsigned long)((char *)probed - __executable_start));
	put(TRACING "uprobe_events", line);
	put(INSTANCE "events/proof/probed/filter", "arg > 1");
	put(INSTANCE "events/proof/probed/enable", "1");
	put(INSTANCE "events/syscalls/sys_enter_getppid/enable", "1");
	put(INSTANCE "events/sched/sched_switch/trigger",
	    "hist:keys=prev_prio:vals=hitcount:size=256");
	put(INSTANCE "events/sched/enable", "1");
	put(INSTANCE "events/signal/enable", "1");
	put(INSTANCE "trace_marker", "mark");
	fire();
	put(INSTANCE "tracing_on", "0");
	shell("events", "grep -c probed: " INSTANCE "trace; grep -c sys_getppid " INSTANCE "trace; "
	      "grep -c 'tracing_mark_write: mark' " INSTANCE "trace; "
	      "grep -q Hits " INSTANCE "events/sched/sched_switch/hist; "
	      "cat " TRACING "saved_cmdlines " INSTANCE "per_cpu/cpu0/stats >/dev/null; "
	      "head -c 20000 " TRACING "available_events >/dev/null");
	put(INSTANCE "events/sched/sched_switch/trigger",
	    "!hist:keys=prev_prio:vals=hitcount:size=256");
	put(INSTANCE "events/enable", "0");
	told("instance", rmdir(INSTANCE));
	put(TRACING "uprobe_events", "-:proof/probed\n");
}

static int open_event(uint32_t type, uint64_t config, uint64_t period)
{
	struct perf_event_attr attr = { .type = type, .size = sizeof(attr), .config = config,
					.sample_period = period, .wakeup_events = 1, .mmap = 1,
					.comm = 1, .task = 1 };

	if (period)
		attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN |
				   PERF_SAMPLE_TIME | PERF_SAMPLE_RAW;
	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static void touch(void)
{
	char *p = mmap(NULL, 4 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < 4; i++)
		p[i * 4096] = 1;
	munmap(p, 4 * 4096);
}

static void sampled(void)
{
	int fd = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1);
	struct perf_event_mmap_page *page;

	page = mmap(NULL, 5 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		fail("mmap");
		return;
	}
	touch();
	expect("sampled", page->data_head > 0, 1);
	told("off", ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	told("reset", ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	munmap(page, 5 * 4096);
	close(fd);
}

static void counters(void)
{
	uint64_t count = 0;
	int fd = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0);

	told("open", fd < 0 ? -1 : 0);
	touch();
	told("read", read(fd, &count, 8));
	expect("at least", count >= 4, 1);
	close(fd);
	sampled();
	fd = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 0);
	/* In a slow kernel it may be over before it has begun. */
	usleep(1000);
	told("read", read(fd, &count, 8));
	close(fd);
}

static long bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int make_map(uint32_t type, uint32_t key)
{
	union bpf_attr attr = { .map_type = type, .key_size = key, .value_size = 8,
				.max_entries = 16 };

	return bpf(BPF_MAP_CREATE, &attr);
}

static long with_map(int command, int map, uint64_t *key, uint64_t *value)
{
	union bpf_attr attr = { .map_fd = map };

	attr.key = (uintptr_t)key;
	attr.value = (uintptr_t)value;
	return bpf(command, &attr);
}

static void maps(void)
{
	static const uint32_t types[] = { BPF_MAP_TYPE_HASH, BPF_MAP_TYPE_ARRAY,
					  BPF_MAP_TYPE_LRU_HASH };
	uint64_t key, value;

	for (int i = 0; i < 3; i++) {
		int map = make_map(types[i], types[i] == BPF_MAP_TYPE_ARRAY ? 4 : 8);

		for (key = 0; key < 10; key++) {
			value = key * key;
			with_map(BPF_MAP_UPDATE_ELEM, map, &key, &value);
		}
		key = 7;
		told("look up", with_map(BPF_MAP_LOOKUP_ELEM, map, &key, &value));
		expect("value", value, 49);
		if (types[i] != BPF_MAP_TYPE_ARRAY)
			told("delete", with_map(BPF_MAP_DELETE_ELEM, map, &key, NULL));
		told("next", with_map(BPF_MAP_GET_NEXT_KEY, map, &key, &value));
		close(map);
	}
}

#define INSN(c, d, s, o, i) \
	{ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) }

/* Counts a socket's packets in a map, and lets them pass. */
static void filter(void)
{
	int map = make_map(BPF_MAP_TYPE_ARRAY, 4), fd[2], program;
	struct bpf_insn code[] = {
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 6, 1, 0, 0),
		INSN(BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, 3),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4),
		INSN(BPF_LD | BPF_IMM | BPF_DW, 1, BPF_PSEUDO_MAP_FD, 0, map),
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 0, 1),
		INSN(BPF_STX | BPF_ATOMIC | BPF_DW, 0, 1, 0, BPF_ADD),
		INSN(BPF_LDX | BPF_MEM | BPF_W, 0, 6, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_SOCKET_FILTER };
	uint64_t key = 3, value = 0;

	attr.insns = (uintptr_t)code;
	attr.insn_cnt = sizeof(code) / sizeof(*code);
	attr.license = (uintptr_t)"GPL";
	program = bpf(BPF_PROG_LOAD, &attr);
	expect("program", program >= 0, 1);
	socketpair(AF_UNIX, SOCK_DGRAM, 0, fd);
	told("attach", setsockopt(fd[1], SOL_SOCKET, SO_ATTACH_BPF, &program, sizeof(program)));
	for (int i = 0; i < 4; i++)
		told("send", send(fd[0], data, 10 + i, 0));
	told("look up", with_map(BPF_MAP_LOOKUP_ELEM, map, &key, &value));
	expect("packets", value, 4);
	told("receive", recv(fd[1], back, 100, 0));
	code[7].off = 200;
	denied("astray", bpf(BPF_PROG_LOAD, &attr), EINVAL);
	close(program);
	close(map);
	close(fd[0]);
	close(fd[1]);
}

static void bpf_programs(void)
{
	maps();
	filter();
}
