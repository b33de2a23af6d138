/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_LOONGARCH_KPROBES_H
#define _ASM_LOONGARCH_KPROBES_H

/* Traps ask kprobes, of which this architecture has no port yet. */
#include <asm-generic/kprobes.h>
#include <linux/types.h>

struct pt_regs;

static inline bool kprobe_breakpoint_handler(struct pt_regs *regs)
{
	return false;
}

static inline bool kprobe_singlestep_handler(struct pt_regs *regs)
{
	return false;
}

#endif /* _ASM_LOONGARCH_KPROBES_H */
