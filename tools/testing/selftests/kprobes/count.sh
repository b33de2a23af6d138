#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# /sys/kernel/debug/kprobes/count: hits of points are counted exactly while it is on, however they
# come, and not at all while it is off.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

knob=$kprobes/count
points=$kprobes/points
sysctl=/proc/sys/debug/kprobes-optimization
target=kprobes_batch

# hits SYMBOL: the last field of its point
hits()
{
	awk -F '  ' -v like="^$1[+]" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == "hits") at = i }
		$2 ~ like { print $at; exit }' "$points"
}

mode_is()
{
	# shellcheck disable=SC2012 # a name that is known
	equal "$(ls -l "$1" | cut -c1-10)" "$2"
}

# counts SYMBOL NUMBER COMMAND...: the command adds so many hits.
counts()
{
	was=$(hits "$1")
	point=$1
	number_of_hits=$2
	shift 2
	"$@" || return 1
	equal "$(hits "$point")" $((was + number_of_hits))
}

# not_counted SYMBOL COMMAND...: nor is the field, a number or a hyphen, changed.
not_counted()
{
	was=$(hits "$1")
	point=$1
	shift
	"$@" || return 1
	equal "$(hits "$point")" "$was"
}

no_count_yet()
{
	equal "$(hits hits_get)" -
}

begins_at_0()
{
	echo "$1" >"$knob" && equal "$(hits hits_get)" 0
}

jump_counts()
{
	becomes_jump hits_get && counts hits_get 7 call_batch 7
}

breakpoint_counts()
{
	echo 0 >"$sysctl"
	not is_jump hits_get && counts hits_get 5 call_batch 5
	status=$?
	echo 1 >"$sysctl"
	return "$status"
}

nothing_while_disarmed()
{
	echo 0 >"$kprobes/enabled"
	not_counted hits_get call_batch 3 || return 1
	echo 1 >"$kprobes/enabled"
	counts hits_get 3 call_batch 3
}

# An entry's hit is counted, a return is not.
return_event_counts()
{
	mkfifo "$work/fifo" && event r returns fifo_open && event_enable returns 1 &&
		counts fifo_open 4 open_fifo "$work/fifo" 4 && soon is_listed fifo_open &&
		sleep 2 && counts fifo_open 4 open_fifo "$work/fifo" 4 &&
		equal "$(event_hits returns)" 8
}

two_events_count_once()
{
	event p second fifo_open && event_enable second 1 &&
		counts fifo_open 3 open_fifo "$work/fifo" 3 && equal "$(event_hits second)" 3
}

disabled_events_do_not_count()
{
	event_enable second 0 && counts fifo_open 3 open_fifo "$work/fifo" 3 &&
		event_enable returns 0 && not_counted fifo_open open_fifo "$work/fifo" 3 &&
		event_enable second 1 && counts fifo_open 2 open_fifo "$work/fifo" 2
}

ftrace_counts()
{
	redirect fifo_open && is_listed fifo_open '.*\[FTRACE\]' &&
		counts fifo_open 6 open_fifo "$work/fifo" 6
	status=$?
	unload kprobes_redirected
	return "$status"
}

off_keeps_the_count()
{
	before=$(hits hits_get)
	at_least "$before" 1 && echo 0 >"$knob" && equal "$(hits hits_get)" "$before" &&
		not_counted hits_get call_batch 3 && becomes_jump hits_get &&
		not_counted hits_get call_batch 3
}

on_twice_keeps_the_count()
{
	at_least "$(hits hits_get)" 1 && echo 1 >"$knob" && at_least "$(hits hits_get)" 1
}

begin "$target"
[ -e "$knob" ] || skip_all "kernel does not count hits"
events=$(no_events)
knob_before=$(cat "$knob")
echo 0 >"$knob"
load "$target" symbols="$target:hits_get"
counted=""
[ "$(hits hits_get)" = - ] || counted="it has been on since boot"
jumps=""
[ -e "$sysctl" ] || jumps="kernel has no CONFIG_SYSCTL"
plan 21

check "count is for root to read and write" mode_is "$knob" -rw-------
check "it is off" equal "$knob_before" 0
check_if "$counted" "there is no count before it was on" no_count_yet
check "it takes on" takes on 1
check "it takes n" takes n 0
check "it refuses 2" refuses 2
check "it refuses nothing" refuses ""
echo 0 >"$knob"
check "hits are not counted when off" not_counted hits_get call_batch 3
check "turning it on clears the counts" begins_at_0 1
check "each hit counts from then on" counts hits_get 3 call_batch 3
check_if "$jumps" "hits of a jump count" jump_counts
check_if "$jumps" "hits of a breakpoint count" breakpoint_counts
check "hits do not count while all probes are off" nothing_while_disarmed
check "on twice changes nothing" on_twice_keeps_the_count
check_if "$events" "a call counts for a return probe" return_event_counts
check_if "$events" "two probes at an address count once" two_events_count_once
check_if "$events" "no hit counts when both are disabled" disabled_events_do_not_count
check_if "${events:-$(no_ftraced_points)}" "hits through ftrace count" ftrace_counts
check "turning it off keeps the counts" off_keeps_the_count
check "turning it on again clears them" begins_at_0 1
check "and hits count again" counts hits_get 4 call_batch 4
echo "$knob_before" >"$knob"

finish
