// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads a vmlinux for kprobe_scan_region(): text, symbols, and the tables of jump labels,
 * static calls, fixups, BUG() and ftrace.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>

#include "elf-file.h"
#include "harness.h"
#include "image.h"

/* What is known of a byte of text. */
#define RESERVED	1
#define FAULTS		2
#define LANDED_ON	4
#define ENTRY_NOP	8
#define DATA_BEGINS	16
#define CODE_BEGINS	32

/**
 * struct way - entry of a table that leads from a site to a target without a branch
 * @site:   address of the site
 * @target: address of the target
 */
struct way {
	unsigned long site;
	unsigned long target;
};

struct image_function *image_functions;
size_t image_nr_functions;

static const struct elf_section *text;
static u8 *notes;			/* flags for each byte of the text */
static struct way *ways;		/* sorted by @site */
static size_t nr_ways;

static bool is_text(unsigned long addr)
{
	return addr - text->addr < text->size;
}

static void note(unsigned long addr, size_t size, u8 what)
{
	for (; size--; addr++)
		if (is_text(addr))
			notes[addr - text->addr] |= what;
}

static bool is_noted(unsigned long start, unsigned long end, u8 what)
{
	for (; start < end; start++)
		if (is_text(start) && notes[start - text->addr] & what)
			return true;
	return false;
}

/* The address in an entry of a table: of @absolute bytes, or relative if that is 0. */
static unsigned long address_at(unsigned long addr, unsigned int absolute)
{
	return absolute ? elf_absolute(addr, absolute) : elf_relative(addr);
}

static int compare_ways(const void *a, const void *b)
{
	unsigned long x = ((const struct way *)a)->site, y = ((const struct way *)b)->site;

	return x < y ? -1 : x > y;
}

/* Tables of pairs of addresses: sites that are @what, and targets. */
static void read_ways(const char *start, const char *stop, size_t size, unsigned int absolute,
		      u8 what)
{
	unsigned long addr = elf_value_of(start), end = elf_value_of(stop);
	struct way way;

	if ((end - addr) % size) {
		fprintf(stderr, "%s: no table with entries of %zu bytes\n", start, size);
		exit(2);
	}
	ways = realloc(ways, (nr_ways + (end - addr) / size + 1) * sizeof(*ways));
	for (; addr < end; addr += size) {
		way = (struct way){ address_at(addr, absolute),
				    address_at(addr + (absolute ?: sizeof(s32)), absolute) };
		note(way.site, 1, what);
		note(way.target, 1, LANDED_ON);
		ways[nr_ways++] = way;
	}
	qsort(ways, nr_ways, sizeof(*ways), compare_ways);
}

/* An entry has two addresses and a key. */
static void read_jump_labels(void)
{
	unsigned int absolute = harness_target.jump_absolute;

	read_ways("__start___jump_table", "__stop___jump_table",
		  absolute ? 3 * absolute : 2 * sizeof(s32) + elf.word, absolute, RESERVED);
}

static void note_bugs(void)
{
	unsigned long addr = elf_value_of("__start___bug_table");
	unsigned long end = elf_value_of("__stop___bug_table");

	for (; addr < end && harness_target.bug_size; addr += harness_target.bug_size)
		note(address_at(addr, harness_target.bug_absolute), 1, RESERVED);
}

/* Each entry has two relative addresses, the first of them that of the call. */
static void note_static_calls(void)
{
	unsigned long addr = elf_value_of("__start_static_call_sites");
	unsigned long end = elf_value_of("__stop_static_call_sites");

	for (; addr < end; addr += 2 * sizeof(s32))
		note(elf_relative(addr), 1, RESERVED);
}

static void note_entry_nops(void)
{
	unsigned long addr = elf_value_of("__start_mcount_loc"), site;
	unsigned long end = elf_value_of("__stop_mcount_loc");

	for (; addr < end; addr += elf.word) {
		site = elf_absolute(addr, elf.word);
		note(site, harness_target.entry_lead + harness_target.entry_nop, RESERVED);
		note(site + harness_target.entry_lead, 1, ENTRY_NOP);
	}
}

static int compare_functions(const void *a, const void *b)
{
	const struct image_function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return y->code - x->code;
}

static bool is_label(const char *name)
{
	return !name[0] || name[0] == '$' || (name[0] == '.' && name[1] == 'L');
}

/* With a size, and not for the nops in front of another one. */
static bool is_function(const struct elf_symbol *symbol)
{
	return symbol->code && symbol->size && strncmp(symbol->name, "__pfx_", strlen("__pfx_"));
}

