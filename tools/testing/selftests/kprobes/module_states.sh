#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# States of a module, and probes in it: while it is loaded or unloaded they are refused with the
# right reason, and points that use ftrace are [GONE] with the module like others.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

target=kprobes_target
notified=kprobes_notified
results=/sys/module/$notified/parameters
function=${target}_function

# last_refused REASON: that is what was refused last, with -ENOENT.
last_refused()
{
	tail -n 1 "$kprobes/refused" >"$work/refused"
	all_match "  kprobe  $target:$function\\+0x0  -(ENOENT|2)  $1\$" "$work/refused" ||
		{ cat "$work/refused"; return 1; }
}

accepted_while_coming()
{
	load "$notified" && load "$target" && equal "$(cat "$results/at_coming")" 0
}

refused_while_going()
{
	unload "$target" && equal "$(cat "$results/at_going")" -2 &&
		last_refused "module-going: module is going away"
}

refused_when_not_coming()
{
	echo 1 >"$results/fail"
	not load "$target" && equal "$(cat "$results/at_failing")" -2 &&
		last_refused "module-coming: module is not ready yet"
}

accepted_again()
{
	echo 0 >"$results/fail"
	load "$target" && equal "$(cat "$results/at_coming")" 0 && unload "$target" &&
		unload "$notified" && list_is_as_before
}

# --- points at entries, with a probe on the next instruction

# hits_both CALLS: so many calls hit both events.
hits_both()
{
	entries=$(event_hits entry)
	nexts=$(event_hits next)
	calls=0
	while [ "$calls" -lt "$1" ]; do
		equal "$(cat "/sys/module/$target/parameters/call")" 7 || return 1
		calls=$((calls + 1))
	done
	equal "$(event_hits entry)" $((entries + $1)) && equal "$(event_hits next)" $((nexts + $1))
}

is_ftraced()
{
	is_listed "$function" "  $target  \[FTRACE\]"
}

add_entry()
{
	event p entry "$target:$function" && event_enable entry 1
}

add_next()
{
	offset=$(sed -n "s/.*  k  $function+\(0x[0-9a-f]*\)  .*/\1/p" "$kprobes/list")
	event p next "$target:$function+$((offset + $(nop_size)))" && event_enable next 1
}

ftrace_leads()
{
	load "$target" && add_entry && add_next && not is_ftraced && hits_both 3 &&
		redirect "$function" && is_ftraced && hits_both 3
}

goes_with_module()
{
	unload "$target" && equal "$(grep -c '\[GONE\]' "$kprobes/list")" 2 &&
		unload kprobes_redirected
}

comes_back()
{
	load "$target" && hits_both 3 && not grep '\[GONE\]' "$kprobes/list" &&
		redirect "$function" && is_ftraced && hits_both 3 && unload kprobes_redirected
}

# Redirecting calls waits until the point has switched. The probed module goes before, meanwhile or
# after that: if before, there is nothing to redirect.
goes_in_between()
{
	round=0
	while [ "$round" -lt 10 ]; do
		remove_events && sleep 0.2 && add_entry && add_next && not is_ftraced || return 1
		insmod "$(module_file kprobes_redirected)" function="$function" &
		redirects=$!
		hits_both 1 && sleep "0.0$round" && unload "$target" || return 1
		wait "$redirects" && rmmod kprobes_redirected
		load "$target" && hits_both 1 || return 1
		round=$((round + 1))
	done
}

all_go()
{
	remove_events && unload "$target" && list_is_as_before
}

begin "$target" "$notified"
events=$(no_events)
[ -n "$events" ] || [ -e "$tracefs/available_filter_functions" ] ||
	events="kernel has no CONFIG_DYNAMIC_FTRACE"
ftrace=${events:-$(no_ftraced_points)}
plan 9

check "a probe is accepted while its module comes" accepted_while_coming
check "it is refused while the module goes" refused_while_going
check "it is refused when the module does not come after all" refused_when_not_coming
check "it is accepted when the module comes again" accepted_again
check_if "$ftrace" "ftrace leads to a point in a module" ftrace_leads
check_if "$ftrace" "it goes with the module" goes_with_module
check_if "$ftrace" "it comes back with the module" comes_back
check_if "$ftrace" "the module goes while a point switches" goes_in_between
check_if "$ftrace" "all go" all_go

finish
