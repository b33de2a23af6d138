# SPDX-License-Identifier: GPL-2.0
# Makes execute.txt of what "make execute" prints: a few lines for each table and each kernel.

BEGIN {
	print "# What became of instructions and their copies, by, in tools/testing/kprobes-isa:"
	print "#\tmake -s execute | awk -f execute.awk"
	print "# Of golden tables and of kernels. Words are different instructions. Some were not"
	print "# executed, or from no state to their end: how many, and why. A class without an end"
	print "# has no other words. The first word of a class is executed from 100 states, another one"
	print "# from 8; of kernels in QEMU, which is slow, from 12 and from one. More are tried until"
	print "# branches have gone both ways."
}

# Lines of 100 columns.
function add_reason(text) {
	if (!reasons)
		line = "not executed: " text
	else if (length(line ", " text) < 84)
		line = line ", " text
	else
		line = text
	reasons = reasons ? reasons (line == text ? ",\n\t\t" : ", ") text : "\t" line
}

/# Subtest: execute_/ {
	set = substr($NF, length("execute_") + 1)
	of = sub(/^kernel_/, "", set) ? "kernel" : "table"
	reasons = ""
}
/ instructions, [0-9]+ of them refused/ { insns = $2; refused = $4 }
/ words of [0-9]+ classes: / { words = $2; classes = $5 }
/ not executed: [0-9]+ words: / {
	nr = $4
	sub(/^.* words: /, "")
	add_reason(nr " " $0)
}
/ classes have no word / { without = $2 }
/ states, [0-9]+ of them to a fault/ { states = $2; faults = $4; differ = $10 }
/ok 1 copies do / {
	printf "\n%s, %s: %d instructions, %d of them refused; ", set, of, insns, refused
	printf "%d words of %d classes\n", words, classes
	printf "\t%d states, %d of them to a fault, %d words differ\n", states, faults, differ
	if (reasons)
		print reasons
	printf "\t%d classes without an end", without
}
/ok 2 branches go / {
	print $1 == "ok" ? "; branches go both ways" : "; some branches go one way"
}
