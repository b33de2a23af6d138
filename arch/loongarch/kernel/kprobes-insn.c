// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * LoongArch's instruction set, 64 bit: what becomes of a probed instruction, and how it is
 * written elsewhere.
 *
 * An instruction is one word, and so are the breakpoint and the jump. Nearly every
 * instruction runs as a copy, followed by a jump back, also those that access CSRs, order
 * memory or invalidate the TLB. Emulated is what depends on its address: branches, calls, pcaddi
 * and its kin. All of these have copies too, for detours. Refused is what a breakpoint or a
 * handler breaks, and what leaves the kernel's ordinary flow.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/kprobe_isa.h>
#include <linux/sizes.h>
#include <linux/unaligned.h>
#include <asm/break.h>
#include <asm/inst.h>
#include <asm/loongarch.h>

#define REG_RA		LOONGARCH_GPR_RA
#define REG_SP		LOONGARCH_GPR_SP

/* Fields: the register that is written, and where immediates are. */
#define RD		GENMASK(4, 0)
#define OFFS16		GENMASK(25, 10)
#define OFFS21_HIGH	GENMASK(4, 0)
#define OFFS26_HIGH	GENMASK(9, 0)
#define SI20		GENMASK(24, 5)

/* What turns a conditional branch into its opposite: one by registers, one by a flag. */
#define COND_NOT	BIT(26)
#define FLAG_NOT	BIT(8)

#define CSR(name)	(0x04000000 | LOONGARCH_CSR_##name << 10)

#define ROW			KPROBE_FORM
#define REFUSE			KPROBE_REFUSE
#define RUN_REST		ROW(0, 0, RUN, NEXT)
#define REFUSE_REST		REFUSE(0, 0, UNDECODABLE)

/*
 * What becomes of instructions: LoongArch Reference Manual, volume 1, "Table of instruction
 * encoding", and volume 2 for vectors, by bits 31 to 27. Groups are told apart, and each branch.
 * Others that are reserved trap in a copy too.
 *
 * Why instructions are refused:
 *
 * TRAP:  somebody else has put it there or waits for it: BUG(), KGDB, an external debugger.
 * LEVEL: to another privilege level; what a breakpoint overwrites: PRMD, ERA, ESTAT, SAVE0;
 *        what an exception in a handler may overwrite: BADV, and all that TLB exceptions use;
 *        what the entry of exceptions relies on: EENTRY, SAVE3; and what translates addresses:
 *        DMW0 and page tables. A slot need not be mapped afterwards. The user's page table
 *        comes with its ASID in two steps. A handler between them that accesses user memory
 *        fills the TLB with entries of one process for the other.
 * WORLD: the hypervisor may keep the CPU as long as it likes, an idle one too. A Tasks RCU
 *        grace period does not wait for the idle task, so the copy that it returns to may have
 *        been freed. With GSTAT.PGM set the breakpoint's ertn goes to the guest.
 * SLEEP: likewise.
 * EXCLUSIVE: LLBCTL has what every exception return clears.
 */
