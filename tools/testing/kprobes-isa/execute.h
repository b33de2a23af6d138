/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KPROBES_ISA_EXECUTE_H
#define KPROBES_ISA_EXECUTE_H

/*
 * Instructions and their copies, executed: execute.c, execute-ARCH.c, and machine.c with Unicorn or
 * machine-gdb.c with QEMU.
 */
#include <linux/kprobe_isa.h>

#define MACHINE_REGS		160
#define MACHINE_DATA_SIZE	0x4000UL	/* of the data, and of the stack */
#define EXECUTE_CLASS_SIZE	64

/**
 * enum machine_kind - what a register is for
 * @MACHINE_GENERAL: numbers and addresses
 * @MACHINE_STACK:   the stack pointer
 * @MACHINE_RANDOM:  numbers only, as in vector registers
 * @MACHINE_FIXED:   always the same value before an instruction
 */
enum machine_kind {
	MACHINE_GENERAL,
	MACHINE_STACK,
	MACHINE_RANDOM,
	MACHINE_FIXED,
};

/**
 * struct machine_reg - a register that is set before an instruction and compared after it
 * @id:    Unicorn's number of it, or where QEMU has it: machine-gdb.h
 * @kind:  what it is for
 * @size:  its bytes, at most 16
 * @mask:  bits that are set at random, for %MACHINE_RANDOM; all if 0
 * @value: the other bits, or the value of one that is fixed
 * @ignore: bits that are not compared, in QEMU
 */
struct machine_reg {
	int id;
	enum machine_kind kind;
	unsigned int size;
	u64 mask;
	u64 value;
	u64 ignore;
};

/**
 * union machine_value - a register's value
 * @number: for up to 64 bits
 * @half:   both halves of 128 bits
 */
union machine_value {
	u64 number;
	u64 half[2];
};

/**
 * struct execute_arch - how an architecture is executed
 * @arch:    enum uc_arch. This and what names Unicorn is for that alone
 * @mode:    enum uc_mode
 * @cpu:     the CPU's model in Unicorn
 * @regs:    registers; general ones come first, in the order of bits in kprobe_isa.scratch
 * @nr_regs: how many
 * @align_sp: what stack pointers are multiples of
 * @data:    where general registers point to
 * @stack:   where the stack is
 * @slots:   where copies are, as far from the text as in the kernel
 * @table_slots: where they are for a golden table, if its instructions are elsewhere
 * @percpu:  per-CPU data that instructions address by a register of their own; 0 if none
 * @start:   makes the address to start at from that of an instruction; NULL if it is the same
 * @until:   Unicorn is to stop at the next instruction by its address, as it keeps flags otherwise
 * @undefined: number of the exception that an unknown instruction raises, if Unicorn tells it so
 * @always:  tells whether a conditional branch goes always; may be NULL
 * @open:    sets up what is not in @regs in Unicorn; may be NULL
 * @limit:   changes a state where it would take an instruction too long; may be NULL
 * @block:   state of a block whose last instruction is executed whatever the flags are, see
 *           kprobe_isa.within(); 0 if there are no blocks
 * @enter_block: changes a state to one in such a block
 * @skip:    why an instruction is not executed, NULL if it is
 * @ignore:  tells the register in which Unicorn leaves a wrong value; may be NULL, and returns
 *           @nr_regs if there is none
 * @class_of: tells an instruction's class; NULL if that is its form
 * @slow:    an emulator needs ten times as long, so that there are fewer states
 */
struct execute_arch {
	int arch;
	int mode;
	int cpu;
	const struct machine_reg *regs;
	unsigned int nr_regs;
	unsigned int align_sp;
	unsigned long data;
	unsigned long stack;
	unsigned long slots;
	unsigned long table_slots;
	unsigned long percpu;
	unsigned long (*start)(unsigned long addr);
	bool until;
	unsigned int undefined;
	bool (*always)(const u8 *bytes);
	void (*open)(void *uc);
	void (*limit)(union machine_value *state, const u8 *bytes, size_t len);
	u8 block;
	void (*enter_block)(union machine_value *state);
	const char *(*skip)(const u8 *bytes, size_t len);
	unsigned int (*ignore)(const u8 *bytes, size_t len);
	void (*class_of)(char *class, size_t size, const u8 *bytes, size_t len);
	bool slow;
};

