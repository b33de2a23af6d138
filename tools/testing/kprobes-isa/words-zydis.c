// SPDX-License-Identifier: GPL-2.0-or-later
/* x86's instructions as Zydis has them. */
#include <string.h>
#include <Zydis/Zydis.h>

#include "words.h"

static ZydisDecoder decoder;

static bool open(const char *isa)
{
	bool wide = !strcmp(isa, "x86_64");

	if (!wide && strcmp(isa, "i386"))
		return false;
	return ZYAN_SUCCESS(ZydisDecoderInit(&decoder, wide ? ZYDIS_MACHINE_MODE_LONG_64 :
							      ZYDIS_MACHINE_MODE_LEGACY_32,
					     wide ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32));
}

static void reset(void)
{
}

static const char *flow_of(const ZydisDecodedInstruction *insn, bool direct)
{
	switch (insn->meta.category) {
	case ZYDIS_CATEGORY_CALL:
		return direct ? "call" : "call-indirect";
	case ZYDIS_CATEGORY_RET:
		return "return";
	case ZYDIS_CATEGORY_UNCOND_BR:
		return direct ? "jump" : "jump-indirect";
	case ZYDIS_CATEGORY_COND_BR:
		return "cond";
	default:
		return "next";
	}
}

static bool decode(struct decoded *d, const unsigned char *bytes, size_t avail, unsigned long addr)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction insn;
	bool direct;
	ZyanU64 to;
	int i;

	*d = (struct decoded){ .skips = -1 };
	if (ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, bytes, avail, &insn, operands)))
		return false;
	direct = insn.operand_count && operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
		 operands[0].imm.is_relative;
	d->name = ZydisMnemonicGetString(insn.mnemonic);
	d->len = insn.length;
	d->flow = flow_of(&insn, direct);
	d->has_target = direct && insn.mnemonic != ZYDIS_MNEMONIC_XBEGIN &&
			ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&insn, operands, addr, &to));
	if (d->has_target)
		d->target = to;
	for (i = 0; i < insn.operand_count; i++)
		if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    (operands[i].mem.base == ZYDIS_REGISTER_RIP ||
		     operands[i].mem.base == ZYDIS_REGISTER_EIP))
			d->relative = true;
	return true;
}

const struct decoder zydis_decoder = { "Zydis", true, open, reset, decode };
