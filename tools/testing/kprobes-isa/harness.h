/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KPROBES_ISA_HARNESS_H
#define KPROBES_ISA_HARNESS_H

/* The parts of the program that tests an instruction set on the host. */
#include <linux/kprobe_isa.h>

/**
 * struct harness_target - an instruction set under test
 * @name: as in the name of its golden table
 * @isa:  the instruction set
 * @from: address of the golden table's instructions
 * @near: address of copies nearby
 * @away: address of copies that are so far away that branches hardly reach
 * @entry_nop: how many bytes ftrace writes at a function's entry
 * @entry_lead: how many it writes in front of that; its table has the first of them
 * @big_endian: byte order of instructions and data
 * @bug_size: size of an entry in the table of BUG()
 * @bug_absolute: how many bytes the address in it has, 0 if that is relative and has 32 bits
 * @jump_absolute: likewise of jump labels
 * @fixup_size: size of an entry in the table of fixups, 12 if this is 0
 * @fixup_absolute: likewise of their addresses
 * @form_word: returns the word by which an instruction's form is found; NULL if it is its first
 *        four bytes in @big_endian order
 * @put_word: writes an instruction that @form_word returns the word of, where there are
 *        random bytes; returns false if another word is that of the same instruction
 * @objdump: command that shows the instructions of a file, whose name is appended; NULL if
 *        no machine has the instruction set
 * @unit: how many bytes it shows in a group, if others are of another instruction set, or data; 0
 *        if all are of this one
 * @odd:  how lines of objdump begin that are not compared: data, and instructions that it
 *        does not show as the CPU executes them
 * @kind_of: returns the kind of a register for classes of instructions, NULL if the name
 *        itself is the kind; NULL if there are no classes
 * @shorten: takes from a mnemonic what is not part of its class, as a condition; NULL if all is
 * @sequences: sources of the sequences that kernel/kprobes/tests/differential_kunit.c runs;
 *        NULL if they are not made for all classes
 * @not_run: file that tells which classes are not among them, and why
 * @class_of: tells an instruction's class from its bytes, where objdump does not show all of
 *        it; NULL if @kind_of does
 * @partial: the golden table has only what differs from another target's
 */
struct harness_target {
	const char *name;
	const struct kprobe_isa *isa;
	unsigned long from;
	unsigned long near;
	unsigned long away;
	unsigned int entry_nop;
	unsigned int entry_lead;
	bool big_endian;
	unsigned int bug_size;
	unsigned int bug_absolute;
	unsigned int jump_absolute;
	unsigned int fixup_size;
	unsigned int fixup_absolute;
	u32 (*form_word)(const u8 *bytes);
	bool (*put_word)(u8 *bytes, u32 word);
	const char *objdump;
	unsigned int unit;
	const char *const *odd;
	const char *(*kind_of)(const char *name);
	void (*shorten)(char *mnemonic);
	const char *const *sequences;
	const char *not_run;
	void (*class_of)(char *class, size_t size, const u8 *bytes, size_t len);
	bool partial;
};

extern const struct harness_target harness_target;

/* Results, as KTAP: tap.c. */
void tap_begin(const char *group);
__printf(1, 2) void tap_note(const char *format, ...);
__printf(2, 3) void tap_result(bool ok, const char *format, ...);
void tap_skip(const char *name, const char *why);
void tap_end(const char *group);
int tap_finish(void);

/* Names of reasons, and by the enums of struct kprobe_insn: reasons.c. */
extern const char *const reason_names[KPROBE_REASONS], *const action_names[], *const flow_names[];

#define CLASSES_MAX	2048

/**
 * struct class_set - classes of instructions
 * @names: what they are told apart by
 * @nr:    how many they are
 */
struct class_set {
	char *names[CLASSES_MAX];
	unsigned int nr;
};

/* Classes of instructions: classes.c. */
bool class_set_add(struct class_set *set, const char *text);
void classes_load(const char *path);
bool classes_add(const char *text);

/* Which of them a guest runs: sequences.c. */
void sequences_test(const char *path);

/* Which of a kernel's classes its guest runs: guest.c. */
void guest_load(void);
void guest_add(unsigned long addr, const u8 *bytes, size_t len);
void guest_end_row(void);
void guest_test(void);

/* Where probes and jumps can be: share.c. */
int share_print(const char *vmlinux);

/* Tables of forms: forms.c. */
u32 forms_word(const u8 *bytes);
void forms_note(const u8 *bytes);
void forms_test(void);

/* The tests: a golden table, a kernel, the KUnit suites that are linked in. */
int golden_write(const char *path);
void golden_read(const char *path);
void golden_test(const char *path);
void lengths_test(const char *vmlinux);
void lengths_skip(void);
void kunit_test(void);

#endif /* KPROBES_ISA_HARNESS_H */
