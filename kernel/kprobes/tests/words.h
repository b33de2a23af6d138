/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_TESTS_WORDS_H
#define _KERNEL_KPROBES_TESTS_WORDS_H

/*
 * A function of instructions that are words, as a suite on byte arrays has it, and a text that
 * consists of it. The suite defines ADDR, the address that the function is taken to be at, before
 * it includes this, and PUT_WORD if the instructions are not little-endian.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "alone.h"

#ifndef PUT_WORD
#define PUT_WORD	put_unaligned_le32
#endif

#define WORDS	8

static u8 function[WORDS * sizeof(u32)];

static void __maybe_unused put_words(u8 *bytes, const u32 *words, unsigned int nr)
{
	while (nr--)
		PUT_WORD(words[nr], bytes + sizeof(u32) * nr);
}

static __maybe_unused size_t read_function(unsigned long addr, u8 *buf, size_t size)
{
	if (addr - ADDR >= sizeof(function))
		return 0;
	size = min_t(size_t, size, ADDR + sizeof(function) - addr);
	memcpy(buf, function + (addr - ADDR), size);
	return size;
}

static __maybe_unused bool find_function(struct kprobe_lookup *lookup, unsigned long addr,
					 struct kprobe_function *f)
{
	f->start = ADDR;
	f->end = ADDR + sizeof(function);
	f->kind = KPROBE_SYMBOL_FUNCTION;
	return true;
}

static __maybe_unused enum kprobe_reason not_reserved(const struct kprobe_text *text,
						      unsigned long start, unsigned long end)
{
	return KPROBE_REASON_NONE;
}

static __maybe_unused bool none_in(u32 kinds, unsigned long start, unsigned long end)
{
	return false;
}

/* Initializes a struct kprobe_text: the tables of the kernel say nothing of the function. */
#define FUNCTION_ALONE							\
	.read = read_function, .find = find_function, .reserved = not_reserved,	\
	.any_in = none_in, NO_OTHER_TEXT

#endif /* _KERNEL_KPROBES_TESTS_WORDS_H */
