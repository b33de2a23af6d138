# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2034
#
# Sourced by the tests in this directory: TAP, the kernel's log and lists, modules that probe,
# kprobe events. However a test ends, what it has changed is restored.

debugfs=/sys/kernel/debug
kprobes=$debugfs/kprobes
tracefs=/sys/kernel/tracing
group=kselftest			# every event of ours is in this group
modules=/none			# where modules are that were built outside of the kernel
knob=""				# the file that takes() and refuses() write
batch_hits=/sys/module/kprobes_batch/parameters/hits
batch_refuse=/sys/module/kprobes_batch/parameters/refuse

number=0
failed=0
loaded=""
switch=""
sleeping=""			# processes to be killed at the end

# --- TAP

plan()
{
	planned=$1
	echo "TAP version 13"
	echo "1..$planned"
}

# Skips the whole test. Only for features that the kernel was built without.
skip_all()
{
	echo "TAP version 13"
	echo "1..0 # SKIP $*"
	exit 4
}

# check NAME COMMAND...: one result; what the command printed explains a failure.
check()
{
	what=$1
	shift
	number=$((number + 1))
	if "$@" >"$work/said" 2>&1; then
		echo "ok $number $what"
	else
		echo "not ok $number $what"
		echo "# failed: $*"
		sed 's/^/# /' "$work/said"
		failed=$((failed + 1))
	fi
}

# check_if REASON NAME COMMAND...: the same, but skipped if REASON is not empty.
check_if()
{
	if [ -z "$1" ]; then
		shift
		check "$@"
	else
		number=$((number + 1))
		echo "ok $number $2 # SKIP $1"
	fi
}

finish()
{
	if [ "$number" -ne "$planned" ]; then
		echo "# planned $planned results, and there were $number"
		exit 1
	fi
	if [ "$failed" -gt 0 ]; then
		exit 1
	fi
	exit 0
}

# --- conditions

not()
{
	! "$@"
}

# equal IS SHOULD-BE
equal()
{
	[ "$1" = "$2" ] || { echo "is '$1', should be '$2'"; return 1; }
}

# at_least IS LEAST
at_least()
{
	[ "$1" -ge "$2" ] || { echo "is $1, should be $2 or more"; return 1; }
}

# soon COMMAND...: true within a few seconds.
soon()
{
	patience=30
	while ! "$@"; do
		[ "$patience" -gt 0 ] || return 1
		patience=$((patience - 1))
		sleep 1
	done
}

# all_match REGEX FILE...: every line does, and there are lines.
all_match()
{
	regex=$1
	shift
	grep -q . "$@" || { echo "there are no lines"; return 1; }
	if grep -Evn "$regex" "$@"; then
		echo "do not match $regex"
		return 1
	fi
}

# One call of kernel_clone() and more.
a_fork()
{
	(:)
}

# call_batch TIMES: calls of hits_get() in kprobes_batch, which nobody else calls.
call_batch()
{
	round=0
	while [ "$round" -lt "$1" ]; do
		cat "$batch_hits" >/dev/null || return 1
		round=$((round + 1))
	done
}

# open_fifo FIFO TIMES: calls of fifo_open(), which nobody else calls.
open_fifo()
{
	round=0
	while [ "$round" -lt "$2" ]; do
		: <>"$1"
		round=$((round + 1))
	done
}

# takes TEXT VALUE: $knob accepts TEXT, and reads as VALUE afterwards
takes()
{
	echo "$1" >"$knob" && equal "$(cat "$knob")" "$2"
}

# refuses TEXT: $knob does not accept TEXT, and is not changed
refuses()
{
	was=$(cat "$knob")
	write_fails "$knob" "$1" "Invalid argument" && equal "$(cat "$knob")" "$was"
}

# write_fails FILE TEXT ERROR: the write fails with this error. (A shell's own "echo" does not
# always print the error.)
write_fails()
{
	if echo "$2" | dd of="$1" conv=notrunc 2>"$work/error"; then
		echo "'$2' was accepted"
		return 1
	fi
	cat "$work/error"
	grep -q "$3" "$work/error"
}

# --- the kernel's log

# log() shows the log from here on. The position is in a file, because subshells call this, too.
mark_log()
{
	echo >>"$work/marks"
	mark="$0 $$ mark $(wc -l <"$work/marks")"
	echo "$mark" >/dev/kmsg
}

log()
{
	dmesg | sed -e 's/^<[0-9]*>//' -e 's/^\(\[[^]]*\]\)* //' |
		awk -v mark="$mark" 'seen; $0 == mark { seen = 1 }'
}

# In a handler's context the kernel may defer printing.
logged()
{
	soon grep_log "$1" || { log; echo "has no line that matches $1"; return 1; }
}

grep_log()
{
	log | grep -Eq "$1"
}

# --- modules that probe

# A module in $modules comes before the kernel's of the same name.
module_file()
{
	if [ -e "$modules/$1.ko" ]; then
		echo "$modules/$1.ko"
		return
	fi
	find "/lib/modules/$(uname -r)" -name "$1.ko*" 2>/dev/null | head -n 1
}

# load MODULE PARAMETER...: unloads the module before if a failed check has left it loaded.
load()
{
	module=$1
	shift
	case " $loaded " in
	*" $module "*) unload "$module" ;;
	esac
	insmod "$(module_file "$module")" "$@" || return 1
	loaded="$module $loaded"
}

