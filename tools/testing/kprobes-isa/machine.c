// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Executes code in Unicorn. The machine has the kernel's memory, data that general registers
 * point into, a stack, and room for copies. After each run memory is as it was before.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>
#include <unicorn/unicorn.h>

#include "elf-file.h"
#include "execute.h"
#include "harness.h"

#define PAGE		0x1000UL
#define SLOTS_SIZE	(16 * PAGE)
#define SLOT_SIZE	128
#define PERCPU_SIZE	(64 * PAGE)
#define DATA_PROT	(UC_PROT_READ | UC_PROT_WRITE)
#define IMAGE_MAX	0x10000000UL	/* sections beyond are elsewhere: vectors, per-CPU data */
#define STEPS_MAX	4096
#define REGIONS_MAX	64
#define ROUNDS_MAX	128		/* of slots, before Unicorn is started anew */

/**
 * struct region - memory of the machine
 * @addr: its address
 * @size: its size
 * @prot: UC_PROT_*
 * @host: its bytes
 * @old:  what they are before each run; NULL if writes are recorded instead
 */
struct region {
	unsigned long addr;
	unsigned long size;
	u32 prot;
	u8 *host;
	u8 *old;
};

/**
 * struct run - the code that is executed
 * @start:  where it begins
 * @end:    where it ends
 * @most:   how many instructions it has at most, 0 if it may repeat them
 * @steps:  how many were begun
 * @result: what it did
 */
struct run {
	unsigned long start;
	unsigned long end;
	unsigned int most;
	unsigned int steps;
	struct machine_result *result;
};

static uc_engine *uc;
static uc_context *fresh;		/* all registers as they were in the beginning */
static const struct execute_arch *const arch = &execute_arch;
static struct region regions[REGIONS_MAX];
static unsigned int nr_regions;
static u8 *slots;
static unsigned long slots_addr;
static unsigned long next_slot;
static struct run run;
static sigjmp_buf aborted;
static int ids[MACHINE_REGS];

/* Old values of bytes that were written, in regions that have no @old. */
static struct machine_change undo[MACHINE_CHANGES];
static unsigned int nr_undo;

static void check(uc_err err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "Unicorn: %s: %s\n", what, uc_strerror(err));
	exit(2);
}

static u8 *map(unsigned long addr, unsigned long size, u32 prot, u8 *host)
{
	if (nr_regions == REGIONS_MAX) {
		fprintf(stderr, "the kernel has too many sections\n");
		exit(2);
	}
	if (!host)
		host = aligned_alloc(PAGE, size);
	check(uc_mem_map_ptr(uc, addr, size, prot, host), "map");
	regions[nr_regions++] = (struct region){ addr, size, prot, host };
	return host;
}

static void map_data(unsigned long addr)
{
	struct region *r = &regions[nr_regions];

	machine_fill(map(addr, MACHINE_DATA_SIZE, DATA_PROT, NULL), MACHINE_DATA_SIZE);
	r->old = malloc(MACHINE_DATA_SIZE);
	memcpy(r->old, r->host, MACHINE_DATA_SIZE);
}

static struct region *region_of(unsigned long addr)
{
	unsigned int i;

	for (i = 0; i < nr_regions; i++)
		if (addr - regions[i].addr < regions[i].size)
			return &regions[i];
	return NULL;
}

/* Is there still an instruction of the code to execute? If not, notes where it went. */
static bool goes_on(unsigned long addr)
{
	bool inside = addr - run.start < run.end - run.start;

	if (inside && (!run.most || run.steps < run.most))
		return true;
	run.result->end = MACHINE_WENT;
	run.result->pc = addr;
	return false;
}

static void note_sp(void)
{
	union machine_value sp = {};

	uc_reg_read(uc, ids[machine_sp()], &sp);
	run.result->lowest = min_t(unsigned long, run.result->lowest, sp.number);
}

static void on_code(uc_engine *engine, uint64_t addr, uint32_t size, void *data)
{
	if (run.steps)
		note_sp();
	/* Unicorn may begin another instruction after a write that fails. */
	if (run.result->end != MACHINE_NONE || !goes_on(addr)) {
		uc_emu_stop(uc);
	} else if (run.steps++ == STEPS_MAX) {
		run.result->end = MACHINE_LONG;
		uc_emu_stop(uc);
	} else {
		run.result->at = addr - run.start;
	}
}

