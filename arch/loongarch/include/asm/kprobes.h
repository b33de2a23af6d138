/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_LOONGARCH_KPROBES_H
#define _ASM_LOONGARCH_KPROBES_H

/* Traps ask kprobes, of which this architecture has no port yet: only the instruction half. */
#include <asm-generic/kprobes.h>

/* Room that a stub makes on the stack, a struct pt_regs, and where in that it saves ra. */
#define KPROBE_STUB_FRAME	320
#define KPROBE_STUB_LINK	8

/* Lengths of a stub's call, of what follows when ra is saved, and of what restores ra and sp. */
#define KPROBE_STUB_ENTER	12
#define KPROBE_STUB_SAVED	4
#define KPROBE_STUB_LEAVE	8

#ifndef __ASSEMBLY__
#include <linux/types.h>

struct kprobe_isa;
struct pt_regs;

#ifdef CONFIG_KPROBES
typedef u32 kprobe_opcode_t;

#define KPROBE_INSN_MAX		4
#define KPROBE_INSN_ALIGN	4

/* A jump covers one instruction. */
#define KPROBE_JUMP_SIZE	4

/* Room for a copy that runs, a call with ra saved, a jump back. A pair of branches is shorter. */
#define KPROBE_SLOT_SIZE	28

/* A call with ra saved; twice its end, a copy and a jump, with a call in between. */
#define KPROBE_DETOUR_MAX_SIZE	80

/* What else is known of an instruction: nothing that its word does not tell. */
struct arch_kprobe_insn { };

/* kprobes-insn.c, which knows nothing of a running kernel. */
extern const struct kprobe_isa loongarch_kprobe_isa;
#endif /* CONFIG_KPROBES */

static inline bool kprobe_breakpoint_handler(struct pt_regs *regs)
{
	return false;
}

static inline bool kprobe_singlestep_handler(struct pt_regs *regs)
{
	return false;
}
#endif /* __ASSEMBLY__ */

#endif /* _ASM_LOONGARCH_KPROBES_H */
