// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What becomes of a probed instruction: decode and plan, emit a copy, emulate.
 *
 * Nearly every instruction runs as a copy, followed by a jump back. It is not
 * single-stepped, so it may touch the flags, fault, be interrupted and take
 * its time, as at its own address. Emulated is what depends on that address:
 * branches, which would leave the copy behind or push its address. Refused is
 * what a breakpoint in front of it breaks, and what leaves the kernel's
 * ordinary flow.
 *
 * What can be told apart: the FPU records a copy's address as that of the last
 * x87 instruction, and an emulated indirect branch is not held by IBT to land
 * on an ENDBR.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kprobe_point.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/unaligned.h>
#include <asm/insn.h>
#include <linux/processor.h>
#include <asm/ptrace.h>
#include <asm/text-patching.h>
#include <asm/vsyscall.h>

#include "kprobes-insn.h"

/* Actions that exist only in the table of forms. */
#define FORM_STI	S8_MAX			/* runs, or is refused for what follows */
#define REFUSED(why)	(-KPROBE_REASON_##why)	/* must not be probed */

/**
 * struct form - opcodes that are not simply run as a copy
 * @first:  first opcode, escape byte included: 0x0f05 is 0f 05
 * @count:  how many opcodes from there
 * @prefix: prefix that makes part of the opcode; 0 for any or none
 * @mask:   bits of ModRM that matter
 * @modrm:  their value
 * @action: enum x86_kprobe_action, FORM_STI or REFUSED()
 */
struct form {
	u16 first;
	u8 count;
	u8 prefix;
	u8 mask;
	u8 modrm;
	s8 action;
};

#define OPCODES(op, n, act)	{ .first = op, .count = n, .action = act }
#define OPCODE(op, act)		OPCODES(op, 1, act)
/* One of a group: the opcode goes on in ModRM's reg field. */
#define GROUP(op, reg, act) \
	{ .first = op, .count = 1, .mask = 0x38, .modrm = (reg) << 3, .action = act }
/* The whole of ModRM belongs to the opcode. */
#define EXACT(op, byte, pfx, act) \
	{ .first = op, .count = 1, .prefix = pfx, .mask = 0xff, .modrm = byte, .action = act }

/*
 * A table for opcodes of one byte, and one for those of two, both in order of
 * opcode. The first match counts. Whatever matches nothing runs as a copy.
 *
 * TRAP:   somebody else has put it there or waits for it: breakpoints, BUG(),
 *         UBSAN, CFI, hypercalls that start with ud2.
 * LEVEL:  to and from other privilege levels and segments. On the way there the
 *         stack or gs may not be the kernel's any more, and no copy comes back.
 * WORLD:  to another world, which is told where to come back to.
 * SLEEP:  until an interrupt. The sti before keeps interrupts out until it
 *         sleeps; a probe on either lets them in, and the wakeup is lost.
 * SHADOW: keeps interrupts out until the next instruction has set the stack
 *         pointer. The jump behind a copy would use that up.
 * LANDING_PAD: an indirect branch has to find it, not a breakpoint, under IBT.
 * TRANSACTION: its relative target is kept; and a trap ends the transaction.
 */
