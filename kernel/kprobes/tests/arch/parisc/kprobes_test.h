/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_PARISC_KPROBES_TEST_H
#define _KPROBES_TESTS_PARISC_KPROBES_TEST_H

/* What the common suites know of PA-RISC. Each architecture has a file of this name. */

/* The last one is the shift amount. */
#define DIFF_REGS		33
#define DIFF_SP_NR		30
#define DIFF_FP_WORDS		1
#define DIFF_BY_FTRACE		0

#ifndef __ASSEMBLY__
#include <linux/extable.h>
#include <asm/kprobes.h>
#include <asm/patch.h>
#include <asm/ptrace.h>

/* The base has no name for it. */
register unsigned long current_stack_pointer asm("r30");

/* A function's argument at its entry, and its result when it returns. */
#define TEST_ARG(regs)		((regs)->gr[26])
#define TEST_RESULT(regs)	((regs)->gr[28])
#define TEST_RESULT_IS_ARG	false

/* Faults: the TLB has no translation of an address, and the page tables have none. */
#define TEST_TRAP(code)		(code)
#define TEST_PAGE_FAULT		15
#define TEST_ADDRESS_FAULT	TEST_PAGE_FAULT
/* In 64 bit the upper bits of an address are of a space. */
#define TEST_NO_HALF		(IS_ENABLED(CONFIG_64BIT) ? 1UL << 41 : 0xe0000000UL)

/* targets.S. There are no loads that are padded with zeros. */
#define KPROBES_LOAD_LEN	4
#define KPROBES_LOAD_LATE	4
#define KPROBES_LOAD_NOP	4
long kprobes_target_skip(long a, long b);
long kprobes_target_loop(long n);
long kprobes_target_ahead(long a);
unsigned long kprobes_target_carry(unsigned long a, unsigned long b);
unsigned long kprobes_target_spaces(unsigned long a, unsigned long b);
long kprobes_target_slot(const long *p);
extern const unsigned int kprobes_skip_at, kprobes_skipped_at, kprobes_skip_over;
extern const unsigned int kprobes_loop_at, kprobes_ahead_at, kprobes_carry_at;
extern const unsigned int kprobes_spaces_at, kprobes_slot_return_at;

/* optimize.S: lengths of kprobes_opt_plain()'s first instructions; how many a jump covers. */
#define KPROBES_OPT_PLAIN_LEN	4
#define KPROBES_OPT_PLAIN_LEN2	8
#define KPROBES_OPT_PLAIN_LEN3	12
#define KPROBES_OPT_PLAIN_NR	2
#define KPROBES_OPT_COVERS_ONE	false
#define KPROBES_OPT_JCC_LEN	4
#define KPROBES_OPT_JCC_OVER	4
#define KPROBES_OPT_NEVER	"kprobes_opt_landed"

/* entry_asm.S */
#define ENTRY_NOP_SIZE		4

/*
 * What the architecture's part of kprobes does. Of a stub's call what restores the stack is in a
 * delay slot, but executed later.
 */
#define KPROBES_STUB_INSNS	4
#define KPROBES_TRAMPOLINE_INSNS 40
#define KPROBES_TRAP_IS_NMI	false
#define KPROBES_STOPS_CPUS	true
#define KPROBES_DETOUR_OF_ANY	false
#define KPROBES_NEAR_SLOTS	false
/* Memory for modules is all writable. */
#define KPROBES_PAGES_ARE_WRITABLE true
#define KPROBES_BYSTANDER	"kprobes_target_c"

/* What the kernel's text is like. */
#define KPROBES_TEXT_HAS_DATA	true
#define KPROBES_NO_ENTRY_TEXT
#define KPROBES_HAS_EXCLUSIVES
#define KPROBES_TRACE_GUESSES	false
#define KPROBES_SLEEP_INSN	".word 0x0bff025f\n"
#define KPROBES_BAD_INSN	".word 0x58000000\n"
#define kprobes_calls_are_counted()	false

/* share_kunit.c: the least share of places that can have a jump, in percent. */
#define KPROBES_HAS_SHARES	true
#define KPROBES_SHARE_AT_ENTRY	75
#define KPROBES_SHARE_AFTER	60
#define KPROBES_SHARE_ANYWHERE	40

/* What the kernel does about a fault at an address: entries of its table are all of one kind. */
#define EX_TYPE_NONE	0

static inline int kprobes_fixup_type(unsigned long addr)
{
	return search_exception_tables(addr) ? 1 : EX_TYPE_NONE;
}

#define kprobes_fixup_type	kprobes_fixup_type

/* Has the linker put this branch behind a function? ldil to r1, and be,n by it. */
static inline bool kprobes_is_linkers(unsigned long addr)
{
	const u32 *words = (const u32 *)addr;

	return words[0] >> 21 == 0x101 && (words[1] & 0xffe0e002) == 0xe0202002;
}

#define kprobes_is_linkers	kprobes_is_linkers

/* Has a function return at once, from its entry. */
static inline void kprobes_return_now(struct pt_regs *regs)
{
	instruction_pointer_set(regs, regs->gr[2]);
}

/* Does an instruction begin at @addr, after @start? Only as long as no probe is armed. */
static inline bool kprobes_is_boundary(unsigned long addr, unsigned long start)
{
	return IS_ALIGNED(addr, KPROBE_INSN_ALIGN);
}

/* Writes an instruction for this CPU; also in the breakpoint's trap. */
static inline void kprobes_write_insn(unsigned long addr, u32 insn)
{
	__patch_text((void *)addr, insn);
}
#endif /* __ASSEMBLY__ */
#endif /* _KPROBES_TESTS_PARISC_KPROBES_TEST_H */
