/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_VENEER_H
#define _KERNEL_KPROBES_VENEER_H

/* veneer.c: where short jumps lead */
#include <linux/kprobe_arch.h>

/* Bounds of all veneers. They are only ever widened, before a short jump leads to a new one. */
extern unsigned long kprobe_veneers_first, kprobe_veneers_last;

/* Where the jump at a veneer leads. If @addr is no veneer, an address that is no detour. */
static __always_inline unsigned long kprobe_veneer_target(unsigned long addr)
{
#if KPROBE_SHORT_JUMP_SIZE
	if (unlikely(addr >= READ_ONCE(kprobe_veneers_first) &&
		     addr <= READ_ONCE(kprobe_veneers_last)))
		return arch_kprobe_jump_target(addr);
#endif
	return addr;
}

/* Not there if KPROBE_SHORT_JUMP_SIZE is 0. */
unsigned long kprobe_veneer_find(unsigned long site);
enum kprobe_reason kprobe_veneer_make(struct kprobe_detour *detour);
void kprobe_veneer_free(struct kprobe_detour *detour);

#endif /* _KERNEL_KPROBES_VENEER_H */
