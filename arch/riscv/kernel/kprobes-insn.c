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
#include <linux/kernel.h>
#include <linux/kprobe_isa.h>
#include <linux/unaligned.h>
#include <asm/insn.h>

#define REG_RA		1
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

#define EBREAK		0x00100073
#define C_EBREAK	0x9002
#define ADDI		0x00000013

/* sd ra, KPROBE_STUB_LINK(sp); ld ra, KPROBE_STUB_LINK(sp); addi sp, sp, by */
#define STORE_RA	(0x00113023 | KPROBE_STUB_LINK << 7)
#define LOAD_RA		(0x00013083 | KPROBE_STUB_LINK << 20)
#define MOVE_SP(by)	(0x00010113 | (u32)(by) << 20)

/* Fields that may name an integer register; W: written whatever the rest of it is. */
#define W		BIT(0)
#define R1		BIT(1)
#define R2		BIT(2)
#define ALL		BIT(3)	/* any register may be read */

#define ROW(bits, word, what, where, which, ...) \
	KPROBE_FORM(bits, word, what, where, .uses = which, __VA_ARGS__)
#define REFUSE(bits, word, why, which, ...) \
	KPROBE_REFUSE(bits, word, why, .uses = which, __VA_ARGS__)
#define REFUSE_REST		REFUSE(0, 0, UNDECODABLE, ALL)

/*
 * What becomes of instructions: The RISC-V Instruction Set Manual, "RV32/64G Instruction Set
 * Listings", by the last two bits of the major opcode, and "RVC Instruction Set Listings", by
 * quadrants. Vector instructions have strides and scalars in either field; no C code in the kernel
 * depends on what they leave behind. Three bits of a compressed instruction name no temporary.
 *
 * Why instructions are refused:
 *
 * TRAP:  somebody else has put it there or waits for it.
 * LEVEL: to another privilege level; what the breakpoint's trap overwrites, as sepc, scause and
 *        stval; what it relies on, stvec and sscratch; and satp, as a slot need not be mapped in
 *        the address space that this switches to.
 * WORLD: the firmware may suspend the CPU, an idle one too. Tasks RCU does not wait for the
 *        idle task, so the slot or detour that it sleeps in could be freed. A guest's memory
 *        is accessed with another trap handler in stvec.
 * SLEEP: likewise.
 */
static const struct kprobe_form c_quadrant0[] = {
	REFUSE(0xffe3, 0x0000, UNDECODABLE, 0),				/* c.addi4spn of nothing */
	REFUSE(0xf003, 0x9000, UNDECODABLE, 0),				/* beside c.lbu, c.sb */
	ROW(0, 0, RUN, NEXT, 0),
};

static const struct kprobe_form c_quadrant1[] = {
	ROW(0xffff, 0x0001, NOP, NEXT, 0),				/* c.nop */
	REFUSE(0xef83, 0x2001, UNDECODABLE, W | R1),			/* c.addiw to x0 */
	ROW(0xc003, 0x0001, RUN, NEXT, W | R1),				/* c.addi, c.addiw */
	REFUSE(0xf07f, 0x6001, UNDECODABLE, W),				/* c.lui of nothing */
	ROW(0xc003, 0x4001, RUN, NEXT, W),				/* c.li, c.lui */
	ROW(0xe003, 0x8001, RUN, NEXT, 0),				/* c.srli and others */
	ROW(0xe003, 0xa001, EMULATE, JUMP, 0),				/* c.j */
	ROW(0, 0, EMULATE, COND, 0),					/* c.beqz, c.bnez */
};

/* What was called by way of t0 may have to preserve all registers. */
static const struct kprobe_form c_quadrant2[] = {
	ROW(0xe003, 0x0002, RUN, NEXT, W | R1),				/* c.slli */
	ROW(0xe003, 0x2002, RUN, NEXT, 0),				/* c.fldsp */
	REFUSE(0xcf83, 0x4002, UNDECODABLE, W),				/* c.lwsp, c.ldsp to x0 */
	ROW(0xc003, 0x4002, RUN, NEXT, W),				/* c.lwsp, c.ldsp */
	REFUSE(0xffff, 0x8002, UNDECODABLE, 0),				/* c.jr to x0 */
	ROW(0xffff, 0x8082, EMULATE, RETURN, R1),			/* c.jr ra */
	ROW(0xffff, 0x8282, EMULATE, JUMP_INDIRECT, ALL),		/* c.jr t0 */
	ROW(0xf07f, 0x8002, EMULATE, JUMP_INDIRECT, R1),		/* c.jr */
	ROW(0xf003, 0x8002, RUN, NEXT, W | R2),				/* c.mv */
	REFUSE(0xffff, C_EBREAK, TRAP, 0),
	ROW(0xf07f, 0x9002, EMULATE, CALL_INDIRECT, R1),		/* c.jalr */
	ROW(0xf003, 0x9002, RUN, NEXT, W | R1 | R2),			/* c.add */
#ifdef CONFIG_FPU
	ROW(0xe003, 0xa002, RUN, NEXT, 0),				/* c.fsdsp */
#else
	/* Or cm.jt, cm.popret and others of Zcmp and Zcmt, which exclude it. */
	REFUSE(0xe003, 0xa002, UNDECODABLE, ALL, .flow = KPROBE_FLOW_JUMP_INDIRECT),
#endif
	ROW(0, 0, RUN, NEXT, R2),					/* c.swsp, c.sdsp */
};

