// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * steps: what neither stress-ng nor the base's kselftests nor a shell does for the workload:
 * programs and maps of BPF.
 *
 *   steps                     maps of three kinds, and a filter of a socket that counts in one
 *   steps INTERFACE VERDICT   runs a program for each of its packets until the standard input ends
 *   steps calls               calls that function, and another process
 *   steps uprobed             prints where in this file the function is that has a probe of its own,
 *                             and its first argument, for uprobe_events
 *   steps interrupts          has timers interrupt what runs, until it is killed
 *
 * The exit status is 1 if something was not as expected.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define INSN(c, d, s, o, i) \
	{ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) }

extern const char __executable_start[];

/* A function's first argument, in the words of uprobe_events. */
#if defined(__aarch64__)
#define ARGUMENT "%x0"
#elif defined(__riscv)
#define ARGUMENT "%a0"
#elif defined(__s390__)
#define ARGUMENT "%r2"
#elif defined(__loongarch__)
#define ARGUMENT "%r4"
#elif defined(__powerpc__)
#define ARGUMENT "%gpr3"
#elif defined(__mips__)
#define ARGUMENT "%r4"
#elif defined(__arm__)
#define ARGUMENT "%r0"
/* What is in %o0. */
#elif defined(__sparc__)
#define ARGUMENT "%i0"
#else
#define ARGUMENT "%di"
#endif

#ifdef __arm__
/* The base has no uprobes on Thumb code. */
__attribute__((target("arm")))
#endif
static __attribute__((noinline)) int uprobed(int a)
{
	asm volatile("" : : : "memory");
	return a + 1;
}

static void expect(const char *what, int is_so)
{
	if (is_so)
		return;
	printf("%s: %s\n", what, strerror(errno));
	exit(1);
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

static int load(uint32_t type, const struct bpf_insn *code, uint32_t number)
{
	union bpf_attr attr = { .prog_type = type, .insn_cnt = number };

	attr.insns = (uintptr_t)code;
	attr.license = (uintptr_t)"GPL";
	return bpf(BPF_PROG_LOAD, &attr);
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
		expect("look up", !with_map(BPF_MAP_LOOKUP_ELEM, map, &key, &value));
		expect("value", value == 49);
		expect("delete", types[i] == BPF_MAP_TYPE_ARRAY ||
		       !with_map(BPF_MAP_DELETE_ELEM, map, &key, NULL));
		expect("next", !with_map(BPF_MAP_GET_NEXT_KEY, map, &key, &value));
		close(map);
	}
}

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
	uint64_t key = 3, value = 0;
	char packet[100] = "";

	program = load(BPF_PROG_TYPE_SOCKET_FILTER, code, sizeof(code) / sizeof(*code));
	expect("program", program >= 0);
	expect("sockets", !socketpair(AF_UNIX, SOCK_DGRAM, 0, fd));
	expect("attach", !setsockopt(fd[1], SOL_SOCKET, SO_ATTACH_BPF, &program, sizeof(program)));
	for (int i = 0; i < 4; i++)
		expect("send", send(fd[0], packet, 10 + i, 0) == 10 + i);
	expect("look up", !with_map(BPF_MAP_LOOKUP_ELEM, map, &key, &value));
	expect("packets", value == 4);
	expect("receive", recv(fd[1], packet, sizeof(packet), 0) > 0);
	code[7].off = 200;
	expect("astray", load(BPF_PROG_TYPE_SOCKET_FILTER, code, sizeof(code) / sizeof(*code)) < 0);
}

/* A program that returns a number for each packet of an interface. */
static void attach(const char *name, int verdict)
{
	struct bpf_insn code[] = {
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, verdict),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	union bpf_attr attr = { };
	char byte;

	attr.link_create.prog_fd = load(BPF_PROG_TYPE_XDP, code, 2);
	attr.link_create.target_ifindex = if_nametoindex(name);
	attr.link_create.attach_type = BPF_XDP;
	attr.link_create.flags = XDP_FLAGS_DRV_MODE;
	expect("link", bpf(BPF_LINK_CREATE, &attr) >= 0);
	while (read(0, &byte, 1) > 0)
		;
}

static void on_signal(int signal)
{
	(void)signal;
}

/* 4,000 times a second of what runs, on any CPU. */
static void interrupts(void)
{
	const struct itimerval often = { { 0, 250 }, { 0, 250 } };

	signal(SIGALRM, on_signal);
	expect("timer", !setitimer(ITIMER_REAL, &often, NULL));
	for (;;)
		pause();
}

static void calls(void)
{
	for (volatile int i = 0; i < 5; i++)
		uprobed(i + (getppid() < 0));
	if (!fork())
		_exit(0);
	wait(NULL);
}

int main(int argc, char **argv)
{
	if (argc > 2) {
		attach(argv[1], atoi(argv[2]));
	} else if (argc > 1 && !strcmp(argv[1], "uprobed")) {
		printf("0x%lx arg=%s\n", (unsigned long)((char *)uprobed - __executable_start),
		       ARGUMENT);
	} else if (argc > 1 && !strcmp(argv[1], "interrupts")) {
		interrupts();
	} else {
		calls();
		if (argc > 1)
			return 0;
		maps();
		filter();
	}
	return 0;
}
