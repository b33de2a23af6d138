# SPDX-License-Identifier: GPL-2.0
#
# What an instruction of the golden table is in a sequence: see ../../sequences.awk, and for what
# a sequence may use the top of sequences.S.

# The register in an address is a1, an index a2; an offset is near.
function with_memory(insn,	words, n, offset)
{
	n = split(insn, words, /, /)
	# These must differ from each other.
	sub(/ \$a[13]$/, " $a0", words[1])
	if (insn ~ /^am/)
		return words[1] ", " (words[2] == "$zero" ? "$zero" : "$a3") ", $a1"
	if (insn ~ /^(f?ld|f?st|x?vld|x?vst|preld)x|^f?(ld|st)(gt|le)/)
		return words[1] ", $a1, $a2"
	offset = words[3] + 0
	if (offset > 32 || offset < -32)
		offset = offset < 0 ? -32 : 32
	return words[1] ", $a1, " offset (n > 3 ? ", " words[4] : "")
}

function sequence(insn)
{
	sub(/  .*/, "", insn)
	# Those of the machine's registers, or that change the stack pointer
	if (insn ~ /^(g?csr|iocsr|rdtime|cpucfg|cacop|invtlb)|^[a-z0-9.]+ \$sp,/)
		return ""
	if (insn ~ /^(ld|st|am|f(ld|st)|x?v(ld|st)|preld)/)
		insn = with_memory(insn)
	return "RUN " insn
}
