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

#define DRPS		0xd6bf03e0
/* With a predicate, and without. */
#define MOVPRFX_P_MASK	0xff3ee000
#define MOVPRFX_P	0x04102000
#define MOVPRFX_MASK	0xfffffc00
#define MOVPRFX		0x0420bc00

#define TSTART_MASK	0xffffffe0
#define TSTART		0xd5233060
#define TCOMMIT		0xd503307f
#define BREAKPOINT	(AARCH64_BREAK_MON | KPROBES_BRK_IMM << 5)

/* The condition of b.cond; what turns it, and cbz or tbz, into the opposite. */
#define COND_MASK	GENMASK(3, 0)
#define COND_NOT	BIT(0)
#define ZERO_NOT	BIT(24)

/* Instructions that must not be probed: what their bits in @mask are, and why. */
struct refused {
	u32 mask;
	u32 value;
	enum kprobe_reason reason;
};

#define REFUSE(bits, word, why) \
	{ .mask = bits, .value = word, .reason = KPROBE_REASON_##why }

/*
 * The first match counts.
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
static const struct refused refused[] = {
	REFUSE(0xffe0001f, 0xd4200000, TRAP),		/* brk */
	REFUSE(0xffe0001f, 0xd4400000, TRAP),		/* hlt */
	REFUSE(0xffe0001f, 0xd4000002, WORLD),		/* hvc */
	REFUSE(0xffe0001f, 0xd4000003, WORLD),		/* smc */
	REFUSE(0xff000000, 0xd4000000, LEVEL),		/* svc, dcps */
	REFUSE(0xffffffff, 0xd69f03e0, LEVEL),		/* eret */
	REFUSE(0xfffffbff, 0xd69f0bff, LEVEL),		/* eretaa, eretab */
	REFUSE(0xffffffff, DRPS, LEVEL),
	REFUSE(0xfffff0ff, 0xd50040bf, LEVEL),		/* msr spsel, #imm */
	REFUSE(0xffffffe0, 0xd5184200, LEVEL),		/* msr spsel, reg */
	REFUSE(0xffdfffc0, 0xd5184000, LEVEL),		/* spsr_el1, elr_el1 */
	REFUSE(0xffdfffe0, 0xd5185200, LEVEL),		/* esr_el1 */
	REFUSE(0xffdfffe0, 0xd5186000, LEVEL),		/* far_el1 */
	REFUSE(0xffffffc0, 0xd5182000, LEVEL),		/* msr ttbr0_el1, ttbr1_el1 */
	REFUSE(0xffffffdf, 0xd503205f, SLEEP),		/* wfe, wfi */
	REFUSE(0xffffffc0, 0xd5031000, SLEEP),		/* wfet, wfit */
	REFUSE(0x3b200c00, 0x19000400, EXCLUSIVE),	/* cpy*, set* */
	REFUSE(MOVPRFX_P_MASK, MOVPRFX_P, EXCLUSIVE),
	REFUSE(MOVPRFX_MASK, MOVPRFX, EXCLUSIVE),
	REFUSE(TSTART_MASK, TSTART, EXCLUSIVE),
	REFUSE(0xfefff800, 0xd63f0800, FORM),		/* blraa, blrab */
	REFUSE(0xffff8000, 0xdac18000, FORM),		/* pacia*sppc, autia*sppc */
	REFUSE(0xff80001f, 0xf380001f, FORM),		/* autia*sppc, #imm */
	REFUSE(0xff000000, 0xdc000000, UNDECODABLE),	/* among literals */
};

static bool is_hint(u32 word, enum aarch64_insn_hint_cr_op op)
{
	return word == aarch64_insn_gen_hint(op);
}

/*
 * With BTI, indirect branches have to find a bti, or a breakpoint. Indirect calls may also land
 * on paciasp and pacibsp (Arm Architecture Reference Manual, PACIASP). Compilers use these where
 * no branch leads, too: after the bti and the nops that a traced function begins with.
 */
static bool signs_return(u32 word)
{
	return is_hint(word, AARCH64_INSN_HINT_PACIASP) ||
	       is_hint(word, AARCH64_INSN_HINT_PACIBSP);
}

static bool is_return(u32 word)
{
	return aarch64_insn_is_ret(word) || aarch64_insn_is_ret_auth(word) ||
	       aarch64_insn_is_eret(word) || aarch64_insn_is_eret_auth(word) ||
	       word == DRPS;
}

