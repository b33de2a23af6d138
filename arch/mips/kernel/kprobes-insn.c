// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * MIPS' instruction set, 32 and 64 bit, in either byte order: what becomes of a probed
 * instruction, and how it is written elsewhere. Functions on byte buffers alone.
 *
 * An instruction is one word. Nearly every instruction runs as a copy. A branch takes the
 * instruction in its delay slot along, and the copy evaluates the condition before that runs,
 * which may change what the branch reads. If the instruction in the delay slot faults then the
 * CPU names the copied branch, as it would name the original.
 *
 * Release 6 adds branches without a delay slot, and instructions that depend on their own
 * address. These are emulated, and have copies for detours.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/kprobe_isa.h>
#include <linux/unaligned.h>
#include <asm/break.h>
#include <asm/inst.h>

#define INSN_SIZE	4
#define REG_AT		1
#define REG_SP		29
#define REG_RA		31

/* What an address of j and jal has in common with that of their delay slot. */
#define SEGMENT		(~0xfffffffUL)

#define OP(op)		((u32)(op) << 26)
#define RS(reg)		((u32)(reg) << 21)
#define RT(reg)		((u32)(reg) << 16)
#define RD(reg)		((u32)(reg) << 11)

#define NOP		0
#define BREAKPOINT	(BRK_KPROBE_BP << 16 | break_op)

/* Fields of branches. */
#define OFFSET16	GENMASK(15, 0)
#define OFFSET21	GENMASK(20, 0)
#define OFFSET26	GENMASK(25, 0)
#define AND_LINK	BIT(20)			/* bltzal and others */
#define JALR_RD		RD(GENMASK(4, 0))
#define JALR_NOT_JR	(IS_ENABLED(CONFIG_CPU_MIPSR6) ? 0 : BIT(0))	/* release 6 has no jr */
#define JIALC_NOT_JIC	BIT(29)

/* How a form names its target and its link register. */
#define LINK		BIT(0)			/* $31 */
#define LINK_RD		BIT(1)
#define LINK_IF_ZERO	BIT(2)			/* $31 if rs is 0 or the same as rt */
#define IN_SEGMENT	BIT(3)
#define BY_21		BIT(4)
#define BY_26		BIT(5)

#define ROW			KPROBE_FORM
#define REFUSE			KPROBE_REFUSE
#define RUN_REST		ROW(0, 0, RUN, NEXT)
#define REFUSE_REST		REFUSE(0, 0, UNDECODABLE)

/*
 * A branch with a delay slot, which is emulated only up to there: a CPU cannot go on in a delay
 * slot. A compact one, which has none.
 */
#define BRANCH(bits, word, where, ...) \
	ROW(bits, word, EMULATE, where, .bundle = 1, __VA_ARGS__)
#define COMPACT(bits, word, where, ...) \
	ROW(bits, word, EMULATE, where, __VA_ARGS__)

/*
 * What becomes of instructions: MIPS Architecture For Programmers, volume II, "Instruction Bit
 * Encodings", of the releases before and of release 6. Groups are told apart, and each branch.
 * Others that are reserved trap in a copy too.
 *
 * Why instructions are refused:
 *
 * TRAP:  somebody else has put it there or waits for it: BUG(), KGDB, a debugger. Conditional
 *        traps run as copies. Their handler finds the code in the copy as well.
 * LEVEL: to another privilege level; what the breakpoint's exception overwrites, as EPC and
 *        Cause, or other register sets, which belong to the level that it has come from; Status,
 *        as neither the way back from a slot nor a breakpoint at its end works with EXL or ERL
 *        set; and the TLB with its registers: a refill while a handler runs overwrites EntryHi,
 *        EntryLo, PageMask, Context, BadVAddr, and a later exception Index.
 * WORLD: to the hypervisor or a guest's registers.
 * SLEEP: waits for an interrupt, an idle CPU too. A Tasks RCU grace period does not wait for
 *        the idle task, so the copy that it returns to may have been freed.
 * FORM:  UNPREDICTABLE, or to an instruction set that the kernel does not use.
 */

