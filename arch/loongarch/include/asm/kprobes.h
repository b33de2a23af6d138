/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_LOONGARCH_KPROBES_H
#define _ASM_LOONGARCH_KPROBES_H

#include <asm-generic/kprobes.h>

/* Offset of @route.run_post in struct kprobe_detour. */
#define KPROBE_DETOUR_RUN_POST	32

/* Room that a stub makes on the stack, a struct pt_regs, and where in that it saves ra. */
#define KPROBE_STUB_FRAME	320
#define KPROBE_STUB_LINK	8

/*
 * Lengths of a stub's call, of what follows when there is room, and when ra is saved, and of what
 * restores ra and sp.
 */
#define KPROBE_STUB_ENTER	20
#define KPROBE_STUB_ROOM	16
#define KPROBE_STUB_SAVED	12
#define KPROBE_STUB_LEAVE	8

/* The return trampoline has kretprobe_trampoline_marks. */
#define KRETPROBE_TRAMPOLINE_MARKS

#ifndef __ASSEMBLY__
#include <linux/types.h>

struct kprobe_isa;
struct pt_regs;

#ifdef CONFIG_KPROBES
typedef u32 kprobe_opcode_t;

#define KPROBE_INSN_MAX		4
#define KPROBE_INSN_ALIGN	4

/* A jump covers one instruction. */
#define KPROBE_JUMP_SIZE	4

/* Room for a copy that runs, a call with ra saved, a jump back. A pair of branches is shorter. */
#define KPROBE_SLOT_SIZE	36

/* A call with ra saved; twice its end, a copy and a jump, with a call in between. */
#define KPROBE_DETOUR_MAX_SIZE	96

/* The first word of what ftrace patches at a function's entry: move t0, ra. */
#define KPROBE_ENTRY_OPCODE	0x0015002c

/**
 * struct arch_kprobe_insn - what else is known of an instruction
 * @value: what pcaddi and its kin write to their register; an indirect target's distance from its
 *         register
 */
struct arch_kprobe_insn {
	unsigned long value;
};

/* kprobes-insn.c, which knows nothing of a running kernel. */
extern const struct kprobe_isa loongarch_kprobe_isa;

bool kprobe_break_handler(struct pt_regs *regs);

#else

static __always_inline bool kprobe_break_handler(struct pt_regs *regs)
{
	return false;
}

#endif /* CONFIG_KPROBES */
#endif /* __ASSEMBLY__ */

#endif /* _ASM_LOONGARCH_KPROBES_H */
