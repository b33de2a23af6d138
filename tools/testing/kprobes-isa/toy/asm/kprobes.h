/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KPROBES_ISA_TOY_ASM_KPROBES_H
#define KPROBES_ISA_TOY_ASM_KPROBES_H

/* What the toy instruction set has to say besides struct kprobe_insn: nothing. */
struct arch_kprobe_insn { };

#endif /* KPROBES_ISA_TOY_ASM_KPROBES_H */
