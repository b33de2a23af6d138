# SPDX-License-Identifier: GPL-2.0
# Makes words.txt of what "make words" prints: a few lines for each instruction set.

BEGIN {
	print "# What becomes of all words, by, in tools/testing/kprobes-isa:"
	print "#\tmake -s words | awk -f words.awk"
	print "# \"compared\" are those that were decoded by others too, \"known\" how many they know, once for"
	print "# each of them. Differences are kinds of them; each is in a line of differences/."
}

/# Subtest:/ { set = substr($NF, 7); lengths = reasons = actions = with = "" }
/# [0-9]+ words planned/ { planned = $2; compared = $5 }
/# length / { lengths = lengths ", " $4 " of " int($3) }
/# [a-z-]+: [0-9]+$/ && !/length/ { reasons = reasons ", " $2 " " $3 }
/# run [0-9]/ { sub(/^ *# /, ""); actions = $0 }
/# compared with/ { with = with (with ? " and " : "") $4 }
/instructions known there/ { known = $2; branches = $8; differences = $10 }
/^(not )?ok [0-9]+ words_/ {
	printf "\n%s: %.0f words; bytes: %s\n", set, planned, substr(lengths, 3)
	gsub(/:/, "", reasons)
	printf "\t%s\n\t%s\n", substr(reasons, 3), actions
	if (with)
		printf "\tcompared %d with %s: %d known, %d branches, %d differences\n", compared, with,
			known, branches, differences
	print "\t" ($1 == "ok" ? "no fault, none that is not listed" : "FAILED")
}
