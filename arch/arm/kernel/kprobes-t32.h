/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ARM_KERNEL_KPROBES_T32_H
#define _ARM_KERNEL_KPROBES_T32_H

/* What the forms of T32's instructions say besides struct kprobe_form, in @uses. */
#include <linux/bits.h>
#include <linux/kprobe_isa.h>

/* Fields of an instruction that are registers and must not be pc. */
#define N		BIT(0)		/* of a long one, from bit 16 on */
#define T		BIT(1)		/* from bit 12 on */
#define D		BIT(2)		/* from bit 8 on */
#define M		BIT(3)		/* of a short one, four bits from bit 3 on */

/* What emit() writes for the instruction, in place of itself. */
#define NUMBER		BIT(4)		/* its address, or one relative to it */
#define RELATIVE	BIT(5)		/* it reads pc, for which another register stands */
#define NOT_IN_BLOCK	BIT(6)		/* UNPREDICTABLE in a block */

/* A short instruction is in the upper half of a word. */
#define HALF(half)	((u32)(half) << 16)
#define RN(word)	((word) >> 16 & 0xf)
#define RT(word)	((word) >> 12 & 0xf)
#define RD(word)	((word) >> 8 & 0xf)
#define SHORT_RT(word)	((word) >> 24 & 7)
#define SHORT_RM(word)	((word) >> 19 & 0xf)

/* By words that have the first halfword in the upper half. */
extern const struct kprobe_forms t32_kprobe_forms;

#endif /* _ARM_KERNEL_KPROBES_T32_H */
