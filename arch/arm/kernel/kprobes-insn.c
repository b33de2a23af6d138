// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Arm's instruction set A32: what becomes of a probed instruction, and how it is written
 * elsewhere. For ARMv7 and later, where instructions are little-endian, whatever data are.
 *
 * An instruction is one word, and so are the breakpoint and the jump. Nearly every instruction
 * runs as a copy, with its condition. Of those that read pc, branches, calls, the address of a
 * place, and loads of words from literal pools are emulated. These have copies too, for detours.
 * In the copies of others another register stands for pc, as a rule the one that they write. If
 * there is none, they save one on the stack. Refused is what a breakpoint breaks, what leaves the
 * kernel's ordinary flow, and what uses pc as no compiler does. The breakpoint has no condition.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/kprobe_isa.h>
#include <linux/sizes.h>
#include <linux/unaligned.h>

#define SIZE		4
#define PC_AHEAD	8	/* pc reads as the instruction's address and this */

#define REG_SP		13
#define REG_LR		14
#define REG_PC		15
#define COND_ALWAYS	0xe0000000
#define COND_MASK	0xf0000000	/* if all of these are set there is no condition */
#define RN(word)	((word) >> 16 & 0xf)
#define RD(word)	((word) >> 12 & 0xf)
#define RS(word)	((word) >> 8 & 0xf)
#define RM(word)	((word) & 0xf)

/* What copies are made of, without a condition. */
#define MOVW(reg)	(0x03000000 | (reg) << 12)
#define MOVT(reg)	(0x03400000 | (reg) << 12)
#define PUSH(reg, room)	(0x052d0000 | (reg) << 12 | (room))	/* str reg, [sp, #-room]! */
#define POP(reg)	(0x049d0004 | (reg) << 12)		/* ldr reg, [sp], #4 */
#define POP_WITH_PC(reg)	(0x08bd8000 | BIT(reg))		/* ldm sp!, {reg, pc} */
#define STORE(reg, at)	(0x058d0000 | (reg) << 12 | (at))	/* str reg, [sp, #at] */
#define LOAD(reg, at)	(0x059d0000 | (reg) << 12 | (at))	/* ldr reg, [sp, #at] */
#define ADD_SP(by)	(0x028dd000 | (by))
#define SUB_SP(by)	(0x024dd000 | (by))
#define B		0x0a000000
#define BL		0x0b000000
#define BX(reg)		(0x012fff10 | (reg))
#define PUSH_PC		0x092d8000	/* push {..., pc} */

/* udf #0x4b50. BUG() is #0x12, gdb #0x10, uprobes #0x19 and #0x1a, kgdb #0xfdee and #0xfdef. */
#define BREAKPOINT	0xe7f4b5f0

/* Fields of an instruction that are registers. */
#define N		BIT(0)		/* read */
#define M		BIT(1)		/* read */
#define D		BIT(2)		/* loaded, stored or otherwise written */
#define ANY		BIT(3)		/* where pc is read, another register can stand for it */

#define ROW(bits, word, what, where, which, ...) \
	KPROBE_FORM(bits, word, what, where, .uses = which, __VA_ARGS__)
#define REFUSE			KPROBE_REFUSE

/*
 * What becomes of instructions: Arm Architecture Reference Manual, ARMv7-A and ARMv7-R edition,
 * "ARM instruction set encoding", by bits 27 to 25; those without a condition come first. Groups
 * are told apart. Others that are reserved trap in a copy too.
 *
 * Why instructions are refused:
 *
 * TRAP:  somebody else has put it there or waits for it: BUG(), kgdb, ptrace.
 * LEVEL: to another mode, whose stack and banked registers no handler must find; what the end of
 *        a breakpoint's trap overwrites, SPSR and the banked registers; what a handler's own
 *        faults overwrite, the status and address of a fault; what traps rely on, the vectors, and
 *        the MMU in SCTLR; and to other page tables. Those of the user come with their ASID in two
 *        steps. A handler between them that accesses user memory fills the TLB wrongly.
 * WORLD: the hypervisor or the firmware may keep an idle CPU as long as it likes. Tasks RCU does
 *        not wait for the idle task, so the copy that it returns to may have been freed.
 * SLEEP: likewise. And a handler may consume the event that wfe waits for.
 * FORM:  to Thumb or Jazelle, which an A32 kernel has not; to another byte order, which handlers
 *        are not compiled for; with pc where the copy would not do the same. Zeros have no effect,
 *        so they are padding or data.
 */

