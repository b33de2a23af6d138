// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * s390's instruction set: what becomes of a probed instruction, and how it is written
 * elsewhere.
 *
 * An instruction has two, four or six bytes, as its first two bits tell. The breakpoint has
 * two bytes. The jump has six: brcl, which reaches 4 GB.
 *
 * Nearly every instruction runs as a copy, followed by a jump back. A copy is not
 * single-stepped, so it may mask interrupts, change what PER watches, and be an interlocked
 * update. Loads and stores that are relative to their address have copies too. Other
 * instructions that depend on it are emulated: relative branches, calls and larl. So are all
 * other branches, except bi and bic, which load their target. Most of what is emulated has a
 * copy as well, for detours. No copy changes the condition code where the original does not.
 *
 * What a breakpoint breaks is refused, and so is what leaves the kernel's ordinary flow.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/kprobe_isa.h>
#include <linux/sizes.h>
#include <linux/unaligned.h>

#define REG_LINK	14
#define REG_SP		15

/* An illegal operation, which is the kernel's own. */
#define BREAKPOINT	0x0002

/* Opcodes of one byte. */
#define BALR		0x05
#define BASR		0x0d

/* The first two bytes of instructions, without their registers or mask. */
#define BCR		0x0700
#define BRC		0xa704
#define BRAS		0xa705
#define LARL		0xc000
#define BRCL		0xc004
#define BRASL		0xc005
#define ALWAYS		0x00f0
#define RELATIVE_OP	0xff0f

/* The last byte of instructions whose first byte is 0xe3. */
#define LG		0x04
#define STG		0x24
#define LAY		0x71

/* What else a form says, in @uses. */
#define SHORT		BIT(0)	/* a relative operand of 16 bits, in bytes 2 and 3 */
#define LONG		BIT(1)	/* one of 32 bits, in bytes 2 to 5 */
#define LINKS		BIT(2)	/* the target may be in the register that gets the return address */
#define SKIPS		BIT(3)	/* it may branch over data, whose address it takes */
#define EXECUTES	BIT(4)	/* it executes what is at its operand */
#define STATE		BIT(5)	/* C code may not be called after it */
#define CONTROLS	BIT(6)	/* it loads control registers */

#define ROW(bits, word, what, where, which, ...) \
	KPROBE_FORM(bits, word, what, where, .uses = which, __VA_ARGS__)
#define REFUSE			KPROBE_REFUSE
#define RUN_REST		ROW(0, 0, RUN, NEXT, 0)
#define REFUSE_REST		REFUSE(0, 0, UNDECODABLE)

/*
 * What becomes of instructions: z/Architecture Principles of Operation, "Instructions Arranged
 * by Operation Code", by the opcode's first digit. Opcodes are in an instruction's first two
 * bytes and in its last one, and so are the masks of branches. A form is therefore found by the
 * first two bytes and the last two. Opcodes of one byte that are not assigned are told apart;
 * others trap in a copy too.
 *
 * A conditional return either leaves the function or goes on with the next instruction. Other
 * conditional branches to registers may lead to any place of the function. They have no copy in a
 * region, which would end with them.
 *
 * Why instructions are refused:
 *
 * TRAP:  somebody else has put it there or waits for it: BUG(), and uprobes' breakpoint.
 * LEVEL: to another PSW, that of a user or of an idle CPU too; to another addressing mode, or to
 *        real addresses, where slots are not; to other address spaces; what leaves an address
 *        of the copy in the linkage stack.
 * WORLD: the hypervisor may keep the CPU as long as it likes, or go on elsewhere. While a guest
 *        runs, the machine check handler compares addresses with those of the original.
 * EXCLUSIVE: executes another instruction, the one at its operand. That one may branch, or take
 *        its address from this one.
 * TRANSACTION: a breakpoint ends it.
 * FORM:  its copy would need another register where the return address goes to a register that
 *        the target is made of. Compilers use basr and brasl.
 */