unload()
{
	rmmod "$1" || return 1
	rest=""
	for m in $loaded; do
		[ "$m" = "$1" ] || rest="$rest $m"
	done
	loaded=$rest
}

# refused NAME NUMBER MODULE PARAMETER...: the module does not load, and logs this error. A
# kernel without CONFIG_SYMBOLIC_ERRNAME logs the number. An insmod may try twice.
refused()
{
	reason="-$1|-$2"
	shift 2
	mark_log
	if load "$@"; then
		unload "$1"
		echo "$* was accepted"
		return 1
	fi
	logged "^$1: cannot probe .*: ($reason)\$"
}

# --- lists

# is_listed SYMBOL [REGEX]: the list has SYMBOL, with a line that ends like REGEX. The entry of a
# function may be listed as symbol+0x4 or the like.
is_listed()
{
	grep -E "^[0-9a-f]+  [kr]  $1\\+0x[0-9a-f]+${2:-.*}\$" "$kprobes/list" ||
		{ cat "$kprobes/list"; echo "has no $1${2:+ that matches $2}"; return 1; }
}

# is_jump SYMBOL
is_jump()
{
	is_listed "$1" '.*\[OPTIMIZED\]'
}

# becomes_jump SYMBOL: after a grace period.
becomes_jump()
{
	soon is_jump "$1" >/dev/null
}

# The list without flags that change by themselves.
list()
{
	sed -e 's/ *\[OPTIMIZED\]//' -e 's/ *$//' "$kprobes/list"
}

list_is_as_before()
{
	equal "$(list)" "$listed_before"
}

# --- symbols

# address_of SYMBOL [MODULE]
address_of()
{
	awk -v name="$1" -v module="${2:+[$2]}" \
		'$3 == name && $4 == module { print $1; exit }' /proc/kallsyms
}

# offset_from SYMBOL SYMBOL [MODULE]: bytes from one to the other. Not all shells count to 64 bits
# without a sign, so the upper halves of the addresses are left out.
offset_from()
{
	from=$(address_of "$1" "$3")
	to=$(address_of "$2" "$3")
	echo $(((0x${to#"${to%????????}"} - 0x${from#"${from%????????}"}) & 0xffffffff))
}

# Why probes in the init text of a module stay when it has come; empty where that text is freed.
init_stays=""
case $(uname -m) in
ppc64*) init_stays="modules' init text is not freed on 64-bit powerpc" ;;
esac

# --- kprobe events

# nop_size: prints the length of the nop that ftrace has at a function's entry.
nop_size()
{
	case $(uname -m) in
	parisc) echo 4 ;;
	x86_64 | i?86) echo 5 ;;
	s390x) echo 6 ;;
	riscv64 | loongarch64) echo 8 ;;
	*) return 1 ;;
	esac
}

# redirect FUNCTION: a probe at its entry uses ftrace from now on, as under a livepatch.
redirect()
{
	load kprobes_redirected function="$1"
}

# no_ftraced_points: why no point can use ftrace, or nothing.
no_ftraced_points()
{
	[ -n "$(module_file kprobes_redirected)" ] || echo "ftrace leads to no point"
}

# event DEFINITION-WITHOUT-GROUP, as "p NAME SYMBOL"
event()
{
	echo "$1:$group/$2 $3" >>"$tracefs/kprobe_events"
}

event_enable()
{
	echo "$2" >"$tracefs/events/$group/$1/enable"
}

event_hits()
{
	awk -v name="$1" '$1 == name { print $2 }' "$tracefs/kprobe_profile"
}

remove_events()
{
	[ -e "$tracefs/kprobe_events" ] || return 0
	[ ! -d "$tracefs/events/$group" ] || echo 0 >"$tracefs/events/$group/enable"
	sed -n "s|^[pr][0-9]*:\\($group/[^ ]*\\).*|\\1|p" "$tracefs/kprobe_events" | sort -u |
		while read -r name; do
			echo "-:$name" >>"$tracefs/kprobe_events"
		done
}

# --- beginning and end

cleanup()
{
	trap - EXIT
	for p in $sleeping; do
		kill "$p" 2>/dev/null
	done
	remove_events
	for m in $loaded; do
		rmmod "$m"
	done
	[ -z "$switch" ] || echo "$switch" >"$kprobes/enabled"
	rm -rf "$work"
}

# begin MODULE...: sets up the test; skips it if kprobes or one of these modules is missing.
begin()
{
	[ -d "$kprobes" ] || mount -t debugfs none "$debugfs" 2>/dev/null
	[ -d "$kprobes" ] || skip_all "kernel has no CONFIG_KPROBES or no CONFIG_DEBUG_FS"
	for m in "$@"; do
		[ -n "$(module_file "$m")" ] || skip_all "kernel was built without $m"
	done
	work=$(mktemp -d) || exit 1
	trap cleanup EXIT
	trap 'exit 1' HUP INT TERM
	switch=$(cat "$kprobes/enabled")
	listed_before=$(list)
	mark_log
}

# no_events: why kprobe events cannot be used, or nothing.
no_events()
{
	[ -e "$tracefs/kprobe_events" ] || mount -t tracefs none "$tracefs" 2>/dev/null
	[ -e "$tracefs/kprobe_events" ] || echo "kernel has no CONFIG_KPROBE_EVENTS"
}
