#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Probes in a module that comes and goes. kprobes_batch is the probed one: reading its
# parameter "hits" calls its function hits_get().

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

target=kprobes_batch
function=$target:hits_get

load_target()
{
	load "$target" symbols=kernel_clone
}

probes_module()
{
	load kprobes_handlers symbol="$function" && is_listed hits_get "  $target.*"
}

# A call is logged once by each of the probes that are not gone.
call_is_logged()
{
	mark_log
	cat "$batch_hits" &&
		logged '^kprobes_handlers: before hits_get\+.*\[kprobes_batch\]' &&
		logged '^kprobes_handlers: after hits_get\+.*\[kprobes_batch\]'
}

call_is_not_logged()
{
	mark_log
	cat "$batch_hits" && logged '^kprobes_batch: call' && not grep_log '^kprobes_handlers:'
}

gone_in_list()
{
	grep -E '^[0-9a-f]+  k  .*\[GONE\]' "$kprobes/list"
}

# The module unregisters its own probes; the one of kprobes_handlers stays, and is [GONE].
probe_is_gone()
{
	unload "$target" && gone_in_list && equal "$(grep -c 'GONE' "$kprobes/list")" 1 &&
		not is_listed kernel_clone
}

stays_gone()
{
	load_target && gone_in_list && call_is_not_logged
}

unregisters_gone()
{
	mark_log
	unload kprobes_handlers && logged '^kprobes_handlers: done with' && not gone_in_list &&
		call_is_not_logged
}

switched_while_gone()
{
	probes_module && unload "$target" || return 1
	echo 0 >"$kprobes/enabled"
	echo 1 >"$kprobes/enabled"
	gone_in_list && load_target && call_is_not_logged && unload kprobes_handlers
}

return_probe()
{
	load kprobes_returns symbol="$function" || return 1
	mark_log
	cat "$batch_hits" && logged '^kprobes_returns: hits_get .*returned [1-9][0-9]* ' &&
		unload "$target" && grep -E '^[0-9a-f]+  r  .*\[GONE\]' "$kprobes/list" &&
		unload kprobes_returns && list_is_as_before
}

# Many times, so that the module is loaded to memory that it had before.
comes_and_goes()
{
	round=0
	while [ "$round" -lt 10 ]; do
		load_target && probes_module && call_is_logged || return 1
		if [ $((round % 2)) = 0 ]; then
			unload "$target" && unload kprobes_handlers || return 1
		else
			unload kprobes_handlers && unload "$target" || return 1
		fi
		round=$((round + 1))
	done
	list_is_as_before
}

# Events wait for their module.
waiting_event()
{
	event p waits "$function"
	grep "$group/waits" "$tracefs/kprobe_events" && not is_listed hits_get
}

armed_on_load()
{
	load_target && event_enable waits 1 && event_hit
}

event_hit()
{
	was=$(event_hits waits)
	cat "$batch_hits" && equal "$(event_hits waits)" $((was + 1))
}

event_gone()
{
	unload "$target" && gone_in_list
}

event_back()
{
	load_target && not gone_in_list && event_hit
}

removed_while_gone()
{
	unload "$target" && remove_events && not gone_in_list && list_is_as_before
}

begin kprobes_handlers kprobes_returns "$target"
events=$(no_events)
plan 18

check "module that is not loaded" refused ENOENT 2 kprobes_handlers symbol="$function"
check "module that is loaded" load_target
check "its function is probed" probes_module
check "and hit" call_is_logged
check "the module goes: the probe is [GONE]" probe_is_gone
check "the module returns: the probe stays [GONE]" stays_gone
check "a gone probe is unregistered" unregisters_gone
check "the function is probed again" probes_module
check "and hit" call_is_logged
check "unregistered from a loaded module" unload kprobes_handlers
check "enabled off and on with a gone probe" switched_while_gone
check "a return probe is [GONE] too" return_probe
check "modules come and go" comes_and_goes

check_if "$events" "event for a module that is not loaded" waiting_event
check_if "$events" "hits when it is loaded" armed_on_load
check_if "$events" "is [GONE] with it" event_gone
check_if "$events" "hits when it is loaded again" event_back
check_if "$events" "is removed while gone" removed_while_gone

finish
