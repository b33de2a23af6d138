/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_X86_KPROBES_TEST_H
#define _KPROBES_TESTS_X86_KPROBES_TEST_H

/* What the common suites know of x86. Each architecture has a file of this name. */

/* differential.h */
#define DIFF_REGS		(BITS_PER_LONG / 4)
#define DIFF_SP_NR		4
/* What fxsave saves. */
#define DIFF_FP_WORDS		(512 / DIFF_WORD)
#ifdef CONFIG_X86_64
#define DIFF_BY_FTRACE		1
#else
#define DIFF_BY_FTRACE		0
#endif

#define DIFF_AX			DIFF_REG(0)
#define DIFF_CX			DIFF_REG(1)
#define DIFF_DX			DIFF_REG(2)
#define DIFF_BX			DIFF_REG(3)
#define DIFF_SP			DIFF_REG(4)
#define DIFF_BP			DIFF_REG(5)
#define DIFF_SI			DIFF_REG(6)
#define DIFF_DI			DIFF_REG(7)
#define DIFF_R8			DIFF_REG(8)

#ifndef __ASSEMBLY__
#include <linux/cpufeature.h>
#include <linux/mm.h>
#include <linux/objtool.h>
#include <linux/pgtable.h>
#include <asm/extable.h>
#include <asm/extable_fixup_types.h>
#include <asm/ibt.h>
#include <asm/insn.h>
#include <asm/irq_stack.h>
#include <asm/processor-flags.h>
#include <asm/trapnr.h>

/* A function's arguments at its entry, and its result when it returns. */
#ifdef CONFIG_X86_64
#define TEST_ARG(regs)		((regs)->di)
#define TEST_DIVISOR(regs)	((regs)->si)
#define TEST_RESULT_IS_ARG	false
#else
#define TEST_ARG(regs)		((regs)->ax)
#define TEST_DIVISOR(regs)	((regs)->cx)
#define TEST_RESULT_IS_ARG	true
#endif
#define TEST_RESULT(regs)	((regs)->ax)

/* Faults: a page is not there, an address is none, division by zero. */
#define TEST_TRAP(trapnr)	(trapnr)
#define TEST_PAGE_FAULT		X86_TRAP_PF
#define TEST_ADDRESS_FAULT	X86_TRAP_GP
#define TEST_DIVISION		X86_TRAP_DE
#define TEST_DIVIDE_LEN		2

/* targets.S */
#define KPROBES_LOAD_LEN	(IS_ENABLED(CONFIG_X86_64) ? 3 : 6)
#define KPROBES_LOAD_LATE	(IS_ENABLED(CONFIG_X86_64) ? 3 : 2)
#define KPROBES_LOAD_NOP	2

/**
 * struct kprobes_branch - what an indirect branch reads; its layout is in targets.S
 * @unused: the operand has a displacement
 * @to:     where the branch goes
 */
struct kprobes_branch {
	unsigned long unused;
	unsigned long (*to)(void);
};

unsigned long kprobes_target_call_mem(const struct kprobes_branch *b);
unsigned long kprobes_target_jump_mem(const struct kprobes_branch *b);
unsigned long kprobes_target_returns_to(void);
extern const unsigned int kprobes_call_mem_offset, kprobes_called_mem_offset;
#define KPROBES_CALLS_MEM

/* Pairs of words for differential.c, which instructions exchange. */
DECLARE_PER_CPU(unsigned long[2], kprobes_diff_percpu_pair);

/* optimize.S: lengths of kprobes_opt_plain()'s first instructions; how many a jump covers. */
#define KPROBES_OPT_PLAIN_LEN	(IS_ENABLED(CONFIG_X86_64) ? 4 : 3)
#define KPROBES_OPT_PLAIN_LEN2	(IS_ENABLED(CONFIG_X86_64) ? 7 : 4)
#define KPROBES_OPT_PLAIN_LEN3	(IS_ENABLED(CONFIG_X86_64) ? 11 : 7)
#define KPROBES_OPT_PLAIN_NR	(IS_ENABLED(CONFIG_X86_64) ? 2 : 3)
#define KPROBES_OPT_COVERS_ONE	false
#define KPROBES_OPT_JCC_LEN	2
#define KPROBES_OPT_JCC_OVER	7
#define KPROBES_OPT_FLIP(regs)	((regs)->flags ^= X86_EFLAGS_ZF)
#define KPROBES_OPT_NEVER	(IS_ENABLED(CONFIG_X86_64) ? \
				 "kprobes_target_load" : "kprobes_opt_landed")

