// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Plans for probed instructions of x86, 32 and 64 bit: run, emulate, or refuse.
 *
 * Nearly every instruction runs as a copy, followed by a jump back. The copy is not
 * single-stepped: it may change flags, fault, and be interrupted, as at the original
 * address. Branches are emulated, because they would leave the copy or push the address
 * of the copy. An instruction is refused if a breakpoint in front of it breaks it, or if
 * it leaves the kernel for another privilege level, a guest or an enclave.
 *
 * The probed code can see two differences. The FPU records the address of the copy as
 * that of the last x87 instruction. IBT does not check an emulated indirect branch: the
 * branch may land on an instruction that is not an ENDBR.
 */
#include <linux/kernel.h>
#include <linux/kprobe_isa.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <asm/insn.h>

#include "kprobes-insn.h"

/**
 * struct form - how instructions with an opcode are planned
 * @verdict: enum kprobe_action, BY_MODRM, BY_NEXT, or REFUSED()
 * @flow:    enum kprobe_flow
 */
struct form {
	s8 verdict;
	u8 flow;
};

#define BY_MODRM	(S8_MAX - 1)		/* look it up among members */
#define BY_NEXT		S8_MAX			/* runs, if the next one permits */
#define REFUSED(why)	(-KPROBE_REASON_##why)	/* must not be probed */

#define FORM(act, where)	{ .verdict = act, .flow = KPROBE_FLOW_##where }
#define REFUSE(why)		FORM(REFUSED(why), NEXT)
#define BRANCH(where)		FORM(KPROBE_EMULATE, where)
/* Refused; the flow is noted because a search for branches must see it. */
#define LEAVE(where)		FORM(REFUSED(LEVEL), where)

/*
 * Opcodes of one byte, and the second bytes of two-byte opcodes. An opcode that is not
 * listed runs as a copy. Reasons to refuse one, where enum kprobe_reason does not say it:
 *
 * LEVEL:  the stack or gs may not be the kernel's any more in front of it, and a copy does
 *         not return.
 * WORLD:  the guest or enclave returns to an address that it was given.
 * SLEEP:  waits for an interrupt. The sti before it keeps interrupts off until the CPU
 *         sleeps. A probe on either lets an interrupt in before that: the CPU then
 *         sleeps although it was woken.
 * SHADOW: the next instruction sets the stack pointer. After a copy it would be the jump
 *         back.
 * TRANSACTION: the CPU keeps its relative target for an abort, and a trap aborts the
 *         transaction.
 */
static const struct form one_byte_forms[256] = {
	[0x17] = REFUSE(SHADOW),			/* pop ss */
	[0x70 ... 0x7f] = BRANCH(COND),			/* jcc */
	[0x8e] = FORM(BY_MODRM, NEXT),
	[0x8f] = FORM(BY_MODRM, NEXT),
	/* With REX.B or a prefix it may be xchg or pause: plan_nop(). */
	[0x90] = FORM(KPROBE_NOP, NEXT),
	[0x9a] = LEAVE(CALL_INDIRECT),			/* call far */
	[0xc2 ... 0xc3] = BRANCH(RETURN),		/* ret */
	[0xc7] = FORM(BY_MODRM, NEXT),
	[0xca ... 0xcb] = LEAVE(RETURN),		/* ret far */
	[0xcc ... 0xce] = REFUSE(TRAP),			/* int3, int, into */
	[0xcf] = LEAVE(RETURN),				/* iret */
	[0xe0 ... 0xe3] = BRANCH(COND),			/* loopne, loope, loop, jcxz */
	[0xe8] = BRANCH(CALL),
	[0xe9] = BRANCH(JUMP),
	[0xea] = LEAVE(JUMP_INDIRECT),			/* jmp far */
	[0xeb] = BRANCH(JUMP),
	[0xf1] = REFUSE(TRAP),				/* int1 */
	[0xf4] = REFUSE(SLEEP),				/* hlt */
	[0xfb] = FORM(BY_NEXT, NEXT),			/* sti */
	[0xff] = FORM(BY_MODRM, NEXT),
};

