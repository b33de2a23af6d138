// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RISC-V's instruction set, 64 bit: what becomes of a probed instruction, and how
 * it is written elsewhere. Functions on byte buffers alone.
 *
 * Nearly every instruction runs as a copy, also those that access CSRs, order
 * memory or flush TLBs. Emulated is what depends on its address: auipc and branches.
 * Refused is what the breakpoint's own trap disturbs, what a CPU may sleep in, and
 * what is not known.
 */
#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/unaligned.h>
#include <asm/csr.h>
#include <asm/insn.h>

#include "kprobes-insn.h"

#define REG_RA		1
#define REG_SP		2
#define REG_T0		5
#define REG_T1		6

/* t1 to t6. */
#define TEMPORARIES	((u32)(GENMASK(31, 28) | GENMASK(7, 6)))

/*
 * Those that pass nothing to a function and that no function preserves. To functions of which
 * it knows all calls clang passes the ninth argument and those after it in t2 to t6: LLVM's
 * calling convention "fastcc". gcc always follows the psABI. Not t0: a jump by way of it is a
 * return for the predictor, and assembly returns by it where ra is in use.
 */
#define SCRATCH		(IS_ENABLED(CONFIG_CC_IS_CLANG) ? (u32)BIT(REG_T1) : TEMPORARIES)

#define NOP		0x00000013
#define C_NOP		0x0001
#define EBREAK		0x00100073
#define C_EBREAK	0x9002
#define ADDI		0x00000013
#define SD		0x00003023
#define LD		0x00003003

#define OPCODE(word)	((word) >> 2 & 0x1f)
#define RD(word)	((word) >> RVG_RD_OPOFF & RVG_RD_MASK)
#define FUNCT3(word)	((word) >> RV_INSN_FUNCT3_OPOFF & 7)
#define RS1(word)	((word) >> RVG_RS1_OPOFF & RVG_RS1_MASK)
#define RS2(word)	((word) >> RVG_RS2_OPOFF & RVG_RS1_MASK)
#define FUNCT7(word)	((word) >> 25)

/* The registers of a compressed instruction. */
#define C_RS2(word)	((word) >> RVC_C2_RS2_OPOFF & RVC_C2_RS1_MASK)
#define C_SHORT(word)	(((word) >> RVC_C1_RS1_OPOFF & 7) + 8)

/* Fields that may name an integer register; W: written whatever the rest of it is. */
#define W	1
#define R1	2
#define R2	4

/*
 * What instructions of a major opcode have in common: values of funct3 that are
 * defined, a bit for each, and their registers. Vector instructions have strides and
 * scalars in either field; no C code in the kernel depends on what they leave behind.
 */
static const struct {
	u8 funct3s;
	u8 uses;
} forms[32] = {
	[0x00] = { 0x7f, W | R1 },		/* loads */
	[0x01] = { 0xff, R1 | R2 },		/* loads, floating point and vector */
	[0x03] = { 0x07, R1 },			/* fences, cache blocks */
	[0x04] = { 0xff, W | R1 },		/* arithmetic with immediates */
	[0x05] = { 0xff, W },			/* auipc */
	[0x06] = { 0x23, W | R1 },		/* arithmetic with immediates, 32 bit */
	[0x08] = { 0x0f, R1 | R2 },		/* stores */
	[0x09] = { 0xff, R1 | R2 },		/* stores, floating point and vector */
	[0x0b] = { 0x1f, W | R1 | R2 },		/* atomics */
	[0x0c] = { 0xff, W | R1 | R2 },		/* arithmetic */
	[0x0d] = { 0xff, W },			/* lui */
	[0x0e] = { 0xf7, W | R1 | R2 },		/* arithmetic, 32 bit */
	[0x10 ... 0x13] = { 0xff, 0 },		/* multiply-add, floating point */
	[0x14] = { 0xff, R1 },			/* floating point */
	[0x15] = { 0xff, R1 | R2 },		/* vector */
	[0x18] = { 0xf3, R1 | R2 },		/* conditional branches */
	[0x19] = { 0x01, W | R1 },		/* jalr */
	[0x1b] = { 0xff, W },			/* jal */
	[0x1c] = { 0xff, W | R1 | R2 },		/* system */
	[0x1d] = { 0x04, R1 | R2 },		/* vector, cryptographic */
};

static void note_registers(struct kprobe_insn *insn, u8 uses, u8 rd, u8 rs1, u8 rs2)
{
	insn->writes = uses & W ? BIT(rd) : 0;
	insn->reads = (uses & R1 ? BIT(rs1) : 0) | (uses & R2 ? BIT(rs2) : 0);
}

