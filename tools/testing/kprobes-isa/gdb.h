/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KPROBES_ISA_GDB_H
#define KPROBES_ISA_GDB_H

/* gdb.c: QEMU's machine, by the remote protocol of gdb. */
#include <linux/types.h>

#define GDB_REGS_SIZE	1024	/* of all registers that are read together */

bool gdb_start(const char *emulator, const char *options, int memory, unsigned long size);
void gdb_end(void);
bool gdb_read_registers(u8 *regs, size_t *size);
void gdb_write_registers(const u8 *regs, size_t size);
void gdb_ask_register(unsigned int nr);
void gdb_get_register(u8 *value, size_t size);
void gdb_write_register(unsigned int nr, const u8 *value, size_t size);
void gdb_write_memory(unsigned long addr, const u8 *bytes, size_t len);
void gdb_break(unsigned long addr);
void gdb_step(void);
void gdb_go(void);

#endif /* KPROBES_ISA_GDB_H */
