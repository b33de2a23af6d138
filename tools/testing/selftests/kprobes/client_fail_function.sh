#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# fail_function as a client of kprobes: its handler makes mkdir(2) return an error without
# running it, for the tasks that are marked, a given number of times. If the point is a jump, all
# is tried with a breakpoint as well.

fei=/sys/kernel/debug/fail_function
points=/sys/kernel/debug/kprobes/points
knob=/proc/sys/debug/kprobes-optimization

. "$(dirname "$0")/../kselftest/ktap_helpers.sh"

put() { echo "$1" > "$2"; }
fails() { ! "$@" 2>/dev/null; }

# Runs COMMAND in a task whose system calls may be made to fail.
marked()
{
	sh -c 'echo 1 > /proc/self/make-it-fail && exec "$@"' sh "$@"
}

fails_for_lack_of_space()
{
	! text=$("$@" 2>&1) && echo "$text" | grep -q "No space left on device"
}

# The name of the entry of mkdir(2) on this architecture. LoongArch has both names, and calls one.
find_function()
{
	[ "$(uname -m)" != loongarch64 ] || set -- sys_mkdirat
	for f in "$@" __x64_sys_mkdir __arm64_sys_mkdirat __riscv_sys_mkdirat __s390x_sys_mkdir \
		__ia32_sys_mkdir sys_mkdir sys_mkdirat; do
		if grep -q "^${f}[[:space:]]" "$fei/injectable"; then
			echo "$f"
			return
		fi
	done
}

# A jump comes after a grace period.
wait_for_optimizer()
{
	for _ in $(seq 60); do
		sleep 1
		grep "  $function+" "$points" | grep -q "waiting to be optimized" || return
	done
}

# The mechanism of the function's point, when it does not change any more.
mechanism()
{
	wait_for_optimizer
	awk -F '  ' -v like="^${function}[+]" '$2 ~ like { print $4 }' "$points"
}

fail_twice()
{
	set -- "$(mechanism)"
	put 2 "$fei/times"
	ktap_test_result "$1: a task that is not marked is left alone" mkdir "$dir/$1-other"
	ktap_test_result "$1: the injected error arrives" \
		fails_for_lack_of_space marked mkdir "$dir/$1-first"
	ktap_test_result "$1: the function itself did not run" [ ! -d "$dir/$1-first" ]
	ktap_test_result "$1: a second time" fails marked mkdir "$dir/$1-second"
	ktap_test_result "$1: and no more often than asked for" marked mkdir "$dir/$1-third"
}

skip_twice()
{
	for _ in 1 2 3 4 5; do
		ktap_test_skip "breakpoint: there is no jump"
	done
}

# shellcheck disable=SC2317 # called by the trap
cleanup()
{
	put "" "$fei/inject"
	put 0 "$fei/probability"
	[ ! -e "$knob" ] || put 1 "$knob"
	rmdir "$dir"/* "$dir"
}

ktap_print_header
if [ ! -d "$fei" ]; then
	ktap_skip_all "no fail_function: CONFIG_FAIL_FUNCTION, CONFIG_FAULT_INJECTION_DEBUG_FS"
	exit "$KSFT_SKIP"
fi
function=$(find_function)
if [ -z "$function" ]; then
	ktap_skip_all "mkdir(2) is not on the error injection list"
	exit "$KSFT_SKIP"
fi
ktap_set_plan 14
dir=$(mktemp -d)
trap cleanup EXIT

ktap_test_result "mkdir works before" marked mkdir "$dir/before"

ktap_test_result "$function can be probed" put "$function" "$fei/inject"
# -ENOSPC, as the unsigned number that the file takes
printf '%#x' -28 > "$fei/$function/retval"
put Y "$fei/task-filter"
put 100 "$fei/probability"
put 0 "$fei/interval"
put 0 "$fei/space"
put 0 "$fei/verbose"

fail_twice
case $(mechanism) in
jump*)
	put 0 "$knob"
	fail_twice
	;;
*)
	skip_twice
	;;
esac

ktap_test_result "the function is let go" put "!$function" "$fei/inject"
ktap_test_result "mkdir works after" marked mkdir "$dir/after"

ktap_finished
