/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _X86_KERNEL_KPROBES_INSN_H
#define _X86_KERNEL_KPROBES_INSN_H

/*
 * What becomes of a probed instruction: decode and plan, emit a copy, emulate.
 * Functions on byte buffers and registers alone; none looks at text or keeps
 * anything.
 */
#include <linux/kprobe_reason.h>
#include <linux/kprobes.h>
#include <linux/types.h>
#include <asm/text-patching.h>

struct insn;
struct pt_regs;

/**
 * x86_kprobe_decode() - decode an instruction
 * @insn:  filled in
 * @bytes: its bytes
 * @avail: how many bytes there are, with those after it
 *
 * Context: Any.
 * Return: %KPROBE_REASON_NONE, %KPROBE_REASON_UNDECODABLE when the bytes are no
 * instruction or end within it, %KPROBE_REASON_FORM when it has more prefixes than
 * can be told.
 */
enum kprobe_reason x86_kprobe_decode(struct insn *insn, const u8 *bytes, size_t avail);

/**
 * x86_kprobe_plan() - decide how an instruction is displaced
 * @plan:  filled in on success
 * @insn:  its bytes, without any breakpoint of ours
 * @avail: how many bytes there are, with those behind it
 *
 * Context: Any.
 * Return: %KPROBE_REASON_NONE, %KPROBE_REASON_UNDECODABLE when the bytes are no
 * instruction or end within it, else why it must not be probed.
 */
enum kprobe_reason x86_kprobe_plan(struct x86_kprobe_plan *plan, const u8 *insn,
				   size_t avail);

/**
 * x86_kprobe_has_slot() - is there a copy of the instruction to run?
 * @plan: the plan for it
 *
 * An indirect branch that takes its target from memory has a slot for the day
 * when it cannot, see x86_kprobe_emulate().
 *
 * Return: True when it can be given to x86_kprobe_emit().
 */
static inline bool x86_kprobe_has_slot(const struct x86_kprobe_plan *plan)
{
	return plan->action == X86_KPROBE_RUN || plan->operand.memory;
}

/**
 * x86_kprobe_emit() - write an instruction as it must stand elsewhere
 * @plan: the plan for it, with x86_kprobe_has_slot()
 * @insn: its bytes
 * @from: the address that they are for
 * @buf:  room for @plan->len bytes
 * @to:   the address that the copy will run from
 *
 * Context: Any.
 * Return: The length, or -ERANGE when a RIP-relative operand is out of reach
 * from @to.
 */
int x86_kprobe_emit(const struct x86_kprobe_plan *plan, const u8 *insn,
		    unsigned long from, u8 *buf, unsigned long to);

/**
 * x86_kprobe_post_pushed() - what is on the stack on the way to post-handlers
 * @after: bytes from the end of a copy that pushf, call, popf follow
 *
 * Return: How many bytes have been pushed when an instruction there is executed.
 */
static __always_inline unsigned int x86_kprobe_post_pushed(unsigned long after)
{
	return after >= 1 && after <= 1 + CALL_INSN_SIZE ? sizeof(long) : 0;
}

/**
 * x86_kprobe_emulate() - make an instruction take effect on registers
 * @plan: the plan for it
 * @regs: registers of a breakpoint's trap in the kernel, so that there is a
 *        gap on the stack that a push goes to; the instruction pointer is set
 *        to where execution goes on
 * @addr: the address of the instruction
 *
 * Where the memory that holds an indirect branch's target cannot be read here,
 * @regs stay as they are. The copy of the branch has to run instead, to
 * fault with the registers and the address that it would have had.
 *
 * Context: Hit path.
 * Return: False when nothing was done: the instruction has to run from its
 * slot.
 */
bool __must_check x86_kprobe_emulate(const struct x86_kprobe_plan *plan,
				     struct pt_regs *regs, unsigned long addr);

/* Where registers are in struct pt_regs, as ModRM, SIB and REX number them. */
extern const u8 x86_kprobe_reg_offset[];

/**
 * x86_kprobe_registers() - which registers does an instruction work on?
 * @insn:  its bytes
 * @avail: how many bytes there are, with those behind it
 *
 * Context: Any.
 * Return: A bit for each general register that it reads or writes if that, and
 * the flags, are all that it touches, so that it cannot fault either. 0 when
 * there is more to it, or when it is not among those that are known.
 */
u16 x86_kprobe_registers(const u8 *insn, size_t avail);

#endif /* _X86_KERNEL_KPROBES_INSN_H */
