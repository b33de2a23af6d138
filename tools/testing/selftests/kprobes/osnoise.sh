#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The osnoise tracer records an event when an NMI ends, and on x86 a breakpoint's trap ends as an
# NMI does: a probe on what records events is hit there. That must not go on without end.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

recorder=ring_buffer_lock_reserve
rounds=5
# A buffer of its own: what osnoise samples would soon overwrite the few events of NMIs.
nmis=$tracefs/instances/kselftest

osnoise_starts()
{
	mkdir "$nmis" && echo 1 >"$nmis/events/osnoise/nmi_noise/enable" &&
		echo 100000 >"$tracefs/osnoise/runtime_us" &&
		echo 1 >"$tracefs/events/osnoise/enable" && echo osnoise >"$tracefs/current_tracer"
}

osnoise_ends()
{
	echo nop >"$tracefs/current_tracer"
	echo 0 >"$tracefs/events/osnoise/enable"
	echo "$runtime" >"$tracefs/osnoise/runtime_us"
	: >"$tracefs/trace"
	rmdir "$nmis"
}

# Reading would not end while osnoise writes more.
records_nmis()
{
	echo 0 >"$nmis/tracing_on"
	grep -q ' nmi_noise: ' "$nmis/trace"
}

# New probes are hit in the trap, until they have detours.
recorder_is_hit()
{
	round=0
	while [ "$round" -lt "$rounds" ]; do
		load kprobes_batch symbols="$recorder" || return 1
		was=$(recorder_hits)
		sleep 1
		at_least "$(recorder_hits)" $((was + 1)) && unload kprobes_batch || return 1
		round=$((round + 1))
	done
}

recorder_hits()
{
	awk '{ print $2; exit }' "$batch_hits"
}

begin kprobes_batch
case $(uname -m) in
x86_64 | i?86) ;;
*) skip_all "traps of breakpoints do not end as NMIs do" ;;
esac
grep -qw osnoise "$tracefs/available_tracers" 2>/dev/null ||
	skip_all "kernel has no CONFIG_OSNOISE_TRACER"
runtime=$(cat "$tracefs/osnoise/runtime_us")
plan 4

check "osnoise starts" osnoise_starts
check "what records its events is hit" recorder_is_hit
check "traps are recorded as NMIs" records_nmis
check "osnoise ends" osnoise_ends

finish