static const struct kprobe_form opcodes_00[] = {
	REFUSE(0x0000707f, 0x00007003, UNDECODABLE, ALL),		/* among loads */
	ROW(0x0000007f, 0x00000003, RUN, NEXT, W | R1),			/* loads */
	ROW(0xffffffff, 0x00000013, NOP, NEXT, 0),			/* nop */
	ROW(0x0000007f, 0x00000013, RUN, NEXT, W | R1),			/* addi and others */
	ROW(0x0000407f, 0x00000023, RUN, NEXT, R1 | R2),		/* stores */
	ROW(0x0000007f, 0x00000033, RUN, NEXT, W | R1 | R2),		/* add and others */
	ROW(0x0000607f, 0x00000063, EMULATE, COND, R1 | R2),		/* beq, bne */
	ROW(0x0000407f, 0x00004063, EMULATE, COND, R1 | R2),		/* blt, bltu, bge, bgeu */
	ROW(0x0000007f, 0x00000043, RUN, NEXT, 0),			/* fmadd */
	ROW(0x0000007f, 0x00000053, RUN, NEXT, R1),			/* floating point */
	REFUSE(0xffffffff, 0x00000073, WORLD, 0),			/* ecall */
	REFUSE(0xffffffff, EBREAK, TRAP, 0),
	/* sret, mret */
	REFUSE(0x8fffffff, 0x00200073, LEVEL, 0, .flow = KPROBE_FLOW_JUMP_INDIRECT),
	REFUSE(0xffffffff, 0x10500073, SLEEP, 0),			/* wfi */
	ROW(0xfeffffff, 0x00d00073, RUN, NEXT, 0),			/* wrs.nto, wrs.sto */
	ROW(0xfa007fff, 0x12000073, RUN, NEXT, R1 | R2),		/* sfence.vma, sinval.vma */
	ROW(0xffefffff, 0x18000073, RUN, NEXT, 0),			/* sfence.*.inval */
	ROW(0xba007fff, 0x22000073, RUN, NEXT, R1 | R2),		/* hfence.*, hinval.* */
	REFUSE(0xf000707f, 0x60004073, WORLD, W | R1 | R2),		/* hlv.*, hsv.* */
	REFUSE(0x0000707f, 0x00000073, UNDECODABLE, ALL),
	REFUSE(0x0000707f, 0x00004073, UNDECODABLE, ALL),
	REFUSE(0xfff0007f, 0x14100073, LEVEL, W | R1),			/* sepc */
	REFUSE(0xffe0007f, 0x14200073, LEVEL, W | R1),			/* scause, stval */
	REFUSE(0xfff0007f, 0x60000073, LEVEL, W | R1),			/* hstatus */
	REFUSE(0xfff0007f, 0x64300073, LEVEL, W | R1),			/* htval */
	REFUSE(0xfff0007f, 0x64a00073, LEVEL, W | R1),			/* htinst */
	ROW(0x000fa07f, 0x00002073, RUN, NEXT, W),			/* csrr */
	REFUSE(0xfff0007f, 0x10500073, LEVEL, W | R1),			/* stvec */
	REFUSE(0xfff0007f, 0x14000073, LEVEL, W | R1),			/* sscratch */
	REFUSE(0xfff0007f, 0x18000073, LEVEL, W | R1),			/* satp */
	REFUSE(0xc000007f, 0xc0000073, UNDECODABLE, W | R1),		/* read-only, as unimp */
	ROW(0x0000407f, 0x00004073, RUN, NEXT, W),			/* csrrwi and others */
	ROW(0x0000007f, 0x00000073, RUN, NEXT, W | R1),			/* csrrw and others */
	REFUSE_REST,
};