static void on_write(uc_engine *engine, uc_mem_type type, uint64_t addr, int size, s64 value,
		     void *data)
{
	struct region *r = region_of(addr);

	for (; r && !r->old && size && nr_undo < MACHINE_CHANGES; size--, addr++)
		if (addr - r->addr < r->size)
			undo[nr_undo++] = (struct machine_change){ addr, r->host[addr - r->addr] };
}

static bool on_invalid(uc_engine *engine, uc_mem_type type, uint64_t addr, int size,
		       s64 value, void *data)
{
	if (type == UC_MEM_FETCH_UNMAPPED || type == UC_MEM_FETCH_PROT) {
		if (goes_on(addr))
			run.result->end = MACHINE_UNDEFINED;
		return false;
	}
	run.result->end = MACHINE_FAULT;
	run.result->fault = addr;
	run.result->write = type == UC_MEM_WRITE_UNMAPPED || type == UC_MEM_WRITE_PROT;
	return false;
}

static void on_exception(uc_engine *engine, uint32_t number, void *data)
{
	run.result->end = arch->undefined && number == arch->undefined ? MACHINE_UNDEFINED :
									 MACHINE_EXCEPTION;
	run.result->fault = number;
	uc_emu_stop(uc);
}

static bool on_undefined(uc_engine *engine, void *data)
{
	run.result->end = MACHINE_UNDEFINED;
	return false;
}

static void add_hook(int type, void *function)
{
	uc_hook hook;

	check(uc_hook_add(uc, &hook, type, function, NULL, 1, 0), "hook");
}

static void end(void)
{
	uc_context_free(fresh);
	uc_close(uc);
}

/* Starts Unicorn, with the memory that there is. */
static bool start(void)
{
	unsigned int i;

	if (uc_open(arch->arch, arch->mode, &uc))
		return false;
	check(uc_ctl_set_cpu_model(uc, arch->cpu), "model");
	if (arch->open)
		arch->open(uc);
	for (i = 0; i < nr_regions; i++)
		check(uc_mem_map_ptr(uc, regions[i].addr, regions[i].size, regions[i].prot,
				     regions[i].host), "map");
	add_hook(UC_HOOK_CODE, on_code);
	add_hook(UC_HOOK_MEM_WRITE, on_write);
	add_hook(UC_HOOK_MEM_INVALID, on_invalid);
	add_hook(UC_HOOK_INTR, on_exception);
	add_hook(UC_HOOK_INSN_INVALID, on_undefined);
	check(uc_context_alloc(uc, &fresh), "context");
	check(uc_context_save(uc, fresh), "context");
	return true;
}

/* What Unicorn does with some instructions. It cannot go on then. */
static void on_abort(int number)
{
	siglongjmp(aborted, 1);
}

/**
 * machine_open() - make the machine
 * @table: for the instructions of a golden table
 *
 * Context: The host, once, or anew for another image.
 * Return: False if Unicorn does not have it.
 */
bool machine_open(bool table)
{
	unsigned int i;

	for (i = 0; i < arch->nr_regs; i++)
		ids[i] = arch->regs[i].id;
	signal(SIGABRT, on_abort);
	if (!start())
		return false;
	map_data(arch->data);
	map_data(arch->stack);
	slots_addr = table && arch->table_slots ? arch->table_slots : arch->slots;
	slots = map(slots_addr, SLOTS_SIZE, UC_PROT_ALL, NULL);
	if (arch->percpu)
		machine_fill(map(arch->percpu, PERCPU_SIZE, DATA_PROT, NULL), PERCPU_SIZE);
	return true;
}

/**
 * machine_close() - end the machine
 *
 * Context: The host, after machine_open().
 */
void machine_close(void)
{
	end();
	nr_regions = 0;
	next_slot = 0;
}

static bool is_loaded(const struct elf_section *s, unsigned long text)
{
	return s->alloc && s->size && s->addr - text < IMAGE_MAX;
}

