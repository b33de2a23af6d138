// SPDX-License-Identifier: GPL-2.0
/*
 * perf as a client of kprobes: whoever records what the kernel executes is told what is written
 * into slots and detours, and that it is there no more, before the memory is used again.
 */
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "../kselftest.h"
#include "client_pmu.h"

#define MAX_CPUS 64
#define MAX_POKES 1024
#define DATA_SIZE (64 * 4096)
#define PAGE_NAME "kprobe_insn_page"
#define PATIENCE 600			/* tenths of a second */
#define ROUNDS 20

/* A record of text being written, or taken away. */
struct poke {
	uint64_t addr;
	uint16_t old_len;
	uint16_t new_len;
	uint8_t *bytes;
};

static struct {
	int fd;
	struct perf_event_mmap_page *page;
	uint64_t tail;
} rings[MAX_CPUS];
static int nr_rings;

static struct poke pokes[MAX_POKES];
static int nr_pokes;

/* The pages of slots, as /proc/kallsyms names them. */
static uint64_t slot_pages[64];
static int nr_slot_pages;

static void open_ring(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.text_poke = 1,
	};
	int fd = syscall(__NR_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	void *page;

	if (fd < 0 && errno == ENODEV)		/* not online */
		return;
	if (fd < 0)
		ksft_exit_fail_perror("perf_event_open for text pokes");
	page = mmap(NULL, sysconf(_SC_PAGESIZE) + DATA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
		    fd, 0);
	if (page == MAP_FAILED)
		ksft_exit_fail_perror("mmap");
	rings[nr_rings].fd = fd;
	rings[nr_rings++].page = page;
}

/* Text is written rarely: what does not fit into the table is too much for the ring as well. */
static void take(const struct perf_event_header *header)
{
	const uint8_t *body = (const uint8_t *)(header + 1);
	struct poke *poke = &pokes[nr_pokes];
	size_t size;

	if (header->type == PERF_RECORD_LOST)
		ksft_exit_fail_msg("records were lost\n");
	if (header->type != PERF_RECORD_TEXT_POKE)
		return;
	if (++nr_pokes == MAX_POKES)
		ksft_exit_fail_msg("more than %d records\n", MAX_POKES);
	memcpy(&poke->addr, body, 8);
	memcpy(&poke->old_len, body + 8, 2);
	memcpy(&poke->new_len, body + 10, 2);
	size = poke->old_len + poke->new_len;
	poke->bytes = malloc(size);
	memcpy(poke->bytes, body + 12, size);
}

static void read_ring(int i)
{
	uint8_t *data = (uint8_t *)rings[i].page + sysconf(_SC_PAGESIZE);
	/* The kernel counts in a long: where that has 32 bits, the upper half does not change. */
	uint64_t head = rings[i].page->data_head;
	static uint8_t record[65536];

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	while (rings[i].tail < head) {
		struct perf_event_header *header = (void *)record;

		/* Aligned to 8 bytes: a header is in one piece. */
		memcpy(record, data + rings[i].tail % DATA_SIZE, sizeof(*header));
		for (int n = 0; n < header->size; n++)
			record[n] = data[(rings[i].tail + n) % DATA_SIZE];
		rings[i].tail += header->size;
		take(header);
	}
	__atomic_thread_fence(__ATOMIC_RELEASE);
	rings[i].page->data_tail = rings[i].tail;
}

static void read_rings(void)
{
	for (int i = 0; i < nr_rings; i++)
		read_ring(i);
}

static void find_slot_pages(void)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[512], name[256];
	unsigned long long addr;

	nr_slot_pages = 0;
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %*c %255s", &addr, name) == 2 && !strcmp(name, PAGE_NAME) &&
		    nr_slot_pages < (int)ARRAY_SIZE(slot_pages))
			slot_pages[nr_slot_pages++] = addr;
	if (f)
		fclose(f);
}

