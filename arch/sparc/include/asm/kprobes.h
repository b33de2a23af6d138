/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_SPARC_KPROBES_H
#define _ASM_SPARC_KPROBES_H

#include <asm-generic/kprobes.h>

/* Offset of @route.run_post in struct kprobe_detour. */
#define KPROBE_DETOUR_RUN_POST	32

#ifdef CONFIG_KPROBES
/*
 * Room that a stub makes on the stack, a frame and a struct pt_regs, and where it has the %o7 that
 * the call overwrites: a stub begins with save, so that is %i7 of its window, which is at the
 * stack pointer and STACK_BIAS once windows have been flushed.
 */
#define KPROBE_STUB_FRAME	352
#define KPROBE_STUB_LINK	(2047 + 15 * 8)

/* Lengths of a stub's call, of what follows when %o7 is saved, and of what restores the window. */
#define KPROBE_STUB_ENTER	12
#define KPROBE_STUB_SAVED	8
#define KPROBE_STUB_LEAVE	4

#ifndef __ASSEMBLY__
#include <linux/types.h>

struct kprobe_isa;
struct pt_regs;

typedef u32 kprobe_opcode_t;

/* A branch and its delay slot: a copy has both. Lengths in plans are those of a word. */
#define KPROBE_INSN_MAX		8
#define KPROBE_INSN_ALIGN	4

/* A jump covers one instruction. */
#define KPROBE_JUMP_SIZE	4

/* Room for a copy, a call, a jump back. */
#define KPROBE_SLOT_SIZE	24

/* A call; twice its end, a copy and a jump, with a call in between. Branches are copied once. */
#define KPROBE_DETOUR_MAX_SIZE	56

/* What else is known of an instruction: nothing that its word does not tell. */
struct arch_kprobe_insn { };

/* kprobes-insn.c, which knows nothing of a running kernel. */
extern const struct kprobe_isa sparc_kprobe_isa;

void kprobe_trap(struct pt_regs *regs);
#endif /* __ASSEMBLY__ */
#endif /* CONFIG_KPROBES */

#endif /* _ASM_SPARC_KPROBES_H */
