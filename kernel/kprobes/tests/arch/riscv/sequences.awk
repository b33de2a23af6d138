# SPDX-License-Identifier: GPL-2.0
#
# What an instruction of the golden table is in a sequence: see ../../sequences.awk, and for what
# a sequence may use the top of sequences.S.

function sequence(insn,		offset)
{
	# Those that read or write the machine's registers, or change the stack pointer
	if (insn ~ /^csr| sp,/)
		return ""
	if (match(insn, /-?[0-9]*[(]/) && insn !~ /[(]sp[)]/) {
		offset = substr(insn, RSTART, RLENGTH - 1)
		if (offset + 0 > 32 || offset + 0 < -32)
			offset = offset + 0 < 0 ? -32 : 32
		insn = substr(insn, 1, RSTART - 1) offset "(a1)"
	}
	# Jumps need t1, and ft6 has the same number.
	gsub(/ t1/, " t3", insn)
	gsub(/,t1/, ",t3", insn)
	gsub(/ft6/, "ft8", insn)
	return (insn ~ /^c[.]/ ? "RUNC " : "RUN ") insn
}
