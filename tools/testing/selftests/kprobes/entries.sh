#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A probe and a return probe at a function's entry, while function tracers come and go there: all
# see each call once, stack traces show the callers, and the mechanism of the probes does not
# change unless calls are redirected.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

points=$kprobes/points
instance=$tracefs/instances/kprobes_entries
calls=10

# --- tracers

trace_with()
{
	echo "$1" >"$tracefs/current_tracer"
}

# How often the tracer has seen the function, as "function <-caller", "function();" or
# "function() {".
traced()
{
	grep -Ec " $function( \\[[^]]*\\])?( <-|\\(\\)(;| \\{))" "$tracefs/trace"
}

clear_trace()
{
	echo >"$tracefs/trace"
}

# --- probes

add_events()
{
	event p entry "$probed:$function" && event r return "$probed:$function" &&
		event_enable entry 1 && event_enable return 1
}

# Both events see the next calls, and so does the tracer, if there is one.
all_see_calls()
{
	clear_trace
	entries=$(event_hits entry)
	returns=$(event_hits return)
	call_batch "$calls" && equal "$(event_hits entry)" $((entries + calls)) &&
		equal "$(event_hits return)" $((returns + calls)) && no_misses &&
		tracer_sees_calls
}

no_misses()
{
	equal "$(awk '$1 == "entry" || $1 == "return" { n += $3 } END { print n }' \
		"$tracefs/kprobe_profile")" 0
}

tracer_sees_calls()
{
	[ "$(cat "$tracefs/current_tracer")" = nop ] || equal "$(traced)" "$calls" ||
		{ head -n 40 "$tracefs/trace"; return 1; }
}

# mechanism_is REGEX [FUNCTION]
mechanism_is()
{
	awk -F '  ' -v like="^${2:-$function}[+]" '$2 ~ like { print $4; exit }' "$points" \
		>"$work/mechanism"
	all_match "^($1)\$" "$work/mechanism"
}

skips_nop()
{
	mechanism_is '(breakpoint|jump)(\+[0-9]+)?' && is_listed "$function" &&
		not grep '\[FTRACE\]' "$kprobes/list"
}

events_alone()
{
	add_events && skips_nop && all_see_calls
}

tracer_comes_and_goes()
{
	trace_with "$1" && all_see_calls && skips_nop &&
		trace_with nop && all_see_calls && skips_nop
}

# When the point is a jump, and once more.
comes_and_goes_later()
{
	[ ! -e /proc/sys/debug/kprobes-optimization ] ||
		soon mechanism_is 'jump(\+[0-9]+)?' >/dev/null || return 1
	tracer_comes_and_goes "$1" && tracer_comes_and_goes "$1"
}

# The probes are registered and unregistered while the tracer is on.
probes_come_and_go()
{
	remove_events
	trace_with "$1" && add_events && all_see_calls && skips_nop && remove_events &&
		clear_trace && call_batch "$calls" && tracer_sees_calls &&
		add_events && all_see_calls &&
		trace_with nop && all_see_calls && skips_nop
}

event_goes_while_traced()
{
	trace_with "$1" && event_enable return 0 || return 1
	clear_trace
	returns=$(event_hits return)
	call_batch "$calls" && equal "$(event_hits return)" "$returns" && tracer_sees_calls &&
		event_enable return 1 && all_see_calls && trace_with nop
}

# After the nop is the next instruction, wherever the nop is.
offset_after()
{
	sed -n "s/^[0-9a-f]*  [kr]  $function+\\(0x[0-9a-f]*\\) .*/\\1/p" "$kprobes/list" |
		head -n 1 | while read -r offset; do
			echo "+$((offset + $(nop_size)))"
		done
}

next_is_hit()
{
	was=$(event_hits next)
	all_see_calls && equal "$(event_hits next)" $((was + calls))
}

next_is_probed()
{
	event p next "$probed:$function$(offset_after)" && event_enable next 1 &&
		skips_nop && next_is_hit
}

next_is_hit_while_traced()
{
	for tracer in $tracers; do
		trace_with "$tracer" && next_is_hit || return 1
	done
	trace_with nop && next_is_hit && "$@"
}

# The point uses ftrace from then on.
calls_are_redirected()
{
	redirect "$function" && mechanism_is ftrace &&
		is_listed "$function" '.*\[FTRACE\].*' && next_is_hit
}

# The return probe of the module itself keeps the point from being freed.
starts_anew()
{
	remove_events
	unload "$probed" && load "$probed" symbols=kernel_clone &&
		echo "$function" >"$tracefs/set_ftrace_filter" && events_alone
}

# --- stack traces

# Prints what the events report in a trace instance, with a stack trace for each.
take_stacks()
{
	for name in entry return; do
		echo 1 >"$instance/events/$group/$name/enable"
	done
	echo 1 >"$instance/options/stacktrace"
	echo >"$instance/trace"
	call_batch "$calls"
	for name in entry return; do
		echo 0 >"$instance/events/$group/$name/enable"
	done
	cat "$instance/trace" >"$work/stacks"
}

# There are as many stacks as events. Each has the caller, and none has a trampoline.
stacks_are_good()
{
	take_stacks && equal "$(grep -c '<stack trace>' "$work/stacks")" $((2 * calls)) &&
		equal "$(grep -c '=> param_attr_show' "$work/stacks")" $((2 * calls)) &&
		not grep -E 'return_to_handler|kretprobe_trampoline|rethook' "$work/stacks" &&
		return
	cat "$work/stacks"
	return 1
}

