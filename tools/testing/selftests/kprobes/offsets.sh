#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# An offset may lead past its symbol: perf names every place in the kernel as _text+N. Only the
# resulting address counts: an entry, an instruction, a cold part, or a place that cannot be
# probed. The probed function opens a FIFO, and nothing else calls it.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

function=fifo_open
target=kprobes_target
calls=10
bytes=64			# how many bytes of the function are tried

# hit_by_calls NAME...: each event is hit once by each call.
hit_by_calls()
{
	for name in "$@"; do
		event_enable "$name" 1 || return 1
	done
	open_fifo "$fifo" "$calls"
	for name in "$@"; do
		equal "$(event_hits "$name")" "$calls" || return 1
	done
}

# by_text NAME [BYTES]: an event so many bytes into the function
by_text()
{
	event p "$1" "_text+$((distance + ${2:-0}))"
}

entry()
{
	by_text entry && is_listed "$function" && hit_by_calls entry
}

returns()
{
	event r returns "_text+$distance" && event p suffix "_text+$distance%return" &&
		equal "$(grep -c "^[0-9a-f]*  r  $function+" "$kprobes/list")" 2 &&
		hit_by_calls returns suffix
}

# For each byte, a probe by the function's name and one by _text have the same result: refused for
# the same reason, or registered at the same address.
each_byte_alike()
{
	byte=1
	while [ "$byte" -lt "$bytes" ]; do
		answer event p "near_$byte" "$function+$byte" >"$work/near"
		answer by_text "far_$byte" "$byte" >"$work/far"
		equal "$(cat "$work/far")" "$(cat "$work/near")" || return 1
		byte=$((byte + 1))
	done 2>/dev/null
	list >"$work/list"
	grep "  k  $function+" "$work/list" | uniq -c | awk '$1 != 2 { print; bad = 1 }
		END { exit bad || NR < 4 }' || { cat "$work/list"; return 1; }
}

# answer COMMAND...: prints "ok", or the reason in the last line of "refused".
answer()
{
	if "$@"; then
		echo ok
	else
		tail -n 1 "$kprobes/refused" | awk -F '  ' '{ print $(NF - 1), $NF }'
	fi
}

# All events at an address are hit equally often, and some of them by each call.
hit_alike()
{
	echo 1 >"$tracefs/events/$group/enable"
	open_fifo "$fifo" "$calls"
	echo 0 >"$tracefs/events/$group/enable"
	sed -n 's/^ *near_\([0-9]*\) *\([0-9]*\) .*/\1 \2/p' "$tracefs/kprobe_profile" >"$work/near"
	sed -n 's/^ *far_\([0-9]*\) *\([0-9]*\) .*/\1 \2/p' "$tracefs/kprobe_profile" >"$work/far"
	equal "$(cat "$work/far")" "$(cat "$work/near")" && grep " $calls\$" "$work/far"
}

# Cold parts of the kernel, without those of KUnit suites, which are in assembly and notrace.
cold_parts()
{
	awk '$3 ~ /^[a-z_]+\.cold$/ && $3 !~ /^kprobes_/ && $4 == "" { print $3 }' /proc/kallsyms
}

# At least one of several can be probed at its first byte; others may begin with a BUG().
cold_part()
{
	cold_parts | sort | uniq -u | head -n 20 >"$work/cold"
	while read -r cold; do
		event p cold "_text+$(offset_from _text "$cold")" 2>/dev/null || continue
		is_listed "$cold"
		return
	done <"$work/cold"
	cat "$work/cold"
	return 1
}

no_cold()
{
	[ -n "$(cold_parts | head -n 1)" ] || echo "compiler has made no cold parts"
}

# event_fails DEFINITION ERROR WORDS
event_fails()
{
	write_fails "$tracefs/kprobe_events" "$1" "$2" || return 1
	[ -z "$3" ] || tail -n 1 "$kprobes/refused" | grep "  $3\$"
}

return_inside()
{
	write_fails "$tracefs/kprobe_events" "r:$group/bad _text+$((distance + 16))" \
		"Invalid argument"
}

inside()
{
	byte=1
	while [ "$byte" -lt "$bytes" ]; do
		event_fails "p:$group/bad _text+$((distance + byte))" \
			"[Ii]llegal byte\|multibyte" "inside: inside an instruction" && return
		remove_events
		byte=$((byte + 1))
	done
	return 1
}

# --- a module, from one of its functions to another

module_symbols()
{
	load "$target" || return 1
	lowest=$(grep "\[$target\]" /proc/kallsyms | grep -i ' t [a-z]' | sort | head -n 1 |
		awk '{ print $3 }')
	over=$(offset_from "$lowest" call_get "$target")
	unload "$target"
	echo "from $lowest $over"
	[ "$lowest" != call_get ]
}

in_module()
{
	event p in_module "$target:$lowest+$over" && load "$target" &&
		event_enable in_module 1 && is_listed call_get "  $target.*" &&
		cat "/sys/module/$target/parameters/call" && equal "$(event_hits in_module)" 1
}

# --- register_kprobe()

by_module()
{
	mark_log
	load kprobes_handlers symbol=_text offset="$distance" && is_listed "$function" &&
		open_fifo "$fifo" "$calls" &&
		logged "^kprobes_handlers: before $function\\+" && unload kprobes_handlers
}

begin kprobes_handlers "$target"
events=$(no_events)
[ -z "$events" ] || skip_all "$events"
[ -n "$(address_of "$function")" ] || skip_all "kernel has no $function"
distance=$(offset_from _text "$function")
fifo=$work/fifo
mkfifo "$fifo"
plan 14

check "an entry" entry
remove_events
check "returns" returns
remove_events
check "each byte is probed or refused as from its own symbol" each_byte_alike
check "and hit as often" hit_alike
remove_events
check_if "$(no_cold)" "a cold part" cold_part
remove_events
check "a probe of a module" by_module
check "the inside of an instruction is refused" inside
remove_events
check "a blacklisted function is refused" event_fails \
	"p:$group/bad _text+$(offset_from _text atomic_notifier_call_chain)" \
	"Invalid argument" "blacklisted: function must not be probed"
check "what is not text is refused" event_fails \
	"p:$group/bad _text+2147483647" "Invalid argument" "no-text: no kernel text"
check "the return of what is no entry is refused" return_inside
check "a module has two functions" module_symbols
check "an event waits for a module, past its symbol" in_module
remove_events
check "the module goes" unload "$target"
check "list is as before" list_is_as_before

finish
