/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_RISCV_KPROBES_TEST_H
#define _KPROBES_TESTS_RISCV_KPROBES_TEST_H

/* What the common suites know of RISC-V. Each architecture has a file of this name. */

/* differential.h */
#define DIFF_REGS		32
#define DIFF_SP_NR		2
#define DIFF_FP_WORDS		32
#define DIFF_BY_FTRACE		1

#ifndef __ASSEMBLY__
#include <linux/cacheflush.h>
#include <asm/asm-extable.h>
#include <asm/csr.h>
#include <asm/extable.h>
#include <asm/kprobes.h>
#include <asm/patch.h>

/* A function's argument at its entry, and its result when it returns. */
#define TEST_ARG(regs)		((regs)->a0)
#define TEST_RESULT(regs)	((regs)->a0)
#define TEST_RESULT_IS_ARG	true

/* Faults: a page is not there, an address is none. */
#define TEST_TRAP(cause)	(cause)
#define TEST_PAGE_FAULT		EXC_LOAD_PAGE_FAULT
#define TEST_ADDRESS_FAULT	TEST_PAGE_FAULT

/* targets.S */
#define KPROBES_LOAD_LEN	4
#define KPROBES_LOAD_LATE	KPROBE_INSN_ALIGN
#define KPROBES_LOAD_NOP	4
#define EX_TYPE_ZEROPAD		EX_TYPE_LOAD_UNALIGNED_ZEROPAD

/* optimize.S: lengths of kprobes_opt_plain()'s first instructions; how many a jump covers. */
#define KPROBES_OPT_PLAIN_LEN	4
#define KPROBES_OPT_PLAIN_LEN2	8
#define KPROBES_OPT_PLAIN_LEN3	12
#define KPROBES_OPT_PLAIN_NR	2
#define KPROBES_OPT_COVERS_ONE	false
#define KPROBES_OPT_JCC_LEN	4
#define KPROBES_OPT_JCC_OVER	8
#define KPROBES_OPT_NEVER	"kprobes_opt_landed"
/* A jump of two instructions. */
void kprobes_opt_far(void);
/* Loads six words into t1 to t6, and stores them and others after eight words. */
void kprobes_opt_keep(unsigned long *words);
extern const unsigned int kprobes_opt_keep_at;

/* vector.S: loads and stores vector registers. */
void kprobes_vector_load(const void *from);
void kprobes_vector_store(void *to);

/* entry.S. After the nop come five compressed instructions that set the result. */
#define ENTRY_NOP_SIZE		8
int kprobes_entry_compressed(int a);

/*
 * What the architecture's part of kprobes does. No register is known to be dead, to go back by
 * from a detour of one instruction: calls and returns alone have one.
 */
#define KPROBES_TRAP_IS_NMI	false
#define KPROBES_STOPS_CPUS	false
#define KPROBES_DETOUR_OF_ANY	false
#define KPROBES_NEAR_SLOTS	false

/* What the kernel's text is like. Without frame pointers a trace has whatever looks like text. */
#define KPROBES_TEXT_HAS_DATA	true
#define KPROBES_HAS_EXCLUSIVES
#define KPROBES_TRACE_GUESSES	!IS_ENABLED(CONFIG_FRAME_POINTER)
#define KPROBES_SLEEP_INSN	"wfi\n"
#define KPROBES_BAD_INSN	"unimp\n"
#define kprobes_calls_are_counted()	false

/*
 * share_kunit.c: the least share of places that can have a jump, in percent. A jump covers up to
 * four instructions, more often than elsewhere with a call or a branch's target among them; and it
 * needs a register, for which with clang there is t1 alone.
 */
#define KPROBES_HAS_SHARES	true
#define KPROBES_SHARE_AT_ENTRY	(IS_ENABLED(CONFIG_CC_IS_CLANG) ? 93 : 95)
#define KPROBES_SHARE_AFTER	(IS_ENABLED(CONFIG_CC_IS_CLANG) ? 93 : 97)
#define KPROBES_SHARE_ANYWHERE	60

/* Has a function return at once, from its entry. */
static inline void kprobes_return_now(struct pt_regs *regs)
{
	regs->epc = regs->ra;
}

/* Does an instruction begin at @addr, after @start? Only as long as no probe is armed. */
static inline bool kprobes_is_boundary(unsigned long addr, unsigned long start)
{
	if (addr % 2)
		return false;
	while (start < addr)
		start += (*(u16 *)start & 3) == 3 ? 4 : 2;
	return start == addr;
}

/* Writes an instruction for this CPU; also in the breakpoint's trap. */
static inline void kprobes_write_insn(unsigned long addr, u32 insn)
{
	patch_insn_write((void *)addr, &insn, KPROBE_INSN_ALIGN);
	local_flush_icache_all();
}
#endif /* __ASSEMBLY__ */
#endif /* _KPROBES_TESTS_RISCV_KPROBES_TEST_H */
