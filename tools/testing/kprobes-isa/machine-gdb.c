// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Executes code in QEMU's machine, one instruction after the other. Its memory is this program's
 * as well: the kernel's, data that general registers point into, a stack, and room for copies.
 * Nothing else executes there. A trap ends at an address where there is no text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/kernel.h>

#include "elf-file.h"
#include "gdb.h"
#include "harness.h"
#include "machine-gdb.h"

#define SLOTS_SIZE	0x10000UL
#define SLOT_SIZE	128
#define STEPS_MAX	64
#define WORD		4
#define PAGE		0x1000UL

static const struct execute_arch *const arch = &execute_arch;
static const struct gdb_machine *const gdb = &gdb_machine;

/* What small numbers are the addresses of, data and the stack. */
static const unsigned long zero;
static const struct {
	const unsigned long *addr;
	unsigned long size;
} written[] = {
	{ &zero, PAGE },
	{ &execute_arch.data, MACHINE_DATA_SIZE },
	{ &execute_arch.stack, MACHINE_DATA_SIZE },
};

static u8 *memory;
static u8 *text;			/* the memory as it was in the beginning */
static int memory_fd = -1;
static u8 fresh[GDB_REGS_SIZE];		/* likewise registers */
static size_t fresh_size;
static unsigned long slots_addr, next_slot;
static unsigned long before_addr, after_addr, before_end;
static bool with_before, with_rest;
static u8 copy[SLOT_SIZE];		/* what is executed, or what a copy of it is */

static unsigned long offset_of(unsigned long addr)
{
	return addr & gdb->address;
}

static u8 *at(unsigned long addr)
{
	return memory + offset_of(addr);
}

static u64 get_value(const u8 *from, unsigned int size)
{
	u64 value = 0;
	unsigned int i;

	for (i = 0; i < size; i++)
		value |= (u64)from[harness_target.big_endian ? size - 1 - i : i] << 8 * i;
	return value;
}

static void put_value(u8 *to, u64 value, unsigned int size)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		to[harness_target.big_endian ? size - 1 - i : i] = value >> 8 * i;
}

static u64 get_reg(const u8 *regs, const struct gdb_reg *reg)
{
	return get_value(regs + reg->offset, reg->size);
}

static void write_reg(const struct gdb_reg *reg, u64 value)
{
	u8 bytes[8];

	put_value(bytes, value, reg->size);
	if (reg->size)
		gdb_write_register(reg->nr, bytes, reg->size);
}

static void write_pc(unsigned long addr)
{
	write_reg(&gdb->pc, addr);
	write_reg(&gdb->next, addr + WORD);
}

/* Returns where it ends. */
static unsigned long write_code(unsigned long addr, unsigned int (*write)(u32 *code))
{
	u32 code[GDB_CODE_MAX];
	unsigned int nr = write ? write(code) : 0, i;

	for (i = 0; i < nr; i++)
		put_value(at(addr + i * WORD), code[i], WORD);
	return addr + nr * WORD;
}

static void open_code(void)
{
	unsigned long end = write_code(gdb->code, gdb->first), addr;

	if (arch->open)
		arch->open(NULL);
	for (addr = gdb->code; addr < end; addr += WORD) {
		write_pc(addr);
		gdb_step();
	}
	before_addr = end;
	before_end = write_code(before_addr, gdb->before);
	if (gdb->before)
		gdb_break(before_end);
	after_addr = before_end + WORD;
	end = write_code(after_addr, gdb->after);
	if (gdb->after)
		gdb_break(end);
}

/**
 * machine_open() - make the machine
 * @table: for the instructions of a golden table
 *
 * Context: The host, once, or anew for another image.
 * Return: False if there is no emulator.
 */