static const struct kprobe_form digit_0[] = {
	REFUSE(0xffff0000, 0x00010000, TRAP),				/* uprobes' */
	REFUSE(0xffff0000, 0x00020000, TRAP),				/* kprobes' */
	REFUSE(0xffff0000, 0x01010000, LEVEL, .flow = KPROBE_FLOW_RETURN), /* pr */
	REFUSE(0xfffe0000, 0x010c0000, LEVEL),				/* sam24, sam31 */
	REFUSE(0xffff0000, 0x010e0000, LEVEL),				/* sam64 */
	REFUSE(0xffff0000, 0x01ff0000, TRAP),				/* trap2 */
	ROW(0xff000000, 0x01000000, RUN, NEXT, 0),			/* ptff and others */
	ROW(0xff000000, 0x04000000, RUN, NEXT, 0),			/* spm */
	ROW(0xf70f0000, 0x05000000, EMULATE, NEXT, 0),			/* balr, basr; no branch */
	ROW(0xf7000000, 0x05000000, EMULATE, CALL_INDIRECT, LINKS),	/* balr, basr */
	ROW(0xff0f0000, 0x06000000, RUN, NEXT, 0),			/* bctr; no branch */
	ROW(0xff000000, 0x06000000, EMULATE, JUMP_INDIRECT, 0, .no_copy = 1), /* bctr */
	ROW(0xffef0000, 0x07e00000, RUN, NEXT, 0),			/* bcr that serializes */
	ROW(0xff0f0000, 0x07000000, NOP, NEXT, 0),			/* bcr to nothing */
	ROW(0xfff00000, 0x07000000, NOP, NEXT, 0),			/* nopr */
	ROW(0xffff0000, 0x07fe0000, EMULATE, RETURN, 0),		/* br %r14 */
	ROW(0xfff00000, 0x07f00000, EMULATE, JUMP_INDIRECT, 0),		/* br */
	ROW(0xff0f0000, 0x070e0000, EMULATE, NEXT, 0),			/* bcr to %r14 */
	ROW(0xff000000, 0x07000000, EMULATE, JUMP_INDIRECT, 0, .no_copy = 1), /* bcr */
	REFUSE(0xff000000, 0x0a000000, LEVEL),				/* svc */
	REFUSE(0xff000000, 0x0b000000, LEVEL, .flow = KPROBE_FLOW_JUMP_INDIRECT), /* bsm */
	REFUSE(0xff000000, 0x0c000000, LEVEL, .flow = KPROBE_FLOW_CALL_INDIRECT), /* bassm */
	ROW(0xfe000000, 0x0e000000, RUN, NEXT, 0),			/* mvcl, clcl */
	REFUSE_REST,
};

static const struct kprobe_form digit_4[] = {
	REFUSE(0xff000000, 0x44000000, EXCLUSIVE),			/* ex */
	REFUSE(0xf7000000, 0x45000000, FORM, .flow = KPROBE_FLOW_CALL_INDIRECT), /* bal, bas */
	ROW(0xff000000, 0x46000000, EMULATE, JUMP_INDIRECT, 0, .no_copy = 1), /* bct */
	ROW(0xfff00000, 0x47000000, NOP, NEXT, 0),			/* nop */
	ROW(0xfff00000, 0x47f00000, EMULATE, JUMP_INDIRECT, 0),		/* b */
	ROW(0xff000000, 0x47000000, EMULATE, JUMP_INDIRECT, 0, .no_copy = 1), /* bc */
	RUN_REST,
};

static const struct kprobe_form digits_6_and_7[] = {
	ROW(0xff000000, 0x60000000, RUN, NEXT, 0),			/* std */
	ROW(0xff000000, 0x67000000, RUN, NEXT, 0),			/* mxd */
	ROW(0xfe000000, 0x70000000, RUN, NEXT, 0),			/* ste, ms */
	ROW(0xe8000000, 0x68000000, RUN, NEXT, 0),			/* ld, le and others */
	REFUSE_REST,
};

static const struct kprobe_form digit_8[] = {
	REFUSE(0xff000000, 0x81000000, UNDECODABLE),
	REFUSE(0xff000000, 0x82000000, LEVEL, .flow = KPROBE_FLOW_JUMP_INDIRECT), /* lpsw */
	REFUSE(0xff000000, 0x83000000, WORLD),				/* diag */
	ROW(0xfe000000, 0x84000000, EMULATE, COND, SHORT),		/* brxh, brxle */
	ROW(0xfe000000, 0x86000000, EMULATE, JUMP_INDIRECT, 0, .no_copy = 1), /* bxh, bxle */
	RUN_REST,
};

