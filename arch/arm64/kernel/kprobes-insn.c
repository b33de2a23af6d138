// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * arm64's instruction set: what becomes of a probed instruction, and how it is
 * written elsewhere.
 *
 * An instruction is one word, and so are the breakpoint and the jump. Nearly every
 * instruction runs as a copy, followed by a jump back. It is not single-stepped, so
 * it may access system registers, mask interrupts and wait for memory. Emulated is
 * what depends on its address: direct branches, calls, adr, adrp, and loads of
 * literals into general registers. All of these have copies too, for detours.
 * Refused is what a breakpoint breaks, and what leaves the kernel's ordinary flow.
 *
 * What can be told apart: BTI does not check where an emulated blr goes, or its copy.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/kprobe_isa.h>
#include <linux/sizes.h>
#include <linux/unaligned.h>
#include <asm/insn.h>

#define REG_LR		AARCH64_INSN_REG_LR
#define REG_ZR		AARCH64_INSN_REG_ZR
#define REG_SPARE	AARCH64_INSN_REG_16	/* saved around its use; any would do */

/* str reg, [sp, #-16]!; ldr reg, [sp], #16 */
#define PUSH(reg)	(0xf81f0fe0 | (reg))
#define POP(reg)	(0xf84107e0 | (reg))

/* str x30, [sp, #KPROBE_STUB_LINK]; ldr x30, [sp, #KPROBE_STUB_LINK] */
#define STORE_LR	(0xf90003e0 | KPROBE_STUB_LINK / 8 << 10 | REG_LR)
#define LOAD_LR		(0xf94003e0 | KPROBE_STUB_LINK / 8 << 10 | REG_LR)

#define BREAKPOINT	(AARCH64_BREAK_MON | KPROBES_BRK_IMM << 5)

/* The condition of b.cond; what turns it, and cbz or tbz, into the opposite. */
#define COND_MASK	GENMASK(3, 0)
#define COND_NOT	BIT(0)
#define ZERO_NOT	BIT(24)

#define BTI	IS_ENABLED(CONFIG_ARM64_BTI_KERNEL)

#define ROW			KPROBE_FORM
#define REFUSE			KPROBE_REFUSE
#define RUN_REST		ROW(0, 0, RUN, NEXT)
#define REFUSE_REST		REFUSE(0, 0, UNDECODABLE)

/*
 * What becomes of instructions: Arm Architecture Reference Manual, "A64 instruction set
 * encoding". Groups are told apart, and each branch. Others that are reserved trap in a copy too.
 *
 * Why instructions are refused:
 *
 * TRAP:  somebody else has put it there or waits for it: BUG(), UBSAN, CFI, KGDB.
 * LEVEL: to another exception level; to the other stack pointer, which holds the
 *        current task; what an exception leaves in SPSR, ELR, ESR and FAR, which
 *        a breakpoint overwrites; and to other page tables. Those of the user come
 *        with their ASID in two steps. A handler between them that accesses user
 *        memory takes the ASID away.
 * WORLD: the hypervisor or the firmware may keep the CPU as long as it likes, an idle
 *        one too. A Tasks RCU grace period does not wait for the idle task, so the
 *        copy that it returns to may have been freed.
 * SLEEP: likewise. And a handler may consume the event that wfe waits for.
 * EXCLUSIVE: takes effect together with the next one, or begins a transaction, which a
 *        breakpoint ends.
 * FORM:  signs or authenticates with its own address, or authenticates where it
 *        calls. The kernel is compiled without.
 */

/* Reserved, with udf and zeros; SME. */
static const struct kprobe_form reserved_or_sme[] = {
	ROW(0x80000000, 0x80000000, RUN, NEXT),
	REFUSE_REST,
};

static const struct kprobe_form unallocated[] = {
	REFUSE_REST,
};

