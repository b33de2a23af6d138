/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_DISPLACED_H
#define _KERNEL_KPROBES_DISPLACED_H

/* displaced.c: what runs instead of a probed instruction */
#include <linux/kprobe_point.h>

struct kprobe_lookup;

enum kprobe_reason kprobe_displace(struct kprobe_point *point, struct kprobe_lookup *lookup);
enum kprobe_reason kprobe_displace_post(struct kprobe_point *point, void **slot);

#endif /* _KERNEL_KPROBES_DISPLACED_H */
