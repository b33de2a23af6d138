// SPDX-License-Identifier: GPL-2.0-or-later
/* Parts of the workload: pipes and sockets. Included by workload.c. */
#include "steps.h"

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
		read_data(fd[0]);
	expect("end", read(fd[0], back, 1), 0);
	expect("status", wait_for(pid), 3);
	close(fd[0]);
	told("pipe", pipe2(fd, O_NONBLOCK));
	denied("empty", read(fd[0], back, 1), EAGAIN);
	ep = epoll_create1(0);
	told("epoll add", epoll_ctl(ep, EPOLL_CTL_ADD, fd[0], &e));
	told("epoll empty", epoll_wait(ep, &e, 1, 0));
	told("write", write(fd[1], "x", 1));
	told("epoll", epoll_wait(ep, &e, 1, -1));
	close(ep);
	close(fd[0]);
	signal(SIGPIPE, SIG_IGN);
	denied("broken", write(fd[1], "x", 1), EPIPE);
	close(fd[1]);
	fd[0] = eventfd(5, EFD_NONBLOCK);
	told("eventfd", read(fd[0], back, 8));
	expect("value", back[0], 5);
	denied("eventfd", read(fd[0], back, 8), EAGAIN);
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
			read_data(fd);
			write_all(fd, back, BYTES);
		}
		leave();
	}
	fd = socket(AF_INET, SOCK_STREAM, 0);
	told("connect", connect(fd, (void *)&a, sizeof(a)));
	for (int i = 0; i < 2; i++) {
		write_all(fd, data, BYTES);
		read_data(fd);
	}
	expect("status", wait_for(pid), 0);
	close(fd);
	close(listening);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	denied("refused", connect(fd, (void *)&a, sizeof(a)), ECONNREFUSED);
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
	expect("same", memcmp(back, data, 8100), 0);
	denied("none", recv(to, back, 1, MSG_DONTWAIT), EAGAIN);
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
	expect("end", read(fd[1], back, 1), 0);
	for (int i = 0; i < 2; i++) {
		close(fd[i]);
		close(other[i]);
	}
}
