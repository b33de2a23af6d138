/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KPROBES_ISA_LOONGARCH_ASM_PTRACE_H
#define KPROBES_ISA_LOONGARCH_ASM_PTRACE_H

/* What asm/inst.h reads, for a function that nobody calls. */
struct pt_regs {
	unsigned long regs[32];
};

#endif /* KPROBES_ISA_LOONGARCH_ASM_PTRACE_H */