static const struct kprobe_form digit_a[] = {
	ROW(0xffff0000, 0xa7040000, NOP, NEXT, 0),			/* brc 0 */
	ROW(0xffff0000, 0xa7f40000, EMULATE, JUMP, SHORT),		/* brc 15 */
	ROW(0xff0f0000, 0xa7040000, EMULATE, COND, SHORT),		/* brc */
	ROW(0xffff0000, 0xa7e50000, EMULATE, CALL, SHORT),		/* bras %r14 */
	ROW(0xff0f0000, 0xa7050000, EMULATE, CALL, SHORT | SKIPS),	/* bras */
	ROW(0xff0e0000, 0xa7060000, EMULATE, COND, SHORT),		/* brct, brctg */
	ROW(0xfd000000, 0xa5000000, RUN, NEXT, 0),			/* iihh, tmlh and others */
	ROW(0xfe000000, 0xa8000000, RUN, NEXT, 0),			/* mvcle, clcle */
	ROW(0xff040000, 0xac040000, RUN, NEXT, 0),			/* stnsm */
	REFUSE(0xff000000, 0xac000000, LEVEL),				/* stnsm that ends DAT */
	ROW(0xff040000, 0xad000000, RUN, NEXT, 0),			/* stosm */
	REFUSE(0xff000000, 0xad000000, LEVEL),				/* stosm that begins DAT */
	ROW(0xff000000, 0xae000000, RUN, NEXT, 0),			/* sigp */
	REFUSE(0xff000000, 0xaf000000, TRAP),				/* mc */
	REFUSE_REST,
};

/* STATE: with another storage key or address space C code would not reach its own memory. */
static const struct kprobe_form digit_b[] = {
	ROW(0xffff0000, 0xb20a0000, RUN, NEXT, STATE),			/* spka */
	REFUSE(0xffff0000, 0xb2140000, WORLD),				/* sie */
	REFUSE(0xffff0000, 0xb2180000, LEVEL, .flow = KPROBE_FLOW_CALL_INDIRECT), /* pc */
	ROW(0xffff0000, 0xb2190000, RUN, NEXT, STATE),			/* sac */
	REFUSE(0xffff0000, 0xb2280000, LEVEL, .flow = KPROBE_FLOW_JUMP_INDIRECT), /* pt */
	REFUSE(0xffff0000, 0xb2400000, LEVEL, .flow = KPROBE_FLOW_JUMP_INDIRECT), /* bakr */
	REFUSE(0xfffd0000, 0xb2580000, LEVEL, .flow = KPROBE_FLOW_JUMP_INDIRECT), /* bsg, bsa */
	REFUSE(0xffff0000, 0xb2770000, LEVEL, .flow = KPROBE_FLOW_JUMP_INDIRECT), /* rp */
	ROW(0xffff0000, 0xb2790000, RUN, NEXT, STATE),			/* sacf */
	REFUSE(0xffff0000, 0xb2b20000, LEVEL, .flow = KPROBE_FLOW_JUMP_INDIRECT), /* lpswe */
	REFUSE(0xffff0000, 0xb2f80000, TRANSACTION, .exclusive = -1),	/* tend */
	REFUSE(0xffff0000, 0xb2fc0000, TRANSACTION),			/* tabort */
	REFUSE(0xffff0000, 0xb2ff0000, TRAP),				/* trap4 */
	ROW(0xfe000000, 0xb2000000, RUN, NEXT, 0),			/* servc, cpdr and others */
	ROW(0xff000000, 0xb6000000, RUN, NEXT, 0),			/* stctl */
	ROW(0xff000000, 0xb7000000, RUN, NEXT, CONTROLS),		/* lctl */
	ROW(0xffff000f, 0xb9460000, RUN, NEXT, 0),			/* bctgr; no branch */
	ROW(0xffff0000, 0xb9460000, EMULATE, JUMP_INDIRECT, 0, .no_copy = 1), /* bctgr */
	REFUSE(0xffff0000, 0xb99e0000, LEVEL, .flow = KPROBE_FLOW_JUMP_INDIRECT), /* pti */
	ROW(0xf7000000, 0xb1000000, RUN, NEXT, 0),			/* lra; agr and others */
	ROW(0xfe000000, 0xba000000, RUN, NEXT, 0),			/* cs, cds */
	ROW(0xff000000, 0xbd000000, RUN, NEXT, 0),			/* clm */
	ROW(0xfe000000, 0xbe000000, RUN, NEXT, 0),			/* stcm, icm */
	REFUSE_REST,
};

