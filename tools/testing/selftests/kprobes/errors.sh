#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What cannot be probed is refused for the reason that is documented, through the samples and
# through kprobe events, and leaves nothing behind.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

# Symbols of each kind that this kernel has.
symbol_of()
{
	awk -v kind="$1" -v like="$2" '$2 ~ kind && $3 ~ like && $4 == "" { print $3; exit }' \
		/proc/kallsyms
}

# answer MODULE PARAMETER...: "ok" or the error that it was refused with.
answer()
{
	mark_log
	if load "$@" 2>/dev/null; then
		unload "$1"
		echo ok
		return
	fi
	soon grep_log "^$1: cannot probe"
	log | sed -n "s/^$1: cannot probe .*: -//p" | head -n 1
}

# Asks for each byte at a function's start. Where instructions differ in length some bytes
# begin one and the rest do not.
ask_for_bytes()
{
	offset=0
	while [ "$offset" -lt 16 ]; do
		echo "$offset $(answer kprobe_example symbol=kernel_clone offset="$offset")"
		offset=$((offset + 1))
	done
}

bytes_are_probed_or_refused()
{
	ask_for_bytes >"$answers"
	all_match '^[0-9]+ (ok|EILSEQ|84)$' "$answers"
}

entry_is_probed()
{
	grep '^0 ok$' "$answers"
}

boundaries_are_found()
{
	grep -E '^[0-9]+ (EILSEQ|84)$' "$answers" && grep '^[1-9][0-9]* ok$' "$answers"
}

# The first offset that was refused above.
inside()
{
	sed -n 's/^\([0-9]*\) \(EILSEQ\|84\)$/\1/p' "$answers" | head -n 1
}

# event_fails DEFINITION ERROR
event_fails()
{
	write_fails "$tracefs/kprobe_events" "$1" "$2"
}

event_log_says()
{
	grep "$1" "$tracefs/error_log"
}

no_event_is_left()
{
	not grep "$group/" "$tracefs/kprobe_events"
}

still_probed()
{
	load kprobe_example && is_listed kernel_clone && unload kprobe_example
}

begin kprobe_example kretprobe_example kprobe_batch_example
answers=$work/answers
events=$(no_events)
data=$(symbol_of '^[dDbBrR]$' '^(linux_banner|jiffies|loops_per_jiffy)$')
prefix=$(symbol_of '^[tT]$' '^__(pfx|cfi)_')
no_data="" no_prefix="" same_length=""
[ -n "$data" ] || no_data="kernel has no CONFIG_KALLSYMS_ALL"
[ -n "$prefix" ] || no_prefix="compiler puts no prefix in front of functions"
case $(uname -m) in
x86_64 | i?86 | s390x) ;;
*) same_length="instructions have no different lengths" ;;
esac
plan 23

check "unknown function" refused ENOENT 2 kprobe_example symbol=no_such_function
check "unknown function: its return" refused ENOENT 2 kretprobe_example symbol=no_such_function
check "unknown module" refused ENOENT 2 kprobe_example symbol=no_such_module:kernel_clone
check "function that the module does not have" \
	refused ENOENT 2 kprobe_batch_example symbols=kprobe_batch_example:kernel_clone
check "empty name" refused ENOENT 2 kprobe_example symbol=
check "blacklisted function" refused EINVAL 22 kprobe_example symbol=notify_die
check "blacklisted function: inside" \
	refused EINVAL 22 kprobe_example symbol=notify_die offset=8
check "blacklisted function: its return" refused EINVAL 22 kretprobe_example symbol=notify_die
check "offset past the kernel" \
	refused EINVAL 22 kprobe_example symbol=kernel_clone offset=2147483647
check_if "$no_data" "data" refused EINVAL 22 kprobe_example symbol="$data"
check_if "$no_data" "data: its return" refused EINVAL 22 kretprobe_example symbol="$data"
check_if "$no_prefix" "prefix of a function" refused EINVAL 22 kprobe_example symbol="$prefix"

check "each byte at a function's start is probed or no boundary" bytes_are_probed_or_refused
check "the first one is probed" entry_is_probed
check_if "$same_length" "bytes inside of instructions are not" boundaries_are_found

no_inside=${events:-$same_length}
check_if "$events" "event on an unknown function" \
	event_fails "p:$group/bad no_such_function" "Invalid argument"
check_if "$events" "event on a blacklisted function" \
	event_fails "p:$group/bad notify_die" "Invalid argument"
check_if "$events" "event past the kernel" \
	event_fails "p:$group/bad kernel_clone+2147483647" "Invalid argument"
check_if "$no_inside" "event inside of an instruction" \
	event_fails "p:$group/bad kernel_clone+$(inside)" "[Ii]llegal byte\|multibyte"
check_if "$no_inside" "tracefs tells why" event_log_says "not an instruction boundary"
check_if "$events" "no event is left" no_event_is_left

check "list is as before" list_is_as_before
check "good probes still register" still_probed

finish
