// SPDX-License-Identifier: GPL-2.0
/*
 * BPF as a client of kprobes, with programs written as raw instructions: one counts the hits of
 * this process in a map and notes where it was called, one changes what a function returns.
 */
#include <linux/bpf.h>

#include "../kselftest.h"
#include "client_pmu.h"

#define READS 500

/* Slots of the map. */
enum { SLOT_PID, SLOT_HITS, SLOT_FUNC_IP, SLOT_COUNT };

#define INSN(c, d, s, o, i) \
	((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) })
#define MOV_REG(d, s)		INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define MOV_IMM(d, i)		INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ADD_IMM(d, i)		INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define RSH_IMM(d, i)		INSN(BPF_ALU64 | BPF_RSH | BPF_K, d, 0, 0, i)
#define STORE(d, o, s)		INSN(BPF_STX | BPF_MEM | BPF_DW, d, s, o, 0)
#define LOAD(d, s, o)		INSN(BPF_LDX | BPF_MEM | BPF_DW, d, s, o, 0)
#define JNE_REG(d, s, o)	INSN(BPF_JMP | BPF_JNE | BPF_X, d, s, o, 0)
#define CALL(f)			INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define EXIT()			INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
/* This one is two instructions wide. */
#define LOAD_MAP_VALUE(d, fd)	INSN(BPF_LD | BPF_DW | BPF_IMM, d, BPF_PSEUDO_MAP_VALUE, 0, fd)
#define SECOND_HALF()		INSN(0, 0, 0, 0, 0)

static int sys_bpf(enum bpf_cmd cmd, union bpf_attr *attr)
{
	return syscall(__NR_bpf, cmd, attr, sizeof(*attr));
}

/* An array of one element, which holds all slots. */
static int create_map(void)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = sizeof(uint32_t),
		.value_size = SLOT_COUNT * sizeof(uint64_t),
		.max_entries = 1,
	};

	return sys_bpf(BPF_MAP_CREATE, &attr);
}

static void map_access(enum bpf_cmd cmd, int map, uint64_t *slots)
{
	uint32_t key = 0;
	union bpf_attr attr = {
		.map_fd = map,
		.key = (uintptr_t)&key,
		.value = (uintptr_t)slots,
	};

	if (sys_bpf(cmd, &attr))
		ksft_exit_fail_perror("map access");
}

static int load_program(const struct bpf_insn *insns, size_t count)
{
	static char log[16384];
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_KPROBE,
		.insns = (uintptr_t)insns,
		.insn_cnt = count,
		.license = (uintptr_t)"GPL",
		.log_buf = (uintptr_t)log,
		.log_size = sizeof(log),
		.log_level = 1,
	};
	int fd = sys_bpf(BPF_PROG_LOAD, &attr);

	if (fd < 0)
		ksft_exit_fail_msg("BPF_PROG_LOAD: %s\n%s\n", strerror(errno), log);
	return fd;
}

static int load_counter(int map)
{
	const struct bpf_insn insns[] = {
		MOV_REG(BPF_REG_7, BPF_REG_1),		/* context */
		LOAD_MAP_VALUE(BPF_REG_6, map),
		SECOND_HALF(),
		CALL(BPF_FUNC_get_current_pid_tgid),
		RSH_IMM(BPF_REG_0, 32),
		LOAD(BPF_REG_1, BPF_REG_6, SLOT_PID * 8),
		JNE_REG(BPF_REG_0, BPF_REG_1, 6),
		MOV_REG(BPF_REG_1, BPF_REG_7),
		CALL(BPF_FUNC_get_func_ip),
		STORE(BPF_REG_6, SLOT_FUNC_IP * 8, BPF_REG_0),
		LOAD(BPF_REG_1, BPF_REG_6, SLOT_HITS * 8),
		ADD_IMM(BPF_REG_1, 1),
		STORE(BPF_REG_6, SLOT_HITS * 8, BPF_REG_1),
		MOV_IMM(BPF_REG_0, 0),
		EXIT(),
	};

	return load_program(insns, ARRAY_SIZE(insns));
}

static int load_override(int map, int error)
{
	const struct bpf_insn insns[] = {
		MOV_REG(BPF_REG_7, BPF_REG_1),
		LOAD_MAP_VALUE(BPF_REG_6, map),
		SECOND_HALF(),
		CALL(BPF_FUNC_get_current_pid_tgid),
		RSH_IMM(BPF_REG_0, 32),
		LOAD(BPF_REG_1, BPF_REG_6, SLOT_PID * 8),
		JNE_REG(BPF_REG_0, BPF_REG_1, 3),
		MOV_REG(BPF_REG_1, BPF_REG_7),
		MOV_IMM(BPF_REG_2, -error),
		CALL(BPF_FUNC_override_return),
		MOV_IMM(BPF_REG_0, 0),
		EXIT(),
	};

	return load_program(insns, ARRAY_SIZE(insns));
}

