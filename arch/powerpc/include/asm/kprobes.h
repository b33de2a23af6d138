/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_POWERPC_KPROBES_H
#define _ASM_POWERPC_KPROBES_H

#include <asm-generic/kprobes.h>

#ifdef CONFIG_KPROBES
/*
 * Room that a stub makes on the stack: a frame as interrupts have it, below the bytes that
 * functions use without a frame of their own (KERNEL_REDZONE_SIZE). Where struct pt_regs is in it.
 * On 32 bit that structure is shorter where there is no Book E, or no KUAP.
 */
#if defined(CONFIG_PPC64_ELF_ABI_V2)
#define KPROBE_STUB_FRAME	720
#define KPROBE_STUB_REGS	48
#elif defined(CONFIG_PPC64)
#define KPROBE_STUB_FRAME	784
#define KPROBE_STUB_REGS	112
#else
#define KPROBE_STUB_FRAME	256
#define KPROBE_STUB_REGS	16
#endif

/*
 * Where in it the stub saves the link register. Lengths of a stub's call, of what follows when the
 * register is saved, and of what restores it and the stack pointer. Those of 64 bit keep the
 * stub's copies aligned for prefixed instructions.
 */
#ifdef CONFIG_PPC64
#define KPROBE_STUB_LINK	(KPROBE_STUB_REGS + 36 * 8)
#define KPROBE_STUB_ENTER	40
#define KPROBE_STUB_SAVED	24
#define KPROBE_STUB_LEAVE	16
#else
#define KPROBE_STUB_LINK	(KPROBE_STUB_REGS + 36 * 4)
#define KPROBE_STUB_ENTER	20
#define KPROBE_STUB_SAVED	4
#define KPROBE_STUB_LEAVE	16
#endif

/* Offset of @route.run_post in struct kprobe_detour. */
#ifdef CONFIG_PPC64
#define KPROBE_DETOUR_RUN_POST	32

/* Livepatch makes the nop behind a call restore r2. */
#define KPROBE_RELOCATION_LAST	4
#else
#define KPROBE_DETOUR_RUN_POST	16
#endif
#endif /* CONFIG_KPROBES */

#ifndef __ASSEMBLY__
/* The BPF JIT fills its memory with breakpoints, and asks how far a branch reaches. */
#include <asm/code-patching.h>
#include <asm/probes.h>

struct kprobe_isa;
struct pt_regs;

#ifdef CONFIG_KPROBES
#include <linux/types.h>

typedef u32 kprobe_opcode_t;

/* A word, or a prefix and a suffix. */
#ifdef CONFIG_PPC64
#define KPROBE_INSN_MAX		8
#else
#define KPROBE_INSN_MAX		4
#endif
#define KPROBE_INSN_ALIGN	4

/* A branch. It covers one instruction. */
#define KPROBE_JUMP_SIZE	4

/* Room for the longest copy that runs in a slot, a call, a jump back. */
#define KPROBE_SLOT_SIZE	72

/*
 * A call, the longest copy and a jump back; the end of a call, the first instruction, a call, a
 * jump. The longest copy, of a conditional call, does not come with the second part.
 */
#define KPROBE_DETOUR_MAX_SIZE	160

/**
 * struct arch_kprobe_insn - what else is known of an instruction
 * @sum: what addpcis or a paddi relative to its address makes
 */
struct arch_kprobe_insn {
	unsigned long sum;
};

/* kprobes-insn.c, which knows nothing of a running kernel. */
extern const struct kprobe_isa powerpc_kprobe_isa;

bool kprobe_program_check(struct pt_regs *regs);
#else
static inline bool kprobe_program_check(struct pt_regs *regs)
{
	return false;
}
#endif /* CONFIG_KPROBES */
#endif /* __ASSEMBLY__ */

#endif /* _ASM_POWERPC_KPROBES_H */
