#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Probes in a module, in addition to modules.sh: init text, the module's own blacklist, its jump
# labels, an init function that fails, and probes that are registered while the module is loaded
# and unloaded. The module is kprobes_target; reading its parameter "call" calls its functions.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

target=kprobes_target
parameters=/sys/module/$target/parameters

load_target()
{
	load "$target"
}

# The functions return the right results, probed or not.
call_target()
{
	equal "$(cat "$parameters/call")" 7
}

# listed_gone NUMBER: so many probes are [GONE] in the list.
listed_gone()
{
	equal "$(grep -c '\[GONE\]' "$kprobes/list")" "$1"
}

# hits EVENT NUMBER
hits()
{
	equal "$(event_hits "$1")" "$2"
}

# calls EVENT NUMBER: a call of the module hits the event so many times.
calls()
{
	was=$(event_hits "$1")
	call_target && hits "$1" $((was + $2))
}

# --- probes that wait for the module

waiting_events()
{
	event p in_init "$target:${target}_in_init" &&
		event p function "$target:${target}_function" &&
		event r returns "$target:${target}_function" || return 1
	event_enable in_init 1 && event_enable function 1 && event_enable returns 1 &&
		list_is_as_before
}

hit_in_init()
{
	load_target && hits in_init 1
}

init_is_gone()
{
	listed_gone 1 && is_listed "${target}_function" "  $target.*"
}

others_are_hit()
{
	calls function 1 && calls returns 1 && hits in_init 1
}

all_are_gone()
{
	unload "$target" && listed_gone 3
}

all_come_back()
{
	[ -n "$init_stays" ] && gone=0 || gone=1
	load_target && listed_gone "$gone" && hits in_init 2 && others_come_back
}

others_come_back()
{
	calls function 1 && calls returns 1 && hits in_init 2
}

# --- an init that fails

# Probes that were registered while the module was loaded are hit, and are [GONE] when it has
# failed. (busybox tries a second time.)
init_fails()
{
	unload "$target" || return 1
	was=$(event_hits in_init)
	not load "$target" fail=1 && at_least "$(event_hits in_init)" $((was + 1)) &&
		listed_gone 3
}

blacklist_without_target()
{
	not grep "$target" "$kprobes/blacklist"
}

init_fails_many_times()
{
	round=0
	while [ "$round" -lt 10 ]; do
		not load "$target" fail=1 || return 1
		round=$((round + 1))
	done
	listed_gone 3
}

loads_after_failures()
{
	load_target && calls function 1 && calls returns 1
}

removed_from_failed()
{
	unload "$target" && not load "$target" fail=1 && remove_events && list_is_as_before
}

# --- a name that a function of the kernel has as well

both=kprobes_target_c

is_kernels()
{
	is_listed "$both" "( *|  \\[OPTIMIZED\\]|  \\[FTRACE\\])"
}

name_is_the_kernels()
{
	load_target && load kprobes_handlers symbol="$both" && is_kernels
}

stays_without_module()
{
	unload "$target" && is_kernels
}

stays_with_module()
{
	load_target && is_kernels && unload kprobes_handlers
}

is_the_modules_with_its_name()
{
	load kprobes_handlers symbol="$target:$both" && is_listed "$both" "  $target.*" &&
		unload kprobes_handlers && unload "$target" && list_is_as_before
}

# --- a module's blacklist

blacklisted()
{
	grep -E "^0x[0-9a-f]+-0x[0-9a-f]+	$1 \\[$target\\]\$" "$kprobes/blacklist" ||
		{ grep "$target" "$kprobes/blacklist"; echo "has no $1"; return 1; }
}

blacklist_with_target()
{
	load_target && blacklisted "${target}_forbidden" &&
		blacklisted "${target}_forbidden[.]part[.]0" &&
		blacklisted "${target}_in_kprobes_text" && blacklisted "${target}_noinstr" &&
		blacklisted "${target}_cpuidle" &&
		not blacklisted "${target}_function" && not blacklisted "${target}_switched"
}

# Also that of text without a symbol, which the module begins with.
blacklist_hides_addresses()
{
	knob=/proc/sys/kernel/kptr_restrict
	before=$(cat "$knob")
	echo 2 >"$knob"
	cat "$kprobes/blacklist" >"$work/hidden"
	echo "$before" >"$knob"
	all_match '^0x0+-0x0+	([A-Za-z_.].*|0x0+)$' "$work/hidden" &&
		grep '	0x0' "$work/hidden"
}

refuses_blacklisted()
{
	for f in forbidden in_kprobes_text noinstr cpuidle forbidden.part.0; do
		refused EINVAL 22 kprobes_handlers symbol="$target:${target}_$f" || return 1
	done
}

blacklist_goes()
{
	unload "$target" && blacklist_without_target
}

blacklist_comes_back()
{
	blacklist_with_target && refuses_blacklisted && blacklist_goes
}

# --- a breakpoint, also where ftrace serves the entries of functions

