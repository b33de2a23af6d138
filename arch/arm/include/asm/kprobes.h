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
#ifdef CONFIG_THUMB2_KERNEL
#define KPROBE_STUB_ENTER	10
#define KPROBE_STUB_LEAVE	6
#else
#define KPROBE_STUB_ENTER	12
#define KPROBE_STUB_LEAVE	8
#endif
#define KPROBE_STUB_ROOM	8
#define KPROBE_STUB_SAVED	4

/* Offset of @route.run_post in struct kprobe_detour. */
#define KPROBE_DETOUR_RUN_POST	16

#ifndef __ASSEMBLY__
#include <linux/types.h>

struct kprobe_isa;
struct pt_regs;

#ifdef CONFIG_KPROBES
#ifdef CONFIG_THUMB2_KERNEL
typedef u16 kprobe_opcode_t;

#define KPROBE_INSN_MAX		4
#define KPROBE_INSN_ALIGN	2

/* A jump covers one long instruction, or two. */
#define KPROBE_JUMP_SIZE	4

/**
 * struct arch_kprobe_insn - what else is known of an instruction of T32
 * @block: state of the block that it is in, 0 if in none
 */
struct arch_kprobe_insn {
	u8 block;
};

/* Points know the state of their block, see kprobe_isa.within(): that of CPSR. */
#define KPROBE_BLOCKS

/* A pointer to a function says what its instructions are. */
#define KPROBE_POINTER_FLAGS	1UL

/* What is left of a block after one more of its instructions. */
static inline u8 t32_kprobe_next_in_block(u8 block)
{
	return block & 7 ? (block & 0xe0) | (block << 1 & 0x1f) : 0;
}

/* kprobes-insn-t32.c, which knows nothing of a running kernel. */
extern const struct kprobe_isa t32_kprobe_isa;
unsigned int t32_kprobe_copy_len(const u8 *bytes, u8 block);
unsigned int t32_kprobe_copy_pushed(const u8 *bytes, unsigned int offset);
#else
typedef u32 kprobe_opcode_t;

#define KPROBE_INSN_MAX		4
#define KPROBE_INSN_ALIGN	4

/* A jump covers one instruction. */
#define KPROBE_JUMP_SIZE	4

/* What else is known of an instruction: nothing that its word does not tell. */
struct arch_kprobe_insn { };

/* kprobes-insn.c, likewise. */
extern const struct kprobe_isa arm_kprobe_isa;
unsigned int arm_kprobe_copy_len(u32 word);
unsigned int arm_kprobe_copy_pushed(u32 word, unsigned int offset);
#endif

/* Room for the longest copy, a call with lr saved, a jump back. */
#define KPROBE_SLOT_SIZE	48

/* A call with lr saved; twice its end, a copy and a jump, with a call in between. */
#define KPROBE_DETOUR_MAX_SIZE	104

bool kprobe_undef_handler(struct pt_regs *regs);
#else
static inline bool kprobe_undef_handler(struct pt_regs *regs)
{
	return false;
}
#endif /* CONFIG_KPROBES */
#endif /* __ASSEMBLY__ */

#endif /* _ASM_ARM_KPROBES_H */