static u8 flow_of(u32 word)
{
	if (aarch64_insn_is_b(word))
		return KPROBE_FLOW_JUMP;
	if (aarch64_insn_is_bl(word))
		return KPROBE_FLOW_CALL;
	if (aarch64_insn_is_branch_imm(word))
		return KPROBE_FLOW_COND;
	if (aarch64_insn_is_br(word) || aarch64_insn_is_br_auth(word))
		return KPROBE_FLOW_JUMP_INDIRECT;
	if (aarch64_insn_is_blr(word) || aarch64_insn_is_blr_auth(word))
		return KPROBE_FLOW_CALL_INDIRECT;
	if (is_return(word))
		return KPROBE_FLOW_RETURN;
	return aarch64_insn_is_bti(word) ? KPROBE_FLOW_PAD : KPROBE_FLOW_NEXT;
}

/* Knows groups, and each branch. Others that are reserved trap in a copy too. */
static bool is_allocated(u32 word)
{
	switch (word >> 25 & 0xf) {
	case 0:						/* SME; udf, and zeros */
		return word & BIT(31);
	case 1: case 3:
		return false;
	case 10: case 11:				/* branches; traps; system */
		return flow_of(word) != KPROBE_FLOW_NEXT || word >> 25 == 0x6a;
	default:
		return true;
	}
}

static enum kprobe_reason judge(u32 word)
{
	const struct refused *r;

	if (!is_allocated(word))
		return KPROBE_REASON_UNDECODABLE;
	for (r = refused; r < refused + ARRAY_SIZE(refused); r++)
		if ((word & r->mask) == r->value)
			return r->reason;
	return KPROBE_REASON_NONE;
}

/* Those of FEAT_LSUI, which access memory as the user does: ldtxr, sttxr and others. */
static bool is_user_exclusive(u32 word)
{
	return (word & 0xbfa00000) == 0x89000000;
}

/* casp is encoded among the pairs, where those have a size too small for them. */
static s8 exclusive_of(u32 word)
{
	if (aarch64_insn_is_clrex(word) || word == TCOMMIT)
		return -1;
	if ((word & TSTART_MASK) == TSTART)
		return 1;
	if (is_user_exclusive(word))
		return word & BIT(22) ? 1 : -1;
	if (!aarch64_insn_is_exclusive(word) || (word & (BIT(31) | BIT(21))) == BIT(21))
		return 0;
	return aarch64_insn_is_load_ex(word) ? 1 : -1;
}

static bool is_movprfx(u32 word)
{
	return (word & MOVPRFX_MASK) == MOVPRFX || (word & MOVPRFX_P_MASK) == MOVPRFX_P;
}

/* A kind of literal in the text, and what loads it from the address in a register. */
struct literal {
	u8 size;
	u32 load;
};

/* For general and SIMD registers, by opc; the last one is prfm. */
static const struct literal literals[2][4] = {
	{ { 4, 0xb9400000 }, { 8, 0xf9400000 }, { 4, 0xb9800000 }, },
	{ { 4, 0xbd400000 }, { 8, 0xfd400000 }, { 16, 0x3dc00000 }, },
};

static bool is_simd(u32 word)
{
	return word & BIT(26);
}

