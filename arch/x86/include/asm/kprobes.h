/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_X86_KPROBES_H
#define _ASM_X86_KPROBES_H

#include <asm-generic/kprobes.h>

#ifdef CONFIG_KPROBES
#include <linux/types.h>
#include <asm/insn.h>

typedef u8 kprobe_opcode_t;

#define KPROBE_INSN_MAX		MAX_INSN_SIZE

/* A trap's instruction pointer is after the breakpoint. */
#define KPROBE_HIT_OFFSET	1

/* Room for the longest instruction, a call, a jump back. */
#define KPROBE_SLOT_SIZE	32

/* A jump with all its reach. */
#define KPROBE_JUMP_SIZE	5

/* What std sets is cleared before C code is called: see the trampolines. */
#define ARCH_KPROBE_CLEARS_STATE	1

#ifdef CONFIG_X86_64
/*
 * Code that is executed while RCU is not watching is noinstr, or else on the blacklist. In 32 bit
 * there is APM, whose idle function is neither.
 */
#define ARCH_KPROBE_RCU_WATCHES	1

/* Detours call handlers by themselves: kprobes-opt.c. */
#define ARCH_KPROBE_OWN_DETOURS	1
#define ARCH_KPROBE_KEEPS_REGISTERS	__no_caller_saved_registers

/* Those with one handler of each kind take up to 440, those with the most of both up to 620. */
#define KPROBE_DETOUR_MAX_SIZE	700
#else
/* A call, what a jump covers, a jump back; the first instruction, a call, a jump. */
#define KPROBE_DETOUR_MAX_SIZE	96
#endif

/*
 * Before an indirect call kCFI compares the target's type: mov, add, je, ud2. Should
 * the ud2 trap, it reads both from the first two, which begin so many bytes before.
 */
#define KPROBE_CFI_CHECK	{ 12, 6 }

/* What stands in for a register's number in an operand. */
#define X86_KPROBE_NO_REG	0xff
#define X86_KPROBE_NEXT_INSN	0xfe	/* RIP-relative: the end of the instruction */

/**
 * struct arch_kprobe_insn - what else is known of an instruction
 * @rip_at: offset of a RIP-relative displacement in it, 0 when there is none
 * @cond:   the condition, in the low bits of a jcc's or loop's opcode
 * @loop:   of a conditional branch: it depends on the counter
 * @width:  size of a loop's counter in bytes
 * @base:   what an indirect branch's target is in, or if it is in memory, relative to: a
 *          register's number as in ModRM, SIB and REX, %X86_KPROBE_NO_REG or
 *          %X86_KPROBE_NEXT_INSN
 * @index:  the same for the index register, or %X86_KPROBE_NO_REG
 * @shift:  log2 of the scale that @index is multiplied by
 * @percpu: the address is relative to the CPU's own data
 * @disp:   displacement of a memory operand; bytes that a return drops from the stack
 */
struct arch_kprobe_insn {
	u8 rip_at;
	u8 cond;
	bool loop;
	u8 width;
	u8 base;
	u8 index;
	u8 shift;
	bool percpu;
	s32 disp;
};

#ifdef ARCH_KPROBE_OWN_DETOURS
/**
 * struct arch_kprobe_detour - where things are in a detour, for unwinding
 * @save:    where registers are being saved: before the pre-handlers, and before
 *           the post-handlers; U16_MAX where there are none
 * @restore: where they are being restored; where they end to be saved in a detour
 *           that calls no handlers by itself
 */
struct arch_kprobe_detour {
	u16 save[2];
	u16 restore[2];
};
#endif

#endif /* CONFIG_KPROBES */

struct pt_regs;

int kprobe_int3_handler(struct pt_regs *regs);
bool kprobe_int3_leave(struct pt_regs *regs);
bool kprobe_is_hit(unsigned long ip, unsigned long from);

#endif /* _ASM_X86_KPROBES_H */