static const struct form two_byte_forms[256] = {
	[0x01] = FORM(BY_MODRM, NEXT),
	[0x05] = REFUSE(LEVEL),				/* syscall */
	[0x07] = REFUSE(LEVEL),				/* sysret */
	[0x0b] = REFUSE(TRAP),				/* ud2 */
	[0x1e] = FORM(BY_MODRM, NEXT),
	[0x1f] = FORM(BY_MODRM, NEXT),
	[0x34 ... 0x35] = REFUSE(LEVEL),		/* sysenter, sysexit */
	[0x37] = REFUSE(WORLD),				/* getsec */
	[0x80 ... 0x8f] = BRANCH(COND),			/* jcc */
	[0xaa] = REFUSE(LEVEL),				/* rsm */
	[0xb9] = REFUSE(TRAP),				/* ud1 */
	[0xff] = REFUSE(TRAP),				/* ud0 */
};

/**
 * struct member - instructions that share an opcode with others
 * @opcode: escape byte included: 0x0f01 is 0f 01
 * @prefix: prefix that makes part of the opcode; 0 for any or none
 * @mask:   bits of ModRM that matter
 * @modrm:  their value
 * @form:   what becomes of them
 */
struct member {
	u16 opcode;
	u8 prefix;
	u8 mask;
	u8 modrm;
	struct form form;
};

/* The opcode goes on in ModRM's reg field. */
#define GROUP(op, reg, ...) \
	{ .opcode = op, .mask = 0x38, .modrm = (reg) << 3, .form = __VA_ARGS__ }
/* The whole of ModRM belongs to the opcode. */
#define EXACT(op, byte, pfx, ...) \
	{ .opcode = op, .prefix = pfx, .mask = 0xff, .modrm = byte, .form = __VA_ARGS__ }

/* The first match counts. */
static const struct member members[] = {
	GROUP(0x8e, 2, REFUSE(SHADOW)),			/* mov to ss */
	/* AMD's XOP, which the decoder takes for a pop of another length. */
	GROUP(0x8f, 0, FORM(KPROBE_RUN, NEXT)),		/* pop */
	{ .opcode = 0x8f, .form = REFUSE(FORM) },
	EXACT(0xc7, 0xf8, 0, FORM(REFUSED(TRANSACTION), COND)),	/* xbegin */
	GROUP(0xff, 2, BRANCH(CALL_INDIRECT)),
	GROUP(0xff, 3, LEAVE(CALL_INDIRECT)),		/* call far *mem */
	GROUP(0xff, 4, BRANCH(JUMP_INDIRECT)),
	GROUP(0xff, 5, LEAVE(JUMP_INDIRECT)),		/* jmp far *mem */
	EXACT(0x0f01, 0xc0, 0, REFUSE(WORLD)),		/* enclv */
	EXACT(0x0f01, 0xc2, 0, REFUSE(WORLD)),		/* vmlaunch */
	EXACT(0x0f01, 0xc3, 0, REFUSE(WORLD)),		/* vmresume */
	EXACT(0x0f01, 0xc9, 0, REFUSE(SLEEP)),		/* mwait */
	EXACT(0x0f01, 0xca, 0xf2, REFUSE(LEVEL)),	/* erets */
	EXACT(0x0f01, 0xca, 0xf3, REFUSE(LEVEL)),	/* eretu */
	EXACT(0x0f01, 0xcc, 0x66, REFUSE(WORLD)),	/* tdcall */
	EXACT(0x0f01, 0xcd, 0x66, REFUSE(WORLD)),	/* seamret */
	EXACT(0x0f01, 0xcf, 0, REFUSE(WORLD)),		/* encls, seamcall */
	EXACT(0x0f01, 0xd7, 0, REFUSE(WORLD)),		/* enclu */
	EXACT(0x0f01, 0xd8, 0, REFUSE(WORLD)),		/* vmrun */
	EXACT(0x0f01, 0xde, 0, REFUSE(WORLD)),		/* skinit */
	EXACT(0x0f01, 0xec, 0xf3, REFUSE(LEVEL)),	/* uiret */
	EXACT(0x0f01, 0xf8, 0, REFUSE(LEVEL)),		/* swapgs */
	EXACT(0x0f01, 0xfb, 0, REFUSE(SLEEP)),		/* mwaitx */
	EXACT(0x0f1e, 0xfa, 0xf3, REFUSE(LANDING_PAD)),	/* endbr64 */
	EXACT(0x0f1e, 0xfb, 0xf3, REFUSE(LANDING_PAD)),	/* endbr32 */
	GROUP(0x0f1f, 0, FORM(KPROBE_NOP, NEXT)),
};

