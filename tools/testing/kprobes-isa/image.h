/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KPROBES_ISA_IMAGE_H
#define KPROBES_ISA_IMAGE_H

/* image.c: reads text, symbols and tables of a vmlinux */
#include "../../../kernel/kprobes/survey.h"

/**
 * struct image_function - a function, up to the next symbol
 * @start: its address
 * @end:   the next symbol's
 * @last:  after its last byte, without padding
 * @code:  the symbol stands for a function
 */
struct image_function {
	unsigned long start;
	unsigned long end;
	unsigned long last;
	bool code;
};

extern struct image_function *image_functions;
extern size_t image_nr_functions;
extern const struct kprobe_text image_text;

bool image_load(const char *vmlinux);
bool image_has_entry_nop(unsigned long addr);
bool image_has_text(unsigned long addr);
bool image_is_data(unsigned long addr, bool data);

#endif /* KPROBES_ISA_IMAGE_H */
