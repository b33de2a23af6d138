#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Return probes on a function that sleeps: values, durations, many calls at once, misses, calls
# that outlive their probe. The function opens one end of a FIFO, and returns when the other
# end is open too; nothing else in the system calls it meanwhile.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

function=fifo_open
returned="^kprobes_returns: $function returned"

probe()
{
	mark_log
	load kprobes_returns symbol="$function" "$@"
}

# A call that returns at once.
call()
{
	: <>"$fifo"
}

# sleepers NUMBER: starts so many calls, which are in flight until wake().
sleepers()
{
	sleeping=""
	more_sleepers "$1"
}

more_sleepers()
{
	n=0
	while [ "$n" -lt "$1" ]; do
		(: <"$fifo") &
		sleeping="$sleeping $!"
		n=$((n + 1))
	done
	soon asleep
}

asleep()
{
	for sleeper in $sleeping; do
		grep -q '^[0-9]* (.*) S' "/proc/$sleeper/stat" || return 1
	done
}

# Each call returns, and its task is ended by the signal as without a probe.
wake()
{
	for sleeper in $sleeping; do
		kill "$sleeper"
	done
	for sleeper in $sleeping; do
		wait "$sleeper"
		equal $? 143 || return 1
	done
	sleeping=""
}

# missed NUMBER: so many misses are in the module's log when it is unloaded.
missed()
{
	mark_log
	unload kprobes_returns &&
		logged "^kprobes_returns: done with [a-z_:]+, $1 calls missed\$"
}

# logged_returns NUMBER
logged_returns()
{
	equal "$(log | grep -c "$returned")" "$1"
}

# on_one_cpu COMMAND...: for calls that must not run at the same time.
on_one_cpu()
{
	mask=$(taskset -p $$ | sed 's/.*: //')
	taskset -p 1 $$ >/dev/null || return 1
	"$@"
	status=$?
	taskset -p "$mask" $$ >/dev/null
	return "$status"
}

# The writer wakes the reader; both return 0. On one CPU, because pr_info_ratelimited() prints only
# one line if two CPUs call it at the same time.
duration()
{
	probe && sleepers 1 && sleep 1 || return 1
	: >"$fifo"
	wait "${sleeping# }" && soon logged_returns 2 || return 1
	sleeping=""
	took=$(log | sed -n "s/$returned 0 .* after \\([0-9]*\\) ns\$/\\1/p" | sort -n | tail -n 1)
	at_least "$took" 1000000000 && not at_least "$took" 30000000000
}

# -ERESTARTSYS, which no program ever sees.
error_is_returned()
{
	mark_log
	sleepers 1 && wake && logged "$returned -512 "
}

default_room()
{
	probe || return 1
	room=$(log | sed -n 's/.*room for \([0-9]*\) calls$/\1/p')
	at_least "$room" 10
}

# More calls at once than there are instances at first. Not all of them at the same time: another
# call may come before the interrupt that adds instances, if an emulated CPU stands still for long.
room_grows()
{
	sleeping=""
	in_flight=0
	while [ "$in_flight" -lt $((room + 14)) ]; do
		more_sleepers 2 || return 1
		in_flight=$((in_flight + 2))
	done
	wake && missed 0
}

limit_holds()
{
	probe maxactive=2 && logged 'room for 2 calls$' && sleepers 3 && wake &&
		soon logged_returns 2 && missed 1
}

room_is_used_again()
{
	probe maxactive=1 && call && call && call && soon logged_returns 3 && missed 0
}

# A call that is declined gives its instance back when its entry handler has returned.
entry_declines()
{
	probe pid=1 maxactive=1 && sleepers 3 && wake && logged_returns 0 && missed 0
}

entry_accepts()
{
	probe pid=$$ maxactive=1 && sleepers 3 && wake && call && soon logged_returns 1 && missed 0
}

calls_outlive_the_probe()
{
	probe && sleepers 5 && missed 0 && mark_log && wake && logged_returns 0
}

# Calls that began under a former return probe return while a new one is registered.
calls_outlive_two_probes()
{
	probe && sleepers 5 && missed 0 && probe && wake && logged_returns 0 && missed 0
}

# do_exit() never returns. Its instance is taken back when the task is freed.
no_return()
{
	load kprobes_returns symbol=do_exit maxactive=12 || return 1
	exits=0
	while [ "$exits" -lt 20 ]; do
		a_fork
		a_fork
		a_fork
		sleep 0.5
		exits=$((exits + 4))
	done
	missed 0
}

# wchan_of_sleep: of a new process that sleeps, not of one that is about to
wchan_of_sleep()
{
	sleep 100 &
	sleeping=$!
	sleep 2
	cat "/proc/$sleeping/wchan"
}

# It has who calls the scheduler's function: hrtimer_nanosleep(), if that is not inlined.
waits_in_the_same()
{
	wchan_of_sleep >"$work/was"
	grep -q '[^0]' "$work/was" && wake && probe symbol=do_nanosleep || return 1
	wchan_of_sleep >"$work/is"
	equal "$(cat "$work/is")" "$(cat "$work/was")" && wake && missed 0
}

several_on_one_function()
{
	probe && load kprobes_handlers symbol="$function" &&
		load kprobes_batch symbols="$function" && call &&
		logged "^kprobes_handlers: before $function" && logged "$returned 0" &&
		equal "$(awk '{ print $2 }' "$batch_hits")" 1 &&
		unload kprobes_batch && unload kprobes_handlers && missed 0
}

# kprobes_batch has a return probe on its own hits_get(). Both handlers see the true return
# address, and not the trampoline.
several_return_probes()
{
	load kprobes_batch && load kprobes_returns symbol=kprobes_batch:hits_get &&
		mark_log && cat "$batch_hits" && logged '^kprobes_batch: call' &&
		logged '^kprobes_returns: hits_get .* to param_attr_show\+' &&
		missed 0 && unload kprobes_batch
}

begin kprobes_returns kprobes_handlers kprobes_batch
grep -q " $function\$" /proc/kallsyms || skip_all "kernel has no $function"
fifo=$work/fifo
mkfifo "$fifo"
plan 16

check "return value and duration" on_one_cpu duration
check "return value of an interrupted call" error_is_returned
check "no call was missed" missed 0
check "room by default" default_room
check "room grows before calls are missed" room_grows
check "maxactive is a limit" on_one_cpu limit_holds
check "room is used again" room_is_used_again
check "entry handler declines" on_one_cpu entry_declines
check "entry handler accepts" on_one_cpu entry_accepts
check "calls outlive the probe" calls_outlive_the_probe
check "and are not the next probe's" calls_outlive_two_probes
check "tasks that exit give room back" no_return
has_sleep=$(grep -q ' do_nanosleep$' /proc/kallsyms || echo "kernel has no do_nanosleep")
check_if "$has_sleep" "wchan is the same with a return probe" waits_in_the_same
check "several probes on one function" several_on_one_function
check "several return probes on one function" several_return_probes
check "list is as before" list_is_as_before

finish
