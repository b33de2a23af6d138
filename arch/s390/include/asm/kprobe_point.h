/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_S390_KPROBE_POINT_H
#define _ASM_S390_KPROBE_POINT_H

/*
 * s390's part of linux/kprobe_point.h that is inline. At a function's entry the return address is
 * in %r14, and the unwinder knows the call by the stack pointer.
 */
#include <linux/compiler.h>
#include <linux/uaccess.h>
#include <asm/ptrace.h>
#include <asm/text-patching.h>

/* The kernel's illegal operation. */
static __always_inline bool arch_kprobe_has_breakpoint(unsigned long addr)
{
	u16 opcode;

	__get_kernel_nofault(&opcode, (void *)addr, u16, unreadable);
	return opcode == 0x0002;
unreadable:
	return true;
}

/* The nop has the size of ftrace's call. */
#define KPROBE_ENTRY_NOP_SIZE	6

#define arch_kprobe_isa		(&s390_kprobe_isa)

#define KPROBE_LINK(regs)	((regs)->gprs[14])

/*
 * A trap has a CPU fetch anew, but ftrace's call does not, which may go on in a slot as well: see
 * arch_kprobe_patch().
 */
#define arch_kprobe_sync_slots	text_poke_sync

#ifdef CC_USING_EXPOLINE
bool arch_kprobe_is_thunk(unsigned long addr);
#define arch_kprobe_is_thunk	arch_kprobe_is_thunk
#endif

#endif /* _ASM_S390_KPROBE_POINT_H */