static enum kprobe_reason plan_branch(struct kprobe_insn *insn, u8 flow, unsigned long target)
{
	insn->action = KPROBE_EMULATE;
	insn->flow = flow;
	insn->target = target;
	/* By the calling convention no callee reads them. Without ra it does not hold. */
	if (insn->arch.rd == REG_RA)
		insn->dead = SCRATCH;
	return KPROBE_REASON_NONE;
}

static enum kprobe_reason plan_jal(struct kprobe_insn *insn, u8 rd, unsigned long target)
{
	insn->arch.rd = rd;
	/* It would need a register to reach its target. */
	insn->no_copy = rd && rd != REG_RA;
	return plan_branch(insn, rd ? KPROBE_FLOW_CALL : KPROBE_FLOW_JUMP, target);
}

static enum kprobe_reason plan_jalr(struct kprobe_insn *insn, u8 rd, u8 rs1, s32 imm)
{
	insn->arch = (struct arch_kprobe_insn){ .rd = rd, .rs1 = rs1, .imm = imm };
	insn->no_copy = rd && rd == rs1 && rd != REG_RA;
	/* What was called by way of t0 may have to preserve all of them. */
	if (!rd && rs1 == REG_T0)
		insn->reads = TEMPORARIES;
	if (rd)
		return plan_branch(insn, KPROBE_FLOW_CALL_INDIRECT, 0);
	return plan_branch(insn, rs1 == REG_RA && !imm ? KPROBE_FLOW_RETURN :
			   KPROBE_FLOW_JUMP_INDIRECT, 0);
}

static enum kprobe_reason plan_cond(struct kprobe_insn *insn, u8 cond, u8 rs1, u8 rs2,
				    unsigned long target)
{
	insn->arch = (struct arch_kprobe_insn){ .cond = cond, .rs1 = rs1, .rs2 = rs2 };
	return plan_branch(insn, KPROBE_FLOW_COND, target);
}

/* Without a register to write to it is the landing pad of indirect branches. */
static enum kprobe_reason plan_auipc(struct kprobe_insn *insn, u32 word)
{
	insn->action = KPROBE_EMULATE;
	insn->arch.rd = RD(word);
	insn->arch.imm = word & RV_U_IMM_31_12_MASK;
	if (insn->arch.rd)
		return KPROBE_REASON_NONE;
	insn->flow = KPROBE_FLOW_PAD;
	return KPROBE_REASON_LANDING_PAD;
}

static enum kprobe_reason plan_atomic(struct kprobe_insn *insn, u32 word)
{
	switch (word >> 27) {
	case 0x02:				/* lr */
		insn->exclusive = 1;
		break;
	case 0x03:				/* sc */
		insn->exclusive = -1;
		break;
	case 0x05:				/* amocas, which reads rd and has pairs */
		insn->reads = TEMPORARIES;
		insn->writes = 0;
		break;
	}
	return KPROBE_REASON_NONE;
}

/*
 * A trap overwrites sepc, scause, stval and the like, so a probe beside their use would
 * spoil it. It relies on stvec and sscratch, and a slot need not be mapped in the
 * address space that satp switches to.
 */
static enum kprobe_reason plan_csr(u32 word)
{
	bool writes = (FUNCT3(word) & 3) == 1 || RS1(word);
	u32 csr = word >> 20;

	switch (csr) {
	case CSR_EPC: case CSR_CAUSE: case CSR_TVAL:
	case CSR_HSTATUS: case CSR_HTVAL: case CSR_HTINST:
		return KPROBE_REASON_LEVEL;
	case CSR_TVEC: case CSR_SCRATCH: case CSR_SATP:
		return writes ? KPROBE_REASON_LEVEL : KPROBE_REASON_NONE;
	}
	/* unimp among others */
	return writes && csr >> 10 == 3 ? KPROBE_REASON_UNDECODABLE : KPROBE_REASON_NONE;
}

/*
 * Neither wfi nor ecall, by which the idle task asks the firmware to suspend the CPU: Tasks
 * RCU does not wait for the idle task, so the slot or detour that it sleeps in could be freed.
 */
