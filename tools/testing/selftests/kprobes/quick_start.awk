# SPDX-License-Identifier: GPL-2.0
# Prints the literal block of Documentation/trace/kprobes.rst after the comment ".. quick-start: BLOCK".
# usage: awk -v block=BLOCK -f quick_start.awk kprobes.rst

$0 == ".. quick-start: " block { found = 1; next }
!found || $0 == "::" { next }
/^\t/ {
	printf "%s%s\n", lines ? blank : "", substr($0, 2)
	lines++
	blank = ""
	next
}
/^$/ { blank = blank "\n"; next }
{ exit }
END { exit !lines }