bool machine_open(bool table)
{
	unsigned int i;

	memory_fd = memfd_create("memory", 0);
	if (memory_fd < 0 || ftruncate(memory_fd, gdb->size))
		return false;
	memory = mmap(NULL, gdb->size, PROT_READ | PROT_WRITE, MAP_SHARED, memory_fd, 0);
	text = mmap(NULL, gdb->size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED || text == MAP_FAILED ||
	    !gdb_start(EXECUTE_EMULATOR, gdb->options, memory_fd, gdb->size))
		return false;
	machine_fill(text + offset_of(arch->data), MACHINE_DATA_SIZE);
	machine_fill(text + offset_of(arch->stack), MACHINE_DATA_SIZE);
	for (i = 0; i < ARRAY_SIZE(written); i++)
		memcpy(at(*written[i].addr), text + offset_of(*written[i].addr), written[i].size);
	slots_addr = table && arch->table_slots ? arch->table_slots : arch->slots;
	open_code();
	return gdb_read_registers(fresh, &fresh_size);
}

/**
 * machine_close() - end the machine
 *
 * Context: The host, after machine_open().
 */
void machine_close(void)
{
	gdb_end();
	munmap(memory, gdb->size);
	munmap(text, gdb->size);
	close(memory_fd);
	next_slot = 0;
}

/**
 * machine_map_image() - load the kernel that elf_load() has read
 *
 * Context: The host, after machine_open().
 */
void machine_map_image(void)
{
	const struct elf_section *s;

	for (s = elf.sections; s < elf.sections + elf.nr_sections; s++) {
		if (!s->alloc || !s->bytes || offset_of(s->addr) + s->size > gdb->size)
			continue;
		memcpy(at(s->addr), s->bytes, s->size);
		memcpy(text + offset_of(s->addr), s->bytes, s->size);
	}
}

/**
 * machine_map_page() - have memory of text
 * @addr: an address in it
 *
 * Context: The host, after machine_open().
 */
void machine_map_page(unsigned long addr)
{
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
	memcpy(text + offset_of(addr), bytes, len);
	gdb_write_memory(addr, bytes, len);
}

/**
 * machine_exchange_text() - put a breakpoint after an instruction, or take it away
 * @addr:  where
 * @bytes: what to write
 * @len:   how many bytes
 *
 * Nothing has to be done, as what comes after an instruction is not executed.
 *
 * Context: The host.
 */