stacks_while_traced()
{
	trace_with "$1" && stacks_are_good && trace_with nop && stacks_are_good
}

# The tracer is first: the return probe finds the tracer's trampoline as return address.
stacks_while_traced_before()
{
	remove_events
	trace_with "$1" && add_events && stacks_are_good && trace_with nop
}

stacks_beside_next()
{
	for tracer in $tracers; do
		stacks_while_traced "$tracer" || return 1
	done
}

# The kernel's entry calls a system call, and on some machines has no frame. It is there once.
stack_of_system_call()
{
	call=$(sed -n -E 's/.* [tT] ((__[a-z0-9]+_)?sys_sync)$/\1/p' /proc/kallsyms |
		sort -r | head -n 1)
	event r call "$call" && echo 1 >"$instance/events/$group/call/enable" || return 1
	echo >"$instance/trace"
	sync
	echo 0 >"$instance/events/$group/call/enable"
	cat "$instance/trace" >"$work/stacks"
	grep -q '<stack trace>' "$work/stacks" &&
		equal "$(sed -n 's/^ *=> //p' "$work/stacks" | uniq -d)" "" && return
	cat "$work/stacks"
	return 1
}

# --- direct calls

no_direct_calls()
{
	[ -n "$(module_file ftrace-direct)" ] || echo "kernel was built without ftrace-direct"
}

# A timer wakes each of them by wake_up_process().
wake_up_sleepers()
{
	n=0
	while [ "$n" -lt "$calls" ]; do
		sleep 0.02
		n=$((n + 1))
	done
}

# The module prints a line for each call that the probe counts. On each CPU a call may be between
# the two when the trace is read.
direct_call_comes()
{
	remove_events
	event p waking wake_up_process && event_enable waking 1 &&
		mechanism_is '(breakpoint|jump)(\+[0-9]+)?' wake_up_process &&
		load ftrace-direct && mechanism_is "$beside_direct" wake_up_process || return 1
	was=$(event_hits waking)
	clear_trace
	wake_up_sleepers
	cat "$tracefs/trace" >"$work/direct"
	printed=$(grep -c ': waking up ' "$work/direct")
	counted=$(grep -c ' waking: (wake_up_process' "$work/direct")
	at_least "$(event_hits waking)" $((was + 1)) && at_least "$counted" "$calls" &&
		at_least $((printed + $(nproc))) "$counted" &&
		at_least $((counted + $(nproc))) "$printed" && return
	head -n 40 "$work/direct"
	return 1
}

direct_call_goes()
{
	unload ftrace-direct || return 1
	was=$(event_hits waking)
	wake_up_sleepers
	at_least "$(event_hits waking)" $((was + 1)) &&
		mechanism_is "$beside_direct" wake_up_process
}

put_back()
{
	trace_with nop
	echo >"$tracefs/set_ftrace_filter"
	[ ! -d "$instance" ] || rmdir "$instance"
	cleanup
}

probed=kprobes_batch
function=hits_get
tracers="function function_graph"
begin "$probed"
events=$(no_events)
[ -z "$events" ] || skip_all "$events"
[ -e "$points" ] || skip_all "kernel does not show points"
for tracer in $tracers; do
	grep -qw "$tracer" "$tracefs/available_tracers" || skip_all "kernel has no $tracer tracer"
done
grep -qw wake_up_process "$tracefs/available_filter_functions" ||
	skip_all "kernel has no CONFIG_DYNAMIC_FTRACE"
trap put_back EXIT
plan 27

check "the probed module loads" load "$probed" symbols=kernel_clone
mkdir "$instance"
check "events at the entry skip the nop" starts_anew
for tracer in $tracers; do
	check "$tracer comes and goes" tracer_comes_and_goes "$tracer"
	check "$tracer comes and goes when there is a jump" comes_and_goes_later "$tracer"
	check "the return probe goes while there is $tracer" event_goes_while_traced "$tracer"
	check "events come and go while there is $tracer" probes_come_and_go "$tracer"
done
check "stack traces" stacks_are_good
check "the stack of a system call" stack_of_system_call
for tracer in $tracers; do
	check "stack traces with $tracer" stacks_while_traced "$tracer"
	check "stack traces with $tracer there first" stacks_while_traced_before "$tracer"
done
check "events are there alone again" starts_anew
next=""
nop_size >"$work/nop" || next="the nop's length is not known"
ftrace=$(no_ftraced_points)
beside_direct=ftrace
[ -z "$ftrace" ] || beside_direct='(breakpoint|jump)(\+[0-9]+)?'
check_if "$next" "the next instruction has an event, too" next_is_probed
check_if "$next" "with tracers, too" next_is_hit_while_traced skips_nop
check_if "$next" "stack traces beside it" stacks_beside_next
check_if "$ftrace" "redirected calls are hits by way of ftrace" calls_are_redirected
check_if "$ftrace" "with tracers, too" next_is_hit_while_traced mechanism_is ftrace
check_if "$ftrace" "stack traces by way of ftrace" stacks_beside_next
[ -n "$ftrace" ] || unload kprobes_redirected
check "and anew it skips the nop again" starts_anew
check_if "$(no_direct_calls)" "a direct call and the probe both see the calls" direct_call_comes
check_if "$(no_direct_calls)" "the probe stays when the direct call goes" direct_call_goes
remove_events
unload "$probed"
check "list is as before" list_is_as_before

finish
