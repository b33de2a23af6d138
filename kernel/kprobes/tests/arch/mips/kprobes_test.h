/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_MIPS_KPROBES_TEST_H
#define _KPROBES_TESTS_MIPS_KPROBES_TEST_H

/* What the common suites know of MIPS. Each architecture has a file of this name. */

/* differential.h */
#define DIFF_REGS		34
#define DIFF_SP_NR		29
#define DIFF_FP_WORDS		1
#define DIFF_BY_FTRACE		0

#ifndef __ASSEMBLY__
#include <linux/bits.h>
#include <linux/cacheflush.h>
#include <linux/compiler.h>
#include <linux/extable.h>
#include <asm/hazards.h>
#include <asm/kprobes.h>
#include <asm/ptrace.h>

/* A function's argument at its entry, and its result when it returns. */
#define TEST_ARG(r)		((r)->regs[4])
#define TEST_RESULT(r)		((r)->regs[2])
#define TEST_RESULT_IS_ARG	false

/*
 * Faults: a load finds no page, an address is none. With the sign bit it is memory, past the
 * caches, and with the bit below it a supervisor's, which may have no page.
 */
#define TEST_TRAP(exccode)	(exccode)
#define TEST_PAGE_FAULT		2
#define TEST_ADDRESS_FAULT	4
#ifdef CONFIG_64BIT
#define TEST_NO_HALF		BIT(61)
#endif

/* Entries of the exception table have no type. */
#define EX_TYPE_NONE		0
#define kprobes_fixup_type	kprobes_fixup_type
static inline int kprobes_fixup_type(unsigned long addr)
{
	return search_exception_tables(addr) ? 1 : EX_TYPE_NONE;
}

/* targets.S. There are no loads that are padded with zeros. */
#define KPROBES_LOAD_LEN	4
#define KPROBES_LOAD_LATE	4
#define KPROBES_LOAD_NOP	4

/*
 * optimize.S: lengths of kprobes_opt_plain()'s first instructions; how many a jump covers. After a
 * branch comes what is in its delay slot, wherever the branch leads.
 */
#define KPROBES_OPT_PLAIN_LEN	4
#define KPROBES_OPT_PLAIN_LEN2	8
#define KPROBES_OPT_PLAIN_LEN3	12
#define KPROBES_OPT_PLAIN_NR	(KPROBES_OPT_COVERS_ONE ? 1 : 2)
#define KPROBES_OPT_COVERS_ONE	IS_ENABLED(CONFIG_CPU_MIPSR6)
#define KPROBES_OPT_JCC_LEN	4
#define KPROBES_OPT_JCC_OVER	4
#define KPROBES_OPT_NEVER	(KPROBES_OPT_COVERS_ONE ? "kprobes_target_load" : \
							  "kprobes_opt_landed")

/* No entry.S: there are no probes by ftrace. */
#define ENTRY_NOP_SIZE		4

/* What the architecture's part of kprobes does. Of a stub's call one is in a delay slot. */
#define KPROBES_STUB_INSNS	8
#define KPROBES_TRAMPOLINE_INSNS 40
#define KPROBES_TRAP_IS_NMI	false
#define KPROBES_STOPS_CPUS	false
#define KPROBES_DETOUR_OF_ANY	true
#define KPROBES_NEAR_SLOTS	false

/* What the kernel's text is like. */
#define KPROBES_TEXT_HAS_DATA	true
#define KPROBES_NO_ENTRY_TEXT
#define KPROBES_HAS_EXCLUSIVES
#define KPROBES_TRACE_GUESSES	false
#define KPROBES_SLEEP_INSN	".word 0x42000020\n"
#define KPROBES_BAD_INSN	".word 0x04140000\n"
#define kprobes_calls_are_counted()	false

/* Nothing protects text. */
#define kprobes_page_is_protected	kprobes_page_is_protected
static inline bool kprobes_page_is_protected(void *addr)
{
	return false;
}

/*
 * share_kunit.c: the least share of places that can have a jump, in percent. In front of ftrace's
 * call is one instruction of its own, with which functions begin that make no frame.
 */
#define KPROBES_HAS_SHARES	true
#define KPROBES_SHARE_AT_ENTRY	(IS_ENABLED(CONFIG_DYNAMIC_FTRACE) ? 65 : 90)
#define KPROBES_SHARE_AFTER	80
#define KPROBES_SHARE_ANYWHERE	50

/* Has a function return at once, from its entry. */
static inline void kprobes_return_now(struct pt_regs *regs)
{
	instruction_pointer_set(regs, regs->regs[31]);
}

/* Does an instruction begin at @addr, after @start? Only as long as no probe is armed. */
static inline bool kprobes_is_boundary(unsigned long addr, unsigned long start)
{
	return !(addr % KPROBE_INSN_ALIGN);
}

/* Writes an instruction for this CPU; also in the breakpoint's trap. */
static inline void kprobes_write_insn(unsigned long addr, u32 insn)
{
	WRITE_ONCE(*(u32 *)addr, insn);
	local_flush_icache_range(addr, addr + sizeof(insn));
	instruction_hazard();
}
#endif /* __ASSEMBLY__ */
#endif /* _KPROBES_TESTS_MIPS_KPROBES_TEST_H */
