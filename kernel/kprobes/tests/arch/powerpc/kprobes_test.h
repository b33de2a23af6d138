/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_POWERPC_KPROBES_TEST_H
#define _KPROBES_TESTS_POWERPC_KPROBES_TEST_H

/* What the common suites know of PowerPC. Each architecture has a file of this name. */

/* differential.h: CTR, XER and LR come after the 32 registers. LR is not loaded. */
#define DIFF_REGS		35
#define DIFF_CTR		32
#define DIFF_XER		33
#define DIFF_LR			34
#define DIFF_SP_NR		1
#ifdef CONFIG_PPC64
#define DIFF_VSRS		64
#else
#define DIFF_VSRS		32
#endif
#define DIFF_FP_WORDS		(DIFF_VSRS * 16 / DIFF_WORD)
#define DIFF_BY_FTRACE		0

#ifndef __ASSEMBLY__
#include <linux/extable.h>
#include <asm/code-patching.h>
#include <asm/inst.h>
#include <asm/kprobes.h>

/* A function's argument at its entry, and its result when it returns. */
#define TEST_ARG(regs)		((regs)->gpr[3])
#define TEST_RESULT(regs)	((regs)->gpr[3])
#define TEST_RESULT_IS_ARG	true

/* All faults have one number. */
#define TEST_TRAP(nr)		(nr)
#define TEST_PAGE_FAULT		11
#define TEST_ADDRESS_FAULT	TEST_PAGE_FAULT

/* targets.S */
#define KPROBES_LOAD_LEN	4
#define KPROBES_LOAD_LATE	4
#define KPROBES_LOAD_NOP	4
/* Fixups have no types; one is code of its own, after which nobody calls post-handlers. */
#define EX_TYPE_NONE		0
#define EX_TYPE_ZEROPAD		2
#define KPROBES_FIXUP_IS_CODE	true

/* optimize.S: lengths of kprobes_opt_plain()'s first instructions; how many a jump covers. */
#define KPROBES_OPT_PLAIN_LEN	4
#define KPROBES_OPT_PLAIN_LEN2	8
#define KPROBES_OPT_PLAIN_LEN3	12
#define KPROBES_OPT_PLAIN_NR	1
#define KPROBES_OPT_COVERS_ONE	true
#define KPROBES_OPT_JCC_LEN	4
#define KPROBES_OPT_JCC_OVER	8
#define KPROBES_OPT_FLIP(regs)	((regs)->ccr ^= 1UL << 29)
#define KPROBES_OPT_NEVER	"kprobes_target_load"

/* No entry.S: there are no probes by ftrace. */
#define ENTRY_NOP_SIZE		4

/* What the architecture's part of kprobes does. */
#define KPROBES_TRAP_IS_NMI	false
#define KPROBES_STOPS_CPUS	false
#define KPROBES_DETOUR_OF_ANY	true
#define KPROBES_NEAR_SLOTS	false

/* On 32 bit, entries of the hash table and of the TLB let the kernel write to all its pages. */
#define KPROBES_PAGES_ARE_WRITABLE	IS_ENABLED(CONFIG_PPC32)

/* What the kernel's text is like. "nap", and a word that is no instruction. */
#define KPROBES_NO_ENTRY_TEXT
#define KPROBES_TEXT_HAS_DATA	false
#define KPROBES_HAS_EXCLUSIVES
#define KPROBES_TRACE_GUESSES	false
#define KPROBES_SLEEP_INSN	".long 0x4c000364\n"
#define KPROBES_BAD_INSN	".long 0\n"
#define kprobes_calls_are_counted()	false

/* share_kunit.c: the least share of places that can have a jump, in percent. */
#define KPROBES_HAS_SHARES	true
#define KPROBES_SHARE_AT_ENTRY	95
#define KPROBES_SHARE_AFTER	97
#define KPROBES_SHARE_ANYWHERE	90

/* Has a function return at once, from its entry. */
static inline void kprobes_return_now(struct pt_regs *regs)
{
	regs_set_return_ip(regs, regs->link);
}

/* The length of what callers with the same TOC pointer skip at a function's start. */
static inline unsigned int kprobes_landing_pad(unsigned long addr)
{
	return IS_ENABLED(CONFIG_PPC64_ELF_ABI_V2) ? ppc_function_entry((void *)addr) - addr : 0;
}

#define kprobes_landing_pad	kprobes_landing_pad

/* Does an instruction begin at @addr, after @start? Compilers make none with a prefix. */
static inline bool kprobes_is_boundary(unsigned long addr, unsigned long start)
{
	return IS_ALIGNED(addr, KPROBE_INSN_ALIGN);
}

/* What the kernel does about a fault at an address. */
static inline int kprobes_fixup_type(unsigned long addr)
{
	return search_exception_tables(addr) ? 1 : EX_TYPE_NONE;
}

#define kprobes_fixup_type	kprobes_fixup_type

/* Writes an instruction for this CPU; also in the breakpoint's trap. */
static inline void kprobes_write_insn(unsigned long addr, u32 insn)
{
	patch_instruction((u32 *)addr, ppc_inst(insn));
}
#endif /* __ASSEMBLY__ */
#endif /* _KPROBES_TESTS_POWERPC_KPROBES_TEST_H */
