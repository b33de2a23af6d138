/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_SYNCHRONIZE_H
#define _KERNEL_KPROBES_SYNCHRONIZE_H

/* synchronize.c: waits until no hit uses what was unlinked */
#include <linux/types.h>

typedef bool (*kprobe_uses_t)(const void *hazard, const void *arg);
void kprobe_synchronize(kprobe_uses_t uses, const void *arg);

#endif /* _KERNEL_KPROBES_SYNCHRONIZE_H */
