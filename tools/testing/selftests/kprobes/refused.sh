#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# /sys/kernel/debug/kprobes/refused: a line for each registration that was refused, which tells
# who wanted what, and why it was not to be had.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

file=$kprobes/refused
time='[0-9]+\.[0-9]{3}'
task='[^ ]+\[[0-9]+\]'
example='[^ ]+ \[kprobe_example\]  kprobe'	# what it says of a probe of that module
kept=128

mode_is()
{
	# shellcheck disable=SC2012 # a name that is known
	equal "$(ls -l "$1" | cut -c1-10)" "$2"
}

# last_is REGEX: for all that follows on time and task
last_is()
{
	tail -n 1 "$file" >"$work/last"
	grep -Eq "^$time  $task  $1\$" "$work/last" && return
	cat "$work/last"
	echo "does not match $1"
	return 1
}

# tells WORDS NAME NUMBER MODULE PARAMETER...: the module is refused, and the last line says
# that it was this one, where, and why.
tells()
{
	words=$1 error="(-$2|-$3)" module=$4 kind=kprobe place='[^ ]*'
	shift
	case $module in
	kretprobe_*) kind=kretprobe ;;
	esac
	for parameter in "$@"; do
		case $parameter in
		symbol=*) place="${parameter#symbol=}\\+0x[0-9a-f]+" ;;
		esac
	done
	refused "$@" && last_is "[^ ]+ \\[$module\\]  $kind  $place  $error  $words"
}

# event_tells WORDS NAME NUMBER DEFINITION: kprobe events ask on behalf of the shell, if they do
# not refuse by themselves.
event_tells()
{
	not event p bad "$4" 2>/dev/null || return 1
	place=$(echo "$4" | sed 's/+.*//')
	last_is "[^ ]*trace_kprobe[^ ]*  kprobe  $place\\+0x[0-9a-f]+  (-$2|-$3)  $1"
}

# One of the first bytes is none where an instruction begins.
inside_tells()
{
	offset=1
	while [ "$offset" -lt 16 ]; do
		load kprobe_example symbol=kernel_clone offset="$offset" 2>/dev/null || break
		unload kprobe_example
		offset=$((offset + 1))
	done
	place=kernel_clone\\+0x$(printf %x "$offset")
	last_is "$example  $place  (-EILSEQ|-84)  inside an instruction"
}

# An offset may lead past its symbol. What is told is why it must not end where it does.
past_tells()
{
	from=$(($(offset_from _text kernel_clone) + offset))
	not load kprobe_example symbol=_text offset="$from" 2>/dev/null &&
		last_is "$example  _text\\+0x[0-9a-f]+  (-EILSEQ|-84)  inside an instruction" &&
		tells blacklisted EINVAL 22 \
			kprobe_example symbol=_text offset="$(offset_from _text notify_die)"
}

# A line feed in a name is none in the file, nor is any other byte that terminals act upon.
odd_name_is_one_line()
{
	not load kprobe_example "$(printf 'symbol="odd\nn\ta\033me"')" 2>/dev/null &&
		last_is "$example  odd\\\\nn\\\\ta\\\\eme\\+0x0  .*  unknown symbol"
}

long_name_is_cut()
{
	name=$(head -c 600 /dev/zero | tr '\0' n)
	not load kprobe_example symbol="$name" 2>/dev/null &&
		last_is "$example  n{50,100}\\.\\.\\.\\+0x0  .*  unknown symbol"
}

# In which a good one comes first: the bad one is named.
batch_tells()
{
	refused ENOENT 2 kprobe_batch_example symbols=kernel_clone,no_such,notify_die &&
		last_is '[^ ]+ \[kprobe_batch_example\]  kprobe  no_such\+0x0  .*  unknown symbol'
}

is_time_of_log()
{
	uptime=$(cut -d . -f 1 /proc/uptime)
	seconds=$(tail -n 1 "$file" | cut -d . -f 1)
	at_least "$uptime" "$seconds" && at_least $((seconds + 60)) "$uptime"
}

oldest_come_first()
{
	cut -d ' ' -f 1 "$file" >"$work/times"
	sort -n "$work/times" >"$work/sorted"
	equal "$(cat "$work/times")" "$(cat "$work/sorted")"
}

