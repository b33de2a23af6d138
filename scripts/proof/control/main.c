// SPDX-License-Identifier: GPL-2.0
/*
 * usage: control SECONDS SEED
 *
 * Random use of all that user space can ask of kprobes: see calls.c. Any call may have an
 * allocation fail. Runs in the guest of "make proof PART=control".
 *
 * An input is a string of bytes, and each decision takes the next one of them. So each string is a
 * sequence of calls, and one that is changed a little is a similar sequence. An input with which
 * the kernel executes a branch in kernel/kprobes that none has executed before (KCOV) is kept, and
 * later inputs are made of those. That is how AFL works: Zalewski, "Technical 'whitepaper' for
 * afl-fuzz", 2014.
 *
 * Two processes do this side by side. From time to time each takes back what it has set up. The
 * output has a line for each kind of call: how often it succeeded, and how often it was tried.
 */
#include <fcntl.h>
#include <linux/kcov.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"

#define PROCESSES	2
#define INPUT_SIZE	256
#define CALLS		16		/* of an input, at most */
#define KEPT		2048
#define INPUTS_A_LIFE	100		/* then all is taken back */
#define PLACES		(1 << 16)	/* of branches, by a hash */
#define KCOV_WORDS	(1 << 16)

struct input {
	unsigned char bytes[INPUT_SIZE];
	unsigned int length;
};

/* What both processes know. */
static struct {
	unsigned char seen[PLACES];
	unsigned long tried[CALL_KINDS_MAX], succeeded[CALL_KINDS_MAX], inputs, places, failures;
} *shared;

static struct input now, kept[KEPT];
static unsigned int nr_kept, at;		/* the next byte of the input */
static uint64_t *kcov;
static uint64_t random_state;

/* Marsaglia, "Xorshift RNGs", 2003. */
static uint32_t chance(uint32_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 16) % below;
}

/* The input has no end: after the last byte come zeros. */
unsigned int pick(unsigned int below)
{
	unsigned int value = at < now.length ? now.bytes[at] : 0;

	at++;
	if (below > 256) {
		value = value << 8 | (at < now.length ? now.bytes[at] : 0);
		at++;
	}
	return value % below;
}

/* Has the N-th allocation from now on fail, in this process alone. Returns how many were left. */
static int fail_allocation(unsigned int nth)
{
	int fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC), left = 0;
	char text[16] = "";

	if (fd < 0)
		return 0;
	if (pread(fd, text, sizeof(text) - 1, 0) > 0)
		left = atoi(text);
	pwrite(fd, text, sprintf(text, "%u", nth), 0);
	close(fd);
	return left;
}

static void make_call(void)
{
	unsigned int kind = pick(nr_calls);
	unsigned int nth = pick(4) ? 0 : 1 + pick(40);
	bool done;

	if (nth)
		fail_allocation(nth);
	done = calls[kind].make();
	/* 0: it has failed. Else the file has what is left of N. */
	if (nth && !fail_allocation(0))
		__atomic_add_fetch(&shared->failures, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&shared->tried[kind], 1, __ATOMIC_RELAXED);
	if (done)
		__atomic_add_fetch(&shared->succeeded[kind], 1, __ATOMIC_RELAXED);
}

/* Does it execute a pair of places one after the other that was not executed before? */
static bool perform(void)
{
	unsigned long before = shared->places;
	uint64_t last = 0, nr;

	at = 0;
	kcov[0] = 0;
	for (int i = 0; i < CALLS && at < now.length; i++)
		make_call();
	nr = kcov[0];
	for (uint64_t i = 1; i <= nr && i < KCOV_WORDS; i++) {
		uint64_t place = (kcov[i] ^ last >> 1) * 0x9e3779b97f4a7c15 >> 48;

		last = kcov[i];
		if (!__atomic_exchange_n(&shared->seen[place % PLACES], 1, __ATOMIC_RELAXED))
			__atomic_add_fetch(&shared->places, 1, __ATOMIC_RELAXED);
	}
	__atomic_add_fetch(&shared->inputs, 1, __ATOMIC_RELAXED);
	return shared->places != before;
}

/* Makes the next input: a new one, or one that was kept and is changed in some places. */
static void next_input(void)
{
	if (!nr_kept || !chance(8)) {
		now.length = 8 + chance(INPUT_SIZE - 8);
		for (unsigned int i = 0; i < now.length; i++)
			now.bytes[i] = chance(256);
		return;
	}
	now = kept[chance(nr_kept)];
	for (unsigned int nr = 1 + chance(8); nr; nr--) {
		unsigned int where = chance(now.length);
		const struct input *other = &kept[chance(nr_kept)];

		switch (chance(4)) {
		case 0:
			now.bytes[where] = chance(256);
			break;
		case 1:		/* a byte more */
			memmove(now.bytes + where + 1, now.bytes + where, INPUT_SIZE - where - 1);
			now.bytes[where] = chance(256);
			now.length += now.length < INPUT_SIZE;
			break;
		case 2:		/* a byte less */
			memmove(now.bytes + where, now.bytes + where + 1, INPUT_SIZE - where - 1);
			now.length -= now.length > 8;
			break;
		default:	/* the rest of another one */
			if (where < other->length) {
				memcpy(now.bytes + where, other->bytes + where,
				       other->length - where);
				now.length = other->length;
			}
		}
	}
}

static void start_kcov(void)
{
	int fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, KCOV_INIT_TRACE, KCOV_WORDS))
		goto failed;
	kcov = mmap(NULL, KCOV_WORDS * sizeof(*kcov), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (kcov != MAP_FAILED && !ioctl(fd, KCOV_ENABLE, KCOV_TRACE_PC))
		return;
failed:
	perror("kcov");
	_exit(1);
}

static void work(time_t end)
{
	start_kcov();
	for (unsigned long nr = 1; time(NULL) < end; nr++) {
		next_input();
		if (perform() && nr_kept < KEPT)
			kept[nr_kept++] = now;
		if (nr % INPUTS_A_LIFE == 0)
			take_back();
	}
	take_back();
	_exit(0);
}

int main(int argc, char **argv)
{
	time_t begin = time(NULL), end = begin + (argc > 1 ? atoi(argv[1]) : 60);
	unsigned int seed = argc > 2 ? atoi(argv[2]) : 1;
	pid_t pids[PROCESSES];
	int status, bad = 0;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED || !prepare_calls())
		return 1;
	for (int i = 0; i < PROCESSES; i++) {
		random_state = (seed * PROCESSES + i + 1) * 0x9e3779b97f4a7c15;
		pids[i] = fork();
		if (!pids[i])
			work(end);
	}
	while (time(NULL) < end) {
		sleep(10);
		printf("# %ld s: %lu inputs, %lu pairs of places\n", (long)(time(NULL) - begin),
		       shared->inputs, shared->places);
		fflush(stdout);
	}
	for (int i = 0; i < PROCESSES; i++)
		bad |= waitpid(pids[i], &status, 0) != pids[i] || status;
	printf("# %lu inputs, %lu pairs of places, %lu calls in which an allocation failed\n",
	       shared->inputs, shared->places, shared->failures);
	for (unsigned int i = 0; i < nr_calls; i++) {
		if (i && calls[i].make == calls[i - 1].make)
			continue;
		for (unsigned int j = i + 1; j < nr_calls && calls[j].make == calls[i].make; j++) {
			shared->tried[i] += shared->tried[j];
			shared->succeeded[i] += shared->succeeded[j];
		}
		printf("%s: %lu of %lu\n", calls[i].name, shared->succeeded[i], shared->tried[i]);
	}
	return bad;
}
