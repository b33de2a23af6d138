#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The file "check" tells whether a probe can be set, and how its hits would come, and leaves nothing
# behind: what it says of places becomes true when they are probed.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

file=$kprobes/check
module=kprobes_batch
mechanism='(jump|breakpoint|ftrace)'

mode_is()
{
	# shellcheck disable=SC2012 # a name that is known
	equal "$(ls -l "$file" | cut -c1-10)" "$1"
}

# answers PLACE REGEX: that is what the file says of the place, in one line.
answers()
{
	echo "$1" >"$file" || return 1
	equal "$(wc -l <"$file")" 1 && grep -Ex -e "$2" "$file" && return
	cat "$file"
	return 1
}

place_is_invalid()
{
	long=$(head -c 300 /dev/zero | tr '\0' n)
	for place in "" + +4 kernel_clone+x kernel_clone+ 0xyz "$long"; do
		write_fails "$file" "$place" Invalid || return 1
	done
}

# Places all over a function, each with its answer.
ask_for_bytes()
{
	offset=0
	while [ "$offset" -lt 64 ]; do
		echo "$1+$offset" >"$file" || return 1
		echo "$1+$offset  $(cat "$file")"
		offset=$((offset + 1))
	done
}

# An answer of "ok", and only that, is followed by a probe that can be registered, and by the
# mechanism that was foretold.
comes_true()
{
	ask_for_bytes kernel_clone >"$work/answers"
	all_match "^kernel_clone\\+[0-9]+  (ok  $mechanism|-[0-9A-Z]+)  .*" "$work/answers" ||
		return 1
	while read -r place answer how rest; do
		echo "$place: $answer $how $rest"
		offset=${place#*+}
		if ! load kprobes_handlers symbol=kernel_clone offset="$offset" 2>/dev/null; then
			[ "$answer" != ok ] || return 1
			continue
		fi
		equal "$answer" ok && soon mechanism_is "$how" && unload kprobes_handlers ||
			return 1
	done <"$work/answers"
	grep -c "  ok  " "$work/answers" && grep -c "  -" "$work/answers"
}

# Of the only point in the function.
mechanism_is()
{
	awk -F '  ' -v like="$1" '$6 > 0 && $2 ~ /^kernel_clone/ {
			print
			sub(/\+.*/, "", $4)
			good = $4 == like
		}
		END { exit !good }' "$kprobes/points"
}

# What was refused before is what was refused last.
nothing_is_left()
{
	equal "$(cat "$kprobes/points")" "$points" &&
		equal "$(tail -n 1 "$kprobes/refused")" "$refused" && list_is_as_before
}

probed_place_is_told()
{
	load kprobes_handlers && soon answers "kernel_clone" \
		"ok  $mechanism  entry  kernel_clone\\+.*  (-|[a-z-]+: .*)" &&
		unload kprobes_handlers
}

begin kprobes_handlers "$module"
[ -e "$file" ] || skip_all "kernel has no CONFIG_DEBUG_FS"
soon not grep -q '  \(idle\|disarm-pending\)  ' "$kprobes/points"
points=$(cat "$kprobes/points")
refused=$(tail -n 1 "$kprobes/refused")
plan 12

check "check is for root to write and to read" mode_is -rw-------
check "a function's entry" answers kernel_clone \
	"ok  $mechanism  entry  kernel_clone\\+0x[0-9a-f]+/0x[0-9a-f]+  (-|[a-z-]+: .*)"
check "an unknown symbol" answers no_such_function "-(ENOENT|2)  symbol: unknown symbol"
check "a blacklisted function" answers notify_die \
	"-(EINVAL|22)  blacklisted: function must not be probed"
check "past the kernel" answers kernel_clone+2147483647 "-(EINVAL|22)  no-text: no kernel text"
check "an address" answers "0x$(address_of kernel_clone)" "ok  .*  entry  kernel_clone\\+.*"
check "what is no place is refused" place_is_invalid
check "nothing is left" nothing_is_left
load "$module"
check "a module's function" answers "$module:hits_get" \
	"ok  .*  entry  hits_get\\+0x[0-9a-f]+/0x[0-9a-f]+ \\[$module\\]  .*"
unload "$module"
check "a module that is not there" answers "$module:hits_get" "-(ENOENT|2)  symbol: unknown symbol"
check "a place that is probed" probed_place_is_told
check "what it says comes true" comes_true

finish
