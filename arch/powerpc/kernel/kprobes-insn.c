// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PowerPC's instruction set, of 32 and of 64 bit, in either byte order: what becomes of a probed
 * instruction, and how it is written elsewhere.
 *
 * An instruction is a word, or a prefix with a suffix. The breakpoint is a word, and so is the
 * jump. Nearly every instruction runs as a copy, followed by a jump back. It is not
 * single-stepped, so it may access special registers, mask interrupts and wait for memory.
 * Emulated is what depends on its address, branches to registers, and what sets the link
 * register. All of these have copies too, for detours. Refused is what a breakpoint breaks, and
 * what leaves the kernel's ordinary flow.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/kprobe_isa.h>
#include <linux/sizes.h>
#include <linux/unaligned.h>
#include <asm/disassemble.h>
#include <asm/ppc-opcode.h>
#include <asm/reg.h>

#define PPC64		IS_ENABLED(CONFIG_PPC64)
#define LE		IS_ENABLED(CONFIG_CPU_LITTLE_ENDIAN)

#define WORD_SIZE	4
#define PREFIXED_BLOCK	64	/* no prefixed instruction may be in two */

#define OP_ADDI		14
#define OP_BC		16
#define OP_B		18

/* Words with an opcode, with an extended one too, and the fields that these are in. */
#define D(op)		((u32)(op) << 26)
#define X(op, xop)	(D(op) | (xop) << 1)
#define D_MASK		D(0x3f)
#define X_MASK		X(0x3f, 0x3ff)
#define ADDPCIS		X(OP_19, 2)
#define ADDPCIS_MASK	X(0x3f, 0x1f)

/* To an absolute address; with the next instruction's address into the link register. */
#define AA		BIT(1)
#define LK		BIT(0)

/* When a branch is taken: a condition that does not count, or must be set or zero; a hint. */
#define BO_ANY_CR	BIT(25)
#define BO_CR_SET	BIT(24)
#define BO_ANY_CTR	BIT(23)		/* nor is CTR decremented */
#define BO_CTR_ZERO	BIT(22)
#define BO_HINT		BIT(21)
#define BO_ALWAYS	(BO_ANY_CR | BO_ANY_CTR)

/* Zero in prefixes of loads, stores, paddi; relative to its address; a displacement's top. */
#define PREFIX_KIND	GENMASK(24, 23)
#define PREFIX_R	__PPC_PRFX_R(1)
#define PREFIX_D	GENMASK(17, 0)

/* mfspr and mtspr of a register, of as many as that. */
#define SPR_MASK(nr)	((X_MASK & ~BIT(8)) | (GENMASK(20, 11) & ~__PPC_SPR((nr) - 1)))

/* Relative to the stack pointer, to add what the distance is; a new frame. */
#define LOAD_R0		(PPC64 ? PPC_RAW_LD(_R0, _R1, 0) : PPC_RAW_LWZ(_R0, _R1, 0))
#define STORE_R0	(PPC64 ? PPC_RAW_STD(_R0, _R1, 0) : PPC_RAW_STW(_R0, _R1, 0))
#define PUSH		(PPC64 ? PPC_RAW_STDU(_R1, _R1, -KPROBE_STUB_FRAME) : \
				 PPC_RAW_STWU(_R1, _R1, -KPROBE_STUB_FRAME))

#define ROW			KPROBE_FORM
#define REFUSE			KPROBE_REFUSE
#define RUN_REST		ROW(0, 0, RUN, NEXT)
#define REFUSE_REST		REFUSE(0, 0, UNDECODABLE)

/* Of these registers, which Book E has, others have the numbers in Book 3S. */
#define BOOKE_LEVEL	(IS_ENABLED(CONFIG_BOOKE) ? KPROBE_REASON_LEVEL : KPROBE_REASON_NONE)

