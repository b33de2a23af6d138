#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# CPUs go and come while probes are set, become jumps, and are taken off: what was patched
# meanwhile is what a CPU executes when it is back, and neither waits for the other for ever.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

cpu=/sys/devices/system/cpu/cpu1/online
optimization=/proc/sys/debug/kprobes-optimization
calls=20

# call_there TIMES: calls of do_mkdirat() on the CPU. It has no switch, so it can have a jump.
call_there()
{
	round=0
	while [ "$round" -lt "$1" ]; do
		taskset 2 mkdir "$work/there" && rmdir "$work/there" || return 1
		round=$((round + 1))
	done
}

# Each call there is one more hit.
calls_there_hit()
{
	before=$(event_hits made)
	call_there "$calls" && equal "$(event_hits made)" $((before + calls))
}

calls_there_do_not_hit()
{
	call_there "$calls" && equal "$(event_hits made)" "$1"
}

# while_away COMMAND...: the CPU executes what COMMAND has patched when it is back.
while_away()
{
	echo 0 >"$cpu" || return 1
	"$@"
	status=$?
	echo 1 >"$cpu" && [ "$status" -eq 0 ]
}

enabled_while_away()
{
	while_away event_enable made 1 && calls_there_hit
}

disabled_while_away()
{
	hits=$(event_hits made)
	while_away event_enable made 0 && calls_there_do_not_hit "$hits"
}

turn_off()
{
	echo 0 >"$optimization"
}

turn_on_and_wait()
{
	echo 1 >"$optimization" && becomes_jump do_mkdirat
}

off_while_away()
{
	becomes_jump do_mkdirat && while_away turn_off && not is_jump do_mkdirat && calls_there_hit
}

on_while_away()
{
	while_away turn_on_and_wait && calls_there_hit
}

go_and_come()
{
	turn=0
	while [ "$turn" -lt 20 ]; do
		echo 0 >"$cpu" || return 1
		echo 1 >"$cpu" || return 1
		turn=$((turn + 1))
	done
}

# Events and the knob are turned until the CPU has gone and come often enough.
turn_everything()
{
	go_and_come &
	going=$!
	while kill -0 "$going" 2>/dev/null; do
		event_enable made 1
		echo 0 >"$optimization"
		echo 1 >"$optimization"
		event_enable made 0
	done
	wait "$going"
}

hits_after_all()
{
	event_enable made 1 && calls_there_hit
}

# shellcheck disable=SC2119 # no module is needed
begin
[ -w "$cpu" ] || skip_all "CPU 1 cannot be turned off"
[ -e "$tracefs/kprobe_events" ] || skip_all "kernel has no kprobe events"
event p made do_mkdirat

plan 6
check "an event that is enabled while a CPU is away is hit there" enabled_while_away
check_if "$([ -e $optimization ] || echo "no jumps")" \
	"so is one that becomes a breakpoint" off_while_away
check_if "$([ -e $optimization ] || echo "no jumps")" \
	"and a jump" on_while_away
check "one that is disabled is not hit any more" disabled_while_away
check "knobs and events turn while CPUs go and come" turn_everything
check "and hits are counted after that" hits_after_all
[ ! -e "$optimization" ] || echo 1 >"$optimization"
finish