static const struct form one_byte_forms[] = {
	OPCODE(0x17, REFUSED(SHADOW)),			/* pop ss */
	OPCODES(0x70, 16, X86_KPROBE_JCC),
	GROUP(0x8e, 2, REFUSED(SHADOW)),		/* mov to ss */
	/* AMD's XOP, which the decoder takes for a pop of another length. */
	GROUP(0x8f, 0, X86_KPROBE_RUN),			/* pop */
	OPCODE(0x8f, REFUSED(FORM)),
	/* With REX.B or a repeat prefix it is something else. */
	OPCODE(0x90, X86_KPROBE_NOP),
	OPCODE(0x9a, REFUSED(LEVEL)),			/* call far */
	OPCODES(0xc2, 2, X86_KPROBE_RET),
	EXACT(0xc7, 0xf8, 0, REFUSED(TRANSACTION)),	/* xbegin */
	OPCODES(0xca, 2, REFUSED(LEVEL)),		/* ret far */
	OPCODES(0xcc, 3, REFUSED(TRAP)),		/* int3, int, into */
	OPCODE(0xcf, REFUSED(LEVEL)),			/* iret */
	OPCODES(0xe0, 4, X86_KPROBE_LOOP),		/* loopne, loope, loop, jcxz */
	OPCODE(0xe8, X86_KPROBE_CALL),
	OPCODE(0xe9, X86_KPROBE_JMP),
	OPCODE(0xea, REFUSED(LEVEL)),			/* jmp far */
	OPCODE(0xeb, X86_KPROBE_JMP),
	OPCODE(0xf1, REFUSED(TRAP)),			/* int1 */
	OPCODE(0xf4, REFUSED(SLEEP)),			/* hlt */
	OPCODE(0xfb, FORM_STI),
	GROUP(0xff, 2, X86_KPROBE_CALL_INDIRECT),
	GROUP(0xff, 3, REFUSED(LEVEL)),			/* call far *mem */
	GROUP(0xff, 4, X86_KPROBE_JMP_INDIRECT),
	GROUP(0xff, 5, REFUSED(LEVEL)),			/* jmp far *mem */
};

static const struct form two_byte_forms[] = {
	EXACT(0x0f01, 0xc0, 0, REFUSED(WORLD)),		/* enclv */
	EXACT(0x0f01, 0xc2, 0, REFUSED(WORLD)),		/* vmlaunch */
	EXACT(0x0f01, 0xc3, 0, REFUSED(WORLD)),		/* vmresume */
	EXACT(0x0f01, 0xc9, 0, REFUSED(SLEEP)),		/* mwait */
	EXACT(0x0f01, 0xca, 0xf2, REFUSED(LEVEL)),	/* erets */
	EXACT(0x0f01, 0xca, 0xf3, REFUSED(LEVEL)),	/* eretu */
	EXACT(0x0f01, 0xcc, 0x66, REFUSED(WORLD)),	/* tdcall */
	EXACT(0x0f01, 0xcd, 0x66, REFUSED(WORLD)),	/* seamret */
	EXACT(0x0f01, 0xcf, 0, REFUSED(WORLD)),		/* encls, seamcall */
	EXACT(0x0f01, 0xd7, 0, REFUSED(WORLD)),		/* enclu */
	EXACT(0x0f01, 0xd8, 0, REFUSED(WORLD)),		/* vmrun */
	EXACT(0x0f01, 0xde, 0, REFUSED(WORLD)),		/* skinit */
	EXACT(0x0f01, 0xec, 0xf3, REFUSED(LEVEL)),	/* uiret */
	EXACT(0x0f01, 0xf8, 0, REFUSED(LEVEL)),		/* swapgs */
	EXACT(0x0f01, 0xfb, 0, REFUSED(SLEEP)),		/* mwaitx */
	OPCODE(0x0f05, REFUSED(LEVEL)),			/* syscall */
	OPCODE(0x0f07, REFUSED(LEVEL)),			/* sysret */
	OPCODE(0x0f0b, REFUSED(TRAP)),			/* ud2 */
	EXACT(0x0f1e, 0xfa, 0xf3, REFUSED(LANDING_PAD)),	/* endbr64 */
	EXACT(0x0f1e, 0xfb, 0xf3, REFUSED(LANDING_PAD)),	/* endbr32 */
	GROUP(0x0f1f, 0, X86_KPROBE_NOP),
	OPCODES(0x0f34, 2, REFUSED(LEVEL)),		/* sysenter, sysexit */
	OPCODE(0x0f37, REFUSED(WORLD)),			/* getsec */
	OPCODES(0x0f80, 16, X86_KPROBE_JCC),
	OPCODE(0x0faa, REFUSED(LEVEL)),			/* rsm */
	OPCODE(0x0fb9, REFUSED(TRAP)),			/* ud1 */
	OPCODE(0x0fff, REFUSED(TRAP)),			/* ud0 */
};

