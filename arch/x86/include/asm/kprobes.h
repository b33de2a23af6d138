/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_X86_KPROBES_H
#define _ASM_X86_KPROBES_H

#include <asm-generic/kprobes.h>

#ifdef CONFIG_KPROBES
#include <linux/types.h>
#include <asm/insn.h>

struct pt_regs;

typedef u8 kprobe_opcode_t;

/* Room for the longest instruction, a call with flags saved, a jump back. */
#define KPROBE_SLOT_SIZE	32

/* A jump with all its reach. */
#define KPROBE_JUMP_SIZE	5

/* Text that a point remembers: the last instruction begins where the jump ends. */
#define KPROBE_TEXT_SIZE	(KPROBE_JUMP_SIZE - 1 + MAX_INSN_SIZE)

/*
 * A detour that calls one handler, and the longest one. Twelve, and five, in a
 * page.
 */
#define KPROBE_DETOUR_SIZE	336
#define KPROBE_DETOUR_MAX_SIZE	800

/* The first byte of the nop at a function's entry. */
#define KPROBE_ENTRY_OPCODE	0x0f

/*
 * Before an indirect call kCFI compares the target's type: mov, add, je, ud2. Should
 * the ud2 trap, it reads both from the first two, which begin so many bytes before.
 */
#define KPROBE_CFI_CHECK	{ 12, 6 }

/**
 * enum x86_kprobe_action - how a displaced instruction takes effect
 * @X86_KPROBE_RUN:           a copy of it runs from the slot
 * @X86_KPROBE_NOP:           skipped
 * @X86_KPROBE_JMP:           goes to a relative target
 * @X86_KPROBE_JCC:           the same, if the flags say so
 * @X86_KPROBE_LOOP:          the same, if the counter says so
 * @X86_KPROBE_CALL:          the same, with the return address pushed
 * @X86_KPROBE_RET:           goes to the address on the stack
 * @X86_KPROBE_JMP_INDIRECT:  goes to where a register or memory points
 * @X86_KPROBE_CALL_INDIRECT: the same, with the return address pushed
 *
 * All but @X86_KPROBE_RUN are emulated.
 */
enum x86_kprobe_action {
	X86_KPROBE_RUN,
	X86_KPROBE_NOP,
	X86_KPROBE_JMP,
	X86_KPROBE_JCC,
	X86_KPROBE_LOOP,
	X86_KPROBE_CALL,
	X86_KPROBE_RET,
	X86_KPROBE_JMP_INDIRECT,
	X86_KPROBE_CALL_INDIRECT,
};

/* What stands in for a register's number in struct x86_kprobe_operand. */
#define X86_KPROBE_NO_REG	0xff
#define X86_KPROBE_NEXT_INSN	0xfe	/* RIP-relative: the end of the instruction */

/**
 * struct x86_kprobe_operand - where an indirect branch finds its target
 * @memory: in memory; else in the register @base
 * @percpu: the address is relative to the CPU's own data
 * @base:   a register's number as in ModRM, SIB and REX,
 *          %X86_KPROBE_NO_REG or %X86_KPROBE_NEXT_INSN
 * @index:  the same for the index register, or %X86_KPROBE_NO_REG
 * @shift:  log2 of the scale that @index is multiplied by
 */
struct x86_kprobe_operand {
	bool memory;
	bool percpu;
	u8 base;
	u8 index;
	u8 shift;
};

/**
 * struct x86_kprobe_plan - what decoding found out about an instruction
 * @action:  how it takes effect
 * @len:     its length in bytes
 * @rip_at:  offset of a RIP-relative displacement in it, 0 when there is none
 * @cond:    the condition, in the low bits of a jcc's or loop's opcode
 * @width:   size of a loop's counter in bytes
 * @disp:    distance from its end to a relative target; displacement of a
 *           memory operand; bytes that a return drops from the stack
 * @operand: of an indirect branch
 */
struct x86_kprobe_plan {
	enum x86_kprobe_action action;
	u8 len;
	u8 rip_at;
	u8 cond;
	u8 width;
	s32 disp;
	struct x86_kprobe_operand operand;
};

/**
 * struct x86_kprobe_region - the instructions that a jump replaces
 * @len:  length in bytes; whole instructions, %JMP32_INSN_SIZE or more
 * @nr:   how many instructions flow can get to from the first one
 * @plan: what becomes of them
 *
 * Behind an unconditional jump or a return the region goes on up to @len
 * without flow: with bytes that nobody executes, and of which there is no plan.
 */
struct x86_kprobe_region {
	u8 len;
	u8 nr;
	struct x86_kprobe_plan plan[KPROBE_JUMP_SIZE];
};

/* The architecture's part of struct kprobe_point. */
struct arch_kprobe_point {
	struct x86_kprobe_plan plan;
#ifdef CONFIG_OPTPROBES
	struct x86_kprobe_region region;
#endif
};

/**
 * struct arch_kprobe_detour - where things are in a detour, for unwinding
 * @save:    where registers are being saved: before the pre-handlers, and before
 *           the post-handlers; 0xffff where there are none
 * @restore: where they are being restored; where they end to be saved in a detour
 *           that calls no handlers by itself
 * @pushed:  where flags are on the stack, on their way to the CPU and back
 * @insn:    where the displaced instructions are, and the way back behind them
 * @nr:      how many displaced instructions there are
 * @calls:   which of them are calls, a bit for each
 * @from:    where they come from, and what is behind them: bytes from the site
 * @copies:  where further copies of the first instruction begin
 * @saved:   from here to the end registers are saved
 */
struct arch_kprobe_detour {
	u16 save[2];
	u16 restore[2];
	u16 pushed[2];
	u16 insn[KPROBE_JUMP_SIZE + 1];
	u8 nr;
	u8 calls;
	u8 from[KPROBE_JUMP_SIZE + 1];
	u16 copies;
	u16 saved;
};

int kprobe_int3_handler(struct pt_regs *regs);
bool kprobe_is_hit(unsigned long ip, unsigned long from);

#else

static inline bool kprobe_is_hit(unsigned long ip, unsigned long from)
{
	return false;
}

#endif /* CONFIG_KPROBES */

#ifdef CONFIG_OPTPROBES
bool kprobe_int3_leave(struct pt_regs *regs);
#else
static __always_inline bool kprobe_int3_leave(struct pt_regs *regs)
{
	return false;
}
#endif

#endif /* _ASM_X86_KPROBES_H */