/* Bits that are said to be zero are ignored, as CPUs do. bal is bgezal of $0, nal bltzal. */
static const struct kprobe_form special_and_regimm[] = {
	ROW(0xffffffff, 0x00000000, NOP, NEXT),				/* nop */
	BRANCH(0xffe0003f, 0x03e00008, RETURN),				/* jr $31 */
	BRANCH(0xfc00003f, 0x00000008, JUMP_INDIRECT),			/* jr */
	BRANCH(0xffe0f83f, 0x03e00009, RETURN),				/* jalr $0, $31 */
	BRANCH(0xfc00f83f, 0x00000009, JUMP_INDIRECT),			/* jalr $0 */
	BRANCH(0xfc00003f, 0x00000009, CALL_INDIRECT, .uses = LINK_RD),	/* jalr */
	REFUSE(0xfc00003f, 0x0000000c, LEVEL),				/* syscall */
	REFUSE(0xfc00003f, 0x0000000d, TRAP),				/* break */
	REFUSE(0xfc00003f, 0x0000000e, TRAP),				/* sdbbp of release 6 */
	ROW(0xfc000000, 0x00000000, RUN, NEXT),				/* the rest of SPECIAL */
#ifdef CONFIG_CPU_MIPSR6
	BRANCH(0xfc1e0000, 0x04000000, COND),				/* bltz, bgez */
	BRANCH(0xfffe0000, 0x04100000, CALL, .uses = LINK),		/* bal; nal, never taken */
	REFUSE(0xfc1f0000, 0x041d0000, FORM, .flow = KPROBE_FLOW_COND),	/* bposge32c, compact */
#else
	BRANCH(0xfc1c0000, 0x04000000, COND),				/* bltz, bgez, likely too */
	/* bltzal $31 and others: they write what they read */
	REFUSE(0xfffc0000, 0x07f00000, FORM, .flow = KPROBE_FLOW_CALL, .bundle = 1),
	BRANCH(0xfc1c0000, 0x04100000, CALL, .uses = LINK),		/* bltzal and others */
#endif
	BRANCH(0xfc1e0000, 0x041c0000, COND),				/* bposge32, bposge64 */
	REFUSE(0xfc1f0000, 0x04170000, TRAP),				/* sigrie */
	ROW(0xfc180000, 0x04080000, RUN, NEXT),				/* tgei and others */
	ROW(0xfc070000, 0x04060000, RUN, NEXT),				/* dahi, dati */
	ROW(0xfc1f0000, 0x041f0000, RUN, NEXT),				/* synci */
	REFUSE_REST,
};

static const struct kprobe_form jumps[] = {
	BRANCH(0xfc000000, 0x08000000, JUMP, .uses = IN_SEGMENT),	/* j */
	BRANCH(0, 0, CALL, .uses = IN_SEGMENT | LINK),			/* jal */
};

/* Also the likely ones. */
static const struct kprobe_form equalities[] = {
	BRANCH(0xffff0000, 0x10000000, JUMP),				/* b */
	BRANCH(0, 0, COND),						/* beq, bne */
};

#ifdef CONFIG_CPU_MIPSR6
/* After a compact branch with a condition a branch is reserved, so no jump may be there. */
static const struct kprobe_form signs[] = {
	BRANCH(0xfc1f0000, 0x18000000, COND),				/* blez */
	BRANCH(0xfc1f0000, 0x1c000000, COND),				/* bgtz */
	/* bgeuc, bltuc; blezalc, bgezalc, bgtzalc, bltzalc */
	COMPACT(0, 0, COND, .no_jump_next = 1, .uses = LINK_IF_ZERO),
};

static const struct kprobe_form likely_signs[] = {
	REFUSE(0xf81f0000, 0x58000000, UNDECODABLE),			/* blezl, bgtzl */
	COMPACT(0, 0, COND, .no_jump_next = 1),				/* bgec, bltc and others */
};

static const struct kprobe_form additions[] = {
	ROW(0xbc000000, 0x24000000, RUN, NEXT),				/* addiu, daddiu */
	/* bovc $0, $0 and bnvc: QEMU takes them for beqzalc and bnezalc */
	REFUSE(0xbfff0000, 0x20000000, FORM, .flow = KPROBE_FLOW_COND, .no_jump_next = 1),
	/* beqzalc, bnezalc */
	COMPACT(0xbfe00000, 0x20000000, CALL, .no_jump_next = 1, .no_copy = 1, .uses = LINK),
	COMPACT(0, 0, COND, .no_jump_next = 1),				/* beqc, bnec, bovc, bnvc */
};