/* Hints for branches and caches have no effect: bprp, bpp, pfdrl. */
static const struct kprobe_form digit_c[] = {
	ROW(0xff0f0000, 0xc0000000, EMULATE, NEXT, LONG, .takes_address = 1), /* larl */
	ROW(0xffff0000, 0xc0040000, NOP, NEXT, 0),			/* brcl 0 */
	ROW(0xffff0000, 0xc0f40000, EMULATE, JUMP, LONG),		/* brcl 15 */
	ROW(0xff0f0000, 0xc0040000, EMULATE, COND, LONG),		/* brcl */
	ROW(0xff0f0000, 0xc0050000, EMULATE, CALL, LONG),		/* brasl */
	ROW(0xfd000000, 0xc0000000, RUN, NEXT, 0),			/* lgfi, msgfi and others */
	ROW(0xff0f0000, 0xc4020000, RUN, NEXT, LONG, .data_len = 2),	/* llhrl */
	ROW(0xff0d0000, 0xc4040000, RUN, NEXT, LONG, .data_len = 2),	/* lghrl, llghrl */
	ROW(0xff0f0000, 0xc4050000, RUN, NEXT, LONG, .data_len = 2),	/* lhrl */
	ROW(0xff0f0000, 0xc4070000, RUN, NEXT, LONG),			/* sthrl */
	ROW(0xff0f0000, 0xc4080000, RUN, NEXT, LONG, .data_len = 8),	/* lgrl */
	ROW(0xff0b0000, 0xc40b0000, RUN, NEXT, LONG),			/* stgrl, strl */
	ROW(0xff0e0000, 0xc40c0000, RUN, NEXT, LONG, .data_len = 4),	/* lgfrl, lrl */
	ROW(0xff0f0000, 0xc40e0000, RUN, NEXT, LONG, .data_len = 4),	/* llgfrl */
	ROW(0xfd000000, 0xc5000000, NOP, NEXT, 0),			/* bprp, bpp */
	REFUSE(0xff0f0000, 0xc6000000, EXCLUSIVE, .uses = LONG | EXECUTES,
	       .data_len = 2),						/* exrl */
	ROW(0xff0f0000, 0xc6020000, NOP, NEXT, 0),			/* pfdrl */
	ROW(0xff0c0000, 0xc6040000, RUN, NEXT, LONG, .data_len = 2),	/* cghrl and others */
	ROW(0xff0d0000, 0xc6080000, RUN, NEXT, LONG, .data_len = 8),	/* cgrl, clgrl */
	ROW(0xff0c0000, 0xc60c0000, RUN, NEXT, LONG, .data_len = 4),	/* cgfrl and others */
	ROW(0xff0f0000, 0xcc060000, EMULATE, COND, LONG),		/* brcth */
	ROW(0xfb000000, 0xc8000000, RUN, NEXT, 0),			/* mvcos, aih and others */
	REFUSE_REST,
};

static const struct kprobe_form digit_e[] = {
	REFUSE(0xfb000000, 0xe0000000, UNDECODABLE),			/* 0xe0, 0xe4 */
	ROW(0xff0000ff, 0xe3000046, EMULATE, JUMP_INDIRECT, 0, .no_copy = 1), /* bctg */
	ROW(0xfff000ff, 0xe3f00047, RUN, JUMP_INDIRECT, 0),		/* bi */
	ROW(0xff0000ff, 0xe3000047, RUN, JUMP_INDIRECT, 0, .no_copy = 1), /* bic */
	REFUSE(0xffff0000, 0xe5000000, LEVEL),				/* lasp */
	REFUSE(0xfffe0000, 0xe5600000, TRANSACTION, .exclusive = 1),	/* tbegin, tbeginc */
	ROW(0xff0000ff, 0xeb00002f, RUN, NEXT, CONTROLS),		/* lctlg */
	ROW(0xff0000fe, 0xeb000044, EMULATE, JUMP_INDIRECT, 0, .no_copy = 1), /* bxhg, bxleg */
	REFUSE(0xff0000ff, 0xeb000071, LEVEL, .flow = KPROBE_FLOW_JUMP_INDIRECT), /* lpswey */
	ROW(0xff0000fe, 0xec000044, EMULATE, COND, SHORT),		/* brxhg, brxlg */
	ROW(0xff0000fe, 0xec000064, EMULATE, COND, SHORT),		/* cgrj, clgrj */
	ROW(0xff0000fe, 0xec000076, EMULATE, COND, SHORT),		/* crj, clrj */
	ROW(0xff0000fc, 0xec00007c, EMULATE, COND, SHORT),		/* cgij, clgij, cij, clij */
	ROW(0xff0000fe, 0xec0000e4, EMULATE, JUMP_INDIRECT, 0, .no_copy = 1), /* cgrb, clgrb */
	ROW(0xff0000fe, 0xec0000f6, EMULATE, JUMP_INDIRECT, 0, .no_copy = 1), /* crb, clrb */
	ROW(0xff0000fc, 0xec0000fc, EMULATE, JUMP_INDIRECT, 0, .no_copy = 1), /* cgib and others */
	RUN_REST,
};