static bool is_in_slot(const struct poke *poke)
{
	uint64_t page = poke->addr & ~(uint64_t)(sysconf(_SC_PAGESIZE) - 1);

	for (int i = 0; i < nr_slot_pages; i++)
		if (slot_pages[i] == page)
			return true;
	return false;
}

static bool is_written(const struct poke *poke)
{
	return !poke->old_len && poke->new_len && is_in_slot(poke);
}

/* Does the one record say that what the other has written is there no more? */
static bool takes_away(const struct poke *gone, const struct poke *written)
{
	return gone->addr == written->addr && !gone->new_len &&
	       gone->old_len >= written->new_len &&
	       !memcmp(gone->bytes, written->bytes, written->new_len);
}

static int count_taken_away(const struct poke *written)
{
	int count = 0;

	for (int i = 0; i < nr_pokes; i++)
		count += takes_away(&pokes[i], written);
	return count;
}

/* The same may be written to the same place again. */
static int count_written(const struct poke *written)
{
	int count = 0;

	for (int i = 0; i < nr_pokes; i++)
		count += pokes[i].addr == written->addr && is_written(&pokes[i]) &&
			 pokes[i].new_len == written->new_len &&
			 !memcmp(pokes[i].bytes, written->bytes, written->new_len);
	return count;
}

/* What was written and is not told to be gone, from a record on. */
static int count_left(int from)
{
	int left = 0;

	for (int i = from; i < nr_pokes; i++)
		if (is_written(&pokes[i]))
			left += count_taken_away(&pokes[i]) < count_written(&pokes[i]);
	return left;
}

static int count_slots_written(int from)
{
	int written = 0;

	for (int i = from; i < nr_pokes; i++)
		written += is_written(&pokes[i]);
	return written;
}

/* Memory is freed after a grace period. */
static bool all_gone(int from)
{
	for (int n = 0; n < PATIENCE; n++) {
		read_rings();
		if (!count_left(from))
			return true;
		poll(NULL, 0, 100);
	}
	ksft_print_msg("%d of %d pieces of code are still there\n", count_left(from),
		       count_slots_written(from));
	return false;
}

static bool uses_again(int from)
{
	for (int i = from; i < nr_pokes; i++)
		for (int k = 0; k < from; k++)
			if (is_written(&pokes[i]) && is_written(&pokes[k]) &&
			    pokes[i].addr == pokes[k].addr)
				return true;
	return false;
}

/* Sets a probe, and takes it off again. Returns the first record of that time. */
static int come_and_go(void)
{
	int from = nr_pokes;
	int fd = pmu_open(READ_FUNCTION, false);

	if (fd < 0)
		ksft_exit_fail_perror("perf_event_open");
	for (int n = 0; n < PATIENCE && !count_slots_written(from); n++) {
		do_reads(1);
		read_rings();
		find_slot_pages();
		poll(NULL, 0, 100);
	}
	close(fd);
	return from;
}

/* Memory that is free is used again, but others may have been quicker. */
static int come_until_used_again(void)
{
	int from = come_and_go();

	for (int round = 1; round < ROUNDS && !uses_again(from) && all_gone(from); round++)
		from = come_and_go();
	return from;
}

int main(void)
{
	int first, second;

	ksft_print_header();
	if (pmu_type() < 0)
		ksft_exit_skip("no kprobe PMU: CONFIG_PERF_EVENTS and CONFIG_KPROBE_EVENTS\n");
	for (int cpu = 0; cpu < MAX_CPUS && cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++)
		open_ring(cpu);
	ksft_set_plan(5);
	first = come_and_go();
	ksft_test_result(count_slots_written(first), "code for a probe is told\n");
	ksft_test_result(all_gone(first), "and that it is gone\n");
	second = come_until_used_again();
	ksft_test_result(count_slots_written(second), "code for another is told\n");
	ksft_test_result(uses_again(second), "in the same memory\n");
	ksft_test_result(all_gone(second), "and that it is gone\n");
	ksft_finished();
}
