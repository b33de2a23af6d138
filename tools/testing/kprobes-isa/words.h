/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KPROBES_ISA_WORDS_H
#define KPROBES_ISA_WORDS_H

/* Plans of all words, and those of another decoder beside them. Part of this is in C++. */
#include <stdbool.h>
#include <stddef.h>

/**
 * struct decoded - an instruction as another decoder has it
 * @name:   what the decoder calls it
 * @len:    its length in bytes
 * @flow:   as in golden tables: where execution continues
 * @has_target: @target is known
 * @target: target of a direct branch
 * @conditional: it need not take effect
 * @delay_slot: the instruction after it belongs to it
 * @relative: it takes or reads its own address, or what is relative to it
 * @skips:  it may keep the next instruction from taking effect; -1 if the decoder does not tell
 * @registers: @reads and @writes are known
 * @reads:  general registers that it reads, a bit for each
 * @writes: those that it writes
 */
struct decoded {
	const char *name;
	unsigned int len;
	const char *flow;
	bool has_target;
	unsigned long target;
	bool conditional;
	bool delay_slot;
	bool relative;
	int skips;
	bool registers;
	unsigned int reads;
	unsigned int writes;
};

/**
 * struct decoder - a decoder of instructions
 * @name:  its name
 * @follows: it knows targets that are computed in registers
 * @open:  prepares for the instruction set of that name. False if the decoder lacks it
 * @reset: forgets what instructions before have loaded into registers
 * @decode: decodes the instruction at an address. False if it is not known
 */
struct decoder {
	const char *name;
	bool follows;
	bool (*open)(const char *isa);
	void (*reset)(void);
	bool (*decode)(struct decoded *d, const unsigned char *bytes, size_t avail,
		       unsigned long addr);
};

#ifdef __cplusplus
extern "C" {
#endif
extern const struct decoder *const decoders[];
extern const struct decoder llvm_decoder, zydis_decoder, binutils_decoder;
#ifdef __cplusplus
}
#endif

#endif /* KPROBES_ISA_WORDS_H */