/* Of multiplications some have 15 for no register. With others pc is UNPREDICTABLE. */
static const struct kprobe_form registers[] = {
	REFUSE(0xfff30020, 0xf1020000, LEVEL),				/* cps to a mode */
	ROW(0xfff30020, 0xf1000000, RUN, NEXT, 0),			/* cpsie, cpsid */
	REFUSE(0xfff100f0, 0xf1010000, FORM),				/* setend */
	REFUSE(0xf0000000, 0xf0000000, UNDECODABLE),
	ROW(0x0f9002f0, 0x01900290, RUN, NEXT, N | D, .exclusive = 1),	/* ldrex and others */
	ROW(0x0f9002f0, 0x01800290, RUN, NEXT, N, .exclusive = -1),	/* strex and others */
	ROW(0x0e0000f0, 0x00000090, RUN, NEXT, 0),			/* mul and others, swp */
	REFUSE(0xffffffff, 0x00000000, FORM),				/* andeq r0, r0, r0 */
	ROW(0x0f7f00f0, 0x014f00d0, RUN, NEXT, N | D | ANY, .data_len = 8),	/* ldrd, literal */
	ROW(0x0f7f00b0, 0x015f00b0, RUN, NEXT, N | D | ANY, .data_len = 2),	/* ldrh, ldrsh */
	ROW(0x0f7f00f0, 0x015f00d0, RUN, NEXT, N | D | ANY, .data_len = 1),	/* ldrsb, literal */
	ROW(0x0e400090, 0x00400090, RUN, NEXT, N | D),			/* ldrh and others, #imm */
	ROW(0x0e400090, 0x00000090, RUN, NEXT, N | M | D),		/* ldrh and others */
	ROW(0x0fffffff, 0x012fff1e, EMULATE, RETURN, 0),			/* bx lr */
	ROW(0x0ffffff0, 0x012fff10, EMULATE, JUMP_INDIRECT, M),		/* bx */
	REFUSE(0x0ffffff0, 0x012fff20, FORM, .flow = KPROBE_FLOW_JUMP_INDIRECT), /* bxj */
	ROW(0x0fffffff, 0x012fff3e, EMULATE, CALL_INDIRECT, 0, .no_copy = 1), /* blx lr */
	ROW(0x0ffffff0, 0x012fff30, EMULATE, CALL_INDIRECT, M),		/* blx */
	REFUSE(0x0fd000f0, 0x01000070, TRAP),				/* bkpt, hlt */
	REFUSE(0x0fd000f0, 0x01400070, WORLD),				/* hvc, smc */
	REFUSE(0x0fffffff, 0x0160006e, LEVEL, .flow = KPROBE_FLOW_RETURN), /* eret */
	REFUSE(0x0f9002f0, 0x01000200, LEVEL),				/* mrs, msr: banked */
	REFUSE(0x0fd000f0, 0x01400000, LEVEL),				/* mrs, msr: spsr */
	ROW(0x0fd000f0, 0x01000000, RUN, NEXT, M),			/* mrs, msr: cpsr */
	ROW(0x0f900000, 0x01000000, RUN, NEXT, M),			/* clz, qadd, smlabb, ... */
	ROW(0x0fffffff, 0x01a00000, NOP, NEXT, 0),			/* nop */
	ROW(0x0fffffff, 0x01a0f00e, EMULATE, RETURN, 0),			/* mov pc, lr */
	/* movs pc, lr */
	REFUSE(0x0e10f010, 0x0010f000, LEVEL, .flow = KPROBE_FLOW_RETURN),
	ROW(0x0e10f010, 0x0000f000, RUN, JUMP_INDIRECT, N | M | ANY),	/* add pc, ... */
	ROW(0x0e000090, 0x00000010, RUN, NEXT, N | M | D),		/* with a shift by rs */
	ROW(0x0f900010, 0x01100000, RUN, NEXT, N | M | ANY),		/* cmp and others */
	ROW(0x0fa00010, 0x01a00000, RUN, NEXT, M | D | ANY),		/* mov, mvn, shifts */
	ROW(0, 0, RUN, NEXT, N | M | D | ANY),				/* add and others */
};