/* A branch in the place of the instruction after movprfx would be CONSTRAINED UNPREDICTABLE. */
static const struct kprobe_form sve[] = {
	REFUSE(0xff3ee000, 0x04102000, EXCLUSIVE, .no_jump_next = 1),	/* movprfx, predicated */
	REFUSE(0xfffffc00, 0x0420bc00, EXCLUSIVE, .no_jump_next = 1),	/* movprfx */
	RUN_REST,
};

/* What goes to no register has no effect. SIMD registers are not in pt_regs. */
static const struct kprobe_form loads_and_stores[] = {
	ROW(0xbfa00000, 0x08200000, RUN, NEXT),				/* casp */
	ROW(0x3fc00000, 0x08400000, RUN, NEXT, .exclusive = 1),		/* ldxr and others */
	ROW(0x3fc00000, 0x08000000, RUN, NEXT, .exclusive = -1),	/* stxr and others */
	ROW(0xbfe00000, 0x89400000, RUN, NEXT, .exclusive = 1),		/* ldtxr and others */
	ROW(0xbfe00000, 0x89000000, RUN, NEXT, .exclusive = -1),	/* sttxr and others */
	ROW(0xff00001f, 0x1800001f, NOP, NEXT, .data_len = 4),		/* ldr wzr, literal */
	ROW(0xff00001f, 0x5800001f, NOP, NEXT, .data_len = 8),		/* ldr xzr, literal */
	ROW(0xff00001f, 0x9800001f, NOP, NEXT, .data_len = 4),		/* ldrsw xzr, literal */
	ROW(0xff000000, 0x18000000, EMULATE, NEXT, .data_len = 4),	/* ldr w, literal */
	ROW(0xff000000, 0x58000000, EMULATE, NEXT, .data_len = 8),	/* ldr x, literal */
	ROW(0xff000000, 0x98000000, EMULATE, NEXT, .data_len = 4),	/* ldrsw, literal */
	ROW(0xff000000, 0xd8000000, NOP, NEXT),				/* prfm, literal */
	ROW(0xff000000, 0x1c000000, RUN, NEXT, .data_len = 4),		/* ldr s, literal */
	ROW(0xff000000, 0x5c000000, RUN, NEXT, .data_len = 8),		/* ldr d, literal */
	ROW(0xff000000, 0x9c000000, RUN, NEXT, .data_len = 16),		/* ldr q, literal */
	REFUSE(0xff000000, 0xdc000000, UNDECODABLE),			/* among literals */
	REFUSE(0x3b200c00, 0x19000400, EXCLUSIVE),			/* cpy*, set* */
	RUN_REST,
};

static const struct kprobe_form immediates[] = {
	ROW(0x9f00001f, 0x1000001f, NOP, NEXT, .takes_address = 1),	/* adr xzr */
	ROW(0x9f000000, 0x10000000, EMULATE, NEXT, .takes_address = 1),	/* adr */
	ROW(0x9f00001f, 0x9000001f, NOP, NEXT),				/* adrp xzr */
	ROW(0x9f000000, 0x90000000, EMULATE, NEXT),			/* adrp */
	REFUSE(0xff80001f, 0xf380001f, FORM),				/* autia*sppc, #imm */
	RUN_REST,
};

/*
 * With BTI, indirect branches have to find a bti, or a breakpoint. Indirect calls may also land
 * on paciasp and pacibsp (Arm Architecture Reference Manual, PACIASP). Compilers use these where
 * no branch leads, too: after the bti and the nops that a traced function begins with. The copy
 * of blr x30 would overwrite x30 before it goes there.
 */