/* Pages with instructions cannot be written to. */
static void map_pages(u8 *image, unsigned long from, const u8 *code, size_t nr)
{
	size_t i, first = 0;

	for (i = 1; i <= nr; i++) {
		if (i < nr && code[i] == code[first])
			continue;
		map(from + first * PAGE, (i - first) * PAGE,
		    code[first] ? UC_PROT_READ | UC_PROT_EXEC : DATA_PROT,
		    image + first * PAGE);
		first = i;
	}
}

/**
 * machine_map_image() - map the kernel that elf_load() has read
 *
 * Context: The host, after machine_open().
 */
void machine_map_image(void)
{
	unsigned long text = elf_find_section(".text")->addr, from, end = 0, offset;
	const struct elf_section *s;
	u8 *image, *code;

	from = text & ~(PAGE - 1);
	for (s = elf.sections; s < elf.sections + elf.nr_sections; s++)
		if (is_loaded(s, text))
			end = max_t(unsigned long, end, s->addr + s->size);
	end = (end + PAGE - 1) & ~(PAGE - 1);
	image = aligned_alloc(PAGE, end - from);
	memset(image, 0, end - from);
	code = calloc(1, (end - from) / PAGE);
	for (s = elf.sections; s < elf.sections + elf.nr_sections; s++) {
		if (!is_loaded(s, text) || !s->bytes)
			continue;
		memcpy(image + (s->addr - from), s->bytes, s->size);
		for (offset = 0; s->code && offset < s->size; offset += PAGE)
			code[(s->addr + offset - from) / PAGE] = 1;
	}
	map_pages(image, from, code, (end - from) / PAGE);
	free(code);
}

/**
 * machine_map_page() - map a page of text, and those before and after it
 * @addr: an address in it
 *
 * Context: The host, after machine_open().
 */
void machine_map_page(unsigned long addr)
{
	memset(map((addr & ~(PAGE - 1)) - PAGE, 3 * PAGE, UC_PROT_READ | UC_PROT_EXEC, NULL), 0,
	       3 * PAGE);
}

/**
 * machine_write_text() - write instructions into text
 * @addr:  where
 * @bytes: the instructions
 * @len:   how many bytes
 *
 * Context: The host.
 */
void machine_write_text(unsigned long addr, const u8 *bytes, size_t len)
{
	struct region *r = region_of(addr);

	memcpy(r->host + (addr - r->addr), bytes, len);
	check(uc_ctl_remove_cache(uc, addr, addr + len), "cache");
}

/**
 * machine_exchange_text() - put a breakpoint after an instruction, or take it away
 * @addr:  where
 * @bytes: what to write; it becomes what was there
 * @len:   how many bytes
 *
 * Unicorn translates what comes after an instruction together with it, and that is the same for a
 * copy then.
 *
 * Context: The host.
 */
void machine_exchange_text(unsigned long addr, u8 *bytes, size_t len)
{
	struct region *r = region_of(addr);
	u8 *at = r->host + (addr - r->addr), old;
	unsigned long begin = addr;

	for (; len && addr - r->addr < r->size; len--, addr++, at++, bytes++) {
		old = *at;
		*at = *bytes;
		*bytes = old;
	}
	check(uc_ctl_remove_cache(uc, begin, begin + 1), "cache");
}

/**
 * machine_next_slot() - tell where the next slot is
 *
 * Context: The host.
 * Return: Its address.
 */
unsigned long machine_next_slot(void)
{
	return slots_addr + next_slot;
}

/*
 * Once Unicorn's memory for translated code is full, some later invalidation reads what is no
 * longer there, and ends with a segmentation fault.
 */
static void forget_slots(void)
{
	static unsigned int rounds;

	if (++rounds % ROUNDS_MAX) {
		check(uc_ctl_remove_cache(uc, slots_addr, slots_addr + SLOTS_SIZE), "cache");
	} else {
		end();
		start();
	}
}

/**
 * machine_write_slot() - write a copy into a slot where Unicorn has translated nothing yet
 * @bytes: the copy and a breakpoint
 * @len:   how many bytes
 *
 * Context: The host.
 * Return: Its address.
 */