static const struct kprobe_form registers_and_system[] = {
	REFUSE(0xfffff800, 0x00000000, UNDECODABLE),			/* zeros */
	REFUSE(0xffff8000, __emit_break(0), TRAP),			/* break */
	REFUSE(0xffff8000, 0x002a8000, TRAP),				/* dbcl */
	REFUSE(0xffff8000, 0x002b0000, LEVEL),				/* syscall */
	REFUSE(0xffff8000, INSN_HVCL, WORLD),				/* hvcl */
	ROW(0xffffffff, INSN_NOP, NOP, NEXT),				/* nop */
	ROW(0xfc000000, 0x00000000, RUN, NEXT),	/* arithmetic, floating point, LBT */
	REFUSE(0xfffffc00, CSR(PRMD), LEVEL),
	REFUSE(0xfffffc00, CSR(ESTAT), LEVEL),
	REFUSE(0xfffff800, CSR(ERA), LEVEL),				/* BADV, too */
	REFUSE(0xfffffc00, CSR(BADI), LEVEL),
	REFUSE(0xfffff000, CSR(TLBIDX), LEVEL),		/* TLBEHI, TLBELO0, TLBELO1, too */
	REFUSE(0xfffffc00, CSR(PGD), LEVEL),				/* that of BADV */
	REFUSE(0xffffc000, CSR(KS0), LEVEL),				/* SAVE0 to SAVE15 */
	REFUSE(0xfffffc00, CSR(LLBCTL), EXCLUSIVE),
	REFUSE(0xffffe000, CSR(TLBRENTRY), LEVEL),			/* all TLBR* */
	ROW(0xff0003e0, 0x04000000, RUN, NEXT),				/* csrrd */
	REFUSE(0xfffffc00, CSR(EENTRY), LEVEL),
	REFUSE(0xffffe000, CSR(ASID), LEVEL),		/* PGDL, PGDH, PWCL and others, too */
	REFUSE(0xfffffc00, CSR(GSTAT), WORLD),
	REFUSE(0xfffff000, CSR(DMWIN0), LEVEL),				/* DMW0 to DMW3 */
	ROW(0xfe000000, 0x04000000, RUN, NEXT),	/* csrwr, csrxchg; gcsr*: a guest's */
	ROW(0xffc00000, 0x06000000, RUN, NEXT),				/* cacop */
	REFUSE(0xfff80000, 0x06400000, LEVEL),				/* lddir, ldpte */
	ROW(0xffffe000, 0x06480000, RUN, NEXT),				/* iocsrrd, iocsrwr */
	REFUSE(0xffffffff, 0x06483800, LEVEL, .flow = KPROBE_FLOW_RETURN), /* ertn */
	REFUSE(0xffffe000, 0x06482000, LEVEL),				/* tlbsrch and others */
	REFUSE(0xffff8000, 0x06488000, SLEEP),				/* idle */
	ROW(0xffff8000, 0x06498000, RUN, NEXT),				/* invtlb */
	REFUSE_REST,
};

static const struct kprobe_form operations[] = {
	RUN_REST,
};

static const struct kprobe_form addresses[] = {
	ROW(0xf800001f, 0x18000000, NOP, NEXT),				/* to no register */
	ROW(0xfe000000, 0x18000000, EMULATE, NEXT, .takes_address = 1),	/* pcaddi */
	ROW(0, 0, EMULATE, NEXT),			/* pcalau12i, pcaddu12i, pcaddu18i */
};

static const struct kprobe_form exclusive_and_pointers[] = {
	ROW(0xfd000000, 0x20000000, RUN, NEXT, .exclusive = 1),		/* ll.w, ll.d */
	ROW(0xfd000000, 0x21000000, RUN, NEXT, .exclusive = -1),	/* sc.w, sc.d */
	RUN_REST,							/* ldptr, stptr */
};

static const struct kprobe_form vector_elements[] = {
	ROW(0xfc000000, 0x30000000, RUN, NEXT),				/* vldrepl, vstelm */
	REFUSE_REST,
};

static const struct kprobe_form indexed_and_atomic[] = {
	ROW(0xffff8000, scq_op << 15, RUN, NEXT, .exclusive = -1),	/* sc.q */
	ROW(0xfffff400, llacqw_op << 10, RUN, NEXT, .exclusive = 1),	/* llacq.w, llacq.d */
	ROW(0xfffff400, screlw_op << 10, RUN, NEXT, .exclusive = -1),	/* screl.w, screl.d */
	ROW(0xfc000000, 0x38000000, RUN, NEXT),	/* ldx, am*, dbar, ibar, ldgt and others */
	REFUSE_REST,
};

static const struct kprobe_form conditional_branches[] = {
	ROW(0, 0, EMULATE, COND),	/* beqz, bnez; beq, bne, blt, bge, bltu, bgeu */
};

/*
 * What the first ones read is not in struct pt_regs, and cannot be read while floating point or
 * binary translation is off: see may_fault. The copy of a jirl to the register that has its target
 * would overwrite that first.
 */
static const struct kprobe_form branches_by_flag_or_register[] = {
	ROW(0xfc000200, bceqz_op << 26, EMULATE, COND),		/* bceqz, bcnez */
	ROW(0xfc0002e0, 0x48000200, EMULATE, JUMP_INDIRECT),	/* jiscr0, jiscr1 */
	ROW(0xffffffff, 0x4c000020, EMULATE, RETURN),			/* ret */
	ROW(0xfc00001f, 0x4c000000, EMULATE, JUMP_INDIRECT),		/* jr */
	ROW(0xfc000000, 0x4c000000, EMULATE, CALL_INDIRECT),		/* jirl */
	REFUSE_REST,
};

static const struct kprobe_form branches_far[] = {
	ROW(0xfc000000, 0x50000000, EMULATE, JUMP),			/* b */
	ROW(0, 0, EMULATE, CALL),					/* bl */
};