/* ../../entry_asm.S */
#define ENTRY_NOP_SIZE		5

/* What the architecture's part of kprobes does. */
#define KPROBES_TRAP_IS_NMI	true
#define KPROBES_STOPS_CPUS	false
#define KPROBES_DETOUR_OF_ANY	true
#define KPROBES_NEAR_SLOTS	IS_ENABLED(CONFIG_X86_64)
/* Called for each pass over the text. */
#define KPROBES_SYNC_SYMBOL	"text_poke_sync"

/* What the kernel's text is like. */
#define KPROBES_TEXT_HAS_DATA	false
#define KPROBES_CFI_SYMBOLS
#define KPROBES_SLEEP_INSN	ANNOTATE_NOENDBR "hlt\n"
#define KPROBES_BAD_INSN	ANNOTATE_NOENDBR ".byte 0x06\n"

/* Has a function return at once, from its entry. */
static inline void kprobes_return_now(struct pt_regs *regs)
{
	regs->ip = *(unsigned long *)regs->sp;
	regs->sp += sizeof(long);
}

#define kprobes_cpu_has(feature)	boot_cpu_has(feature)

/* The length of the landing pad at a function's start. */
static inline unsigned int kprobes_landing_pad(unsigned long addr)
{
	return is_endbr(*(u32 *)addr) ? 4 : 0;
}

#define kprobes_landing_pad	kprobes_landing_pad

/* Does an instruction begin at @addr, after @start? Only as long as no probe is armed. */
static inline bool kprobes_is_boundary(unsigned long addr, unsigned long start)
{
	struct insn insn;

	for (; start < addr; start += insn.length)
		if (insn_decode_kernel(&insn, (void *)start))
			return true;	/* who knows */
	return start == addr;
}

/* What the kernel does about a fault at an address. */
static inline int kprobes_fixup_type(unsigned long addr)
{
	return ex_get_fixup_type(addr);
}

#define kprobes_fixup_type	kprobes_fixup_type

/* Do calls and returns of compiled code change the flags? */
static inline bool kprobes_calls_are_counted(void)
{
	return cpu_feature_enabled(X86_FEATURE_CALL_DEPTH);
}

/*
 * share_kunit.c: the least share of places that can have a jump, in percent. Without IBT functions
 * with an indirect jump have none, and their number depends on the compiler. Where calls are
 * counted, code that counts them takes the padding that jumps at a function's end use.
 */
#define KPROBES_HAS_SHARES	IS_ENABLED(CONFIG_X86_KERNEL_IBT)
#define KPROBES_SHARE_AT_ENTRY	95
#define KPROBES_SHARE_AFTER	(kprobes_calls_are_counted() ? 95 : 97)
#define KPROBES_SHARE_ANYWHERE	(kprobes_calls_are_counted() ? 95 : \
				 IS_ENABLED(CONFIG_PREFIX_SYMBOLS) ? 97 : 85)

/* Can nobody write to a page of text, nor to its direct mapping? */
static inline bool kprobes_page_is_protected(void *addr)
{
	unsigned int level;
	pte_t *pte = lookup_address((unsigned long)addr, &level);
	pte_t *alias = lookup_address((unsigned long)page_address(vmalloc_to_page(addr)), &level);

	return (pte_val(*pte) & (_PAGE_PRESENT | _PAGE_RW | _PAGE_NX | _PAGE_USER)) ==
	       _PAGE_PRESENT && !(pte_val(*alias) & _PAGE_RW);
}

#define kprobes_page_is_protected	kprobes_page_is_protected

#ifdef CONFIG_X86_LOCAL_APIC
/* nmi.c */
#define KPROBES_RAISES_NMI
void kprobes_raise_nmi(void);
int kprobes_register_nmi(void (*fn)(void));
void kprobes_unregister_nmi(void);
#endif

/* In the context of a task, and not on the task's stack. */
#define KPROBES_DIES_IN_FAULTS
static inline void kprobes_call_on_irq_stack(void (*fn)(void))
{
#ifdef CONFIG_X86_64
	__this_cpu_write(pcpu_hot.hardirq_stack_inuse, true);
	call_on_irqstack(fn, ASM_CALL_ARG0);
	__this_cpu_write(pcpu_hot.hardirq_stack_inuse, false);
#else
	fn();
#endif
}
#endif /* __ASSEMBLY__ */
#endif /* _KPROBES_TESTS_X86_KPROBES_TEST_H */
