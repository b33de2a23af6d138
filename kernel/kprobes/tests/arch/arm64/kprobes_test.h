/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_ARM64_KPROBES_TEST_H
#define _KPROBES_TESTS_ARM64_KPROBES_TEST_H

/* What the common suites know of arm64. Each architecture has a file of this name. */

/* differential.h */
#define DIFF_REGS		32
#define DIFF_SP_NR		31
#define DIFF_FP_WORDS		64
#define DIFF_BY_FTRACE		0

#ifndef __ASSEMBLY__
#include <asm/asm-extable.h>
#include <asm/extable.h>
#include <asm/insn.h>
#include <asm/kprobes.h>
#include <asm/patching.h>

/* A function's argument at its entry, and its result when it returns. */
#define TEST_ARG(r)		((r)->regs[0])
#define TEST_RESULT(r)		((r)->regs[0])
#define TEST_RESULT_IS_ARG	true

/* Faults, as classes of a syndrome: a page is not there, an address is none. */
#define TEST_TRAP(esr)		((int)((unsigned int)(esr) >> 26))
#define TEST_PAGE_FAULT		0x25
#define TEST_ADDRESS_FAULT	TEST_PAGE_FAULT

/* targets.S */
#define KPROBES_LOAD_LEN	4
#define KPROBES_LOAD_LATE	4
#define KPROBES_LOAD_NOP	4
#define EX_TYPE_ZEROPAD		EX_TYPE_LOAD_UNALIGNED_ZEROPAD

/* optimize.S: lengths of kprobes_opt_plain()'s first instructions; how many a jump covers. */
#define KPROBES_OPT_PLAIN_LEN	4
#define KPROBES_OPT_PLAIN_LEN2	8
#define KPROBES_OPT_PLAIN_LEN3	12
#define KPROBES_OPT_PLAIN_NR	1
#define KPROBES_OPT_COVERS_ONE	true
#define KPROBES_OPT_JCC_LEN	4
#define KPROBES_OPT_JCC_OVER	8
#define KPROBES_OPT_FLIP(regs)	((regs)->pstate ^= PSR_Z_BIT)
#define KPROBES_OPT_NEVER	"kprobes_target_load"
int kprobes_opt_literal(int a);
extern const unsigned int kprobes_opt_literal_at;

/* No entry.S: there are no probes by ftrace. */
#define ENTRY_NOP_SIZE		8

/* What the architecture's part of kprobes does. */
#define KPROBES_TRAP_IS_NMI	false
#define KPROBES_STOPS_CPUS	true
#define KPROBES_DETOUR_OF_ANY	true
#define KPROBES_NEAR_SLOTS	false

/* What the kernel's text is like. */
#define KPROBES_TEXT_HAS_DATA	true
#define KPROBES_SLEEP_INSN	"wfi\n"
#define KPROBES_BAD_INSN	"udf #0\n"
#define KPROBES_HAS_EXCLUSIVES
#define KPROBES_HAS_LITERALS
#define KPROBES_TRACE_GUESSES	false
#define kprobes_calls_are_counted()	false

/*
 * share_kunit.c: the least share of places that can have a jump, in percent. With BTI, clang 22
 * begins functions that are not traced with paciasp, which is their landing pad; it may also come
 * after the instruction that saves the return address on the shadow call stack.
 */
#define KPROBES_HAS_SHARES	true
#define KPROBES_SHARE_AT_ENTRY	(!IS_ENABLED(CONFIG_ARM64_BTI_KERNEL) ? 95 : \
				 IS_ENABLED(CONFIG_DYNAMIC_FTRACE) ? 80 : 0)
#define KPROBES_SHARE_AFTER	(IS_ENABLED(CONFIG_ARM64_BTI_KERNEL) && \
				 IS_ENABLED(CONFIG_SHADOW_CALL_STACK) ? 85 : 97)
#define KPROBES_SHARE_ANYWHERE	85

/* Has a function return at once, from its entry. */
static inline void kprobes_return_now(struct pt_regs *regs)
{
	regs->pc = regs->regs[30];
}

/* The length of the landing pad at a function's start. */
static inline unsigned int kprobes_landing_pad(unsigned long addr)
{
	return aarch64_insn_is_bti(le32_to_cpu(*(__le32 *)addr)) ? 4 : 0;
}

#define kprobes_landing_pad	kprobes_landing_pad

/* Does an instruction begin at @addr, after @start? Only as long as no probe is armed. */
static inline bool kprobes_is_boundary(unsigned long addr, unsigned long start)
{
	return IS_ALIGNED(addr, KPROBE_INSN_ALIGN);
}

/* Writes an instruction for this CPU, as memory has it; also in the breakpoint's trap. */
static inline void kprobes_write_insn(unsigned long addr, u32 insn)
{
	aarch64_insn_patch_text_nosync((void *)addr, le32_to_cpu((__force __le32)insn));
}
#endif /* __ASSEMBLY__ */
#endif /* _KPROBES_TESTS_ARM64_KPROBES_TEST_H */
