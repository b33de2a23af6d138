/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_VENEER_H
#define _KERNEL_KPROBES_VENEER_H

/* veneer.c: where short jumps lead */
#include <linux/kprobe_arch.h>

#if KPROBE_SHORT_JUMP_SIZE
/* Bounds of all veneers. They are only ever widened, before a short jump leads to a new one. */
extern unsigned long kprobe_veneers_first, kprobe_veneers_last;

/* Where the jump at a veneer leads. If @addr is no veneer, an address that is no detour. */
static __always_inline unsigned long kprobe_veneer_target(unsigned long addr)
{
	if (likely(addr < READ_ONCE(kprobe_veneers_first) ||
		   addr > READ_ONCE(kprobe_veneers_last)))
		return addr;
	return arch_kprobe_jump_target(addr);
}

bool kprobe_veneer_in_reach(unsigned long site);
enum kprobe_reason kprobe_veneer_make(struct kprobe_detour *detour);
void kprobe_veneer_free(struct kprobe_detour *detour);
#else
static __always_inline unsigned long kprobe_veneer_target(unsigned long addr)
{
	return addr;
}

static inline bool kprobe_veneer_in_reach(unsigned long site)
{
	return false;
}

static inline enum kprobe_reason kprobe_veneer_make(struct kprobe_detour *detour)
{
	return KPROBE_REASON_NONE;
}

static inline void kprobe_veneer_free(struct kprobe_detour *detour) { }
#endif

#endif /* _KERNEL_KPROBES_VENEER_H */