static const struct kprobe_form digit_f[] = {
	ROW(0xfc000000, 0xf0000000, RUN, NEXT, 0),			/* srp and others */
	REFUSE(0xfe000000, 0xfe000000, UNDECODABLE),
	ROW(0xf8000000, 0xf8000000, RUN, NEXT, 0),			/* zap and others */
	REFUSE_REST,
};

/* 1 to 3, 5, 9, 0xd. */
static const struct kprobe_form other_digits[] = {
	REFUSE(0xfe000000, 0x52000000, UNDECODABLE),
	REFUSE(0xfc000000, 0x9c000000, UNDECODABLE),
	REFUSE(0xff000000, 0xd8000000, UNDECODABLE),
	RUN_REST,
};

static const struct kprobe_forms forms = {
	.shift = 28,
	.bits = 0xf,
	.major = {
		[0] = digit_0, [1] = other_digits, [2] = other_digits, [3] = other_digits,
		[4] = digit_4, [5] = other_digits, [6] = digits_6_and_7, [7] = digits_6_and_7,
		[8] = digit_8, [9] = other_digits, [10] = digit_a, [11] = digit_b,
		[12] = digit_c, [13] = other_digits, [14] = digit_e, [15] = digit_f,
	},
};

static unsigned int len_of(const u8 *bytes)
{
	return bytes[0] < 0x40 ? 2 : bytes[0] < 0xc0 ? 4 : 6;
}

/* What the second byte has: two registers, or a mask and one. */
static unsigned int r1_of(const u8 *bytes)
{
	return bytes[1] >> 4;
}

static unsigned int r2_of(const u8 *bytes)
{
	return bytes[1] & 0xf;
}

/*
 * Does it load control register 1 or 13? They tell where address spaces begin, the kernel's too.
 * After the last register comes the first one again.
 */
static bool loads_spaces(const u8 *bytes)
{
	unsigned int first = r1_of(bytes), last = r2_of(bytes);

	return ((1 - first) & 0xf) <= ((last - first) & 0xf) ||
	       ((13 - first) & 0xf) <= ((last - first) & 0xf);
}

static void plan_relative(struct kprobe_insn *insn, unsigned int uses, const u8 *bytes,
			  unsigned long addr)
{
	long units = uses & LONG ? (s32)get_unaligned_be32(bytes + 2) :
				   (s16)get_unaligned_be16(bytes + 2);
	unsigned long operand = addr + units * KPROBE_INSN_ALIGN, next = addr + insn->len;

	insn->arch.relative = uses & LONG ? sizeof(s32) : sizeof(s16);
	if (!kprobe_insn_has_target(insn)) {
		insn->data = operand;
		insn->executes = !!(uses & EXECUTES);
		return;
	}
	insn->target = operand;
	/* What ex executes may be in between, or constants. Calls with %r14 are not meant. */
	if (uses & SKIPS && units > 0 && operand > next) {
		insn->flow = KPROBE_FLOW_JUMP;
		insn->data = next;
		insn->data_len = operand - next;
	}
}

static enum kprobe_reason plan(struct kprobe_insn *insn, const u8 *bytes, size_t avail,
			       unsigned long addr)
{
	const struct kprobe_form *form;
	enum kprobe_reason reason;
	unsigned int len;

	*insn = (struct kprobe_insn){ .breakpoint_len = KPROBE_INSN_ALIGN };
	if (avail < KPROBE_INSN_ALIGN || avail < len_of(bytes))
		return KPROBE_REASON_UNDECODABLE;
	len = len_of(bytes);
	insn->len = len;
	form = kprobe_find_form(&forms, (u32)get_unaligned_be16(bytes) << 16 |
					get_unaligned_be16(bytes + len - 2));
	reason = kprobe_plan_form(insn, form);
	if (form->uses & (SHORT | LONG))
		plan_relative(insn, form->uses, bytes, addr);
	if (form->uses & LINKS)
		insn->no_copy = r1_of(bytes) == r2_of(bytes);
	insn->state = !!(form->uses & STATE);
	if (form->uses & CONTROLS && loads_spaces(bytes))
		reason = KPROBE_REASON_LEVEL;
	return reason;
}

static void put_halfword(struct kprobe_code *code, u16 halfword)
{
	u8 bytes[sizeof(halfword)];

	put_unaligned_be16(halfword, bytes);
	kprobe_code_put(code, bytes, sizeof(bytes));
}