/* The address in lr is one to return to. msr of cpsr_c from a register restores interrupts. */
static const struct kprobe_form immediates[] = {
	ROW(0xf0000000, 0xf0000000, RUN, NEXT, 0),			/* SIMD */
	ROW(0x0fb00000, 0x03000000, RUN, NEXT, D),			/* movw, movt */
	ROW(0x0fffffff, 0x0320f000, NOP, NEXT, 0),			/* nop */
	REFUSE(0x0ffffffe, 0x0320f002, SLEEP),				/* wfe, wfi */
	REFUSE(0x0ff10000, 0x03210000, LEVEL),				/* msr cpsr_c, #imm */
	ROW(0x0ff00000, 0x03200000, RUN, NEXT, 0),			/* other msr; yield, sev */
	REFUSE(0x0ff00000, 0x03600000, LEVEL),				/* msr spsr, #imm */
	/* subs pc, lr, #imm */
	REFUSE(0x0e10f000, 0x0210f000, LEVEL, .flow = KPROBE_FLOW_RETURN),
	ROW(0x0e10f000, 0x0200f000, RUN, JUMP_INDIRECT, N),		/* add pc, rn, #imm */
	ROW(0x0ffff000, 0x028fe000, EMULATE, NEXT, N | D | ANY),	/* adr lr, forwards */
	ROW(0x0fff0000, 0x028f0000, EMULATE, NEXT, N | D | ANY, .takes_address = 1), /* adr */
	ROW(0x0fff0000, 0x024f0000, EMULATE, NEXT, N | D | ANY, .takes_address = 1), /* backwards */
	ROW(0x0f900000, 0x03100000, RUN, NEXT, N | ANY),		/* cmp and others */
	ROW(0, 0, RUN, NEXT, N | D | ANY),				/* add and others */
};

static const struct kprobe_form loads_and_stores[] = {
	ROW(0xfe7ff000, 0xf45ff000, NOP, NEXT, 0),			/* pld, pli, literal */
	ROW(0xff30f000, 0xf510f000, RUN, NEXT, N),			/* pld, pldw */
	ROW(0xff70f000, 0xf450f000, RUN, NEXT, N),			/* pli */
	ROW(0xff100000, 0xf4000000, RUN, NEXT, N),			/* SIMD */
	ROW(0xffffffff, 0xf57ff01f, RUN, NEXT, 0, .exclusive = -1),	/* clrex */
	ROW(0xfffff000, 0xf57ff000, RUN, NEXT, 0),			/* dsb, dmb, isb */
	REFUSE(0xf0000000, 0xf0000000, UNDECODABLE),
	ROW(0x0f7ff000, 0x051ff000, RUN, JUMP_INDIRECT, N | ANY, .data_len = 4), /* ldr pc */
	ROW(0x0f7f0000, 0x051f0000, EMULATE, NEXT, N | D | ANY, .data_len = 4), /* ldr, literal */
	ROW(0x0f7f0000, 0x055f0000, RUN, NEXT, N | D | ANY, .data_len = 1), /* ldrb, literal */
	ROW(0x0fffffff, 0x049df004, RUN, RETURN, 0),			/* pop {pc} */
	ROW(0x0e50f000, 0x0410f000, RUN, JUMP_INDIRECT, N),		/* ldr pc */
	ROW(0, 0, RUN, NEXT, N | D),					/* ldr, ldrb, str, strb */
};

/* What udf is with a condition is UNPREDICTABLE. */
static const struct kprobe_form by_register_and_media[] = {
	ROW(0xff30f010, 0xf710f000, RUN, NEXT, N | M),			/* pld, pldw */
	ROW(0xff70f010, 0xf650f000, RUN, NEXT, N | M),			/* pli */
	REFUSE(0xf0000000, 0xf0000000, UNDECODABLE),
	REFUSE(0x0ff000f0, 0x07f000f0, TRAP),				/* udf */
	ROW(0x0e000010, 0x06000010, RUN, NEXT, 0),			/* media */
	ROW(0x0f70f010, 0x0710f000, RUN, JUMP_INDIRECT, N | M | ANY),	/* ldr pc, [rn, rm] */
	ROW(0x0e50f010, 0x0610f000, RUN, JUMP_INDIRECT, N | M),		/* likewise, updating rn */
	ROW(0x0f300010, 0x07100000, RUN, NEXT, N | M | D | ANY),	/* ldr, ldrb */
	ROW(0, 0, RUN, NEXT, N | M | D),		/* likewise, updating rn; str, strb */
};