static const struct kprobe_form reserved[] = {
	REFUSE_REST,
};

static const struct kprobe_forms forms = {
	.shift = 27,
	.bits = 0x1f,
	.major = {
		[0] = registers_and_system,
		[1] = operations,		/* of three operands, floating point and vectors */
		[2] = operations,		/* addu16i.d, lu12i.w, lu32i.d */
		[3] = addresses,
		[4] = exclusive_and_pointers,
		[5] = operations,		/* loads and stores */
		[6] = vector_elements,
		[7] = indexed_and_atomic,
		[8] = conditional_branches,
		[9] = branches_by_flag_or_register,
		[10] = branches_far,
		[11 ... 13] = conditional_branches,
		[14] = operations,		/* of vectors */
		[15 ... 31] = reserved,
	},
};

static u32 rd_of(u32 word)
{
	return word & RD;
}

static u32 rj_of(u32 word)
{
	return word >> 5 & RD;
}

static u32 opcode_of(u32 word)
{
	return word >> 26;
}

/* How far a branch leads. Its sixteen lower bits are in the same place in all of them. */
static long offset_of(u32 word)
{
	u32 low = (word & OFFS16) >> 10;

	switch (opcode_of(word)) {
	case b_op:
	case bl_op:
		return sign_extend64((word & OFFS26_HIGH) << 16 | low, 25) * LOONGARCH_INSN_SIZE;
	case beqz_op:
	case bnez_op:
	case bceqz_op:
		return sign_extend64((word & OFFS21_HIGH) << 16 | low, 20) * LOONGARCH_INSN_SIZE;
	default:
		return sign_extend64(low, 15) * LOONGARCH_INSN_SIZE;
	}
}

/* What pcaddi and its kin at @from write to their register. */
static unsigned long address_of(u32 word, unsigned long from)
{
	long imm = sign_extend64((word & SI20) >> 5, 19);

	switch (word >> 25) {
	case pcaddi_op:
		return from + imm * 4;
	case pcalau12i_op:
		return ALIGN_DOWN(from + imm * SZ_4K, SZ_4K);
	case pcaddu12i_op:
		return from + imm * SZ_4K;
	default:
		return from + imm * SZ_256K;
	}
}

static enum kprobe_reason plan(struct kprobe_insn *insn, const u8 *bytes, size_t avail,
			       unsigned long addr)
{
	enum kprobe_reason reason;
	u32 word;

	*insn = (struct kprobe_insn){ .breakpoint_len = LOONGARCH_INSN_SIZE };
	if (avail < LOONGARCH_INSN_SIZE)
		return KPROBE_REASON_UNDECODABLE;
	word = get_unaligned_le32(bytes);
	insn->len = LOONGARCH_INSN_SIZE;
	reason = kprobe_plan_form(insn, kprobe_find_form(&forms, word));
	if (kprobe_insn_has_target(insn))
		insn->target = addr + offset_of(word);
	if (insn->takes_address)
		insn->data = address_of(word, addr);
	if (insn->action == KPROBE_EMULATE)
		insn->arch.value = insn->flow == KPROBE_FLOW_NEXT ? address_of(word, addr) :
								    offset_of(word);
	if (insn->flow == KPROBE_FLOW_CALL_INDIRECT)
		insn->no_copy = rd_of(word) == rj_of(word);
	insn->may_fault = opcode_of(word) == bceqz_op;
	return reason;
}

/* b or bl. */
static void put_branch(struct kprobe_code *code, u32 opcode, unsigned long to)
{
	long apart = to - kprobe_code_here(code);
	u32 offset = apart / (long)LOONGARCH_INSN_SIZE;

	if (apart < -SZ_128M || apart >= SZ_128M)
		code->far = true;
	kprobe_put_le32(code, opcode << 26 | (offset << 10 & OFFS16) |
			      (offset >> 16 & OFFS26_HIGH));
}

static void put_jump(struct kprobe_code *code, unsigned long to, u32 scratch)
{
	put_branch(code, b_op, to);
}

/* As it does not reach far, its opposite skips a jump. */
static void put_cond(struct kprobe_code *code, u32 word, unsigned long target)
{
	bool by_flag = opcode_of(word) == bceqz_op;
	u32 high = by_flag || opcode_of(word) <= bnez_op ? OFFS21_HIGH : 0;
	u32 opposite = word ^ (by_flag ? FLAG_NOT : COND_NOT);

	kprobe_put_le32(code, (opposite & ~(OFFS16 | high)) | 2 << 10);
	put_jump(code, target, 0);
}

