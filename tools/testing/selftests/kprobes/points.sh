#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# /sys/kernel/debug/kprobes/points: a line for each probed address, with the state of its point.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

file=$kprobes/points
target=kprobes_batch
address='[0-9a-f]{8,16}'
symbol='([A-Za-z_.][A-Za-z0-9_.]*\+0x[0-9a-f]+|0x[0-9a-f]+)'
in_module='[a-z0-9_-]+'
mechanism='(breakpoint|jump|ftrace)(\+[0-9]+)?'
state='(idle|armed|optimizing|disarm-pending|gone)'
counts='[0-9]+(  [0-9]+){6}'

mode_is()
{
	# shellcheck disable=SC2012 # a name that is known
	equal "$(ls -l "$1" | cut -c1-10)" "$2"
}

header_names_fields()
{
	fields="address  symbol  module  mechanism  state  probes  nested  depth  diverted"
	fields="$fields  offline  no-instance  branched  not-optimized  hits"
	equal "$(head -n 1 "$file")" "$fields"
}

lines_are_lines()
{
	sed 1d "$1" >"$work/lines"
	place="$address  $symbol  $in_module"
	all_match "^$place  $mechanism  $state  $counts  (-|[a-z-]+: [^ ].*)  (-|[0-9]+)\$" \
		"$work/lines"
}

# field NUMBER SYMBOL: of the point there. A field has no two spaces in it.
field()
{
	awk -F '  ' -v n="$1" -v like="^$2[+]" '$2 ~ like { print $n; exit }' "$file"
}

# Lines of points with probes. Those without probes stay for a moment, or longer.
probed()
{
	awk -F '  ' 'NR > 1 && $6 > 0 { print $1 }' "$file"
}

points_are_as_before()
{
	equal "$(probed)" "$probed_before"
}

two_probes_one_point()
{
	load kprobes_returns || return 1
	equal "$(grep -c "  kernel_clone+" "$file")" 1 && equal "$(field 6 kernel_clone)" 2 &&
		unload kprobes_returns && equal "$(field 6 kernel_clone)" 1
}

# The same addresses as in the list, in the same order, each once; there are LEAST or more.
agrees_with_list()
{
	at_least "$(probed | grep -c .)" "$1" &&
		equal "$(probed)" "$(cut -d ' ' -f 1 "$kprobes/list" | uniq)"
}

is_armed()
{
	case $(field 5 "$1") in
	armed | optimizing) ;;
	*) cat "$file"; return 1 ;;
	esac
}

# The point is a jump, or the line has a reason why not.
tells_why_not()
{
	awk -F '  ' 'NR > 1 && ($4 ~ /^jump/) != ($13 == "-") { print; bad = 1 } END { exit bad }' \
		"$work/optimizable"
}

# Prints why the kernel has no jumps, and points no reasons; or nothing.
why_not()
{
	[ -e /proc/sys/debug/kprobes-optimization ] || echo "kernel has no CONFIG_SYSCTL"
}

read_settled()
{
	soon not grep -q '  optimizing  ' "$file"
	cat "$file" >"$work/optimizable"
	tells_why_not
}

ftrace_is_told()
{
	redirect kernel_clone && grep '\[FTRACE\]' "$kprobes/list" | cut -d ' ' -f 1 |
		sort -u >"$work/ftraced"
	awk -F '  ' '$4 == "ftrace" { print $1 }' "$file" | sort -u >"$work/told"
	unload kprobes_redirected
	at_least "$(grep -c . "$work/told")" 1 &&
		equal "$(cat "$work/told")" "$(cat "$work/ftraced")"
}

idle_while_off()
{
	echo 0 >"$kprobes/enabled"
	equal "$(field 5 kernel_clone)" idle || return 1
	echo 1 >"$kprobes/enabled"
	is_armed kernel_clone
}

# Older probes than the one that changes the execution path miss the hit; newer ones do not.
counts_diverted()
{
	unload "$target" && load "$target" symbols="$target:hits_get" &&
		load kprobes_handlers symbol="$target:hits_get" || return 1
	echo 1 >"$batch_refuse"
	not cat "$batch_hits" 2>/dev/null
	not cat "$batch_hits" 2>/dev/null
	echo 0 >"$batch_refuse"
	at_least "$(field 9 hits_get)" 2 && equal "$(field 7 hits_get)" 0 &&
		equal "$(field 8 hits_get)" 0
}

