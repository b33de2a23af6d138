// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload: uses the kernel in many ways and prints what it saw, which is the same each time: no
 * times, addresses, or process numbers. A part that takes too long or dies prints that.
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

#define PART_LIMIT	120
#define BYTES		20000

static char data[BYTES], back[BYTES];
/* Nothing is there, which the compiler must not know. */
static char *volatile nowhere = (char *)8;

static unsigned int checksum(const void *from, size_t size)
{
	const unsigned char *p = from;
	unsigned int sum = 1;

	while (size--)
		sum = sum * 31 + *p++;
	return sum;
}

/* Says what a call has returned, by its errno if it failed. */
static long told(const char *what, long ret)
{
	if (ret < 0)
		printf("  %s: %s\n", what, strerror(errno));
	else
		printf("  %s: %ld\n", what, ret);
	return ret;
}

static void result(const char *what, long value)
{
	printf("  %s: %ld\n", what, value);
}

static void read_all(int fd, char *to, size_t size)
{
	size_t n = 0;
	ssize_t ret;

	while (n < size && (ret = read(fd, to + n, size - n)) > 0)
		n += ret;
	result("bytes", n);
	result("checksum", checksum(to, n));
}

static void write_all(int fd, const char *from, size_t size)
{
	size_t n = 0;
	ssize_t ret;

	while (n < size && (ret = write(fd, from + n, size - n)) > 0)
		n += ret;
}

/* Its status as a shell would show it. */
static int wait_for(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void list(const char *dir)
{
	struct dirent **entry;
	int i, n = scandir(dir, &entry, NULL, by_name);

	for (i = 0; i < n; i++)
		printf("  entry %s\n", entry[i]->d_name);
}

static void files(void)
{
	struct iovec v[2] = { { data, 100 }, { data + 50, 7 } };
	char path[64], target[64];
	struct stat st;
	int fd, other, i;

	told("mkdir", mkdir("/tmp/w", 0755));
	told("chdir", chdir("/tmp/w"));
	fd = told("open", open("file", O_CREAT | O_RDWR, 0640)) < 0 ? -1 : open("file", O_RDWR);
	write_all(fd, data, BYTES);
	told("writev", writev(fd, v, 2));
	told("pwrite", pwrite(fd, data, 33, 3));
	told("seek", lseek(fd, 0, SEEK_SET));
	read_all(fd, back, BYTES);
	told("pread", pread(fd, back, 100, BYTES + 200));
	told("truncate", ftruncate(fd, 12345));
	told("fallocate", fallocate(fd, 0, 0, 30000));
	told("punch", fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 4096, 8192));
	told("lock", flock(fd, LOCK_EX));
	fstat(fd, &st);
	printf("  size %ld mode %o links %ld\n", (long)st.st_size, st.st_mode, (long)st.st_nlink);
	told("chmod", fchmod(fd, 0600));
	told("sync", fsync(fd));
	told("link", link("file", "hard"));
	told("symlink", symlink("file", "soft"));
	i = readlink("soft", target, sizeof(target));
	printf("  readlink %.*s\n", i, target);
	told("rename", rename("hard", "renamed"));
	told("missing", open("missing", O_RDONLY));
	told("is a directory", open(".", O_WRONLY));
	for (i = 0; i < 20; i++) {
		snprintf(path, sizeof(path), "n%02d", i);
		close(open(path, O_CREAT | O_WRONLY, 0600));
	}
	list(".");
	other = open("copy", O_CREAT | O_RDWR, 0600);
	lseek(fd, 0, SEEK_SET);
	told("sendfile", sendfile(other, fd, NULL, 10000));
	lseek(other, 0, SEEK_SET);
	read_all(other, back, BYTES);
	told("dup", fcntl(fd, F_DUPFD, 50));
	close(50);
	close(other);
	close(fd);
	told("chdir", chdir("/"));
	told("rm", system("rm -r /tmp/w"));
}