/* A function with a frame pointer begins with the push of pc. */
static const struct kprobe_form multiple[] = {
	REFUSE(0xfe100000, 0xf8100000, LEVEL, .flow = KPROBE_FLOW_RETURN), /* rfe */
	REFUSE(0xf0000000, 0xf0000000, LEVEL),				/* srs */
	REFUSE(0x0e508000, 0x08508000, LEVEL, .flow = KPROBE_FLOW_RETURN), /* ldm {..., pc}^ */
	ROW(0x0e108000, 0x08108000, RUN, RETURN, N),			/* ldm {..., pc} */
	ROW(0x0fff8000, PUSH_PC, RUN, NEXT, 0),			/* push {..., pc} */
	REFUSE(0x0e108000, 0x08008000, FORM),				/* stm {..., pc} */
	ROW(0, 0, RUN, NEXT, N),					/* ldm, stm */
};

static const struct kprobe_form branches[] = {
	REFUSE(0xf0000000, 0xf0000000, FORM),				/* blx, to Thumb */
	ROW(0x0f000000, B, EMULATE, JUMP, 0),				/* b */
	ROW(0, 0, EMULATE, CALL, 0),					/* bl */
};

static const struct kprobe_form coprocessor_memory[] = {
	ROW(0xfe000f00, 0xfc000800, RUN, NEXT, 0),			/* vcmla and others */
	ROW(0xf0000000, 0xf0000000, RUN, NEXT, N),			/* ldc2, stc2 */
	REFUSE(0x0ff00f0f, 0x0c400f02, LEVEL),				/* mcrr, TTBR0, TTBR1 */
	ROW(0x0fe00000, 0x0c400000, RUN, NEXT, 0),			/* mcrr, mrrc, vmov */
	ROW(0x0f3f0f00, 0x0d1f0a00, RUN, NEXT, N | ANY, .data_len = 4),	/* vldr s, literal */
	ROW(0x0f3f0f00, 0x0d1f0b00, RUN, NEXT, N | ANY, .data_len = 8),	/* vldr d, literal */
	ROW(0, 0, RUN, NEXT, N),					/* ldc, stc, vldr, vstm */
};

/* 15 in the place of mrc's register are the flags. */
static const struct kprobe_form coprocessor[] = {
	REFUSE(0xff000000, 0xff000000, UNDECODABLE),
	ROW(0xf0000000, 0xf0000000, RUN, NEXT, 0),			/* mcr2, vsel, vdot, ... */
	REFUSE(0x0f000000, 0x0f000000, LEVEL),				/* svc */
	REFUSE(0x0fff0fff, 0x0e010f10, LEVEL),				/* mcr, SCTLR */
	REFUSE(0x0fff0f10, 0x0e020f10, LEVEL),				/* mcr, TTBR0, TTBR1 */
	REFUSE(0x0fef0f10, 0x0e050f10, LEVEL),				/* DFSR, IFSR */
	REFUSE(0x0fef0f10, 0x0e060f10, LEVEL),				/* DFAR, IFAR */
	REFUSE(0x0fff0fff, 0x0e070f90, SLEEP),				/* mcr, as wfi */
	REFUSE(0x0fff0fff, 0x0e0c0f10, LEVEL),				/* mcr, VBAR */
	REFUSE(0x0fff0fff, 0x0e0d0f30, LEVEL),				/* mcr, CONTEXTIDR */
	ROW(0x0f100010, 0x0e000010, RUN, NEXT, D),			/* mcr, vmov */
	ROW(0, 0, RUN, NEXT, 0),					/* mrc, cdp, vadd, ... */
};

