/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_TOY_ISA_H
#define _KPROBES_TESTS_TOY_ISA_H

/*
 * An instruction set for tests. It has the special features of many architectures: delay
 * slots, bundles, sequences that no exception may interrupt, branches of little reach,
 * instructions that skip the next one, text that is read or executed as data, and jumps
 * that need a register.
 *
 * An instruction is a word of 16 bits, little endian: an opcode, a register and a
 * byte. A displacement counts words from the instruction. Registers 1 and 2 are
 * those that jumps may use.
 */
#include <linux/kprobe_isa.h>

#define TOY_WORD(op, reg, byte)	((op) << 12 | (reg) << 8 | ((byte) & 0xff))

#define TOY_NOP			TOY_WORD(0, 0, 0)
#define TOY_ALU(to, from)	TOY_WORD(1, to, from)
#define TOY_JUMP(words)		TOY_WORD(2, 0, words)
#define TOY_COND(reg, words)	TOY_WORD(3, reg, words)	/* a delay slot */
#define TOY_CALL(words)		TOY_WORD(4, 0, words)	/* a delay slot */
#define TOY_CALL_OWN(words)	TOY_WORD(4, 1, words)	/* by no calling convention */
#define TOY_JUMP_TO(reg)	TOY_WORD(5, reg, 0)
#define TOY_JUMP_BY(reg, words)	TOY_WORD(5, reg, words)	/* a table @words behind it */
#define TOY_SLOT_BY		TOY_WORD(5, 15, 1)	/* and that is in its delay slot */
#define TOY_ENTRY(words)	TOY_WORD(0, 1, words)	/* from the table's start */
#define TOY_RETURN		TOY_WORD(6, 0, 0)
#define TOY_RETURN_COPY		TOY_WORD(6, 1, 0)	/* by a copy of it */
#define TOY_RETURN_IF		TOY_WORD(6, 2, 0)	/* likewise, or goes on */
#define TOY_SKIP(reg)		TOY_WORD(7, reg, 0)
#define TOY_LOAD_LOCKED(to)	TOY_WORD(8, to, 0)
#define TOY_STORE_COND(from)	TOY_WORD(9, from, 0)
#define TOY_IF(nr)		TOY_WORD(10, nr, 0)	/* for @nr instructions */
#define TOY_LOAD_TEXT(to, words) TOY_WORD(11, to, words)
#define TOY_EXECUTE(words)	TOY_WORD(12, 0, words)
#define TOY_TRAP		TOY_WORD(13, 0, 0)
#define TOY_STATE		TOY_WORD(13, 1, 0)
#define TOY_TRAILED		TOY_WORD(13, 2, 0)	/* a trap after its copy */
#define TOY_TAKE(words)		TOY_WORD(13, 3, words)	/* the address of text */
#define TOY_PAD			TOY_WORD(14, 0, 0)
#define TOY_PAD_OR_TRAP		TOY_WORD(14, 1, 0)	/* a breakpoint is one, too */
#define TOY_PAD_OF_CALLS	TOY_WORD(14, 2, 0)
#define TOY_LONG(reg)		TOY_WORD(15, reg, 0)	/* two words more: how far */
#define TOY_NOTHING		TOY_WORD(0, 0, 1)

/* Of the long jump, whose displacement counts bytes. */
#define TOY_LONG_SIZE		6

extern const struct kprobe_isa toy_isa;
extern const struct kprobe_isa toy_isa_with_pads;
extern const struct kprobe_isa toy_isa_with_blocks;
extern const struct kprobe_isa toy_isa_of_words;

#endif /* _KPROBES_TESTS_TOY_ISA_H */