static const struct kprobe_form likely_equalities[] = {
	REFUSE_REST,							/* beql, bnel */
};
#else
#define signs			equalities
#define likely_equalities	equalities
#define likely_signs		equalities
#define additions		arithmetic
#endif

static const struct kprobe_form arithmetic[] = {
	RUN_REST,
};

/* What is written to Count, Compare, Config and the like takes effect in a copy as well. */
static const struct kprobe_form coprocessors_0_and_1[] = {
	REFUSE(0xfe00003f, 0x42000018, LEVEL, .flow = KPROBE_FLOW_RETURN), /* eret, eretnc */
	REFUSE(0xfe00003f, 0x4200001f, LEVEL, .flow = KPROBE_FLOW_RETURN), /* deret */
	REFUSE(0xfe00003f, 0x42000010, LEVEL),				/* rfe */
	REFUSE(0xfe00003f, 0x42000020, SLEEP),				/* wait */
	REFUSE(0xfe00003f, 0x42000028, WORLD),				/* hypcall */
	REFUSE(0xfe000030, 0x42000000, LEVEL),				/* tlbwi and others */
	REFUSE(0xfe000000, 0x42000000, UNDECODABLE),
	REFUSE(0xffe00000, 0x40600000, WORLD),				/* mfgc0 and others */
	REFUSE(0xff00f807, 0x40000000, LEVEL),				/* Index */
	REFUSE(0xff00f007, 0x40001000, LEVEL),				/* EntryLo0, EntryLo1 */
	REFUSE(0xff00f807, 0x40002000, LEVEL),				/* Context */
	REFUSE(0xff00f807, 0x40002800, LEVEL),				/* PageMask */
	REFUSE(0xff00f800, 0x40004000, LEVEL),				/* BadVAddr, BadInstr */
	REFUSE(0xff00f807, 0x40005000, LEVEL),				/* EntryHi */
	REFUSE(0xff80f807, 0x40806000, LEVEL),				/* Status, written */
	REFUSE(0xff00f807, 0x40006002, LEVEL),				/* SRSCtl */
	REFUSE(0xff00f800, 0x40006800, LEVEL),				/* Cause */
	REFUSE(0xff00f800, 0x40007000, LEVEL),				/* EPC */
	REFUSE(0xff00f807, 0x4000a000, LEVEL),				/* XContext */
	REFUSE(0xff00f800, 0x4000c000, LEVEL),				/* DEPC */
	REFUSE(0xff00f000, 0x4000f000, LEVEL),		/* ErrorEPC, DESAVE, KScratch */
	ROW(0xff000000, 0x40000000, RUN, NEXT),				/* mfc0, mtc0 and others */
	REFUSE(0xff600000, 0x41400000, LEVEL),				/* rdpgpr, wrpgpr */
	ROW(0xff600000, 0x41000000, RUN, NEXT),				/* mftr, mttr */
	ROW(0xffe00000, 0x41600000, RUN, NEXT),				/* di, ei and others */
	REFUSE(0xff000000, 0x41000000, UNDECODABLE),
	BRANCH(0xfd000000, 0x45000000, COND),		/* bc1f, bc1eqz and others; MSA's */
	RUN_REST,							/* floating point */
};

/* Release 6 has lwc2 and others between the branches. */
static const struct kprobe_form coprocessors_2_and_1x[] = {
#ifdef CONFIG_CPU_MIPSR6
	BRANCH(0xff600000, 0x49200000, COND),			/* bc2eqz, bc2nez */
#else
	BRANCH(0xff000000, 0x49000000, COND),			/* bc2f and others */
#endif
	RUN_REST,
};

static const struct kprobe_form special2[] = {
	REFUSE(0xfc00003f, 0x7000003f, TRAP),				/* sdbbp */
#ifndef CONFIG_CPU_MIPSR6
	/* jalx, to MIPS16 and microMIPS; in release 6 daui. */
	REFUSE(0xfc000000, 0x74000000, FORM, .flow = KPROBE_FLOW_CALL, .bundle = 1,
	       .uses = IN_SEGMENT),
#endif
	RUN_REST,
};