/* What the decoder passes, as it does not know the mode that opcodes are for. */
static bool is_not_in_64bit(u32 opcode)
{
	switch (opcode) {
	case 0x06: case 0x07: case 0x0e: case 0x16:	/* push, pop es, cs, ss */
	case 0x17: case 0x1e: case 0x1f:		/* pop ss, push, pop ds */
	case 0x27: case 0x2f: case 0x37: case 0x3f:	/* daa, das, aaa, aas */
	case 0x60: case 0x61: case 0x82: case 0x9a:
	case 0xce: case 0xd4: case 0xd6: case 0xea:
		return IS_ENABLED(CONFIG_X86_64);
	default:
		return false;
	}
}

static bool has_prefix(const struct insn *insn, u8 prefix)
{
	return memchr(insn->prefixes.bytes, prefix, 4);
}

/* As the tables of forms have it. VEX and EVEX instructions are of other maps. */
static u32 opcode_of(struct insn *insn)
{
	u32 opcode = 0;
	int i;

	if (insn_is_avx(insn))
		return U32_MAX;
	for (i = 0; i < insn->opcode.nbytes; i++)
		opcode = opcode << 8 | insn->opcode.bytes[i];
	return opcode;
}

static int form_action(struct insn *insn)
{
	u8 prefix = insn->prefixes.bytes[3], modrm = insn->modrm.bytes[0];
	u32 opcode = opcode_of(insn);
	const struct form *f, *end;

	f = opcode <= U8_MAX ? one_byte_forms : two_byte_forms;
	end = f + (opcode <= U8_MAX ? ARRAY_SIZE(one_byte_forms) :
				      ARRAY_SIZE(two_byte_forms));
	for (; f < end && f->first <= opcode; f++) {
		if (opcode - f->first < f->count &&
		    (modrm & f->mask) == f->modrm &&
		    (!f->prefix || f->prefix == prefix))
			return f->action;
	}
	return X86_KPROBE_RUN;
}

/*
 * The decoder keeps four different legacy prefixes, and takes the fifth for an
 * opcode, as it does with any that comes after REX. What it says of the rest,
 * which it has not looked at, would be wrong.
 */
static bool ends_in_prefix(struct insn *insn)
{
	insn_attr_t attr = inat_get_opcode_attribute(insn->opcode.bytes[0]);

	if (insn_is_avx(insn) || insn_is_rex2(insn))
		return false;
	return inat_is_legacy_prefix(attr) || inat_is_rex_prefix(attr);
}

enum kprobe_reason x86_kprobe_decode(struct insn *insn, const u8 *bytes, size_t avail)
{
	if (insn_decode(insn, bytes, min_t(size_t, avail, MAX_INSN_SIZE),
			INSN_MODE_KERN))
		return KPROBE_REASON_UNDECODABLE;
	return ends_in_prefix(insn) ? KPROBE_REASON_FORM : KPROBE_REASON_NONE;
}
NOKPROBE_SYMBOL(x86_kprobe_decode);

static enum kprobe_reason decode(struct insn *insn, const u8 *bytes, size_t avail)
{
	enum kprobe_reason reason = x86_kprobe_decode(insn, bytes, avail);

	if (!reason && is_not_in_64bit(opcode_of(insn)))
		reason = KPROBE_REASON_UNDECODABLE;
	return reason;
}

static enum kprobe_reason plan_run(struct x86_kprobe_plan *plan, struct insn *insn)
{
	plan->action = X86_KPROBE_RUN;
	if (!insn_rip_relative(insn))
		return KPROBE_REASON_NONE;
	/* With a 32-bit address it wraps at 4 GB, where no kernel is. */
	if (insn->addr_bytes != sizeof(long))
		return KPROBE_REASON_FORM;
	plan->rip_at = insn_offset_displacement(insn);
	return KPROBE_REASON_NONE;
}

/* xchg with r8 is no nop, pause takes its time, and lock faults. */
static enum kprobe_reason plan_nop(struct x86_kprobe_plan *plan, struct insn *insn)
{
	if (X86_REX_B(insn->rex_prefix.value) || has_prefix(insn, 0xf3) ||
	    has_prefix(insn, 0xf2) || has_prefix(insn, 0xf0))
		return plan_run(plan, insn);
	return KPROBE_REASON_NONE;
}

