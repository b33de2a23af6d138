# SPDX-License-Identifier: GPL-2.0
#
# What an instruction of the golden table is in a sequence: see ../../sequences.awk, and for what
# a sequence may use the top of sequences.S.

# Operands in memory are near %r1, or %r2 away from there, and the lengths of some are short.
function near(text,	new, at, offset, inside)
{
	while (match(text, /-?[0-9]*[(][^)]*[)]/)) {
		at = substr(text, RSTART, RLENGTH)
		offset = at + 0
		offset = offset > 32 ? 32 : offset < -32 ? -32 : int(offset / 8) * 8
		inside = substr(at, index(at, "(") + 1)
		if (inside ~ /^%r[0-9]+,/)
			inside = "%r2,%r1)"
		else if (inside ~ /,/)
			inside = (inside + 0 > 16 ? 16 : inside + 0) ",%r1)"
		else if (inside !~ /^%r15/)
			inside = "%r1)"
		new = new substr(text, 1, RSTART - 1) offset "(" inside
		text = substr(text, RSTART + RLENGTH)
	}
	return new text
}

function sequence(insn,		word)
{
	word = insn
	sub(/ .*/, "", word)
	# What is written by hand: divisions, pairs of registers with lengths, operands that a trap
	# changes, the machine's registers and clocks
	if (word ~ /^(d[ls]g.*|mvcle?|clcle?|mvst|srst|clst|cksm|cs[pst]g?|tr|stfle|sfpc|lfpc|spm|lmd)$/ ||
	    word ~ /^(clfith|k.*|p[cr].*|ssm|st[no]sm|st?c[kt][a-z]*|stpt|stap|stidp|stpx)$/ ||
	    word ~ /^(l?ctlg?|lctl|ectg|stsi)$/)
		return ""
	# Changes of the stack pointer, and absolute addresses
	if (insn ~ /^l[a-z]* %r15,|,%r15,[^(]*[(]/ && insn !~ /^st/ || insn ~ /^s[a-z]* %r15,/)
		return ""
	if (insn !~ /[(]/ && word ~ /^(l|ly|lg|ltg|cg|cs|stg|stmg|tm|lpp|stfl|tpi)$/)
		return ""
	# All of the memory above %r1, which is as much as eight vectors
	if (word ~ /^v(l|st)m$/) {
		sub(/%v0,/, "%v8,", insn)
		sub(/[0-9]*[(]/, "0(", insn)
	}
	if (insn ~ /^[a-z]* [%a-z0-9]*,0x[0-9a-f]*$/)
		sub(/0x.*/, "9b", insn)
	return "RUN \"" near(insn) "\""
}

# The operands in front of where a branch leads. Registers are those that make it take place in some
# passes of differential.c, and not in others.
function operands(word, text,	part)
{
	split(text, part, ",")
	if (word ~ /^bras/)
		return part[1] ~ /^%r(0|14)$/ ? part[1] "," : "%r5,"
	if (word ~ /^br?ct/)
		return "%r3,"
	if (word ~ /^br?x/)
		return word ~ /^br/ ? "%r2,%r4," : "%r2,%r6,"
	if (word ~ /^[bj]/)
		return ""
	if (part[2] !~ /^%/)
		return "%r3," (part[2] ~ /^(-1|255)$/ ? part[2] : 1) ","
	return "%r2,%r3," (part[3] ~ /^[0-9]+$/ ? part[3] "," : "")
}

# A branch forwards and back, or to an address in a register.
function branch(insn,	word, text, limits)
{
	word = text = insn
	sub(/ .*/, "", word)
	sub(/^[^ ]* */, "", text)
	if (word ~ /^(larl|pfdrl|nopr?)$/ || insn == "ber %r0")
		return sequence(insn)
	# What bras leads over may be data. A call is the last instruction that a jump covers.
	limits = word == "bras" ? "NO_JUMP\n" : ""
	text = operands(word, text)
	if (insn ~ /0x[0-9a-f]*$/)
		return limits "OVER \"" word " " text "1f\"\n" limits "BACK \"" word " " text "1b\""
	if (word ~ /^ba[ls]r$/)
		return insn ~ /%r0$/ ? "RUN \"" word " %r5,%r0\"" : ""
	if (insn ~ /[(]%r[0-9]*,/)
		return "JUMP %r5, \"lghi %r4,-8\", \"" word " " text "8(%r4,%r5)\""
	if (insn ~ /[(]/)
		return "JUMP %r5, nop, \"" word " " text "0(%r5)\""
	if (insn ~ /%r14$/)
		return "JUMP %r14, nop, \"" word " " text "%r14\""
	return insn ~ /%r/ ? "JUMP %r5, nop, \"" word " " text "%r5\"" : ""
}

/^[0-9a-f ]+ : (emulate|nop) .*\t# / {
	sub(/.*\t# /, "")
	line = /^bpr?p / ? "" : branch($0)
	if (line && !made[line]++)
		print line
}
