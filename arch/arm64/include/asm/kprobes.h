/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_ARM64_KPROBES_H
#define _ASM_ARM64_KPROBES_H

#include <asm-generic/kprobes.h>

/* Room that a stub makes on the stack, a struct pt_regs, and where in that it saves x30. */
#define KPROBE_STUB_FRAME	336
#define KPROBE_STUB_LINK	240

/* Lengths of a stub's call, of what follows when x30 is saved, and of what restores x30 and sp. */
#define KPROBE_STUB_ENTER	12
#define KPROBE_STUB_SAVED	4
#define KPROBE_STUB_LEAVE	8

/* Offset of @route.run_post in struct kprobe_detour. */
#define KPROBE_DETOUR_RUN_POST	32

#ifndef __ASSEMBLY__
#include <asm/debug-monitors.h>

struct kprobe_isa;
struct pt_regs;

#ifdef CONFIG_KPROBES
/* Has kprobe_opcode_t. */
#include <asm/probes.h>

#define KPROBE_INSN_MAX		AARCH64_INSN_SIZE
#define KPROBE_INSN_ALIGN	AARCH64_INSN_SIZE

/* A jump covers one instruction. */
#define KPROBE_JUMP_SIZE	AARCH64_INSN_SIZE

/* Room for the longest copy, a call with x30 saved, a jump back. */
#define KPROBE_SLOT_SIZE	48

/* A call with x30 saved; twice its end, a copy and a jump, with a call in between. */
#define KPROBE_DETOUR_MAX_SIZE	96

/* What else is known of an instruction: nothing that its word does not tell. */
struct arch_kprobe_insn { };

/* kprobes-insn.c, which knows nothing of a running kernel. */
extern const struct kprobe_isa arm64_kprobe_isa;
#endif /* CONFIG_KPROBES */

/* For call_el1_break_hook(), which compiles the calls in any configuration. */
int kprobe_brk_handler(struct pt_regs *regs, unsigned long esr);
#endif /* __ASSEMBLY__ */

#endif /* _ASM_ARM64_KPROBES_H */
