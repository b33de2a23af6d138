// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads an ELF file: what its header tells of byte order and size of addresses, its sections
 * and symbols. One file at a time; what was read of the one before is gone then.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>

#include "elf-file.h"

struct elf elf;

static const u8 *file;

/* Structures have fields of the same names with 32 bits and with 64. */
#define FIELD_OF(type, at, field)	\
	elf_number(&((const type *)(at))->field, sizeof(((const type *)(at))->field))
#define FIELD(type, at, field)		\
	(elf.word == 8 ? FIELD_OF(Elf64_##type, at, field) : FIELD_OF(Elf32_##type, at, field))
#define SIZE_OF(type)			\
	(elf.word == 8 ? sizeof(Elf64_##type) : sizeof(Elf32_##type))

/**
 * elf_number() - read a number in the file's byte order
 * @at:   where it is
 * @size: how many bytes it has
 *
 * Context: The host, after elf_load().
 * Return: The number.
 */
u64 elf_number(const void *at, size_t size)
{
	const u8 *bytes = at;
	u64 number = 0;
	size_t i;

	for (i = 0; i < size; i++)
		number = number << 8 | bytes[elf.big_endian ? i : size - 1 - i];
	return number;
}

/**
 * elf_address() - cut a sum off as the kernel's machine does
 * @addr: the sum
 *
 * Context: The host, after elf_load().
 * Return: The address.
 */
unsigned long elf_address(unsigned long addr)
{
	return elf.word == 8 ? addr : (u32)addr;
}

/**
 * elf_at() - find the bytes at an address of the kernel
 * @addr: the address
 * @size: how many bytes
 *
 * Context: The host, after elf_load().
 * Return: The bytes, or NULL if the file does not have all of them.
 */
const u8 *elf_at(unsigned long addr, size_t size)
{
	const struct elf_section *s;
	size_t i;

	for (i = 0; i < elf.nr_sections; i++) {
		s = &elf.sections[i];
		if (s->bytes && s->addr && addr - s->addr < s->size &&
		    size <= s->size - (addr - s->addr))
			return s->bytes + (addr - s->addr);
	}
	return NULL;
}

static u64 number_at(unsigned long addr, size_t size)
{
	const u8 *at = elf_at(addr, size);

	if (at)
		return elf_number(at, size);
	fprintf(stderr, "the file has no bytes for %lx\n", addr);
	exit(2);
}

/**
 * elf_relative() - read an address that is relative to where it is stored
 * @addr: where 32 bits of it are
 *
 * Context: The host, after elf_load().
 * Return: The address.
 */
unsigned long elf_relative(unsigned long addr)
{
	return elf_address(addr + (s32)number_at(addr, sizeof(s32)));
}

/**
 * elf_absolute() - read an address
 * @addr: where it is
 * @size: how many bytes it has
 *
 * Context: The host, after elf_load().
 * Return: The address.
 */
unsigned long elf_absolute(unsigned long addr, size_t size)
{
	return number_at(addr, size);
}

/**
 * elf_find_section() - find a section
 * @name: its name
 *
 * Context: The host, after elf_load().
 * Return: The first one of that name, NULL if there is none.
 */
const struct elf_section *elf_find_section(const char *name)
{
	size_t i;

	for (i = 0; i < elf.nr_sections; i++)
		if (!strcmp(elf.sections[i].name, name))
			return &elf.sections[i];
	return NULL;
}

/**
 * elf_value_of() - find a symbol
 * @name: its name
 *
 * Context: The host, after elf_load().
 * Return: Its address, 0 if there is none.
 */
unsigned long elf_value_of(const char *name)
{
	size_t i;

	for (i = 0; i < elf.nr_symbols; i++)
		if (!strcmp(elf.symbols[i].name, name))
			return elf.symbols[i].value;
	return 0;
}

static const void *section_header(size_t index)
{
	return file + FIELD(Ehdr, file, e_shoff) + index * SIZE_OF(Shdr);
}

static const u8 *section_bytes(size_t index)
{
	const void *header = section_header(index);

	return FIELD(Shdr, header, sh_type) == SHT_NOBITS ? NULL :
		file + FIELD(Shdr, header, sh_offset);
}

static void read_sections(void)
{
	const char *names = (const char *)section_bytes(FIELD(Ehdr, file, e_shstrndx));
	size_t i;

	elf.nr_sections = FIELD(Ehdr, file, e_shnum);
	elf.sections = calloc(elf.nr_sections, sizeof(*elf.sections));
	for (i = 0; i < elf.nr_sections; i++) {
		const void *header = section_header(i);

		elf.sections[i] = (struct elf_section){
			.name = names + FIELD(Shdr, header, sh_name),
			.addr = FIELD(Shdr, header, sh_addr),
			.size = FIELD(Shdr, header, sh_size),
			.bytes = section_bytes(i),
			.alloc = FIELD(Shdr, header, sh_flags) & SHF_ALLOC,
			.code = FIELD(Shdr, header, sh_flags) & SHF_EXECINSTR,
		};
	}
}

static struct elf_symbol read_symbol(const void *at, const char *names)
{
	struct elf_symbol symbol = {
		.name = names + FIELD(Sym, at, st_name),
		.value = FIELD(Sym, at, st_value),
		.size = FIELD(Sym, at, st_size),
		.section = FIELD(Sym, at, st_shndx),
		.code = ELF64_ST_TYPE(FIELD(Sym, at, st_info)) == STT_FUNC,
	};

	if (elf.machine == EM_ARM && symbol.code)
		symbol.value &= ~1UL;		/* Thumb */
	return symbol;
}

static void read_symbols(void)
{
	const void *header = NULL;
	const char *names;
	const u8 *table;
	size_t i;

	for (i = 0; i < elf.nr_sections; i++)
		if (FIELD(Shdr, section_header(i), sh_type) == SHT_SYMTAB)
			header = section_header(i);
	if (!header)
		return;
	table = file + FIELD(Shdr, header, sh_offset);
	names = (const char *)section_bytes(FIELD(Shdr, header, sh_link));
	elf.nr_symbols = FIELD(Shdr, header, sh_size) / SIZE_OF(Sym);
	elf.symbols = calloc(elf.nr_symbols, sizeof(*elf.symbols));
	for (i = 0; i < elf.nr_symbols; i++)
		elf.symbols[i] = read_symbol(table + i * SIZE_OF(Sym), names);
}

/**
 * elf_parse() - read a file that is in memory
 * @bytes: the file; it stays in use
 * @size:  its size
 *
 * Context: The host.
 * Return: False if it is no ELF file.
 */
bool elf_parse(const u8 *bytes, size_t size)
{
	free(elf.sections);
	free(elf.symbols);
	elf = (struct elf){};
	file = bytes;
	if (size < sizeof(Elf32_Ehdr) || memcmp(bytes, ELFMAG, SELFMAG))
		return false;
	elf.word = bytes[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	elf.big_endian = bytes[EI_DATA] == ELFDATA2MSB;
	elf.machine = FIELD(Ehdr, bytes, e_machine);
	read_sections();
	read_symbols();
	return true;
}

/**
 * elf_load() - read a file
 * @path: its name
 *
 * Context: The host.
 * Return: False if it is no ELF file.
 */
bool elf_load(const char *path)
{
	FILE *f = fopen(path, "r");
	static u8 *bytes;
	size_t size, got;

	if (!f)
		return false;
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	rewind(f);
	free(bytes);
	bytes = malloc(size);
	got = fread(bytes, 1, size, f);
	fclose(f);
	return got == size && elf_parse(bytes, size);
}
