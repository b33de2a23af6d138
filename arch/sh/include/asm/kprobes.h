/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_SH_KPROBES_H
#define _ASM_SH_KPROBES_H

/* Traps ask kprobes, of which this architecture has no port yet. */
#include <asm-generic/kprobes.h>

/* 0 would say that the instruction in a delay slot was a probe's. */
static inline int kprobe_handle_illslot(unsigned long pc)
{
	return -1;
}

#endif /* _ASM_SH_KPROBES_H */
