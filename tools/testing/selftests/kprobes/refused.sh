#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Probes that are refused, through modules and through kprobe events: the errno is the
# documented one, and nothing is left behind but a line in /sys/kernel/debug/kprobes/refused, with
# task, caller, place and reason.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

file=$kprobes/refused
nr='[0-9]+'
time='[0-9]+\.[0-9]{3}'
task='[^ ]+\[[0-9]+\]'
example='[^ ]+ \[kprobes_handlers\]  kprobe'	# caller and kind, for a probe of that module
kept=128
middle="inside: inside an instruction"
unknown="symbol: unknown symbol"
black="blacklisted: function must not be probed"

# Symbols of each kind that this kernel has.
symbol_of()
{
	awk -v kind="$1" -v like="$2" '$2 ~ kind && $3 ~ like && $4 == "" { print $3; exit }' \
		/proc/kallsyms
}

mode_is()
{
	# shellcheck disable=SC2012 # a name that is known
	equal "$(ls -l "$1" | cut -c1-10)" "$2"
}

# last_is REGEX: the last line, after number, time and task, matches this
last_is()
{
	tail -n 1 "$file" >"$work/last"
	grep -Eq "^$nr  $time  $task  $1\$" "$work/last" && return
	cat "$work/last"
	echo "does not match $1"
	return 1
}

# tells WORDS NAME NUMBER MODULE PARAMETER...: the module is refused, and the last line has the
# module, the place and WORDS as the reason.
tells()
{
	words=$1 error="(-$2|-$3)" module=$4 kind=kprobe place='[^ ]*'
	shift
	case $module in
	kprobes_returns) kind=kretprobe ;;
	esac
	for parameter in "$@"; do
		case $parameter in
		symbol=*) place="${parameter#symbol=}\\+0x[0-9a-f]+" ;;
		esac
	done
	refused "$@" && last_is "[^ ]+ \\[$module\\]  $kind  $place  $error  $words"
}

# answer MODULE PARAMETER...: prints "ok", or the error that it was refused with.
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

# Tries to probe each byte at a function's start. Some bytes begin an instruction, and the others
# do not.
ask_for_bytes()
{
	offset=0
	while [ "$offset" -lt 16 ]; do
		echo "$offset $(answer kprobes_handlers symbol=kernel_clone offset="$offset")"
		offset=$((offset + 1))
	done
}