/*
 * Interrupts stay out for one instruction more. Do not come between if that is
 * one that must not be probed itself: it may be why.
 */
static enum kprobe_reason plan_sti(struct x86_kprobe_plan *plan, struct insn *insn,
				   size_t avail)
{
	struct insn next;

	if (!decode(&next, insn->kaddr + insn->length, avail - insn->length) &&
	    form_action(&next) < 0)
		return KPROBE_REASON_SHADOW;
	return plan_run(plan, insn);
}

/* Where the operand is reached by another segment than the flat one. */
static enum kprobe_reason plan_segment(struct x86_kprobe_operand *op, struct insn *insn)
{
	bool fs = has_prefix(insn, 0x64), gs = has_prefix(insn, 0x65);

	if (fs && gs)
		return KPROBE_REASON_FORM;
	op->percpu = IS_ENABLED(CONFIG_X86_64) ? gs : fs;
	/* The other one is user space's; without SMP so is the first. */
	if (fs + gs > (op->percpu && IS_ENABLED(CONFIG_SMP)))
		return KPROBE_REASON_FORM;
	return KPROBE_REASON_NONE;
}

static void plan_sib(struct x86_kprobe_operand *op, struct insn *insn)
{
	u8 sib = insn->sib.value, rex = insn->rex_prefix.value;

	op->base = X86_SIB_BASE(sib) | (X86_REX_B(rex) ? 8 : 0);
	op->index = X86_SIB_INDEX(sib) | (X86_REX_X(rex) ? 8 : 0);
	op->shift = X86_SIB_SCALE(sib);
	if (op->index == 4)
		op->index = X86_KPROBE_NO_REG;
	if (X86_SIB_BASE(sib) == 5 && !X86_MODRM_MOD(insn->modrm.value))
		op->base = X86_KPROBE_NO_REG;
}

static enum kprobe_reason plan_memory(struct x86_kprobe_plan *plan, struct insn *insn)
{
	struct x86_kprobe_operand *op = &plan->operand;
	u8 modrm = insn->modrm.value;

	op->memory = true;
	plan->disp = insn->displacement.value;
	/* Addresses of another size: no compiler makes one in the kernel. */
	if (insn->addr_bytes != sizeof(long))
		return KPROBE_REASON_FORM;
	if (X86_MODRM_RM(modrm) == 4)
		plan_sib(op, insn);
	else if (X86_MODRM_RM(modrm) == 5 && !X86_MODRM_MOD(modrm))
		op->base = X86_KPROBE_NO_REG;
	if (insn_rip_relative(insn)) {
		op->base = X86_KPROBE_NEXT_INSN;
		plan->rip_at = insn_offset_displacement(insn);
	}
	return plan_segment(op, insn);
}

static enum kprobe_reason plan_indirect(struct x86_kprobe_plan *plan, struct insn *insn)
{
	struct x86_kprobe_operand *op = &plan->operand;
	u8 modrm = insn->modrm.value;

	op->index = X86_KPROBE_NO_REG;
	op->base = X86_MODRM_RM(modrm);
	if (X86_REX_B(insn->rex_prefix.value))
		op->base |= 8;
	if (X86_MODRM_MOD(modrm) == 3)
		return KPROBE_REASON_NONE;
	return plan_memory(plan, insn);
}

/*
 * Of the prefixes, segment and branch hints, bnd, repeat and a needless REX or
 * address size change nothing. Nobody locks a branch, and with an operand size
 * Intel and AMD disagree on what it does, and how long it is.
 */
static enum kprobe_reason plan_branch(struct x86_kprobe_plan *plan, struct insn *insn)
{
	if (has_prefix(insn, 0x66) || has_prefix(insn, 0xf0))
		return KPROBE_REASON_FORM;

