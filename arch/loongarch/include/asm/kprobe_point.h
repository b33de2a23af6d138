/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_LOONGARCH_KPROBE_POINT_H
#define _ASM_LOONGARCH_KPROBE_POINT_H

/*
 * LoongArch's part of linux/kprobe_point.h that is inline. At a function's entry the return
 * address is in ra, and the unwinder knows the call by the stack pointer.
 */
#include <linux/compiler.h>
#include <linux/ftrace.h>
#include <linux/uaccess.h>
#include <asm/break.h>
#include <asm/inst.h>
#include <asm/ptrace.h>

#define arch_kprobe_isa		(&loongarch_kprobe_isa)

/* All break instructions trap in the same way, and those of others do so again and again. */
static __always_inline bool arch_kprobe_has_breakpoint(unsigned long addr)
{
	u32 word;

	__get_kernel_nofault(&word, (void *)addr, u32, unreadable);
	return (word & 0xffff8000) == __emit_break(0);
unreadable:
	return true;
}

/* Each CPU fetches anew. */
void kprobe_fetch_anew(void);
#define arch_kprobe_sync_slots	kprobe_fetch_anew

#ifdef CONFIG_DYNAMIC_FTRACE
/* At an entry: move t0, ra, which ftrace has in its table, and a call or nop, which it has not. */
#define KPROBE_ENTRY_NOP_SIZE	8

static inline bool arch_kprobe_text_reserved(unsigned long start, unsigned long end)
{
	return ftrace_location_range(start - LOONGARCH_INSN_SIZE, end - 1 - LOONGARCH_INSN_SIZE);
}

#define arch_kprobe_text_reserved	arch_kprobe_text_reserved
#endif

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
/* It goes back to the traced function by t1; ra is that function's. */
static inline bool arch_kprobe_is_called(unsigned long addr)
{
	return addr != (unsigned long)ftrace_stub_direct_tramp;
}

#define arch_kprobe_is_called	arch_kprobe_is_called
#endif

#define KPROBE_LINK(r)	((r)->regs[1])

/* ftrace has saved ra in a struct pt_regs below the frame: GRAPH_FAKE_OFFSET of asm/unwind.h. */
#define KRETPROBE_GRAPH_KEY(fp)	\
	((fp) - sizeof(struct pt_regs) + offsetof(struct pt_regs, regs[1]))

#endif /* _ASM_LOONGARCH_KPROBE_POINT_H */
