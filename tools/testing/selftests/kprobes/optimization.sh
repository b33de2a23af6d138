#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# /proc/sys/debug/kprobes-optimization: which words it accepts, and that no hit is missed while a
# point changes from jump to breakpoint and back.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

knob=/proc/sys/debug/kprobes-optimization
other=debug.kprobes_optimization	# its name for sysctl
points=$kprobes/points
calls=50

# Both names are of the same switch.
sysctl_turns()
{
	sysctl -w "$other=$1" && equal "$(cat "$knob")" "$2" && equal "$(sysctl -n "$other")" "$2"
}

sysctl_tells()
{
	echo "$1" >"$knob" && equal "$(sysctl -n "$other")" "$1"
}

sysctl_refuses()
{
	was=$(cat "$knob")
	not sysctl -w "$other=$1" && equal "$(cat "$knob")" "$was" &&
		equal "$(sysctl -n "$other")" "$was"
}

# Polls, because on a busy machine a grace period may take any time.
within_a_minute()
{
	within=600
	while ! "$@" >/dev/null; do
		[ "$within" -gt 0 ] || { cat "$points"; return 1; }
		within=$((within - 1))
		sleep 0.1
	done
}

nothing_is_optimized()
{
	not grep '\[OPTIMIZED\]' "$kprobes/list"
}

# is_optimized EVENT'S-OFFSET
is_optimized()
{
	grep -E "  k  $function\\+$1  .*\\[OPTIMIZED\\]" "$kprobes/list"
}

# A jump, or a reason why there is none.
is_decided()
{
	grep -E "  $function\\+$1  .*  armed  " "$points" | grep -v "waiting to be optimized"
}

# Tries the function's instructions one after the other until an event is optimized. Which of
# them that is depends on the compiler.
find_place()
{
	offset=8
	while [ "$offset" -lt 160 ]; do
		place=$(printf '0x%x' "$offset")
		if event p inside "$module:$function+$place" 2>/dev/null; then
			event_enable inside 1
			within_a_minute is_decided "$place"
			is_optimized "$place" && call_is_hit && return
			event_enable inside 0
			remove_events
		fi
		offset=$((offset + 1))
	done
	cat "$points"
	return 1
}

# The event is hit once by each call: it is not in a loop or in a branch.
call_is_hit()
{
	was=$(event_hits inside)
	call_batch 2 && equal "$(event_hits inside)" $((was + 2))
}

each_call_is_hit()
{
	was=$(event_hits inside)
	call_batch "$calls" && equal "$(event_hits inside)" $((was + calls)) &&
		equal "$(event_misses inside)" 0
}

# A hit by a breakpoint must leave its event in the trace as one by a jump does.
each_hit_is_recorded()
{
	echo >"$tracefs/trace"
	each_call_is_hit && equal "$(grep -c ' inside: ' "$tracefs/trace")" "$calls"
}

event_misses()
{
	awk -v name="$1" '$1 == name { print $3 }' "$tracefs/kprobe_profile"
}

off_at_once()
{
	echo 0 >"$knob"
	nothing_is_optimized
}

on_after_a_while()
{
	echo 1 >"$knob"
	within_a_minute is_optimized "$place"
}

points_say_why()
{
	off="switched-off: debug.kprobes-optimization is 0"
	grep -E "  $function\\+$place  .*  $off  [-0-9]+\$" "$points" ||
		{ cat "$points"; return 1; }
}

points_say_jump()
{
	grep -E "  $function\\+$place  [^ ]+  jump(\\+[0-9]+)?  armed  .*  -  [-0-9]+\$" \
		"$points" ||
		{ cat "$points"; return 1; }
}

# Also while the switch is turned during calls.
turns_the_knob()
{
	turn=0
	while [ "$turn" -lt 10 ]; do
		echo $((turn % 2)) >"$knob"
		sleep 0.2
		turn=$((turn + 1))
	done
}

hit_while_it_turns()
{
	was=$(event_hits inside)
	made=0
	turns_the_knob &
	turner=$!
	while kill -0 "$turner" 2>/dev/null; do
		call_batch 10 || return 1
		made=$((made + 10))
	done
	wait "$turner"
	equal "$(event_hits inside)" $((was + made)) && equal "$(event_misses inside)" 0
}

# An event that is made while it is off is optimized when it is on again.
comes_while_off()
{
	echo 0 >"$knob"
	remove_events
	event p inside "$module:$function+$place" && event_enable inside 1 &&
		each_call_is_hit && within_a_minute points_say_why && nothing_is_optimized &&
		on_after_a_while && each_call_is_hit
}

# While "enabled" is 0 nothing is armed, so nothing is optimized.
not_while_disabled()
{
	echo 0 >"$kprobes/enabled"
	nothing_is_optimized || return 1
	was=$(event_hits inside)
	call_batch 3
	equal "$(event_hits inside)" "$was" || return 1
	echo 1 >"$kprobes/enabled"
	within_a_minute is_optimized "$place" && each_call_is_hit
}

put_back()
{
	[ -z "$optimization" ] || echo "$optimization" >"$knob"
	cleanup
}

module=kprobes_batch
function=hits_get
optimization=""
begin "$module"
[ -e "$knob" ] || skip_all "kernel has no CONFIG_SYSCTL"
events=$(no_events)
[ -z "$events" ] || skip_all "$events"
optimization=$(cat "$knob")
trap put_back EXIT
plan 38

check "the knob says 1" equal "$optimization" 1
for on in 1 y Y on; do
	echo 0 >"$knob"
	check "it takes $on" takes $on 1
done
for off in 0 n N off; do
	echo 1 >"$knob"
	check "it takes $off" takes $off 0
done
for wrong in 2 -1 x o yes 1x 256 ''; do
	check "it refuses '$wrong'" refuses "$wrong"
done
echo 1 >"$knob"
no_sysctl=""
[ -n "$(command -v sysctl)" ] || no_sysctl="there is no sysctl"
check_if "$no_sysctl" "sysctl $other=n turns it off" sysctl_turns n 0
check_if "$no_sysctl" "sysctl $other=1 turns it on" sysctl_turns 1 1
check_if "$no_sysctl" "sysctl $other tells 0" sysctl_tells 0
check_if "$no_sysctl" "sysctl $other tells 1" sysctl_tells 1
check_if "$no_sysctl" "sysctl $other refuses 2" sysctl_refuses 2

check "the probed module loads" load "$module" symbols=kernel_clone
check "an event inside a function becomes [OPTIMIZED]" find_place
check "each call hits it" each_call_is_hit
check "each of these hits is in the trace" each_hit_is_recorded
check "points says that it is a jump" points_say_jump
check "0 takes every [OPTIMIZED] away at once" off_at_once
check "each call hits it still" each_call_is_hit
check "each of these hits is in the trace, too" each_hit_is_recorded
check "points says why" points_say_why
check "1 brings [OPTIMIZED] back" on_after_a_while
check "each call hits it again" each_call_is_hit
check "each call hits it while the knob is turned" hit_while_it_turns
check "an event that comes while it is 0 waits for 1" comes_while_off
check "nothing is optimized while nothing is enabled" not_while_disabled
remove_events
unload "$module"
check "list is as before" list_is_as_before
check "the knob is as before" equal "$(cat "$knob")" 1

finish