/* Opcodes that 64-bit mode does not have, which the decoder does not check. */
static bool is_not_in_64bit(u32 opcode)
{
	switch (opcode) {
	case 0x06: case 0x07: case 0x0e: case 0x16:	/* push, pop es, cs, ss */
	case 0x17: case 0x1e: case 0x1f:		/* pop ss, push, pop ds */
	case 0x27: case 0x2f: case 0x37: case 0x3f:	/* daa, das, aaa, aas */
	case 0x60: case 0x61: case 0x82: case 0x9a:
	case 0xce: case 0xd4: case 0xd6: case 0xea:
		return X86_IS_64BIT;
	default:
		return false;
	}
}

static bool has_prefix(const struct insn *insn, u8 prefix)
{
	return memchr(insn->prefixes.bytes, prefix, 4);
}

/* As in the tables above. VEX, EVEX and some REX2 instructions are in other maps. */
static u32 opcode_of(struct insn *insn)
{
	u32 opcode = 0;
	int i;

	if (insn_is_avx(insn) || insn_rex2_m_bit(insn))
		return U32_MAX;
	for (i = 0; i < insn->opcode.nbytes; i++)
		opcode = opcode << 8 | insn->opcode.bytes[i];
	return opcode;
}

static const struct form run_form = FORM(KPROBE_RUN, NEXT);

static const struct form *find_member(const struct insn *insn, u32 opcode)
{
	u8 prefix = insn->prefixes.bytes[3], modrm = insn->modrm.bytes[0];
	const struct member *m;

	for (m = members; m < members + ARRAY_SIZE(members); m++)
		if (m->opcode == opcode && (modrm & m->mask) == m->modrm &&
		    (!m->prefix || m->prefix == prefix))
			return &m->form;
	return &run_form;
}

static const struct form *find_form(const struct insn *insn, u32 opcode)
{
	const struct form *form = &run_form;

	if (opcode <= U8_MAX)
		form = &one_byte_forms[opcode];
	else if (opcode >> 8 == 0x0f)
		form = &two_byte_forms[opcode & U8_MAX];
	return form->verdict == BY_MODRM ? find_member(insn, opcode) : form;
}

/*
 * The decoder keeps four different legacy prefixes, and takes a fifth one for the opcode.
 * It does the same with a prefix after REX. It has not seen the real opcode then, so its
 * result is wrong.
 */
static bool ends_in_prefix(struct insn *insn)
{
	insn_attr_t attr = inat_get_opcode_attribute(insn->opcode.bytes[0]);

	if (insn_is_avx(insn) || insn_is_rex2(insn))
		return false;
	return inat_is_legacy_prefix(attr) || (X86_IS_64BIT && inat_is_rex_prefix(attr));
}

/*
 * Has the decoder taken it for another one? It looks up an opcode together with the last prefix,
 * and takes what it does not find for one without ModRM: 66 67 0f 6c, f2 0f 41. All but these have
 * ModRM.
 */
static bool lacks_modrm(struct insn *insn)
{
	if (insn_is_avx(insn) || insn->opcode.nbytes < 2 || insn->modrm.nbytes)
		return false;
	if (insn->opcode.nbytes > 2)
		return true;
	switch (insn->opcode.bytes[1]) {
	case 0x05 ... 0x09: case 0x0b: case 0x0e:	/* syscall and others */
	case 0x30 ... 0x37: case 0x77:			/* wrmsr and others */
	case 0x80 ... 0x8f: case 0xff:			/* jcc, ud0 */
	case 0xa0 ... 0xa2: case 0xa8 ... 0xaa:		/* push, pop, cpuid, rsm */
	case 0xc8 ... 0xcf:				/* bswap */
		return false;
	default:
		return true;
	}
}

