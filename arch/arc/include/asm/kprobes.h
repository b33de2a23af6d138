/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_ARC_KPROBES_H
#define _ASM_ARC_KPROBES_H

/* Traps ask kprobes, of which this architecture has no port yet. */
#include <asm-generic/kprobes.h>

struct pt_regs;

static inline void trap_is_kprobe(unsigned long address, struct pt_regs *regs)
{
}

#endif /* _ASM_ARC_KPROBES_H */
