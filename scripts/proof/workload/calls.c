// SPDX-License-Identifier: GPL-2.0-or-later
/* Parts of the workload: System V and POSIX messages, terminals, and other calls. */
#include <linux/futex.h>
#include <mqueue.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <grp.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <termios.h>

#include "steps.h"

static void queue(void)
{
	struct mq_attr attr = { .mq_maxmsg = 3, .mq_msgsize = 16 };
	mqd_t q = mq_open("/proof", O_CREAT | O_RDWR | O_NONBLOCK, 0600, &attr);
	unsigned int priority = 0;
	char buf[16];

	for (int i = 0; i < 3; i++)
		told("send", mq_send(q, "hello", 6, i));
	denied("full", mq_send(q, "hello", 6, 0), EAGAIN);
	told("receive", mq_receive(q, buf, sizeof(buf), &priority));
	expect("priority", priority, 2);
	told("attributes", mq_getattr(q, &attr));
	expect("messages", attr.mq_curmsgs, 2);
	mq_close(q);
	told("remove", mq_unlink("/proof"));
}

static void messages(void)
{
	struct { long type; char text[8]; } m = { 7, "hello" };
	struct sembuf up = { 0, 2, 0 }, down = { 0, -3, IPC_NOWAIT };
	int id = shmget(IPC_PRIVATE, 8192, IPC_CREAT | 0600);
	char *p;

	queue();
	p = shmat(id, NULL, 0);
	if (p == (void *)-1)
		fail("attach");
	else
		strcpy(p, "shared");
	told("detach", shmdt(p));
	told("remove", shmctl(id, IPC_RMID, NULL));
	id = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
	told("send", msgsnd(id, &m, 8, 0));
	denied("none", msgrcv(id, &m, 8, 3, IPC_NOWAIT), ENOMSG);
	told("receive", msgrcv(id, &m, 8, 7, 0));
	told("remove", msgctl(id, IPC_RMID, NULL));
	id = semget(IPC_PRIVATE, 2, IPC_CREAT | 0600);
	told("up", semop(id, &up, 1));
	denied("down", semop(id, &down, 1), EAGAIN);
	expect("value", semctl(id, 0, GETVAL), 2);
	told("remove", semctl(id, 0, IPC_RMID));
}

#define LINES		"one\x7f\nab\x15two\n"
#define ECHO_OF_LINES	"one\b \b\r\nab\b \b\b \btwo\r\n"

/* A kworker brings the echo, at once or in parts. Returns how many bytes came. */
static size_t read_past(int fd, char *bytes, size_t size, const char *end)
{
	size_t had = 0, tail = strlen(end);
	ssize_t more;

	while (had < tail || memcmp(bytes + had - tail, end, tail)) {
		more = read(fd, bytes + had, size - had);
		if (more <= 0)
			break;
		had += more;
	}
	return had;
}

static void terminal(void)
{
	struct winsize size = { 40, 100, 0, 0 };
	int fd = posix_openpt(O_RDWR | O_NOCTTY), other;
	struct termios t;
	char name[64];

	/* In the way of the first process's mount of /dev there is no devpts. */
	mkdir("/dev/pts", 0755);
	if (fd < 0) {
		mount("d", "/dev/pts", "devpts", 0, NULL);
		symlink("pts/ptmx", "/dev/ptmx");
		fd = posix_openpt(O_RDWR | O_NOCTTY);
	}
	told("unlock", unlockpt(fd));
	ptsname_r(fd, name, sizeof(name));
	other = open(name, O_RDWR | O_NOCTTY);
	expect("terminal", other >= 0, 1);
	told("size", ioctl(fd, TIOCSWINSZ, &size));
	told("write", write(fd, LINES, strlen(LINES)));
	expect("line", read(other, back, 100), 3);
	expect("line", read(other, back, 100), 4);
	expect("echoed", read_past(fd, back, 100, "two\r\n"), strlen(ECHO_OF_LINES));
	tcgetattr(other, &t);
	cfmakeraw(&t);
	told("raw", tcsetattr(other, TCSAFLUSH, &t));
	told("write", write(other, "a\nb", 3));
	expect("raw", read(fd, back, 100), 3);
	told("flush", tcflush(other, TCIOFLUSH));
	close(fd);
	expect("hung up", read(other, back, 1), 0);
	close(other);
}

static void scheduling(void)
{
	struct sched_param fifo = { .sched_priority = 5 }, other = { 0 };
	/* struct sched_attr, which the C library has not. */
	struct { uint32_t size, policy; uint64_t flags; int32_t nice; uint32_t priority;
		 uint64_t runtime, deadline, period; } deadline = {
		48, SCHED_DEADLINE, 0, 0, 0, 1000000, 10000000, 10000000 };
	cpu_set_t all, one;

	sched_getaffinity(0, sizeof(all), &all);
	for (int i = 0; i < 2; i++) {
		CPU_ZERO(&one);
		CPU_SET(i, &one);
		told("move", sched_setaffinity(0, sizeof(one), &one));
		sched_yield();
	}
	told("back", sched_setaffinity(0, sizeof(all), &all));
	told("fifo", sched_setscheduler(0, SCHED_FIFO, &fifo));
	usleep(1000);
	told("round robin", sched_setscheduler(0, SCHED_RR, &fifo));
	sched_yield();
	told("deadline", syscall(SYS_sched_setattr, 0, &deadline, 0));
	for (int i = 0; i < 3; i++)
		sched_yield();
	told("idle", sched_setscheduler(0, SCHED_IDLE, &other));
	usleep(1000);
	told("batch", sched_setscheduler(0, SCHED_BATCH, &other));
	told("normal", sched_setscheduler(0, SCHED_OTHER, &other));
}