/*
 * What becomes of instructions: Power ISA 3.1B, appendices "opcode maps", and the manuals of older
 * and embedded CPUs. Groups are told apart, and each branch. Others that are reserved trap in a
 * copy too. mtmsr, mtmsrd and mtspr run as copies: code that has translation off, or that cannot
 * survive an exception, is on the blacklist.
 *
 * Why instructions are refused:
 *
 * TRAP:  somebody else has put it there or waits for it: BUG(), WARN(), KGDB. The trap's handler
 *        looks its address up.
 * LEVEL: to another privilege level. And what an exception leaves in SRR0, SRR1, DAR, DSISR and
 *        the like: a breakpoint, or a fault in a handler, overwrites that. And changes of the SLB:
 *        in between the stack may have no translation.
 * WORLD: the hypervisor may keep the CPU as long as it likes, an idle one too. A Tasks RCU grace
 *        period does not wait for the idle task, so the copy that it returns to may have been
 *        freed.
 * SLEEP: likewise. And the CPU may wake up in the system reset vector, without its registers.
 * TRANSACTION: a breakpoint ends it. Or the user's registers replace all of the kernel's, the
 *        stack pointer too.
 * FORM:  a branch to an absolute address leads to the vectors of exceptions, which run without
 *        translation. bcctr that decrements is no branch: it flushes predictions of branches.
 *        TAR is not among the saved registers.
 */

/* The types of loads, stores and paddi are 0 and 2, those of others 1 and 3. 32 bit has none. */
static const struct kprobe_form prefixes[] = {
	REFUSE(D_MASK, D(0), UNDECODABLE),
	ROW(D_MASK | PREFIX_KIND | PREFIX_R, D(OP_PREFIX), RUN, NEXT),
	ROW(D_MASK | PREFIX_KIND | PREFIX_R, D(OP_PREFIX) | PREFIX_R, RUN, NEXT),
	ROW(D_MASK | BIT(24), D(OP_PREFIX) | BIT(24), RUN, NEXT),
	REFUSE_REST,
};

/* What never traps orders loads of I/O memory. */
static const struct kprobe_form traps[] = {
	ROW((D_MASK & ~BIT(26)) | GENMASK(25, 21), D(OP_TRAP_64), RUN, NEXT),	/* twi 0, tdi 0 */
	REFUSE(0, 0, TRAP),						/* twi, tdi */
};

/* Other forms of ori, and of or, are hints that the CPU acts upon. */
static const struct kprobe_form gaps_and_nop[] = {
	REFUSE(D_MASK, D(5), UNDECODABLE),
	REFUSE(D_MASK, D(9), UNDECODABLE),
	REFUSE(D_MASK, D(22), UNDECODABLE),
	ROW(~0U, PPC_RAW_NOP(), NOP, NEXT),
	RUN_REST,
};

/* A conditional call sets the link register also if it goes on. */
static const struct kprobe_form conditional_branches_and_sc[] = {
	REFUSE(D_MASK | AA | LK, D(OP_BC) | AA, FORM, .flow = KPROBE_FLOW_COND),	/* bca */
	REFUSE(D_MASK | AA | LK, D(OP_BC) | AA | LK, FORM, .flow = KPROBE_FLOW_CALL), /* bcla */
	ROW(D_MASK | BO_ALWAYS | LK, D(OP_BC) | BO_ALWAYS, EMULATE, JUMP), /* bc, always */
	ROW(D_MASK | LK, D(OP_BC), EMULATE, COND),			/* bc */
	ROW(D_MASK | LK, D(OP_BC) | LK, EMULATE, CALL),			/* bcl */
	REFUSE(D_MASK | GENMASK(11, 5) | BIT(1), D(OP_SC) | BIT(1), LEVEL),	/* sc */
	REFUSE(D_MASK | BIT(1), D(OP_SC) | BIT(1), WORLD),		/* sc 1, sc 2 */
	REFUSE(D_MASK | GENMASK(1, 0), D(OP_SC) | BIT(0), LEVEL),	/* scv */
	REFUSE_REST,
};

/*
 * A branch to a register that depends on a condition is like one that goes on: as a copy it is
 * followed by a jump back. The copy of bclrl would overwrite the link register before it goes
 * there.
 */
