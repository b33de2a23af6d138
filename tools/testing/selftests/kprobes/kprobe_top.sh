#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# tools/kprobes/kprobe_top: shows a probe that is hit often before one that is hit rarely, missed
# hits with their cause, and turns counting on for as long as it runs.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

top=$(dirname "$0")/kprobe_top
count=$kprobes/count
target=kprobes_batch

# look ARGUMENT...: the tool's output while hits_get() is called often, and fifo_open() rarely.
look()
{
	"$top" "$@" >"$work/top" 2>"$work/error" &
	looker=$!
	while kill -0 "$looker" 2>/dev/null; do
		call_batch 20 2>/dev/null
		open_fifo "$work/fifo" 1
	done
	wait "$looker"
}

# value FIELD SYMBOL: in the last look
value()
{
	awk -F '  ' -v name="$1" -v like="^$2[+]" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
		$NF ~ like { found = $at }
		END { print found }' "$work/top"
}

header_is_first()
{
	equal "$(head -n 1 "$work/top")" "time  hits/s  total  misses/s  way  no-jump  symbol"
}

decimal='[0-9]+(\.[0-9])?'
lines_are_lines()
{
	sed 1d "$work/top" >"$work/lines"
	numbers="$decimal  ($decimal|-)  ($decimal|-)  (-|[a-z0-9.,=-]+)"
	all_match "^$numbers  [a-z]+(\\+[0-9]+)?  [a-z-]+  [^ ]+\$" "$work/lines"
}

# Each look has each of the two once, in this order.
order_is()
{
	equal "$(grep -Eo '(hits_get|fifo_open)[+]' "$work/top" | tr -d '+\n')" "$1"
}

is_positive()
{
	awk -v n="$1" 'BEGIN { exit !(n > 0) }' || { cat "$work/top"; return 1; }
}

is_more()
{
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b) }' || { cat "$work/top"; return 1; }
}

shows_the_hot_one_first()
{
	look -b -c -n 3 -d 1 && order_is hits_getfifo_openhits_getfifo_openhits_getfifo_open
}

rates_are_right()
{
	is_positive "$(value hits/s hits_get)" && is_positive "$(value hits/s fifo_open)" &&
		is_more "$(value hits/s hits_get)" "$(value hits/s fifo_open)" &&
		is_more "$(value total hits_get)" "$(value hits/s hits_get)"
}

nothing_is_missed()
{
	equal "$(value misses/s hits_get)" - && equal "$(value misses/s fifo_open)" -
}

reverses()
{
	look -b -c -r -n 1 -d 1 && order_is fifo_openhits_get
}

# Two probes at hits_get(): the one of kprobes_batch diverts hits that the other misses.
shows_a_missed_one()
{
	unload "$target" && load "$target" symbols="$target:hits_get" &&
		load kprobes_handlers symbol="$target:hits_get" || return 1
	echo 1 >"$batch_refuse"
	while_refused
	status=$?
	echo 0 >"$batch_refuse"
	unload kprobes_handlers
	return "$status"
}

# The calls fail, so they are made one by one.
while_refused()
{
	"$top" -b -c -s misses -n 1 -d 2 >"$work/top" &
	looker=$!
	while kill -0 "$looker" 2>/dev/null; do
		not cat "$batch_hits" 2>/dev/null
		open_fifo "$work/fifo" 20
	done
	order_is hits_getfifo_open || return 1
	value misses/s hits_get | grep -E '^diverted=[0-9.]+$' &&
		is_positive "$(value misses/s hits_get | cut -d = -f 2)"
}

counting_is()
{
	equal "$(cat "$count")" "$1"
}

ends_by()
{
	"$top" -b -c -d 60 >"$work/top" &
	sleeping=$!
	soon counting_is 1 && soon grep -q '^time' "$work/top" && sleep 1 && counting_is 1 &&
		kill -s "$1" "$sleeping" && wait "$sleeping" && counting_is 0
}

counting_stays_on()
{
	echo 1 >"$count"
	"$top" -b -c -n 1 -d 0.1 >/dev/null && counting_is 1
	status=$?
	echo 0 >"$count"
	return "$status"
}

# Without a terminal it has 80 columns and 24 lines.
draws_a_screen()
{
	"$top" -n 1 -d 0.2 >"$work/top" && grep -q ' points, .* counting off' "$work/top" &&
		grep -q 'HITS/S .*SYMBOL' "$work/top" && at_least 24 "$(wc -l <"$work/top")"
}

refuses_nonsense()
{
	not "$top" -d 0 && not "$top" -d 1x && not "$top" -n x && not "$top" -s other &&
		not "$top" word
}

begin kprobes_handlers "$target"
[ -x "$top" ] || skip_all "kprobe_top was not built"
[ -e "$count" ] || skip_all "kernel does not count hits"
events=$(no_events)
[ -z "$events" ] || skip_all "$events"
count_before=$(cat "$count")
echo 0 >"$count"
mkfifo "$work/fifo"
plan 15

check "a probe that is hit often" load "$target" symbols="$target:hits_get"
check "a probe that is hit rarely" event p rare fifo_open
check "is enabled" event_enable rare 1
check "the one that is hit often is first" shows_the_hot_one_first
check "the first line names the fields" header_is_first
check "lines of a batch" lines_are_lines
check "rates and totals" rates_are_right
check "nothing was missed" nothing_is_missed
check "counting is off afterwards" counting_is 0
check "reverse order" reverses
check "a missed hit and its cause" shows_a_missed_one
check "an interrupt ends it, and counting" ends_by INT
check "counting stays on if it was" counting_stays_on
check "it draws a screen" draws_a_screen
check "it refuses wrong arguments" refuses_nonsense
echo "$count_before" >"$count"

finish