static const struct literal *literal_of(u32 word)
{
	static const struct literal none;

	return (word & 0x3b000000) == 0x18000000 ?
		&literals[is_simd(word)][word >> 30] : &none;
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

/* A prefetch is a hint. What goes to no register has no effect. */
static bool is_nop(u32 word)
{
	if (aarch64_insn_uses_literal(word))
		return reg_of(word) == REG_ZR || aarch64_insn_is_prfm_lit(word);
	return is_hint(word, AARCH64_INSN_HINT_NOP) || aarch64_insn_is_bti(word);
}

static u8 action_of(u32 word)
{
	if (is_nop(word))
		return KPROBE_NOP;
	/* With adr and adrp, but without SIMD registers: those are not in pt_regs. */
	if (aarch64_insn_uses_literal(word) || aarch64_insn_is_branch_imm(word) ||
	    aarch64_insn_is_br(word) || aarch64_insn_is_blr(word) ||
	    aarch64_insn_is_ret(word))
		return KPROBE_EMULATE;
	return KPROBE_RUN;
}

static enum kprobe_reason plan(struct kprobe_insn *insn, const u8 *bytes, size_t avail,
			       unsigned long addr)
{
	u32 word;

	*insn = (struct kprobe_insn){ .breakpoint_len = AARCH64_INSN_SIZE };
	if (avail < AARCH64_INSN_SIZE)
		return KPROBE_REASON_UNDECODABLE;
	word = get_unaligned_le32(bytes);
	insn->len = AARCH64_INSN_SIZE;
	insn->action = action_of(word);
	insn->flow = flow_of(word);
	insn->exclusive = exclusive_of(word);
	insn->no_jump = aarch64_insn_is_bti(word) && IS_ENABLED(CONFIG_ARM64_BTI_KERNEL);
	insn->no_jump_unless_traced = signs_return(word) && IS_ENABLED(CONFIG_ARM64_BTI_KERNEL);
	/* A branch in the place of the next one would be CONSTRAINED UNPREDICTABLE. */
	insn->no_jump_next = is_movprfx(word);
	/* Its copy overwrites x30 before it goes there. */
	insn->no_copy = aarch64_insn_is_blr(word) && base_of(word) == REG_LR;
	if (aarch64_insn_is_branch_imm(word))
		insn->target = addr + aarch64_get_branch_offset(word);
	insn->data_len = literal_of(word)->size;
	insn->takes_address = aarch64_insn_is_adr(word);
	if (insn->data_len || insn->takes_address)
		insn->data = address_of(word, addr);
	return judge(word);
}
NOKPROBE_SYMBOL(plan);

static void put_word(struct kprobe_code *code, u32 word)
{
	u8 bytes[AARCH64_INSN_SIZE];

	put_unaligned_le32(word, bytes);
	kprobe_code_put(code, bytes, sizeof(bytes));
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
	put_word(code, aarch64_insn_gen_branch_imm(here, to, type));
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
		put_word(code, aarch64_set_branch_offset(opposite, 2 * AARCH64_INSN_SIZE));
	put_jump(code, target, 0);
}

static void put_page(struct kprobe_code *code, u32 reg, unsigned long to)
{
	unsigned long here = kprobe_code_here(code);
	long apart = ALIGN_DOWN(to, SZ_4K) - ALIGN_DOWN(here, SZ_4K);

	if (apart < -(long)SZ_4G || apart >= (long)SZ_4G)
		code->far = true;
	put_word(code, aarch64_insn_gen_adr(here, to, reg, AARCH64_INSN_ADR_TYPE_ADRP));
}

static void put_address(struct kprobe_code *code, u32 reg, unsigned long to)
{
	put_page(code, reg, to);
	put_word(code, aarch64_insn_gen_add_sub_imm(reg, reg, to % SZ_4K,
						    AARCH64_INSN_VARIANT_64BIT,
						    AARCH64_INSN_ADSB_ADD));
}

static void put_literal(struct kprobe_code *code, u32 word, unsigned long data)
{
	u32 by = is_simd(word) ? REG_SPARE : reg_of(word);

	if (is_simd(word))
		put_word(code, PUSH(by));
	put_address(code, by, data);
	put_word(code, literal_of(word)->load | by << 5 | reg_of(word));
	if (is_simd(word))
		put_word(code, POP(by));
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
		put_word(code, aarch64_insn_gen_branch_reg(base_of(word),
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
		put_word(code, word);
}

static void put_breakpoint(struct kprobe_code *code, const struct kprobe_insn *insn)
{
	put_word(code, BREAKPOINT);
}

static void put_move_sp(struct kprobe_code *code, enum aarch64_insn_adsb_type type)
{
	put_word(code, aarch64_insn_gen_add_sub_imm(AARCH64_INSN_REG_SP, AARCH64_INSN_REG_SP,
						    KPROBE_STUB_FRAME,
						    AARCH64_INSN_VARIANT_64BIT, type));
}

/* The call overwrites x30: the stub saves it where the registers will be. */
static void put_enter(struct kprobe_code *code, unsigned long common)
{
	put_move_sp(code, AARCH64_INSN_ADSB_SUB);
	put_word(code, STORE_LR);
	put_branch(code, common, AARCH64_INSN_BRANCH_LINK);
}

static void put_leave(struct kprobe_code *code)
{
	put_word(code, LOAD_LR);
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
	.joins = true,
	.plan = plan,
	.emit = emit,
	.jump = put_jump,
	.breakpoint = put_breakpoint,
	.enter = put_enter,
	.leave = put_leave,
};
