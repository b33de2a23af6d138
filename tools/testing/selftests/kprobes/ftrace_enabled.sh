#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# kernel.ftrace_enabled: while it is 0, what needs ftrace is refused and other probes are still
# hit; while a point uses ftrace, it cannot be set to 0.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

enabled=/proc/sys/kernel/ftrace_enabled
probed=kprobes_batch
function=hits_get
calls=10

# hits EVENT...: they see the next calls, and miss none.
hits()
{
	for e in "$@"; do
		event_hits "$e" >"$work/$e"
	done
	call_batch "$calls"
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

next_is_hit()
{
	define_next >>"$tracefs/kprobe_events" && event_enable next 1 && hits entry next
}

jumps_if_it_can()
{
	[ ! -e /proc/sys/debug/kprobes-optimization ] || becomes_jump "$function"
}

working_probe_stays()
{
	not is_ftraced && hits entry && jumps_if_it_can && hits entry
}

# A redirection would need ftrace for the probe at the entry.
redirection_is_refused()
{
	not redirect "$function" && not is_ftraced && hits entry next
}

redirection_is_accepted()
{
	echo 1 >"$enabled" && redirect "$function" && is_ftraced && hits entry next
}

# A probe of a function whose calls are redirected needs ftrace.
probe_is_refused()
{
	redirect kernel_clone && echo 0 >"$enabled" && event p needs kernel_clone &&
		write_fails "$tracefs/events/$group/needs/enable" 1 busy &&
		tail -n 1 "$kprobes/refused" |
		grep -E '  -(EBUSY|16)  ftrace-off: ftrace refused, kernel.ftrace_enabled is 0$' &&
		echo 1 >"$enabled" && event_enable needs 1
}

off_is_refused()
{
	write_fails "$enabled" 0 busy && equal "$(cat "$enabled")" 1 && hits entry next
}

# The module's own probes on its function keep the point, which uses ftrace.
off_without_such_probes()
{
	remove_events
	unload kprobes_redirected && unload "$probed" && list_is_as_before && soon turned_off &&
		echo 1 >"$enabled"
}

turned_off()
{
	echo 0 2>/dev/null >"$enabled"
}

begin "$probed" kprobes_redirected
events=$(no_events)
[ -z "$events" ] || skip_all "$events"
[ -e "$enabled" ] || skip_all "kernel has no CONFIG_DYNAMIC_FTRACE"
[ "$(cat "$enabled")" = 1 ] || skip_all "ftrace is off"
plan 9

check "a probe at an entry is hit" entry_is_hit
check "and when ftrace is turned off" off_with_working_probe
check "the working probe stays" working_probe_stays
check "one on the next instruction is hit as well" next_is_hit
check "redirecting calls is refused" redirection_is_refused
check "ftrace is on: both are hit, redirected" redirection_is_accepted
check "ftrace cannot be turned off" off_is_refused
check "it can without such probes" off_without_such_probes
check "a probe of redirected calls is refused then" probe_is_refused

[ "$(cat "$enabled")" = 1 ] || echo 1 >"$enabled"
finish
