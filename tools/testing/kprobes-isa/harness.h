/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KPROBES_ISA_HARNESS_H
#define KPROBES_ISA_HARNESS_H

/* What tests an instruction set on the host, and what it is tested with. */
#include <linux/kprobe_isa.h>

/**
 * struct harness_target - an instruction set under test
 * @name: as in the name of its golden table
 * @isa:  the instruction set
 * @from: where the golden tables' instructions are
 * @near: where their copies are
 * @away: where they are so far away that branches hardly reach
 * @objdump: shows the instructions of the file whose name follows
 * @odd:  what begins the instructions that it does not show as the CPU sees them
 */
struct harness_target {
	const char *name;
	const struct kprobe_isa *isa;
	unsigned long from;
	unsigned long near;
	unsigned long away;
	const char *objdump;
	const char *const *odd;
};

extern const struct harness_target harness_target;

/* Results, as KTAP: tap.c. */
void tap_begin(const char *group);
__printf(1, 2) void tap_note(const char *format, ...);
__printf(2, 3) void tap_result(bool ok, const char *format, ...);
void tap_skip(const char *name, const char *why);
void tap_end(const char *group);
int tap_finish(void);

/* The tests: a golden table, a kernel, the KUnit suites that are linked in. */
int golden_write(const char *path);
void golden_test(const char *path);
void lengths_test(const char *vmlinux);
void kunit_test(void);

#endif /* KPROBES_ISA_HARNESS_H */
