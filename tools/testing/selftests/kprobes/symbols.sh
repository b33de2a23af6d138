#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Names that several functions have, and functions that the compiler has renamed: an event is on
# the function that was asked for, and a name that does not tell which is refused with the names
# that do.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

events=$tracefs/kprobe_events
target=kprobes_target
function=$target:kprobes_target_function

may_be_probed()
{
	echo "$1" >"$kprobes/check" && grep -q '^ok  .*  entry  ' "$kprobes/check"
}

# Names of two functions of the kernel, both of which can be probed. Events refuse functions that
# ftrace cannot trace, unless the kernel has no ftrace.
find_twins()
{
	cat "$tracefs/available_filter_functions" >"$work/traced" 2>/dev/null
	awk 'FILENAME == ARGV[1] { any = 1; if (NF == 1) traced[$1]++; next }
	     tolower($2) == "t" && $4 == "" && $3 !~ /\./ { n[$3]++ }
	     END { for (name in n) if (n[name] == 2 && (!any || traced[name] == 2)) print name }' \
		"$work/traced" /proc/kallsyms | sort |
		while read -r name; do
			if may_be_probed "$name,1" && may_be_probed "$name,2"; then
				echo "$name"
				break
			fi
		done
}

# How names of clones end. Those of their cold parts go on.
clone_ends="[.](isra|constprop|part)[.][0-9]+"

# Names of functions of which the compiler has made one clone.
find_cloned()
{
	awk -v like="$clone_ends\$" '$4 == "" && $3 ~ like {
		name = $3; sub(/\..*/, "", name); n[name]++
	     }
	     END { for (name in n) if (n[name] == 1) print name }' /proc/kallsyms | sort |
		while read -r name; do
			if may_be_probed "$name.*"; then
				echo "$name"
				break
			fi
		done
}

# addresses REGEX: of the symbols of the kernel whose names match, in their order.
addresses()
{
	awk -v like="^$1\$" '$4 == "" && $3 ~ like { print $1 }' /proc/kallsyms
}

# is_at ADDRESS SYMBOL: the list has a probe on the symbol at this address, or after its landing
# pad.
is_at()
{
	grep -E "^[0-9a-f]+  k  $2\\+0x[0-9a-f]+" "$kprobes/list" >"$work/line" ||
		{ cat "$kprobes/list"; return 1; }
	while read -r addr kind place rest; do
		equal "$kind" k &&
			# Not all shells count to 64 bits.
		addr=${addr#"${addr%????????}"} at=${1#"${1%????????}"}
		place=${place#*+}
		equal $((0x$addr - ${place%/*})) $((0x$at)) && return
	done <"$work/line"
	return 1
}

# event_is_on NUMBER: the event of the N-th function is on it.
event_is_on()
{
	event p twin "$twin,$1" && event_enable twin 1 || return 1
	is_at "$(addresses "$twin" | sed -n "$1p")" "$twin"
	found=$?
	remove_events
	return "$found"
}

# refused_with_candidates NAME REGEX: neither an event nor check takes it.
refused_with_candidates()
{
	mark_log
	write_fails "$events" "p:$group/which $1" "Invalid argument" ||
		return 1
	echo "$1" >"$kprobes/check"
	text="ambiguous: several functions have this name"
	grep -Ex -e "-(EADDRNOTAVAIL|99)  $text: $2" "$kprobes/check" || cat "$kprobes/check"
	grep -Eqx -e "-(EADDRNOTAVAIL|99)  $text: $2" "$kprobes/check" &&
		logged "^kprobes: $1\\+0x0: $text: $2\$" &&
		tail -n 1 "$kprobes/refused" | grep -E -e "  $text: $2\$" &&
		tail -n 4 "$tracefs/error_log" | grep "$text" &&
		not grep "$group/which" "$events"
}

# The names that it is refused with are names that are accepted.
candidates_are_accepted()
{
	echo "$twin" >"$kprobes/check"
	sed -e 's/.*: //' -e 's/ ([^)]*)//g' "$kprobes/check" | tr ' ' '\n' >"$work/names"
	equal "$(wc -l <"$work/names")" 2 || return 1
	while read -r name; do
		may_be_probed "$name" || return 1
	done <"$work/names"
}

clone_is_probed()
{
	event p clone "$cloned.*" && event_enable clone 1 &&
		is_at "$(addresses "$cloned([.].*)?$clone_ends")" "$cloned\\.[a-z.0-9]+" &&
		grep -F "$group/clone $cloned.*" "$events"
	found=$?
	remove_events
	return "$found"
}

unknown()
{
	write_fails "$events" "p:$group/none $1" "Invalid argument"
}

# What the file of events shows of an event without a name can be written to it.
named_by_itself()
{
	echo "p $function,1" >>"$events" || return 1
	line=$(grep " $function,1" "$events")
	name=${line%% *}
	name=${name#p:}
	echo "-:$name" >>"$events" && echo "$line" >>"$events" && echo "-:$name" >>"$events"
}

# An event in a module is on its function each time that the module is loaded.
module_position()
{
	event p ours "$function,1" && event_enable ours 1 || return 1
	load "$target" && is_listed kprobes_target_function "  $target.*" &&
		cat "/sys/module/$target/parameters/call" && equal "$(event_hits ours)" 1 &&
		unload "$target" && load "$target" &&
		is_listed kprobes_target_function "  $target.*" && unload "$target"
	found=$?
	remove_events
	return "$found"
}

# The kernel and the module have a function of this name.
module_or_kernel()
{
	load "$target" || return 1
	event p ours "$target:kprobes_target_c" && event_enable ours 1 &&
		is_listed kprobes_target_c "  $target.*"
	found=$?
	remove_events
	unload "$target" && return "$found"
}

begin "$target"
skip=$(no_events)
twin=$(find_twins)
cloned=$(find_cloned)
no_twin=$skip
[ -n "$twin" ] || no_twin="no name is that of two functions"
no_clone=$skip
[ -n "$cloned" ] || no_clone="the compiler has made no clone"
plan 12

candidate="$twin,[12] \\(_text\\+0x[0-9a-f]+\\)"
check_if "$no_twin" "the first of two functions" event_is_on 1
check_if "$no_twin" "the second" event_is_on 2
check_if "$no_twin" "a name of two functions is refused" \
	refused_with_candidates "$twin" "$candidate $candidate"
check_if "$no_twin" "what it is refused with is accepted" candidates_are_accepted
check_if "$no_twin" "there is no third" unknown "$twin,3"
check_if "$no_clone" "the only clone" clone_is_probed
check_if "$skip" "a function without clones" unknown "no_such_function.*"
check_if "$skip" "an event on the only function names itself" named_by_itself
check_if "$skip" "a module's only function of a name" module_position
check_if "$skip" "a module's function with a name of the kernel's" module_or_kernel
check_if "$skip" "no event is left" not grep "$group/" "$events"
check "the list is as before" list_is_as_before

finish