/* Without a register to write to auipc is the landing pad of indirect branches. */
static const struct kprobe_form opcodes_01[] = {
	ROW(0xffffffff, 0x00008067, EMULATE, RETURN, R1),		/* ret */
	ROW(0x000fffff, 0x00028067, EMULATE, JUMP_INDIRECT, ALL),	/* jr t0, as c.jr t0 */
	ROW(0x00007fff, 0x00000067, EMULATE, JUMP_INDIRECT, R1),	/* jr */
	ROW(0x0000707f, 0x00000067, EMULATE, CALL_INDIRECT, W | R1),	/* jalr */
	REFUSE(0x00000fff, 0x00000017, LANDING_PAD, 0, .flow = KPROBE_FLOW_PAD),
	ROW(0x0000007f, 0x00000017, EMULATE, NEXT, W),			/* auipc */
	ROW(0x0000007f, 0x00000037, RUN, NEXT, W),			/* lui */
	ROW(0x0000005f, 0x00000007, RUN, NEXT, R1 | R2), /* floating point, vector: loads, stores */
	ROW(0x0000007f, 0x00000047, RUN, NEXT, 0),			/* fmsub */
	ROW(0x0000007f, 0x00000057, RUN, NEXT, R1 | R2),		/* vector */
	ROW(0x0000707f, 0x00002077, RUN, NEXT, R1 | R2),		/* vector, cryptographic */
	REFUSE_REST,
};

static const struct kprobe_form opcodes_10[] = {
	ROW(0x0000607f, 0x0000001b, RUN, NEXT, W | R1),			/* addiw, slliw */
	ROW(0x0000707f, 0x0000501b, RUN, NEXT, W | R1),			/* srliw, sraiw */
	REFUSE(0x0000707f, 0x0000303b, UNDECODABLE, ALL),
	ROW(0x0000007f, 0x0000003b, RUN, NEXT, W | R1 | R2),		/* addw and others */
	ROW(0x0000007f, 0x0000004b, RUN, NEXT, 0),			/* fnmsub */
	REFUSE_REST,
};

/* The copy of jal would need a register to reach its target. amocas reads rd and has pairs. */
static const struct kprobe_form opcodes_11[] = {
	ROW(0x00000fff, 0x0000006f, EMULATE, JUMP, 0),			/* j */
	ROW(0x00000fff, 0x000000ef, EMULATE, CALL, W),			/* jal ra */
	ROW(0x0000007f, 0x0000006f, EMULATE, CALL, W, .no_copy = 1),	/* jal */
	ROW(0x0000607f, 0x0000000f, RUN, NEXT, R1),			/* fence, fence.i */
	ROW(0x0000707f, 0x0000200f, RUN, NEXT, R1),			/* cbo.* */
	REFUSE(0x0000607f, 0x0000602f, UNDECODABLE, ALL),		/* among atomics */
	REFUSE(0x0000707f, 0x0000502f, UNDECODABLE, ALL),		/* among atomics */
	ROW(0xf800007f, 0x1000002f, RUN, NEXT, W | R1 | R2, .exclusive = 1),	/* lr */
	ROW(0xf800007f, 0x1800002f, RUN, NEXT, W | R1 | R2, .exclusive = -1),	/* sc */
	ROW(0xf800007f, 0x2800002f, RUN, NEXT, ALL),			/* amocas */
	ROW(0x0000007f, 0x0000002f, RUN, NEXT, W | R1 | R2),		/* amoadd and others */
	ROW(0x0000007f, 0x0000004f, RUN, NEXT, 0),			/* fnmadd */
	REFUSE_REST,
};

static const struct kprobe_forms forms = {
	.bits = 0xf,
	.major = {
		[0] = c_quadrant0, [4] = c_quadrant0, [8] = c_quadrant0, [12] = c_quadrant0,
		[1] = c_quadrant1, [5] = c_quadrant1, [9] = c_quadrant1, [13] = c_quadrant1,
		[2] = c_quadrant2, [6] = c_quadrant2, [10] = c_quadrant2, [14] = c_quadrant2,
		[3] = opcodes_00, [7] = opcodes_01, [11] = opcodes_10, [15] = opcodes_11,
	},
};