/* With MSA. */
static const struct kprobe_form special3[] = {
	REFUSE(0xfc00003f, 0x7c000009, SLEEP),				/* yield */
	ROW(0xfc00003e, 0x7c000036, RUN, NEXT, .exclusive = 1),	/* ll, lld of release 6 */
	ROW(0xfc00003e, 0x7c000026, RUN, NEXT, .exclusive = -1),	/* sc, scd of release 6 */
	ROW(0xfc00003f, 0x7c00002e, RUN, NEXT, .exclusive = 1),		/* lle */
	ROW(0xfc00003f, 0x7c00001e, RUN, NEXT, .exclusive = -1),	/* sce */
	RUN_REST,
};

static const struct kprobe_form linked[] = {
	ROW(0xec000000, 0xc0000000, RUN, NEXT, .exclusive = 1),		/* ll, lld */
	ROW(0xec000000, 0xe0000000, RUN, NEXT, .exclusive = -1),	/* sc, scd */
	RUN_REST,
};

/* Where coprocessor 2 would be accessed, in groups 25, 27, 29 and 31. */
static const struct kprobe_form compact[] = {
#if defined(CONFIG_CPU_MIPSR6)
	COMPACT(0xfc000000, 0xc8000000, JUMP, .uses = BY_26),		/* bc */
	COMPACT(0xffffffff, 0xd81f0000, RETURN),			/* jic $31 */
	COMPACT(0xffe00000, 0xd8000000, JUMP_INDIRECT),			/* jic */
	/* jialc $31: its copy would overwrite $31 before it goes there */
	COMPACT(0xffff0000, 0xf81f0000, CALL_INDIRECT, .no_copy = 1, .uses = LINK),
	COMPACT(0xffe00000, 0xf8000000, CALL_INDIRECT, .uses = LINK),	/* jialc */
	COMPACT(0xdc000000, 0xd8000000, COND, .no_jump_next = 1, .uses = BY_21), /* beqzc, bnezc */
	COMPACT(0xfc000000, 0xe8000000, CALL, .uses = BY_26 | LINK),	/* balc */
	REFUSE(0xfc1e0000, 0xec1c0000, UNDECODABLE),
	ROW(0xffe00000, 0xec000000, NOP, NEXT),				/* the next ones, to $0 */
	ROW(0xfc180000, 0xec000000, EMULATE, NEXT, .takes_address = 1),	/* addiupc */
	ROW(0xfc180000, 0xec080000, EMULATE, NEXT, .data_len = 4),	/* lwpc */
	ROW(0xfc180000, 0xec100000, EMULATE, NEXT, .data_len = 4),	/* lwupc */
	ROW(0xfc1c0000, 0xec180000, EMULATE, NEXT, .data_len = 8),	/* ldpc */
	ROW(0xfc000000, 0xec000000, EMULATE, NEXT),			/* auipc, aluipc */
#elif defined(CONFIG_CPU_CAVIUM_OCTEON)
	BRANCH(0xcc000000, 0xc8000000, COND),				/* bbit0 and others */
#endif
	RUN_REST,
};

/* By bits 31 to 27, which have two major opcodes each. */
static const struct kprobe_forms forms = {
	.shift = 27,
	.bits = 0x1f,
	.major = {
		[0] = special_and_regimm, [1] = jumps, [2] = equalities, [3] = signs,
		[4] = additions, [5 ... 7] = arithmetic,
		[8] = coprocessors_0_and_1, [9] = coprocessors_2_and_1x,
		[10] = likely_equalities, [11] = likely_signs, [12] = additions, [13] = arithmetic,
		[14] = special2, [15] = special3, [16 ... 23] = arithmetic,
		[24] = linked, [26] = linked, [28] = linked, [30] = linked,
		[25] = compact, [27] = compact, [29] = compact, [31] = compact,
	},
};

static u32 get_word(const u8 *bytes)
{
	return IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? get_unaligned_be32(bytes) :
						   get_unaligned_le32(bytes);
}

static unsigned int rs_of(u32 word)
{
	return word >> 21 & GENMASK(4, 0);
}

