/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_IN_HANDLER_H
#define _KERNEL_KPROBES_IN_HANDLER_H

/* in_handler.c: calls of the API that a probe's handler makes */
#include <linux/types.h>

struct kprobe;

bool kprobe_in_handler(void);
int kprobe_set_disabled_in_handler(struct kprobe *kp, bool disabled);
void kprobe_flush_requests(void);

#endif /* _KERNEL_KPROBES_IN_HANDLER_H */
