/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_S390_KPROBES_TEST_H
#define _KPROBES_TESTS_S390_KPROBES_TEST_H

/* What the common suites know of s390. Each architecture has a file of this name. */

/* differential.h */
#define DIFF_REGS		16
#define DIFF_SP_NR		15
#define DIFF_FP_WORDS		65
#define DIFF_BY_FTRACE		0

#ifndef __ASSEMBLY__
#include <linux/uaccess.h>
#include <asm/asm-extable.h>
#include <asm/extable.h>
#include <asm/kprobes.h>
#include <asm/ptrace.h>
#include <asm/text-patching.h>

/* A function's argument at its entry, and its result when it returns. */
#define TEST_ARG(regs)		((regs)->gprs[2])
#define TEST_RESULT(regs)	((regs)->gprs[2])
#define TEST_RESULT_IS_ARG	true

/* Faults: a page is not there, an address is none. All are the same to fault handlers. */
#define TEST_TRAP(cause)	(cause)
#define TEST_PAGE_FAULT		14
#define TEST_ADDRESS_FAULT	TEST_PAGE_FAULT

/* What an interrupt stores is at the lowest addresses, in the kernel's address space too. */
#define KPROBES_UNREADABLE	(-PAGE_SIZE)

/* targets.S */
#define KPROBES_LOAD_LEN	6
#define KPROBES_LOAD_LATE	4
#define KPROBES_LOAD_NOP	4

/* optimize.S: lengths of kprobes_opt_plain()'s first instructions; how many a jump covers. */
#define KPROBES_OPT_PLAIN_LEN	4
#define KPROBES_OPT_PLAIN_LEN2	8
#define KPROBES_OPT_PLAIN_LEN3	12
#define KPROBES_OPT_PLAIN_NR	2
#define KPROBES_OPT_COVERS_ONE	false
#define KPROBES_OPT_JCC_LEN	4
#define KPROBES_OPT_JCC_OVER	8
/* Zero or positive becomes positive or zero. */
#define KPROBES_OPT_FLIP(regs)	((regs)->psw.mask ^= 2UL << 44)
#define KPROBES_OPT_NEVER	"kprobes_opt_landed"

#define ENTRY_NOP_SIZE		6

/* What the architecture's part of kprobes does. One instruction saves all registers. */
#define KPROBES_STUB_INSNS	5
#define KPROBES_TRAMPOLINE_INSNS 18
#define KPROBES_TRAP_IS_NMI	false
#define KPROBES_STOPS_CPUS	false
#define KPROBES_DETOUR_OF_ANY	true
#define KPROBES_NEAR_SLOTS	false

/* What the kernel's text is like. */
#define KPROBES_TEXT_HAS_DATA	true
#define KPROBES_NO_ENTRY_TEXT
#define KPROBES_TRACE_GUESSES	false
/* What an idle CPU waits by loads a PSW, as what ends interruptions does. */
#define KPROBES_SLEEP_INSN	"lpswe 0(%r15)\n"
#define KPROBES_SLEEP_REASON	KPROBE_REASON_LEVEL
#define KPROBES_BAD_INSN	".short 0\n"
#define kprobes_calls_are_counted()	false

/* share_kunit.c: the least share of places that can have a jump, in percent. */
#define KPROBES_HAS_SHARES	true
#define KPROBES_SHARE_AT_ENTRY	95
#define KPROBES_SHARE_AFTER	90
#define KPROBES_SHARE_ANYWHERE	60

/* Has a function return at once, from its entry. */
static inline void kprobes_return_now(struct pt_regs *regs)
{
	regs->psw.addr = regs->gprs[14];
}

/* Does an instruction begin at @addr, after @start? Only as long as no probe is armed. */
static inline bool kprobes_is_boundary(unsigned long addr, unsigned long start)
{
	if (addr % KPROBE_INSN_ALIGN)
		return false;
	while (start < addr)
		start += *(u8 *)start < 0x40 ? 2 : *(u8 *)start < 0xc0 ? 4 : 6;
	return start == addr;
}

/* Writes an instruction for this CPU, as memory has it; also in the breakpoint's trap. */
static inline void kprobes_write_insn(unsigned long addr, u32 insn)
{
	s390_kernel_write((void *)addr, &insn, KPROBE_INSN_ALIGN);
}
#endif /* __ASSEMBLY__ */
#endif /* _KPROBES_TESTS_S390_KPROBES_TEST_H */