static enum kprobe_reason plan(struct kprobe_insn *insn, const u8 *bytes, size_t avail,
			       unsigned long addr)
{
	struct arch_kprobe_insn *arch = &insn->arch;
	const struct kprobe_form *form;
	unsigned int len;
	u32 word;

	*insn = (struct kprobe_insn){ .breakpoint_len = KPROBE_INSN_ALIGN };
	len = avail && (bytes[0] & 3) == 3 ? 4 : 2;
	/* No longer instruction is defined yet. The kernel may be built without shorter ones. */
	if (avail < len || len < KPROBE_INSN_ALIGN || (bytes[0] & 0x1f) == 0x1f)
		return KPROBE_REASON_UNDECODABLE;
	insn->len = len;
	word = len == 4 ? get_unaligned_le32(bytes) : get_unaligned_le16(bytes);
	form = kprobe_find_form(&forms, word);
	kprobe_plan_form(insn, form);

	/* If compressed, it has one field for the result and the first operand. */
	arch->rd = form->uses & W ? RV_EXTRACT_RD_REG(word) : 0;
	arch->rs1 = len == 4 ? RV_EXTRACT_RS1_REG(word) : RV_EXTRACT_RD_REG(word);
	arch->rs2 = RV_X(word, len == 4 ? RVG_RS2_OPOFF : RVC_C2_RS2_OPOFF, 0x1f);
	insn->writes = BIT(arch->rd) & TEMPORARIES;
	insn->reads = form->uses & ALL ? TEMPORARIES : 0;
	insn->reads |= form->uses & R1 ? BIT(arch->rs1) & TEMPORARIES : 0;
	insn->reads |= form->uses & R2 ? BIT(arch->rs2) & TEMPORARIES : 0;

	switch (insn->flow) {
	case KPROBE_FLOW_NEXT:
		arch->imm = word & RV_U_IMM_31_12_MASK;		/* auipc's */
		break;
	case KPROBE_FLOW_JUMP:
	case KPROBE_FLOW_CALL:
		insn->target = addr + (s32)(len == 4 ? RV_EXTRACT_JTYPE_IMM(word) :
						       RVC_EXTRACT_JTYPE_IMM(word));
		break;
	case KPROBE_FLOW_COND:
		insn->target = addr + (s32)(len == 4 ? RV_EXTRACT_BTYPE_IMM(word) :
						       RVC_EXTRACT_BTYPE_IMM(word));
		arch->cond = word >> (len == 4 ? RV_INSN_FUNCT3_OPOFF : RVC_INSN_FUNCT3_OPOFF) & 7;
		if (len == 2) {
			arch->cond &= 1;
			arch->rs1 = RV_X(word, RVC_C1_RS1_OPOFF, 7) + 8;
			arch->rs2 = 0;
		}
		break;
	case KPROBE_FLOW_CALL_INDIRECT:
		if (len == 2)
			arch->rd = REG_RA;
		/* Its target is relative to what it overwrites. */
		insn->no_copy = arch->rd == arch->rs1 && arch->rd != REG_RA;
		fallthrough;
	default:
		arch->imm = len == 4 ? RV_EXTRACT_ITYPE_IMM(word) : 0;
	}
	/* By the calling convention no callee reads them. Without ra it does not hold. */
	if (insn->flow != KPROBE_FLOW_NEXT && arch->rd == REG_RA)
		insn->dead = SCRATCH;
	return form->reason;
}

static void put_words(struct kprobe_code *code, const u32 *words, size_t nr)
{
	while (nr--)
		kprobe_put_le32(code, *words++);
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
	kprobe_put_le32(code, first);
	kprobe_put_le32(code, second);
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
		kprobe_put_le32(code, ADDI | rs1 << RVG_RD_OPOFF | insn->arch.rs1 << RVG_RS1_OPOFF);
	}
	put_address(code, insn->arch.rd, next);
	kprobe_put_le32(code, RVG_OPCODE_JALR | rs1 << RVG_RS1_OPOFF | imm);
}

static void emit(struct kprobe_code *code, const struct kprobe_insn *insn,
		 const u8 *bytes, unsigned long from)
{
	if (insn->action == KPROBE_NOP)
		return;
	switch (insn->flow) {
	case KPROBE_FLOW_COND:
		/* Over a jump with all the reach, unless the condition holds. */
		kprobe_put_le32(code, RVG_OPCODE_BRANCH | 12 << 7 |
			 (insn->arch.cond ^ 1) << RV_INSN_FUNCT3_OPOFF |
			 insn->arch.rs1 << RVG_RS1_OPOFF | insn->arch.rs2 << RVG_RS2_OPOFF);
		fallthrough;
	case KPROBE_FLOW_JUMP:
		put_jump(code, insn->target, insn->dead);
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
	kprobe_put_le32(code, MOVE_SP(-KPROBE_STUB_FRAME));
	kprobe_put_le32(code, STORE_RA);
	put_pair(code, REG_RA, RVG_OPCODE_JALR | REG_RA << RVG_RD_OPOFF, common);
}

static void put_leave(struct kprobe_code *code)
{
	kprobe_put_le32(code, LOAD_RA);
	kprobe_put_le32(code, MOVE_SP(KPROBE_STUB_FRAME));
}

const struct kprobe_isa riscv_kprobe_isa = {
	.insn_max = KPROBE_INSN_MAX,
	.align = KPROBE_INSN_ALIGN,
	.jump_size = KPROBE_JUMP_SIZE,
	.jump_insns = 2,
	.scratch = SCRATCH,
	.forms = &forms,
	.plan = plan,
	.emit = emit,
	.jump = put_jump,
	.back = put_back,
	.breakpoint = put_breakpoint,
	.enter = put_enter,
	.leave = put_leave,
};