static void watched_files(void)
{
	char events[1024];
	int fd = inotify_init1(IN_NONBLOCK), at = 0, n;

	mkdir("/tmp/i", 0755);
	told("watch", inotify_add_watch(fd, "/tmp/i", IN_CREATE | IN_DELETE | IN_CLOSE_WRITE));
	close(open("/tmp/i/x", O_CREAT | O_WRONLY, 0600));
	unlink("/tmp/i/x");
	n = read(fd, events, sizeof(events));
	while (at < n) {
		struct inotify_event *e = (void *)(events + at);

		printf("  event %x %s\n", e->mask, e->name);
		at += sizeof(*e) + e->len;
	}
	rmdir("/tmp/i");
	close(fd);
}

static void pipes(void)
{
	struct epoll_event e = { .events = EPOLLIN };
	struct pollfd p;
	int fd[2], ep;
	pid_t pid;

	told("pipe", pipe2(fd, 0));
	pid = fork();
	if (!pid) {
		close(fd[0]);
		for (int i = 0; i < 3; i++)
			write_all(fd[1], data, BYTES);
		_exit(3);
	}
	close(fd[1]);
	p = (struct pollfd){ .fd = fd[0], .events = POLLIN };
	told("poll", poll(&p, 1, -1));
	for (int i = 0; i < 3; i++)
		read_all(fd[0], back, BYTES);
	result("end", read(fd[0], back, 1));
	result("status", wait_for(pid));
	close(fd[0]);
	told("pipe", pipe2(fd, O_NONBLOCK));
	told("empty", read(fd[0], back, 1));
	ep = epoll_create1(0);
	told("epoll add", epoll_ctl(ep, EPOLL_CTL_ADD, fd[0], &e));
	told("epoll empty", epoll_wait(ep, &e, 1, 0));
	told("write", write(fd[1], "x", 1));
	told("epoll", epoll_wait(ep, &e, 1, -1));
	close(ep);
	close(fd[0]);
	signal(SIGPIPE, SIG_IGN);
	told("broken", write(fd[1], "x", 1));
	close(fd[1]);
	fd[0] = eventfd(5, EFD_NONBLOCK);
	told("eventfd", read(fd[0], back, 8));
	result("value", back[0]);
	told("eventfd", read(fd[0], back, 8));
	close(fd[0]);
}

static void tcp(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(a);
	int listening = socket(AF_INET, SOCK_STREAM, 0), fd;
	pid_t pid;

	told("bind", bind(listening, (void *)&a, sizeof(a)));
	told("listen", listen(listening, 3));
	getsockname(listening, (void *)&a, &len);
	pid = fork();
	if (!pid) {
		fd = accept(listening, NULL, NULL);
		for (int i = 0; i < 2; i++) {
			read_all(fd, back, BYTES);
			write_all(fd, back, BYTES);
		}
		_exit(0);
	}
	fd = socket(AF_INET, SOCK_STREAM, 0);
	told("connect", connect(fd, (void *)&a, sizeof(a)));
	for (int i = 0; i < 2; i++) {
		write_all(fd, data, BYTES);
		read_all(fd, back, BYTES);
	}
	result("status", wait_for(pid));
	close(fd);
	close(listening);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	told("refused", connect(fd, (void *)&a, sizeof(a)));
	close(fd);
}

static void datagrams(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(a);
	int to = socket(AF_INET, SOCK_DGRAM, 0), fd = socket(AF_INET, SOCK_DGRAM, 0);

	bind(to, (void *)&a, sizeof(a));
	getsockname(to, (void *)&a, &len);
	for (int i = 0; i < 5; i++)
		told("send", sendto(fd, data, 100 + 2000 * i, 0, (void *)&a, sizeof(a)));
	for (int i = 0; i < 5; i++)
		told("receive", recv(to, back, BYTES, 0));
	result("checksum", checksum(back, 8100));
	told("none", recv(to, back, 1, MSG_DONTWAIT));
	close(to);
	close(fd);
}

