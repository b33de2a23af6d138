#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A function that is livepatched and has errors injected: the injected error is returned, whichever
# of the two comes first, and the patched function's value when no error is injected any more.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

target=kprobes_target
patch=kprobes_livepatched
function=${target}_function
call=/sys/module/$target/parameters/call
fei=/sys/kernel/debug/fail_function
patched=/sys/kernel/livepatch/$patch

# The function is the first of those that are called, each of which adds one.
plain=7
livepatched=107
injected=-6

returns()
{
	equal "$(cat "$call")" "$1"
}

transition_is_over()
{
	[ "$(cat "$patched/transition" 2>/dev/null)" != 1 ]
}

patch_it()
{
	load "$patch" && soon transition_is_over
}

unpatch_it()
{
	echo 0 >"$patched/enabled" && soon [ ! -e "$patched" ] && unload "$patch"
}

inject()
{
	echo "$function" >"$fei/inject" && printf '%#x' -12 >"$fei/$function/retval" &&
		echo N >"$fei/task-filter" && echo 0 >"$fei/verbose" &&
		echo 100 >"$fei/probability" && echo -1 >"$fei/times"
}

stop_injecting()
{
	echo "" >"$fei/inject" && echo 0 >"$fei/probability"
}

can_be_called()
{
	load "$target" && returns "$plain"
}

patched_first()
{
	patch_it && returns "$livepatched" && inject && returns "$injected" &&
		stop_injecting && returns "$livepatched" && unpatch_it && returns "$plain"
}

injected_first()
{
	inject && returns "$injected" && patch_it && returns "$injected" &&
		stop_injecting && returns "$livepatched" && unpatch_it && returns "$plain"
}

# Also of a check that fails half way.
undo()
{
	stop_injecting
	[ ! -e "$patched" ] || unpatch_it
	cleanup
}

begin "$target" "$patch"
[ -d "$fei" ] || skip_all "kernel has no CONFIG_FAIL_FUNCTION, CONFIG_FAULT_INJECTION_DEBUG_FS"
[ -d /sys/kernel/livepatch ] || skip_all "kernel has no CONFIG_LIVEPATCH"
trap undo EXIT
plan 4

check "the function can be called" can_be_called
check "an error is injected into a livepatched function" patched_first
check "a function with errors injected is livepatched" injected_first
check "the module goes" unload "$target"

finish
