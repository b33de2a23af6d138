// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * SPARC V9's instruction set: what becomes of a probed instruction, and how it is written
 * elsewhere.
 *
 * An instruction is one big-endian word, and so are the breakpoint and the jump. Nearly every
 * instruction runs as a copy, followed by a jump back: also save and restore, and those that
 * mask interrupts, access other address spaces or flush windows. Emulated are branches, calls,
 * returns, and what reads its own address.
 *
 * A branch takes effect after the instruction in its delay slot, unless it annuls that. That
 * instruction belongs to its branch and cannot be probed. A hit leads to it in the text, with the
 * branch's target as the next address, so it is not displaced and faults where it is. Only in
 * detours do branches have copies, and there with their delay slots.
 *
 * "return" restores a window. Frames of outer traps know their window by its number, so emulation
 * must not put the caller's registers into another one. A hit goes on in a slot, with a copy of
 * "return" and its delay slot.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/kprobe_isa.h>
#include <linux/sizes.h>
#include <linux/unaligned.h>

#define WORD		4
#define REG_SP		14
#define REG_O7		15

#define NOP		0x01000000
#define SETHI		0x01000000
#define CALL		0x40000000
#define BA		0x10800000
#define ANNUL		0x20000000
#define OR_IMM		0x80102000
#define SAVE_IMM	0x81e02000
#define RESTORE		0x81e80000
#define BREAKPOINT	0x91d02070	/* ta 0x70, the trap that ttable.h has for kprobes */

#define IMM		BIT(13)
#define RD(reg)		((u32)(reg) << 25)
#define RS1(reg)	((u32)(reg) << 14)
#define SIMM13(value)	((u32)(value) & GENMASK(12, 0))

/* The field that has a branch's target. */
enum { DISP30 = 1, DISP22, DISP19, DISP16, DISP10 };

#define ROW			KPROBE_FORM
/* With a delay slot. */
#define BRANCH(bits, word, where, ...) \
	{ .mask = bits, .value = word, .action = KPROBE_EMULATE, .flow = KPROBE_FLOW_##where, \
	  .bundle = 1, __VA_ARGS__ }
#define REFUSE			KPROBE_REFUSE
#define RUN_REST		ROW(0, 0, RUN, NEXT)
#define REFUSE_REST		REFUSE(0, 0, UNDECODABLE)

/*
 * What becomes of instructions: The SPARC Architecture Manual, Version 9, appendix E, "Opcode
 * Maps", and Oracle SPARC Architecture 2011 for what was added. Groups are told apart, and each
 * branch. Others that are reserved trap in a copy too.
 *
 * Why instructions are refused:
 *
 * TRAP:  somebody else has put it there or waits for it: BUG(), KGDB, uprobes.
 * LEVEL: to another trap level, or what traps overwrite there; the base of the trap table, which a
 *        breakpoint relies on; PSTATE, with which the trap's globals or the byte order change;
 *        the registers that manage windows, which a trap or a stub changes when it makes a
 *        window; what only the hypervisor may access.
 * WORLD: the hypervisor or the firmware may keep the CPU as long as it likes, an idle one too. A
 *        Tasks RCU grace period does not wait for the idle task, so the copy that it returns to
 *        may have been freed.
 * SLEEP: likewise.
 * EXCLUSIVE: masks interrupts by PSTATE.IE, which a trap's entry sets. Code that does so, to load
 *        TLB entries by hand or to send interrupts to CPUs, must not be interrupted in between.
 *        So must a write that some CPUs lose unless they read the register at once: %pic and
 *        %tick_cmpr of UltraSPARC II.
 * DATA:  gcc has tables of jumps in the text, and so are those of system calls. Their words, the
 *        kernel's addresses, look like branches that are never taken.
 * FORM:  depends on %fsr, which the kernel may have saved by the time of emulation. The kernel is
 *        compiled without floating point.
 */

