# SPDX-License-Identifier: GPL-2.0
#
# What an instruction of the golden table is in a sequence: see ../../sequences.awk, and for what
# a sequence may use the top of sequences.S.

# r1, r2 and r13 are the kernel's, r4 and r5 for the memory alone.
function rename(text,	new, word)
{
	while (match(text, /[a-z0-9_.]+/)) {
		new = new substr(text, 1, RSTART - 1)
		word = substr(text, RSTART, RLENGTH)
		new = new (word ~ /^r([1245]|13)$/ ? "r" (substr(word, 2) % 8 + 16) : word)
		text = substr(text, RSTART + RLENGTH)
	}
	return new text
}

# An offset that is no multiple of 16 would not do for all.
function near(offset)
{
	return offset + 0 > 32 ? 32 : offset + 0 < -32 ? -32 : offset
}

function sequence(insn,		memory, offset, name)
{
	name = insn
	sub(/ .*/, "", name)
	# By sequences.S: those that use the stack pointer.
	if (insn ~ /^(mr|stwu|stdu|clrrdi) r1,/)
		return ""
	if (match(insn, /-?[0-9]*[(](r[0-9]+|0)[)]/)) {
		memory = substr(insn, RSTART)
		insn = substr(insn, 1, RSTART - 1)
		offset = memory
		sub(/[(].*/, "", offset)
		return "RUN " rename(insn) near(offset) "(r4)"
	}
	# Indexed: the last two operands
	if (name ~ /^(l|st).*x\.?$|^(dcb|icbi)/ &&
	    match(insn, /[ ,](r[0-9]+|0),r[0-9]+(,[01])?$/)) {
		memory = substr(insn, RSTART)
		insn = substr(insn, 1, RSTART - 1)
		offset = memory
		sub(/^.(r[0-9]+|0),r[0-9]+/, "", offset)
		memory = substr(memory, 1, 1) (memory ~ /^.0,/ ? "0,r4" : "r4,r5")
		return "RUN " rename(insn) memory offset
	}
	return "RUN " rename(insn)
}
