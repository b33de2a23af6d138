#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What linux/kprobes.h offers to modules: the module kprobes_header uses it, and what its inlines
# and flags tell of a probe is compared with what the list shows.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

header=kprobes_header
parameters=/sys/module/$header/parameters
knob=/proc/sys/debug/kprobes-optimization
returns="returns 1 1, ignored 1 0"

# tells PROBE INLINES FLAGS LISTED: words of the first two, the end of its line in the list.
tells()
{
	equal "$(cat "$parameters/$1")" "inlines:${2:+ $2}, flags:${3:+ $3}" &&
		is_listed "${header}_$1" "  $header${4:+  $4}"
}

# calls FUNCTION FIRST SECOND RETURNS: how often a call of each function has run their handlers.
calls()
{
	equal "$(cat "$parameters/calls")" "func $1, first $2, second $3, $4"
}

set_probe()
{
	echo "$2" >"$parameters/$1"
}

without_jumps()
{
	[ ! -e "$knob" ] || echo 0 >"$knob"
}

# A point's breakpoint is written after the word was taken.
is_breakpoint()
{
	equal "$(cat "$parameters/function")" "inlines:, flags: ON_FUNC_ENTRY"
}

loads()
{
	without_jumps && load "$header" && soon is_breakpoint
}

breakpoint()
{
	tells function "" "ON_FUNC_ENTRY" "" && calls "1 1" 0 1 "$returns"
}

comes_back_disabled()
{
	tells first "disabled disarmed" "DISABLED ON_FUNC_ENTRY" "\[DISABLED\]" &&
		set_probe first 1 && tells first "" "ON_FUNC_ENTRY" "" &&
		calls "1 1" 1 1 "$returns"
}

disabled()
{
	set_probe function 0 &&
		tells function "disabled disarmed" "DISABLED ON_FUNC_ENTRY" "\[DISABLED\]" &&
		calls "0 0" 1 1 "$returns"
}

enabled()
{
	set_probe function 1 && breakpoint_of_all
}

breakpoint_of_all()
{
	tells function "" "ON_FUNC_ENTRY" "" && calls "1 1" 1 1 "$returns"
}

return_disabled()
{
	set_probe returns 0 &&
		equal "$(cat "$parameters/returns")" \
			"inlines: disabled disarmed, flags: DISABLED ON_FUNC_ENTRY" &&
		calls "1 1" 1 1 "returns 0 0, ignored 1 0" &&
		set_probe returns 1 && calls "1 1" 1 1 "$returns"
}

knows_caller()
{
	equal "$(cat "$parameters/caller")" "${header}_call [$header]"
}

knows_unregistered()
{
	equal "$(cat "$parameters/unregisters")" 1
}

# What is left is not what it was: no probe can be enabled there again.
gone()
{
	equal "$(cat "$parameters/in_init")" \
		"inlines: gone disabled disarmed, flags: GONE ON_FUNC_ENTRY" &&
		equal "$(grep -c '\[GONE\]' "$kprobes/list")" 1 &&
		write_fails "$parameters/in_init" 1 "Invalid argument"
}

refuses()
{
	equal "$(cat "$parameters/refused")" "nokprobe -22, kprobes -22, data -7"
}

# --- the other mechanisms

optimized()
{
	echo 1 >"$knob"
	becomes_jump "${header}_function" &&
		tells function optimized "OPTIMIZED ON_FUNC_ENTRY" "\[OPTIMIZED\]" &&
		calls "1 1" 1 1 "$returns"
}

optimized_disabled()
{
	set_probe function 0 &&
		tells function "disabled disarmed" "DISABLED ON_FUNC_ENTRY" "\[DISABLED\]" &&
		calls "0 0" 1 1 "$returns" && set_probe function 1
}

ftraced()
{
	redirect "${header}_function" &&
		tells function ftrace "FTRACE ON_FUNC_ENTRY" "\[FTRACE\]" &&
		calls "1 1" 1 1 "$returns"
}

ftraced_disabled()
{
	set_probe function 0 && tells function "disabled disarmed ftrace" \
		"DISABLED FTRACE ON_FUNC_ENTRY" "\[DISABLED\] \[FTRACE\]" &&
		calls "0 0" 1 1 "$returns" && unload kprobes_redirected
}

unloads()
{
	unload "$header" && list_is_as_before
}

restore()
{
	[ -z "$jumps" ] || echo "$jumps" >"$knob"
	cleanup
}

begin "$header"
trap restore EXIT
jumps=""
[ ! -e "$knob" ] || jumps=$(cat "$knob")
optimizes=""
[ -n "$jumps" ] || optimizes="kernel has no CONFIG_SYSCTL"
ftrace=$(no_ftraced_points)
plan 15

check "all of it is used by a module, which loads" loads
check "a breakpoint is neither of the others" breakpoint
check "a probe registered as disabled is, until it is enabled" comes_back_disabled
check "a disabled probe is" disabled
check "an enabled one is not" enabled
check "a return probe is disabled and enabled" return_disabled
check "the caller of a probed call is known" knows_caller
check "a call knows that its return probe was unregistered" knows_unregistered
check_if "$init_stays" "a probe in init text is gone" gone
check "what must not be probed is refused" refuses
check_if "$optimizes" "a probe reached by a jump is optimized" optimized
check_if "$optimizes" "it is not while it is disabled" optimized_disabled
check_if "$ftrace" "a probe reached through ftrace is" ftraced
check_if "$ftrace" "it still is while it is disabled" ftraced_disabled
check "it unloads" unloads

finish