static const struct kprobe_form branches[] = {
	REFUSE(D_MASK | AA | LK, D(OP_B) | AA, FORM, .flow = KPROBE_FLOW_JUMP),		/* ba */
	REFUSE(D_MASK | AA | LK, D(OP_B) | AA | LK, FORM, .flow = KPROBE_FLOW_CALL),	/* bla */
	ROW(D_MASK | LK, D(OP_B), EMULATE, JUMP),			/* b */
	ROW(D_MASK | LK, D(OP_B) | LK, EMULATE, CALL),			/* bl */
	ROW(X_MASK | BO_ALWAYS | LK, X(OP_19, 16) | BO_ALWAYS, EMULATE, RETURN), /* blr */
	ROW(X_MASK | LK, X(OP_19, 16), EMULATE, NEXT),			/* bclr */
	ROW(X_MASK | LK, X(OP_19, 16) | LK, EMULATE, CALL_INDIRECT, .no_copy = 1), /* bclrl */
	REFUSE(X_MASK | BO_ANY_CTR, X(OP_19, 528), FORM),		/* bcctr, decrementing */
	ROW(X_MASK | BO_ALWAYS | LK, X(OP_19, 528) | BO_ALWAYS, EMULATE, JUMP_INDIRECT), /* bctr */
	ROW(X_MASK | LK, X(OP_19, 528), EMULATE, NEXT),			/* bcctr */
	ROW(X_MASK | LK, X(OP_19, 528) | LK, EMULATE, CALL_INDIRECT),	/* bcctrl */
	REFUSE(X_MASK, X(OP_19, 560), FORM, .flow = KPROBE_FLOW_CALL_INDIRECT),	/* bctar */
	ROW(ADDPCIS_MASK, ADDPCIS, EMULATE, NEXT),
	/* doze, nap, sleep, rvwinkle; stop */
	REFUSE(X_MASK & ~(0x60 << 1), X(OP_19, OP_19_XOP_DOZE), SLEEP),
	REFUSE(X_MASK, X(OP_19, OP_19_XOP_STOP), SLEEP),
	/* rfid, rfi, rfscv, rfebb, hrfid, urfid; rfmci, rfdi, rfgi; rfci */
	REFUSE(X_MASK & ~(0x3e0 << 1), X(OP_19, OP_19_XOP_RFID), LEVEL, .flow = KPROBE_FLOW_RETURN),
	REFUSE(X_MASK & ~(0x41 << 1), X(OP_19, OP_19_XOP_RFMCI), LEVEL, .flow = KPROBE_FLOW_RETURN),
	REFUSE(X_MASK, X(OP_19, OP_19_XOP_RFCI), LEVEL, .flow = KPROBE_FLOW_RETURN),
	RUN_REST,	/* logic on conditions, isync */
};

static const struct kprobe_form extended[] = {
	ROW(D_MASK, D(30), RUN, NEXT),					/* rldicl and others */
	/* lbarx, lharx, lwarx, ldarx; lqarx */
	ROW(X_MASK & ~(0x60 << 1), PPC_RAW_LWARX(0, 0, 0, 0), RUN, NEXT, .exclusive = 1),
	ROW(X_MASK, PPC_RAW_LQARX(0, 0, 0, 0), RUN, NEXT, .exclusive = 1),
	/* stwcx., stqcx.; stdcx.; stbcx.; sthcx. */
	ROW((X_MASK & ~(0x20 << 1)) | BIT(0), PPC_RAW_STWCX(0, 0, 0), RUN, NEXT, .exclusive = -1),
	ROW(X_MASK | BIT(0), PPC_RAW_STDCX(0, 0, 0), RUN, NEXT, .exclusive = -1),
	ROW(X_MASK, X(OP_31, 694), RUN, NEXT, .exclusive = -1),
	ROW(X_MASK, X(OP_31, 726), RUN, NEXT, .exclusive = -1),
	/* tw 0, td 0; tw, td */
	ROW((X_MASK & ~(0x40 << 1)) | GENMASK(25, 21), X(OP_31, OP_31_XOP_TRAP), RUN, NEXT),
	REFUSE(X_MASK & ~(0x40 << 1), X(OP_31, OP_31_XOP_TRAP), TRAP),
	REFUSE(SPR_MASK(2), PPC_RAW_MFSPR(0, SPRN_SRR0), LEVEL),	/* SRR0, SRR1 */
	REFUSE(SPR_MASK(2), PPC_RAW_MFSPR(0, SPRN_DSISR), LEVEL),	/* DSISR, DAR */
	REFUSE(SPR_MASK(2), PPC_RAW_MFSPR(0, SPRN_HDSISR), LEVEL),	/* HDSISR, HDAR */
	REFUSE(SPR_MASK(2), PPC_RAW_MFSPR(0, SPRN_HSRR0), LEVEL),	/* HSRR0, HSRR1 */
	/* CSRR0, CSRR1; DEAR, ESR; MCSRR0, MCSRR1, DSRR0, DSRR1; some of their neighbours */
	ROW(SPR_MASK(2), PPC_RAW_MFSPR(0, 0x3a), RUN, NEXT, .reason = BOOKE_LEVEL),
	ROW(SPR_MASK(4), PPC_RAW_MFSPR(0, 0x3c), RUN, NEXT, .reason = BOOKE_LEVEL),
	ROW(SPR_MASK(8), PPC_RAW_MFSPR(0, 0x238), RUN, NEXT, .reason = BOOKE_LEVEL),
	/* slbmte, slbie, slbieg, slbia; slbiag */
	REFUSE(X_MASK & ~(0x60 << 1), X(OP_31, 402), LEVEL),
	REFUSE(X_MASK, X(OP_31, 850), LEVEL),
	/* cpu_relax()'s pause; wait */
	ROW(X_MASK | GENMASK(22, 21), X(OP_31, 30) | BIT(22), RUN, NEXT),
	REFUSE(X_MASK & ~(0x20 << 1), X(OP_31, 30), SLEEP),
	REFUSE(X_MASK, X(OP_31, 654), TRANSACTION, .exclusive = 1),	/* tbegin. */
	ROW(X_MASK, X(OP_31, 686), RUN, NEXT, .exclusive = -1),		/* tend. */
	REFUSE(X_MASK & ~(0x40 << 1), X(OP_31, 942), TRANSACTION),	/* treclaim., trechkpt. */
	RUN_REST,
};

