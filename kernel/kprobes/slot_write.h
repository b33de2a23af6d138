/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_SLOT_WRITE_H
#define _KERNEL_KPROBES_SLOT_WRITE_H

/* slot_write.c: writes code into slots, that of several slots at once */
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <asm/kprobes.h>

/* Sizes of slots are multiples of this. A stub begins with an aligned pointer. */
#ifdef ARCH_KPROBE_OWN_DETOURS
#define KPROBE_SLOT_UNIT	4
#else
#define KPROBE_SLOT_UNIT	8
#endif

/* A slot may be this many bytes larger than needed. */
#define KPROBE_SLOT_SLACK	16

#define KPROBE_SLOT_MAX_SIZE	round_up(KPROBE_DETOUR_MAX_SIZE, KPROBE_SLOT_UNIT)

static inline unsigned int kprobe_slot_size(unsigned int len)
{
	return round_up(max(len, 1), KPROBE_SLOT_UNIT);
}

void kprobe_slot_write(void *slot, const void *code, size_t len);
void kprobe_flush_slots(void);

#endif /* _KERNEL_KPROBES_SLOT_WRITE_H */
