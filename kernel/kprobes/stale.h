/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_STALE_H
#define _KERNEL_KPROBES_STALE_H

/* stale.c: traps on breakpoints that were removed meanwhile */
#include <linux/atomic.h>

struct pt_regs;

extern atomic_t kprobe_stale_breakpoints;

int kprobe_retry_trap(unsigned long addr, struct pt_regs *regs);

#endif /* _KERNEL_KPROBES_STALE_H */
