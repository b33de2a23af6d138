// SPDX-License-Identifier: GPL-2.0-or-later
/* Parts of the workload: procfs, sysfs, modules, binary formats, CPUs. Included by workload.c. */
#include <sys/stat.h>

#include "steps.h"

static void count_lines(const char *path, const char *begin, long expected)
{
	printf("  %s %s\n", path, begin);
	expect("lines", lines_with(path, begin), expected);
}

/*
 * Not read is: what waits for news, what is long, what is about each slab, and what talks to a
 * device. debugfs has the files of the probes, which are long.
 */
static int is_skipped(const char *name)
{
	static const char * const names[] = {
		"kmsg", "kcore", "kallsyms", "mem", "pagemap", "clear_refs", "slab", "debug",
		"tracing", "rom", "kpagecount", "kpageflags", "kpagecgroup", "slabinfo",
		"timer_list",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return 1;
	return !strncmp(name, "resource", 8) && name[8];
}

/* Reads the beginning of a file. Writes it back if it is a setting that @again tells. */
static long read_file(const char *path, int again)
{
	int fd = open(path, (again ? O_RDWR : O_RDONLY) | O_NONBLOCK);
	static char buf[8192];
	ssize_t n;

	if (fd < 0)
		return 0;
	n = read(fd, buf, sizeof(buf));
	if (again && n > 0)
		pwrite(fd, buf, n, 0);
	close(fd);
	return n > 0;
}

static long read_tree(const char *dir, int again)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	char path[512];
	long n = 0;

	while (d && (entry = readdir(d))) {
		if (entry->d_name[0] == '.' || is_skipped(entry->d_name))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		if (entry->d_type == DT_DIR)
			n += read_tree(path, again);
		else if (entry->d_type == DT_REG)
			n += read_file(path, again);
	}
	if (d)
		closedir(d);
	return n;
}

static void trees(void)
{
	expect("settings", read_tree("/proc/sys", 0) > 300, 1);
	expect("settings of the network", read_tree("/proc/sys/net", 1) > 100, 1);
	expect("process", read_tree("/proc/self", 0) > 50, 1);
	expect("first process", read_tree("/proc/1", 0) > 50, 1);
	expect("devices", read_tree("/sys/devices", 0) > 100, 1);
	expect("kernel", read_tree("/sys/kernel", 0) > 20, 1);
	expect("slab", read_tree("/sys/kernel/slab/task_struct", 0) > 5, 1);
	expect("firmware", read_tree("/sys/firmware", 0) > 3, 1);
	expect("modules", read_tree("/sys/module/veth", 0) > 3, 1);
	expect("interfaces", read_tree("/proc/net", 0) > 5, 1);
}

static void proc(void)
{
	static const char * const read_only[] = {
		"/proc/self/maps", "/proc/self/smaps", "/proc/self/stat", "/proc/interrupts",
		"/proc/meminfo", "/proc/vmstat", "/proc/slabinfo", "/proc/loadavg", "/proc/uptime",
		"/proc/net/tcp", "/proc/net/dev", "/proc/iomem", "/proc/self/wchan",
		"/proc/timer_list", "/proc/self/stack", "/proc/self/syscall", "/proc/zoneinfo",
		"/proc/buddyinfo", "/proc/ioports", "/proc/softirqs", "/proc/devices", "/proc/misc",
		"/proc/consoles", "/proc/pagetypeinfo", "/proc/schedstat", "/proc/vmallocinfo",
		"/proc/kallsyms", "/proc/sysvipc/shm", "/proc/tty/drivers",
	};
	size_t i;
	int fd;

	for (i = 0; i < sizeof(read_only) / sizeof(*read_only); i++)
		result(read_only[i], read_file(read_only[i], 0));
	count_lines("/proc/cpuinfo", "processor", sysconf(_SC_NPROCESSORS_ONLN));
	count_lines("/proc/self/status", "State", 1);
	count_lines("/proc/modules", "veth", 1);
	count_lines("/proc/self/mounts", "tmpfs", 1);
	fd = open("/proc/self/oom_score_adj", O_WRONLY);
	denied("bad value", write(fd, "x", 1), EINVAL);
	close(fd);
	put("/proc/self/comm", "renamed");
	put("/proc/self/clear_refs", "1");
	shell("ps", "ps | wc -l >/dev/null; ls /proc/self/task | wc -l; "
	      "find /proc/self /sys/kernel/mm /sys/class -maxdepth 2 >/dev/null 2>&1 || true");
}

static void modules(void)
{
	int fd = open("/proof_loaded.ko", O_RDONLY), other = open("/init", O_RDONLY);

	for (int i = 0; i < 2; i++) {
		told("load", syscall(SYS_finit_module, fd, i ? "count=100" : "", 0));
		denied("twice", syscall(SYS_finit_module, fd, "", 0), EEXIST);
		count_lines("/proc/modules", "proof_loaded", 1);
		expect("parameter", read_tree("/sys/module/proof_loaded", 0) > 5, 1);
		told("unload", syscall(SYS_delete_module, "proof_loaded", O_NONBLOCK));
	}
	denied("unload", syscall(SYS_delete_module, "proof_loaded", O_NONBLOCK), ENOENT);
	denied("no module", syscall(SYS_finit_module, other, "", 0), ENOEXEC);
	close(other);
	close(fd);
}

#define FORMATS	"/proc/sys/fs/binfmt_misc"

static void run_format(const char *how)
{
	fflush(stdout);
	expect(how, status_of(system("/tmp/x.proof 2>/dev/null")), EXECUTED);
}

static void binary_format(void)
{
	if (access(FORMATS, F_OK)) {
		printf("  none\n");
		return;
	}
	told("mount", mount("f", FORMATS, "binfmt_misc", 0, NULL));
	shell("file", "echo 'magic x' >/tmp/x.proof; chmod 755 /tmp/x.proof");
	put(FORMATS "/register", ":proof:E::proof::/workload:");
	run_format("by extension");
	put(FORMATS "/proof", "0");
	shell("disabled", "! /tmp/x.proof 2>/dev/null");
	put(FORMATS "/proof", "1");
	shell("show", "cat " FORMATS "/proof " FORMATS "/status");
	put(FORMATS "/proof", "-1");
	put(FORMATS "/register", ":magic:M:1:a\\x67ic:\\xff\\xff\\xff\\xff:/workload:OCF");
	run_format("by magic");
	shell("show", "cat " FORMATS "/magic; ls " FORMATS);
	put(FORMATS "/status", "0");
	put(FORMATS "/status", "1");
	put(FORMATS "/register", ":fixed:M::magic::/workload:PF");
	run_format("opened before");
	put(FORMATS "/status", "-1");
	shell("bad", "! echo :bad: >" FORMATS "/register 2>/dev/null");
	told("umount", umount(FORMATS));
	unlink("/tmp/x.proof");
}

static void hotplug(void)
{
	const char *path = "/sys/devices/system/cpu/cpu1/online";
	int fd = open(path, O_WRONLY);

	if (fd < 0) {
		printf("  one CPU\n");
		return;
	}
	told("off", pwrite(fd, "0", 1, 0));
	result("processors", lines_with("/proc/cpuinfo", "processor"));
	told("on", pwrite(fd, "1", 1, 0));
	result("processors", lines_with("/proc/cpuinfo", "processor"));
	close(fd);
}
