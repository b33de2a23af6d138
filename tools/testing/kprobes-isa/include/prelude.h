/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KPROBES_ISA_PRELUDE_H
#define KPROBES_ISA_PRELUDE_H

/* Included before everything else: declarations that kernel code has without an include. */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <linux/compiler.h>
#include <linux/kconfig.h>
#include <linux/types.h>
#include <linux/kernel.h>
#include <linux/bits.h>
#include <linux/align.h>

#define S8_MAX		((s8)0x7f)
#define U8_MAX		((u8)~0U)
#define U16_MAX		((u16)~0U)
#define U32_MAX		((u32)~0U)
#define S32_MAX		((s32)(U32_MAX >> 1))
#define S32_MIN		((s32)(-S32_MAX - 1))

#ifndef __printf
#define __printf(a, b)	__attribute__((format(printf, a, b)))
#endif
#ifndef __must_check
#define __must_check
#endif
#ifndef __packed
#define __packed	__attribute__((packed))
#endif

/* On the host nothing is probed. */
#define NOKPROBE_SYMBOL(fn)
#define __kprobes

#endif /* KPROBES_ISA_PRELUDE_H */
