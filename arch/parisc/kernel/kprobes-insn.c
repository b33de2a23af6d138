// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PA-RISC's instruction set, 32 and 64 bit: what becomes of a probed instruction, and how
 * it is written elsewhere. Functions on byte buffers alone.
 *
 * An instruction is one word, and so is the breakpoint. The jump is two words and needs a
 * register. Nearly every instruction runs as a copy, followed by a jump back. Emulated are
 * branches, and what reads its own address. Branches have copies too, for detours, together
 * with the instruction in the delay slot. Refused is what a breakpoint breaks, and what leaves
 * the kernel's ordinary flow.
 *
 * An instruction with a condition may nullify the one after it. Its copy ends in two
 * breakpoints. The first is nullified if the next instruction would be.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/kprobe_isa.h>
#include <linux/sizes.h>
#include <linux/unaligned.h>

#define WORD_SIZE	4

#define REG_TRACE	1	/* what a call to ftrace puts the return address in */
#define REG_RP		2	/* the return address */
#define REG_SP		30
#define REG_LINK	31	/* what be,l puts the return address in */

/*
 * Registers that no function preserves, and none passes a value in: r1; r31, which has the return
 * address of millicode; and in 32 bit r20 and r21.
 */
#define SCRATCH \
	((u32)(BIT(31) | BIT(1) | (IS_ENABLED(CONFIG_64BIT) ? 0 : BIT(21) | BIT(20))))

#define BREAKPOINT	0x03ff801f	/* break	31, 0x1ffc */
#define LDIL		0x20000000	/* ldil		L%addr, b */
#define LDO		0x34000000	/* ldo		R%addr(b), x */
#define BE		0xe0002000	/* be		R%addr(sr4, b) */
#define BE_L		0xe4002000	/* be,l		R%addr(sr4, b), sr0, r31 */
#define CLEAR_SR0	0x00001820	/* mtsp		r0, sr0 */
#define COPY_RP		0x08020240	/* copy		rp, t */
#define COPY_LINK	0x081f0242	/* copy		r31, rp */

/* In bve,l the register with the target, and what makes it a call. */
#define BVE_L_FIELDS	0x03e02000

/* stw,ma or std,ma x, size(sp); ldw,mb or ldd,mb -size(sp), x */
#define STORE_MA	(IS_ENABLED(CONFIG_64BIT) ? 0x70000008 : 0x6c000000)
#define LOAD_MB		(IS_ENABLED(CONFIG_64BIT) ? 0x5000000c : 0x4c000000)
#define PUSH(reg, size)	(STORE_MA | REG_SP << 21 | (reg) << 16 | (size) << 1)
#define POP(reg, size)	(LOAD_MB | REG_SP << 21 | (reg) << 16 | (0x4001 - ((size) << 1)))

/* Room on the stack for a register, by what stacks are aligned to. */
#define ROOM		64

/* Fields that name a register, and the major opcode. */
#define B(word)		((word) >> 21 & 0x1f)
#define X(word)		((word) >> 16 & 0x1f)
#define T(word)		((word) & 0x1f)
#define MAJOR(word)	((word) >> 26)

/* Of branches: they nullify the delay slot, the conditional ones by direction; go backwards. */
#define NULLIFY		BIT(1)
#define BACKWARDS	BIT(0)

/* The displacement of a conditional branch, with the two above. */
#define DISP_MASK	GENMASK(12, 0)

/* What its fields do: a register is read or written; where a condition is, if it nullifies. */
#define RB	BIT(0)
#define RX	BIT(1)
#define WB	BIT(2)
#define WX	BIT(3)
#define WT	BIT(4)
#define CF	BIT(5)	/* a condition with a bit that negates it */
#define C	BIT(6)	/* one without */
#define N	BIT(7)	/* the coprocessor's condition */
#define ALL	0xff	/* unknown: any register may be read */

#define ROW(bits, word, what, where, which, ...) \
	KPROBE_FORM(bits, word, what, where, .uses = which, __VA_ARGS__)
#define REFUSE(bits, word, why, which, ...) \
	KPROBE_REFUSE(bits, word, why, .uses = which, __VA_ARGS__)
