#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# RCU records an event when it is told of an NMI or an interrupt, and a breakpoint's trap tells it
# so: a probe on what records events is hit there. That must not go on without end.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

recorder=ring_buffer_lock_reserve
rounds=5
event=$tracefs/events/rcu/rcu_watching

records()
{
	echo 1 >"$event/enable" && soon grep -q ' rcu_watching: ' "$tracefs/trace"
}

# New probes are hit in the trap, until they have detours.
recorder_is_hit()
{
	round=0
	while [ "$round" -lt "$rounds" ]; do
		load kprobes_batch symbols="$recorder" || return 1
		was=$(awk '{ print $2; exit }' "$batch_hits")
		sleep 1
		at_least "$(awk '{ print $2; exit }' "$batch_hits")" $((was + 1)) &&
			unload kprobes_batch || return 1
		round=$((round + 1))
	done
}

stops()
{
	echo 0 >"$event/enable" && : >"$tracefs/trace"
}

begin kprobes_batch
[ -z "$(no_events)" ] || skip_all "$(no_events)"
[ -d "$event" ] || skip_all "kernel has no CONFIG_RCU_TRACE"
trap 'echo 0 >"$event/enable"; cleanup' EXIT
plan 3

check "the event is recorded" records
check "what records it is hit" recorder_is_hit
check "the event is off again" stops

finish
