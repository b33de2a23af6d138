/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KPROBES_ISA_ELF_FILE_H
#define KPROBES_ISA_ELF_FILE_H

/* elf-file.c: reads ELF files of 32 or 64 bit, in either byte order. */
#include <linux/types.h>

/**
 * struct elf_section - a section
 * @name:  its name
 * @addr:  its address in the kernel, 0 if it has none
 * @size:  its size
 * @bytes: its bytes; NULL if the file has none
 * @alloc: it is in the kernel's memory
 * @code:  it has instructions
 */
struct elf_section {
	const char *name;
	unsigned long addr;
	unsigned long size;
	const u8 *bytes;
	bool alloc;
	bool code;
};

/**
 * struct elf_symbol - a symbol
 * @name:    its name
 * @value:   its address, without a bit that tells the instruction set
 * @size:    its size
 * @section: index of its section
 * @code:    it stands for a function
 */
struct elf_symbol {
	const char *name;
	unsigned long value;
	unsigned long size;
	unsigned int section;
	bool code;
};

/**
 * struct elf - the file that was read
 * @word:        bytes of an address
 * @big_endian:  its byte order
 * @machine:     as in the header
 * @sections:    all of them
 * @nr_sections: how many
 * @symbols:     the symbols, if there are any
 * @nr_symbols:  how many
 */
struct elf {
	unsigned int word;
	bool big_endian;
	unsigned int machine;
	struct elf_section *sections;
	size_t nr_sections;
	struct elf_symbol *symbols;
	size_t nr_symbols;
};

extern struct elf elf;

bool elf_load(const char *path);
bool elf_parse(const u8 *bytes, size_t size);
const struct elf_section *elf_find_section(const char *name);
unsigned long elf_value_of(const char *name);
const u8 *elf_at(unsigned long addr, size_t size);
u64 elf_number(const void *at, size_t size);
unsigned long elf_address(unsigned long addr);
unsigned long elf_relative(unsigned long addr);
unsigned long elf_absolute(unsigned long addr, size_t size);

#endif /* KPROBES_ISA_ELF_FILE_H */