void machine_exchange_text(unsigned long addr, u8 *bytes, size_t len)
{
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

/**
 * machine_write_slot() - write a copy into a slot
 * @bytes: the copy and a breakpoint
 * @len:   how many bytes
 *
 * Context: The host.
 * Return: Its address.
 */
unsigned long machine_write_slot(const u8 *bytes, size_t len)
{
	unsigned long addr = machine_next_slot();

	machine_write_text(addr, bytes, len);
	next_slot = (next_slot + SLOT_SIZE) % SLOTS_SIZE;
	memcpy(copy, bytes, len);
	with_before = gdb->before && (!gdb->wants || gdb->wants(bytes, len));
	with_rest = gdb->rest && gdb->rest(bytes);
	return addr;
}

/* Some access may have written there. */
static void restore_text(unsigned long addr, size_t len)
{
	if (memcmp(at(addr), text + offset_of(addr), len))
		gdb_write_memory(addr, text + offset_of(addr), len);
}

static void write_value(u8 *to, const union machine_value *value, unsigned int size)
{
	if (size > sizeof(u64))
		memcpy(to, value->half, size);
	else
		put_value(to, value->number, size);
}

static void read_value(union machine_value *value, const u8 *from, unsigned int size)
{
	*value = (union machine_value){};
	if (size > sizeof(u64))
		memcpy(value->half, from, size);
	else
		value->number = get_value(from, size);
}

static void write_state(const union machine_value *state, unsigned long addr)
{
	unsigned long first = with_before ? before_addr : addr;
	u8 regs[GDB_REGS_SIZE], bytes[16];
	unsigned int i, size, id;

	write_reg(&gdb->bank, gdb->in_bank);
	memcpy(regs, fresh, fresh_size);
	for (i = 0; i < arch->nr_regs; i++) {
		size = arch->regs[i].size;
		id = arch->regs[i].id;
		if (id & GDB_MEMORY) {
			write_value(memory + (id & ~GDB_MEMORY), &state[i], size);
		} else if (!(id & GDB_NUMBER)) {
			write_value(regs + id, &state[i], size);
		} else if (with_rest) {
			write_value(bytes, &state[i], size);
			gdb_write_register(id & ~GDB_NUMBER, bytes, size);
		}
	}
	put_value(regs + gdb->pc.offset, first, gdb->pc.size);
	if (gdb->next.size)
		put_value(regs + gdb->next.offset, first + WORD, gdb->next.size);
	gdb_write_registers(regs, fresh_size);
	if (with_before) {
		gdb_go();
		write_pc(addr);
	}
}

static void read_state(struct machine_result *result, const u8 *regs)
{
	unsigned int i, size, id;
	u8 bytes[16];

	for (i = 0; with_rest && i < arch->nr_regs; i++)
		if (arch->regs[i].id & GDB_NUMBER)
			gdb_ask_register(arch->regs[i].id & ~GDB_NUMBER);
	for (i = 0; i < arch->nr_regs; i++) {
		size = arch->regs[i].size;
		id = arch->regs[i].id;
		result->regs[i] = (union machine_value){};
		if (id & GDB_MEMORY) {
			read_value(&result->regs[i], memory + (id & ~GDB_MEMORY), size);
		} else if (!(id & GDB_NUMBER)) {
			read_value(&result->regs[i], regs + id, size);
		} else if (with_rest) {
			gdb_get_register(bytes, size);
			read_value(&result->regs[i], bytes, size);
		}
		result->regs[i].number &= ~arch->regs[i].ignore;
	}
}

static void read_memory(struct machine_result *result)
{
	unsigned int i;

	result->nr_changes = 0;
	for (i = 0; i < ARRAY_SIZE(written); i++)
		machine_note_changes(result, *written[i].addr, at(*written[i].addr),
				     text + offset_of(*written[i].addr), written[i].size);
}

static void note_sp(struct machine_result *result, const u8 *regs)
{
	const struct machine_reg *sp = &arch->regs[machine_sp()];

	result->lowest = min_t(unsigned long, result->lowest,
			       get_value(regs + sp->id, sp->size));
}

/* Steps until the code is left, or a trap is taken. Sets @regs to the registers then. */
static void run_code(struct machine_result *result, u8 *regs, unsigned long addr, size_t len,
		     unsigned int most, bool branch)
{
	unsigned int steps = 0;
	unsigned long pc = addr, next;
	bool skips;
	size_t size;

	do {
		result->at = pc - addr;
		gdb_step();
		gdb_read_registers(regs, &size);
		note_sp(result, regs);
		pc = get_reg(regs, &gdb->pc);
		steps++;
		result->end = gdb->trap(regs, pc, result);
		if (result->end != MACHINE_NONE)
			return;
		next = gdb->next.size ? get_reg(regs, &gdb->next) : pc + WORD;
		skips = branch && gdb->skips && gdb->skips(regs);
	} while (skips || (pc - addr < len && steps < (most ?: STEPS_MAX)));
	result->end = most || steps < STEPS_MAX ? MACHINE_WENT : MACHINE_LONG;
	/* A branch that waits for a delay slot shows there. */
	result->pc = next - WORD;
}

/* What nothing does. */
static void copy_state(struct machine_result *result, const union machine_value *state)
{
	unsigned int i;

	for (i = 0; i < arch->nr_regs; i++) {
		result->regs[i] = (union machine_value){};
		if (with_rest || !(arch->regs[i].id & GDB_NUMBER))
			result->regs[i] = state[i];
		result->regs[i].number &= ~arch->regs[i].ignore;
	}
}

static void run_after(void)
{
	write_reg(&gdb->clean, gdb->value);
	write_pc(after_addr);
	gdb_go();
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
	u8 regs[GDB_REGS_SIZE];

	result->lowest = state[machine_sp()].number;
	result->at = 0;
	result->fault = 0;
	result->write = false;
	result->pc = addr;
	result->nr_changes = 0;
	if (!len) {
		result->end = MACHINE_WENT;
		copy_state(result, state);
		return;
	}
	restore_text(addr, len);
	write_state(state, addr);
	run_code(result, regs, addr, len, most, branch);
	if (gdb->after && (!gdb->ends || gdb->ends(copy, result->end != MACHINE_WENT)))
		run_after();
	read_state(result, regs);
	read_memory(result);
}
