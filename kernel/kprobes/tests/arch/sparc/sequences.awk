# SPDX-License-Identifier: GPL-2.0
#
# What an instruction of the golden table is in a sequence: see ../../sequences.awk, and for what
# a sequence may use the top of sequences.S. In quotes, as the assembler drops blanks before a register.

function sequence(insn)
{
	sub(/  +/, " ", insn)
	# Those of the machine's registers, windows and address spaces; floating point in the frame
	if (insn ~ /^(rd|wr|rdpr|wrpr|flush|flushw|save|restore|pause)( |$)|%asi|#ASI|\) *[,(]|\]? \([0-9]+\)|%fsr/)
		return ""
	# By hand, for zero; what QEMU does not have
	if (insn ~ /^[su]div|^popc|^lzcnt/)
		return ""
	# The stack pointer
	if (insn ~ /%sp$/)
		return ""
	gsub(/%g4/, "%l4", insn)
	gsub(/%g5/, "%l5", insn)
	gsub(/%g6/, "%l6", insn)
	gsub(/%sp|%fp|%o7/, "%l1", insn)
	# The register in an address is %o0, an index %o1; an offset is near.
	sub(/\[ [^]]*%[a-z0-9]+ \+ %[a-z0-9]+ \]/, "[%o0 + %o1]", insn)
	sub(/\[ [^]]*\+[^]]*\]/, "[%o0 + 16]", insn)
	sub(/\[ [^]]*\]/, "[%o0]", insn)
	# Of floating point half of the registers are compared.
	gsub(/%f62/, "%f12", insn)
	return "RUN \"" insn "\""
}
