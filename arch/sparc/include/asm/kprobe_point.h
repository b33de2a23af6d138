/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_SPARC_KPROBE_POINT_H
#define _ASM_SPARC_KPROBE_POINT_H

/*
 * SPARC V9's part of linux/kprobe_point.h that is inline. At a function's entry %o7 has the address
 * of the call, which returns behind its delay slot. The unwinder knows the call by the stack
 * pointer with which it was made, without the bias: that makes it even.
 */
#include <linux/compiler.h>
#include <linux/linkage.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <asm/ptrace.h>

#define arch_kprobe_isa		(&sparc_kprobe_isa)

/* ta 0x70 */
#define KPROBE_BREAKPOINT_WORD	0x91d02070

static __always_inline bool arch_kprobe_has_breakpoint(unsigned long addr)
{
	/* The macro has a variable "addr" of its own. */
	void *text = (void *)addr;
	u32 word;

	__get_kernel_nofault(&word, text, u32, unreadable);
	return word == KPROBE_BREAKPOINT_WORD;
unreadable:
	return true;
}

/* A branch is emulated by both, and an instruction in its delay slot faults with both. */
static __always_inline unsigned long arch_kprobe_next_ip(const struct pt_regs *regs)
{
	return regs->tnpc;
}

#define arch_kprobe_next_ip	arch_kprobe_next_ip

static __always_inline void arch_kprobe_set_next_ip(struct pt_regs *regs, unsigned long next)
{
	regs->tnpc = next;
}

#define arch_kprobe_set_next_ip	arch_kprobe_set_next_ip

/* "flush" makes stores visible to other CPUs at some time, an interrupt by the time it ends. */
#define arch_kprobe_sync_slots	kick_all_cpus_sync

/* What ftrace and jump labels patch may become a branch with a delay slot. */
#define KPROBE_PATCHED_SLOTS

/* They return by %g7, or in another task. */
asmlinkage void VISenter(void);
asmlinkage void switch_to_pc(void);

static inline bool arch_kprobe_is_called(unsigned long addr)
{
	return addr != (unsigned long)VISenter && addr != (unsigned long)switch_to_pc;
}

#define arch_kprobe_is_called	arch_kprobe_is_called

/* How far behind a call's address it returns. */
#define KPROBE_CALL_SIZE	8

static __always_inline unsigned long arch_kretprobe_return_address(struct pt_regs *regs)
{
	return regs->u_regs[UREG_I7] + KPROBE_CALL_SIZE;
}

static __always_inline void
arch_kretprobe_set_return_address(struct pt_regs *regs, void *fp, unsigned long addr)
{
	regs->u_regs[UREG_I7] = addr - KPROBE_CALL_SIZE;
}

static __always_inline void *arch_kretprobe_frame(struct pt_regs *regs)
{
	return (void *)(kernel_stack_pointer(regs) + STACK_BIAS);
}

#define arch_kretprobe_frame	arch_kretprobe_frame

/* ftrace's graph tracer notes no place. */
#define KRETPROBE_GRAPH_KEY(fp)	((void)(fp), NULL)

#endif /* _ASM_SPARC_KPROBE_POINT_H */
