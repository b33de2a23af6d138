/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_PARISC_KPROBES_H
#define _ASM_PARISC_KPROBES_H

#include <asm-generic/kprobes.h>

/*
 * Room that a stub makes on the stack, which grows upwards: struct pt_regs and a frame for calls
 * (PT_SZ_ALGN). The stub saves r31 at its start.
 */
#ifdef CONFIG_64BIT
#define KPROBE_STUB_FRAME	832
#else
#define KPROBE_STUB_FRAME	576
#endif
#define KPROBE_STUB_LINK	0

/*
 * Lengths of a stub's call, of what follows when r31 is saved, and of what restores r31 and sp.
 * That is in the call's delay slot, which is nullified: the call's link is the address after it.
 */
#define KPROBE_STUB_ENTER	12
#define KPROBE_STUB_SAVED	8
#define KPROBE_STUB_LEAVE	4

/* Offset of @route.run_post in struct kprobe_detour. */
#ifdef CONFIG_64BIT
#define KPROBE_DETOUR_RUN_POST	32
#else
#define KPROBE_DETOUR_RUN_POST	16
#endif

#ifndef __ASSEMBLY__
#include <linux/types.h>

struct kprobe_isa;
struct pt_regs;

#ifdef CONFIG_KPROBES
typedef u32 kprobe_opcode_t;

#define KPROBE_INSN_MAX		4
#define KPROBE_INSN_ALIGN	4

/* ldil and be,n, which reach all of the kernel. */
#define KPROBE_JUMP_SIZE	8

/* A copy, a call, a jump back that needs no register. */
#define KPROBE_SLOT_SIZE	40

/*
 * A call, what a jump covers, a jump back; the end of a call, the first instruction, a call, a
 * jump.
 */
#define KPROBE_DETOUR_MAX_SIZE	96

/* At a function's entry the word of ftrace: its call begins in front of the function. */
#define KPROBE_ENTRY_OPCODE	0x08000240

/* What else is known of an instruction: nothing that its word does not tell. */
struct arch_kprobe_insn { };

/* Of a jump back that needs no register: what comes after it has put r1 on the stack. */
#define KPROBE_BACK_SIZE	12

/* kprobes-insn.c, which knows nothing of a running kernel. */
extern const struct kprobe_isa parisc_kprobe_isa;
unsigned int parisc_kprobe_back_pushed(const u8 *code);

bool kprobe_break_handler(struct pt_regs *regs);
void kprobe_interrupted(struct pt_regs *regs);
#else
static inline bool kprobe_break_handler(struct pt_regs *regs)
{
	return false;
}

static inline void kprobe_interrupted(struct pt_regs *regs) { }
#endif /* CONFIG_KPROBES */
#endif /* __ASSEMBLY__ */

#endif /* _ASM_PARISC_KPROBES_H */
