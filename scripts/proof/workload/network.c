// SPDX-License-Identifier: GPL-2.0-or-later
/* Parts of the workload: namespaces, and the interfaces in them. Included by workload.c. */
#include <arpa/inet.h>
#include <linux/bpf.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>

#include "steps.h"

#define PORT	7007
#define ROUNDS	4

static struct sockaddr_in address_of(const char *name)
{
	return (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(PORT),
				     .sin_addr.s_addr = inet_addr(name) };
}

static int bound(int type, const char *name)
{
	struct sockaddr_in a = address_of(name);
	int fd = socket(AF_INET, type, 0), on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (void *)&a, sizeof(a)) || (type == SOCK_STREAM && listen(fd, 3)))
		fail("bind");
	return fd;
}

/* The other end: sends back what it gets. */
static void echo(int udp, int tcp)
{
	struct sockaddr_in a;
	socklen_t len;
	int i, n, fd;

	for (i = 0; i < ROUNDS; i++) {
		len = sizeof(a);
		n = recvfrom(udp, back, BYTES, 0, (void *)&a, &len);
		sendto(udp, back, n, 0, (void *)&a, len);
	}
	fd = accept(tcp, NULL, NULL);
	read_data(fd);
	write_all(fd, back, BYTES);
	close(fd);
}

static void talk(const char *to)
{
	struct sockaddr_in a = address_of(to);
	int i, fd = socket(AF_INET, SOCK_DGRAM, 0);

	connect(fd, (void *)&a, sizeof(a));
	for (i = 0; i < ROUNDS; i++) {
		told("send", send(fd, data, 100 + 1500 * i, 0));
		expect("back", recv(fd, back, BYTES, 0), 100 + 1500 * i);
	}
	close(fd);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	told("connect", connect(fd, (void *)&a, sizeof(a)));
	write_all(fd, data, BYTES);
	read_data(fd);
	close(fd);
}

static long ethtool(const char *name, uint32_t command, uint32_t value)
{
	struct ifreq r = { 0 };
	uint32_t buf[1024] = { command, value };
	int fd = socket(AF_INET, SOCK_DGRAM, 0), ret;

	strcpy(r.ifr_name, name);
	r.ifr_data = (void *)buf;
	ret = ioctl(fd, SIOCETHTOOL, &r);
	close(fd);
	return ret;
}

static void ask(const char *name)
{
	told("driver", ethtool(name, ETHTOOL_GDRVINFO, 0));
	told("offloads", ethtool(name, ETHTOOL_GTSO, 0));
	told("stamps", ethtool(name, ETHTOOL_GET_TS_INFO, 0));
	ethtool(name, ETHTOOL_GLINK, 0);
	ethtool(name, ETHTOOL_GCHANNELS, 0);
	ethtool(name, ETHTOOL_GSSET_INFO, 0);
	ethtool(name, ETHTOOL_GSTRINGS, ETH_SS_STATS);
	ethtool(name, ETHTOOL_GSTATS, 0);
	ethtool(name, ETHTOOL_GSET, 0);
}

static void set_address(const char *name)
{
	struct ifreq r = { .ifr_hwaddr = { ARPHRD_ETHER, { 2, 0, 0, 0, 0, 7 } } };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	strcpy(r.ifr_name, name);
	told("address", ioctl(fd, SIOCSIFHWADDR, &r));
	close(fd);
}

/* A program that returns a number for each packet. Returns a descriptor of the link. */
static long attach(const char *name, int verdict)
{
	struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = verdict },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_XDP };
	int program, link;

	attr.insns = (uintptr_t)code;
	attr.insn_cnt = 2;
	attr.license = (uintptr_t)"GPL";
	program = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = program;
	attr.link_create.target_ifindex = if_nametoindex(name);
	attr.link_create.attach_type = BPF_XDP;
	attr.link_create.flags = XDP_FLAGS_DRV_MODE;
	link = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	close(program);
	return link;
}

/* Packets that a program drops or sends back get no answer. */
static void filtered(const char *to)
{
	static const int verdicts[] = { XDP_PASS, XDP_DROP, XDP_TX, XDP_ABORTED };
	int i, j, fd = socket(AF_INET, SOCK_DGRAM, 0), link;
	struct sockaddr_in a = address_of(to);

	for (i = 0; i < 4; i++) {
		link = attach("v0", verdicts[i]);
		expect("program", link >= 0, 1);
		for (j = 0; j < 3; j++)
			sendto(fd, data, 100, 0, (void *)&a, sizeof(a));
		usleep(10000);
		close(link);
	}
	close(fd);
}

/* In a namespace of its own; a byte from the other side says that it has its interface. */
static pid_t start_peer(int *to, int *from)
{
	int in[2], out[2], udp, tcp;
	pid_t pid;

	pipe(in);
	pipe(out);
	fflush(stdout);
	pid = fork();
	if (pid) {
		*to = in[1];
		*from = out[0];
		return pid;
	}
	failed = 0;
	if (unshare(CLONE_NEWNET))
		fail("unshare");
	write(out[1], "x", 1);
	read(in[0], back, 1);
	shell("peer", "ip addr add 10.6.0.2/24 dev v1; ip link set v1 up; ip link set lo up");
	udp = bound(SOCK_DGRAM, "10.6.0.2");
	tcp = bound(SOCK_STREAM, "10.6.0.2");
	write(out[1], "x", 1);
	echo(udp, tcp);
	echo(udp, tcp);
	/* Not before the other side has told what came back. */
	read(in[0], back, 1);
	told("from there", attach("v1", XDP_PASS));
	write(out[1], "x", 1);
	read(in[0], back, 1);
	leave();
	return 0;
}

