/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_LOONGARCH_KPROBES_TEST_H
#define _KPROBES_TESTS_LOONGARCH_KPROBES_TEST_H

/* What the common suites know of LoongArch. Each architecture has a file of this name. */

/* differential.h */
#define DIFF_REGS		32
#define DIFF_SP_NR		3
#define DIFF_FP_WORDS		64
#define DIFF_BY_FTRACE		1

#ifndef __ASSEMBLY__
#include <asm/asm-extable.h>
#include <asm/cacheflush.h>
#include <asm/extable.h>
#include <asm/inst.h>
#include <asm/kprobes.h>
#include <asm/loongarch.h>

/* A function's argument at its entry, and its result when it returns. */
#define TEST_ARG(r)		((r)->regs[4])
#define TEST_RESULT(r)		((r)->regs[4])
#define TEST_RESULT_IS_ARG	true

/* Faults: a page is not there, an address is none. That of the sign bit alone is no fault. */
#define TEST_TRAP(excode)	(excode)
#define TEST_PAGE_FAULT		EXCCODE_TLBL
#define TEST_ADDRESS_FAULT	EXCCODE_ADE
#define TEST_NO_HALF		BIT(62)

/* targets.S. There are no loads that are padded with zeros. */
#define KPROBES_LOAD_LEN	4
#define KPROBES_LOAD_LATE	4
#define KPROBES_LOAD_NOP	4

/* optimize.S: lengths of kprobes_opt_plain()'s first instructions; how many a jump covers. */
#define KPROBES_OPT_PLAIN_LEN	4
#define KPROBES_OPT_PLAIN_LEN2	8
#define KPROBES_OPT_PLAIN_LEN3	12
#define KPROBES_OPT_PLAIN_NR	1
#define KPROBES_OPT_COVERS_ONE	true
#define KPROBES_OPT_JCC_LEN	4
#define KPROBES_OPT_JCC_OVER	8
#define KPROBES_OPT_NEVER	"kprobes_target_load"

/* entry_asm.S */
#define ENTRY_NOP_SIZE		8

/* What the architecture's part of kprobes does. */
#define KPROBES_TRAP_IS_NMI	true
#define KPROBES_STOPS_CPUS	false
#define KPROBES_DETOUR_OF_ANY	true
#define KPROBES_NEAR_SLOTS	false

/* What the kernel's text is like. The guessing unwinder has whatever looks like text. */
#define KPROBES_TEXT_HAS_DATA	true
#define KPROBES_HAS_EXCLUSIVES
#define KPROBES_TRACE_GUESSES	IS_ENABLED(CONFIG_UNWINDER_GUESS)
#define KPROBES_TRACE_BACK	(IS_ENABLED(CONFIG_UNWINDER_ORC) ? LOONGARCH_INSN_SIZE : 0)
#define KPROBES_SLEEP_INSN	"idle 0\n"
#define KPROBES_BAD_INSN	".word 0\n"
#define kprobes_calls_are_counted()	false

/* share_kunit.c: the least share of places that can have a jump, in percent. */
#define KPROBES_HAS_SHARES	true
#define KPROBES_SHARE_AT_ENTRY	95
#define KPROBES_SHARE_AFTER	97
#define KPROBES_SHARE_ANYWHERE	85

/* Has a function return at once, from its entry. */
static inline void kprobes_return_now(struct pt_regs *regs)
{
	regs->csr_era = regs->regs[1];
}

/* Does an instruction begin at @addr, after @start? Only as long as no probe is armed. */
static inline bool kprobes_is_boundary(unsigned long addr, unsigned long start)
{
	return IS_ALIGNED(addr, KPROBE_INSN_ALIGN);
}

/* Behind "move t0, ra", which stays, it replaces a nop. */
static inline bool kprobes_calls_ftrace(unsigned long addr)
{
	return ((u32 *)addr)[1] != INSN_NOP;
}

#define kprobes_calls_ftrace	kprobes_calls_ftrace

/* The contract with architectures is not for modules. */
#ifndef MODULE
#include <linux/kprobe_arch.h>

/* Writes an instruction for this CPU; also in the breakpoint's trap. */
static inline void kprobes_write_insn(unsigned long addr, u32 insn)
{
	arch_kprobe_write_slot((void *)addr, &insn, sizeof(insn));
	local_flush_icache_range(addr, addr + sizeof(insn));
}
#endif /* !MODULE */
#endif /* __ASSEMBLY__ */
#endif /* _KPROBES_TESTS_LOONGARCH_KPROBES_TEST_H */