/* Compare and branch has no delay slot. */
static const struct kprobe_form branches_and_sethi[] = {
	ROW(0xffffffff, 0x01000000, NOP, NEXT),				/* nop */
	REFUSE(0xffc00000, 0x01000000, DATA),				/* sethi to %g0 */
	ROW(0xc1c00000, 0x01000000, RUN, NEXT),				/* sethi */
	REFUSE(0xfec00000, 0x00400000, DATA),				/* bn, predicted */
	REFUSE(0xfec00000, 0x00800000, DATA),				/* bn */
	REFUSE(0xc1d00000, 0x00500000, UNDECODABLE),			/* bpcc, reserved codes */
	ROW(0xffc00000, 0x30400000, EMULATE, JUMP, .uses = DISP19),	/* ba,a, predicted */
	BRANCH(0xffc00000, 0x10400000, JUMP, .uses = DISP19),		/* ba, predicted */
	BRANCH(0xc1c00000, 0x00400000, COND, .uses = DISP19),		/* bpcc */
	ROW(0xffc00000, 0x30800000, EMULATE, JUMP, .uses = DISP22),	/* ba,a */
	BRANCH(0xffc00000, 0x10800000, JUMP, .uses = DISP22),		/* ba */
	BRANCH(0xc1c00000, 0x00800000, COND, .uses = DISP22),		/* bicc */
	REFUSE(0xd7c00000, 0x00c00000, UNDECODABLE),			/* bpr, reserved */
	BRANCH(0xd1c00000, 0x00c00000, COND, .uses = DISP16),		/* bpr */
	REFUSE(0xdfc00000, 0x10c00000, UNDECODABLE),			/* cbcond, reserved */
	ROW(0xd1c00000, 0x10c00000, EMULATE, COND, .uses = DISP10),	/* cbcond */
	/* fbpfcc, fbfcc */
	REFUSE(0xc1c00000, 0x01400000, FORM, .flow = KPROBE_FLOW_COND, .bundle = 1, .uses = DISP19),
	REFUSE(0xc1c00000, 0x01800000, FORM, .flow = KPROBE_FLOW_COND, .bundle = 1, .uses = DISP22),
	REFUSE_REST,							/* illtrap */
};

static const struct kprobe_form call[] = {
	BRANCH(0, 0, CALL, .uses = DISP30),
};

/* By op3, the commonest first. */
static const struct kprobe_form arithmetic[] = {
	ROW(0xc1000000, 0x80000000, RUN, NEXT),				/* add and others */
	ROW(0xc1c00000, 0x81000000, RUN, NEXT),				/* shifts, tagged, mulscc */
	BRANCH(0xfffbffff, 0x81c3e008, RETURN),				/* ret, retl */
	BRANCH(0xfff80000, 0x81c00000, JUMP_INDIRECT),			/* jmp */
	BRANCH(0xc1f80000, 0x81c00000, CALL_INDIRECT),			/* jmpl */
	BRANCH(0xc1ffffff, 0x81cfe008, RETURN),				/* return %i7+8 */
	BRANCH(0xc1f80000, 0x81c80000, JUMP_INDIRECT),			/* return */
	ROW(0xc1f00000, 0x81e00000, RUN, NEXT),				/* save, restore */
	ROW(0xc1f80000, 0x81d80000, RUN, NEXT),				/* flush */
	/* ta with a number of the hypervisor, which returns; tcc */
	REFUSE(0xc1f82080, 0x81d02080, WORLD),
	REFUSE(0xc1f80000, 0x81d00000, TRAP),
	REFUSE(0xfdf80000, 0x81f00000, LEVEL, .flow = KPROBE_FLOW_RETURN), /* done, retry */
	ROW(0xc1ffc000, 0x81414000, EMULATE, NEXT),			/* rd %pc */
	REFUSE(0xffffc000, 0x81444000, EXCLUSIVE, .exclusive = -1),	/* rd %pic, %g0 */
	REFUSE(0xffffc000, 0x8145c000, EXCLUSIVE, .exclusive = -1),	/* rd %tick_cmpr, %g0 */
	ROW(0xc1f80000, 0x81400000, RUN, NEXT),				/* rd, membar */
	REFUSE(0xc1f80000, 0x81480000, LEVEL),				/* rdhpr */
	ROW(0xc1ff8000, 0x81510000, RUN, NEXT),				/* rdpr %tick, %tba */
	ROW(0xc1ffc000, 0x81518000, RUN, NEXT),				/* rdpr %pstate */
	ROW(0xc1ffc000, 0x81520000, RUN, NEXT),				/* rdpr %pil */
	ROW(0xc1ffc000, 0x8157c000, RUN, NEXT),				/* rdpr %ver */
	REFUSE(0xc1f80000, 0x81500000, LEVEL),				/* rdpr */
	ROW(0xc1f80000, 0x81580000, RUN, NEXT),				/* flushw */
	ROW(0xc1e00000, 0x81600000, RUN, NEXT),				/* movcc, movr, sdivx */
	REFUSE(0xfff80000, 0x9f800000, WORLD),				/* sir */
	REFUSE(0xfff80000, 0xa3800000, EXCLUSIVE, .exclusive = 1),	/* wr %pic */
	REFUSE(0xfff80000, 0xaf800000, EXCLUSIVE, .exclusive = 1),	/* wr %tick_cmpr */
	ROW(0xc1f80000, 0x81800000, RUN, NEXT),				/* wr */
	REFUSE(0xc1f80000, 0x81880000, LEVEL),				/* saved, restored */
	ROW(0xfff80000, 0x89900000, RUN, NEXT),				/* wrpr %tick */
	ROW(0xfff80000, 0x91900000, RUN, NEXT),				/* wrpr %pil */
	/* wrpr %pstate: IE set; IE inverted, to mask interrupts; the old value written back */
	REFUSE(0xffffe002, 0x8d902002, LEVEL, .exclusive = -1),
	REFUSE(0xfff82002, 0x8d902002, EXCLUSIVE, .exclusive = 1),
	REFUSE(0xfff80000, 0x8d900000, LEVEL, .exclusive = -1),
	REFUSE(0xc1f80000, 0x81900000, LEVEL),				/* wrpr */
	REFUSE(0xc1f80000, 0x81980000, LEVEL),				/* wrhpr */
	REFUSE(0xc1f83fe0, 0x81b01000, SLEEP),				/* shutdown */
	ROW(0xc1e00000, 0x81a00000, RUN, NEXT),				/* floating point, VIS */
	REFUSE_REST,
};

