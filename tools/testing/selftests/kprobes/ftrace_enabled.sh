#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# kernel.ftrace_enabled: while it is 0, probes that need ftrace are refused and others are still
# hit; while a point uses ftrace, it cannot be set to 0.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

enabled=/proc/sys/kernel/ftrace_enabled
probed=kprobe_batch_example
function=hits_get
calls=10

# hits EVENT...: they see the next calls, and miss none.
hits()
{
	for e in "$@"; do
		event_hits "$e" >"$work/$e"
	done
	call_sample "$calls"
	for e in "$@"; do
		equal "$(event_hits "$e")" $(($(cat "$work/$e") + calls)) || return 1
	done
	equal "$(awk '{ n += $3 } END { print n + 0 }' "$tracefs/kprobe_profile")" 0
}

is_ftraced()
{
	is_listed "$function" "  $probed  \\[FTRACE\\]"
}

entry_is_hit()
{
	load "$probed" symbols=kernel_clone && event p entry "$probed:$function" &&
		event_enable entry 1 && not is_ftraced && hits entry
}

off_with_working_probe()
{
	echo 0 >"$enabled" && hits entry
}

# define_next: prints the definition of an event on the next instruction.
define_next()
{
	offset=$(sed -n "s/.*  k  $function+\\(0x[0-9a-f]*\\)  .*/\\1/p" "$kprobes/list" |
		head -n 1)
	echo "p:$group/next $probed:$function+$((offset + $(nop_size)))"
}

next_is_refused()
{
	write_fails "$tracefs/kprobe_events" "$(define_next)" busy &&
		tail -n 1 "$kprobes/refused" |
		grep -E '  -(EBUSY|16)  ftrace refused: kernel.ftrace_enabled is 0$'
}

jumps_if_it_can()
{
	[ ! -e /proc/sys/debug/kprobes-optimization ] || becomes_jump "$function"
}

working_probe_stays()
{
	not is_ftraced && hits entry && jumps_if_it_can && hits entry
}

next_is_accepted()
{
	echo 1 >"$enabled" && define_next >>"$tracefs/kprobe_events" && event_enable next 1 &&
		is_ftraced && hits entry next
}

off_is_refused()
{
	write_fails "$enabled" 0 busy && equal "$(cat "$enabled")" 1 && hits entry next
}

# The sample's own probes on the function keep the point, which uses ftrace.
off_without_such_probes()
{
	remove_events
	unload "$probed" && list_is_as_before && soon turned_off && echo 1 >"$enabled"
}

turned_off()
{
	echo 0 2>/dev/null >"$enabled"
}

begin "$probed"
events=$(no_events)
[ -z "$events" ] || skip_all "$events"
[ -e "$enabled" ] || skip_all "kernel has no CONFIG_DYNAMIC_FTRACE"
[ "$(cat "$enabled")" = 1 ] || skip_all "ftrace is off"
[ "$(uname -m)" != aarch64 ] || skip_all "ftrace leads to no point"
plan 7

check "a probe at an entry is hit" entry_is_hit
check "and when ftrace is turned off" off_with_working_probe
check "one on the next instruction is refused" next_is_refused
check "the working probe stays" working_probe_stays
check "ftrace is on: both are hit" next_is_accepted
check "ftrace cannot be turned off" off_is_refused
check "it can without such probes" off_without_such_probes

[ "$(cat "$enabled")" = 1 ] || echo 1 >"$enabled"
finish
