// SPDX-License-Identifier: GPL-2.0
/*
 * What user space can ask of kprobes, as a grammar: events and dynamic events, events of perf, BPF
 * programs and links, the files in debugfs, sysctls, tracers, modules and CPUs that come and go.
 * pick() makes the decisions.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define FILES		6

#define TRACING		"/sys/kernel/tracing/"
#define KPROBES		"/sys/kernel/debug/kprobes/"
#define OPTIMIZATION	"/proc/sys/debug/kprobes-optimization"
#define CPU_ONLINE	"/sys/devices/system/cpu/cpu1/online"

static int perf_fd[FILES], bpf_fd[FILES], perf_type, return_bit;

#define CHOOSE(array)	((array)[pick(ARRAY_SIZE(array))])

static bool put(const char *path, const char *format, ...)
{
	char text[512];
	va_list args;
	int fd, length;
	bool done;

	va_start(args, format);
	length = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0)
		return false;
	done = write(fd, text, length) == length;
	close(fd);
	return done;
}

/* Truncating these files forgets all events. */
static bool forget_events(const char *file)
{
	int fd = open(file, O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* --- the grammar: places, events */

static const char * const functions[] = {
	"vfs_read", "vfs_write", "ksys_read", "do_sys_openat2", "getname_flags", "schedule",
	"mutex_lock", "kprobes_target_function", "kprobes_target:kprobes_target_function",
	"kprobes_target_untraced", "kprobes_target:kprobes_target_c", "kprobes_target_c",
	"kprobes_target:kprobes_target_in_init",
	"kprobes_target_forbidden", "register_kprobe", "memcpy", "_stext", "no_such_function",
	"no_such:vfs_read",
};

static const char * const stretches[] = {
	"0", "1", "4", "5", "9", "13", "0x10", "0x40", "4096", "-1", "x",
};

static void place(char *to)
{
	if (!pick(8))
		sprintf(to, "0x%x", pick(65536) << pick(16));
	else
		strcpy(to, CHOOSE(functions));
	if (!pick(3))
		strcat(strcat(to, "+"), CHOOSE(stretches));
}

static const char * const names[] = {
	"a", "b", "c", "fuzz/a", "fuzz/b", "fuzz/c", "other/a", "", "fuzz/", "0/-",
};

static void event_text(char *to)
{
	static const char * const fetched[] = {
		"%ax", "%di", "%ip", "$stack", "$stack0", "$stack9999", "$retval", "$comm", "$arg1",
		"$arg99", "@vfs_read", "@0x10", "+0(%di)", "+8(+0(%si))", "-8(%sp)", "\\1",
		"+u0(%si)", "%no", "",
	};
	static const char * const types[] = {
		"", "", ":u8", ":x64", ":s32", ":string", ":ustring", ":b3@2/8", ":x8[4]", ":char",
		":symbol", ":no",
	};
	static const char * const most[] = { "", "", "", "1", "100", "4096", "99999", "-1" };
	bool returns = pick(2);

	to += sprintf(to, "%c%s", returns ? 'r' : 'p', returns ? CHOOSE(most) : "");
	if (pick(4))
		to += sprintf(to, ":%s", CHOOSE(names));
	*to++ = ' ';
	place(to);
	if (!pick(8))
		strcat(to, "%return");
	for (unsigned int nr = pick(4); nr; nr--) {
		to += strlen(to);
		to += sprintf(to, " %s", pick(2) ? "x=" : "");
		strcat(strcpy(to, CHOOSE(fetched)), CHOOSE(types));
	}
}

static const char * const event_files[] = { TRACING "kprobe_events", TRACING "dynamic_events" };

static bool add_event(void)
{
	const char *file = CHOOSE(event_files);
	char text[512];

	event_text(text);
	return put(file, "%s\n", text);
}

static bool remove_event(void)
{
	const char *file = CHOOSE(event_files);

	if (!pick(8))
		return forget_events(file);
	return put(file, "-:%s\n", CHOOSE(names));
}

static bool switch_event(void)
{
	static const char * const files[] = { "enable", "enable", "enable", "filter", "trigger" };
	static const char * const words[] = {
		"1", "1", "1", "0", "0", "x", "common_pid > 1", "x == 0", "stacktrace",
		"!stacktrace", "traceoff:1", "enable_event:fuzz:b", "disable_event:fuzz:b:2",
		"hist:keys=common_pid", "!hist:keys=common_pid",
	};
	static const char * const events[] = {
		"fuzz/a/", "fuzz/b/", "fuzz/c/", "kprobes/a/", "kprobes/b/", "other/a/", "fuzz/",
		"kprobes/",
	};
	const char *event = CHOOSE(events), *file = CHOOSE(files);
	char path[128];

	sprintf(path, TRACING "events/%s%s", event, file);
	return put(path, "%s\n", CHOOSE(words));
}

/* --- perf and BPF */

static bool keep(int *fd, int new)
{
	if (*fd > 0)
		close(*fd);
	*fd = new;
	return new >= 0;
}

static bool open_perf(void)
{
	char function[128], *plus;
	struct perf_event_attr attr = {
		.type = perf_type,
		.size = sizeof(attr),
		.disabled = pick(2),
		.config = (uint64_t)pick(2) << return_bit,
		.sample_period = pick(3),
		.inherit = !pick(4),
	};

	place(function);
	plus = strchr(function, '+');
	if (plus) {
		*plus++ = '\0';
		attr.probe_offset = strtoul(plus, NULL, 0);
	}
	if (strncmp(function, "0x", 2))
		attr.kprobe_func = (uintptr_t)function;
	else
		attr.kprobe_addr = strtoul(function, NULL, 0);
	return keep(&perf_fd[pick(FILES)], syscall(__NR_perf_event_open, &attr, pick(3) ? 0 : -1,
						   pick(3) ? -1 : 0, -1, PERF_FLAG_FD_CLOEXEC));
}

static bool control_perf(void)
{
	static const unsigned long requests[] = {
		PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE, PERF_EVENT_IOC_RESET,
		PERF_EVENT_IOC_REFRESH, PERF_EVENT_IOC_SET_BPF,
	};
	unsigned long request = CHOOSE(requests);
	int fd = perf_fd[pick(FILES)];

	return fd > 0 &&
	       !ioctl(fd, request, request == PERF_EVENT_IOC_SET_BPF ? bpf_fd[pick(FILES)] : 1);
}

static bool read_perf(void)
{
	int fd = perf_fd[pick(FILES)];
	uint64_t value;

	return fd > 0 && read(fd, &value, sizeof(value)) == sizeof(value);
}

static bool close_one(void)
{
	int *fds = pick(2) ? perf_fd : bpf_fd, *fd = &fds[pick(FILES)];
	bool was_open = *fd > 0;

	if (was_open)
		close(*fd);
	*fd = 0;
	return was_open;
}

static int sys_bpf(enum bpf_cmd cmd, union bpf_attr *attr)
{
	return syscall(__NR_bpf, cmd, attr, sizeof(*attr));
}

#define MOVE(to, value)	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (to), .imm = (value) }
#define CALL(function)	{ .code = BPF_JMP | BPF_CALL, .imm = (function) }
#define EXIT		{ .code = BPF_JMP | BPF_EXIT }

/* Returns 0 or 1, or has the probed function return an error, if it may. */
static bool load_program(void)
{
	static const struct bpf_insn bodies[][5] = {
		{ MOVE(0, 0), EXIT }, { MOVE(0, 1), EXIT },
		{ MOVE(2, -ENOMEM), CALL(BPF_FUNC_override_return), MOVE(0, 0), EXIT },
	};
	static const unsigned int lengths[] = { 2, 2, 4 };
	unsigned int body = pick(ARRAY_SIZE(bodies));
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_KPROBE,
		.insns = (uintptr_t)bodies[body],
		.insn_cnt = lengths[body],
		.license = (uintptr_t)"GPL",
		.expected_attach_type = pick(2) ? BPF_TRACE_KPROBE_MULTI : 0,
	};

	return keep(&bpf_fd[pick(FILES)], sys_bpf(BPF_PROG_LOAD, &attr));
}

static bool link_program(void)
{
	const char *symbols[] = { CHOOSE(functions), CHOOSE(functions) };
	union bpf_attr attr = { .link_create.prog_fd = bpf_fd[pick(FILES)] };

	if (pick(2)) {
		attr.link_create.target_fd = perf_fd[pick(FILES)];
		attr.link_create.attach_type = BPF_PERF_EVENT;
	} else {
		attr.link_create.attach_type = BPF_TRACE_KPROBE_MULTI;
		attr.link_create.kprobe_multi.syms = (uintptr_t)symbols;
		attr.link_create.kprobe_multi.cnt = 1 + pick(2);
		attr.link_create.kprobe_multi.flags = pick(2);
	}
	return keep(&bpf_fd[pick(FILES)], sys_bpf(BPF_LINK_CREATE, &attr));
}

/* --- files of kprobes and ftrace */

/*
 * Not kernel.ftrace_enabled: if ftrace_ops with registers, as fprobe's, go while it is off, then
 * ftrace_check_record() leaves FTRACE_FL_REGS in their records, and ftrace_shutdown() warns of that
 * and switches ftrace off for good.
 */
static bool turn_knob(void)
{
	static const char * const knobs[] = { KPROBES "enabled", KPROBES "count", OPTIMIZATION };
	static const char * const words[] = {
		"0\n", "1\n", "1", "off", "on\n", "2", "", "much more than a word",
	};
	const char *knob = CHOOSE(knobs);

	return put(knob, "%s", CHOOSE(words));
}

static bool ask(void)
{
	char text[160];

	place(text);
	return put(KPROBES "check", "%s\n", text);
}

static bool read_file(void)
{
	static const char * const files[] = {
		KPROBES "list", KPROBES "points", KPROBES "blacklist", KPROBES "refused",
		KPROBES "check", KPROBES "enabled", KPROBES "count", KPROBES "stale", TRACING "kprobe_profile",
		TRACING "kprobe_events", TRACING "dynamic_events", OPTIMIZATION,
	};
	int fd = open(CHOOSE(files), O_RDONLY | O_CLOEXEC);
	char buffer[4096];
	bool done;

	if (fd < 0)
		return false;
	if (!pick(4))
		lseek(fd, pick(65536), SEEK_SET);
	done = read(fd, buffer, 1 + pick(sizeof(buffer))) >= 0;
	close(fd);
	return done;
}

/* Never all functions: a kernel that checks each access would do nothing else. */
static bool trace(void)
{
	static const char * const tracers[] = { "nop", "nop", "function", "function_graph" };
	static const char * const filters[] = {
		"vfs_read", "vfs_write", "kprobes_target_*", "getname_flags",
	};

	if (pick(2))
		return put(TRACING "set_ftrace_filter", "%s\n", CHOOSE(filters));
	return put(TRACING "current_tracer", "%s\n", CHOOSE(tracers));
}

/* --- modules, CPUs, processes */

struct module {
	const char *name, *arguments;
};

static const struct module modules[] = {
	{ "kprobes_target", "" }, { "kprobes_target", "" }, { "kprobes_target", "fail=1" },
	{ "kprobe_example", "" }, { "kretprobe_example", "func=vfs_read" },
	{ "kretprobe_example", "func=none" },
	{ "kprobe_pending_example", "symbol=kprobes_target:kprobes_target_function" },
	{ "kprobe_batch_example", "symbols=vfs_read,vfs_write" }, { "kprobes_notified", "" },
};

static bool load_module(void)
{
	const struct module *m = &CHOOSE(modules);
	char path[64];
	bool done;
	int fd;

	sprintf(path, "/modules/%s.ko", m->name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	done = !syscall(__NR_finit_module, fd, m->arguments, 0);
	close(fd);
	return done;
}

static bool unload_module(void)
{
	return !syscall(__NR_delete_module, CHOOSE(modules).name, O_NONBLOCK);
}

/* The next load of kprobes_target fails, after notifiers were called, or does not. */
static bool refuse_module(void)
{
	return put("/sys/module/kprobes_notified/parameters/fail", "%d", pick(2));
}

/* It takes long, and is done seldom. */
static bool switch_cpu(void)
{
	return !pick(4) && put(CPU_ONLINE, "%d", pick(2));
}

static bool hit(void)
{
	char buffer[64];
	int fd = open("/sys/module/kprobes_target/parameters/call", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	for (unsigned int nr = 1 + pick(8); nr; nr--)
		pread(fd, buffer, sizeof(buffer), 0);
	close(fd);
	return true;
}

/* A process that ends closes what it has inherited, and has called what is probed. */
static bool live_and_die(void)
{
	pid_t pid = fork();

	if (!pid) {
		hit();
		_exit(0);
	}
	return pid > 0 && waitpid(pid, NULL, 0) == pid;
}

const struct call calls[] = {
	{ "add an event", add_event },
	{ "add an event", add_event },
	{ "add an event", add_event },
	{ "remove an event", remove_event },
	{ "switch an event", switch_event },
	{ "switch an event", switch_event },
	{ "open an event of perf", open_perf },
	{ "control an event of perf", control_perf },
	{ "read an event of perf", read_perf },
	{ "close a file", close_one },
	{ "load a BPF program", load_program },
	{ "link a BPF program", link_program },
	{ "turn a knob", turn_knob },
	{ "ask about a place", ask },
	{ "read a file", read_file },
	{ "trace", trace },
	{ "load a module", load_module },
	{ "unload a module", unload_module },
	{ "have a module refused", refuse_module },
	{ "switch a CPU", switch_cpu },
	{ "hit", hit },
	{ "live and die", live_and_die },
};

const unsigned int nr_calls = ARRAY_SIZE(calls);
_Static_assert(ARRAY_SIZE(calls) <= CALL_KINDS_MAX, "no room to count");

/* Takes back all that calls have set up. What others hold just now cannot be removed at once. */
void take_back(void)
{
	static const char * const groups[] = { "fuzz", "kprobes", "other" };
	static const char * const triggers[] = {
		"stacktrace", "traceoff", "enable_event:fuzz:b", "disable_event:fuzz:b",
		"hist:keys=common_pid",
	};
	char path[64];

	for (unsigned int i = 0; i < FILES; i++) {
		keep(&perf_fd[i], 0);
		keep(&bpf_fd[i], 0);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(groups); i++) {
		for (unsigned int j = 0; j < 3 * ARRAY_SIZE(triggers); j++) {
			sprintf(path, TRACING "events/%s/%c/trigger", groups[i], 'a' + j % 3);
			put(path, "!%s\n", triggers[j / 3]);
		}
		sprintf(path, TRACING "events/%s/enable", groups[i]);
		put(path, "0\n");
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(event_files); i++)
		forget_events(event_files[i]);
	put(TRACING "current_tracer", "nop\n");
	put(TRACING "set_ftrace_filter", "vfs_read\n");
	put(TRACING "tracing_on", "1\n");
	put(CPU_ONLINE, "1\n");
	put(OPTIMIZATION, "1\n");
	put(KPROBES "enabled", "1\n");
	put(KPROBES "count", "0\n");
	for (unsigned int i = 0; i < ARRAY_SIZE(modules); i++)
		syscall(__NR_delete_module, modules[i].name, O_NONBLOCK);
}

static int number_in(const char *path, const char *format)
{
	FILE *file = fopen(path, "r");
	int number = -1;

	if (!file || fscanf(file, format, &number) != 1)
		fprintf(stderr, "no number in %s\n", path);
	if (file)
		fclose(file);
	return number;
}

/* What the kernel tells about its PMU. */
bool prepare_calls(void)
{
	perf_type = number_in("/sys/bus/event_source/devices/kprobe/type", "%d");
	return_bit = number_in("/sys/bus/event_source/devices/kprobe/format/retprobe", "config:%d");
	return perf_type >= 0 && return_bit >= 0;
}
