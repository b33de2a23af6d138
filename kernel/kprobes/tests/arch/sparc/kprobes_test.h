/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_SPARC_KPROBES_TEST_H
#define _KPROBES_TESTS_SPARC_KPROBES_TEST_H

/* What the common suites know of SPARC V9. Each architecture has a file of this name. */

/* differential.h */
#define DIFF_REGS		32
#define DIFF_SP_NR		14
#define DIFF_FP_WORDS		16
#define DIFF_BY_FTRACE		0

#ifndef __ASSEMBLY__
#include <linux/extable.h>
#include <asm/cacheflush.h>
#include <asm/kprobes.h>
#include <asm/ptrace.h>

/* The base has no name for it. With the bias. */
register unsigned long current_stack_pointer asm("sp");

/* A function's argument at its entry, and its result when it returns. */
#define TEST_ARG(regs)		((regs)->u_regs[UREG_I0])
#define TEST_RESULT(regs)	((regs)->u_regs[UREG_I0])
#define TEST_RESULT_IS_ARG	true

/* Faults: all come from the kernel's own look into page tables, after a miss of the TLB. */
#define TEST_TRAP(type)		(type)
#define TEST_PAGE_FAULT		0x68
#define TEST_ADDRESS_FAULT	TEST_PAGE_FAULT
/* The linear mapping begins with bit 63. */
#define TEST_NO_HALF		BIT(62)

/* targets.S */
#define KPROBES_LOAD_LEN	4
#define KPROBES_LOAD_LATE	4
#define KPROBES_LOAD_NOP	4

/*
 * optimize.S: lengths of kprobes_opt_plain()'s first instructions; how many a jump covers. After a
 * branch its delay slot comes next.
 */
#define KPROBES_OPT_PLAIN_LEN	4
#define KPROBES_OPT_PLAIN_LEN2	8
#define KPROBES_OPT_PLAIN_LEN3	12
#define KPROBES_OPT_PLAIN_NR	1
#define KPROBES_OPT_COVERS_ONE	true
#define KPROBES_OPT_JCC_LEN	4
#define KPROBES_OPT_JCC_OVER	4
#define KPROBES_OPT_FLIP(regs)	((regs)->tstate ^= TSTATE_XZERO)
#define KPROBES_OPT_NEVER	"kprobes_target_load"

/* No entry.S: there are no probes by ftrace. */
#define ENTRY_NOP_SIZE		4

/* What the architecture's part of kprobes does. Delay slots do not count. */
#define KPROBES_STUB_INSNS	3
#define KPROBES_TRAMPOLINE_INSNS 40
#define KPROBES_TRAP_IS_NMI	false
#define KPROBES_STOPS_CPUS	false
#define KPROBES_DETOUR_OF_ANY	true
#define KPROBES_NEAR_SLOTS	false

/* What the kernel's text is like. */
#define KPROBES_TEXT_HAS_DATA	true
#define KPROBES_NO_ENTRY_TEXT
#define KPROBES_TRACE_GUESSES	false
#define KPROBES_SLEEP_INSN	".word 0x81b01000\n"
#define KPROBES_BAD_INSN	".word 0\n"
#define kprobes_calls_are_counted()	false

/* share_kunit.c: the least share of places that can have a jump, in percent. */
#define KPROBES_HAS_SHARES	true
#define KPROBES_SHARE_AT_ENTRY	95
#define KPROBES_SHARE_AFTER	97
#define KPROBES_SHARE_ANYWHERE	70

/* What the kernel does about a fault at an address: entries of its table are all of one kind. */
#define EX_TYPE_NONE	0

static inline int kprobes_fixup_type(unsigned long addr)
{
	return search_exception_tables(addr) ? 1 : EX_TYPE_NONE;
}

#define kprobes_fixup_type	kprobes_fixup_type

/* The kernel can write to its text. */
static inline bool kprobes_page_is_protected(void *addr)
{
	return false;
}

#define kprobes_page_is_protected	kprobes_page_is_protected

/* Has a function return at once, from its entry. */
static inline void kprobes_return_now(struct pt_regs *regs)
{
	instruction_pointer_set(regs, regs->u_regs[UREG_I7] + 8);
}

/* Does an instruction begin at @addr, after @start? Only as long as no probe is armed. */
static inline bool kprobes_is_boundary(unsigned long addr, unsigned long start)
{
	return IS_ALIGNED(addr, KPROBE_INSN_ALIGN);
}

/* Writes an instruction for this CPU; also in the breakpoint's trap. */
static inline void kprobes_write_insn(unsigned long addr, u32 insn)
{
	WRITE_ONCE(*(u32 *)addr, insn);
	flushi(addr);
}
#endif /* __ASSEMBLY__ */
#endif /* _KPROBES_TESTS_SPARC_KPROBES_TEST_H */
