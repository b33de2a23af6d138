// SPDX-License-Identifier: GPL-2.0-or-later
/* How Unicorn executes x86, 64 bit or 32. */
#include <string.h>
#include <linux/kernel.h>
#include <unicorn/unicorn.h>
#include <asm/insn.h>

#include "../../../arch/x86/kernel/kprobes-insn.h"
#include "execute.h"
#include "x86-class.h"

#define WORD		X86_WORD_SIZE
#define GENERAL(name)	{ .id = UC_X86_REG_##name, .kind = MACHINE_GENERAL, .size = WORD }
#define XMM(nr)		{ .id = UC_X86_REG_XMM##nr, .kind = MACHINE_RANDOM, .size = 16 }
#define FIXED(name, v)	{ .id = UC_X86_REG_##name, .kind = MACHINE_FIXED, .size = WORD, .value = v }

#define PERCPU		(X86_IS_64BIT ? 0xffff888007c00000 : 0xd7c00000)

/* Carry, parity, adjust, zero, sign, overflow, and one that is always set. */
#define FLAGS		{ .id = UC_X86_REG_EFLAGS, .kind = MACHINE_RANDOM, .size = WORD, \
			  .mask = 0x8d5, .value = 2 }

#ifdef CONFIG_X86_64
static const struct machine_reg regs[] = {
	GENERAL(RAX), GENERAL(RCX), GENERAL(RDX), GENERAL(RBX),
	{ .id = UC_X86_REG_RSP, .kind = MACHINE_STACK, .size = 8 },
	GENERAL(RBP), GENERAL(RSI), GENERAL(RDI), GENERAL(R8), GENERAL(R9), GENERAL(R10),
	GENERAL(R11), GENERAL(R12), GENERAL(R13), GENERAL(R14), GENERAL(R15), FLAGS,
	FIXED(GS_BASE, PERCPU), FIXED(FS_BASE, 0),
	XMM(0), XMM(1), XMM(2), XMM(3), XMM(4), XMM(5), XMM(6), XMM(7), XMM(8), XMM(9), XMM(10),
	XMM(11), XMM(12), XMM(13), XMM(14), XMM(15),
};
#else
static const struct machine_reg regs[] = {
	GENERAL(EAX), GENERAL(ECX), GENERAL(EDX), GENERAL(EBX),
	{ .id = UC_X86_REG_ESP, .kind = MACHINE_STACK, .size = 4 },
	GENERAL(EBP), GENERAL(ESI), GENERAL(EDI), FLAGS,
	XMM(0), XMM(1), XMM(2), XMM(3), XMM(4), XMM(5), XMM(6), XMM(7),
};
#endif

/* String instructions count by cx. */
static void limit(union machine_value *state, const u8 *bytes, size_t len)
{
	struct insn insn;

	if (x86_kprobe_decode(&insn, bytes, len))
		return;
	if (memchr(insn.prefixes.bytes, 0xf3, 4) || memchr(insn.prefixes.bytes, 0xf2, 4))
		state[1].number &= 0xf;
}

static const char *skip_two_byte(const struct insn *insn)
{
	u8 reg = X86_MODRM_REG(insn->modrm.value);

	switch (insn->opcode.bytes[1]) {
	case 0x00:
		return reg == 2 || reg == 3 ? "loads a descriptor table" : NULL;
	case 0x01:
		if (X86_MODRM_MOD(insn->modrm.value) != 3)
			return reg == 2 || reg == 3 || reg == 6 ? "loads a system register" : NULL;
		if (insn->modrm.value == 0xf9)
			return "reads the time";
		return insn->modrm.value == 0xd1 || reg == 6 ? "loads a system register" : NULL;
	case 0x20 ... 0x23:
		return "accesses a control or debug register";
	case 0x30:
		return "writes a model-specific register";
	case 0x31: case 0x32: case 0x33:
		return "reads the time or a model-specific register";
	case 0xc7:
		return reg >= 6 ? "reads a random number" : NULL;
	case 0xa1: case 0xa9: case 0xb2: case 0xb4: case 0xb5:
		return "loads a segment";
	default:
		return NULL;
	}
}

static const char *skip(const u8 *bytes, size_t len)
{
	struct insn insn;

	if (x86_kprobe_decode(&insn, bytes, len) || insn_is_avx(&insn))
		return NULL;
	switch (insn.opcode.bytes[0]) {
	case 0x0f:
		return skip_two_byte(&insn);
	case 0x07: case 0x17: case 0x1f: case 0x8e: case 0xc4: case 0xc5:
		return "loads a segment";
	default:
		return NULL;
	}
}

/*
 * Of shifts by cl in memory Unicorn 2.0.1 takes the carry from the instruction's address, not from
 * the last bit that was shifted out: if there is a hook on writes, the temporary that
 * gen_shift_rm_T1() keeps that bit in is overwritten by gen_jmp_im().
 */
static unsigned int ignore(const u8 *bytes, size_t len)
{
	unsigned int flags = 0;
	struct insn insn;
	u8 opcode;

	while (regs[flags].id != UC_X86_REG_EFLAGS)
		flags++;
	if (x86_kprobe_decode(&insn, bytes, len) || insn_is_avx(&insn) || !insn.modrm.nbytes ||
	    X86_MODRM_MOD(insn.modrm.value) == 3)
		return ARRAY_SIZE(regs);
	opcode = insn.opcode.bytes[insn.opcode.nbytes - 1];
	if (insn.opcode.nbytes == 1)
		return opcode == 0xd2 || opcode == 0xd3 ? flags : ARRAY_SIZE(regs);
	return opcode == 0xa5 || opcode == 0xad ? flags : ARRAY_SIZE(regs);
}

const struct execute_arch execute_arch = {
	.arch = UC_ARCH_X86,
	.mode = X86_IS_64BIT ? UC_MODE_64 : UC_MODE_32,
	.cpu = X86_IS_64BIT ? UC_CPU_X86_EPYC_ROME : UC_CPU_X86_PENTIUM3,
	.regs = regs,
	.nr_regs = ARRAY_SIZE(regs),
	.align_sp = WORD,
	.data = X86_IS_64BIT ? 0xffff888003400000 : 0xd3400000,
	.stack = X86_IS_64BIT ? 0xffffc90000010000 : 0xd0010000,
	.slots = X86_IS_64BIT ? 0xffffffffa0400000 : 0xf8400000,
	.percpu = PERCPU,
	.limit = limit,
	.skip = skip,
	.ignore = ignore,
	.class_of = x86_class_of,
};
