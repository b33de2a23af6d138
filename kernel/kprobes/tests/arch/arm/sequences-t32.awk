# SPDX-License-Identifier: GPL-2.0
#
# What an instruction of T32's golden table is in a sequence: see ../../sequences.awk, and for what
# a sequence may use the top of sequences-t32.S.

# r1 and r2 are for the memory alone. Short instructions have none but low registers.
function rename(text,	new, word)
{
	while (match(text, /[A-Za-z0-9_.]+/)) {
		new = new substr(text, 1, RSTART - 1)
		word = substr(text, RSTART, RLENGTH)
		new = new (word == "r1" ? "r6" : word == "r2" ? "r7" : word)
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

# The condition of an instruction that is in a block, else nothing.
function condition(insn,	op, cond)
{
	op = substr(insn, 1, index(insn " ", " ") - 1)
	sub(/[.]w$/, "", op)
	cond = substr(op, length(op) - 1)
	op = substr(op, 1, length(op) - 2)
	if (cond !~ /^(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)$/ ||
	    (op !~ /^(add|adc|sub|sbc|rsb|neg|mul|mov|mvn|and|or[rn]|eor|bic|lsl|lsr|asr|bfc)$/ &&
	     op !~ /^(cmp|(ldr|str)[bh]?|(ldm|stm)(ia|db))$/))
		return ""
	return cond
}

# Loads and stores of as many registers, of which r9 may be set before.
function multiple(insn,		op, base, text, parts, n, i, has, regs, prepare)
{
	op = substr(insn, 1, index(insn, " ") - 1)
	base = insn ~ /^(push|pop|[a-z.]+ sp)/ ? "sp" : "r1"
	text = insn
	gsub(/.*[{]|[}].*/, "", text)
	n = split(text, parts, ", ")
	for (i = 1; i <= n; i++)
		has[parts[i]] = 1
	n -= has["lr"] + has["pc"]
	if (n > 11 || (has["pc"] && op ~ /db$/))
		return ""
	text = op " "
	if (op !~ /^(push|pop)/)
		text = text base (insn ~ /!/ ? "!" : "") ", "
	split("r0 r3 r4 r5 r6 r7 r8 r9 sl fp ip", regs, " ")
	text = text "{"
	for (i = 1; i <= n; i++)
		text = text regs[i] ", "
	text = text (has["lr"] ? "lr, " : "") (has["pc"] ? "pc, " : "")
	sub(/, $/, "}", text)
	if (condition(insn))
		return "BLOCK " condition(insn) ", " text
	if (!has["pc"])
		return "RUN " text
	prepare = "str r9, [" base ", #" 4 * (n + has["lr"]) "]"
	return "TO multiple_" ++made_of_list ", \"" prepare "\", " text
}

function sequence(insn,		at, memory, macro)
{
	sub(/ *@.*/, "", insn)
	if (insn ~ /^(ldr|str)(s?[bh]|d)?([.]w)? [^p].*, \[sp(, #[0-9]+)?\]$/ && insn !~ / (sp|pc),/) {
		at = index(insn, "[")
		return "RUN " rename(substr(insn, 1, at - 1)) near(substr(insn, at), 32)
	}
	if (insn ~ /^(ldm|stm|push|pop)/)
		return multiple(insn)
	# What has pc or the stack pointer, branches, what is of the machine or of a coprocessor,
	# and what is only in sequences, where probes are refused
	if (insn ~ /pc|[^a-z]sp|CPSR|SPSR|^(b|bl|bx|blx)([.]w)? / ||
	    insn ~ /^(cps|m[rs][rs] |mcr|mrrc|mrc |[ls]dc|cdp|vm[rs][rs]|nop|dbg)/ ||
	    insn ~ /^([ls][dt].?ex|clrex)/)
		return ""
	macro = condition(insn) ? "BLOCK " condition(insn) ", " : "RUN "
	insn = rename(insn)
	if (insn ~ /^v(ld|st)m/)
		sub(/r[0-9]+/, "r1", insn)
	at = match(insn, /\[(r|sl|fp|ip|lr)/)
	if (!at)
		return macro insn
	memory = substr(insn, at)
	insn = substr(insn, 1, at - 1)
	sub(/^\[[a-z0-9]+/, "[r1", memory)
	sub(/^\[r1, [a-z][a-z0-9]*/, "[r1, r2", memory)
	sub(/^\[r1\], [a-z][a-z0-9]*/, "[r1], r2", memory)
	sub(/lsl #3/, "lsl #2", memory)
	if (memory ~ /#/ && memory !~ /lsl/)
		memory = near(memory, 32)
	# Those to user memory: they fault on the kernel's.
	return (insn ~ /^(ldr|str)[bh]?t / ? "USER " : macro) insn memory
}
