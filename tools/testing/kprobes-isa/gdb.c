// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Starts QEMU, stopped, and tells it by the remote protocol of gdb what to do. What it replies to
 * with "OK" alone is waited for together with the next reply that says more. For QEMU the next
 * packet acknowledges a reply.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/kernel.h>

#include "gdb.h"

#define PACKET_SIZE	4096
#define COMMAND_SIZE	1024

static const char digits[] = "0123456789abcdef";

static int fd = -1;
static pid_t pid;
static char out[16 * PACKET_SIZE];
static size_t out_len;
static unsigned int pending;		/* packets that "OK" is the reply to */
static char in[16 * PACKET_SIZE];
static size_t in_len, in_at;

static void fail(const char *what)
{
	fprintf(stderr, "QEMU: %s\n", what);
	exit(2);
}

/* Returns false if QEMU has ended. */
static bool flush(void)
{
	size_t done = 0;
	ssize_t n;

	while (done < out_len) {
		n = send(fd, out + done, out_len - done, MSG_NOSIGNAL);
		if (n <= 0)
			return false;
		done += n;
	}
	out_len = 0;
	return true;
}

static void put(const char *packet)
{
	size_t len = strlen(packet), i;
	char *at = out + out_len;
	u8 sum = 0;

	if (out_len + len + 4 > sizeof(out))
		fail("too many packets at once");
	*at++ = '$';
	for (i = 0; i < len; i++)
		sum += *at++ = packet[i];
	*at++ = '#';
	*at++ = digits[sum >> 4];
	*at++ = digits[sum & 15];
	out_len = at - out;
}

static int get_char(void)
{
	ssize_t n;

	if (in_at == in_len) {
		n = read(fd, in, sizeof(in));
		if (n <= 0)
			return EOF;
		in_len = n;
		in_at = 0;
	}
	return (u8)in[in_at++];
}

/* The next packet. Returns false if there is none. */
static bool get(char *packet, size_t size)
{
	size_t len = 0;
	int c;

	do
		c = get_char();
	while (c != EOF && c != '$');
	for (c = get_char(); c != EOF && c != '#'; c = get_char())
		if (len < size - 1)
			packet[len++] = c;
	packet[len] = 0;
	get_char();
	return get_char() != EOF;
}

/* Sends what is to be sent, and returns the reply to the last of it. */
static bool ask(char *reply, size_t size)
{
	if (!flush())
		return false;
	for (; pending; pending--)
		if (!get(reply, size) || strcmp(reply, "OK"))
			return false;
	return get(reply, size);
}

static void order(const char *packet)
{
	put(packet);
	pending++;
}

static void put_hex(char *at, const u8 *bytes, size_t len)
{
	for (; len; len--, bytes++) {
		*at++ = digits[*bytes >> 4];
		*at++ = digits[*bytes & 15];
	}
	*at = 0;
}

static u8 digit(char c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

static size_t get_hex(u8 *bytes, size_t size, const char *hex)
{
	size_t i;

	for (i = 0; i < size && hex[2 * i] && hex[2 * i + 1]; i++)
		bytes[i] = digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]);
	return i;
}

/*
 * One waits for the other, so that both are faster on the same CPU, and if neither interrupts the
 * other. QEMU inherits it.
 */
static void stay_on_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){});
}

/**
 * gdb_start() - start QEMU
 * @emulator: command that prints the words that begin QEMU's command line
 * @options:  its machine, which takes the memory "m", and its CPU
 * @memory:   file descriptor of that memory
 * @size:     the size of it
 *
 * Context: The host.
 * Return: False if there is no such emulator.
 */
