// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * x86's instruction set, 32 and 64 bit: instructions written elsewhere, and what
 * bytes may be that nobody has decoded.
 */
#include <linux/kernel.h>
#include <linux/kprobe_isa.h>
#include <linux/unaligned.h>
#include <asm/insn.h>

#include "kprobes-insn.h"

#define JCC32_INSN_OPCODE	0x0f80
#define ADDR_SIZE_PREFIX	0x67

static void put32(struct kprobe_code *code, unsigned long value)
{
	u8 bytes[sizeof(u32)];

	if (X86_IS_64BIT && (long)value != (s32)value)
		code->far = true;
	put_unaligned_le32(value, bytes);
	kprobe_code_put(code, bytes, sizeof(bytes));
}

void x86_put_target(struct kprobe_code *code, unsigned long target)
{
	put32(code, target - (kprobe_code_here(code) + DISP32_SIZE));
}

void x86_put_jump(struct kprobe_code *code, unsigned long to, u32 scratch)
{
	X86_PUT(code, JMP32_INSN_OPCODE);
	x86_put_target(code, to);
}

/* With the least reach: 128 bytes. */
static void put_short_jump(struct kprobe_code *code, unsigned long to, u32 scratch)
{
	long apart = to - (kprobe_code_here(code) + JMP8_INSN_SIZE);

	if (apart != (s8)apart)
		code->far = true;
	X86_PUT(code, JMP8_INSN_OPCODE, apart);
}

void x86_put_cond(struct kprobe_code *code, u8 cond, unsigned long target)
{
	X86_PUT(code, JCC32_INSN_OPCODE >> 8, (JCC32_INSN_OPCODE & 0xff) | cond);
	x86_put_target(code, target);
}

/* loop and jcxz reach 128 bytes: emit "loop over; jmp past; over: jmp target; past:". */
static void put_loop(struct kprobe_code *code, const struct kprobe_insn *insn)
{
	if (insn->arch.width != X86_WORD_SIZE)
		X86_PUT(code, ADDR_SIZE_PREFIX);
	X86_PUT(code, X86_LOOP_INSN_OPCODE | insn->arch.cond, JMP8_INSN_SIZE,
		JMP8_INSN_OPCODE, JMP32_INSN_SIZE);
	x86_put_jump(code, insn->target, 0);
}

/* A RIP-relative operand counts from the end, but the copy is as long as the original. */
static void put_same(struct kprobe_code *code, const struct kprobe_insn *insn,
		     const u8 *bytes, unsigned long from)
{
	unsigned long apart = from - kprobe_code_here(code);
	u8 at = insn->arch.rip_at;

	if (!at) {
		kprobe_code_put(code, bytes, insn->len);
		return;
	}
	kprobe_code_put(code, bytes, at);
	put32(code, apart + (s32)get_unaligned_le32(bytes + at));
	at += DISP32_SIZE;
	kprobe_code_put(code, bytes + at, insn->len - at);
}

static void emit(struct kprobe_code *code, const struct kprobe_insn *insn,
		 const u8 *bytes, unsigned long from)
{
	if (insn->action == KPROBE_NOP)
		return;
	switch (insn->flow) {
	case KPROBE_FLOW_CALL:
		/*
		 * It returns to the original text: nobody sleeps with an address of the copy on the
		 * stack. A 64-bit kernel's text is in the last 2 GB, as the push sign-extends.
		 */
		X86_PUT(code, X86_PUSH32_INSN_OPCODE);
		put32(code, from + insn->len);
		fallthrough;
	case KPROBE_FLOW_JUMP:
		x86_put_jump(code, insn->target, 0);
		break;
	case KPROBE_FLOW_COND:
		if (insn->arch.loop)
			put_loop(code, insn);
		else
			x86_put_cond(code, insn->arch.cond, insn->target);
		break;
	default:
		put_same(code, insn, bytes, from);
		/* CPUs that speculate straight on must come to a breakpoint. */
		if (IS_ENABLED(CONFIG_MITIGATION_SLS) && kprobe_insn_ends_flow(insn))
			X86_PUT(code, INT3_INSN_OPCODE);
	}
}

