/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_ARM_KPROBE_POINT_H
#define _ASM_ARM_KPROBE_POINT_H

/*
 * Arm's part of linux/kprobe_point.h that is inline. At a function's entry lr has the return
 * address. Both unwinders know the call by the stack pointer that the function was entered with.
 */
#include <linux/compiler.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <asm/domain.h>
#include <asm/opcodes.h>
#include <asm/proc-fns.h>
#include <asm/ptrace.h>

/* Does an instruction with the condition of this number take effect with these flags? */
static __always_inline bool kprobe_condition_holds(u32 cond, unsigned long psr)
{
	bool n = psr & PSR_N_BIT, z = psr & PSR_Z_BIT, c = psr & PSR_C_BIT, v = psr & PSR_V_BIT;
	bool holds;

	switch (cond >> 1) {
	case 0:
		holds = z;
		break;
	case 1:
		holds = c;
		break;
	case 2:
		holds = n;
		break;
	case 3:
		holds = v;
		break;
	case 4:
		holds = c && !z;
		break;
	case 5:
		holds = n == v;
		break;
	case 6:
		holds = n == v && !z;
		break;
	default:
		return true;
	}
	return holds ^ (cond & 1);
}

#ifdef CONFIG_THUMB2_KERNEL
/*
 * udf, with whatever number, or an instruction of a coprocessor or SIMD, that may be undefined as
 * long as VFP is off.
 */
static __always_inline bool arch_kprobe_has_breakpoint(unsigned long addr)
{
	u16 half;

	__get_kernel_nofault(&half, (void *)addr, u16, unreadable);
	half = __mem_to_opcode_thumb16(half);
	if ((half & 0xff00) == 0xde00 || (half & 0xec00) == 0xec00)
		return true;
	if ((half & 0xfff0) != 0xf7f0)
		return false;
	__get_kernel_nofault(&half, (void *)(addr + sizeof(half)), u16, unreadable);
	return (__mem_to_opcode_thumb16(half) & 0xf000) == 0xa000;
unreadable:
	return true;
}

/* CPSR has the state of a block in two parts. */
static __always_inline void kprobe_set_block(struct pt_regs *regs, u8 block)
{
	regs->ARM_cpsr &= ~PSR_IT_MASK;
	regs->ARM_cpsr |= (block & 0xfc) << 8 | (block & 3) << 25;
}

/* What the breakpoint replaces may be in a block, and its condition not be true. */
static __always_inline bool arch_kprobe_passes(const struct kprobe_point *point,
					       struct pt_regs *regs)
{
	if (likely(!point->block) || kprobe_condition_holds(point->block >> 4, regs->ARM_cpsr))
		return false;
	kprobe_set_block(regs, t32_kprobe_next_in_block(point->block));
	return true;
}

#define arch_kprobe_passes	arch_kprobe_passes

/* Slots of what is in a block end in a breakpoint. */
static __always_inline unsigned long arch_kprobe_slot_ended(const struct kprobe_point *point,
							    struct pt_regs *regs,
							    unsigned int offset)
{
	kprobe_set_block(regs, t32_kprobe_next_in_block(point->block));
	return point->site + point->len;
}

#define arch_kprobe_slot_ended	arch_kprobe_slot_ended

static __always_inline unsigned int arch_kprobe_copy_len(const struct kprobe_point *point)
{
	return t32_kprobe_copy_len((const u8 *)point->insn, point->block);
}

static __always_inline unsigned int arch_kprobe_copy_pushed(const void *insn, unsigned int offset)
{
	return t32_kprobe_copy_pushed(insn, offset);
}

#define arch_kprobe_isa		(&t32_kprobe_isa)
#else
/*
 * udf, with whatever number, or an instruction of a coprocessor or without a condition, that may
 * be undefined as long as VFP is off.
 */
static __always_inline bool kprobe_may_be_undefined(u32 word)
{
	return (word & 0x0ff000f0) == 0x07f000f0 || (word & 0x0c000000) == 0x0c000000 ||
	       word >> 28 == 0xf;
}

static __always_inline bool arch_kprobe_has_breakpoint(unsigned long addr)
{
	u32 word;

	__get_kernel_nofault(&word, (void *)addr, u32, unreadable);
	return kprobe_may_be_undefined(__mem_to_opcode_arm(word));
unreadable:
	return true;
}

/* The breakpoint has no condition. One that replaces an instruction without effect is passed. */
static __always_inline bool arch_kprobe_passes(const struct kprobe_point *point,
					       const struct pt_regs *regs)
{
	u32 word = __mem_to_opcode_arm(point->insn[0]);

	return unlikely(word < 0xe0000000) && !kprobe_condition_holds(word >> 28, regs->ARM_cpsr);
}

#define arch_kprobe_passes	arch_kprobe_passes

/* The jump has the condition of the instruction that it replaces; it is written without one. */
static inline void arch_kprobe_adapt_jump(const struct kprobe_point *point, u8 *jump)
{
	u32 word = __mem_to_opcode_arm(point->insn[0]);

	/* The highest byte of a little-endian word. */
	if (word < 0xe0000000)
		jump[3] = (word >> 24 & 0xf0) | (jump[3] & 0x0f);
}

#define arch_kprobe_adapt_jump	arch_kprobe_adapt_jump

/* Where another register stands for pc, there is more than the instruction. */
static __always_inline unsigned int arch_kprobe_copy_len(const struct kprobe_point *point)
{
	return arm_kprobe_copy_len(__mem_to_opcode_arm(point->insn[0]));
}

static __always_inline unsigned int arch_kprobe_copy_pushed(const void *insn, unsigned int offset)
{
	return arm_kprobe_copy_pushed(__mem_to_opcode_arm(*(const u32 *)insn), offset);
}

#define arch_kprobe_isa		(&arm_kprobe_isa)
#endif /* CONFIG_THUMB2_KERNEL */

#define arch_kprobe_copy_len	arch_kprobe_copy_len
#define arch_kprobe_copy_pushed	arch_kprobe_copy_pushed

/* An interrupt has each CPU fetch anew. */
#define arch_kprobe_sync_slots	kick_all_cpus_sync

#define KPROBE_LINK(regs)	((regs)->ARM_lr)

/* ftrace's graph tracer notes no place. */
#define KRETPROBE_GRAPH_KEY(fp)	((void)(fp), NULL)

/*
 * Access to user memory, which the probed code may have turned on. A breakpoint's trap turns it
 * off by the domain register, but not by the tables' control register. It restores both.
 */
static __always_inline unsigned int arch_kprobe_access(void)
{
#if defined(CONFIG_CPU_SW_DOMAIN_PAN)
	return get_domain() & domain_mask(DOMAIN_USER);
#elif defined(CONFIG_CPU_TTBR0_PAN)
	return !(cpu_get_ttbcr() & TTBCR_EPD0);
#else
	return 0;
#endif
}

#define arch_kprobe_access	arch_kprobe_access

#ifdef CONFIG_FUNCTION_TRACER
bool arch_kprobe_is_called(unsigned long addr);

#define arch_kprobe_is_called	arch_kprobe_is_called
#endif

void arch_kprobe_end_access(unsigned int access);
void arch_kprobe_resume_access(unsigned int access);

#endif /* _ASM_ARM_KPROBE_POINT_H */