bytes_are_probed_or_refused()
{
	ask_for_bytes >"$answers"
	all_match "^([0-9]+ (ok|EILSEQ|84)$ftrace_has)\$" "$answers"
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

inside_tells()
{
	offset=$(inside)
	refused EILSEQ 84 kprobes_handlers symbol=kernel_clone offset="$offset" || return 1
	place=kernel_clone\\+0x$(printf %x "$offset")
	last_is "$example  $place  (-EILSEQ|-84)  $middle"
}

# An offset may lead past its symbol. The reason is about the resulting address.
past_tells()
{
	from=$(($(offset_from _text kernel_clone) + $(inside)))
	not load kprobes_handlers symbol=_text offset="$from" 2>/dev/null &&
		last_is "$example  _text\\+0x[0-9a-f]+  (-EILSEQ|-84)  $middle" &&
		tells "$black" EINVAL 22 \
			kprobes_handlers symbol=_text offset="$(offset_from _text notify_die)"
}

# event_fails DEFINITION ERROR
event_fails()
{
	write_fails "$tracefs/kprobe_events" "$1" "$2"
}

# event_tells WORDS NAME NUMBER DEFINITION: the same for a kprobe event, unless kprobe events
# refuse it before kprobes does. The task is the shell.
event_tells()
{
	event_fails "p:$group/bad $4" "Invalid argument" || return 1
	place=$(echo "$4" | sed 's/+.*//')
	last_is "[^ ]*trace_kprobe[^ ]*  kprobe  $place\\+0x[0-9a-f]+  (-$2|-$3)  $1"
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
	load kprobes_handlers && is_listed kernel_clone && unload kprobes_handlers
}

# The log takes ten refusals in five seconds, and many come before.
log_takes_more() { sleep 6; }

# A line feed in a name is escaped in the file, like any other control character, and in the log.
odd_name_is_one_line()
{
	log_takes_more
	not load kprobes_handlers "$(printf 'symbol="odd\nn\ta\033me"')" 2>/dev/null &&
		soon grep_log '^kprobes: odd\\nn\\ta\\eme\+0x0: symbol: unknown symbol' &&
		last_is "$example  odd\\\\nn\\\\ta\\\\eme\\+0x0  .*  $unknown"
}

long_name_is_cut()
{
	name=$(head -c 600 /dev/zero | tr '\0' n)
	not load kprobes_handlers symbol="$name" 2>/dev/null &&
		last_is "$example  n{50,100}\\.\\.\\.\\+0x0  .*  $unknown"
}

# The first probe of the batch is good, and the second one is named.
batch_tells()
{
	refused ENOENT 2 kprobes_batch symbols=kernel_clone,no_such,notify_die &&
		last_is "[^ ]+ \\[kprobes_batch\\]  kprobe  no_such\\+0x0  .*  $unknown"
}

is_time_of_log()
{
	mark_log
	now=$(dmesg | grep -F "$mark" | sed 's/[^[]*\[ *\([0-9]*\)\..*/\1/')
	seconds=$(tail -n 1 "$file" | awk -F '  ' '{ print int($2) }')
	at_least "$now" "$seconds" && at_least $((seconds + 60)) "$now"
}

# The last number is how many there were.
oldest_come_first()
{
	awk -F '  ' 'NR > 2 && ($1 != number + 1 || $2 < time) { print; bad = 1 }
		{ number = $1; time = $2 } END { exit bad }' "$file"
}

log_tells()
{
	mark_log
	log_takes_more
	not load kprobes_handlers symbol=no_such_function 2>/dev/null &&
		soon grep_log "^kprobes: no_such_function\\+0x0: symbol: unknown symbol"
}

# Two spaces in the name of a task are no end of a field.
odd_task_is_one_field()
(
	printf 'a  b' >/proc/self/comm
	not echo "p:$group/bad atomic_notifier_call_chain" >>"$tracefs/kprobe_events" || return 1
	tail -n 1 "$file" | awk -F '  ' '{ print NF, $3 }' | grep '^8 a\\040\\040b\['
)

# Calls that succeed add no line.
quiet_when_not_refused()
{
	was=$(cat "$file")
	load kprobes_handlers && a_fork && unload kprobes_handlers && equal "$(cat "$file")" "$was"
}

keeps_the_last()
{
	round=0
	while [ "$round" -lt $((kept + 2)) ]; do
		load kprobes_handlers symbol=no_such offset="$round" 2>/dev/null && return 1
		round=$((round + 1))
	done
	place=no_such\\+0x$(printf %x $((kept + 1)))
	equal "$(sed 1d "$file" | grep -c .)" "$kept" && last_is "$example  $place  .*"
}

lines_are_lines()
{
	caller='[^ ]+( \[[a-z0-9_]+\])?' kind='(kprobe|kretprobe|enable)'
	fields="number  time  task  caller  request  place  error  reason"
	equal "$(head -n 1 "$1")" "$fields" && sed 1d "$1" >"$work/refusals" &&
		all_match "^$nr  $time  $task  $caller  $kind  .+  -[0-9A-Z]+  [a-z-]+: [^ ].*\$" \
			"$work/refusals"
}

refuses_much()
{
	round=0
	while [ "$round" -lt 20 ]; do
		insmod "$(module_file kprobes_handlers)" symbol=no_such 2>/dev/null
		round=$((round + 1))
	done
}

# All lines are complete, whatever the size of a read and the refusals in between.
reads_while_refused()
{
	refuses_much &
	refuser=$!
	while kill -0 "$refuser" 2>/dev/null; do
		dd if="$file" bs=97 2>/dev/null >"$work/portions"
		lines_are_lines "$work/portions" || return 1
	done
	wait "$refuser"
	dd if="$file" bs=97 2>/dev/null >"$work/portions"
	equal "$(cat "$work/portions")" "$(cat "$file")"
}

begin kprobes_handlers kprobes_returns kprobes_batch
[ -e "$file" ] || skip_all "kernel does not keep what it refuses"
answers=$work/answers
events=$(no_events)
prefix=$(symbol_of '^[tT]$' '^__(pfx|cfi)_')
data=$(symbol_of '^[dDbBrR]$' '^(linux_banner|jiffies|loops_per_jiffy)$')
init=$(awk '$3 == "start_kernel" { print $3 }' /proc/kallsyms)
past=2147483647		# offset past the kernel from any symbol
no_prefix="" no_data="" no_init=""
[ -n "$prefix" ] || no_prefix="compiler puts no prefix in front of functions"
[ -n "$data" ] || no_data="kernel has no CONFIG_KALLSYMS_ALL"
[ -n "$init" ] || no_init="kernel has no symbols for its init text"
# Where ftrace's call is, at a place that is not a function's entry.
ftrace_has=""
case $(uname -m) in
aarch64 | sparc64) ftrace_has="|[48] (EINVAL|22)" ;;
loongarch64 | ppc) ftrace_has="|4 (EINVAL|22)" ;;
ppc64*) ftrace_has="|(4|8|12) (EINVAL|22)" ;;
esac
plan 39