static const struct kprobe_forms forms = {
	.shift = 25,
	.bits = 7,
	.major = {
		registers, immediates, loads_and_stores, by_register_and_media,
		multiple, branches, coprocessor_memory, coprocessor,
	},
};

static __always_inline bool reads(u32 word, u8 uses, u32 reg)
{
	return (uses & N && RN(word) == reg) || (uses & M && RM(word) == reg);
}

/* What the instruction at @from addresses relatively to pc: one of each group that can. */
static unsigned long address_of(u32 word, unsigned long from)
{
	const u32 offsets[] = {
		(word >> 4 & 0xf0) | (word & 0xf),		/* ldrh and others */
		rol32(word & 0xff, -2 * RS(word) & 31),		/* add and sub */
		word & 0xfff,					/* ldr, ldrb */
		(word & 0xff) * SIZE,				/* vldr */
	};
	u32 offset = offsets[min_t(u32, word >> 25 & 7, 3)];

	return from + PC_AHEAD + (word & BIT(23) ? (long)offset : -(long)offset);
}

static bool is_near(u32 distance)
{
	return !(distance % SIZE) && distance + SZ_64K < 2 * SZ_64K;
}

/*
 * gcc has the table of a jump behind it, with addresses, and clang one with offsets. No instruction
 * tells how long it is. An instruction would be one like andgt or andeq, hardly used. Entries are
 * data, which a big-endian kernel has in the other order than instructions.
 */
static unsigned int entry(const u8 *bytes, size_t avail, unsigned long addr,
			  struct kprobe_jump_table *table)
{
	u32 word;

	if (avail < SIZE)
		return 0;
	word = IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? get_unaligned_be32(bytes) :
						   get_unaligned_le32(bytes);
	return word && (is_near(word - addr) || is_near(word)) ? SIZE : 0;
}

/* Does the copy of what reads pc save a register, which stands for pc? Else the result's does. */
static __always_inline bool saves_register(u32 word, const struct kprobe_form *form)
{
	return !(form->uses & D) || reads(word, form->uses, RD(word));
}

/* Of the rows whose copies read another register than pc. */
static bool sets_flags(u32 word)
{
	return (word & 0x0c100000) == 0x00100000;
}

/*
 * Can pc be where it is? No register stands for it if the stack pointer is in use as well: the copy
 * may push one, and an interrupt must not find anything else in the stack pointer. What sets the
 * flags that it depends on might keep the copy from popping the register.
 */
static enum kprobe_reason judge_pc(u32 word, const struct kprobe_form *form)
{
	u32 rd = form->uses & D ? RD(word) : 0;
	bool from_pc = reads(word, form->uses, REG_PC);
	bool needs_sp = rd == REG_SP || reads(word, form->uses, REG_SP);

	if (rd == REG_PC || (from_pc && !(form->uses & ANY)))
		return KPROBE_REASON_FORM;
	if (from_pc && word < COND_ALWAYS && sets_flags(word) && saves_register(word, form))
		return KPROBE_REASON_FORM;
	return from_pc && needs_sp ? KPROBE_REASON_FORM : KPROBE_REASON_NONE;
}

/*
 * A conditional return or indirect jump goes on like any other instruction, as far as the core is
 * concerned: none of its other flows means both.
 */
static u8 flow_of(u32 word, u8 flow)
{
	if (word >= COND_ALWAYS || flow == KPROBE_FLOW_CALL || flow == KPROBE_FLOW_CALL_INDIRECT)
		return flow;
	return flow == KPROBE_FLOW_JUMP ? KPROBE_FLOW_COND : KPROBE_FLOW_NEXT;
}

