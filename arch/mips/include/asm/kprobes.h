/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_MIPS_KPROBES_H
#define _ASM_MIPS_KPROBES_H

#include <asm-generic/kprobes.h>

#ifdef CONFIG_KPROBES
/* Room that a stub makes on the stack, a struct pt_regs, and where in that it saves $31. */
#if defined(CONFIG_CPU_CAVIUM_OCTEON)
#define KPROBE_STUB_FRAME	400
#define KPROBE_STUB_LINK	248
#elif defined(CONFIG_64BIT)
#define KPROBE_STUB_FRAME	304
#define KPROBE_STUB_LINK	248
#elif defined(CONFIG_CPU_HAS_SMARTMIPS)
#define KPROBE_STUB_FRAME	192
#define KPROBE_STUB_LINK	156
#else
#define KPROBE_STUB_FRAME	184
#define KPROBE_STUB_LINK	156
#endif

/*
 * Lengths of a stub's call, of what follows when there is room, and when $31 is saved, and of what
 * restores $31 and $29.
 */
#define KPROBE_STUB_ENTER	28
#define KPROBE_STUB_ROOM	24
#define KPROBE_STUB_SAVED	20
#define KPROBE_STUB_LEAVE	8

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

typedef u32 kprobe_opcode_t;

/* The longest text that is displaced as one: a branch and its delay slot. */
#define KPROBE_INSN_MAX		8
#define KPROBE_INSN_ALIGN	4

/* j and the nop in its delay slot; bc has none. */
#ifdef CONFIG_CPU_MIPSR6
#define KPROBE_JUMP_SIZE	4
#else
#define KPROBE_JUMP_SIZE	8
#endif

/* Room for the longest copy, of a conditional call, for a call with $31 saved, and a jump back. */
#define KPROBE_SLOT_SIZE	92

/* A call with $31 saved; twice its end, copies and a jump, with a call in between. */
#define KPROBE_DETOUR_MAX_SIZE	216

/**
 * struct arch_kprobe_insn - what else is known of an instruction
 * @link: the register that it writes its return address to, 0 if there is none
 */
struct arch_kprobe_insn {
	u8 link;
};

/* kprobes-insn.c, which knows nothing of a running kernel. */
extern const struct kprobe_isa mips_kprobe_isa;

bool kprobe_break_handler(struct pt_regs *regs);
#endif /* __ASSEMBLY__ */
#elif !defined(__ASSEMBLY__)
#include <linux/types.h>

struct pt_regs;

static inline bool kprobe_break_handler(struct pt_regs *regs)
{
	return false;
}
#endif /* CONFIG_KPROBES */

#endif /* _ASM_MIPS_KPROBES_H */