static void put_breakpoint(struct kprobe_code *code, const struct kprobe_insn *insn)
{
	X86_PUT(code, INT3_INSN_OPCODE);
}

void x86_put_call(struct kprobe_code *code, unsigned long target)
{
	X86_PUT(code, CALL_INSN_OPCODE);
	x86_put_target(code, target);
}

/*
 * Branches with an operand size, in 32 bit, have other lengths and targets: below
 * 64 KB, where no kernel is. Nobody makes them.
 */
static void glance(struct kprobe_insn *plan, const u8 *bytes, unsigned long addr)
{
	u8 reg = X86_MODRM_REG(bytes[1]);

	plan->flow = KPROBE_FLOW_NEXT;
	plan->state = bytes[0] == X86_STD_INSN_OPCODE;
	switch (bytes[0]) {
	case 0x70 ... 0x7f:				/* jcc */
	case 0xe0 ... 0xe3:				/* loop, jcxz */
	case JMP8_INSN_OPCODE:
		plan->flow = KPROBE_FLOW_JUMP;
		plan->target = X86_ADDRESS(addr + JMP8_INSN_SIZE + (s8)bytes[1]);
		break;
	case JMP32_INSN_OPCODE:
	case CALL_INSN_OPCODE:
		plan->flow = bytes[0] == CALL_INSN_OPCODE ? KPROBE_FLOW_CALL : KPROBE_FLOW_JUMP;
		plan->target = X86_ADDRESS(addr + JMP32_INSN_SIZE +
					   (s32)get_unaligned_le32(bytes + 1));
		break;
	case 0x0f:
		if ((bytes[1] & 0xf0) != (JCC32_INSN_OPCODE & 0xff))
			break;
		plan->flow = KPROBE_FLOW_COND;
		plan->target = X86_ADDRESS(addr + X86_JCC32_INSN_SIZE +
					   (s32)get_unaligned_le32(bytes + 2));
		break;
	case X86_JMP_FAR_OPCODE:
		plan->flow = KPROBE_FLOW_JUMP_INDIRECT;
		break;
	case 0xc7:
		if (bytes[1] == 0xf8)			/* xbegin */
			plan->flow = KPROBE_FLOW_JUMP_INDIRECT;
		break;
	case 0xff:
		if (reg == 4 || reg == 5)		/* jmp indirect */
			plan->flow = KPROBE_FLOW_JUMP_INDIRECT;
		break;
	default:
		if (x86_kprobe_is_pad(bytes))
			plan->flow = KPROBE_FLOW_PAD;
	}
}

/* Those of the branches that glance() knows, pads and std. */
static const bool first_bytes[256] = {
	[0x0f] = true, [0x66] = true, [0x70 ... 0x7f] = true, [0xc7] = true,
	[0xe0 ... 0xe3] = true, [CALL_INSN_OPCODE] = true, [JMP32_INSN_OPCODE] = true,
	[X86_JMP_FAR_OPCODE] = !X86_IS_64BIT, [JMP8_INSN_OPCODE] = true, [0xf3] = true,
	[X86_STD_INSN_OPCODE] = true, [0xff] = true,
};

/* With IBT compilers make no jump tables, and objtool checks the rest. */
#define X86_KPROBE_ISA						\
	.insn_max = MAX_INSN_SIZE,				\
	.align = 1,						\
	.jump_insns = 1,					\
	.glance_len = X86_JCC32_INSN_SIZE,			\
	.pads = IS_ENABLED(CONFIG_X86_KERNEL_IBT),		\
	.first_bytes = first_bytes,				\
	.plan = x86_kprobe_plan,				\
	.emit = emit,						\
	.breakpoint = put_breakpoint,				\
	.enter = x86_put_call,					\
	.glance = glance

const struct kprobe_isa x86_kprobe_isa = {
	X86_KPROBE_ISA,
	.jump_size = JMP32_INSN_SIZE,
	.jump = x86_put_jump,
};

const struct kprobe_isa x86_kprobe_short_isa = {
	X86_KPROBE_ISA,
	.jump_size = JMP8_INSN_SIZE,
	.jump = put_short_jump,
};
