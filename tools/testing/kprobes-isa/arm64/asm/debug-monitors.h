/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KPROBES_ISA_ARM64_ASM_DEBUG_MONITORS_H
#define KPROBES_ISA_ARM64_ASM_DEBUG_MONITORS_H

/* What arch/arm64/lib/insn.c has in the kernel. */
#include <strings.h>
#include <asm/insn.h>

#define __ffs64(word)	__builtin_ctzll(word)

#define DBG_HOOK_ERROR	1

#endif /* KPROBES_ISA_ARM64_ASM_DEBUG_MONITORS_H */