/* Attaches prog to a new event and enables it. Returns the event, or -1. */
static int attach(const char *function, bool on_return, int prog)
{
	int event = pmu_open(function, on_return);

	if (event < 0)
		return -1;
	if (ioctl(event, PERF_EVENT_IOC_SET_BPF, prog) ||
	    ioctl(event, PERF_EVENT_IOC_ENABLE, 0)) {
		close(event);
		return -1;
	}
	return event;
}

/*
 * bpf_get_func_ip() takes the length of a landing pad off on x86 alone. On ppc64 the probe is at
 * the local entry, after two instructions.
 */
static bool is_address_of(const char *symbol, uint64_t ip)
{
#ifdef __aarch64__
	if (ip == symbol_address(symbol) + 4)
		return true;
#endif
#ifdef _ARCH_PPC64
	if (ip == symbol_address(symbol) + 8)
		return true;
#endif
	return ip == symbol_address(symbol);
}

static void test_counter(int map, bool on_return)
{
	uint64_t slots[SLOT_COUNT] = { [SLOT_PID] = getpid() };
	const char *where = on_return ? "return" : "entry";
	int prog = load_counter(map);
	int event, done;

	map_access(BPF_MAP_UPDATE_ELEM, map, slots);
	event = attach(READ_FUNCTION, on_return, prog);
	if (event < 0)
		ksft_exit_fail_perror("attaching to " READ_FUNCTION);
	done = do_reads(READS);
	close(event);
	map_access(BPF_MAP_LOOKUP_ELEM, map, slots);
	close(prog);

	if (slots[SLOT_HITS] != (uint64_t)done)
		ksft_print_msg("%llu hits in the map, %d calls\n",
			       (unsigned long long)slots[SLOT_HITS], done);
	ksft_test_result(slots[SLOT_HITS] == (uint64_t)done, "every %s in the map\n", where);

	if (!is_address_of(READ_FUNCTION, slots[SLOT_FUNC_IP]))
		ksft_print_msg("bpf_get_func_ip() gave %llx, the symbol is at %llx\n",
			       (unsigned long long)slots[SLOT_FUNC_IP],
			       (unsigned long long)symbol_address(READ_FUNCTION));
	ksft_test_result(is_address_of(READ_FUNCTION, slots[SLOT_FUNC_IP]),
			 "address of the function at its %s\n", where);
}

/* The entry of getpgid(2) under its names on the architectures. */
static const char *getpgid_function(void)
{
	static const char * const names[] = {
		"__x64_sys_getpgid", "__arm64_sys_getpgid", "__riscv_sys_getpgid",
		"__s390x_sys_getpgid", "__ia32_sys_getpgid", "sys_getpgid",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (symbol_address(names[i]))
			return names[i];
	return NULL;
}

static void test_override(int map)
{
	uint64_t slots[SLOT_COUNT] = { [SLOT_PID] = getpid() };
	const char *function = getpgid_function();
	int prog, event, ret, error;

	if (!function || access("/sys/kernel/debug/error_injection/list", R_OK)) {
		ksft_test_result_code(KSFT_SKIP, "a program overrides a function",
				      "no CONFIG_BPF_KPROBE_OVERRIDE");
		ksft_test_result_code(KSFT_SKIP, "the function is itself again",
				      "no CONFIG_BPF_KPROBE_OVERRIDE");
		return;
	}
	map_access(BPF_MAP_UPDATE_ELEM, map, slots);
	prog = load_override(map, EXDEV);
	event = attach(function, false, prog);
	if (event < 0)
		ksft_exit_fail_perror(function);
	ret = getpgid(0);
	error = errno;
	close(event);
	close(prog);
	if (ret != -1 || error != EXDEV)
		ksft_print_msg("getpgid() gave %d, errno %d\n", ret, error);
	ksft_test_result(ret == -1 && error == EXDEV, "a program overrides a function\n");
	ksft_test_result(getpgid(0) == getpgrp(), "the function is itself again\n");
}

int main(void)
{
	int map;

	ksft_print_header();
	if (pmu_type() < 0)
		ksft_exit_skip("no kprobe PMU: CONFIG_PERF_EVENTS and CONFIG_KPROBE_EVENTS\n");
	if (access("/proc/sys/kernel/unprivileged_bpf_disabled", F_OK))
		ksft_exit_skip("no bpf(2): CONFIG_BPF_SYSCALL\n");
	map = create_map();
	if (map < 0)
		ksft_exit_fail_perror("BPF_MAP_CREATE");
	ksft_set_plan(6);
	test_counter(map, false);
	test_counter(map, true);
	test_override(map);
	ksft_finished();
}
