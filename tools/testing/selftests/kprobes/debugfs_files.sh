#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The files in /sys/kernel/debug/kprobes: who may use them, what their lines look like.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

address='[0-9a-f]{8,16}'
flags='(  \[(GONE|DISABLED|OPTIMIZED|FTRACE)\]( \[(OPTIMIZED|FTRACE)\])*)?'

mode_is()
{
	# shellcheck disable=SC2012 # a name that is known
	equal "$(ls -l "$1" | cut -c1-10)" "$2"
}

enabled_is_one_line()
{
	equal "$(cat "$kprobes/enabled")" 1 && equal "$(wc -c <"$kprobes/enabled")" 2
}

# A range's end is after its start. The numbers have the same width: compare them as text.
ranges_are_ranges()
{
	awk -F '[-\t]' '$1 "" >= $2 "" { print; bad = 1 } END { exit bad }' "$kprobes/blacklist"
}

# notify_die() is marked NOKPROBE_SYMBOL.
blacklist_tells_addresses()
{
	start=$(awk '$3 == "notify_die" { print $1 }' /proc/kallsyms)
	grep -E "^0x$start-0x$address	notify_die\$" "$kprobes/blacklist"
}

address_is_the_symbols()
{
	set -- "$(awk '$3 == "kernel_clone" { print $1 }' /proc/kallsyms)" \
		"$(is_listed kernel_clone | head -n 1 | cut -d ' ' -f 1)"
	# A landing pad of four bytes may be between the symbol and the probed address, or on 64-bit
	# powerpc eight that make r2.
	case $((0x${2#0x} - 0x${1#0x})) in
	0 | 4 | 8) ;;
	*) echo "listed at $2, symbol is at $1"; return 1 ;;
	esac
}

# The third field is symbol+offset, a fourth the module; two spaces separate fields.
symbol_has_module()
{
	is_listed hits_get "  kprobes_batch$flags"
}

all_kinds_listed()
{
	equal "$(grep -c '  k  kernel_clone+' "$kprobes/list")" 1 &&
		equal "$(grep -c '  r  kernel_clone+' "$kprobes/list")" 1 &&
		equal "$(grep -c '  k  hits_get+' "$kprobes/list")" 2 &&
		equal "$(grep -c '  r  hits_get+' "$kprobes/list")" 1
}

nothing_listed_while_unused()
{
	unload kprobes_batch && unload kprobes_returns && unload kprobes_handlers &&
		list_is_as_before
}

begin kprobes_handlers kprobes_returns kprobes_batch
plan 17

check "list is for root to read" mode_is "$kprobes/list" -r--------
check "blacklist is for root to read" mode_is "$kprobes/blacklist" -r--------
check "enabled is for root to read and write" mode_is "$kprobes/enabled" -rw-------
check "enabled says 1" enabled_is_one_line
check "stale is for root to read" mode_is "$kprobes/stale" -r--------
check "stale is a number" all_match '^[0-9]+$' "$kprobes/stale"

check "lines of the blacklist" \
	all_match "^0x$address-0x$address	([A-Za-z_.][A-Za-z0-9_.]*|0x$address)\$" \
	"$kprobes/blacklist"
check "ranges of the blacklist" ranges_are_ranges
check "blacklist has a function that is marked so" blacklist_tells_addresses

check "kprobes_handlers loads" load kprobes_handlers
check "kprobes_returns loads" load kprobes_returns
check "kprobes_batch loads" \
	load kprobes_batch symbols=kprobes_batch:hits_get
check "lines of the list" \
	all_match "^$address  [kr]  [A-Za-z_.][A-Za-z0-9_.]*\\+0x[0-9a-f]+(  [a-z0-9_]+)?$flags\$" \
	"$kprobes/list"
check "list tells each probe's kind" all_kinds_listed
check "list tells addresses" address_is_the_symbols
check "list tells the module of a symbol" symbol_has_module
check "list is as before when they are gone" nothing_listed_while_unused

finish
