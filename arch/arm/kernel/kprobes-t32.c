// SPDX-License-Identifier: GPL-2.0-or-later
/* Emulates instructions of T32 that depend on their own address, or begin a block. */
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <asm/opcodes.h>
#include <asm/ptrace.h>

#include "kprobes-t32.h"

/* An even address is one of A32's code. */
static __kprobes void go_to(struct pt_regs *regs, unsigned long to)
{
	regs->ARM_pc = to & ~1UL;
	if (!(to & 1))
		regs->ARM_cpsr &= ~PSR_T_BIT;
}

/* In a block the breakpoint has found the condition to hold. */
static __kprobes bool is_taken(u32 word, const struct kprobe_insn *insn, struct pt_regs *regs)
{
	u32 half = word >> 16;

	if (insn->arch.block)
		return true;
	if ((half & 0xf500) == 0xb100)	/* cbz, cbnz */
		return !regs->uregs[half & 7] ^ (half >> 11 & 1);
	return kprobe_condition_holds(insn->len == 2 ? half >> 8 & 0xf : half >> 6 & 0xf,
				      regs->ARM_cpsr);
}

/* A register gets a word that is in the text, or the address of some place. */
static __kprobes void set_result(u32 word, const struct kprobe_insn *insn, struct pt_regs *regs)
{
	u32 rd = RD(word);

	if (insn->len == 2)
		rd = SHORT_RT(word);
	else if (insn->data_len)
		rd = RT(word);
	regs->uregs[rd] = insn->data_len ? *(unsigned long *)insn->data : insn->data;
}

__kprobes bool arch_kprobe_emulate(struct kprobe_point *point, struct pt_regs *regs)
{
	u32 word = HALF(__mem_to_opcode_thumb16(point->insn[0])) |
		   __mem_to_opcode_thumb16(point->insn[1]);
	const struct kprobe_insn *insn = point->emulated;
	unsigned long after = point->site + insn->len;

	kprobe_set_block(regs, insn->block);
	regs->ARM_pc = after;
	if (insn->action == KPROBE_NOP)
		return true;
	switch (insn->flow) {
	case KPROBE_FLOW_CALL_INDIRECT:
		go_to(regs, regs->uregs[SHORT_RM(word)]);
		regs->ARM_lr = after | 1;
		break;
	case KPROBE_FLOW_CALL:
		regs->ARM_lr = after | 1;
		fallthrough;
	case KPROBE_FLOW_JUMP:
		regs->ARM_pc = insn->target;
		break;
	case KPROBE_FLOW_COND:
		if (is_taken(word, insn, regs))
			regs->ARM_pc = insn->target;
		break;
	default:	/* in a block, jumps do not count as such */
		if ((word & HALF(0xff87)) == HALF(0x4700))		/* bx */
			go_to(regs, regs->uregs[SHORT_RM(word)]);
		else if ((word & HALF(0xff87)) == HALF(0x4687))		/* mov pc, rm */
			regs->ARM_pc = regs->uregs[SHORT_RM(word)] & ~1UL;
		else if ((word & HALF(0xff00)) != HALF(0xbf00))		/* not it */
			set_result(word, insn, regs);
	}
	return true;
}
