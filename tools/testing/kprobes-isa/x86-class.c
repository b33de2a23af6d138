// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Classes of x86's instructions, 64 bit, told apart by what a copy or an emulation may depend on:
 *
 *	lock rex.w 0f b1 mem
 *
 * First come the prefixes, each once and in the order of a table, then the opcode. Its low
 * bits are left out as "+r" where they are a register. After "/" comes ModRM's reg field where
 * it is part of the opcode, or the whole of ModRM where all of it is. The last word tells where
 * the operand of ModRM's other field is: in a register (reg), or in memory (mem), at a
 * distance from the instruction (rip), or for branches with an index (sib). Sizes of operands
 * and branches follow from prefixes and opcode.
 */
#include <stdio.h>
#include <string.h>
#include <linux/kernel.h>
#include <asm/insn.h>

#include "../../../arch/x86/kernel/kprobes-insn.h"
#include "x86-class.h"

/**
 * struct class - a class being written
 * @chars: the text
 * @size:  how much fits
 */
struct class {
	char *chars;
	size_t size;
};

static const struct {
	u8 byte;
	const char *name;
} prefixes[] = {
	{ 0xf0, "lock" }, { 0xf2, "repne" }, { 0xf3, "rep" }, { 0x26, "es" }, { 0x2e, "cs" },
	{ 0x36, "ss" }, { 0x3e, "ds" }, { 0x64, "fs" }, { 0x65, "gs" }, { 0x66, "data16" },
	{ 0x67, "addr" },
};

__printf(2, 3) static void add(struct class *class, const char *format, ...)
{
	size_t len = strlen(class->chars);
	va_list args;

	va_start(args, format);
	vsnprintf(class->chars + len, class->size - len, format, args);
	va_end(args);
}

/* All of them: the decoder keeps four. */
static void add_prefixes(struct class *class, struct insn *insn, const u8 *bytes)
{
	size_t len = insn_offset_rex_prefix(insn), i;

	if (insn_has_emulate_prefix(insn))
		add(class, "emulate ");
	for (i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (memchr(bytes, prefixes[i].byte, len))
			add(class, "%s ", prefixes[i].name);
	if (X86_REX_W(insn->rex_prefix.value))
		add(class, "rex.w ");
	if (insn_is_avx(insn))
		add(class, "%s.%x.%x.w%x ", insn_is_evex(insn) ? "evex" : "vex",
		    insn_vex_m_bits(insn), insn_vex_p_bits(insn), insn_vex_w_bit(insn));
}

/* Is a register in the opcode? */
static bool names_register(const struct insn *insn)
{
	u8 low = insn->opcode.bytes[insn->opcode.nbytes - 1] & 0xf8;

	if (insn->opcode.nbytes == 1)
		return low == 0x50 || low == 0x58 || low == 0x90 || low == 0xb0 ||
		       low == 0xb8;
	return insn->opcode.nbytes == 2 && low == 0xc8;
}

/* xchg with the accumulator itself is nop, or pause. */
static bool is_nop(struct insn *insn)
{
	return insn->opcode.nbytes == 1 && insn->opcode.bytes[0] == 0x90 &&
	       !X86_REX_B(insn->rex_prefix.value);
}

static void add_opcode(struct class *class, struct insn *insn)
{
	int i, last = insn->opcode.nbytes - 1;

	for (i = 0; i < last; i++)
		add(class, "%02x ", insn->opcode.bytes[i]);
	if (!insn_is_avx(insn) && names_register(insn) && !is_nop(insn))
		add(class, "%02x+r", insn->opcode.bytes[last] & 0xf8);
	else
		add(class, "%02x", insn->opcode.bytes[last]);
}

/* As in appendix A of the Intel SDM, volume 2. */
static insn_attr_t attribute_of(struct insn *insn)
{
	insn_attr_t attr = inat_get_opcode_attribute(insn->opcode.bytes[0]);
	int i;

	if (insn_is_avx(insn))
		return inat_get_avx_attribute(insn->opcode.bytes[0], insn_vex_m_bits(insn),
					      insn_vex_p_bits(insn));
	for (i = 1; i < insn->opcode.nbytes; i++)
		attr = inat_get_escape_attribute(insn->opcode.bytes[i],
						 insn_last_prefix_id(insn), attr);
	return attr;
}

static unsigned int opcode_of(const struct insn *insn)
{
	unsigned int opcode = 0;
	int i;

	for (i = 0; i < insn->opcode.nbytes; i++)
		opcode = opcode << 8 | insn->opcode.bytes[i];
	return opcode;
}

/* Does the opcode go on in ModRM's reg field, or do special registers have it? */
static bool has_member(struct insn *insn)
{
	switch (opcode_of(insn)) {
	case 0x8c: case 0x8e:			/* mov of segments */
	case 0xd8 ... 0xdf:			/* x87 */
	case 0x0f1e:				/* nops, pads, rdssp */
	case 0x0f20 ... 0x0f23:			/* mov of control and debug registers */
		return true;
	default:
		return inat_is_group(attribute_of(insn));
	}
}

/* Does all of ModRM belong to the opcode, if it names no memory? */
static bool is_exact(const struct insn *insn)
{
	switch (opcode_of(insn)) {
	case 0x0f01: case 0x0f1e: case 0xd9 ... 0xdb:
		return true;
	case 0xc6: case 0xc7:			/* xabort, xbegin */
		return X86_MODRM_REG(insn->modrm.value) == 7;
	default:
		return false;
	}
}

/* Calls and jumps through memory. */
static bool is_emulated(const struct insn *insn)
{
	u8 reg = X86_MODRM_REG(insn->modrm.value);

	return opcode_of(insn) == 0xff && (reg == 2 || reg == 4);
}

static const char *place_of(struct insn *insn)
{
	u8 modrm = insn->modrm.value, sib = insn->sib.value;

	if (X86_MODRM_MOD(modrm) == 3)
		return "reg";
	if (insn_rip_relative(insn))
		return "rip";
	/* A copy does with an address what the original does; an emulation computes it. */
	if (!is_emulated(insn) || X86_MODRM_RM(modrm) != 4)
		return "mem";
	return X86_SIB_INDEX(sib) != 4 || X86_REX_X(insn->rex_prefix.value) ? "sib" : "mem";
}

static void add_operand(struct class *class, struct insn *insn)
{
	u8 modrm = insn->modrm.value;
	bool exact = X86_MODRM_MOD(modrm) == 3 && is_exact(insn);

	if (!insn->modrm.nbytes)
		return;
	if (exact)
		add(class, " /%02x", modrm);
	else if (has_member(insn))
		add(class, " /%x", X86_MODRM_REG(modrm));
	if (!exact)
		add(class, " %s", place_of(insn));
}

/**
 * x86_class_of() - tell an instruction's class
 * @class: the text
 * @size:  how much fits
 * @bytes: the instruction
 * @len:   its length
 *
 * Context: The host.
 */
void x86_class_of(char *class, size_t size, const u8 *bytes, size_t len)
{
	struct class text = { .chars = class, .size = size };
	struct insn insn;

	class[0] = 0;
	if (x86_kprobe_decode(&insn, bytes, len)) {
		add(&text, "undecodable");
		return;
	}
	add_prefixes(&text, &insn, bytes);
	add_opcode(&text, &insn);
	add_operand(&text, &insn);
}
