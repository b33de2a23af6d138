/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_RISCV_KPROBES_H
#define _ASM_RISCV_KPROBES_H

#include <asm-generic/kprobes.h>

/* Offset of @route.run_post in struct kprobe_detour. */
#define KPROBE_DETOUR_RUN_POST	32

/*
 * Room that a stub makes on the stack, struct pt_regs aligned as stacks are, and where in it
 * the stub saves ra.
 */
#define KPROBE_STUB_FRAME	288
#define KPROBE_STUB_LINK	8

/* Lengths of a stub's call, of what follows when ra is saved, and of what restores ra and sp. */
#define KPROBE_STUB_ENTER	16
#define KPROBE_STUB_SAVED	8
#define KPROBE_STUB_LEAVE	8

#ifndef __ASSEMBLY__
struct kprobe_isa;
struct pt_regs;

#ifdef CONFIG_KPROBES
#include <linux/kconfig.h>
#include <linux/types.h>

/* The unit of text: a compressed instruction, or half of another one. */
typedef u16 kprobe_opcode_t;

#define KPROBE_INSN_MAX		4
#define KPROBE_INSN_ALIGN	(IS_ENABLED(CONFIG_RISCV_ISA_C) ? 2 : 4)

/* A copy, a call, and the jump or exception return that ends the slot. */
#define KPROBE_SLOT_SIZE	96

/* auipc and jalr, which reach 2 GB. */
#define KPROBE_JUMP_SIZE	8

/*
 * A call, what a jump covers, a jump back; the end of a call, the first instruction, a call, a
 * jump.
 */
#define KPROBE_DETOUR_MAX_SIZE	136

/*
 * Before an indirect call kCFI compares the target's type: beq, ebreak, jalr. Should the
 * ebreak trap, a report reads operands of the others. Where it can be, it is compressed.
 */
#define KPROBE_CFI_CHECK	{ 4, 0, IS_ENABLED(CONFIG_RISCV_ISA_C) ? -2 : -4 }

/* The first unit of the nop at a function's entry, as ftrace writes it. */
#define KPROBE_ENTRY_OPCODE	0x0013

/**
 * struct arch_kprobe_insn - operands of auipc and of branches
 * @rd:   where auipc puts the sum, where a call puts the address to return to
 * @rs1:  first register of a comparison; what an indirect target is relative to
 * @rs2:  second register of a comparison
 * @cond: which comparison: funct3 of a conditional branch
 * @imm:  what auipc adds to its address; an indirect target's distance from @rs1
 *
 * A compressed instruction has the operands of the one that it stands for.
 */
struct arch_kprobe_insn {
	u8 rd;
	u8 rs1;
	u8 rs2;
	u8 cond;
	s32 imm;
};

/* kprobes-insn.c, which knows nothing of a running kernel. */
extern const struct kprobe_isa riscv_kprobe_isa;

bool kprobe_breakpoint_handler(struct pt_regs *regs);
bool kprobe_break_leave(struct pt_regs *regs);
void kprobe_interrupted(struct pt_regs *regs);

#else

static inline bool kprobe_breakpoint_handler(struct pt_regs *regs)
{
	return false;
}

static inline void kprobe_interrupted(struct pt_regs *regs) { }

static __always_inline bool kprobe_break_leave(struct pt_regs *regs)
{
	return false;
}

#endif /* CONFIG_KPROBES */
#endif /* __ASSEMBLY__ */

#endif /* _ASM_RISCV_KPROBES_H */
