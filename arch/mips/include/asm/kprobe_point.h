/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_MIPS_KPROBE_POINT_H
#define _ASM_MIPS_KPROBE_POINT_H

/*
 * MIPS' part of linux/kprobe_point.h that is inline. At a function's entry the return address is
 * in $31, and the unwinder knows the call by the stack pointer.
 */
#include <linux/compiler.h>
#include <linux/uaccess.h>
#include <asm/mipsregs.h>
#include <asm/ptrace.h>

#define arch_kprobe_isa		(&mips_kprobe_isa)

/* All break instructions trap in the same way, and those of others do so again and again. */
static __always_inline bool arch_kprobe_has_breakpoint(unsigned long addr)
{
	u32 word;

	__get_kernel_nofault(&word, (void *)addr, u32, unreadable);
	return (word & 0xfc00003f) == 0x0000000d;
unreadable:
	return true;
}

/*
 * Whether it was the instruction in the delay slot that has trapped. There is no second instruction
 * pointer: the trap returns to the branch. But whoever asks what has trapped must learn that.
 */
static __always_inline unsigned long arch_kprobe_next_ip(const struct pt_regs *regs)
{
	return regs->cp0_cause & CAUSEF_BD;
}

static __always_inline void arch_kprobe_set_next_ip(struct pt_regs *regs, unsigned long next)
{
	regs->cp0_cause |= next;
}

#define arch_kprobe_next_ip	arch_kprobe_next_ip

/* Each CPU fetches anew. */
void kprobe_sync_slots(void);
#define arch_kprobe_sync_slots	kprobe_sync_slots

/* What ftrace and jump labels patch may become a branch with a delay slot. */
#define KPROBE_PATCHED_SLOTS

#ifdef CONFIG_DYNAMIC_FTRACE
unsigned long arch_kprobe_entry(unsigned long start);
#define arch_kprobe_entry	arch_kprobe_entry
#endif

bool arch_kprobe_is_called(unsigned long addr);
#define arch_kprobe_is_called	arch_kprobe_is_called

#define KPROBE_LINK(r)	((r)->regs[31])

/* ftrace's graph tracer notes no place. */
#define KRETPROBE_GRAPH_KEY(fp)	((void)(fp), NULL)

#endif /* _ASM_MIPS_KPROBE_POINT_H */