check "refused is for root to read" mode_is "$file" -r--------
check "unknown symbol" \
	tells "$unknown" ENOENT 2 kprobes_handlers symbol=no_such_function
check "the time is that of the log" is_time_of_log
check "unknown symbol: its return" \
	tells "$unknown" ENOENT 2 kprobes_returns symbol=no_such_function
check "unknown module" \
	tells "$unknown" ENOENT 2 kprobes_handlers symbol=no_such_module:kernel_clone
check "function that the module does not have" \
	tells "$unknown" ENOENT 2 kprobes_batch \
	symbols=kprobes_batch:kernel_clone
check "empty name" tells "$unknown" ENOENT 2 kprobes_handlers symbol=
check "a name with a line feed" odd_name_is_one_line
check "a long name" long_name_is_cut
check "one of a batch" batch_tells
check "blacklisted" tells "$black" EINVAL 22 kprobes_handlers symbol=notify_die
check "blacklisted: inside" \
	tells "$black" EINVAL 22 kprobes_handlers symbol=notify_die offset=8
check "blacklisted: its return" tells "$black" EINVAL 22 kprobes_returns symbol=notify_die
check "offset past the kernel" \
	tells "no-text: no kernel text" EINVAL 22 \
	kprobes_handlers symbol=kernel_clone offset="$past"
check_if "$no_data" "data" tells "no-text: no kernel text" EINVAL 22 kprobes_handlers symbol="$data"
check_if "$no_data" "data: its return" \
	tells "no-text: no kernel text" EINVAL 22 kprobes_returns symbol="$data"
check_if "$no_init" "init text" \
	tells "init-text: init text was freed" ENOENT 2 kprobes_handlers symbol="$init"
check_if "$no_prefix" "prefix of a function" \
	tells "prefix: in front of a function's entry \\(__cfi_, __pfx_\\)" EINVAL 22 \
	kprobes_handlers symbol="$prefix"

check "each byte at a function's start is probed or no boundary" bytes_are_probed_or_refused
check "the first one is probed" entry_is_probed
check "bytes inside of instructions are not" boundaries_are_found
check "inside an instruction" inside_tells
check "offset past the symbol" past_tells

check_if "$events" "event on an unknown function" \
	event_fails "p:$group/bad no_such_function" "Invalid argument"
check_if "$events" "event on a blacklisted function" \
	event_fails "p:$group/bad notify_die" "Invalid argument"
check_if "$events" "event on a blacklisted function that can be traced" \
	event_tells "$black" EINVAL 22 atomic_notifier_call_chain
check_if "$events" "event past the kernel" \
	event_tells "no-text: no kernel text" EINVAL 22 kernel_clone+"$past"
check_if "$events" "event inside of an instruction" \
	event_fails "p:$group/bad kernel_clone+$(inside)" "[Ii]llegal byte\|multibyte"
check_if "$events" "tracefs tells why" event_log_says "$middle"
check_if "$events" "no event is left" no_event_is_left

check "every line has all fields" lines_are_lines "$file"
check "the log tells as well" log_tells
check_if "$events" "a task with spaces in its name" odd_task_is_one_field
check "what is not refused is not there" quiet_when_not_refused
check "the last $kept are kept" keeps_the_last
check "the oldest come first" oldest_come_first
check "it can be read while it grows" reads_while_refused
check "list is as before" list_is_as_before
check "good probes still register" still_probed

finish