/* Reaches all addresses: pcaddu18i does, nearly. */
static void put_address(struct kprobe_code *code, enum loongarch_gpr reg, unsigned long address)
{
	union loongarch_instruction insn = { };

	emit_lu12iw(&insn, reg, address >> 12);
	kprobe_put_le32(code, insn.word);
	emit_ori(&insn, reg, reg, address);
	kprobe_put_le32(code, insn.word);
	emit_lu32id(&insn, reg, address >> 32);
	kprobe_put_le32(code, insn.word);
	emit_lu52id(&insn, reg, reg, address >> 52);
	kprobe_put_le32(code, insn.word);
}

/*
 * The callee returns to the original text, so nobody sleeps with an address of the copy in the link
 * register. That need not be ra.
 */
static void put_call_indirect(struct kprobe_code *code, const struct kprobe_insn *insn, u32 word,
			      unsigned long next)
{
	if (insn->no_copy)
		code->far = true;
	put_address(code, rd_of(word), next);
	kprobe_put_le32(code, word & ~RD);
}

static void emit(struct kprobe_code *code, const struct kprobe_insn *insn,
		 const u8 *bytes, unsigned long from)
{
	u32 word = get_unaligned_le32(bytes);

	if (insn->action == KPROBE_NOP)
		return;
	switch (insn->flow) {
	case KPROBE_FLOW_COND:
		put_cond(code, word, insn->target);
		break;
	case KPROBE_FLOW_JUMP:
		put_jump(code, insn->target, 0);
		break;
	case KPROBE_FLOW_CALL:
		put_address(code, REG_RA, from + LOONGARCH_INSN_SIZE);
		put_jump(code, insn->target, 0);
		break;
	case KPROBE_FLOW_CALL_INDIRECT:
		put_call_indirect(code, insn, word, from + LOONGARCH_INSN_SIZE);
		break;
	default:
		if (insn->action == KPROBE_EMULATE && insn->flow == KPROBE_FLOW_NEXT)
			put_address(code, rd_of(word), insn->arch.value);
		else
			kprobe_put_le32(code, word);
	}
}

static void put_breakpoint(struct kprobe_code *code, const struct kprobe_insn *insn)
{
	kprobe_put_le32(code, __emit_break(BRK_KPROBE_BP));
}

static void put_move_sp(struct kprobe_code *code, int by)
{
	union loongarch_instruction insn = { };

	emit_addid(&insn, REG_SP, REG_SP, by);
	kprobe_put_le32(code, insn.word);
}

/*
 * The call overwrites ra: the stub saves it where the registers will be. Room first: an interrupt
 * may overwrite what is below sp. No branch reaches from the memory of modules to the kernel, whose
 * addresses have 31 bits that differ, below those of the window.
 */
static void put_enter(struct kprobe_code *code, unsigned long common)
{
	unsigned long window = common & GENMASK(63, 52);
	union loongarch_instruction insn = { };

	if (common - window >= SZ_2G)
		code->far = true;
	put_move_sp(code, -KPROBE_STUB_FRAME);
	emit_std(&insn, REG_RA, REG_SP, KPROBE_STUB_LINK);
	kprobe_put_le32(code, insn.word);
	emit_lu12iw(&insn, REG_RA, common >> 12);
	kprobe_put_le32(code, insn.word);
	emit_lu52id(&insn, REG_RA, REG_RA, common >> 52);
	kprobe_put_le32(code, insn.word);
	emit_jirl(&insn, REG_RA, REG_RA, common % BIT(12) / LOONGARCH_INSN_SIZE);
	kprobe_put_le32(code, insn.word);
}

static void put_leave(struct kprobe_code *code)
{
	union loongarch_instruction insn = { };

	emit_ldd(&insn, REG_RA, REG_SP, KPROBE_STUB_LINK);
	kprobe_put_le32(code, insn.word);
	put_move_sp(code, KPROBE_STUB_FRAME);
}

const struct kprobe_isa loongarch_kprobe_isa = {
	.insn_max = LOONGARCH_INSN_SIZE,
	.align = LOONGARCH_INSN_SIZE,
	.jump_size = LOONGARCH_INSN_SIZE,
	.jump_insns = 1,
	.stateless = true,
	.forms = &forms,
	.plan = plan,
	.emit = emit,
	.jump = put_jump,
	.breakpoint = put_breakpoint,
	.enter = put_enter,
	.leave = put_leave,
};
