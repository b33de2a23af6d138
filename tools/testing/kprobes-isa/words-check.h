/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KPROBES_ISA_WORDS_CHECK_H
#define KPROBES_ISA_WORDS_CHECK_H

#include <linux/kprobe_isa.h>

struct decoded;

/* An instruction, and what comes after it. */
#define WORDS_BYTES	16

/* Checks of a plan and of its copy: words-check.c. */
void words_begin(const char *differences);
void words_check(const u8 *bytes, bool compared);
bool words_end(bool all);

/* What becomes of instructions, by their names: words-names.c. */
void names_note(const char *name, const struct kprobe_insn *insn, enum kprobe_reason reason);
void names_end(const char *path, bool write);

/* Bytes of an instruction set without forms: words-x86.c. */
void words_structured(unsigned int rounds);

/* Comparison with other decoders: words-compare.c. */
void compare_begin(const char *differences);
void compare(const u8 *bytes, const struct kprobe_insn *insn, enum kprobe_reason reason,
	     const struct kprobe_code *copy);
bool compare_end(bool all);

#endif /* KPROBES_ISA_WORDS_CHECK_H */
