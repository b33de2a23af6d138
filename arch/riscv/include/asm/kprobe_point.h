/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_RISCV_KPROBE_POINT_H
#define _ASM_RISCV_KPROBE_POINT_H

/*
 * RISC-V's part of linux/kprobe_point.h that is inline. At a function's entry the return
 * address is in ra, and the unwinder knows the call by the stack pointer.
 */
#include <linux/cacheflush.h>
#include <linux/compiler.h>
#include <linux/ftrace.h>
#include <linux/linkage.h>
#include <linux/uaccess.h>
#include <asm/ptrace.h>

/* c.ebreak or ebreak, by halves: nothing aligns an instruction to its length. */
static __always_inline bool arch_kprobe_has_breakpoint(unsigned long addr)
{
	u16 first, second = 0;

	__get_kernel_nofault(&first, (void *)addr, u16, unreadable);
	if ((first & 3) == 3)
		__get_kernel_nofault(&second, (void *)(addr + 2), u16, unreadable);
	return first == 0x9002 || (first == 0x0073 && second == 0x0010);
unreadable:
	return true;
}

/* The nop has the size of ftrace's call. */
#define KPROBE_ENTRY_NOP_SIZE	8

#ifdef CONFIG_KPROBES_ON_FTRACE
/* Not by memcpy() and memset(), which may be probed. */
static __always_inline void kprobe_copy_words(unsigned long *to, const unsigned long *from,
					      unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		WRITE_ONCE(to[i], from ? from[i] : 0);
}

/* ftrace's call has a second instruction, which is no entry. */
static inline bool arch_kprobe_text_reserved(unsigned long start, unsigned long end)
{
	unsigned long call = start - KPROBE_ENTRY_NOP_SIZE / 2;

	return ftrace_location_range(call, call) == call;
}

#define arch_kprobe_text_reserved	arch_kprobe_text_reserved

/* In the kernel; ftrace's callbacks run with the interrupts of the call. */
static __always_inline void arch_kprobe_get_call(struct pt_regs *regs,
						 struct ftrace_regs *fregs)
{
	const struct __arch_ftrace_regs *from = arch_ftrace_regs(fregs);

	kprobe_copy_words((unsigned long *)regs, NULL, sizeof(*regs) / sizeof(long));
	kprobe_copy_words(&regs->a0, from->args, ARRAY_SIZE(from->args));
	regs->epc = from->epc;
	regs->ra = from->ra;
	regs->sp = from->sp;
	regs->s0 = from->s0;
	regs->t0 = from->epc;
	regs->t1 = from->t1;
	regs->tp = (unsigned long)current;
	regs->status = SR_PP | (csr_read(CSR_STATUS) & SR_IE ? SR_PIE : 0);
}

static __always_inline void arch_kprobe_put_call(struct ftrace_regs *fregs,
						 struct pt_regs *regs)
{
	struct __arch_ftrace_regs *to = arch_ftrace_regs(fregs);

	kprobe_copy_words(to->args, &regs->a0, ARRAY_SIZE(to->args));
	to->epc = regs->epc;
	to->ra = regs->ra;
}
#endif

#define arch_kprobe_isa		(&riscv_kprobe_isa)

/* In entry.S. A new task comes to it with that address in ra. */
asmlinkage void ret_from_fork(void);

static inline bool arch_kprobe_is_called(unsigned long addr)
{
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
	/* It goes back to the traced function by t0; ra is that function's. */
	if (addr == (unsigned long)ftrace_stub_direct_tramp)
		return false;
#endif
	return addr != (unsigned long)ret_from_fork;
}

#define arch_kprobe_is_called	arch_kprobe_is_called

#define arch_kprobe_sync_slots	flush_icache_all

#define KPROBE_LINK(regs)	((regs)->ra)

#endif /* _ASM_RISCV_KPROBE_POINT_H */
