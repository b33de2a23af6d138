// SPDX-License-Identifier: GPL-2.0-or-later
/* Parts of the workload: processes, and one that traces another. Included by workload.c. */
#include "steps.h"

static void *thread(void *arg)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	for (int i = 0; i < 200; i++) {
		pthread_mutex_lock(&mutex);
		++*(long *)arg;
		if (i % 50 == 0)
			sched_yield();
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static void processes(void)
{
	pthread_t threads[4];
	long count = 0;
	pid_t pid;
	int i;

	for (i = 0; i < 10; i++) {
		pid = fork();
		if (!pid)
			_exit(i * 3);
		expect("status", wait_for(pid), i * 3);
	}
	pid = vfork();
	if (!pid) {
		execl("/workload", "workload", "echo", NULL);
		_exit(1);
	}
	expect("executed", wait_for(pid), EXECUTED);
	pid = fork();
	if (!pid) {
		execl("/missing", "missing", NULL);
		_exit(errno);
	}
	expect("missing", wait_for(pid), ENOENT);
	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, thread, &count);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	expect("threads", count, 800);
	shell("shell", "i=0; while [ $i -lt 20 ]; do i=$((i + 1)); done; "
	      "seq 100 | grep 7 | sort -r | md5sum");
	expect("exit", status_of(system("exit 5")), 5);
	told("membarrier", syscall(SYS_membarrier, 1 /* GLOBAL */, 0, 0));
	told("setpriority", syscall(SYS_setpriority, 0, 0, 3));
}

static void traced(void)
{
	struct user_regs_struct regs = { 0 };
	int status, steps = 0;
	pid_t pid = fork();

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		for (volatile int i = 0; i < 1000; i++)
			getppid();
		_exit(9);
	}
	waitpid(pid, &status, 0);
	expect("stopped", WSTOPSIG(status), SIGSTOP);
	while (steps++ < 50 && !ptrace(PTRACE_SINGLESTEP, pid, 0, 0)) {
		waitpid(pid, &status, 0);
		if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
			break;
	}
	result("steps", steps);
	told("registers", ptrace(PTRACE_GETREGS, pid, 0, &regs));
	errno = 0;
	ptrace(PTRACE_PEEKDATA, pid, data, 0);
	told("peek", errno ? -1 : 0);
	told("poke", ptrace(PTRACE_POKEDATA, pid, data, 77));
	ptrace(PTRACE_SYSCALL, pid, 0, 0);
	waitpid(pid, &status, 0);
	expect("system call", WSTOPSIG(status), SIGTRAP);
	told("continue", ptrace(PTRACE_CONT, pid, 0, 0));
	expect("status", wait_for(pid), 9);
}