unsigned long machine_write_slot(const u8 *bytes, size_t len)
{
	unsigned long at = next_slot;

	memcpy(slots + at, bytes, len);
	next_slot = (next_slot + SLOT_SIZE) % SLOTS_SIZE;
	if (!next_slot)
		forget_slots();
	return slots_addr + at;
}

static int compare_changes(const void *a, const void *b)
{
	unsigned long x = ((const struct machine_change *)a)->addr;
	unsigned long y = ((const struct machine_change *)b)->addr;

	return x < y ? -1 : x > y;
}

/* The last byte that was written is restored first: each was noted as it was then. */
static void collect_written(struct machine_result *result)
{
	unsigned int i, nr = result->nr_changes, kept;

	for (i = 0; i < nr_undo; i++)
		machine_note_change(result, undo[i].addr, *(region_of(undo[i].addr)->host +
			undo[i].addr - region_of(undo[i].addr)->addr));
	while (nr_undo) {
		struct region *r = region_of(undo[--nr_undo].addr);

		r->host[undo[nr_undo].addr - r->addr] = undo[nr_undo].value;
	}
	qsort(result->changes, result->nr_changes, sizeof(result->changes[0]), compare_changes);
	/* Those that were written twice, or with what they were. */
	for (i = 0, kept = 0, nr = result->nr_changes; i < nr; i++) {
		struct machine_change *c = &result->changes[i];
		struct region *r = region_of(c->addr);

		if (kept && c->addr == result->changes[kept - 1].addr)
			continue;
		if (r->old || r->host[c->addr - r->addr] != c->value)
			result->changes[kept++] = *c;
	}
	result->nr_changes = kept;
}

static void collect(struct machine_result *result)
{
	void *values[MACHINE_REGS];
	unsigned int i;

	for (i = 0; i < arch->nr_regs; i++) {
		result->regs[i] = (union machine_value){};
		values[i] = &result->regs[i];
	}
	uc_reg_read_batch(uc, ids, values, arch->nr_regs);
	result->nr_changes = 0;
	for (i = 0; i < nr_regions; i++)
		if (regions[i].old)
			machine_note_changes(result, regions[i].addr, regions[i].host,
					     regions[i].old, regions[i].size);
	collect_written(result);
}

static void run_code(unsigned long addr, unsigned long until)
{
	uc_err err = uc_emu_start(uc, arch->start ? arch->start(addr) : addr, until, 0, 0);

	if (err == UC_ERR_INSN_INVALID)
		run.result->end = MACHINE_UNDEFINED;
	else if (!err && until && run.result->end == MACHINE_NONE)
		goes_on(until);
}

/**
 * machine_run() - execute some code
 * @result: what it did
 * @state:  registers before it
 * @addr:   where the code is
 * @len:    how long it is; 0 if it does nothing
 * @most:   how many instructions it has at most, 0 if one may repeat itself
 * @branch: it is a branch, or a copy of one
 *
 * Context: The host.
 */
void machine_run(struct machine_result *result, const union machine_value *state,
		 unsigned long addr, size_t len, unsigned int most, bool branch)
{
	void *values[MACHINE_REGS];
	unsigned int i;

	for (i = 0; i < arch->nr_regs; i++)
		values[i] = (void *)&state[i];
	check(uc_context_restore(uc, fresh), "context");
	check(uc_reg_write_batch(uc, ids, values, arch->nr_regs), "registers");
	result->end = MACHINE_NONE;
	result->lowest = state[machine_sp()].number;
	result->at = 0;
	result->fault = 0;
	result->pc = addr;
	run = (struct run){ .start = addr, .end = addr + len, .most = most,
			    .result = result };
	if (!len) {
		result->end = MACHINE_WENT;
	} else if (sigsetjmp(aborted, 1)) {
		result->end = MACHINE_ABORTED;
		start();
	} else {
		run_code(addr, arch->until ? addr + len : 0);
	}
	if (result->end == MACHINE_NONE)
		result->end = MACHINE_UNDEFINED;
	collect(result);
}
