/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_ARM_KPROBES_TEST_H
#define _KPROBES_TESTS_ARM_KPROBES_TEST_H

/* What the common suites know of arm. Each architecture has a file of this name. */

/* differential.h */
#define DIFF_REGS		16
#define DIFF_SP_NR		13
#define DIFF_FP_WORDS		64
#define DIFF_BY_FTRACE		0

#ifndef __ASSEMBLY__
#include <asm/kprobes.h>
#include <asm/opcodes.h>
#include <asm/patch.h>
#include <asm/ptrace.h>

/* A function's argument at its entry, and its result when it returns. */
#define TEST_ARG(regs)		((regs)->ARM_r0)
#define TEST_RESULT(regs)	((regs)->ARM_r0)
#define TEST_RESULT_IS_ARG	true

/* Faults, as the status of a fault: a translation is missing at either level, of any access. */
#define TEST_TRAP(fsr)		((fsr) & 5)
#define TEST_PAGE_FAULT		5
#define TEST_ADDRESS_FAULT	TEST_PAGE_FAULT

/* targets.S */
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
int kprobes_opt_literal(int a);
extern const unsigned int kprobes_opt_literal_at;

/* No entry.S: there are no probes by ftrace. */
#define ENTRY_NOP_SIZE		4

/* What the architecture's part of kprobes does. */
#define KPROBES_TRAP_IS_NMI	false
#define KPROBES_STOPS_CPUS	true
#define KPROBES_ALWAYS_STOPS_CPUS	true
#define KPROBES_DETOUR_OF_ANY	true
#define KPROBES_NEAR_SLOTS	false

/* link_trace_kunit.c: a stub's call and its end; registers are saved all at once. */
#define KPROBES_STUB_INSNS	5
#define KPROBES_TRAMPOLINE_INSNS	20

/* What the kernel's text is like. */
#define KPROBES_HAS_CONDITIONS	1
#ifndef CONFIG_THUMB2_KERNEL
#define KPROBES_HIT_IF_TAKEN	1
#endif
#define KPROBES_TEXT_HAS_DATA	true
#define KPROBES_SLEEP_INSN	"wfi\n"
#define KPROBES_BAD_INSN	"udf #0\n"
#define KPROBES_HAS_EXCLUSIVES
#define KPROBES_HAS_LITERALS
#define KPROBES_TRACE_GUESSES	false
#define kprobes_calls_are_counted()	false

/*
 * share_kunit.c: the least share of places that can have a jump, in percent. Thumb-2's covers two
 * short instructions: a branch may lead into it, or ftrace has its call there.
 */
#define KPROBES_HAS_SHARES	true
#define KPROBES_SHARE_AT_ENTRY	(IS_ENABLED(CONFIG_THUMB2_KERNEL) ? 75 : 95)
#define KPROBES_SHARE_AFTER	(IS_ENABLED(CONFIG_THUMB2_KERNEL) ? 75 : 97)
#define KPROBES_SHARE_ANYWHERE	(IS_ENABLED(CONFIG_THUMB2_KERNEL) ? 70 : 85)

/* Has a function return at once, from its entry. */
static inline void kprobes_return_now(struct pt_regs *regs)
{
	regs->ARM_pc = regs->ARM_lr;
}

/* Does an instruction begin at @addr, after @start? Only as long as no probe is armed. */
static inline bool kprobes_is_boundary(unsigned long addr, unsigned long start)
{
	if (!IS_ENABLED(CONFIG_THUMB2_KERNEL))
		return IS_ALIGNED(addr, KPROBE_INSN_ALIGN);
	while (start < addr)
		start += __mem_to_opcode_thumb16(*(u16 *)start) < 0xe800 ? 2 : 4;
	return start == addr;
}

/* Writes an instruction for this CPU, as memory has it; also in the breakpoint's trap. */
static inline void kprobes_write_insn(unsigned long addr, u32 insn)
{
	__patch_text_bytes((void *)addr, &insn, KPROBE_INSN_ALIGN);
}
#endif /* __ASSEMBLY__ */
#endif /* _KPROBES_TESTS_ARM_KPROBES_TEST_H */