static enum kprobe_reason plan_privileged(struct kprobe_insn *insn, u32 word)
{
	if ((word & 0x01ffffff) == 0x00200073) {	/* sret, mret and others */
		insn->flow = KPROBE_FLOW_JUMP_INDIRECT;
		return KPROBE_REASON_LEVEL;
	}
	switch (word) {
	case EBREAK:
		return KPROBE_REASON_TRAP;
	case 0x10500073:				/* wfi */
		return KPROBE_REASON_SLEEP;
	case 0x00000073:				/* ecall */
		return KPROBE_REASON_WORLD;
	case 0x00d00073: case 0x01d00073:		/* wrs.nto, wrs.sto */
		return KPROBE_REASON_NONE;
	}
	switch (FUNCT7(word)) {
	case 0x09: case 0x0b: case 0x0c:		/* sfence, sinval */
	case 0x11: case 0x13: case 0x31: case 0x33:	/* hfence, hinval */
		return KPROBE_REASON_NONE;
	}
	return KPROBE_REASON_UNDECODABLE;
}

static enum kprobe_reason plan_system(struct kprobe_insn *insn, u32 word)
{
	switch (FUNCT3(word)) {
	case 0:
		return plan_privileged(insn, word);
	case 4:				/* hlv, hsv: with another trap handler in stvec */
		return FUNCT7(word) >> 3 == 6 ? KPROBE_REASON_WORLD :
						KPROBE_REASON_UNDECODABLE;
	default:
		/* It has no second register, and may have a number in place of the first. */
		insn->reads = FUNCT3(word) & 4 ? 0 : BIT(RS1(word));
		return plan_csr(word);
	}
}

static enum kprobe_reason plan_word(struct kprobe_insn *insn, u32 word, unsigned long addr)
{
	u8 uses = forms[OPCODE(word)].uses;

	if (!(forms[OPCODE(word)].funct3s & BIT(FUNCT3(word)))) {
		insn->reads = TEMPORARIES;
		return KPROBE_REASON_UNDECODABLE;
	}
	note_registers(insn, uses, RD(word), RS1(word), RS2(word));
	insn->action = word == NOP ? KPROBE_NOP : KPROBE_RUN;
	switch (OPCODE(word)) {
	case OPCODE(RVG_OPCODE_AUIPC):
		return plan_auipc(insn, word);
	case 0x0b:
		return plan_atomic(insn, word);
	case OPCODE(RVG_OPCODE_BRANCH):
		return plan_cond(insn, FUNCT3(word), RS1(word), RS2(word),
				 addr + (s32)RV_EXTRACT_BTYPE_IMM(word));
	case OPCODE(RVG_OPCODE_JALR):
		return plan_jalr(insn, RD(word), RS1(word), RV_EXTRACT_ITYPE_IMM(word));
	case OPCODE(RVG_OPCODE_JAL):
		return plan_jal(insn, RD(word), addr + riscv_insn_extract_jtype_imm(word));
	case OPCODE(RVG_OPCODE_SYSTEM):
		return plan_system(insn, word);
	}
	return KPROBE_REASON_NONE;
}

/* c.jr, c.jalr, c.mv, c.add, c.ebreak; without any register nothing. */
static enum kprobe_reason plan_registers(struct kprobe_insn *insn, u32 word)
{
	bool link_or_add = word & BIT(12);
	u8 rd = RD(word), rs2 = C_RS2(word);

	if (!rd && !rs2)
		return link_or_add ? KPROBE_REASON_TRAP : KPROBE_REASON_UNDECODABLE;
	if (!rs2) {
		note_registers(insn, R1, 0, rd, 0);
		return plan_jalr(insn, link_or_add ? REG_RA : 0, rd, 0);
	}
	note_registers(insn, link_or_add ? W | R1 | R2 : W | R2, rd, rd, rs2);
	return KPROBE_REASON_NONE;
}

/*
 * The same of compressed instructions, by quadrant and funct3 in octal: bits of which at
 * least one is set, and registers. Three bits name none of those that jumps may use.
 */
static const struct {
	u16 some;
	u8 uses;
} c_forms[24] = {
	[000] = { 0x1fe0, 0 },			/* c.addi4spn */
	[010] = { 0, W | R1 },			/* c.addi */
	[011] = { 0x0f80, W | R1 },		/* c.addiw */
	[012] = { 0, W },			/* c.li */
	[013] = { 0x107c, W },			/* c.lui, c.addi16sp */
	[020] = { 0, W | R1 },			/* c.slli */
	[022 ... 023] = { 0x0f80, W },		/* c.lwsp, c.ldsp */
	[026 ... 027] = { 0, R2 },		/* c.swsp, c.sdsp */
};