/* Atomic ones need no other instruction. */
static const struct kprobe_form loads_and_stores[] = {
	RUN_REST,
};

/* By op. */
static const struct kprobe_forms forms = {
	.shift = 30,
	.bits = 0x3,
	.major = { branches_and_sethi, call, arithmetic, loads_and_stores },
};

static unsigned int rd_of(u32 word)
{
	return word >> 25 & 0x1f;
}

static unsigned int rs1_of(u32 word)
{
	return word >> 14 & 0x1f;
}

static unsigned int rs2_of(u32 word)
{
	return word & 0x1f;
}

/* How far from a branch its target is. */
static long offset_of(u32 word, u8 field)
{
	switch (field) {
	case DISP30:
		return sign_extend64(word, 29) * WORD;
	case DISP22:
		return sign_extend64(word, 21) * WORD;
	case DISP19:
		return sign_extend64(word, 18) * WORD;
	case DISP16:
		return sign_extend64((word >> 20 & 0x3) << 14 | (word & 0x3fff), 15) * WORD;
	default:
		return sign_extend64((word >> 19 & 0x3) << 8 | (word >> 5 & 0xff), 9) * WORD;
	}
}

/* The same conditional branch to an instruction that is a few words further on. */
static u32 set_offset(u32 word, u8 field, u32 words)
{
	switch (field) {
	case DISP22:
		return (word & ~(u32)GENMASK(21, 0)) | words;
	case DISP19:
		return (word & ~(u32)GENMASK(18, 0)) | words;
	case DISP16:
		return (word & ~(u32)(GENMASK(21, 20) | GENMASK(13, 0))) | words;
	default:
		return (word & ~(u32)(GENMASK(20, 19) | GENMASK(12, 5))) | words << 5;
	}
}

/* Is the target of jmpl relative to the register that it overwrites? */
static bool overwrites_target(u32 word)
{
	return rd_of(word) == rs1_of(word) || (!(word & IMM) && rd_of(word) == rs2_of(word));
}

/* Is it "return"? */
static bool restores_window(u32 word)
{
	return (word & 0xc1f80000) == 0x81c80000;
}

/* Can a copy of the instruction be in the delay slot of a branch's copy? */
static bool fits_delay_slot(u32 word)
{
	const struct kprobe_form *form = kprobe_find_form(&forms, word);

	return !form->reason && form->action != KPROBE_EMULATE;
}

/*
 * Is it the address of code near by? gcc has all tables of jumps of an object in front of its first
 * function. In a module these addresses look like any instruction.
 */
static bool may_be_table(u32 word, unsigned long addr)
{
	return !(word % WORD) && word - addr + SZ_1M < 2 * SZ_1M;
}

static enum kprobe_reason plan(struct kprobe_insn *insn, const u8 *bytes, size_t avail,
			       unsigned long addr)
{
	const struct kprobe_form *form;
	enum kprobe_reason reason;
	u32 word;

	*insn = (struct kprobe_insn){ .breakpoint_len = WORD };
	if (avail < WORD)
		return KPROBE_REASON_UNDECODABLE;
	word = get_unaligned_be32(bytes);
	insn->len = WORD;
	form = kprobe_find_form(&forms, word);
	reason = kprobe_plan_form(insn, form);
	if (kprobe_insn_has_target(insn))
		insn->target = addr + offset_of(word, form->uses);
	/* If it is a branch after all, its delay slot cannot be probed either. */
	if (may_be_table(word, addr))
		reason = reason ?: KPROBE_REASON_DATA;
	if (insn->flow == KPROBE_FLOW_CALL_INDIRECT)
		insn->no_copy = overwrites_target(word);
	/* The copy first has the call's own address. */
	if (insn->flow == KPROBE_FLOW_CALL || insn->flow == KPROBE_FLOW_CALL_INDIRECT)
		insn->fault = 2 * WORD;
	if (insn->bundle && avail >= 2 * WORD)
		insn->no_copy |= !fits_delay_slot(get_unaligned_be32(bytes + WORD));
	/* Its slot has the delay slot too. */
	insn->may_fault = restores_window(word);
	if (insn->may_fault && insn->no_copy)
		reason = reason ?: KPROBE_REASON_FORM;
	return reason;
}

