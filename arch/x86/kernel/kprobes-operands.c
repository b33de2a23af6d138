// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the registers that an instruction works on.
 *
 * Only instructions that work on general registers alone are of interest, and of those
 * the most common ones are known here: moves, arithmetic, shifts and conditional moves
 * of 16 bits and more. Opcodes are those of the Intel SDM, volume 2, appendix A.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/kprobe_isa.h>
#include <asm/insn.h>

#include "kprobes-insn.h"

/**
 * enum operands - where an instruction names its registers
 * @UNKNOWN:    not known, or the instruction works on more than registers
 * @IN_MODRM:   in both fields of ModRM, reg and r/m
 * @IN_RM:      in ModRM's field r/m
 * @IN_ADDRESS: in ModRM's field reg, and in the address that the instruction computes
 * @IN_OPCODE:  in the opcode's low bits
 * @IN_RAX:     nowhere: the opcode implies the accumulator
 */
enum operands { UNKNOWN, IN_MODRM, IN_RM, IN_ADDRESS, IN_OPCODE, IN_RAX };

static const u8 one_byte_operands[256] = {
	[0x01] = IN_MODRM, [0x03] = IN_MODRM, [0x05] = IN_RAX,	/* add */
	[0x09] = IN_MODRM, [0x0b] = IN_MODRM, [0x0d] = IN_RAX,	/* or */
	[0x11] = IN_MODRM, [0x13] = IN_MODRM, [0x15] = IN_RAX,	/* adc */
	[0x19] = IN_MODRM, [0x1b] = IN_MODRM, [0x1d] = IN_RAX,	/* sbb */
	[0x21] = IN_MODRM, [0x23] = IN_MODRM, [0x25] = IN_RAX,	/* and */
	[0x29] = IN_MODRM, [0x2b] = IN_MODRM, [0x2d] = IN_RAX,	/* sub */
	[0x31] = IN_MODRM, [0x33] = IN_MODRM, [0x35] = IN_RAX,	/* xor */
	[0x39] = IN_MODRM, [0x3b] = IN_MODRM, [0x3d] = IN_RAX,	/* cmp */
	[0x63] = IN_MODRM,			/* movsxd */
	[0x69] = IN_MODRM, [0x6b] = IN_MODRM,	/* imul */
	[0x81] = IN_RM, [0x83] = IN_RM,		/* arithmetic, immediate */
	[0x85] = IN_MODRM,			/* test */
	[0x89] = IN_MODRM, [0x8b] = IN_MODRM,	/* mov */
	[0x8d] = IN_ADDRESS,			/* lea */
	[0xa9] = IN_RAX,			/* test, immediate */
	[0xb8 ... 0xbf] = IN_OPCODE,		/* mov, immediate */
	[0xc1] = IN_RM, [0xd1] = IN_RM,		/* shifts */
	[0xc7] = IN_RM,				/* mov, immediate */
	[0xf7] = IN_RM,				/* test, not, neg */
	[0xff] = IN_RM,				/* inc, dec */
};

static const u8 two_byte_operands[256] = {
	[0x40 ... 0x4f] = IN_MODRM,		/* cmov */
	[0xaf] = IN_MODRM,			/* imul */
	[0xb7] = IN_MODRM, [0xbf] = IN_MODRM,	/* movzx, movsx, of 16 bits */
};

/* Is it of those that the comments above name, where an opcode has others as well? */
static bool is_known_member(u8 opcode, u8 member)
{
	switch (opcode) {
	case 0xc7:
		return member == 0;
	case 0xf7:
		return member == 0 || member == 2 || member == 3;
	case 0xff:
		return member < 2;
	default:
		return true;
	}
}

/* Compilers use two prefixes with these: the operand size of 16 bits, and REX. */
static bool has_other_prefix(struct insn *insn)
{
	return insn->prefixes.nbytes > 1 || insn_is_avx(insn) || insn_is_rex2(insn) ||
	       (insn->prefixes.nbytes && insn->prefixes.bytes[0] != 0x66);
}

static enum operands operands_of(struct insn *insn)
{
	const u8 *opcode = insn->opcode.bytes;

	if (has_other_prefix(insn))
		return UNKNOWN;
	if (insn->opcode.nbytes == 2 && opcode[0] == 0x0f)
		return two_byte_operands[opcode[1]];
	if (insn->opcode.nbytes != 1 ||
	    !is_known_member(opcode[0], X86_MODRM_REG(insn->modrm.value)))
		return UNKNOWN;
	return one_byte_operands[opcode[0]];
}

static u16 register_of(unsigned int low, bool high)
{
	return BIT(low | (high ? 8 : 0));
}

/* Base and index. An address relative to the instruction pointer has neither. */
static u16 registers_of_address(struct insn *insn)
{
	u8 modrm = insn->modrm.value, sib = insn->sib.value;
	u8 rex = insn->rex_prefix.value;
	bool has_sib = X86_MODRM_RM(modrm) == 4;
	u8 base = has_sib ? X86_SIB_BASE(sib) : X86_MODRM_RM(modrm);
	u16 names = 0;

	if (base != 5 || X86_MODRM_MOD(modrm))
		names |= register_of(base, X86_REX_B(rex));
	if (has_sib && (X86_SIB_INDEX(sib) != 4 || X86_REX_X(rex)))
		names |= register_of(X86_SIB_INDEX(sib), X86_REX_X(rex));
	return names;
}

static u16 registers_of(struct insn *insn, enum operands operands)
{
	u8 modrm = insn->modrm.value, rex = insn->rex_prefix.value;
	u16 reg = register_of(X86_MODRM_REG(modrm), X86_REX_R(rex));
	u16 rm = register_of(X86_MODRM_RM(modrm), X86_REX_B(rex));
	bool memory = X86_MODRM_MOD(modrm) != 3;

	switch (operands) {
	case IN_MODRM:
		return memory ? 0 : reg | rm;
	case IN_RM:
		return memory ? 0 : rm;
	case IN_ADDRESS:
		return memory ? reg | registers_of_address(insn) : 0;
	case IN_OPCODE:
		return register_of(insn->opcode.bytes[0] & 7, X86_REX_B(rex));
	case IN_RAX:
		return BIT(0);
	default:
		return 0;
	}
}

u16 x86_kprobe_registers(const u8 *bytes, size_t avail)
{
	struct insn insn;

	if (x86_kprobe_decode(&insn, bytes, avail))
		return 0;
	return registers_of(&insn, operands_of(&insn));
}
NOKPROBE_SYMBOL(x86_kprobe_registers);