bool gdb_start(const char *emulator, const char *options, int memory, unsigned long size)
{
	char command[COMMAND_SIZE], reply[PACKET_SIZE];
	int ends[2], len;

	len = snprintf(command, sizeof(command), "e=$(%s) && exec $e %s -m %luM %s 2>/dev/null",
		       emulator, options, size >> 20, "-nodefaults -display none -S -gdb stdio");
	snprintf(command + len, sizeof(command) - len,
		 " -object memory-backend-file,id=m,share=on,size=%luM,mem-path=/proc/self/fd/%d",
		 size >> 20, memory);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return false;
	stay_on_cpu();
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(ends[1], STDIN_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	close(ends[1]);
	fd = ends[0];
	out_len = 0;
	in_len = 0;
	in_at = 0;
	pending = 0;
	put("?");
	return pid > 0 && ask(reply, sizeof(reply)) && reply[0] == 'T';
}

/**
 * gdb_end() - end QEMU
 *
 * Context: The host, after gdb_start().
 */
void gdb_end(void)
{
	close(fd);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/**
 * gdb_read_registers() - read the registers that QEMU has together
 * @regs: the registers, of %GDB_REGS_SIZE
 * @size: their size
 *
 * Context: The host.
 * Return: False if QEMU has ended.
 */
bool gdb_read_registers(u8 *regs, size_t *size)
{
	char reply[PACKET_SIZE];

	put("g");
	if (!ask(reply, sizeof(reply)))
		return false;
	*size = get_hex(regs, GDB_REGS_SIZE, reply);
	return true;
}

/**
 * gdb_write_registers() - write the registers that QEMU has together
 * @regs: the registers
 * @size: their size
 *
 * Context: The host.
 */
void gdb_write_registers(const u8 *regs, size_t size)
{
	char packet[2 * GDB_REGS_SIZE + 2] = "G";

	put_hex(packet + 1, regs, size);
	order(packet);
}

/**
 * gdb_ask_register() - have a register read
 * @nr: its number
 *
 * Context: The host. gdb_get_register() has to be called for each, in the same order, before
 * anything else is done.
 */
void gdb_ask_register(unsigned int nr)
{
	char packet[64];

	sprintf(packet, "p%x", nr);
	put(packet);
}

/**
 * gdb_get_register() - get a register that was asked for
 * @value: where to
 * @size:  its size
 *
 * Context: The host.
 */
void gdb_get_register(u8 *value, size_t size)
{
	char reply[PACKET_SIZE];

	if (!ask(reply, sizeof(reply)) || get_hex(value, size, reply) != size)
		fail("cannot read a register");
}

/**
 * gdb_write_register() - write a register
 * @nr:    its number
 * @value: what to write
 * @size:  its size
 *
 * Context: The host.
 */
void gdb_write_register(unsigned int nr, const u8 *value, size_t size)
{
	char packet[64];
	int len = sprintf(packet, "P%x=", nr);

	put_hex(packet + len, value, size);
	order(packet);
}

/**
 * gdb_write_memory() - write instructions
 * @addr:  where
 * @bytes: what
 * @len:   how many bytes
 *
 * Other writes are not seen by QEMU if it has translated what was there.
 *
 * Context: The host.
 */
void gdb_write_memory(unsigned long addr, const u8 *bytes, size_t len)
{
	char packet[PACKET_SIZE];
	int at = sprintf(packet, "M%lx,%zx:", addr, len);

	put_hex(packet + at, bytes, len);
	order(packet);
}

/**
 * gdb_break() - have gdb_go() stop at an address
 * @addr: the address
 *
 * Context: The host.
 */
void gdb_break(unsigned long addr)
{
	char packet[64];

	sprintf(packet, "Z1,%lx,4", addr);
	order(packet);
}

static void resume(const char *how)
{
	char reply[PACKET_SIZE];

	put(how);
	if (!ask(reply, sizeof(reply)) || reply[0] != 'T')
		fail("has ended or does not stop");
}

/**
 * gdb_step() - execute an instruction
 *
 * Context: The host.
 */
void gdb_step(void)
{
	resume("vCont;s:1");
}

/**
 * gdb_go() - execute instructions up to what gdb_break() has set
 *
 * Context: The host.
 */
void gdb_go(void)
{
	resume("c");
}
