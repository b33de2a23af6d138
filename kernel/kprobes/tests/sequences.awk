# SPDX-License-Identifier: GPL-2.0
#
# usage: awk -f sequences.awk -f arch/ARCH/sequences.awk NOT-RUN GOLDEN
#
# Makes a sequence for differential_kunit.c of each instruction of the golden table that runs as it
# is, but of those that NOT-RUN excuses. The architecture's sequence() has the instruction use
# the registers and the memory that a sequence may, and writes it as an argument of a macro; it
# returns nothing for one whose sequence is written by hand.

# Patterns of the shell become regular expressions.
FNR == NR {
	if (/^#/ || !/\t/)
		next
	sub(/\t.*/, "")
	gsub(/[.]/, "[.]")
	gsub(/[*]/, ".*")
	excused[++excuses] = "^" $0 "$"
	next
}

/^[0-9a-f ]+ : run .*\t# / {
	sub(/.*\t# /, "")
	for (i = 1; i <= excuses; i++)
		if ($0 ~ excused[i])
			next
	line = sequence($0)
	if (line && !made[line]++)
		print line
}
