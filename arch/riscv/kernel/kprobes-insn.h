/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _RISCV_KERNEL_KPROBES_INSN_H
#define _RISCV_KERNEL_KPROBES_INSN_H

#include <linux/kprobe_isa.h>

/* 64 bit, with compressed instructions or without. */
extern const struct kprobe_isa riscv_kprobe_isa;

#endif /* _RISCV_KERNEL_KPROBES_INSN_H */