/**
 * enum machine_end - how execution ended
 * @MACHINE_WENT:      at an address that does not belong to the code
 * @MACHINE_FAULT:     with an access that is not permitted
 * @MACHINE_EXCEPTION: with another exception
 * @MACHINE_UNDEFINED: with an instruction that the CPU does not know
 * @MACHINE_ABORTED:   with an instruction that Unicorn aborts at
 * @MACHINE_LONG:      it did not end soon
 * @MACHINE_NONE:      it is not known yet
 */
enum machine_end {
	MACHINE_WENT,
	MACHINE_FAULT,
	MACHINE_EXCEPTION,
	MACHINE_UNDEFINED,
	MACHINE_ABORTED,
	MACHINE_LONG,
	MACHINE_NONE,
};

/**
 * struct machine_change - a byte of memory that has changed
 * @addr:  where
 * @value: its new value
 */
struct machine_change {
	unsigned long addr;
	u8 value;
};

#define MACHINE_CHANGES	8192

/**
 * struct machine_result - what some code did
 * @end:        how it ended
 * @pc:         the address that it went to
 * @at:         offset of the instruction that was executed last
 * @fault:      address of the access, or number of the exception
 * @write:      it was a write
 * @lowest:     the lowest stack pointer within the code, or before or after it
 * @regs:       registers
 * @changes:    memory, by address
 * @nr_changes: how many bytes of it
 */
struct machine_result {
	enum machine_end end;
	unsigned long pc;
	unsigned long at;
	unsigned long fault;
	bool write;
	unsigned long lowest;
	union machine_value regs[MACHINE_REGS];
	struct machine_change changes[MACHINE_CHANGES];
	unsigned int nr_changes;
};

bool machine_open(bool table);
void machine_close(void);
void machine_map_image(void);
void machine_map_page(unsigned long addr);
void machine_write_text(unsigned long addr, const u8 *bytes, size_t len);
void machine_exchange_text(unsigned long addr, u8 *bytes, size_t len);
unsigned long machine_write_slot(const u8 *bytes, size_t len);
unsigned long machine_next_slot(void);
u64 machine_random(void);
void machine_random_state(union machine_value *state);
void machine_run(struct machine_result *result, const union machine_value *state,
		 unsigned long addr, size_t len, unsigned int most, bool branch);
unsigned int machine_sp(void);
void machine_fill(u8 *at, unsigned long size);
void machine_note_change(struct machine_result *result, unsigned long addr, u8 value);
void machine_note_changes(struct machine_result *result, unsigned long addr, u8 *now,
			  const u8 *old, unsigned long size);

/**
 * struct execute_subject - an instruction and its copy
 * @addr:  where it is
 * @len:   its length, with what is in its delay slots
 * @bytes: what it is
 * @reads: registers of kprobe_isa.scratch that it reads, with what is in its delay slots
 * @slot:  where the copy is
 * @copied: the length of that
 * @insn:  its plan
 * @in_block: it is executed in a block, but the copy is not
 */
struct execute_subject {
	unsigned long addr;
	size_t len;
	const u8 *bytes;
	u32 reads;
	unsigned long slot;
	size_t copied;
	struct kprobe_insn insn;
	bool in_block;
};

/* execute-compare.c */
const char *execute_compare(const struct machine_result *a, const struct machine_result *b,
			    const struct execute_subject *s, unsigned long sp);

/* In execute-ARCH.c. */
extern const struct execute_arch execute_arch;

/* Of the instructions in a table or a kernel. */
void execute_golden(const u8 *bytes, size_t avail);
void execute_table_test(bool whole);
void execute_image_test(const char *vmlinux, bool whole);

#endif /* KPROBES_ISA_EXECUTE_H */