enum kprobe_reason x86_kprobe_decode(struct insn *insn, const u8 *bytes, size_t avail)
{
	if (insn_decode(insn, bytes, min_t(size_t, avail, MAX_INSN_SIZE),
			X86_IS_64BIT ? INSN_MODE_64 : INSN_MODE_32))
		return KPROBE_REASON_UNDECODABLE;
	return ends_in_prefix(insn) || lacks_modrm(insn) ? KPROBE_REASON_FORM : KPROBE_REASON_NONE;
}

static enum kprobe_reason plan_run(struct kprobe_insn *plan, struct insn *insn)
{
	plan->action = KPROBE_RUN;
	if (!insn_rip_relative(insn))
		return KPROBE_REASON_NONE;
	/* A 32-bit address wraps at 4 GB, and does not reach the kernel. */
	if (insn->addr_bytes != X86_WORD_SIZE)
		return KPROBE_REASON_FORM;
	plan->arch.rip_at = insn_offset_displacement(insn);
	return KPROBE_REASON_NONE;
}

/* Not a nop: xchg with r8 (REX.B), pause (repeat prefix), and lock, which faults. */
static enum kprobe_reason plan_nop(struct kprobe_insn *plan, struct insn *insn)
{
	if (X86_REX_B(insn->rex_prefix.value) || has_prefix(insn, 0xf3) ||
	    has_prefix(insn, 0xf2) || has_prefix(insn, 0xf0))
		return plan_run(plan, insn);
	return KPROBE_REASON_NONE;
}

/*
 * sti keeps interrupts off for one more instruction. If that one must not be probed, as
 * hlt, it may depend on this: no probe must come in between.
 */
static enum kprobe_reason plan_sti(struct kprobe_insn *plan, struct insn *insn,
				   size_t avail)
{
	struct insn next;
	u32 opcode;

	if (x86_kprobe_decode(&next, insn->kaddr + insn->length, avail - insn->length))
		return plan_run(plan, insn);
	opcode = opcode_of(&next);
	if (!is_not_in_64bit(opcode) && find_form(&next, opcode)->verdict < 0)
		return KPROBE_REASON_SHADOW;
	return plan_run(plan, insn);
}

/* The segment of the operand: the flat one, or that of per-CPU data. */
static enum kprobe_reason plan_segment(struct arch_kprobe_insn *op, struct insn *insn)
{
	bool fs = has_prefix(insn, 0x64), gs = has_prefix(insn, 0x65);

	if (fs && gs)
		return KPROBE_REASON_FORM;
	op->percpu = X86_IS_64BIT ? gs : fs;
	/* The other prefix is for user space. Without SMP this one is as well. */
	if (fs + gs > (op->percpu && IS_ENABLED(CONFIG_SMP)))
		return KPROBE_REASON_FORM;
	return KPROBE_REASON_NONE;
}

static void plan_sib(struct arch_kprobe_insn *op, struct insn *insn)
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

static enum kprobe_reason plan_memory(struct kprobe_insn *plan, struct insn *insn)
{
	struct arch_kprobe_insn *op = &plan->arch;
	u8 modrm = insn->modrm.value;

	plan->may_fault = true;
	op->disp = insn->displacement.value;
	/* Compilers use no other size of addresses in the kernel. */
	if (insn->addr_bytes != X86_WORD_SIZE)
		return KPROBE_REASON_FORM;
	if (X86_MODRM_RM(modrm) == 4)
		plan_sib(op, insn);
	else if (X86_MODRM_RM(modrm) == 5 && !X86_MODRM_MOD(modrm))
		op->base = X86_KPROBE_NO_REG;
	if (insn_rip_relative(insn)) {
		op->base = X86_KPROBE_NEXT_INSN;
		op->rip_at = insn_offset_displacement(insn);
	}
	return plan_segment(op, insn);
}

static enum kprobe_reason plan_indirect(struct kprobe_insn *plan, struct insn *insn)
{
	struct arch_kprobe_insn *op = &plan->arch;
	u8 modrm = insn->modrm.value;