static void put_branch(struct kprobe_code *code, u32 word, unsigned long to)
{
	long apart = to - kprobe_code_here(code);

	if (apart < -SZ_8M || apart >= SZ_8M)
		code->far = true;
	kprobe_put_be32(code, word | (apart / WORD & GENMASK(21, 0)));
}

static void put_jump(struct kprobe_code *code, unsigned long to, u32 scratch)
{
	put_branch(code, BA | ANNUL, to);
}

/* All text is in the first 4 GB. */
static void put_address(struct kprobe_code *code, unsigned int reg, unsigned long addr)
{
	if (addr >= SZ_4G)
		code->far = true;
	kprobe_put_be32(code, SETHI | RD(reg) | (addr >> 10 & GENMASK(21, 0)));
	kprobe_put_be32(code, OR_IMM | RD(reg) | RS1(reg) | (addr & GENMASK(9, 0)));
}

/*
 * What branches, up to the delay slot. The call's own address is in its register before that is
 * executed, and the callee returns to the original text.
 */
static void put_transfer(struct kprobe_code *code, const struct kprobe_insn *insn, u32 word,
			 unsigned long from)
{
	switch (insn->flow) {
	case KPROBE_FLOW_COND:
		kprobe_put_be32(code, set_offset(word, kprobe_find_form(&forms, word)->uses,
						 2 + insn->bundle));
		break;
	case KPROBE_FLOW_JUMP:
		put_branch(code, insn->bundle ? BA : BA | ANNUL, insn->target);
		break;
	case KPROBE_FLOW_CALL:
		put_address(code, REG_O7, from);
		put_branch(code, BA, insn->target);
		break;
	case KPROBE_FLOW_CALL_INDIRECT:
		put_address(code, rd_of(word), from);
		kprobe_put_be32(code, word & ~RD(0x1f));
		break;
	default:
		kprobe_put_be32(code, word);
	}
}

/*
 * A conditional branch, which may annul its delay slot, leads over a jump to one with more reach:
 *
 *	b<cond>[,a] 1f
 *	 delay slot
 *	ba,a	2f
 * 1:	ba,a	target
 * 2:
 */
static void emit(struct kprobe_code *code, const struct kprobe_insn *insn,
		 const u8 *bytes, unsigned long from)
{
	u32 word = get_unaligned_be32(bytes);

	if (insn->action == KPROBE_NOP)
		return;
	if (insn->action == KPROBE_EMULATE && insn->flow == KPROBE_FLOW_NEXT)
		put_address(code, rd_of(word), from);
	else
		put_transfer(code, insn, word, from);
	if (insn->bundle)
		kprobe_put_be32(code, get_unaligned_be32(bytes + WORD));
	if (insn->flow == KPROBE_FLOW_COND) {
		put_jump(code, kprobe_code_here(code) + 2 * WORD, 0);
		put_jump(code, insn->target, 0);
	}
}

static void put_breakpoint(struct kprobe_code *code, const struct kprobe_insn *insn)
{
	kprobe_put_be32(code, BREAKPOINT);
}

/* The call overwrites %o7 of a new window. The probed code's is in %i7 there. */
static void put_enter(struct kprobe_code *code, unsigned long common)
{
	long apart;

	kprobe_put_be32(code, SAVE_IMM | RD(REG_SP) | RS1(REG_SP) | SIMM13(-KPROBE_STUB_FRAME));
	apart = common - kprobe_code_here(code);
	if (apart != (s32)apart)
		code->far = true;
	kprobe_put_be32(code, CALL | (apart / WORD & GENMASK(29, 0)));
	kprobe_put_be32(code, NOP);
}

static void put_leave(struct kprobe_code *code)
{
	kprobe_put_be32(code, RESTORE);
}

const struct kprobe_isa sparc_kprobe_isa = {
	.insn_max = KPROBE_INSN_MAX,
	.align = KPROBE_INSN_ALIGN,
	.jump_size = KPROBE_JUMP_SIZE,
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