static void read_functions(void)
{
	const struct elf_symbol *symbol;
	struct image_function *f;
	size_t i, nr = 0;

	image_functions = calloc(elf.nr_symbols, sizeof(*image_functions));
	for (i = 0; i < elf.nr_symbols; i++) {
		symbol = &elf.symbols[i];
		/* Arm's mapping symbols. */
		if (!strcmp(symbol->name, "$d"))
			note(symbol->value, 1, DATA_BEGINS);
		else if (!strcmp(symbol->name, "$a") || !strcmp(symbol->name, "$t"))
			note(symbol->value, 1, CODE_BEGINS);
		if (symbol->section == text - elf.sections && is_text(symbol->value) &&
		    !is_label(symbol->name))
			image_functions[nr++] = (struct image_function){
				.start = symbol->value,
				.last = symbol->value + symbol->size,
				.code = is_function(symbol),
			};
	}
	qsort(image_functions, nr, sizeof(*image_functions), compare_functions);
	for (i = 0; i < nr; i++)
		if (!i || image_functions[i].start != image_functions[i - 1].start)
			image_functions[image_nr_functions++] = image_functions[i];
	for (i = 0; i < image_nr_functions; i++) {
		f = &image_functions[i];
		f->end = i + 1 < image_nr_functions ? f[1].start :
						      text->addr + text->size;
		if (f->last == f->start || f->last > f->end)
			f->last = f->end;
	}
}

/**
 * image_load() - read a kernel
 * @vmlinux: the file
 *
 * Context: The host, once.
 * Return: False if it is not a kernel with symbols.
 */
bool image_load(const char *vmlinux)
{
	if (!elf_load(vmlinux))
		return false;
	text = elf_find_section(".text");
	if (!text || !text->bytes || !elf.nr_symbols)
		return false;
	notes = calloc(1, text->size);
	read_functions();
	read_jump_labels();
	read_ways("__start___ex_table", "__stop___ex_table", harness_target.fixup_size ?: 12,
		  harness_target.fixup_absolute, FAULTS);
	note_bugs();
	note_static_calls();
	note_entry_nops();
	return true;
}

/**
 * image_has_entry_nop() - check whether a function has a call site of ftrace
 * @addr: a function's first byte
 *
 * Context: The host.
 * Return: True if so.
 */
bool image_has_entry_nop(unsigned long addr)
{
	return is_noted(addr, addr + 1, ENTRY_NOP);
}

/**
 * image_has_text() - tell whether an address is in the text that was read
 * @addr: the address
 *
 * Context: The host.
 * Return: True if so.
 */
bool image_has_text(unsigned long addr)
{
	return is_text(addr);
}

/**
 * image_is_data() - tell whether there is data at an address
 * @addr: the address
 * @data: whether there was at the address before
 *
 * Context: The host.
 * Return: True if so, as far as symbols tell it.
 */
bool image_is_data(unsigned long addr, bool data)
{
	if (is_noted(addr, addr + 1, DATA_BEGINS))
		return true;
	return data && !is_noted(addr, addr + 1, CODE_BEGINS);
}

static size_t read_text(unsigned long addr, u8 *buf, size_t size)
{
	if (!is_text(addr))
		return 0;
	size = min_t(size_t, size, text->addr + text->size - addr);
	memcpy(buf, text->bytes + (addr - text->addr), size);
	return size;
}

static bool find_function(struct kprobe_lookup *lookup, unsigned long addr,
			  struct kprobe_function *function)
{
	size_t from = 0, to = image_nr_functions, middle;

	while (to - from > 1) {
		middle = (from + to) / 2;
		if (image_functions[middle].start <= addr)
			from = middle;
		else
			to = middle;
	}
	if (!is_text(addr) || addr < image_functions[from].start)
		return false;
	*function = (struct kprobe_function){ .start = image_functions[from].start,
					      .end = image_functions[from].end };
	return true;
}

static enum kprobe_reason is_whole(struct kprobe_survey *s)
{
	return KPROBE_REASON_NONE;
}

static bool is_compiled(const struct kprobe_function *function)
{
	return false;
}

static enum kprobe_reason reserved(const struct kprobe_text *text, unsigned long start,
				   unsigned long end)
{
	return is_noted(start, end, RESERVED) ? KPROBE_REASON_RESERVED : KPROBE_REASON_NONE;
}

static bool any_in(u32 kinds, unsigned long start, unsigned long end)
{
	return ((kinds & KPROBE_TEXT_FAULTS) && is_noted(start, end, FAULTS)) ||
	       ((kinds & KPROBE_TEXT_LANDED) && is_noted(start, end, LANDED_ON));
}

static unsigned long next_target(unsigned long *site, unsigned long end)
{
	size_t from = 0, to = nr_ways, middle;

	while (from < to) {
		middle = (from + to) / 2;
		if (ways[middle].site < *site)
			from = middle + 1;
		else
			to = middle;
	}
	if (from == nr_ways || ways[from].site >= end)
		return 0;
	*site = ways[from].site + 1;
	return ways[from].target;
}

static bool is_thunk(unsigned long addr)
{
	return false;
}

const struct kprobe_text image_text = {
	.read = read_text,
	.find = find_function,
	.is_whole = is_whole,
	.is_compiled = is_compiled,
	.reserved = reserved,
	.any_in = any_in,
	.next_target = next_target,
	.is_thunk = is_thunk,
};
