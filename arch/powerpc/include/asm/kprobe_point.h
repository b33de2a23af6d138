/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_POWERPC_KPROBE_POINT_H
#define _ASM_POWERPC_KPROBE_POINT_H

/*
 * PowerPC's part of linux/kprobe_point.h that is inline. At a function's entry the return
 * address is in LR, and the unwinder knows the call by the stack pointer: a function saves LR in
 * its caller's frame.
 */
#include <linux/compiler.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <asm/probes.h>
#include <asm/ptrace.h>

/* Others trap as well, mostly conditionally: BUG() and WARN(). */
static __always_inline bool arch_kprobe_has_breakpoint(unsigned long addr)
{
	u32 word;

	__get_kernel_nofault(&word, (void *)addr, u32, unreadable);
	return is_trap(word);
unreadable:
	return true;
}

/* An interrupt has each CPU fetch anew. */
#define arch_kprobe_sync_slots	kick_all_cpus_sync

#define arch_kprobe_isa		(&powerpc_kprobe_isa)

/* A nop comes after the copy of a prefixed instruction. */
static __always_inline unsigned int arch_kprobe_copy_len(const struct kprobe_point *point)
{
	return point->len == 2 * sizeof(u32) ? 3 * sizeof(u32) : sizeof(u32);
}

#define arch_kprobe_copy_len	arch_kprobe_copy_len

#define KPROBE_LINK(regs)	((regs)->link)

bool arch_kprobe_text_reserved(unsigned long start, unsigned long end);
#define arch_kprobe_text_reserved	arch_kprobe_text_reserved

bool arch_kprobe_is_called(unsigned long addr);
#define arch_kprobe_is_called	arch_kprobe_is_called

#ifdef CONFIG_PPC64_ELF_ABI_V2
unsigned long arch_kprobe_entry(unsigned long start);
#define arch_kprobe_entry	arch_kprobe_entry
#endif

/* kprobes.c: what kprobes-trampoline.S calls. */
void kprobe_stub_enter(struct pt_regs *regs, struct kprobe_detour *detour);
void kprobe_stub_post(struct pt_regs *regs, unsigned long where);
void kprobe_stub_return(struct pt_regs *regs, void *fp);
void kprobe_stub_rethook(struct pt_regs *regs, void *fp);

#endif /* _ASM_POWERPC_KPROBE_POINT_H */
