/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_POINT_RELEASE_H
#define _KERNEL_KPROBES_POINT_RELEASE_H

/* point_release.c: frees points, and marks those whose text goes away */
#include <linux/kprobe_point.h>

void kprobe_point_put(struct kprobe_point *point);
void kprobe_point_free(struct kprobe_point *point);
void kprobe_point_kill(struct kprobe_point *point);

#endif /* _KERNEL_KPROBES_POINT_RELEASE_H */