static void unix_sockets(void)
{
	char control[CMSG_SPACE(sizeof(int))] = "";
	struct iovec v = { data, 10 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = control,
			    .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	int fd[2], other[2];

	if (told("pair", socketpair(AF_UNIX, SOCK_STREAM, 0, fd)) < 0)
		return;
	pipe(other);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &other[1], sizeof(int));
	told("send descriptor", sendmsg(fd[0], &m, 0));
	told("receive descriptor", recvmsg(fd[1], &m, 0));
	c = CMSG_FIRSTHDR(&m);
	if (c) {
		memcpy(&other[1], CMSG_DATA(c), sizeof(int));
		told("write to it", write(other[1], "hello", 5));
		told("read", read(other[0], back, 10));
	}
	told("shutdown", shutdown(fd[0], SHUT_RDWR));
	told("end", read(fd[1], back, 1));
	for (int i = 0; i < 2; i++) {
		close(fd[i]);
		close(other[i]);
	}
}

static volatile sig_atomic_t got, code;
static void *volatile where;

static void note(int number, siginfo_t *info, void *context)
{
	(void)context;
	got = number;
	code = info->si_code;
	where = info->si_addr;
}

static void catch(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction a = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };

	sigaction(number, &a, NULL);
}

/* The fault is repaired, and the instruction repeated. */
static void repair(int number, siginfo_t *info, void *context)
{
	note(number, info, context);
	mprotect((void *)((uintptr_t)info->si_addr & ~4095ul), 4096, PROT_READ | PROT_WRITE);
}

static void memory(void)
{
	char *p = mmap(NULL, 16 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned char resident[16];
	char *q;
	pid_t pid;
	int i, n = 0, fd;

	for (i = 0; i < 16; i++)
		p[i * 4096] = i;
	pid = fork();
	if (!pid) {
		for (i = 0; i < 16; i++)
			p[i * 4096] += 100;
		strcpy(shared, "from the child");
		_exit(p[5 * 4096]);
	}
	result("child", wait_for(pid));
	result("copied on write", p[5 * 4096]);
	printf("  shared %s\n", shared);
	catch(SIGSEGV, repair, 0);
	told("mprotect", mprotect(p, 4096, PROT_READ));
	*(volatile char *)&p[7] = 42;
	printf("  fault %d %d at %ld, then %d\n", got, code, (long)((char *)where - p), p[7]);
	told("discard", madvise(p, 8 * 4096, MADV_DONTNEED));
	result("zeroed", p[4096 * 3]);
	mincore(p, 16 * 4096, resident);
	for (i = 0; i < 16; i++)
		n += resident[i] & 1;
	result("resident", n);
	q = mremap(p, 16 * 4096, 64 * 4096, MREMAP_MAYMOVE);
	result("moved", q[9 * 4096]);
	told("unmap", munmap(q + 4096, 62 * 4096));
	munmap(q, 4096);
	munmap(q + 63 * 4096, 4096);
	fd = open("/tmp/mapped", O_CREAT | O_RDWR | O_TRUNC, 0600);
	write_all(fd, data, BYTES);
	p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	result("mapped", checksum(p, BYTES));
	p[100] = 'x';
	told("msync", msync(p, BYTES, MS_SYNC));
	pread(fd, back, 1, 100);
	result("written back", back[0]);
	munmap(p, BYTES);
	close(fd);
	unlink("/tmp/mapped");
	told("brk", sbrk(100000) == (void *)-1 ? -1 : 0);
	fd = memfd_create("m", 0);
	told("memfd", fd < 0 ? -1 : ftruncate(fd, 5000));
	close(fd);
	signal(SIGSEGV, SIG_DFL);
}

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
		result("status", wait_for(pid));
	}
	pid = vfork();
	if (!pid) {
		execl("/workload", "workload", "echo", NULL);
		_exit(1);
	}
	result("executed", wait_for(pid));
	pid = fork();
	if (!pid) {
		execl("/missing", "missing", NULL);
		_exit(errno);
	}
	result("missing", wait_for(pid));
	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, thread, &count);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	result("threads", count);
	told("shell", system("i=0; while [ $i -lt 20 ]; do i=$((i + 1)); done; "
			     "seq 100 | grep 7 | sort -r | md5sum; exit 5"));
	told("membarrier", syscall(SYS_membarrier, 1 /* GLOBAL */, 0, 0) ? -1 : 0);
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
		_exit(9);
	}
	waitpid(pid, &status, 0);
	result("stopped", WSTOPSIG(status));
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
	result("system call", WSTOPSIG(status));
	told("continue", ptrace(PTRACE_CONT, pid, 0, 0));
	result("status", wait_for(pid));
}

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
	result("raised", got);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigqueue(getpid(), SIGRTMIN, value);
	result("waited", sigwaitinfo(&set, &info) == SIGRTMIN);
	result("value", info.si_value.sival_int);
	told("none", sigtimedwait(&set, &info, &soon));
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
	result("killed", wait_for(pid));
	pid = fork();
	if (!pid) {
		raise(SIGSTOP);
		_exit(4);
	}
	waitpid(pid, NULL, WUNTRACED);
	told("continue", kill(pid, SIGCONT));
	result("continued", wait_for(pid));
	told("nobody", kill(999999, 0));
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
	result("not early", (b.tv_sec - a.tv_sec) * 1000000000l + b.tv_nsec - a.tv_nsec >= 3000000);
	catch(SIGALRM, note, 0);
	got = 0;
	setitimer(ITIMER_REAL, &interval, NULL);
	for (i = 0; i < 3; i++)
		pause();
	setitimer(ITIMER_REAL, &off, NULL);
	result("alarm", got);
	catch(SIGUSR1, note, 0);
	got = 0;
	told("timer", timer_create(CLOCK_MONOTONIC, &event, &timer));
	timer_settime(timer, 0, &once, NULL);
	while (!got)
		nanosleep(&t, NULL);
	result("signal", got);
	told("timer", timer_delete(timer));
	fd = timerfd_create(CLOCK_MONOTONIC, 0);
	told("timerfd", timerfd_settime(fd, 0, &once, NULL));
	told("timerfd", read(fd, &expired, 8));
	result("expired", expired);
	close(fd);
	for (i = 0; i < 5; i++)
		sched_yield();
}

