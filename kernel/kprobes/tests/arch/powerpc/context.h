/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_TESTS_POWERPC_CONTEXT_H
#define _KERNEL_KPROBES_TESTS_POWERPC_CONTEXT_H

/* context.S: functions, and where in them instructions to be probed are */
#include <linux/types.h>

unsigned long kprobes_red_zone(unsigned long value);
extern const u32 kprobes_red_zone_full;

unsigned long kprobes_prefixed(unsigned long *p);
extern const u32 kprobes_prefixed_at[5];

#endif /* _KERNEL_KPROBES_TESTS_POWERPC_CONTEXT_H */
