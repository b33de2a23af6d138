#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Probes that wait for a module: they are listed as [PENDING], armed before the module's init
# function runs, pending again when it is gone, and armed again when it returns.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

target=kprobes_target
waiter=kprobes_pending
function=$target:kprobes_target_function
parameters=/sys/module/$waiter/parameters
calls=/sys/module/$target/parameters/call

# counts HITS RETURNS: that many have been counted, of the newer probe first
counts()
{
	equal "$(cat "$parameters/hits") $(cat "$parameters/returns")" "$1 $2" &&
		equal "$(cat "$parameters/disordered")" 0
}

# lists_waiting NAME [FLAG]: a probe and a return probe wait for it
lists_waiting()
{
	flags=" \\[PENDING\\]${2:+ \\[$2\\]}"
	for kind in k r; do
		grep -E "^0+  $kind  $1\\+0x0 $flags\$" "$kprobes/list" && continue
		cat "$kprobes/list"
		return 1
	done
}

is_armed()
{
	is_listed kprobes_target_function "  $target.*" && not grep PENDING "$kprobes/list"
}

waits()
{
	load "$waiter" symbol="$function" && lists_waiting "$function" && counts 0 0
}

points_say_so()
{
	grep -E "^0+  $function\\+0x0  -  breakpoint  pending  1  " "$kprobes/points"
}

is_armed_when_it_comes()
{
	load "$target" && is_armed && cat "$calls" && counts 1 1
}

waits_again()
{
	unload "$target" && lists_waiting "$function" && counts 1 1
}

is_armed_each_time()
{
	for round in 2 3 4 5 6 7 8 9; do
		is_armed_when_it_comes_again "$round" || return 1
	done
}

is_armed_when_it_comes_again()
{
	load "$target" && is_armed && cat "$calls" && counts "$1" "$1" && unload "$target" &&
		lists_waiting "$function"
}

# Disabled while it waits, it is not armed; enabled while it waits, it is.
switches_while_it_waits()
{
	echo 1 >"$parameters/off" && lists_waiting "$function" DISABLED && load "$target" &&
		is_listed kprobes_target_function "  $target  \\[DISABLED\\].*" &&
		cat "$calls" && counts 9 9 && unload "$target" &&
		lists_waiting "$function" DISABLED && echo 0 >"$parameters/off" &&
		lists_waiting "$function" && load "$target" && cat "$calls" && counts 10 10
}

# The module is there now.
switches_while_it_is_there()
{
	echo 1 >"$parameters/off" && cat "$calls" && counts 10 10 && echo 0 >"$parameters/off" &&
		cat "$calls" && counts 11 11 && echo 1 >"$parameters/off" && unload "$target" &&
		lists_waiting "$function" DISABLED && echo 0 >"$parameters/off" &&
		lists_waiting "$function"
}

unregisters_while_it_waits()
{
	unload "$waiter" && list_is_as_before && load "$target" && cat "$calls" && list_is_as_before
}

# Registered while the module is there, it waits only after that has gone.
registered_when_it_is_there()
{
	load "$waiter" symbol="$function" && is_armed && cat "$calls" && counts 1 1 &&
		unload "$target" && lists_waiting "$function" && load "$target" && is_armed &&
		unload "$waiter" && cat "$calls" && unload "$target" && list_is_as_before
}

init_waits()
{
	[ -n "$init_stays" ] || lists_waiting "$init"
}

# The init function is freed when it has run, and the probes wait for the next time.
probes_init_function()
{
	init=$target:kprobes_target_in_init
	load "$waiter" symbol="$init" && load "$target" && counts 1 1 && init_waits &&
		unload "$target" && load "$target" && counts 2 2 && init_waits &&
		unload "$target" && lists_waiting "$init"
}

# An insmod may try twice.
has_hit()
{
	at_least "$(cat "$parameters/hits")" 3
}

init_fails()
{
	not load "$target" fail=1 2>/dev/null && has_hit && lists_waiting "$init" &&
		unload "$waiter" && list_is_as_before
}