static enum kprobe_reason plan(struct kprobe_insn *insn, const u8 *bytes, size_t avail,
			       unsigned long addr)
{
	const struct kprobe_form *form;
	enum kprobe_reason reason;
	u32 word;

	*insn = (struct kprobe_insn){ .breakpoint_len = SIZE };
	if (avail < SIZE)
		return KPROBE_REASON_UNDECODABLE;
	word = get_unaligned_le32(bytes);
	insn->len = SIZE;
	form = kprobe_find_form(&forms, word);
	reason = kprobe_plan_form(insn, form);
	insn->flow = flow_of(word, form->flow);
	/* In between is what is executed if the jump's condition is not true. */
	if (form->flow == KPROBE_FLOW_JUMP_INDIRECT)
		insn->table = reads(word, form->uses, REG_PC) ? PC_AHEAD : SIZE;
	if (kprobe_insn_has_target(insn))
		insn->target = addr + PC_AHEAD + sign_extend64(word << 2, 25);
	if (insn->action == KPROBE_EMULATE ? form->uses & D : insn->data_len)
		insn->data = address_of(word, addr);
	reason = reason ?: judge_pc(word, form);
	/* A load relative to pc, by a register: the copy begins with what stands for pc. */
	if (!reason && (word >> 25 & 7) == 3 && reads(word, form->uses, REG_PC))
		insn->fault = saves_register(word, form) ? 3 * SIZE : 2 * SIZE;
	return reason;
}

/* @word: the branch, without where it leads. */
static void put_branch(struct kprobe_code *code, u32 word, unsigned long to)
{
	long apart = to - kprobe_code_here(code) - PC_AHEAD;

	if (apart < -SZ_32M || apart >= SZ_32M)
		code->far = true;
	kprobe_put_le32(code, word | (apart >> 2 & GENMASK(23, 0)));
}

static void put_jump(struct kprobe_code *code, unsigned long to, u32 scratch)
{
	put_branch(code, COND_ALWAYS | B, to);
}

static void put_number(struct kprobe_code *code, u32 cond, u32 reg, u32 number)
{
	u32 low = number & 0xffff, high = number >> 16;

	kprobe_put_le32(code, cond | MOVW(reg) | (low & 0xf000) << 4 | (low & 0xfff));
	kprobe_put_le32(code, cond | MOVT(reg) | (high & 0xf000) << 4 | (high & 0xfff));
}

/*
 * The callee returns to the original text, so nobody sleeps with an address of the copy in lr. No
 * jump back follows, so the copy of a conditional call has its own.
 */
static void put_call(struct kprobe_code *code, const struct kprobe_insn *insn, u32 word,
		     unsigned long from)
{
	u32 cond = word & COND_MASK;

	put_number(code, cond, REG_LR, from + SIZE);
	if (insn->flow == KPROBE_FLOW_CALL)
		put_branch(code, cond | B, insn->target);
	else
		kprobe_put_le32(code, cond | BX(RM(word)));
	if (cond < COND_ALWAYS)
		put_jump(code, from + SIZE, 0);
}

/* A register that no field of the instruction names. ldrd has a second one. */
static u32 spare_for(u32 word)
{
	return __ffs(~(BIT(RN(word)) | 3UL << RD(word) | BIT(RS(word)) | BIT(RM(word))));
}

/*
 * Writes an instruction that reads pc. The register that it writes stands for pc if it does not
 * read that, else a saved one does. If it writes pc then it writes the saved one instead, which
 * comes from the stack together with pc.
 */
static void put_relative(struct kprobe_code *code, u32 word, const struct kprobe_form *form,
			 unsigned long from)
{
	bool jumps = form->flow == KPROBE_FLOW_JUMP_INDIRECT;
	bool saved = saves_register(word, form);
	u32 cond = word & COND_MASK, by = saved ? spare_for(word) : RD(word);

	if (saved)
		kprobe_put_le32(code, cond | PUSH(by, jumps ? 2 * SIZE : SIZE));
	put_number(code, cond, by, from + PC_AHEAD);
	if (form->uses & N && RN(word) == REG_PC)
		word = (word & ~GENMASK(19, 16)) | by << 16;
	if (form->uses & M && RM(word) == REG_PC)
		word = (word & ~GENMASK(3, 0)) | by;
	if (jumps) {
		kprobe_put_le32(code, (word & ~GENMASK(15, 12)) | by << 12);
		kprobe_put_le32(code, cond | STORE(by, SIZE));
		kprobe_put_le32(code, cond | POP_WITH_PC(by));
		return;
	}
	kprobe_put_le32(code, word);
	if (saved)
		kprobe_put_le32(code, cond | POP(by));
}

