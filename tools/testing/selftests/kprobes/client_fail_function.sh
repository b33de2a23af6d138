#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# fail_function as a client of kprobes: its handler makes mkdir(2) return an error without
# running it, for the tasks that are marked, as often as it was told to.

fei=/sys/kernel/debug/fail_function

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

# The name of the entry of mkdir(2) on this architecture.
find_function()
{
	for f in __x64_sys_mkdir __arm64_sys_mkdirat __riscv_sys_mkdirat __s390x_sys_mkdir \
		__ia32_sys_mkdir sys_mkdir; do
		if grep -q "^${f}[[:space:]]" "$fei/injectable"; then
			echo "$f"
			return
		fi
	done
}

# shellcheck disable=SC2317 # called by the trap
cleanup()
{
	put "" "$fei/inject"
	put 0 "$fei/probability"
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
ktap_set_plan 9
dir=$(mktemp -d)
trap cleanup EXIT

ktap_test_result "mkdir works before" marked mkdir "$dir/before"

ktap_test_result "$function can be probed" put "$function" "$fei/inject"
# -ENOSPC, as the unsigned number that the file takes
printf '%#x' -28 > "$fei/$function/retval"
# fail_function sees no task in a breakpoint's handler, only in one that ftrace calls.
filter=Y
grep -q "$function+.*FTRACE" /sys/kernel/debug/kprobes/list || filter=N
put $filter "$fei/task-filter"
put 100 "$fei/probability"
put 0 "$fei/interval"
put 0 "$fei/space"
put 0 "$fei/verbose"
put 2 "$fei/times"

if [ $filter = Y ]; then
	ktap_test_result "a task that is not marked is left alone" mkdir "$dir/other"
else
	ktap_test_skip "a task that is not marked is left alone: reached by a breakpoint"
fi
ktap_test_result "the injected error arrives" fails_for_lack_of_space marked mkdir "$dir/first"
ktap_test_result "the function itself did not run" [ ! -d "$dir/first" ]
ktap_test_result "a second time" fails marked mkdir "$dir/second"
ktap_test_result "and no more often than asked for" marked mkdir "$dir/third"

ktap_test_result "the function is let go" put "!$function" "$fei/inject"
ktap_test_result "mkdir works after" marked mkdir "$dir/after"

ktap_finished
