/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_PARISC_KPROBE_POINT_H
#define _ASM_PARISC_KPROBE_POINT_H

/*
 * PA-RISC's part of linux/kprobe_point.h that is inline. At a function's entry the return address
 * is in rp, and the unwinder knows the call by the stack pointer.
 */
#include <linux/compiler.h>
#include <linux/ftrace.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <asm/ptrace.h>

#define arch_kprobe_isa		(&parisc_kprobe_isa)

/* break 31, 0x1ffc, which nobody else has. */
#define KPROBE_BREAKPOINT_WORD	0x03ff801f

static __always_inline bool arch_kprobe_has_breakpoint(unsigned long addr)
{
	u32 word;

	__get_kernel_nofault(&word, (void *)addr, u32, unreadable);
	return word == KPROBE_BREAKPOINT_WORD;
unreadable:
	return true;
}

/* A branch is emulated by both, and an instruction in its delay slot faults with both. */
static __always_inline unsigned long arch_kprobe_next_ip(const struct pt_regs *regs)
{
	return regs->iaoq[1];
}

#define arch_kprobe_next_ip	arch_kprobe_next_ip

static __always_inline void arch_kprobe_set_next_ip(struct pt_regs *regs, unsigned long next)
{
	regs->iaoq[1] = next;
}

#define arch_kprobe_set_next_ip	arch_kprobe_set_next_ip

/* An emulated branch goes on in its delay slot, but a jump replaces that with the branch. */
#define ARCH_KPROBE_JUMP_COVERS_SLOT	1

/*
 * The copy of an instruction that may nullify the next one ends in two breakpoints: the second one
 * traps if the first was nullified, as the instruction behind the original would have been.
 */
static __always_inline unsigned long arch_kprobe_slot_ended(const struct kprobe_point *point,
							    struct pt_regs *regs,
							    unsigned int offset)
{
	return point->site + offset;
}

#define arch_kprobe_slot_ended	arch_kprobe_slot_ended

/* All CPUs flush their caches when one does, but may have fetched some words ahead of that. */
#define arch_kprobe_sync_slots	kick_all_cpus_sync

#ifdef CONFIG_DYNAMIC_FTRACE
/* The call's other words are in front of the function, and nobody goes there but by the last. */
#define KPROBE_ENTRY_NOP_SIZE	4

static inline bool arch_kprobe_text_reserved(unsigned long start, unsigned long end)
{
	unsigned long call = (FTRACE_PATCHABLE_FUNCTION_SIZE - 1) * sizeof(u32);

	return ftrace_location_range(start, end - 1 + call);
}

#define arch_kprobe_text_reserved	arch_kprobe_text_reserved
#endif

#define KPROBE_LINK(r)	((r)->gr[2])

/* ftrace's graph tracer notes no place. */
#define KRETPROBE_GRAPH_KEY(fp)	((void)(fp), NULL)

/* In syscall.S. User space executes it as well, and enters the kernel there. */
extern const char linux_gateway_page[], end_linux_gateway_page[];

/*
 * The first of the compiler's functions for remainders, multiplication and calls by pointers, and
 * of those for divisions. A hit calls them, and they divide in steps, with a bit of the processor
 * status word that a hit without a trap does not save.
 */
extern const char millicode_rem[] asm("$$remoI");
extern const char millicode_div[] asm("$$divoI");

#endif /* _ASM_PARISC_KPROBE_POINT_H */