static unsigned int rt_of(u32 word)
{
	return word >> 16 & GENMASK(4, 0);
}

static unsigned int rd_of(u32 word)
{
	return word >> 11 & GENMASK(4, 0);
}

/* Where a direct branch at @addr leads. */
static unsigned long target_of(u32 word, unsigned long addr, unsigned int uses)
{
	unsigned long next = addr + INSN_SIZE;

	if (uses & IN_SEGMENT)
		return (next & SEGMENT) | (word & OFFSET26) * INSN_SIZE;
	if (uses & BY_26)
		return next + sign_extend64(word, 25) * (long)INSN_SIZE;
	if (uses & BY_21)
		return next + sign_extend64(word, 20) * (long)INSN_SIZE;
	return next + (s16)word * (long)INSN_SIZE;
}

/* What an instruction of release 6 at @addr takes the address of. */
static unsigned long data_of(u32 word, unsigned long addr)
{
	if (rt_of(word) == 0x1f)
		return (addr + (s16)word * 0x10000L) & ~0xffffUL;	/* aluipc */
	if (rt_of(word) == 0x1e)
		return addr + (s16)word * 0x10000L;			/* auipc */
	if (rt_of(word) >= 0x18)
		return (addr & ~7UL) + sign_extend64(word, 17) * 8L;	/* ldpc */
	return addr + sign_extend64(word, 18) * 4L;
}

static bool has_high_half(unsigned long addr)
{
	return IS_ENABLED(CONFIG_64BIT) && (long)addr != (s32)addr;
}

/* The length of what loads an address into a register. */
static unsigned int address_len(unsigned long addr)
{
	return (has_high_half(addr) ? 6 : 2) * INSN_SIZE;
}

/* May a branch be displaced that has the word in its delay slot? No branch may be there. */
static enum kprobe_reason judge_slot(u32 word)
{
	const struct kprobe_form *form = kprobe_find_form(&forms, word);

	if (form->reason)
		return form->reason;
	if (form->exclusive)
		return KPROBE_REASON_EXCLUSIVE;
	return form->flow == KPROBE_FLOW_NEXT && form->action != KPROBE_EMULATE ?
		KPROBE_REASON_NONE : KPROBE_REASON_FORM;
}

/* Sets the register that the instruction writes its return address to. */
static enum kprobe_reason plan_link(struct kprobe_insn *insn, u32 word, unsigned int uses)
{
	if (uses & LINK)
		insn->arch.link = REG_RA;
	if (uses & LINK_RD)
		insn->arch.link = rd_of(word);
	if (uses & LINK_IF_ZERO && (!rs_of(word) || rs_of(word) == rt_of(word))) {
		insn->arch.link = REG_RA;
		insn->flow = KPROBE_FLOW_CALL;
		insn->no_copy = 1;
	}
	/* Where it goes depends on when it writes the register. */
	return uses & LINK_RD && insn->arch.link == rs_of(word) ? KPROBE_REASON_FORM :
								 KPROBE_REASON_NONE;
}

static enum kprobe_reason plan(struct kprobe_insn *insn, const u8 *bytes, size_t avail,
			       unsigned long addr)
{
	const struct kprobe_form *form;
	enum kprobe_reason reason;
	u32 word;

	*insn = (struct kprobe_insn){ .breakpoint_len = INSN_SIZE };
	if (avail < INSN_SIZE)
		return KPROBE_REASON_UNDECODABLE;
	word = get_word(bytes);
	insn->len = INSN_SIZE;
	form = kprobe_find_form(&forms, word);
	reason = kprobe_plan_form(insn, form) ?: plan_link(insn, word, form->uses);
	if (kprobe_insn_has_target(insn))
		insn->target = target_of(word, addr, form->uses);
	if (insn->action == KPROBE_EMULATE && insn->flow == KPROBE_FLOW_NEXT)
		insn->data = data_of(word, addr);
	/* It has a copy, from which it does not come back to post-handlers. */
	insn->may_fault = insn->bundle || insn->data_len;
	if (insn->bundle && insn->arch.link)
		insn->fault = address_len(addr + 2 * INSN_SIZE);
	if (insn->bundle && avail >= 2 * INSN_SIZE)
		reason = reason ?: judge_slot(get_word(bytes + INSN_SIZE));
	return reason;
}

