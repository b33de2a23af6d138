/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_SLOT_H
#define _KERNEL_KPROBES_SLOT_H

/* slot.c: executable copies of instructions */
#include <linux/kprobe_arch.h>

void *kprobe_slot_alloc(struct kprobe_point *owner);
void kprobe_slot_write(void *slot, const void *code, size_t len);
void kprobe_slot_free(void *slot);
struct kprobe_point *kprobe_slot_running(unsigned long addr);
struct kprobe_point *kprobe_slot_owner(unsigned long addr,
				       unsigned int *offset);

#ifdef CONFIG_OPTPROBES
void *kprobe_detour_slot_alloc(struct kprobe_detour *owner, size_t size);
struct kprobe_detour *kprobe_detour_running(unsigned long addr);

static __always_inline struct kprobe_point *
kprobe_detour_point(const struct kprobe_detour *detour)
{
	return detour->point;
}
#else
struct kprobe_detour;

static __always_inline bool
kprobe_detour_has_insn_at(const struct kprobe_detour *detour, unsigned long addr)
{
	return false;
}

static __always_inline struct kprobe_point *
kprobe_detour_point(const struct kprobe_detour *detour)
{
	return NULL;
}

static inline unsigned long
arch_kprobe_detour_ip(const struct kprobe_detour *detour, unsigned long addr,
		      unsigned int *pushed)
{
	return addr;
}
#endif

#endif /* _KERNEL_KPROBES_SLOT_H */