static enum kprobe_reason plan_compressed(struct kprobe_insn *insn, u32 word,
					  unsigned long addr)
{
	u32 opcode = (word & 3) << 3 | word >> 13;
	u16 some = c_forms[opcode].some;

	note_registers(insn, c_forms[opcode].uses, RD(word), RD(word), C_RS2(word));
	insn->action = word == C_NOP ? KPROBE_NOP : KPROBE_RUN;
	switch (opcode) {
	case 004:				/* c.lbu, c.sb and others */
		return word & BIT(12) ? KPROBE_REASON_UNDECODABLE : KPROBE_REASON_NONE;
	case 015:				/* c.j */
		return plan_jal(insn, 0, addr + (s32)RVC_EXTRACT_JTYPE_IMM(word));
	case 016: case 017:			/* c.beqz, c.bnez */
		return plan_cond(insn, word >> 13 & 1, C_SHORT(word), 0,
				 addr + (s32)RVC_EXTRACT_BTYPE_IMM(word));
	case 024:
		return plan_registers(insn, word);
	case 025:				/* c.fsdsp */
		if (IS_ENABLED(CONFIG_FPU))
			break;
		/* Or cm.jt, cm.popret and others of Zcmp and Zcmt, which exclude it. */
		insn->flow = KPROBE_FLOW_JUMP_INDIRECT;
		insn->reads = TEMPORARIES;
		return KPROBE_REASON_UNDECODABLE;
	}
	return some && !(word & some) ? KPROBE_REASON_UNDECODABLE : KPROBE_REASON_NONE;
}

static enum kprobe_reason plan(struct kprobe_insn *insn, const u8 *bytes, size_t avail,
			       unsigned long addr)
{
	enum kprobe_reason reason;

	*insn = (struct kprobe_insn){ .breakpoint_len = KPROBE_INSN_ALIGN };
	if (avail < 2)
		return KPROBE_REASON_UNDECODABLE;
	insn->len = (bytes[0] & 3) == 3 ? 4 : 2;
	/* No longer instruction is defined yet. The kernel may be built without shorter ones. */
	if (avail < insn->len || insn->len < KPROBE_INSN_ALIGN || (bytes[0] & 0x1f) == 0x1f) {
		insn->len = 0;
		return KPROBE_REASON_UNDECODABLE;
	}
	reason = insn->len == 4 ? plan_word(insn, get_unaligned_le32(bytes), addr) :
				  plan_compressed(insn, get_unaligned_le16(bytes), addr);
	insn->reads &= TEMPORARIES;
	insn->writes &= TEMPORARIES;
	return reason;
}

static void put_word(struct kprobe_code *code, u32 word)
{
	u8 bytes[sizeof(word)];

	put_unaligned_le32(word, bytes);
	kprobe_code_put(code, bytes, sizeof(bytes));
}

/* auipc, and what adds the rest of an address to its register. */
static void put_pair(struct kprobe_code *code, u32 reg, u32 second, unsigned long to)
{
	long disp = to - kprobe_code_here(code);
	u32 first = RVG_OPCODE_AUIPC | reg << RVG_RD_OPOFF;

	if (disp + 0x800 != (s32)(disp + 0x800))
		code->far = true;
	second |= reg << RVG_RS1_OPOFF;
	riscv_insn_insert_utype_itype_imm(&first, &second, disp);
	put_word(code, first);
	put_word(code, second);
}

static void put_address(struct kprobe_code *code, u32 reg, unsigned long addr)
{
	put_pair(code, reg, ADDI | reg << RVG_RD_OPOFF, addr);
}

static void put_jump(struct kprobe_code *code, unsigned long to, u32 scratch)
{
	if (!scratch)
		code->far = true;
	put_pair(code, scratch ? __ffs(scratch) : 0, RVG_OPCODE_JALR, to);
}

static void put_words(struct kprobe_code *code, const u32 *words, size_t nr)
{
	while (nr--)
		put_word(code, *words++);
}

/*
 * A jump that needs no register: an exception return. Interrupts are off from where sepc is
 * written, and afterwards as they were. t1 and t2 are on the stack in between.
 */
static void put_back(struct kprobe_code *code, unsigned long to)
{
	static const u32 save[] = {
		0xff010113,		/* addi	sp, sp, -16 */
		0x00613023,		/* sd	t1, 0(sp) */
		0x00713423,		/* sd	t2, 8(sp) */
	}, leave[] = {
		0x100173f3,		/* csrrci t2, sstatus, SR_SIE */
		0x14131073,		/* csrw	sepc, t1 */
		0x12000313,		/* li	t1, SR_SPP | SR_SPIE */
		0x10032073,		/* csrs	sstatus, t1 */
		0x0023f393,		/* andi	t2, t2, SR_SIE */
		0x0023c393,		/* xori	t2, t2, SR_SIE */
		0x00439393,		/* slli	t2, t2, 4 */
		0x1003b073,		/* csrc	sstatus, t2 */
		0x00013303,		/* ld	t1, 0(sp) */
		0x00813383,		/* ld	t2, 8(sp) */
		0x01010113,		/* addi	sp, sp, 16 */
		0x10200073,		/* sret */
	};

	put_words(code, save, ARRAY_SIZE(save));
	put_address(code, REG_T1, to);
	put_words(code, leave, ARRAY_SIZE(leave));
}

