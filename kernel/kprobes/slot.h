/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_SLOT_H
#define _KERNEL_KPROBES_SLOT_H

/* slot.c: executable copies of instructions */
#include <linux/kprobe_arch.h>

/* In the owner of a slot: the owner is a struct kprobe_point, not a struct kprobe_detour. */
#define KPROBE_OWNER_IS_POINT	1UL

static __always_inline struct kprobe_detour *kprobe_owner_detour(unsigned long owner)
{
	return owner & KPROBE_OWNER_IS_POINT ? NULL : (void *)owner;
}

static __always_inline struct kprobe_point *kprobe_owner_point(unsigned long owner)
{
	if (owner & KPROBE_OWNER_IS_POINT)
		return (void *)(owner - KPROBE_OWNER_IS_POINT);
	return owner ? kprobe_owner_detour(owner)->point : NULL;
}

typedef enum kprobe_reason (*kprobe_emit_t)(void *arg, struct kprobe_code *code);

enum kprobe_reason kprobe_slot_make(void **slot, unsigned long owner, kprobe_emit_t emit,
				    void *arg);
void kprobe_slots_sync(void);
void kprobe_slot_free(void *slot);
struct kprobe_detour *kprobe_slot_detour(unsigned long addr);
unsigned long kprobe_slot_owner_at(unsigned long addr, unsigned int *offset);
struct kprobe_point *kprobe_slot_owner(unsigned long addr, unsigned int *offset);
struct kprobe_point *kprobe_slot_fault(unsigned long addr, unsigned long *original);

#endif /* _KERNEL_KPROBES_SLOT_H */
