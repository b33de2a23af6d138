// SPDX-License-Identifier: GPL-2.0-or-later
/* Instructions as LLVM's machine code layer has them. */
#include <fnmatch.h>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include "words.h"

using namespace llvm;

/*
 * The CPU of each instruction set, with as many features as go together. If @all is given they are
 * all but those in @features, which are patterns. Where LLVM does not tell a branch's target
 * its operand is the address, or the distance: that of calls in bytes, others in words.
 */
static const struct machine {
	const char *name;
	const char *triple;
	const char *cpu;
	const char *features;
	bool all;
	const char *pc;
	enum { BY_LLVM, ABSOLUTE, IN_WORDS } targets;
} machines[] = {
	{ "arm64", "aarch64-linux-gnu", "", "+all", false, "PC" },
	{ "riscv64", "riscv64-linux-gnu", "",
	  "32bit e x* zcmp zcmt zce zcf zfinx zdinx zhinx* reserve-* rv* experimental-rv* "
	  "experimental-zicfiss forced-* ventana-* sifive*", true, "PC" },
	{ "loongarch64", "loongarch64-linux-gnu", "", "32bit", true, "PC" },
	{ "ppc64le", "powerpc64le-linux-gnu", "future", "+htm", false, "PC" },
	{ "ppc64", "powerpc64-linux-gnu", "future", "+htm", false, "PC" },
	{ "ppc32", "powerpc-linux-gnu", "ppc", "+altivec,+booke,+icbt", false, "PC" },
	{ "s390x", "s390x-linux-gnu", "arch14", "", false, "PC", machine::ABSOLUTE },
	{ "sparc64", "sparc64-linux-gnu", "v9", "+vis,+vis2,+vis3,+popc", false, "PC",
	  machine::IN_WORDS },
	{ "mips64el", "mips64el-linux-gnuabi64", "mips64r5", "+msa,+dspr2", false, "PC" },
	{ "mips64r6el", "mips64el-linux-gnuabi64", "mips64r6", "+msa,+dspr2,+crc,+virt,+ginv",
	  false, "PC" },
	{ "mips32", "mips-linux-gnu", "mips32r5", "+msa,+dspr2", false, "PC" },
	{ "arm", "armv8.6a-linux-gnueabihf", "", "+neon,+fullfp16,+dotprod,+bf16,+i8mm,+crypto,"
	  "+virtualization,+trustzone,+fp16fml,+sb,+mp", false, "PC" },
	{ "t32", "thumbv8.6a-linux-gnueabihf", "", "+neon,+fullfp16,+dotprod,+bf16,+i8mm,+crypto,"
	  "+virtualization,+trustzone,+fp16fml,+sb,+mp", false, "PC" },
	{ "x86_64", "x86_64-linux-gnu", "", "", false, "RIP" },
	{ "i386", "i386-linux-gnu", "", "", false, "EIP" },
};

static const machine *machine_now;
static const Target *target;
static std::unique_ptr<MCRegisterInfo> registers;
static std::unique_ptr<MCAsmInfo> assembler;
static std::unique_ptr<MCInstrInfo> instructions;
static std::unique_ptr<MCSubtargetInfo> subtarget;
static std::unique_ptr<MCContext> context;
static std::unique_ptr<MCDisassembler> disassembler;
static std::unique_ptr<MCInstrAnalysis> analysis;
static std::string names[1 << 16];

/* Is the feature one of the patterns in @words? */
static bool excluded(const char *feature, const char *words)
{
	std::istringstream all(words);
	std::string word;

	while (all >> word)
		if (!fnmatch(word.c_str(), feature, 0))
			return true;
	return false;
}

static std::string features_of(const machine *m)
{
	std::string text;

	if (!m->all)
		return m->features;
	subtarget.reset(target->createMCSubtargetInfo(m->triple, m->cpu, ""));
	for (const SubtargetFeatureKV &f : subtarget->getAllProcessorFeatures())
		if (!excluded(f.Key, m->features))
			text += std::string(text.empty() ? "+" : ",+") + f.Key;
	return text;
}

static bool llvm_open(const char *isa)
{
	const machine *m = machines, *end = machines + sizeof(machines) / sizeof(machines[0]);
	std::string error;

	while (m < end && strcmp(m->name, isa))
		m++;
	if (m == end)
		return false;
	machine_now = m;
	InitializeAllTargetInfos();
	InitializeAllTargetMCs();
	InitializeAllDisassemblers();
	target = TargetRegistry::lookupTarget(m->triple, error);
	if (!target)
		return false;
	registers.reset(target->createMCRegInfo(m->triple));
	assembler.reset(target->createMCAsmInfo(*registers, m->triple, MCTargetOptions()));
	instructions.reset(target->createMCInstrInfo());
	subtarget.reset(target->createMCSubtargetInfo(m->triple, m->cpu, features_of(m)));
	context.reset(new MCContext(Triple(m->triple), assembler.get(), registers.get(),
				    subtarget.get()));
	disassembler.reset(target->createMCDisassembler(*subtarget, *context));
	analysis.reset(target->createMCInstrAnalysis(instructions.get()));
	return true;
}

static void llvm_reset()
{
	if (analysis)
		analysis->resetState();
}

static bool is_pc(MCRegister reg)
{
	return reg && !strcmp(registers->getName(reg), machine_now->pc);
}

static bool is_pcrel(const MCInst &inst, const MCInstrDesc &desc, unsigned int i)
{
	return i < desc.getNumOperands() && inst.getOperand(i).isImm() &&
	       desc.operands()[i].OperandType == MCOI::OPERAND_PCREL;
}