static const struct kprobe_form others[] = { RUN_REST };

/* By the upper five of the opcode's six bits. */
static const struct kprobe_forms forms = {
	.shift = 27,
	.bits = 0x1f,
	.major = {
		[0] = prefixes + (PPC64 ? 0 : ARRAY_SIZE(prefixes) - 1),
		[1] = traps, [8] = conditional_branches_and_sc, [9] = branches, [15] = extended,
		[2] = gaps_and_nop, [4] = gaps_and_nop, [11] = gaps_and_nop, [12] = gaps_and_nop,
		[3] = others, [5 ... 7] = others, [10] = others, [13 ... 14] = others,
		[16 ... 31] = others,
	},
};

static u32 get_word(const u8 *bytes)
{
	return LE ? get_unaligned_le32(bytes) : get_unaligned_be32(bytes);
}

static bool is_prefix(u32 word)
{
	return PPC64 && get_op(word) == OP_PREFIX;
}

static bool is_relative(u32 prefix)
{
	return (prefix & (PREFIX_KIND | PREFIX_R)) == PREFIX_R;
}

static bool is_always(u32 word)
{
	return get_op(word) == OP_B || (word & BO_ALWAYS) == BO_ALWAYS;
}

/* What a prefixed instruction at @from addresses, or is the sum of. */
static unsigned long prefixed_address(u32 prefix, u32 suffix, unsigned long from)
{
	return from + sign_extend64((u64)(prefix & PREFIX_D) << 16 | IMM_L(suffix), 33);
}

/* The parts of addpcis' number are bits 15 to 6, 20 to 16 and 0. */
static unsigned long addpcis_address(u32 word, unsigned long from)
{
	s16 number = (word & 0xffc0) | (word >> 15 & 0x3e) | (word & 1);

	return from + WORD_SIZE + (long)number * SZ_64K;
}

static bool branch_reaches(unsigned long from, unsigned long to)
{
	long apart = to - from;

	return apart >= -SZ_32M && apart < SZ_32M;
}

/*
 * In 64 bit gcc has the table of a jump behind it, with offsets from its start. As instructions
 * these are undefined, or of floating point, which does not follow a jump.
 */
static unsigned int entry(const u8 *bytes, size_t avail, unsigned long addr,
			  struct kprobe_jump_table *table)
{
	s32 offset;

	if (!PPC64 || avail < WORD_SIZE)
		return 0;
	offset = get_word(bytes);
	return offset && !(offset % WORD_SIZE) && branch_reaches(0, offset) ? WORD_SIZE : 0;
}