#define BRANCH(bits, word, where, which, ...) \
	ROW(bits, word, EMULATE, where, which, .bundle = 1, ##__VA_ARGS__)
#define REFUSE_REST		REFUSE(0, 0, UNDECODABLE, ALL)

/*
 * What becomes of instructions: PA-RISC 2.0 Architecture, "Instruction Formats" and "Operation
 * Codes". Groups are told apart, and each branch. Others that are
 * undefined trap in a copy too.
 *
 * Why instructions are refused:
 *
 * TRAP:  somebody else has put it there or waits for it: BUG(), checks of spin locks, KGDB.
 * LEVEL: to another privilege level or space; what the breakpoint's trap overwrites, the
 *        interruption registers, or relies on, the trap vector and the spaces of the kernel;
 *        without PSW bit Q, which would have those registers saved, there is no way back from
 *        a trap, and without D the stack has another address; and to other page tables. Those
 *        of the user come with their space in two steps. A handler between them that accesses
 *        user memory would fill the TLB with translations of the wrong process. diag does what
 *        a CPU of its model makes of it.
 * SLEEP: nothing on a CPU, but QEMU waits for an interrupt there. A Tasks RCU grace period does
 *        not wait for the idle task, so the copy that it returns to may have been freed.
 * FORM:  of special function units, which may nullify the next one, and of the branch target
 *        stack. The kernel is compiled without.
 *
 * ldcw and ldcd take locks. All atomics of the kernel share a few: a handler that uses one must not
 * wait for the code that it has interrupted. No instruction tells for certain that such a lock is
 * free again.
 *
 * mtsm runs as a copy: C code only writes what rsm or ssm have read before, with Q and D.
 */
static const struct kprobe_form system_and_memory[] = {
	REFUSE(0xfc001fe0, 0x00000000, TRAP, 0),			/* break */
	ROW(0xfc001fe0, 0x00000400, RUN, NEXT, 0),			/* sync, syncdma */
	/* rfi */
	REFUSE(0xfc001f00, 0x00000c00, LEVEL, ALL, .flow = KPROBE_FLOW_JUMP_INDIRECT,
	       .exclusive = -1),
	REFUSE(0xfc081fe0, 0x00080e60, LEVEL, WT, .exclusive = 1),	/* rsm of Q */
	REFUSE(0xfc021fe0, 0x00020e60, LEVEL, WT, .exclusive = 1),	/* rsm of D */
	REFUSE(0xfe001fe0, 0x02000e60, LEVEL, WT),			/* rsm of W */
	ROW(0xfc001fe0, 0x00000e60, RUN, NEXT, WT),			/* rsm */
	REFUSE(0xfc081fe0, 0x00080d60, LEVEL, WT, .exclusive = -1),	/* ssm of Q */
	REFUSE(0xfc021fe0, 0x00020d60, LEVEL, WT, .exclusive = -1),	/* ssm of D */
	REFUSE(0xfe001fe0, 0x02000d60, LEVEL, WT),			/* ssm of W */
	ROW(0xfc001fe0, 0x00000d60, RUN, NEXT, WT),			/* ssm */
	ROW(0xfc001fe0, 0x00001860, RUN, NEXT, RX),			/* mtsm */
	ROW(0xfc001fe0, 0x000014a0, EMULATE, NEXT, WT, .no_copy = 1),	/* mfia */
	ROW(0xfc001fe0, 0x000010a0, RUN, NEXT, RB | WT),		/* ldsid */
	ROW(0xfc001fe0, 0x000004a0, RUN, NEXT, WT),			/* mfsp */
	REFUSE(0xfc003fe0, 0x00003820, LEVEL, RX),			/* mtsp to sr4-sr7 */
	ROW(0xfc00ffe0, 0x0000d820, RUN, NEXT, RX, .exclusive = -1),	/* mtsp to sr3: user */
	ROW(0xfc001fe0, 0x00001820, RUN, NEXT, RX),			/* mtsp */
	ROW(0xffe01fe0, 0x020008a0, RUN, NEXT, WT),			/* mfctl itmr */
	ROW(0xffe01fe0, 0x02e008a0, RUN, NEXT, WT),			/* mfctl eirr */
	REFUSE(0xff001fe0, 0x020008a0, LEVEL, WT),			/* mfctl pcsq to ipsw */
	ROW(0xfc001fe0, 0x000008a0, RUN, NEXT, WT),			/* mfctl */
	REFUSE(0xffe01fe0, 0x01c01840, LEVEL, RX),			/* mtctl iva */
	ROW(0xffe01fe0, 0x02001840, RUN, NEXT, RX),			/* mtctl itmr */
	ROW(0xffe01fe0, 0x02e01840, RUN, NEXT, RX),			/* mtctl eirr */
	REFUSE(0xff001fe0, 0x02001840, LEVEL, RX),			/* mtctl pcsq to ipsw */
	REFUSE(0xffc01fe0, 0x03001840, LEVEL, RX, .exclusive = 1),	/* page tables: tr0, tr1 */
	REFUSE(0xffe01fe0, 0x03801840, LEVEL, RX, .exclusive = 1),	/* their lock: tr4 */
	ROW(0xfc001fe0, 0x00001840, RUN, NEXT, RX),			/* mtctl */
	ROW(0xfc001fe0, 0x000018c0, RUN, NEXT, RX),			/* mtsarcm */
	REFUSE(0xfc000000, 0x00000000, UNDECODABLE, ALL),
	ROW(0xfc001f80, 0x04001180, RUN, NEXT, RB | RX | WT),		/* probe, probei */
	ROW(0xfc001f80, 0x04001300, RUN, NEXT, RB | RX | WT),		/* lpa, lci */
	ROW(0, 0, RUN, NEXT, RB | RX),					/* TLB and caches */
};

static const struct kprobe_form basic[] = {
	ROW(0xffffffff, 0x08000240, NOP, NEXT, 0),			/* nop */
	REFUSE(0xffffffff, 0x094a024a, SLEEP, 0),			/* or r10, r10, r10 */
	REFUSE(0xffffffff, 0x0bff025f, SLEEP, RB),			/* or r31, r31, r31 */
	ROW(0xfc000000, 0x08000000, RUN, NEXT, RB | RX | WT | CF),
	REFUSE(0xfc001200, 0x0c000200, UNDECODABLE, ALL),		/* no indexed stores */
	ROW(0xfc000340, 0x0c000140, RUN, NEXT, RB | RX | WT, .exclusive = 1), /* ldcw, ldcd */
	ROW(0xfc001200, 0x0c001000, RUN, NEXT, RB | WT),		/* loads, short */
	ROW(0xfc001200, 0x0c000000, RUN, NEXT, RB | RX | WT),		/* loads, indexed */
	ROW(0xfc000000, 0x0c000000, RUN, NEXT, RB | RX),		/* stores, short */
	REFUSE(0xfc000000, 0x10000000, FORM, ALL),			/* spop0 to spop3 */
	REFUSE(0, 0, LEVEL, ALL),					/* diag */
};

static const struct kprobe_form upper_and_coprocessor[] = {
	ROW(0xfc000000, LDIL, RUN, NEXT, WB),				/* ldil */
	ROW(0xfc000000, 0x28000000, RUN, NEXT, RB),			/* addil */
	ROW(0xfc000000, 0x30000000, RUN, NEXT, N),			/* copr, ftest */
	ROW(0xfc000000, LDO, RUN, NEXT, RB | WX),			/* ldo */
	ROW(0, 0, RUN, NEXT, RB | RX),			/* fldw, fldd, fstw, fstd: short, indexed */
};

static const struct kprobe_form floating_point[] = {
	ROW(0x5c000000, 0x18000000, RUN, NEXT, 0),
	BRANCH(0xdc000000, 0x9c000000, COND, RB | RX),			/* cmpb,* */
	REFUSE_REST,
};

static const struct kprobe_form loads_and_stores[] = {
	ROW(0xf0000000, 0x40000000, RUN, NEXT, RB | WX),		/* ldb, ldh, ldw */
	ROW(0xfc000002, 0x50000000, RUN, NEXT, RB | WX),		/* ldd */
	ROW(0xfc000004, 0x5c000004, RUN, NEXT, RB | WX),		/* ldw,ma, ldw,mb */
	REFUSE(0xdc000000, 0x54000000, UNDECODABLE, ALL),
	ROW(0xf0000000, 0x50000000, RUN, NEXT, RB),			/* fldw, fldd */
	ROW(0, 0, RUN, NEXT, RB | RX),					/* stores */
};

/* They count as readers of what they write: the jump in a copy comes later. */
static const struct kprobe_form conditional_branches[] = {
	BRANCH(0xf4000000, 0x80000000, COND, RB | RX),			/* cmpb */
	BRANCH(0xf4000000, 0x84000000, COND, RB),			/* cmpib */
	BRANCH(0xf4000000, 0xa0000000, COND, RB | RX | WB),		/* addb */
	BRANCH(0xf4000000, 0xa4000000, COND, RB | WB),			/* addib */
	BRANCH(0xf8000000, 0xc0000000, COND, RX),			/* bb */
	BRANCH(0xfc000000, 0xc8000000, COND, RX | RB | WB),		/* movb */
	BRANCH(0, 0, COND, RB | WB),					/* movib */
};

/* If the condition of addi,tc is true, it traps. */
static const struct kprobe_form immediates[] = {
	ROW(0xfc000000, 0xb0000000, RUN, NEXT, RB | WX),		/* addi,tc */
	ROW(0, 0, RUN, NEXT, RB | WX | CF),				/* addi, subi, cmpiclr */
};

static const struct kprobe_form shifts[] = {
	ROW(0xfc001000, 0xd0000000, RUN, NEXT, RB | RX | WT | C),	/* shrpw, shrpd */
	ROW(0xf4000000, 0xd0000000, RUN, NEXT, RB | WX | C),		/* extrw, extrd */
	ROW(0xfc001400, 0xd4000000, RUN, NEXT, RX | WB | C),		/* depw,z */
	ROW(0xfc001000, 0xd4000000, RUN, NEXT, RB | RX | WB | C),	/* depw */
	ROW(0xfc000400, 0xf0000000, RUN, NEXT, RX | WB | C),		/* depd,z */
	ROW(0xfc000000, 0xf0000000, RUN, NEXT, RB | RX | WB | C),	/* depd */
	ROW(0xdc000400, 0xd4000000, RUN, NEXT, WB | C),			/* depwi,z, depdi,z */
	ROW(0xdc000000, 0xd4000000, RUN, NEXT, RB | WB | C),		/* depwi, depdi */
	ROW(0xfc000000, 0xf8000000, RUN, NEXT, RB | RX | WT),		/* hshl, mixh and others */
	REFUSE_REST,
};

/*
 * The kernel uses sr4 and no other space register that has its space. blr goes as far from itself
 * as a register says.
 */
static const struct kprobe_form branches[] = {
	BRANCH(0xfc00e000, BE, JUMP_INDIRECT, RB),			/* be */
	REFUSE(0xfc000000, 0xe0000000, LEVEL, RB, .flow = KPROBE_FLOW_JUMP_INDIRECT, .bundle = 1),
	BRANCH(0xfc00e000, BE_L, CALL_INDIRECT, RB),			/* be,l */
	REFUSE(0xfc000000, 0xe4000000, LEVEL, RB, .flow = KPROBE_FLOW_CALL_INDIRECT, .bundle = 1),
	BRANCH(0xfc000000, 0xec000000, COND, RB),			/* cmpib,* */
	BRANCH(0xffe0e000, 0xe8000000, JUMP, 0),			/* b */
	BRANCH(0xfc00e000, 0xe8000000, CALL, WB),			/* b,l */
	/* b,gate */
	REFUSE(0xfc00e000, 0xe8002000, LEVEL, 0, .flow = KPROBE_FLOW_JUMP, .bundle = 1),
	BRANCH(0xfc00c000, 0xe8008000, CALL, 0),		/* b,l of 22 bits, b,l,push */
	BRANCH(0xffe0fffd, 0xe8004000, JUMP_INDIRECT, RX, .no_copy = 1), /* blr x, r0 */
	BRANCH(0xfc00fffd, 0xe8004000, CALL_INDIRECT, RX | WB, .no_copy = 1), /* blr */
	REFUSE(0xfc00e000, 0xe8004000, FORM, ALL),		/* clrbts, pushbts and others */
	BRANCH(0xfffffffd, 0xe840c000, RETURN, 0),			/* bv r0(rp) */
	BRANCH(0xfc00fffd, 0xe800c000, JUMP_INDIRECT, RB | RX),		/* bv */
	BRANCH(0xffe0f000, 0xe840d000, RETURN, 0),			/* bve (rp) */
	BRANCH(0xfc00f000, 0xe800d000, JUMP_INDIRECT, RB),		/* bve */
	BRANCH(0xfc00f000, 0xe800f000, CALL_INDIRECT, RB),		/* bve,l */
	REFUSE_REST,
};

/* By the major opcode without its last bit. */
static const struct kprobe_forms forms = {
	.shift = 27,
	.bits = 0x1f,
	.major = {
		[0] = system_and_memory, [1 ... 2] = basic,
		[3] = floating_point, [7] = floating_point, [19] = floating_point,
		[23] = floating_point, [4 ... 6] = upper_and_coprocessor,
		[8 ... 15] = loads_and_stores, [16 ... 17] = conditional_branches,
		[20 ... 21] = conditional_branches, [24 ... 25] = conditional_branches,
		[18] = immediates, [22] = immediates, [26 ... 27] = shifts, [30 ... 31] = shifts,
		[28 ... 29] = branches,
	},
};

/* How far a direct branch goes: conditional ones have 12 bits, b,l has 17 or 22. */
static long displacement(u32 word)
{
	u32 words = (word >> 3 & 0x3ff) | (word & BIT(2)) << 8;
	unsigned int bits = 11;

	if (MAJOR(word) == 0x3a) {
		words |= X(word) << 11;
		bits = 16;
		if (word & BIT(15)) {
			words |= B(word) << 16;
			bits = 21;
		}
	}
	return ((long)words - ((long)(word & BACKWARDS) << bits)) * WORD_SIZE;
}

/* The register that a call puts the return address in. */
static u32 link_of(u32 word)
{
	if (MAJOR(word) == 0x39)
		return REG_LINK;
	return (word & 0xe000) && (word & 0xe000) != 0x4000 ? REG_RP : B(word);
}

static void plan_registers(struct kprobe_insn *insn, u32 word, u8 uses)
{
	if (uses == ALL) {
		insn->reads = SCRATCH;
		return;
	}
	insn->reads = ((uses & RB ? BIT(B(word)) : 0) | (uses & RX ? BIT(X(word)) : 0)) & SCRATCH;
	insn->writes = (uses & WB ? BIT(B(word)) : 0) | (uses & WX ? BIT(X(word)) : 0) |
		       (uses & WT ? BIT(T(word)) : 0);
	if (MAJOR(word) == 0x0a)
		insn->writes |= BIT(1);
	if (MAJOR(word) == 0x39)
		insn->writes |= BIT(REG_LINK);
	insn->writes &= SCRATCH;
	insn->may_skip = (uses & CF && word & 0xf000) || (uses & C && word & 0xe000) ||
			 (uses & N && word & BIT(5));
	insn->ends_in_trap = insn->may_skip;
}

/*
 * A call by the calling convention puts the return address in rp. be,l has the delay slot do that,
 * if it is not of millicode.
 */
static void plan_call(struct kprobe_insn *insn, u32 word, u32 next)
{
	u32 link = link_of(word);

	if (link == REG_RP || (MAJOR(word) == 0x39 && next == COPY_LINK && !(word & NULLIFY)))
		insn->dead = SCRATCH;
	/* Its copy would need another register. */
	if (insn->flow == KPROBE_FLOW_CALL)
		insn->no_copy = link != REG_RP;
	else if (link == REG_LINK)
		insn->no_copy = B(word) == REG_LINK;
	/* ftrace's call, which returns to its delay slot. */
	if (insn->flow == KPROBE_FLOW_CALL && link == REG_TRACE && word & NULLIFY)
		insn->bundle = 0;
}

/* Offset in the copy of a branch of what is in front of its delay slot: put_cond(), put_call(). */
static unsigned int slot_front(const struct kprobe_insn *insn, u32 word)
{
	switch (insn->flow) {
	case KPROBE_FLOW_JUMP:
		return WORD_SIZE;
	case KPROBE_FLOW_COND:
		return word & NULLIFY ? 2 * WORD_SIZE : 0;
	case KPROBE_FLOW_CALL:
		return 3 * WORD_SIZE;
	case KPROBE_FLOW_CALL_INDIRECT:
		return link_of(word) == REG_LINK || link_of(word) == B(word) ? 3 * WORD_SIZE :
									       2 * WORD_SIZE;
	default:
		return 0;
	}
}

/*
 * In 64 bit gcc puts the table of a jump behind it, with offsets from its start. What they look
 * like as instructions is hardly used right behind a jump, or undefined.
 */
static unsigned int entry(const u8 *bytes, size_t avail, unsigned long addr,
			  struct kprobe_jump_table *table)
{
	u32 word;

	if (!IS_ENABLED(CONFIG_64BIT) || avail < WORD_SIZE)
		return 0;
	word = get_unaligned_be32(bytes);
	return word && !(word % WORD_SIZE) && word + SZ_64K < 2 * SZ_64K ? WORD_SIZE : 0;
}

static enum kprobe_reason plan(struct kprobe_insn *insn, const u8 *bytes, size_t avail,
			       unsigned long addr)
{
	const struct kprobe_form *form;
	u32 word;

	*insn = (struct kprobe_insn){ .breakpoint_len = WORD_SIZE };
	if (avail < WORD_SIZE)
		return KPROBE_REASON_UNDECODABLE;
	word = get_unaligned_be32(bytes);
	insn->len = WORD_SIZE;
	form = kprobe_find_form(&forms, word);
	kprobe_plan_form(insn, form);
	plan_registers(insn, word, form->uses);
	if (kprobe_insn_has_target(insn))
		insn->target = addr + 2 * WORD_SIZE + displacement(word);
	if (insn->flow == KPROBE_FLOW_CALL || insn->flow == KPROBE_FLOW_CALL_INDIRECT)
		plan_call(insn, word, avail < 2 * WORD_SIZE ? 0 :
			  get_unaligned_be32(bytes + WORD_SIZE));
	/*
	 * Without a delay slot are jumps that nullify it always, and branches forwards that nullify
	 * it if taken. A call that does returns to the instruction behind it.
	 */
	else if (word & NULLIFY && (insn->flow != KPROBE_FLOW_COND || !(word & BACKWARDS)))
		insn->bundle = 0;
	if (insn->bundle)
		insn->fault = slot_front(insn, word);
	/* One that nullifies its delay slot may have the table there. */
	if (insn->flow == KPROBE_FLOW_JUMP_INDIRECT)
		insn->table = word & NULLIFY ? WORD_SIZE : 2 * WORD_SIZE;
	return form->reason;
}

/* L%addr: its upper 21 bits, in another order. ldil extends the sign. */
static void put_left(struct kprobe_code *code, u32 reg, unsigned long addr)
{
	u32 left = (u32)addr >> 11;

	if (IS_ENABLED(CONFIG_64BIT) && (long)addr != (s32)addr)
		code->far = true;
	kprobe_put_be32(code, LDIL | reg << 21 | (left & 0x100000) >> 20 | (left & 0x0ffe00) >> 8 |
		 (left & 0x000180) << 7 | (left & 0x00007c) << 14 | (left & 0x000003) << 12);
}

/* An address in a register; or be or be,l to it. R%addr, the lower bits, is a displacement. */
static void put_pair(struct kprobe_code *code, u32 word, u32 reg, unsigned long addr)
{
	put_left(code, reg, addr);
	kprobe_put_be32(code, word | reg << 21 | (addr & 0x7ff) << 1);
}

static void put_be(struct kprobe_code *code, u32 nullify, unsigned long to, u32 scratch)
{
	if (!scratch)
		code->far = true;
	put_pair(code, BE | nullify, scratch ? __ffs(scratch) : 0, to);
}

static void put_jump(struct kprobe_code *code, unsigned long to, u32 scratch)
{
	put_be(code, NULLIFY, to, scratch);
}

/* A jump that needs no register: its delay slot restores the one that it uses. */
static void put_back(struct kprobe_code *code, unsigned long to)
{
	kprobe_put_be32(code, PUSH(1, ROOM));
	put_be(code, 0, to, BIT(1));
	kprobe_put_be32(code, POP(1, ROOM));
}

/* How many bytes put_back() has on the stack when @code comes next: from its store to its load. */
unsigned int parisc_kprobe_back_pushed(const u8 *code)
{
	unsigned int at;

	for (at = 0; at < KPROBE_BACK_SIZE; at += WORD_SIZE)
		if (get_unaligned_be32(code + at) == POP(1, ROOM))
			return ROOM;
	return 0;
}

/* The instruction in a branch's delay slot, which is executed together with it. */
static void put_slot(struct kprobe_code *code, const u8 *bytes)
{
	kprobe_code_put(code, bytes + WORD_SIZE, WORD_SIZE);
}

/* A conditional branch that is taken if the one in @word is not, over code of @len bytes. */
static void put_opposite(struct kprobe_code *code, u32 word, unsigned int len, u32 nullify)
{
	u32 turn = BIT(15);		/* in the condition */

	if (MAJOR(word) == 0x27 || MAJOR(word) == 0x2f)
		turn = BIT(29);
	else if (MAJOR(word) < 0x30)
		turn = BIT(27);
	kprobe_put_be32(code, ((word & ~DISP_MASK) ^ turn) | (len - WORD_SIZE) << 1 | nullify);
}

/*
 * As a conditional branch does not reach far, its opposite skips a jump. The delay slot comes
 * between both, or after the one that is taken if it is executed.
 */
static void put_cond(struct kprobe_code *code, const struct kprobe_insn *insn, u32 word,
		     const u8 *bytes)
{
	if (!(word & NULLIFY)) {
		put_opposite(code, word, 3 * WORD_SIZE, 0);
		put_slot(code, bytes);
		put_jump(code, insn->target, insn->dead);
	} else if (!(word & BACKWARDS)) {
		put_opposite(code, word, 2 * WORD_SIZE, NULLIFY);
		put_jump(code, insn->target, insn->dead);
	} else {
		put_opposite(code, word, 3 * WORD_SIZE, NULLIFY);
		put_be(code, 0, insn->target, insn->dead);
		put_slot(code, bytes);
	}
}

/*
 * The callee returns to the original text, so nobody sleeps with an address of the copy in rp. The
 * delay slot comes last, and must not read another value. The copy of be,l clears sr0, which gets
 * the kernel's space.
 */
static void put_call(struct kprobe_code *code, const struct kprobe_insn *insn, u32 word,
		     const u8 *bytes, unsigned long from)
{
	u32 link = link_of(word), base = B(word), scratch = insn->dead;
	struct kprobe_insn slot;

	plan(&slot, bytes + WORD_SIZE, WORD_SIZE, from + WORD_SIZE);
	if (!(word & NULLIFY))
		scratch &= ~slot.reads;
	if (insn->flow == KPROBE_FLOW_CALL_INDIRECT && base == link) {
		base = scratch ? __ffs(scratch) : 0;
		code->far |= !scratch;
		kprobe_put_be32(code, COPY_RP | base);
	}
	put_pair(code, LDO | link << 16, link, from + 2 * WORD_SIZE);
	if (insn->flow == KPROBE_FLOW_CALL) {
		put_be(code, word & NULLIFY, insn->target, scratch);
	} else if (link == REG_LINK) {
		kprobe_put_be32(code, CLEAR_SR0);
		kprobe_put_be32(code, word ^ BE ^ BE_L);
	} else {
		kprobe_put_be32(code, (word & ~BVE_L_FIELDS) | base << 21);
	}
	if (!(word & NULLIFY))
		put_slot(code, bytes);
}

static void emit(struct kprobe_code *code, const struct kprobe_insn *insn,
		 const u8 *bytes, unsigned long from)
{
	u32 word = get_unaligned_be32(bytes);

	if (insn->action == KPROBE_NOP)
		return;
	if (insn->no_copy) {
		code->far = true;
		return;
	}
	switch (insn->flow) {
	case KPROBE_FLOW_JUMP:
		put_be(code, word & NULLIFY, insn->target, insn->dead);
		break;
	case KPROBE_FLOW_COND:
		put_cond(code, insn, word, bytes);
		return;
	case KPROBE_FLOW_CALL:
	case KPROBE_FLOW_CALL_INDIRECT:
		put_call(code, insn, word, bytes, from);
		return;
	default:
		kprobe_put_be32(code, word);
	}
	if (insn->bundle)
		put_slot(code, bytes);
	if (insn->may_skip)
		kprobe_put_be32(code, BREAKPOINT);
}

static void put_breakpoint(struct kprobe_code *code, const struct kprobe_insn *insn)
{
	kprobe_put_be32(code, BREAKPOINT);
}

/* Leaves rp alone. Room first: an interrupt may overwrite what is above sp. */
static void put_enter(struct kprobe_code *code, unsigned long common)
{
	kprobe_put_be32(code, PUSH(REG_LINK, KPROBE_STUB_FRAME));
	put_pair(code, BE_L | NULLIFY, REG_LINK, common);
}

static void put_leave(struct kprobe_code *code)
{
	kprobe_put_be32(code, POP(REG_LINK, KPROBE_STUB_FRAME));
}

const struct kprobe_isa parisc_kprobe_isa = {
	.insn_max = WORD_SIZE,
	.align = WORD_SIZE,
	.jump_size = KPROBE_JUMP_SIZE,
	.jump_insns = 2,
	.scratch = SCRATCH,
	.stateless = true,
	.forms = &forms,
	.plan = plan,
	.emit = emit,
	.jump = put_jump,
	.back = put_back,
	.breakpoint = put_breakpoint,
	.enter = put_enter,
	.leave = put_leave,
	.entry = entry,
};