/* Steps over the instruction that has trapped. */
static void skip_two(int number, siginfo_t *info, void *context)
{
	note(number, info, context);
#ifdef __x86_64__
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
#endif
}

static void faults(void)
{
	char *p = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open("/tmp/f", O_CREAT | O_RDWR | O_TRUNC, 0600);
	pid_t pid;

	munmap(p + 4096, 4096);
	memset(p, 'a', 4096);
	told("from a bad address", write(fd, nowhere, 10));
	told("from a page that ends", write(fd, p + 4090, 20));
	told("to a bad address", pread(fd, nowhere, 4, 0));
	told("to a page that ends", pread(fd, p + 4094, 6, 0));
	told("name that ends", open(p + 4000, O_RDONLY));
	told("from kernel addresses", write(fd, (void *)0xffffffff81000000ul, 1));
	told("structure", syscall(SYS_nanosleep, p + 4092, NULL));
	told("to a structure", syscall(SYS_clock_gettime, 1, p + 4090));
	told("vector", writev(fd, (void *)(p + 4088), 3));
	told("futex", syscall(SYS_futex, 16, 0, 0, NULL));
	close(fd);
	unlink("/tmp/f");
	for (int i = 0; i < 3; i++) {
		pid = fork();
		if (!pid) {
			signal(SIGSEGV, SIG_DFL);
			if (i == 0)
				*nowhere = 0;
			else if (i == 1)
				((void (*)(void))p)();
			else
				abort();
			_exit(0);
		}
		result("died", wait_for(pid));
	}
#ifdef __x86_64__
	catch(SIGTRAP, note, 0);
	asm volatile("int3");
	result("int3", got);
	catch(SIGILL, skip_two, 0);
	asm volatile("ud2");
	result("ud2", got);
	catch(SIGFPE, skip_two, 0);
	asm volatile("div %%cl" : : "a"(5), "c"(0));
	result("division", got);
	catch(SIGSEGV, skip_two, 0);
	asm volatile("mov %%cr0, %%rax\n\t" : : : "rax");
	signal(SIGSEGV, SIG_DFL);
	asm volatile("pushf; orl $0x100, (%%rsp); popf; nop; pushf; andl $~0x100, (%%rsp); popf"
		     : : : "memory", "cc");
	result("trap flag", got);
#endif
	munmap(p, 4096);
}