/* Over a jump with all the reach, unless the condition holds. */
static void put_cond(struct kprobe_code *code, const struct kprobe_insn *insn)
{
	put_word(code, RVG_OPCODE_BRANCH | 12 << 7 |
		 (insn->arch.cond ^ 1) << RV_INSN_FUNCT3_OPOFF |
		 insn->arch.rs1 << RVG_RS1_OPOFF | insn->arch.rs2 << RVG_RS2_OPOFF);
	put_jump(code, insn->target, insn->dead);
}

/* A target relative to the register that gets the return address needs another one. */
static void put_call_indirect(struct kprobe_code *code, const struct kprobe_insn *insn,
			      unsigned long next)
{
	u32 imm = (u32)insn->arch.imm << RV_I_IMM_11_0_OPOFF, rs1 = insn->arch.rs1;

	if (insn->no_copy) {
		code->far = true;
		return;
	}
	if (rs1 == insn->arch.rd) {
		rs1 = __ffs(insn->dead);
		put_word(code, ADDI | rs1 << RVG_RD_OPOFF | insn->arch.rs1 << RVG_RS1_OPOFF);
	}
	put_address(code, insn->arch.rd, next);
	put_word(code, RVG_OPCODE_JALR | rs1 << RVG_RS1_OPOFF | imm);
}

static void emit(struct kprobe_code *code, const struct kprobe_insn *insn,
		 const u8 *bytes, unsigned long from)
{
	if (insn->action == KPROBE_NOP)
		return;
	switch (insn->flow) {
	case KPROBE_FLOW_JUMP:
		put_jump(code, insn->target, insn->dead);
		break;
	case KPROBE_FLOW_COND:
		put_cond(code, insn);
		break;
	case KPROBE_FLOW_CALL:
		put_address(code, insn->arch.rd, from + insn->len);
		put_jump(code, insn->target, insn->dead);
		break;
	case KPROBE_FLOW_CALL_INDIRECT:
		put_call_indirect(code, insn, from + insn->len);
		break;
	default:
		if (insn->action == KPROBE_EMULATE && insn->flow == KPROBE_FLOW_NEXT)
			put_address(code, insn->arch.rd, from + insn->arch.imm);
		else
			kprobe_code_put(code, bytes, insn->len);
	}
}

static void put_breakpoint(struct kprobe_code *code, const struct kprobe_insn *insn)
{
	u8 bytes[sizeof(u32)];

	put_unaligned_le32(insn->breakpoint_len == 2 ? C_EBREAK : EBREAK, bytes);
	kprobe_code_put(code, bytes, insn->breakpoint_len);
}

/* Room first: an interrupt may overwrite what is below sp. */
static void put_enter(struct kprobe_code *code, unsigned long common)
{
	put_word(code, ADDI | REG_SP << RVG_RD_OPOFF | REG_SP << RVG_RS1_OPOFF |
		 (u32)-KPROBE_STUB_FRAME << RV_I_IMM_11_0_OPOFF);
	put_word(code, SD | KPROBE_STUB_LINK << 7 | REG_SP << RVG_RS1_OPOFF |
		 REG_RA << RVG_RS2_OPOFF);
	put_pair(code, REG_RA, RVG_OPCODE_JALR | REG_RA << RVG_RD_OPOFF, common);
}

static void put_leave(struct kprobe_code *code)
{
	put_word(code, LD | REG_RA << RVG_RD_OPOFF | REG_SP << RVG_RS1_OPOFF |
		 KPROBE_STUB_LINK << RV_I_IMM_11_0_OPOFF);
	put_word(code, ADDI | REG_SP << RVG_RD_OPOFF | REG_SP << RVG_RS1_OPOFF |
		 KPROBE_STUB_FRAME << RV_I_IMM_11_0_OPOFF);
}

const struct kprobe_isa riscv_kprobe_isa = {
	.insn_max = KPROBE_INSN_MAX,
	.align = KPROBE_INSN_ALIGN,
	.jump_size = KPROBE_JUMP_SIZE,
	.jump_insns = 2,
	.scratch = SCRATCH,
	.plan = plan,
	.emit = emit,
	.jump = put_jump,
	.back = put_back,
	.breakpoint = put_breakpoint,
	.enter = put_enter,
	.leave = put_leave,
};
