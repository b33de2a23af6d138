/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KPROBES_ISA_MACHINE_GDB_H
#define KPROBES_ISA_MACHINE_GDB_H

/* What machine-gdb.c has to know of an instruction set, in the same file as its execute_arch. */
#include "execute.h"

/*
 * Where a register of struct machine_reg is: at an offset among those that QEMU reads together;
 * with GDB_NUMBER, one that has a number; with GDB_MEMORY, at an address from which code of
 * gdb_machine.before loads it, and to which gdb_machine.after stores it. The stack pointer is at an
 * offset.
 */
#define GDB_NUMBER	0x10000
#define GDB_MEMORY	0x20000

#define GDB_CODE_MAX	64

/**
 * struct gdb_reg - a register that is written alone
 * @nr:     its number
 * @offset: its offset among those that QEMU reads together
 * @size:   its size
 */
struct gdb_reg {
	unsigned int nr;
	unsigned int offset;
	unsigned int size;
};

/**
 * struct gdb_machine - how QEMU executes an instruction set
 * @options: its machine and CPU
 * @size:    of its memory
 * @address: bits of an address that are that of memory
 * @pc:      the register with the instruction's address
 * @next:    that with the address of the next one, if branches have delay slots; else of size 0
 * @bank:    register that tells which others are meant, written first; of size 0 if there is none
 * @in_bank: its value
 * @code:    address of the code below
 * @first:   writes code that is executed once; NULL if there is none
 * @before:  writes code that is executed before a run, once the registers are set; may be NULL
 * @wants:   tells whether it has to be, for a copy; NULL if always
 * @after:   writes code that is executed after a run, or NULL
 * @ends:    tells whether it has to be, after a copy, or after a trap; NULL if always
 * @clean:   register that @after needs, of size 0 if there is none
 * @value:   what it has to be then
 * @rest:    tells whether registers of GDB_NUMBER belong to a copy; NULL if there are none
 * @trap:    tells what a trap means, if there has been one; else returns %MACHINE_NONE
 * @skips:   tells whether a branch has the next instruction take no effect; may be NULL
 */
struct gdb_machine {
	const char *options;
	unsigned long size;
	unsigned long address;
	struct gdb_reg pc;
	struct gdb_reg next;
	struct gdb_reg bank;
	u64 in_bank;
	unsigned long code;
	unsigned int (*first)(u32 *code);
	unsigned int (*before)(u32 *code);
	bool (*wants)(const u8 *bytes, size_t len);
	unsigned int (*after)(u32 *code);
	bool (*ends)(const u8 *bytes, bool trapped);
	struct gdb_reg clean;
	u64 value;
	bool (*rest)(const u8 *bytes);
	enum machine_end (*trap)(const u8 *regs, unsigned long pc, struct machine_result *result);
	bool (*skips)(const u8 *regs);
};

extern const struct gdb_machine gdb_machine;

#endif /* KPROBES_ISA_MACHINE_GDB_H */