/* An instruction of six bytes with a relative operand. */
static void put_relative(struct kprobe_code *code, u16 opcode, unsigned long to)
{
	long apart = to - kprobe_code_here(code);
	u32 units = apart / KPROBE_INSN_ALIGN;

	if (apart < -(long)SZ_4G || apart >= (long)SZ_4G)
		code->far = true;
	put_halfword(code, opcode);
	put_halfword(code, units >> 16);
	put_halfword(code, units);
}

static void put_jump(struct kprobe_code *code, unsigned long to, u32 scratch)
{
	put_relative(code, BRCL | ALWAYS, to);
}

/*
 * Its operand of 16 bits does not reach the target. So it leads over a branch (brc) to a brcl that
 * reaches the target; the brc leads over the brcl.
 */
static void put_cond(struct kprobe_code *code, const struct kprobe_insn *insn, const u8 *bytes)
{
	u8 copy[KPROBE_INSN_MAX];

	memcpy(copy, bytes, insn->len);
	put_unaligned_be16((insn->len + 4) / KPROBE_INSN_ALIGN, copy + 2);
	kprobe_code_put(code, copy, insn->len);
	put_halfword(code, BRC | ALWAYS);
	put_halfword(code, (4 + KPROBE_JUMP_SIZE) / KPROBE_INSN_ALIGN);
	put_jump(code, insn->target, 0);
}

/* The callee returns to the original text: no task sleeps with an address of the copy in %r14. */
static void put_link(struct kprobe_code *code, const struct kprobe_insn *insn, const u8 *bytes,
		     unsigned long next)
{
	if (insn->no_copy)
		code->far = true;
	put_relative(code, LARL | r1_of(bytes) << 4, next);
	if (insn->flow == KPROBE_FLOW_CALL_INDIRECT)
		put_halfword(code, BCR | ALWAYS | r2_of(bytes));
	else if (kprobe_insn_has_target(insn))
		put_jump(code, insn->target, 0);
}

static void emit(struct kprobe_code *code, const struct kprobe_insn *insn, const u8 *bytes,
		 unsigned long from)
{
	u16 opcode = get_unaligned_be16(bytes), op = opcode & RELATIVE_OP;

	if (insn->action == KPROBE_NOP)
		return;
	if (bytes[0] == BALR || bytes[0] == BASR || op == BRAS || op == BRASL) {
		put_link(code, insn, bytes, from + insn->len);
	} else if (op == BRC) {
		put_relative(code, BRCL | (opcode & ALWAYS), insn->target);
	} else if (insn->arch.relative == sizeof(s16)) {
		put_cond(code, insn, bytes);
	} else if (insn->arch.relative) {
		put_relative(code, opcode,
			     kprobe_insn_has_target(insn) ? insn->target : insn->data);
	} else {
		kprobe_code_put(code, bytes, insn->len);
	}
}

static void put_breakpoint(struct kprobe_code *code, const struct kprobe_insn *insn)
{
	put_halfword(code, BREAKPOINT);
}

/* An instruction with an address that is relative to the stack pointer. */
static void put_stack(struct kprobe_code *code, u8 op, unsigned int reg, int disp)
{
	put_halfword(code, 0xe300 | reg << 4);
	put_halfword(code, REG_SP << 12 | (disp & 0xfff));
	put_halfword(code, (disp >> 12 & 0xff) << 8 | op);
}

/* lay does not change the condition code. The call overwrites %r14. */
static void put_enter(struct kprobe_code *code, unsigned long common)
{
	put_stack(code, LAY, REG_SP, -KPROBE_STUB_FRAME);
	put_stack(code, STG, REG_LINK, KPROBE_STUB_LINK);
	put_relative(code, BRASL | REG_LINK << 4, common);
}

static void put_leave(struct kprobe_code *code)
{
	put_stack(code, LG, REG_LINK, KPROBE_STUB_LINK);
	put_stack(code, LAY, REG_SP, KPROBE_STUB_FRAME);
}

const struct kprobe_isa s390_kprobe_isa = {
	.insn_max = KPROBE_INSN_MAX,
	.align = KPROBE_INSN_ALIGN,
	.jump_size = KPROBE_JUMP_SIZE,
	.jump_insns = 1,
	.forms = &forms,
	.plan = plan,
	.emit = emit,
	.jump = put_jump,
	.breakpoint = put_breakpoint,
	.enter = put_enter,
	.leave = put_leave,
};