static enum kprobe_reason plan(struct kprobe_insn *insn, const u8 *bytes, size_t avail,
			       unsigned long addr)
{
	enum kprobe_reason reason;
	u32 word;

	*insn = (struct kprobe_insn){ .breakpoint_len = WORD_SIZE };
	if (avail < WORD_SIZE)
		return KPROBE_REASON_UNDECODABLE;
	word = get_word(bytes);
	insn->len = is_prefix(word) ? 2 * WORD_SIZE : WORD_SIZE;
	if (avail < insn->len) {
		insn->len = 0;
		return KPROBE_REASON_UNDECODABLE;
	}
	reason = kprobe_plan_form(insn, kprobe_find_form(&forms, word));
	if (kprobe_insn_has_target(insn))
		insn->target = (word & AA ? 0 : addr) + (get_op(word) == OP_B ?
			       sign_extend64(PPC_LI(word), 25) : (s16)(word & ~(AA | LK)));
	if (insn->flow == KPROBE_FLOW_JUMP_INDIRECT)
		insn->table = WORD_SIZE;
	/* paddi, relative. Loads and stores run where what they address is in reach. */
	if (insn->len > WORD_SIZE && is_relative(word) && word & BIT(25) &&
	    get_op(get_word(bytes + WORD_SIZE)) == OP_ADDI) {
		insn->action = KPROBE_EMULATE;
		insn->arch.sum = prefixed_address(word, get_word(bytes + WORD_SIZE), addr);
	} else if ((word & ADDPCIS_MASK) == ADDPCIS) {
		insn->arch.sum = addpcis_address(word, addr);
	}
	return reason;
}

static void put_word(struct kprobe_code *code, u32 word)
{
	if (LE)
		kprobe_put_le32(code, word);
	else
		kprobe_put_be32(code, word);
}

static void put_branch(struct kprobe_code *code, u32 word, unsigned long to)
{
	if (!branch_reaches(kprobe_code_here(code), to))
		code->far = true;
	put_word(code, word | PPC_LI(to - kprobe_code_here(code)));
}

static void put_jump(struct kprobe_code *code, unsigned long to, u32 scratch)
{
	put_branch(code, PPC_RAW_BRANCH(0), to);
}

/*
 * As bc does not reach far, its opposite skips a jump. There is none if bc looks at both CTR and
 * CR. A hint has two bits: the one that the other sense would be, and which way it is likely.
 */
static void put_cond(struct kprobe_code *code, u32 word, unsigned long target)
{
	u32 sense = word & BO_ANY_CR ? BO_CTR_ZERO : BO_CR_SET;
	u32 skip = (word & ~GENMASK(15, 0)) | 2 * WORD_SIZE;

	if (!(word & BO_ALWAYS)) {
		put_word(code, skip);
		put_word(code, PPC_RAW_BRANCH(2 * WORD_SIZE));
	} else if (word & (BO_CR_SET | BO_CTR_ZERO) & ~sense) {
		put_word(code, skip ^ sense ^ BO_HINT);
	} else {
		put_word(code, skip ^ sense);
	}
	put_jump(code, target, 0);
}

static void put_constant(struct kprobe_code *code, u32 reg, u64 value)
{
	if (PPC64) {
		put_word(code, PPC_RAW_LIS(reg, PPC_HIGHEST(value)));
		if (PPC_HIGHER(value))
			put_word(code, PPC_RAW_ORI(reg, reg, PPC_HIGHER(value)));
		put_word(code, PPC_RAW_SLDI(reg, reg, 32));
		put_word(code, PPC_RAW_ORIS(reg, reg, PPC_HI(value)));
	} else {
		put_word(code, PPC_RAW_LIS(reg, PPC_HI(value)));
	}
	put_word(code, PPC_RAW_ORI(reg, reg, PPC_LO(value)));
}

/* Functions without a frame have data below the stack pointer. */
static void put_push(struct kprobe_code *code)
{
	put_word(code, PUSH);
	put_word(code, STORE_R0 + KPROBE_STUB_REGS);
}

static void put_pop(struct kprobe_code *code)
{
	put_word(code, LOAD_R0 + KPROBE_STUB_REGS);
	put_word(code, PPC_RAW_ADDI(_R1, _R1, KPROBE_STUB_FRAME));
}

/*
 * The callee returns to the original text, so nobody sleeps with an address of the copy in a link
 * register. No register is free: calls of _mcount and of what saves registers follow no calling
 * convention.
 */
