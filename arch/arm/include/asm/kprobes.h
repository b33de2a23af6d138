/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_ARM_KPROBES_H
#define _ASM_ARM_KPROBES_H

#include <asm-generic/kprobes.h>

/* Room that a stub makes on the stack, a struct svc_pt_regs, and where in that it saves lr. */
#define KPROBE_STUB_FRAME	80
#define KPROBE_STUB_LINK	56

/*
 * Lengths of a stub's call, of what follows when there is room and when lr is saved, and of what
 * restores lr and sp.
 */
#define KPROBE_STUB_ENTER	12
#define KPROBE_STUB_ROOM	8
#define KPROBE_STUB_SAVED	4
#define KPROBE_STUB_LEAVE	8

/* Offset of @route.run_post in struct kprobe_detour. */
#define KPROBE_DETOUR_RUN_POST	16

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

/* Room for the longest copy, a call with lr saved, a jump back. */
#define KPROBE_SLOT_SIZE	48

/* A call with lr saved; twice its end, a copy and a jump, with a call in between. */
#define KPROBE_DETOUR_MAX_SIZE	104

/* What else is known of an instruction: nothing that its word does not tell. */
struct arch_kprobe_insn { };

/* kprobes-insn.c, which knows nothing of a running kernel. */
extern const struct kprobe_isa arm_kprobe_isa;
unsigned int arm_kprobe_copy_len(u32 word);

bool kprobe_undef_handler(struct pt_regs *regs);
#else
static inline bool kprobe_undef_handler(struct pt_regs *regs)
{
	return false;
}
#endif /* CONFIG_KPROBES */
#endif /* __ASSEMBLY__ */

#endif /* _ASM_ARM_KPROBES_H */
