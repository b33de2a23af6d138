# SPDX-License-Identifier: GPL-2.0
#
# What an instruction of the golden table is in a sequence: see ../../sequences.awk, and for what
# a sequence may use the top of sequences.S.

# r1 and r2 are for the memory alone.
function rename(text,	new, word)
{
	while (match(text, /[A-Za-z0-9_.]+/)) {
		new = new substr(text, 1, RSTART - 1)
		word = substr(text, RSTART, RLENGTH)
		new = new (word == "r1" ? "r8" : word == "r2" ? "r9" : word)
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
	if (offset > most || offset < -most || offset % 8)
		offset = offset < 0 ? -most : most
	return substr(text, 1, RSTART) offset substr(text, RSTART + RLENGTH)
}

# Loads and stores of as many registers, of which r8 and r9 may be set before.
function multiple(insn,		op, base, text, parts, n, i, has, regs, prepare, count)
{
	if (insn ~ /\^/ || insn ~ /^ldmdb.*(sp|pc)/)
		return ""
	op = substr(insn, 1, index(insn, " ") - 1)
	base = insn ~ /^(push|pop|[a-z]+ sp)/ ? "sp" : "r1"
	text = insn
	gsub(/.*[{]|[}].*/, "", text)
	n = split(text, parts, ", ")
	for (i = 1; i <= n; i++)
		has[parts[i]] = 1
	n -= has["sp"] + has["lr"] + has["pc"]
	if (n > 11)
		return ""
	text = op " "
	if (op !~ /^(push|pop)/)
		text = text base (insn ~ /!/ ? "!" : "") ", "
	split("r0 r3 r4 r5 r6 r7 r8 r9 sl fp ip", regs, " ")
	text = text "{"
	for (i = 1; i <= n; i++)
		text = text regs[i] ", "
	text = text (has["sp"] ? "sp, " : "") (has["lr"] ? "lr, " : "") (has["pc"] ? "pc, " : "")
	sub(/, $/, "}", text)
	if (op !~ /^(ldm|pop)/ || !(has["sp"] || has["pc"]))
		return "RUN " text
	count = n + (op ~ /^ldmib/)
	if (has["sp"])
		prepare = "add r8, sp, #16; str r8, [" base ", #" 4 * count++ "]"
	if (!has["pc"])
		return "SYSTEM r8, \"" prepare "\", " text
	prepare = (prepare ? prepare "; " : "") "str r9, [" base ", #" 4 * (count + has["lr"]) "]"
	return "TO multiple_" ++made_of_list ", \"" prepare "\", " text
}

function sequence(insn,		at, memory)
{
	sub(/ *@.*/, "", insn)
	if (insn ~ /^(ldm|stm|push|pop)/)
		return multiple(insn)
	# What has pc or the stack pointer, branches, what is of the machine or of a coprocessor,
	# and what is only in sequences, where probes are refused
	if (insn ~ /pc|[^a-z]sp|CPSR|SPSR|^(b|bl|bx|blx)(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)? / ||
	    insn ~ /^(cps|m[rs][rs] |mcr|mrrc|mrc |[ls]dc|cdp|[ls][dt].?ex|cl?rex|swp|cf|vm[rs][rs]|nop|dbg)/)
		return ""
	# A pair of registers, which are not of the memory's
	if (insn ~ /^(ldr|str)d /)
		sub(/ [a-z0-9]+,/, " r6,", insn)
	insn = rename(insn)
	if (insn ~ /^v(ld|st)m/)
		sub(/r[0-9]+/, "r1", insn)
	at = match(insn, /\[(r|sl|fp|ip|lr)/)
	if (!at)
		return "RUN " insn
	memory = substr(insn, at)
	insn = substr(insn, 1, at - 1)
	sub(/^\[[a-z0-9]+/, "[r1", memory)
	sub(/^\[r1, (-?)[a-z][a-z0-9]*/, "[r1, r2", memory)
	sub(/^\[r1\], (-?)[a-z][a-z0-9]*/, "[r1], r2", memory)
	if (memory ~ /#/ && memory !~ /ls[lr]|asr|ror/)
		memory = near(memory, 32)
	# Those to user memory: they fault on the kernel's.
	return (insn ~ /^(ldr|str)[bh]?t / ? "USER " : "RUN ") insn memory
}
