# SPDX-License-Identifier: GPL-2.0
#
# What an instruction of the golden table is in a sequence: see ../../sequences.awk, and for what
# a sequence may use the top of sequences.S.

function sequence(insn)
{
	sub(/ *\/\/.*/, "", insn)
	# Those of the machine's registers, or that change the stack pointer
	if (insn ~ /^(mfc0|di|ei|ehb|ssnop|sync|synci|pref)( |$)|^[a-z0-9]+ sp,/)
		return ""
	gsub(/k0/, "v0", insn)
	# It traps if the difference has no room.
	if (insn ~ /^d?sub /)
		sub(/,[a-z0-9]+$/, "," substr(insn, match(insn, /,[a-z0-9]+,/) + 1, RLENGTH - 2), insn)
	# The register in an address is a1, and loads do not overwrite it.
	if (sub(/\([a-z0-9]+\)$/, "(a1)", insn))
		sub(/,-?[0-9]+\(/, ",8(", insn)
	gsub(/,/, ", ", insn)
	return "RUN " insn
}