static void put_call(struct kprobe_code *code, const struct kprobe_insn *insn, u32 word,
		     unsigned long next)
{
	put_push(code);
	put_constant(code, _R0, next);
	put_word(code, PPC_RAW_MTLR(_R0));
	put_pop(code);
	if (insn->flow == KPROBE_FLOW_CALL_INDIRECT)
		put_word(code, word & ~LK);
	else if (is_always(word))
		put_jump(code, insn->target, 0);
	else
		put_cond(code, word, insn->target);
	if (!is_always(word))
		put_jump(code, next, 0);
}

/* A slot is aligned, and what comes after a stub's call. With the nop, what follows the jump is. */
static void put_prefixed(struct kprobe_code *code, u32 prefix, u32 suffix, unsigned long from)
{
	s64 apart;

	if (kprobe_code_here(code) % PREFIXED_BLOCK == PREFIXED_BLOCK - WORD_SIZE)
		put_word(code, PPC_RAW_NOP());
	if (is_relative(prefix)) {
		apart = prefixed_address(prefix, suffix, from) - kprobe_code_here(code);
		if (apart != sign_extend64(apart, 33))
			code->far = true;
		prefix = (prefix & ~PREFIX_D) | IMM_H18(apart);
		suffix = (suffix & ~GENMASK(15, 0)) | IMM_L(apart);
	}
	put_word(code, prefix);
	put_word(code, suffix);
	put_word(code, PPC_RAW_NOP());
}

static void emit(struct kprobe_code *code, const struct kprobe_insn *insn,
		 const u8 *bytes, unsigned long from)
{
	u32 word = get_word(bytes), suffix = is_prefix(word) ? get_word(bytes + WORD_SIZE) : 0;

	if (insn->action == KPROBE_NOP)
		return;
	if (is_prefix(word) && insn->action == KPROBE_RUN)
		put_prefixed(code, word, suffix, from);
	else if (is_prefix(word))
		put_constant(code, get_rt(suffix), prefixed_address(word, suffix, from));
	else if ((word & ADDPCIS_MASK) == ADDPCIS)
		put_constant(code, get_rt(word), addpcis_address(word, from));
	else if (insn->flow == KPROBE_FLOW_JUMP)
		put_jump(code, insn->target, 0);
	else if (insn->flow == KPROBE_FLOW_COND)
		put_cond(code, word, insn->target);
	else if (insn->flow == KPROBE_FLOW_CALL || insn->flow == KPROBE_FLOW_CALL_INDIRECT)
		put_call(code, insn, word, from + WORD_SIZE);
	else
		put_word(code, word);
}

static void put_breakpoint(struct kprobe_code *code, const struct kprobe_insn *insn)
{
	put_word(code, PPC_RAW_TRAP());
}

/* To where a branch does not reach. The first 16 bits of the kernel's addresses are no others. */
static void put_far_call(struct kprobe_code *code, unsigned long to)
{
	if (PPC_HIGHER((u64)to))
		code->far = true;
	put_constant(code, _R0, to & ~((u64)U16_MAX << 32));
	put_word(code, PPC_RAW_MTLR(_R0));
	put_word(code, PPC_RAW_BLRL());
}

/*
 * The call overwrites the link register: the stub saves it where the registers will be. On 64 bit
 * modules are far from the kernel. Where the kernel is near, nops make the call as long.
 */
static void put_enter(struct kprobe_code *code, unsigned long common)
{
	unsigned int start = code->len;

	put_push(code);
	put_word(code, PPC_RAW_MFLR(_R0));
	put_word(code, STORE_R0 + KPROBE_STUB_LINK);
	if (PPC64 && !branch_reaches(kprobe_code_here(code) + 5 * WORD_SIZE, common)) {
		put_far_call(code, common);
		return;
	}
	while (code->len - start < KPROBE_STUB_ENTER - WORD_SIZE)
		put_word(code, PPC_RAW_NOP());
	put_branch(code, PPC_RAW_BL(0), common);
}

static void put_leave(struct kprobe_code *code)
{
	put_word(code, LOAD_R0 + KPROBE_STUB_LINK);
	put_word(code, PPC_RAW_MTLR(_R0));
	put_pop(code);
}

const struct kprobe_isa powerpc_kprobe_isa = {
	.insn_max = KPROBE_INSN_MAX,
	.align = WORD_SIZE,
	.jump_size = WORD_SIZE,
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
