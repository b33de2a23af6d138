/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_ADDRESS_H
#define _KERNEL_KPROBES_ADDRESS_H

/* address.c: finds and checks the address of a probe */
#include <linux/kprobe_reason.h>
#include <linux/types.h>

struct kprobe;
struct kprobe_lookup;

enum kprobe_reason kprobe_resolve(const struct kprobe *p, struct kprobe_lookup *lookup,
				  unsigned long *addr, bool *on_func_entry);
enum kprobe_reason kprobe_check_boundary(struct kprobe_lookup *lookup, unsigned long addr);
enum kprobe_reason kprobe_check_address(struct kprobe_lookup *lookup, unsigned long addr);

#endif /* _KERNEL_KPROBES_ADDRESS_H */