static void put_word(struct kprobe_code *code, u32 word)
{
	if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		kprobe_put_be32(code, word);
	else
		kprobe_put_le32(code, word);
}

/* j or jal, and what is in its delay slot. */
static void put_in_segment(struct kprobe_code *code, enum major_op op, unsigned long to, u32 slot)
{
	if ((to ^ (kprobe_code_here(code) + INSN_SIZE)) & SEGMENT)
		code->far = true;
	put_word(code, OP(op) | (to / INSN_SIZE & OFFSET26));
	put_word(code, slot);
}

static void put_bc(struct kprobe_code *code, unsigned long to)
{
	long words = (long)(to - kprobe_code_here(code) - INSN_SIZE) / INSN_SIZE;

	if (words != sign_extend64(words, 25))
		code->far = true;
	put_word(code, OP(bc6_op) | (words & OFFSET26));
}

static void put_jump(struct kprobe_code *code, unsigned long to, u32 scratch)
{
	if (IS_ENABLED(CONFIG_CPU_MIPSR6))
		put_bc(code, to);
	else
		put_in_segment(code, j_op, to, NOP);
}

/* ori reg, reg, 16 bits of @value */
static void put_or(struct kprobe_code *code, unsigned int reg, u64 value)
{
	put_word(code, OP(ori_op) | RS(reg) | RT(reg) | (value & OFFSET16));
}

/* Loads an address that is a sign-extended one of 32 bits, or any. */
static void put_address(struct kprobe_code *code, unsigned int reg, unsigned long addr)
{
	u32 shift = OP(spec_op) | RT(reg) | RD(reg) | 16 << 6 | dsll_op;
	u64 value = addr;

	put_word(code, OP(lui_op) | RT(reg) |
		 ((has_high_half(addr) ? value >> 48 : value >> 16) & OFFSET16));
	if (has_high_half(addr)) {
		put_or(code, reg, value >> 32);
		put_word(code, shift);
		put_or(code, reg, value >> 16);
		put_word(code, shift);
	}
	put_or(code, reg, value);
}

/* The callee returns to the original text, so nobody sleeps with an address of the copy in $31. */
static void put_link(struct kprobe_code *code, const struct kprobe_insn *insn, unsigned long from)
{
	if (insn->arch.link)
		put_address(code, insn->arch.link, from + INSN_SIZE * (1 + insn->bundle));
}

/*
 * The branch skips a jump to where it leads if it is not taken. It evaluates its condition before
 * the instruction in its delay slot, which runs in its copy's too, and not if a likely branch is
 * not taken.
 */
static void put_cond(struct kprobe_code *code, const struct kprobe_insn *insn, u32 word, u32 slot,
		     unsigned long from)
{
	if (insn->flow == KPROBE_FLOW_CALL)
		word &= ~AND_LINK;
	put_word(code, (word & ~OFFSET16) | 3);
	put_word(code, slot);
	put_in_segment(code, j_op, from + 2 * INSN_SIZE, NOP);
	put_in_segment(code, j_op, insn->target, NOP);
}

static void put_branch(struct kprobe_code *code, const struct kprobe_insn *insn, u32 word, u32 slot,
		       unsigned long from)
{
	put_link(code, insn, from);
	if (!kprobe_insn_has_target(insn)) {
		/*
		 * jalr becomes jr. Its hint, to clear hazards, stays. If the access in the delay
		 * slot is emulated then so is the branch: jalr $0 would set what reads as $0.
		 */
		put_word(code, insn->arch.link ? word & ~(JALR_RD | JALR_NOT_JR) : word);
		put_word(code, slot);
	} else if (insn->flow == KPROBE_FLOW_COND || word >> 26 == bcond_op) {
		put_cond(code, insn, word, slot, from);
	} else {
		put_in_segment(code, j_op, insn->target, slot);
	}
}

/* The word after a branch with a condition must not be a branch. */
static void put_compact_cond(struct kprobe_code *code, const struct kprobe_insn *insn, u32 word)
{
	u32 offset = word >> 26 == pop66_op || word >> 26 == pop76_op ? OFFSET21 : OFFSET16;

	put_word(code, (word & ~offset) | 2);
	put_word(code, NOP);
	put_bc(code, kprobe_code_here(code) + 2 * INSN_SIZE);
	put_bc(code, insn->target);
}