# The probe of kprobes_handlers stays when the probed module was unloaded. Its line has no symbol,
# because other text may be loaded to the address.
gone_with_the_module()
{
	unload "$target" && is_gone_without_name
}

is_gone_without_name()
{
	tail -n 1 "$file" >"$work/last"
	all_match "^($address)  0x\\1  -  $mechanism  gone  1  " "$work/last"
}

gone_stays()
{
	load "$target" && is_armed hits_get && is_gone_without_name && unload "$target"
}

makes_and_removes()
{
	round=0
	while [ "$round" -lt 10 ]; do
		event p "a$round" kernel_clone
		event p "b$round" vfs_open
		event r "c$round" vfs_read
		[ $((round % 3)) -eq 0 ] && remove_events
		round=$((round + 1))
	done
	remove_events
}

portions_are_whole()
{
	dd if="$1" bs=113 2>/dev/null >"$work/portions"
	dd if="$1" bs=64k 2>/dev/null >"$work/whole"
	equal "$(cat "$work/portions")" "$(cat "$work/whole")"
}

reads_while_they_come_and_go()
{
	load kprobes_handlers || return 1
	makes_and_removes &
	maker=$!
	while kill -0 "$maker" 2>/dev/null; do
		dd if="$file" bs=113 2>/dev/null >"$work/portions"
		header_names_fields && lines_are_lines "$work/portions" || return 1
		dd if="$kprobes/list" bs=113 2>/dev/null >"$work/portions"
		all_match "^$address  [kr]  $symbol" "$work/portions" || return 1
	done
	wait "$maker"
	unload kprobes_handlers
}

# Points of many functions, so that the file is read in several calls. Symbols that are not
# unique, not text, or cannot be probed are left out.
many_points()
{
	awk '$2 == "t" && $3 ~ /^(vfs|do|ksys|__do|kern)_[a-z_]+$/ && $4 == "" { print $3 }' \
		/proc/kallsyms | sort | uniq -u | head -n 200 |
		while read -r function; do
			event p "m_$function" "$function"
		done 2>/dev/null
	made=$(grep -c "$group/" "$tracefs/kprobe_events")
	at_least "$made" 50 && equal "$(probed | grep -c .)" "$made" &&
		portions_are_whole "$file" &&
		portions_are_whole "$kprobes/list" && lines_are_lines "$file" &&
		equal "$(probed)" "$(probed | sort)" && agrees_with_list 50
}

begin kprobes_handlers kprobes_returns "$target"
[ -e "$file" ] || skip_all "kernel does not show points"
probed_before=$(probed)
events=$(no_events)
plan 22

check "points is for root to read" mode_is "$file" -r--------
check "the first line names the fields" header_names_fields
check "kprobes_handlers loads" load kprobes_handlers
check "lines of the points" lines_are_lines "$file"
check "its point is armed" is_armed kernel_clone
check "a point of the kernel has no module" equal "$(field 3 kernel_clone)" -
check "two probes share a point" two_probes_one_point
check "a module with a batch loads" load "$target" symbols=kernel_clone,vfs_open,vfs_read
check "a point of a module has its name" equal "$(field 3 hits_get)" "$target"
check "all points of the list, in their order" agrees_with_list 4
check_if "$(no_ftraced_points)" "what ftrace reaches is said to be" ftrace_is_told
check_if "$(why_not)" "each tells why it is not optimized" read_settled
check "points are idle when all are switched off" idle_while_off
check "a probe leaves" unload kprobes_handlers
check "diverted hits are counted" counts_diverted
check "a point is gone with its module" gone_with_the_module
check "it stays gone when the module returns" gone_stays
check "the last probe takes it along" unload kprobes_handlers
check_if "$events" "many points, read in portions" many_points
remove_events
check_if "$events" "it can be read while points come and go" reads_while_they_come_and_go
check "list is as before" list_is_as_before
check "points are as before" points_are_as_before

finish
