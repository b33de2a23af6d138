/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_DEFERRED_FREE_H
#define _KERNEL_KPROBES_DEFERRED_FREE_H

/* deferred_free.c: frees memory that tasks may still execute */
#include <linux/kprobe_point.h>

void kprobe_free_soon(struct rcu_head *rcu, void (*free)(union kprobe_deferred_free *deferred));

#endif /* _KERNEL_KPROBES_DEFERRED_FREE_H */
