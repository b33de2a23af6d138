# SPDX-License-Identifier: GPL-2.0
#
# What an instruction of the golden table is in a sequence: see ../../sequences.awk, and for what
# a sequence may use the top of sequences.S.

# x1 and x2 are for the memory alone.
function rename(text,	new)
{
	while (match(text, /[a-z0-9_.]+/)) {
		new = new substr(text, 1, RSTART - 1)
		word = substr(text, RSTART, RLENGTH)
		new = new (word ~ /^[xw][12]$/ ? substr(word, 1, 1) 1 substr(word, 2) : word)
		text = substr(text, RSTART + RLENGTH)
	}
	return new text
}

# The nearest offset that is not further away than @most. Any size of access is aligned there.
function near(text, most,	offset)
{
	if (!match(text, /#-?[0-9]+/))
		return text
	offset = substr(text, RSTART + 1, RLENGTH - 1) + 0
	if (offset > most || offset < -most)
		offset = offset < 0 ? -most : most
	return substr(text, 1, RSTART) offset substr(text, RSTART + RLENGTH)
}

function sequence(insn,		at, memory)
{
	# Those of the machine's registers and caches, branches, literals, checks of what was
	# signed, and changes of the stack pointer, which may leave something below it
	if (insn ~ /^(mrs|msr|dc|ic|tlbi|at|ret|br|aut)|, ffff|^[a-z]+ sp,|^str .*sp, #-.*!/)
		return ""
	insn = rename(insn)
	at = match(insn, /\[(x[0-9]+|sp)/)
	if (!at)
		return "RUN " insn
	memory = substr(insn, at)
	insn = substr(insn, 1, at - 1)
	sub(/^\[x[0-9]+/, "[x1", memory)
	sub(/^\[x1, x[0-9]+/, "[x1, x2", memory)
	sub(/^\[x1, w[0-9]+/, "[x1, w2", memory)
	if (memory ~ /^\[(x1|sp), #/)
		memory = near(memory, memory ~ /sp.*!/ ? 16 : 32)
	else if (memory ~ /^\[sp\], #/)
		memory = near(memory, 16)
	return (insn ~ /^(ld|st)tr/ ? "USER " : "RUN ") insn memory
}
