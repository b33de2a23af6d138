# SPDX-License-Identifier: GPL-2.0
#
# What an instruction of the golden table is in a sequence: see ../../sequences.awk, and for what
# a sequence may use the top of sequences.S. Of the table for 32 bit, only what PA-RISC 1.1 has.

BEGIN { narrow = ARGV[2] ~ /parisc\.txt$/ }

function is_wide(insn)
{
	return insn ~ /,[*]|^(ldd|std|fld|fst|shrpd|extrd|depd|h[as]|mix|permh|mtsarcm)|^mfctl,w/
}

# Names of registers have a "%". Registers that a sequence needs, or must not have, are others.
function registers(insn,	out, name)
{
	match(insn, /^[^ ]*/)
	out = substr(insn, 1, RLENGTH)
	insn = substr(insn, RLENGTH + 1)
	while (match(insn, /[a-z0-9]+/)) {
		name = substr(insn, RSTART, RLENGTH)
		if (name ~ /^(dp|sp|r1|r24|r25)$/)
			name = "%r19"
		else if (name ~ /^(r[0-9]+|rp|ret[01]|sr[0-9]|sar)$/)
			name = "%" name
		out = out substr(insn, 1, RSTART - 1) name
		insn = substr(insn, RSTART + RLENGTH)
	}
	return out insn
}

# The register of an address is r24, an index r25, a displacement 8 or, of ",o", 0. In spaces is the
# kernel's.
function memory(insn,	before, address, after)
{
	match(insn, /[^ ,(]*\([^)]*\)/)
	before = substr(insn, 1, RSTART - 1)
	address = substr(insn, RSTART, RLENGTH)
	after = substr(insn, RSTART + RLENGTH)
	sub(/r[0-9]+\)|ret[01]\)|sp\)|rp\)/, "@)", address)
	sub(/sr[0-9]/, "sr1", address)
	if (address ~ /^[a-z]/)
		sub(/^[a-z0-9]+/, "#", address)
	else if (address !~ /^0?\(/)
		sub(/^-?[0-9a-f]+/, "8", address)
	insn = registers(before address after)
	sub(/@/, "%r24", insn)
	sub(/#/, "%r25", insn)
	return insn
}

function sequence(insn)
{
	if (narrow && is_wide(insn))
		return ""
	# Those of the machine's registers
	if (insn ~ /^(mfsp|mtsp|mfctl|mfctl,w|mtsar|mtsarcm|rsm|ssm|ldsid|sync|syncdma|mfia)( |$)/)
		return ""
	# Objdump shows displacements and some other numbers in hex.
	if (insn ~ /^(ldo|ldil) /) {
		sub(/L%[-0-9a-f]+/, "L%8192", insn)
		sub(/^ldo -?[0-9a-f]+\(/, "ldo 8(", insn)
		return "RUN \"" registers(insn) "\""
	}
	if (insn ~ /\(/)
		return "RUN \"" memory(insn) "\""
	sub(/ -?[0-9]*[a-f][0-9a-f]*,/, " 7,", insn)
	return "RUN \"" registers(insn) "\""
}

# In the delay slot is something that tells whether it was executed.
/^[0-9a-f ]+(\| [0-9a-f ]+)?: emulate cond .*\t# / {
	sub(/.*\t# /, "")
	sub(/ \/\/.*/, "")
	forward = / <\.[+]/
	sub(/[0-9a-f]+ <.*/, forward ? "1f" : "1b")
	if (narrow && is_wide($0))
		next
	# Immediates and the numbers of bits are in hex.
	sub(/,1f,/, ",31,")
	sub(/ [a-f],/, " 7,")
	line = (forward ? "OVER_SLOT" : "BACK_SLOT") " \"ldi 2, %r20\", \"" registers($0) "\""
	if (!made[line]++)
		print line
}
