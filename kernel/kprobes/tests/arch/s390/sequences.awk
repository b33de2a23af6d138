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
	# Branches
	if (word ~ /^b|^c[gl]?[gli]?[ri]b[a-z]*$|^cl[gir].*b$/ &&
	    insn !~ /^(br %r0|bnor|b[ct][^,]*,%r0$)/)
		return ""
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
	if (insn ~ /^[a-z]* %[a-z0-9]*,0x[0-9a-f]*$/)
		sub(/0x.*/, "9b", insn)
	return "RUN \"" near(insn) "\""
}
