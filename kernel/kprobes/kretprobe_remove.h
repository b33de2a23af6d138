/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_KRETPROBE_REMOVE_H
#define _KERNEL_KPROBES_KRETPROBE_REMOVE_H

/* kretprobe_remove.c: what unregistering does for return probes */
#include <linux/stddef.h>

struct kprobe;
struct kretprobe;

#ifdef CONFIG_KRETPROBES
void kretprobe_detach(struct kprobe *p);
void kretprobe_destroy(struct kprobe *p);
void kretprobe_forget_pool(struct kretprobe *rp);
const void *kretprobe_hazard(const struct kprobe *p);
#else
static inline void kretprobe_detach(struct kprobe *p) { }
static inline void kretprobe_destroy(struct kprobe *p) { }

static inline const void *kretprobe_hazard(const struct kprobe *p)
{
	return NULL;
}
#endif

#endif /* _KERNEL_KPROBES_KRETPROBE_REMOVE_H */
