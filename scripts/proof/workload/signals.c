// SPDX-License-Identifier: GPL-2.0-or-later
/* Parts of the workload: signals and timers. Included by workload.c. */
#include "steps.h"

static void signals(void)
{
	struct timespec soon = { 0, 1000000 };
	union sigval value = { .sival_int = 1234 };
	siginfo_t info;
	sigset_t set;
	pid_t pid;
	int fd;

	catch(SIGUSR1, note, 0);
	raise(SIGUSR1);
	expect("raised", got, SIGUSR1);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigqueue(getpid(), SIGRTMIN, value);
	expect("waited", sigwaitinfo(&set, &info) == SIGRTMIN, 1);
	expect("value", info.si_value.sival_int, 1234);
	denied("none", sigtimedwait(&set, &info, &soon), EAGAIN);
	fd = signalfd(-1, &set, SFD_NONBLOCK);
	kill(getpid(), SIGUSR2);
	told("signalfd", read(fd, back, sizeof(struct signalfd_siginfo)));
	close(fd);
	pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	told("kill", kill(pid, SIGTERM));
	expect("killed", wait_for(pid), 128 + SIGTERM);
	pid = fork();
	if (!pid) {
		raise(SIGSTOP);
		_exit(4);
	}
	waitpid(pid, NULL, WUNTRACED);
	told("continue", kill(pid, SIGCONT));
	expect("continued", wait_for(pid), 4);
	denied("nobody", kill(999999, 0), ESRCH);
}

static void timers(void)
{
	struct itimerspec once = { .it_value = { 0, 3000000 } };
	struct itimerval interval = { { 0, 2000 }, { 0, 2000 } }, off = { { 0, 0 }, { 0, 0 } };
	struct timespec t = { 0, 2000000 }, a, b;
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	uint64_t expired;
	timer_t timer;
	int fd, i;

	told("nanosleep", nanosleep(&t, NULL));
	clock_gettime(CLOCK_MONOTONIC, &a);
	told("select", select(0, NULL, NULL, NULL, &(struct timeval){ 0, 3000 }));
	clock_gettime(CLOCK_MONOTONIC, &b);
	expect("not early", (b.tv_sec - a.tv_sec) * 1000000000l + b.tv_nsec - a.tv_nsec >=
	       3000000, 1);
	catch(SIGALRM, note, 0);
	got = 0;
	setitimer(ITIMER_REAL, &interval, NULL);
	for (i = 0; i < 3; i++)
		pause();
	setitimer(ITIMER_REAL, &off, NULL);
	expect("alarm", got, SIGALRM);
	catch(SIGUSR1, note, 0);
	got = 0;
	told("timer", timer_create(CLOCK_MONOTONIC, &event, &timer));
	timer_settime(timer, 0, &once, NULL);
	while (!got)
		nanosleep(&t, NULL);
	expect("signal", got, SIGUSR1);
	told("timer", timer_delete(timer));
	fd = timerfd_create(CLOCK_MONOTONIC, 0);
	told("timerfd", timerfd_settime(fd, 0, &once, NULL));
	told("timerfd", read(fd, &expired, 8));
	expect("expired", expired, 1);
	close(fd);
	for (i = 0; i < 5; i++)
		sched_yield();
}
