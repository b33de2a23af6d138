/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_X86_KPROBE_POINT_H
#define _ASM_X86_KPROBE_POINT_H

/*
 * x86's part of linux/kprobe_point.h that is inline. At a function's entry, and
 * after the nop there, the return address is on top of the stack.
 */
#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/uaccess.h>
#include <asm/current.h>
#include <asm/nops.h>
#include <asm/ptrace.h>
#include <asm/text-patching.h>

/* With the bit that asks for rescheduling. */
static __always_inline unsigned int arch_kprobe_preempt_count(void)
{
	return raw_cpu_read_4(pcpu_hot.preempt_count);
}

#define arch_kprobe_preempt_count	arch_kprobe_preempt_count

/* int3, or the second byte of "int $3", which traps in the same way. */
static __always_inline bool arch_kprobe_has_breakpoint(unsigned long addr)
{
	u8 byte, before = 0;

	__get_kernel_nofault(&byte, (void *)addr, u8, unreadable);
	if (byte == 0x03)
		__get_kernel_nofault(&before, (void *)(addr - 1), u8, unreadable);
	return byte == INT3_INSN_OPCODE || before == 0xcd;
unreadable:
	return true;
}

/* The nop at a function's entry has the size of ftrace's call. */
#define KPROBE_ENTRY_OPCODE	(x86_nops[5][0])
#define KPROBE_ENTRY_NOP_SIZE	5

/* The type in front of a function has a symbol of its own. */
#define KPROBE_CFI_TYPE_SIZE	0

extern const struct kprobe_isa x86_kprobe_isa;
#define arch_kprobe_isa		(&x86_kprobe_isa)

#ifdef CONFIG_PREFIX_SYMBOLS
/* A jump that reaches 128 bytes. The nops in front of functions have symbols. */
#define KPROBE_SHORT_JUMP_SIZE	2

extern const struct kprobe_isa x86_kprobe_short_isa;
#define arch_kprobe_short_isa	(&x86_kprobe_short_isa)

static __always_inline unsigned long arch_kprobe_jump_target(unsigned long addr)
{
	if (*(u8 *)addr != JMP32_INSN_OPCODE)
		return addr;
	return addr + JMP32_INSN_SIZE + *(s32 *)(addr + 1);
}
#endif

bool arch_kprobe_text_reserved(unsigned long start, unsigned long end);
#define arch_kprobe_text_reserved	arch_kprobe_text_reserved

int arch_kprobe_init(void);
#define arch_kprobe_init		arch_kprobe_init

unsigned long arch_kprobe_way_out(void);
#define arch_kprobe_way_out		arch_kprobe_way_out

enum kprobe_reason arch_kprobe_refuses_detours(void);
#define arch_kprobe_refuses_detours	arch_kprobe_refuses_detours

bool arch_kprobe_is_called(unsigned long addr);
#define arch_kprobe_is_called		arch_kprobe_is_called

bool arch_kprobe_is_thunk(unsigned long addr);
#define arch_kprobe_is_thunk		arch_kprobe_is_thunk

static __always_inline unsigned long
arch_kretprobe_return_address(struct pt_regs *regs)
{
	return *(unsigned long *)regs->sp;
}

static __always_inline void
arch_kretprobe_set_return_address(struct pt_regs *regs, void *fp,
				  unsigned long addr)
{
	*(unsigned long *)fp = addr;
}

#endif /* _ASM_X86_KPROBE_POINT_H */