	switch (plan->action) {
	case X86_KPROBE_JMP_INDIRECT:
	case X86_KPROBE_CALL_INDIRECT:
		return plan_indirect(plan, insn);
	case X86_KPROBE_RET:
		plan->disp = (u16)insn->immediate.value;
		return KPROBE_REASON_NONE;
	default:
		plan->disp = insn->immediate.value;
		plan->cond = insn->opcode.bytes[insn->opcode.nbytes - 1] & 0xf;
		plan->width = insn->addr_bytes;
		return KPROBE_REASON_NONE;
	}
}

static enum kprobe_reason plan_action(struct x86_kprobe_plan *plan, struct insn *insn,
				      size_t avail)
{
	int action = form_action(insn);

	if (action < 0)
		return -action;
	switch (action) {
	case FORM_STI:
		return plan_sti(plan, insn, avail);
	case X86_KPROBE_RUN:
		return plan_run(plan, insn);
	case X86_KPROBE_NOP:
		plan->action = action;
		return plan_nop(plan, insn);
	default:
		plan->action = action;
		return plan_branch(plan, insn);
	}
}

enum kprobe_reason x86_kprobe_plan(struct x86_kprobe_plan *plan, const u8 *insn,
				   size_t avail)
{
	struct insn decoded;
	enum kprobe_reason reason = decode(&decoded, insn, avail);

	if (reason)
		return reason;
	/* The hypervisor looks for these bytes behind its ud2 at this place. */
	if (insn_has_emulate_prefix(&decoded))
		return KPROBE_REASON_TRAP;
	/* APX: the opcode's map is elsewhere, and pt_regs has not its registers. */
	if (insn_is_rex2(&decoded))
		return KPROBE_REASON_FORM;

	*plan = (struct x86_kprobe_plan){ .len = decoded.length };
	return plan_action(plan, &decoded, avail);
}
NOKPROBE_SYMBOL(x86_kprobe_plan);

int x86_kprobe_emit(const struct x86_kprobe_plan *plan, const u8 *insn,
		    unsigned long from, u8 *buf, unsigned long to)
{
	unsigned long disp;

	memcpy(buf, insn, plan->len);
	if (!plan->rip_at)
		return plan->len;

	/* Relative to the end, but both ends are as far behind the starts. */
	disp = from - to + (s32)get_unaligned_le32(insn + plan->rip_at);
	if ((long)disp != (s32)disp)
		return -ERANGE;
	put_unaligned_le32(disp, buf + plan->rip_at);
	return plan->len;
}
NOKPROBE_SYMBOL(x86_kprobe_emit);

#define AT(name)	offsetof(struct pt_regs, name)

const u8 x86_kprobe_reg_offset[] = {
	[0] = AT(ax), [1] = AT(cx), [2] = AT(dx), [3] = AT(bx),
	[4] = AT(sp), [5] = AT(bp), [6] = AT(si), [7] = AT(di),
#ifdef CONFIG_X86_64
	[8] = AT(r8), [9] = AT(r9), [10] = AT(r10), [11] = AT(r11),
	[12] = AT(r12), [13] = AT(r13), [14] = AT(r14), [15] = AT(r15),
#endif
};

static nokprobe_inline unsigned long reg_value(const struct pt_regs *regs, u8 reg)
{
	if (reg == X86_KPROBE_NO_REG)
		return 0;
	return *(unsigned long *)((void *)regs + x86_kprobe_reg_offset[reg]);
}

/*
 * May a fault there be left to an exception table? The kernel does not accept
 * faults at user addresses, and warns of those that no page can have.
 */
static nokprobe_inline bool is_kernel_address(unsigned long addr)
{
	if (!IS_ENABLED(CONFIG_X86_64))
		return addr >= TASK_SIZE_MAX;
	return addr >= TASK_SIZE_MAX + PAGE_SIZE && !is_vsyscall_vaddr(addr) &&
	       __is_canonical_address(addr, boot_cpu_data.x86_virt_bits);
}

/* As copy_from_kernel_nofault(), which can be probed. */
static nokprobe_inline bool read_target(unsigned long addr, unsigned long *target)
{
	if (!is_kernel_address(addr))
		return false;
	__get_kernel_nofault(target, addr, unsigned long, fault);
	return true;
fault:
	return false;
}