	/* A call would push the address of the copy. */
	plan->no_copy = plan->flow == KPROBE_FLOW_CALL_INDIRECT;
	op->index = X86_KPROBE_NO_REG;
	op->base = X86_MODRM_RM(modrm);
	if (X86_REX_B(insn->rex_prefix.value))
		op->base |= 8;
	if (X86_MODRM_MOD(modrm) == 3)
		return KPROBE_REASON_NONE;
	return plan_memory(plan, insn);
}

static void plan_cond(struct kprobe_insn *plan, struct insn *insn)
{
	u8 opcode = insn->opcode.bytes[insn->opcode.nbytes - 1];

	plan->arch.cond = opcode & 0xf;
	plan->arch.loop = (opcode & 0xf0) == X86_LOOP_INSN_OPCODE;
	plan->arch.width = insn->addr_bytes;
}

/*
 * Refuses two prefixes. A branch with lock faults. On a branch with an operand size
 * Intel and AMD disagree: on what it does, and on its length. The other prefixes change
 * nothing: segments and branch hints, bnd, repeat, a REX or address size of no effect.
 */
static enum kprobe_reason plan_branch(struct kprobe_insn *plan, struct insn *insn)
{
	if (has_prefix(insn, 0x66) || has_prefix(insn, 0xf0))
		return KPROBE_REASON_FORM;

	switch (plan->flow) {
	case KPROBE_FLOW_JUMP_INDIRECT:
	case KPROBE_FLOW_CALL_INDIRECT:
		return plan_indirect(plan, insn);
	case KPROBE_FLOW_RETURN:
		plan->arch.disp = (u16)insn->immediate.value;
		return KPROBE_REASON_NONE;
	case KPROBE_FLOW_COND:
		plan_cond(plan, insn);
		return KPROBE_REASON_NONE;
	default:
		return KPROBE_REASON_NONE;
	}
}

static enum kprobe_reason plan_form(struct kprobe_insn *plan, struct insn *insn,
				    const struct form *form, size_t avail)
{
	if (form->verdict < 0)
		return -form->verdict;
	if (form->verdict == BY_NEXT)
		return plan_sti(plan, insn, avail);
	plan->action = form->verdict;
	switch (plan->action) {
	case KPROBE_RUN:
		return plan_run(plan, insn);
	case KPROBE_NOP:
		return plan_nop(plan, insn);
	default:
		return plan_branch(plan, insn);
	}
}

static void note_flow(struct kprobe_insn *plan, struct insn *insn, u8 flow,
		      unsigned long addr)
{
	plan->flow = flow;
	if (insn->length == sizeof(u32) && x86_kprobe_is_pad(insn->kaddr))
		plan->flow = KPROBE_FLOW_PAD;
	if (kprobe_insn_has_target(plan))
		plan->target = X86_ADDRESS(addr + insn->length + insn->immediate.value);
}

enum kprobe_reason x86_kprobe_plan(struct kprobe_insn *plan, const u8 *bytes,
				   size_t avail, unsigned long addr)
{
	const struct form *form;
	enum kprobe_reason reason;
	struct insn insn;
	u32 opcode;

	*plan = (struct kprobe_insn){ .breakpoint_len = INT3_INSN_SIZE };
	reason = x86_kprobe_decode(&insn, bytes, avail);
	if (reason)
		return reason;

	opcode = opcode_of(&insn);
	plan->len = insn.length;
	if (is_not_in_64bit(opcode))
		return KPROBE_REASON_UNDECODABLE;
	form = find_form(&insn, opcode);
	plan->state = opcode == X86_STD_INSN_OPCODE;
	note_flow(plan, &insn, form->flow, addr);
	/* Forced emulation: a hypervisor reads the bytes after the ud2 at this address. */
	if (insn_has_emulate_prefix(&insn))
		return KPROBE_REASON_TRAP;
	/* APX: the opcode may be in another map, and pt_regs does not have the registers. */
	if (insn_is_rex2(&insn))
		return KPROBE_REASON_FORM;
	return plan_form(plan, &insn, form, avail);
}