static const struct kprobe_form branches_and_system[] = {
	ROW(0xfc000000, 0x14000000, EMULATE, JUMP),			/* b */
	ROW(0xfc000000, 0x94000000, EMULATE, CALL),			/* bl */
	ROW(0x7c000000, 0x34000000, EMULATE, COND),			/* cbz, cbnz, tbz, tbnz */
	ROW(0xff000000, 0x54000000, EMULATE, COND),			/* b.cond, bc.cond */
	ROW(0xfffffc1f, 0xd61f0000, EMULATE, JUMP_INDIRECT),		/* br */
	ROW(0xffffffff, 0xd63f03c0, EMULATE, CALL_INDIRECT, .no_copy = 1), /* blr x30 */
	ROW(0xfffffc1f, 0xd63f0000, EMULATE, CALL_INDIRECT),		/* blr */
	ROW(0xfffffc1f, 0xd65f0000, EMULATE, RETURN),			/* ret */
	ROW(0xfefff800, 0xd61f0800, RUN, JUMP_INDIRECT),		/* braa, brab */
	ROW(0xfffffbff, 0xd65f0bff, RUN, RETURN),			/* retaa, retab */
	/* blraa, blrab */
	REFUSE(0xfefff800, 0xd63f0800, FORM, .flow = KPROBE_FLOW_CALL_INDIRECT),
	REFUSE(0xffffffff, 0xd69f03e0, LEVEL, .flow = KPROBE_FLOW_RETURN), /* eret */
	REFUSE(0xfffffbff, 0xd69f0bff, LEVEL, .flow = KPROBE_FLOW_RETURN), /* eretaa, eretab */
	REFUSE(0xffffffff, 0xd6bf03e0, LEVEL, .flow = KPROBE_FLOW_RETURN), /* drps */
	REFUSE(0xffe0001f, 0xd4200000, TRAP),				/* brk */
	REFUSE(0xffe0001f, 0xd4400000, TRAP),				/* hlt */
	REFUSE(0xffe0001f, 0xd4000002, WORLD),				/* hvc */
	REFUSE(0xffe0001f, 0xd4000003, WORLD),				/* smc */
	REFUSE(0xff000000, 0xd4000000, LEVEL),				/* svc, dcps */
	REFUSE(0xfffff0ff, 0xd50040bf, LEVEL),				/* msr spsel, #imm */
	REFUSE(0xffffffe0, 0xd5184200, LEVEL),				/* msr spsel, reg */
	REFUSE(0xffdfffc0, 0xd5184000, LEVEL),				/* spsr_el1, elr_el1 */
	REFUSE(0xffdfffe0, 0xd5185200, LEVEL),				/* esr_el1 */
	REFUSE(0xffdfffe0, 0xd5186000, LEVEL),				/* far_el1 */
	REFUSE(0xffffffc0, 0xd5182000, LEVEL),			/* msr ttbr0_el1, ttbr1_el1 */
	REFUSE(0xffffffdf, 0xd503205f, SLEEP),				/* wfe, wfi */
	REFUSE(0xffffffc0, 0xd5031000, SLEEP),				/* wfet, wfit */
	REFUSE(0xffffffe0, 0xd5233060, EXCLUSIVE, .exclusive = 1),	/* tstart */
	ROW(0xffffffff, 0xd503307f, RUN, NEXT, .exclusive = -1),	/* tcommit */
	ROW(0xfffff0ff, 0xd503305f, RUN, NEXT, .exclusive = -1),	/* clrex */
	ROW(0xffffffff, 0xd503201f, NOP, NEXT),				/* nop */
	ROW(0xffffff3f, 0xd503241f, NOP, PAD, .no_jump = BTI),		/* bti */
	ROW(0xffffffbf, 0xd503233f, RUN, NEXT, .no_jump_unless_traced = BTI), /* paciasp, pacibsp */
	ROW(0xff000000, 0xd5000000, RUN, NEXT),				/* the rest of system */
	REFUSE_REST,
};

static const struct kprobe_form registers[] = {
	REFUSE(0xffff8000, 0xdac18000, FORM),				/* pacia*sppc, autia*sppc */
	RUN_REST,
};

static const struct kprobe_form simd[] = {
	RUN_REST,
};

/* By bits 28 to 25. */
static const struct kprobe_forms forms = {
	.shift = 25,
	.bits = 0xf,
	.major = {
		[0] = reserved_or_sme, [1] = unallocated, [2] = sve, [3] = unallocated,
		[4] = loads_and_stores, [6] = loads_and_stores,
		[12] = loads_and_stores, [14] = loads_and_stores,
		[5] = registers, [13] = registers, [7] = simd, [15] = simd,
		[8] = immediates, [9] = immediates,
		[10] = branches_and_system, [11] = branches_and_system,
	},
};

