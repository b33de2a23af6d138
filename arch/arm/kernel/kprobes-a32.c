// SPDX-License-Identifier: GPL-2.0-or-later
/* Emulates instructions of A32 that depend on their own address. */
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <asm/opcodes.h>
#include <asm/ptrace.h>

/* An odd address is one of Thumb code. */
static __kprobes void go_to(struct pt_regs *regs, unsigned long to)
{
	regs->ARM_pc = to & ~1UL;
	if (to & 1)
		regs->ARM_cpsr |= PSR_T_BIT;
}

/* The condition holds: see arch_kprobe_passes(). */
__kprobes bool arch_kprobe_emulate(struct kprobe_point *point, struct pt_regs *regs)
{
	const struct kprobe_insn *insn = point->emulated;
	unsigned long after = point->site + KPROBE_INSN_MAX;
	u32 word = __mem_to_opcode_arm(point->insn[0]);
	unsigned long *rd = &regs->uregs[word >> 12 & 0xf];

	regs->ARM_pc = after;
	switch (insn->flow) {
	case KPROBE_FLOW_CALL_INDIRECT:
		go_to(regs, regs->uregs[word & 0xf]);
		regs->ARM_lr = after;
		break;
	case KPROBE_FLOW_CALL:
		regs->ARM_lr = after;
		fallthrough;
	case KPROBE_FLOW_JUMP:
	case KPROBE_FLOW_COND:
		regs->ARM_pc = insn->target;
		break;
	default:
		if (insn->action == KPROBE_NOP)
			break;
		if (rd == &regs->ARM_pc)	/* bx; mov pc, lr */
			go_to(regs, regs->uregs[word & 0xf]);
		else	/* a word that is in the text, or the address of some place */
			*rd = insn->data_len ? *(unsigned long *)insn->data : insn->data;
	}
	return true;
}