/* The highest word that is pushed has the address of the instruction that an unwinder reads. */
static void put_push_pc(struct kprobe_code *code, u32 word, unsigned long from)
{
	u32 cond = word & COND_MASK, by = 0;

	kprobe_put_le32(code, word);
	kprobe_put_le32(code, cond | PUSH(by, SIZE));
	put_number(code, cond, by, from + PC_AHEAD);
	kprobe_put_le32(code, cond | STORE(by, hweight16(word & 0xffff) * SIZE));
	kprobe_put_le32(code, cond | POP(by));
}

static void emit(struct kprobe_code *code, const struct kprobe_insn *insn,
		 const u8 *bytes, unsigned long from)
{
	u32 word = get_unaligned_le32(bytes);
	const struct kprobe_form *form = kprobe_find_form(&forms, word);

	if (insn->action == KPROBE_NOP)
		return;
	if (insn->flow == KPROBE_FLOW_JUMP || insn->flow == KPROBE_FLOW_COND)
		put_branch(code, (word & COND_MASK) | B, insn->target);
	else if (insn->flow == KPROBE_FLOW_CALL || insn->flow == KPROBE_FLOW_CALL_INDIRECT)
		put_call(code, insn, word, from);
	else if (reads(word, form->uses, REG_PC))
		put_relative(code, word, form, from);
	else if (form->value == PUSH_PC)
		put_push_pc(code, word, from);
	else
		kprobe_put_le32(code, word);
}

/**
 * arm_kprobe_copy_len() - how long is the copy of an instruction in a slot?
 * @word: the instruction, one that runs
 *
 * Context: Any.
 * Return: How many bytes emit() writes.
 */
__kprobes unsigned int arm_kprobe_copy_len(u32 word)
{
	const struct kprobe_form *form = kprobe_find_form(&forms, word);

	if (form->value == PUSH_PC)
		return 6 * SIZE;
	if (!reads(word, form->uses, REG_PC))
		return SIZE;
	if (form->flow == KPROBE_FLOW_JUMP_INDIRECT)
		return 6 * SIZE;
	return saves_register(word, form) ? 5 * SIZE : 3 * SIZE;
}

/**
 * arm_kprobe_copy_pushed() - how much is on the stack in the copy of an instruction?
 * @word:   the instruction
 * @offset: where in its copy, or behind that
 *
 * Context: Any.
 * Return: How many bytes put_relative() or put_push_pc() has pushed there to save a register.
 */
__kprobes unsigned int arm_kprobe_copy_pushed(u32 word, unsigned int offset)
{
	const struct kprobe_form *form = kprobe_find_form(&forms, word);
	unsigned int len = arm_kprobe_copy_len(word);

	/* The push of pc comes first. */
	if (form->value == PUSH_PC)
		return offset > SIZE && offset < len ? SIZE : 0;
	if (!offset || offset >= len || len <= 3 * SIZE)
		return 0;
	return form->flow == KPROBE_FLOW_JUMP_INDIRECT ? 2 * SIZE : SIZE;
}

static void put_breakpoint(struct kprobe_code *code, const struct kprobe_insn *insn)
{
	kprobe_put_le32(code, BREAKPOINT);
}

/* The call overwrites lr: the stub saves it where the registers will be. */
static void put_enter(struct kprobe_code *code, unsigned long common)
{
	kprobe_put_le32(code, COND_ALWAYS | SUB_SP(KPROBE_STUB_FRAME));
	kprobe_put_le32(code, COND_ALWAYS | STORE(REG_LR, KPROBE_STUB_LINK));
	put_branch(code, COND_ALWAYS | BL, common);
}

static void put_leave(struct kprobe_code *code)
{
	kprobe_put_le32(code, COND_ALWAYS | LOAD(REG_LR, KPROBE_STUB_LINK));
	kprobe_put_le32(code, COND_ALWAYS | ADD_SP(KPROBE_STUB_FRAME));
}

const struct kprobe_isa arm_kprobe_isa = {
	.insn_max = SIZE,
	.align = SIZE,
	.jump_size = SIZE,
	.jump_insns = 1,
	.stateless = true,
	.forms = &forms,
	.plan = plan,
	.emit = emit,
	.jump = put_jump,
	.breakpoint = put_breakpoint,
	.enter = put_enter,
	.leave = put_leave,
	.entry = entry,
};
