/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KPROBES_ISA_SHOWN_H
#define KPROBES_ISA_SHOWN_H

/* shown.c: reads what objdump shows of an instruction. */
#include <linux/types.h>

/**
 * struct shown - an instruction as objdump shows it
 * @addr:   its address
 * @len:    how many bytes it has
 * @unit:   how many bytes of it are in a group
 * @bytes:  the bytes as they are in memory, and zeros
 * @target: the target in the text that it names, 0 if none
 * @text:   the instruction
 */
struct shown {
	unsigned long addr;
	size_t len;
	size_t unit;
	u8 bytes[32];
	unsigned long target;
	const char *text;
};

bool shown_parse(struct shown *s, char *line, bool big_endian);

#endif /* KPROBES_ISA_SHOWN_H */