static void futexes(void)
{
	struct timespec soon = { 0, 2000000 };
	uint32_t word[2] = { 1, 1 };

	denied("not equal", syscall(SYS_futex, word, FUTEX_WAIT, 2, NULL), EAGAIN);
	denied("in vain", syscall(SYS_futex, word, FUTEX_WAIT, 1, &soon), ETIMEDOUT);
	told("nobody", syscall(SYS_futex, word, FUTEX_WAKE, 1));
	told("requeue", syscall(SYS_futex, word, FUTEX_CMP_REQUEUE, 1, 1, &word[1], 1));
	word[0] = 0;
	told("lock", syscall(SYS_futex, word, FUTEX_LOCK_PI, 0, NULL));
	denied("again", syscall(SYS_futex, word, FUTEX_LOCK_PI, 0, NULL), EDEADLK);
	told("unlock", syscall(SYS_futex, word, FUTEX_UNLOCK_PI, 0, NULL));
}

static void limits(void)
{
	struct rlimit l = { 0, 0 };
	struct rusage usage;
	struct utsname name;
	struct sysinfo info;
	struct tms t;

	told("usage", getrusage(RUSAGE_CHILDREN, &usage));
	told("name", uname(&name));
	told("system", sysinfo(&info));
	told("times", times(&t) > 0);
	told("limit", getrlimit(RLIMIT_NOFILE, &l));
	l.rlim_cur = 5;
	told("limit", setrlimit(RLIMIT_NOFILE, &l));
	denied("too many", fcntl(0, F_DUPFD, 5), EINVAL);
	told("name", prctl(PR_SET_NAME, "worker"));
	told("dumpable", prctl(PR_GET_DUMPABLE));
	told("death", prctl(PR_SET_PDEATHSIG, 0));
	told("subreaper", prctl(PR_SET_CHILD_SUBREAPER, 1));
	told("groups", setgroups(0, NULL));
	told("user", setresuid(1000, 1000, 1000));
	denied("not root", setuid(0), EPERM);
	denied("clock", clock_settime(CLOCK_REALTIME, &(struct timespec){ 5, 0 }), EPERM);
	told("group", getpgid(0) > 0);
}

/* Of another process. */
static void other_memory(void)
{
	char path[64];
	int status, fd;
	pid_t pid;

	pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY);
	told("read", pread(fd, back, 100, (uintptr_t)data));
	expect("same", memcmp(back, data, 100), 0);
	close(fd);
	fd = syscall(SYS_pidfd_open, pid, 0);
	told("seize", ptrace(PTRACE_SEIZE, pid, 0, 0));
	told("interrupt", ptrace(PTRACE_INTERRUPT, pid, 0, 0));
	waitpid(pid, &status, 0);
#ifdef __x86_64__
	told("address", ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg[0]), data));
	told("watch", ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg[7]), 0x10001));
	told("forget", ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg[7]), 0));
#endif
	told("detach", ptrace(PTRACE_DETACH, pid, 0, 0));
	told("kill", syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0));
	expect("killed", wait_for(pid), 128 + SIGKILL);
	close(fd);
}

static void more_calls(void)
{
	scheduling();
	futexes();
	other_memory();
	limits();
}

/* Files once more: what is seldom asked of them. */
static void more_files(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 10 };
	int fd, other, p[2];
	struct statx stx;
	char name[64];

	mkdir("/tmp/y", 0755);
	fd = open("/tmp/y/a", O_CREAT | O_RDWR, 0600);
	other = open("/tmp/y/b", O_CREAT | O_RDWR, 0600);
	write_all(fd, data, BYTES);
	told("copy", copy_file_range(fd, &(off64_t){ 0 }, other, NULL, 5000, 0));
	pipe(p);
	told("splice", splice(fd, &(off64_t){ 100 }, p[1], NULL, 3000, 0));
	told("splice", splice(p[0], NULL, other, NULL, 3000, 0));
	told("map", vmsplice(p[1], &(struct iovec){ data, 50 }, 1, 0));
	told("drain", read(p[0], back, 100));
	told("exchange", syscall(SYS_renameat2, AT_FDCWD, "/tmp/y/a", AT_FDCWD, "/tmp/y/b", 2));
	told("status", statx(AT_FDCWD, "/tmp/y/a", 0, STATX_ALL, &stx));
	expect("size", stx.stx_size, 8000);
	told("times", utimensat(AT_FDCWD, "/tmp/y/a", NULL, 0));
	told("owner", chown("/tmp/y/a", 5, 6));
	told("lock", fcntl(fd, F_OFD_SETLK, &lock));
	denied("locked", fcntl(open("/tmp/y/b", O_RDWR), F_OFD_SETLK, &lock), EAGAIN);
	told("advice", posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED));
	told("ahead", readahead(fd, 0, 8192));
	told("range", sync_file_range(fd, 0, 8192, SYNC_FILE_RANGE_WRITE));
	told("fifo", mkfifo("/tmp/y/f", 0600));
	told("node", mknod("/tmp/y/n", S_IFCHR | 0600, 0x105));
	told("zero", read(open("/tmp/y/n", O_RDONLY), back, 100));
	denied("directory", unlink("/tmp/y"), EISDIR);
	told("where", !getcwd(name, sizeof(name)) ? -1 : 0);
	told("access", faccessat(AT_FDCWD, "/tmp/y/a", R_OK, 0));
	told("random", getrandom(back, 100, 0));
	shell("commands", "cd /tmp/y; tar cf t a b; tar tf t; cp -a a c; cmp a c; mv c d; "
	      "df . >/dev/null; du -s . >/dev/null; find . -newer a >/dev/null; "
	      "stat -f . >/dev/null");
	shell("rm", "rm -r /tmp/y");
	told("close", syscall(SYS_close_range, fd, ~0u, 0));
}