static nokprobe_inline bool find_target(const struct x86_kprobe_plan *plan,
					const struct pt_regs *regs,
					unsigned long next, unsigned long *target)
{
	const struct x86_kprobe_operand *op = &plan->operand;
	unsigned long addr;

	addr = op->base == X86_KPROBE_NEXT_INSN ? next : reg_value(regs, op->base);
	if (!op->memory) {
		*target = addr;
		return true;
	}
	addr += (reg_value(regs, op->index) << op->shift) + plan->disp;
	if (op->percpu)
		addr = (unsigned long)raw_cpu_ptr((void __percpu *)addr);
	return read_target(addr, target);
}

static nokprobe_inline void emulate_call(struct pt_regs *regs, unsigned long next,
					 unsigned long target)
{
	int3_emulate_push(regs, next);
	int3_emulate_jmp(regs, target);
}

static nokprobe_inline bool emulate_indirect(const struct x86_kprobe_plan *plan,
					     struct pt_regs *regs,
					     unsigned long next)
{
	unsigned long target;

	/* Before the push, which changes what a stack pointer points to. */
	if (!find_target(plan, regs, next, &target))
		return false;
	if (plan->action == X86_KPROBE_CALL_INDIRECT)
		emulate_call(regs, next, target);
	else
		int3_emulate_jmp(regs, target);
	return true;
}

/* Writing the half of a 64-bit register clears the rest, as ever. */
static nokprobe_inline void set_counter(struct pt_regs *regs, u8 width,
					unsigned long count)
{
	if (width == sizeof(u16))
		regs->cx = (regs->cx & ~0xffffUL) | (u16)count;
	else
		regs->cx = width == sizeof(u32) ? (u32)count : count;
}

static nokprobe_inline bool is_zero(unsigned long count, u8 width)
{
	return !(count << (BITS_PER_LONG - 8 * width));
}

enum { COND_LOOPNE, COND_LOOPE, COND_LOOP, COND_JCXZ };

static nokprobe_inline bool loop_goes_on(const struct x86_kprobe_plan *plan,
					 struct pt_regs *regs)
{
	bool zf = regs->flags & X86_EFLAGS_ZF;

	if (plan->cond == COND_JCXZ)
		return is_zero(regs->cx, plan->width);

	set_counter(regs, plan->width, regs->cx - 1);
	if (is_zero(regs->cx, plan->width))
		return false;
	return plan->cond == COND_LOOP || zf == (plan->cond == COND_LOOPE);
}

static nokprobe_inline void emulate_ret(const struct x86_kprobe_plan *plan,
					struct pt_regs *regs)
{
	int3_emulate_ret(regs);
	regs->sp += plan->disp;
}

bool x86_kprobe_emulate(const struct x86_kprobe_plan *plan, struct pt_regs *regs,
			unsigned long addr)
{
	unsigned long next = addr + plan->len;

	switch (plan->action) {
	case X86_KPROBE_RUN:
		return false;
	case X86_KPROBE_NOP:
		int3_emulate_jmp(regs, next);
		return true;
	case X86_KPROBE_JMP:
		int3_emulate_jmp(regs, next + plan->disp);
		return true;
	case X86_KPROBE_JCC:
		int3_emulate_jcc(regs, plan->cond, next, plan->disp);
		return true;
	case X86_KPROBE_LOOP:
		int3_emulate_jmp(regs, loop_goes_on(plan, regs) ?
				       next + plan->disp : next);
		return true;
	case X86_KPROBE_CALL:
		emulate_call(regs, next, next + plan->disp);
		return true;
	case X86_KPROBE_RET:
		emulate_ret(plan, regs);
		return true;
	case X86_KPROBE_JMP_INDIRECT:
	case X86_KPROBE_CALL_INDIRECT:
		return emulate_indirect(plan, regs, next);
	}
	return false;
}
NOKPROBE_SYMBOL(x86_kprobe_emulate);