# There is no such function: the reason is told when the module comes, and they wait on.
comes_without_function()
{
	name=$target:no_such_function
	mark_log
	load "$waiter" symbol="$name" && load "$target" && lists_waiting "$name" &&
		equal "$(tail -n 2 "$kprobes/refused" |
			 grep -cE "  $name\\+0x0  -(ENOENT|2)  symbol: unknown symbol\$")" 2 &&
		logged "^kprobes: $name\\+0x0: symbol: unknown symbol\$" && unload "$target" &&
		lists_waiting "$name" && unload "$waiter"
}

there_is_no_such_function()
{
	load "$target" && not load "$waiter" symbol="$target:no_such_function" 2>/dev/null &&
		tail -n 1 "$kprobes/refused" | grep "symbol: unknown symbol\$" &&
		unload "$target" && list_is_as_before
}

names_no_module()
{
	not load "$waiter" symbol=no_such_function 2>/dev/null && list_is_as_before &&
		tail -n 1 "$kprobes/refused" | grep "pending: unknown symbol, and no module"
}

# "N-th of this name" is resolved when the module comes, like any name.
position_waits()
{
	load "$waiter" symbol="$function,1" && lists_waiting "$function,1" && load "$target" &&
		is_armed && cat "$calls" && counts 1 1 && unload "$target" &&
		lists_waiting "$function,1" && unload "$waiter"
}

# Others probe the same function, by another way of waiting, and one that is gone stays so.
beside_others()
{
	load "$target" && load kprobes_handlers symbol="$function" &&
		load "$waiter" symbol="$function" && event p waits "$function" &&
		event_enable waits 1 && cat "$calls" && counts 1 1 &&
		equal "$(event_hits waits)" 1 && unload "$target" && load "$target" &&
		cat "$calls" && counts 2 2 && equal "$(event_hits waits)" 2 &&
		equal "$(grep -c '\[GONE\]' "$kprobes/list")" 1
	result=$?
	remove_events
	unload "$waiter"
	unload kprobes_handlers
	unload "$target"
	return "$result"
}

# While the module is there, ftrace calls the probes. Nothing does when it has gone.
ftraced_while_it_is_there()
{
	load "$waiter" symbol="$function" && load "$target" && cat "$calls" &&
		redirect kprobes_target_function &&
		is_listed kprobes_target_function "  $target  \\[FTRACE\\]" && cat "$calls" &&
		counts 2 2 && unload "$target" && lists_waiting "$function" &&
		unload kprobes_redirected && load "$target" && cat "$calls" && counts 3 3 &&
		unload "$target" && lists_waiting "$function" && unload "$waiter"
}

module_comes_and_goes()
{
	file=$(module_file "$target")
	while [ ! -e "$work/over" ]; do
		insmod "$file" && cat "$calls" && rmmod "$target"
	done
}

a_round()
{
	load "$waiter" symbol="$function" && echo 1 >"$parameters/off" &&
		echo 0 >"$parameters/off" && unload "$waiter"
}

# Registering never fails, wherever the module is in its life.
while_it_comes_and_goes()
{
	module_comes_and_goes >/dev/null &
	comings=$!
	sleeping="$comings $sleeping"
	rounds=0
	while [ "$rounds" -lt 20 ] && a_round; do
		rounds=$((rounds + 1))
	done
	: >"$work/over"
	wait "$comings"
	equal "$rounds" 20 && list_is_as_before
}

begin "$target" "$waiter" kprobes_handlers
skip=$(no_events)
plan 20

check "registered before its module is there" waits
check "points say so" points_say_so
check "armed when the module comes" is_armed_when_it_comes
check "pending when the module has gone" waits_again
check "armed each time" is_armed_each_time
check "disabled and enabled while it waits" switches_while_it_waits
check "disabled and enabled while the module is there" switches_while_it_is_there
check "unregistered while it waits" unregisters_while_it_waits
check "registered while the module is there" registered_when_it_is_there
check "on the init function" probes_init_function
check "the init function fails" init_fails
check "a module without the function" comes_without_function
check "no such function in the module that is there" there_is_no_such_function
check "a name without a module" names_no_module
check "the N-th function of a name" position_waits
check_if "$skip" "beside a probe that is gone, and an event" beside_others
check_if "$(no_ftraced_points)" "called by ftrace while the module is there" \
	ftraced_while_it_is_there
check "while the module comes and goes" while_it_comes_and_goes
check "nothing is left" list_is_as_before
check "no probe waits" not grep PENDING "$kprobes/list"

finish