static void put_compact(struct kprobe_code *code, const struct kprobe_insn *insn, u32 word,
			unsigned long from)
{
	put_link(code, insn, from);
	if (insn->no_copy)
		code->far = true;
	else if (insn->flow == KPROBE_FLOW_COND)
		put_compact_cond(code, insn, word);
	else if (kprobe_insn_has_target(insn))
		put_bc(code, insn->target);
	else
		put_word(code, insn->arch.link ? word & ~JIALC_NOT_JIC : word);
}

/* Loads the address, or from it what the instruction loads. */
static void put_relative(struct kprobe_code *code, const struct kprobe_insn *insn, u32 word,
			 unsigned long from)
{
	unsigned int reg = rs_of(word);
	u32 op = insn->data_len == 8 ? ld_op : rt_of(word) & BIT(4) ? lwu_op : lw_op;

	put_address(code, reg, data_of(word, from));
	if (insn->data_len)
		put_word(code, OP(op) | RS(reg) | RT(reg));
}

static void emit(struct kprobe_code *code, const struct kprobe_insn *insn,
		 const u8 *bytes, unsigned long from)
{
	u32 word = get_word(bytes);

	if (insn->action == KPROBE_NOP)
		return;
	if (insn->bundle)
		put_branch(code, insn, word, get_word(bytes + INSN_SIZE), from);
	else if (insn->flow != KPROBE_FLOW_NEXT)
		put_compact(code, insn, word, from);
	else if (insn->action == KPROBE_EMULATE)
		put_relative(code, insn, word, from);
	else
		put_word(code, word);
}

static void put_breakpoint(struct kprobe_code *code, const struct kprobe_insn *insn)
{
	put_word(code, BREAKPOINT);
}

static void put_move_sp(struct kprobe_code *code, int by)
{
	put_word(code, OP(IS_ENABLED(CONFIG_64BIT) ? daddiu_op : addiu_op) |
		 RS(REG_SP) | RT(REG_SP) | ((u32)by & OFFSET16));
}

/* ld or sd, from or to what will be the registers of the hit. */
static void put_saved(struct kprobe_code *code, bool store, unsigned int reg)
{
	u32 op = IS_ENABLED(CONFIG_64BIT) ? store ? sd_op : ld_op : store ? sw_op : lw_op;
	unsigned int size = IS_ENABLED(CONFIG_64BIT) ? 8 : 4;

	put_word(code, OP(op) | RS(REG_SP) | RT(reg) | (KPROBE_STUB_LINK - (REG_RA - reg) * size));
}

/*
 * The call overwrites $31: the stub saves it where the registers will be. From beside modules jal
 * does not reach the kernel's text. $1 has the callee's address, until the delay slot, unless that
 * takes more instructions: then modules do without stubs.
 */
static void put_enter(struct kprobe_code *code, unsigned long common)
{
	put_move_sp(code, -KPROBE_STUB_FRAME);
	put_saved(code, true, REG_RA);
	if (has_high_half(common)) {
		put_word(code, NOP);
		put_word(code, NOP);
		put_word(code, NOP);
		put_in_segment(code, jal_op, common, NOP);
	} else {
		put_saved(code, true, REG_AT);
		put_address(code, REG_AT, common);
		put_word(code, OP(spec_op) | RS(REG_AT) | RD(REG_RA) | jalr_op);
		put_saved(code, false, REG_AT);
	}
}

static void put_leave(struct kprobe_code *code)
{
	put_saved(code, false, REG_RA);
	put_move_sp(code, KPROBE_STUB_FRAME);
}

const struct kprobe_isa mips_kprobe_isa = {
	.insn_max = INSN_SIZE,
	.align = INSN_SIZE,
	.jump_size = KPROBE_JUMP_SIZE,
	.jump_insns = KPROBE_JUMP_SIZE / INSN_SIZE,
	.stateless = true,
	.forms = &forms,
	.plan = plan,
	.emit = emit,
	.jump = put_jump,
	.breakpoint = put_breakpoint,
	.enter = put_enter,
	.leave = put_leave,
};