breakpoint_is_hit()
{
	load_target && load kprobes_handlers symbol="$target:${target}_untraced" &&
		is_listed "${target}_untraced" "  $target( *|  \\[OPTIMIZED\\])" || return 1
	mark_log
	call_target && logged "^kprobes_handlers: before ${target}_untraced\\+"
}

breakpoint_is_gone()
{
	unload "$target" && listed_gone 1
}

# The module is often loaded to the same memory again.
breakpoint_stays_gone()
{
	load_target || return 1
	mark_log
	call_target && not grep_log '^kprobes_handlers:' && listed_gone 1
}

breakpoint_leaves()
{
	unload kprobes_handlers && listed_gone 0 && call_target && unload "$target" &&
		list_is_as_before
}

# --- what else is refused in a module

# The init text was freed, and so were its symbols.
refuses_init()
{
	refused ENOENT 2 kprobes_handlers symbol="$target:${target}_in_init"
}

# A function begins where it began, whatever else of it is probed.
entry_beside_others()
{
	byte=1
	while [ "$byte" -lt 32 ]; do
		event p "at_$byte" "$target:${target}_function+$byte" 2>/dev/null
		byte=$((byte + 1))
	done
	echo 1 >"$tracefs/events/$group/enable"
	event p first "$target:${target}_function" && event_enable first 1 || return 1
	calls first 1
	status=$?
	remove_events
	return "$status"
}

refuses_jump_label()
{
	[ -e "$parameters/jump_label" ] || return 0
	offset=$(cat "$parameters/jump_label")
	write_fails "$tracefs/kprobe_events" \
		"p:$group/label $target:${target}_switched+$offset" "Invalid argument" &&
		call_target
}

# --- probes that come and go while the module does

# While an event is defined, tracing has a reference to its module: then rmmod fails with EAGAIN.
rmmod_soon()
{
	tries=100
	until rmmod "$target"; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 0.05
	done
}

toggles_module()
{
	round=0
	while [ "$round" -lt 15 ]; do
		insmod "$(module_file "$target")" || return 1
		cat "$parameters/call" || return 1
		rmmod_soon || return 1
		round=$((round + 1))
	done
}

# The module may be loaded or not, so each write may fail. Nothing else may.
toggles_probes()
{
	for f in function switched forbidden in_init; do
		event p "race_$f" "$target:${target}_$f"
		event_enable "race_$f" 1
	done 2>/dev/null
	insmod "$(module_file kprobes_handlers)" symbol="$target:${target}_untraced" 2>/dev/null &&
		rmmod kprobes_handlers
	remove_events
}

races()
{
	unload "$target" || return 1
	toggles_module >"$work/toggles" 2>&1 &
	toggler=$!
	while kill -0 "$toggler" 2>/dev/null; do
		toggles_probes
	done
	wait "$toggler" || { cat "$work/toggles"; return 1; }
	list_is_as_before && blacklist_without_target
}

works_after_races()
{
	load_target && load kprobes_handlers symbol="$target:${target}_function" || return 1
	mark_log
	call_target && logged "^kprobes_handlers: before ${target}_function" &&
		unload kprobes_handlers && unload "$target" && list_is_as_before
}

begin kprobes_handlers "$target"
events=$(no_events)
no_name=""
[ -n "$(address_of "$both")" ] || no_name="kernel was built without $both"
plan 30

check_if "$events" "events wait for their module" waiting_events
check_if "$events" "init text is hit while the module comes" hit_in_init
check_if "${events:-$init_stays}" "init text is [GONE] when it has come" init_is_gone
check_if "$events" "other text is hit" others_are_hit
check_if "$events" "all is [GONE] with the module" all_are_gone
check_if "$events" "all is hit when the module returns" all_come_back
check_if "$events" "init fails: init text was hit, all is [GONE]" init_fails
check_if "$events" "the blacklist forgets the failed module" blacklist_without_target
check_if "$events" "init fails many times" init_fails_many_times
check_if "$events" "the module loads and is hit again" loads_after_failures
check_if "$events" "events are removed after a failed init" removed_from_failed

check_if "$no_name" "a name of both is the kernel's" name_is_the_kernels
check_if "$no_name" "the probe stays when the module goes" stays_without_module
check_if "$no_name" "and when it comes" stays_with_module
check_if "$no_name" "with the module's name it is the module's" is_the_modules_with_its_name
check "a module brings its blacklist" blacklist_with_target
check "without a right no address is shown" blacklist_hides_addresses
check "it holds" refuses_blacklisted
check "it goes with the module" blacklist_goes
check "and comes back" blacklist_comes_back
check "a breakpoint is hit" breakpoint_is_hit
check "it is [GONE] with the module" breakpoint_is_gone
check "it stays [GONE] when the module returns" breakpoint_stays_gone
check "it is unregistered" breakpoint_leaves
check "the module loads" load_target
check_if "$init_stays" "init text of a loaded module is refused" refuses_init
check_if "$events" "an entry is probed beside all that can be" entry_beside_others
check_if "$events" "a jump label of a module is refused" refuses_jump_label
check_if "$events" "probes and modules come and go at once" races
check "and afterwards all is well" works_after_races

finish
