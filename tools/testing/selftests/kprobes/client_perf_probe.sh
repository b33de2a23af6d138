#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# perf probe as a client of kprobes: entries, returns, offsets, source lines, inlined functions and
# variables, all of which it names as _text+N. Needs perf and the kernel's debug information. The
# probed function opens a FIFO, and nothing else calls it.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

function=fifo_open
inlined=file_ppos		# into ksys_read() and others
lines="8 12 16 20 24 28 32 36 40 44 48 52 56 60"	# of the function
calls=10

# add EVENT PLACE [VARIABLE...]
add()
{
	name=$1
	shift
	perf probe -q --add "$group:$name=$*" 2>"$work/perf"
}

hit_by_calls()
{
	event_enable "$1" 1 || { cat "$work/perf"; return 1; }
	open_fifo "$fifo" "$calls"
	event_enable "$1" 0
	equal "$(event_hits "$1")" "$calls"
}

entry()
{
	add entry "$function" && hit_by_calls entry
}

returns()
{
	add returns "$function%return" && hit_by_calls returns__return
}

offset()
{
	bytes=16
	while [ "$bytes" -lt 32 ]; do
		add "offset" "$function+$bytes" && hit_by_calls "offset" && return
		bytes=$((bytes + 1))
	done
	cat "$work/perf"
	return 1
}

# Many lines have no code, which perf says itself. The kernel's word would be "Failed to write
# event"; the last lines are those of branches that are not taken.
source_lines()
{
	made=0
	for line in $lines; do
		if add "line_$line" "$function:$line"; then
			made=$((made + 1))
		elif grep "Failed to write event" "$work/perf"; then
			return 1
		fi
	done
	at_least "$made" 3
}

lines_are_hit()
{
	echo 1 >"$tracefs/events/$group/enable"
	open_fifo "$fifo" "$calls"
	echo 0 >"$tracefs/events/$group/enable"
	grep ' *line_' "$tracefs/kprobe_profile" >"$work/lines"
	cat "$work/lines"
	at_least "$(awk -v calls="$calls" '$2 == calls' "$work/lines" | grep -c .)" 1
}

inlined_function()
{
	add inlined "$inlined" || { cat "$work/perf"; return 1; }
	echo 1 >"$tracefs/events/$group/enable"
	dd if=/dev/zero of=/dev/null bs=1 count="$calls" 2>/dev/null
	echo 0 >"$tracefs/events/$group/enable"
	awk '/ *inlined/ { n += $2 } END { print n }' "$tracefs/kprobe_profile" >"$work/hits"
	at_least "$(cat "$work/hits")" $((2 * calls))
}

not_inlined()
{
	! grep " $inlined\$" /proc/kallsyms
}

variables()
{
	add variables "$function" "mode=filp->f_mode" "inode" && echo >"$tracefs/trace" &&
		hit_by_calls variables &&
		equal "$(grep -Ec 'variables: .* mode=(0x)?[0-9a-f]+ inode=0x' "$tracefs/trace")" \
			"$calls"
}

# shellcheck disable=SC2119 # no module is needed
begin
events=$(no_events)
[ -z "$events" ] || skip_all "$events"
[ -n "$(command -v perf)" ] || skip_all "there is no perf"
perf probe -V "$function" >/dev/null 2>&1 || skip_all "perf finds no debug information"
fifo=$work/fifo
mkfifo "$fifo"
plan 8

check "an entry" entry
check "returns" returns
check "an offset" offset
check "source lines" source_lines
check "source lines are hit" lines_are_hit
remove_events
check_if "$(not_inlined)" "an inlined function" inlined_function
check "variables" variables
remove_events
check "list is as before" list_is_as_before

finish