/* Is a part of the instruction relative to its address? Registers in lists are loaded or stored. */
static bool is_relative(const MCInst &inst, const MCInstrDesc &desc)
{
	unsigned int i;

	for (i = desc.getNumDefs(); i < desc.getNumOperands() && i < inst.getNumOperands(); i++) {
		const MCOperand &o = inst.getOperand(i);

		if ((o.isReg() && !desc.isVariadic() && is_pc(o.getReg())) ||
		    is_pcrel(inst, desc, i))
			return true;
	}
	return false;
}

/* Of a condition code operand 14 is "always" on arm. */
static bool is_conditional(const MCInst &inst, const MCInstrDesc &desc)
{
	unsigned int i;

	for (i = 0; i < desc.getNumOperands() && i < inst.getNumOperands(); i++)
		if (desc.operands()[i].isPredicate() && inst.getOperand(i).isImm())
			return inst.getOperand(i).getImm() != 14;
	return false;
}

/* The decoder does not extend the sign of SPARC's distances: of 22 bits, 16 or 19. */
static int64_t sparc_distance(const char *name, uint64_t field)
{
	unsigned int bits = 19;

	if (!strcmp(name, "CALL"))
		return field;
	if (!strncmp(name, "BPR", 3))
		bits = 16;
	else if (!strcmp(name, "BA") || strstr(name, "BCOND") && !strstr(name, "_V9"))
		bits = 22;
	return (int64_t)(field << (64 - bits)) >> (64 - bits) << 2;
}

static bool find_target(struct decoded *d, const MCInst &inst, const MCInstrDesc &desc,
			uint64_t addr, uint64_t size)
{
	unsigned int i;
	uint64_t to;

	if (analysis && analysis->evaluateBranch(inst, addr, size, to)) {
		d->target = to;
		return true;
	}
	for (i = 0; i < inst.getNumOperands(); i++)
		if ((machine_now->targets == machine::IN_WORDS ? inst.getOperand(i).isImm() :
		     machine_now->targets == machine::ABSOLUTE && is_pcrel(inst, desc, i)) &&
		    (desc.isBranch() || desc.isCall()) && !desc.isIndirectBranch()) {
			to = inst.getOperand(i).getImm();
			if (machine_now->targets == machine::IN_WORDS)
				to = addr + sparc_distance(d->name, to);
			d->target = to;
			return true;
		}
	return false;
}

static bool has_register(const MCInst &inst)
{
	unsigned int i;

	for (i = 0; i < inst.getNumOperands(); i++)
		if (inst.getOperand(i).isReg())
			return true;
	return false;
}

static const char *flow_of(const MCInst &inst, const MCInstrDesc &desc, bool has_target)
{
	if (analysis ? analysis->isReturn(inst) : desc.isReturn())
		return "return";
	if (analysis ? analysis->isCall(inst) : desc.isCall())
		return has_target || !has_register(inst) ? "call" : "call-indirect";
	if (analysis ? analysis->isIndirectBranch(inst) : desc.isIndirectBranch())
		return "jump-indirect";
	if (analysis ? analysis->isConditionalBranch(inst) : desc.isConditionalBranch())
		return "cond";
	if (analysis ? analysis->isBranch(inst) : desc.isBranch())
		return "jump";
	return desc.hasDefOfPhysReg(inst, registers->getProgramCounter(), *registers) ?
		"jump-indirect" : "next";
}

/* General registers have the numbers that are in instructions. */
static unsigned int bit_of(MCRegister reg)
{
	const char *name = reg ? registers->getName(reg) : "";

	if ((name[0] != 'X' && name[0] != 'R') || !strchr("0123456789", name[1]))
		return 0;
	return 1u << (registers->getEncodingValue(reg) & 31);
}

static void set_registers(struct decoded *d, const MCInst &inst, const MCInstrDesc &desc)
{
	unsigned int i;

	for (i = 0; i < inst.getNumOperands(); i++)
		if (inst.getOperand(i).isReg())
			(i < desc.getNumDefs() ? d->writes : d->reads) |=
				bit_of(inst.getOperand(i).getReg());
	for (MCPhysReg reg : desc.implicit_uses())
		d->reads |= bit_of(reg);
	for (MCPhysReg reg : desc.implicit_defs())
		d->writes |= bit_of(reg);
}

/* The decoder keeps the state of a block. It comes to the end of one by instructions in it. */
static void end_block()
{
	static const uint8_t nop[] = { 0x00, 0xbf };
	MCInst inst;
	uint64_t size;
	unsigned int i;

	for (i = 0; i < 4; i++)
		disassembler->getInstruction(inst, size, nop, 0, nulls());
}

static bool llvm_decode(struct decoded *d, const unsigned char *bytes, size_t avail,
			unsigned long addr)
{
	MCInst inst;
	uint64_t size = 0;

	*d = {};
	auto status = disassembler->getInstruction(inst, size, ArrayRef<uint8_t>(bytes, avail), addr,
						   nulls());
	if (!strcmp(machine_now->name, "t32") && bytes[1] == 0xbf)
		end_block();
	if (status != MCDisassembler::Success)
		return false;
	const MCInstrDesc &desc = instructions->get(inst.getOpcode());

	if (names[inst.getOpcode()].empty())
		names[inst.getOpcode()] = instructions->getName(inst.getOpcode()).str();
	d->name = names[inst.getOpcode()].c_str();
	d->len = size;
	d->has_target = find_target(d, inst, desc, addr, size);
	if (analysis)
		analysis->updateState(inst, addr);
	d->flow = flow_of(inst, desc, d->has_target);
	d->conditional = is_conditional(inst, desc);
	d->delay_slot = desc.hasDelaySlot();
	d->relative = is_relative(inst, desc);
	d->skips = -1;
	d->registers = true;
	set_registers(d, inst, desc);
	return true;
}

const struct decoder llvm_decoder = { "LLVM", true, llvm_open, llvm_reset, llvm_decode };