/* The number of its lines that begin with a word. */
static void count_lines(const char *path, const char *begin)
{
	FILE *f = fopen(path, "r");
	char line[4096];
	long n = 0;

	while (f && fgets(line, sizeof(line), f))
		n += !strncmp(line, begin, strlen(begin));
	if (f)
		fclose(f);
	printf("  %s %s: %ld\n", path, begin, n);
}

static void proc(void)
{
	static const char * const read_only[] = {
		"/proc/self/maps", "/proc/self/smaps", "/proc/self/stat", "/proc/interrupts",
		"/proc/meminfo", "/proc/vmstat", "/proc/slabinfo", "/proc/loadavg", "/proc/uptime",
		"/proc/net/tcp", "/proc/net/dev", "/proc/iomem", "/proc/self/wchan",
		"/proc/timer_list", "/proc/self/stack", "/proc/self/syscall", "/proc/zoneinfo", "/proc/buddyinfo",
	};
	char buf[4096];
	size_t i;
	int fd;

	for (i = 0; i < sizeof(read_only) / sizeof(*read_only); i++) {
		fd = open(read_only[i], O_RDONLY);
		result(read_only[i], fd < 0 ? -errno : read(fd, buf, sizeof(buf)) > 0);
		close(fd);
	}
	count_lines("/proc/cpuinfo", "processor");
	count_lines("/proc/stat", "cpu");
	count_lines("/proc/filesystems", "nodev");
	count_lines("/proc/self/status", "State");
	count_lines("/proc/modules", "veth");
	count_lines("/proc/self/mounts", "tmpfs");
	told("bad value", (fd = open("/proc/self/oom_score_adj", O_WRONLY)) < 0 ? -1 :
			  write(fd, "x", 1));
	close(fd);
	told("ps", system("ps | wc -l >/dev/null; ls /proc/self/task | wc -l; "
			  "find /proc/self /sys/kernel/mm /sys/class -maxdepth 2 >/dev/null 2>&1"));
}

static void mounts(void)
{
	mkdir("/tmp/m", 0755);
	told("mount", mount("x", "/tmp/m", "tmpfs", 0, "size=100k"));
	told("full", system("dd if=/dev/zero of=/tmp/m/f bs=1k count=200 2>/dev/null"));
	list("/tmp/m");
	told("busy", chdir("/tmp/m"));
	told("umount", umount("/tmp/m"));
	chdir("/");
	told("read-only", mount("x", "/tmp/m", NULL, MS_REMOUNT | MS_RDONLY, NULL));
	told("create", open("/tmp/m/g", O_CREAT | O_WRONLY, 0600));
	told("umount", umount("/tmp/m"));
	told("bind", mount("/bin", "/tmp/m", NULL, MS_BIND, NULL));
	told("there", access("/tmp/m/busybox", X_OK));
	told("umount", umount2("/tmp/m", MNT_DETACH));
	told("proc", mount("p", "/tmp/m", "proc", 0, NULL));
	told("umount", umount("/tmp/m"));
	told("unknown", mount("x", "/tmp/m", "nosuchfs", 0, NULL));
	rmdir("/tmp/m");
}

static void modules(void)
{
	int fd = open("/proof_loaded.ko", O_RDONLY);

	for (int i = 0; i < 2; i++) {
		told("load", syscall(SYS_finit_module, fd, i ? "count=100" : "", 0));
		told("twice", syscall(SYS_finit_module, fd, "", 0));
		count_lines("/proc/modules", "proof_loaded");
		told("unload", syscall(SYS_delete_module, "proof_loaded", O_NONBLOCK));
	}
	told("unload", syscall(SYS_delete_module, "proof_loaded", O_NONBLOCK));
	told("no module", syscall(SYS_finit_module, open("/init", O_RDONLY), "", 0));
	close(fd);
}

static void binary_format(void)
{
	const char *dir = "/proc/sys/fs/binfmt_misc";
	char path[64];

	snprintf(path, sizeof(path), "%s/register", dir);
	if (access(path, W_OK)) {
		printf("  none\n");
		return;
	}
	told("register", system("echo ':proof:E::proof::/workload:' "
				">/proc/sys/fs/binfmt_misc/register"));
	told("script", system("echo x >/tmp/x.proof; chmod 755 /tmp/x.proof; /tmp/x.proof"));
	told("show", system("cat /proc/sys/fs/binfmt_misc/proof"));
	told("remove", system("echo -1 >/proc/sys/fs/binfmt_misc/proof; rm /tmp/x.proof"));
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
	count_lines("/proc/cpuinfo", "processor");
	told("on", pwrite(fd, "1", 1, 0));
	count_lines("/proc/cpuinfo", "processor");
	close(fd);
}