static bool is_simd(u32 word)
{
	return word & BIT(26);
}

static u32 reg_of(u32 word)
{
	return aarch64_insn_decode_register(AARCH64_INSN_REGTYPE_RT, word);
}

static u32 base_of(u32 word)
{
	return aarch64_insn_decode_register(AARCH64_INSN_REGTYPE_RN, word);
}

/* What adr, adrp, or the load of a literal at @from addresses. */
static unsigned long address_of(u32 word, unsigned long from)
{
	u64 adr = aarch64_insn_decode_immediate(AARCH64_INSN_IMM_ADR, word);
	u64 literal = aarch64_insn_decode_immediate(AARCH64_INSN_IMM_19, word);

	if (aarch64_insn_is_adrp(word))
		return ALIGN_DOWN(from, SZ_4K) + sign_extend64(adr, 20) * SZ_4K;
	if (aarch64_insn_is_adr(word))
		return from + sign_extend64(adr, 20);
	return from + sign_extend64(literal, 18) * AARCH64_INSN_SIZE;
}

static enum kprobe_reason plan(struct kprobe_insn *insn, const u8 *bytes, size_t avail,
			       unsigned long addr)
{
	enum kprobe_reason reason;
	u32 word;

	*insn = (struct kprobe_insn){ .breakpoint_len = AARCH64_INSN_SIZE };
	if (avail < AARCH64_INSN_SIZE)
		return KPROBE_REASON_UNDECODABLE;
	word = get_unaligned_le32(bytes);
	insn->len = AARCH64_INSN_SIZE;
	reason = kprobe_plan_form(insn, kprobe_find_form(&forms, word));
	if (kprobe_insn_has_target(insn))
		insn->target = addr + aarch64_get_branch_offset(word);
	if (insn->data_len || insn->takes_address)
		insn->data = address_of(word, addr);
	return reason;
}

static void put_branch(struct kprobe_code *code, unsigned long to,
		       enum aarch64_insn_branch_type type)
{
	unsigned long here = kprobe_code_here(code);
	long apart = to - here;

	if (apart < -SZ_128M || apart >= SZ_128M) {
		code->far = true;
		to = here;
	}
	kprobe_put_le32(code, aarch64_insn_gen_branch_imm(here, to, type));
}

static void put_jump(struct kprobe_code *code, unsigned long to, u32 scratch)
{
	put_branch(code, to, AARCH64_INSN_BRANCH_NOLINK);
}

/* As it does not reach far, its opposite skips a jump; al and nv have none. */
static void put_cond(struct kprobe_code *code, u32 word, unsigned long target)
{
	bool by_flags = aarch64_insn_is_bcond(word);
	u32 opposite = word ^ (by_flags ? COND_NOT : ZERO_NOT);

	if (!by_flags || (word & COND_MASK) < AARCH64_INSN_COND_AL)
		kprobe_put_le32(code, aarch64_set_branch_offset(opposite, 2 * AARCH64_INSN_SIZE));
	put_jump(code, target, 0);
}

static void put_page(struct kprobe_code *code, u32 reg, unsigned long to)
{
	unsigned long here = kprobe_code_here(code);
	long apart = ALIGN_DOWN(to, SZ_4K) - ALIGN_DOWN(here, SZ_4K);

	if (apart < -(long)SZ_4G || apart >= (long)SZ_4G)
		code->far = true;
	kprobe_put_le32(code, aarch64_insn_gen_adr(here, to, reg, AARCH64_INSN_ADR_TYPE_ADRP));
}

static void put_address(struct kprobe_code *code, u32 reg, unsigned long to)
{
	put_page(code, reg, to);
	kprobe_put_le32(code, aarch64_insn_gen_add_sub_imm(reg, reg, to % SZ_4K,
							   AARCH64_INSN_VARIANT_64BIT,
							   AARCH64_INSN_ADSB_ADD));
}

