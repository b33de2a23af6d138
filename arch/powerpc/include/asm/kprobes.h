/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_POWERPC_KPROBES_H
#define _ASM_POWERPC_KPROBES_H

/* Traps ask kprobes, of which this architecture has no port yet. */
#include <asm-generic/kprobes.h>
/* The BPF JIT fills its memory with breakpoints, and asks how far a branch reaches. */
#include <asm/code-patching.h>
#include <asm/probes.h>

#ifndef __ASSEMBLY__
struct pt_regs;

static inline int kprobe_handler(struct pt_regs *regs)
{
	return 0;
}

static inline int kprobe_post_handler(struct pt_regs *regs)
{
	return 0;
}
#endif

#endif /* _ASM_POWERPC_KPROBES_H */
