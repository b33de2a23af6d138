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

static enum operands operands_of_arithmetic(u8 opcode)
{
	switch (opcode & 7) {
	case 1:				/* r/m, r */
	case 3:				/* r, r/m */
		return IN_MODRM;
	case 5:				/* eax, immediate */
		return IN_RAX;
	default:
		return UNKNOWN;
	}
}

/* @member is the one of the group, if the opcode is a group's. */
static enum operands operands_of_one_byte(u8 opcode, u8 member)
{
	switch (opcode) {
	case 0x00 ... 0x3f:		/* add, or, adc, sbb, and, sub, xor, cmp */
		return operands_of_arithmetic(opcode);
	case 0x63:			/* movsxd */
	case 0x69:			/* imul */
	case 0x6b:
	case 0x85:			/* test */
	case 0x89:			/* mov */
	case 0x8b:
		return IN_MODRM;
	case 0x81:			/* arithmetic, immediate */
	case 0x83:
	case 0xc1:			/* shifts */
	case 0xd1:
		return IN_RM;
	case 0x8d:			/* lea */
		return IN_ADDRESS;
	case 0xa9:			/* test, immediate */
		return IN_RAX;
	case 0xb8 ... 0xbf:		/* mov, immediate */
		return IN_OPCODE;
	case 0xc7:			/* mov, immediate */
		return member == 0 ? IN_RM : UNKNOWN;
	case 0xf7:			/* test, not, neg */
		return member == 0 || member == 2 || member == 3 ? IN_RM : UNKNOWN;
	case 0xff:			/* inc, dec */
		return member < 2 ? IN_RM : UNKNOWN;
	default:
		return UNKNOWN;
	}
}

static enum operands operands_of_two_bytes(u8 opcode)
{
	switch (opcode) {
	case 0x40 ... 0x4f:		/* cmov */
	case 0xaf:			/* imul */
	case 0xb7:			/* movzx, of 16 bits */
	case 0xbf:			/* movsx, of 16 bits */
		return IN_MODRM;
	default:
		return UNKNOWN;
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
	if (insn->opcode.nbytes == 1)
		return operands_of_one_byte(opcode[0], X86_MODRM_REG(insn->modrm.value));
	if (insn->opcode.nbytes == 2 && opcode[0] == 0x0f)
		return operands_of_two_bytes(opcode[1]);
	return UNKNOWN;
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