static void in_namespaces(void)
{
	struct ifreq lo = { .ifr_name = "lo" };
	char name[64] = "";
	pid_t pid;
	int fd;

	told("unshare", unshare(CLONE_NEWUTS | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
				CLONE_NEWIPC));
	told("private", mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	told("name", sethostname("inside", 6));
	gethostname(name, sizeof(name));
	printf("  %s\n", name);
	pid = fork();
	if (!pid)
		_exit(getpid() == 1);
	result("first process", wait_for(pid));
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	ioctl(fd, SIOCGIFFLAGS, &lo);
	result("down", !(lo.ifr_flags & IFF_UP));
	lo.ifr_flags |= IFF_UP;
	told("up", ioctl(fd, SIOCSIFFLAGS, &lo));
	close(fd);
	datagrams();
	told("dummy", system("ip link add d0 type dummy && ip addr add 10.9.8.1/24 dev d0 && "
			     "ip link set d0 up && ip route add 10.7.0.0/16 via 10.9.8.2 && "
			     "ip -o addr show d0 | wc -l && ip route | wc -l && ip link del d0"));
	told("veth", system("ip link add v0 type veth peer name v1 && ip link set v0 up && "
			    "ip link set v1 up && ip -o link show v1 | wc -l && "
			    "ip addr add 10.6.0.1/24 dev v0 && ip link del v0"));
	told("user", unshare(CLONE_NEWUSER));
	told("user number", getuid());
}

static void namespaces(void)
{
	char name[64] = "";
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		in_namespaces();
		fflush(stdout);
		_exit(0);
	}
	result("status", wait_for(pid));
	gethostname(name, sizeof(name));
	result("outside", strcmp(name, "inside") != 0);
}

static void messages(void)
{
	struct mq_attr attr = { .mq_maxmsg = 3, .mq_msgsize = 16 };
	mqd_t q = mq_open("/proof", O_CREAT | O_RDWR | O_NONBLOCK, 0600, &attr);
	int id = shmget(IPC_PRIVATE, 8192, IPC_CREAT | 0600);
	unsigned int priority = 0;
	char buf[16], *p;

	for (int i = 0; i < 4; i++)
		told("send", mq_send(q, "hello", 6, i));
	told("receive", mq_receive(q, buf, sizeof(buf), &priority));
	result("priority", priority);
	mq_close(q);
	told("remove", mq_unlink("/proof"));
	p = shmat(id, NULL, 0);
	if (p != (void *)-1) {
		strcpy(p, "shared");
		told("detach", shmdt(p));
	}
	told("remove", shmctl(id, IPC_RMID, NULL));
}

static void counters(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
					.config = PERF_COUNT_SW_PAGE_FAULTS };
	uint64_t count = 0;
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	char *p;

	told("open", fd < 0 ? -1 : 0);
	p = mmap(NULL, 4 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < 4; i++)
		p[i * 4096] = 1;
	munmap(p, 4 * 4096);
	told("read", read(fd, &count, 8));
	result("at least", count >= 4);
	close(fd);
}

static const struct part {
	const char *name;
	void (*run)(void);
} parts[] = {
	{ "files", files }, { "watched files", watched_files }, { "pipes", pipes },
	{ "tcp", tcp }, { "datagrams", datagrams }, { "unix sockets", unix_sockets },
	{ "memory", memory }, { "processes", processes }, { "traced", traced },
	{ "signals", signals }, { "timers", timers }, { "faults", faults }, { "proc", proc },
	{ "mounts", mounts }, { "modules", modules }, { "binary format", binary_format },
	{ "namespaces", namespaces }, { "messages", messages }, { "counters", counters },
	{ "hotplug", hotplug },
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
		return 17;
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
			parts[i].run();
			fflush(stdout);
			_exit(0);
		}
		result("ended", wait_for(pid));
	}
	return 0;
}
