/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_S390_KPROBES_H
#define _ASM_S390_KPROBES_H

#include <asm-generic/kprobes.h>

/* Offset of @route.run_post in struct kprobe_detour. */
#define KPROBE_DETOUR_RUN_POST	32

/*
 * Room that a stub makes on the stack, a struct stack_frame and a struct pt_regs, and where in
 * that it saves r14.
 */
#define KPROBE_STUB_FRAME	360
#define KPROBE_STUB_LINK	296

/*
 * Lengths of a stub's call, of what follows when there is room and when r14 is saved, and of what
 * restores r14 and r15.
 */
#define KPROBE_STUB_ENTER	18
#define KPROBE_STUB_ROOM	12
#define KPROBE_STUB_SAVED	6
#define KPROBE_STUB_LEAVE	12

#ifndef __ASSEMBLY__
#include <linux/types.h>

struct pt_regs;

/* lib/probes.c, for uprobes: what has to be put right after an instruction ran elsewhere. */
#define FIXUP_NOT_REQUIRED	0x1	/* nothing */
#define FIXUP_PSW_NORMAL	0x2	/* the next address */
#define FIXUP_RETURN_REGISTER	0x4	/* a return address in a register */
#define FIXUP_BRANCH_NOT_TAKEN	0x8	/* the next address, if there was no branch */

int probe_is_prohibited_opcode(u16 *insn);
int probe_get_fixup_type(u16 *insn);
int probe_is_insn_relative_long(u16 *insn);

#ifdef CONFIG_KPROBES
struct kprobe_isa;

/* The unit of text: an instruction has one to three. */
typedef u16 kprobe_opcode_t;

#define KPROBE_INSN_MAX		6
#define KPROBE_INSN_ALIGN	2

/* brcl, which reaches 4 GB. */
#define KPROBE_JUMP_SIZE	6

/* A copy that runs, a call and its end, a jump back. */
#define KPROBE_SLOT_SIZE	48

/*
 * A call and its end, what a jump covers, a jump back; the end of a call, the first instruction, a
 * call and its end, a jump.
 */
#define KPROBE_DETOUR_MAX_SIZE	128

/* The first unit of the nop at a function's entry, as ftrace writes it. */
#define KPROBE_ENTRY_OPCODE	0xc004

/**
 * struct arch_kprobe_insn - what a displaced instruction needs
 * @relative: size in bytes of its operand that is relative to its address, 0 if it has none. The
 *            operand begins with the third byte, as a number of units
 */
struct arch_kprobe_insn {
	u8 relative;
};

/* kprobes-insn.c, which knows nothing of a running kernel. */
extern const struct kprobe_isa s390_kprobe_isa;

bool kprobe_illegal_op_leave(struct pt_regs *regs);
bool kprobe_illegal_op(struct pt_regs *regs);
bool kprobe_trap_fault(struct pt_regs *regs);

#else

static __always_inline bool kprobe_illegal_op_leave(struct pt_regs *regs)
{
	return false;
}

static __always_inline bool kprobe_illegal_op(struct pt_regs *regs)
{
	return false;
}

static inline bool kprobe_trap_fault(struct pt_regs *regs)
{
	return false;
}

#endif /* CONFIG_KPROBES */
#endif /* __ASSEMBLY__ */

#endif /* _ASM_S390_KPROBES_H */