static void veth(void)
{
	char line[64];
	int to, from;
	pid_t pid;

	shell("veth", "ip link add v0 type veth; ip link set veth0 name v1; "
	      "ip -o link show v1 | wc -l");
	pid = start_peer(&to, &from);
	read(from, back, 1);
	snprintf(line, sizeof(line), "ip link set v1 netns %d", pid);
	shell("move", line);
	shell("up", "ip addr add 10.6.0.1/24 dev v0; ip link set v0 up");
	write(to, "x", 1);
	read(from, back, 1);
	talk("10.6.0.2");
	ask("v0");
	/* It polls from now on. */
	told("gather", ethtool("v0", ETHTOOL_SGRO, 1));
	talk("10.6.0.2");
	write(to, "x", 1);
	read(from, back, 1);
	filtered("10.6.0.2");
	shell("settings", "ip link set v0 promisc on; ip link set v0 multicast off; "
	      "ip link set v0 mtu 1400; ip link show v0 | wc -l");
	set_address("v0");
	shell("away", "ip link set v0 down; ip link del v0");
	write(to, "x", 1);
	expect("peer", wait_for(pid), 0);
	close(to);
	close(from);
}

static void dummy(void)
{
	int i, on = 1, fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in all = address_of("10.9.8.255"), one = address_of("10.9.8.2");

	shell("dummy", "ip link add d0 type dummy; ip addr add 10.9.8.1/24 broadcast + dev d0; "
	      "ip link set d0 arp off; ip link set d0 up; ip route add 10.7.0.0/16 via 10.9.8.2; "
	      "ip -o addr show d0 | wc -l; ip route | wc -l; ip neigh | wc -l");
	setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof(on));
	for (i = 0; i < 3; i++) {
		told("to all", sendto(fd, data, 500, 0, (void *)&all, sizeof(all)));
		told("to one", sendto(fd, data, 3000, 0, (void *)&one, sizeof(one)));
	}
	close(fd);
	ask("d0");
	set_address("d0");
	shell("settings", "ip link set d0 multicast on; ip link set d0 promisc on; "
	      "mkdir -p /tmp/s; mount -t sysfs s /tmp/s; "
	      "cat /tmp/s/class/net/d0/statistics/tx_packets; echo 0 >/tmp/s/class/net/d0/carrier; "
	      "echo 1 >/tmp/s/class/net/d0/carrier; "
	      "umount /tmp/s; rmdir /tmp/s");
	shell("away", "ip route del 10.7.0.0/16; ip addr flush dev d0; ip link del d0");
}

static void loopback(void)
{
	shell("up", "ip link set lo up");
	datagrams();
	shell("ping", "ping -c 1 -W 60 127.0.0.1 >/dev/null; netstat -tuan >/dev/null 2>&1; "
	      "route -n >/dev/null; ifconfig -a >/dev/null; arp -an >/dev/null");
}

/* The first process of a namespace takes the others with it. */
static void processes_inside(void)
{
	pid_t pid;

	told("processes", unshare(CLONE_NEWPID));
	fflush(stdout);
	pid = fork();
	if (pid) {
		expect("first process", wait_for(pid), 0);
		return;
	}
	expect("number", getpid(), 1);
	told("mount", mount("p", "/tmp", "proc", 0, NULL));
	expect("child", status_of(system("exit 3")), 3);
	expect("seen", access("/tmp/1/stat", R_OK) || !access("/tmp/9999", F_OK), 0);
	told("umount", umount("/tmp"));
	pid = fork();
	if (!pid)
		pause();
	leave();
}

static void user_inside(void)
{
	fflush(stdout);
	told("user", unshare(CLONE_NEWUSER));
	result("user number", getuid());
	put("/proc/self/setgroups", "deny");
	put("/proc/self/uid_map", "0 0 1");
	put("/proc/self/gid_map", "0 0 1");
	expect("mapped", getuid(), 0);
}

static void in_namespaces(void)
{
	char name[64] = "";

	told("unshare", unshare(CLONE_NEWUTS | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC));
	told("private", mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	told("name", sethostname("inside", 6));
	gethostname(name, sizeof(name));
	expect("named", strcmp(name, "inside"), 0);
	loopback();
	dummy();
	veth();
	/* From here on each fork but the first one fails. */
	processes_inside();
	user_inside();
}

static void namespaces(void)
{
	char name[64] = "";
	pid_t pid;
	int fd;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		in_namespaces();
		leave();
	}
	expect("status", wait_for(pid), 0);
	gethostname(name, sizeof(name));
	expect("outside", strcmp(name, "inside") != 0, 1);
	fd = open("/proc/1/ns/net", O_RDONLY);
	told("enter", setns(fd, CLONE_NEWNET));
	close(fd);
}