/* Loads from the address in a register what the instruction loads from the text. */
static void put_literal(struct kprobe_code *code, u32 word, unsigned long data)
{
	static const u32 loads[2][3] = {	/* by opc, of general and SIMD registers */
		{ 0xb9400000, 0xf9400000, 0xb9800000 },
		{ 0xbd400000, 0xfd400000, 0x3dc00000 },
	};
	u32 by = is_simd(word) ? REG_SPARE : reg_of(word);

	if (is_simd(word))
		kprobe_put_le32(code, PUSH(by));
	put_address(code, by, data);
	kprobe_put_le32(code, loads[is_simd(word)][word >> 30] | by << 5 | reg_of(word));
	if (is_simd(word))
		kprobe_put_le32(code, POP(by));
}

/*
 * The callee returns to the original text, so nobody sleeps with an address of the
 * copy in x30. Through a register it is reached by ret: after br, BTI wants a pad for
 * jumps there.
 */
static void put_call(struct kprobe_code *code, u32 word, unsigned long from)
{
	put_address(code, REG_LR, from + AARCH64_INSN_SIZE);
	if (aarch64_insn_is_bl(word))
		put_jump(code, from + aarch64_get_branch_offset(word), 0);
	else
		kprobe_put_le32(code, aarch64_insn_gen_branch_reg(base_of(word),
								  AARCH64_INSN_BRANCH_RETURN));
}

static void emit(struct kprobe_code *code, const struct kprobe_insn *insn,
		 const u8 *bytes, unsigned long from)
{
	u32 word = get_unaligned_le32(bytes);

	if (insn->action == KPROBE_NOP)
		return;
	if (aarch64_insn_is_adrp(word))
		put_page(code, reg_of(word), address_of(word, from));
	else if (aarch64_insn_is_adr(word))
		put_address(code, reg_of(word), address_of(word, from));
	else if (insn->data_len)
		put_literal(code, word, insn->data);
	else if (insn->flow == KPROBE_FLOW_JUMP)
		put_jump(code, insn->target, 0);
	else if (insn->flow == KPROBE_FLOW_COND)
		put_cond(code, word, insn->target);
	else if (aarch64_insn_is_bl(word) || aarch64_insn_is_blr(word))
		put_call(code, word, from);
	else
		kprobe_put_le32(code, word);
}

static void put_breakpoint(struct kprobe_code *code, const struct kprobe_insn *insn)
{
	kprobe_put_le32(code, BREAKPOINT);
}

static void put_move_sp(struct kprobe_code *code, enum aarch64_insn_adsb_type type)
{
	kprobe_put_le32(code, aarch64_insn_gen_add_sub_imm(AARCH64_INSN_REG_SP, AARCH64_INSN_REG_SP,
							   KPROBE_STUB_FRAME,
							   AARCH64_INSN_VARIANT_64BIT, type));
}

/* The call overwrites x30: the stub saves it where the registers will be. */
static void put_enter(struct kprobe_code *code, unsigned long common)
{
	put_move_sp(code, AARCH64_INSN_ADSB_SUB);
	kprobe_put_le32(code, STORE_LR);
	put_branch(code, common, AARCH64_INSN_BRANCH_LINK);
}

static void put_leave(struct kprobe_code *code)
{
	kprobe_put_le32(code, LOAD_LR);
	put_move_sp(code, AARCH64_INSN_ADSB_ADD);
}

const struct kprobe_isa arm64_kprobe_isa = {
	.insn_max = AARCH64_INSN_SIZE,
	.align = AARCH64_INSN_SIZE,
	.jump_size = AARCH64_INSN_SIZE,
	.jump_insns = 1,
	/* Compilers put one before whatever a jump table leads to. */
	.pads = IS_ENABLED(CONFIG_ARM64_BTI_KERNEL),
	.stateless = true,
	.forms = &forms,
	.plan = plan,
	.emit = emit,
	.jump = put_jump,
	.breakpoint = put_breakpoint,
	.enter = put_enter,
	.leave = put_leave,
};