# Success is no news.
quiet_when_not_refused()
{
	was=$(cat "$file")
	load kprobe_example && a_fork && unload kprobe_example && equal "$(cat "$file")" "$was"
}

keeps_the_last()
{
	round=0
	while [ "$round" -lt $((kept + 2)) ]; do
		load kprobe_example symbol=no_such offset="$round" 2>/dev/null && return 1
		round=$((round + 1))
	done
	place=no_such\\+0x$(printf %x $((kept + 1)))
	equal "$(grep -c . "$file")" "$kept" && last_is "$example  $place  .*"
}

lines_are_lines()
{
	caller='[^ ]+( \[[a-z0-9_]+\])?' kind='(kprobe|kretprobe|enable)'
	all_match "^$time  $task  $caller  $kind  .+  -[0-9A-Z]+  [^ ].*\$" "$1"
}

refuses_much()
{
	round=0
	while [ "$round" -lt 20 ]; do
		insmod "$(module_file kprobe_example)" symbol=no_such 2>/dev/null
		round=$((round + 1))
	done
}

# Whole lines, whatever comes meanwhile, in portions of any size.
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

begin kprobe_example kretprobe_example kprobe_batch_example
[ -e "$file" ] || skip_all "kernel does not keep what it refuses"
events=$(no_events)
prefix=$(awk '$2 ~ /^[tT]$/ && $3 ~ /^__(pfx|cfi)_/ && $4 == "" { print $3; exit }' /proc/kallsyms)
data=$(awk '$2 ~ /^[dDbB]$/ && $3 == "loops_per_jiffy" { print $3; exit }' /proc/kallsyms)
init=$(awk '$3 == "start_kernel" { print $3 }' /proc/kallsyms)
past=2147483647		# from everywhere in the kernel
no_prefix="" no_data="" no_init="" same_length=""
[ -n "$prefix" ] || no_prefix="compiler puts no prefix in front of functions"
[ -n "$data" ] || no_data="kernel has no CONFIG_KALLSYMS_ALL"
[ -n "$init" ] || no_init="kernel has no symbols for its init text"
case $(uname -m) in
x86_64 | i?86 | s390x) ;;
*) same_length="instructions have no different lengths" ;;
esac
plan 25

check "refused is for root to read" mode_is "$file" -r--------
check "unknown symbol" \
	tells "unknown symbol" ENOENT 2 kprobe_example symbol=no_such_function
check "the time is that of the log" is_time_of_log
check "unknown symbol of a return probe" \
	tells "unknown symbol" ENOENT 2 kretprobe_example symbol=no_such_function
check "unknown module" \
	tells "unknown symbol" ENOENT 2 kprobe_example symbol=no_such_module:kernel_clone
check "blacklisted" tells blacklisted EINVAL 22 kprobe_example symbol=notify_die
check "blacklisted: its return" tells blacklisted EINVAL 22 kretprobe_example symbol=notify_die
check "offset past the kernel" \
	tells "no kernel text" EINVAL 22 kprobe_example symbol=kernel_clone offset="$past"
check_if "$no_prefix" "prefix of a function" \
	tells "in front of a function's entry \\(__cfi_, __pfx_\\)" EINVAL 22 \
	kprobe_example symbol="$prefix"
check_if "$no_data" "data" tells "no kernel text" EINVAL 22 kprobe_example symbol="$data"
check_if "$no_init" "init text" \
	tells "init text was freed" ENOENT 2 kprobe_example symbol="$init"
check_if "$same_length" "inside an instruction" inside_tells
check_if "$same_length" "offset past the symbol" past_tells
check "one of a batch" batch_tells
check "a name with a line feed" odd_name_is_one_line
check "a long name" long_name_is_cut

check_if "$events" "event on a blacklisted function" \
	event_tells blacklisted EINVAL 22 atomic_notifier_call_chain
check_if "$events" "event past the kernel" \
	event_tells "no kernel text" EINVAL 22 kernel_clone+"$past"

check "every line has all fields" lines_are_lines "$file"
check "the oldest come first" oldest_come_first
check "what is not refused is not there" quiet_when_not_refused
check "the last $kept are kept" keeps_the_last
check "the oldest come first still" oldest_come_first
check "it can be read while it grows" reads_while_refused
check "list is as before" list_is_as_before

finish
